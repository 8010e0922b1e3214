"""Indexing: t[key] is a view, t[key] = value a new value for the handle, take reads at places."""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import Any

from ..dtypes import bool_, shown
from ..errors import DTypeError, ShapeError, TensorError
from ..nodes import Node, node_of, scalar_node
from ..ops import ROWS
from ..ops.elementwise import CAST
from ..ops.gathers import TAKE, TAKE_ALONG_AXIS
from ..ops.rows import Shape, broadcast
from ..ops.views import BROADCAST, PAD, RESHAPE, SLICE, widths_around
from ..tensor import Tensor, as_tensor, node_behind, operand_nodes
from .axes import one_axis
from .choosing import chosen, is_advanced, with_chosen
from .data_types import is_number
from .elementwise import PUBLIC as ELEMENTWISE
from .elementwise import astype, clip
from .manipulation import broadcast_to
from .remembering import remembered

Part = tuple[int, int, int]


def _parse(operation: str, key: Any, shape: Shape) -> tuple[tuple[Part, ...], Shape]:
    """For each axis (start, length, step), and the result's shape."""
    items = list(key) if isinstance(key, tuple) else [key]
    used = sum(1 for item in items if item is not None and item is not Ellipsis)
    if sum(1 for item in items if item is Ellipsis) > 1:
        raise ShapeError(f"{operation}: more than one ellipsis; got {key}; use one")
    if used > len(shape):
        raise ShapeError(
            f"{operation}: too many indices; got {used} for shape {shape}; "
            f"give at most {len(shape)}"
        )
    if Ellipsis not in [item for item in items if isinstance(item, type(Ellipsis))]:
        items.append(Ellipsis)
    parts: list[Part] = []
    result: list[int] = []
    for item in items:
        axis = len(parts)
        if item is None:
            result.append(1)
        elif item is Ellipsis:
            for n in shape[axis : axis + len(shape) - used]:
                parts.append((0, n, 1))
                result.append(n)
        elif isinstance(item, slice):
            start, stop, step = _bounds(operation, item, shape[axis])
            length = max(0, -(-(stop - start) // step) if step > 0 else -(-(start - stop) // -step))
            parts.append((start if length else 0, length, step))
            result.append(length)
        else:
            parts.append((_position(operation, item, axis, shape), 1, 1))
    return tuple(parts), tuple(result)


def _bounds(operation: str, item: slice, n: int) -> tuple[int, int, int]:
    try:
        return item.indices(n)
    except TensorError:
        raise
    except (TypeError, ValueError) as error:
        raise ShapeError(f"{operation}: slice does not fit; got {item}; {error}") from None


def _position(operation: str, item: Any, axis: int, shape: Shape) -> int:
    if isinstance(item, (bool, float, str, list)) or not hasattr(item, "__index__"):
        raise ShapeError(
            f"{operation}: not an index; got {item!r}; use integers, slices, ... and None"
        )
    position = index(item)
    n = shape[axis]
    if not -n <= position < n:
        raise ShapeError(
            f"{operation}: index out of range; got {shown(position)} for axis {axis} of "
            f"length {n}; " + (f"use {-n} to {n - 1}" if n else "the axis is empty")
        )
    return position % n


def _sliced(node: Node, parts: tuple[Part, ...], shape: Shape) -> Node:
    if any(part != (0, n, 1) for part, n in zip(parts, node.spec.shape, strict=True)):
        node = node_of(SLICE, (node,), parts)
    return node if node.spec.shape == shape else node_of(RESHAPE, (node,), shape)


def get(self: Tensor, key: Any) -> Tensor:
    """The elements a key of integers, slices of any step, ... and None names, as a view.

    >>> import py_tensor as pt
    >>> pt.arange(6)[::-2].tolist()
    [5, 3, 1]
    """
    if is_advanced(key):
        return chosen(self, key, get)
    node = node_behind("getitem", self)
    parts, shape = _parse("getitem", key, node.spec.shape)
    return Tensor(_sliced(node, parts, shape))


def assigned(self: Tensor, key: Any, value: Any) -> Tensor:
    """self with `value`, broadcast, in the place of what the key names."""
    node = node_behind("setitem", self)
    spec = node.spec
    if is_advanced(key):
        key, value = with_chosen(self, key, _value(self, value), get)
    parts, shape = _parse("setitem", key, spec.shape)
    new = _value(self, value)._node
    if len(new.spec.shape) > len(shape) or any(
        a not in (1, b) for a, b in zip(reversed(new.spec.shape), reversed(shape), strict=False)
    ):
        raise ShapeError(
            f"setitem: shapes do not fit; got {new.spec.shape} for a place of shape {shape}; "
            "the value must broadcast to it"
        )
    if any(length == 0 for _, length, _ in parts):
        return Tensor(node)
    new = node_of(BROADCAST, (new,), shape) if new.spec.shape != shape else new
    lengths = tuple(length for _, length, _ in parts)
    new = new if lengths == shape else node_of(RESHAPE, (new,), lengths)
    if any(step < 0 for _, _, step in parts):
        backward = tuple((n - 1, n, -1) if step < 0 else (0, n, 1) for _, n, step in parts)
        new = node_of(SLICE, (new,), backward)
    arg = widths_around(parts, spec.shape)
    if all(width == (0, 0, 0) for width in arg):
        return Tensor(new)
    there = node_of(BROADCAST, (scalar_node(True, bool_),), lengths)
    mask = node_of(PAD, (there, scalar_node(False, bool_)), arg)
    placed = node_of(PAD, (new, scalar_node(0, spec.dtype)), arg)
    return Tensor(node_of(ROWS["where"], (mask, placed, node)))


_RANKS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}
"""Of kinds of dtypes: assigned tensors may not be of a higher one. Casts refuse complex numbers."""


def _value(self: Tensor, value: Any) -> Tensor:
    """What is assigned, in the tensor's dtype. Raises DTypeError for tensors of a higher kind."""
    if is_number(value):
        row = ROWS["not_equal" if self.dtype is bool_ else "add"]
        new = operand_nodes(row, (self, value), "setitem")[1]
    else:
        new = node_behind("setitem", as_tensor("setitem", value))
        own, given = self.dtype, new.spec.dtype
        if _RANKS[own.kind] < _RANKS[given.kind] < _RANKS["c"]:
            raise DTypeError(
                f"setitem: dtype {given} does not promote to {own}; got a value of {given}; "
                f'use value.astype("{own}")'
            )
    return Tensor(new if new.spec.dtype is self.dtype else node_of(CAST, (new,), self.dtype))


def put(self: Tensor, key: Any, value: Any) -> None:
    """Moves this handle to its value with another in the place of what the key names."""
    self._move(assigned(self, key, value)._node)


def take_along_axis(x: Any, indices: Any, /, *, axis: int = -1) -> Tensor:
    """For each place, the element of x whose place along the axis `indices` names there.

    As `argsort` and `argmax` give them: both have the same number of axes, and all but `axis`
    broadcast. Negative indices count from the end; those out of range read the nearest end.
    Raises DTypeError for indices that are not integers, ShapeError for shapes that do not fit.

    >>> import py_tensor as pt
    >>> pt.take_along_axis(pt.asarray([[1, 2], [3, 4]]), pt.asarray([[1], [0]])).tolist()
    [[2], [3]]
    """
    x, indices = as_tensor("take_along_axis", x), as_tensor("take_along_axis", indices)
    if indices.dtype.kind not in "iu":
        raise DTypeError(
            f"take_along_axis: indices are not integers; got dtype {indices.dtype}; "
            'use indices.astype("int32")'
        )
    if x.ndim != indices.ndim:
        raise ShapeError(
            f"take_along_axis: numbers of axes differ; got shapes {x.shape} and {indices.shape}; "
            "give as many"
        )
    place = one_axis("take_along_axis", axis, x.ndim)
    length, count = x.shape[place], indices.shape[place]
    if not length and count:
        raise ShapeError(
            f"take_along_axis: nothing to take from; got length 0 of axis {place} of shape "
            f"{x.shape}; give an axis with elements"
        )
    ones = [(*t.shape[:place], 1, *t.shape[place + 1 :]) for t in (x, indices)]
    shape = broadcast("take_along_axis", ones)
    x = broadcast_to(x, (*shape[:place], length, *shape[place + 1 :]))
    indices = broadcast_to(indices, (*shape[:place], count, *shape[place + 1 :]))
    places = astype(indices, "int32", copy=False)
    places = clip(ELEMENTWISE["where"](places < 0, places + length, places), 0, length - 1)
    return Tensor(node_of(TAKE_ALONG_AXIS, (x._node, places._node), (place, False)))


@remembered
def take(x: Any, indices: Any, /, *, axis: int | None = None) -> Tensor:
    """Slices of x at places of an axis, in the order `indices` names them.

    `indices` are integers of any shape, which stands in the result in the place of the axis; `axis`
    may be left out where x has only one. Negative indices count from the end. An index out of range
    reads the nearest end of the axis: whether it is one is known only where the values are.
    Raises DTypeError for indices that are not integers, ShapeError for an axis without elements.

    >>> import py_tensor as pt
    >>> pt.take(pt.asarray([[1, 2], [3, 4], [5, 6]]), [2, 0, -1], axis=0).tolist()
    [[5, 6], [1, 2], [5, 6]]
    """
    x, indices = as_tensor("take", x), as_tensor("take", indices)
    node, places = node_behind("take", x), node_behind("take", indices)
    shape = node.spec.shape
    if axis is None and len(shape) != 1:
        raise ShapeError(
            f"take: no axis to take along; got shape {shape}; "
            + ("give axis" if shape else "reshape it to one axis")
        )
    return Tensor(node_of(TAKE, (node, places), one_axis("take", axis or 0, len(shape))))


OPERATORS = {"__getitem__": get, "__setitem__": put}

PUBLIC: dict[str, Callable[..., Tensor]] = {"take": take, "take_along_axis": take_along_axis}
