"""Definitions of views, which are index maps without a copy, and of padding and concatenation."""

from __future__ import annotations

from typing import Any

from .index_map import View, broadcast_view, make_view, row_major
from .op_def import Concat, OpDef, OptimizationBarrier, Pad, Shape, ViewOp
from .rule_types import Array, ArrayNamespace, Functions


def _reshape(shape: Shape, new: Shape) -> tuple[Shape, View]:
    return new, make_view(new, row_major(new))


def _permute(shape: Shape, axes: tuple[int, ...]) -> tuple[Shape, View]:
    strides = row_major(shape)
    new = tuple(shape[axis] for axis in axes)
    return new, make_view(new, [strides[axis] for axis in axes])


def _broadcast(shape: Shape, new: Shape) -> tuple[Shape, View]:
    return new, broadcast_view(shape, new)


def _slice(shape: Shape, parts: tuple[tuple[int, int, int], ...]) -> tuple[Shape, View]:
    """Slice each axis by a part (start, length, step)."""
    strides = row_major(shape)
    new = tuple(length for _, length, _ in parts)
    steps = [stride * step for stride, (_, _, step) in zip(strides, parts, strict=True)]
    offset = sum(stride * start for stride, (start, _, _) in zip(strides, parts, strict=True))
    return new, make_view(new, steps, offset)


def _window(shape: Shape, arg: tuple[tuple[int, int, int, int], ...]) -> tuple[Shape, View]:
    """Take windows (axis, size, step, dilation); the axes of the windows are appended."""
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


def _strided(xp: ArrayNamespace, x: Any, arg: Any) -> Any:
    shape, _ = _window(x.shape, arg)
    outer = list(x.strides)
    inner = []
    for axis, _, step, dilation in arg:
        inner.append(x.strides[axis] * dilation)
        outer[axis] = x.strides[axis] * step
    return xp.lib.stride_tricks.as_strided(x, shape, (*outer, *inner))


def _reference_slice(xp: ArrayNamespace, x: Any, parts: Any) -> Any:
    key = []
    for start, length, step in parts:
        stop = start + step * length
        key.append(slice(start, None if stop < 0 else stop, step) if length else slice(0, 0))
    return x[tuple(key)]


def _reference_pad(xp: ArrayNamespace, x: Any, value: Any, widths: Any) -> Any:
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


def _diagonal(shape: Shape, axes: tuple[int, int]) -> tuple[Shape, View]:
    """Take the elements with equal indices along both axes, as a new last axis."""
    strides = row_major(shape)
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    new = (*(shape[axis] for axis in kept), min(shape[axis] for axis in axes))
    along = sum(strides[axis] for axis in axes)
    return new, make_view(new, [*(strides[axis] for axis in kept), along])


def _unpermuted(pt: Functions, g: Array, y: Array, x: Array, axes: tuple[int, ...]) -> Array:
    return pt.permute_dims(g, tuple(axes.index(axis) for axis in range(len(axes))))


def _unsliced(
    pt: Functions, g: Array, y: Array, x: Array, parts: tuple[tuple[int, int, int], ...]
) -> Array | None:
    if not y.size:
        return None
    turned = reversal(parts)
    if turned is not None:
        g = pt.apply(SLICE, (g,), turned)
    return pt.apply(PAD, (g, 0.0), widths_around(parts, x.shape))


def reversal(parts: tuple[tuple[int, int, int], ...]) -> tuple[tuple[int, int, int], ...] | None:
    """Return the slice that puts the elements of another slice in ascending order.

    None is returned if they are in that order.
    """
    if all(step > 0 for _, _, step in parts):
        return None
    return tuple((n - 1, n, -1) if step < 0 else (0, n, 1) for _, n, step in parts)


def widths_around(
    parts: tuple[tuple[int, int, int], ...], shape: Shape
) -> tuple[tuple[int, int, int], ...]:
    """Return the padding that puts the elements of a slice, in order, back into `shape`."""
    widths = []
    for (start, length, step), n in zip(parts, shape, strict=True):
        low = start if step > 0 else start + (length - 1) * step
        stride = abs(step) if length > 1 else 1
        widths.append((low, n - low - (length - 1) * stride - 1, stride - 1))
    return tuple(widths)


def _unwindowed(pt: Functions, g: Array, y: Array, x: Array, arg: Any) -> Array:
    if all(size <= step and dilation == 1 for _, size, step, dilation in arg):
        return _side_by_side(pt, g, y, x, arg)
    return _overlapping(pt, g, y, x, arg)


def _side_by_side(pt: Functions, g: Array, y: Array, x: Array, arg: Any) -> Array:
    """Return the cotangent for windows that share no element: their taps, back in place."""
    ndim = x.ndim
    taps = {axis: ndim + position for position, (axis, _, _, _) in enumerate(arg)}
    within, around = [(0, 0, 0)] * g.ndim, [(0, 0, 0)] * ndim
    lengths = list(x.shape)
    for axis, size, step, _ in arg:
        within[taps[axis]] = (0, step - size, 0)
        lengths[axis] = min(y.shape[axis] * step, x.shape[axis])
        around[axis] = (0, x.shape[axis] - lengths[axis], 0)
    g = pt.apply(PAD, (g, 0.0), tuple(within))
    order = [at for axis in range(ndim) for at in (axis, taps.get(axis)) if at is not None]
    steps = {axis: step for axis, _, step, _ in arg}
    g = pt.reshape(
        pt.permute_dims(g, tuple(order)),
        tuple(y.shape[axis] * steps.get(axis, 1) for axis in range(ndim)),
    )
    g = pt.apply(SLICE, (g,), tuple((0, n, 1) for n in lengths))
    return pt.apply(PAD, (g, 0.0), tuple(around))


