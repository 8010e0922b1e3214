"""Sliding windows of a tensor, as in `numpy.lib.stride_tricks`."""

from __future__ import annotations

from typing import Any

from ..errors import ShapeError
from ..functions.arguments import some_axes
from ..functions.creation import arange
from ..functions.manipulation import expand_dims, moveaxis
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, Axis

__all__ = ["sliding_window_view"]


def sliding_window_view(
    x: ArrayLike, window_shape: int | tuple[int, ...], axis: Axis = None
) -> Tensor:
    """Return all windows of a size, at every position where they fit.

    Args:
        x: Tensor or array-like.
        window_shape: Length of the windows along each of the axes.
        axis: Axis or axes along which windows slide; None (default) for all axes of `x`.

    Returns:
        Tensor with the positions of the windows as first axes and the windows as last axes. It is
        a new value: assigning to it does not change `x`.

    Raises:
        ShapeError: If there is not one length for each axis, or a window does not fit.

    >>> import py_tensor as pt
    >>> pt.lib.stride_tricks.sliding_window_view([1, 2, 3, 4], 3).tolist()
    [[1, 2, 3], [2, 3, 4]]
    """
    operation = "sliding_window_view"
    result = as_tensor(operation, x)
    lengths = (window_shape,) if isinstance(window_shape, int) else tuple(window_shape)
    wanted: Any = range(result.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    axes = [some_axes(operation, number, result.ndim)[0] for number in wanted]
    if len(lengths) != len(axes):
        raise ShapeError(
            f"{operation}: lengths do not fit the axes; got {lengths} for axes {tuple(axes)}; "
            "give one length for each axis"
        )
    for length, at in zip(lengths, axes, strict=True):
        count = result.shape[at] - length + 1
        if length < 0 or count < 1:
            raise ShapeError(
                f"{operation}: window does not fit; got length {length} for {result.shape[at]} "
                f"elements; use at most {result.shape[at]}"
            )
        places = expand_dims(arange(count), axis=1) + arange(length)
        key: Any = (*(slice(None),) * at, places)
        result = moveaxis(result[key], at + 1, -1)
    return result
