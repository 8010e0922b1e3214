"""Definitions of gathers and scatters: elements of one operand at indices in another."""

from __future__ import annotations

from typing import Any

from ..dtypes import uint32
from .op_def import Gather, GatherAlong, Scatter
from .rule_types import ArrayNamespace, Functions, TensorLike


def _take(xp: ArrayNamespace, x: Any, indices: Any, axis: int) -> Any:
    length = x.shape[axis]
    # Wide enough for unsigned indices and for adding the length.
    places = indices.astype(xp.int64)
    places = xp.clip(xp.where(places < 0, places + length, places), 0, length - 1)
    return xp.take(x, places, axis=axis)


def _put_back(
    pt: Functions, g: TensorLike, y: TensorLike, x: TensorLike, indices: TensorLike, axis: int
) -> TensorLike:
    length = x.shape[axis]
    if indices.dtype is uint32:
        # The largest values would be negative as int32 and then count from the end.
        indices = pt.minimum(indices, max(length - 1, 0))
    places = indices.astype("int32")
    places = pt.clip(pt.where(places < 0, places + length, places), 0, length - 1)
    return pt.apply(SCATTER_ADD, (g, places), (axis, length))


def _scatter_add(xp: ArrayNamespace, x: Any, indices: Any, arg: tuple[int, int]) -> Any:
    axis, length = arg
    places = indices.reshape(-1)
    kept = (places >= 0) & (places < length)
    before, after = x.shape[:axis], x.shape[axis + indices.ndim :]
    rows = x.reshape(*before, places.size, *after)
    # Round only the final sum to float16, not each partial sum.
    wide = xp.float32 if x.dtype == xp.float16 else x.dtype
    result = xp.zeros((*before, length, *after), wide)
    xp.add.at(result, (slice(None),) * axis + (places[kept],), xp.compress(kept, rows, axis=axis))
    return result.astype(x.dtype)


def _take_back(
    pt: Functions,
    g: TensorLike,
    y: TensorLike,
    x: TensorLike,
    indices: TensorLike,
    arg: tuple[int, int],
) -> TensorLike:
    axis, length = arg
    there = pt.reshape(
        (indices >= 0) & (indices < length),
        (*indices.shape, *(1,) * (x.ndim - axis - indices.ndim)),
    )
    return pt.where(there, pt.take(g, indices, axis=axis), 0.0)


def _along_back(
    pt: Functions,
    g: TensorLike,
    y: TensorLike,
    x: TensorLike,
    indices: TensorLike,
    arg: tuple[int, bool],
) -> TensorLike:
    axis, permutes = arg
    if permutes:
        return pt.apply(TAKE_ALONG_AXIS, (g, pt.argsort(indices, axis=axis)), arg)
    place = pt.reshape(pt.arange(x.shape[axis]), (-1, *(1,) * (x.ndim - axis)))
    found = pt.expand_dims(indices.astype("int32"), axis=axis) == place
    return pt.sum(pt.where(found, pt.expand_dims(g, axis=axis), 0.0), axis=axis + 1)


# fmt: off
TAKE = Gather(name="take", jax="take", reference=_take, weight=6, gradient=(_put_back, None), public=False, doc="Return the slices at the given indices of an axis.")
SCATTER_ADD = Scatter(name="scatter_add", jax="scatter_add", reference=_scatter_add, gradient=(_take_back, None), public=False, doc="Add up slices at the given indices of an axis.")

TAKE_ALONG_AXIS = GatherAlong(name="take_along_axis", jax="take_along_axis", reference=lambda xp, x, indices, arg: xp.take_along_axis(x, indices.astype(xp.int64), axis=arg[0]), weight=6, gradient=(_along_back, None), public=False, doc="Return the elements at the given indices along an axis.")

OP_DEFS = (TAKE, SCATTER_ADD, TAKE_ALONG_AXIS)
