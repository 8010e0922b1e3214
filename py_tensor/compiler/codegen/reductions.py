"""Loops over the reduced axes of a reduction: coordinates, reads and steps that targets share.

Input: a writer of a kernel whose root is a reduction. Output: statements and values of its loops.
"""

from __future__ import annotations

import math
from contextlib import ExitStack

from ...dtypes import int32
from ...language.tree import INT, TRUTH, Value, Whole
from ...ops.index_map import make_view, row_major
from ...ops.op_def import Reduction, for_dtype
from ..lowered_graph import SplitReduction
from .indices import Index
from .positions import Axes, total
from .types import KIND, converted, hidden, literal
from .writer import Writer


class ReductionLoop:
    """Writer of the loops of one reduction."""

    def __init__(self, writer: Writer) -> None:
        nodes, root = writer.nodes, writer.kernel.root
        self.writer = writer
        self.code = writer.code
        self.call = nodes.calls[root]
        self.op: Reduction = self.call.op
        self.src = nodes.edges[root][0]
        arg = self.call.arg
        axes = arg.axes if isinstance(arg, SplitReduction) else arg
        self.parts = arg.parts if isinstance(arg, SplitReduction) else 0
        self.along = nodes.along(self.src, axes)
        shape = self.call.specs[0].shape
        self.kept = [axis for axis, n in enumerate(shape) if axis not in axes and n != 1]
        inner = nodes.lane_axis(self.src)
        self.axes = sorted((axis for axis in axes if shape[axis] != 1), key=lambda a: a == inner)
        self.shape = shape
        self.results = math.prod(shape[axis] for axis in self.kept)
        self.length = math.prod(shape[axis] for axis in axes)
        self.source = self.call.specs[0].dtype
        self.dtype = self.call.operands[0]
        self.kind = KIND[self.dtype.kind]
        self.identity = literal(self.code, self.op.identity(self.dtype), self.dtype)
        self.combine = for_dtype(self.op.combine, int32 if self.op.index else self.dtype)

    # --- where the elements are -----------------------------------------------------------------

    def coordinates(self, axes: list[int], prefix: str, position: Value) -> Axes:
        """Return the coordinates along `axes` of a row-major position, as variables."""
        lengths = tuple([self.shape[axis] for axis in axes])
        coordinates = []
        for axis, (n, step) in enumerate(zip(lengths, row_major(lengths), strict=True)):
            c = position // step
            coordinates.append(
                (self.code.let(self.whole(c % n if axis else c, position), prefix), n)
            )
        return tuple(coordinates)

    def whole(self, number: Whole, like: Value) -> Value:
        """Return a number as a value with the lanes of another one."""
        if isinstance(number, Value):
            return number
        return self.code.printer.whole(number) if like.lanes == 1 else self.code.vector(INT, number)

    def index(self, order: list[int], position: Value, axes: Axes) -> Index:
        """Return the index of the elements from a position on, or at the positions of four lanes.

        Positions are row-major in the given order of the axes.
        """
        strides = row_major(self.shape)
        view = make_view([self.shape[a] for a in order], [strides[a] for a in order])
        position = self.code.let(position, "q")
        together = position.lanes == 1
        if together and axes and axes[-1][1] % 4:
            axes = ()  # four results in a row are not neighbours along one axis
        size = self.results * self.length
        index = Index(size, position) if together else Index(size, lanes=position)
        return index._replace(axes=axes).through(view)

    def neighbours(self, result: Value, kept: Axes, k: Value) -> Value:
        """Return four neighbours, from position k on, of the elements of a result."""
        reduced = self.coordinates(self.axes, "k", k)
        index = self.index(self.kept + self.axes, result * self.length + k, kept + reduced)
        return self.writer.value(self.src, index)

    # --- statements -----------------------------------------------------------------------------

    def start(self) -> None:
        self.acc = self.code.variable(self.identity, "s")
        if self.op.index:
            self.place = self.code.variable(self.code.vector(INT, self.length), "w")

    def step(self, value: Value, position: Value | None, guard: Value | None = None) -> None:
        code = self.code
        value = converted(code, value, self.source, self.dtype)
        if self.op.index:
            assert position is not None
            self.choose(value, position)
            return
        if guard is not None:
            value = code.pick(guard, value, self.identity)
        code.assign(self.acc, code.apply(self.combine, self.kind, self.acc, value))

    def choose(self, value: Value, position: Value) -> None:
        """Replace the best value and its position by others if these are better."""
        code = self.code
        better = code.apply(self.combine, TRUTH, value, position, self.acc, self.place)
        better = code.variable(better, "b")
        code.assign(self.acc, code.pick(better, value, self.acc))
        code.assign(self.place, code.pick(better, position, self.place))

    @property
    def result(self) -> Value:
        return self.place if self.op.index else self.acc

    def nothing(self) -> Value:
        """Return the identity as the result of no elements."""
        # A compiler that sees a zero folds its product with NaN.
        return self.code.variable(hidden(self.code, self.identity))

    # --- loops of one invocation -----------------------------------------------------------------

    def lanes_across(self, first: Value) -> Value:
        """Write a loop over four results at once, with one element of each per step."""
        code, results = self.code, first
        if self.results % 4:
            results = code.let(self.writer.positions.spread(first, 1), "o")
        kept = self.coordinates(self.kept, "o", results)
        self.start()
        lengths = tuple([self.shape[axis] for axis in self.axes]) or (1,)
        with ExitStack() as loops:
            counters = [loops.enter_context(code.loop(0, n)) for n in lengths]
            flat = total(zip(counters, row_major(lengths), strict=True), 0)
            reduced = tuple(zip(counters, lengths, strict=True)) if self.axes else ()
            index = self.index(self.axes + self.kept, flat * self.results + results, reduced + kept)
            value = self.writer.value(self.src, index)
            self.step(value, code.vector(INT, flat) if self.op.index else None)
        return self.result

    def lanes_along(self, first: Value) -> Value:
        """Write a loop over one result after the other, with four of its elements per step."""
        code = self.code
        kind = INT if self.op.index else self.kind
        results = code.variable(code.vector(kind, 0), "r")
        with code.loop(0, 4) as lane:
            result = code.let(first + lane, "o")
            code.stop(result >= self.results)
            kept = self.coordinates(self.kept, "o", result)
            self.start()
            with code.loop(0, self.length, 4) as k:
                position = self.writer.positions.spread(k, 1) if self.op.index else None
                self.step(self.neighbours(result, kept, k), position)
            for swap in ("zwxy", "yxwz"):
                if self.op.index:
                    other, there = (code.variable(v.lane(swap)) for v in (self.acc, self.place))
                    self.choose(other, there)
                else:
                    other = self.acc.lane(swap)
                    code.assign(self.acc, code.apply(self.combine, kind, self.acc, other))
            code.assign(results[lane], self.result.lane("x"))
        return results
