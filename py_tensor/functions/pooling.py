"""Pooling: one number for each window of an image."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..dtypes import float32
from ..errors import DTypeError, ShapeError
from ..nodes import node_of, scalar_node
from ..ops import ROWS
from ..ops.views import PAD, PERMUTE, RESHAPE, WINDOW
from ..tensor import Tensor, asarray, node_behind
from .creation import PUBLIC as CREATION
from .elementwise import astype, clip
from .manipulation import broadcast_to, reshape
from .remembering import remembered
from .windows import Windows, a_pair, windows_of


def _images(operation: str, x: Tensor) -> Tensor:
    """x with a batch axis."""
    shape = node_behind(operation, x).spec.shape
    if len(shape) not in (3, 4):
        raise ShapeError(
            f"{operation}: needs 3 or 4 axes; got shape {shape}; "
            "x is (batch, height, width, channels) or (height, width, channels)"
        )
    return reshape(x, (1, *shape)) if len(shape) == 3 else x


def _windows(
    operation: str, images: Tensor, size: Any, stride: Any, padding: Any, dilation: Any
) -> Windows:
    _, height, width, _ = images.shape
    pair = a_pair(operation, "size", size, 1)
    stride = pair if stride is None else stride
    return windows_of(operation, "window", (height, width), pair, stride, padding, dilation)


def _pooled(row: str, x: Tensor, found: Windows, fill: float) -> Tensor:
    """The reduction `row` of every window; `fill` is what padding holds."""
    node = x._node
    (kh, kw), (sh, sw), (dh, dw), pads, out = found
    if any(map(any, pads)):
        value = scalar_node(fill, x.dtype)
        node = node_of(PAD, (node, value), ((0, 0, 0), (*pads[0], 0), (*pads[1], 0), (0, 0, 0)))
    node = node_of(WINDOW, (node,), ((1, kh, sh, dh), (2, kw, sw, dw)))
    # Channels last: neighbouring lanes then read neighbouring channels.
    node = node_of(PERMUTE, (node,), (0, 1, 2, 4, 5, 3))
    node = node_of(ROWS[row], (node,), (3, 4))
    return Tensor(node_of(RESHAPE, (node,), (x.shape[0], *out, x.shape[3])))


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
    x = asarray(x)
    images, dtype = _images("max_pool2d", x), x.dtype
    if dtype.kind == "b":
        raise DTypeError('max_pool2d: dtype bool is not numeric; use x.astype("int32")')
    found = _windows("max_pool2d", images, size, stride, padding, dilation)
    lowest = float("-inf") if dtype.kind == "f" else dtype.lowest
    return _as_given(x, _pooled("max", images, found, lowest))


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

    As `max_pool2d`, for floating dtypes. Padding counts as zeros where `count_include_pad` is true;
    else the mean is over the elements of the image alone, NaN for none.

    >>> import py_tensor as pt
    >>> pt.avg_pool2d(pt.asarray([[[1.0], [3.0]]]), (1, 2)).tolist()
    [[[2.0]]]
    """
    x = asarray(x)
    images, dtype = _images("avg_pool2d", x), x.dtype
    if dtype.kind != "f":
        raise DTypeError(f'avg_pool2d: dtype {dtype} is not floating; use x.astype("float32")')
    found = _windows("avg_pool2d", images, size, stride, padding, dilation)
    # Halves add up in float32, as in mean.
    total = _pooled("sum", astype(images, float32, copy=False), found, 0)
    if count_include_pad or not any(map(any, found.pads)):
        mean = total * (1.0 / (found.size[0] * found.size[1]))
    else:
        rows = reshape(_counts(found, 0, images.shape[1]), (-1, 1, 1))
        columns = reshape(_counts(found, 1, images.shape[2]), (-1, 1))
        # Broadcast first: each is cheaper computed where it is used than stored.
        mean = total / (broadcast_to(rows, total.shape) * broadcast_to(columns, total.shape))
    return _as_given(x, astype(mean, dtype, copy=False))


def _counts(found: Windows, axis: int, length: int) -> Tensor:
    """How many elements of the image each window has along an axis."""
    size, step, dilation = found.size[axis], found.stride[axis], found.dilation[axis]
    start = CREATION["arange"](found.out[axis]) * step - found.pads[axis][0]

    def taps_before(end: Tensor) -> Tensor:
        taps = end if dilation == 1 else (end + (dilation - 1)) // dilation
        return clip(taps, 0, size)

    return astype(taps_before(length - start) - taps_before(-start), float32)


def _as_given(x: Tensor, result: Tensor) -> Tensor:
    """Without the batch axis where x had none."""
    return result if x.ndim == 4 else reshape(result, result.shape[1:])


PUBLIC: dict[str, Callable[..., Tensor]] = {"max_pool2d": max_pool2d, "avg_pool2d": avg_pool2d}
