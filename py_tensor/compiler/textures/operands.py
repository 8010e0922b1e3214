"""Positions of a matrix operand's texels in the loop of a product.

If the matrix row length divides the texture width or is a multiple of it, the loop counts columns
and rows of the texture, and most of the arithmetic is done before the loop. Otherwise texels are
numbered, and each fetch computes column and row from the number. In a software renderer this is a
quarter of the time of a fetch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ...language.tree import Value, Whole
from ..codegen.positions import total

Let = Callable[[Any, str], Any]
"""Function that declares a variable for a number, before the loop if the number is the same."""


class OperandMatrix(NamedTuple):
    """Layout in a texture of the matrices of a batch. All numbers are in texels."""

    line: Whole
    """Number of the fragment's matrix."""
    offset: int
    group: int
    """Distance from the start of a matrix to the start of the next; 0 if there is one matrix."""
    row: int
    """Distance from a row to the next, where a row is a run of contiguous elements."""
    length: int
    """Length of a row."""
    width: int
    """Width of the texture."""

    @property
    def divides(self) -> bool:
        """True if matrices start with a texture row and `row` and `width` divide one another."""
        return (
            0 < self.length <= self.row
            and self.offset % self.width == self.group % self.width == 0
            and (self.row % self.width == 0 or self.width % self.row == 0)
        )

    def number(self, first: Whole, step: int) -> Any:
        """Return the number of a texel of the fragment's matrix."""
        return total([(self.line, self.group), (first, step)], self.offset)

    def down(self, rows: Whole = 0, step: int = 1) -> Any:
        """Return the texture row `rows * step` below the start of the matrix."""
        terms = [(self.line, self.group // self.width), (rows, step)]
        return total(terms, self.offset // self.width)


class Texels(NamedTuple):
    """Positions of a matrix's texels relative to a start.

    The start is a column `x` and a row `y` of the texture, or a texel number `x`. A texture row
    holds `per_row` matrix rows, and the next matrix row is `below` texture rows further down.
    """

    matrix: OperandMatrix
    x: Whole
    y: Whole | None = None
    per_row: int = 0
    below: int = 0

    def texel(self, row: int, column: int = 0) -> tuple[Whole, ...]:
        """Return the texel `row` matrix rows and `column` texels after the start.

        It is given by column and row of the texture, or by its number.
        """
        down, right = divmod(row, self.per_row) if self.per_row else (0, row)
        x = self.x + (right * self.matrix.row + column)
        return (x,) if self.y is None else (x, self.y + down * self.below)


def along_rows(
    matrix: OperandMatrix, first: Whole, k: Value, let: Let, aligned: int, block: int
) -> Texels:
    """Return the texels of rows from row `first` on; iteration `k` reads those in column `k`.

    `first` is a multiple of `aligned`, and all rows are in one aligned block of `block` rows.
    """
    row, width = matrix.row, matrix.width
    if matrix.divides and row >= width:
        below = row // width
        y = let(matrix.down(first, below), "y")
        if row == width:
            return Texels(matrix, k, y, 1, 1)
        return Texels(matrix, let(k % width, "x"), let(y + k // width, "y"), 1, below)
    if matrix.divides:
        per_row = width // row
        if aligned % per_row == 0:
            return Texels(matrix, k, let(matrix.down(first // per_row), "y"), per_row, 1)
        if per_row % block == 0:
            y = let(matrix.down(first // per_row), "y")
            return Texels(matrix, let(first % per_row * row, "x") + k, y)
    return Texels(matrix, let(matrix.number(first, row), "t") + k)


def across_rows(matrix: OperandMatrix, first: Whole, k: Value, let: Let, block: int) -> Texels:
    """Return the texels of columns from `first` on; iteration `k` reads rows 4 * k to 4 * k + 3.

    All columns are in one aligned block of `block` columns.
    """
    row, width = matrix.row, matrix.width
    if matrix.divides and row >= width and width % block == 0:
        down, x = (first // width, first % width) if row > width else (0, first)
        x, y = let(x, "x"), let(matrix.down(down), "y")
        return Texels(matrix, x, y + k * (4 * row // width), 1, row // width)
    if matrix.divides and row < width:
        per_row = width // row
        if 4 % per_row == 0:
            y = let(matrix.down(), "y") + k * (4 // per_row)
            return Texels(matrix, let(first, "x"), y, per_row, 1)
        if per_row % 4 == 0:
            steps = per_row // 4
            x = let(first + k % steps * (4 * row), "x")
            return Texels(matrix, x, let(let(matrix.down(), "y") + k // steps, "y"))
    return Texels(matrix, let(let(matrix.number(first, 1), "t") + k * (4 * row), "i"))
