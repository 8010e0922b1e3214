"""Pooling: one number for each window of an image."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

from ..dtypes import float32
from ..errors import DTypeError
from ..nodes import node_of, scalar_node
from ..ops import ROWS
from ..ops.views import PAD, PERMUTE, RESHAPE, WINDOW
from ..tensor import Tensor, as_tensor
from .creation import PUBLIC as CREATION
from .elementwise import astype, clip
from .floating import floating, wide
from .manipulation import broadcast_to, reshape
from .remembering import remembered
from .windows import Windows, batched, per_axis, windows_of


def _pooled(row: str, images: Tensor, found: Windows, fill: float) -> Tensor:
    """The reduction `row` of every window; `fill` is what padding holds."""
    node = images._node
    count = len(found.size)
    if any(map(any, found.pads)):
        value = scalar_node(fill, images.dtype)
        around = tuple((*pads, 0) for pads in found.pads)
        node = node_of(PAD, (node, value), ((0, 0, 0), *around, (0, 0, 0)))
    taps = zip(range(1, count + 1), found.size, found.stride, found.dilation, strict=True)
    node = node_of(WINDOW, (node,), tuple(taps))
    # Channels last: neighbouring lanes then read neighbouring channels.
    inner = tuple(range(count + 2, 2 * count + 2))
    node = node_of(PERMUTE, (node,), (*range(count + 1), *inner, count + 1))
    node = node_of(ROWS[row], (node,), tuple(range(count + 1, 2 * count + 1)))
    shape = (images.shape[0], *found.out, images.shape[-1])
    return Tensor(node_of(RESHAPE, (node,), shape))


def _windows(
    operation: str, images: Tensor, size: Any, stride: Any, padding: Any, dilation: Any
) -> Windows:
    image = images.shape[1:-1]
    each = per_axis(operation, "size", size, 1, len(image))
    stride = each if stride is None else stride
    return windows_of(operation, "window", image, each, stride, padding, dilation)


def max_pool(
    operation: str, x: Any, count: int, size: Any, stride: Any, padding: Any, dilation: Any
) -> Tensor:
    """What `operation`, the largest of each window of images of `count` axes, gives."""
    x = as_tensor(operation, x)
    images, dtype = batched(operation, x, count), x.dtype
    if dtype.kind == "b":
        raise DTypeError(f'{operation}: dtype bool is not numeric; use x.astype("int32")')
    found = _windows(operation, images, size, stride, padding, dilation)
    lowest = float("-inf") if dtype.kind == "f" else dtype.lowest
    return _as_given(x, _pooled("max", images, found, lowest))


def avg_pool(
    operation: str,
    x: Any,
    count: int,
    size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    count_include_pad: bool,
) -> Tensor:
    """What `operation`, the mean of each window of images of `count` axes, gives."""
    x = floating(operation, x)
    images, dtype = batched(operation, x, count), x.dtype
    found = _windows(operation, images, size, stride, padding, dilation)
    total = _pooled("sum", wide(images), found, 0)
    if count_include_pad or not any(map(any, found.pads)):
        mean = total * (1.0 / math.prod(found.size))
    else:
        # Broadcast first: each is cheaper computed where it is used than stored.
        elements = reduce(
            operator.mul,
            [
                broadcast_to(_counts(found, axis, length), total.shape)
                for axis, length in enumerate(images.shape[1:-1])
            ],
        )
        mean = total / elements
    return _as_given(x, astype(mean, dtype, copy=False))


def _counts(found: Windows, axis: int, length: int) -> Tensor:
    """How many elements of the image each window has along an axis, which others follow."""
    size, step, dilation = found.size[axis], found.stride[axis], found.dilation[axis]
    start = CREATION["arange"](found.out[axis]) * step - found.pads[axis][0]

    def taps_before(end: Tensor) -> Tensor:
        taps = end if dilation == 1 else (end + (dilation - 1)) // dilation
        return clip(taps, 0, size)

    counts = astype(taps_before(length - start) - taps_before(-start), float32)
    return reshape(counts, (-1, *(1,) * (len(found.out) - axis)))


def _as_given(x: Tensor, result: Tensor) -> Tensor:
    """Without the batch axis where x had none."""
    return result if x.ndim == result.ndim else reshape(result, result.shape[1:])


@remembered
def max_pool2d(
    x: Any,
    size: Any,
    /,
    *,
    stride: Any = None,
    padding: Any = "valid",
    dilation: Any = 1,
) -> Tensor:
    """The largest element of each window of each channel; NaN if any is.

    `x` has shape (batch, height, width, channels), or (height, width, channels), and a numeric
    dtype; `size`, `stride` (the size where None) and `dilation` are a number or (height, width).
    "same" pads such that height' = ceil(height / stride), the extra row last. Padding never wins
    against an element; a window of padding alone gives the lowest value of the dtype. Raises
    ShapeError for windows larger than the image.

    >>> import py_tensor as pt
    >>> pt.max_pool2d(pt.reshape(pt.arange(16), (4, 4, 1)), 2).flatten().tolist()
    [5, 7, 13, 15]
    """
    return max_pool("max_pool2d", x, 2, size, stride, padding, dilation)


@remembered
def avg_pool2d(
    x: Any,
    size: Any,
    /,
    *,
    stride: Any = None,
    padding: Any = "valid",
    dilation: Any = 1,
    count_include_pad: bool = False,
) -> Tensor:
    """The mean of each window of each channel.

    As `max_pool2d`, for floating dtypes; raises DTypeError for others. Padding counts as zeros
    where `count_include_pad` is true; else the mean is over the elements of the image alone, NaN
    for none.

    >>> import py_tensor as pt
    >>> pt.avg_pool2d(pt.asarray([[[1.0], [3.0]]]), (1, 2)).tolist()
    [[[2.0]]]
    """
    return avg_pool("avg_pool2d", x, 2, size, stride, padding, dilation, count_include_pad)


PUBLIC: dict[str, Callable[..., Tensor]] = {"max_pool2d": max_pool2d, "avg_pool2d": avg_pool2d}
