"""Sort tensors, and find their largest elements.

Complex numbers are sorted as in NumPy: by their real parts, then by their imaginary parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from ..dtypes import int32
from ..errors import ArgumentError, ShapeError
from ..ir.node import node_of
from ..ops.gathers import TAKE_ALONG_AXIS
from ..ops.sorts import ARGSORT, first_places
from ..tensor import Tensor, as_tensor, node_behind
from ..typing import ArrayLike
from . import statistical
from .arguments import flag, integer, one_axis
from .complex_numbers import imag, real
from .creation import arange
from .decorators import named
from .elementwise import astype, isnan
from .host_memory import computed_here, of_array
from .manipulation import expand_dims, flatten, moveaxis, pad, reshape

LONG = 4096
"""Length of rows from which `topk` looks at the maxima of parts instead of sorting all elements."""


def _order(operation: str, x: Tensor, axis: int, descending: bool) -> Tensor:
    node = node_behind(operation, x)
    if not node.spec.shape:
        raise ShapeError(f"{operation}: tensor has no axes; got shape (); reshape it to (1,)")
    axis = one_axis(operation, axis, len(node.spec.shape))
    return order_by([x], axis, flag(operation, "descending", descending))


def real_keys(x: Tensor) -> list[Tensor]:
    """Return real keys that sort as x does, the most important one last."""
    if x.dtype.kind != "c":
        return [astype(x, "uint8") if x.dtype.kind == "b" else x]
    # NumPy's order: numbers, NaN in the imaginary part, NaN in the real part, NaN in both.
    re, im = real(x), imag(x)
    return [im, re, astype(isnan(re), "int32") * 2 + astype(isnan(im), "int32")]


def order_by(keys: Sequence[Tensor], axis: int, descending: bool = False) -> Tensor:
    """Return the indices that sort by keys along a non-negative axis; the last key counts most."""
    order: Tensor | None = None
    for row in [row for key in keys for row in real_keys(key)]:
        if order is not None:
            row = Tensor(node_of(TAKE_ALONG_AXIS, (row._node, order._node), (axis, True)))
        again = Tensor(node_of(ARGSORT, (row._node,), (axis, descending)))
        if order is not None:
            again = Tensor(node_of(TAKE_ALONG_AXIS, (order._node, again._node), (axis, True)))
        order = again
    assert order is not None
    return order


def argsort(
    x: ArrayLike,
    /,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    descending: bool = False,
    stable: bool = True,
) -> Tensor:
    """Return the indices that sort x along an axis.

    The order is always stable. NaN is larger than all numbers.

    Args:
        x: Tensor or array-like of any dtype and at least one axis.
        axis: Axis to sort along; None for the flattened tensor; -1 by default.
        kind: Ignored; None by default.
        order: None; there are no fields to sort by.
        descending: Sort from largest to smallest; False by default.
        stable: Has no effect; True by default.

    Returns:
        Tensor of the shape of x; int32.

    Raises:
        ShapeError: If the axis does not exist.

    >>> import py_tensor as pt
    >>> pt.argsort(pt.asarray([30, 10, 20])).tolist()
    [1, 2, 0]
    """
    x = as_tensor("argsort", x)
    if axis is None:
        x, axis = flatten(x), 0
    return _order("argsort", x, axis, descending)


@named
def sort(
    x: ArrayLike,
    /,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    descending: bool = False,
    stable: bool = True,
) -> Tensor:
    """Return the elements of x sorted along an axis; NaN is larger than all numbers.

    Args:
        x: Tensor or array-like of any dtype and at least one axis.
        axis: Axis to sort along; None for the flattened tensor; -1 by default.
        kind: Ignored; None by default.
        order: None; there are no fields to sort by.
        descending: Sort from largest to smallest; False by default.
        stable: Has no effect, since the order is always stable; True by default.

    Returns:
        Tensor of the shape and dtype of x.

    Raises:
        ShapeError: If the axis does not exist.

    >>> import py_tensor as pt
    >>> pt.sort(pt.asarray([30, 10, 20]), descending=True).tolist()
    [30, 20, 10]
    """
    x = as_tensor("sort", x)
    if axis is None:
        x, axis = flatten(x), 0
    places = _order("sort", x, axis, descending)
    axis = one_axis("sort", axis, x.ndim)
    return Tensor(node_of(TAKE_ALONG_AXIS, (x._node, places._node), (axis, True)))


@named
def topk(x: ArrayLike, k: int, /, *, axis: int = -1, largest: bool = True) -> tuple[Tensor, Tensor]:
    """Return the k largest or smallest elements along an axis, sorted, and their positions.

    Args:
        x: Tensor or array-like of any dtype and at least one axis.
        k: Number of elements to return.
        axis: Axis to search; -1 by default.
        largest: Return the largest elements, the largest first; False for the smallest. True by
            default.

    Returns:
        Tuple of the values, in the dtype of x, and their positions, int32; both have length k along
        the axis.

    Raises:
        ArgumentError: If `k` is negative or larger than the length of the axis.
        ShapeError: If the axis does not exist.

    >>> import py_tensor as pt
    >>> values, places = pt.topk(pt.asarray([30, 10, 20]), 2)
    >>> values.tolist(), places.tolist()
    ([30, 20], [0, 2])
    """
    x = as_tensor("topk", x)
    order = _order("topk", x, axis, largest)
    axis, length = one_axis("topk", axis, x.ndim), x.shape[axis]
    k = integer("topk", "k", k)
    if not 0 <= k <= length:
        raise ArgumentError(
            f"topk: k is out of range; got {k} for axis {axis} of length {length}; use 0 to "
            f"{length}"
        )
    first = computed_here(lambda np, x: first_places(np, x, k, (axis, bool(largest))), x)
    if first is not None:
        places = of_array("topk", first, int32)
    elif largest and length >= max(LONG, 64 * k) and k and x.dtype.kind in "fiu":
        places = moveaxis(_largest_by_parts(moveaxis(x, axis, -1), k), -1, axis)
    else:
        places = order[(slice(None),) * axis + (slice(k),)]
    return _taken(x, places, axis), places


def _largest_by_parts(x: Tensor, k: int) -> Tensor:
    """Return the positions of the k largest numbers of each long row, as sorting gives them.

    They are in the k parts with the largest maxima, the first ones of equal maxima. So only the
    maxima and the elements of these parts are sorted, which is least with parts of sqrt(n / k).
    """
    length = x.shape[-1]
    size = 1 << (length // k).bit_length() // 2
    lowest = -inf if x.dtype.kind == "f" else x.dtype.lowest
    padded = pad(x, [(0, 0)] * (x.ndim - 1) + [(0, -length % size)], constant_values=lowest)
    parts = reshape(padded, (*x.shape[:-1], padded.shape[-1] // size, size))
    # Parts in their order, so that the first one of equal elements stays the first.
    chosen = sort(topk(statistical.max(parts, axis=-1), k)[1])
    places = expand_dims(chosen, axis=-1) * size + arange(size, dtype=int32)
    places = reshape(places, (*x.shape[:-1], k * size))
    last = x.ndim - 1
    return _taken(places, topk(_taken(padded, places, last), k)[1], last)


def _taken(x: Tensor, places: Tensor, axis: int) -> Tensor:
    return Tensor(node_of(TAKE_ALONG_AXIS, (x._node, places._node), (axis, False)))
