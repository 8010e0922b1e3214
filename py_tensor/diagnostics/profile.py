"""Measure a function: `time` for its times, `profile` for each kernel, with a Chrome trace.

Input: a function, asynchronous or not. Output: `Timing` and `Profile`, which print as tables.
"""

from __future__ import annotations

import inspect
import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, overload

from ..compiler.codegen.shader import Shader
from ..compiler.kernel import Kernel
from ..compiler.lowered_graph import LoweredGraph
from ..dtypes import wrong_type
from ..functions.arguments import function_of
from ..ir.node import OpInstance
from ..ops.op_def import ViewOp
from ..tensor import flush
from .memory import Memory, memory
from .recorder import BackendRecording, PlanRun, Transfer
from .tables import Printed, Table, milliseconds, size

__all__ = ["Profile", "Timing", "profile", "time"]

SHOWN = 30
"""Rows of kernels that a printed profile shows."""


@dataclass(frozen=True, repr=False)
class Timing(Printed):
    """Times of a function in milliseconds, returned by `time`.

    >>> import py_tensor as pt
    >>> timing = pt.time(lambda: pt.ones((64, 64)) * 2.0)
    >>> timing.wall_ms > 0
    True
    """

    wall_ms: float
    """From the call until the GPU has done all the work."""
    kernel_ms: float | None
    """On the GPU; None if the context has no timer. On other backends, the evaluation."""
    upload_ms: float
    """Copying host data to the GPU."""
    download_ms: float
    """Reading values, including the wait for the work that they need."""
    result: Any = field(compare=False)
    """Result of the function."""

    def _summary(self) -> list[tuple[str, str]]:
        return [
            ("wall time", milliseconds(self.wall_ms)),
            ("kernels", milliseconds(self.kernel_ms)),
            ("uploads", milliseconds(self.upload_ms)),
            ("downloads", milliseconds(self.download_ms)),
        ]

    def _tables(self) -> list[Table]:
        return [Table(("measured", "value"), self._summary(), right=("value",))]


class KernelRun(NamedTuple):
    """One draw on the GPU; on other backends, one run of a plan."""

    name: str
    """Name of the shader, or of the operation that computes the result."""
    line: str
    """User's line that made the operation, for example "model.py:12"."""
    operations: tuple[str, ...]
    """Names of the fused operations, in order of computation."""
    input_shapes: tuple[tuple[int, ...], ...]
    """Shapes of the values that the kernel reads."""
    output_shape: tuple[int, ...]
    """Shape of the result, as the kernel computes it: reduced axes may be left with length 1."""
    dtype: str
    """Data type of the result."""
    nbytes: int
    """Bytes of the result."""
    nbytes_read: int
    """Bytes of the values that the kernel reads."""
    start_ms: float
    """Beginning, counted from the function's call; on the GPU, at the earliest possible time."""
    ms: float | None
    """Milliseconds; None if the measurement was disturbed, for example by a new clock rate."""
    shader: str = ""
    """Source of the kernel; "" on backends that compile none."""


