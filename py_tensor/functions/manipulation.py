"""Manipulation functions: other shapes and orders of the same elements. None of them copies."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import index
from typing import Any

from ..dtypes import of_scalar
from ..errors import ShapeError
from ..nodes import node_of, scalar_node
from ..ops.rows import broadcast
from ..ops.views import BROADCAST, PAD, PERMUTE, RESHAPE, SLICE
from ..tensor import Tensor, as_tensor, node_behind
from ..tracing import fitting
from .axes import a_shape, one_axis, some_axes


def reshape(x: Any, /, shape: Any, *, copy: bool | None = None) -> Tensor:
    """The same elements in another shape; one length may be -1 and is then worked out.

    Raises ShapeError where the sizes differ.

    >>> import py_tensor as pt
    >>> pt.reshape(pt.arange(4), (2, -1)).tolist()
    [[0, 1], [2, 3]]
    """
    node = node_behind("reshape", as_tensor("reshape", x))
    lengths = [index(n) for n in shape] if isinstance(shape, Sequence) else [index(shape)]
    unknown = [axis for axis, n in enumerate(lengths) if n == -1]
    if len(unknown) == 1:
        rest = math.prod(n for n in lengths if n != -1)
        if rest and node.spec.size % rest == 0:
            lengths[unknown[0]] = node.spec.size // rest
    new = tuple(lengths)
    if any(n < 0 for n in new) or math.prod(new) != node.spec.size:
        raise ShapeError(
            f"reshape: sizes differ; got shape {node.spec.shape} and {shape}; the new shape needs "
            f"{node.spec.size} elements"
        )
    return Tensor(node if new == node.spec.shape else node_of(RESHAPE, (node,), new))


def flatten(x: Any, /) -> Tensor:
    """All elements along one axis.

    In row-major order; any shape and dtype.

    >>> import py_tensor as pt
    >>> pt.flatten(pt.ones((2, 2))).shape
    (4,)
    """
    x = as_tensor("flatten", x)
    return reshape(x, (-1,) if x.size else (0,))


def permute_dims(x: Any, /, axes: Sequence[int]) -> Tensor:
    """Axes in another order: axis i of the result is axis `axes[i]` of x.

    >>> import py_tensor as pt
    >>> pt.permute_dims(pt.ones((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    node = node_behind("permute_dims", as_tensor("permute_dims", x))
    ndim = len(node.spec.shape)
    order = tuple(one_axis("permute_dims", axis, ndim) for axis in axes)
    if sorted(order) != list(range(ndim)):
        raise ShapeError(
            f"permute_dims: axes are no order of all axes; got {tuple(axes)} for {ndim} axes; "
            "name each once"
        )
    return Tensor(node_of(PERMUTE, (node,), order))


def matrix_transpose(x: Any, /) -> Tensor:
    """The last two axes swapped. Raises ShapeError for fewer than two axes.

    >>> import py_tensor as pt
    >>> pt.matrix_transpose(pt.ones((2, 3))).shape
    (3, 2)
    """
    x = as_tensor("matrix_transpose", x)
    if x.ndim < 2:
        raise ShapeError(
            f"matrix_transpose: needs two axes; got shape {x.shape}; use reshape first"
        )
    axes = list(range(x.ndim))
    axes[-2:] = axes[-1], axes[-2]
    return permute_dims(x, axes)


def transpose(x: Any, /, axes: Sequence[int] | None = None) -> Tensor:
    """All axes in reverse order, or in the order given, as `permute_dims`.

    Raises ShapeError for `axes` that do not name each axis once.

    >>> import py_tensor as pt
    >>> pt.transpose(pt.ones((2, 3))).shape
    (3, 2)
    """
    x = as_tensor("transpose", x)
    return permute_dims(x, tuple(reversed(range(x.ndim))) if axes is None else axes)


def _reshaped(
    self: Tensor, /, *lengths: Any, shape: Any = None, copy: bool | None = None
) -> Tensor:
    """The same elements in another shape, given as one sequence or as one number an axis.

    Raises ShapeError where the sizes differ.

    >>> import py_tensor as pt
    >>> pt.arange(4).reshape(2, -1).shape
    (2, 2)
    """
    if shape is None:
        shape = lengths[0] if len(lengths) == 1 else lengths
    return reshape(self, shape, copy=copy)


def moveaxis(x: Any, source: Any, destination: Any, /) -> Tensor:
    """Axes moved to new places, the others in their order.

    `source` and `destination` are an axis or as many of each. Raises ShapeError where they do not
    pair, or one does not exist.

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
            f"moveaxis: axes do not pair; got {source} and {destination}; "
            "give as many of each, once each"
        )
    order = [axis for axis in range(x.ndim) if axis not in sources]
    for place, axis in sorted(zip(places, sources, strict=True)):
        order.insert(place, axis)
    return permute_dims(x, order)


def broadcast_to(x: Any, /, shape: Any) -> Tensor:
    """x repeated along axes of length 1 to the given shape.

    Raises ShapeError where it does not fit.

    >>> import py_tensor as pt
    >>> pt.broadcast_to(pt.asarray([1, 2]), (2, 2)).tolist()
    [[1, 2], [1, 2]]
    """
    node = node_behind("broadcast_to", as_tensor("broadcast_to", x))
    new = a_shape("broadcast_to", shape)
    if broadcast("broadcast_to", [node.spec.shape, new]) != new:
        raise ShapeError(
            f"broadcast_to: shape does not fit; got {node.spec.shape} and {new}; "
            "axes of length 1 can grow"
        )
    return Tensor(node_of(BROADCAST, (node,), new))


def expand_dims(x: Any, /, axis: int | Sequence[int] = 0) -> Tensor:
    """New axes of length 1 at the given places of the result.

    >>> import py_tensor as pt
    >>> pt.expand_dims(pt.ones((2, 3)), axis=1).shape
    (2, 1, 3)
    """
    x = as_tensor("expand_dims", x)
    given = tuple(axis) if isinstance(axis, Sequence) else (axis,)
    axes = some_axes("expand_dims", given, x.ndim + len(given))
    lengths = iter(x.shape)
    return reshape(
        x, tuple(1 if place in axes else next(lengths) for place in range(x.ndim + len(given)))
    )


def squeeze(x: Any, /, axis: int | Sequence[int] | None = None) -> Tensor:
    """Axes of length 1 removed: the given ones, or all. Raises ShapeError for longer axes.

    >>> import py_tensor as pt
    >>> pt.squeeze(pt.ones((1, 3, 1)), 0).shape
    (3, 1)
    """
    x = as_tensor("squeeze", x)
    axes = (
        tuple(place for place, n in enumerate(x.shape) if n == 1)
        if axis is None
        else some_axes("squeeze", axis, x.ndim)
    )
    for place in axes:
        if x.shape[place] != 1:
            raise ShapeError(
                f"squeeze: axis {place} is not of length 1; got shape {x.shape}; "
                "name axes of length 1"
            )
    return reshape(x, tuple(n for place, n in enumerate(x.shape) if place not in axes))


def flip(x: Any, /, *, axis: Any = None) -> Tensor:
    """Elements in reverse order along axes (all where None).

    `axis` is an axis or a tuple of axes. Raises ShapeError for one that does not exist or is named
    twice.

    >>> import py_tensor as pt
    >>> pt.flip(pt.arange(3)).tolist()
    [2, 1, 0]
    """
    node = node_behind("flip", as_tensor("flip", x))
    axes = some_axes("flip", axis, len(node.spec.shape))
    parts = tuple(
        (n - 1, n, -1) if place in axes and n else (0, n, 1)
        for place, n in enumerate(node.spec.shape)
    )
    return Tensor(node_of(SLICE, (node,), parts))


def pad(x: Any, /, pad_width: Any, *, constant_values: bool | int | float = 0) -> Tensor:
    """A value put around x.

    `pad_width` is a number, (before, after) for all axes, or one pair an axis.
    Raises ShapeError for negative widths.

    >>> import py_tensor as pt
    >>> pt.pad(pt.asarray([1, 2]), 1).tolist()
    [0, 1, 2, 0]
    """
    x = as_tensor("pad", x)
    node = node_behind("pad", x)
    ndim = x.ndim
    if isinstance(pad_width, Sequence):
        if len(pad_width) == 2 and not isinstance(pad_width[0], Sequence):
            widths = [tuple(pad_width)] * ndim
        else:
            widths = [
                tuple(pair) if isinstance(pair, Sequence) else (pair, pair) for pair in pad_width
            ]
    else:
        widths = [(pad_width, pad_width)] * ndim
    if len(widths) != ndim or any(len(pair) != 2 or min(pair) < 0 for pair in widths):
        raise ShapeError(
            f"pad: widths do not fit; got {pad_width} for shape {x.shape}; "
            "give one (before, after) an axis, from 0 on"
        )
    if isinstance(constant_values, int) and x.dtype.kind in "iu":
        of_scalar("pad", constant_values, x.dtype)
    if not any(a or b for a, b in widths):
        return Tensor(node)
    value = scalar_node(fitting("pad", constant_values, x.dtype), x.dtype)
    return Tensor(node_of(PAD, (node, value), tuple((index(a), index(b), 0) for a, b in widths)))


OPERATORS: dict[str, Callable[..., Tensor]] = {"reshape": _reshaped}

PUBLIC: dict[str, Callable[..., Tensor]] = {
    function.__name__: function
    for function in (
        broadcast_to,
        expand_dims,
        flatten,
        flip,
        matrix_transpose,
        moveaxis,
        pad,
        permute_dims,
        reshape,
        squeeze,
        transpose,
    )
}
