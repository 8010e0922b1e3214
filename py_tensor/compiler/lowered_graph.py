"""Lowered graph: a graph to which lowering appends nodes.

Input: an `OpGraph`. Output: op instances and edges in order of computation, with the nodes that
must be materialized.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ..dtypes import DType, int32
from ..ir.node import SCALARS, OpGraph, OpInstance, Scalar, TensorSpec, op_instance, tensor_spec
from ..ops.elementwise import CAST
from ..ops.index_map import View, ViewStack, follow, push, row_major
from ..ops.loops import LOOP
from ..ops.op_def import Elementwise, OpDef, ViewOp


class Constant(NamedTuple):
    """Value known when the kernel is written."""

    spec: TensorSpec
    value: bool | int | float
    text: str
    """The value's repr, in which 0.0 and -0.0 differ."""


class SplitReduction(NamedTuple):
    """Static argument of a split reduction. Part i reduces every `parts`-th element from i on.

    The result has shape (kept, parts) if lanes run along the reduced axes, else (parts, kept).
    """

    axes: tuple[int, ...]
    parts: int


class ScanBlock(NamedTuple):
    """Static argument of a scan over an operand (groups, rows, columns), along rows or columns.

    A fragment computes a chunk of `chunk` neighbouring results. If `alone`, each chunk is scanned
    separately; otherwise the fragment also reads all elements before its chunk. If `initial`,
    result i combines the elements before i and not element i.
    """

    axis: int
    initial: bool
    chunk: int
    alone: bool


class LoopSpec(NamedTuple):
    """Static argument of a loop.

    All fields are positions: `carries` of the carries at the start of an iteration, `iteration` of
    the iteration number, and `results` of the carries at the end of an iteration.
    """

    carries: tuple[int, ...]
    iteration: int
    results: tuple[int, ...]
    trip_count: int


rewritten = lru_cache(4096)(OpInstance)
"""Return the unique op instance of these arguments, which lowering chose."""


class LoopItem:
    """Value that a node in the body of a loop has after one of the iterations."""

    __slots__ = ("iteration", "spec")

    def __init__(self, spec: TensorSpec, iteration: int) -> None:
        self.spec = spec
        self.iteration = iteration


BUFFERS = (TensorSpec, LoopItem)
"""Types of nodes that are stored values."""


class LoweredNodes:
    """Op instances and edges by position. A node never changes."""

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.edges: list[tuple[int, ...]] = []
        self.widths: dict[int, int] = {}
        """Lengths of rows in which a target stores values, if it chose others than for the size."""
        self.views: dict[int, tuple[int, ViewStack]] = {}
        """Results of `view`."""
        self.lane_axes: dict[int, int | None] = {}
        """Results of `lane_axis`."""

    def spec(self, at: int) -> TensorSpec:
        call = self.calls[at]
        return call if type(call) is TensorSpec else call.spec

    def is_leaf(self, at: int) -> bool:
        return type(self.calls[at]) is not OpInstance

    def is_buffer(self, at: int) -> bool:
        return type(self.calls[at]) in BUFFERS

    def op(self, at: int) -> OpDef | None:
        call = self.calls[at]
        return call.op if type(call) is OpInstance else None

    def view(self, at: int) -> tuple[int, ViewStack]:
        """Return the node below the views at `at`, and the views as one stack."""
        if at not in self.views:
            stack: ViewStack = ()
            base = at
            while isinstance(op := self.op(base), ViewOp):
                call = self.calls[base]
                stack = push(stack, op.view(call.specs[0].shape, call.arg)[1])
                base = self.edges[base][0]
            self.views[at] = base, stack
        return self.views[at]

    def strides(self, at: int) -> tuple[int, tuple[int, ...] | None, int]:
        """Return the node below the views at `at`, the strides of `at` in it, and the offset.

        The strides are None if no single affine map exists.
        """
        base, stack = self.view(at)
        shape = self.spec(at).shape
        if not stack:
            return base, row_major(shape), 0
        if len(stack) > 1:
            return base, None, 0
        steps = (step if n > 1 else 0 for step, n in zip(row_major(shape), shape, strict=True))
        return base, *(follow(View(shape, tuple(steps)), stack[0]) or (None, 0))

    def lane_axis(self, at: int) -> int | None:
        """Return the axis along which neighbours in `at` are neighbours in its source, or None.

        If there are several operands, the largest decides, since most reads are from it. Among
        equal ones it is the one that is not broadcast.
        """
        source = at
        while source not in self.lane_axes:
            base, strides, _ = self.strides(source)
            largest = base
            if base == source and isinstance(self.op(base), Elementwise):
                largest = max(self.edges[base], key=self._sizes, default=base)
            if largest != base and self.spec(largest).shape == self.spec(base).shape:
                source = largest
            else:
                axes = (axis for axis, step in enumerate(strides or ()) if abs(step) == 1)
                self.lane_axes[source] = next(axes, None)
        return self.lane_axes.setdefault(at, self.lane_axes[source])

    def _sizes(self, at: int) -> tuple[int, int]:
        """Return the size of a node, and of the one below its views."""
        return self.spec(at).size, self.spec(self.view(at)[0]).size

    def along(self, at: int, axes: tuple[int, ...]) -> bool:
        """Return True if a reduction over `axes` should read four elements of a result at once."""
        axis = self.lane_axis(at)
        return axis is not None and axis in axes and self.spec(at).shape[axis] % 4 == 0


