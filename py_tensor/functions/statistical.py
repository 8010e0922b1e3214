"""Reductions: along all axes, one, or several; `keepdims` keeps them with length 1."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from ..dtypes import as_dtype
from ..errors import ShapeError
from ..nodes import Node, node_of
from ..ops import ROWS
from ..ops.rows import Reduction
from ..ops.views import RESHAPE
from ..tensor import Tensor, as_tensor, node_behind
from .axes import one_axis, some_axes
from .elementwise import PUBLIC as ELEMENTWISE
from .elementwise import astype
from .floating import floating, wide
from .naming import presented
from .remembering import remembered

_NEEDS_ELEMENTS = ("max", "min", "argmax", "argmin")


def _squeezed(node: Node, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    if keepdims or not axes:
        return Tensor(node)
    shape = tuple(n for axis, n in enumerate(node.spec.shape) if axis not in axes)
    return Tensor(node_of(RESHAPE, (node,), shape))


def _reduce(row: Reduction, x: Any, axis: Any, keepdims: bool) -> Tensor:
    node = node_behind(row.name, as_tensor(row.name, x))
    shape = node.spec.shape
    axes = some_axes(row.name, axis, len(shape))
    if row.name in _NEEDS_ELEMENTS and any(shape[a] == 0 for a in axes):
        raise ShapeError(
            f"{row.name}: no elements along axis {axes}; got shape {shape}; "
            "it needs at least one element"
        )
    return _squeezed(node_of(row, (node,), axes), axes, keepdims)


def _simple(row: Reduction) -> Callable[..., Tensor]:
    def function(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
        return _reduce(row, x, axis, keepdims)

    def summing(
        x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False
    ) -> Tensor:
        if dtype is None:
            return _reduce(row, x, axis, keepdims)
        target = as_dtype(dtype, row.name)
        return astype(_reduce(row, astype(x, target), axis, keepdims), target, copy=False)

    result: Callable[..., Tensor] = summing if row.result == "sum" else function
    extra = " Small integers add up in 32 bits; bool counts." if row.result == "sum" else ""
    host: Any = row.host
    example = [host(0, 3), host(2, 4)]
    if row.result == "bool":
        example = [bool(host(False, True)), bool(host(True, True))]
    doc = (
        f"{row.doc}\n\n`axis` is None (all), an axis or a tuple of axes.{extra}\n"
        f"Raises {_raised(row)}.\n\n"
        ">>> import py_tensor as pt\n"
        f">>> pt.{row.name}(pt.asarray([[0, 2], [3, 4]]), axis=0).tolist()\n{example}\n"
    )
    return presented(result, row.name, doc)


def _raised(row: Reduction) -> str:
    """The errors that a docstring names."""
    empty = " or have no elements" if row.name in _NEEDS_ELEMENTS else ""
    dtypes = ", DTypeError for bool and complex x" if row.dtypes == "numeric" else ""
    return f"ShapeError for axes that do not exist{empty}{dtypes}"


def _position(row: Reduction) -> Callable[..., Tensor]:
    def function(x: Any, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
        x = as_tensor(row.name, x)
        node = node_behind(row.name, x)
        if axis is not None:
            return _reduce(row, x, one_axis(row.name, axis, len(node.spec.shape)), keepdims)
        flat = Tensor(node_of(RESHAPE, (node,), (node.spec.size,)))
        result = _reduce(row, flat, 0, False)
        if keepdims:
            return Tensor(node_of(RESHAPE, (result._node,), (1,) * len(node.spec.shape)))
        return result

    host: Any = row.host
    doc = (
        f"{row.doc}\n\nint32; counted over all elements where `axis` is None.\n"
        f"Raises {_raised(row)}.\n\n"
        f">>> import py_tensor as pt\n>>> pt.{row.name}(pt.asarray([3, 9, 4])).item()\n"
        f"{[3, 9, 4].index(reduce(host, [3, 9, 4]))}\n"
    )
    return presented(function, row.name, doc)


def _count(x: Tensor, axes: tuple[int, ...]) -> int:
    count = 1
    for axis in axes:
        count *= x.shape[axis]
    return count


def _divided(total: Any, count: float) -> Any:
    """NaN for no elements; by addition, since compilers take 0 times an unknown number for 0."""
    if count > 0:
        return total * (1.0 / count)
    nan = float("nan")
    return total + (complex(nan, nan) if total.dtype.kind == "c" else nan)


@remembered
def mean(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Arithmetic mean of the elements along axes; floating and complex dtypes.

    `axis` is None (all), an axis or a tuple of axes; NaN where there are no elements. Raises
    DTypeError for other dtypes, ShapeError for axes that do not exist.

    >>> import py_tensor as pt
    >>> pt.mean(pt.asarray([1.0, 3.0])).item()
    2.0
    """
    x = floating("mean", x, "cf")
    axes = some_axes("mean", axis, x.ndim)
    count = _count(x, axes)
    total = Tensor(node_of(ROWS["sum"], (wide(x)._node,), axes))
    return astype(_squeezed(_divided(total, count)._node, axes, keepdims), x.dtype, copy=False)


@remembered
def var(x: Any, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """Variance along axes: squared distances from the mean over (count - correction).

    `x` has a floating dtype, and `axis` is as for `mean`; NaN where `correction` leaves nothing to
    divide by. Raises DTypeError and ShapeError as `mean` does.

    >>> import py_tensor as pt
    >>> pt.var(pt.asarray([1.0, 3.0])).item()
    1.0
    """
    x = floating("var", x)
    axes = some_axes("var", axis, x.ndim)
    values = wide(x)
    distance = values - mean(values, axis=axes, keepdims=True)
    total = Tensor(node_of(ROWS["sum"], (ELEMENTWISE["square"](distance)._node,), axes))
    mean_square = _divided(total, _count(x, axes) - correction)
    return astype(_squeezed(mean_square._node, axes, keepdims), x.dtype, copy=False)


@remembered
def std(x: Any, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """Standard deviation along axes: the square root of `var`.

    Dtypes, axes and errors are those of `var`.

    >>> import py_tensor as pt
    >>> pt.std(pt.asarray([1.0, 3.0])).item()
    1.0
    """
    x = floating("std", x)
    return ELEMENTWISE["sqrt"](var(x, axis=axis, correction=correction, keepdims=keepdims))


PUBLIC: dict[str, Callable[..., Tensor]] = {
    row.name: remembered(_position(row) if row.index else _simple(row))
    for row in ROWS.values()
    if isinstance(row, Reduction)
} | {"mean": mean, "var": var, "std": std}