@dataclass(frozen=True, repr=False)
class Profile(Timing):
    """Times, memory and kernels of a function, returned by `profile`; prints as tables.

    >>> import py_tensor as pt
    >>> profile = pt.profile(lambda: pt.sum(pt.ones((64, 64)) * 2.0))
    >>> profile.new_tensors, profile.new_bytes
    (1, 4)
    >>> "multiply" in profile.kernels[0].operations
    True
    """

    new_tensors: int
    """Tensors alive after the call, the result included, less those alive before."""
    new_bytes: int
    """Bytes of the values of these tensors, less those before."""
    peak_bytes: int
    """Most bytes in use at once: of textures on the GPU, else of living tensors' values."""
    timer: str
    """Source of kernel times: "gpu" (timer queries), "wait" (waits for each draw) or "host"."""
    kernels: tuple[KernelRun, ...]
    """Every kernel that ran, in order."""
    plans: tuple[tuple[float, float, str], ...]
    """(start, milliseconds, line) of every run of a plan; its kernels were only submitted then."""
    transfers: tuple[tuple[float, float, str, int, str], ...]
    """(start, milliseconds, "upload" or "download", bytes, line) of every transfer."""

    def _tables(self) -> list[Table]:
        summary = [
            *self._summary(),
            ("kernels timed by", self.timer),
            ("kernels run", str(len(self.kernels))),
            ("plans run", str(len(self.plans))),
            *((f"{kind}ed", size(self._moved(kind))) for kind in _DIRECTIONS),
            ("new tensors", f"{self.new_tensors}, {size(self.new_bytes)}"),
            ("peak memory", size(self.peak_bytes)),
        ]
        groups: dict[tuple[Any, ...], list[float]] = {}
        for kernel in self.kernels:
            groups.setdefault(kernel[:8], []).append(kernel.ms or 0.0)
        order = sorted(groups.items(), key=lambda item: -sum(item[1]))
        rows = [
            (
                milliseconds(sum(times) if self.kernel_ms is not None else None),
                len(times),
                line,
                name,
                _counted(operations),
                _shapes(inputs, output),
                dtype,
                size(nbytes),
            )
            for (name, line, operations, inputs, output, dtype, nbytes, _), times in order[:SHOWN]
        ]
        tables = [Table(("measured", "value"), summary, right=("value",))]
        if rows:
            columns = ("time", "runs", "line", "kernel", "operations", "shapes", "dtype", "bytes")
            tables.append(Table(columns, rows, right=("time", "runs", "bytes")))
        if len(order) > SHOWN:
            tables.append(Table((f"and {len(order) - SHOWN} more kernels",), []))
        return tables

    def _moved(self, kind: str) -> int:
        return sum(nbytes for _, _, transferred, nbytes, _ in self.transfers if transferred == kind)

    def trace(self) -> dict[str, Any]:
        """Return the profile as a Chrome trace.

        Tracks are the function, transfers, plans as they are submitted, and kernels. The timer
        measures how long a kernel takes but not when it begins: kernels are shown one after the
        other, each as early as its plan allows.

        Returns:
            Dict of the Trace Event Format, which JSON can store.

        >>> import py_tensor as pt
        >>> trace = pt.profile(lambda: pt.ones(3) + 1.0).trace()
        >>> trace["displayTimeUnit"]
        'ms'
        """
        events: list[dict[str, Any]] = [_named("process_name", 0, "py_tensor")]
        events += [_named("thread_name", at, name) for at, name in enumerate(_TRACKS)]
        events.append(_event(0, "function", 0.0, self.wall_ms, {"new_bytes": self.new_bytes}))
        for start, ms, kind, nbytes, line in self.transfers:
            events.append(_event(1, kind, start, ms, {"bytes": nbytes, "line": line}))
        for number, (start, ms, line) in enumerate(self.plans):
            events.append(_event(2, f"plan {number}", start, ms, {"line": line}))
        for kernel in self.kernels:
            arguments = kernel._asdict()
            for name in ("name", "start_ms", "ms", "shader"):
                del arguments[name]
            events.append(_event(3, kernel.name, kernel.start_ms, kernel.ms or 0.0, arguments))
        return {"traceEvents": events, "displayTimeUnit": "ms"}

    def save_trace(self, path: str | PathLike[str]) -> None:
        """Write the Chrome trace to a file, which the Performance panel and Perfetto load.

        Args:
            path: File to write; its name should end with ".json".

        Raises:
            OSError: If the file cannot be written.

        >>> import pathlib, tempfile
        >>> import py_tensor as pt
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "trace.json"
        ...     pt.profile(lambda: pt.ones(3) + 1.0).save_trace(path)
        ...     "traceEvents" in path.read_text()
        True
        """
        if not isinstance(path, str | PathLike):
            raise wrong_type("save_trace", "path", "a path", path)
        Path(path).write_text(json.dumps(self.trace()))


_DIRECTIONS = ("upload", "download")
_TRACKS = ("function", "transfers", "plans", "kernels")


def _named(kind: str, track: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "pid": 1, "tid": track, "ts": 0, "name": kind, "args": {"name": name}}


def _event(
    track: int, name: str, start: float, ms: float, arguments: dict[str, Any]
) -> dict[str, Any]:
    """Return a complete event; the format counts microseconds."""
    return {
        "ph": "X",
        "pid": 1,
        "tid": track,
        "ts": round(start * 1e3, 3),
        "dur": round(ms * 1e3, 3),
        "name": name,
        "cat": _TRACKS[track],
        "args": arguments,
    }


def _counted(operations: tuple[str, ...]) -> str:
    """Return names with their counts, in order of first occurrence."""
    counts = Counter(operations)
    return " ".join(f"{name} x{count}" if count > 1 else name for name, count in counts.items())


def _shapes(inputs: tuple[tuple[int, ...], ...], output: tuple[int, ...]) -> str:
    return f"{', '.join(map(_dimensions, inputs))} -> {_dimensions(output)}".lstrip()


def _dimensions(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) or "()"


# --- measuring ------------------------------------------------------------------------------------


@overload
def time(function: Callable[[], Coroutine[Any, Any, Any]], /) -> Awaitable[Timing]: ...


@overload
def time(function: Callable[[], Any], /) -> Timing: ...


