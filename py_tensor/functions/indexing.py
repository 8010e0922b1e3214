"""Indexing: t[key] is a view, t[key] = value moves the handle to a new value."""

from __future__ import annotations

from operator import index
from typing import Any

from ..dtypes import bool_
from ..errors import DTypeError, ShapeError, TensorError
from ..ir.node import BoundedCache, OpNode, TensorSpec, node_of, op_instance
from ..ops import OP_DEFS
from ..ops.elementwise import CAST
from ..ops.gathers import TAKE, TAKE_ALONG_AXIS
from ..ops.op_def import Shape, broadcast
from ..ops.views import RESHAPE, SLICE
from ..tensor import Tensor, as_tensor, node_behind, operand_nodes
from ..typing import ArrayLike, IndexLike
from .advanced_indexing import chosen, is_advanced, with_chosen, written
from .arguments import check_known_indices, choice, integer, one_axis, out_of_range
from .data_types import is_number
from .decorators import named, remembered
from .elements import element, set_element
from .elementwise import astype, clip, where
from .manipulation import broadcast_to, flatten
from .parts import Calls, assign, linked, refuse_traced, separate, viewed_node, with_part

IndexPart = tuple[int, int, int]


def _parse(operation: str, key: IndexLike, shape: Shape) -> tuple[tuple[IndexPart, ...], Shape]:
    """Return (start, length, step) for each axis, and the shape of the result."""
    items = list(key) if isinstance(key, tuple) else [key]
    used = sum(1 for item in items if item is not None and item is not Ellipsis)
    if sum(1 for item in items if item is Ellipsis) > 1:
        raise ShapeError(f"{operation}: more than one ellipsis; got {key}; use one")
    if used > len(shape):
        raise ShapeError(
            f"{operation}: too many indices; got {used} for shape {shape}; use at most {len(shape)}"
        )
    if Ellipsis not in [item for item in items if isinstance(item, type(Ellipsis))]:
        items.append(Ellipsis)
    parts: list[IndexPart] = []
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
        raise ShapeError(f"{operation}: invalid slice; got {item}; {error}") from None


def _position(operation: str, item: Any, axis: int, shape: Shape) -> int:
    if isinstance(item, (bool, float, str, list)) or not hasattr(item, "__index__"):
        raise ShapeError(
            f"{operation}: invalid index; got {item!r}; use integers, slices, ... and None"
        )
    position = index(item)
    n = shape[axis]
    if not -n <= position < n:
        raise out_of_range(operation, position, axis, n)
    return position % n


_known_views: BoundedCache[tuple[Any, TensorSpec], Calls] = BoundedCache(1 << 12)
"""Views of keys of integers and slices of integers."""
_PLAIN = (int, type(None), type(Ellipsis))


def _is_plain(key: Any) -> bool:
    """Return True if an equal key selects the same elements; 1.0 and True are equal to 1."""
    for item in key if key.__class__ is tuple else (key,):
        if item.__class__ is slice:
            if not _is_plain((item.start, item.stop, item.step)):
                return False
        elif item.__class__ not in _PLAIN:
            return False
    return True


def views_of(operation: str, key: IndexLike, spec: TensorSpec) -> Calls:
    """Return the views of a tensor that a basic key selects."""
    if not _is_plain(key):
        return _parsed_views(operation, key, spec)
    calls = _known_views.get((key, spec))
    if calls is None:
        calls = _known_views[key, spec] = _parsed_views(operation, key, spec)
    return calls


def _parsed_views(operation: str, key: IndexLike, spec: TensorSpec) -> Calls:
    parts, shape = _parse(operation, key, spec.shape)
    calls: Calls = ()
    if any(part != (0, n, 1) for part, n in zip(parts, spec.shape, strict=True)):
        calls = (op_instance(SLICE, (spec,), parts),)
        spec = calls[0].spec
    return calls if spec.shape == shape else (*calls, op_instance(RESHAPE, (spec,), shape))


def get(self: Tensor, key: IndexLike) -> Tensor:
    """Return the elements that a key selects.

    If the key has slices, ... or None, and integers besides, the result is a view as in NumPy:
    assigning to it, as in `x[0][1] = 9`, changes this tensor, and the other way around. Masks,
    tensors of indices and integers alone give values of their own. So does any key inside a traced
    or differentiated function, where assigning to such a part raises ArgumentError.

    Args:
        key: Integer, slice, ..., None, mask, tensor of indices, or a tuple of them. An index out of
            range in a tensor reads the nearest end, because the tensor is not read.

    Returns:
        Tensor of the same dtype.

    Raises:
        ShapeError: If the key does not fit the shape, or an index is out of range in a number, list
            or array of NumPy.

    >>> import py_tensor as pt
    >>> pt.arange(6)[::-2].tolist()
    [5, 3, 1]
    """
    found = element(self, key)
    if found is not None:
        return found
    if is_advanced(key):
        return chosen(self, key, selected)
    node = node_behind("getitem", self)
    calls = views_of("getitem", key, node.spec)
    part = Tensor(viewed_node(node, calls))
    return linked(self, part, calls) if part.ndim or _is_view(key) else part


