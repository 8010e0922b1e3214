"""Indexing by masks and by tensors of indices, read and assigned, as NumPy does.

Comes in: keys with at least one tensor, array or list among the slices; goes out: elements taken at
positions that are computed where the indices are. Masks are read, since a shape depends on them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ..dtypes import bool_, int32
from ..errors import ShapeError
from ..nodes import node_of
from ..ops.gathers import TAKE
from ..ops.rows import broadcast
from ..ops.sorts import ARGSORT
from ..schedule.sorts import PAIRS
from ..tensor import Tensor, as_tensor, asarray
from .creation import arange
from .elementwise import PUBLIC as ELEMENTWISE
from .elementwise import astype
from .halving import belonging
from .manipulation import broadcast_to, moveaxis, permute_dims, reshape
from .searching import flat_places, unraveled
from .statistical import PUBLIC as STATISTICAL

Get = Callable[[Tensor, Any], Tensor]


def is_advanced(key: Any) -> bool:
    """Whether a key has more than integers, slices, ... and None."""
    items = key if isinstance(key, tuple) else (key,)
    return any(map(_is_array, items))


def _is_array(item: Any) -> bool:
    return isinstance(item, (Tensor, list)) or (
        hasattr(item, "__array__") and getattr(item, "ndim", 0) > 0
    )


class Choice(NamedTuple):
    """A key taken apart: a basic key, and indices along some axes of what that gives."""

    basic: tuple[Any, ...]
    axes: tuple[int, ...]
    indices: tuple[Tensor, ...]
    shape: tuple[int, ...]
    """What the indices broadcast to."""
    place: int
    """Where these axes stand in the result."""
    ascending: bool
    """Whether each position comes once, and after those before it: a mask alone names it."""


def choice_of(operation: str, key: Any, shape: tuple[int, ...]) -> Choice:
    """The parts of a key for a tensor of a shape. Raises ShapeError where they do not fit."""
    items = [_converted(operation, item) for item in (key if isinstance(key, tuple) else (key,))]
    used = sum(_width(item) for item in items)
    if used > len(shape):
        raise ShapeError(
            f"{operation}: too many indices; got {used} for shape {shape}; "
            f"give at most {len(shape)}"
        )
    ellipses = [at for at, item in enumerate(items) if item is Ellipsis]
    if len(ellipses) > 1:
        raise ShapeError(f"{operation}: more than one ellipsis; got {key}; use one")
    at = ellipses[0] if ellipses else len(items)
    items[at : at + 1] = [slice(None)] * (len(shape) - used)
    basic: list[Any] = []
    axes: list[int] = []
    indices: list[Tensor] = []
    runs = 0
    before = False
    axis = 0
    arrays = [item for item in items if isinstance(item, (Tensor, int))]
    ascending = len(arrays) == 1 and getattr(arrays[0], "dtype", None) is bool_
    for item in items:
        array = isinstance(item, (Tensor, int))
        runs += array and not before
        before = array
        if not array:
            basic.append(item)
            axis += item is not None
            continue
        if isinstance(item, Tensor) and item.dtype.kind == "b" and not item.ndim:
            # It has or has not what a new axis of length 1 holds.
            axes.append(len(basic))
            indices.append(asarray(flat_places(operation, item), dtype="int32"))
            basic.append(None)
            continue
        for index in _indices(operation, item, axis, shape):
            axes.append(len(basic))
            indices.append(index)
            basic.append(slice(None))
            axis += 1
    together = broadcast(operation, [index.shape for index in indices])
    place = axes[0] if runs == 1 and axes else 0
    return Choice(tuple(basic), tuple(axes), tuple(indices), together, place, ascending)


def _converted(operation: str, item: Any) -> Any:
    """Integers, slices, None and ... as they are; all else as a tensor."""
    if item is None or item is Ellipsis or isinstance(item, slice):
        return item
    if not _is_array(item):
        if isinstance(item, (bool, float, str)) or not hasattr(item, "__index__"):
            raise ShapeError(
                f"{operation}: not an index; got {item!r}; use integers, slices, ..., None, and "
                "tensors of integers or bool"
            )
        return int(item)
    empty = isinstance(item, list) and not item
    tensor = as_tensor(operation, item, int32 if empty else None)
    if tensor.dtype.kind not in "iub":
        raise ShapeError(
            f"{operation}: index is neither integers nor a mask; got dtype {tensor.dtype}; "
            'use x.astype("int32")'
        )
    return tensor


def _width(item: Any) -> int:
    """How many axes an item stands for."""
    if item is None or item is Ellipsis:
        return 0
    return item.ndim if isinstance(item, Tensor) and item.dtype.kind == "b" else 1


def _indices(operation: str, item: Any, axis: int, shape: tuple[int, ...]) -> tuple[Tensor, ...]:
    """Indices from 0 on along each axis that an item stands for."""
    if isinstance(item, Tensor) and item.dtype.kind == "b":
        lengths = shape[axis : axis + item.ndim]
        if any(m not in (0, n) for m, n in zip(item.shape, lengths, strict=True)):
            raise ShapeError(
                f"{operation}: mask does not fit; got shape {item.shape} for axes of lengths "
                f"{lengths}; give one truth value an element"
            )
        places = asarray(flat_places(operation, item), dtype="int32")
        return unraveled(places, item.shape)
    length = shape[axis]
    if isinstance(item, int):
        if not -length <= item < length:
            raise ShapeError(
                f"{operation}: index out of range; got {item} for axis {axis} of length {length}; "
                + (f"use {-length} to {length - 1}" if length else "the axis is empty")
            )
        return (asarray(item % length),)
    if not length and item.size:
        raise ShapeError(
            f"{operation}: nothing to choose from; got axis {axis} of length 0 and {item.size} "
            "indices; give an axis with elements"
        )
    index = astype(item, "int32", copy=False)
    if item.dtype.kind == "i":
        index = ELEMENTWISE["where"](index < 0, index + length, index)
    return (index,)


class _Front(NamedTuple):
    """A tensor with the chosen axes as one in front, and the chosen positions along it."""

    flat: Tensor
    order: tuple[int, ...]
    places: Tensor


def _front(base: Tensor, choice: Choice) -> _Front:
    others = [axis for axis in range(base.ndim) if axis not in choice.axes]
    order = (*choice.axes, *others)
    lengths = [base.shape[axis] for axis in choice.axes]
    flat = reshape(
        permute_dims(base, order), (math.prod(lengths), *(base.shape[axis] for axis in others))
    )
    places = choice.indices[0]
    for index, length in zip(choice.indices[1:], lengths[1:], strict=True):
        places = places * length + index
    return _Front(flat, order, broadcast_to(places, choice.shape))


def chosen(self: Tensor, key: Any, get: Get) -> Tensor:
    """The elements that a key with tensors names; `get` is indexing without them."""
    choice = choice_of("getitem", key, self.shape)
    flat, _, places = _front(get(self, choice.basic), choice)
    found = _taken(flat, places)
    count = len(choice.shape)
    return moveaxis(found, range(count), range(choice.place, choice.place + count))


def with_chosen(self: Tensor, key: Any, value: Tensor, get: Get) -> tuple[Any, Tensor]:
    """A basic key, and what to assign to it so that what `key` names becomes `value`.

    Of several values for one place the last stays. `value` has the tensor's dtype.
    """
    items = key if isinstance(key, tuple) else (key,)
    mask = as_tensor("setitem", items[0]) if len(items) == 1 and value.size == 1 else None
    if mask is not None and mask.dtype.kind == "b":
        choice_fits(mask, self.shape)
        wide = reshape(mask, (*mask.shape, *(1,) * (self.ndim - mask.ndim)))
        return ..., ELEMENTWISE["where"](wide, reshape(value, ()), self)
    choice = choice_of("setitem", key, self.shape)
    base = get(self, choice.basic)
    flat, order, places = _front(base, choice)
    rest = flat.shape[1:]
    shape = (*rest[: choice.place], *choice.shape, *rest[choice.place :])
    if value.ndim > len(shape) or any(
        a not in (1, b) for a, b in zip(reversed(value.shape), reversed(shape), strict=False)
    ):
        raise ShapeError(
            f"setitem: shapes do not fit; got {value.shape} for a place of shape {shape}; "
            "the value must broadcast to it"
        )
    count = len(choice.shape)
    new = moveaxis(
        broadcast_to(value, shape), range(choice.place, choice.place + count), range(count)
    )
    if not places.size or not flat.size:
        return choice.basic, base
    new = reshape(new, (places.size, *rest))
    last = _last(reshape(places, (-1,)), flat.shape[0], choice.ascending)
    taken = _taken(new, ELEMENTWISE["maximum"](last, 0))
    hit = reshape(last >= 0, (-1, *(1,) * len(rest)))
    result = reshape(
        ELEMENTWISE["where"](hit, taken, flat), tuple(base.shape[axis] for axis in order)
    )
    back = tuple(order.index(axis) for axis in range(base.ndim))
    return choice.basic, permute_dims(result, back)


def _last(places: Tensor, length: int, ascending: bool) -> Tensor:
    """For each position up to `length` the last of the places that hold it, or -1."""
    positions = arange(length)
    if places.size * length <= PAIRS:
        here = reshape(places, (1, -1)) == reshape(positions, (-1, 1))
        return STATISTICAL["max"](ELEMENTWISE["where"](here, arange(places.size), -1), axis=1)
    order = None if ascending else Tensor(node_of(ARGSORT, (places._node,), (0, False)))
    keys = places if order is None else _taken(places, order)
    found = belonging(keys, positions, "right") - 1
    last = ELEMENTWISE["maximum"](found, 0)
    holds = (found >= 0) & (_taken(keys, last) == positions)
    return ELEMENTWISE["where"](holds, last if order is None else _taken(order, last), -1)


def _taken(x: Tensor, places: Tensor) -> Tensor:
    return Tensor(node_of(TAKE, (x._node, places._node), 0))


def choice_fits(mask: Tensor, shape: tuple[int, ...]) -> None:
    """Raises ShapeError for a mask of another shape than a tensor's first axes."""
    if mask.shape != shape[: mask.ndim]:
        raise ShapeError(
            f"setitem: mask does not fit; got shape {mask.shape} for a tensor of shape {shape}; "
            "give one truth value an element"
        )
