"""Elements of matrices, real or complex, as formulas: one text for both.

Matrices are (batch, rows, columns). Where the elements are complex, a node holds their real parts
and, behind them along the last axis, their imaginary ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..dtypes import float32
from ..ops.views import BROADCAST
from ..schedule.formulas import Formula, joined, of, positions, where
from ..schedule.program import Program

Other = Any
"""Entries, or a Formula or number, which are real."""


class Entries:
    """Real elements, or complex ones by their parts."""

    __slots__ = ("im", "re")

    def __init__(self, re: Formula, im: Formula | None = None) -> None:
        self.re = re
        self.im = im

    @property
    def shape(self) -> tuple[int, ...]:
        return self.re.shape

    @property
    def parts(self) -> int:
        return 1 if self.im is None else 2

    def each(self, function: Callable[[Formula], Formula]) -> Entries:
        """A function of both parts that does not mix them."""
        return Entries(function(self.re), None if self.im is None else function(self.im))

    def __add__(self, other: Entries) -> Entries:
        if self.im is None or other.im is None:
            return Entries(self.re + other.re, self.im or other.im)
        return Entries(self.re + other.re, self.im + other.im)

    def __sub__(self, other: Other) -> Entries:
        if not isinstance(other, Entries):
            return Entries(self.re - other, self.im)
        if other.im is None:
            return Entries(self.re - other.re, self.im)
        return Entries(self.re - other.re, -other.im if self.im is None else self.im - other.im)

    def __mul__(self, other: Other) -> Entries:
        if not isinstance(other, Entries) or other.im is None:
            factor = other.re if isinstance(other, Entries) else other
            return self.each(lambda part: part * factor)
        if self.im is None:
            return other * self.re
        re = self.re * other.re - self.im * other.im
        return Entries(re, self.re * other.im + self.im * other.re)

    def __truediv__(self, other: Formula) -> Entries:
        return self.each(lambda part: part / other)

    def __neg__(self) -> Entries:
        return self.each(lambda part: -part)

    def conj(self) -> Entries:
        return self if self.im is None else Entries(self.re, -self.im)

    def reciprocal(self) -> Entries:
        """1 over the elements; by Smith's formula (1962), which squares nothing."""
        if self.im is None:
            return Entries(1.0 / self.re)
        larger, smaller = self._by_size(self.re, self.im), self._by_size(self.im, self.re)
        ratio = smaller / larger
        inverse = 1.0 / (larger + smaller * ratio)
        other = ratio * inverse
        return Entries(self._by_size(inverse, other), -self._by_size(other, inverse))

    def _by_size(self, first: Formula, second: Formula) -> Formula:
        """The first where the real part is not the smaller one."""
        assert self.im is not None
        return where(of("abs", self.re) < of("abs", self.im), second, first)

    def squares(self) -> Formula:
        """The squares of absolute values."""
        squares = self.re * self.re
        return squares if self.im is None else squares + self.im * self.im

    def size(self) -> Formula:
        """The sums of the parts' absolute values: sizes enough to compare."""
        size = of("abs", self.re)
        return size if self.im is None else size + of("abs", self.im)

    def magnitude(self) -> Formula:
        """The absolute values."""
        return of("abs", self.re) if self.im is None else of("hypot", self.re, self.im)

    def reshape(self, *shape: int) -> Entries:
        return self.each(lambda part: part.reshape(*shape))

    def transposed(self) -> Entries:
        return self.each(lambda part: part.transposed())

    def diagonal(self) -> Entries:
        return self.each(lambda part: part.diagonal())

    def part(self, axis: int, start: int, stop: int) -> Entries:
        return self.each(lambda part: part.part(axis, start, stop))

    def taken(self, place: Formula, axis: int) -> Entries:
        return self.each(lambda part: part.taken(place, axis))

    def sum(self, axis: int) -> Entries:
        return self.each(lambda part: part.sum(axis))

    def matmul(self, other: Entries) -> Entries:
        re = self.re.matmul(other.re)
        if self.im is None or other.im is None:
            assert self.im is other.im is None
            return Entries(re)
        im = self.re.matmul(other.im) + self.im.matmul(other.re)
        return Entries(re - self.im.matmul(other.im), im)

    def joined(self) -> Formula:
        """In one node."""
        return self.re if self.im is None else joined(2, self.re, self.im)

    def stored(self) -> Entries:
        """The same, computed once by a draw of its own."""
        return split(self.joined().stored(), self.parts)


def split(x: Formula, parts: int) -> Entries:
    """The elements that lie in one node."""
    if parts == 1:
        return Entries(x)
    half = x.shape[2] // 2
    return Entries(x.part(2, 0, half), x.part(2, half, 2 * half))


def choose(condition: Formula, one: Other, other: Other) -> Entries:
    """`one` where the condition holds, else the other; one of them is Entries."""

    def part(x: Other, name: str) -> Other:
        if isinstance(x, Entries):
            found = getattr(x, name)
            return 0.0 if found is None else found
        return x if name == "re" else 0.0

    given = [x for x in (one, other) if isinstance(x, Entries)]
    re = where(condition, part(one, "re"), part(other, "re"))
    if all(x.im is None for x in given):
        return Entries(re)
    return Entries(re, where(condition, part(one, "im"), part(other, "im")))


def padded(x: Entries) -> Entries:
    """The matrices with columns of zeros behind, up to whole texels."""
    missing = -x.shape[2] % 4

    def wider(part: Formula) -> Formula:
        return joined(2, part, zeros(part.program, *part.shape[:2], missing))

    return x.each(wider) if missing and x.shape[1] else x


def zeros(program: Program, *shape: int) -> Formula:
    return positions(program, *shape).astype(float32) * 0.0


def unit(program: Program, batch: int, rows: int, columns: int, parts: int = 1) -> Entries:
    """Matrices of ones where both indices are equal."""
    equal = positions(program, 1, rows, 1).equals(positions(program, 1, 1, columns))
    ones = equal.astype(float32).by(BROADCAST, (batch, rows, columns))
    return Entries(ones, None if parts == 1 else ones * 0.0)
