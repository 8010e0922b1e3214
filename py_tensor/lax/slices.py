"""Slices with positions that may be tensors, under the names of `jax.lax`."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

from ..dtypes import int32
from ..errors import ShapeError
from ..functions import elementwise as E
from ..functions.arguments import integer, items, one_axis
from ..functions.creation import arange
from ..functions.indexing import take
from ..functions.manipulation import reshape
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike
from .checks import Axes, checked, per_axis

__all__ = [
    "dynamic_index_in_dim",
    "dynamic_slice",
    "dynamic_slice_in_dim",
    "dynamic_update_index_in_dim",
    "dynamic_update_slice",
    "dynamic_update_slice_in_dim",
    "index_in_dim",
    "index_take",
    "slice",
    "slice_in_dim",
]


@checked
def slice(
    operand: ArrayLike,
    start_indices: Axes,
    limit_indices: Axes,
    strides: Axes | None = None,
) -> Tensor:
    """Return the part of a tensor between two corners.

    Args:
        operand: Tensor.
        start_indices: First position along each axis.
        limit_indices: Position after the last one along each axis.
        strides: Step along each axis; None (default) for 1.

    >>> import py_tensor as pt
    >>> pt.lax.slice(pt.arange(10), (2,), (8,), (3,)).tolist()
    [2, 5]
    """
    x = as_tensor("slice", operand)
    corners = {
        "start_indices": start_indices,
        "limit_indices": limit_indices,
        "strides": strides or (1,) * x.ndim,
    }
    bounds = [per_axis("slice", name, values, x.ndim) for name, values in corners.items()]
    return x[tuple(map(builtins.slice, *bounds))]


@checked
def slice_in_dim(
    operand: ArrayLike,
    start_index: int | None,
    limit_index: int | None,
    stride: int = 1,
    axis: int = 0,
) -> Tensor:
    """Return the part of a tensor between two positions along an axis.

    Args:
        operand: Tensor.
        start_index: First position; None for the first one.
        limit_index: Position after the last one; None for the end.
        stride: Step; 1 by default.
        axis: Axis; 0 by default.

    >>> import py_tensor as pt
    >>> pt.lax.slice_in_dim(pt.ones((4, 6)), 1, 5, 2, axis=1).shape
    (4, 2)
    """
    x = as_tensor("slice_in_dim", operand)
    part = builtins.slice(start_index, limit_index, stride)
    return x[(builtins.slice(None),) * one_axis("slice_in_dim", axis, x.ndim) + (part,)]


@checked
def index_in_dim(operand: ArrayLike, index: int, axis: int = 0, keepdims: bool = True) -> Tensor:
    """Return the slice at a position along an axis.

    Args:
        operand: Tensor.
        index: Position.
        axis: Axis; 0 by default.
        keepdims: If True (default), the axis stays with length 1.

    >>> import py_tensor as pt
    >>> pt.lax.index_in_dim(pt.arange(4), -1).tolist()
    [3]
    """
    x = as_tensor("index_in_dim", operand)
    position = integer("index_in_dim", "index", index)
    part: Any = builtins.slice(position, position + 1 or None) if keepdims else position
    return x[(builtins.slice(None),) * one_axis("index_in_dim", axis, x.ndim) + (part,)]


@checked
def index_take(src: ArrayLike, idxs: Sequence[ArrayLike], axes: Axes) -> Tensor:
    """Return the slices at positions along axes; the positions are the first axis of the result.

    >>> import py_tensor as pt
    >>> pt.lax.index_take(pt.arange(4), [[3, 1]], [0]).tolist()
    [3, 1]
    """
    x = as_tensor("index_take", src)
    key: list[Any] = [builtins.slice(None)] * x.ndim
    per_axis("index_take", "idxs", idxs, len(axes))
    for axis, positions in zip(axes, idxs, strict=True):
        key[one_axis("index_take", axis, x.ndim)] = as_tensor("index_take", positions)
    return x[tuple(key)]


@checked
def dynamic_slice(
    operand: ArrayLike, start_indices: ArrayLike | Sequence[ArrayLike], slice_sizes: Axes
) -> Tensor:
    """Return the part of a tensor that starts at positions that may be tensors.

    Args:
        operand: Tensor.
        start_indices: First position along each axis, which are limited so that the part is within
            the tensor.
        slice_sizes: Length of the part along each axis.

    Raises:
        ShapeError: If the part is larger than the tensor, or there are too few positions.

    >>> import py_tensor as pt
    >>> pt.lax.dynamic_slice(pt.arange(5), (pt.asarray(3),), (3,)).tolist()
    [2, 3, 4]
    """
    x = as_tensor("dynamic_slice", operand)
    sizes = [integer("dynamic_slice", "slice_sizes", size) for size in slice_sizes]
    for axis, (start, size) in enumerate(_starts("dynamic_slice", x, start_indices, sizes)):
        if size < x.shape[axis]:
            x = take(x, start + arange(size), axis=axis)
    return x


def _starts(operation: str, x: Tensor, start_indices: Any, sizes: Axes) -> list[tuple[Any, int]]:
    """Return (first position, length) for each axis."""
    if isinstance(start_indices, Tensor) and start_indices.ndim:
        start_indices = [start_indices[at] for at in range(start_indices.shape[0])]
    starts = items(operation, "start_indices", start_indices)
    if not len(starts) == len(sizes) == x.ndim or any(map(int.__gt__, sizes, x.shape)):
        raise ShapeError(
            f"{operation}: part does not fit; got sizes {tuple(sizes)} at {len(starts)} positions "
            f"for shape {x.shape}; give one position for each axis, and sizes up to the shape"
        )
    return [
        (_start(operation, start, length, size), size)
        for start, length, size in zip(starts, x.shape, sizes, strict=True)
    ]


def _start(operation: str, start: Any, length: int, size: int) -> Tensor:
    """Return a first position, which counts from the end if negative, limited to the tensor."""
    first = as_tensor(operation, start).astype(int32)
    return E.clip(E.where(first < 0, first + length, first), 0, length - size)


@checked
def dynamic_slice_in_dim(
    operand: ArrayLike, start_index: ArrayLike, slice_size: int, axis: int = 0
) -> Tensor:
    """Return the part of a tensor that starts at a position along an axis, see `dynamic_slice`.

    >>> import py_tensor as pt
    >>> pt.lax.dynamic_slice_in_dim(pt.arange(5), pt.asarray(1), 2).tolist()
    [1, 2]
    """
    x = as_tensor("dynamic_slice_in_dim", operand)
    axis = one_axis("dynamic_slice_in_dim", axis, x.ndim)
    starts: list[ArrayLike] = [0] * x.ndim
    sizes = [*x.shape]
    starts[axis], sizes[axis] = start_index, slice_size
    return dynamic_slice(x, starts, sizes)


@checked
def dynamic_index_in_dim(
    operand: ArrayLike, index: ArrayLike, axis: int = 0, keepdims: bool = True
) -> Tensor:
    """Return the slice at a position along an axis, which may be a tensor.

    >>> import py_tensor as pt
    >>> pt.lax.dynamic_index_in_dim(pt.arange(5), pt.asarray(3), keepdims=False).item()
    3
    """
    part = dynamic_slice_in_dim(operand, index, 1, axis)
    if keepdims:
        return part
    axis = one_axis("dynamic_index_in_dim", axis, part.ndim)
    return reshape(part, (*part.shape[:axis], *part.shape[axis + 1 :]))


@checked
def dynamic_update_slice(
    operand: ArrayLike, update: ArrayLike, start_indices: ArrayLike | Sequence[ArrayLike]
) -> Tensor:
    """Return a copy of a tensor with a part replaced.

    Args:
        operand: Tensor.
        update: New values, a tensor with as many axes.
        start_indices: First position of the part along each axis, see `dynamic_slice`.

    Raises:
        ShapeError: If the part is larger than the tensor, or there are too few positions.

    >>> import py_tensor as pt
    >>> pt.lax.dynamic_update_slice(pt.zeros(4), pt.ones(2), (pt.asarray(1),)).tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    x = as_tensor("dynamic_update_slice", operand)
    new = as_tensor("dynamic_update_slice", update).astype(x.dtype)
    inside: Any = True
    for axis, (start, size) in enumerate(
        _starts("dynamic_update_slice", x, start_indices, new.shape)
    ):
        if size < x.shape[axis]:
            place = arange(x.shape[axis]) - start
            new = take(new, E.clip(place, 0, builtins.max(size - 1, 0)), axis=axis)
            hit = E.logical_and(place >= 0, place < size)
            shape = [-1 if at == axis else 1 for at in range(x.ndim)]
            inside = E.logical_and(inside, reshape(hit, shape))
    return E.where(inside, new, x)


