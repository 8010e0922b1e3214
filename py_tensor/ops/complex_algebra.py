"""Complex arithmetic on pairs of real and imaginary parts, whatever computes with the parts.

Input: parts with operators: tensors, or the `GraphValue`s of complex rules and lowering. Output:
`ComplexParts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self


class ComplexParts:
    """Parts of complex values; `im` is None for real values. Numbers may be parts, too."""

    __slots__ = ("im", "re")

    def __init__(self, re: Any, im: Any = None) -> None:
        self.re = re
        self.im = im

    def __iter__(self) -> Iterator[Any]:
        return iter((self.re, self.im))

    def each(self, function: Callable[[Any], Any]) -> Self:
        """Apply a function to each part that does not mix them."""
        return type(self)(function(self.re), None if self.im is None else function(self.im))

    def __add__(self, other: Self) -> Self:
        if self.im is None or other.im is None:
            return type(self)(self.re + other.re, other.im if self.im is None else self.im)
        return type(self)(self.re + other.re, self.im + other.im)

    def __sub__(self, other: Any) -> Self:
        if not isinstance(other, ComplexParts):
            return type(self)(self.re - other, self.im)
        if other.im is None:
            return type(self)(self.re - other.re, self.im)
        im = -other.im if self.im is None else self.im - other.im
        return type(self)(self.re - other.re, im)

    def __mul__(self, other: Any) -> Self:
        if not isinstance(other, ComplexParts) or other.im is None:
            factor = other.re if isinstance(other, ComplexParts) else other
            return self.each(lambda part: part * factor)
        if self.im is None:
            return type(self)(other.re * self.re, other.im * self.re)
        re = self.re * other.re - self.im * other.im
        return type(self)(re, self.re * other.im + self.im * other.re)

    def __truediv__(self, other: Any) -> Self:
        """Divide by real values."""
        return self.each(lambda part: part / other)

    def __neg__(self) -> Self:
        return self.each(lambda part: -part)

    def conj(self) -> Self:
        return self if self.im is None else type(self)(self.re, -self.im)

    def times_i(self) -> Self:
        return type(self)(-self.im, self.re)

    def over_i(self) -> Self:
        return type(self)(self.im, -self.re)
