"""Reads of texels and elements of a kernel's input textures, by number, or by column and row.

Input: positions. Output: values. The shader gets a function for each input that is read by number.
"""

from __future__ import annotations

from ...language.statements import Statements
from ...language.tree import Value, Whole
from ...ops.index_map import View
from ..codegen.fetches import GroupReads, LaneRequest
from ..codegen.indices import LanePositions
from ..codegen.kernel_nodes import KernelNodes
from .strided import fetched
from .texture_layout import texture_row
from .tiles import Tiling


class Fetches(GroupReads):
    """Reads of a kernel's input textures. Inputs have the numbers of their textures, `slot`."""

    def __init__(self, nodes: KernelNodes, code: Statements, positions: LanePositions) -> None:
        super().__init__(nodes, code, positions)
        self.texels: set[int] = set()
        """Inputs whose texels are read by number."""
        self.elements: set[int] = set()
        """Inputs whose elements are read by position."""

    def own(self, slot: int) -> Value:
        """Return the fragment's own texel of an input."""
        return self.code.value(self.code.printer.load(slot, "P"), self.kinds[slot])

    def load(self, slot: int, column: Whole, row: Whole, *layer: Whole) -> Value:
        """Return a texel of an input by column and row of the texture, and layer if it has any."""
        texts, uses = [], 0
        for part in (column, row, *layer):
            if isinstance(part, int):
                texts.append(self.code.printer.size(part))
            else:
                texts.append(part.text)
                uses |= part.uses
        return self.code.value(self.code.printer.load(slot, *texts), self.kinds[slot], uses=uses)

    def texel(self, slot: int, number: Whole) -> Value:
        self.texels.add(slot)
        return self.code.call(f"pt_texel{slot}", self.kinds[slot], number)

    def element(self, slot: int, position: Whole) -> Value:
        self.elements.add(slot)
        return self.code.call(f"pt_at{slot}", self.kinds[slot], position, lanes=1)

    def _tiling(self, at: int) -> Tiling | None:
        """Return the tiling of an input in tile layout; None for others."""
        return self.nodes.tilings.get(at) if at in self.kernel.tiles else None

    def has_groups(self, at: int) -> bool:
        tiling = self._tiling(at)
        return tiling is None or tiling.whole_texels

    def has_output_layout(self, at: int) -> bool:
        width, own = (texture_row(self.nodes, node) for node in (at, self.kernel.output))
        return self.is_ordered(at) and width == own

    def is_ordered(self, at: int) -> bool:
        return self._tiling(at) is None

    def group(self, request: LaneRequest) -> Value:
        at, slot, index = request
        code, positions, tiling = self.code, self.positions, self._tiling(at)
        if tiling is not None:
            number = self.number_of(positions.first(index))
            return self.load(slot, *tiling.texel(number, code.let))
        texel = positions.column_and_row(index, texture_row(self.nodes, at))
        if texel is not None:
            return self.load(slot, *[code.let(part, "i") for part in texel])
        return self.texel(slot, self.number_of(positions.first(index)))

    def separate(self, slot: int, position: Whole) -> Value:
        tiling = self._tiling(self.kernel.inputs[slot])
        if tiling is None:
            return self.element(slot, position)
        let = self.code.let
        row, column = let(position // tiling.columns, "i"), position % tiling.columns
        return self.load(slot, *tiling.position(row, let(column // 4, "i"), let))[column % 4]

    def at_stride(self, slot: int, view: View, texel: Whole) -> list[Value]:
        return fetched(self, self.load, slot, view, texel)
