"""Convolution, pooling, resizing, and boxes in images.

Images have the shape (batch, height, width, channels), or channels first for NCHW.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from .... import functions as F, nn, vision
from ....tensor import Tensor
from ... import folding
from ...activations import activation
from ...execution import Operator
from ...graph import ModelConstant
from ...options import LARGEST, Ints, single, unsupported

FIRST = ("NCHW", "NCDHW", "NCW", "channels_first")
"""Formats with channels before the lengths."""


def channels_last(x: Tensor, data_format: str) -> Tensor:
    return F.moveaxis(x, 1, -1) if data_format in FIRST else x


def like(x: Tensor, data_format: str) -> Tensor:
    """Return images in a format, given channels last."""
    return F.moveaxis(x, -1, 1) if data_format in FIRST else x


def _along(numbers: Sequence[int] | None, data_format: str, count: int) -> Ints:
    """Return the numbers of the axes that windows move along."""
    if not numbers:
        return [1] * count
    if any(not 0 < number <= LARGEST for number in numbers):
        raise ValueError(f"windows with {list(numbers)}; 1 to {LARGEST} is supported")
    if len(numbers) == count:
        return list(numbers)
    if len(numbers) != count + 2:
        raise ValueError(f"{len(numbers)} numbers for {count} axes of images")
    return list(numbers[2:] if data_format in FIRST else numbers[1:-1])


def _around(padding: str, explicit: Ints | None, data_format: str) -> Any:
    if padding in ("SAME", "VALID"):
        return padding.lower()
    if padding != "EXPLICIT" or not explicit:
        raise unsupported(f"padding {padding}")
    if any(not 0 <= number <= LARGEST for number in explicit):
        raise ValueError(f"padding {explicit}; 0 to {LARGEST} is supported")
    pairs = list(zip(explicit[::2], explicit[1::2], strict=True))
    return pairs[2:] if data_format in FIRST else pairs[1:-1]


ACTIVATIONS = {
    name: activation(name.lower()) for name in ("Elu", "Relu", "Relu6", "Sigmoid", "Tanh")
}
"""Activations that other operators contain."""


def fused(
    y: Tensor,
    operands: Sequence[Tensor],
    operations: Sequence[str] | None,
    *,
    epsilon: float,
    leakyrelu_alpha: float,
) -> Tensor:
    """Apply a bias, a normalization and an activation to a result, with channels last."""
    if operands and not operations:
        raise ValueError(f"{2 + len(operands)} inputs instead of 2")
    rest = list(operands)
    for operation in operations or ():
        if operation == "BiasAdd":
            y = y + rest.pop(0)
        elif operation == "FusedBatchNorm":
            scale, offset, mean, variance = rest[:4]
            del rest[:4]
            y = nn.batch_norm(y, mean, variance, scale=scale, offset=offset, epsilon=epsilon)
        elif operation == "LeakyRelu":
            y = nn.leaky_relu(y, alpha=leakyrelu_alpha)
        elif operation == "Prelu":
            y = nn.prelu(y, rest.pop(0))
        elif operation in ACTIVATIONS:
            y = ACTIVATIONS[operation](y)
        else:
            raise unsupported(f"{operation} in another operator")
    return y


def convolution(
    function: Callable[..., Tensor],
    x: Tensor,
    w: Tensor,
    *args: Tensor,
    strides: Ints,
    padding: str,
    explicit_paddings: Ints | None = None,
    data_format: str = "NHWC",
    filter_format: str = "HWIO",
    dilations: Ints | None = None,
    fused_ops: Sequence[str] | None = None,
    epsilon: float = 1e-4,
    leakyrelu_alpha: float = 0.2,
) -> Tensor:
    if filter_format != "HWIO":
        raise unsupported(f"kernels of the format {filter_format}")
    count = x.ndim - 2
    images, options = channels_last(x, data_format), {}
    if function is not nn.depthwise_conv2d and images.shape[-1] != w.shape[-2]:
        options["groups"] = images.shape[-1] // w.shape[-2]
    y = function(
        images,
        w,
        stride=_along(strides, data_format, count),
        padding=_around(padding, explicit_paddings, data_format),
        dilation=_along(dilations, data_format, count),
        **options,
    )
    y = fused(y, args, fused_ops, epsilon=epsilon, leakyrelu_alpha=leakyrelu_alpha)
    return like(y, data_format)


conv2d = Operator(partial(convolution, nn.conv2d))
depthwise = Operator(partial(convolution, nn.depthwise_conv2d))


def conv1d(
    x: Tensor, w: Tensor, *, stride: int, padding: str, data_format: str = "NWC", dilation: int = 1
) -> Tensor:
    run = partial(convolution, nn.conv1d, strides=[stride], dilations=[dilation])
    return run(x, w, padding=padding, data_format=data_format)


def transposed_conv2d(
    shape: Ints,
    w: Tensor,
    y: Tensor,
    *,
    strides: Ints,
    padding: str,
    explicit_paddings: Ints | None = None,
    data_format: str = "NHWC",
    dilations: Ints | None = None,
) -> Tensor:
    """Return images of a given shape whose convolution has the shape of `y`."""
    steps, spread = _along(strides, data_format, 2), _along(dilations, data_format, 2)
    images = channels_last(y, data_format)
    # The first length may be missing.
    lengths = shape[-2:] if data_format in FIRST else shape[-3:-1]
    around, more = _around(padding, explicit_paddings, data_format), []
    pairs = []
    for axis in range(2):
        full = steps[axis] * (images.shape[1 + axis] - 1) + spread[axis] * (w.shape[axis] - 1) + 1
        total = max(0, full - lengths[axis]) if around == "same" else 0
        pair = (total // 2, total - total // 2) if isinstance(around, str) else around[axis]
        pairs.append(pair)
        more.append(lengths[axis] - full + sum(pair))
        if not 0 <= more[-1] <= LARGEST:
            raise ValueError(f"lengths {lengths} do not fit images of shape {list(images.shape)}")
    x = nn.conv2d_transpose(
        images, w, stride=steps, padding=pairs, output_padding=more, dilation=spread
    )
    return like(x, data_format)


def pooled(
    name: str,
    x: Tensor,
    *,
    ksize: Ints,
    strides: Ints,
    padding: str,
    explicit_paddings: Ints | None = None,
    data_format: str = "NHWC",
) -> Tensor:
    count = x.ndim - 2
    function: Callable[..., Tensor] = getattr(nn, name)
    y = function(
        channels_last(x, data_format),
        _along(ksize, data_format, count),
        stride=_along(strides, data_format, count),
        padding=_around(padding, explicit_paddings, data_format),
    )
    return like(y, data_format)


def pooled_with_places(
    x: Tensor, *, ksize: Ints, strides: Ints, padding: str, include_batch_in_index: bool = False
) -> tuple[Tensor, Tensor]:
    size, stride = _along(ksize, "NHWC", 2), _along(strides, "NHWC", 2)
    run = partial(nn.max_pool2d_with_argmax, stride=stride, padding=_around(padding, None, "NHWC"))
    return run(x, size, include_batch_in_index=include_batch_in_index)


def dilation2d(x: Tensor, w: Tensor, *, strides: Ints, rates: Ints, padding: str) -> Tensor:
    stride, dilation = _along(strides, "NHWC", 2), _along(rates, "NHWC", 2)
    around = _around(padding, None, "NHWC")
    return nn.dilation2d(x, w, stride=stride, dilation=dilation, padding=around)


def resized(
    function: Callable[..., Tensor],
    x: Tensor,
    size: Ints,
    *,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Tensor:
    options = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
    if x.dtype.kind == "f":
        return function(x, size, **options)
    y = function(x.astype("float32"), size, **options)
    return y if function is nn.resize_bilinear else y.astype(x.dtype)


def transformed(
    x: Tensor,
    transforms: Tensor,
    size: Ints,
    fill_value: float = 0.0,
    *,
    interpolation: str,
    fill_mode: str = "CONSTANT",
) -> Tensor:
    return vision.transform(
        x,
        transforms,
        method=interpolation.lower(),
        fill_mode=fill_mode.lower(),
        fill_value=fill_value,
        output_size=size,
    )


def kept_boxes(
    names: Sequence[str],
    boxes: Tensor,
    scores: Tensor,
    count: int | Ints,
    iou_threshold: float = 0.5,
    score_threshold: float = -math.inf,
    soft_sigma: float = 0.0,
    *,
    pad_to_max_output_size: bool = False,
) -> tuple[Tensor | ModelConstant, ...]:
    """Return the named results of non-maximum suppression."""
    kept = vision.non_max_suppression(
        boxes,
        scores,
        single(count),
        iou_threshold=iou_threshold,
        score_threshold=score_threshold,
        soft_sigma=soft_sigma,
        padded=pad_to_max_output_size,
    )
    # The shape tells the number of boxes if they are not padded.
    number = kept.number if pad_to_max_output_size else folding.made([kept.indices.shape[0]], ())
    return tuple(number if name == "number" else getattr(kept, name) for name in names)


def _kept(*names: str) -> Operator:
    thresholds = ("count", "iou_threshold", "score_threshold", "soft_sigma")
    return Operator(partial(kept_boxes, names), host=thresholds)


OPERATORS = {
    "AvgPool": Operator(partial(pooled, "avg_pool2d")),
    "AvgPool3D": Operator(partial(pooled, "avg_pool3d")),
    "Conv1D": Operator(conv1d),
    "Conv2D": conv2d,
    "Conv2DBackpropInput": Operator(transposed_conv2d, host=("shape",)),
    "Conv3D": Operator(partial(convolution, nn.conv3d)),
    "CropAndResize": Operator(vision.crop_and_resize, host=("crop_size",)),
    "DepthwiseConv2d": depthwise,
    "DepthwiseConv2dNative": depthwise,
    "Dilation2D": Operator(dilation2d),
    "FusedDepthwiseConv2dNative": depthwise,
    "ImageProjectiveTransformV3": Operator(transformed, host=("size", "fill_value")),
    "MaxPool": Operator(partial(pooled, "max_pool2d")),
    "MaxPool3D": Operator(partial(pooled, "max_pool3d")),
    "MaxPoolWithArgmax": Operator(pooled_with_places),
    "NonMaxSuppressionV2": _kept("indices"),
    "NonMaxSuppressionV3": _kept("indices"),
    "NonMaxSuppressionV4": _kept("indices", "number"),
    "NonMaxSuppressionV5": _kept("indices", "scores", "number"),
    "ResizeBilinear": Operator(partial(resized, nn.resize_bilinear), host=("size",)),
    "ResizeNearestNeighbor": Operator(partial(resized, nn.resize_nearest_neighbor), host=("size",)),
    "_FusedConv2D": conv2d,
}
