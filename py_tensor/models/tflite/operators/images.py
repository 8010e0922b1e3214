"""Convolution, pooling and resizing: images are (batch, height, width, channels)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from .... import functions as F, nn
from ....tensor import Tensor
from ...options import LARGEST
from .products import finished, prepared
from .shared import Ints, Operator, Quantization, activated, at, moved, real, saturated, unsupported

_PADDINGS = ("same", "valid")
IMAGE = (1, 2, 3)
"""Axes of one image."""


class ConvOptions(NamedTuple):
    """Options of convolution and pooling."""

    padding: int = 0
    stride_d: int = 0
    stride_h: int = 0
    stride_w: int = 0
    dilation_d_factor: int = 1
    dilation_h_factor: int = 1
    dilation_w_factor: int = 1
    filter_height: int = 0
    filter_width: int = 0
    fused_activation_function: int = 0

    def strides(self, count: int) -> tuple[int, ...]:
        return (self.stride_d, self.stride_h, self.stride_w)[-count:]

    def dilations(self, count: int) -> tuple[int, ...]:
        return (self.dilation_d_factor, self.dilation_h_factor, self.dilation_w_factor)[-count:]


def _varied(quantization: Quantization | None) -> bool:
    """Return True if the weights have a scale for each channel."""
    scales = None if quantization is None else quantization.inputs[1]
    return scales is not None and len(scales.scale) > 1


def checked_padding(number: int, *windows: int) -> str:
    """Return the name of a kind of padding, after a check of the windows."""
    if number not in (0, 1):
        raise unsupported(f"padding {number}")
    if not all(0 < length <= LARGEST for length in windows):
        raise ValueError(f"windows with {list(windows)}; 1 to {LARGEST} are supported")
    return _PADDINGS[number]


def convolution_2d(
    depthwise: bool,
    x: Tensor,
    w: Tensor,
    b: Tensor | None = None,
    *,
    options: ConvOptions,
    quantization: Quantization | None = None,
) -> Tensor:
    strides, dilations = options.strides(2), options.dilations(2)
    name = checked_padding(options.padding, *strides[::-1], *dilations[::-1])
    channels, terms = x.shape[-1], math.prod(w.shape[1:3] if depthwise else w.shape[1:])
    varied = depthwise or _varied(quantization)
    operands = prepared(x, w, quantization, terms, IMAGE, varied)
    if depthwise:
        kernel = operands.w.reshape((*w.shape[1:3], channels, w.shape[3] // channels))
        convolve = nn.depthwise_conv2d
    else:
        kernel = F.permute_dims(operands.w, (1, 2, 3, 0))
        convolve = partial(nn.conv2d, groups=channels // w.shape[-1])
    y = convolve(operands.x, kernel, stride=strides, padding=name, dilation=dilations)
    return finished(y, operands, b, options.fused_activation_function)


def conv_3d(x: Tensor, w: Tensor, b: Tensor | None = None, *, options: ConvOptions) -> Tensor:
    strides, dilations = options.strides(3), options.dilations(3)
    y = nn.conv3d(
        x,
        w,
        stride=strides,
        padding=checked_padding(options.padding, *strides, *dilations),
        dilation=dilations,
        groups=x.shape[-1] // w.shape[-2],
    )
    return activated(y if b is None else y + b, options.fused_activation_function)


def transposed(
    function: Callable[..., Tensor],
    x: Tensor,
    w: Tensor,
    lengths: Sequence[int],
    strides: Sequence[int],
    first: Sequence[int],
) -> Tensor:
    """Return the elements from `first` of a transposed convolution; kernels are (..., out, in)."""
    _check_lengths(lengths)
    around, more = [], []
    for n, out, k, step, before in zip(
        x.shape[1:-1], lengths, w.shape[:-2], strides, first, strict=True
    ):
        left = (n - 1) * step + k - before
        around.append((before, max(0, left - out)))
        more.append((0, max(0, out - left)))
    y = function(x, w, stride=tuple(strides), padding=around)
    return F.pad(y, [(0, 0), *more, (0, 0)]) if any(map(any, more)) else y


def _first(
    lengths: Sequence[int], sizes: Sequence[int], strides: Sequence[int], name: str
) -> list[int]:
    """Return the first elements that a transposed convolution keeps."""
    if name == "valid":
        return [0] * len(lengths)
    return [
        max(0, (-(-out // step) - 1) * step + k - out) // 2
        for out, k, step in zip(lengths, sizes, strides, strict=True)
    ]


def _check_lengths(shape: Sequence[int]) -> None:
    if any(not 0 <= n <= LARGEST for n in shape):
        raise ValueError(f"shape {list(shape)}; lengths up to {LARGEST} are supported")


def _transposed(
    function: Callable[..., Tensor], x: Tensor, w: Tensor, shape: Ints, options: ConvOptions
) -> Tensor:
    """Return a transposed convolution of a shape, padded as the options say."""
    lengths, strides = shape[1:-1], options.strides(len(shape) - 2)
    name = checked_padding(options.padding, *strides)
    first = _first(lengths, w.shape[:-2], strides, name)
    return transposed(function, x, w, lengths, strides, first)


def transpose_conv(
    shape: Ints,
    w: Tensor,
    x: Tensor,
    b: Tensor | None = None,
    *,
    options: ConvOptions,
    quantization: Quantization | None = None,
) -> Tensor:
    if quantization is not None:
        _, of_w, of_x, *rest = quantization.inputs
        quantization = quantization._replace(inputs=(of_x, of_w, *rest))
    operands = prepared(x, w, quantization, math.prod(w.shape[1:]), IMAGE, True)
    kernel = F.permute_dims(operands.w, (1, 2, 0, 3))
    y = _transposed(nn.conv2d_transpose, operands.x, kernel, shape, options)
    return finished(y, operands, b, options.fused_activation_function)


def conv_3d_transpose(
    shape: Ints, w: Tensor, x: Tensor, b: Tensor | None = None, *, options: ConvOptions
) -> Tensor:
    if options.dilations(3) != (1, 1, 1):
        raise unsupported("CONV_3D_TRANSPOSE with dilation")
    y = _transposed(nn.conv3d_transpose, x, w, shape, options)
    return activated(y if b is None else y + b, options.fused_activation_function)


def pool_2d(
    average: bool, x: Tensor, *, options: ConvOptions, quantization: Quantization | None = None
) -> Tensor:
    window, strides = (options.filter_height, options.filter_width), options.strides(2)
    name = checked_padding(options.padding, *strides[::-1], *window[::-1])
    activation, scales = options.fused_activation_function, None
    if quantization is not None:
        scales = at(quantization.inputs if average else quantization.outputs, 0)
    if not average:
        y = nn.max_pool2d(x, window, stride=strides, padding=name)
    else:
        x = x if scales is None else x.astype("float32")
        y = nn.avg_pool2d(x, window, stride=strides, padding=name)
    if scales is None or not (average or activation):
        return activated(y, activation)
    if average:
        # Means of quantized numbers are rounded away from zero.
        y = F.trunc(y + F.copysign(0.5, y))
    numbers = (y.astype("float32") - scales.zero[0]) * scales.scale[0]
    return saturated(activated(numbers, activation) / scales.scale[0], scales)


def l2_pool_2d(x: Tensor, *, options: ConvOptions) -> Tensor:
    return F.sqrt(pool_2d(True, F.square(x), options=options))


local_response_normalization = partial(
    nn.local_response_normalization, radius=0, bias=0.0, alpha=0.0, beta=0.0
)


def resize_bilinear(
    x: Tensor,
    size: Ints,
    *,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    quantization: Quantization | None = None,
) -> Tensor:
    _check_lengths(size)
    y = nn.resize_bilinear(
        x.astype("float32"),
        size,
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
    )
    # Quantized numbers have the scale of the input.
    return y if quantization is None else F.floor(y + 0.5).astype(x.dtype)


def resize_nearest_neighbor(
    x: Tensor, size: Ints, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Tensor:
    _check_lengths(size)
    return nn.resize_nearest_neighbor(
        x, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers
    )


OPERATORS = {
    "AVERAGE_POOL_2D": Operator(partial(pool_2d, True), options=ConvOptions),
    "CONV_2D": Operator(partial(convolution_2d, False), options=ConvOptions),
    "CONV_3D": Operator(conv_3d, wrapper=real, options=ConvOptions),
    "CONV_3D_TRANSPOSE": Operator(
        conv_3d_transpose, host=("shape",), wrapper=real, options=ConvOptions
    ),
    "DEPTHWISE_CONV_2D": Operator(partial(convolution_2d, True), options=ConvOptions),
    "L2_POOL_2D": Operator(l2_pool_2d, wrapper=real, options=ConvOptions),
    "LOCAL_RESPONSE_NORMALIZATION": Operator(local_response_normalization, wrapper=real),
    "MAX_POOL_2D": Operator(partial(pool_2d, False), options=ConvOptions),
    "RESIZE_BILINEAR": Operator(resize_bilinear, host=("size",)),
    "RESIZE_NEAREST_NEIGHBOR": Operator(resize_nearest_neighbor, host=("size",), wrapper=moved),
    "TRANSPOSE_CONV": Operator(transpose_conv, host=("shape",), options=ConvOptions),
}
