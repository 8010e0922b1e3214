"""The WebGL bridge for Pyodide, on the page's main thread or in a module worker.

`pyodide_webgpu` has the WebGPU bridge, which shares `PageBridge` with it.

Large data never become JavaScript objects: the bridge reads and writes Python's memory at a given
address. Small data pass through one pinned staging buffer with a known address, because looking up
an address takes longer than copying them.
"""

from __future__ import annotations

import json
import pkgutil
from array import array
from asyncio import CancelledError, ensure_future, shield, sleep
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from time import perf_counter
from typing import Any

from ...errors import BackendError
from ...settings import require_page
from .bridge import Stats, bridge_error

try:
    import js
    import pyodide_js
    from pyodide.code import run_js
    from pyodide.ffi import JsException, can_run_sync, create_proxy, run_sync, to_js
except ImportError:  # ordinary CPython; `bridge_options` raises the error
    js = None

# Copying this many bytes takes as long as looking up an address.
STAGED_BYTES = 1 << 18

# Awaiting a read takes about 2 ms longer than blocking. Reads that took less than QUICK_SECONDS the
# last time therefore block, but the page's event loop runs at least every TURN_SECONDS.
QUICK_SECONDS = 0.005
TURN_SECONDS = 0.012
QUICK_LIMIT = 4096
# With this pause a 4 ms timer of the page fires 110 times a second; with 0 or 1 ms, 10 times.
PAUSE_SECONDS = 0.004


@contextmanager
def pinned(data: Any) -> Iterator[tuple[int, int]]:
    """Pin a C-contiguous buffer and yield its (address, length)."""
    proxy = create_proxy(data)
    buffer = proxy.getBuffer("u8")
    try:
        yield buffer.data.byteOffset, buffer.data.byteLength
    finally:
        buffer.release()
        proxy.destroy()


@contextmanager
def own_errors(backend: str) -> Iterator[None]:
    """Raise the JavaScript errors of a backend's bridge as errors of this package."""
    try:
        yield
    except JsException as error:
        raise bridge_error(error.name, error.message, backend) from None


def _forward(verb: str) -> Any:
    """Make a method that passes its arguments and result through unchanged."""

    def call(self: PageBridge, *values: Any) -> Any:
        return self._call(verb, *values)

    return call


class PageTurns:
    """Lets the page's event loop run between computations that take long."""

    def __init__(self) -> None:
        # The page's main thread must not be blocked for long; a worker may be.
        self._on_page = hasattr(js, "document")
        self._turn = 0.0

    def give_turn(self) -> None:
        if perf_counter() - self._turn > TURN_SECONDS and self._on_page and can_run_sync():
            run_sync(sleep(PAUSE_SECONDS))
            self._turn = perf_counter()

    async def give_turn_async(self) -> None:
        if perf_counter() - self._turn > TURN_SECONDS:
            await sleep(PAUSE_SECONDS)
            self._turn = perf_counter()


