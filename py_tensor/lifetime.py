"""Which tensors are alive, which scope owns them, and where they were made.

Comes in: tensors as they are made and die; goes out: scopes (`tidy`), counts (`memory`), and the
user's line for messages. CPython's reference counts free textures; scopes only end handles earlier.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from .errors import DisposedError, TensorError
from .nodes import Node
from .tracing import Recording

_HERE = str(Path(__file__).parent)


class End(NamedTuple):
    """How a handle ended: the error of using it, what is wrong, before the place, and advice."""

    error: type[TensorError]
    wrong: str
    advice: str


DISPOSED = End(
    DisposedError,
    "was disposed; got a tensor that ended at",
    "keep it with pt.keep, or return it from the tidy that made it",
)


class State:
    """Counts and hooks every new tensor meets; one object, so that the check is one attribute."""

    __slots__ = ("anchor", "live", "observed", "pending", "trace", "watchers")

    def __init__(self) -> None:
        self.live: dict[int, Node] = {}
        """The node of every living handle, by the handle's identity."""
        self.pending = 0
        """Nodes made since pending work was last run."""
        self.anchor: tuple[object, ...] = ()
        """Where the user's code was when pending work was last run for being too much."""
        self.watchers: tuple[Callable[[Any], None], ...] = ()
        """Called with each new tensor: open scopes, debug mode, traces."""
        self.observed = False
        """Whether some watcher wants to see every operation, as all but scopes do."""
        self.trace: Recording | None = None
        """The function being traced by `jit`, if one is."""


state = State()


def watch(watcher: Callable[[Any], None]) -> None:
    """Calls `watcher` with every tensor made from now on."""
    _set_watchers((*state.watchers, watcher))


def unwatch(watcher: Callable[[Any], None]) -> None:
    """Ends `watch`."""
    _set_watchers(tuple(other for other in state.watchers if other is not watcher))


def _set_watchers(watchers: tuple[Callable[[Any], None], ...]) -> None:
    state.watchers = watchers
    state.observed = any(watcher is not _own for watcher in watchers)


def place() -> tuple[object, ...]:
    """The instructions that all running frames are at: equal only where a loop comes round."""
    found: list[object] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        found += (frame.f_code, frame.f_lasti)
        frame = frame.f_back
    return tuple(found)


def user_line() -> str:
    """Where the user's code is, as `file.py:12`: the innermost frame not py_tensor's own."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    if frame is None:
        return "unknown"
    file = frame.f_code.co_filename.replace("\\", "/").rpartition("/")[2]
    return f"{file}:{frame.f_lineno}"


def tensors_in(value: Any, kind: type) -> list[Any]:
    """Every object of `kind` in nested lists, tuples, dicts, sets and dataclasses."""
    found: list[Any] = []
    stack = [value]
    seen: set[int] = set()
    while stack:
        item = stack.pop()
        if isinstance(item, kind):
            found.append(item)
            continue
        if isinstance(item, dict):
            inner: Any = item.values()
        elif isinstance(item, (list, tuple, set, frozenset)):
            inner = item
        elif is_dataclass(item) and not isinstance(item, type):
            inner = [getattr(item, field.name) for field in fields(item)]
        else:
            continue
        if id(item) not in seen:
            seen.add(id(item))
            stack.extend(inner)
    return found


class Scope:
    """The tensors made while it was the innermost open scope."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.owned: list[weakref.ref[Any]] = []

    def add(self, tensor: Any) -> None:
        self.owned.append(weakref.ref(tensor))

    def disown(self, tensor: Any) -> None:
        self.owned = [ref for ref in self.owned if ref() is not tensor]


scopes: list[Scope] = []


def _own(tensor: Any) -> None:
    scopes[-1].add(tensor)


def open_scope(name: str) -> Scope:
    """A new innermost scope."""
    if not scopes:
        watch(_own)
    scope = Scope(name)
    scopes.append(scope)
    return scope


def close_scope(scope: Scope, result: Any, kind: type) -> None:
    """Ends a scope: what `result` holds moves to the scope around it, the rest is disposed."""
    del scopes[scopes.index(scope) :]
    if not scopes:
        unwatch(_own)
    returned = {id(tensor) for tensor in tensors_in(result, kind)}
    place = ""
    for ref in scope.owned:
        tensor = ref()
        if tensor is None or tensor.is_disposed:
            continue
        if id(tensor) in returned:
            if scopes:
                scopes[-1].add(tensor)
            continue
        place = place or f"the end of {scope.name}, {user_line()}"
        tensor._end(place)
