"""Reductions and scans under the names of `jax.lax`."""

from __future__ import annotations

from math import prod
from typing import Any

from ..errors import ArgumentError
from ..functions import statistical
from ..functions.arguments import some_axes
from ..functions.elementwise import logaddexp, maximum, minimum
from ..functions.joining import concat
from ..functions.manipulation import broadcast_to, permute_dims, reshape
from ..ir.pytree import tree_map
from ..lib.stride_tricks import sliding_window_view
from ..tensor import Tensor, as_tensor
from ..transforms.control_flow import associative_scan
from ..typing import ArrayLike
from .arrays import pad
from .checks import Axes, Combine, Padding, checked, per_axis

__all__ = [
    "cumlogsumexp",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "padtype_to_pads",
    "reduce",
    "reduce_and",
    "reduce_max",
    "reduce_min",
    "reduce_or",
    "reduce_prod",
    "reduce_sum",
    "reduce_window",
]


@checked
def cumsum(operand: ArrayLike, axis: int = 0, reverse: bool = False) -> Tensor:
    """Return the sums of the elements up to each one along an axis.

    Args:
        operand: Tensor.
        axis: Axis; 0 by default.
        reverse: If True, the sums go to the end instead; False by default.

    >>> import py_tensor as pt
    >>> pt.lax.cumsum(pt.asarray([1, 2, 3]), reverse=True).tolist()
    [6, 5, 3]
    """
    return statistical.cumulative_sum(operand, axis, reverse=reverse)


@checked
def cumprod(operand: ArrayLike, axis: int = 0, reverse: bool = False) -> Tensor:
    """Return the products of the elements up to each one along an axis, see `cumsum`.

    >>> import py_tensor as pt
    >>> pt.lax.cumprod(pt.asarray([1, 2, 3])).tolist()
    [1, 2, 6]
    """
    return statistical.cumulative_prod(operand, axis, reverse=reverse)


@checked
def cummax(operand: ArrayLike, axis: int = 0, reverse: bool = False) -> Tensor:
    """Return the largest of the elements up to each one along an axis, see `cumsum`.

    >>> import py_tensor as pt
    >>> pt.lax.cummax(pt.asarray([1, 3, 2])).tolist()
    [1, 3, 3]
    """
    result: Tensor = associative_scan(maximum, as_tensor("cummax", operand), reverse, axis)
    return result


@checked
def cummin(operand: ArrayLike, axis: int = 0, reverse: bool = False) -> Tensor:
    """Return the smallest of the elements up to each one along an axis, see `cumsum`.

    >>> import py_tensor as pt
    >>> pt.lax.cummin(pt.asarray([2, 1, 3])).tolist()
    [2, 1, 1]
    """
    result: Tensor = associative_scan(minimum, as_tensor("cummin", operand), reverse, axis)
    return result


@checked
def cumlogsumexp(operand: ArrayLike, axis: int = 0, reverse: bool = False) -> Tensor:
    """Return log(sum(exp(x))) of the elements up to each one along an axis, see `cumsum`.

    >>> import py_tensor as pt
    >>> round(pt.lax.cumlogsumexp(pt.zeros(2))[1].item(), 4)
    0.6931
    """
    result: Tensor = associative_scan(logaddexp, as_tensor("cumlogsumexp", operand), reverse, axis)
    return result


@checked
def reduce_sum(operand: ArrayLike, axes: Axes) -> Tensor:
    """Return the sums over axes.

    >>> import py_tensor as pt
    >>> pt.lax.reduce_sum(pt.ones((2, 3)), (0,)).tolist()
    [2.0, 2.0, 2.0]
    """
    x = as_tensor("reduce_sum", operand)
    return statistical.sum(x, axis=tuple(axes), dtype=x.dtype)


@checked
def reduce_prod(operand: ArrayLike, axes: Axes) -> Tensor:
    """Return the products over axes.

    >>> import py_tensor as pt
    >>> pt.lax.reduce_prod(pt.asarray([2, 3]), (0,)).item()
    6
    """
    x = as_tensor("reduce_prod", operand)
    return statistical.prod(x, axis=tuple(axes), dtype=x.dtype)


@checked
def reduce_max(operand: ArrayLike, axes: Axes) -> Tensor:
    """Return the largest elements along axes.

    >>> import py_tensor as pt
    >>> pt.lax.reduce_max(pt.asarray([2, 3]), (0,)).item()
    3
    """
    return statistical.max(operand, axis=tuple(axes))


@checked
def reduce_min(operand: ArrayLike, axes: Axes) -> Tensor:
    """Return the smallest elements along axes.

    >>> import py_tensor as pt
    >>> pt.lax.reduce_min(pt.asarray([2, 3]), (0,)).item()
    2
    """
    return statistical.min(operand, axis=tuple(axes))


@checked
def reduce_and(operand: ArrayLike, axes: Axes) -> Tensor:
    """Return True for each slice along axes whose elements are all True.

    >>> import py_tensor as pt
    >>> pt.lax.reduce_and(pt.asarray([True, False]), (0,)).item()
    False
    """
    return statistical.all(operand, axis=tuple(axes))