class PageBridge(PageTurns):
    """Verbs of both bridges, as calls to the object returned by JavaScript's `createBridge`."""

    backend: str
    """Name of the backend, in error messages."""

    def __init__(self, bridge: Any) -> None:
        super().__init__()
        self._bridge = bridge
        # Looking up a JavaScript method takes a fifth of a call, so these are looked up once.
        self._run = bridge.run
        self._free = bridge.free
        self._read_async = bridge.readAsync
        staging = array("q", bytes(STAGED_BYTES))
        self._address: int = staging.buffer_info()[0]
        # The view pins the array.
        self._staged = memoryview(staging).cast("B")

    def _call(self, verb: str, *values: Any) -> Any:
        try:
            return getattr(self._bridge, verb)(*values)
        except JsException as error:
            raise bridge_error(error.name, error.message, self.backend) from None

    def limits(self) -> Any:
        return json.loads(self._call("limits"))

    def upload(self, *values: Any) -> Any:
        *size, data = values
        view = memoryview(data)
        nbytes = view.nbytes
        if nbytes > STAGED_BYTES:
            with pinned(view) as (address, nbytes):
                return self._call("upload", *size, address, nbytes)
        if nbytes:
            self._staged[:nbytes] = view.cast("B")
        return self._call("upload", *size, self._address, nbytes)

    def free(self, handle: int) -> None:
        self._free(handle)

    def plan(self, id: int, words: array[int]) -> None:
        self._call("plan", id, *words.buffer_info())

    def run(self, plan: int, words: bytes) -> int:
        size = len(words)
        self._staged[:size] = words
        try:
            generation: int = self._run(plan, self._address, size >> 2)
            return generation
        except JsException as error:
            raise bridge_error(error.name, error.message, self.backend) from None

    async def read_async(self, handle: int, target: Any) -> None:
        with ExitStack() as pins, own_errors(self.backend):
            address, size = pins.enter_context(pinned(target))
            reading = ensure_future(self._read_async(handle, address, size))
            try:
                await shield(reading)
            except (CancelledError, GeneratorExit):
                # JavaScript goes on, and writes to the memory until its promise is settled.
                unpin = pins.pop_all().close
                reading.add_done_callback(lambda done: (done.exception(), unpin()))
                raise

    def pixel_size(self, source: Any) -> tuple[int, int]:
        width, height = self._call("pixelSize", source)
        return width, height

    def stats(self) -> Stats:
        stats: Stats = json.loads(self._call("stats"))
        return stats

    def can_wait(self) -> bool:
        return bool(can_run_sync())

    def timings_now(self) -> list[tuple[str, float]]:
        if can_run_sync():
            times: list[tuple[str, float]] = run_sync(self.timings())
            return times
        return [(name, time) for name, time in json.loads(self._call("timingsNow"))]

    async def timings(self) -> list[tuple[str, float]]:
        with own_errors(self.backend):
            return [(name, time) for name, time in json.loads(await self._bridge.timings())]

    alloc = _forward("alloc")
    program = _forward("program")
    ready = _forward("ready")
    drop_plan = _forward("dropPlan")
    drop_program = _forward("dropProgram")
    draw = _forward("draw")
    from_pixels = _forward("fromPixels")
    pool_limit = _forward("poolLimit")
    trim = _forward("trim")
    checks = _forward("checks")
    profile = _forward("profile")
    generation = _forward("generation")
    is_lost = _forward("isLost")
    lose_context = _forward("loseContext")
    restore_context = _forward("restoreContext")
    destroy = _forward("destroy")


class PyodideBridge(PageBridge):
    """The bridge to WebGL2, whose reads block, or wait if the page may go on meanwhile."""

    backend = "webgl"

    def __init__(self, bridge: Any) -> None:
        super().__init__(bridge)
        # Hash of the plans run since the last read, and the hashes after which a read was quick.
        self._work = 0
        self._quick: set[tuple[int, int]] = set()

    def run(self, plan: int, words: bytes) -> int:
        self._work = (self._work * 31 + plan) & 0xFFFFFFFF
        return super().run(plan, words)

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
            run_sync(self.read_async(handle, view))
            self._turn = perf_counter()
        if perf_counter() - start > QUICK_SECONDS:
            self._quick.discard(work)
        elif len(self._quick) < QUICK_LIMIT:
            self._quick.add(work)

    def _read_blocking(self, handle: int, view: memoryview) -> None:
        if view.nbytes > STAGED_BYTES:
            with pinned(view) as (address, size):
                self._call("read", handle, address, size)
        elif view.nbytes:
            self._call("read", handle, self._address, view.nbytes)
            view.cast("B")[:] = self._staged[: view.nbytes]

    finish = _forward("finish")
    error = _forward("error")


def bridge_module(backend: str, registered: Any, bundle: str) -> Any:
    """Return a bridge's module: the one registered by the page, else the package's bundle.

    Args:
        backend: Name of the backend, in error messages.
        registered: Function that imports the registered module.
        bundle: Name of the file with the bundle.
    """
    try:
        return registered()
    except ImportError:
        pass
    module = f"{backend}_js_bridge"
    try:
        script = pkgutil.get_data("py_tensor", bundle)
    except OSError:
        script = None
    if script is None:
        raise BackendError(
            f"{backend}: backend not available: the bridge is missing; got neither a module "
            f"{module} nor a file py_tensor/{bundle}; install py_tensor from its wheel"
        )
    try:
        return run_js(script.decode())
    except JsException as error:
        raise BackendError(
            f"{backend}: backend not available: this page does not allow evaluating the bridge; "
            f"got {error.message}; "
            f'call pyodide.registerJsModule("{module}", module) before importing py_tensor'
        ) from None


def bridge_options(backend: str) -> Any:
    """Return the argument of `createBridge`; raise BackendError outside of a page."""
    require_page(backend)
    return to_js({"module": pyodide_js._module}, dict_converter=js.Object.fromEntries)


def _registered() -> Any:
    import webgl_js_bridge

    return webgl_js_bridge


def load_bridge() -> PyodideBridge:
    """Create a bridge with its own WebGL2 context; raise BackendError if there is none."""
    options = bridge_options("webgl")
    module = bridge_module("webgl", _registered, "_bridge.js")
    with own_errors("webgl"):
        return PyodideBridge(module.createBridge(options))
