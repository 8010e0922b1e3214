"""Definitions of gathers and scatters: elements of one operand at indices in another."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

from ..dtypes import uint32
from .op_def import Gather, GatherAlong, Scatter
from .rule_types import Array, ArrayNamespace, Functions

FEW_COLUMNS = 16


def _take(xp: ArrayNamespace, x: Any, indices: Any, axis: int) -> Any:
    length = x.shape[axis]
    low = indices.min(initial=0)
    if low >= 0:
        return xp.take(x, indices, axis=axis, mode="clip")
    if low >= -length and indices.max() < length:
        return xp.take(x, indices, axis=axis, mode="wrap")
    # Wide enough for unsigned indices and for adding the length.
    places = indices.astype(xp.int64)
    return xp.take(x, xp.where(places < 0, places + length, places), axis=axis, mode="clip")


def _put_back(pt: Functions, g: Array, y: Array, x: Array, indices: Array, axis: int) -> Array:
    length = x.shape[axis]
    if indices.dtype is uint32:
        # The largest values would be negative as int32 and then count from the end.
        indices = pt.minimum(indices, max(length - 1, 0))
    positions = indices.astype("int32")
    positions = pt.clip(pt.where(positions < 0, positions + length, positions), 0, length - 1)
    return pt.apply(SCATTER_ADD, (g, positions), (axis, length))


def _scatter_add(xp: ArrayNamespace, x: Any, indices: Any, arg: tuple[int, int]) -> Any:
    axis, length = arg
    positions = indices.reshape(-1)
    before, after = x.shape[:axis], x.shape[axis + indices.ndim :]
    rows = x.reshape(*before, positions.size, *after)
    # Round only the final sum to float16, not each partial sum.
    wide = xp.float32 if x.dtype == xp.float16 else x.dtype
    result = xp.zeros((math.prod(before), length, math.prod(after)), wide)
    if positions.size and not 0 <= positions.min() <= positions.max() < length:
        kept = (positions >= 0) & (positions < length)
        rows, positions = xp.compress(kept, rows, axis=axis), positions[kept]
    rows = rows.reshape(len(result), positions.size, result.shape[2])
    if len(result) * result.shape[2] <= FEW_COLUMNS:
        # NumPy counts elements ten times faster than it adds slices.
        for number, column in product(range(len(result)), range(result.shape[2])):
            result[number, :, column] = _sums(xp, positions, rows[number, :, column], length)
    else:
        xp.add.at(result, (slice(None), positions), rows)
    return result.reshape(*before, length, *after).astype(x.dtype)


def _sums(xp: ArrayNamespace, positions: Any, elements: Any, length: int) -> Any:
    if elements.dtype.kind == "c":
        parts = [_sums(xp, positions, part, length) for part in (elements.real, elements.imag)]
        return parts[0] + 1j * parts[1]
    counted = elements if any(elements.strides) else elements[:1]
    weights = None if elements.dtype.kind in "iub" and (counted == 1).all() else elements
    sums = xp.bincount(positions, weights, length)
    # Sums of integers wrap.
    return sums.astype(xp.int64) if elements.dtype.kind in "iub" else sums


def _take_back(
    pt: Functions, g: Array, y: Array, x: Array, indices: Array, arg: tuple[int, int]
) -> Array:
    axis, length = arg
    is_inside = pt.reshape(
        (indices >= 0) & (indices < length),
        (*indices.shape, *(1,) * (x.ndim - axis - indices.ndim)),
    )
    return pt.where(is_inside, pt.take(g, indices, axis=axis), 0.0)


def _along_back(
    pt: Functions, g: Array, y: Array, x: Array, indices: Array, arg: tuple[int, bool]
) -> Array:
    axis, permutes = arg
    if permutes:
        return pt.apply(TAKE_ALONG_AXIS, (g, pt.argsort(indices, axis=axis)), arg)
    positions = pt.reshape(pt.arange(x.shape[axis]), (-1, *(1,) * (x.ndim - axis)))
    is_taken = pt.expand_dims(indices.astype("int32"), axis=axis) == positions
    return pt.sum(pt.where(is_taken, pt.expand_dims(g, axis=axis), 0.0), axis=axis + 1)


# fmt: off
TAKE = Gather(name="take", jax="take", reference=_take, weight=6, gradient=(_put_back, None), public=False, doc="Return the slices at the given indices of an axis.")
SCATTER_ADD = Scatter(name="scatter_add", jax="scatter_add", reference=_scatter_add, gradient=(_take_back, None), public=False, doc="Add up slices at the given indices of an axis.")

TAKE_ALONG_AXIS = GatherAlong(name="take_along_axis", jax="take_along_axis", reference=lambda xp, x, indices, arg: xp.take_along_axis(x, indices.astype(xp.int64), axis=arg[0]), weight=6, gradient=(_along_back, None), public=False, doc="Return the elements at the given indices along an axis.")

OP_DEFS = (TAKE, SCATTER_ADD, TAKE_ALONG_AXIS)
