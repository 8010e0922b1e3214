"""Convolutions of one and three axes, transposed, depthwise and separable.

Images have the channels last. `padding` is "valid" (none), "same" (zeros that keep the length at
stride 1, with the odd one at the end), a number, or (before, after) for each axis.
"""

from __future__ import annotations

from ..errors import ShapeError
from ..functions.convolution import (
    conv2d as conv2d,
    conv2d_transpose as conv2d_transpose,
    convolution_transpose,
    general_convolution,
)
from ..functions.decorators import documented, remembered
from ..functions.sliding_windows import in_layout
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, PaddingLike, PerAxis
from .contracts import CONVOLUTION, TRANSPOSED, contract


@remembered
@documented(*contract(CONVOLUTION, 1))
def conv1d(
    x: ArrayLike,
    w: ArrayLike,
    /,
    *,
    stride: PerAxis = 1,
    padding: PaddingLike = "valid",
    dilation: PerAxis = 1,
    groups: int = 1,
) -> Tensor:
    """Compute a 1-d convolution (cross-correlation) of sequences.

    Args:
        w: Kernel of shape (kernel width, channels / groups, outputs).

    Returns:
        Tensor of shape (batch, width', outputs), without the batch if `x` has none. With p elements
        of padding in total, width' = (width + p - dilation * (kernel width - 1) - 1) // stride + 1;
        "same" gives ceil(width / stride).

    >>> import py_tensor as pt
    >>> pt.nn.conv1d(pt.asarray([[1.0], [2.0], [4.0]]), pt.asarray([[[-1.0]], [[1.0]]])).tolist()
    [[1.0], [2.0]]
    """
    return general_convolution("conv1d", x, w, 1, stride, padding, dilation, groups)


@remembered
@documented(*contract(CONVOLUTION, 3))
def conv3d(
    x: ArrayLike,
    w: ArrayLike,
    /,
    *,
    stride: PerAxis = 1,
    padding: PaddingLike = "valid",
    dilation: PerAxis = 1,
    groups: int = 1,
) -> Tensor:
    """Compute a 3-d convolution (cross-correlation) of volumes.

    Args:
        w: Kernel of shape (kernel depth, kernel height, kernel width, channels / groups, outputs).

    Returns:
        Tensor of shape (batch, depth', height', width', outputs), without the batch if `x` has
        none. With p elements of padding in total, width' = (width + p - dilation * (kernel width -
        1) - 1) // stride + 1; "same" gives ceil(width / stride).

    >>> import py_tensor as pt
    >>> pt.nn.conv3d(pt.ones((1, 4, 4, 4, 1)), pt.ones((3, 3, 3, 1, 2))).shape
    (1, 2, 2, 2, 2)
    >>> x = pt.arange(8.0).reshape((2, 2, 2, 1))
    >>> pt.nn.conv3d(x, pt.ones((2, 2, 2, 1, 1))).tolist()
    [[[[28.0]]]]
    """
    return general_convolution("conv3d", x, w, 3, stride, padding, dilation, groups)


@remembered
@documented(*contract(TRANSPOSED, 1))
def conv1d_transpose(
    x: ArrayLike,
    w: ArrayLike,
    /,
    *,
    stride: PerAxis = 1,
    padding: PaddingLike = "valid",
    output_padding: PerAxis = 0,
    dilation: PerAxis = 1,
    groups: int = 1,
) -> Tensor:
    """Compute a transposed 1-d convolution: the gradient of `conv1d` with respect to `x`.

    Args:
        w: Kernel of shape (kernel width, outputs / groups, channels).

    Returns:
        Tensor of shape (batch, width', outputs), without the batch if `x` has none. With p elements
        of padding in total, width' = (width - 1) * stride + dilation * (kernel width - 1) + 1 - p +
        output_padding; "same" gives width * stride.

    >>> import py_tensor as pt
    >>> x, w = pt.asarray([[1.0], [2.0]]), pt.asarray([[[1.0]], [[3.0]]])
    >>> pt.nn.conv1d_transpose(x, w, stride=2).tolist()
    [[1.0], [3.0], [2.0], [6.0]]
    """
    return convolution_transpose(
        "conv1d_transpose", x, w, 1, stride, padding, output_padding, dilation, groups
    )


