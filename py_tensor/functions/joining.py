"""Join several tensors into one, split one into several, and repeat elements."""

from __future__ import annotations

from collections.abc import Sequence

from ..dtypes import DType, as_dtype
from ..errors import ArgumentError, DTypeError, ShapeError
from ..ir.node import OpNode, node_of
from ..ops.views import CONCAT, RESHAPE
from ..runtime.host_data import FlatElements
from ..tensor import Tensor, as_tensor, node_behind, operand_of
from ..typing import ArrayLike, Axis, DTypeLike, IndexItem, ShapeLike
from . import statistical
from .arguments import MOST_ELEMENTS, a_shape, integer, items, lengths_of, one_axis
from .conversion import asarray
from .creation import arange
from .data_types import promoted
from .decorators import named
from .elementwise import astype
from .host_memory import computed_here, of_array
from .indexing import get, take
from .manipulation import broadcast_to, expand_dims, flatten, reshape
from .searching import insertion_points
from .statistical import cumulative_sum

_AT_ONCE = 8
"""Number of operands that one kernel joins; the other texture units are left for fused operands."""


@named
def concat(
    arrays: Sequence[ArrayLike],
    /,
    axis: int | None = 0,
    out: Tensor | None = None,
    *,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Join tensors along an existing axis.

    Args:
        arrays: Tensors or array-likes whose shapes are equal except along the axis.
        axis: Axis to join along, 0 by default; None flattens the tensors first.
        out: Tensor to write the result to; None (default) for a new one.
        dtype: Dtype of the result; None (default) for the promoted one.

    Returns:
        Tensor of the promoted dtype or `dtype`.

    Raises:
        ShapeError: If there are no tensors, their shapes do not fit, or the axis does not exist.

    >>> import py_tensor as pt
    >>> pt.concat([pt.asarray([1, 2]), pt.asarray([3])]).tolist()
    [1, 2, 3]
    """
    if arrays.__class__ is not list:
        arrays = items("concat", "arrays", arrays)
    nodes = [node_behind("concat", as_tensor("concat", x)) for x in arrays]
    if not nodes:
        raise ShapeError(
            "concat: at least one tensor is required; got an empty sequence; pass a tensor"
        )
    if axis is None:
        nodes = [node_of(RESHAPE, (node,), (node.spec.size,)) for node in nodes]
        axis = 0
    position = one_axis("concat", axis, len(nodes[0].spec.shape))
    result = Tensor(_join(nodes, position))
    return result if dtype is None else astype(result, as_dtype(dtype, "concat"), copy=False)


def _join(nodes: list[OpNode], axis: int) -> OpNode:
    while len(nodes) > _AT_ONCE:
        nodes = [_join(nodes[i : i + _AT_ONCE], axis) for i in range(0, len(nodes), _AT_ONCE)]
    return node_of(CONCAT, tuple(nodes), axis)


@named
def stack(
    arrays: Sequence[ArrayLike],
    /,
    axis: int = 0,
    out: Tensor | None = None,
    *,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Join tensors of one shape along a new axis.

    Args:
        arrays: Tensors or array-likes of one shape.
        axis: Position of the new axis in the result; 0 by default.
        out: Tensor to write the result to; None (default) for a new one.
        dtype: Dtype of the result; None (default) for the promoted one.

    Returns:
        Tensor of the promoted dtype, with one more axis.

    Raises:
        ShapeError: If there are no tensors, their shapes differ, or the axis does not exist.

    >>> import py_tensor as pt
    >>> pt.stack([pt.asarray([1, 2]), pt.asarray([3, 4])]).tolist()
    [[1, 2], [3, 4]]
    """
    tensors = [as_tensor("stack", x) for x in items("stack", "arrays", arrays)]
    if not tensors:
        raise ShapeError(
            "stack: at least one tensor is required; got an empty sequence; pass a tensor"
        )
    shapes = {x.shape for x in tensors}
    if len(shapes) > 1:
        raise ShapeError(
            f"stack: shapes must be equal; got {', '.join(map(str, sorted(shapes)))}; make all "
            "shapes equal"
        )
    axis = one_axis("stack", axis, tensors[0].ndim + 1)
    return concat([expand_dims(x, axis=axis) for x in tensors], axis=axis, dtype=dtype)


def unstack(x: ArrayLike, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """Return the slices along an axis, each without that axis.

    Args:
        x: Tensor or array-like of at least one axis and any dtype.
        axis: Axis to split; 0 by default.

    Returns:
        Tuple of as many tensors as the axis is long.

    Raises:
        ShapeError: If the axis does not exist.

    >>> import py_tensor as pt
    >>> [part.tolist() for part in pt.unstack(pt.asarray([[1, 2], [3, 4]]))]
    [[1, 2], [3, 4]]
    """
    x = as_tensor("unstack", x)
    axis = one_axis("unstack", axis, x.ndim)
    before: tuple[IndexItem, ...] = (slice(None),) * axis
    return tuple(get(x, (*before, at)) for at in range(x.shape[axis]))


def repeat(x: ArrayLike, repeats: ArrayLike, /, axis: int | None = None) -> Tensor:
    """Repeat each element along an axis.

    Args:
        x: Tensor or array-like of any shape and dtype.
        repeats: Count for all elements, or a vector of one count per element. Counts in a tensor
            are read back, since the shape of the result depends on them.
        axis: Axis to repeat along; None (default) flattens x first.

    Returns:
        Tensor of the dtype of x, longer along the axis.

    Raises:
        ArgumentError: If a count is negative.
        ShapeError: If the number of counts does not fit, or the axis does not exist.
        DTypeError: If the counts are not integers.

    >>> import py_tensor as pt
    >>> pt.repeat(pt.asarray([1, 2]), 2).tolist(), pt.repeat(pt.asarray([1, 2]), [0, 3]).tolist()
    ([1, 1, 2, 2], [2, 2, 2])
    """
    x = as_tensor("repeat", x)
    if axis is None:
        x, axis = flatten(x), 0
    axis = one_axis("repeat", axis, x.ndim)
    length, dtype = x.shape[axis], x.dtype
    counts, total = _counts(repeats)
    if counts is None or counts.size == 1:
        shape = (*x.shape[: axis + 1], total, *x.shape[axis + 1 :])
        spread = broadcast_to(reshape(x, (*x.shape[: axis + 1], 1, *x.shape[axis + 1 :])), shape)
        return reshape(spread, (*x.shape[:axis], length * total, *x.shape[axis + 1 :]))
    if counts.size != length:
        raise ShapeError(
            f"repeat: wrong number of counts; got {counts.size} for axis {axis} of length "
            f"{length}; pass one, or one per element"
        )
    repeated: Tensor | None = computed_here(
        lambda np, x, counts: of_array("repeat", np.repeat(x, counts, axis), dtype), x, counts
    )
    if repeated is not None:
        return repeated
    ends = cumulative_sum(astype(counts, "int32"), axis=0)
    return take(x, insertion_points(ends, arange(total), "right"), axis=axis)


def _counts(repeats: ArrayLike) -> tuple[Tensor | None, int]:
    """Return the checked counts, None for a number, and their sum."""
    counts = None
    if isinstance(repeats, int):
        total = lowest = integer("repeat", "repeats", repeats, most=MOST_ELEMENTS)
    else:
        counts = as_tensor("repeat", repeats)
        if counts.dtype.kind not in "iu" or counts.ndim > 1:
            raise DTypeError(
                f"repeat: counts must be integers along one axis; got {counts.dtype}, shape "
                f"{counts.shape}; use integers"
            )
        total = int(statistical.sum(counts).item())
        lowest = int(statistical.min(counts).item()) if counts.size else 0
    if lowest < 0:
        raise ArgumentError(
            f"repeat: counts must not be negative; got {lowest}; use counts of at least 0"
        )
    return counts, total


def roll(x: ArrayLike, /, shift: ShapeLike, axis: Axis = None) -> Tensor:
    """Shift elements along axes; elements that leave at the end re-enter at the beginning.

    Args:
        x: Tensor or array-like of any shape and dtype.
        shift: Number of positions, or one number per axis.
        axis: Axis or sequence of axes; None (default) rolls the flattened tensor.

    Returns:
        Tensor of the shape and dtype of x.

    Raises:
        ArgumentError: If the numbers of shifts and axes differ.
        ShapeError: If an axis does not exist.

    >>> import py_tensor as pt
    >>> pt.roll(pt.arange(5), 2).tolist()
    [3, 4, 0, 1, 2]
    """
    result = as_tensor("roll", x)
    if axis is None:
        if isinstance(shift, Sequence) and not isinstance(shift, str):
            raise ArgumentError(f"roll: several shifts require axes; got {shift}; pass axis")
        return reshape(_rolled(flatten(result), integer("roll", "shift", shift), 0), result.shape)
    axes = lengths_of("roll", axis, "axis")
    shifts = lengths_of("roll", shift, "shift")
    if len(shifts) == 1:
        shifts *= len(axes)
    if len(shifts) != len(axes):
        raise ArgumentError(
            f"roll: numbers of shifts and axes must be equal; got {shift} and {axis}; pass one "
            "shift per axis"
        )
    for one, one_of_axes in zip(shifts, axes, strict=True):
        result = _rolled(
            result, integer("roll", "shift", one), one_axis("roll", one_of_axes, result.ndim)
        )
    return result


def _rolled(x: Tensor, shift: int, axis: int) -> Tensor:
    length = x.shape[axis]
    cut = -shift % length if length else 0
    if not cut:
        return asarray(x, copy=True)
    before: tuple[slice, ...] = (slice(None),) * axis
    return concat([x[(*before, slice(cut, None))], x[(*before, slice(cut))]], axis=axis)


def tile(x: ArrayLike, repetitions: ShapeLike, /) -> Tensor:
    """Repeat the whole tensor along each axis.

    Args:
        x: Tensor or array-like of any shape and dtype.
        repetitions: Count, or one count per axis. Missing axes, of x or of the counts, are added in
            front with length or count 1.

    Returns:
        Tensor of the dtype of x; its lengths are products of lengths and counts.

    Raises:
        ShapeError: If a count is negative.

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


def of_nested(operation: str, elements: FlatElements, dtype: DType | None) -> Tensor:
    """Stack the tensors and numbers of nested sequences, in their promoted or the given dtype.

    Raises ShapeError if the tensors' shapes differ.
    """
    leaves = [operand_of(operation, item) for item in elements.flat]
    target = dtype or promoted(operation, leaves)
    tensors = [
        astype(leaf, target, copy=False)
        if isinstance(leaf, Tensor)
        else as_tensor(operation, leaf, target)
        for leaf in leaves
    ]
    shapes = {tensor.shape for tensor in tensors}
    if len(shapes) > 1:
        raise ShapeError(
            f"{operation}: ragged input; got shapes {', '.join(map(str, sorted(shapes)))} next to "
            "each other; make all shapes equal"
        )
    return reshape(stack(tensors), (*elements.shape, *shapes.pop()))


concatenate = concat
