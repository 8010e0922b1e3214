"""The WebGPU bridge for Pyodide, on the page's main thread or in a module worker.

A device answers by promises only. Python waits for them where the browser can suspend WebAssembly
(JSPI) and the code was called in a way that allows it, for example by `runPythonAsync`.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ...errors import BackendError
from .pyodide import PageBridge, bridge_module, bridge_options, own_errors

# In ordinary CPython there is no such module, and opening a bridge raises an error.
with suppress(ImportError):
    from pyodide.ffi import can_run_sync, run_sync


class PyodideGpuBridge(PageBridge):
    """The bridge to WebGPU, whose blocking verbs wait for promises."""

    backend = "webgpu"

    def _wait(self, promise: Any) -> Any:
        with own_errors("webgpu"):
            return run_sync(promise)

    def run(self, plan: int, words: bytes) -> int:
        generation = super().run(plan, words)
        if generation > 0:
            return generation
        # The device has much to do. Python that cannot wait submits more.
        if can_run_sync():
            self.finish()
        return -generation

    def prepare(self, plan: int) -> None:
        if can_run_sync():
            self._wait(self._call("prepare", plan))

    def read(self, handle: int, target: Any) -> None:
        if not can_run_sync():
            raise BackendError(
                "webgpu: reading blocks, and Python cannot wait here; got a browser without "
                "JavaScript Promise Integration, or a call that was not made by "
                "pyodide.runPythonAsync; use `await t.data()`"
            )
        run_sync(self.read_async(handle, target))

    def finish(self) -> None:
        if can_run_sync():
            self._wait(self._call("finish"))

    def error(self) -> str:
        error: str = self._wait(self._call("error"))
        return error


def _registered() -> Any:
    import webgpu_js_bridge

    return webgpu_js_bridge


def _check(blocking: bool) -> Any:
    """Return the options of a bridge; raise BackendError if Python must wait and cannot."""
    options = bridge_options("webgpu")
    if blocking and not can_run_sync():
        raise BackendError(
            "webgpu: backend not available: opening a device and reading wait, and Python cannot "
            "wait here; got a browser without JavaScript Promise Integration, or a call that was "
            'not made by pyodide.runPythonAsync; use `await pt.ready("webgpu")` and '
            "`await t.data()`"
        )
    return options


async def open_bridge(blocking: bool) -> PyodideGpuBridge:
    """Open a bridge with its own WebGPU device; raise BackendError if there is none.

    Args:
        blocking: Raise BackendError, too, if Python cannot wait for reads.
    """
    options = _check(blocking)
    module = bridge_module("webgpu", _registered, "_webgpu_bridge.js")
    with own_errors("webgpu"):
        return PyodideGpuBridge(await module.createBridge(options))


def load_bridge() -> PyodideGpuBridge:
    """Open a bridge and wait for it; raise BackendError if Python cannot wait."""
    _check(blocking=True)
    opened: PyodideGpuBridge | BackendError = run_sync(_opened())
    if isinstance(opened, BackendError):
        raise opened
    return opened


async def _opened() -> PyodideGpuBridge | BackendError:
    """Return a bridge or the error: Pyodide formats tracebacks of errors that leave a coroutine."""
    try:
        return await open_bridge(blocking=True)
    except BackendError as error:
        return error
