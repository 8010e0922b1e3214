"""The bridge of the page this Python runs in, on the page's thread or in a module worker.

Bulk data never become JavaScript objects: the bridge reads and writes Python's own memory, given
an address. Few bytes pass through one pinned buffer whose address is known, since asking for an
address takes longer than copying them.
"""

from __future__ import annotations

import json
import pkgutil
from array import array
from asyncio import sleep
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from ..errors import BackendError
from .bridge import Limits, Stats, bridge_error

try:
    import js
    import pyodide_js
    from pyodide.code import run_js
    from pyodide.ffi import JsException, can_run_sync, create_proxy, run_sync, to_js
except ImportError:  # ordinary CPython, as load_bridge says when asked
    js = None

# Copying this many bytes takes as long as asking for an address.
STAGED_BYTES = 1 << 18

# Waiting without blocking takes some 2 ms longer than blocking does, so what is known to be quick
# blocks, but the page gets its turn this often.
QUICK_SECONDS = 0.005
TURN_SECONDS = 0.012
QUICK_LIMIT = 4096
# With such turns a timer of 4 ms runs 110 times a second; with sleeps of 0 or 1 ms, 10 times.
PAUSE_SECONDS = 0.004


@contextmanager
def _pinned(data: Any) -> Iterator[tuple[int, int]]:
    """Give (address, length) of a C-contiguous buffer that stays where it is meanwhile."""
    proxy = create_proxy(data)
    buffer = proxy.getBuffer("u8")
    try:
        yield buffer.data.byteOffset, buffer.data.byteLength
    finally:
        buffer.release()
        proxy.destroy()


def _passed_on(verb: str) -> Any:
    """A verb whose arguments and result cross as they are."""

    def call(self: PyodideBridge, *values: Any) -> Any:
        return self._call(verb, *values)

    return call