@checked
def reduce_or(operand: ArrayLike, axes: Axes) -> Tensor:
    """Return True for each slice along axes that has a True element.

    >>> import py_tensor as pt
    >>> pt.lax.reduce_or(pt.asarray([True, False]), (0,)).item()
    True
    """
    return statistical.any(operand, axis=tuple(axes))


@checked
def reduce(operands: Any, init_values: Any, computation: Combine, dimensions: Axes) -> Any:
    """Combine all elements along axes by a function of two.

    The function is applied about log2(n) times, to halves of the elements at once.

    Args:
        operands: Tensor, or a tree of tensors of one shape.
        init_values: Number to combine with the result, or a tree of these.
        computation: Function of two trees like `operands` that is associative and commutative.
        dimensions: Axes.

    >>> import py_tensor as pt
    >>> pt.lax.reduce(pt.asarray([[1, 5], [3, 2]]), 0, pt.lax.max, (0,)).tolist()
    [3, 5]
    """

    def rows(x: Any) -> Tensor:
        x = as_tensor("reduce", x)
        axes = some_axes("reduce", tuple(dimensions), x.ndim)
        rest = [axis for axis in range(x.ndim) if axis not in axes]
        count = prod(x.shape[axis] for axis in axes)
        lengths = [x.shape[axis] for axis in rest]
        return reshape(permute_dims(x, (*axes, *rest)), (count, *lengths))

    def part(tree: Any, start: int, end: int) -> Any:
        return tree_map(lambda x: x[start:end], tree)

    tree = tree_map(rows, operands)
    while (count := _count(tree)) > 1:
        half = count // 2
        joined = computation(part(tree, 0, half), part(tree, half, 2 * half))
        rest = part(tree, 2 * half, count)
        tree = tree_map(lambda a, b: concat([a, b]), joined, rest) if count % 2 else joined
    starts = tree_map(lambda x, init: broadcast_to(init, x.shape[1:]), tree, init_values)
    return computation(starts, tree_map(lambda x: x[0], tree)) if _count(tree) else starts


def _count(tree: Any) -> int:
    counts: list[int] = []
    tree_map(lambda x: counts.append(x.shape[0]), tree)
    if not counts:
        raise ArgumentError("reduce: there are no operands; got none; give at least one tensor")
    return counts[0]


@checked
def reduce_window(
    operand: ArrayLike,
    init_value: ArrayLike,
    computation: Combine,
    window_dimensions: Axes,
    window_strides: Axes,
    padding: Padding,
) -> Tensor:
    """Combine the elements of sliding windows by a function of two, see `reduce`.

    Args:
        operand: Tensor.
        init_value: Number to combine with each result, also that of the padding.
        computation: Associative and commutative function of two tensors.
        window_dimensions: Length of the window along each axis.
        window_strides: Step of the window along each axis.
        padding: "VALID", "SAME", or (before, after) for each axis.

    >>> import py_tensor as pt
    >>> x = pt.asarray([1, 5, 2, 4])
    >>> pt.lax.reduce_window(x, 0, pt.lax.add, (2,), (2,), "VALID").tolist()
    [6, 6]
    """
    x = as_tensor("reduce_window", operand)
    sizes, steps = tuple(window_dimensions), tuple(window_strides)
    pads = padding_of("reduce_window", padding, x.shape, sizes, steps)
    x = pad(x, init_value, [(*pair, 0) for pair in pads])
    windows = sliding_window_view(x, sizes, axis=tuple(range(x.ndim)))
    windows = windows[tuple(slice(None, None, step) for step in steps)]
    axes = range(len(sizes), 2 * len(sizes))
    result: Tensor = reduce(windows, init_value, computation, tuple(axes))
    return result


def padding_of(
    operation: str,
    padding: Padding,
    image: Axes,
    size: Axes,
    stride: Axes,
) -> list[tuple[int, int]]:
    """Return the number of elements to add before and after along each axis."""
    per_axis(operation, "shape", image, len(size))
    per_axis(operation, "strides", stride, len(size), 1)
    if not isinstance(padding, str):
        return list(per_axis(operation, "padding", padding, len(size)))
    name = padding.upper()
    if name == "VALID":
        return [(0, 0)] * len(size)
    if name not in ("SAME", "SAME_LOWER"):
        raise ArgumentError(
            f"{operation}: padding does not exist; got {padding!r}; use VALID, SAME, SAME_LOWER or "
            "a pair of numbers for each axis"
        )
    totals = [
        max((-(-n // step) - 1) * step + k - n, 0)
        for n, k, step in zip(image, size, stride, strict=True)
    ]
    smaller = [(total // 2, total - total // 2) for total in totals]
    return smaller if name == "SAME" else [(after, before) for before, after in smaller]


@checked
def padtype_to_pads(
    in_shape: Axes,
    window_shape: Axes,
    window_strides: Axes,
    padding: Padding,
) -> list[tuple[int, int]]:
    """Return the number of elements that a padding adds before and after each axis.

    >>> import py_tensor as pt
    >>> pt.lax.padtype_to_pads((8, 8), (3, 3), (1, 2), "SAME")
    [(1, 1), (0, 1)]
    """
    return padding_of("padtype_to_pads", padding, in_shape, window_shape, window_strides)