def time(function: Callable[[], Any], /) -> Any:
    """Measure how long a function takes, with all the work on the GPU that it causes.

    Pending work is run before the call. After it, the tensors that the function made are computed
    and the GPU is waited for.

    Args:
        function: Function without parameters; it may be asynchronous.

    Returns:
        `Timing` with the fields wall_ms, kernel_ms, upload_ms, download_ms and result; for an
        asynchronous function, an awaitable of it.

    >>> import py_tensor as pt
    >>> x = pt.ones((64, 64))
    >>> timing = pt.time(lambda: x @ x)
    >>> timing.result.shape, timing.wall_ms > 0
    ((64, 64), True)
    """
    return _measured("time", function, _timing, draws=False, lines=False)


@overload
def profile(function: Callable[[], Coroutine[Any, Any, Any]], /) -> Awaitable[Profile]: ...


@overload
def profile(function: Callable[[], Any], /) -> Profile: ...


def profile(function: Callable[[], Any], /) -> Any:
    """Measure each kernel that a function causes, with memory, transfers and the user's lines.

    Measuring takes time itself: `wall_ms` is longer than that of `time`. Where the context has no
    timer, each draw is waited for, and its time includes the way to the GPU and back. Values that
    are evaluated on the host (`pt.env.host_elements`) have no kernel.

    Args:
        function: Function without parameters; it may be asynchronous.

    Returns:
        `Profile`, which prints as tables; for an asynchronous function, an awaitable of it.

    >>> import py_tensor as pt
    >>> x = pt.ones((64, 64))
    >>> profile = pt.profile(lambda: pt.relu(x * 2.0 - 1.0))
    >>> profile.kernels[0].output_shape
    (64, 64)
    >>> profile.kernels[0].operations[-1]
    'relu'
    """
    return _measured("profile", function, _profile, draws=True, lines=True)


def _measured(
    operation: str,
    function: Callable[[], Any],
    finished: Callable[[BackendRecording, Memory, Any], Timing],
    *,
    draws: bool,
    lines: bool,
) -> Any:
    function = function_of(operation, "function", function)
    awaits = inspect.iscoroutinefunction(function)

    def opened() -> tuple[BackendRecording, Memory]:
        flush()
        recording = BackendRecording(draws=draws, lines=lines, awaits=awaits)
        if recording.timers is not None:
            recording.timers.finish()
        before = memory()
        recording.open()
        return recording, before

    async def awaited(recording: BackendRecording, before: Memory, result: Any) -> Timing:
        try:
            result = await result
            flush()
            await recording.close_async()
        finally:
            recording.abandon()
        return finished(recording, before, result)

    async def awaited_later() -> Timing:
        recording, before = opened()
        return await awaited(recording, before, function())

    if awaits:
        return awaited_later()
    recording, before = opened()
    handed_over = False
    try:
        result = function()
        handed_over = inspect.isawaitable(result)
        if not handed_over:
            flush()
            recording.close()
    finally:
        if not handed_over:
            recording.abandon()
    return (
        awaited(recording, before, result) if handed_over else finished(recording, before, result)
    )


def _times(recording: BackendRecording) -> dict[str, Any]:
    spent = {
        kind: sum(t.end - t.start for t in recording.transfers if t.kind == kind)
        for kind in _DIRECTIONS
    }
    if recording.timers is None:
        kernel_ms: float | None = 1e3 * sum(run.end - run.start for run in recording.plans)
    else:
        kernel_ms = sum(recording.draw_times) if _complete(recording) else None
    return {
        "wall_ms": 1e3 * (recording.end - recording.start),
        "kernel_ms": kernel_ms,
        "upload_ms": 1e3 * spent["upload"],
        "download_ms": 1e3 * spent["download"],
    }


def _draws(run: PlanRun) -> tuple[Any, ...] | None:
    """Return the draws of a plan, None for the plan of a backend without draws."""
    return getattr(getattr(run.plan, "plan", None), "draws", None)


def _complete(recording: BackendRecording) -> bool:
    """Return True if every draw was measured."""
    drawn = sum(len(_draws(run) or ()) for run in recording.plans)
    return recording.measures_draws and len(recording.draw_times) == drawn


def _timing(recording: BackendRecording, before: Memory, result: Any) -> Timing:
    return Timing(**_times(recording), result=result)


def _profile(recording: BackendRecording, before: Memory, result: Any) -> Profile:
    after = memory()
    return Profile(
        **_times(recording),
        result=result,
        new_tensors=after.num_tensors - before.num_tensors,
        new_bytes=after.num_bytes - before.num_bytes,
        peak_bytes=recording.peak,
        timer=recording.timer,
        kernels=tuple(_kernels(recording)),
        plans=tuple(
            (*_span(recording, run), line)
            for run, line in zip(recording.plans, _plan_lines(recording), strict=True)
        ),
        transfers=tuple(
            (*_span(recording, transfer), transfer.kind, transfer.nbytes, transfer.line)
            for transfer in recording.transfers
        ),
    )


