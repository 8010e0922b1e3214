"""Searching functions that look for elements that are not zero."""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress
from typing import Any

from ..errors import ShapeError
from ..tensor import Tensor, as_tensor, asarray
from .elementwise import astype
from .statistical import PUBLIC as STATISTICAL


def count_nonzero(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """How many elements along axes are not zero; int32.

    `axis` is None (all), an axis or a tuple of axes. Raises ShapeError for axes that do not exist.

    >>> import py_tensor as pt
    >>> pt.count_nonzero(pt.asarray([[1, 0], [2, 3]]), axis=1).tolist()
    [1, 2]
    """
    return STATISTICAL["sum"](_mask(as_tensor("count_nonzero", x)), axis=axis, keepdims=keepdims)


def nonzero(x: Any, /) -> tuple[Tensor, ...]:
    """The places of all elements that are not zero: for each axis, their indices, int32.

    In row-major order. Reads x, since the result's shape depends on its values. Raises ShapeError
    for a tensor without axes.

    >>> import py_tensor as pt
    >>> [places.tolist() for places in pt.nonzero(pt.asarray([[0, 1], [2, 3]]))]
    [[0, 1, 1], [1, 0, 1]]
    """
    x = as_tensor("nonzero", x)
    if not x.ndim:
        raise ShapeError("nonzero: tensor has no axes; got shape (); reshape it to (1,)")
    return unraveled(asarray(flat_places("nonzero", x), dtype="int32"), x.shape)


def flat_places(operation: str, x: Tensor) -> list[int]:
    """The row-major positions of the elements that are not zero, read from the device."""
    return list(compress(range(x.size), _mask(x)._bytes(operation)))


def unraveled(places: Tensor, shape: tuple[int, ...]) -> tuple[Tensor, ...]:
    """Row-major positions as indices along each axis."""
    found: list[Tensor] = []
    rest = places
    for length in reversed(shape[1:]):
        found.append(rest % max(length, 1))
        rest = rest // max(length, 1)
    return (rest, *reversed(found))


def _mask(x: Tensor) -> Tensor:
    return x if x.dtype.kind == "b" else astype(x, "bool")


PUBLIC: dict[str, Callable[..., Any]] = {
    function.__name__: function for function in (count_nonzero, nonzero)
}
