"""Manipulation functions that repeat or move elements along axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import Any

from ..errors import ArgumentError, DTypeError, ShapeError
from ..ops.rows import broadcast
from ..tensor import Tensor, as_tensor, asarray
from .axes import a_shape, one_axis
from .indexing import take
from .joining import concat
from .manipulation import broadcast_to, flatten, reshape


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The shape that shapes broadcast to. Raises ShapeError where they do not.

    >>> import py_tensor as pt
    >>> pt.broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    given = [a_shape("broadcast_shapes", shape) for shape in shapes]
    return broadcast("broadcast_shapes", given) if given else ()


def broadcast_arrays(*arrays: Any) -> tuple[Tensor, ...]:
    """The tensors, broadcast to one shape. Raises ShapeError where they do not fit.

    >>> import py_tensor as pt
    >>> [x.shape for x in pt.broadcast_arrays(pt.ones((3, 1)), pt.ones(4))]
    [(3, 4), (3, 4)]
    """
    tensors = [as_tensor("broadcast_arrays", x) for x in arrays]
    if not tensors:
        return ()
    shape = broadcast("broadcast_arrays", [x.shape for x in tensors])
    return tuple(x if x.shape == shape else broadcast_to(x, shape) for x in tensors)


def repeat(x: Any, repeats: Any, /, *, axis: int | None = None) -> Tensor:
    """Each element repeated, `repeats` times or as often as its place in `repeats` says.

    Along `axis`, or of the flattened tensor where it is None. Counts in a tensor are read, since
    the result's shape depends on them. Raises ArgumentError for negative counts.

    >>> import py_tensor as pt
    >>> pt.repeat(pt.asarray([1, 2]), 2).tolist(), pt.repeat(pt.asarray([1, 2]), [0, 3]).tolist()
    ([1, 1, 2, 2], [2, 2, 2])
    """
    x = as_tensor("repeat", x)
    if axis is None:
        x, axis = flatten(x), 0
    place = one_axis("repeat", axis, x.ndim)
    length = x.shape[place]
    counts = _counts(repeats)
    if len(counts) == 1:
        shape = (*x.shape[: place + 1], counts[0], *x.shape[place + 1 :])
        spread = broadcast_to(reshape(x, (*x.shape[: place + 1], 1, *x.shape[place + 1 :])), shape)
        return reshape(spread, (*x.shape[:place], length * counts[0], *x.shape[place + 1 :]))
    if len(counts) != length:
        raise ShapeError(
            f"repeat: number of counts does not fit; got {len(counts)} for axis {place} of length "
            f"{length}; give one, or one an element"
        )
    places = [at for at, count in enumerate(counts) for _ in range(count)]
    return take(x, asarray(places, dtype="int32"), axis=place)


def _counts(repeats: Any) -> list[int]:
    if isinstance(repeats, int):
        counts: list[Any] = [repeats]
    else:
        tensor = as_tensor("repeat", repeats)
        if tensor.dtype.kind not in "iu" or tensor.ndim > 1:
            raise DTypeError(
                f"repeat: counts are not integers along one axis; got {tensor.dtype}, shape "
                f"{tensor.shape}; use integers"
            )
        counts = tensor.tolist() if tensor.ndim else [tensor.item()]
    if any(count < 0 for count in counts):
        raise ArgumentError(f"repeat: count is negative; got {min(counts)}; use counts from 0 on")
    return list(map(int, counts))


def roll(x: Any, /, shift: Any, *, axis: Any = None) -> Tensor:
    """Elements moved `shift` places along axes; what leaves at the end comes in at the beginning.

    Of the flattened tensor where `axis` is None; else a shift for each axis, or one for all. Raises
    ArgumentError where shifts and axes do not pair, ShapeError for an axis that does not exist.

    >>> import py_tensor as pt
    >>> pt.roll(pt.arange(5), 2).tolist()
    [3, 4, 0, 1, 2]
    """
    result = as_tensor("roll", x)
    if axis is None:
        if isinstance(shift, Sequence):
            raise ArgumentError(f"roll: several shifts without axes; got {shift}; give axis")
        return reshape(_rolled(flatten(result), index(shift), 0), result.shape)
    axes = tuple(axis) if isinstance(axis, Sequence) else (axis,)
    shifts = tuple(shift) if isinstance(shift, Sequence) else (shift,) * len(axes)
    if len(shifts) == 1:
        shifts *= len(axes)
    if len(shifts) != len(axes):
        raise ArgumentError(
            f"roll: shifts and axes do not pair; got {shift} and {axis}; give one for each axis"
        )
    for one, place in zip(shifts, axes, strict=True):
        result = _rolled(result, index(one), one_axis("roll", place, result.ndim))
    return result


def _rolled(x: Tensor, shift: int, axis: int) -> Tensor:
    length = x.shape[axis]
    cut = -shift % length if length else 0
    if not cut:
        return asarray(x, copy=True)
    before: tuple[slice, ...] = (slice(None),) * axis
    return concat([x[(*before, slice(cut, None))], x[(*before, slice(cut))]], axis=axis)


def tile(x: Any, repetitions: Any, /) -> Tensor:
    """The tensor repeated as a whole, so many times along each axis.

    Missing axes stand in front, of the tensor or of `repetitions`. Raises ShapeError for negative
    numbers.

    >>> import py_tensor as pt
    >>> pt.tile(pt.asarray([1, 2]), (2, 2)).tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    x = as_tensor("tile", x)
    times = a_shape("tile", repetitions)
    times = (1,) * (x.ndim - len(times)) + times
    shape = (1,) * (len(times) - x.ndim) + x.shape
    parted = reshape(x, tuple(n for length in shape for n in (1, length)))
    spread = broadcast_to(parted, tuple(n for pair in zip(times, shape, strict=True) for n in pair))
    return reshape(spread, tuple(t * n for t, n in zip(times, shape, strict=True)))


PUBLIC: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (broadcast_arrays, broadcast_shapes, repeat, roll, tile)
}
