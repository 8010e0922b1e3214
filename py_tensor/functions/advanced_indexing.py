"""Indexing by masks and by tensors of indices, for reading and assignment, as in NumPy.

Input: keys with at least one tensor, array or list among the slices. Output: elements taken at
positions that are computed on the device. Masks are read back, since the shape of the result
depends on them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..dtypes import bool_, int32
from ..errors import ShapeError
from ..ir.node import node_of
from ..ops.gathers import TAKE
from ..ops.op_def import broadcast
from ..ops.sorts import LAST_POSITION
from ..tensor import Tensor, as_tensor
from .arguments import check_known_indices, out_of_range
from .conversion import asarray
from .elementwise import astype, maximum, where
from .host_memory import array_of, computed_here, numpy_here, of_array
from .manipulation import broadcast_to, moveaxis, permute_dims, reshape
from .parts import write_at
from .searching import flat_places, unraveled

Get = Callable[[Tensor, Any], Tensor]


def is_advanced(key: Any) -> bool:
    """Return True if a key has items other than integers, slices, ... and None."""
    items = key if isinstance(key, tuple) else (key,)
    return any(map(_is_array, items))


def _is_array(item: Any) -> bool:
    return isinstance(item, (Tensor, list, bool, tuple, range)) or (
        hasattr(item, "__array__") and getattr(item, "ndim", 0) > 0
    )


class Choice(NamedTuple):
    """A parsed key: a basic key, and indices along some axes of the tensor that it selects."""

    basic: tuple[Any, ...]
    axes: tuple[int, ...]
    indices: tuple[Tensor, ...]
    shape: tuple[int, ...]
    """Shape that the indices broadcast to."""
    place: int
    """Position of the indexed axes in the result."""
    ascending: bool
    """True if positions are distinct and in ascending order, as for a single mask."""


def choice_of(operation: str, key: Any, shape: tuple[int, ...]) -> Choice:
    """Parse a key for a tensor of a shape; raise ShapeError if it does not fit."""
    keys = list(key) if isinstance(key, tuple) else [key]
    items = [_converted(operation, item) for item in keys]
    used = sum(_width(item) for item in items)
    if used > len(shape):
        raise ShapeError(
            f"{operation}: too many indices; got {used} for shape {shape}; use at most {len(shape)}"
        )
    ellipses = [at for at, item in enumerate(items) if item is Ellipsis]
    if len(ellipses) > 1:
        raise ShapeError(f"{operation}: more than one ellipsis; got {key}; use one")
    at = ellipses[0] if ellipses else len(items)
    for sequence in (keys, items):
        sequence[at : at + 1] = [slice(None)] * (len(shape) - used)
    basic: list[Any] = []
    axes: list[int] = []
    indices: list[Tensor] = []
    runs = 0
    before = False
    axis = 0
    arrays = [item for item in items if isinstance(item, (Tensor, int))]
    ascending = len(arrays) == 1 and getattr(arrays[0], "dtype", None) is bool_
    for item, source in zip(items, keys, strict=True):
        array = isinstance(item, (Tensor, int))
        runs += array and not before
        before = array
        if not array:
            basic.append(item)
            axis += item is not None
            continue
        if isinstance(item, Tensor) and item.dtype.kind == "b" and not item.ndim:
            # A 0-d mask keeps or drops the element of a new axis of length 1.
            axes.append(len(basic))
            indices.append(flat_places(operation, item))
            basic.append(None)
            continue
        for index in _indices(operation, item, source, axis, shape):
            axes.append(len(basic))
            indices.append(index)
            basic.append(slice(None))
            axis += 1
    together = broadcast(operation, [index.shape for index in indices])
    front = axes[0] if runs == 1 and axes else 0
    return Choice(tuple(basic), tuple(axes), tuple(indices), together, front, ascending)


def _converted(operation: str, item: Any) -> Any:
    """Return integers, slices, None and ... unchanged, and other items as tensors."""
    if item is None or item is Ellipsis or isinstance(item, slice):
        return item
    if not _is_array(item):
        if isinstance(item, (bool, float, str)) or not hasattr(item, "__index__"):
            raise ShapeError(
                f"{operation}: invalid index; got {item!r}; use integers, slices, ..., None, and "
                "tensors of integers or bool"
            )
        return int(item)
    item = list(item) if isinstance(item, range) else item
    empty = isinstance(item, (list, tuple)) and not item
    tensor = as_tensor(operation, item, int32 if empty else None)
    if tensor.dtype.kind not in "iub":
        raise ShapeError(
            f"{operation}: index must be integers or a mask; got dtype {tensor.dtype}; use "
            'x.astype("int32")'
        )
    return tensor


def _width(item: Any) -> int:
    """Return the number of axes that an item indexes."""
    if item is None or item is Ellipsis:
        return 0
    return item.ndim if isinstance(item, Tensor) and item.dtype.kind == "b" else 1


def _indices(
    operation: str, item: Any, source: Any, axis: int, shape: tuple[int, ...]
) -> tuple[Tensor, ...]:
    """Return indices along each axis that an item indexes; negative ones count from the end.

    `source` is the part of the user's key that the item was converted from.
    """
    if isinstance(item, Tensor) and item.dtype.kind == "b":
        lengths = shape[axis : axis + item.ndim]
        if any(m not in (0, n) for m, n in zip(item.shape, lengths, strict=True)):
            raise ShapeError(
                f"{operation}: mask has the wrong shape; got shape {item.shape} for axes of "
                f"lengths {lengths}; use one bool per element"
            )
        return unraveled(flat_places(operation, item), item.shape)
    length = shape[axis]
    if isinstance(item, int):
        if not -length <= item < length:
            raise out_of_range(operation, item, axis, length)
        return (asarray(item % length),)
    if not length and item.size:
        raise ShapeError(
            f"{operation}: cannot index an empty axis; got axis {axis} of length 0 and {item.size} "
            "indices; use an axis with elements"
        )
    check_known_indices(operation, source, item, axis, length)
    return (astype(item, "int32", copy=False),)


class _Front(NamedTuple):
    """A tensor with the indexed axes merged into the first one, and the positions along it."""

    flat: Tensor
    order: tuple[int, ...]
    places: Tensor


def _front(base: Tensor, choice: Choice) -> _Front:
    kept = [axis for axis in range(base.ndim) if axis not in choice.axes]
    order = (*choice.axes, *kept)
    lengths = [base.shape[axis] for axis in choice.axes]
    flat = reshape(
        permute_dims(base, order), (math.prod(lengths), *(base.shape[axis] for axis in kept))
    )
    places = choice.indices[0]
    for index, length in zip(choice.indices[1:], lengths[1:], strict=True):
        index = index if choice.ascending else _from_start(index, length)
        places = places * length + index
    return _Front(flat, order, broadcast_to(places, choice.shape))


def _from_start(index: Tensor, length: int) -> Tensor:
    return where(index < 0, index + length, index)


def chosen(self: Tensor, key: Any, get: Get) -> Tensor:
    """Return the elements that an advanced key selects; `get` is basic indexing."""
    only = _only_array("getitem", key)
    here = None if only is None else computed_here(lambda _, x: _elements(x, (), (only,)), self)
    if here is None:
        choice = choice_of("getitem", key, self.shape)
        here = computed_here(
            lambda _, x, *at: _elements(x, choice.basic, _items(choice, at)), self, *choice.indices
        )
    if here is not None:
        return of_array("getitem", here, self.dtype)
    flat, _, places = _front(get(self, choice.basic), choice)
    selected = _taken(flat, places)
    count = len(choice.shape)
    return moveaxis(selected, range(count), range(choice.place, choice.place + count))


def _only_array(operation: str, key: Any) -> Any:
    """Return an array that is the whole key, if NumPy computes here and is fast with it."""
    np = numpy_here()
    if np is None or isinstance(key, tuple):
        return None
    if not isinstance(key, np.ndarray):
        key = array_of(np, as_tensor(operation, key)._node)
    kind = None if key is None else key.dtype.kind
    return key if kind in ("i", "u") or (kind == "b" and key.size <= _FEW) else None


_FEW = 1 << 14
"""Elements of a mask up to which NumPy takes less time than to find positions first."""


def _elements(x: Any, basic: tuple[Any, ...], key: Any) -> Any:
    """Return a new array of the elements at indices; None if one is out of range."""
    try:
        elements = x[basic][(*key, ...)]
    except IndexError:
        return None
    return elements if elements.base is None else elements.copy()


def _items(choice: Choice, indices: Sequence[Any]) -> tuple[Any, ...]:
    """Return the key to apply after the basic key."""
    items: list[Any] = [slice(None)] * len(choice.basic)
    for axis, index in zip(choice.axes, indices, strict=True):
        items[axis] = index
    return tuple(items)


def _only_mask(self: Tensor, key: Any, value: Tensor) -> Tensor | None:
    """Return the mask if a key is one, and the value a single element; check the mask's shape."""
    items = key if isinstance(key, tuple) else (key,)
    if len(items) != 1 or value.size != 1:
        return None
    mask = as_tensor("setitem", items[0])
    if mask.dtype.kind != "b":
        return None
    choice_fits(mask, self.shape)
    return mask