class PyodideBridge:
    """The bridge's verbs, as calls into the object that `createBridge` made."""

    def __init__(self, bridge: Any) -> None:
        self._bridge = bridge
        # A bound method looked up once saves a fifth of a call.
        self._run = bridge.run
        self._free = bridge.free
        self._read_async = bridge.readAsync
        # The page's thread must not freeze; a worker may, since nobody looks at it.
        self._on_page = hasattr(js, "document")
        # What was run since the last read, as a number, and after what a read was quick.
        self._work = 0
        self._quick: set[tuple[int, int]] = set()
        self._turn = 0.0
        staging = array("q", bytes(STAGED_BYTES))
        self._address: int = staging.buffer_info()[0]
        # A view of it pins the array.
        self._staged = memoryview(staging).cast("B")

    def _call(self, verb: str, *values: Any) -> Any:
        try:
            return getattr(self._bridge, verb)(*values)
        except JsException as error:
            raise bridge_error(error.name, error.message) from None

    def limits(self) -> Limits:
        limits: Limits = json.loads(self._call("limits"))
        return limits

    def upload(self, handle: int, format: int, width: int, height: int, data: Any) -> None:
        view = memoryview(data)
        size = view.nbytes
        if size <= STAGED_BYTES:
            if size:
                self._staged[:size] = view.cast("B")
            self._call("upload", handle, format, width, height, self._address, size)
        else:
            with _pinned(view) as (address, size):
                self._call("upload", handle, format, width, height, address, size)

    def free(self, handle: int) -> None:
        self._free(handle)

    def plan(self, id: int, words: array[int]) -> None:
        self._call("plan", id, *words.buffer_info())

    def run(self, plan: int, words: bytes) -> int:
        size = len(words)
        self._staged[:size] = words
        self._work = (self._work * 31 + plan) & 0xFFFFFFFF
        try:
            return self._run(plan, self._address, size >> 2)  # type: ignore[no-any-return]
        except JsException as error:
            raise bridge_error(error.name, error.message) from None

    def read(self, handle: int, target: Any) -> None:
        view = memoryview(target)
        if not (self._on_page and can_run_sync()):
            self._read_blocking(handle, view)
            return
        work = self._work, view.nbytes
        self._work = 0
        start = perf_counter()
        if work in self._quick and start - self._turn < TURN_SECONDS:
            self._read_blocking(handle, view)
        else:
            self._read_waiting(handle, view)
            self._turn = perf_counter()
        if perf_counter() - start > QUICK_SECONDS:
            self._quick.discard(work)
        elif len(self._quick) < QUICK_LIMIT:
            self._quick.add(work)

    def _read_blocking(self, handle: int, view: memoryview) -> None:
        if view.nbytes > STAGED_BYTES:
            with _pinned(view) as (address, size):
                self._call("read", handle, address, size)
        elif view.nbytes:
            self._call("read", handle, self._address, view.nbytes)
            view.cast("B")[:] = self._staged[: view.nbytes]

    def _read_waiting(self, handle: int, view: memoryview) -> None:
        with _pinned(view) as (address, size):
            try:
                run_sync(self._read_async(handle, address, size))
            except JsException as error:
                raise bridge_error(error.name, error.message) from None

    async def read_async(self, handle: int, target: Any) -> None:
        with _pinned(target) as (address, size):
            try:
                await self._read_async(handle, address, size)
            except JsException as error:
                raise bridge_error(error.name, error.message) from None

    def give_turn(self) -> None:
        if perf_counter() - self._turn > TURN_SECONDS and self._on_page and can_run_sync():
            run_sync(sleep(PAUSE_SECONDS))
            self._turn = perf_counter()

    async def give_turn_async(self) -> None:
        if perf_counter() - self._turn > TURN_SECONDS:
            await sleep(PAUSE_SECONDS)
            self._turn = perf_counter()

    def pixel_size(self, source: Any) -> tuple[int, int]:
        width, height = self._call("pixelSize", source)
        return width, height

    def stats(self) -> Stats:
        stats: Stats = json.loads(self._call("stats"))
        return stats

    async def timings(self) -> list[tuple[str, float]]:
        try:
            return [(name, time) for name, time in json.loads(await self._bridge.timings())]
        except JsException as error:
            raise bridge_error(error.name, error.message) from None

    alloc = _passed_on("alloc")
    program = _passed_on("program")
    ready = _passed_on("ready")
    drop_plan = _passed_on("dropPlan")
    draw = _passed_on("draw")
    from_pixels = _passed_on("fromPixels")
    pool_limit = _passed_on("poolLimit")
    trim = _passed_on("trim")
    checks = _passed_on("checks")
    finish = _passed_on("finish")
    profile = _passed_on("profile")
    error = _passed_on("error")
    generation = _passed_on("generation")
    is_lost = _passed_on("isLost")
    lose_context = _passed_on("loseContext")
    restore_context = _passed_on("restoreContext")
    destroy = _passed_on("destroy")


def _module() -> Any:
    """Return the module the page registered, else the one this package brings along."""
    try:
        import webgl_js_bridge
    except ImportError:
        pass
    else:
        return webgl_js_bridge
    try:
        script = pkgutil.get_data("py_tensor", "_bridge.js")
    except OSError:
        script = None
    if script is None:
        raise BackendError(
            "webgl: backend not available: the bridge is missing; got neither a module "
            "webgl_js_bridge nor a file py_tensor/_bridge.js; install py_tensor from its wheel"
        )
    try:
        return run_js(script.decode())
    except JsException as error:
        raise BackendError(
            "webgl: backend not available: this page does not allow evaluating the bridge; "
            f"got {error.message}; "
            'call pyodide.registerJsModule("webgl_js_bridge", module) before importing py_tensor'
        ) from None


def load_bridge() -> PyodideBridge:
    """Return a bridge on a WebGL2 context of its own; raise BackendError where there is none."""
    if js is None:
        raise BackendError(
            "webgl: backend not available: this Python does not run in a web page; "
            'got no module js; use pt.set_backend("numpy") here, or run under Pyodide'
        )
    options = to_js({"module": pyodide_js._module}, dict_converter=js.Object.fromEntries)
    try:
        return PyodideBridge(_module().createBridge(options))
    except JsException as error:
        raise bridge_error(error.name, error.message) from None
