"""Axes and shapes as users write them, checked and made non-negative."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

from ..errors import ShapeError
from ..ops.rows import Shape


def one_axis(operation: str, axis: Any, ndim: int) -> int:
    """A non-negative axis. Raises ShapeError outside of -ndim .. ndim - 1."""
    position = index(axis)
    if not -ndim <= position < ndim:
        axes = (
            f"{ndim} axes; use {-ndim} to {ndim - 1}"
            if ndim
            else "a tensor without axes; leave it out"
        )
        raise ShapeError(f"{operation}: axis out of range; got axis {position} for {axes}")
    return position % ndim


def some_axes(operation: str, axis: Any, ndim: int) -> tuple[int, ...]:
    """Sorted non-negative axes out of None (all), one or several."""
    if axis is None:
        return tuple(range(ndim))
    axes = [one_axis(operation, a, ndim) for a in (axis if isinstance(axis, Sequence) else (axis,))]
    if len(set(axes)) < len(axes):
        raise ShapeError(f"{operation}: axis given twice; got {tuple(axis)}; name each axis once")
    return tuple(sorted(axes))


def a_shape(operation: str, shape: Any) -> Shape:
    """A shape out of one length or several. Raises ShapeError for negative lengths."""
    lengths = tuple(index(n) for n in shape) if isinstance(shape, Sequence) else (index(shape),)
    if any(n < 0 for n in lengths):
        raise ShapeError(
            f"{operation}: length is negative; got shape {lengths}; use lengths from 0 on"
        )
    return lengths
