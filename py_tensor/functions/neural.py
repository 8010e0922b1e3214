"""Activation functions that reduce along an axis, and pooling of images."""

from __future__ import annotations

import math
import operator
from functools import reduce

from ..dtypes import float32
from ..errors import DTypeError
from ..ir.node import node_of, scalar_node
from ..ops import OP_DEFS
from ..ops.views import PAD, PERMUTE, RESHAPE, STOP_GRADIENT, WINDOW
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, PaddingLike, PerAxis
from . import statistical
from .arguments import converted, flag, floating, one_axis, wide
from .creation import arange
from .decorators import remembered
from .elementwise import astype, clip, exp
from .manipulation import broadcast_to, reshape
from .sliding_windows import (
    SlidingWindows,
    batched,
    images_pooled,
    in_layout,
    per_axis,
    windows_of,
)


@remembered
def softmax(x: ArrayLike, /, *, axis: int = -1) -> Tensor:
    """exp(x) over its sum along an axis, shifted by the maximum to avoid overflow.

    Args:
        x: Tensor or array-like of at least one axis; integers and bool count as float32.
        axis: Axis along which the result sums to 1; -1 by default.

    Returns:
        Tensor of the shape and dtype of x.

    Raises:
        DTypeError: If x is complex.
        ShapeError: If the axis does not exist.

    >>> import py_tensor as pt
    >>> pt.softmax(pt.asarray([0.0, 0.0])).tolist()
    [0.5, 0.5]
    """
    scores = converted("softmax", x)
    axis = one_axis("softmax", axis, scores.ndim)
    if scores.shape[axis] == 0:
        return scores
    highest = statistical.max(scores, axis=axis, keepdims=True)._node
    # The shift cancels out, in the gradient too.
    shift = Tensor(node_of(STOP_GRADIENT, (highest,), highest.spec.shape))
    powers = exp(scores - shift)
    return powers / statistical.sum(powers, axis=axis, keepdims=True)


def _pooled(reduction: str, images: Tensor, windows: SlidingWindows, fill: float) -> Tensor:
    """Reduce every window with the op `reduction`; `fill` is the value of padding."""
    node = images._node
    count = len(windows.size)
    if any(map(any, windows.pads)):
        value = scalar_node(fill, images.dtype)
        around = tuple((*pads, 0) for pads in windows.pads)
        node = node_of(PAD, (node, value), ((0, 0, 0), *around, (0, 0, 0)))
    taps = zip(range(1, count + 1), windows.size, windows.stride, windows.dilation, strict=True)
    node = node_of(WINDOW, (node,), tuple(taps))
    # Channels last: adjacent lanes then read adjacent channels.
    inner = tuple(range(count + 2, 2 * count + 2))
    node = node_of(PERMUTE, (node,), (*range(count + 1), *inner, count + 1))
    node = node_of(OP_DEFS[reduction], (node,), tuple(range(count + 1, 2 * count + 1)))
    shape = (images.shape[0], *windows.out, images.shape[-1])
    return Tensor(node_of(RESHAPE, (node,), shape))


def _windows(
    operation: str,
    images: Tensor,
    size: PerAxis,
    stride: PerAxis | None,
    padding: PaddingLike,
    dilation: PerAxis,
) -> SlidingWindows:
    image = images.shape[1:-1]
    lengths = per_axis(operation, "size", size, 1, len(image))
    stride = lengths if stride is None else stride
    return windows_of(operation, "window", image, lengths, stride, padding, dilation)


def max_pool(
    operation: str,
    x: ArrayLike,
    count: int,
    size: PerAxis,
    stride: PerAxis | None,
    padding: PaddingLike,
    dilation: PerAxis,
) -> Tensor:
    """Largest element of each window, with `count` axes; `operation` is for error messages."""
    x = as_tensor(operation, x)
    images, dtype = batched(operation, x, count), x.dtype
    if dtype.kind == "b":
        raise DTypeError(f'{operation}: dtype bool is not numeric; use x.astype("int32")')
    windows = _windows(operation, images, size, stride, padding, dilation)
    lowest = float("-inf") if dtype.kind == "f" else dtype.lowest
    return _as_given(x, _pooled("max", images, windows, lowest))


