"""GLSL for the positions of a matrix operand's texels in the loop of a product.

If the matrix row length divides the texture width or is a multiple of it, the loop counts columns
and rows of the texture, and most of the arithmetic is done before the loop. Otherwise texels are
numbered, and each fetch computes column and row from the number. In a software renderer this is a
quarter of the time of a fetch.
"""

from __future__ import annotations

from typing import NamedTuple

from .integers import quotient, remainder
from .positions import total


class OperandMatrix(NamedTuple):
    """Layout in a texture of the matrices of a batch. All numbers are in texels."""

    slot: int
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

    def number(self, first: str, step: int) -> str:
        """Return GLSL for the number of a texel of the fragment's matrix."""
        return total([("line", self.group), (first, step)], self.offset)

    def down(self, rows: str = "", step: int = 1) -> str:
        """Return GLSL for the texture row `rows * step` below the start of the matrix."""
        terms = [("line", self.group // self.width), *([(rows, step)] if rows else [])]
        return total(terms, self.offset // self.width)


class Texels(NamedTuple):
    """Positions of a matrix's texels relative to a start that statements compute.

    `before` are statements before the loop, `each` those in each iteration. The start is a column
    `x` and a row `y` of the texture, or a texel number `x`. `per_row` matrix rows are next to each
    other in a texture row, and the matrix row after them is `below` texture rows further down.
    """

    matrix: OperandMatrix
    before: list[str]
    each: list[str]
    x: str
    y: str = ""
    per_row: int = 0
    below: int = 0

    def texel(self, row: int, column: int = 0) -> str:
        """Return GLSL for the texel `row` matrix rows and `column` texels after the start."""
        slot = self.matrix.slot
        down, right = divmod(row, self.per_row) if self.per_row else (0, row)
        x = total([(self.x, 1)], right * self.matrix.row + column)
        if not self.y:
            return f"pt_texel{slot}({x})"
        return f"texelFetch(x{slot}, ivec2({x}, {total([(self.y, 1)], down * self.below)}), 0)"


def along_rows(n: str, matrix: OperandMatrix, first: str, aligned: int, block: int) -> Texels:
    """Return the texels of rows from row `first` on; iteration `k` reads those in column `k`.

    `first` is a multiple of `aligned`, and all rows are in one aligned block of `block` rows. `n`
    is the prefix of names.
    """
    row, width = matrix.row, matrix.width
    numbered = Texels(matrix, [f"int {n}t = {matrix.number(first, row)};"], [], f"{n}t + k")
    if not matrix.divides:
        return numbered
    if row >= width:
        below = row // width
        before = [f"int {n}y = {matrix.down(first, below)};"]
        if row == width:
            return Texels(matrix, before, [], "k", f"{n}y", 1, 1)
        each = [f"int {n}k = {remainder('k', width)}, {n}l = {n}y + {quotient('k', width)};"]
        return Texels(matrix, before, each, f"{n}k", f"{n}l", 1, below)
    per_row = width // row
    before = [f"int {n}y = {matrix.down(quotient(first, per_row))};"]
    if aligned % per_row == 0:
        return Texels(matrix, before, [], "k", f"{n}y", per_row, 1)
    if per_row % block == 0:
        before.append(f"int {n}x = {remainder(first, per_row)} * {row};")
        return Texels(matrix, before, [], f"{n}x + k", f"{n}y")
    return numbered


def across_rows(n: str, matrix: OperandMatrix, first: str, block: int) -> Texels:
    """Return the texels of columns from `first` on; iteration `k` reads rows 4 * k to 4 * k + 3.

    All columns are in one aligned block of `block` columns. `n` is the prefix of names.
    """
    row, width = matrix.row, matrix.width
    number = f"int {n}t = {matrix.number(first, 1)};"
    numbered = Texels(matrix, [number], [f"int {n}k = {n}t + k * {4 * row};"], f"{n}k")
    if not matrix.divides:
        return numbered
    if row >= width:
        if width % block:
            return numbered
        x, down = first, ""
        if row > width:
            x, down = remainder(first, width), quotient(first, width)
        before = [f"int {n}x = {x};", f"int {n}y = {matrix.down(down)};"]
        return Texels(
            matrix, before, [], f"{n}x", f"{n}y + k * {4 * row // width}", 1, row // width
        )
    per_row = width // row
    before = [f"int {n}x = {first};", f"int {n}y = {matrix.down()};"]
    if 4 % per_row == 0:
        return Texels(matrix, before, [], f"{n}x", f"{n}y + k * {4 // per_row}", per_row, 1)
    if per_row % 4:
        return numbered
    steps = per_row // 4
    each = [
        f"int {n}k = {n}x + {remainder('k', steps)} * {4 * row};",
        f"int {n}l = {n}y + {quotient('k', steps)};",
    ]
    return Texels(matrix, before, each, f"{n}k", f"{n}l")
