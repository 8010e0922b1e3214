"""Pooling of one and three axes, adaptive pooling and global pooling."""

from __future__ import annotations

from math import inf
from typing import Any

from .. import functions as F
from ..errors import DTypeError, ShapeError
from ..functions import statistical
from ..functions.arguments import flag, floating, wide
from ..functions.decorators import documented, named, remembered
from ..functions.neural import (
    avg_pool,
    avg_pool2d as avg_pool2d,
    max_pool,
    max_pool2d as max_pool2d,
)
from ..functions.sliding_windows import axes_of, batched, per_axis, windows_of
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, PaddingLike, PerAxis
from .contracts import ADAPTIVE, POOLING, contract
from .patches import taps_of

_MAX_PARTS = 46340
"""Largest number of parts: positions are computed in int32, which holds its square."""


@remembered
@documented(*contract(POOLING, 1))
def max_pool1d(
    x: ArrayLike,
    size: PerAxis,
    /,
    *,
    stride: PerAxis | None = None,
    padding: PaddingLike = "valid",
    dilation: PerAxis = 1,
) -> Tensor:
    """Return the largest element of each window and channel of sequences.

    Returns:
        Tensor of shape (batch, width', channels), without the batch if `x` has none, and the dtype
        of `x`. Padding counts as the lowest number.

    >>> import py_tensor as pt
    >>> pt.nn.max_pool1d(pt.asarray([[1.0], [5.0], [2.0], [3.0]]), 2).tolist()
    [[5.0], [3.0]]
    """
    return max_pool("max_pool1d", x, 1, size, stride, padding, dilation)


