"""Pooling beside `max_pool2d` and `avg_pool2d`: other numbers of axes, adaptive and global."""

from __future__ import annotations

from typing import Any

from ..errors import DTypeError, ShapeError
from ..functions.creation import PUBLIC as CREATION
from ..functions.elementwise import PUBLIC as ELEMENTWISE
from ..functions.floating import floating, wide
from ..functions.indexing import take
from ..functions.pooling import avg_pool, avg_pool2d, max_pool, max_pool2d
from ..functions.remembering import remembered
from ..functions.windows import axes_of, batched, per_axis
from ..tensor import Tensor, as_tensor

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "global_avg_pool",
    "global_max_pool",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
]


_MOST = 46340
"""Parts whose number squared still fits int32, in which their places are computed."""


@remembered
def max_pool1d(
    x: Any, size: Any, /, *, stride: Any = None, padding: Any = "valid", dilation: Any = 1
) -> Tensor:
    """The largest element of each window of each channel, as `max_pool2d` for sequences.

    `x` has shape (batch, width, channels), or (width, channels), and a numeric dtype. Raises
    ShapeError for windows larger than the sequence.

    >>> import py_tensor as pt
    >>> pt.nn.max_pool1d(pt.asarray([[1.0], [5.0], [2.0], [3.0]]), 2).tolist()
    [[5.0], [3.0]]
    """
    return max_pool("max_pool1d", x, 1, size, stride, padding, dilation)


@remembered
def max_pool3d(
    x: Any, size: Any, /, *, stride: Any = None, padding: Any = "valid", dilation: Any = 1
) -> Tensor:
    """The largest element of each window of each channel, as `max_pool2d` for volumes.

    `x` has shape (batch, depth, height, width, channels), or without the batch, and a numeric
    dtype. Raises ShapeError for windows larger than the volume.

    >>> import py_tensor as pt
    >>> pt.nn.max_pool3d(pt.arange(8).reshape((2, 2, 2, 1)), 2).tolist()
    [[[[7]]]]
    """
    return max_pool("max_pool3d", x, 3, size, stride, padding, dilation)


@remembered
def avg_pool1d(
    x: Any,
    size: Any,
    /,
    *,
    stride: Any = None,
    padding: Any = "valid",
    dilation: Any = 1,
    count_include_pad: bool = False,
) -> Tensor:
    """The mean of each window of each channel, as `avg_pool2d` for sequences.

    `x` has shape (batch, width, channels), or (width, channels), and a floating dtype. Raises
    ShapeError for windows larger than the sequence.

    >>> import py_tensor as pt
    >>> pt.nn.avg_pool1d(pt.asarray([[1.0], [5.0], [2.0], [3.0]]), 2).tolist()
    [[3.0], [2.5]]
    """
    return avg_pool("avg_pool1d", x, 1, size, stride, padding, dilation, count_include_pad)


@remembered
def avg_pool3d(
    x: Any,
    size: Any,
    /,
    *,
    stride: Any = None,
    padding: Any = "valid",
    dilation: Any = 1,
    count_include_pad: bool = False,
) -> Tensor:
    """The mean of each window of each channel, as `avg_pool2d` for volumes.

    `x` has shape (batch, depth, height, width, channels), or without the batch, and a floating
    dtype. Raises ShapeError for windows larger than the volume.

    >>> import py_tensor as pt
    >>> pt.nn.avg_pool3d(pt.arange(8, dtype="float32").reshape((2, 2, 2, 1)), 2).tolist()
    [[[[3.5]]]]
    """
    return avg_pool("avg_pool3d", x, 3, size, stride, padding, dilation, count_include_pad)


