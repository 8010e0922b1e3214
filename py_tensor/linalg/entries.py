"""Formulas over matrix elements that are real or complex, with the same code for both.

Matrices are (batch, rows, columns). For complex elements, a node stores the real parts, followed by
the imaginary parts along the last axis.
"""

from __future__ import annotations

from ..compiler.lowered_graph import LoweredGraph
from ..compiler.lowering.formulas import Formula, joined, of, positions, where
from ..dtypes import float32
from ..ops.complex_algebra import ComplexParts
from ..ops.views import BROADCAST


class MatrixEntries(ComplexParts):
    """Real elements, or complex elements as two formulas."""

    __slots__ = ()
    re: Formula
    im: Formula | None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.re.shape

    @property
    def parts(self) -> int:
        return 1 if self.im is None else 2

    def reciprocal(self) -> MatrixEntries:
        """1 over the elements, by Smith's formula (1962), which avoids squares."""
        if self.im is None:
            return MatrixEntries(1.0 / self.re)
        larger, smaller = self._by_size(self.re, self.im), self._by_size(self.im, self.re)
        ratio = smaller / larger
        inverse = 1.0 / (larger + smaller * ratio)
        other = ratio * inverse
        return MatrixEntries(self._by_size(inverse, other), -self._by_size(other, inverse))

    def _by_size(self, first: Formula, second: Formula) -> Formula:
        """Choose `first` if the real part is at least as large as the imaginary one."""
        assert self.im is not None
        return where(abs(self.re) < abs(self.im), second, first)

    def squares(self) -> Formula:
        """Squares of the absolute values."""
        squares = self.re * self.re
        return squares if self.im is None else squares + self.im * self.im

    def size(self) -> Formula:
        """Sums of the parts' absolute values: a cheap measure for comparisons."""
        size = abs(self.re)
        return size if self.im is None else size + abs(self.im)

    def magnitude(self) -> Formula:
        """Absolute values."""
        return abs(self.re) if self.im is None else of("hypot", self.re, self.im)

    def reshape(self, *shape: int) -> MatrixEntries:
        return self.each(lambda part: part.reshape(*shape))

    def transposed(self) -> MatrixEntries:
        return self.each(lambda part: part.transposed())

    def diagonal(self) -> MatrixEntries:
        return self.each(lambda part: part.diagonal())

    def part(self, axis: int, start: int, stop: int) -> MatrixEntries:
        return self.each(lambda part: part.part(axis, start, stop))

    def taken(self, index: Formula, axis: int) -> MatrixEntries:
        return self.each(lambda part: part.taken(index, axis))

    def sum(self, axis: int) -> MatrixEntries:
        return self.each(lambda part: part.sum(axis))

    def matmul(self, other: MatrixEntries) -> MatrixEntries:
        re = self.re.matmul(other.re)
        if self.im is None or other.im is None:
            assert self.im is other.im is None
            return MatrixEntries(re)
        im = self.re.matmul(other.im) + self.im.matmul(other.re)
        return MatrixEntries(re - self.im.matmul(other.im), im)

    def joined(self) -> Formula:
        """Concatenate the parts into one node."""
        return self.re if self.im is None else joined(2, self.re, self.im)

    def materialized(self) -> MatrixEntries:
        """Materialize the elements: compute them once, in a draw of their own."""
        return split(self.joined().materialized(), self.parts)


def split(x: Formula, parts: int) -> MatrixEntries:
    """Return the elements that one node stores."""
    if parts == 1:
        return MatrixEntries(x)
    half = x.shape[2] // 2
    return MatrixEntries(x.part(2, 0, half), x.part(2, half, 2 * half))


def choose(
    condition: Formula,
    one: MatrixEntries | Formula | float,
    other: MatrixEntries | Formula | float,
) -> MatrixEntries:
    """Choose `one` if the condition holds, else `other`; at least one of them is MatrixEntries."""

    (re, im), (other_re, other_im) = (
        (x.re, x.im) if isinstance(x, MatrixEntries) else (x, None) for x in (one, other)
    )
    chosen = where(condition, re, other_re)
    if im is None and other_im is None:
        return MatrixEntries(chosen)
    return MatrixEntries(
        chosen,
        where(condition, 0.0 if im is None else im, 0.0 if other_im is None else other_im),
    )


def padded(x: MatrixEntries) -> MatrixEntries:
    """Append columns of zeros up to whole texels."""
    missing = -x.shape[2] % 4

    def wider(part: Formula) -> Formula:
        return joined(2, part, zeros(part.graph, *part.shape[:2], missing))

    return x.each(wider) if missing and x.shape[1] else x


def zeros(lowered: LoweredGraph, *shape: int) -> Formula:
    return positions(lowered, *shape).astype(float32) * 0.0


def unit(
    lowered: LoweredGraph, batch: int, rows: int, columns: int, parts: int = 1
) -> MatrixEntries:
    """Return matrices of ones on the main diagonal."""
    equal = positions(lowered, 1, rows, 1) == positions(lowered, 1, 1, columns)
    ones = equal.astype(float32).by(BROADCAST, (batch, rows, columns))
    return MatrixEntries(ones, None if parts == 1 else ones * 0.0)
