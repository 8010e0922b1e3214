"""Reads of stored operands, each in the cheapest way that its index allows.

The ways are tried in the order of `ReadMode`, the cheapest first.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from ...language.statements import Statements
from ...language.tree import Value, Whole
from ...ops.index_map import View
from ..codegen.indices import Index, LanePositions
from ..codegen.kernel_nodes import KernelNodes
from ..codegen.positions import keeps_texels, mapped, reads_pairs
from ..codegen.types import either
from .reads import Reads
from .strided import fetched
from .texture_layout import texture_row
from .tiles import Tiling


class ReadMode(StrEnum):
    """Way in which a kernel reads an input; `pt.explain` prints its value."""

    SAME = "same"
    """The fragment's own texel."""
    ALIGNED = "aligned"
    """One fetch for four lanes."""
    SPLAT = "splat"
    """One element for all lanes."""
    PAIRS = "pairs"
    """Every other element, by two fetches, or by one for lanes that are pairs."""
    STRIDED = "strided"
    """Four fetches at constant distances from one position."""
    LANES = "lanes"
    """Four fetches at separate positions."""
    BLOCK = "block"
    """Texels for a block of a contraction, at positions of its own."""


class _Request(NamedTuple):
    """Four lanes of an input to read."""

    at: int
    slot: int
    lanes: Index
    tiling: Tiling | None
    """Tiling of an input in tile layout."""
    has_texels: bool
    """True if four elements from a multiple of 4 on are one texel."""
    has_output_layout: bool
    """True if equal positions in the input and in the kernel's output are in equal texels."""


class Fetches(Reads):
    """Reads of a kernel's inputs; `modes` records how each input is read."""

    def __init__(self, nodes: KernelNodes, code: Statements, positions: LanePositions) -> None:
        super().__init__(nodes, code)
        self.positions = positions
        self.modes: dict[int, set[ReadMode]] = {}

    def fetch(self, at: int, index: Index) -> Value:
        """Return the four lanes of an input at an index."""
        value: Value | None = self.code.known((at, index))
        if value is None:
            value = self.code.let(self.read(at, index))
            self.code.keep((at, index), value)
        return value

    def read(self, at: int, index: Index) -> Value:
        """Return the four lanes of an input at an index, read in the cheapest way."""
        tiling = self.nodes.tilings.get(at) if at in self.kernel.tiles else None
        has_texels = tiling is None or tiling.whole_texels
        width, own = (texture_row(self.nodes, node) for node in (at, self.kernel.output))
        alike = tiling is None and width == own
        slot = self.kernel.inputs.index(at)
        request = _Request(at, slot, index, tiling, has_texels, alike)
        for mode, way in _WAYS:
            value = way(self, request)
            if value is not None:
                if mode is not None:
                    self.modes.setdefault(at, set()).add(mode)
                return value
        raise AssertionError("the last way reads all indices")

    def _same(self, request: _Request) -> Value | None:
        index = request.lanes
        is_own = request.has_output_layout and index.own and not index.stack and index.pair is None
        return self.own(request.slot) if is_own else None

    def _aligned(self, request: _Request) -> Value | None:
        at, slot, index, tiling, has_texels, _ = request
        code, positions = self.code, self.positions
        if not has_texels or not positions.is_aligned(index):
            return None
        if tiling is not None:
            number = self._texel_of(positions.first(index))
            return self.load(slot, *tiling.texel(number, code.let))
        texel = positions.column_and_row(index, texture_row(self.nodes, at))
        if texel is not None:
            return self.load(slot, *[code.let(part, "i") for part in texel])
        return self.texel(slot, self._texel_of(positions.first(index)))

    def _twice(self, request: _Request) -> Value | None:
        """Return two elements of a texel, each one twice, or None."""
        at, index = request.at, request.lanes
        if index.pair is None or not request.has_texels or not all(map(keeps_texels, index.stack)):
            return None
        four = self.code.let((index.pair >> 1) & -4, "i")
        texel = self.fetch(at, Index(index.size, first=four, stack=index.stack))
        even = (index.pair & 4).equals(0)
        return either(self.code, even, texel.lane("xxyy"), texel.lane("zzww"))

    def _splat(self, request: _Request) -> Value | None:
        position = self.positions.splat(request.lanes)
        if position is None:
            return None
        element = self._element(request.slot, position, request.tiling)
        return self.code.vector(self.kinds[request.slot], element)

    def _pairs(self, request: _Request) -> Value | None:
        """Return every other element from a texel on, each twice for pairs, or None."""
        slot, index = request.slot, request.lanes
        if request.tiling is not None or not index.stack:
            return None
        view, let = index.stack[-1], self.code.let
        if not reads_pairs(view, 4 if index.pair is None else 2):
            return None
        odd = view.offset % 2
        # From here on both parts of a complex number have the same positions.
        even = view._replace(offset=view.offset - odd)
        if index.pair is not None:
            if len(index.stack) > 1:
                return None
            if request.has_output_layout and index.own and even == View((index.size,), (2,)):
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

    def _strided(self, request: _Request) -> Value | None:
        """Return four elements at the distance of the view's last stride, or None."""
        slot, index = request.slot, request.lanes
        if request.tiling is not None or index.first is None or index.axes or not index.stack:
            return None
        if index.stack[-1].shape[-1] % 4:
            return None
        before = self.positions.aligned_first(index._replace(stack=index.stack[:-1], own=False))
        if before is None:
            return None
        texel = self.code.let(self._texel_of(before), "i")
        return self.code.vector(self.kinds[slot], *fetched(self, slot, index.stack[-1], texel))

    def _lanes(self, request: _Request) -> Value:
        slot, lanes = request.slot, self.positions.lanes(request.lanes)
        parts = [self._element(slot, lanes.lane(lane), request.tiling) for lane in "xyzw"]
        return self.code.vector(self.kinds[slot], *parts)

    def _texel_of(self, first: Whole) -> Whole:
        """Return the number of the texel that starts at a position."""
        return self.positions.numbers.get(first) or first // 4

    def _element(self, slot: int, position: Whole, tiling: Tiling | None) -> Value:
        if tiling is None:
            return self.element(slot, position)
        let = self.code.let
        row, column = let(position // tiling.columns, "i"), position % tiling.columns
        return self.load(slot, *tiling.position(row, let(column // 4, "i"), let))[column % 4]


_WAYS: tuple[tuple[ReadMode | None, Callable[[Fetches, _Request], Value | None]], ...] = (
    (ReadMode.SAME, Fetches._same),
    (ReadMode.ALIGNED, Fetches._aligned),
    (None, Fetches._twice),  # `fetch` records how the texel is read
    (ReadMode.SPLAT, Fetches._splat),
    (ReadMode.PAIRS, Fetches._pairs),
    (ReadMode.STRIDED, Fetches._strided),
    (ReadMode.LANES, Fetches._lanes),
)
