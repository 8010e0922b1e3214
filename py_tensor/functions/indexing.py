"""Indexing: t[key] is a view, t[key] = value a new value for the handle, take reads at places."""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import Any

from ..dtypes import bool_
from ..errors import ShapeError
from ..nodes import Node, node_of, scalar_node
from ..ops import ROWS
from ..ops.elementwise import CAST
from ..ops.gathers import TAKE
from ..ops.rows import Shape
from ..ops.views import BROADCAST, PAD, RESHAPE, SLICE, widths_around
from ..tensor import Tensor, asarray, node_behind, operand_nodes
from .axes import one_axis
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
    except (TypeError, ValueError) as error:
        raise ShapeError(f"{operation}: slice does not fit; got {item}; {error}") from None


def _position(operation: str, item: Any, axis: int, shape: Shape) -> int:
    if isinstance(item, Tensor) and (item.ndim or item.dtype.kind not in "iu"):
        raise ShapeError(
            f"{operation}: index is a tensor; got dtype {item.dtype}, shape {item.shape}; "
            "use integers, slices, ... and None; pt.where chooses by a mask"
        )
    if isinstance(item, (bool, float, str, list)) or not hasattr(item, "__index__"):
        raise ShapeError(
            f"{operation}: not an index; got {item!r}; use integers, slices, ... and None"
        )
    position = index(item)
    n = shape[axis]
    if not -n <= position < n:
        raise ShapeError(
            f"{operation}: index out of range; got {position} for axis {axis} of length {n}; "
            + (f"use {-n} to {n - 1}" if n else "the axis is empty")
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
    node = node_behind("getitem", self)
    parts, shape = _parse("getitem", key, node.spec.shape)
    return Tensor(_sliced(node, parts, shape))


def assigned(self: Tensor, key: Any, value: Any) -> Tensor:
    """self with `value`, broadcast, in the place of what the key names."""
    node = node_behind("setitem", self)
    spec = node.spec
    parts, shape = _parse("setitem", key, spec.shape)
    _, new = (
        operand_nodes(ROWS["add"], (self, value))
        if spec.dtype is not bool_
        else (None, _as_node(self, value))
    )
    if new.spec.dtype is not spec.dtype:
        new = node_of(CAST, (new,), spec.dtype)
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


def _as_node(self: Tensor, value: Any) -> Node:
    return operand_nodes(ROWS["not_equal"], (self, value))[1]


def put(self: Tensor, key: Any, value: Any) -> None:
    """Moves this handle to its value with another in the place of what the key names."""
    self._move(assigned(self, key, value)._node)


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
    node, places = node_behind("take", asarray(x)), node_behind("take", asarray(indices))
    shape = node.spec.shape
    if axis is None and len(shape) != 1:
        raise ShapeError(
            f"take: no axis to take along; got shape {shape}; "
            + ("give axis" if shape else "reshape it to one axis")
        )
    return Tensor(node_of(TAKE, (node, places), one_axis("take", axis or 0, len(shape))))


OPERATORS = {"__getitem__": get, "__setitem__": put}

PUBLIC: dict[str, Callable[..., Tensor]] = {"take": take}
