"""Tile layout of contractions and scans: blocks of rows and columns over the layers of a texture.

A fragment computes `height` rows by `width` columns. Layer `row * (width / 4) + i` holds its i-th
texel of four columns in that row. GPUs shade fragments in quads of 2 x 2 and fetch for a quad at
once. This is fastest if its fragments read the same texel or neighbouring texels. So `spread`
fragments of a quad have the same rows, and their column texels alternate. The rows of the others
may be `apart` from these, so that the texels that they read are above each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .integers import quotient, remainder


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

    def place(self, x: str, y: str) -> list[str]:
        """Return GLSL that computes `n0`, `line` and `m0` of the fragment at (x, y).

        The column texels of the fragment are `n0 + i * step`. Its rows start at row `m0` of line
        `line`.
        """
        lanes = {4: (f"({x} & 1) + ({y} & 1) * 2", ""), 2: (f"({x} & 1)", f"({y} & 1)")}
        column, row = lanes.get(self.spread, ("", f"({x} & 1) + ({y} & 1) * 2"))
        if column and not self.alternates:
            column = f"({column}) * {self.texels}"
        first = f"{remainder('quad', self.across)} * {self.texels * self.spread}"
        lines = [
            f"int quad = ({y} >> 1) * {self.wide} + ({x} >> 1);",
            f"int n0 = {first}" + (f" + {column};" if column else ";"),
        ]
        if self.apart:
            per = self.band // self.height
            inside = f"{remainder('block', per)} * {self.height} + {row} * {self.apart}"
            return [
                *lines,
                f"int line = {quotient('quad', self.across * self.pairs)};",
                f"int block = {remainder(quotient('quad', self.across), self.pairs)};",
                f"int m0 = {quotient('block', per)} * {2 * self.band} + {inside};",
            ]
        block = quotient("quad", self.across)
        line = quotient("block", self.down)
        if self.lines_apart:
            group, inside = quotient(line, self.lines_apart), remainder(line, self.lines_apart)
            line = f"({group} * 2 + {row}) * {self.lines_apart} + {inside}"
        elif row:
            block = f"{block} * {self.stacked} + {row}"
        return [
            *lines,
            f"int block = {block};",
            f"int m0 = {remainder('block', self.down)} * {self.height};",
            f"int line = {line};",
        ]

    def _found(self, row: str, texel: str, named: Callable[[str], str]) -> str:
        """Return GLSL for the texture coordinates (x, y, layer) of a texel of a row.

        Rows are numbered through all lines.
        """
        line, place = quotient(row, self.rows), remainder(row, self.rows)
        if self.lines == 1:
            line, place = "0", row
        if self.apart:
            place = named(place)
            per, among = self.band // self.height, remainder(place, self.apart)
            block, y = quotient(place, self.apart), quotient(place, 2 * self.band)
            if self.apart < self.height:
                group = quotient(remainder(place, 2 * self.height), 2 * self.apart)
                inside = f"({group} * {self.apart} + {among})"
            else:
                y = f"{y} * {per} + {quotient(among, self.height)}"
                inside = remainder(among, self.height)
            y = f"({line} * {self.pairs} + {y})" if self.lines > 1 else f"({y})"
        elif self.lines_apart:
            block, inside = named(quotient(line, self.lines_apart)), remainder(place, self.height)
            pair = quotient(block, 2)
            pair = f"{pair} * {self.lines_apart} + {remainder(line, self.lines_apart)}"
            y = f"(({pair}) * {self.down} + {quotient(place, self.height)})"
        else:
            block, inside = quotient(row, self.height), remainder(row, self.height)
            if self.lines > 1 and self.rows % self.height:
                block = f"{line} * {self.down} + {quotient(place, self.height)}"
                inside = remainder(place, self.height)
            block = named(block)
            y = quotient(block, self.stacked)
        width = self.texels * self.spread
        x = quotient(texel, width)
        if self.wide != self.across:
            quad = f"{y} * {self.across} + {x}"
            x, y = remainder(quad, self.wide), quotient(quad, self.wide)
        elif self.spread == 2 and self.texels == 1 and not self.apart and not self.lines_apart:
            # Fragments have the order of the result's texels, except for the rows of a block.
            return f"ivec3({texel}, {block}, {inside})"
        x, y = f"{x} * 2", f"{y} * 2"
        lane = texel if self.alternates else quotient(texel, self.texels)
        if self.spread == 4:
            x, y = f"{x} + ({lane} & 1)", f"{y} + ({lane} >> 1 & 1)"
        elif self.spread == 2:
            x, y = f"{x} + ({lane} & 1)", f"{y} + (({block}) & 1)"
        else:
            x, y = f"{x} + (({block}) & 1)", f"{y} + (({block}) >> 1 & 1)"
        layer = inside
        if self.texels > 1:
            lane_texel = quotient(remainder(texel, width), self.spread)
            layer = f"{inside} * {self.texels} + " + (
                lane_texel if self.alternates else remainder(texel, self.texels)
            )
        return f"ivec3({x}, {y}, {layer})"

    def texel(self, slot: int, number: str, named: Callable[[str], str]) -> str:
        """Return GLSL for a texel of the result by number; rows must have whole texels.

        `named` declares a name for an integer expression that is used more than once.
        """
        per = -(-self.columns // 4)
        row, texel = named(quotient(number, per)), named(remainder(number, per))
        return f"texelFetch(x{slot}, {self._found(row, texel, named)}, 0)"

    def element(self, slot: int, position: str, named: Callable[[str], str]) -> str:
        """Return GLSL for one element."""
        row, column = named(quotient(position, self.columns)), remainder(position, self.columns)
        place = self._found(row, named(quotient(column, 4)), named)
        return f"texelFetch(x{slot}, {place}, 0)[{column} & 3]"
