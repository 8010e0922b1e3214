"""Quantiles, medians, and counts of elements by value or by interval."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..dtypes import wrong_type
from ..errors import ArgumentError, DTypeError, ShapeError
from ..ir.node import node_of
from ..ops.gathers import SCATTER_ADD
from ..runtime.executor import backend
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, Axis
from . import elementwise, statistical
from .arguments import (
    MOST_ELEMENTS,
    choice,
    flag,
    floating,
    integer,
    items,
    number,
    one_axis,
    some_axes,
)
from .creation import arange, full, linspace, ones
from .decorators import named
from .elementwise import astype, isnan, maximum, where
from .indexing import take_along_axis
from .joining import concat, stack
from .manipulation import broadcast_to, expand_dims, flatten, moveaxis, permute_dims, reshape
from .searching import searchsorted
from .sorting import argsort, sort
from .statistical import reduction

_BETWEEN = {
    "linear": (1.0, 1.0),
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (0.375, 0.375),
}
"""Parameters (alpha, beta) of Hyndman and Fan for the methods that interpolate."""
_METHODS = (
    *_BETWEEN,
    *("lower", "higher", "midpoint", "nearest"),
    *("inverted_cdf", "averaged_inverted_cdf", "closest_observation"),
)


@named
@reduction
def quantile(
    x: ArrayLike,
    /,
    q: ArrayLike,
    axis: Axis = None,
    out: Tensor | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Tensor:
    """The q-th quantile along the given axes; NaN if any element is NaN, or there is none.

    Position q * (n - 1) among n sorted elements may be between two of them, a and b. `method`
    chooses the value: "linear" interpolates from a to b, "midpoint" gives (a + b) / 2, "nearest"
    the closer one (halves to even), "lower" gives a, and "higher" gives b. The methods of Hyndman
    and Fan (1996) have NumPy's names: "inverted_cdf", "averaged_inverted_cdf",
    "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased" and
    "normal_unbiased".

    Args:
        x: Tensor or array-like of an integer or floating dtype.
        q: Number from 0 to 1, or several; they are along the first axis of the result.
        overwrite_input: Ignored; False by default.
        method: Name of a method; "linear" by default.
        weights: Weights of the elements, of the shape of x or along its one axis; None (default)
            for equal ones. They need the method "inverted_cdf".

    Returns:
        Tensor of the dtype of x if that is floating, else float32.

    Raises:
        ArgumentError: If q is out of range, the method is unknown, or it takes no weights.
        ShapeError: If an axis does not exist, or the weights do not fit.
        DTypeError: If x is bool or complex.

    >>> import py_tensor as pt
    >>> pt.quantile(pt.asarray([1.0, 2.0, 3.0, 4.0]), [0.25, 1.0]).tolist()
    [1.75, 4.0]
    """
    if weights is not None:
        return _weighted(x, weights, q, axis, method, keepdims)
    return _quantiles("quantile", x, q, axis, method, keepdims, _among_all)


@named
@reduction
def median(
    x: ArrayLike,
    /,
    axis: Axis = None,
    out: Tensor | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Tensor:
    """Median along axes: the middle element, or the mean of the middle two.

    It is NaN if any element is NaN, or there is none.

    Args:
        x: Tensor or array-like of any dtype but bool. Complex numbers are sorted by their real
            parts, then by their imaginary parts.
        overwrite_input: Ignored; False by default.

    Returns:
        Tensor of the dtype of x if that is floating or complex, else float32.

    Raises:
        DTypeError: If x is bool.
        ShapeError: If an axis does not exist.

    >>> import py_tensor as pt
    >>> pt.median(pt.asarray([3.0, 9.0, 4.0, 5.0])).item()
    4.5
    """
    return _quantiles("median", x, 0.5, axis, "midpoint", keepdims, _among_all)


@named
@reduction
def nanquantile(
    x: ArrayLike,
    /,
    q: ArrayLike,
    axis: Axis = None,
    out: Tensor | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Tensor:
    """The q-th quantile along the given axes, ignoring NaN; NaN if all elements are NaN.

    The number of elements may differ between rows. So the positions are computed on the device, in
    float32.

    Args:
        x: Tensor or array-like of an integer or floating dtype.
        q: Number from 0 to 1, or several; they are along the first axis of the result.
        overwrite_input: Ignored; False by default.
        method: "linear" (default) or another one, as in `quantile`.

    Returns:
        Tensor of the dtype of x if that is floating, else float32.

    Raises:
        ArgumentError: If q is out of range or the method is unknown.
        ShapeError: If an axis does not exist.
        DTypeError: If x is bool or complex.

    >>> import py_tensor as pt
    >>> pt.nanquantile(pt.asarray([1.0, pt.nan, 3.0]), [0.0, 0.75]).tolist()
    [1.0, 2.5]
    """
    return _quantiles("nanquantile", x, q, axis, method, keepdims, _among_numbers)


@named
@reduction
def nanmedian(
    x: ArrayLike,
    /,
    axis: Axis = None,
    out: Tensor | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Tensor:
    """Median along axes, ignoring NaN; NaN if all elements are NaN.

    Args:
        x: Tensor or array-like of any dtype but bool. Complex numbers are sorted by their real
            parts, then by their imaginary parts.
        overwrite_input: Ignored; False by default.

    Returns:
        Tensor of the dtype of x if that is floating or complex, else float32.

    Raises:
        DTypeError: If x is bool.
        ShapeError: If an axis does not exist.

    >>> import py_tensor as pt
    >>> pt.nanmedian(pt.asarray([3.0, pt.nan, 9.0, 4.0])).item()
    4.0
    """
    return _quantiles("nanmedian", x, 0.5, axis, "midpoint", keepdims, _among_numbers)


def _quantiles(
    operation: str,
    x: ArrayLike,
    q: ArrayLike,
    axis: Axis,
    method: str,
    keepdims: bool,
    rule: Callable[[Tensor, float, str], Tensor],
) -> Tensor:
    """Apply `rule` to the sorted elements for each share q."""
    x = as_tensor(operation, x)
    choice(operation, "method", method, _METHODS)
    if x.dtype.kind == "c" and not operation.endswith("median"):
        raise DTypeError(
            f"{operation}: dtype {x.dtype} is not real; use pt.real(x), pt.imag(x) or pt.abs(x)"
        )
    if x.dtype.kind == "b":
        raise DTypeError(f'{operation}: dtype {x.dtype} is not numeric; use x.astype("float32")')
    x = x if x.dtype.kind in "fc" else astype(x, "float32")
    axes = some_axes(operation, axis, x.ndim)
    rows = _rows(x, axes)
    if not rows.shape[-1]:  # the result has no elements to sort, and is NaN
        rows = full((*rows.shape[:-1], 1), float("nan"), dtype=rows.dtype)
    ordered = sort(rows)
    kept = flag(operation, "keepdims", keepdims)
    values = [rule(ordered, share, method) for share in _shares(operation, q)]
    values = [expand_dims(value, axis=axes) if kept else value for value in values]
    if isinstance(q, int | float):
        return values[0]
    rest = values[0].shape if values else ()
    return reshape(stack(values), (*as_tensor(operation, q).shape, *rest))


def _rows(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    """Return a tensor whose last axis has the elements along some axes."""
    kept = [a for a in range(x.ndim) if a not in axes]
    length = math.prod(x.shape[a] for a in axes)
    return reshape(permute_dims(x, (*kept, *axes)), (*(x.shape[a] for a in kept), length))


def _shares(operation: str, q: Any) -> list[float]:
    """Return the shares of elements, which Python numbers keep in full precision."""
    if isinstance(q, list | tuple) and all(isinstance(share, int | float) for share in q):
        shares: list[Any] = list(q)
    elif isinstance(q, int | float):
        shares = [q]
    elif hasattr(q, "ravel") and not isinstance(q, Tensor) and q.dtype.kind in "fi":
        shares = q.ravel().tolist()  # an array of NumPy
    else:
        shares = floating(operation, as_tensor(operation, q), "fiu").flatten().tolist()
    for share in shares:
        if not 0.0 <= share <= 1.0:
            raise ArgumentError(
                f"{operation}: probability is out of range; got {share}; use 0 to 1"
            )
    return shares


def _weighted(
    x: ArrayLike, weights: ArrayLike, q: ArrayLike, axis: Axis, method: str, keepdims: bool
) -> Tensor:
    """Return quantiles of weighted elements: the first whose sum of weights reaches the share."""
    if method != "inverted_cdf":
        raise ArgumentError(
            f'quantile: method takes no weights; got {method!r}; use method="inverted_cdf"'
        )
    values, amounts = as_tensor("quantile", x), as_tensor("quantile", weights)
    axes = some_axes("quantile", axis, values.ndim)
    if amounts.shape != values.shape:
        if len(axes) != 1 or amounts.shape != (values.shape[axes[0]],):
            raise ShapeError(
                f"quantile: weights do not fit; got shape {amounts.shape} for {values.shape} along "
                f"axes {axes}; give the shape of x, or a vector along one axis"
            )
        amounts = moveaxis(broadcast_to(amounts, moveaxis(values, axes[0], -1).shape), -1, axes[0])
    rows = _rows(values if values.dtype.kind == "f" else astype(values, "float32"), axes)
    order = argsort(rows)
    ordered = take_along_axis(rows, order, axis=-1)
    sums = statistical.cumulative_sum(
        take_along_axis(_rows(astype(amounts, "float32"), axes), order, axis=-1), axis=-1
    )
    results = []
    for share in _shares("quantile", q):
        before = astype(sums < sums[..., -1:] * share, "int32")
        count = statistical.sum(before, axis=-1, keepdims=True)
        result = take_along_axis(ordered, count, axis=-1)[..., 0]
        results.append(expand_dims(result, axis=axes) if keepdims else result)
    if isinstance(q, int | float):
        return results[0]
    return reshape(stack(results), (*as_tensor("quantile", q).shape, *results[0].shape))


def _among_all(ordered: Tensor, share: float, method: str) -> Tensor:
    """Quantile of sorted rows; NaN if the last position is, since NaN sorts last."""
    count = ordered.shape[-1]
    rounds = (math.floor, math.ceil, round)
    position = min(max(_position(count, share, method, rounds), 0), count - 1)
    low, high, part = _ends(position, method, rounds)
    value = ordered[..., low]
    if low != high:
        value = value + (ordered[..., high] - value) * part
    return where(isnan(ordered[..., -1]), float("nan"), value)


def _among_numbers(ordered: Tensor, share: float, method: str) -> Tensor:
    """Quantile of sorted rows whose NaN, in the last positions, are ignored."""
    numbers = astype(~isnan(ordered), "float32")
    count = statistical.sum(numbers, axis=-1, keepdims=True)
    rounds = (elementwise.floor, elementwise.ceil, elementwise.round)
    position = _position(count, share, method, rounds)
    position = maximum(elementwise.minimum(position, count - 1.0), 0.0)
    low, high, part = _ends(position, method, rounds)
    a, b = (take_along_axis(ordered, astype(at, "int32"), axis=-1) for at in (low, high))
    # An infinity minus itself would be NaN.
    value = where(high > low, a + (b - a) * part, a)
    return astype(value, ordered.dtype, copy=False)[..., 0]


def _position(count: Any, share: float, method: str, rounds: tuple[Callable[..., Any], ...]) -> Any:
    """Return the position of a quantile among `count` sorted elements, from 0 on."""
    floor, ceil, nearest = rounds
    reached = count * share
    if method == "inverted_cdf":
        return ceil(reached) - 1
    if method == "averaged_inverted_cdf":
        return (ceil(reached) - 1 + floor(reached)) / 2
    if method == "closest_observation":
        return nearest(reached) - 1
    alpha, beta = _BETWEEN.get(method, (1.0, 1.0))
    if alpha == beta == 1.0:
        return (count - 1) * share
    return reached + (alpha + share * (1 - alpha - beta) - 1)


def _ends(
    position: Any, method: str, rounds: tuple[Callable[..., Any], ...]
) -> tuple[Any, Any, Any]:
    """Return the positions below and above `position`, and the second one's weight."""
    floor, ceil, nearest = rounds
    if method == "nearest":
        position = nearest(position)
    low, high = floor(position), ceil(position)
    if method == "lower":
        high = low
    elif method == "higher":
        low = high
    return low, high, 0.5 if method == "midpoint" else position - low


