"""Functions of samples of a curve: values in between, and areas below."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import ShapeError
from ..tensor import Tensor, as_tensor, operand_of
from .axes import one_axis
from .elementwise import PUBLIC as ELEMENTWISE
from .elementwise import astype, clip
from .indexing import take
from .naming import named
from .sorting import searchsorted
from .statistical import PUBLIC as STATISTICAL
from .utility import diff


@named
def interp(x: Any, xp: Any, fp: Any, /, *, left: Any = None, right: Any = None) -> Tensor:
    """The values at x of the line through the points (xp, fp), whose `xp` are in order.

    Outside of them the first and last value of `fp`, or `left` and `right`. Raises ShapeError for
    points that do not pair.

    >>> import py_tensor as pt
    >>> pt.interp(pt.asarray([0.5, 9.0]), pt.asarray([0.0, 1.0]), pt.asarray([10.0, 20.0])).tolist()
    [15.0, 20.0]
    """
    places, xs, ys = (_floating("interp", value) for value in (x, xp, fp))
    if xs.ndim != 1 or xs.shape != ys.shape or not xs.size:
        raise ShapeError(
            f"interp: points do not pair; got shapes {xs.shape} and {ys.shape}; "
            "give two vectors of one length, from 1 on"
        )
    above = searchsorted(xs, places, side="right")
    low, high = clip(above - 1, 0, xs.size - 1), clip(above, 0, xs.size - 1)
    x0, x1, y0, y1 = (take(v, at, axis=0) for v in (xs, ys) for at in (low, high))
    slope = (y1 - y0) / ELEMENTWISE["where"](x1 == x0, 1.0, x1 - x0)
    found = ELEMENTWISE["where"](low == high, y0, y0 + slope * (places - x0))
    before = ys[0] if left is None else operand_of("interp", left)
    behind = ys[-1] if right is None else operand_of("interp", right)
    found = ELEMENTWISE["where"](places < xs[0], before, found)
    return ELEMENTWISE["where"](places > xs[-1], behind, found)


def _floating(operation: str, value: Any) -> Tensor:
    tensor = as_tensor(operation, value)
    return tensor if tensor.dtype.kind == "f" else astype(tensor, "float32")


@named
def trapezoid(y: Any, x: Any = None, /, *, dx: float = 1.0, axis: int = -1) -> Tensor:
    """The area below lines through samples along an axis: sums of widths times mean heights.

    The samples lie at `x`, of their shape or along the axis alone, or `dx` apart. Floating as `y`
    is, else float32. Raises DTypeError for complex numbers, ShapeError for an axis that does not
    exist, or another number of places than of samples.

    >>> import py_tensor as pt
    >>> pt.trapezoid(pt.asarray([1.0, 2.0, 3.0])).item()
    4.0
    """
    heights = _floating("trapezoid", y)
    place = one_axis("trapezoid", axis, heights.ndim)
    before: tuple[slice, ...] = (slice(None),) * place
    sums = heights[(*before, slice(1, None))] + heights[(*before, slice(-1))]
    if x is None:
        return STATISTICAL["sum"](sums, axis=place) * (0.5 * dx)
    points = _floating("trapezoid", x)
    if points.shape != heights.shape and points.shape != heights.shape[place : place + 1]:
        raise ShapeError(
            f"trapezoid: x lies neither as y nor along its axis; got shapes {points.shape} and "
            f"{heights.shape}; give x shape {heights.shape[place : place + 1]}"
        )
    if points.ndim == 1:
        points = points.reshape((-1, *(1,) * (heights.ndim - place - 1)))
        widths = diff(points, axis=0)
    else:
        widths = diff(points, axis=place)
    return STATISTICAL["sum"](sums * widths * 0.5, axis=place)


PUBLIC: dict[str, Callable[..., Any]] = {"interp": interp, "trapezoid": trapezoid}
