"""Index maps: the element of the operand that each element of a view reads.

A `View` maps the row-major position in its own `shape` to a position in the operand's buffer:
`offset + sum(coordinate * stride)`. Input: shapes. Output: views, composed and simplified.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from operator import mul
from typing import NamedTuple

Shape = tuple[int, ...]


@lru_cache(4096)
def row_major(shape: Shape) -> tuple[int, ...]:
    """Return the strides, in elements, of a contiguous buffer of that shape.

    >>> row_major((2, 3, 4))
    (12, 4, 1)
    """
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    return tuple(strides)


class View(NamedTuple):
    """Affine index map. It is simplified, so that equal maps compare equal."""

    shape: Shape
    strides: tuple[int, ...]
    offset: int = 0

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def is_identity(self) -> bool:
        return self.offset == 0 and self.strides in ((), (1,))

    @property
    def is_constant(self) -> bool:
        """True if every element reads the same element of the operand."""
        return not any(self.strides)


def make_view(shape: Sequence[int], strides: Sequence[int], offset: int = 0) -> View:
    """Make a simplified view: drop axes of length 1 and merge axes that step like one axis."""
    merged: list[tuple[int, int]] = []
    for n, stride in zip(shape, strides, strict=True):
        if merged and merged[-1][1] == stride * n:
            merged[-1] = (merged[-1][0] * n, stride)
        elif n != 1:
            merged.append((n, stride))
    return View(tuple([n for n, _ in merged]), tuple([s for _, s in merged]), offset)


def contiguous(shape: Shape) -> View:
    return make_view(shape, row_major(shape))


@lru_cache(4096)
def broadcast_view(shape: Shape, out: Shape) -> View:
    """Return the map by which a result of shape `out` reads an operand of shape `shape`."""
    padded = (1,) * (len(out) - len(shape)) + shape
    strides = row_major(padded)
    return make_view(out, [0 if n == 1 else s for n, s in zip(padded, strides, strict=True)])


@lru_cache(4096)
def coordinates(position: int, shape: Shape) -> tuple[int, ...]:
    """Return the row-major coordinates of a position; a negative position is a backward step."""
    sign, rest = (-1, -position) if position < 0 else (1, position)
    result = []
    for stride in row_major(shape):
        # An axis before one of length 0 has no steps.
        coordinate, rest = divmod(rest, stride) if stride else (0, rest)
        result.append(sign * coordinate)
    return tuple(result)


@lru_cache(4096)
def compose(first: View, then: View) -> View | None:
    """Return one view equal to `first` followed by `then`, or None if no affine map exists.

    The positions of `first` address the elements of `then`. Each step of `first` is written as a
    step along the axes of `then`. If no step carries from one axis into the next, the distances of
    the steps add up.
    """
    if then.is_identity:
        return first
    if first.is_identity and first.size == then.size:
        return then
    merged = follow(first, then)
    if merged is None:
        first = _refined(first, then.shape)
        merged = follow(first, then)
    return None if merged is None else make_view(first.shape, *merged)


def _refined(view: View, shape: Shape) -> View:
    """Return the same map with axes split where steps would carry between axes of `shape`."""
    axes: list[tuple[int, int]] = []
    rest = list(zip(view.shape, view.strides, strict=True))[::-1]
    while rest:
        n, step = rest.pop()
        places = [axis for axis, c in enumerate(coordinates(step, shape)) if c]
        if len(places) == 1:
            (axis,) = places
            inner = shape[axis] // coordinates(step, shape)[axis]
            if 1 < inner < n and n % inner == 0 and step * inner == row_major((1, *shape))[axis]:
                rest += [(inner, step), (n // inner, step * inner)]
                continue
        axes.append((n, step))
    return View(tuple(n for n, _ in axes), tuple(step for _, step in axes), view.offset)


@lru_cache(4096)
def follow(first: View, then: View) -> tuple[tuple[int, ...], int] | None:
    """Return strides along the axes of `first`, and offset, of `first` then `then`, or None."""
    split = steps(first, then.shape)
    if split is None:
        return None
    start, along = split

    first_place, *distances = [sum(map(mul, step, then.strides)) for step in (start, *along)]
    return tuple(distances), then.offset + first_place


def steps(view: View, shape: Shape) -> tuple[tuple[int, ...], list[tuple[int, ...]]] | None:
    """Return the coordinates in `shape` of the view's start and of the step of each of its axes.

    None is returned if steps may carry from one axis of `shape` into the next, or leave it.
    """
    start, *along = [coordinates(step, shape) for step in (view.offset, *view.strides)]
    for axis, length in enumerate(shape):
        reach = [step[axis] * (n - 1) for step, n in zip(along, view.shape, strict=True)]
        low = start[axis] + sum([r for r in reach if r < 0])
        high = start[axis] + sum([r for r in reach if r > 0])
        if low < 0 or high >= length:
            return None
    return start, along


ViewStack = tuple[View, ...]
"""Views to apply one after the other, the first one to the position in the result."""


def push(stack: ViewStack, view: View) -> ViewStack:
    """Return the stack with one more view at its end, as short as possible."""
    if view.is_identity:
        return stack
    if not stack:
        return (view,)
    joined = compose(stack[-1], view)
    if joined is None:
        return (*stack, view)
    if joined.is_identity and joined.size == stack[-1].size:
        return stack[:-1]
    return (*stack[:-1], joined)
