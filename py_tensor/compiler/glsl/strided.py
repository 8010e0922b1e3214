"""GLSL that fetches four neighbours of a view that are a constant stride apart in the buffer.

Their positions differ by constants, so only one position is computed. In a software renderer a few
integer operations take as long as a fetch. If all four are in the same lane of their texels, texels
are counted instead of elements. If no column carries into the next row, columns and rows of the
texture are counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

from ...ops.index_map import View, row_major
from .integers import quotient, remainder
from .positions import total


class _Part(NamedTuple):
    """Term of a sum in GLSL: an integer expression with bounds, multiplied by a step."""

    text: str
    step: int
    high: int
    low: int = 0

    @property
    def reach(self) -> tuple[int, int]:
        """Smallest and largest value of the term."""
        ends = self.low * self.step, self.high * self.step
        return min(ends), max(ends)


def fetched(
    view: View, texel: str, slot: int, row: int, named: Callable[[str], str]
) -> tuple[str, ...]:
    """Return GLSL for the four elements of a texel of the view, given by its number.

    Rows of the view have whole texels. `row` is the texture width of input `slot`. `named` declares
    a name for an integer expression.
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
    """Return the coordinates of a texel's first element in the view, with their strides."""
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
    x, y = named(_sum(inside + across, columns)), _sum(down, rows)
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
