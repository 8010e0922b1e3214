"""Record what the backend does: runs of plans, times of draws, uploads and reads.

Input: the backend in use, as long as a recording is open. Output: `Recording`. One observer and one
watcher of transfers serve all open recordings, so that recordings may overlap in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from time import perf_counter
from typing import Any, NamedTuple

from ..ir.node import LinearizedGraph, OpGraph, scalar_node
from ..runtime import scopes
from ..runtime.backends.base import Backend, Timers
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
        self.timers = self.engine.timers
        self.awaits = awaits
        self.timer = "host"
        """Source of kernel times, as `Timers.source` gives it."""
        if self.timers is not None:
            self.timer = self.timers.source(awaits) if timer else "wait"
        self.measures_draws = self.timers is not None and (draws or self.timer != "wait")
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
            _install(self.timers)
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
            if self.timers is not None:
                self.timers.finish()
            self.end = perf_counter()
            _collect()
            self._end()

    async def close_async(self) -> None:
        """End like `close`, but block only the awaiting task."""
        if self in _open:
            if self.timers is not None:
                _add(await self.timers.times_async())
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


def _transfer(kind: str, nbytes: int) -> AbstractContextManager[None]:
    return _timed(kind, nbytes, user_line())


@contextmanager
def _timed(kind: str, nbytes: int, line: str) -> Iterator[None]:
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
        if engine.timers is None:
            _fold_peak()
        return result

    return run


_installed: list[Timers] = []
"""The timers that measure, if the backend has any."""


def _install(timers: Timers | None) -> None:
    runtime.observer = _observe
    if timers is not None:
        _installed.append(timers)
        timers.watch(_transfer)


def _remove() -> None:
    runtime.observer = None
    while _installed:
        _installed.pop().watch(None)


def _configure() -> None:
    """Turn the measurement of draws on if a recording wants it, and let the peak start again."""
    for timers in _installed:
        wanted = [recording.timer for recording in _open if recording.measures_draws]
        timers.measure(bool(wanted), "wait" in wanted)


def _collect() -> None:
    """Give the times of all draws so far to the open recordings."""
    _fold_peak()
    for timers in _installed:
        _add(timers.times())


def _add(times: list[tuple[str, float]]) -> None:
    for recording in _open:
        recording.draw_times += [milliseconds for _, milliseconds in times]


def _fold_peak() -> None:
    if _open:
        peak = max([timers.peak() for timers in _installed], default=None)
        if peak is None:
            peak = memory().num_bytes
        for recording in _open:
            recording.peak = max(recording.peak, peak)
