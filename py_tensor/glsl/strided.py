"""GLSL that fetches four neighbours of a view that lie a stride apart in what it is a view of.

Their positions differ by constants, so one is computed: where a processor draws, a few operations
on integers take as long as a fetch. Where the four lie in the same lane, texels are counted instead
of elements, and columns and rows of the texture where no column carries into the next row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

from ..indexing import View, row_major
from .integers import quotient, remainder
from .positions import total


class _Part(NamedTuple):
    """An integer in GLSL, how far one more of it goes, and its bounds."""

    text: str
    step: int
    high: int
    low: int = 0

    @property
    def reach(self) -> tuple[int, int]:
        """The least and the most that it adds to a sum."""
        ends = self.low * self.step, self.high * self.step
        return min(ends), max(ends)


def fetched(
    view: View, texel: str, slot: int, row: int, named: Callable[[str], str]
) -> tuple[str, ...]:
    """The four elements from which a texel of the view's space, given by number, is made.

    Each row of the view has whole texels; those of input `slot` lie in rows of `row`. `named` gives
    an integer a name.
    """
    parts, stride = _parts(view, texel), view.strides[-1]
    if stride % 4:
        first = named(_sum(parts, view.offset))
        return tuple(f"pt_at{slot}({_sum([], n * stride, first)})" for n in range(4))
    texels = [part._replace(step=part.step // 4) for part in parts if part.step % 4 == 0]
    within = [part for part in parts if part.step % 4]
    lane = str(view.offset % 4)
    if within:
        place = named(_sum(within, view.offset % 4))
        low, high = _bounds(within, view.offset % 4)
        texels.append(_Part(f"({place} >> 2)", 1, high >> 2, low >> 2))
        lane = named(f"{place} & 3")
    found = _columns_and_rows(texels, view.offset // 4, stride // 4, row, named)
    if found is None:
        first = named(_sum(texels, view.offset // 4))
        places = [f"pt_texel{slot}({_sum([], n * stride // 4, first)})" for n in range(4)]
    else:
        places = [f"texelFetch(x{slot}, ivec2({x}, {y}), 0)" for x, y in found]
    return tuple(f"{place}[{lane}]" for place in places)


def _parts(view: View, texel: str) -> list[_Part]:
    """The coordinates of a texel's first element in the view, with their strides."""
    lengths = (*view.shape[:-1], view.shape[-1] // 4)
    strides = (*view.strides[:-1], view.strides[-1] * 4)
    parts = []
    for axis, (n, inner) in enumerate(zip(lengths, row_major(lengths), strict=True)):
        if strides[axis] and n > 1:
            c = quotient(texel, inner)
            parts.append(_Part(remainder(c, n) if axis else c, strides[axis], n - 1))
    return parts


def _columns_and_rows(
    parts: list[_Part], offset: int, apart: int, row: int, named: Callable[[str], str]
) -> list[tuple[str, str]] | None:
    """Columns and rows of four texels, or None where a column may carry into the next row."""
    # Sums of multiples of `unit` leave room for what is less, wherever in a row they end.
    unit = math.gcd(row, 4 * apart)
    down = [part._replace(step=part.step // row) for part in parts if part.step % row == 0]
    across = [part for part in parts if part.step % unit == 0 and part.step % row]
    beside = [part for part in parts if part.step % unit]
    rows, columns = divmod(offset, row)
    steps = [divmod(n * apart, row) for n in range(4)]
    low, high = _bounds(beside, columns)
    if low < 0 or high + max(dx for _, dx in steps) >= unit:
        return None
    x, y = named(_sum(beside + across, columns)), _sum(down, rows)
    if across:
        x, y = remainder(x, row), f"{y} + {quotient(x, row)}" if y != "0" else quotient(x, row)
    x, y = named(x), named(y)
    return [(_sum([], dx, x), _sum([], dy, y)) for dy, dx in steps]


def _sum(parts: Iterable[_Part], offset: int, first: str = "") -> str:
    terms = [(part.text, part.step) for part in parts]
    return total([(first, 1), *terms] if first else terms, offset)


def _bounds(parts: Iterable[_Part], offset: int) -> tuple[int, int]:
    reaches = [part.reach for part in parts]
    return offset + sum(low for low, _ in reaches), offset + sum(high for _, high in reaches)
