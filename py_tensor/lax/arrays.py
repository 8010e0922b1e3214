"""Shapes, orders and products under the names of `jax.lax`."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import prod
from typing import Any

from ..dtypes import as_dtype, described, int32, shown
from ..errors import ArgumentError, ShapeError
from ..functions import manipulation, sorting, statistical
from ..functions.arguments import integer, items, one_axis
from ..functions.creation import arange, full, full_like
from ..functions.elementwise import astype
from ..functions.indexing import take_along_axis
from ..functions.joining import concat
from ..functions.linear_algebra import matmul
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, DTypeLike
from .checks import Axes, Config, checked, integers, per_axis

__all__ = [
    "argmax",
    "argmin",
    "batch_matmul",
    "broadcast",
    "broadcast_in_dim",
    "broadcasted_iota",
    "collapse",
    "concatenate",
    "dot",
    "dot_general",
    "full",
    "full_like",
    "iota",
    "pad",
    "reshape",
    "rev",
    "sort",
    "sort_key_val",
    "split",
    "top_k",
    "transpose",
]


@checked
def argmax(operand: ArrayLike, axis: int, index_dtype: DTypeLike = int32) -> Tensor:
    """Return the position of the largest element along an axis.

    >>> import py_tensor as pt
    >>> pt.lax.argmax(pt.asarray([1.0, 9.0, 3.0]), 0).item()
    1
    """
    return astype(statistical.argmax(operand, axis), as_dtype(index_dtype), copy=False)


@checked
def argmin(operand: ArrayLike, axis: int, index_dtype: DTypeLike = int32) -> Tensor:
    """Return the position of the smallest element along an axis.

    >>> import py_tensor as pt
    >>> pt.lax.argmin(pt.asarray([1.0, 9.0, 3.0]), 0).item()
    0
    """
    return astype(statistical.argmin(operand, axis), as_dtype(index_dtype), copy=False)


@checked
def broadcast(operand: ArrayLike, sizes: Axes) -> Tensor:
    """Repeat a tensor along new first axes.

    >>> import py_tensor as pt
    >>> pt.lax.broadcast(pt.ones(3), (2,)).shape
    (2, 3)
    """
    x = as_tensor("broadcast", operand)
    return manipulation.broadcast_to(x, (*sizes, *x.shape))


@checked
def broadcast_in_dim(operand: ArrayLike, shape: Axes, broadcast_dimensions: Axes) -> Tensor:
    """Repeat a tensor whose axes become the axes `broadcast_dimensions` of the result.

    >>> import py_tensor as pt
    >>> pt.lax.broadcast_in_dim(pt.arange(2), (2, 3), (0,)).tolist()
    [[0, 0, 0], [1, 1, 1]]
    """
    x = as_tensor("broadcast_in_dim", operand)
    per_axis("broadcast_in_dim", "broadcast_dimensions", broadcast_dimensions, x.ndim)
    axes = [one_axis("broadcast_in_dim", axis, len(shape)) for axis in broadcast_dimensions]
    lengths = dict(zip(axes, x.shape, strict=True))
    spread = manipulation.reshape(x, [lengths.get(axis, 1) for axis in range(len(shape))])
    return manipulation.broadcast_to(spread, tuple(shape))


@checked
def iota(dtype: DTypeLike, size: int) -> Tensor:
    """Return the integers from 0 to size - 1.

    >>> import py_tensor as pt
    >>> pt.lax.iota("float32", 3).tolist()
    [0.0, 1.0, 2.0]
    """
    return arange(size, dtype=dtype)


@checked
def broadcasted_iota(dtype: DTypeLike, shape: Axes, dimension: int) -> Tensor:
    """Return the position of each element along an axis.

    >>> import py_tensor as pt
    >>> pt.lax.broadcasted_iota("int32", (2, 2), 1).tolist()
    [[0, 1], [0, 1]]
    """
    axis = one_axis("broadcasted_iota", dimension, len(shape))
    return broadcast_in_dim(iota(dtype, shape[axis]), shape, (axis,))


@checked
def collapse(operand: ArrayLike, start_dimension: int, stop_dimension: int | None = None) -> Tensor:
    """Join adjacent axes, from `start_dimension` to before `stop_dimension`.

    >>> import py_tensor as pt
    >>> pt.lax.collapse(pt.ones((2, 3, 4)), 1).shape
    (2, 12)
    """
    x = as_tensor("collapse", operand)
    first, end, _ = builtins.slice(start_dimension, stop_dimension).indices(x.ndim)
    return manipulation.reshape(x, (*x.shape[:first], prod(x.shape[first:end]), *x.shape[end:]))


@checked
def concatenate(operands: Sequence[ArrayLike], dimension: int) -> Tensor:
    """Join tensors along an axis.

    >>> import py_tensor as pt
    >>> pt.lax.concatenate([pt.ones(1), pt.zeros(2)], 0).tolist()
    [1.0, 0.0, 0.0]
    """
    return concat([as_tensor("concatenate", operand) for operand in operands], axis=dimension)


@checked
def pad(operand: ArrayLike, padding_value: ArrayLike, padding_config: Config) -> Tensor:
    """Put a value around and between the elements.

    Args:
        operand: Tensor.
        padding_value: Value, which is read.
        padding_config: (before, after, between) for each axis. Negative numbers cut elements off.

    >>> import py_tensor as pt
    >>> pt.lax.pad(pt.asarray([1, 2]), 0, [(1, -1, 2)]).tolist()
    [0, 1, 0, 0]
    """
    x = as_tensor("pad", operand)
    config = per_axis("pad", "padding_config", padding_config, x.ndim)
    added = tuple((max(a, 0), max(b, 0), between) for a, b, between in config)
    if any(map(any, added)):
        x = manipulation.framed(x, added, padding_value)
    if all(min(a, b) >= 0 for a, b, _ in config):
        return x
    pairs = zip(config, x.shape, strict=True)
    return x[tuple(slice(max(-a, 0), n + min(b, 0)) for (a, b, _), n in pairs)]


@checked
def reshape(operand: ArrayLike, new_sizes: Axes, dimensions: Axes | None = None) -> Tensor:
    """Return the elements in another shape, after transposing them to the order `dimensions`.

    >>> import py_tensor as pt
    >>> pt.lax.reshape(pt.asarray([[1, 2], [3, 4]]), (4,), (1, 0)).tolist()
    [1, 3, 2, 4]
    """
    x = as_tensor("reshape", operand)
    return manipulation.reshape(transpose(x, dimensions) if dimensions else x, tuple(new_sizes))


@checked
def rev(operand: ArrayLike, dimensions: Axes) -> Tensor:
    """Reverse the elements along axes.

    >>> import py_tensor as pt
    >>> pt.lax.rev(pt.arange(3), (0,)).tolist()
    [2, 1, 0]
    """
    return manipulation.flip(operand, axis=tuple(dimensions))


@checked
def transpose(operand: ArrayLike, permutation: Axes) -> Tensor:
    """Return a tensor with its axes in another order.

    >>> import py_tensor as pt
    >>> pt.lax.transpose(pt.ones((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    return manipulation.permute_dims(operand, tuple(permutation))


@checked
def split(operand: ArrayLike, sizes: Axes, axis: int = 0) -> list[Tensor]:
    """Cut a tensor into parts of given lengths along an axis.

    >>> import py_tensor as pt
    >>> [part.tolist() for part in pt.lax.split(pt.arange(3), (1, 2))]
    [[0], [1, 2]]
    """
    x = as_tensor("split", operand)
    axis = one_axis("split", axis, x.ndim)
    if min(sizes, default=0) < 0 or builtins.sum(sizes) != x.shape[axis]:
        raise ShapeError(
            f"split: sizes do not fit; got {shown(tuple(sizes))} for length {x.shape[axis]}; use "
            "sizes of at least 0 that add up to the length"
        )
    whole = (builtins.slice(None),) * axis
    ends = pairwise(accumulate(sizes, initial=0))
    return [x[(*whole, builtins.slice(start, end))] for start, end in ends]


@checked
def sort(
    operand: ArrayLike | tuple[ArrayLike, ...],
    dimension: int = -1,
    is_stable: bool = True,
    num_keys: int = 1,
) -> Any:
    """Sort a tensor along an axis, or several tensors by the first ones.

    Args:
        operand: Tensor, or a tuple of tensors of one shape.
        dimension: Axis; the last one by default.
        is_stable: For compatibility; sorting is stable.
        num_keys: Number of tensors that give the order; 1 by default.

    >>> import py_tensor as pt
    >>> keys, values = pt.lax.sort((pt.asarray([3, 1, 2]), pt.asarray([30, 10, 20])))
    >>> keys.tolist(), values.tolist()
    ([1, 2, 3], [10, 20, 30])
    """
    if not isinstance(operand, tuple):
        return sorting.sort(operand, axis=dimension)
    tensors = [as_tensor("sort", part) for part in operand]
    for key in reversed(range(integer("sort", "num_keys", num_keys, 1, len(tensors)))):
        order = sorting.argsort(tensors[key], axis=dimension)
        tensors = [take_along_axis(part, order, axis=dimension) for part in tensors]
    return tuple(tensors)


@checked
def sort_key_val(
    keys: ArrayLike, values: ArrayLike, dimension: int = -1, is_stable: bool = True
) -> tuple[Tensor, Tensor]:
    """Sort keys along an axis, and values in their order.

    >>> import py_tensor as pt
    >>> pt.lax.sort_key_val(pt.asarray([3, 1]), pt.asarray([30, 10]))[1].tolist()
    [10, 30]
    """
    pair: tuple[Tensor, Tensor] = sort((keys, values), dimension, is_stable)
    return pair


@checked
def top_k(operand: ArrayLike, k: int, *, axis: int = -1) -> tuple[Tensor, Tensor]:
    """Return the k largest elements along an axis, and their positions.

    >>> import py_tensor as pt
    >>> [part.tolist() for part in pt.lax.top_k(pt.asarray([1.0, 9.0, 3.0]), 2)]
    [[9.0, 3.0], [1, 2]]
    """
    return sorting.topk(operand, k, axis=axis)


@checked
def dot(
    lhs: ArrayLike,
    rhs: ArrayLike,
    precision: object = None,
    preferred_element_type: DTypeLike | None = None,
) -> Tensor:
    """Return the product of two matrices or vectors.

    Args:
        lhs: Matrix or vector.
        rhs: Matrix or vector.
        precision: For compatibility; ignored.
        preferred_element_type: Dtype of the result; None (default) for that of the operands.

    >>> import py_tensor as pt
    >>> pt.lax.dot(pt.ones(3), pt.ones((3, 2))).tolist()
    [3.0, 3.0]
    """
    return _typed(matmul(lhs, rhs), preferred_element_type)


def _typed(x: Tensor, dtype: DTypeLike | None) -> Tensor:
    return x if dtype is None else astype(x, as_dtype(dtype), copy=False)


@checked
def batch_matmul(lhs: ArrayLike, rhs: ArrayLike, precision: object = None) -> Tensor:
    """Return the products of matrices in the last two axes; `precision` is ignored.

    >>> import py_tensor as pt
    >>> pt.lax.batch_matmul(pt.ones((5, 2, 3)), pt.ones((5, 3, 4))).shape
    (5, 2, 4)
    """
    return matmul(lhs, rhs)


@checked
def dot_general(
    lhs: ArrayLike,
    rhs: ArrayLike,
    dimension_numbers: tuple[tuple[Axes, Axes], tuple[Axes, Axes]],
    precision: object = None,
    preferred_element_type: DTypeLike | None = None,
) -> Tensor:
    """Return a product of tensors, summed over some axes and batched over others.

    Args:
        lhs: Tensor.
        rhs: Tensor.
        dimension_numbers: ((axes of lhs, axes of rhs) to sum over, (axes of lhs, axes of rhs) that
            are batches).
        precision: For compatibility; ignored.
        preferred_element_type: Dtype of the result; None (default) for that of the operands.

    Returns:
        Tensor with the batches' axes, the other axes of lhs, and those of rhs.

    >>> import py_tensor as pt
    >>> numbers = (((2,), (1,)), ((0,), (0,)))
    >>> pt.lax.dot_general(pt.ones((5, 2, 3)), pt.ones((5, 3, 4)), numbers).shape
    (5, 2, 4)
    """
    a, b = as_tensor("dot_general", lhs), as_tensor("dot_general", rhs)
    summed, other_summed, batch, other_batch = _numbers(a, b, dimension_numbers)
    own, others = _free(a, summed, batch), _free(b, other_summed, other_batch)
    lead = [a.shape[axis] for axis in batch]
    inner = prod(a.shape[axis] for axis in summed)
    rows, columns = [a.shape[axis] for axis in own], [b.shape[axis] for axis in others]
    left = transpose(a, (*batch, *own, *summed))
    right = transpose(b, (*other_batch, *other_summed, *others))
    product = matmul(
        manipulation.reshape(left, (*lead, prod(rows), inner)),
        manipulation.reshape(right, (*lead, inner, prod(columns))),
    )
    return _typed(manipulation.reshape(product, (*lead, *rows, *columns)), preferred_element_type)


def _numbers(a: Tensor, b: Tensor, dimension_numbers: Any) -> list[list[int]]:
    """Return the axes of a and b to sum over, and those that are batches."""
    pairs = [
        items("dot_general", "dimension_numbers", pair)
        for pair in items("dot_general", "dimension_numbers", dimension_numbers)
    ]
    if [len(pair) for pair in pairs] != [2, 2]:
        raise ArgumentError(
            f"dot_general: dimension_numbers must be two pairs; got {described(dimension_numbers)};"
            " use ((axes of lhs, axes of rhs) to sum over, (axes of lhs, axes of rhs) of batches)"
        )
    summed, batch = [[_axes(a, own), _axes(b, others)] for own, others in pairs]
    for own, others in (summed, batch):
        lengths = [a.shape[axis] for axis in own], [b.shape[axis] for axis in others]
        if lengths[0] != lengths[1]:
            raise ShapeError(
                f"dot_general: lengths of axes differ; got {lengths[0]} and {lengths[1]}; give "
                "axes of equal lengths"
            )
    return [*summed, *batch]


def _axes(x: Tensor, axes: Any) -> list[int]:
    found = integers("dot_general", "dimension_numbers", axes)
    return [one_axis("dot_general", axis, x.ndim) for axis in found]


def _free(x: Tensor, *used: Axes) -> list[int]:
    taken = {axis for axes in used for axis in axes}
    return [axis for axis in range(x.ndim) if axis not in taken]
