"""Generate kernels with loops over reduced axes, followed by an elementwise epilogue.

Lanes run along the axis that is contiguous in the operand. They are four results, or, if that axis
is reduced and has whole texels, four elements of one result that are combined at the end. Part i of
a split reduction with n parts combines every n-th element from i on, so that neighbouring fragments
read neighbouring texels.
"""

from __future__ import annotations

from ...language.tree import INT, TRUTH, Value
from ..codegen.reductions import ReductionLoop
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
        result = loop.lanes_along(first)
    else:
        result = loop.lanes_across(first)
    writer.fixed[writer.kernel.root] = result
    writer.result(first)


class _Loop(ReductionLoop):
    """Writer of the loops of one fragment; `first` is the position of its first result."""

    def __init__(self, writer: TextureWriter, first: Value) -> None:
        super().__init__(writer)
        self.first = first

    def parts_along(self) -> Value:
        """Write a loop over four parts of one result; the parts of a result are neighbours."""
        code = self.code
        result = code.let(self.first // self.parts, "o")
        kept = self.coordinates(self.kept, "o", result)
        self.start()
        with code.loop(self.first % self.parts, self.length, self.parts) as k:
            self.step(self.neighbours(result, kept, k), None)
        return self.result

    def parts_across(self) -> Value:
        """Write a loop over one part of four results; the results of a part are neighbours."""
        code, own = self.code, self.first
        together = self.results % 4 == 0
        if not together:
            own = code.let(self.writer.positions.spread(own, 1), "i")
        result = code.let(self.whole(own % self.results, own), "o")
        part = code.let(own // self.results, "p")
        kept = self.coordinates(self.kept, "o", result)
        self.start()
        chunk = -(-self.length // self.parts)
        with code.loop(0, chunk) as n:
            k = code.let(n * self.parts + part, "k")
            guard = None
            if chunk * self.parts > self.length:
                if together:
                    code.stop(k >= self.length)
                else:
                    guard = code.apply("x < y", TRUTH, k, code.vector(INT, self.length))
            reduced = self.coordinates(self.axes, "k", k)
            index = self.index(self.axes + self.kept, k * self.results + result, reduced + kept)
            self.step(self.writer.value(self.src, index), None, guard)
        return self.result