@checked
def dynamic_update_slice_in_dim(
    operand: ArrayLike, update: ArrayLike, start_index: ArrayLike, axis: int
) -> Tensor:
    """Return a copy of a tensor with a part along an axis replaced, see `dynamic_update_slice`.

    >>> import py_tensor as pt
    >>> pt.lax.dynamic_update_slice_in_dim(pt.zeros(4), pt.ones(2), pt.asarray(1), 0).tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    x = as_tensor("dynamic_update_slice_in_dim", operand)
    starts: list[ArrayLike] = [0] * x.ndim
    starts[one_axis("dynamic_update_slice_in_dim", axis, x.ndim)] = start_index
    return dynamic_update_slice(x, update, starts)


@checked
def dynamic_update_index_in_dim(
    operand: ArrayLike, update: ArrayLike, index: ArrayLike, axis: int
) -> Tensor:
    """Return a copy of a tensor with the slice at a position along an axis replaced.

    >>> import py_tensor as pt
    >>> pt.lax.dynamic_update_index_in_dim(pt.zeros(3), 5.0, pt.asarray(1), 0).tolist()
    [0.0, 5.0, 0.0]
    """
    x, new = as_tensor("dynamic_update_index_in_dim", operand), as_tensor("", update)
    if new.ndim < x.ndim:
        axis = one_axis("dynamic_update_index_in_dim", axis, x.ndim)
        new = reshape(new, (*new.shape[:axis], 1, *new.shape[axis:]))
    return dynamic_update_slice_in_dim(x, new, index, axis)
