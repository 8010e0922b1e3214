"""Convolution layers, channels last."""

from __future__ import annotations

from typing import Any

from ...dtypes import float32
from ...errors import ShapeError
from ...functions.arguments import integer
from ...functions.sliding_windows import per_axis
from ...tensor import Tensor
from ...typing import DTypeLike, PaddingLike, PerAxis
from .. import convolution
from ..contracts import CHANNELWISE_LAYER, CONVOLUTION_LAYER, TRANSPOSED_LAYER
from ..initializers import InitializerFunction, glorot_uniform, initial, initial_bias, zeros
from ..module import static_field
from .windowed import Windowed


class _Kernels(Windowed):
    """Layer of windows with weights and a bias."""

    contracts = CHANNELWISE_LAYER
    inputs: int = static_field()
    outputs: int = static_field()
    bias: Tensor | None

    def checked_channels(self, *counts: int) -> list[int]:
        """Return numbers of channels as ints; raise ArgumentError unless they are at least 0."""
        return [integer(type(self).__name__, "number of channels", n, 0) for n in counts]

    def set_channels(
        self,
        inputs: int,
        outputs: int,
        bias: bool,
        bias_init: InitializerFunction,
        dtype: DTypeLike,
    ) -> None:
        """Set the fields."""
        self.inputs, self.outputs = inputs, outputs
        self.bias = initial_bias(type(self).__name__, bias, bias_init, outputs, dtype)

    def biased(self, x: Tensor) -> Tensor:
        """Add the bias, if there is one."""
        return x if self.bias is None else x + self.bias

    def facts(self) -> str:
        channels = f"{self.inputs} -> {self.outputs}"
        return ", ".join([channels, *self.window_facts((1,) * self.count)])


class _Grouped(_Kernels):
    """Layer of kernels that may convolve the channels in groups."""

    weight: Tensor
    groups: int = static_field()

    def set_groups(self, inputs: int, outputs: int, groups: int) -> None:
        """Set the field. Raise ShapeError if it does not divide both numbers of channels."""
        groups = integer(type(self).__name__, "groups", groups)
        if groups < 1 or inputs % groups or outputs % groups:
            raise ShapeError(
                f"{type(self).__name__}: groups must divide the numbers of inputs and outputs; got "
                f"{groups} for {inputs} inputs and {outputs} outputs; use a common divisor"
            )
        self.groups = groups

    def options(self) -> dict[str, Any]:
        return {**super().options(), "groups": self.groups}

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        return self.biased(type(self).function(x, self.weight, **self.options()))

    def facts(self) -> str:
        return super().facts() + (f", {self.groups} groups" if self.groups > 1 else "")


