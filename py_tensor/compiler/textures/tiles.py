"""Tile layout of contractions and scans: blocks of rows and columns over the layers of a texture.

A fragment computes `height` rows by `width` columns. Layer `row * (width / 4) + i` holds its i-th
texel of four columns in that row. GPUs shade fragments in quads of 2 x 2 and fetch for a quad at
once, which is fastest if the four fragments read the same texel or neighbouring texels. Therefore
`spread` fragments of a quad have the same rows, and their column texels alternate. The rows of the
other fragments can be `apart` from these, so that they read vertical neighbours among texels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..kernel import KernelKind

TILED_KINDS = frozenset((KernelKind.SCAN, KernelKind.CONTRACT))
"""Kinds of kernels that write tile layout."""


class Tiling(NamedTuple):
    """Tile layout of a result (lines, rows, columns) in a texture array.

    A line is a matrix of a batch, or a row of an image's pixels. No block spans two lines.
    """

    lines: int
    rows: int
    columns: int
    height: int
    width: int
    spread: int
    limit: int
    """Largest texture side of the context."""
    apart: int = 0
    """Rows between the two fragments of a column of a quad; 0 for the blocks' natural order."""
    lines_apart: int = 0
    """Lines between the two fragments of a column of a quad, instead of rows."""
    alternates: bool = True
    """True if the column texels of a quad's fragments alternate, False if each has neighbours."""

    @property
    def texels(self) -> int:
        """Number of texels per row that one fragment computes."""
        return self.width // 4

    @property
    def step(self) -> int:
        """Distance from one of a fragment's texels to its next."""
        return self.spread if self.alternates else 1

    @property
    def whole_texels(self) -> bool:
        """True if four elements from a multiple of 4 on are always in one texel."""
        return self.columns % 4 == 0 or self.lines * self.rows == 1

    @property
    def layers(self) -> int:
        return self.height * self.texels

    @property
    def stacked(self) -> int:
        """Number of fragments of a quad that have different rows."""
        return 4 // self.spread

    @property
    def across(self) -> int:
        """Number of quads that cover the columns."""
        return -(-self.columns // (4 * self.texels * self.spread))

    @property
    def down(self) -> int:
        """Number of blocks that cover the rows of a line."""
        return -(-self.rows // self.height)

    @property
    def band(self) -> int:
        """Half the number of rows that a group of paired blocks covers."""
        return max(self.apart, self.height)

    @property
    def pairs(self) -> int:
        """Number of pairs of blocks in a line whose rows are apart."""
        return -(-self.rows // (2 * self.band)) * (self.band // self.height)

    def row(self, number: int) -> int:
        """Return the distance from a fragment's first row to row `number`.

        If `apart` is less than `height`, the rows of the two fragments alternate in groups.
        """
        if 0 < self.apart < self.height:
            return number // self.apart * 2 * self.apart + number % self.apart
        return number

    @property
    def aligned(self) -> int:
        """Number that divides the first row of every fragment."""
        return min(self.apart, self.height) or self.height

    @property
    def together(self) -> int:
        """Size of the aligned block of rows that contains all rows of a fragment."""
        return 2 * self.height if 0 < self.apart < self.height else self.height

    @property
    def quads(self) -> int:
        if self.apart:
            return self.lines * self.pairs * self.across
        if self.lines_apart:
            pairs = -(-self.lines // (2 * self.lines_apart)) * self.lines_apart
            return pairs * self.down * self.across
        return -(-self.lines * self.down // self.stacked) * self.across

    @property
    def wide(self) -> int:
        """Number of quads in a row of the texture: `across`, or more if it would be too high."""
        side = self.limit // 2
        if self.across > side:
            return side
        return self.across * -(-self.quads // (self.across * side))

    @property
    def texture(self) -> tuple[int, int]:
        """Width and height of the texture in texels, one for each fragment."""
        return 2 * self.wide, 2 * -(-self.quads // self.wide)

    def fragment(self, x: Any, y: Any, let: Callable[[Any, str], Any]) -> tuple[Any, Any, Any]:
        """Return the first column texel, the line and the first row of the fragment at (x, y).

        The column texels of the block_of_line follow the first one at a distance of `step`. `let`
        declares a variable for a number.
        """
        both = x % 2 + y % 2 * 2
        column, row = {4: (both, 0), 2: (x % 2, y % 2), 1: (0, both)}[self.spread]
        if not self.alternates:
            column = column * self.texels
        across, block = x // 2, y // 2
        if self.wide != self.across:
            quad = let(block * self.wide + across, "q")
            across, block = quad % self.across, quad // self.across
        first = let(across * (self.texels * self.spread) + column, "n")
        if self.spread < 4 and not self.apart and not self.lines_apart:
            block = block * self.stacked + row
        block, per_line = let(block, "b"), self.pairs if self.apart else self.down
        line, block_of_line = (
            (0, block) if self.lines == 1 else (block // per_line, block % per_line)
        )
        if self.apart:
            per = self.band // self.height
            block_of_line = let(block_of_line, "b")
            inside = block_of_line % per * self.height + row * self.apart
            return first, let(line, "l"), let(block_of_line // per * (2 * self.band) + inside, "m")
        if self.lines_apart:
            group = line // self.lines_apart
            line = (group * 2 + row) * self.lines_apart + line % self.lines_apart
        return first, let(line, "l"), let(block_of_line * self.height, "m")

    def position(
        self, row: Any, texel: Any, let: Callable[[Any, str], Any]
    ) -> tuple[Any, Any, Any]:
        """Return column, row and layer in the texture of a texel of a row of the result.

        Rows are numbered through all lines.
        """
        line, row_of_line = (0, row) if self.lines == 1 else (row // self.rows, row % self.rows)
        if self.apart:
            row_of_line = let(row_of_line, "i")
            per, among = self.band // self.height, row_of_line % self.apart
            block, y = row_of_line // self.apart, row_of_line // (2 * self.band)
            if self.apart < self.height:
                inside = row_of_line % (2 * self.height) // (2 * self.apart) * self.apart + among
            else:
                y, inside = y * per + among // self.height, among % self.height
            y = line * self.pairs + y
        elif self.lines_apart:
            block, inside = let(line // self.lines_apart, "i"), row_of_line % self.height
            pair = block // 2 * self.lines_apart + line % self.lines_apart
            y = pair * self.down + row_of_line // self.height
        else:
            block, inside = row // self.height, row % self.height
            if self.lines > 1 and self.rows % self.height:
                block = line * self.down + row_of_line // self.height
                inside = row_of_line % self.height
            block = let(block, "i")
            y = block // self.stacked
        width = self.texels * self.spread
        x = texel // width
        if self.wide != self.across:
            quad = y * self.across + x
            x, y = quad % self.wide, quad // self.wide
        elif self.spread == 2 and self.texels == 1 and not self.apart and not self.lines_apart:
            # Fragments have the order of the result's texels, except for the rows of a block.
            return texel, block, inside
        lane = texel if self.alternates else texel // self.texels
        if self.spread == 4:
            x, y = x * 2 + lane % 2, y * 2 + lane // 2 % 2
        elif self.spread == 2:
            x, y = x * 2 + lane % 2, y * 2 + block % 2
        else:
            x, y = x * 2 + block % 2, y * 2 + block // 2 % 2
        if self.texels > 1:
            own = texel % width // self.spread if self.alternates else texel % self.texels
            inside = inside * self.texels + own
        return x, y, inside

    def texel(self, number: Any, let: Callable[[Any, str], Any]) -> tuple[Any, Any, Any]:
        """Return the place of a texel of the result by number; rows must have whole texels."""
        per = -(-self.columns // 4)
        return self.position(let(number // per, "i"), let(number % per, "i"), let)
