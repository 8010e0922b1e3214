"""Track living tensors, the scopes that own them, and the user's lines that made them.

Input: tensors as they are created and garbage-collected. Output: scopes (for `tidy`), counts (for
`memory`) and source lines for messages. CPython's reference counts free textures; scopes only end
handles earlier.
"""

from __future__ import annotations

import sys
import warnings
import weakref
from collections.abc import Callable
from contextvars import ContextVar
from types import FrameType
from typing import Any, NamedTuple

from ..errors import DisposedError, TensorError
from ..ir.node import lock
from ..ir.tracer import Recording
from ..late import namespace

_HERE = namespace().__path__[0]


class End(NamedTuple):
    """Reason why a handle ended.

    Using the handle raises `error` with the text `wrong`, the place where it ended, and `advice`.
    """

    error: type[TensorError]
    wrong: str
    advice: str


DISPOSED = End(
    DisposedError,
    "was disposed; got a tensor disposed of at",
    "keep it with pt.keep, or return it from the tidy that made it",
)


class TensorRegistry:
    """Counts and hooks for new tensors; one object, so that each check is one attribute access."""

    __slots__ = ("anchor", "observed", "pending", "traces", "watchers")

    def __init__(self) -> None:
        self.pending = 0
        """Number of tensors created since pending work was last run."""
        self.anchor: tuple[object, ...] = ()
        """Call stack of the last flush caused by the pending limit, as returned by `place`."""
        self.watchers: tuple[Callable[[Any], None], ...] = ()
        """Callbacks for new tensors: open scopes, debug mode, traces."""
        self.observed = False
        """True if a watcher must see every operation; all watchers except scopes do."""
        self.traces: list[Recording] = []
        """Recordings of the functions that `jit` is tracing, of all tasks."""

    def notify(self, tensor: Any) -> None:
        """Call the watchers with a new tensor; only scopes and traces see one without a value."""
        trace = self.trace
        hidden = trace is not None and trace.hides
        for watcher in self.watchers:
            if not hidden or watcher in _OF_TASKS:
                watcher(tensor)

    @property
    def trace(self) -> Recording | None:
        """Recording of the function that `jit` is tracing in the running task, if any."""
        recording = task_trace.get() if self.traces else None
        return recording if recording in self.traces else None


task_trace: ContextVar[Recording | None] = ContextVar("py_tensor_trace", default=None)
"""Recording that the running task began last; it may have ended."""
state = TensorRegistry()


_uses: dict[Callable[[Any], None], int] = {}
"""Number of times that each watcher is needed."""


def watch(watcher: Callable[[Any], None]) -> None:
    """Call `watcher` with every tensor created from now on, until as many calls of `unwatch`."""
    _use(watcher, 1)


def unwatch(watcher: Callable[[Any], None]) -> None:
    """Stop calling `watcher`."""
    _use(watcher, -1)


def _use(watcher: Callable[[Any], None], more: int) -> None:
    with lock:
        _uses[watcher] = _uses.get(watcher, 0) + more
        if _uses[watcher] <= 0:
            del _uses[watcher]
        state.watchers = tuple(_uses)
        state.observed = any(other is not _own for other in _uses)


def begin_trace(recording: Recording) -> Recording | None:
    """Let the running task trace; return the recording of the trace around it."""
    around = task_trace.get()
    watch(_note)
    state.traces.append(recording)
    task_trace.set(recording)
    return around


def end_trace(recording: Recording, around: Recording | None) -> None:
    """End a trace that `begin_trace` has begun."""
    state.traces.remove(recording)
    task_trace.set(around)
    unwatch(_note)


def _note(tensor: Any) -> None:
    trace = state.trace
    if trace is not None:
        trace.note(tensor)


def place() -> tuple[object, ...]:
    """Return the current instruction of every frame; a repeated loop body gives equal results."""
    instructions: list[object] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        instructions += (frame.f_code, frame.f_lasti)
        frame = frame.f_back
    return tuple(instructions)


def user_line() -> str:
    """Return the innermost line outside py_tensor as `file.py:12`."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    if frame is None:
        return "unknown"
    file = frame.f_code.co_filename.replace("\\", "/").rpartition("/")[2]
    return f"{file}:{frame.f_lineno}"


def warn_of_losses(operation: str, overflows: object, underflows: object) -> None:
    """Warn, once for a line of the user's code, of numbers outside the range of float16."""
    lost = ["beyond 65504 become infinite"] * bool(overflows)
    lost += ["below 3e-8 become zero"] * bool(underflows)
    if lost:
        warnings.warn(
            f"{operation}: float32 is stored as float16 here, so numbers "
            f"{' and numbers '.join(lost)}; scale them",
            skip_file_prefixes=(_HERE,),
        )


def tensors_in(value: Any, kind: type) -> list[Any]:
    """Return all objects of `kind` in nested lists, tuples, dicts, sets and dataclasses."""
    tensors: list[Any] = []
    stack = [value]
    seen: set[int] = set()
    while stack:
        item = stack.pop()
        if isinstance(item, kind):
            tensors.append(item)
            continue
        if isinstance(item, dict):
            inner: Any = item.values()
        elif isinstance(item, (list, tuple, set, frozenset)):
            inner = item
        elif hasattr(type(item), "__dataclass_fields__"):
            from dataclasses import fields

            inner = [getattr(item, field.name) for field in fields(item)]
        else:
            continue
        if id(item) not in seen:
            seen.add(id(item))
            stack.extend(inner)
    return tensors


class Scope:
    """The tensors created while this was the innermost open scope of its task."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_open = True
        self.owned: list[weakref.ref[Any]] = []

    def add(self, tensor: Any) -> None:
        self.owned.append(weakref.ref(tensor))

    def disown(self, tensor: Any) -> None:
        self.owned = [ref for ref in self.owned if ref() is not tensor]


_scopes: ContextVar[tuple[Scope, ...]] = ContextVar("py_tensor_scopes", default=())
"""Scopes of the running asyncio task, the innermost last; a new task starts with its parent's."""


def open_scopes() -> list[Scope]:
    """Return the open scopes of the running task, the innermost last."""
    return [scope for scope in _scopes.get() if scope.is_open]


def _own(tensor: Any) -> None:
    for scope in reversed(_scopes.get()):
        if scope.is_open:
            scope.add(tensor)
            return


_OF_TASKS = (_own, _note)
"""Watchers that ask which scopes and traces belong to the running task."""


def open_scope(name: str) -> Scope:
    """Open a scope inside the innermost one of the running task."""
    watch(_own)
    scope = Scope(name)
    _scopes.set((*open_scopes(), scope))
    return scope


def close_scope(scope: Scope, result: Any, kind: type) -> None:
    """Close a scope: tensors in `result` move to the enclosing scope, all others are disposed."""
    scopes = open_scopes()
    for closed in scopes[scopes.index(scope) :] if scope in scopes else [scope]:
        if closed.is_open:
            closed.is_open = False
            unwatch(_own)
    _scopes.set(tuple(open_scopes()))
    returned = {id(tensor) for tensor in tensors_in(result, kind)}
    end = ""
    for ref in scope.owned:
        tensor = ref()
        if tensor is None or tensor.is_disposed:
            continue
        if id(tensor) in returned:
            _own(tensor)
            continue
        end = end or f"the end of {scope.name}, {user_line()}"
        tensor._end(end)
