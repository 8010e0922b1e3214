"""Positions after views: the element of a buffer that an element of a view reads."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ...language.tree import Value, Whole
from ...ops.index_map import View, row_major

Axes = tuple[tuple[Value, int], ...]
"""Coordinates that are variables of a shader, outermost first, as (variable, length)."""


def by_axes(view: View, axes: Axes) -> list[tuple[Value, int]] | None:
    """Return the step of each coordinate in a view, or None if the axes do not match."""
    if not axes:
        return None
    terms: list[tuple[Value, int]] = []
    rest = [(name, n) for name, n in axes if n != 1]
    for n, step in zip(reversed(view.shape), reversed(view.strides), strict=True):
        inner = 1
        while inner < n and rest:
            name, length = rest.pop()
            if step:
                terms.append((name, step * inner))
            inner *= length
        if inner != n:
            return None
    return terms[::-1] if not rest else None


def total(terms: Iterable[tuple[Whole, int]], offset: int) -> Any:
    """Return a sum of coordinates times their steps, plus an offset."""
    values = []
    for term, step in terms:
        if isinstance(term, int):
            offset += term * step
        elif step:
            values.append((term, step))
    return values[0][0].printer.sum(values, offset) if values else offset


def mapped(view: View, position: Whole) -> Any:
    """Return the position that a view reads for a position (of one or four lanes) in the view."""
    terms = [
        (coordinate(position, view.shape, axis), step)
        for axis, step in enumerate(view.strides)
        if step
    ]
    return total(terms, view.offset)


def coordinate(position: Whole, shape: tuple[int, ...], axis: int) -> Whole:
    """Return the coordinate along an axis of a row-major position."""
    if shape[axis] == 1:
        return 0
    c = position // row_major(shape)[axis]
    return c % shape[axis] if math.prod(shape[:axis]) > 1 else c


def keeps_texels(view: View) -> bool:
    """Return True if the view maps four neighbours from a multiple of 4 on to such neighbours."""
    return (
        bool(view.shape)
        and view.strides[-1] == 1
        and view.shape[-1] % 4 == 0
        and view.offset % 4 == 0
        and all(step % 4 == 0 for step in view.strides[:-1])
    )


def reads_pairs(view: View, lanes: int) -> bool:
    """Return True if `lanes` aligned neighbours read every other element, starting at a texel."""
    return (
        bool(view.shape)
        and view.strides[-1] == 2
        and (len(view.shape) == 1 or view.shape[-1] % lanes == 0)
        and view.offset % 4 < 2
        and all(step % 4 == 0 for step in view.strides[:-1])
    )


def splats(view: View) -> bool:
    """Return True if all four lanes read the same element."""
    return bool(view.shape) and view.strides[-1] == 0 and view.shape[-1] % 4 == 0