class _Conv(_Grouped):
    contracts = CONVOLUTION_LAYER

    def __init__(
        self,
        inputs: int,
        outputs: int,
        size: PerAxis,
        *,
        stride: PerAxis = 1,
        padding: PaddingLike = "valid",
        dilation: PerAxis = 1,
        groups: int = 1,
        bias: bool = True,
        weight_init: InitializerFunction = glorot_uniform,
        bias_init: InitializerFunction = zeros,
        dtype: DTypeLike = float32,
    ) -> None:
        inputs, outputs = self.checked_channels(inputs, outputs)
        self.set_groups(inputs, outputs, groups)
        self.set_windows(size, stride, padding, dilation)
        self.weight = initial(
            type(self).__name__, weight_init, (*self.size, inputs // self.groups, outputs), dtype
        )
        self.set_channels(inputs, outputs, bias, bias_init, dtype)


class Conv1D(_Conv, count=1, function=convolution.conv1d):
    """Convolve sequences with a learned kernel, as `conv1d`.

    Calling the layer takes a tensor of shape (batch, width, inputs) and returns one of shape
    (batch, width', outputs). `weight` has shape (size, inputs / groups, outputs).

    >>> import py_tensor as pt
    >>> pt.nn.Conv1D(3, 8, 5, stride=2)(pt.ones((2, 9, 3))).shape
    (2, 3, 8)
    >>> layer = pt.nn.Conv1D(1, 1, 2, weight_init=pt.nn.initializers.ones)
    >>> layer(pt.asarray([[[1.0], [2.0], [4.0]]])).tolist()
    [[[3.0], [6.0]]]
    """


class Conv2D(_Conv, count=2, function=convolution.conv2d):
    """Convolve images with a learned kernel, as `conv2d`.

    Calling the layer takes a tensor of shape (batch, height, width, inputs) and returns one of
    shape (batch, height', width', outputs). `weight` has shape (*size, inputs / groups, outputs).

    >>> import py_tensor as pt
    >>> pt.nn.Conv2D(3, 8, 3, padding="same")(pt.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 8)
    >>> layer = pt.nn.Conv2D(1, 1, (1, 2), weight_init=pt.nn.initializers.ones)
    >>> layer(pt.asarray([[[[1.0], [2.0], [4.0]]]])).tolist()
    [[[[3.0], [6.0]]]]
    """


class Conv3D(_Conv, count=3, function=convolution.conv3d):
    """Convolve volumes with a learned kernel, as `conv3d`.

    Calling the layer takes a tensor of shape (batch, depth, height, width, inputs) and returns one
    of shape (batch, depth', height', width', outputs). `weight` has shape (*size, inputs / groups,
    outputs).

    >>> import py_tensor as pt
    >>> pt.nn.Conv3D(3, 8, 3)(pt.ones((1, 4, 4, 4, 3))).shape
    (1, 2, 2, 2, 8)
    >>> layer = pt.nn.Conv3D(1, 1, (1, 1, 2), weight_init=pt.nn.initializers.ones)
    >>> layer(pt.asarray([[[[[1.0], [2.0]]]]])).tolist()
    [[[[[3.0]]]]]
    """


class _ConvTranspose(_Grouped):
    contracts = TRANSPOSED_LAYER
    output_padding: tuple[int, ...] = static_field()

    def __init__(
        self,
        inputs: int,
        outputs: int,
        size: PerAxis,
        *,
        stride: PerAxis = 1,
        padding: PaddingLike = "valid",
        output_padding: PerAxis = 0,
        dilation: PerAxis = 1,
        groups: int = 1,
        bias: bool = True,
        weight_init: InitializerFunction = glorot_uniform,
        bias_init: InitializerFunction = zeros,
        dtype: DTypeLike = float32,
    ) -> None:
        inputs, outputs = self.checked_channels(inputs, outputs)
        self.set_groups(inputs, outputs, groups)
        self.set_windows(size, stride, padding, dilation)
        name = type(self).__name__
        self.output_padding = per_axis(name, "output_padding", output_padding, 0, self.count)
        # Initializers expect inputs before outputs; the function expects outputs first.
        self.weight = initial(
            type(self).__name__, weight_init, (*self.size, inputs, outputs // self.groups), dtype
        ).mT
        self.set_channels(inputs, outputs, bias, bias_init, dtype)

    def options(self) -> dict[str, Any]:
        return {**super().options(), "output_padding": self.output_padding}


class ConvTranspose1D(_ConvTranspose, count=1, function=convolution.conv1d_transpose):
    """Apply a transposed convolution with a learned kernel, as `conv1d_transpose`.

    Calling the layer takes a tensor of shape (batch, width, inputs) and returns one of shape
    (batch, width', outputs). `weight` has shape (size, outputs / groups, inputs).

    >>> import py_tensor as pt
    >>> pt.nn.ConvTranspose1D(8, 3, 2, stride=2)(pt.ones((2, 4, 8))).shape
    (2, 8, 3)
    >>> layer = pt.nn.ConvTranspose1D(1, 1, 2, weight_init=pt.nn.initializers.ones)
    >>> layer(pt.asarray([[[1.0], [2.0]]])).tolist()
    [[[1.0], [3.0], [2.0]]]
    """


class ConvTranspose2D(_ConvTranspose, count=2, function=convolution.conv2d_transpose):
    """Apply a transposed convolution with a learned kernel, as `conv2d_transpose`.

    Calling the layer takes a tensor of shape (batch, height, width, inputs) and returns one of
    shape (batch, height', width', outputs). `weight` has shape (*size, outputs / groups, inputs).

    >>> import py_tensor as pt
    >>> pt.nn.ConvTranspose2D(8, 3, 2, stride=2)(pt.ones((1, 4, 4, 8))).shape
    (1, 8, 8, 3)
    >>> layer = pt.nn.ConvTranspose2D(1, 1, (1, 2), weight_init=pt.nn.initializers.ones)
    >>> layer(pt.asarray([[[[1.0], [2.0]]]])).tolist()
    [[[[1.0], [3.0], [2.0]]]]
    """


class ConvTranspose3D(_ConvTranspose, count=3, function=convolution.conv3d_transpose):
    """Apply a transposed convolution with a learned kernel, as `conv3d_transpose`.

    Calling the layer takes a tensor of shape (batch, depth, height, width, inputs) and returns one
    of shape (batch, depth', height', width', outputs). `weight` has shape (*size, outputs / groups,
    inputs).

    >>> import py_tensor as pt
    >>> pt.nn.ConvTranspose3D(8, 3, 2, stride=2)(pt.ones((1, 2, 2, 2, 8))).shape
    (1, 4, 4, 4, 3)
    >>> layer = pt.nn.ConvTranspose3D(1, 1, (1, 1, 2), weight_init=pt.nn.initializers.ones)
    >>> layer(pt.asarray([[[[[1.0], [2.0]]]]])).tolist()
    [[[[[1.0], [3.0], [2.0]]]]]
    """


class DepthwiseConv2D(_Kernels, count=2):
    """Convolve each channel of images with its own learned kernels, as `depthwise_conv2d`.

    Calling the layer takes a tensor of shape (batch, height, width, channels) and returns one of
    shape (batch, height', width', channels * multiplier). `weight` has shape (*size, channels,
    multiplier).

    Args:
        channels: Number of input channels.
        size: Length of the kernels in elements; a number, or (height, width).
        multiplier: Number of output channels of each input channel; default 1.
        bias: Add a bias of shape (channels * multiplier,); default True.
        weight_init: Initializer of the kernels; default `initializers.glorot_uniform`.

    >>> import py_tensor as pt
    >>> pt.nn.DepthwiseConv2D(3, 3, multiplier=2)(pt.ones((1, 4, 4, 3))).shape
    (1, 2, 2, 6)
    >>> layer = pt.nn.DepthwiseConv2D(2, (1, 2), weight_init=pt.nn.initializers.ones)
    >>> layer(pt.asarray([[[[1.0, 5.0], [2.0, 7.0]]]])).tolist()
    [[[[3.0, 12.0]]]]
    """

    weight: Tensor

    def __init__(
        self,
        channels: int,
        size: PerAxis,
        *,
        multiplier: int = 1,
        stride: PerAxis = 1,
        padding: PaddingLike = "valid",
        dilation: PerAxis = 1,
        bias: bool = True,
        weight_init: InitializerFunction = glorot_uniform,
        bias_init: InitializerFunction = zeros,
        dtype: DTypeLike = float32,
    ) -> None:
        channels, multiplier = self.checked_channels(channels, multiplier)
        self.set_windows(size, stride, padding, dilation)
        self.weight = _depthwise_weight(weight_init, self.size, channels, multiplier, dtype)
        self.set_channels(channels, channels * multiplier, bias, bias_init, dtype)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        return self.biased(convolution.depthwise_conv2d(x, self.weight, **self.options()))


class SeparableConv2D(_Kernels, count=2):
    """Convolve each channel separately, then all channels together, as `separable_conv2d`.

    Calling the layer takes a tensor of shape (batch, height, width, inputs) and returns one of
    shape (batch, height', width', outputs). `depthwise` has shape (*size, inputs, multiplier), and
    `pointwise` has shape (1, 1, inputs * multiplier, outputs).

    Args:
        size: Length of the depthwise kernels in elements; a number, or (height, width).
        multiplier: Number of intermediate channels of each input channel; default 1.
        weight_init: Initializer of both kernels; default `initializers.glorot_uniform`.

    >>> import py_tensor as pt
    >>> pt.nn.SeparableConv2D(3, 8, 3)(pt.ones((1, 4, 4, 3))).shape
    (1, 2, 2, 8)
    >>> layer = pt.nn.SeparableConv2D(2, 1, (1, 2), weight_init=pt.nn.initializers.ones)
    >>> layer(pt.asarray([[[[1.0, 5.0], [2.0, 7.0]]]])).tolist()
    [[[[15.0]]]]
    """

    depthwise: Tensor
    pointwise: Tensor

    def __init__(
        self,
        inputs: int,
        outputs: int,
        size: PerAxis,
        *,
        multiplier: int = 1,
        stride: PerAxis = 1,
        padding: PaddingLike = "valid",
        dilation: PerAxis = 1,
        bias: bool = True,
        weight_init: InitializerFunction = glorot_uniform,
        bias_init: InitializerFunction = zeros,
        dtype: DTypeLike = float32,
    ) -> None:
        inputs, outputs, multiplier = self.checked_channels(inputs, outputs, multiplier)
        self.set_windows(size, stride, padding, dilation)
        self.depthwise = _depthwise_weight(weight_init, self.size, inputs, multiplier, dtype)
        self.pointwise = initial(
            type(self).__name__, weight_init, (1, 1, inputs * multiplier, outputs), dtype
        )
        self.set_channels(inputs, outputs, bias, bias_init, dtype)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        return self.biased(
            convolution.separable_conv2d(x, self.depthwise, self.pointwise, **self.options())
        )


def _depthwise_weight(
    weight_init: InitializerFunction,
    size: tuple[int, ...],
    channels: int,
    multiplier: int,
    dtype: DTypeLike,
) -> Tensor:
    """Draw depthwise kernels; each has one input, which determines its fans."""
    weight = initial("DepthwiseConv2D", weight_init, (*size, 1, channels * multiplier), dtype)
    return weight.reshape((*size, channels, multiplier))