def written(self: Tensor, key: Any, value: Tensor) -> bool:
    """Assign `value` to `key` in host memory; return False, having done nothing, if that fails.

    `value` has the tensor's dtype.
    """
    if numpy_here() is None:
        return False
    only = _only_array("setitem", key)
    if only is not None:
        lost, new = (only.ndim, 1) if only.dtype.kind == "b" else (1, only.ndim)
        fits = value.ndim <= self.ndim - lost + new
        return fits and write_at(self, (only,), value._node)
    mask = _only_mask(self, key, value)
    choice = choice_of("setitem", key if mask is None else mask, self.shape)
    if value.ndim > len(choice.basic) - len(choice.axes) + len(choice.shape):
        return False
    items = computed_here(lambda np, *indices: _items(choice, indices), *choice.indices)
    return items is not None and write_at(self, (choice.basic, items), value._node)


def with_chosen(self: Tensor, key: Any, value: Tensor, get: Get) -> tuple[Any, Tensor]:
    """Return a basic key, and the value to assign to it, that together assign `value` to `key`.

    If a position occurs several times, the last value is used. `value` has the tensor's dtype.
    """
    mask = _only_mask(self, key, value)
    if mask is not None:
        wide = reshape(mask, (*mask.shape, *(1,) * (self.ndim - mask.ndim)))
        return ..., where(wide, reshape(value, ()), self)
    choice = choice_of("setitem", key, self.shape)
    base = get(self, choice.basic)
    flat, order, places = _front(base, choice)
    rest = flat.shape[1:]
    shape = (*rest[: choice.place], *choice.shape, *rest[choice.place :])
    if value.ndim > len(shape) or any(
        a not in (1, b) for a, b in zip(reversed(value.shape), reversed(shape), strict=False)
    ):
        raise ShapeError(
            f"setitem: shapes are incompatible; got {value.shape} for a target of shape {shape}; "
            "the value must broadcast to it"
        )
    count = len(choice.shape)
    new = moveaxis(
        broadcast_to(value, shape), range(choice.place, choice.place + count), range(count)
    )
    if not places.size or not flat.size:
        return choice.basic, base
    new = reshape(new, (places.size, *rest))
    places = _from_start(reshape(places, (-1,)), flat.shape[0])
    last = Tensor(node_of(LAST_POSITION, (places._node,), (flat.shape[0], choice.ascending)))
    taken = _taken(new, maximum(last, 0))
    hit = reshape(last >= 0, (-1, *(1,) * len(rest)))
    result = reshape(where(hit, taken, flat), tuple(base.shape[axis] for axis in order))
    back = tuple(order.index(axis) for axis in range(base.ndim))
    return choice.basic, permute_dims(result, back)


def _taken(x: Tensor, places: Tensor) -> Tensor:
    return Tensor(node_of(TAKE, (x._node, places._node), 0))


def choice_fits(mask: Tensor, shape: tuple[int, ...]) -> None:
    """Raise ShapeError if a mask's shape differs from the tensor's first axes."""
    if mask.shape != shape[: mask.ndim]:
        raise ShapeError(
            f"setitem: mask has the wrong shape; got shape {mask.shape} for a tensor of shape "
            f"{shape}; use one bool per element"
        )
