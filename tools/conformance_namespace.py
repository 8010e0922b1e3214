"""Namespace `xp` for array-api-tests: py_tensor on the backend in PY_TENSOR_BACKEND."""

from __future__ import annotations

import atexit
import os

import py_tensor as xp
from py_tensor.runtime import executor

if os.environ["PY_TENSOR_BACKEND"] == "webgl":
    import playwright_bridge  # type: ignore[import-not-found]

    from py_tensor.runtime.backends.webgl import WebGLBackend

    opened = playwright_bridge.open_page()
    executor.use(WebGLBackend(playwright_bridge.PlaywrightBridge(opened.__enter__())))
    # Tiny tensors are tested in shaders, too.
    xp.env.host_elements = 0
    atexit.register(opened.__exit__, None, None, None)
else:
    xp.set_backend(os.environ["PY_TENSOR_BACKEND"])
    xp.env.host_elements = 0
