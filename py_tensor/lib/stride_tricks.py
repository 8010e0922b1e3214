"""Windows and strides of a tensor, as in `numpy.lib.stride_tricks`."""

from __future__ import annotations

from typing import Any

from ..dtypes import int32
from ..errors import ArgumentError, ShapeError
from ..functions.arguments import a_shape, flag, lengths_of, some_axes
from ..functions.creation import arange, zeros
from ..functions.elementwise import clip
from ..functions.indexing import take
from ..functions.manipulation import expand_dims, flatten, moveaxis, reshape
from ..functions.parts import strides_of, viewed, whole_of
from ..functions.searching import searchsorted
from ..functions.sorting import argsort
from ..functions.statistical import all
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, Axis, ShapeLike

__all__ = ["as_strided", "sliding_window_view"]


def as_strided(
    x: ArrayLike,
    shape: ShapeLike | None = None,
    strides: ShapeLike | None = None,
    *,
    writeable: bool = False,
) -> Tensor:
    """Return the elements at distances in the memory that NumPy would use for a tensor.

    Args:
        x: Tensor or array-like; the result begins at its first element.
        shape: Lengths of the result; None (default) for those of x.
        strides: Distance of neighbours along each axis in bytes; None (default) for those of x.
        writeable: False (default), since assigning to the result does not change x.

    Returns:
        Tensor of the shape. It is a value of its own: assigning to it does not change `x`.

    Raises:
        ShapeError: If there is not one stride for each axis, a stride is no whole number of
            elements, or an element is outside of the memory.

    >>> import py_tensor as pt
    >>> pt.lib.stride_tricks.as_strided(pt.arange(4, dtype="int32"), (3, 2), (4, 4)).tolist()
    [[0, 1], [1, 2], [2, 3]]
    """
    operation = "as_strided"
    if flag(operation, "writeable", writeable):
        raise ArgumentError(f"{operation}: result is a copy; got writeable=True; omit writeable")
    tensor = as_tensor(operation, x)
    lengths = tensor.shape if shape is None else a_shape(operation, shape)
    steps = tensor.strides if strides is None else lengths_of(operation, strides, "strides")
    size = tensor.dtype.itemsize
    if len(steps) != len(lengths) or any(step % size for step in steps):
        raise ShapeError(
            f"{operation}: strides do not fit; got {steps} for shape {lengths}; give one multiple "
            f"of {size} bytes for each axis"
        )
    whole = whole_of(tensor)
    places = _places(lengths, tuple(step // size for step in steps))
    if whole is None:
        # What is left of a view: its elements are stored in another order than before.
        memory, own = flatten(tensor), flatten(_places(tensor.shape, strides_of(tensor)))
    else:
        memory, own = flatten(whole), arange(whole.size, dtype=int32)
        if tensor.size:
            places = places + flatten(viewed(reshape(own, whole.shape), tensor))[0]
    order = argsort(own)
    own = take(own, order)
    found = clip(searchsorted(own, places), 0, max(memory.size - 1, 0))
    if places.size and not (memory.size and bool(all(take(own, found) == places))):
        raise ShapeError(
            f"{operation}: elements are outside of the memory; got shape {lengths} and strides "
            f"{strides} of {tensor.shape}; use smaller lengths or strides"
        )
    return take(memory, take(order, found))


def _places(lengths: tuple[int, ...], steps: tuple[int, ...]) -> Tensor:
    """Return the positions of elements at constant distances along each axis; int32."""
    result = zeros(lengths, dtype=int32)
    for at, (n, step) in enumerate(zip(lengths, steps, strict=True)):
        column = arange(n, dtype=int32) * step
        result = result + reshape(column, (n, *(1,) * (len(lengths) - at - 1)))
    return result


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