@remembered
def adaptive_avg_pool1d(x: Any, out: Any, /) -> Tensor:
    """The mean of each of `out` parts of a sequence, for each channel.

    `x` has shape (batch, width, channels), or (width, channels), and a floating dtype. Part i of n
    of a length N goes from floor(i * N / n) up to before ceil((i + 1) * N / n), as in PyTorch: as
    equal as can be, overlapping where N is no multiple of n. Raises ArgumentError for `out` below
    1, ShapeError for empty sequences, DTypeError for other dtypes.

    >>> import py_tensor as pt
    >>> pt.nn.adaptive_avg_pool1d(pt.asarray([[1.0], [2.0], [6.0]]), 2).tolist()
    [[1.5], [4.0]]
    """
    return _adaptive_avg("adaptive_avg_pool1d", x, 1, out)


@remembered
def adaptive_avg_pool2d(x: Any, out: Any, /) -> Tensor:
    """The mean of each of `out` parts of an image, a number or (height, width), for each channel.

    `x` has shape (batch, height, width, channels), or (height, width, channels); parts are as in
    `adaptive_avg_pool1d`, along each axis. Errors are those of `adaptive_avg_pool1d`.

    >>> import py_tensor as pt
    >>> pt.nn.adaptive_avg_pool2d(pt.ones((1, 7, 5, 3)), (2, 3)).shape
    (1, 2, 3, 3)
    """
    return _adaptive_avg("adaptive_avg_pool2d", x, 2, out)


@remembered
def adaptive_avg_pool3d(x: Any, out: Any, /) -> Tensor:
    """The mean of each of `out` parts of a volume, a number or three, for each channel.

    `x` has shape (batch, depth, height, width, channels), or without the batch; parts are as in
    `adaptive_avg_pool1d`, along each axis. Errors are those of `adaptive_avg_pool1d`.

    >>> import py_tensor as pt
    >>> pt.nn.adaptive_avg_pool3d(pt.ones((1, 4, 7, 5, 3)), 2).shape
    (1, 2, 2, 2, 3)
    """
    return _adaptive_avg("adaptive_avg_pool3d", x, 3, out)


@remembered
def adaptive_max_pool1d(x: Any, out: Any, /) -> Tensor:
    """The largest of each of `out` parts of a sequence, for each channel.

    As `adaptive_avg_pool1d`, for numeric dtypes; raises DTypeError for others.

    >>> import py_tensor as pt
    >>> pt.nn.adaptive_max_pool1d(pt.asarray([[1], [2], [6]]), 2).tolist()
    [[2], [6]]
    """
    return _adaptive_max("adaptive_max_pool1d", x, 1, out)


@remembered
def adaptive_max_pool2d(x: Any, out: Any, /) -> Tensor:
    """The largest of each of `out` parts of an image, a number or (height, width), by channel.

    As `adaptive_avg_pool2d`, for numeric dtypes; raises DTypeError for others.

    >>> import py_tensor as pt
    >>> pt.nn.adaptive_max_pool2d(pt.ones((1, 7, 5, 3)), (2, 3)).shape
    (1, 2, 3, 3)
    """
    return _adaptive_max("adaptive_max_pool2d", x, 2, out)


@remembered
def adaptive_max_pool3d(x: Any, out: Any, /) -> Tensor:
    """The largest of each of `out` parts of a volume, a number or three, by channel.

    As `adaptive_avg_pool3d`, for numeric dtypes; raises DTypeError for others.

    >>> import py_tensor as pt
    >>> pt.nn.adaptive_max_pool3d(pt.ones((1, 4, 7, 5, 3)), 2).shape
    (1, 2, 2, 2, 3)
    """
    return _adaptive_max("adaptive_max_pool3d", x, 3, out)


@remembered
def global_avg_pool(x: Any, /) -> Tensor:
    """The mean of each channel of images of one to three axes: shape (batch, channels).

    `x` has shape (batch, ..., channels) and a floating dtype. Raises ShapeError for other numbers
    of axes.

    >>> import py_tensor as pt
    >>> pt.nn.global_avg_pool(pt.asarray([[[1.0, 5.0], [3.0, 7.0]]])).tolist()
    [[2.0, 6.0]]
    """
    given = floating("global_avg_pool", x)
    return given.mean(axis=_inner("global_avg_pool", given))