def _overlapping(pt: Functions, g: Array, y: Array, x: Array, arg: Any) -> Array:
    """Sum each element's cotangents over all windows.

    Element i is tap k of the window at (i - k dilation) / step.
    """
    ndim = x.ndim
    widths = [(0, 0, 0)] * g.ndim
    for axis, size, step, dilation in arg:
        reach = (size - 1) * dilation
        spread = (y.shape[axis] - 1) * step + 1
        widths[axis] = (reach, x.shape[axis] - spread, step - 1)
    g = pt.apply(PAD, (g, 0.0), tuple(widths))
    backward = tuple(
        (n - 1, n, -1) if axis >= ndim else (0, n, 1) for axis, n in enumerate(g.shape)
    )
    g = pt.apply(SLICE, (g,), backward)
    g = pt.apply(WINDOW, (g,), tuple((axis, size, 1, d) for axis, size, _, d in arg))
    for position in reversed(range(len(arg))):
        # Diagonals become the last axis, after the remaining axes of taps and windows.
        g = pt.apply(DIAGONAL, (g,), (ndim + position, ndim + 2 * position + 1))
    return pt.sum(g, axis=tuple(range(ndim, ndim + len(arg))))


def _undiagonal(pt: Functions, g: Array, y: Array, x: Array, axes: tuple[int, int]) -> Array:
    first, second = sorted(axes)
    rows, columns = x.shape[first], x.shape[second]
    count = y.shape[-1]
    square = pt.apply(PAD, (g, 0.0), (*((0, 0, 0),) * (g.ndim - 1), (0, rows - count, 0)))
    # Move the diagonal to the first axis; it is then broadcast along the second.
    order = [*range(g.ndim - 1)]
    order.insert(first, g.ndim - 1)
    square = pt.expand_dims(pt.permute_dims(square, tuple(order)), axis=second)
    shape = [1] * x.ndim
    shape[first], shape[second] = rows, columns
    on = pt.arange(rows)[:, None] == pt.arange(columns)
    return pt.where(pt.reshape(on, tuple(shape)), square, 0.0)


def _unpadded(pt: Functions, g: Array, y: Array, x: Array, value: Array, arg: Any) -> Array:
    parts = zip(x.shape, arg, strict=True)
    return pt.apply(SLICE, (g,), tuple((low, n, interior + 1) for n, (low, _, interior) in parts))


def _border(pt: Functions, g: Array, y: Array, x: Array, value: Array, arg: Any) -> Array:
    there = pt.apply(PAD, (pt.zeros(x.shape, dtype="bool"), True), arg)
    return pt.sum(pt.where(there, g, 0.0))


def _unjoined(pt: Functions, g: Array, y: Array, *rest: Any) -> Array:
    *operands, position, axis = rest
    start = sum(operand.shape[axis] for operand in operands[:position])
    length = operands[position].shape[axis]
    return g[(slice(None),) * axis + (slice(start, start + length),)]


# fmt: off
RESHAPE = ViewOp(name="reshape", view=_reshape, reference=lambda xp, x, arg: x.reshape(arg), gradient=(lambda pt, g, y, x, arg: pt.reshape(g, x.shape),), public=False, doc="Return the same elements in another shape.")
PERMUTE = ViewOp(name="permute_dims", view=_permute, reference=lambda xp, x, arg: x.transpose(arg), gradient=(_unpermuted,), public=False, doc="Permute the axes.")
BROADCAST = ViewOp(name="broadcast_to", view=_broadcast, reference=lambda xp, x, arg: xp.broadcast_to(x, arg), gradient=(lambda pt, g, y, x, arg: g,), public=False, doc="Repeat along axes of length 1.")
SLICE = ViewOp(name="slice", view=_slice, jax="slice_", reference=_reference_slice, gradient=(_unsliced,), public=False, doc="Return every step-th element from a start along each axis.")
WINDOW = ViewOp(name="window", view=_window, jax="window", reference=_strided, gradient=(_unwindowed,), public=False, doc="Return sliding windows along axes.")
DIAGONAL = ViewOp(name="diagonal", view=_diagonal, reference=lambda xp, x, axes: xp.diagonal(x, axis1=axes[0], axis2=axes[1]), gradient=(_undiagonal,), public=False, doc="Return the elements with equal indices along two axes.")
STOP_GRADIENT = ViewOp(name="stop_gradient", view=_reshape, reference=lambda xp, x, arg: x, gradient=(None,), public=False, doc="Return the same elements and stop the gradient.")
BARRIER = OptimizationBarrier(name="barrier", reference=lambda xp, x, event, arg: x, gradient=(lambda pt, g, y, x, event, arg: g, None), public=False, doc="Return the first operand, computed after the second.")
BARRIER_VIEW = ViewOp(name="barrier_view", view=_reshape, reference=lambda xp, x, arg: x, public=False, doc="Return the same elements as a node that is never merged with nodes computed without the barrier.")
PAD = Pad(name="pad", jax="pad", reference=_reference_pad, weight=6, gradient=(_unpadded, _border), public=False, doc="Put a value around and between the elements.")
CONCAT = Concat(name="concat", reference=lambda xp, *args: xp.concatenate(args[:-1], axis=args[-1]), weight=6, gradient=_unjoined, public=False, doc="Concatenate the operands along an axis.")

OP_DEFS: tuple[OpDef, ...] = (
    RESHAPE, PERMUTE, BROADCAST, SLICE, WINDOW, DIAGONAL, STOP_GRADIENT, PAD, CONCAT, BARRIER,
)
