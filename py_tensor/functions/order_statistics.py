"""Statistics of elements in order: quantiles and the median."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..errors import ArgumentError, DTypeError, ShapeError
from ..tensor import Tensor, as_tensor
from .axes import some_axes
from .elementwise import PUBLIC as ELEMENTWISE
from .elementwise import astype
from .floating import floating
from .indexing import take_along_axis
from .joining import stack
from .manipulation import expand_dims, permute_dims, reshape
from .sorting import sort
from .statistical import PUBLIC as STATISTICAL

_METHODS = ("linear", "lower", "higher", "midpoint", "nearest")


def quantile(
    x: Any, q: Any, /, *, axis: Any = None, method: str = "linear", keepdims: bool = False
) -> Tensor:
    """What a share `q`, from 0 to 1, of the elements along axes lies below.

    `q` is a number, or several, which then stand along a first axis of the result. Place
    q (n - 1) among n elements in order may lie between two, a and b: "linear" gives the value on
    the line from a to b, "midpoint" (a + b) / 2, "nearest" the closer one, halves to even, "lower"
    a and "higher" b. NaN where any element is. Raises ArgumentError for shares out of range,
    ShapeError for no elements, DTypeError for dtypes that are not numeric.

    >>> import py_tensor as pt
    >>> pt.quantile(pt.asarray([1.0, 2.0, 3.0, 4.0]), [0.25, 1.0]).tolist()
    [1.75, 4.0]
    """
    x = as_tensor("quantile", x)
    return _quantiles("quantile", x, q, axis, method, keepdims, _among_all)


def median(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The element in the middle along axes, or the mean of the two; NaN where any is.

    `axis` is None (all), an axis or a tuple of axes. The result is floating as x is, else float32.
    Raises DTypeError for bool and complex x, ShapeError for no elements and axes that do not exist.

    >>> import py_tensor as pt
    >>> pt.median(pt.asarray([3.0, 9.0, 4.0, 5.0])).item()
    4.5
    """
    x = as_tensor("median", x)
    return _quantiles("median", x, 0.5, axis, "midpoint", keepdims, _among_all)


def nanquantile(
    x: Any, q: Any, /, *, axis: Any = None, method: str = "linear", keepdims: bool = False
) -> Tensor:
    """What a share `q` of the elements along axes that are not NaN lies below; NaN for none.

    Arguments, methods and errors are those of `quantile`. Each row has its own number of elements,
    so places among them are computed in float32, where the values are.

    >>> import py_tensor as pt
    >>> pt.nanquantile(pt.asarray([1.0, pt.nan, 3.0]), [0.0, 0.75]).tolist()
    [1.0, 2.5]
    """
    x = as_tensor("nanquantile", x)
    return _quantiles("nanquantile", x, q, axis, method, keepdims, _among_numbers)


def nanmedian(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The element in the middle of those along axes that are not NaN, or the mean of the two.

    NaN where there is none. Arguments, dtypes and errors are those of `median`.

    >>> import py_tensor as pt
    >>> pt.nanmedian(pt.asarray([3.0, pt.nan, 9.0, 4.0])).item()
    4.0
    """
    x = as_tensor("nanmedian", x)
    return _quantiles("nanmedian", x, 0.5, axis, "midpoint", keepdims, _among_numbers)


def _quantiles(
    operation: str,
    x: Tensor,
    q: Any,
    axis: Any,
    method: str,
    keepdims: bool,
    rule: Callable[[Tensor, float, str], Tensor],
) -> Tensor:
    """For each share what `rule` gives for it, of the elements along axes in order."""
    if method not in _METHODS:
        raise ArgumentError(
            f"{operation}: no method of that name; got {method!r}; use one of {', '.join(_METHODS)}"
        )
    if x.dtype.kind not in "iuf":
        raise DTypeError(f'{operation}: dtype {x.dtype} is not numeric; use x.astype("float32")')
    x = x if x.dtype.kind == "f" else astype(x, "float32")
    axes = some_axes(operation, axis, x.ndim)
    others = [a for a in range(x.ndim) if a not in axes]
    length = math.prod(x.shape[a] for a in axes)
    if not length:
        raise ShapeError(f"{operation}: no elements along axis {axes}; got shape {x.shape}")
    rows = reshape(permute_dims(x, (*others, *axes)), (*(x.shape[a] for a in others), length))
    ordered = sort(rows)
    single = isinstance(q, (int, float))
    shares = [float(q)] if single else floating(operation, q, "fiu").flatten().tolist()
    found = []
    for share in shares:
        if not 0.0 <= share <= 1.0:
            raise ArgumentError(f"{operation}: share out of range; got {share}; use 0 to 1")
        value = rule(ordered, share, method)
        found.append(expand_dims(value, axis=axes) if keepdims else value)
    if single:
        return found[0]
    return stack(found)


def _among_all(ordered: Tensor, share: float, method: str) -> Tensor:
    """NaN is the largest, and spoils what it is among."""
    place = share * (ordered.shape[-1] - 1)
    low, high, part = _ends(place, method, (math.floor, math.ceil, round))
    value = ordered[..., low]
    if low != high:
        value = value + (ordered[..., high] - value) * part
    return ELEMENTWISE["where"](ELEMENTWISE["isnan"](ordered[..., -1]), float("nan"), value)


def _among_numbers(ordered: Tensor, share: float, method: str) -> Tensor:
    """Numbers come first; of each row as many as it has."""
    numbers = astype(~ELEMENTWISE["isnan"](ordered), "float32")
    count = STATISTICAL["sum"](numbers, axis=-1, keepdims=True)
    place = share * ELEMENTWISE["maximum"](count - 1.0, 0.0)
    rounds = tuple(ELEMENTWISE[name] for name in ("floor", "ceil", "round"))
    low, high, part = _ends(place, method, rounds)
    a, b = (take_along_axis(ordered, astype(at, "int32"), axis=-1) for at in (low, high))
    # Beside itself an infinity has no distance.
    value = ELEMENTWISE["where"](high > low, a + (b - a) * part, a)
    return astype(value, ordered.dtype, copy=False)[..., 0]


def _ends(place: Any, method: str, rounds: tuple[Callable[..., Any], ...]) -> tuple[Any, Any, Any]:
    """The places between which one lies, and how far from the first; numbers or tensors."""
    floor, ceil, nearest = rounds
    if method == "nearest":
        place = nearest(place)
    low, high = floor(place), ceil(place)
    if method == "lower":
        high = low
    elif method == "higher":
        low = high
    return low, high, 0.5 if method == "midpoint" else place - low


PUBLIC: dict[str, Callable[..., Any]] = {
    function.__name__: function for function in (median, nanmedian, nanquantile, quantile)
}
