"""Averages, percentiles, correlations, running totals and histograms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence, Sized
from typing import Any

from .. import functions as F, linalg
from ..errors import ArgumentError, ShapeError
from ..functions.arguments import flag, items, number, some_axes
from ..functions.decorators import named
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, Axis, DTypeLike
from .arithmetic import as_floating, flat_or_along


def _shares(q: Any) -> Any:
    """Return percentages as shares, numbers or nested lists of them."""
    shares = q.tolist() if hasattr(q, "tolist") else q
    if isinstance(shares, list | tuple):
        return [_shares(share) for share in shares]
    return number("percentile", "q", shares) / 100


@named
def percentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: Tensor | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Tensor:
    """Return the q-th percentile along axes; NaN if any element is NaN.

    Args:
        a: Tensor or array-like of an integer or floating dtype.
        q: Percentage from 0 to 100, or several; they are along the first axis of the result.
        axis: Axis or tuple of axes to reduce; None (default) for all.
        out: Tensor to write the result to; None (default) for a new one.
        overwrite_input: Ignored.
        method: "linear" (default) or another one, as in `quantile`.
        keepdims: Keep reduced axes with length 1; False by default.
        weights: Weights of the elements, as in `quantile`; None by default.

    Returns:
        Tensor of the dtype of a if that is floating, else float32.

    Raises:
        ArgumentError: If q is out of range or the method is unknown.

    >>> import py_tensor as pt
    >>> pt.percentile([1.0, 2.0, 3.0, 4.0], 50).item()
    2.5
    """
    return F.quantile(a, _shares(q), axis, None, False, method, keepdims, weights=weights)


@named
def nanpercentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: Tensor | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Tensor:
    """Return the q-th percentile along axes, ignoring NaN; NaN if all elements are NaN.

    Args:
        a: Tensor or array-like of an integer or floating dtype.
        q: Percentage from 0 to 100, or several; they are along the first axis of the result.
        axis: Axis or tuple of axes to reduce; None (default) for all.
        out: Tensor to write the result to; None (default) for a new one.
        overwrite_input: Ignored.
        method: "linear" (default) or another one, as in `quantile`.
        keepdims: Keep reduced axes with length 1; False by default.

    Returns:
        Tensor of the dtype of a if that is floating, else float32.

    Raises:
        ArgumentError: If q is out of range or the method is unknown.

    >>> import py_tensor as pt
    >>> pt.nanpercentile([1.0, pt.nan, 3.0], 50).item()
    2.0
    """
    return F.nanquantile(a, _shares(q), axis=axis, method=method, keepdims=keepdims)


@named
def average(
    a: ArrayLike,
    axis: Axis = None,
    weights: ArrayLike | None = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Any:
    """Return the weighted mean along axes.

    Args:
        a: Tensor or array-like.
        axis: Axis or tuple of axes to reduce; None (default) for all.
        weights: Weights in the shape of a or of the axis; None (default) for the mean.
        returned: Also return the sums of the weights; False by default.
        keepdims: Keep reduced axes with length 1; False by default.

    Returns:
        Tensor, float32 for integers; with `returned`, a tuple of it and the sums of the weights.

    Raises:
        ShapeError: If the weights do not fit.

    >>> import py_tensor as pt
    >>> pt.average([1.0, 3.0], weights=[3, 1]).item()
    1.5
    """
    x = as_floating("average", a)
    axes = some_axes("average", axis, x.ndim)
    if weights is None:
        mean = F.mean(x, axis=axes, keepdims=keepdims)
        count = math.prod(x.shape[at] for at in axes)
        total = F.full(mean.shape, float(count))
    else:
        share = as_floating("average", weights)
        if share.shape != x.shape:
            if axis is None or share.shape != tuple(x.shape[at] for at in axes):
                raise ShapeError(
                    f"average: weights do not fit; got {share.shape} for shape {x.shape} and "
                    f"axis {axis}; give the shape of a or of the axes"
                )
            share = F.reshape(share, tuple(n if at in axes else 1 for at, n in enumerate(x.shape)))
            share = F.broadcast_to(share, x.shape)
        total = F.sum(share, axis=axes, keepdims=keepdims)
        mean = F.sum(x * share, axis=axes, keepdims=keepdims) / total
    return (mean, total) if flag("average", "returned", returned) else mean


@named
def corrcoef(x: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True) -> Tensor:
    """Return the matrix of correlation coefficients of variables.

    Args:
        x: Variables as rows, or a single variable.
        y: Further variables; None (default) for none.
        rowvar: False if the variables are columns; True by default.

    Returns:
        Tensor of shape (variables, variables), or () for a single variable; floating.

    Raises:
        ShapeError: If there are more than two axes.

    >>> import py_tensor as pt
    >>> pt.corrcoef([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    rows = _variables("corrcoef", x, rowvar)
    if y is not None:
        rows = F.concat([_matrix(rows), _matrix(_variables("corrcoef", y, rowvar))], axis=0)
    matrix = F.cov(rows)
    if not matrix.ndim:
        return matrix / matrix
    deviation = F.sqrt(linalg.diagonal(matrix))
    return F.clip(matrix / deviation / F.expand_dims(deviation, axis=1), -1.0, 1.0)


def _matrix(x: Tensor) -> Tensor:
    return F.reshape(x, (1, -1)) if x.ndim < 2 else x


def _variables(operation: str, x: ArrayLike, rowvar: bool) -> Tensor:
    tensor = as_floating(operation, x)
    return (
        tensor.T
        if not flag(operation, "rowvar", rowvar) and tensor.ndim == 2 and tensor.shape[0] != 1
        else tensor
    )


@named
def ptp(
    a: ArrayLike, axis: Axis = None, out: Tensor | None = None, keepdims: bool = False
) -> Tensor:
    """Return the largest element minus the smallest one along axes.

    Args:
        a: Tensor or array-like of an integer or floating dtype.
        axis: Axis or tuple of axes to reduce; None (default) for all.
        out: Tensor to write the result to; None (default) for a new one.
        keepdims: Keep reduced axes with length 1; False by default.

    Returns:
        Tensor of the dtype of a.

    Raises:
        ShapeError: If there are no elements.

    >>> import py_tensor as pt
    >>> pt.ptp([3, 9, 4]).item()
    6
    """
    x = as_tensor("ptp", a)
    return F.max(x, axis=axis, keepdims=keepdims) - F.min(x, axis=axis, keepdims=keepdims)


@named
def cumsum(
    a: ArrayLike, axis: int | None = None, dtype: DTypeLike | None = None, out: Tensor | None = None
) -> Tensor:
    """Return the sums of the elements so far.

    Args:
        a: Tensor or array-like.
        axis: Axis; None (default) for the flattened array.
        dtype: Dtype to sum in; None (default) for that of a, or 32 bits for small integers.
        out: Tensor to write the result to; None (default) for a new one.

    Returns:
        Tensor of the shape of a, or a vector if `axis` is None.

    Raises:
        ShapeError: If the axis does not exist.

    >>> import py_tensor as pt
    >>> pt.cumsum([[1, 2], [3, 4]]).tolist()
    [1, 3, 6, 10]
    """
    x, along = flat_or_along("cumsum", a, axis)
    return F.cumulative_sum(x, axis=along, dtype=dtype)


@named
def cumprod(
    a: ArrayLike, axis: int | None = None, dtype: DTypeLike | None = None, out: Tensor | None = None
) -> Tensor:
    """Return the products of the elements so far.

    Args:
        a: Tensor or array-like.
        axis: Axis; None (default) for the flattened array.
        dtype: Dtype to multiply in; None (default) for that of a, or 32 bits for small integers.
        out: Tensor to write the result to; None (default) for a new one.

    Returns:
        Tensor of the shape of a, or a vector if `axis` is None.

    Raises:
        ShapeError: If the axis does not exist.

    >>> import py_tensor as pt
    >>> pt.cumprod([[1, 2], [3, 4]]).tolist()
    [1, 2, 6, 24]
    """
    x, along = flat_or_along("cumprod", a, axis)
    return F.cumulative_prod(x, axis=along, dtype=dtype)


def _without_nan(operation: str, a: ArrayLike, value: float) -> Tensor:
    x = as_tensor(operation, a)
    return F.where(F.isnan(x), value, x) if x.dtype.kind in "fc" else x


@named
def nancumsum(
    a: ArrayLike, axis: int | None = None, dtype: DTypeLike | None = None, out: Tensor | None = None
) -> Tensor:
    """Return the sums of the elements so far, with NaN as 0.

    Args:
        a: Tensor or array-like.
        axis: Axis; None (default) for the flattened array.
        dtype: Dtype to sum in; None (default) as in `cumsum`.
        out: Tensor to write the result to; None (default) for a new one.

    Returns:
        Tensor of the shape of a, or a vector if `axis` is None.

    >>> import py_tensor as pt
    >>> pt.nancumsum([1.0, pt.nan, 2.0]).tolist()
    [1.0, 1.0, 3.0]
    """
    return cumsum(_without_nan("nancumsum", a, 0.0), axis, dtype)


@named
def nancumprod(
    a: ArrayLike, axis: int | None = None, dtype: DTypeLike | None = None, out: Tensor | None = None
) -> Tensor:
    """Return the products of the elements so far, with NaN as 1.

    Args:
        a: Tensor or array-like.
        axis: Axis; None (default) for the flattened array.
        dtype: Dtype to multiply in; None (default) as in `cumprod`.
        out: Tensor to write the result to; None (default) for a new one.

    Returns:
        Tensor of the shape of a, or a vector if `axis` is None.

    >>> import py_tensor as pt
    >>> pt.nancumprod([2.0, pt.nan, 3.0]).tolist()
    [2.0, 2.0, 6.0]
    """
    return cumprod(_without_nan("nancumprod", a, 1.0), axis, dtype)


@named
def histogram_bin_edges(
    a: ArrayLike,
    bins: int | str | ArrayLike = 10,
    range: tuple[float, float] | None = None,
    weights: ArrayLike | None = None,
) -> Tensor:
    """Return the limits of the intervals that `histogram` uses.

    Args:
        a: Tensor or array-like of a real dtype.
        bins: Number of intervals of equal width (default 10), or a sorted vector of limits.
        range: Pair (low, high); None (default) for the smallest and the largest element, which are
            then read back.
        weights: Ignored.

    Returns:
        Vector of limits; floating, or `bins` itself if that is a vector.

    >>> import py_tensor as pt
    >>> pt.histogram_bin_edges([0.0, 4.0], 2).tolist()
    [0.0, 2.0, 4.0]
    """
    if not isinstance(bins, int):
        return as_tensor("histogram_bin_edges", bins)
    return F.histogram(a, bins, range=range)[1]


@named
def histogramdd(
    sample: ArrayLike,
    bins: int | Sequence[int] | Sequence[ArrayLike] = 10,
    range: Sequence[tuple[float, float] | None] | None = None,
    density: bool = False,
    weights: ArrayLike | None = None,
) -> tuple[Tensor, list[Tensor]]:
    """Count points in the cells of a grid.

    Args:
        sample: Points as rows, or a sequence of a vector of coordinates for each axis.
        bins: Number of intervals, or a sequence of a number or sorted limits for each axis.
        range: Sequence of a pair (low, high) or None for each axis; None (default) for the ends of
            the coordinates, which are then read back.
        density: Divide by the total and by the sizes of cells; False by default.
        weights: Weights of the points; None (default) for ones.

    Returns:
        Tuple of the counts, float32, and a list of the limits along each axis.

    Raises:
        ArgumentError: If the numbers of axes differ.

    >>> import py_tensor as pt
    >>> counts, limits = pt.histogramdd([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0]], 2)
    >>> counts.tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    if (
        isinstance(sample, list | tuple)
        and sample
        and not isinstance(sample[0], list | tuple | float | int)
    ):
        columns = [as_floating("histogramdd", column) for column in sample]
    else:
        points = as_floating("histogramdd", sample)
        points = F.expand_dims(points, axis=1) if points.ndim == 1 else points
        columns = list(F.unstack(points, axis=1))
    bins_of_axes = (
        bins if isinstance(bins, Sequence) and not isinstance(bins, str) else [bins] * len(columns)
    )
    ranges = (None,) * len(columns) if range is None else items("histogramdd", "range", range)
    if len(bins_of_axes) != len(columns) or len(ranges) != len(columns):
        raise ArgumentError(
            f"histogramdd: numbers of axes differ; got {len(columns)} coordinates, "
            f"{len(bins_of_axes)} bins and {len(ranges)} ranges"
        )
    edges = [
        as_floating("histogramdd", histogram_bin_edges(x, number, ends))
        for x, number, ends in zip(columns, bins_of_axes, ranges, strict=True)
    ]
    cell: Any = 0
    inside: Any = True
    for x, limits in zip(columns, edges, strict=True):
        if limits.ndim != 1 or limits.shape[0] < 2:
            raise ShapeError(
                f"histogramdd: limits are no vector; got shape {limits.shape}; pass two or more"
            )
        count = limits.shape[0] - 1
        at = F.searchsorted(limits, x, side="right") - 1
        at = at - F.astype((at == count) & (x == limits[-1]), "int32")
        inside = ((at >= 0) & (at < count)) & inside
        cell = cell * count + at
    shape = tuple(limits.shape[0] - 1 for limits in edges)
    size = math.prod(shape)
    share = F.ones(columns[0].shape) if weights is None else as_floating("histogramdd", weights)
    counts = F.bincount(F.where(inside, cell, size), share, length=size)
    counts = F.reshape(F.astype(counts, "float32", copy=False), shape)
    if flag("histogramdd", "density", density):
        counts = counts / F.sum(counts)
        for axis, limits in enumerate(edges):
            widths = F.diff(limits)
            counts = counts / F.reshape(
                widths, tuple(n if axis == own else 1 for own, n in enumerate(shape))
            )
    return counts, edges


@named
def histogram2d(
    x: ArrayLike,
    y: ArrayLike,
    bins: int | Sequence[int] | Sequence[ArrayLike] = 10,
    range: Sequence[tuple[float, float] | None] | None = None,
    density: bool = False,
    weights: ArrayLike | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Count points in the cells of a grid in the plane.

    Args:
        x: Vector of first coordinates.
        y: Vector of second coordinates.
        bins: Number of intervals or limits along both axes, or a sequence of two of them.
        range: Pair of pairs (low, high); None (default) for the ends of the coordinates, which are
            then read back.
        density: Divide by the total and by the areas of cells; False by default.
        weights: Weights of the points; None (default) for ones.

    Returns:
        Tuple of the counts, float32, and the limits along each axis.

    >>> import py_tensor as pt
    >>> pt.histogram2d([0.0, 1.0, 1.0], [0.0, 1.0, 0.0], 2)[0].tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    counts = isinstance(bins, int) or not isinstance(bins, Sized | Iterable)
    bins_of_axes = [bins, bins] if counts else list(items("histogram2d", "bins", bins))
    bins_of_axes = bins_of_axes if len(bins_of_axes) == 2 else [bins, bins]
    columns = (as_floating("histogram2d", x), as_floating("histogram2d", y))
    counts_of_cells, (first, second) = histogramdd(columns, bins_of_axes, range, density, weights)
    return counts_of_cells, first, second
