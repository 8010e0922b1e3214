"""Reductions that ignore NaN."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import ArgumentError
from ..ir.tracer import is_traced
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, Axis, DTypeLike
from . import statistical
from .arguments import ddof_or, wide
from .decorators import named
from .elementwise import astype, equal, isnan, sqrt, where
from .statistical import argmax, reduction

_INFINITY = float("inf")


def _filled(x: Tensor, value: float) -> Tensor:
    return x if x.dtype.kind not in "cf" else where(isnan(x), value, x)


def _simple(
    name: str,
    reduce: Callable[..., Tensor],
    neutral: float,
    x: ArrayLike,
    axis: Axis,
    keepdims: bool,
) -> Tensor:
    tensor = as_tensor(name, x)
    result = reduce(_filled(tensor, neutral), axis=axis, keepdims=keepdims)
    if reduce in (statistical.sum, statistical.prod) or tensor.dtype.kind != "f":
        return result
    # If all elements are NaN, the result must not be the neutral element.
    empty = statistical.all(isnan(tensor), axis=axis, keepdims=keepdims)
    return where(empty, float("nan"), result)


def _place(
    name: str,
    find: Callable[..., Tensor],
    extreme: Callable[..., Tensor],
    x: ArrayLike,
    axis: int | None,
    keepdims: bool,
) -> Tensor:
    tensor = as_tensor(name, x)
    if tensor.dtype.kind != "f":
        return find(tensor, axis=axis, keepdims=keepdims)
    missing = isnan(tensor)
    if not is_traced(tensor._node) and bool(statistical.any(statistical.all(missing, axis=axis))):
        raise ArgumentError(
            f"{name}: all elements along an axis are NaN; got shape {tensor.shape}, axis {axis}; "
            "leave such rows out"
        )
    best = extreme(tensor, axis=axis, keepdims=True)
    # If all numbers are infinite, the fill value of NaN would equal them: compare instead.
    return argmax(astype(equal(tensor, best), "uint8"), axis=axis, keepdims=keepdims)


@named
@reduction
def nansum(
    x: ArrayLike,
    /,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
    keepdims: bool = False,
) -> Tensor:
    """Sum of the elements along axes, ignoring NaN; 0 if there are none.

    Args:
        x: Tensor or array-like of any shape and a dtype that `sum` takes.

    Returns:
        Tensor of the shape and dtype that `sum` returns.

    >>> import py_tensor as pt
    >>> pt.nansum(pt.asarray([2.0, pt.nan, 3.0])).item()
    5.0
    """
    x = x if dtype is None else astype(x, dtype)
    return _simple("nansum", statistical.sum, 0.0, x, axis, keepdims)


@named
@reduction
def nanprod(
    x: ArrayLike,
    /,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
    keepdims: bool = False,
) -> Tensor:
    """Product of the elements along axes, ignoring NaN; 1 if there are none.

    Args:
        x: Tensor or array-like of any shape and a dtype that `prod` takes.

    Returns:
        Tensor of the shape and dtype that `prod` returns.

    >>> import py_tensor as pt
    >>> pt.nanprod(pt.asarray([2.0, pt.nan, 3.0])).item()
    6.0
    """
    x = x if dtype is None else astype(x, dtype)
    return _simple("nanprod", statistical.prod, 1.0, x, axis, keepdims)


@named
@reduction
def nanmax(
    x: ArrayLike, /, axis: Axis = None, out: Tensor | None = None, keepdims: bool = False
) -> Tensor:
    """Largest element along axes, ignoring NaN; NaN if there are none.

    Args:
        x: Tensor or array-like of any shape and a dtype that `max` takes.

    Returns:
        Tensor of the shape and dtype that `max` returns.

    >>> import py_tensor as pt
    >>> pt.nanmax(pt.asarray([2.0, pt.nan, 3.0])).item()
    3.0
    """
    return _simple("nanmax", statistical.max, -_INFINITY, x, axis, keepdims)


@named
@reduction
def nanmin(
    x: ArrayLike, /, axis: Axis = None, out: Tensor | None = None, keepdims: bool = False
) -> Tensor:
    """Smallest element along axes, ignoring NaN; NaN if there are none.

    Args:
        x: Tensor or array-like of any shape and a dtype that `min` takes.

    Returns:
        Tensor of the shape and dtype that `min` returns.

    >>> import py_tensor as pt
    >>> pt.nanmin(pt.asarray([2.0, pt.nan, 3.0])).item()
    2.0
    """
    return _simple("nanmin", statistical.min, _INFINITY, x, axis, keepdims)


@named
def nanargmax(
    x: ArrayLike, /, axis: int | None = None, out: Tensor | None = None, *, keepdims: bool = False
) -> Tensor:
    """Position of the first largest element along an axis, ignoring NaN.

    Args:
        x: Tensor or array-like of any shape and a dtype that `argmax` takes.
        axis: Axis to search; None (default) for the position in the flattened tensor.
        out: Tensor to write the result to; None (default) for a new one.
        keepdims: Keep the axis with length 1; False by default.

    Returns:
        Tensor of positions, int32, of the shape of x without the axis.

    Raises:
        ShapeError: If the axis does not exist or has no elements.
        ArgumentError: If all elements along the axis are NaN, which is read back; 0 is returned
            instead inside traced functions.

    >>> import py_tensor as pt
    >>> pt.nanargmax(pt.asarray([2.0, pt.nan, 3.0])).item()
    2
    """
    return _place("nanargmax", statistical.argmax, nanmax, x, axis, keepdims)


@named
def nanargmin(
    x: ArrayLike, /, axis: int | None = None, out: Tensor | None = None, *, keepdims: bool = False
) -> Tensor:
    """Position of the first smallest element along an axis, ignoring NaN.

    Args:
        x: Tensor or array-like of any shape and a dtype that `argmin` takes.
        axis: Axis to search; None (default) for the position in the flattened tensor.
        out: Tensor to write the result to; None (default) for a new one.
        keepdims: Keep the axis with length 1; False by default.

    Returns:
        Tensor of positions, int32, of the shape of x without the axis.

    Raises:
        ShapeError: If the axis does not exist or has no elements.
        ArgumentError: If all elements along the axis are NaN, which is read back; 0 is returned
            instead inside traced functions.

    >>> import py_tensor as pt
    >>> pt.nanargmin(pt.asarray([2.0, pt.nan, 3.0])).item()
    0
    """
    return _place("nanargmin", statistical.argmin, nanmin, x, axis, keepdims)


@named
@reduction
def nanmean(
    x: ArrayLike,
    /,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
    keepdims: bool = False,
) -> Tensor:
    """Mean of the elements along axes, ignoring NaN.

    Args:
        x: Tensor or array-like of any dtype.

    Returns:
        Tensor of the dtype of x if that is floating or complex, else float32; NaN if all are NaN.

    >>> import py_tensor as pt
    >>> pt.nanmean(pt.asarray([2.0, pt.nan, 4.0])).item()
    3.0
    """
    x = as_tensor("nanmean", x if dtype is None else astype(x, dtype))
    total = statistical.sum(wide(_filled(x, 0.0)), axis=axis, keepdims=keepdims)
    result = total / _count(x, axis, keepdims)
    return astype(result, x.dtype, copy=False) if x.dtype.kind in "cf" else result


def _count(x: Tensor, axis: Axis, keepdims: bool) -> Tensor:
    there = ~isnan(x) if x.dtype.kind in "cf" else equal(x, x)
    return astype(statistical.sum(there, axis=axis, keepdims=keepdims), "float32")


@named
@reduction
def nanvar(
    x: ArrayLike,
    /,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
    ddof: float | None = None,
    keepdims: bool = False,
    *,
    correction: float = 0.0,
) -> Tensor:
    """Variance of the elements along axes, ignoring NaN.

    The sum of squared distances from the mean over (count - correction).

    Args:
        x: Tensor or array-like of any dtype.

    Returns:
        Tensor of the dtype of x if that is floating, else float32; NaN unless the count is larger
        than `correction`.

    >>> import py_tensor as pt
    >>> pt.nanvar(pt.asarray([2.0, pt.nan, 4.0])).item()
    1.0
    """
    x = as_tensor("nanvar", x if dtype is None else astype(x, dtype))
    values = x if x.dtype.kind == "c" else astype(x, "float32", copy=False)
    distance = _filled(values - nanmean(values, axis=axis, keepdims=True), 0.0)
    total = statistical.sum(statistical.squared_size(distance), axis=axis, keepdims=keepdims)
    count = _count(x, axis, keepdims) - ddof_or("nanvar", correction, ddof)
    result = where(count > 0.0, total / count, float("nan"))
    return astype(result, x.dtype, copy=False) if x.dtype.kind == "f" else result


@named
@reduction
def nanstd(
    x: ArrayLike,
    /,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
    ddof: float | None = None,
    keepdims: bool = False,
    *,
    correction: float = 0.0,
) -> Tensor:
    """Standard deviation of the elements along axes, ignoring NaN: the square root of `nanvar`.

    Args:
        x: Tensor or array-like of any dtype.

    Returns:
        Tensor of the dtype of x if that is floating, else float32; NaN unless the count is larger
        than `correction`.

    >>> import py_tensor as pt
    >>> pt.nanstd(pt.asarray([2.0, pt.nan, 4.0])).item()
    1.0
    """
    less = ddof_or("nanstd", correction, ddof)
    return sqrt(nanvar(x, axis, dtype, correction=less, keepdims=keepdims))
