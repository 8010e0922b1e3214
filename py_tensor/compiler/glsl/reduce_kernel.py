"""Generate kernels with loops over reduced axes, followed by an elementwise epilogue.

Lanes run along the axis that is contiguous in the operand. They are four results, or, if that axis
is reduced and has whole texels, four elements of one result that are combined at the end. Part i of
a split reduction with n parts combines every n-th element from i on, so that neighbouring fragments
read neighbouring texels.
"""

from __future__ import annotations

import math
from contextlib import ExitStack

from ...dtypes import bool_, int32
from ...ops.index_map import make_view, row_major
from ...ops.op_def import Reduction
from ..lowered_graph import SplitReduction
from .indices import Index
from .integers import quotient, remainder
from .positions import Axes
from .types import VECTOR, converted, literal, printed
from .writer import Writer


def write_reduce(writer: Writer) -> None:
    """Write the statements of a reduce kernel, which assign the result to y0."""
    writer.own_texel()
    loop = _Loop(writer)
    if loop.length == 0:
        loop.nothing()
    elif loop.parts and loop.along:
        loop.parts_along()
    elif loop.parts:
        loop.parts_across()
    elif loop.along:
        loop.lanes_along()
    else:
        loop.lanes_across()
    writer.fixed[writer.kernel.root] = "total"
    writer.result()