def _span(recording: BackendRecording, timed: PlanRun | Transfer) -> tuple[float, float]:
    """Return the start and the duration in milliseconds."""
    return 1e3 * (timed.start - recording.start), 1e3 * (timed.end - timed.start)


def _plan_lines(recording: BackendRecording) -> list[str]:
    return [_line(recording, run, max(run.graph.outputs, default=0)) for run in recording.plans]


def _line(recording: BackendRecording, run: PlanRun, position: int) -> str:
    """Return the line that made a node of a graph.

    A function of several operations reports only its result, which is younger than its other nodes.
    """
    lines = recording.lines
    if not run.ages or not lines:
        return run.line
    age = run.ages[position]
    if age < recording.first_age:
        return "before"
    return lines[min(bisect_left(lines, (age, "")), len(lines) - 1)][1]


def _kernels(recording: BackendRecording) -> Iterator[KernelRun]:
    times: Iterator[float | None] = iter(recording.draw_times)
    if not _complete(recording):
        times = iter(())
    free = 0.0
    for run in recording.plans:
        start, ms = _span(recording, run)
        draws = _draws(run)
        if draws is None:
            yield _evaluation(recording, run, start, ms)
            continue
        lowered = run.plan.plan.lowered
        described: dict[Kernel, KernelRun] = {}
        for draw in draws:
            kernel = draw.kernel
            if kernel not in described:
                described[kernel] = _draw(recording, run, lowered, kernel, draw.shader)
            took = next(times, None)
            begins = max(start, free)
            free = begins + (took or 0.0)
            yield described[kernel]._replace(start_ms=begins, ms=took)


def _evaluation(recording: BackendRecording, run: PlanRun, start: float, ms: float) -> KernelRun:
    """Describe the run of a plan on a backend without draws."""
    graph = run.graph
    result = max((*graph.outputs, *graph.shared))
    calls = [call for call in graph.calls if type(call) is OpInstance]
    operations = _operations(calls)
    inputs = [call for call in graph.calls if hasattr(call, "nbytes")]
    spec = graph.spec(result)
    return KernelRun(
        name=operations[-1] if operations else "copy",
        line=_line(recording, run, result),
        operations=operations,
        input_shapes=tuple(operand.shape for operand in inputs),
        output_shape=spec.shape,
        dtype=spec.dtype.name,
        nbytes=sum(graph.spec(at).nbytes for at in {*graph.outputs, *graph.shared}),
        nbytes_read=sum(operand.nbytes for operand in inputs),
        start_ms=start,
        ms=ms,
    )


def _draw(
    recording: BackendRecording, run: PlanRun, lowered: LoweredGraph, kernel: Kernel, shader: Shader
) -> KernelRun:
    members = _members(lowered, kernel)
    made = [
        position
        for position, at in lowered.origin.items()
        if at in members and type(run.graph.calls[position]) is OpInstance
    ]
    # Lowering made the kernel for the first operation whose result comes after it.
    later = [position for position, at in lowered.origin.items() if at >= kernel.output]
    position = max(made) if made else min(later, default=len(run.ages) - 1)
    inputs = [lowered.spec(at) for at in kernel.inputs]
    results = [lowered.spec(at) for at in kernel.outputs]
    return KernelRun(
        name=shader.name,
        line=_line(recording, run, position),
        operations=_operations([lowered.calls[at] for at in sorted(members)]),
        input_shapes=tuple(operand.shape for operand in inputs),
        output_shape=results[0].shape,
        dtype="+".join(dict.fromkeys(spec.dtype.name for spec in results)),
        nbytes=sum(spec.nbytes for spec in results),
        nbytes_read=sum(operand.nbytes for operand in inputs),
        start_ms=0.0,
        ms=None,
        shader=shader.source,
    )


def _members(lowered: LoweredGraph, kernel: Kernel) -> set[int]:
    """Return the nodes that a kernel computes."""
    members: set[int] = set()
    reads = {*kernel.inputs}.difference(kernel.outputs)
    stack = [*kernel.outputs]
    while stack:
        at = stack.pop()
        if at in members or at in reads or lowered.is_leaf(at):
            continue
        members.add(at)
        stack += lowered.edges[at]
    return members


def _operations(calls: list[Any]) -> tuple[str, ...]:
    """Return the names of operations; those of views only if there are no others."""
    computed = [call.op.name for call in calls if not isinstance(call.op, ViewOp)]
    return tuple(computed or [call.op.name for call in calls])