def avg_pool(
    operation: str,
    x: ArrayLike,
    count: int,
    size: PerAxis,
    stride: PerAxis | None,
    padding: PaddingLike,
    dilation: PerAxis,
    count_include_pad: bool,
) -> Tensor:
    """Mean of each window, with `count` spatial axes; `operation` is for error messages."""
    x = floating(operation, x)
    images, dtype = batched(operation, x, count), x.dtype
    windows = _windows(operation, images, size, stride, padding, dilation)
    total = _pooled("sum", wide(images), windows, 0)
    if flag(operation, "count_include_pad", count_include_pad) or not any(map(any, windows.pads)):
        mean = total * (1.0 / math.prod(windows.size))
    else:
        # Broadcast first, so that the counts are recomputed where used instead of materialized.
        elements = reduce(
            operator.mul,
            [
                broadcast_to(_counts(windows, axis, length), total.shape)
                for axis, length in enumerate(images.shape[1:-1])
            ],
        )
        mean = total / elements
    return _as_given(x, astype(mean, dtype, copy=False))


def _counts(windows: SlidingWindows, axis: int, length: int) -> Tensor:
    """Number of image elements in each window along an axis, shaped to broadcast."""
    size, step, dilation = windows.size[axis], windows.stride[axis], windows.dilation[axis]
    start = arange(windows.out[axis]) * step - windows.pads[axis][0]

    def taps_before(end: Tensor) -> Tensor:
        taps = end if dilation == 1 else (end + (dilation - 1)) // dilation
        return clip(taps, 0, size)

    counts = astype(taps_before(length - start) - taps_before(-start), float32)
    return reshape(counts, (-1, *(1,) * (len(windows.out) - axis)))


def _as_given(x: Tensor, result: Tensor) -> Tensor:
    """Remove the batch axis if x had none."""
    return result if x.ndim == result.ndim else reshape(result, result.shape[1:])


@remembered
@images_pooled
def max_pool2d(
    x: ArrayLike,
    size: PerAxis,
    /,
    *,
    stride: PerAxis | None = None,
    padding: PaddingLike = "valid",
    dilation: PerAxis = 1,
    data_format: str = "NHWC",
) -> Tensor:
    """Largest element of each window of each channel; NaN if any is.

    Padding is the lowest value of the dtype, so it never exceeds an element.

    Args:
        x: Images of shape (batch, height, width, channels) or (height, width, channels), of an
            integer or floating dtype.

    Raises:
        DTypeError: If x is bool.

    >>> import py_tensor as pt
    >>> pt.max_pool2d(pt.reshape(pt.arange(16), (4, 4, 1)), 2).flatten().tolist()
    [5, 7, 13, 15]
    """

    def pooled(images: Tensor) -> Tensor:
        return max_pool("max_pool2d", images, 2, size, stride, padding, dilation)

    return in_layout("max_pool2d", data_format, pooled, x)


@remembered
@images_pooled
def avg_pool2d(
    x: ArrayLike,
    size: PerAxis,
    /,
    *,
    stride: PerAxis | None = None,
    padding: PaddingLike = "valid",
    dilation: PerAxis = 1,
    count_include_pad: bool = False,
    data_format: str = "NHWC",
) -> Tensor:
    """Mean of each window of each channel.

    Args:
        x: Images of shape (batch, height, width, channels) or (height, width, channels), of a
            floating dtype.
        count_include_pad: Count padding as zeros; False (default) takes the mean of image elements
            only, NaN if a window has none.

    Raises:
        DTypeError: If x is not floating.

    >>> import py_tensor as pt
    >>> pt.avg_pool2d(pt.asarray([[[1.0], [3.0]]]), (1, 2)).tolist()
    [[[2.0]]]
    """

    def pooled(images: Tensor) -> Tensor:
        return avg_pool("avg_pool2d", images, 2, size, stride, padding, dilation, count_include_pad)

    return in_layout("avg_pool2d", data_format, pooled, x)
