"""GLSL that reads stored operands, each in the cheapest way that its index allows.

The ways are, cheapest first:
- *same*: the fragment's own texel;
- *aligned*: one fetch for four lanes;
- *splat*: one element for all lanes;
- *pairs*: every other element, by two fetches, or by one for lanes that are pairs;
- *strided*: four fetches at constant distances from one position;
- *lanes*: four fetches at separate positions.
"""

from __future__ import annotations

from ...ops.index_map import View
from .indices import Index, LanePositions
from .kernel_nodes import KernelNodes
from .positions import keeps_texels, mapped, reads_pairs
from .statements import Statements
from .strided import fetched
from .tiles import Tiling
from .types import VECTOR


class Fetches:
    """Reads of a kernel's inputs; `modes` records how each input is read."""

    def __init__(self, nodes: KernelNodes, code: Statements, positions: LanePositions) -> None:
        self.nodes = nodes
        self.kernel = nodes.kernel
        self.code = code
        self.positions = positions
        self.modes: dict[int, set[str]] = {}
        self.texels: dict[str, str] = {}
        """Names of texel numbers, by the name of the position at which the texel starts."""

    def fetch(self, at: int, index: Index) -> str:
        """Return the name of the four lanes of an input at an index."""
        name = self.code.known((at, index))
        if name is None:
            name = self._read(at, index)
            self.code.keep((at, index), name)
        return name

    def _read(self, at: int, index: Index) -> str:
        spec = self.nodes.spec(at)
        kind = spec.dtype.kind
        tiling = self.nodes.tilings.get(at) if at in self.kernel.tiles else None
        slot = self.kernel.inputs.index(at)
        modes = self.modes.setdefault(at, set())
        vector = VECTOR[kind]
        rows = self.nodes.texture_row
        alike = tiling is None and rows(at) == rows(self.kernel.output)
        if alike and index.own and not index.stack and not index.pair:
            modes.add("same")
            return self.code.named(f"texelFetch(x{slot}, P, 0)", vector)
        if self.positions.is_aligned(index) and (tiling is None or tiling.whole_texels):
            modes.add("aligned")
            place = None if tiling else self.positions.column_and_row(index, rows(at))
            if place is not None:
                x, y = map(self.code.integer, place)
                return self.code.named(f"texelFetch(x{slot}, ivec2({x}, {y}), 0)", vector)
            number = self._texel_of(self.positions.first(index))
            if tiling is not None:
                return self.code.named(tiling.texel(slot, number, self.code.integer), vector)
            return self.code.named(f"pt_texel{slot}({number})", vector)
        if (
            index.pair
            and all(map(keeps_texels, index.stack))
            and (tiling is None or tiling.whole_texels)
        ):
            # Two elements of a texel, each one twice.
            first = self.code.let((index.pair, "texel"), "int", "i", f"({index.pair} >> 1) & ~3")
            texel = self.fetch(at, Index(index.size, first=first, stack=index.stack))
            return self.code.named(
                f"(({index.pair} & 4) == 0 ? {texel}.xxyy : {texel}.zzww)", vector
            )
        position = self.positions.splat(index)
        if position is not None:
            modes.add("splat")
            return self.code.named(f"{vector}({self._element(slot, position, tiling)})", vector)
        pairs = None if tiling else self._pairs(slot, index, alike)
        if pairs is not None:
            modes.add("pairs")
            return self.code.named(pairs, vector)
        strided = None if tiling else self._strided(at, slot, index)
        if strided is not None:
            modes.add("strided")
            return self.code.named(strided, vector)
        modes.add("lanes")
        lanes = self.positions.lanes(index)
        parts = [self._element(slot, f"{lanes}.{lane}", tiling) for lane in "xyzw"]
        return self.code.named(f"{vector}({', '.join(parts)})", vector)

    def _pairs(self, slot: int, index: Index, alike: bool) -> str | None:
        """Return GLSL for every other element from a texel on, each twice for pairs, or None."""
        if not index.stack or not reads_pairs(index.stack[-1], 2 if index.pair else 4):
            return None
        view = index.stack[-1]
        odd = view.offset % 2
        # From here on both parts of a complex number have the same positions.
        even = view._replace(offset=view.offset - odd)
        if index.pair:
            if len(index.stack) > 1:
                return None
            if alike and index.own and even == View((index.size,), (2,)):
                return f"{self._texel(slot, '')}.{'yyww' if odd else 'xxzz'}"
            position = mapped(even, f"({index.pair} >> 1)")
            return f"{self._texel(slot, f'({position}) >> 2')}.{'yyww' if odd else 'xxzz'}"
        if self.positions.aligned_first(index._replace(stack=index.stack[:-1], own=False)) is None:
            return None
        first = self.positions.first(index._replace(stack=(*index.stack[:-1], even), own=False))
        a, b = (self._texel(slot, f"({first} >> 2){more}") for more in ("", " + 1"))
        lanes = "yw" if odd else "xz"
        return f"{self._vector(slot)}({a}.{lanes}, {b}.{lanes})"

    def _strided(self, at: int, slot: int, index: Index) -> str | None:
        """Return GLSL for four elements at the distance of the view's last stride, or None."""
        if not index.first or index.axes or not index.stack or index.stack[-1].shape[-1] % 4:
            return None
        before = self.positions.aligned_first(index._replace(stack=index.stack[:-1], own=False))
        if before is None:
            return None
        texel = self.code.integer(self._texel_of(before))
        row = self.nodes.texture_row(at)
        fetches = fetched(index.stack[-1], texel, slot, row, self.code.integer)
        return f"{self._vector(slot)}({', '.join(fetches)})"

    def _texel_of(self, first: str) -> str:
        """Return GLSL for the number of the texel that starts at a position."""
        return self.texels.get(first, f"{first} >> 2")

    def _texel(self, slot: int, texel: str) -> str:
        """Return the name of a texel by number, or of the fragment's own texel."""
        place = f"texelFetch(x{slot}, P, 0)" if not texel else f"pt_texel{slot}({texel})"
        return self.code.let((slot, texel), self._vector(slot), "t", place)

    def _vector(self, slot: int) -> str:
        """Return the GLSL type of a texel of an input."""
        return VECTOR[self.nodes.spec(self.kernel.inputs[slot]).dtype.kind]

    def _element(self, slot: int, position: str, tiling: Tiling | None) -> str:
        if tiling is not None:
            return tiling.element(slot, position, self.code.integer)
        return f"pt_at{slot}({position})"
