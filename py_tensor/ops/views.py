"""View rows: index maps that no kernel ever copies for, and the rows that place operands in a frame."""

from __future__ import annotations

from typing import Any

from ..indexing import View, broadcast_view, make_view, row_major
from .rows import Concat, Pad, Row, Shape, ViewRow


def _reshape(shape: Shape, new: Shape) -> tuple[Shape, View]:
    return new, make_view(new, row_major(new))


def _permute(shape: Shape, axes: tuple[int, ...]) -> tuple[Shape, View]:
    strides = row_major(shape)
    new = tuple(shape[axis] for axis in axes)
    return new, make_view(new, [strides[axis] for axis in axes])


def _broadcast(shape: Shape, new: Shape) -> tuple[Shape, View]:
    return new, broadcast_view(shape, new)


def _slice(shape: Shape, parts: tuple[tuple[int, int, int], ...]) -> tuple[Shape, View]:
    """Each part is (start, length, step)."""
    strides = row_major(shape)
    new = tuple(length for _, length, _ in parts)
    steps = [stride * step for stride, (_, _, step) in zip(strides, parts, strict=True)]
    offset = sum(stride * start for stride, (start, _, _) in zip(strides, parts, strict=True))
    return new, make_view(new, steps, offset)


def _window(shape: Shape, arg: tuple[tuple[int, int, int, int], ...]) -> tuple[Shape, View]:
    """Each part is (axis, size, step, dilation); the windows' axes follow behind the others."""
    strides = row_major(shape)
    outer, outer_strides = list(shape), list(strides)
    inner, inner_strides = [], []
    for axis, size, step, dilation in arg:
        outer[axis] = (shape[axis] - dilation * (size - 1) - 1) // step + 1
        outer_strides[axis] = strides[axis] * step
        inner.append(size)
        inner_strides.append(strides[axis] * dilation)
    new = (*outer, *inner)
    return new, make_view(new, [*outer_strides, *inner_strides])


def _strided(xp: Any, x: Any, arg: Any) -> Any:
    shape, _ = _window(x.shape, arg)
    outer = list(x.strides)
    inner = []
    for axis, _, step, dilation in arg:
        inner.append(x.strides[axis] * dilation)
        outer[axis] = x.strides[axis] * step
    return xp.lib.stride_tricks.as_strided(x, shape, (*outer, *inner))


def _reference_slice(xp: Any, x: Any, parts: Any) -> Any:
    for axis, (start, length, step) in enumerate(parts):
        x = xp.take(x, start + step * xp.arange(length), axis=axis)
    return x


def _reference_pad(xp: Any, x: Any, value: Any, widths: Any) -> Any:
    shape = tuple(
        low + high + n + max(n - 1, 0) * interior
        for n, (low, high, interior) in zip(x.shape, widths, strict=True)
    )
    result = xp.full(shape, value, x.dtype)
    if x.size:
        result[
            tuple(
                slice(low, low + (n - 1) * (interior + 1) + 1, interior + 1)
                for n, (low, _, interior) in zip(x.shape, widths, strict=True)
            )
        ] = x
    return result


# fmt: off
RESHAPE = ViewRow(name="reshape", view=_reshape, reference=lambda xp, x, arg: x.reshape(arg), public=False, doc="The same elements in another shape.")
PERMUTE = ViewRow(name="permute_dims", view=_permute, reference=lambda xp, x, arg: x.transpose(arg), public=False, doc="Axes in another order.")
BROADCAST = ViewRow(name="broadcast_to", view=_broadcast, reference=lambda xp, x, arg: xp.broadcast_to(x, arg), public=False, doc="Repeated along axes of length 1.")
SLICE = ViewRow(name="slice", view=_slice, reference=_reference_slice, public=False, doc="Every step-th element from a start along each axis.")
WINDOW = ViewRow(name="window", view=_window, reference=_strided, public=False, doc="Sliding windows along axes.")
PAD = Pad(name="pad", reference=_reference_pad, weight=6, public=False, doc="A value around and between the elements.")
CONCAT = Concat(name="concat", reference=lambda xp, *args: xp.concatenate(args[:-1], axis=args[-1]), weight=6, public=False, doc="Operands joined along an axis.")

ROWS: tuple[Row, ...] = (RESHAPE, PERMUTE, BROADCAST, SLICE, WINDOW, PAD, CONCAT)