def bincount(
    x: ArrayLike,
    /,
    weights: ArrayLike | None = None,
    minlength: int = 0,
    *,
    length: int | None = None,
    axis: int | None = None,
) -> Tensor:
    """Count the occurrences of 0, 1, 2, ... in a vector of integers, or along an axis.

    Args:
        x: Vector of an integer dtype; its elements are not negative.
        weights: Vector of the shape of x whose elements are summed instead of counted; None
            (default) for counts.
        minlength: Minimum length of the result; 0 by default.
        length: Length of the result. Larger numbers are ignored and x is not read back. None
            (default) for the largest number plus 1, which is read back from the device.
        axis: Axis along which elements are counted; x then has any number of axes. None (default)
            for a vector.

    Returns:
        Vector of counts, int32, or of sums in the dtype of `weights` (int32 for bool). With `axis`,
        tensor of the shape of x whose axis has the length of the result.

    Raises:
        DTypeError: If x is not a vector of integers.
        ShapeError: If `weights` has another shape than x.
        ArgumentError: If `length` is None and x has a negative element.

    >>> import py_tensor as pt
    >>> pt.bincount(pt.asarray([1, 3, 1])).tolist()
    [0, 2, 0, 1]
    """
    x = as_tensor("bincount", x)
    if x.dtype.kind not in "iu" or (axis is None and x.ndim != 1):
        raise DTypeError(
            f"bincount: input must be integers along one axis; got {x.dtype}, shape {x.shape}; use "
            'x.flatten().astype("int32")'
        )
    if length is None:
        low = int(statistical.min(x).item()) if x.size else 0
        high = int(statistical.max(x).item()) if x.size else -1
        if low < 0:
            raise ArgumentError(
                f"bincount: numbers must not be negative; got {low}; use numbers of at least 0"
            )
        length = max(high + 1, integer("bincount", "minlength", minlength, 0, MOST_ELEMENTS))
    values = ones(x.shape, dtype="int32") if weights is None else as_tensor("bincount", weights)
    if values.shape != x.shape:
        raise ShapeError(
            f"bincount: shapes must be equal; got {x.shape} and weights of {values.shape}; make "
            "them equal"
        )
    length = integer("bincount", "length", length, 0, MOST_ELEMENTS)
    places = astype(x, "int32", copy=False)
    if axis is None:
        return _added_up(values, places, length)
    axis = one_axis("bincount", axis, x.ndim)
    values, places = moveaxis(values, axis, -1), moveaxis(places, axis, -1)
    rest = places.shape[:-1]
    rows = math.prod(rest)
    first = reshape(arange(rows) * length, (*rest, 1))
    places = where((places >= 0) & (places < length), places + first, -1)
    counts = _added_up(flatten(values), flatten(places), rows * length)
    return moveaxis(reshape(counts, (*rest, length)), -1, axis)


