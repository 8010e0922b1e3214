"""Record what the backend does: runs of plans, times of draws, uploads and reads.

Input: the backend in use, as long as a recording is open. Output: `Recording`. One observer and one
wrapper of the bridge serve all open recordings, so that recordings may overlap in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any, NamedTuple

from ..ir.node import LinearizedGraph, OpGraph, scalar_node
from ..runtime import scopes
from ..runtime.backends.base import Backend
from ..runtime.executor import backend, runtime
from ..runtime.scopes import user_line
from ..tensor import Tensor
from .memory import memory


class PlanRun(NamedTuple):
    """One run of a plan, in seconds of `perf_counter`."""

    plan: Any
    graph: OpGraph
    ages: tuple[int, ...]
    """Ages of the graph's nodes; () for the plan of a jitted function."""
    line: str
    start: float
    end: float


class Transfer(NamedTuple):
    """One upload ("upload") or read ("download"), in seconds of `perf_counter`."""

    kind: str
    nbytes: int
    line: str
    start: float
    end: float


class BackendRecording:
    """Record of the backend's work while it is open.

    Args:
        draws: If True, draws are measured one by one, by waiting for each if the context has no
            timer; if False, only if it has one.
        lines: If True, the lines that make tensors are recorded.
        awaits: If True, the recording is closed by `close_async`.
        timer: If False, draws are waited for even if the context has a timer, because its results
            may be needed where Python cannot wait for them.
    """

    def __init__(
        self, *, draws: bool, lines: bool = False, awaits: bool = False, timer: bool = True
    ) -> None:
        self.engine = backend()
        self.bridge: Any = getattr(self.engine, "bridge", None)
        self.awaits = awaits
        self.has_timer = (
            timer
            and self.bridge is not None
            and self.bridge.limits()["timer"]
            and (awaits or self.bridge.can_wait())
        )
        self.measures_draws = self.bridge is not None and (draws or self.has_timer)
        self.plans: list[PlanRun] = []
        self.transfers: list[Transfer] = []
        self.draw_times: list[float] = []
        """Milliseconds of each draw, in order."""
        self.peak = 0
        self.lines: list[tuple[int, str]] | None = [] if lines else None
        """Ages of new tensors' nodes, with the lines that made them."""
        self.first_age = scalar_node(0.0).age
        self.start = self.end = 0.0
        # One object, because a watcher is removed by its identity.
        self._watcher = self._note

    def open(self) -> None:
        """Begin to record."""
        _collect()
        if not _open:
            _install(self.engine, self.bridge)
        _open.append(self)
        _configure()
        if self.lines is not None:
            scopes.watch(self._watcher)
        self.start = perf_counter()

    def drain(self) -> float | None:
        """Forget what was recorded and return the milliseconds of its draws, None without a GPU."""
        _collect()
        spent = sum(self.draw_times) if self.measures_draws else None
        for recorded in (self.plans, self.transfers, self.draw_times):
            recorded.clear()
        return spent

    def close(self) -> None:
        """Wait for the GPU and end; do nothing if the recording has ended."""
        if self in _open:
            if self.bridge is not None:
                self.bridge.finish()
            self.end = perf_counter()
            _collect()
            self._end()

    async def close_async(self) -> None:
        """End like `close`, but block only the awaiting task."""
        if self in _open:
            if self.bridge is not None:
                _add(await self.bridge.timings())
            self.end = perf_counter()
            self._end()

    def abandon(self) -> None:
        """End without waiting, after an error."""
        if self in _open:
            self._end()

    def _end(self) -> None:
        _fold_peak()
        _open.remove(self)
        if self.lines is not None:
            scopes.unwatch(self._watcher)
            self.lines.sort()
        _configure()
        if not _open:
            _remove()

    def _note(self, tensor: Tensor) -> None:
        assert self.lines is not None
        self.lines.append((tensor._node.age, user_line()))


_open: list[BackendRecording] = []


class _BridgeRecorder:
    """The bridge, with uploads and reads measured."""

    def __init__(self, bridge: Any) -> None:
        self._bridge = bridge

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bridge, name)

    def upload(self, handle: int, format: int, width: int, height: int, data: Any) -> Any:
        with _transfer("upload", memoryview(data).nbytes, user_line()):
            return self._bridge.upload(handle, format, width, height, data)

    def from_pixels(self, handle: int, source: Any, width: int, height: int) -> None:
        with _transfer("upload", 4 * width * height, user_line()):
            self._bridge.from_pixels(handle, source, width, height)

    def read(self, handle: int, target: Any) -> None:
        with _transfer("download", memoryview(target).nbytes, user_line()):
            self._bridge.read(handle, target)

    async def read_async(self, handle: int, target: Any) -> None:
        with _transfer("download", memoryview(target).nbytes, user_line()):
            await self._bridge.read_async(handle, target)


@contextmanager
def _transfer(kind: str, nbytes: int, line: str) -> Iterator[None]:
    start = perf_counter()
    yield
    transfer = Transfer(kind, nbytes, line, start, perf_counter())
    for recording in _open:
        recording.transfers.append(transfer)


def _observe(engine: Backend, graph: LinearizedGraph | OpGraph) -> Callable[..., Any]:
    """Return a function that runs a plan and records the run."""
    linear = graph if isinstance(graph, LinearizedGraph) else None
    # Nodes are not kept, because they hold buffers.
    ages = () if linear is None else tuple([node.age for node in linear.nodes])
    described: Any = graph if linear is None else linear.graph()

    def run(plan: Any, *rest: Any) -> Any:
        line, start = user_line(), perf_counter()
        result = engine.run(plan, *rest)
        done = PlanRun(plan, described, ages, line, start, perf_counter())
        for recording in _open:
            recording.plans.append(done)
        if engine.on_host:
            _fold_peak()
        return result

    return run


_installed: list[tuple[Any, Any]] = []
"""The backend whose bridge is replaced, with its own bridge."""


def _install(engine: Any, bridge: Any) -> None:
    runtime.observer = _observe
    if bridge is not None:
        _installed.append((engine, bridge))
        engine.bridge = _BridgeRecorder(bridge)


def _remove() -> None:
    runtime.observer = None
    while _installed:
        engine, bridge = _installed.pop()
        engine.bridge = bridge


def _configure() -> None:
    """Turn the measurement of draws on if a recording wants it, and let the peak start again."""
    for _, bridge in _installed:
        wanted = [recording for recording in _open if recording.measures_draws]
        bridge.profile(bool(wanted), not all(recording.has_timer for recording in wanted))


def _collect() -> None:
    """Give the times of all draws so far to the open recordings."""
    _fold_peak()
    for _, bridge in _installed:
        _add(bridge.timings_now())


def _add(times: list[tuple[str, float]]) -> None:
    for recording in _open:
        recording.draw_times += [milliseconds for _, milliseconds in times]


def _fold_peak() -> None:
    if _open:
        peaks = [bridge.stats()["bytesPeak"] for _, bridge in _installed]
        peak = max(peaks) if peaks else memory().num_bytes
        for recording in _open:
            recording.peak = max(recording.peak, peak)