@remembered
@documented(*contract(TRANSPOSED, 3))
def conv3d_transpose(
    x: ArrayLike,
    w: ArrayLike,
    /,
    *,
    stride: PerAxis = 1,
    padding: PaddingLike = "valid",
    output_padding: PerAxis = 0,
    dilation: PerAxis = 1,
    groups: int = 1,
) -> Tensor:
    """Compute a transposed 3-d convolution: the gradient of `conv3d` with respect to `x`.

    Args:
        w: Kernel of shape (kernel depth, kernel height, kernel width, outputs / groups, channels).

    Returns:
        Tensor of shape (batch, depth', height', width', outputs), without the batch if `x` has
        none. With p elements of padding in total, width' = (width - 1) * stride + dilation *
        (kernel width - 1) + 1 - p + output_padding; "same" gives width * stride.

    >>> import py_tensor as pt
    >>> pt.nn.conv3d_transpose(pt.ones((1, 2, 2, 2, 1)), pt.ones((2, 2, 2, 3, 1)), stride=2).shape
    (1, 4, 4, 4, 3)
    >>> x = pt.asarray([[[[2.0]]]])
    >>> pt.nn.conv3d_transpose(x, pt.ones((1, 1, 2, 1, 1))).tolist()
    [[[[2.0], [2.0]]]]
    """
    return convolution_transpose(
        "conv3d_transpose", x, w, 3, stride, padding, output_padding, dilation, groups
    )


@remembered
@documented(*contract(CONVOLUTION, 2))
def depthwise_conv2d(
    x: ArrayLike,
    w: ArrayLike,
    /,
    *,
    stride: PerAxis = 1,
    padding: PaddingLike = "valid",
    dilation: PerAxis = 1,
    data_format: str = "NHWC",
) -> Tensor:
    """Convolve each channel of images with its own kernels.

    Args:
        w: Kernels of shape (kernel height, kernel width, channels, multiplier).

    Returns:
        Tensor of shape (batch, height', width', channels * multiplier), without the batch if `x`
        has none. The results of one channel are next to each other.

    Raises:
        ShapeError: If the shapes are incompatible.

    >>> import py_tensor as pt
    >>> pt.nn.depthwise_conv2d(pt.ones((1, 4, 4, 3)), pt.ones((3, 3, 3, 2))).shape
    (1, 2, 2, 6)
    >>> x = pt.asarray([[[1.0, 2.0]]])
    >>> pt.nn.depthwise_conv2d(x, pt.asarray([[[[1.0, 10.0], [3.0, 4.0]]]])).tolist()
    [[[1.0, 10.0, 6.0, 8.0]]]
    """

    def convolved(images: Tensor) -> Tensor:
        return _depthwise("depthwise_conv2d", images, w, stride, padding, dilation)

    return in_layout("depthwise_conv2d", data_format, convolved, x)


def _depthwise(
    operation: str,
    x: ArrayLike,
    w: ArrayLike,
    stride: PerAxis,
    padding: PaddingLike,
    dilation: PerAxis,
) -> Tensor:
    x, w = as_tensor(operation, x), as_tensor(operation, w)
    if x.ndim not in (3, 4) or w.ndim != 4 or w.shape[2] != x.shape[-1]:
        raise ShapeError(
            f"{operation}: shapes are incompatible; got {x.shape} and {w.shape}; x must have shape "
            "(batch, height, width, channels) and w (height, width, channels, multiplier)"
        )
    height, width, channels, multiplier = w.shape
    kernel = w.reshape((height, width, 1, channels * multiplier))
    return general_convolution(operation, x, kernel, 2, stride, padding, dilation, channels)


@remembered
@documented(*contract(CONVOLUTION, 2))
def separable_conv2d(
    x: ArrayLike,
    depthwise: ArrayLike,
    pointwise: ArrayLike,
    /,
    *,
    stride: PerAxis = 1,
    padding: PaddingLike = "valid",
    dilation: PerAxis = 1,
) -> Tensor:
    """Compute a `depthwise_conv2d`, followed by a 1x1 convolution of its channels.

    Args:
        depthwise: Kernels of shape (kernel height, kernel width, channels, multiplier).
        pointwise: Kernel of shape (1, 1, channels * multiplier, outputs).

    Returns:
        Tensor of shape (batch, height', width', outputs), without the batch if `x` has none.

    Raises:
        ShapeError: If the shapes are incompatible.

    >>> import py_tensor as pt
    >>> x, pointwise = pt.ones((1, 4, 4, 3)), pt.ones((1, 1, 6, 8))
    >>> pt.nn.separable_conv2d(x, pt.ones((3, 3, 3, 2)), pointwise).shape
    (1, 2, 2, 8)
    >>> x = pt.asarray([[[1.0, 2.0]]])
    >>> pt.nn.separable_conv2d(x, pt.ones((1, 1, 2, 1)), pt.ones((1, 1, 2, 1))).tolist()
    [[[3.0]]]
    """
    planes = _depthwise("separable_conv2d", x, depthwise, stride, padding, dilation)
    return general_convolution("separable_conv2d", planes, pointwise, 2, 1, "valid", 1, 1)