def _is_view(key: IndexLike) -> bool:
    """Return True if NumPy selects an array and not a number, although it may have no axes."""
    return Ellipsis in key if isinstance(key, tuple) else key is Ellipsis


def selected(self: Tensor, key: IndexLike) -> Tensor:
    """Return the elements that a basic key selects, as a value of its own."""
    node = node_behind("getitem", self)
    return Tensor(viewed_node(node, views_of("getitem", key, node.spec)))


@named
def item(self: Tensor, *args: Any) -> Tensor:
    """Return the element at a position of the flattened tensor, or one for each axis."""
    given = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
    place = tuple(integer("item", "position", n) for n in given)
    return selected(self if len(place) == self.ndim else flatten(self), place)


def assigned(self: Tensor, key: IndexLike, value: ArrayLike) -> Tensor:
    """Return a tensor with the elements that the key selects replaced by `value`, broadcast."""
    node = node_behind("setitem", self)
    if is_advanced(key):
        key, value = with_chosen(self, key, _value(self, value), selected)
    calls = views_of("setitem", key, node.spec)
    return Tensor(with_part(node, calls, _fitting_value(self, calls, value)))


def _fitting_value(self: Tensor, calls: Calls, value: ArrayLike) -> OpNode:
    """Return the value to assign to views; raise ShapeError if it does not broadcast to them."""
    shape = calls[-1].spec.shape if calls else self.shape
    new = _value(self, value)._node
    if len(new.spec.shape) > len(shape) or any(
        a not in (1, b) for a, b in zip(reversed(new.spec.shape), reversed(shape), strict=False)
    ):
        raise ShapeError(
            f"setitem: shapes are incompatible; got {new.spec.shape} for a target of shape "
            f"{shape}; the value must broadcast to it"
        )
    return new


_RANKS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}
"""Rank of each dtype kind: an assigned tensor must not have a higher one. Casts reject complex
numbers."""


def _value(self: Tensor, value: ArrayLike) -> Tensor:
    """Convert an assigned value to the tensor's dtype; raise DTypeError for a higher kind."""
    if is_number(value):
        op = OP_DEFS["not_equal" if self.dtype is bool_ else "add"]
        new = operand_nodes(op, (self, value), "setitem")[1]
    else:
        new = node_behind("setitem", as_tensor("setitem", value))
        own, other = self.dtype, new.spec.dtype
        if _RANKS[own.kind] < _RANKS[other.kind] < _RANKS["c"]:
            raise DTypeError(
                f"setitem: dtype {other} does not promote to {own}; got a value of {other}; "
                f'use value.astype("{own}")'
            )
    if new.spec.dtype.kind == "c" and self.dtype.kind != "c":
        raise DTypeError(
            f"setitem: cannot convert complex numbers to dtype {self.dtype}; got "
            f"{new.spec.dtype}; use pt.real(x), pt.imag(x) or pt.abs(x)"
        )
    return Tensor(new if new.spec.dtype is self.dtype else node_of(CAST, (new,), self.dtype))


def set_items(self: Tensor, key: IndexLike, value: ArrayLike) -> None:
    """Replace the elements that the key selects, also in the tensor that this one is a part of.

    Raises ArgumentError for a part that was made inside a traced or differentiated function.
    """
    if set_element(self, key, value):
        return
    refuse_traced(self)
    if is_advanced(key):
        node_behind("setitem", self)
        value = _value(self, value)
        if not written(self, key, value):
            self._move(assigned(self, key, value)._node)
        return
    calls = views_of("setitem", key, node_behind("setitem", self).spec)
    assign(self, calls, _fitting_value(self, calls, value))


def replace(self: Tensor, key: IndexLike, value: ArrayLike) -> None:
    """Replace elements of this tensor only, which a module may do with a part of another one."""
    node = assigned(self, key, value)._node
    separate(self)
    self._move(node)


