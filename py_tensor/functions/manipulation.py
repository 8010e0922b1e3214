"""Change the shape or the order of elements; none of these functions copies.

Most results are views that share elements with the argument, see `parts`.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from typing import Any

from ..dtypes import float32, wrong_type
from ..errors import ArgumentError, DTypeError, ShapeError
from ..ir.node import node_of, scalar_node
from ..ir.tracer import ScalarTracer, element
from ..ops.gathers import TAKE
from ..ops.op_def import broadcast
from ..ops.sources import CONSTANT
from ..ops.views import BROADCAST, PAD, PERMUTE, RESHAPE, SLICE
from ..runtime.host_data import plain_number
from ..tensor import Tensor, as_tensor, node_behind
from ..typing import ArrayLike, Axis, ShapeLike
from .arguments import (
    MOST_ELEMENTS,
    a_shape,
    choice,
    flag,
    integer,
    items,
    lengths_of,
    one_axis,
    some_axes,
)
from .parts import part_of


def reshape(
    x: ArrayLike, /, shape: ShapeLike, order: str = "C", *, copy: bool | None = None
) -> Tensor:
    """Return the same elements in another shape.

    Args:
        x: Tensor or array-like of any shape and dtype.
        shape: Length or sequence of lengths; one of them may be -1 and is computed from the others.
        order: "C" (default) or "A" to read and write elements in row-major order; "F" for
            column-major order.
        copy: True for a value of its own. None (default) gives a view, whose elements x shares, if
            x is not a view whose elements are in another order. False raises ArgumentError instead
            of copying.

    Returns:
        Tensor of the given shape and the dtype of x.

    Raises:
        ShapeError: If the sizes differ.

    >>> import py_tensor as pt
    >>> pt.reshape(pt.arange(4), (2, -1)).tolist()
    [[0, 1], [2, 3]]
    """
    copy = copy if copy is None else flag("reshape", "copy", copy)
    if isinstance(order, str) and order == "F":
        backward = tuple(reversed(shape)) if isinstance(shape, Sequence) else shape
        return transpose(reshape(transpose(x), backward))
    x = as_tensor("reshape", x)
    node = node_behind("reshape", x)
    lengths = list(lengths_of("reshape", shape))
    unknown = [axis for axis, n in enumerate(lengths) if n == -1]
    if len(unknown) == 1:
        rest = math.prod(n for n in lengths if n != -1)
        if rest and node.spec.size % rest == 0:
            lengths[unknown[0]] = node.spec.size // rest
    new = tuple(lengths)
    if any(n < 0 for n in new) or math.prod(new) != node.spec.size:
        raise ShapeError(
            f"reshape: number of elements must not change; got shape {node.spec.shape} and "
            f"{shape}; use a shape of {node.spec.size} elements"
        )
    node = node if new == node.spec.shape else node_of(RESHAPE, (node,), new)
    result = Tensor(node) if copy else part_of(x, node)
    if copy is False and not hasattr(result, "_links"):
        raise ArgumentError(
            f"reshape: elements must be copied into another order; got shape {node.spec.shape} for "
            "a view of another tensor and copy=False; omit copy"
        )
    return result


def flatten(x: ArrayLike, /, order: str = "C") -> Tensor:
    """Return all elements in a vector, in row-major order.

    Args:
        x: Tensor or array-like of any shape and dtype.
        order: "C" (default), "A" or "K" for row-major order; "F" for column-major order.

    Returns:
        Vector of the dtype of x.

    >>> import py_tensor as pt
    >>> pt.flatten(pt.ones((2, 2))).shape
    (4,)
    """
    x = as_tensor("flatten", x)
    x = transpose(x) if isinstance(order, str) and order == "F" else x
    return reshape(x, (-1,) if x.size else (0,), copy=True)


def permute_dims(x: ArrayLike, /, axes: Sequence[int]) -> Tensor:
    """Reorder the axes: axis i of the result is axis `axes[i]` of x.

    Args:
        x: Tensor or array-like of any shape and dtype.
        axes: Every axis of x, once, in the new order.

    Returns:
        Tensor of the permuted shape and the dtype of x.

    Raises:
        ShapeError: If `axes` does not name each axis once.

    >>> import py_tensor as pt
    >>> pt.permute_dims(pt.ones((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    return _permuted("permute_dims", x, axes)


def _permuted(operation: str, x: ArrayLike, axes: Sequence[int]) -> Tensor:
    x = as_tensor(operation, x)
    node = node_behind(operation, x)
    ndim = len(node.spec.shape)
    if axes.__class__ is not tuple:
        axes = items(operation, "axes", axes)
    order = tuple(one_axis(operation, axis, ndim) for axis in axes)
    if sorted(order) != list(range(ndim)):
        raise ShapeError(
            f"{operation}: axes must be a permutation of all axes; got {tuple(axes)} for {ndim} "
            "axes; list each axis once"
        )
    return part_of(x, node_of(PERMUTE, (node,), order))


def matrix_transpose(x: ArrayLike, /) -> Tensor:
    """Swap the last two axes.

    Args:
        x: Tensor or array-like of shape (..., m, n) and any dtype.

    Returns:
        Tensor of shape (..., n, m) and the dtype of x.

    Raises:
        ShapeError: If x has fewer than two axes.

    >>> import py_tensor as pt
    >>> pt.matrix_transpose(pt.ones((2, 3))).shape
    (3, 2)
    """
    x = as_tensor("matrix_transpose", x)
    if x.ndim < 2:
        raise ShapeError(
            f"matrix_transpose: input must have two axes; got shape {x.shape}; use reshape first"
        )
    axes = list(range(x.ndim))
    axes[-2:] = axes[-1], axes[-2]
    return permute_dims(x, axes)


def transpose(x: ArrayLike, /, axes: Sequence[int] | None = None) -> Tensor:
    """Reverse the order of the axes, or reorder them as `permute_dims` does.

    Args:
        x: Tensor or array-like of any shape and dtype.
        axes: Every axis of x, once, in the new order; None (default) for the reverse order.

    Returns:
        Tensor of the permuted shape and the dtype of x.

    Raises:
        ShapeError: If `axes` does not name each axis once.

    >>> import py_tensor as pt
    >>> pt.transpose(pt.ones((2, 3))).shape
    (3, 2)
    """
    x = as_tensor("transpose", x)
    return _permuted("transpose", x, range(x.ndim)[::-1] if axes is None else axes)


def reshape_to(
    self: Tensor,
    /,
    *lengths: ShapeLike,
    shape: ShapeLike | None = None,
    order: str = "C",
    copy: bool | None = None,
) -> Tensor:
    """Return the same elements in another shape.

    Args:
        lengths: One sequence of lengths, or one number per axis; -1 is computed from the others.
        shape: The lengths as a keyword, instead of `lengths`.
        order: "C" (default), "A" or "F", as in `reshape`.
        copy: True, False or None (default), as in `reshape`.

    Returns:
        Tensor of the given shape and of the same dtype.

    Raises:
        ShapeError: If the sizes differ.

    >>> import py_tensor as pt
    >>> pt.arange(4).reshape(2, -1).shape
    (2, 2)
    """
    lengths_or_shape: Any = lengths[0] if len(lengths) == 1 else lengths
    return reshape(self, lengths_or_shape if shape is None else shape, order, copy=copy)


def transpose_to(self: Tensor, /, *axes: Any) -> Tensor:
    """Reverse the order of the axes, or reorder them as `permute_dims` does.

    Args:
        axes: Every axis, once, in the new order, or one sequence of them; none to reverse them.

    Returns:
        Tensor of the permuted shape and of the same dtype.

    Raises:
        ShapeError: If `axes` does not name each axis once.

    >>> import py_tensor as pt
    >>> pt.ones((2, 3, 4)).transpose(2, 0, 1).shape
    (4, 2, 3)
    """
    single = len(axes) == 1 and not isinstance(axes[0], int)
    return transpose(self, axes[0] if single else axes or None)


def moveaxis(x: ArrayLike, source: ShapeLike, destination: ShapeLike, /) -> Tensor:
    """Move axes to new positions; the others keep their order.

    Args:
        x: Tensor or array-like of any shape and dtype.
        source: Axis or sequence of axes to move.
        destination: Their positions in the result, as many as in `source`.

    Returns:
        Tensor of the permuted shape and the dtype of x.

    Raises:
        ShapeError: If the numbers of axes differ, an axis repeats, or one does not exist.

    >>> import py_tensor as pt
    >>> pt.moveaxis(pt.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    x = as_tensor("moveaxis", x)
    sources = [
        one_axis("moveaxis", a, x.ndim)
        for a in (source if isinstance(source, Sequence) else (source,))
    ]
    places = [
        one_axis("moveaxis", a, x.ndim)
        for a in (destination if isinstance(destination, Sequence) else (destination,))
    ]
    if (
        len(sources) != len(places)
        or len(set(sources)) < len(sources)
        or len(set(places)) < len(places)
    ):
        raise ShapeError(
            f"moveaxis: numbers of source and destination axes must be equal; got {source} and "
            f"{destination}; list each axis once"
        )
    order = [axis for axis in range(x.ndim) if axis not in sources]
    for position, axis in sorted(zip(places, sources, strict=True)):
        order.insert(position, axis)
    return permute_dims(x, order)


def broadcast_to(x: ArrayLike, /, shape: ShapeLike) -> Tensor:
    """Repeat x along axes of length 1 until it has the given shape.

    Args:
        x: Tensor or array-like of any shape and dtype.
        shape: Length or sequence of lengths.

    Returns:
        Tensor of the given shape and the dtype of x.

    Raises:
        ShapeError: If x does not broadcast to the shape.

    >>> import py_tensor as pt
    >>> pt.broadcast_to(pt.asarray([1, 2]), (2, 2)).tolist()
    [[1, 2], [1, 2]]
    """
    node = node_behind("broadcast_to", as_tensor("broadcast_to", x))
    new = a_shape("broadcast_to", shape)
    if broadcast("broadcast_to", [node.spec.shape, new]) != new:
        raise ShapeError(
            f"broadcast_to: shapes are incompatible; got {node.spec.shape} and {new}; only axes of "
            "length 1 can be broadcast"
        )
    return Tensor(node_of(BROADCAST, (node,), new))


def expand_dims(x: ArrayLike, /, axis: int | Sequence[int] = 0) -> Tensor:
    """Insert axes of length 1.

    Args:
        x: Tensor or array-like of any shape and dtype.
        axis: Position or sequence of positions in the result; 0 by default.

    Returns:
        Tensor of the expanded shape and the dtype of x.

    Raises:
        ShapeError: If a position is out of range or repeats.

    >>> import py_tensor as pt
    >>> pt.expand_dims(pt.ones((2, 3)), axis=1).shape
    (2, 1, 3)
    """
    x = as_tensor("expand_dims", x)
    listed = tuple(axis) if isinstance(axis, Sequence) else (axis,)
    ndim = x.ndim + len(listed)
    axes = some_axes("expand_dims", listed, ndim)
    lengths = iter(x.shape)
    return reshape(x, tuple(1 if n in axes else next(lengths) for n in range(ndim)))


def squeeze(x: ArrayLike, /, axis: int | Sequence[int] | None = None) -> Tensor:
    """Remove axes of length 1.

    Args:
        x: Tensor or array-like of any shape and dtype.
        axis: Axis or sequence of axes to remove; None (default) for all of length 1.

    Returns:
        Tensor of the squeezed shape and the dtype of x.

    Raises:
        ShapeError: If a given axis is longer than 1 or does not exist.

    >>> import py_tensor as pt
    >>> pt.squeeze(pt.ones((1, 3, 1)), 0).shape
    (3, 1)
    """
    x = as_tensor("squeeze", x)
    axes = (
        tuple(position for position, n in enumerate(x.shape) if n == 1)
        if axis is None
        else some_axes("squeeze", axis, x.ndim)
    )
    for position in axes:
        if x.shape[position] != 1:
            raise ShapeError(
                f"squeeze: axis {position} must have length 1; got shape {x.shape}; use axes of "
                "length 1"
            )
    return reshape(x, tuple(n for position, n in enumerate(x.shape) if position not in axes))


def flip(x: ArrayLike, /, axis: Axis = None) -> Tensor:
    """Reverse the order of elements along axes.

    Args:
        x: Tensor or array-like of any shape and dtype.
        axis: Axis or tuple of axes; None (default) for all.

    Returns:
        Tensor of the shape and dtype of x.

    Raises:
        ShapeError: If an axis does not exist or repeats.

    >>> import py_tensor as pt
    >>> pt.flip(pt.arange(3)).tolist()
    [2, 1, 0]
    """
    x = as_tensor("flip", x)
    node = node_behind("flip", x)
    axes = some_axes("flip", axis, len(node.spec.shape))
    parts = tuple(
        (n - 1, n, -1) if position in axes and n else (0, n, 1)
        for position, n in enumerate(node.spec.shape)
    )
    return part_of(x, node_of(SLICE, (node,), parts))


_PLACES: dict[str, Callable[[int, int], int]] = {
    "edge": lambda at, n: min(max(at, 0), n - 1),
    "wrap": lambda at, n: at % n,
    "symmetric": lambda at, n: min(at % (2 * n), 2 * n - 1 - at % (2 * n)),
    "reflect": lambda at, n: abs((at + n - 1) % (2 * n - 2) - n + 1) if n > 1 else 0,
}
"""Position that an element around an axis of length n repeats, for each mode of `pad`."""


def pad(
    x: ArrayLike,
    /,
    pad_width: int | Sequence[int] | Sequence[Sequence[int]],
    mode: str = "constant",
    *,
    constant_values: ArrayLike = 0,
) -> Tensor:
    """Add elements around x.

    Args:
        x: Tensor or array-like of any shape and dtype.
        pad_width: Number of elements on all sides, a pair (before, after) for all axes, or a
            sequence of one pair per axis.
        mode: "constant" (default) adds one value, "edge" repeats the elements at the ends,
            "reflect" and "symmetric" mirror x, without and with the ends; "wrap" continues it
            periodically.
        constant_values: Value to add, a pair (before, after) for all axes, or a sequence of one
            pair per axis; 0 by default.

    Returns:
        Tensor of the padded shape and the dtype of x.

    Raises:
        ShapeError: If a width is negative or their number does not fit, or an axis without elements
            is to be repeated.
        DTypeError: If the dtype cannot hold the value.
        ArgumentError: If the mode is unknown.

    >>> import py_tensor as pt
    >>> pt.pad(pt.asarray([1, 2]), 1).tolist(), pt.pad(pt.asarray([1, 2]), 1, "edge").tolist()
    ([0, 1, 2, 0], [1, 1, 2, 2])
    """
    x = as_tensor("pad", x)
    node = node_behind("pad", x)
    widths = [
        tuple(integer("pad", "width", n, most=MOST_ELEMENTS) for n in pair)
        for pair in _pairs(pad_width, x.ndim)
    ]
    if len(widths) != x.ndim or any(len(pair) != 2 or min(pair) < 0 for pair in widths):
        raise ShapeError(
            f"pad: widths are invalid; got {pad_width} for shape {x.shape}; pass one non-negative "
            "(before, after) per axis"
        )
    if not isinstance(mode, str) or mode != "constant":
        return _repeated(x, widths, mode)
    if not any(a or b for a, b in widths):
        return Tensor(node)
    if not isinstance(constant_values, Sequence):
        return framed(x, tuple((a, b, 0) for a, b in widths), constant_values)
    values = _pairs(constant_values, x.ndim)
    for axis, (pair, around) in enumerate(zip(widths, values, strict=True)):
        for side, value in enumerate(around):
            own = [0, 0, 0]
            own[side] = pair[side]
            frame = [(0, 0, 0)] * x.ndim
            frame[axis] = (own[0], own[1], 0)
            x = framed(x, tuple(frame), value)
    return x


def _pairs(widths: Any, ndim: int) -> list[tuple[Any, ...]]:
    """Return a pair for each axis, given a number, a pair, or a sequence of pairs or numbers."""
    widths = widths.tolist() if hasattr(widths, "tolist") else widths
    if not isinstance(widths, Sequence) or isinstance(widths, str):
        return [(widths, widths)] * ndim
    if len(widths) == 2 and not isinstance(widths[0], Sequence):
        return [tuple(widths)] * ndim
    pairs = [tuple(pair) if isinstance(pair, Sequence) else (pair, pair) for pair in widths]
    pairs = [pair * 2 if len(pair) == 1 else pair for pair in pairs]
    return pairs * ndim if len(pairs) == 1 else pairs


def framed(x: Tensor, widths: tuple[tuple[int, int, int], ...], value: Any) -> Tensor:
    """Put a value around and between the elements: (before, after, between) along each axis."""
    if type(value) is not ScalarTracer:
        value = plain_number("pad", value)
        if not isinstance(value, int | float | complex):
            raise wrong_type("pad", "constant_values", "a number", value)
        if isinstance(value, complex) and x.dtype.kind != "c":
            raise DTypeError(
                f"pad: dtype {x.dtype} cannot hold complex numbers; got {value}; convert x with "
                'astype("complex64")'
            )
    if x.dtype is float32 and repr(value) in ("0", "0.0"):
        # Targets may let a convolution read the padding as its own.
        fill = node_of(CONSTANT, (), 0.0)
    else:
        fill = scalar_node(element("pad", value, x.dtype), x.dtype)
    return Tensor(node_of(PAD, (x._node, fill), widths))


def _repeated(x: Tensor, widths: list[tuple[Any, ...]], mode: str) -> Tensor:
    choice("pad", "mode", mode, ("constant", *_PLACES))
    source_of = _PLACES[mode]
    for axis, (before, after) in enumerate(widths):
        n = x.shape[axis]
        if not before and not after:
            continue
        if not n:
            raise ShapeError(f"pad: no elements to repeat; got shape {x.shape}; use constant")
        places = array("i", [source_of(at, n) for at in range(-before, 0)])
        places.extend(range(n))
        places.extend([source_of(at, n) for at in range(n, n + after)])
        x = Tensor(node_of(TAKE, (x._node, as_tensor("pad", places)._node), axis))
    return x


def broadcast_shapes(*shapes: ShapeLike) -> tuple[int, ...]:
    """Return the shape that shapes broadcast to.

    Args:
        shapes: Lengths or sequences of lengths.

    Returns:
        Tuple of integers; () if no shapes are given.

    Raises:
        ShapeError: If the shapes do not broadcast.

    >>> import py_tensor as pt
    >>> pt.broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    checked = [a_shape("broadcast_shapes", shape) for shape in shapes]
    return broadcast("broadcast_shapes", checked) if checked else ()


def broadcast_arrays(*arrays: ArrayLike) -> tuple[Tensor, ...]:
    """Broadcast tensors to one shape.

    Args:
        arrays: Tensors or array-likes of any dtypes.

    Returns:
        Tuple of tensors of one shape, each of its own dtype.

    Raises:
        ShapeError: If the shapes do not broadcast.

    >>> import py_tensor as pt
    >>> [x.shape for x in pt.broadcast_arrays(pt.ones((3, 1)), pt.ones(4))]
    [(3, 4), (3, 4)]
    """
    tensors = [as_tensor("broadcast_arrays", x) for x in arrays]
    if not tensors:
        return ()
    shape = broadcast("broadcast_arrays", [x.shape for x in tensors])
    return tuple(x if x.shape == shape else broadcast_to(x, shape) for x in tensors)