@remembered
def global_max_pool(x: Any, /) -> Tensor:
    """The largest element of each channel of images of one to three axes: (batch, channels).

    As `global_avg_pool`, for numeric dtypes; raises DTypeError for others.

    >>> import py_tensor as pt
    >>> pt.nn.global_max_pool(pt.asarray([[[1, 5], [3, 7]]])).tolist()
    [[3, 7]]
    """
    given = _numeric("global_max_pool", x)
    return given.max(axis=_inner("global_max_pool", given))


def _inner(operation: str, x: Tensor) -> tuple[int, ...]:
    if x.ndim not in (3, 4, 5):
        raise ShapeError(
            f"{operation}: needs 3 to 5 axes; got shape {x.shape}; x is (batch, ..., channels)"
        )
    return tuple(range(1, x.ndim - 1))


def _numeric(operation: str, x: Any) -> Tensor:
    tensor = as_tensor(operation, x)
    if tensor.dtype.kind == "b":
        raise DTypeError(f'{operation}: dtype bool is not numeric; use x.astype("int32")')
    return tensor


def _adaptive_avg(operation: str, x: Any, count: int, out: Any) -> Tensor:
    x = floating(operation, x)
    images, lengths = _parts(operation, x, count, out)
    means = wide(images)
    for axis, length in enumerate(lengths, 1):
        parted, inside, counts = _parted(means, axis, length)
        if inside is not None:
            parted = ELEMENTWISE["where"](inside, parted, 0.0)
        means = parted.sum(axis=axis + 1) / counts
    return means.reshape((*x.shape[: x.ndim - count - 1], *lengths, x.shape[-1])).astype(
        x.dtype, copy=False
    )


def _adaptive_max(operation: str, x: Any, count: int, out: Any) -> Tensor:
    x = _numeric(operation, x)
    images, lengths = _parts(operation, x, count, out)
    for axis, length in enumerate(lengths, 1):
        # Beyond a part's end its last element is read again, which cannot change the maximum.
        images = _parted(images, axis, length)[0].max(axis=axis + 1)
    return images.reshape((*x.shape[: x.ndim - count - 1], *lengths, x.shape[-1]))


def _parts(operation: str, x: Tensor, count: int, out: Any) -> tuple[Tensor, tuple[int, ...]]:
    """x with a batch axis, and the number of parts of each axis."""
    images = batched(operation, x, count)
    lengths = per_axis(operation, "size of the result", out, 1, count)
    if max(lengths) > _MOST:
        raise ShapeError(
            f"{operation}: size of the result is too large; got {lengths}; give up to {_MOST}"
        )
    if 0 in images.shape[1:-1]:
        raise ShapeError(
            f"{operation}: no elements to pool; got shape {x.shape}; "
            f"give lengths from 1 on for {axes_of(count)}"
        )
    return images, lengths


def _parted(x: Tensor, axis: int, parts: int) -> tuple[Tensor, Tensor | None, Any]:
    """The elements of each part on an axis behind this one; which are inside, and how many.

    All are where the second is None.
    """
    length = x.shape[axis]
    if length % parts == 0:
        shape = (*x.shape[:axis], parts, length // parts, *x.shape[axis + 1 :])
        return x.reshape(shape), None, float(length // parts)
    part = CREATION["arange"](parts)
    # Whole parts and the rest apart: the product of both lengths may not fit int32.
    whole, rest = divmod(length, parts)
    start = part * whole + part * rest // parts
    end = (part + 1) * whole - -(part + 1) * rest // parts
    longest = whole + (2 if parts % rest else 1)
    places = start.reshape((-1, 1)) + CREATION["arange"](longest)
    last = (end - 1).reshape((-1, 1))
    others = (1,) * (x.ndim - axis - 1)
    return (
        take(x, places.minimum(last), axis=axis),
        (places <= last).reshape((parts, longest, *others)),
        (end - start).astype("float32").reshape((parts, *others)),
    )
