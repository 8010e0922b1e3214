"""Run functions of a test in a page's Python, from their source, and return the results."""

from __future__ import annotations

import inspect
import json
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

HERE = Path(__file__).parent
ROOT = HERE.parent
START = "([folder, bridge]) => python.start(folder, bridge)"
WEBGL = pytest.mark.parametrize("backend", ["webgl"])
"""Marks tests of textures, shaders and other parts of WebGL."""
WEBGPU = pytest.mark.parametrize("backend", ["webgpu"])
"""Marks tests of WebGPU's device and its buffers."""


def link_pages(folder: Path) -> None:
    """Link the site's Pyodide, the pages, the bridge's modules and the wheel into a folder."""
    (folder / "pyodide").symlink_to(ROOT / "build" / "site" / "pyodide")
    (folder / "pages").symlink_to(HERE / "pages")
    for name in ("webgl_js_bridge", "webgpu_js_bridge", "dist"):
        (folder / name).symlink_to(ROOT / name)


class PagePython:
    """Python interpreter on a page's thread ("page") or in a module worker ("worker").

    The address chooses the backend; without one, its first use does, which finds no GPU here.
    """

    def __init__(
        self,
        page: Page,
        url: str,
        thread: str,
        html: str = "",
        bridge: str = "",
        backend: str = "",
    ) -> None:
        self.page = page
        self.thread = thread
        flag = f"?py_tensor.backend={backend}" if backend else ""
        self.url = f"{url}/pages/{html or thread}.html{flag}"
        self.start_arguments = [f"{url}/pyodide/", bridge]
        self.start()

    def start(self) -> None:
        """Load the page and start its interpreter."""
        self.page.goto(self.url)
        self.page.wait_for_function("globalThis.python !== undefined")
        self.page.evaluate(START, self.start_arguments)

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function under runPythonAsync. Arguments and result are JSON."""
        return self._call("call", function, arguments)

    def call_blocking(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function under runPython, where Python cannot wait for a promise."""
        return self._call("callBlocking", function, arguments)

    def _call(self, verb: str, function: Callable[..., Any], arguments: Any) -> Any:
        # Keep the test file's line numbers in tracebacks.
        lines, first = inspect.getsourcelines(function)
        source = "\n" * (first - 1) + textwrap.dedent("".join(lines))
        file = Path(inspect.getfile(function)).name
        request = json.dumps([file, source, function.__name__, arguments])
        return json.loads(self.page.evaluate(f"request => python.{verb}(request)", request))


def leftovers() -> dict[str, int | str]:
    """Return the state that a test of a shared interpreter must not change."""
    import gc
    import sys

    import page_counts

    import py_tensor as pt
    from py_tensor.runtime.executor import backend

    # The last uncaught exception keeps the frames of a failed test and their tensors alive.
    for name in ("last_exc", "last_value", "last_type", "last_traceback"):
        sys.__dict__.pop(name, None)
    gc.collect()
    return {
        "backend": pt.get_backend(),
        "tensors": pt.memory().num_tensors,
        "bytes on the GPU": pt.memory().num_bytes_in_gpu,
        "proxies of Python objects": page_counts.pyProxies(),
        "WebGL error": backend().bridge.error() if pt.get_backend() == "webgl" else 0,
    }
