"""Expressions of shaders.

Input: operations on values and Python's whole numbers. Output: values with their texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import ClassVar, Protocol


class ValueKind(StrEnum):
    """Kind of an expression. The first letters of functions' names in shaders are its values."""

    FLOAT = "f"
    INT = "i"
    UINT = "u"
    TRUTH = "b"
    """Truth value, as comparisons and conditions have it."""
    MASK = "m"
    """Truth value that is stored as unsigned 0 or 1."""
    LITERAL = "n"
    """Whole number that adopts the kind of the other operand."""


FLOAT, INT, UINT = ValueKind.FLOAT, ValueKind.INT, ValueKind.UINT
TRUTH, MASK, LITERAL = ValueKind.TRUTH, ValueKind.MASK, ValueKind.LITERAL

LOGICAL, BITWISE, SUM, PRODUCT, UNARY, PRIMARY = range(6)
"""Levels of precedence. Operands of bitwise operations are unary, or in parentheses."""


class Forms(Protocol):
    """Forms of a shader language that values need; a `Printer` has them."""

    mixes: bool

    def size(self, number: int, kind: ValueKind = INT) -> str: ...
    def whole(self, number: Whole, kind: ValueKind = INT) -> Value: ...
    def operation(self, sign: str, level: int, a: Value, b: Value, is_chained: bool) -> Value: ...
    def spread(self, value: Value) -> Value: ...
    def quotient(self, value: Value, divisor: int) -> Value: ...
    def remainder(self, value: Value, divisor: int) -> Value: ...
    def shifted(self, a: Value, sign: str, count: Value) -> Value: ...
    def sum(self, terms: Sequence[tuple[Value, int]], offset: int) -> Value: ...


class Value:
    """Expression of a shader, a node of the tree that kernel writers and formulas build.

    A node is printed when it is made, from the texts of its operands. Equal expressions have equal
    texts, by which `Statements` finds them. Operators with whole numbers fold constants: a size may
    be an int or a value. Larger whole numbers are fields of the text, which `Sizes` fills.

    `lanes` is 4, 1 for numbers, 2 for the position of a fragment, or 0 for constants. `level` is
    the precedence. `uses` has a bit for each variable in the expression; the loops that it depends
    on follow from them.
    """

    __slots__ = ("kind", "lanes", "level", "text", "uses")
    printer: ClassVar[Forms]

    def __init__(
        self, text: str, kind: ValueKind, lanes: int = 4, level: int = PRIMARY, uses: int = 0
    ) -> None:
        self.text = text
        self.kind = kind
        self.lanes = lanes
        self.level = level
        self.uses = uses

    def __repr__(self) -> str:
        return self.text

    def inside(self, level: int) -> str:
        """Return the text of an operand, in parentheses if its precedence is lower."""
        return self.text if self.level >= level else f"({self.text})"

    def of(self, kind: ValueKind) -> Value:
        """Return the same expression as one of another kind, whose type in shaders is the same."""
        return type(self)(self.text, kind, self.lanes, self.level, self.uses)

    # --- whole numbers and vectors of them ------------------------------------------------------

    def __add__(self, other: Whole) -> Value:
        if isinstance(other, int):
            if not other:
                return self
            text = self.text if self.level >= SUM else f"({self.text})"
            sign, number = ("+", other) if other > 0 else ("-", -other)
            text = f"{text} {sign} {self.printer.size(number)}"
            return type(self)(text, self.kind, self.lanes, SUM, self.uses)
        return self.binary("+", other, SUM)

    __radd__ = __add__

    def __sub__(self, other: Whole) -> Value:
        return self + -other if isinstance(other, int) else self.binary("-", other, SUM)

    def __mul__(self, other: Whole) -> Whole:
        if isinstance(other, int):
            if 0 <= other <= 1:
                return self if other else 0
            text = self.text if self.level >= PRODUCT else f"({self.text})"
            text = f"{text} * {self.printer.size(other)}"
            return type(self)(text, self.kind, self.lanes, PRODUCT, self.uses)
        return self.binary("*", other, PRODUCT)

    __rmul__ = __mul__

    def __floordiv__(self, other: Whole) -> Value:
        """Divide positions, which are never negative; powers of two by shifts, which are faster."""
        if isinstance(other, int):
            return self.printer.quotient(self, other) if other > 1 else self
        return self.binary("/", other, PRODUCT)

    def __mod__(self, other: Whole) -> Whole:
        if isinstance(other, int):
            return self.printer.remainder(self, other) if other > 1 else 0
        return self.binary("%", other, PRODUCT)

    def __rshift__(self, count: int) -> Value:
        return self.printer.shifted(self, ">>", type(self)(str(count), LITERAL, 0))

    def __and__(self, other: Whole) -> Value:
        if self.lanes == 1 and self.kind == TRUTH:
            return self.binary("&&", other, LOGICAL)
        if self.lanes == 4 and not self.printer.mixes:
            other = self.printer.spread(self.printer.whole(other))
        return self.binary("&", other, BITWISE, UNARY, UNARY)

    def __or__(self, other: Value) -> Value:
        return self.binary("||", other, LOGICAL)

    def __lt__(self, other: Whole) -> Value:
        return self._compared("<", other)

    def __ge__(self, other: Whole) -> Value:
        return self._compared(">=", other)

    def equals(self, other: Whole) -> Value:
        """Compare two numbers; `==` compares nodes."""
        return self._compared("==", other)

    def _compared(self, sign: str, other: Whole) -> Value:
        result = self.binary(sign, other, LOGICAL, SUM, SUM)
        result.kind = TRUTH
        return result

    def binary(
        self, sign: str, other: Whole, level: int, left: int | None = None, right: int | None = None
    ) -> Value:
        """Return an operation, given the levels that its operands need at least.

        By default they need its own level, and the right one the next level, except in logic.
        """
        if left is None:
            left = level
        if right is None:
            right = level + (level > LOGICAL)
        text = self.text if self.level >= left else f"({self.text})"
        if isinstance(other, int):
            other_text = self.printer.size(other, self.kind)
            return type(self)(
                f"{text} {sign} {other_text}", self.kind, self.lanes, level, self.uses
            )
        other_text = other.text if other.level >= right else f"({other.text})"
        lanes = self.lanes if self.lanes > other.lanes else other.lanes
        uses = self.uses | other.uses
        return type(self)(f"{text} {sign} {other_text}", self.kind, lanes, level, uses)

    # --- lanes ----------------------------------------------------------------------------------

    def lane(self, names: str) -> Value:
        """Return one lane by its name (x, y, z or w), or several."""
        return type(self)(
            f"{self.inside(PRIMARY)}.{names}", self.kind, len(names), PRIMARY, self.uses
        )

    def __getitem__(self, index: Whole) -> Value:
        """Return the lane with a number, or an element of an array."""
        text, uses = (str(index), 0) if isinstance(index, int) else (index.text, index.uses)
        return type(self)(
            f"{self.inside(PRIMARY)}[{text}]", self.kind, 1, PRIMARY, self.uses | uses
        )


Whole = int | Value
"""Whole number: a constant, or an expression. Sizes and positions are such numbers."""
