"""`xp` for array-api-tests: py_tensor on the backend that PY_TENSOR_BACKEND names."""

from __future__ import annotations

import atexit
import os

import py_tensor as xp
from py_tensor import runtime

# The suite compares dtypes with it, wherever values may have two precisions.
xp.float64 = "float64"  # type: ignore[attr-defined]

if os.environ["PY_TENSOR_BACKEND"] == "webgl":
    import playwright_bridge  # type: ignore[import-not-found]

    from py_tensor.backends.webgl import WebGLBackend

    opened = playwright_bridge.open_page()
    runtime.use(WebGLBackend(playwright_bridge.PlaywrightBridge(opened.__enter__())))
    atexit.register(opened.__exit__, None, None, None)
else:
    xp.set_backend("numpy")
