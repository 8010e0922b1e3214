"""Reads of stored operands, each in the cheapest way that its index allows.

Input: an input of a kernel and an `Index`. Output: its four lanes. Storage consists of groups of
four elements, the texels of textures. Each kind of storage has a subclass that reads them.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, NamedTuple

from ...language.statements import Statements
from ...language.tree import Value, Whole
from ...ops.index_map import View
from .indices import Index, LanePositions
from .kernel_nodes import KernelNodes
from .positions import keeps_texels, mapped, reads_pairs
from .types import KIND, either


class ReadMode(StrEnum):
    """Way in which a kernel reads an input; `pt.explain` prints its value."""

    SAME = "same"
    """The group that the invocation computes."""
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
    """Groups for a block of a contraction, at positions of its own."""


class LaneRequest(NamedTuple):
    """Four lanes of an input to read."""

    at: int
    slot: int
    lanes: Index


class GroupReads:
    """Reads of a kernel's inputs; `modes` records how each input is read."""

    def __init__(self, nodes: KernelNodes, code: Statements, positions: LanePositions) -> None:
        self.nodes = nodes
        self.kernel = nodes.kernel
        self.code = code
        self.positions = positions
        self.kinds = [KIND[nodes.spec(at).dtype.kind] for at in self.kernel.inputs]
        self.modes: dict[int, set[ReadMode]] = {}

    # --- storage --------------------------------------------------------------------------------

    def own(self, slot: int) -> Value:
        """Return the group of an input that the invocation computes of its output."""
        raise NotImplementedError

    def texel(self, slot: int, number: Whole) -> Value:
        """Return a group of an input by number."""
        raise NotImplementedError

    def element(self, slot: int, position: Whole) -> Value:
        """Return an element of an input."""
        raise NotImplementedError

    def has_groups(self, at: int) -> bool:
        """Return True if four elements from a multiple of 4 on are one group."""
        return True

    def has_output_layout(self, at: int) -> bool:
        """Return True if equal positions in the input and in the output are in equal groups."""
        return True

    def is_ordered(self, at: int) -> bool:
        """Return True if groups have the numbers that follow from row-major order."""
        return True

    def group(self, request: LaneRequest) -> Value:
        """Return four lanes that are one group."""
        number = self.number_of(self.positions.first(request.lanes))
        return self.texel(request.slot, number)

    def separate(self, slot: int, position: Whole) -> Value:
        """Return an element of an input, of which single elements are read."""
        return self.element(slot, position)

    def at_stride(self, slot: int, view: View, texel: Whole) -> list[Value]:
        """Return four elements at the view's last stride, given the number of their group in it."""
        first = self.code.let(mapped(view, texel * 4), "i")
        return [self.element(slot, first + n * view.strides[-1]) for n in range(4)]

    # --- ways to read ---------------------------------------------------------------------------

    def fetch(self, at: int, index: Index) -> Value:
        """Return the four lanes of an input at an index."""
        value: Value | None = self.code.known((at, index))
        if value is None:
            value = self.code.let(self.read(at, index))
            self.code.keep((at, index), value)
        return value

    def read(self, at: int, index: Index) -> Value:
        """Return the four lanes of an input at an index, read in the cheapest way."""
        request = LaneRequest(at, self.kernel.inputs.index(at), index)
        for mode, way in _WAYS:
            value = way(self, request)
            if value is not None:
                if mode is not None:
                    self.modes.setdefault(at, set()).add(mode)
                return value
        raise AssertionError("the last way reads all indices")

    def number_of(self, first: Whole) -> Whole:
        """Return the number of the group that starts at a position."""
        return self.positions.numbers.get(first) or first // 4

    def _same(self, request: LaneRequest) -> Value | None:
        index = request.lanes
        is_own = index.own and not index.stack and index.pair is None
        return self.own(request.slot) if is_own and self.has_output_layout(request.at) else None

    def _aligned(self, request: LaneRequest) -> Value | None:
        if not self.has_groups(request.at) or not self.positions.is_aligned(request.lanes):
            return None
        return self.group(request)

    def _twice(self, request: LaneRequest) -> Value | None:
        """Return two elements of a group, each one twice, or None."""
        at, index = request.at, request.lanes
        if index.pair is None or not self.has_groups(at) or not all(map(keeps_texels, index.stack)):
            return None
        four = self.code.let((index.pair >> 1) & -4, "i")
        texel = self.fetch(at, Index(index.size, first=four, stack=index.stack))
        even = (index.pair & 4).equals(0)
        return either(self.code, even, texel.lane("xxyy"), texel.lane("zzww"))

    def _splat(self, request: LaneRequest) -> Value | None:
        position = self.positions.splat(request.lanes)
        if position is None:
            return None
        element = self.separate(request.slot, position)
        return self.code.vector(self.kinds[request.slot], element)

    def _pairs(self, request: LaneRequest) -> Value | None:
        """Return every other element from a group on, each twice for pairs, or None."""
        slot, index = request.slot, request.lanes
        if not self.is_ordered(request.at) or not index.stack:
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
            is_own = index.own and even == View((index.size,), (2,))
            if is_own and self.has_output_layout(request.at):
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

    def _strided(self, request: LaneRequest) -> Value | None:
        """Return four elements at the distance of the view's last stride, or None."""
        slot, index = request.slot, request.lanes
        if index.first is None or index.axes or not index.stack or not self.is_ordered(request.at):
            return None
        if index.stack[-1].shape[-1] % 4:
            return None
        before = self.positions.aligned_first(index._replace(stack=index.stack[:-1], own=False))
        if before is None:
            return None
        texel = self.code.let(self.number_of(before), "i")
        return self.code.vector(self.kinds[slot], *self.at_stride(slot, index.stack[-1], texel))

    def _lanes(self, request: LaneRequest) -> Value:
        slot, lanes = request.slot, self.positions.lanes(request.lanes)
        parts = [self.separate(slot, lanes.lane(lane)) for lane in "xyzw"]
        return self.code.vector(self.kinds[slot], *parts)


_WAYS: tuple[tuple[ReadMode | None, Callable[[Any, LaneRequest], Value | None]], ...] = (
    (ReadMode.SAME, GroupReads._same),
    (ReadMode.ALIGNED, GroupReads._aligned),
    (None, GroupReads._twice),  # `fetch` records how the group is read
    (ReadMode.SPLAT, GroupReads._splat),
    (ReadMode.PAIRS, GroupReads._pairs),
    (ReadMode.STRIDED, GroupReads._strided),
    (ReadMode.LANES, GroupReads._lanes),
)
"""Ways in which four lanes may be read, the cheapest first."""
