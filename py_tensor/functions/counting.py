"""How many elements have a value or lie between limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import ArgumentError, DTypeError, ShapeError
from ..nodes import node_of
from ..ops.gathers import SCATTER_ADD
from ..tensor import Tensor, as_tensor
from .creation import linspace, ones
from .elementwise import astype
from .manipulation import flatten
from .naming import named
from .sorting import searchsorted
from .statistical import PUBLIC as STATISTICAL


def bincount(
    x: Any, /, weights: Any = None, *, minlength: int = 0, length: int | None = None
) -> Tensor:
    """How often each number 0, 1, 2, ... occurs in a vector of integers; int32.

    With `weights`, the sums of the weights at those places, in their dtype, int32 for bool. The
    result ends at the largest number, which is read, or has at least `minlength` places; `length`
    says how many and spares the reading, and larger numbers are not counted. Raises ArgumentError
    for negative numbers where they are read.

    >>> import py_tensor as pt
    >>> pt.bincount(pt.asarray([1, 3, 1])).tolist()
    [0, 2, 0, 1]
    """
    x = as_tensor("bincount", x)
    if x.dtype.kind not in "iu" or x.ndim != 1:
        raise DTypeError(
            f"bincount: needs integers along one axis; got {x.dtype}, shape {x.shape}; "
            'use x.flatten().astype("int32")'
        )
    if length is None:
        low = int(STATISTICAL["min"](x).item()) if x.size else 0
        high = int(STATISTICAL["max"](x).item()) if x.size else -1
        if low < 0:
            raise ArgumentError(f"bincount: number is negative; got {low}; use numbers from 0 on")
        length = max(high + 1, minlength)
    values = ones(x.shape, dtype="int32") if weights is None else as_tensor("bincount", weights)
    if values.shape != x.shape:
        raise ShapeError(
            f"bincount: shapes differ; got {x.shape} and weights of {values.shape}; make them equal"
        )
    return _added_up(values, astype(x, "int32", copy=False), length)


def _added_up(values: Tensor, places: Tensor, length: int) -> Tensor:
    """The sums of a vector's elements by the place that each is given; bool counts."""
    if values.dtype.kind == "b":
        values = astype(values, "int32")
    return Tensor(node_of(SCATTER_ADD, (values._node, places._node), (0, length)))


@named
def histogram(
    x: Any,
    /,
    bins: Any = 10,
    *,
    range: tuple[float, float] | None = None,
    weights: Any = None,
    density: bool = False,
) -> tuple[Tensor, Tensor]:
    """How many elements lie in each of several intervals, and the limits of these.

    `bins` are the limits, in order, or a number of intervals of one width in `range`, which is from
    the smallest to the largest element where it is not given, and these are then read. Intervals
    hold their lower limit, the last one both. With `weights`, the sums of the elements' weights;
    with `density`, divided by the total and by the widths. Raises ArgumentError for a range that
    ends before it begins.

    >>> import py_tensor as pt
    >>> counts, limits = pt.histogram(pt.asarray([1.0, 2.0, 1.0, 4.0]), 3)
    >>> counts.tolist(), limits.tolist()
    ([2, 1, 1], [1.0, 2.0, 3.0, 4.0])
    """
    values = flatten(as_tensor("histogram", x))
    values = values if values.dtype.kind == "f" else astype(values, "float32")
    if isinstance(bins, int):
        limits = _limits(values, bins, range)
    else:
        limits = astype(as_tensor("histogram", bins), values.dtype, copy=False)
    count = limits.shape[0] - 1
    place = searchsorted(limits, values, side="right") - 1
    # The last interval holds its upper limit.
    place = place - astype((place == count) & (values == limits[-1]), "int32")
    given = ones(values.shape, dtype="int32") if weights is None else weights
    given = flatten(as_tensor("histogram", given))
    found = _added_up(given, place, count)
    if density:
        shares = astype(found, values.dtype, copy=False)
        found = shares / STATISTICAL["sum"](shares) / (limits[1:] - limits[:-1])
    return found, limits


def _limits(values: Tensor, bins: int, range: tuple[float, float] | None) -> Tensor:
    if bins < 1:
        raise ArgumentError(f"histogram: number of bins does not fit; got {bins}; use 1 or more")
    if range is None:
        low, high = (0.0, 1.0)
        if values.size:
            low, high = STATISTICAL["min"](values).item(), STATISTICAL["max"](values).item()
    else:
        low, high = float(range[0]), float(range[1])
    if not low <= high:
        raise ArgumentError(
            f"histogram: range does not fit; got from {low} to {high}; give two numbers in order"
        )
    if low == high:
        low, high = low - 0.5, high + 0.5
    return linspace(low, high, bins + 1, dtype=values.dtype)


PUBLIC: dict[str, Callable[..., Any]] = {"bincount": bincount, "histogram": histogram}
