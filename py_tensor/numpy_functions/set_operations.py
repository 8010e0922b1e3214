"""Distinct elements, and operations on sets given as arrays.

The number of distinct elements is read back, since it determines the shape of results.
"""

from __future__ import annotations

from typing import Any

from .. import functions as F
from ..errors import ArgumentError
from ..functions.arguments import flag, one_axis
from ..functions.decorators import named
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike
from .selection import lexsort


@named
def unique(
    ar: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
) -> Any:
    """Return the distinct elements, or distinct slices along an axis, in ascending order.

    Args:
        ar: Tensor or array-like.
        return_index: Also return the positions of first occurrences; False by default.
        return_inverse: Also return the position of each element in the result; False by default.
        return_counts: Also return the counts; False by default.
        axis: Axis of the slices; None (default) for the elements of the flattened array.
        equal_nan: Count all NaN as one element; True by default. False is not supported with an
            axis.

    Returns:
        Tensor, or a tuple of it and the further results in this order.

    Raises:
        ShapeError: If the axis does not exist.

    >>> import py_tensor as pt
    >>> [part.tolist() for part in pt.unique([3, 1, 3], return_counts=True)]
    [[1, 3], [1, 2]]
    """
    x = as_tensor("unique", ar)
    options = {
        "return_index": return_index,
        "return_inverse": return_inverse,
        "return_counts": return_counts,
    }
    chosen = [True, *(flag("unique", name, value) for name, value in options.items())]
    if axis is None:
        if any(chosen[1:3]):
            values, first, inverse, counts = F.unique_all(x)
        elif chosen[3]:
            values, counts = F.unique_counts(x)
            first = inverse = counts
        else:
            values = first = inverse = counts = F.unique_values(x)
        if flag("unique", "equal_nan", equal_nan) and x.dtype.kind in "fc":
            nans = int(F.count_nonzero(F.isnan(values)).item())
            if nans > 1:
                kept = values.size - nans + 1
                values, first = values[:kept], first[:kept]
                inverse = F.minimum(inverse, kept - 1)
                last = F.sum(counts[kept - 1 :], keepdims=True)
                counts = F.concat([counts[: kept - 1], last])
        results = [values, first, inverse, counts]
    else:
        results = _unique_slices(x, one_axis("unique", axis, x.ndim))
    wanted = [part for part, is_wanted in zip(results, chosen, strict=True) if is_wanted]
    return wanted[0] if len(wanted) == 1 else tuple(wanted)


def _unique_slices(x: Tensor, axis: int) -> list[Tensor]:
    length = x.shape[axis]
    rows = F.reshape(F.moveaxis(x, axis, 0), (length, -1 if x.size else 0))
    if not rows.size:
        raise ArgumentError(f"unique: slices are empty; got shape {x.shape}; leave axis out")
    order = lexsort(F.flip(rows, axis=1).T)
    ordered = F.take(rows, order, axis=0)
    differ = F.any(ordered[1:] != ordered[:-1], axis=1)
    begins = F.concat([F.ones((1,), dtype="bool"), differ])
    (starts,) = F.nonzero(begins)
    first = F.take(order, starts)
    number = F.cumulative_sum(F.astype(begins, "int32")) - 1
    inverse = F.take(number, F.argsort(order))
    counts = F.diff(starts, append=F.asarray([length]))
    return [F.take(x, first, axis=axis), first, inverse, counts]


def _distinct(operation: str, *arrays: Any, assume_unique: bool) -> list[Tensor]:
    tensors = [F.flatten(as_tensor(operation, x)) for x in arrays]
    dtype = F.result_type(*tensors)
    tensors = [F.astype(x, dtype, copy=False) for x in tensors]
    return (
        tensors if flag(operation, "assume_unique", assume_unique) else [unique(x) for x in tensors]
    )


@named
def union1d(ar1: ArrayLike, ar2: ArrayLike) -> Tensor:
    """Return the distinct elements of two arrays in ascending order.

    Args:
        ar1: Tensor or array-like.
        ar2: Tensor or array-like.

    Returns:
        Vector in the promoted dtype.

    >>> import py_tensor as pt
    >>> pt.union1d([3, 1], [2, 3]).tolist()
    [1, 2, 3]
    """
    union: Tensor = unique(F.concat(_distinct("union1d", ar1, ar2, assume_unique=True)))
    return union


@named
def intersect1d(
    ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, return_indices: bool = False
) -> Any:
    """Return the distinct elements that two arrays share, in ascending order.

    Args:
        ar1: Tensor or array-like.
        ar2: Tensor or array-like.
        assume_unique: True if the elements of each array are distinct; False by default.
        return_indices: Also return the positions of first occurrences in both; False by default.

    Returns:
        Vector, or a tuple of it and two vectors of positions.

    >>> import py_tensor as pt
    >>> pt.intersect1d([3, 1, 2], [2, 3, 5]).tolist()
    [2, 3]
    """
    a, b = _distinct("intersect1d", ar1, ar2, assume_unique=True)
    if not flag("intersect1d", "return_indices", return_indices):
        common = unique(a)
        return common[F.isin(common, b)]
    values, first, _, _ = F.unique_all(a)
    distinct, second, _, _ = F.unique_all(b)
    in_first, in_second = F.isin(values, distinct), F.isin(distinct, values)
    return values[in_first], first[in_first], second[in_second]


@named
def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> Tensor:
    """Return the distinct elements of an array that another one lacks.

    Args:
        ar1: Tensor or array-like.
        ar2: Tensor or array-like.
        assume_unique: Keep order and repetitions of `ar1`; False by default.

    Returns:
        Vector; ascending unless `assume_unique`.

    >>> import py_tensor as pt
    >>> pt.setdiff1d([3, 1, 2], [2, 5]).tolist()
    [1, 3]
    """
    a = _distinct("setdiff1d", ar1, assume_unique=assume_unique)[0]
    return a[~F.isin(a, ar2)]


@named
def setxor1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> Tensor:
    """Return the elements that exactly one of two arrays has, in ascending order.

    Args:
        ar1: Tensor or array-like.
        ar2: Tensor or array-like.
        assume_unique: True if the elements of each array are distinct; False by default.

    Returns:
        Vector in the promoted dtype.

    >>> import py_tensor as pt
    >>> pt.setxor1d([3, 1, 2], [2, 5]).tolist()
    [1, 3, 5]
    """
    a, b = _distinct("setxor1d", ar1, ar2, assume_unique=assume_unique)
    return F.sort(F.concat([a[~F.isin(a, b)], b[~F.isin(b, a)]]))
