"""GLSL for where the loop of a product finds texels of a matrix.

Where rows of the matrix and rows of its texture go into each other, columns and rows of the texture
are counted, most of that in front of the loop. Else texels are numbered, and each fetch takes its
number apart: a quarter of the fetch's time where a processor draws.
"""

from __future__ import annotations

from dataclasses import dataclass

from .integers import quotient, remainder
from .positions import total


@dataclass(frozen=True)
class Matrix:
    """How a matrix, one of a group, lies in a texture; all in texels."""

    slot: int
    offset: int
    group: int
    """From the start of a matrix to that of the next; 0 where there is one."""
    row: int
    """From a row to the next, where a row is what lies side by side."""
    length: int
    """Of a row."""
    width: int
    """Of the texture."""

    @property
    def divides(self) -> bool:
        """Whether matrices begin with a row of the texture, and rows of one go into the other's."""
        return (
            0 < self.length <= self.row
            and self.offset % self.width == self.group % self.width == 0
            and (self.row % self.width == 0 or self.width % self.row == 0)
        )

    def number(self, first: str, step: int) -> str:
        """The number of a texel of the fragment's matrix."""
        return total([("line", self.group), (first, step)], self.offset)

    def down(self, rows: str = "", step: int = 1) -> str:
        """The row of the texture so far below the start of the fragment's matrix."""
        terms = [("line", self.group // self.width), *([(rows, step)] if rows else [])]
        return total(terms, self.offset // self.width)


@dataclass(frozen=True)
class Texels:
    """Where texels of a matrix are, from a place that statements find, before and in each turn.

    `beside` rows of the matrix lie side by side, and `below` rows of the texture is the next. The
    place is a column `x` and a row `y`, or a number `x`.
    """

    matrix: Matrix
    before: list[str]
    each: list[str]
    x: str
    y: str = ""
    beside: int = 0
    below: int = 0

    def texel(self, row: int, column: int = 0) -> str:
        """GLSL that fetches so many rows below and texels beside the place."""
        slot = self.matrix.slot
        down, right = divmod(row, self.beside) if self.beside else (0, row)
        x = total([(self.x, 1)], right * self.matrix.row + column)
        if not self.y:
            return f"pt_texel{slot}({x})"
        return f"texelFetch(x{slot}, ivec2({x}, {total([(self.y, 1)], down * self.below)}), 0)"


def along_rows(n: str, matrix: Matrix, first: str, aligned: int, block: int) -> Texels:
    """Texels of rows from row `first` on, in turn `k` those in column `k`.

    `first` is a multiple of `aligned`, and all rows lie in one block of so many. `n` begins names.
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
    beside = width // row
    before = [f"int {n}y = {matrix.down(quotient(first, beside))};"]
    if aligned % beside == 0:
        return Texels(matrix, before, [], "k", f"{n}y", beside, 1)
    if beside % block == 0:
        before.append(f"int {n}x = {remainder(first, beside)} * {row};")
        return Texels(matrix, before, [], f"{n}x + k", f"{n}y")
    return numbered


def across_rows(n: str, matrix: Matrix, first: str, block: int) -> Texels:
    """Texels of columns from `first` on, in turn `k` those of four rows from row 4 * k on.

    All columns lie in one block of so many. `n` begins names.
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
    beside = width // row
    before = [f"int {n}x = {first};", f"int {n}y = {matrix.down()};"]
    if 4 % beside == 0:
        return Texels(matrix, before, [], f"{n}x", f"{n}y + k * {4 // beside}", beside, 1)
    if beside % 4:
        return numbered
    turns = beside // 4
    each = [
        f"int {n}k = {n}x + {remainder('k', turns)} * {4 * row};",
        f"int {n}l = {n}y + {quotient('k', turns)};",
    ]
    return Texels(matrix, before, each, f"{n}k", f"{n}l")
