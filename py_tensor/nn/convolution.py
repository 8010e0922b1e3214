"""Convolutions beside `conv2d`: of one axis and of three, transposed, depthwise, separable.

Images are channels last. Wherever `padding` is an argument it is "valid" (none), "same" (zeros,
such that a stride of 1 keeps the length, the extra one last), a number, or (before, after) for
each axis.
"""

from __future__ import annotations

from typing import Any

from ..errors import ShapeError
from ..functions.convolution import conv2d, convolution
from ..functions.convolution_transpose import conv2d_transpose, convolution_transpose
from ..functions.remembering import remembered
from ..tensor import Tensor, as_tensor

__all__ = [
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "depthwise_conv2d",
    "separable_conv2d",
]


@remembered
def conv1d(
    x: Any,
    w: Any,
    /,
    *,
    stride: Any = 1,
    padding: Any = "valid",
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """1-d convolution (cross-correlation), as `conv2d` for sequences.

    `x` has shape (batch, width, channels), or (width, channels); `w` has shape (kernel width,
    channels / groups, outputs). The result has shape (batch, width', outputs). Raises ShapeError
    where shapes do not fit.

    >>> import py_tensor as pt
    >>> pt.nn.conv1d(pt.asarray([[1.0], [2.0], [4.0]]), pt.asarray([[[-1.0]], [[1.0]]])).tolist()
    [[1.0], [2.0]]
    """
    return convolution("conv1d", x, w, 1, stride, padding, dilation, groups)


@remembered
def conv3d(
    x: Any,
    w: Any,
    /,
    *,
    stride: Any = 1,
    padding: Any = "valid",
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """3-d convolution (cross-correlation), as `conv2d` for volumes.

    `x` has shape (batch, depth, height, width, channels), or without the batch; `w` has shape
    (kernel depth, kernel height, kernel width, channels / groups, outputs). The result has shape
    (batch, depth', height', width', outputs). Raises ShapeError where shapes do not fit.

    >>> import py_tensor as pt
    >>> pt.nn.conv3d(pt.ones((1, 4, 4, 4, 1)), pt.ones((3, 3, 3, 1, 2))).shape
    (1, 2, 2, 2, 2)
    """
    return convolution("conv3d", x, w, 3, stride, padding, dilation, groups)


@remembered
def conv1d_transpose(
    x: Any,
    w: Any,
    /,
    *,
    stride: Any = 1,
    padding: Any = "valid",
    output_padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Transposed 1-d convolution: the gradient of `conv1d` with respect to its first operand.

    `x` has shape (batch, width, channels), or (width, channels); `w` has shape (kernel width,
    outputs / groups, channels). The result has shape (batch, width', outputs), where width' is as
    in `conv2d_transpose`. Raises ShapeError where shapes do not fit.

    >>> import py_tensor as pt
    >>> x, w = pt.asarray([[1.0], [2.0]]), pt.asarray([[[1.0]], [[3.0]]])
    >>> pt.nn.conv1d_transpose(x, w, stride=2).tolist()
    [[1.0], [3.0], [2.0], [6.0]]
    """
    return convolution_transpose(
        "conv1d_transpose", x, w, 1, stride, padding, output_padding, dilation, groups
    )


@remembered
def conv3d_transpose(
    x: Any,
    w: Any,
    /,
    *,
    stride: Any = 1,
    padding: Any = "valid",
    output_padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Transposed 3-d convolution: the gradient of `conv3d` with respect to its first operand.

    `x` has shape (batch, depth, height, width, channels), or without the batch; `w` has shape
    (kernel depth, kernel height, kernel width, outputs / groups, channels). The result has shape
    (batch, depth', height', width', outputs), each length as in `conv2d_transpose`. Raises
    ShapeError where shapes do not fit.

    >>> import py_tensor as pt
    >>> pt.nn.conv3d_transpose(pt.ones((1, 2, 2, 2, 1)), pt.ones((2, 2, 2, 3, 1)), stride=2).shape
    (1, 4, 4, 4, 3)
    """
    return convolution_transpose(
        "conv3d_transpose", x, w, 3, stride, padding, output_padding, dilation, groups
    )


@remembered
def depthwise_conv2d(
    x: Any, w: Any, /, *, stride: Any = 1, padding: Any = "valid", dilation: Any = 1
) -> Tensor:
    """2-d convolution of each channel with kernels of its own.

    `x` has shape (batch, height, width, channels), or (height, width, channels); `w` has shape
    (kernel height, kernel width, channels, multiplier). The result has shape (batch, height',
    width', channels * multiplier), the results of a channel side by side. Raises ShapeError where
    shapes do not fit.

    >>> import py_tensor as pt
    >>> pt.nn.depthwise_conv2d(pt.ones((1, 4, 4, 3)), pt.ones((3, 3, 3, 2))).shape
    (1, 2, 2, 6)
    """
    return _depthwise("depthwise_conv2d", x, w, stride, padding, dilation)


def _depthwise(operation: str, x: Any, w: Any, stride: Any, padding: Any, dilation: Any) -> Tensor:
    x, w = as_tensor(operation, x), as_tensor(operation, w)
    if x.ndim not in (3, 4) or w.ndim != 4 or w.shape[2] != x.shape[-1]:
        raise ShapeError(
            f"{operation}: shapes do not fit; got {x.shape} and {w.shape}; "
            "x is (batch, height, width, channels), w is (height, width, channels, multiplier)"
        )
    height, width, channels, multiplier = w.shape
    kernel = w.reshape((height, width, 1, channels * multiplier))
    return convolution(operation, x, kernel, 2, stride, padding, dilation, channels)


@remembered
def separable_conv2d(
    x: Any,
    depthwise: Any,
    pointwise: Any,
    /,
    *,
    stride: Any = 1,
    padding: Any = "valid",
    dilation: Any = 1,
) -> Tensor:
    """`depthwise_conv2d`, then a convolution of its channels alone.

    `depthwise` has shape (kernel height, kernel width, channels, multiplier), `pointwise` has shape
    (1, 1, channels * multiplier, outputs). The result has shape (batch, height', width', outputs).
    Raises ShapeError where shapes do not fit.

    >>> import py_tensor as pt
    >>> x, pointwise = pt.ones((1, 4, 4, 3)), pt.ones((1, 1, 6, 8))
    >>> pt.nn.separable_conv2d(x, pt.ones((3, 3, 3, 2)), pointwise).shape
    (1, 2, 2, 8)
    """
    planes = _depthwise("separable_conv2d", x, depthwise, stride, padding, dilation)
    return convolution("separable_conv2d", planes, pointwise, 2, 1, "valid", 1, 1)