@named
@documented(*contract(POOLING, 2))
def max_pool2d_with_argmax(
    x: ArrayLike,
    size: PerAxis,
    /,
    *,
    stride: PerAxis | None = None,
    padding: PaddingLike = "valid",
    include_batch_in_index: bool = False,
) -> tuple[Tensor, Tensor]:
    """Return the largest element of each window of each channel, and its position in the image.

    Args:
        x: Images of shape (batch, height, width, channels) and a floating dtype.
        size: Window size in elements; a number, or (height, width).
        include_batch_in_index: Count positions through all images instead of within each; default
            False.

    Returns:
        Tuple of the largest elements, of shape (batch, height', width', channels), and of their
        positions (row * width + column) * channels + channel; int32. The first one counts.

    Raises:
        DTypeError: If the dtype is not floating.

    >>> import py_tensor as pt
    >>> x = pt.asarray([[[[1.0], [5.0]], [[2.0], [3.0]]]])
    >>> values, places = pt.nn.max_pool2d_with_argmax(x, 2)
    >>> values.tolist(), places.tolist()
    ([[[[5.0]]]], [[[[1]]]])
    """
    operation = "max_pool2d_with_argmax"
    images = floating(operation, x)
    if images.ndim != 4:
        raise ShapeError(
            f"{operation}: input must be images; got shape {images.shape}; x must have shape "
            "(batch, height, width, channels)"
        )
    batch, height, width, channels = images.shape
    lengths = per_axis(operation, "size", size, 1, 2)
    stride = lengths if stride is None else stride
    windows = windows_of(operation, "window", (height, width), lengths, stride, padding, 1)
    padded = F.pad(images, ((0, 0), *windows.pads, (0, 0)), constant_values=-inf)
    taps = F.stack(taps_of(padded, windows), axis=-1)
    tap = F.argmax(taps, axis=-1)
    rows, columns = (
        F.arange(n).reshape(shape) * step - before
        for n, shape, step, (before, _) in zip(
            windows.out, ((-1, 1, 1), (-1, 1)), windows.stride, windows.pads, strict=True
        )
    )
    positions = (rows + tap // lengths[1]) * width + columns + tap % lengths[1]
    positions = positions * channels + F.arange(channels)
    if flag(operation, "include_batch_in_index", include_batch_in_index):
        positions = positions + F.arange(batch).reshape((-1, 1, 1, 1)) * (height * width * channels)
    return statistical.max(taps, axis=-1), positions


@remembered
@documented(*contract(POOLING, 3))
def max_pool3d(
    x: ArrayLike,
    size: PerAxis,
    /,
    *,
    stride: PerAxis | None = None,
    padding: PaddingLike = "valid",
    dilation: PerAxis = 1,
) -> Tensor:
    """Return the largest element of each window and channel of volumes.

    Returns:
        Tensor of shape (batch, depth', height', width', channels), without the batch if `x` has
        none, and the dtype of `x`. Padding counts as the lowest number.

    >>> import py_tensor as pt
    >>> pt.nn.max_pool3d(pt.arange(8).reshape((2, 2, 2, 1)), 2).tolist()
    [[[[7]]]]
    """
    return max_pool("max_pool3d", x, 3, size, stride, padding, dilation)


@remembered
@documented(*contract(POOLING, 1, "floating"))
def avg_pool1d(
    x: ArrayLike,
    size: PerAxis,
    /,
    *,
    stride: PerAxis | None = None,
    padding: PaddingLike = "valid",
    dilation: PerAxis = 1,
    count_include_pad: bool = False,
) -> Tensor:
    """Return the mean of each window and channel of sequences.

    Returns:
        Tensor of shape (batch, width', channels), without the batch if `x` has none, and the dtype
        of `x`. Padding is not part of the mean unless requested.

    >>> import py_tensor as pt
    >>> pt.nn.avg_pool1d(pt.asarray([[1.0], [5.0], [2.0], [3.0]]), 2).tolist()
    [[3.0], [2.5]]
    """
    return avg_pool("avg_pool1d", x, 1, size, stride, padding, dilation, count_include_pad)


@remembered
@documented(*contract(POOLING, 3, "floating"))
def avg_pool3d(
    x: ArrayLike,
    size: PerAxis,
    /,
    *,
    stride: PerAxis | None = None,
    padding: PaddingLike = "valid",
    dilation: PerAxis = 1,
    count_include_pad: bool = False,
) -> Tensor:
    """Return the mean of each window and channel of volumes.

    Returns:
        Tensor of shape (batch, depth', height', width', channels), without the batch if `x` has
        none, and the dtype of `x`. Padding is not part of the mean unless requested.

    >>> import py_tensor as pt
    >>> pt.nn.avg_pool3d(pt.arange(8, dtype="float32").reshape((2, 2, 2, 1)), 2).tolist()
    [[[[3.5]]]]
    """
    return avg_pool("avg_pool3d", x, 3, size, stride, padding, dilation, count_include_pad)


@remembered
@documented(*contract(ADAPTIVE, 1, "floating"))
def adaptive_avg_pool1d(x: ArrayLike, parts: PerAxis, /) -> Tensor:
    """Divide sequences into `parts` parts per axis; return the mean of each.

    Part i of n of a length N goes from floor(i * N / n) up to, not including, ceil((i + 1) * N /
    n), as in PyTorch. Parts overlap if N is not a multiple of n.

    >>> import py_tensor as pt
    >>> pt.nn.adaptive_avg_pool1d(pt.asarray([[1.0], [2.0], [6.0]]), 2).tolist()
    [[1.5], [4.0]]
    """
    return _adaptive_avg("adaptive_avg_pool1d", x, 1, parts)


@remembered
@documented(*contract(ADAPTIVE, 2, "floating"))
def adaptive_avg_pool2d(x: ArrayLike, parts: PerAxis, /) -> Tensor:
    """Divide images into `parts` parts per axis; return the mean of each.

    Part i of n of a length N goes from floor(i * N / n) up to, not including, ceil((i + 1) * N /
    n), as in PyTorch. Parts overlap if N is not a multiple of n.

    >>> import py_tensor as pt
    >>> pt.nn.adaptive_avg_pool2d(pt.ones((1, 7, 5, 3)), (2, 3)).shape
    (1, 2, 3, 3)
    >>> pt.nn.adaptive_avg_pool2d(pt.asarray([[[1.0], [2.0], [6.0]]]), (1, 2)).tolist()
    [[[1.5], [4.0]]]
    """
    return _adaptive_avg("adaptive_avg_pool2d", x, 2, parts)


@remembered
@documented(*contract(ADAPTIVE, 3, "floating"))
def adaptive_avg_pool3d(x: ArrayLike, parts: PerAxis, /) -> Tensor:
    """Divide volumes into `parts` parts per axis; return the mean of each.

    Part i of n of a length N goes from floor(i * N / n) up to, not including, ceil((i + 1) * N /
    n), as in PyTorch. Parts overlap if N is not a multiple of n.

    >>> import py_tensor as pt
    >>> pt.nn.adaptive_avg_pool3d(pt.ones((1, 4, 7, 5, 3)), 2).shape
    (1, 2, 2, 2, 3)
    >>> pt.nn.adaptive_avg_pool3d(pt.asarray([[[[1.0], [2.0], [6.0]]]]), (1, 1, 2)).tolist()
    [[[[1.5], [4.0]]]]
    """
    return _adaptive_avg("adaptive_avg_pool3d", x, 3, parts)


@remembered
@documented(*contract(ADAPTIVE, 1))
def adaptive_max_pool1d(x: ArrayLike, parts: PerAxis, /) -> Tensor:
    """Divide sequences into `parts` parts per axis; return the maximum of each.

    Part i of n of a length N goes from floor(i * N / n) up to, not including, ceil((i + 1) * N /
    n), as in PyTorch. Parts overlap if N is not a multiple of n.

    >>> import py_tensor as pt
    >>> pt.nn.adaptive_max_pool1d(pt.asarray([[1], [2], [6]]), 2).tolist()
    [[2], [6]]
    """
    return _adaptive_max("adaptive_max_pool1d", x, 1, parts)


@remembered
@documented(*contract(ADAPTIVE, 2))
def adaptive_max_pool2d(x: ArrayLike, parts: PerAxis, /) -> Tensor:
    """Divide images into `parts` parts per axis; return the maximum of each.

    Part i of n of a length N goes from floor(i * N / n) up to, not including, ceil((i + 1) * N /
    n), as in PyTorch. Parts overlap if N is not a multiple of n.

    >>> import py_tensor as pt
    >>> pt.nn.adaptive_max_pool2d(pt.ones((1, 7, 5, 3)), (2, 3)).shape
    (1, 2, 3, 3)
    >>> pt.nn.adaptive_max_pool2d(pt.asarray([[[1], [2], [6]]]), (1, 2)).tolist()
    [[[2], [6]]]
    """
    return _adaptive_max("adaptive_max_pool2d", x, 2, parts)


@remembered
@documented(*contract(ADAPTIVE, 3))
def adaptive_max_pool3d(x: ArrayLike, parts: PerAxis, /) -> Tensor:
    """Divide volumes into `parts` parts per axis; return the maximum of each.

    Part i of n of a length N goes from floor(i * N / n) up to, not including, ceil((i + 1) * N /
    n), as in PyTorch. Parts overlap if N is not a multiple of n.

    >>> import py_tensor as pt
    >>> pt.nn.adaptive_max_pool3d(pt.ones((1, 4, 7, 5, 3)), 2).shape
    (1, 2, 2, 2, 3)
    >>> pt.nn.adaptive_max_pool3d(pt.asarray([[[[1], [2], [6]]]]), (1, 1, 2)).tolist()
    [[[[2], [6]]]]
    """
    return _adaptive_max("adaptive_max_pool3d", x, 3, parts)


@remembered
def global_avg_pool(x: ArrayLike, /) -> Tensor:
    """Return the mean of each channel.

    Args:
        x: Tensor of shape (batch, ..., channels) with 3 to 5 axes, and a floating dtype.

    Returns:
        Tensor of shape (batch, channels) and the dtype of `x`.

    Raises:
        DTypeError: If the dtype is not floating.
        ShapeError: If `x` has another number of axes.

    >>> import py_tensor as pt
    >>> pt.nn.global_avg_pool(pt.asarray([[[1.0, 5.0], [3.0, 7.0]]])).tolist()
    [[2.0, 6.0]]
    """
    tensor = floating("global_avg_pool", x)
    return tensor.mean(axis=_inner_axes("global_avg_pool", tensor))


@remembered
def global_max_pool(x: ArrayLike, /) -> Tensor:
    """Return the largest element of each channel.

    Args:
        x: Tensor of shape (batch, ..., channels) with 3 to 5 axes, and a numeric dtype.

    Returns:
        Tensor of shape (batch, channels) and the dtype of `x`.

    Raises:
        DTypeError: If the dtype is not numeric.
        ShapeError: If `x` has another number of axes.

    >>> import py_tensor as pt
    >>> pt.nn.global_max_pool(pt.asarray([[[1, 5], [3, 7]]])).tolist()
    [[3, 7]]
    """
    tensor = _numeric("global_max_pool", x)
    return tensor.max(axis=_inner_axes("global_max_pool", tensor))


def _inner_axes(operation: str, x: Tensor) -> tuple[int, ...]:
    if x.ndim not in (3, 4, 5):
        raise ShapeError(
            f"{operation}: input must have 3 to 5 axes; got shape {x.shape}; x must have shape "
            "(batch, ..., channels)"
        )
    return tuple(range(1, x.ndim - 1))


def _numeric(operation: str, x: ArrayLike) -> Tensor:
    tensor = as_tensor(operation, x)
    if tensor.dtype.kind == "b":
        raise DTypeError(f'{operation}: dtype bool is not numeric; use x.astype("int32")')
    return tensor


def _adaptive_avg(operation: str, x: ArrayLike, count: int, parts: PerAxis) -> Tensor:
    x = floating(operation, x)
    images, lengths = _parts(operation, x, count, parts)
    means = wide(images)
    for axis, length in enumerate(lengths, 1):
        gathered, inside, counts = _gather_parts(means, axis, length)
        if inside is not None:
            gathered = F.where(inside, gathered, 0.0)
        means = gathered.sum(axis=axis + 1) / counts
    return means.reshape((*x.shape[: x.ndim - count - 1], *lengths, x.shape[-1])).astype(
        x.dtype, copy=False
    )


def _adaptive_max(operation: str, x: ArrayLike, count: int, parts: PerAxis) -> Tensor:
    x = _numeric(operation, x)
    images, lengths = _parts(operation, x, count, parts)
    for axis, length in enumerate(lengths, 1):
        # Past a part's end its last element is repeated, which does not change the maximum.
        images = _gather_parts(images, axis, length)[0].max(axis=axis + 1)
    return images.reshape((*x.shape[: x.ndim - count - 1], *lengths, x.shape[-1]))


def _parts(operation: str, x: Tensor, count: int, parts: PerAxis) -> tuple[Tensor, tuple[int, ...]]:
    """Return x with a batch axis, and the number of parts of each axis."""
    images = batched(operation, x, count)
    lengths = per_axis(operation, "size of the result", parts, 1, count)
    if max(lengths) > _MAX_PARTS:
        raise ShapeError(
            f"{operation}: result is too large; got {lengths}; use at most {_MAX_PARTS}"
        )
    if 0 in images.shape[1:-1]:
        raise ShapeError(
            f"{operation}: there are no elements to pool; got shape {x.shape}; use lengths of at "
            f"least 1 for {axes_of(count)}"
        )
    return images, lengths


def _gather_parts(x: Tensor, axis: int, parts: int) -> tuple[Tensor, Tensor | None, Any]:
    """Gather the elements of each part along a new axis after the given one.

    Also return a mask of the elements inside their part (None if all are) and the number of
    elements of each part.
    """
    length = x.shape[axis]
    if length % parts == 0:
        shape = (*x.shape[:axis], parts, length // parts, *x.shape[axis + 1 :])
        return x.reshape(shape), None, float(length // parts)
    part = F.arange(parts)
    # Quotient and remainder separately: the product of both lengths may not fit int32.
    whole, rest = divmod(length, parts)
    start = part * whole + part * rest // parts
    end = (part + 1) * whole - -(part + 1) * rest // parts
    longest = whole + (2 if parts % rest else 1)
    element_positions = start.reshape((-1, 1)) + F.arange(longest)
    last = (end - 1).reshape((-1, 1))
    trailing = (1,) * (x.ndim - axis - 1)
    return (
        F.take(x, element_positions.minimum(last), axis=axis),
        (element_positions <= last).reshape((parts, longest, *trailing)),
        (end - start).astype("float32").reshape((parts, *trailing)),
    )
