"""A kernel with a loop over reduced axes, and elementwise work behind it.

Lanes run along whichever is contiguous: over four results, or, where the innermost axis is reduced
and holds whole texels, over four elements of one result that are joined at the end.
"""

from __future__ import annotations

import math

from ..indexing import make_view, row_major
from ..ops.rows import Reduction
from ..schedule.kernel import Kernel
from ..schedule.program import Partial, Program
from .expressions import Index, Writer
from .map_kernel import OWN
from .tiles import Tiling
from .types import VECTOR, converted


def write_reduce(program: Program, kernel: Kernel, tilings: dict[int, Tiling]) -> Writer:
    """The statements of a reduce kernel; the result is in y0."""
    writer = Writer(program, kernel, tilings)
    writer.line(OWN.strip())
    loop = _Loop(program, kernel, writer)
    if loop.length == 0:
        loop.nothing()
    elif loop.along:
        loop.lanes_along()
    else:
        loop.lanes_across()
    writer.fixed[kernel.root] = "total"
    size = program.spec(kernel.output).size
    writer.line(f"y0 = {writer.value(kernel.output, Index(size, first='e', own=True))};")
    return writer


class _Loop:
    """The loop of one reduction."""

    def __init__(self, program: Program, kernel: Kernel, writer: Writer) -> None:
        self.writer = writer
        self.call = program.calls[kernel.root]
        self.row: Reduction = self.call.row
        self.src = program.edges[kernel.root][0]
        arg = self.call.arg
        axes = arg.axes if isinstance(arg, Partial) else arg
        shape = self.call.specs[0].shape
        self.kept = [axis for axis in range(len(shape)) if axis not in axes]
        self.axes = list(axes)
        self.shape = shape
        self.results = math.prod(shape[axis] for axis in self.kept)
        self.length = math.prod(shape[axis] for axis in axes)
        self.parts = arg.parts if isinstance(arg, Partial) else 1
        self.chunk = arg.chunk if isinstance(arg, Partial) else self.length
        self.source = self.call.specs[0].dtype
        self.dtype = self.call.operands[0]
        self.vector = VECTOR[self.dtype.kind]
        self.result = VECTOR[self.call.spec.dtype.kind]
        inner = max((axis for axis, n in enumerate(shape) if n > 1), default=-1)
        self.along = inner in axes and self.length % 4 == 0 and self.chunk % 4 == 0

    def _index(self, order: list[int], first: str = "", lanes: str = "") -> Index:
        strides = row_major(self.shape)
        view = make_view([self.shape[a] for a in order], [strides[a] for a in order])
        return Index(self.results * self.length, first, lanes).through(view)

    def _start(self) -> None:
        identity = self.row.identity(self.dtype)
        self.writer.line(f"{self.vector} acc = {self.vector}({identity});")
        if self.row.index:
            self.writer.line(f"ivec4 where = ivec4({self.length});")

    def _step(self, value: str, position: str, guard: str = "") -> None:
        writer = self.writer
        value = converted(value, self.source, self.dtype)
        if self.row.index:
            better = f"{self.row.combine}({value}, {position}, acc, where)"
            if guard:
                better = f"bvec4(uvec4({better}) & uvec4({guard}))"
            writer.line(f"bvec4 better = {better};")
            writer.line(f"acc = pt_pick(better, {value}, acc);")
            writer.line(f"where = pt_pick(better, {position}, where);")
            return
        if guard:
            value = f"pt_pick({guard}, {value}, {self.vector}({self.row.identity(self.dtype)}))"
        writer.line(f"acc = {self.row.combine.format('acc', value)};")

    def nothing(self) -> None:
        """No elements: the identity."""
        self.writer.line(f"{self.result} total = {self.result}({self.row.identity(self.dtype)});")

    def lanes_across(self) -> None:
        """Four results at once, one element of each a step."""
        writer = self.writer
        together = self.results % 4 == 0
        kind = "int" if together else "ivec4"
        own = "e" if together else "(e + ivec4(0, 1, 2, 3))"
        writer.line(
            f"{kind} o = {own} % {self.results};" if self.parts > 1 else f"{kind} o = {own};"
        )
        if self.parts > 1:
            writer.line(f"{kind} start = {own} / {self.results} * {self.chunk};")
        self._start()
        with writer.block(f"for (int n = 0; n < {self.chunk}; n++)"):
            k = "n"
            guard = ""
            if self.parts > 1:
                writer.line(f"{kind} k = start + n;")
                k = "k"
                if together:
                    writer.line(f"if (k >= {self.length}) break;")
                else:
                    guard = f"lessThan(k, ivec4({self.length}))"
            writer.line(f"{kind} q = {k} * {self.results} + o;")
            first, lanes = ("q", "") if together else ("", "q")
            index = self._index(self.axes + self.kept, first, lanes)
            position = k if k == "k" and not together else f"ivec4({k})"
            self._step(writer.value(self.src, index), position, guard)
        writer.line(f"{self.result} total = {'where' if self.row.index else 'acc'};")

    def lanes_along(self) -> None:
        """One result after the other, four of its elements a step."""
        writer = self.writer
        writer.line(f"{self.result} total = {self.result}(0);")
        with writer.block("for (int lane = 0; lane < 4; lane++)"):
            writer.line("int r = e + lane;")
            writer.line(f"if (r >= {self.results * self.parts}) break;")
            writer.line(f"int o = r % {self.results};" if self.parts > 1 else "int o = r;")
            start = f"r / {self.results} * {self.chunk}" if self.parts > 1 else "0"
            stop = (
                f"min(start + {self.chunk}, {self.length})" if self.parts > 1 else str(self.length)
            )
            writer.line(f"int start = {start}, stop = {stop};")
            self._start()
            with writer.block("for (int k = start; k < stop; k += 4)"):
                writer.line(f"int p = o * {self.length} + k;")
                index = self._index(self.kept + self.axes, first="p")
                self._step(writer.value(self.src, index), "(k + ivec4(0, 1, 2, 3))")
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
