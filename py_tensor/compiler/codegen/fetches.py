"""Reads of stored operands, each in the cheapest way that its index allows.

The ways are, cheapest first:
- *same*: the fragment's own texel;
- *aligned*: one fetch for four lanes;
- *splat*: one element for all lanes;
- *pairs*: every other element, by two fetches, or by one for lanes that are pairs;
- *strided*: four fetches at constant distances from one position;
- *lanes*: four fetches at separate positions.
"""

from __future__ import annotations

from ...language.statements import Statements
from ...language.tree import LOGICAL, Value, Whole
from ...ops.index_map import View
from .indices import Index, LanePositions
from .kernel_nodes import KernelNodes
from .positions import keeps_texels, mapped, reads_pairs
from .strided import fetched
from .tiles import Tiling
from .types import KIND


class Fetches:
    """Reads of a kernel's inputs; `modes` records how each input is read."""

    def __init__(self, nodes: KernelNodes, code: Statements, positions: LanePositions) -> None:
        self.nodes = nodes
        self.kernel = nodes.kernel
        self.code = code
        self.positions = positions
        self.modes: dict[int, set[str]] = {}
        self.numbers: dict[Whole, Value] = {}
        """Numbers of texels, by the position at which the texel starts."""
        self.kinds = [KIND[nodes.spec(at).dtype.kind] for at in self.kernel.inputs]
        self.texels: set[int] = set()
        """Inputs whose texels are read by number."""
        self.elements: set[int] = set()
        """Inputs whose elements are read by position."""

    def fetch(self, at: int, index: Index) -> Value:
        """Return the four lanes of an input at an index."""
        value: Value | None = self.code.known((at, index))
        if value is None:
            value = self.code.let(self.read(at, index))
            self.code.keep((at, index), value)
        return value

    def read(self, at: int, index: Index) -> Value:
        code, positions = self.code, self.positions
        tiling = self.nodes.tilings.get(at) if at in self.kernel.tiles else None
        slot = self.kernel.inputs.index(at)
        modes = self.modes.setdefault(at, set())
        rows = self.nodes.texture_row
        alike = tiling is None and rows(at) == rows(self.kernel.output)
        if alike and index.own and not index.stack and index.pair is None:
            modes.add("same")
            return self.own(slot)
        whole = tiling is None or tiling.whole_texels
        if whole and positions.is_aligned(index):
            modes.add("aligned")
            place = None if tiling else positions.column_and_row(index, rows(at))
            if place is not None:
                return self.load(slot, *[code.let(c, "i") for c in place])
            number = self._texel_of(positions.first(index))
            if tiling is not None:
                return self.load(slot, *tiling.texel(number, code.let))
            return self.texel(slot, number)
        if index.pair is not None and whole and all(map(keeps_texels, index.stack)):
            # Two elements of a texel, each one twice.
            four = code.let((index.pair >> 1) & -4, "i")
            texel = self.fetch(at, Index(index.size, first=four, stack=index.stack))
            even = (index.pair & 4).equals(0)
            return self.either(even, texel.lane("xxyy"), texel.lane("zzww"))
        position = positions.splat(index)
        if position is not None:
            modes.add("splat")
            return code.vector(self.kinds[slot], self._element(slot, position, tiling))
        pairs = None if tiling else self._pairs(slot, index, alike)
        if pairs is not None:
            modes.add("pairs")
            return pairs
        strided = None if tiling else self._strided(at, slot, index)
        if strided is not None:
            modes.add("strided")
            return strided
        modes.add("lanes")
        lanes = positions.lanes(index)
        parts = [self._element(slot, lanes.lane(lane), tiling) for lane in "xyzw"]
        return code.vector(self.kinds[slot], *parts)

    def _pairs(self, slot: int, index: Index, alike: bool) -> Value | None:
        """Return every other element from a texel on, each twice for pairs, or None."""
        if not index.stack or not reads_pairs(index.stack[-1], 4 if index.pair is None else 2):
            return None
        view, let = index.stack[-1], self.code.let
        odd = view.offset % 2
        # From here on both parts of a complex number have the same positions.
        even = view._replace(offset=view.offset - odd)
        if index.pair is not None:
            if len(index.stack) > 1:
                return None
            if alike and index.own and even == View((index.size,), (2,)):
                texel = self.own(slot)
            else:
                texel = self.texel(slot, mapped(even, index.pair >> 1) // 4)
            return let(texel).lane("yyww" if odd else "xxzz")
        if self.positions.aligned_first(index._replace(stack=index.stack[:-1], own=False)) is None:
            return None
        first = self.positions.first(index._replace(stack=(*index.stack[:-1], even), own=False))
        lanes = "yw" if odd else "xz"
        parts = [let(self.texel(slot, first // 4 + more)).lane(lanes) for more in (0, 1)]
        return self.code.vector(self.kinds[slot], *parts)

    def _strided(self, at: int, slot: int, index: Index) -> Value | None:
        """Return four elements at the distance of the view's last stride, or None."""
        if index.first is None or index.axes or not index.stack or index.stack[-1].shape[-1] % 4:
            return None
        before = self.positions.aligned_first(index._replace(stack=index.stack[:-1], own=False))
        if before is None:
            return None
        texel = self.code.let(self._texel_of(before), "i")
        return self.code.vector(self.kinds[slot], *fetched(self, at, index.stack[-1], texel))

    def _texel_of(self, first: Whole) -> Whole:
        """Return the number of the texel that starts at a position."""
        return self.numbers.get(first) or first // 4

    def _element(self, slot: int, position: Whole, tiling: Tiling | None) -> Value:
        if tiling is None:
            return self.element(slot, position)
        let = self.code.let
        row, column = let(position // tiling.columns, "i"), position % tiling.columns
        place = tiling.found(row, let(column // 4, "i"), let)
        return self.load(slot, *place)[column % 4]

    # --- reads ----------------------------------------------------------------------------------

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
        """Return a texel of an input by number."""
        self.texels.add(slot)
        return self.code.call(f"pt_texel{slot}", self.kinds[slot], number)

    def element(self, slot: int, position: Whole) -> Value:
        """Return an element of an input."""
        self.elements.add(slot)
        return self.code.call(f"pt_at{slot}", self.kinds[slot], position, lanes=1)

    def either(self, condition: Value, a: Value, b: Value) -> Value:
        """Return one of two values by a comparison of numbers."""
        text = self.code.printer.either(condition.text, a.text, b.text)
        uses = condition.uses | a.uses | b.uses
        return self.code.value(text, a.kind, a.lanes, LOGICAL, uses)
