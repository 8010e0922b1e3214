"""Join, split, turn and edit arrays along axes, as NumPy's functions of these names do."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

from .. import functions as F
from ..dtypes import wrong_type
from ..errors import ShapeError
from ..functions.arguments import (
    MOST_STEPS,
    a_shape,
    function_of,
    integer,
    items,
    lengths_of,
    one_axis,
    some_axes,
)
from ..functions.decorators import named
from ..functions.indexing import get, selected
from ..functions.parts import is_contiguous
from ..functions.searching import flat_places
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, Axis, DTypeLike, ShapeLike
from .arithmetic import flat_or_along, iterable


def _at_least(operation: str, arrays: tuple[Any, ...], convert: Callable[[Tensor], Tensor]) -> Any:
    tensors = [convert(as_tensor(operation, x)) for x in arrays]
    return tensors[0] if len(tensors) == 1 else tuple(tensors)


def _two(x: Tensor) -> Tensor:
    return F.reshape(x, (1,) * (2 - x.ndim) + x.shape)


def _three(x: Tensor) -> Tensor:
    return F.expand_dims(_two(x), axis=2) if x.ndim < 3 else x


def atleast_1d(*arys: ArrayLike) -> Any:
    """Convert numbers to vectors of one element; other arguments keep their shape.

    Args:
        arys: Tensors or array-likes.

    Returns:
        Tensor, or a tuple of one for each of several arguments.

    >>> import py_tensor as pt
    >>> pt.atleast_1d(3).shape
    (1,)
    """
    return _at_least("atleast_1d", arys, lambda x: x if x.ndim else F.reshape(x, (1,)))


def atleast_2d(*arys: ArrayLike) -> Any:
    """Add axes of length 1 in front up to two axes.

    Args:
        arys: Tensors or array-likes.

    Returns:
        Tensor, or a tuple of one for each of several arguments.

    >>> import py_tensor as pt
    >>> pt.atleast_2d([1, 2]).shape
    (1, 2)
    """
    return _at_least("atleast_2d", arys, _two)


def atleast_3d(*arys: ArrayLike) -> Any:
    """Add axes of length 1 up to three axes: vectors become (1, n, 1), matrices (m, n, 1).

    Args:
        arys: Tensors or array-likes.

    Returns:
        Tensor, or a tuple of one for each of several arguments.

    >>> import py_tensor as pt
    >>> pt.atleast_3d([1, 2]).shape
    (1, 2, 1)
    """
    return _at_least("atleast_3d", arys, _three)


def _several(arrays: Any) -> tuple[Any, ...]:
    """Return the arrays to join."""
    return items("stack", "arrays", arrays)


_MOST_AXES = 64
"""Largest number of axes that `array` adds, as in NumPy."""


@named
def hstack(tup: Sequence[ArrayLike]) -> Tensor:
    """Join arrays along the second axis; vectors along the first one.

    Args:
        tup: Sequence of tensors or array-likes.

    Returns:
        Tensor in the promoted dtype.

    Raises:
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> pt.hstack([[1, 2], [3]]).tolist()
    [1, 2, 3]
    """
    arrays = [atleast_1d(x) for x in _several(tup)]
    return F.concat(arrays, axis=0 if arrays and arrays[0].ndim == 1 else 1)


@named
def vstack(tup: Sequence[ArrayLike]) -> Tensor:
    """Join arrays along the first axis; vectors become rows.

    Args:
        tup: Sequence of tensors or array-likes.

    Returns:
        Tensor in the promoted dtype.

    Raises:
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> pt.vstack([[1, 2], [3, 4]]).tolist()
    [[1, 2], [3, 4]]
    """
    return F.concat([atleast_2d(x) for x in _several(tup)], axis=0)


@named
def dstack(tup: Sequence[ArrayLike]) -> Tensor:
    """Join arrays along the third axis.

    Args:
        tup: Sequence of tensors or array-likes.

    Returns:
        Tensor in the promoted dtype, with at least three axes.

    Raises:
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> pt.dstack([[1, 2], [3, 4]]).tolist()
    [[[1, 3], [2, 4]]]
    """
    return F.concat([atleast_3d(x) for x in _several(tup)], axis=2)


@named
def column_stack(tup: Sequence[ArrayLike]) -> Tensor:
    """Join vectors as columns of a matrix; matrices are joined as they are.

    Args:
        tup: Sequence of tensors or array-likes.

    Returns:
        Matrix in the promoted dtype.

    Raises:
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> pt.column_stack([[1, 2], [3, 4]]).tolist()
    [[1, 3], [2, 4]]
    """
    arrays = [as_tensor("column_stack", x) for x in _several(tup)]
    return F.concat([F.reshape(x, (-1, 1)) if x.ndim < 2 else x for x in arrays], axis=1)


@named
def block(arrays: ArrayLike | Sequence[Any]) -> Tensor:
    """Join nested lists of blocks: the innermost lists along the last axis, and so on.

    Args:
        arrays: Tensor, number, or nested lists of them.

    Returns:
        Tensor in the promoted dtype.

    Raises:
        ShapeError: If the shapes or depths do not fit.

    >>> import py_tensor as pt
    >>> pt.block([[pt.ones((1, 1)), pt.zeros((1, 2))], [pt.zeros((1, 3))]]).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """

    def depth(item: Any) -> int:
        if not isinstance(item, list):
            return 0
        depths = {depth(part) for part in item}
        if len(depths) != 1:
            raise ShapeError("block: lists differ in depth; got a ragged nest; make depths equal")
        return 1 + depths.pop()

    def blocks(item: Any) -> list[Any]:
        if isinstance(item, list):
            return [leaf for part in item for leaf in blocks(part)]
        return [as_tensor("block", item)]

    levels = depth(arrays)
    ndim = max(levels, *(x.ndim for x in blocks(arrays)))

    def joined(item: Any, level: int) -> Tensor:
        if level:
            return F.concat([joined(part, level - 1) for part in item], axis=-level)
        x = as_tensor("block", item)
        return F.reshape(x, (1,) * (ndim - x.ndim) + x.shape)

    return joined(arrays, levels)


@named
def array_split(
    ary: ArrayLike, indices_or_sections: int | Sequence[int] | ArrayLike, axis: int = 0
) -> list[Tensor]:
    """Split an array along an axis; the parts may differ in length.

    Args:
        ary: Tensor or array-like.
        indices_or_sections: Number of parts, or the positions at which parts begin.
        axis: Axis to split; 0 by default.

    Returns:
        List of tensors.

    Raises:
        ShapeError: If the number of parts is below 1 or the axis does not exist.

    >>> import py_tensor as pt
    >>> [part.tolist() for part in pt.array_split([1, 2, 3], 2)]
    [[1, 2], [3]]
    """
    x = as_tensor("array_split", ary)
    along = one_axis("array_split", axis, x.ndim)
    length = x.shape[along]
    sections = indices_or_sections
    sections = sections.tolist() if hasattr(sections, "tolist") else sections
    if not isinstance(sections, Iterable):
        count = integer("array_split", "number of parts", sections, most=MOST_STEPS)
        if count < 1:
            raise ShapeError(f"array_split: number of parts too small; got {count}; use 1 or more")
        small, larger = length // count, length % count
        cuts = [at * small + min(at, larger) for at in range(count + 1)]
    else:
        places = items("array_split", "positions", sections)
        cuts = [0, *(integer("array_split", "position", at) for at in places), length]
    before = (slice(None),) * along
    return [get(x, (*before, slice(start, stop))) for start, stop in pairwise(cuts)]


@named
def split(
    ary: ArrayLike, indices_or_sections: int | Sequence[int] | ArrayLike, axis: int = 0
) -> list[Tensor]:
    """Split an array along an axis into parts of equal length, or at positions.

    Args:
        ary: Tensor or array-like.
        indices_or_sections: Number of parts, or the positions at which parts begin.
        axis: Axis to split; 0 by default.

    Returns:
        List of tensors.

    Raises:
        ShapeError: If the length is no multiple of the number of parts.

    >>> import py_tensor as pt
    >>> [part.tolist() for part in pt.split([1, 2, 3, 4], [1, 3])]
    [[1], [2, 3], [4]]
    """
    x = as_tensor("split", ary)
    length = x.shape[one_axis("split", axis, x.ndim)]
    if isinstance(indices_or_sections, int) and length % (indices_or_sections or 1):
        raise ShapeError(
            f"split: no equal parts; got length {length} and {indices_or_sections} parts; "
            "use array_split"
        )
    return array_split(x, indices_or_sections, axis)


@named
def hsplit(ary: ArrayLike, indices_or_sections: int | Sequence[int] | ArrayLike) -> list[Tensor]:
    """Split an array along the second axis; a vector along the first one.

    Args:
        ary: Tensor or array-like.
        indices_or_sections: Number of parts, or the positions at which parts begin.

    Returns:
        List of tensors.

    Raises:
        ShapeError: If the parts are not equal, or there are no axes.

    >>> import py_tensor as pt
    >>> [part.tolist() for part in pt.hsplit([[1, 2], [3, 4]], 2)]
    [[[1], [3]], [[2], [4]]]
    """
    x = as_tensor("hsplit", ary)
    return split(x, indices_or_sections, 1 if x.ndim > 1 else 0)


@named
def vsplit(ary: ArrayLike, indices_or_sections: int | Sequence[int] | ArrayLike) -> list[Tensor]:
    """Split an array of two or more axes along the first axis.

    Args:
        ary: Tensor or array-like.
        indices_or_sections: Number of parts, or the positions at which parts begin.

    Returns:
        List of tensors.

    Raises:
        ShapeError: If the parts are not equal, or there are fewer than two axes.

    >>> import py_tensor as pt
    >>> [part.tolist() for part in pt.vsplit([[1, 2], [3, 4]], 2)]
    [[[1, 2]], [[3, 4]]]
    """
    return _split_along("vsplit", ary, indices_or_sections, 0, 2)


@named
def dsplit(ary: ArrayLike, indices_or_sections: int | Sequence[int] | ArrayLike) -> list[Tensor]:
    """Split an array of three or more axes along the third axis.

    Args:
        ary: Tensor or array-like.
        indices_or_sections: Number of parts, or the positions at which parts begin.

    Returns:
        List of tensors.

    Raises:
        ShapeError: If the parts are not equal, or there are fewer than three axes.

    >>> import py_tensor as pt
    >>> [part.shape for part in pt.dsplit(pt.ones((2, 2, 4)), 2)]
    [(2, 2, 2), (2, 2, 2)]
    """
    return _split_along("dsplit", ary, indices_or_sections, 2, 3)


def _split_along(operation: str, ary: Any, parts: Any, axis: int, ndim: int) -> list[Tensor]:
    x = as_tensor(operation, ary)
    if x.ndim < ndim:
        raise ShapeError(f"{operation}: too few axes; got shape {x.shape}; use {ndim} or more")
    return split(x, parts, axis)


@named
def append(arr: ArrayLike, values: ArrayLike, axis: int | None = None) -> Tensor:
    """Join values to the end of an array.

    Args:
        arr: Tensor or array-like.
        values: Tensor or array-like.
        axis: Axis to join along; None (default) joins the flattened arrays.

    Returns:
        Tensor in the promoted dtype.

    Raises:
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> pt.append([1, 2], [[3], [4]]).tolist()
    [1, 2, 3, 4]
    """
    first, second = as_tensor("append", arr), as_tensor("append", values)
    if axis is None:
        first, second, axis = F.flatten(first), F.flatten(second), 0
    return F.concat([first, second], axis=axis)


def _positions(operation: str, obj: Any, length: int, limit: int) -> list[int] | Tensor:
    """Return non-negative positions from integers, a slice or a mask, which are read back.

    More than a few integers are returned as a tensor.
    """
    if isinstance(obj, slice):
        steps = range(*obj.indices(length))
        return list(steps) if len(steps) <= _FEW else F.arange(steps.start, steps.stop, steps.step)
    if not iterable(obj) or len(obj) <= _FEW:
        numbers = obj.tolist() if hasattr(obj, "tolist") else obj
        values = numbers if isinstance(numbers, list | tuple) else [numbers]
        if values and all(isinstance(value, bool) for value in values):
            _check_mask(operation, len(values), length, limit)
            return [at for at, chosen in enumerate(values) if chosen]
        positions = [integer(operation, "position", value) for value in values]
        if positions:
            _check_positions(operation, min(positions), max(positions), length, limit)
        return [value % length if value < 0 else value for value in positions]
    many = as_tensor(operation, obj)
    if many.ndim != 1 or many.dtype.kind not in "iub":
        raise wrong_type(operation, "position", "an integer", obj[0], "an int")
    if many.dtype.kind == "b":
        _check_mask(operation, many.size, length, limit)
        return flat_places(operation, many)
    low, high = int(F.min(many).item()), int(F.max(many).item())
    _check_positions(operation, low, high, length, limit)
    many = F.astype(many, "int32", copy=False)
    return F.where(many < 0, many + length, many) if low < 0 else many


def _check_positions(operation: str, low: int, high: int, length: int, limit: int) -> None:
    if low < -length or high >= limit:
        raise ShapeError(
            f"{operation}: index out of range; got {low if low < -length else high} for length "
            f"{length}; use {-length} to {limit - 1}"
        )


def _check_mask(operation: str, size: int, length: int, limit: int) -> None:
    if not length <= size <= limit:
        raise ShapeError(
            f"{operation}: mask has the wrong length; got {size} for length {length}; use one bool "
            "per element"
        )


_FEW = 8
"""Positions up to which joining slices is faster than taking elements."""


def _slices(x: Tensor, axis: int, positions: list[int], skipped: int) -> list[Tensor]:
    """Return the slices before, between and after positions, without some elements at each."""
    starts = (0, *(at + skipped for at in positions))
    stops = (*positions, x.shape[axis])
    return [_part(x, axis, *ends) for ends in zip(starts, stops, strict=True)]


def _part(x: Tensor, axis: int, start: int, stop: int) -> Tensor:
    return selected(x, ((slice(None),) * axis) + (slice(start, stop),))


def _others(length: int, positions: Tensor) -> Tensor:
    """Return a mask of the elements that are not at positions."""
    mask = F.ones((length,), dtype="bool")
    mask[positions] = False
    return mask


@named
def delete(arr: ArrayLike, obj: int | slice | ArrayLike, axis: int | None = None) -> Tensor:
    """Leave out the elements at positions along an axis.

    Args:
        arr: Tensor or array-like.
        obj: Position, sequence of positions, mask or slice; tensors are read back.
        axis: Axis; None (default) for the flattened array.

    Returns:
        Tensor of the dtype of `arr`.

    Raises:
        ShapeError: If a position is out of range, or a mask has another length.

    >>> import py_tensor as pt
    >>> pt.delete([1, 2, 3, 4], [0, 2]).tolist()
    [2, 4]
    """
    x, along = flat_or_along("delete", arr, axis)
    length = x.shape[along]
    positions = _positions("delete", obj, length, length)
    if isinstance(positions, list):
        return F.concat(_slices(x, along, sorted(set(positions)), 1), axis=along)
    places = flat_places("delete", _others(length, positions))
    return F.take(x, places, axis=along)


@named
def insert(
    arr: ArrayLike, obj: int | slice | ArrayLike, values: ArrayLike, axis: int | None = None
) -> Tensor:
    """Insert values before positions along an axis.

    Args:
        arr: Tensor or array-like.
        obj: Position, sequence of positions, mask or slice; they count in `arr`, and tensors are
            read back.
        values: Values to insert, in the dtype of `arr`; they broadcast.
        axis: Axis; None (default) for the flattened array.

    Returns:
        Tensor of the dtype of `arr`.

    Raises:
        ShapeError: If a position is out of range, or a mask or the values do not fit.

    >>> import py_tensor as pt
    >>> pt.insert([1, 2, 3], [0, 2], [7, 8]).tolist()
    [7, 1, 2, 8, 3]
    """
    x, along = flat_or_along("insert", arr, axis)
    length = x.shape[along]
    positions = _positions("insert", obj, length, length + 1)
    new = F.astype(as_tensor("insert", values), x.dtype, copy=False)
    count = len(positions)
    new = F.reshape(new, (1,) * (x.ndim - new.ndim) + new.shape)
    if count == 1 and not isinstance(obj, slice):
        # A single position takes several slices; an index without axes takes them from axis 0.
        new = new if iterable(obj) else F.moveaxis(new, 0, along)
        count = new.shape[along]
    new = F.broadcast_to(new, (*x.shape[:along], count, *x.shape[along + 1 :]))
    if isinstance(positions, list):
        order = sorted(range(len(positions)), key=positions.__getitem__)
        first, *others = _slices(x, along, sorted(positions), 0)
        if len(order) == 1:
            return F.concat([first, new, *others], axis=along)
        parts = [_part(new, along, at, at + 1) for at in order]
        pairs = zip(parts, others, strict=True)
        return F.concat([first, *(part for pair in pairs for part in pair)], axis=along)
    ranks = F.argsort(positions)
    is_old = _others(length + count, F.take(positions, ranks) + F.arange(count))
    old = F.cumulative_sum(F.astype(is_old, "int32"))
    number = F.take(ranks, F.arange(length + count) - old)
    joined = F.concat([x, new], axis=along)
    return F.take(joined, F.where(is_old, old - 1, length + number), axis=along)


@named
def resize(a: ArrayLike, new_shape: ShapeLike) -> Tensor:
    """Return an array of another size, filled with repetitions of the elements.

    Args:
        a: Tensor or array-like.
        new_shape: Length or sequence of lengths.

    Returns:
        Tensor of the dtype of a; zeros if a is empty.

    Raises:
        ShapeError: If a length is negative.

    >>> import py_tensor as pt
    >>> pt.resize([1, 2, 3], (2, 2)).tolist()
    [[1, 2], [3, 1]]
    """
    x = F.flatten(as_tensor("resize", a))
    shape = a_shape("resize", new_shape)
    size = math.prod(shape)
    if not x.size:
        return F.zeros(shape, dtype=x.dtype)
    repeated = F.tile(x, -(-size // x.size)) if size > x.size else x
    return F.reshape(repeated[:size], shape)


@named
def rot90(m: ArrayLike, k: int = 1, axes: Sequence[int] = (0, 1)) -> Tensor:
    """Rotate by multiples of 90 degrees in the plane of two axes.

    Args:
        m: Tensor or array-like of two or more axes.
        k: Number of rotations from the first towards the second axis; 1 by default.
        axes: The two axes; (0, 1) by default.

    Returns:
        Tensor of the dtype of m.

    Raises:
        ShapeError: If the axes are not two different ones.

    >>> import py_tensor as pt
    >>> pt.rot90([[1, 2], [3, 4]]).tolist()
    [[2, 4], [1, 3]]
    """
    x = as_tensor("rot90", m)
    pair = items("rot90", "axes", axes)
    if len(pair) != 2:
        raise ShapeError(f"rot90: not two axes; got {pair}; name two")
    some_axes("rot90", pair, x.ndim)
    first, second = (one_axis("rot90", axis, x.ndim) for axis in pair)
    turns = integer("rot90", "k", k) % 4
    if turns == 2:
        return F.flip(x, axis=(first, second))
    if turns == 1:
        return swapaxes(F.flip(x, axis=second), first, second)
    if turns == 3:
        return F.flip(swapaxes(x, first, second), axis=second)
    return F.copy(x)


@named
def fliplr(m: ArrayLike) -> Tensor:
    """Reverse the order of columns, along the second axis.

    Args:
        m: Tensor or array-like of two or more axes.

    Returns:
        Tensor of the shape and dtype of m.

    Raises:
        ShapeError: If m has fewer than two axes.

    >>> import py_tensor as pt
    >>> pt.fliplr([[1, 2], [3, 4]]).tolist()
    [[2, 1], [4, 3]]
    """
    return F.flip(m, axis=1)


@named
def flipud(m: ArrayLike) -> Tensor:
    """Reverse the order of rows, along the first axis.

    Args:
        m: Tensor or array-like of one or more axes.

    Returns:
        Tensor of the shape and dtype of m.

    Raises:
        ShapeError: If m has no axes.

    >>> import py_tensor as pt
    >>> pt.flipud([[1, 2], [3, 4]]).tolist()
    [[3, 4], [1, 2]]
    """
    return F.flip(m, axis=0)


@named
def swapaxes(a: ArrayLike, axis1: int, axis2: int) -> Tensor:
    """Swap two axes.

    Args:
        a: Tensor or array-like.
        axis1: First axis.
        axis2: Second axis.

    Returns:
        Tensor of the dtype of a.

    Raises:
        ShapeError: If an axis does not exist.

    >>> import py_tensor as pt
    >>> pt.swapaxes(pt.ones((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    x = as_tensor("swapaxes", a)
    first, second = (one_axis("swapaxes", axis, x.ndim) for axis in (axis1, axis2))
    order = list(range(x.ndim))
    order[first], order[second] = second, first
    return F.permute_dims(x, order)


@named
def rollaxis(a: ArrayLike, axis: int, start: int = 0) -> Tensor:
    """Move an axis backwards until it is before position `start`.

    Args:
        a: Tensor or array-like.
        axis: Axis to move.
        start: Position; 0 by default.

    Returns:
        Tensor of the dtype of a.

    Raises:
        ShapeError: If an axis does not exist.

    >>> import py_tensor as pt
    >>> pt.rollaxis(pt.ones((3, 4, 5)), 2).shape
    (5, 3, 4)
    """
    x = as_tensor("rollaxis", a)
    along = one_axis("rollaxis", axis, x.ndim)
    start = integer("rollaxis", "start", start)
    target = one_axis("rollaxis", start, x.ndim + 1) if start >= 0 else start + x.ndim
    return F.moveaxis(x, along, target - (target > along))


@named
def ravel(a: ArrayLike, order: str = "C") -> Tensor:
    """Return all elements in a vector, which is a view if they are in that order already.

    Args:
        a: Tensor or array-like.
        order: "C" (default), "A" or "K" for row-major order, "F" for column-major order.

    Returns:
        Vector of the dtype of a.

    >>> import py_tensor as pt
    >>> pt.ravel([[1, 2], [3, 4]], "F").tolist()
    [1, 3, 2, 4]
    """
    x = as_tensor("ravel", a)
    x = F.transpose(x) if isinstance(order, str) and order == "F" else x
    return F.reshape(x, (x.size,)) if is_contiguous(x) else F.flatten(x)


def ndim(a: ArrayLike) -> int:
    """Return the number of axes.

    Args:
        a: Tensor or array-like.

    Returns:
        int.

    >>> import py_tensor as pt
    >>> pt.ndim([[1, 2]])
    2
    """
    return as_tensor("ndim", a).ndim


def shape(a: ArrayLike) -> tuple[int, ...]:
    """Return the length of each axis.

    Args:
        a: Tensor or array-like.

    Returns:
        Tuple of ints.

    >>> import py_tensor as pt
    >>> pt.shape([[1, 2]])
    (1, 2)
    """
    return as_tensor("shape", a).shape


def size(a: ArrayLike, axis: Axis = None) -> int:
    """Return the number of elements, of all or along axes.

    Args:
        a: Tensor or array-like.
        axis: Axis or tuple of axes; None (default) for all.

    Returns:
        int.

    Raises:
        ShapeError: If an axis does not exist.

    >>> import py_tensor as pt
    >>> pt.size([[1, 2]]), pt.size([[1, 2]], 0)
    (2, 1)
    """
    x = as_tensor("size", a)
    return math.prod(x.shape[at] for at in some_axes("size", axis, x.ndim))


@named
def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: ArrayLike, *args: Any, **kwargs: Any
) -> Tensor:
    """Apply a function of vectors to each vector along an axis.

    Args:
        func1d: Function of a vector that returns a tensor or number.
        axis: Axis of the vectors.
        arr: Tensor or array-like.
        args: Further arguments of the function.
        kwargs: Further named arguments of the function.

    Returns:
        Tensor of the shape of a, in which the shape of the function's result replaces the axis.

    Raises:
        ShapeError: If the axis does not exist or there are no vectors.

    >>> import py_tensor as pt
    >>> pt.apply_along_axis(lambda v: v[0] + v[-1], 1, [[1, 2], [3, 4]]).tolist()
    [3, 7]
    """
    x = as_tensor("apply_along_axis", arr)
    along = one_axis("apply_along_axis", axis, x.ndim)
    rest = (*x.shape[:along], *x.shape[along + 1 :])
    rows = F.reshape(F.moveaxis(x, along, -1), (math.prod(rest), x.shape[along]))
    func1d = function_of("apply_along_axis", "func1d", func1d)
    if not rows.shape[0]:
        raise ShapeError(f"apply_along_axis: no vectors; got shape {x.shape}; give at least one")
    results = F.stack([as_tensor("apply_along_axis", func1d(row, *args, **kwargs)) for row in rows])
    inner = results.shape[1:]
    result = F.reshape(results, (*rest, *inner))
    last = range(len(rest), len(rest) + len(inner))
    return F.moveaxis(result, tuple(last), tuple(range(along, along + len(inner))))


@named
def apply_over_axes(func: Callable[..., Any], a: ArrayLike, axes: int | Sequence[int]) -> Tensor:
    """Apply a function `func(a, axis)` to one axis after the other; reduced axes are kept.

    Args:
        func: Function of a tensor and an axis.
        a: Tensor or array-like.
        axes: Axis or sequence of axes.

    Returns:
        Tensor of as many axes as a.

    Raises:
        ShapeError: If the function returns a tensor of other axes.

    >>> import py_tensor as pt
    >>> pt.apply_over_axes(pt.sum, pt.ones((2, 3, 4)), (0, 2)).tolist()
    [[[8.0], [8.0], [8.0]]]
    """
    result = as_tensor("apply_over_axes", a)
    func = function_of("apply_over_axes", "func", func)
    for axis in lengths_of("apply_over_axes", axes, "axis"):
        along = one_axis("apply_over_axes", axis, result.ndim)
        reduced = as_tensor("apply_over_axes", func(result, along))
        if reduced.ndim == result.ndim - 1:
            reduced = F.expand_dims(reduced, axis=along)
        if reduced.ndim != result.ndim:
            raise ShapeError(
                f"apply_over_axes: function changes the axes; got shape {reduced.shape} "
                f"from {result.shape}; return as many axes or one less"
            )
        result = reduced
    return result


@named
def array(
    object: ArrayLike,
    dtype: DTypeLike | None = None,
    *,
    copy: bool | None = True,
    order: str = "K",
    subok: bool = False,
    ndmin: int = 0,
) -> Tensor:
    """Convert numbers, nested sequences, a buffer or an array to a new tensor.

    Args:
        object: Number, nested lists or tuples, buffer, NumPy array or tensor.
        dtype: Dtype of the result; None (default) as in `asarray`.
        copy: True (default) for a new handle, even if `object` is a tensor.
        order: Ignored.
        subok: Ignored.
        ndmin: Smallest number of axes; axes of length 1 are added in front; 0 by default.

    Returns:
        Tensor.

    Raises:
        ShapeError: If sequences are ragged.
        DTypeError: If a value does not fit the dtype.

    >>> import py_tensor as pt
    >>> pt.array([1, 2], ndmin=2).shape
    (1, 2)
    """
    x = F.asarray(object, dtype=dtype, copy=copy)
    ndmin = integer("array", "ndmin", ndmin, most=_MOST_AXES)
    return F.reshape(x, (1,) * (ndmin - x.ndim) + x.shape) if x.ndim < ndmin else x
