"""Find the lines that make the tensors that stay alive.

Input: tensors as they are created. Output: `MemoryTrace`, the living tensors by the line that made
them, and `LeakError` for those that a block leaves.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import NamedTuple

from ..errors import LeakError
from ..functions.arguments import flag
from ..ir.node import OpNode, living
from ..runtime import holders, scopes
from ..tensor import Tensor
from .tables import Printed, Table, size

__all__ = ["MemoryTrace", "assert_no_leaks", "memory_trace"]


class LiveTensors(NamedTuple):
    """Living tensors that one line made; a value of `MemoryTrace`."""

    tensors: int
    """Number of tensors."""
    nbytes: int
    """Bytes of their elements."""
    age: float | None
    """Seconds since the oldest of them was made; None without recording."""


class MemoryTrace(Printed, dict[str, LiveTensors]):
    """Living tensors by the line that made them, most bytes first; prints as a table.

    >>> import py_tensor as pt
    >>> trace = pt.memory_trace()
    >>> isinstance(trace, dict)
    True
    """

    def _tables(self) -> list[Table]:
        rows = [
            (line, count, size(nbytes), "-" if age is None else f"{age:.1f} s")
            for line, (count, nbytes, age) in self.items()
        ]
        numbers = ("tensors", "bytes", "age")
        return [Table(("line", *numbers), rows, right=numbers)]


class Origins:
    """Lines and times at which tensors were made, by the tensor's identity."""

    def __init__(self, known: dict[int, tuple[str, float]] | None = None) -> None:
        self.known = {} if known is None else known

    def note(self, tensor: Tensor) -> None:
        self.known[id(tensor)] = (scopes.user_line(), monotonic())

    def group(self, tensors: dict[int, OpNode]) -> MemoryTrace:
        """Group tensors by the line that made them."""
        now = monotonic()
        groups: dict[str, LiveTensors] = {}
        for identity, node in tensors.items():
            line, made = self.known.get(identity, ("not traced", None))
            count, nbytes, age = groups.get(line, (0, 0, None))
            if made is not None:
                age = max(age or 0.0, now - made)
            groups[line] = LiveTensors(count + 1, nbytes + node.spec.nbytes, age)
        return MemoryTrace(sorted(groups.items(), key=lambda item: -item[1].nbytes))


_origins = Origins(holders.lines)


def memory_trace(enable: bool | None = None) -> MemoryTrace:
    """Group living tensors by the line of user code that created them.

    Args:
        enable: True starts recording lines, False stops and discards them; None (default) changes
            nothing.

    Returns:
        Dict such as {"file.py:12": (tensors, nbytes, age)}, most bytes first, which prints as a
        table. The age is that of the oldest tensor, in seconds. Tensors created without recording
        are counted under "not traced", with the age None.

    >>> import py_tensor as pt
    >>> trace = pt.memory_trace(True)
    >>> x = pt.ones(3)
    >>> sum(live.tensors for live in pt.memory_trace().values()) >= 1
    True
    >>> trace = pt.memory_trace(False)
    """
    if enable is not None:
        enable = flag("memory_trace", "enable", enable)
        scopes.unwatch(_note)
        _origins.known.clear()
        if enable:
            scopes.watch(_note)
    now = living()
    for identity in _origins.known.keys() - now.keys():
        del _origins.known[identity]
    return _origins.group(now)


_note = _origins.note
"""One object, because a watcher is removed by its identity."""


@contextmanager
def assert_no_leaks() -> Iterator[None]:
    """Raise LeakError if more tensors are alive after a block than before it.

    A tensor that replaces another one, for example the new weights of a training step, is no leak.
    Names that the block assigns keep their tensors alive: put its work into a function, or delete
    the names. The function is a decorator, too. Tensors that other tasks make meanwhile count.

    Returns:
        Context manager.

    Raises:
        LeakError: If tensors were left; `error.trace` groups the new ones like `memory_trace`.

    >>> import py_tensor as pt
    >>> with pt.assert_no_leaks():
    ...     total = pt.sum(pt.ones(3)).item()
    >>> cache = []
    >>> try:
    ...     with pt.assert_no_leaks():
    ...         cache.append(pt.ones(3))
    ... except pt.errors.LeakError as error:
    ...     print(error.trace.popitem()[1].tensors)
    1
    """
    before = set(living())
    origins = Origins()
    note = origins.note
    scopes.watch(note)
    try:
        yield
    finally:
        scopes.unwatch(note)
    if len(living()) > len(before):
        # Tensors in reference cycles are not leaks: the collector frees them.
        gc.collect()
    now = living()
    if len(now) > len(before):
        new = {at: node for at, node in now.items() if at in origins.known or at not in before}
        trace = origins.group(new)
        lines = ", ".join(
            f"{live.tensors} from {line} ({size(live.nbytes)})" for line, live in trace.items()
        )
        raise LeakError(
            f"assert_no_leaks: more tensors are alive than before; got {len(now) - len(before)} "
            f"more; new are {lines}; delete what refers to them, or use pt.tidy",
            trace,
        )
