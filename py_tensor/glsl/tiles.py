"""The layout contractions and scans write: blocks of rows and columns, spread over texture layers.

A fragment computes `height` rows by `width` columns; layer `row * (width / 4) + column / 4` holds
four neighbouring columns of one row. Blocks are numbered row-major and folded into a texture.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tiling:
    """How the elements (groups, rows, columns) of a kernel's result lie in its texture array."""

    groups: int
    rows: int
    columns: int
    height: int
    width: int
    limit: int
    """Largest texture side of the context."""

    @property
    def across(self) -> int:
        return -(-self.columns // self.width)

    @property
    def down(self) -> int:
        return -(-self.rows // self.height)

    @property
    def blocks(self) -> int:
        return self.groups * self.down * self.across

    @property
    def layers(self) -> int:
        return self.height * self.width // 4

    @property
    def texture(self) -> tuple[int, int]:
        """Width and height: one row of blocks a row, or more where it grew too high."""
        lines = self.groups * self.down
        if self.across > self.limit:
            side = min(self.limit, 2048)
            return side, -(-self.blocks // side)
        folded = -(-lines // self.limit)
        return self.across * folded, -(-lines // folded)

    @property
    def whole_texels(self) -> bool:
        """Whether four elements at a multiple of 4 always lie in one texel."""
        return self.columns % 4 == 0 or self.groups * self.rows == 1

    @property
    def corner(self) -> tuple[str, ...]:
        """GLSL for the first column n0, row m0 and the group g of the fragment's block."""
        return (
            f"int block = P.y * {self.texture[0]} + P.x;",
            f"int n0 = block % {self.across} * {self.width};",
            f"int m0 = block / {self.across} % {self.down} * {self.height};",
            f"int g = block / {self.across * self.down};",
        )

    def _place(self, position: str) -> tuple[str, str, str]:
        row = f"({position} / {self.columns})"
        column = f"({position} % {self.columns})"
        down, inside = f"{row} / {self.height}", f"{row} % {self.height}"
        if self.rows % self.height:
            down = f"({row} / {self.rows}) * {self.down} + ({row} % {self.rows}) / {self.height}"
            inside = f"({row} % {self.rows}) % {self.height}"
        block = f"({down}) * {self.across} + {column} / {self.width}"
        layer = f"({inside}) * {self.width // 4} + ({column} % {self.width}) / 4"
        return block, layer, column

    def texel(self, slot: int, position: str) -> str:
        """GLSL for four elements from `position` on, a multiple of 4 in a row of whole texels."""
        block, layer, _ = self._place(position)
        return f"pt_tile(x{slot}, {block}, {layer}, {self.texture[0]})"

    def element(self, slot: int, position: str) -> str:
        """GLSL for one element."""
        block, layer, column = self._place(position)
        return f"pt_tile_at(x{slot}, {block}, {layer}, {self.texture[0]}, {column} & 3)"