class _Loop:
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
        self.vector = VECTOR[self.dtype.kind]
        self.result = VECTOR[self.call.spec.dtype.kind]
        self.identity = literal(self.op.identity(self.dtype), self.dtype)
        if self.op.index:
            operands = (self.dtype, int32, self.dtype, int32)
            self.combine = printed(self.op.combine, operands, bool_, "b")
        else:
            self.combine = printed(self.op.combine, (self.dtype, self.dtype), self.dtype)

    # --- where the elements are -----------------------------------------------------------------

    def _coordinates(self, axes: list[int], prefix: str, kind: str, position: str) -> Axes:
        """Declare names for the coordinates along `axes` of a row-major position."""
        lengths = tuple([self.shape[axis] for axis in axes])
        if len(axes) == 1 and position.isidentifier():
            return ((position, lengths[0]),)
        for number, (n, step) in enumerate(zip(lengths, row_major(lengths), strict=True)):
            c = quotient(position, step)
            c = remainder(c, n) if number else c
            self.code.offer(kind, f"{prefix}{number}", f"{kind}({c})" if c == "0" else c)
        return tuple((f"{prefix}{number}", n) for number, n in enumerate(lengths))

    def _index(self, order: list[int], position: str, axes: Axes, together: bool) -> Index:
        """Return the index of the elements from a position on, or at the positions of four lanes.

        Positions are row-major in the given order of the axes.
        """
        strides = row_major(self.shape)
        view = make_view([self.shape[a] for a in order], [strides[a] for a in order])
        self.code.offer("int" if together else "ivec4", "q", position)
        if together and axes and axes[-1][1] % 4:
            axes = ()  # four results in a row are not neighbours along one axis
        size = self.results * self.length
        first, lanes = ("q", "") if together else ("", "q")
        return Index(size, first, lanes, axes=axes).through(view)

    def _along(self, kept: Axes) -> str:
        """Return the name of four neighbours, from position k on, of the elements of result o."""
        reduced = self._coordinates(self.axes, "k", "int", "k")
        position = f"o * {self.length} + k"
        index = self._index(self.kept + self.axes, position, kept + reduced, True)
        return self.writer.value(self.src, index)

    # --- statements -----------------------------------------------------------------------------

    def _start(self) -> None:
        self.code.line(f"{self.vector} acc = {self.vector}({self.identity});")
        if self.op.index:
            self.code.line(f"ivec4 where = ivec4({self.length});")

    def _step(self, value: str, position: str, guard: str = "") -> None:
        code = self.code
        value = converted(value, self.source, self.dtype)
        if self.op.index:
            self._better(value, position)
            code.line(f"acc = pt_pick(better, {value}, acc);")
            code.line(f"where = pt_pick(better, {position}, where);")
            return
        if guard:
            value = f"pt_pick({guard}, {value}, {self.vector}({self.identity}))"
        code.line(f"acc = {self.combine.format('acc', value)};")

    def _better(self, value: str, position: str) -> None:
        beats = self.combine.format(value, position, "acc", "where")
        self.code.line(f"bvec4 better = {beats};")

    def _total(self) -> None:
        self.code.line(f"{self.result} total = {'where' if self.op.index else 'acc'};")

    def nothing(self) -> None:
        """Write the identity as the result of no elements."""
        # A compiler that sees a zero folds its product with NaN.
        self.code.line(f"{self.result} total = pt_opaque({self.result}({self.identity}));")

    def lanes_across(self) -> None:
        """Write a loop over four results at once, with one element of each per step."""
        code = self.code
        together = self.results % 4 == 0
        kind = "int" if together else "ivec4"
        code.line(f"{kind} o = {'e' if together else 'e + ivec4(0, 1, 2, 3)'};")
        kept = self._coordinates(self.kept, "o", kind, "o")
        self._start()
        lengths = tuple([self.shape[axis] for axis in self.axes]) or (1,)
        names = [f"k{number}" for number in range(len(lengths))]
        with ExitStack() as loops:
            for name, n in zip(names, lengths, strict=True):
                loops.enter_context(code.block(f"for (int {name} = 0; {name} < {n}; {name}++)"))
            steps = zip(names, row_major(lengths), strict=True)
            flat = " + ".join(k if step == 1 else f"{k} * {step}" for k, step in steps)
            code.offer("int", "k", flat)
            reduced = tuple(zip(names, lengths, strict=True)) if self.axes else ()
            position = f"k * {self.results} + o"
            index = self._index(self.axes + self.kept, position, reduced + kept, together)
            self._step(self.writer.value(self.src, index), "ivec4(k)")
        self._total()

    def lanes_along(self) -> None:
        """Write a loop over one result after the other, with four of its elements per step."""
        code = self.code
        code.line(f"{self.result} total = {self.result}(0);")
        with code.block("for (int lane = 0; lane < 4; lane++)"):
            code.line("int o = e + lane;")
            code.line(f"if (o >= {self.results}) break;")
            kept = self._coordinates(self.kept, "o", "int", "o")
            self._start()
            with code.block(f"for (int k = 0; k < {self.length}; k += 4)"):
                self._step(self._along(kept), "(k + ivec4(0, 1, 2, 3))")
            for swap in ("zwxy", "yxwz"):
                if self.op.index:
                    with code.block(""):
                        code.line(f"{self.vector} other = acc.{swap};")
                        code.line(f"ivec4 there = where.{swap};")
                        self._better("other", "there")
                        code.line("acc = pt_pick(better, other, acc);")
                        code.line("where = pt_pick(better, there, where);")
                else:
                    code.line(f"acc = {self.combine.format('acc', f'acc.{swap}')};")
            code.line(f"total[lane] = {'where' if self.op.index else 'acc'}.x;")

    def parts_along(self) -> None:
        """Write a loop over four parts of one result; the parts of a result are neighbours."""
        code = self.code
        code.line(f"int o = {quotient('e', self.parts)};")
        kept = self._coordinates(self.kept, "o", "int", "o")
        self._start()
        first = remainder("e", self.parts)
        head = f"for (int k = {first}; k < {self.length}; k += {self.parts})"
        with code.block(head):
            self._step(self._along(kept), "")
        self._total()

    def parts_across(self) -> None:
        """Write a loop over one part of four results; the results of a part are neighbours."""
        code = self.code
        together = self.results % 4 == 0
        kind = "int" if together else "ivec4"
        own = "e" if together else "(e + ivec4(0, 1, 2, 3))"
        code.line(f"{kind} o = {kind}({remainder(own, self.results)});")
        code.line(f"{kind} part = {quotient(own, self.results)};")
        kept = self._coordinates(self.kept, "o", kind, "o")
        self._start()
        chunk = -(-self.length // self.parts)
        with code.block(f"for (int n = 0; n < {chunk}; n++)"):
            code.line(f"{kind} k = n * {self.parts} + part;")
            guard = ""
            if chunk * self.parts > self.length:
                if together:
                    code.line(f"if (k >= {self.length}) break;")
                else:
                    guard = f"lessThan(k, ivec4({self.length}))"
            reduced = self._coordinates(self.axes, "k", kind, "k")
            position = f"k * {self.results} + o"
            index = self._index(self.axes + self.kept, position, reduced + kept, together)
            self._step(self.writer.value(self.src, index), "", guard)
        self._total()
