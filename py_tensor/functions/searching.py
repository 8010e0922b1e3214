"""Count and find elements that are not zero, and search sorted vectors."""

from __future__ import annotations

import math
from array import array
from itertools import compress
from typing import Any, overload

from ..dtypes import int32, promote
from ..errors import ArgumentError, DTypeError, ShapeError
from ..ir.node import node_of
from ..late import imported
from ..ops.gathers import TAKE
from ..ops.sorts import SEARCH, count_before
from ..tensor import Tensor, as_tensor, from_host
from ..typing import ArrayLike, Axis
from . import elementwise, statistical
from .arguments import choice
from .creation import arange, zeros
from .data_types import as_second_operand
from .decorators import named
from .elementwise import astype, isnan
from .host_memory import of_array
from .manipulation import reshape
from .sorting import real_keys
from .statistical import reduction


@named
@reduction
def count_nonzero(x: ArrayLike, /, axis: Axis = None, *, keepdims: bool = False) -> Tensor:
    """Count the elements along axes that are not zero.

    Args:
        x: Tensor or array-like of any dtype.

    Returns:
        Tensor of counts; int32.

    >>> import py_tensor as pt
    >>> pt.count_nonzero(pt.asarray([[1, 0], [2, 3]]), axis=1).tolist()
    [1, 2]
    """
    return statistical.sum(_mask(as_tensor("count_nonzero", x)), axis=axis, keepdims=keepdims)


def nonzero(x: ArrayLike, /) -> tuple[Tensor, ...]:
    """Return the indices of all elements that are not zero, in row-major order.

    Reads x back from the device, since the shape of the result depends on its values.

    Args:
        x: Tensor or array-like of at least one axis and any dtype.

    Returns:
        Tuple of one vector of indices per axis; int32.

    Raises:
        ShapeError: If x has no axes.

    >>> import py_tensor as pt
    >>> [places.tolist() for places in pt.nonzero(pt.asarray([[0, 1], [2, 3]]))]
    [[0, 1, 1], [1, 0, 1]]
    """
    x = as_tensor("nonzero", x)
    if not x.ndim:
        raise ShapeError("nonzero: tensor has no axes; got shape (); reshape it to (1,)")
    return unraveled(flat_places("nonzero", x), x.shape)


def flat_places(operation: str, x: Tensor) -> Tensor:
    """Return the row-major positions of elements that are not zero; they are read back."""
    mask = _mask(x)._bytes(operation)
    numpy: Any = imported("numpy")
    if numpy is not None:
        return of_array(operation, numpy.flatnonzero(numpy.frombuffer(mask, bool)), int32)
    places = array("i", compress(range(x.size), mask))
    return from_host(places.tobytes(), (len(places),), int32, operation)


def unraveled(places: Tensor, shape: tuple[int, ...]) -> tuple[Tensor, ...]:
    """Convert row-major positions to indices along each axis."""
    coordinates: list[Tensor] = []
    rest = places
    for length in reversed(shape[1:]):
        coordinates.append(rest % max(length, 1))
        rest = rest // max(length, 1)
    return (rest, *reversed(coordinates))


def _mask(x: Tensor) -> Tensor:
    return x if x.dtype.kind == "b" else astype(x, "bool")


