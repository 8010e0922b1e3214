"""Operators that read and write at indexed positions and mean the same in several formats."""

from __future__ import annotations

from math import prod

from .. import functions as F
from ..functions.arguments import one_axis
from ..tensor import Tensor
from . import common, folding
from .execution import MAX_ELEMENTS
from .graph import ModelConstant
from .options import Ints, single


def gather(x: Tensor, indices: Tensor, axis: int | Ints = 0, *, batch_dims: int = 0) -> Tensor:
    along = one_axis("gather", single(axis), x.ndim)
    batch = one_axis("gather", batch_dims, indices.ndim + 1)
    indices = indices.astype("int32", copy=False)
    if not batch:
        return F.take(x, indices, axis=along)
    if x.shape[:batch] != indices.shape[:batch] or along < batch:
        raise ValueError(f"{batch} batch axes of {list(x.shape)} and {list(indices.shape)}")
    # The batch axes are indexed by themselves; the axes between them and `axis` are kept.
    x = F.moveaxis(x, along, batch)
    lead = [
        F.arange(n).reshape([n if position == axis else 1 for position in range(indices.ndim)])
        for axis, n in enumerate(indices.shape[:batch])
    ]
    slices = x[(*lead, indices)]
    moved = list(range(batch, indices.ndim))
    return F.moveaxis(slices, moved, [position + along - batch for position in moved])


def folded_gather(
    x: ModelConstant, indices: ModelConstant, axis: int | Ints = 0, *, batch_dims: int = 0
) -> ModelConstant | None:
    return None if batch_dims else folding.gather(x, indices, axis=single(axis))


def scatter(indices: Tensor, updates: Tensor, shape: Ints) -> Tensor:
    """Add updates to zeros of a shape."""
    if prod(shape) > MAX_ELEMENTS:
        raise ValueError(f"shape {shape} is too large")
    zeros = F.zeros(tuple(shape), dtype=updates.dtype)
    return common.scatter_nd(zeros, indices, updates, reduction="add")


def one_hot(
    indices: Tensor, depth: int | Ints, on: Tensor, off: Tensor, *, axis: int = -1
) -> Tensor:
    hot = F.expand_dims(indices.astype("int32", copy=False), axis=-1) == F.arange(single(depth))
    return F.moveaxis(F.where(hot, on.reshape(()), off.reshape(())), -1, axis)


def reverse_sequence(
    x: Tensor, lengths: Tensor, *, batch_axis: int = 1, time_axis: int = 0
) -> Tensor:
    """Reverse the first elements along the time axis; each batch has its own number of them."""
    rows = F.moveaxis(x, (batch_axis, time_axis), (0, 1))
    time, ends = F.arange(rows.shape[1]), lengths.reshape((-1, 1))
    back = F.where(time < ends, ends - 1 - time, time)
    back = back.reshape((*back.shape, *(1,) * (x.ndim - 2)))
    return F.moveaxis(F.take_along_axis(rows, back, axis=1), (0, 1), (batch_axis, time_axis))


def top_k(x: Tensor, k: int | Ints) -> tuple[Tensor, ...]:
    return tuple(F.topk(x, single(k)))


def where(condition: Tensor) -> Tensor:
    """Return the positions of elements that are not zero, one in each row."""
    return F.stack(F.nonzero(condition), axis=-1)
