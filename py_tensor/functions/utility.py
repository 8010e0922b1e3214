"""Differences of adjacent elements, interpolation between samples, and integration."""

from __future__ import annotations

from ..errors import ShapeError
from ..tensor import Tensor, as_tensor, operand_of
from ..typing import ArrayLike
from . import statistical
from .arguments import integer, number, one_axis
from .decorators import named
from .elementwise import astype, clip, divide, equal, not_equal, subtract, where
from .indexing import take
from .joining import concat
from .manipulation import broadcast_to
from .searching import searchsorted


@named
def diff(
    x: ArrayLike,
    /,
    n: int = 1,
    axis: int = -1,
    prepend: ArrayLike | None = None,
    append: ArrayLike | None = None,
) -> Tensor:
    """Subtract from each element the one before it along an axis, `n` times over.

    For bool, the result is True if the elements differ.

    Args:
        x: Tensor or array-like of any dtype.
        axis: Axis to go along; -1 by default.
        n: Number of times to take differences; 1 by default.
        prepend: Number or tensor to join in front of x first; None (default) for nothing.
        append: Number or tensor to join at the end of x first; None (default) for nothing.

    Returns:
        Tensor of the dtype of x, shorter by n along the axis.

    Raises:
        ArgumentError: If `n` is negative.
        ShapeError: If the axis does not exist.

    >>> import py_tensor as pt
    >>> pt.diff(pt.asarray([1, 4, 9, 16])).tolist(), pt.diff(pt.asarray([1, 4, 9]), n=2).tolist()
    ([3, 5, 7], [2])
    """
    result = as_tensor("diff", x)
    n = integer("diff", "n", n, 0)
    axis = one_axis("diff", axis, result.ndim)
    around = [as_tensor("diff", part) for part in (prepend, result, append) if part is not None]
    one = (*result.shape[:axis], 1, *result.shape[axis + 1 :])
    around = [part if part.ndim else broadcast_to(part, one) for part in around]
    if len(around) > 1:
        result = concat(around, axis=axis)
    less = not_equal if result.dtype.kind == "b" else subtract
    before: tuple[slice, ...] = (slice(None),) * axis
    for _ in range(min(n, result.shape[axis])):
        result = less(result[(*before, slice(1, None))], result[(*before, slice(-1))])
    return result


@named
def interp(
    x: ArrayLike,
    xp: ArrayLike,
    fp: ArrayLike,
    /,
    left: ArrayLike | None = None,
    right: ArrayLike | None = None,
) -> Tensor:
    """Interpolate linearly between the points (xp, fp).

    Args:
        x: Positions to evaluate at, a tensor of any shape.
        xp: Positions of the points, an ascending vector.
        fp: Values at the points, a vector of the same length.
        left: Value for positions below `xp`; None (default) for the first value of `fp`.
        right: Value for positions above `xp`; None (default) for the last value of `fp`.

    Returns:
        Tensor of the shape of x, in the promoted floating dtype.

    Raises:
        DTypeError: If an operand is complex.
        ShapeError: If `xp` and `fp` are not vectors of one length, at least 1.

    >>> import py_tensor as pt
    >>> pt.interp(pt.asarray([0.5, 9.0]), pt.asarray([0.0, 1.0]), pt.asarray([10.0, 20.0])).tolist()
    [15.0, 20.0]
    """
    places, xs, ys = (_floating("interp", value) for value in (x, xp, fp))
    if xs.ndim != 1 or xs.shape != ys.shape or not xs.size:
        raise ShapeError(
            f"interp: points and values must be vectors of equal length; got shapes {xs.shape} and "
            f"{ys.shape}; pass two non-empty vectors"
        )
    above = searchsorted(xs, places, side="right")
    low, high = clip(above - 1, 0, xs.size - 1), clip(above, 0, xs.size - 1)
    x0, x1, y0, y1 = (take(v, at, axis=0) for v in (xs, ys) for at in (low, high))
    slope = (y1 - y0) / where(x1 == x0, 1.0, x1 - x0)
    result = where(low == high, y0, y0 + slope * (places - x0))
    before = ys[0] if left is None else operand_of("interp", left)
    after = ys[-1] if right is None else operand_of("interp", right)
    result = where(places < xs[0], before, result)
    return where(places > xs[-1], after, result)


def _floating(operation: str, value: ArrayLike) -> Tensor:
    tensor = as_tensor(operation, value)
    return tensor if tensor.dtype.kind == "f" else astype(tensor, "float32")


@named
def trapezoid(
    y: ArrayLike, /, x: ArrayLike | None = None, dx: float = 1.0, axis: int = -1
) -> Tensor:
    """Integrate along an axis by the trapezoidal rule: sums of widths times mean heights.

    Args:
        y: Samples, a tensor of a real dtype.
        x: Positions of the samples, in the shape of y or a vector along the axis; None (default)
            for positions `dx` apart.
        dx: Distance between samples if x is None; 1 by default.
        axis: Axis to integrate along; -1 by default.

    Returns:
        Tensor of the shape of y without the axis; floating as y, else float32.

    Raises:
        DTypeError: If an operand is complex.
        ShapeError: If the axis does not exist, or x does not fit y.

    >>> import py_tensor as pt
    >>> pt.trapezoid(pt.asarray([1.0, 2.0, 3.0])).item()
    4.0
    """
    heights = _floating("trapezoid", y)
    axis = one_axis("trapezoid", axis, heights.ndim)
    before: tuple[slice, ...] = (slice(None),) * axis
    sums = heights[(*before, slice(1, None))] + heights[(*before, slice(-1))]
    if x is None:
        return statistical.sum(sums, axis=axis) * (0.5 * number("trapezoid", "dx", dx))
    points = _floating("trapezoid", x)
    if points.shape != heights.shape and points.shape != heights.shape[axis : axis + 1]:
        raise ShapeError(
            f"trapezoid: x must have the shape of y or of its axis; got shapes {points.shape} and "
            f"{heights.shape}; use for x the shape {heights.shape[axis : axis + 1]}"
        )
    if points.ndim == 1:
        points = points.reshape((-1, *(1,) * (heights.ndim - axis - 1)))
        widths = diff(points, axis=0)
    else:
        widths = diff(points, axis=axis)
    return statistical.sum(sums * widths * 0.5, axis=axis)


@named
def divide_no_nan(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Divide, with 0 instead of infinities and NaN if the divisor is 0; its gradient is then 0.

    Args:
        x1: Dividend, a tensor or array-like of a real dtype.
        x2: Divisor; both shapes broadcast together.

    Returns:
        Tensor of the broadcast shape; integers and bool give float32.

    Raises:
        DTypeError: If the operands have no common dtype.
        ShapeError: If the shapes do not broadcast.

    >>> import py_tensor as pt
    >>> pt.divide_no_nan([1.0, 2.0], [0.0, 4.0]).tolist()
    [0.0, 0.5]
    """
    divisor = as_tensor("divide_no_nan", x2)
    zero = equal(divisor, 0)
    return where(zero, 0.0, divide(x1, where(zero, 1, divisor)))
