"""Reductions that pass over NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..tensor import Tensor, as_tensor
from .elementwise import PUBLIC as ELEMENTWISE
from .elementwise import astype
from .floating import wide
from .naming import named, presented
from .statistical import PUBLIC as STATISTICAL

_INFINITY = float("inf")


def _nan(x: Tensor) -> Tensor:
    return ELEMENTWISE["isnan"](x)


def _filled(x: Tensor, value: float) -> Tensor:
    return x if x.dtype.kind not in "cf" else ELEMENTWISE["where"](_nan(x), value, x)


def _simple(name: str, neutral: float, example: str) -> Callable[..., Tensor]:
    reduce = STATISTICAL[name]

    def function(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
        given = as_tensor(f"nan{name}", x)
        result = reduce(_filled(given, neutral), axis=axis, keepdims=keepdims)
        if name in ("sum", "prod") or given.dtype.kind != "f":
            return result
        # All NaN have no largest: what stands for them must not be it.
        empty = STATISTICAL["all"](_nan(given), axis=axis, keepdims=keepdims)
        return ELEMENTWISE["where"](empty, float("nan"), result)

    what = {
        "sum": "Sum of the elements along axes that are not NaN; 0 for none.",
        "prod": "Product of the elements along axes that are not NaN; 1 for none.",
        "max": "Largest of the elements along axes that are not NaN; NaN for none.",
        "min": "Smallest of the elements along axes that are not NaN; NaN for none.",
    }[name]
    doc = (
        f"{what}\n\n`axis`, dtypes and errors are those of `{name}`.\n\n"
        ">>> import py_tensor as pt\n"
        f">>> pt.nan{name}(pt.asarray([2.0, pt.nan, 3.0])).item()\n{example}\n"
    )
    return named(presented(function, f"nan{name}", doc))


def _place(name: str, example: str) -> Callable[..., Tensor]:
    find, extreme = STATISTICAL[name], "nan" + name.removeprefix("arg")

    def function(x: Any, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
        given = as_tensor(f"nan{name}", x)
        if given.dtype.kind != "f":
            return find(given, axis=axis, keepdims=keepdims)
        best = PUBLIC[extreme](given, axis=axis, keepdims=True)
        # Of NaN and infinities the first infinity is meant, so values alone do not tell.
        return STATISTICAL["argmax"](
            astype(ELEMENTWISE["equal"](given, best), "uint8"), axis=axis, keepdims=keepdims
        )

    which = "largest" if name == "argmax" else "smallest"
    doc = (
        f"Place of the first {which} element along an axis that is not NaN; 0 for none; int32.\n\n"
        f"`axis`, dtypes and errors are those of `{name}`.\n\n"
        ">>> import py_tensor as pt\n"
        f">>> pt.nan{name}(pt.asarray([2.0, pt.nan, 3.0])).item()\n{example}\n"
    )
    return named(presented(function, f"nan{name}", doc))


def nanmean(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Mean of the elements along axes that are not NaN; NaN for none.

    `axis` is None (all), an axis or a tuple of axes. The result is floating or complex as x is,
    else float32. Raises ShapeError for axes that do not exist.

    >>> import py_tensor as pt
    >>> pt.nanmean(pt.asarray([2.0, pt.nan, 4.0])).item()
    3.0
    """
    x = as_tensor("nanmean", x)
    total = STATISTICAL["sum"](wide(_filled(x, 0.0)), axis=axis, keepdims=keepdims)
    result = total / _count(x, axis, keepdims)
    return astype(result, x.dtype, copy=False) if x.dtype.kind in "cf" else result


def _count(x: Tensor, axis: Any, keepdims: bool) -> Tensor:
    there = ~_nan(x) if x.dtype.kind in "cf" else ELEMENTWISE["equal"](x, x)
    return astype(STATISTICAL["sum"](there, axis=axis, keepdims=keepdims), "float32")


@named
def nanvar(
    x: Any, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    """Variance of the elements along axes that are not NaN.

    Squared distances from their mean over their number less `correction`. `axis` is as for
    `nanmean`; NaN where `correction` leaves nothing to divide by. The result is floating as x is,
    else float32. Raises DTypeError for complex x, ShapeError for axes that do not exist.

    >>> import py_tensor as pt
    >>> pt.nanvar(pt.asarray([2.0, pt.nan, 4.0])).item()
    1.0
    """
    x = as_tensor("nanvar", x)
    wide = astype(x, "float32", copy=False)
    distance = _filled(wide - nanmean(wide, axis=axis, keepdims=True), 0.0)
    total = STATISTICAL["sum"](ELEMENTWISE["square"](distance), axis=axis, keepdims=keepdims)
    count = _count(x, axis, keepdims) - float(correction)
    result = ELEMENTWISE["where"](count > 0.0, total / count, float("nan"))
    return astype(result, x.dtype, copy=False) if x.dtype.kind == "f" else result


@named
def nanstd(
    x: Any, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    """Standard deviation of the elements along axes that are not NaN: the root of `nanvar`.

    Arguments and errors are those of `nanvar`.

    >>> import py_tensor as pt
    >>> pt.nanstd(pt.asarray([2.0, pt.nan, 4.0])).item()
    1.0
    """
    return ELEMENTWISE["sqrt"](nanvar(x, axis=axis, correction=correction, keepdims=keepdims))


PUBLIC: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        _simple("sum", 0.0, "5.0"),
        _simple("prod", 1.0, "6.0"),
        _simple("max", -_INFINITY, "3.0"),
        _simple("min", _INFINITY, "2.0"),
        _place("argmax", "2"),
        _place("argmin", "0"),
        nanmean,
        nanvar,
        nanstd,
    )
}