def take_along_axis(x: ArrayLike, indices: ArrayLike, /, axis: int | None = -1) -> Tensor:
    """Take elements along an axis by an index for each position of the result.

    Pass the results of `argsort` or `argmax` with `keepdims` as indices.

    Args:
        x: Tensor or array-like of any dtype.
        indices: Integers with as many axes as x; all axes but `axis` broadcast. Negative indices
            count from the end. An index out of range in a tensor reads the nearest end, because
            the tensor is not read.
        axis: Axis to take along; None for the flattened tensor; -1 by default.

    Returns:
        Tensor of the broadcast shape, as long as `indices` along the axis, and of the dtype of x.

    Raises:
        DTypeError: If the indices are not integers.
        ShapeError: If the shapes do not fit, the axis does not exist or x has no elements along it,
            or an index is out of range and `indices` is not a tensor.

    >>> import py_tensor as pt
    >>> pt.take_along_axis(pt.asarray([[1, 2], [3, 4]]), pt.asarray([[1], [0]])).tolist()
    [[2], [3]]
    """
    source = indices
    x, indices = as_tensor("take_along_axis", x), as_tensor("take_along_axis", indices)
    if axis is None:
        x, axis = flatten(x), 0
    if indices.dtype.kind not in "iu":
        raise DTypeError(
            f"take_along_axis: indices must be integers; got dtype {indices.dtype}; use "
            'indices.astype("int32")'
        )
    if x.ndim != indices.ndim:
        raise ShapeError(
            f"take_along_axis: numbers of axes must be equal; got shapes {x.shape} and "
            f"{indices.shape}; use as many axes"
        )
    axis = one_axis("take_along_axis", axis, x.ndim)
    length, count = x.shape[axis], indices.shape[axis]
    if not length and count:
        raise ShapeError(
            f"take_along_axis: cannot take from an empty axis; got length 0 of axis {axis} of "
            f"shape {x.shape}; use an axis with elements"
        )
    check_known_indices("take_along_axis", source, indices, axis, length)
    ones = [(*t.shape[:axis], 1, *t.shape[axis + 1 :]) for t in (x, indices)]
    shape = broadcast("take_along_axis", ones)
    x = broadcast_to(x, (*shape[:axis], length, *shape[axis + 1 :]))
    indices = broadcast_to(indices, (*shape[:axis], count, *shape[axis + 1 :]))
    places = astype(indices, "int32", copy=False)
    places = clip(where(places < 0, places + length, places), 0, length - 1)
    return Tensor(node_of(TAKE_ALONG_AXIS, (x._node, places._node), (axis, False)))


@remembered
def take(
    x: ArrayLike,
    indices: ArrayLike,
    /,
    axis: int | None = None,
    out: Tensor | None = None,
    mode: str = "raise",
) -> Tensor:
    """Take slices of x at positions along an axis.

    Args:
        x: Tensor or array-like of any dtype.
        indices: Integers of any shape. Negative indices count from the end.
        axis: Axis to take along; None (default) for the flattened tensor.
        out: Tensor to write the result to; None (default) for a new one.
        mode: "raise" (default) raises for an index out of range in a number, list or array of
            NumPy; one in a tensor reads the nearest end of the axis, because the tensor is not
            read. "wrap" takes indices modulo the length; "clip" also limits negative ones.

    Returns:
        Tensor of the shape of x with the axis replaced by the shape of `indices`, and the dtype of
        x.

    Raises:
        DTypeError: If the indices are not integers.
        ShapeError: If the axis does not exist or has no elements, or an index is out of range and
            `indices` is not a tensor.
        ArgumentError: If the mode is unknown.

    >>> import py_tensor as pt
    >>> pt.take(pt.asarray([[1, 2], [3, 4], [5, 6]]), [2, 0, -1], axis=0).tolist()
    [[5, 6], [1, 2], [5, 6]]
    """
    source = indices
    x, indices = as_tensor("take", x), as_tensor("take", indices)
    if axis is None:
        x, axis = flatten(x), 0
    axis = one_axis("take", axis, x.ndim)
    if choice("take", "mode", mode, OUT_OF_RANGE) != "raise":
        indices = limited(mode, indices, x.shape[axis])
    node, places = node_behind("take", x), node_behind("take", indices)
    taken = node_of(TAKE, (node, places), axis)
    if mode == "raise":
        check_known_indices("take", source, indices, axis, x.shape[axis])
    return Tensor(taken)


OUT_OF_RANGE = ("raise", "wrap", "clip")
"""Modes of NumPy for indices that are out of range."""


def limited(mode: str, indices: Tensor, length: int) -> Tensor:
    """Return indices modulo the length of an axis, or limited to it."""
    return indices % length if mode == "wrap" else clip(indices, 0, max(length - 1, 0))
