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
from .joining import stack
from .manipulation import expand_dims, permute_dims, reshape
from .sorting import sort

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
    return _quantiles("quantile", as_tensor("quantile", x), q, axis, method, keepdims)


def median(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The element in the middle along axes, or the mean of the two; NaN where any is.

    `axis` is None (all), an axis or a tuple of axes. The result is floating as x is, else float32.
    Raises DTypeError for bool and complex x, ShapeError for no elements and axes that do not exist.

    >>> import py_tensor as pt
    >>> pt.median(pt.asarray([3.0, 9.0, 4.0, 5.0])).item()
    4.5
    """
    return _quantiles("median", as_tensor("median", x), 0.5, axis, "midpoint", keepdims)


def _quantiles(operation: str, x: Tensor, q: Any, axis: Any, method: str, keepdims: bool) -> Tensor:
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
    # NaN is the largest.
    spoilt = ELEMENTWISE["isnan"](ordered[..., -1])
    single = isinstance(q, (int, float))
    shares = [float(q)] if single else floating(operation, q, "fiu").flatten().tolist()
    found = []
    for share in shares:
        if not 0.0 <= share <= 1.0:
            raise ArgumentError(f"{operation}: share out of range; got {share}; use 0 to 1")
        value = _between(ordered, share * (length - 1), method)
        value = ELEMENTWISE["where"](spoilt, float("nan"), value)
        found.append(expand_dims(value, axis=axes) if keepdims else value)
    if single:
        return found[0]
    return stack(found)


def _between(ordered: Tensor, place: float, method: str) -> Tensor:
    low, high = math.floor(place), math.ceil(place)
    if method == "nearest":
        low = high = round(place)
    elif method == "lower":
        high = low
    elif method == "higher":
        low = high
    a = ordered[..., low]
    if low == high:
        return a
    share = 0.5 if method == "midpoint" else place - low
    return a + (ordered[..., high] - a) * share


PUBLIC: dict[str, Callable[..., Any]] = {"median": median, "quantile": quantile}