def _added_up(values: Tensor, places: Tensor, length: int) -> Tensor:
    """Sum the elements of a vector by position; bool elements count as 0 and 1."""
    if values.dtype.kind == "b":
        values = astype(values, "int32")
    return Tensor(node_of(SCATTER_ADD, (values._node, places._node), (0, length)))


@named
def histogram(
    x: ArrayLike,
    /,
    bins: ArrayLike = 10,
    range: tuple[float, float] | None = None,
    density: bool = False,
    weights: ArrayLike | None = None,
) -> tuple[Tensor, Tensor]:
    """Count the elements in each of several intervals.

    An interval includes its lower limit; the last one also includes its upper limit.

    Args:
        x: Tensor or array-like of any shape and a real dtype.
        bins: Number of intervals of equal width (default 10), or a sorted vector of limits.
        range: Pair (low, high) that equal intervals cover; None (default) for the smallest and the
            largest element, which are then read back from the device.
        weights: Weights of the elements, which are summed instead of counted; None (default) for
            counts.
        density: Divide by the total and by the widths; False by default.

    Returns:
        Tuple of the counts (int32, the dtype of the weights, or floating with `density`) and the
        limits, a vector one longer.

    Raises:
        ArgumentError: If `bins` is below 1, or `range` ends before it begins.

    >>> import py_tensor as pt
    >>> counts, limits = pt.histogram(pt.asarray([1.0, 2.0, 1.0, 4.0]), 3)
    >>> counts.tolist(), limits.tolist()
    ([2, 1, 1], [1.0, 2.0, 3.0, 4.0])
    """
    values = flatten(as_tensor("histogram", x))
    values = values if values.dtype.kind == "f" else astype(values, "float32")
    if isinstance(bins, int | float) or (
        hasattr(bins, "__index__") and not as_tensor("histogram", bins).ndim
    ):
        limits = _limits(values, integer("histogram", "bins", bins, most=MOST_ELEMENTS - 1), range)
    else:
        limits = astype(as_tensor("histogram", bins), values.dtype, copy=False)
        if limits.ndim != 1 or not limits.size:
            raise ShapeError(
                f"histogram: limits are no vector; got shape {limits.shape}; pass one or more"
            )
    if weights is None and not backend().compiles:
        counts = _counts_in_order(sort(values), limits)
    else:
        counts = _counts_by_search(values, limits, weights)
    if flag("histogram", "density", density):
        shares = astype(counts, values.dtype, copy=False)
        counts = shares / statistical.sum(shares) / (limits[1:] - limits[:-1])
    return counts, limits


