"""A kernel with loops over reduced axes, and elementwise work behind it.

Lanes run along whichever axis is contiguous in what is read: over four results, or, where that axis
is reduced and holds whole texels, over four elements of one result that are joined at the end. A
reduction cut into parts adds up every so-many-th element, so that neighbouring fragments read
neighbouring texels.
"""

from __future__ import annotations

import math
from contextlib import ExitStack

from ..indexing import make_view, row_major
from ..ops.rows import Reduction
from ..schedule.kernel import Kernel
from ..schedule.program import Partial, Program
from .expressions import Index, Writer
from .integers import quotient, remainder
from .positions import Axes
from .tiles import Tiling
from .types import VECTOR, converted


def write_reduce(program: Program, kernel: Kernel, tilings: dict[int, Tiling]) -> Writer:
    """The statements of a reduce kernel; the result is in y0."""
    writer = Writer(program, kernel, tilings)
    writer.own_texel()
    loop = _Loop(program, kernel, writer)
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
    writer.fixed[kernel.root] = "total"
    writer.result()
    return writer


class _Loop:
    """The loops of one reduction."""

    def __init__(self, program: Program, kernel: Kernel, writer: Writer) -> None:
        self.writer = writer
        self.call = program.calls[kernel.root]
        self.row: Reduction = self.call.row
        self.src = program.edges[kernel.root][0]
        arg = self.call.arg
        axes = arg.axes if isinstance(arg, Partial) else arg
        self.parts = arg.parts if isinstance(arg, Partial) else 0
        self.along = program.along(self.src, axes)
        shape = self.call.specs[0].shape
        self.kept = [axis for axis, n in enumerate(shape) if axis not in axes and n != 1]
        inner = program.lane_axis(self.src)
        self.axes = sorted((axis for axis in axes if shape[axis] != 1), key=lambda a: a == inner)
        self.shape = shape
        self.results = math.prod(shape[axis] for axis in self.kept)
        self.length = math.prod(shape[axis] for axis in axes)
        self.source = self.call.specs[0].dtype
        self.dtype = self.call.operands[0]
        self.vector = VECTOR[self.dtype.kind]
        self.result = VECTOR[self.call.spec.dtype.kind]

    # --- where the elements are -----------------------------------------------------------------

    def _coordinates(self, axes: list[int], prefix: str, kind: str, position: str) -> Axes:
        """Names for the coordinates along `axes` of a position in their row-major order."""
        lengths = [self.shape[axis] for axis in axes]
        if len(axes) == 1 and position.isidentifier():
            return ((position, lengths[0]),)
        for number, (n, step) in enumerate(zip(lengths, row_major(lengths), strict=True)):
            c = quotient(position, step)
            c = remainder(c, n) if number else c
            self.writer.offer(kind, f"{prefix}{number}", c)
        return tuple((f"{prefix}{number}", n) for number, n in enumerate(lengths))

    def _index(self, order: list[int], position: str, axes: Axes, together: bool) -> Index:
        """The elements at a position in the axes' order, or at its four lanes."""
        strides = row_major(self.shape)
        view = make_view([self.shape[a] for a in order], [strides[a] for a in order])
        self.writer.offer("int" if together else "ivec4", "q", position)
        if together and axes and axes[-1][1] % 4:
            axes = ()  # four results in a row are not neighbours along one axis
        size = self.results * self.length
        first, lanes = ("q", "") if together else ("", "q")
        return Index(size, first, lanes, axes=axes).through(view)

    def _along(self, kept: Axes) -> str:
        """The name of four neighbours from position k on of what gives result o."""
        reduced = self._coordinates(self.axes, "k", "int", "k")
        position = f"o * {self.length} + k"
        index = self._index(self.kept + self.axes, position, kept + reduced, True)
        return self.writer.value(self.src, index)

    # --- statements -----------------------------------------------------------------------------

    def _start(self) -> None:
        identity = self.row.identity(self.dtype)
        self.writer.line(f"{self.vector} acc = {self.vector}({identity});")
        if self.row.index:
            self.writer.line(f"ivec4 where = ivec4({self.length});")

    def _step(self, value: str, position: str, guard: str = "") -> None:
        writer = self.writer
        value = converted(value, self.source, self.dtype)
        if self.row.index:
            writer.line(f"bvec4 better = {self.row.combine}({value}, {position}, acc, where);")
            writer.line(f"acc = pt_pick(better, {value}, acc);")
            writer.line(f"where = pt_pick(better, {position}, where);")
            return
        if guard:
            value = f"pt_pick({guard}, {value}, {self.vector}({self.row.identity(self.dtype)}))"
        writer.line(f"acc = {self.row.combine.format('acc', value)};")

    def _total(self) -> None:
        self.writer.line(f"{self.result} total = {'where' if self.row.index else 'acc'};")

    def nothing(self) -> None:
        """No elements: the identity."""
        self.writer.line(f"{self.result} total = {self.result}({self.row.identity(self.dtype)});")

    def lanes_across(self) -> None:
        """Four results at once, one element of each a step."""
        writer = self.writer
        together = self.results % 4 == 0
        kind = "int" if together else "ivec4"
        writer.line(f"{kind} o = {'e' if together else 'e + ivec4(0, 1, 2, 3)'};")
        kept = self._coordinates(self.kept, "o", kind, "o")
        self._start()
        lengths = [self.shape[axis] for axis in self.axes] or [1]
        names = [f"k{number}" for number in range(len(lengths))]
        with ExitStack() as loops:
            for name, n in zip(names, lengths, strict=True):
                loops.enter_context(writer.block(f"for (int {name} = 0; {name} < {n}; {name}++)"))
            steps = zip(names, row_major(lengths), strict=True)
            flat = " + ".join(k if step == 1 else f"{k} * {step}" for k, step in steps)
            writer.offer("int", "k", flat)
            reduced = tuple(zip(names, lengths, strict=True)) if self.axes else ()
            position = f"k * {self.results} + o"
            index = self._index(self.axes + self.kept, position, reduced + kept, together)
            self._step(writer.value(self.src, index), "ivec4(k)")
        self._total()

    def lanes_along(self) -> None:
        """One result after the other, four of its elements a step."""
        writer = self.writer
        writer.line(f"{self.result} total = {self.result}(0);")
        with writer.block("for (int lane = 0; lane < 4; lane++)"):
            writer.line("int o = e + lane;")
            writer.line(f"if (o >= {self.results}) break;")
            kept = self._coordinates(self.kept, "o", "int", "o")
            self._start()
            with writer.block(f"for (int k = 0; k < {self.length}; k += 4)"):
                self._step(self._along(kept), "(k + ivec4(0, 1, 2, 3))")
            for swap in ("zwxy", "yxwz"):
                if self.row.index:
                    with writer.block(""):
                        writer.line(f"{self.vector} other = acc.{swap};")
                        writer.line(f"ivec4 there = where.{swap};")
                        writer.line(f"bvec4 better = {self.row.combine}(other, there, acc, where);")
                        writer.line("acc = pt_pick(better, other, acc);")
                        writer.line("where = pt_pick(better, there, where);")
                else:
                    writer.line(f"acc = {self.row.combine.format('acc', f'acc.{swap}')};")
            writer.line(f"total[lane] = {'where' if self.row.index else 'acc'}.x;")

    def parts_along(self) -> None:
        """Four parts of one result at once; the parts of a result are neighbours."""
        writer = self.writer
        writer.line(f"int o = {quotient('e', self.parts)};")
        kept = self._coordinates(self.kept, "o", "int", "o")
        self._start()
        first = remainder("e", self.parts)
        head = f"for (int k = {first}; k < {self.length}; k += {self.parts})"
        with writer.block(head):
            self._step(self._along(kept), "")
        self._total()

    def parts_across(self) -> None:
        """A part of each of four results at once; the results of a part are neighbours."""
        writer = self.writer
        together = self.results % 4 == 0
        kind = "int" if together else "ivec4"
        own = "e" if together else "(e + ivec4(0, 1, 2, 3))"
        writer.line(f"{kind} o = {remainder(own, self.results)};")
        writer.line(f"{kind} part = {quotient(own, self.results)};")
        kept = self._coordinates(self.kept, "o", kind, "o")
        self._start()
        chunk = -(-self.length // self.parts)
        with writer.block(f"for (int n = 0; n < {chunk}; n++)"):
            writer.line(f"{kind} k = n * {self.parts} + part;")
            guard = ""
            if chunk * self.parts > self.length:
                if together:
                    writer.line(f"if (k >= {self.length}) break;")
                else:
                    guard = f"lessThan(k, ivec4({self.length}))"
            reduced = self._coordinates(self.axes, "k", kind, "k")
            position = f"k * {self.results} + o"
            index = self._index(self.axes + self.kept, position, reduced + kept, together)
            self._step(writer.value(self.src, index), "", guard)
        self._total()
