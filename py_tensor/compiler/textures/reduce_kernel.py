"""Generate kernels with loops over reduced axes, followed by an elementwise epilogue.

Lanes run along the axis that is contiguous in the operand. They are four results, or, if that axis
is reduced and has whole texels, four elements of one result that are combined at the end. Part i of
a split reduction with n parts combines every n-th element from i on, so that neighbouring fragments
read neighbouring texels.
"""

from __future__ import annotations

import math
from contextlib import ExitStack

from ...dtypes import int32
from ...language.tree import INT, TRUTH, Value, Whole
from ...ops.index_map import make_view, row_major
from ...ops.op_def import Reduction, for_dtype
from ..codegen.indices import Index
from ..codegen.positions import Axes, total
from ..codegen.types import KIND, converted, hidden, literal
from ..lowered_graph import SplitReduction
from .texture_writer import TextureWriter


def write_reduce(writer: TextureWriter) -> None:
    """Write the statements of a reduce kernel."""
    first = writer.own_texel()
    loop = _Loop(writer, first)
    if loop.length == 0:
        result = loop.nothing()
    elif loop.parts and loop.along:
        result = loop.parts_along()
    elif loop.parts:
        result = loop.parts_across()
    elif loop.along:
        result = loop.lanes_along()
    else:
        result = loop.lanes_across()
    writer.fixed[writer.kernel.root] = result
    writer.result(first)


class _Loop:
    """Writer of the loops of one reduction."""

    def __init__(self, writer: TextureWriter, first: Value) -> None:
        nodes, root = writer.nodes, writer.kernel.root
        self.writer = writer
        self.code = writer.code
        self.first = first
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

    def _coordinates(self, axes: list[int], prefix: str, position: Value) -> Axes:
        """Return the coordinates along `axes` of a row-major position, as variables."""
        lengths = tuple([self.shape[axis] for axis in axes])
        coordinates = []
        for axis, (n, step) in enumerate(zip(lengths, row_major(lengths), strict=True)):
            c = position // step
            coordinates.append(
                (self.code.let(self._whole(c % n if axis else c, position), prefix), n)
            )
        return tuple(coordinates)

    def _whole(self, number: Whole, like: Value) -> Value:
        """Return a number as a value with the lanes of another one."""
        if isinstance(number, Value):
            return number
        return self.code.printer.whole(number) if like.lanes == 1 else self.code.vector(INT, number)

    def _index(self, order: list[int], position: Value, axes: Axes) -> Index:
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

    def _along(self, result: Value, kept: Axes, k: Value) -> Value:
        """Return four neighbours, from position k on, of the elements of a result."""
        reduced = self._coordinates(self.axes, "k", k)
        index = self._index(self.kept + self.axes, result * self.length + k, kept + reduced)
        return self.writer.value(self.src, index)

    # --- statements -----------------------------------------------------------------------------

    def _start(self) -> None:
        self.acc = self.code.variable(self.identity, "s")
        if self.op.index:
            self.place = self.code.variable(self.code.vector(INT, self.length), "w")

    def _step(self, value: Value, position: Value | None, guard: Value | None = None) -> None:
        code = self.code
        value = converted(code, value, self.source, self.dtype)
        if self.op.index:
            assert position is not None
            self._choose(value, position)
            return
        if guard is not None:
            value = code.pick(guard, value, self.identity)
        code.assign(self.acc, code.apply(self.combine, self.kind, self.acc, value))

    def _choose(self, value: Value, position: Value) -> None:
        """Replace the best value and its position by others if these are better."""
        code = self.code
        better = code.apply(self.combine, TRUTH, value, position, self.acc, self.place)
        better = code.variable(better, "b")
        code.assign(self.acc, code.pick(better, value, self.acc))
        code.assign(self.place, code.pick(better, position, self.place))

    @property
    def _result(self) -> Value:
        return self.place if self.op.index else self.acc

    def nothing(self) -> Value:
        """Return the identity as the result of no elements."""
        # A compiler that sees a zero folds its product with NaN.
        return self.code.variable(hidden(self.code, self.identity))

    def lanes_across(self) -> Value:
        """Write a loop over four results at once, with one element of each per step."""
        code, results = self.code, self.first
        if self.results % 4:
            results = code.let(self.writer.positions.spread(self.first, 1), "o")
        kept = self._coordinates(self.kept, "o", results)
        self._start()
        lengths = tuple([self.shape[axis] for axis in self.axes]) or (1,)
        with ExitStack() as loops:
            counters = [loops.enter_context(code.loop(0, n)) for n in lengths]
            flat = total(zip(counters, row_major(lengths), strict=True), 0)
            reduced = tuple(zip(counters, lengths, strict=True)) if self.axes else ()
            index = self._index(
                self.axes + self.kept, flat * self.results + results, reduced + kept
            )
            value = self.writer.value(self.src, index)
            self._step(value, code.vector(INT, flat) if self.op.index else None)
        return self._result

    def lanes_along(self) -> Value:
        """Write a loop over one result after the other, with four of its elements per step."""
        code = self.code
        kind = INT if self.op.index else self.kind
        results = code.variable(code.vector(kind, 0), "r")
        with code.loop(0, 4) as lane:
            result = code.let(self.first + lane, "o")
            code.stop(result >= self.results)
            kept = self._coordinates(self.kept, "o", result)
            self._start()
            with code.loop(0, self.length, 4) as k:
                position = self.writer.positions.spread(k, 1) if self.op.index else None
                self._step(self._along(result, kept, k), position)
            for swap in ("zwxy", "yxwz"):
                if self.op.index:
                    other, there = (code.variable(v.lane(swap)) for v in (self.acc, self.place))
                    self._choose(other, there)
                else:
                    other = self.acc.lane(swap)
                    code.assign(self.acc, code.apply(self.combine, kind, self.acc, other))
            code.assign(results[lane], self._result.lane("x"))
        return results

    def parts_along(self) -> Value:
        """Write a loop over four parts of one result; the parts of a result are neighbours."""
        code = self.code
        result = code.let(self.first // self.parts, "o")
        kept = self._coordinates(self.kept, "o", result)
        self._start()
        with code.loop(self.first % self.parts, self.length, self.parts) as k:
            self._step(self._along(result, kept, k), None)
        return self._result

    def parts_across(self) -> Value:
        """Write a loop over one part of four results; the results of a part are neighbours."""
        code, own = self.code, self.first
        together = self.results % 4 == 0
        if not together:
            own = code.let(self.writer.positions.spread(own, 1), "i")
        result = code.let(self._whole(own % self.results, own), "o")
        part = code.let(own // self.results, "p")
        kept = self._coordinates(self.kept, "o", result)
        self._start()
        chunk = -(-self.length // self.parts)
        with code.loop(0, chunk) as n:
            k = code.let(n * self.parts + part, "k")
            guard = None
            if chunk * self.parts > self.length:
                if together:
                    code.stop(k >= self.length)
                else:
                    guard = code.apply("x < y", TRUTH, k, code.vector(INT, self.length))
            reduced = self._coordinates(self.axes, "k", k)
            index = self._index(self.axes + self.kept, k * self.results + result, reduced + kept)
            self._step(self.writer.value(self.src, index), None, guard)
        return self._result