def _counts_in_order(ordered: Tensor, limits: Tensor) -> Tensor:
    """Search the limits among sorted elements, which processors do sooner than the opposite."""
    before = searchsorted(ordered, limits[:-1])
    # The last interval includes its upper limit.
    places = concat([before, searchsorted(ordered, limits[-1:], side="right")])
    return places[1:] - places[:-1]


def _counts_by_search(values: Tensor, limits: Tensor, weights: ArrayLike | None) -> Tensor:
    count = limits.shape[0] - 1
    interval = searchsorted(limits, values, side="right") - 1
    # The last interval includes its upper limit.
    interval = interval - astype((interval == count) & (values == limits[-1]), "int32")
    added = ones(values.shape, dtype="int32") if weights is None else weights
    added = flatten(as_tensor("histogram", added))
    if added.shape != interval.shape:
        raise ShapeError(
            f"histogram: weights do not fit; got {added.size} for {interval.size} elements; pass "
            "one for each"
        )
    return _added_up(added, interval, count)


def _limits(values: Tensor, bins: int, range: tuple[float, float] | None) -> Tensor:
    if bins < 1:
        raise ArgumentError(f"histogram: number of bins is invalid; got {bins}; use 1 or more")
    if range is None:
        low, high = (0.0, 1.0)
        if values.size:
            low, high = statistical.min(values).item(), statistical.max(values).item()
    else:
        ends = items("histogram", "range", range)
        if len(ends) != 2:
            raise wrong_type("histogram", "range", "a pair of numbers", range)
        low, high = (number("histogram", "end of range", end, finite=True) for end in ends)
    if not low <= high:
        raise ArgumentError(
            f"histogram: range is invalid; got from {low} to {high}; pass two increasing numbers"
        )
    if low == high:
        low, high = low - 0.5, high + 0.5
    return linspace(low, high, bins + 1, dtype=values.dtype)