def insertion_points(x: Tensor, values: Tensor, side: str) -> Tensor:
    """Return, for each value, its position in the sorted vector x, of the same dtype; int32.

    "left" gives the position before equal elements, "right" the position after them. If x has more
    axes, each of its rows is searched for the values of the same row.
    """
    rows, length = math.prod(x.shape[:-1]), x.shape[-1]
    wanted = reshape(values, (rows, values.size // max(rows, 1)))
    if x.dtype.kind == "c":
        counts = _among_complex(reshape(x, (rows * length,)), wanted, side)
    else:
        x = reshape(x, (rows, length))
        counts = Tensor(node_of(SEARCH, (x._node, wanted._node), side == "right"))
    return reshape(counts, values.shape)


def _among_complex(flat: Tensor, values: Tensor, side: str) -> Tensor:
    """Search the rows of a matrix, which are joined in `flat`, by comparing single numbers."""
    rows = values.shape[0]
    length = flat.size // max(rows, 1)
    start = reshape(arange(rows) * length, (rows, 1))

    def is_before(places: Tensor) -> Tensor:
        element = Tensor(node_of(TAKE, (flat._node, (places + start)._node), 0))
        return _before(element, values) if side == "left" else ~_before(values, element)

    none = zeros(values.shape, dtype="int32")
    before: Tensor = count_before(elementwise, length, none, is_before)
    return before


def _before(a: Tensor, b: Tensor) -> Tensor:
    """Compare elements, with NaN larger than all numbers; complex ones as `sort` does."""
    if a.dtype.kind == "c":
        keys = zip(real_keys(a), real_keys(b), strict=True)
        first, *more = [(_before(p, q), _before(q, p)) for p, q in keys]
        result, _ = first
        for before, after in more:
            result = before | (~after & result)
        return result
    less = a < b
    if a.dtype.kind != "f":
        return less
    return less | (isnan(b) & ~isnan(a))


@named
def searchsorted(
    x1: ArrayLike, x2: ArrayLike, /, side: str = "left", sorter: ArrayLike | None = None
) -> Tensor:
    """Return the positions in a sorted vector at which elements would keep it sorted.

    One kernel does a binary search for each element.

    Args:
        x1: Vector of any dtype but bool, or a tensor whose rows are sorted as by `sort`.
        x2: Tensor or number to find positions for. If x1 has more axes than one, the axes of x2
            but the last have the same lengths, and each row of x1 is searched for a row of x2.
        side: "left" (default) for positions before equal elements, "right" for positions after
            them.
        sorter: Indices that sort x1; None (default) if x1 is sorted.

    Returns:
        Tensor of the shape of x2; int32.

    Raises:
        ShapeError: If x1 has no axis, or its rows are not as many as those of x2.
        ArgumentError: If `side` is neither "left" nor "right".
        DTypeError: If an operand is bool.

    >>> import py_tensor as pt
    >>> pt.searchsorted(pt.asarray([10, 20, 30]), pt.asarray([5, 20, 99])).tolist()
    [0, 1, 3]
    """
    x = as_tensor("searchsorted", x1)
    values = as_second_operand("searchsorted", x, x2)
    if not x.ndim or (x.ndim > 1 and x.shape[:-1] != values.shape[:-1]):
        raise ShapeError(
            f"searchsorted: shapes do not fit; got {x.shape} and {values.shape}; x1 must be a "
            "vector, or have one row for each row of x2"
        )
    choice("searchsorted", "side", side, ("left", "right"))
    if "b" in (x.dtype.kind, values.dtype.kind):
        raise DTypeError('searchsorted: dtype bool is not numeric; use x.astype("uint8")')
    dtype = promote("searchsorted", x.dtype, values.dtype)
    x, values = astype(x, dtype, copy=False), astype(values, dtype, copy=False)
    if sorter is not None:
        order = as_tensor("searchsorted", sorter)
        if x.ndim > 1 or order.shape != x.shape:
            raise ShapeError(
                f"searchsorted: sorter does not fit; got shape {order.shape} for {x.shape}; pass "
                "argsort(x)"
            )
        x = Tensor(node_of(TAKE, (x._node, order._node), 0))
    return insertion_points(x, values, side)


@overload
def where(x1: ArrayLike, /) -> tuple[Tensor, ...]: ...
@overload
def where(x1: ArrayLike, x2: ArrayLike, x3: ArrayLike, /) -> Tensor: ...
def where(x1: ArrayLike, x2: ArrayLike | None = None, x3: ArrayLike | None = None, /) -> Any:
    """Return the second operand where the first is True, else the third.

    With the condition alone, return the indices of its elements that are true, as `nonzero` does.

    Args:
        x1: Condition; numbers count as true unless they are zero.
        x2: Values if the condition is true, of any dtype.
        x3: Values if it is false; all shapes broadcast together.

    Returns:
        Tensor of the shape that the operands broadcast to, in their promoted dtype.

    Raises:
        ArgumentError: If only one of both values is given.
        DTypeError: If the operands have no common dtype.
        ShapeError: If the shapes do not broadcast.

    >>> import py_tensor as pt
    >>> pt.where(pt.asarray(True), 1, 0).item()
    1
    """
    if x2 is None and x3 is None:
        return nonzero(x1)
    if x2 is None or x3 is None:
        raise ArgumentError("where: one of both values is missing; got None; give both or none")
    return elementwise.where(x1, x2, x3)