class LoweredGraph(LoweredNodes):
    """Op instances and edges by position.

    `origin` maps positions in the graph to positions in the lowered graph. Complex values that need
    not be kept are missing, since only their parts are computed.
    """

    def __init__(self, graph: OpGraph, target: Any = None) -> None:
        super().__init__()
        self.target = target
        """`Target` that computes it; None for the host."""
        self.materialized: set[int] = set()
        self.always_inline: set[int] = set()
        """Nodes that every consumer recomputes, unless a limit of the context forbids it."""
        self.loop_invariant: set[int] = set()
        """Reductions whose value is the same in every step of the loops that read them."""
        self.graph = graph
        self.origin: dict[int, int] = {}
        self.seen: dict[tuple[object, ...], int] = {}
        self.implicit_uniforms: dict[int, int] = {}
        """Values of uniforms that are the same in every run, by position."""

    def append(self, call: Any, edges: tuple[int, ...] = ()) -> int:
        """Append a node, or return the existing one that computes the same."""
        if type(call) is OpInstance:
            key = (call.op, call.arg, call.spec, edges)
            at = self.seen.get(key)
            if at is not None:
                return at
            self.seen[key] = len(self.calls)
        self.calls.append(call)
        self.edges.append(edges)
        return len(self.calls) - 1

    def add(self, op: OpDef, edges: Sequence[int], arg: Hashable = None) -> int:
        """Append a node that applies `op`."""
        return self.append(op_instance(op, tuple(self.spec(at) for at in edges), arg), tuple(edges))

    def rewritten(
        self, call: OpInstance, srcs: tuple[int, ...], arg: Hashable, spec: TensorSpec
    ) -> int:
        """Append a node like `call` with other operands, static argument and result."""
        specs = tuple(self.spec(at) for at in srcs)
        return self.append(rewritten(call.op, arg, specs, spec, call.operands), srcs)

    def constant(self, value: bool | int | float, dtype: DType) -> int:
        return self.append(Constant(tensor_spec((), dtype), value, repr(value)))

    def implicit_uniform(self, value: int, dtype: DType) -> int:
        """Append a uniform with a fixed value, so that kernels that differ in it share a text."""
        at = self.append(SCALARS[dtype])
        self.implicit_uniforms[at] = value
        return at

    def loop(
        self,
        initial: Sequence[int],
        trip_count: int,
        body: Callable[[tuple[int, ...], int], Sequence[int]],
    ) -> tuple[int, tuple[int, ...]]:
        """Append a loop; return its position and the positions of the values that `body` computes.

        `body` takes the positions of the carries and of the iteration number, which starts at 0. It
        returns the positions of the next carries, followed by other values; `item` gives a value
        after an iteration. The kernels of the body are scheduled and written once and run in
        every iteration.
        """
        initial = tuple(map(self.whole, initial))
        carries = tuple(self.append(self.spec(at)) for at in initial)
        iteration = self.append(SCALARS[int32])
        values = tuple(self.copied(at) for at in body(carries, iteration))
        results = values[: len(carries)]
        spec = LoopSpec(carries, iteration, results, trip_count)
        at = self.add(LOOP, (*initial, *results), spec)
        self.materialized.update(initial, results, (at,))
        return at, values

    def copied(self, at: int) -> int:
        """Return a node with the value of another one, which can be materialized."""
        return self.add(CAST, (at,), self.spec(at).dtype)

    def item(self, loop: int, node: int, iteration: int) -> int:
        """Return the value of a node in the body of a loop after an iteration."""
        key = (LoopItem, loop, node, iteration)
        if key not in self.seen:
            self.materialized.add(node)
            self.seen[key] = self.append(LoopItem(self.spec(node), iteration), (loop, node))
        return self.seen[key]

    def in_order(self, at: int) -> int:
        """Return the node below the views at `at` if they keep the order of all elements."""
        base, stack = self.view(at)
        plain = not stack and self.spec(base).size == self.spec(at).size
        return base if plain and type(self.calls[base]) is not Scalar else at

    def whole(self, at: int) -> int:
        """Return the node below the views at `at` if they keep shape and order, else `at`."""
        base = self.in_order(at)
        return base if self.spec(base) is self.spec(at) else at

    def loop_values(self) -> set[int]:
        """Return the nodes that pass values into, through or out of loops."""
        return {
            at
            for number, call in enumerate(self.calls)
            if type(call) is LoopItem or self.op(number) is LOOP
            for at in (*self.edges[number], number)
        }

    def dependents(self, loop: int) -> set[int]:
        """Return the nodes whose values differ between the iterations of a loop."""
        spec: LoopSpec = self.calls[loop].arg
        changing = {*spec.carries, spec.iteration}
        for at in range(spec.iteration + 1, loop + 1):
            if not changing.isdisjoint(self.edges[at]):
                changing.add(at)
        return changing
