"""GLSL for positions after views: the element of a buffer that an element of a view reads."""

from __future__ import annotations

from ...ops.index_map import View, row_major
from .integers import quotient, remainder

Axes = tuple[tuple[str, int], ...]
"""Coordinates that have names in a shader, outermost first, as (name, length)."""


def by_axes(view: View, axes: Axes) -> list[tuple[str, int]] | None:
    """Return the step of each named coordinate in a view, or None if the axes do not match."""
    if not axes:
        return None
    found: list[tuple[str, int]] = []
    rest = [(name, n) for name, n in axes if n != 1]
    for n, step in zip(reversed(view.shape), reversed(view.strides), strict=True):
        inner = 1
        while inner < n and rest:
            name, length = rest.pop()
            if step:
                found.append((name, step * inner))
            inner *= length
        if inner != n:
            return None
    return found[::-1] if not rest else None


def total(terms: list[tuple[str, int]], offset: int) -> str:
    """Return GLSL for a sum of coordinates times their steps, plus an offset."""
    parts = [name if step == 1 else f"{name} * {step}" for name, step in terms if step]
    if offset or not parts:
        parts.append(str(offset))
    return " + ".join(parts)


def mapped(view: View, position: str) -> str:
    """Return GLSL for the position that a view reads for a position (int or ivec4) in the view."""
    terms = []
    strides = row_major(view.shape)
    for axis, (n, step) in enumerate(zip(view.shape, view.strides, strict=True)):
        if step == 0 or n == 1:
            continue
        c = quotient(position, strides[axis])
        if axis > 0:
            c = remainder(c, n)
        terms.append(c + (f" * {step}" if step != 1 else ""))
    text = " + ".join(terms)
    if not text:
        return str(view.offset)
    return f"{text} + {view.offset}" if view.offset else text


def coordinate(position: str, shape: tuple[int, ...], axis: int) -> str:
    """Return GLSL for the coordinate along an axis of a row-major position."""
    stride = row_major(shape)[axis]
    c = quotient(position, stride)
    return remainder(c, shape[axis]) if axis > 0 else c


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
