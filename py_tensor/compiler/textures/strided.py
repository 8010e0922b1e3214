"""Reads of four neighbours of a view that are a constant stride apart in the buffer.

Their positions differ by constants, so only one position is computed. In a software renderer a few
integer operations take as long as a fetch. If all four are in the same lane of their texels, texels
are counted instead of elements. If no column carries into the next row, columns and rows of the
texture are counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ...language.tree import Value, Whole
from ...ops.index_map import View, row_major
from ..codegen.fetches import GroupReads
from ..codegen.positions import total
from .texture_layout import texture_row

Load = Callable[[int, Whole, Whole], Value]
"""Function that returns a texel of an input by column and row of the texture."""


class _Part(NamedTuple):
    """Term of a sum: a position with bounds, multiplied by a step."""

    coordinate: Whole
    step: int
    high: int
    low: int = 0

    @property
    def reach(self) -> tuple[int, int]:
        """Smallest and largest value of the term."""
        ends = self.low * self.step, self.high * self.step
        return min(ends), max(ends)


def fetched(reads: GroupReads, load: Load, slot: int, view: View, texel: Whole) -> list[Value]:
    """Return the four elements of a texel of the view of an input, given by its number.

    Rows of the view have whole texels.
    """
    row, let = texture_row(reads.nodes, reads.kernel.inputs[slot]), reads.code.let
    parts, stride = _parts(view, texel), view.strides[-1]
    if stride % 4:
        first = let(_sum(parts, view.offset), "i")
        return [reads.element(slot, first + n * stride) for n in range(4)]
    texels = [part._replace(step=part.step // 4) for part in parts if part.step % 4 == 0]
    within = [part for part in parts if part.step % 4]
    lane: Whole = view.offset % 4
    if within:
        position = let(_sum(within, view.offset % 4), "i")
        low, high = _bounds(within, view.offset % 4)
        texels.append(_Part(position // 4, 1, high >> 2, low >> 2))
        lane = let(position % 4, "i")
    texels_of_lanes = _columns_and_rows(texels, view.offset // 4, stride // 4, row, let)
    if texels_of_lanes is None:
        first = let(_sum(texels, view.offset // 4), "i")
        return [reads.texel(slot, first + n * stride // 4)[lane] for n in range(4)]
    return [load(slot, x, y)[lane] for x, y in texels_of_lanes]


def _parts(view: View, texel: Whole) -> list[_Part]:
    """Return the coordinates of a texel's first element in the view, with their strides."""
    lengths = (*view.shape[:-1], view.shape[-1] // 4)
    strides = (*view.strides[:-1], view.strides[-1] * 4)
    parts = []
    for axis, (n, inner) in enumerate(zip(lengths, row_major(lengths), strict=True)):
        if strides[axis] and n > 1:
            c = texel // inner
            parts.append(_Part(c % n if axis else c, strides[axis], n - 1))
    return parts


def _columns_and_rows(
    parts: list[_Part], offset: int, apart: int, row: int, let: Any
) -> list[tuple[Whole, Whole]] | None:
    """Return columns and rows of four texels, or None if a column may carry into the next row."""
    # A sum of multiples of `unit` can grow by less than `unit` without leaving its row.
    unit = math.gcd(row, 4 * apart)
    down = [part._replace(step=part.step // row) for part in parts if part.step % row == 0]
    across = [part for part in parts if part.step % unit == 0 and part.step % row]
    inside = [part for part in parts if part.step % unit]
    rows, columns = divmod(offset, row)
    steps = [divmod(n * apart, row) for n in range(4)]
    low, high = _bounds(inside, columns)
    if low < 0 or high + max(dx for _, dx in steps) >= unit:
        return None
    x, y = let(_sum(inside + across, columns), "i"), _sum(down, rows)
    if across:
        x, y = x % row, y + x // row
    x, y = let(x, "i"), let(y, "i")
    return [(x + dx, y + dy) for dy, dx in steps]


def _sum(parts: Iterable[_Part], offset: int) -> Any:
    return total([(part.coordinate, part.step) for part in parts], offset)


def _bounds(parts: Iterable[_Part], offset: int) -> tuple[int, int]:
    reaches = [part.reach for part in parts]
    return offset + sum(low for low, _ in reaches), offset + sum(high for _, high in reaches)
