"""Sorting functions, and what sorted elements answer quickly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..dtypes import promote
from ..errors import ArgumentError, DTypeError, ShapeError
from ..nodes import node_of
from ..ops.gathers import TAKE_ALONG_AXIS
from ..ops.sorts import ARGSORT
from ..tensor import Tensor, as_tensor, node_behind
from .axes import one_axis
from .data_types import beside
from .elementwise import astype
from .halving import belonging
from .indexing import take
from .naming import named


def _order(operation: str, x: Tensor, axis: int, descending: bool) -> Tensor:
    node = node_behind(operation, x)
    if not node.spec.shape:
        raise ShapeError(f"{operation}: tensor has no axes; got shape (); reshape it to (1,)")
    place = one_axis(operation, axis, len(node.spec.shape))
    wide = astype(x, "uint8") if x.dtype.kind == "b" else x
    return Tensor(node_of(ARGSORT, (wide._node,), (place, descending)))


def argsort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """For each place along an axis, where the element that belongs there stands; int32.

    Equal elements stay in order, whatever `stable`. NaN is larger than all numbers. Raises
    DTypeError for complex elements, ShapeError for an axis that does not exist.

    >>> import py_tensor as pt
    >>> pt.argsort(pt.asarray([30, 10, 20])).tolist()
    [1, 2, 0]
    """
    return _order("argsort", as_tensor("argsort", x), axis, descending)


@named
def sort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The elements in order along an axis. NaN is larger than all numbers.

    Raises DTypeError for complex elements, ShapeError for an axis that does not exist.

    >>> import py_tensor as pt
    >>> pt.sort(pt.asarray([30, 10, 20]), descending=True).tolist()
    [30, 20, 10]
    """
    x = as_tensor("sort", x)
    order = _order("sort", x, axis, descending)
    place = one_axis("sort", axis, x.ndim)
    return Tensor(node_of(TAKE_ALONG_AXIS, (x._node, order._node), (place, True)))


@named
def topk(x: Any, k: int, /, *, axis: int = -1, largest: bool = True) -> tuple[Tensor, Tensor]:
    """The k largest elements along an axis, or smallest, in order; and their places, int32.

    Raises ArgumentError where the axis has fewer.

    >>> import py_tensor as pt
    >>> values, places = pt.topk(pt.asarray([30, 10, 20]), 2)
    >>> values.tolist(), places.tolist()
    ([30, 20], [0, 2])
    """
    x = as_tensor("topk", x)
    order = _order("topk", x, axis, largest)
    place = one_axis("topk", axis, x.ndim)
    if not 0 <= k <= x.shape[place]:
        raise ArgumentError(
            f"topk: k does not fit; got {k} for axis {place} of length {x.shape[place]}; "
            f"use 0 to {x.shape[place]}"
        )
    places = order[(slice(None),) * place + (slice(k),)]
    return Tensor(node_of(TAKE_ALONG_AXIS, (x._node, places._node), (place, False))), places


@named
def searchsorted(x1: Any, x2: Any, /, *, side: str = "left", sorter: Any = None) -> Tensor:
    """For each element of x2, a tensor or number, where it belongs in x1, a sorted vector; int32.

    With "left", before elements that equal it, with "right" behind them. `sorter` are the places
    that sort x1 where it is not sorted itself. Found by halving, in one kernel.

    >>> import py_tensor as pt
    >>> pt.searchsorted(pt.asarray([10, 20, 30]), pt.asarray([5, 20, 99])).tolist()
    [0, 1, 3]
    """
    x = as_tensor("searchsorted", x1)
    values = beside("searchsorted", x, x2)
    if x.ndim != 1:
        raise ShapeError(f"searchsorted: needs one axis; got shape {x.shape}; use flatten")
    if side not in ("left", "right"):
        raise ArgumentError(f'searchsorted: side is neither "left" nor "right"; got {side!r}')
    if "b" in (x.dtype.kind, values.dtype.kind):
        raise DTypeError('searchsorted: dtype bool is not numeric; use x.astype("uint8")')
    dtype = promote("searchsorted", x.dtype, values.dtype)
    x, values = astype(x, dtype, copy=False), astype(values, dtype, copy=False)
    if sorter is not None:
        x = take(x, as_tensor("searchsorted", sorter), axis=0)
    return belonging(x, values, side)


PUBLIC: dict[str, Callable[..., Any]] = {
    function.__name__: function for function in (argsort, searchsorted, sort, topk)
}
