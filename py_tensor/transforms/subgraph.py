"""Trace a function inside other work: run it on tracers and keep the graph of its results.

Input: tensor specs. Output: nodes that depend on tracers. `vmap`, `scan` and the Jacobians rebuild
these nodes for other operands. Unlike in `jit`, host arithmetic is done at once, since no Python
number is traced.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..errors import TraceError
from ..ir.node import AGE, OpNode, TensorSpec, leaf_node
from ..ir.tracer import ArgumentBuffer, Recording, ScalarTape
from ..runtime.scopes import End, begin_trace, end_trace, state
from ..tensor import Tensor


class _ImmediateTape(ScalarTape):
    """Tape that computes each step when it is recorded."""

    def record(self, kind: type, function: Callable[..., Any], *operands: object) -> Any:
        return function(*operands)


class SubgraphRecording(Recording):
    """Trace of a function within a program that runs or is traced itself."""

    hides = True

    def __init__(self, name: str, outer: Recording | None) -> None:
        super().__init__(name)
        self.tape = _ImmediateTape(name) if outer is None else outer.tape

    def refuse_move(self, tensor: Any) -> None:
        if id(tensor) not in self.made:
            raise TraceError(
                f"{self.name}: assignment in place to a tensor from outside of the function; "
                f"got {tensor._spec}; return the new value instead"
            )


@contextmanager
def tracing(name: str) -> Iterator[SubgraphRecording]:
    """Trace inside the block: nothing is computed, and tensors made in it end with it."""
    recording = SubgraphRecording(name, state.trace)
    pending = state.pending
    around = begin_trace(recording)
    try:
        yield recording
    finally:
        end_trace(recording, around)
        state.pending = pending
        end_made(recording, _OUTLIVED)


def end_made(recording: Recording, end: End) -> None:
    """End the handles of the tensors that were made during a trace."""
    for reference in recording.made.values():
        tensor = reference()
        if tensor is not None and not tensor.is_disposed:
            tensor._end(recording.name, end)


_OUTLIVED = End(
    TraceError,
    "outlived the call it belongs to; got one made inside of",
    "return it from the function",
)


def tracer(spec: TensorSpec) -> Tensor:
    """Make a tensor without a value."""
    return Tensor(leaf_node(ArgumentBuffer(-1), spec))


def first_places(leaves: Sequence[object], has_fields: bool) -> Sequence[int]:
    """Return for each leaf the position of the first one that is the same tensor of a model.

    Without a dataclass instance in their tree (`has_fields`) each leaf is its own first: lists and
    dicts have separate values.
    """
    if not has_fields:
        return range(len(leaves))
    known: dict[int, int] = {}
    return [
        known.setdefault(id(leaf), at) if isinstance(leaf, Tensor) else at
        for at, leaf in enumerate(leaves)
    ]


def dependents(
    results: Iterable[OpNode],
    known: Container[int],
    oldest: int,
    sources: Callable[[OpNode], Iterable[OpNode]] = lambda node: node.srcs,
) -> list[OpNode]:
    """Return the nodes between known nodes and results, oldest first.

    `known` has the identities of the known nodes, none of which is older than the age `oldest`.
    """
    order: list[OpNode] = []
    seen: set[int] = set()
    stack = [*results]
    while stack:
        node = stack.pop()
        # Operands are older than results, so nodes older than all known ones depend on none.
        if id(node) not in seen and node.age >= oldest and id(node) not in known:
            seen.add(id(node))
            order.append(node)
            stack += sources(node)
    order.sort(key=AGE)
    depending: dict[int, OpNode] = {}
    for node in order:
        if any(id(src) in known or id(src) in depending for src in sources(node)):
            depending[id(node)] = node
    return list(depending.values())
