"""A graph being rewritten: the same nodes as `Graph`, to which lowering appends.

Comes in: a Graph; goes out: calls and edges in order of computation, with the nodes that must be
stored.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from ..dtypes import DType, int32
from ..indexing import Stack, View, follow, push, row_major
from ..nodes import Call, Graph, Scalar, Spec, call_of, spec_of
from ..ops.elementwise import IDENTITY
from ..ops.loops import LOOP
from ..ops.rows import Elementwise, Row, ViewRow

NARROW, WIDE = 128, 2048
"""Texels in a row: up to NARROW in textures no higher than that, WIDE in larger ones."""


def row_of(size: int) -> int:
    """Texels in a row of the texture of `size` elements: a power of two.

    Small textures are about as high as wide: GPUs shade quads of 2 x 2, and processors share a
    texture out by rows.
    """
    texels = max(1, -(-size // 4))
    return 1 << ((texels - 1).bit_length() + 1) // 2 if texels <= NARROW * NARROW else WIDE


class Constant:
    """A value known when the shader is written."""

    __slots__ = ("spec", "value")

    def __init__(self, value: bool | int | float, dtype: DType) -> None:
        self.spec = spec_of((), dtype)
        self.value = value


@dataclass(frozen=True)
class Partial:
    """Static argument of a reduction cut up: part i has every `parts`-th element from i on.

    The result is (kept, parts) where lanes run along the reduced axes, else (parts, kept).
    """

    axes: tuple[int, ...]
    parts: int


@dataclass(frozen=True)
class Piece:
    """Static argument of a scan over an operand (groups, rows, columns), along rows or columns.

    A fragment gives `chunk` neighbouring results: each chunk `alone`, or with all before it,
    which the fragment then reads too. Where `initial`, result i is without element i.
    """

    axis: int
    initial: bool
    chunk: int
    alone: bool


@dataclass(frozen=True)
class Turns:
    """Static argument of a loop: positions of what stands for the state before a turn and for the
    turn's number, and of the state after it; how many turns there are.
    """

    state: int
    turn: int
    result: int
    count: int


class Program:
    """Calls and edges by position; `origin` maps positions of the graph to positions here."""

    def __init__(self, graph: Graph) -> None:
        self.calls: list[Any] = []
        self.edges: list[tuple[int, ...]] = []
        self.forced: set[int] = set()
        self.melted: set[int] = set()
        """Computed wherever they are read, where no limit forbids that."""
        self.hoisted: set[int] = set()
        """Reductions that do not change in the loops that read them."""
        self.graph = graph
        self.origin: list[int] = []
        self.seen: dict[tuple[object, ...], int] = {}
        self.settings: dict[int, int] = {}
        """Values of uniforms that every run has."""
        self.rows: dict[int, int] = {}
        """Texels in a row of a texture, where it is not what the size tells."""

    def spec(self, at: int) -> Spec:
        call = self.calls[at]
        return call if type(call) is Spec else call.spec

    def texture_row(self, at: int) -> int:
        """Texels in a row of the texture that holds a stored node in order."""
        return self.rows.get(at) or row_of(self.spec(at).size)

    def is_leaf(self, at: int) -> bool:
        return type(self.calls[at]) is not Call

    def is_buffer(self, at: int) -> bool:
        return type(self.calls[at]) is Spec

    def row(self, at: int) -> Row | None:
        call = self.calls[at]
        return call.row if type(call) is Call else None

    def append(self, call: Any, edges: tuple[int, ...] = ()) -> int:
        """A new node, or the one that already computes the same."""
        if type(call) is Call:
            key = (call.row, call.arg, call.spec, edges)
            at = self.seen.get(key)
            if at is not None:
                return at
            self.seen[key] = len(self.calls)
        self.calls.append(call)
        self.edges.append(edges)
        return len(self.calls) - 1

    def add(self, row: Row, edges: Sequence[int], arg: Hashable = None) -> int:
        """A new node applying `row`."""
        return self.append(call_of(row, tuple(self.spec(at) for at in edges), arg), tuple(edges))

    def constant(self, value: bool | int | float, dtype: DType) -> int:
        return self.append(Constant(value, dtype))

    def setting(self, value: int, dtype: DType) -> int:
        """A value that is no part of a shader's text, so that kernels differing in it share one."""
        at = self.append(Scalar(spec_of((), dtype)))
        self.settings[at] = value
        return at

    def loop(self, initial: int, count: int, body: Callable[[int, int], int]) -> int:
        """The state after `count` turns: `body` gets a state and the turn's number from 0 on.

        The body's kernels are scheduled and written once, and drawn in every turn. Each draw counts
        as often, so of what the body adds only reductions and what is in `forced` are stored.
        """
        if count == 0:
            return initial
        initial = self.whole(initial)
        state, turn = self.append(self.spec(initial)), self.append(Scalar(spec_of((), int32)))
        result = self.add(IDENTITY, (body(state, turn),))
        self.forced |= {initial, result}
        turns = Turns(state, turn, result, count)
        self.melted.update(set(range(turn + 1, result)) - self.forced)
        at = self.add(LOOP, (initial, result), turns)
        self.forced.add(at)
        return at

    def whole(self, at: int) -> int:
        """The node whose elements are those of `at` in order, where views alone lie between."""
        base, stack = self.view(at)
        same = not stack and self.spec(base) is self.spec(at)
        return base if same and type(self.calls[base]) is not Scalar else at

    def states_of(self, at: int) -> tuple[int, ...]:
        """If the node is a loop, where its state is stored: before, in and after its turns."""
        call = self.calls[at]
        return (*self.edges[at], at) if type(call) is Call and call.row is LOOP else ()

    def dependents(self, turns: Turns) -> set[int]:
        """What differs from turn to turn of a loop."""
        found = {turns.state, turns.turn}
        for at in range(turns.turn + 1, turns.result + 1):
            if not found.isdisjoint(self.edges[at]):
                found.add(at)
        return found

    def view(self, at: int) -> tuple[int, Stack]:
        """The node below the views at `at`, and the views as one stack."""
        stack: Stack = ()
        while True:
            call = self.calls[at]
            if type(call) is not Call or not isinstance(call.row, ViewRow):
                return at, stack
            stack = push(stack, call.row.view(call.specs[0].shape, call.arg)[1])
            at = self.edges[at][0]

    def strides(self, at: int) -> tuple[int, tuple[int, ...] | None, int]:
        """The node below the views at `at`, the stride of each axis of `at` in it, and the offset.

        None for the strides where no single affine map exists.
        """
        base, stack = self.view(at)
        shape = self.spec(at).shape
        if not stack:
            return base, row_major(shape), 0
        if len(stack) > 1:
            return base, None, 0
        steps = (step if n > 1 else 0 for step, n in zip(row_major(shape), shape, strict=True))
        return base, *(follow(View(shape, tuple(steps)), stack[0]) or (None, 0))

    def lane_axis(self, at: int) -> int:
        """The axis along which neighbours in `at` are neighbours in what it is read from, or -1.

        Of several operands the largest decides, since it is read most.
        """
        while True:
            base, strides, _ = self.strides(at)
            if strides is None:
                return -1
            axis = next((a for a, step in enumerate(strides) if abs(step) == 1), -1)
            row = self.row(base)
            if base != at or not isinstance(row, Elementwise):
                return axis
            largest = max(self.edges[at], key=lambda src: self.spec(src).size, default=at)
            if self.spec(largest).shape != self.spec(at).shape:
                return axis
            at = largest

    def along(self, at: int, axes: tuple[int, ...]) -> bool:
        """Whether a reduction over `axes` best reads four neighbours of one result at once."""
        axis = self.lane_axis(at)
        return axis in axes and self.spec(at).shape[axis] % 4 == 0
