"""Layers of convolutions, channels last."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ...dtypes import float32
from ...errors import ShapeError
from ...functions.windows import per_axis
from ...tensor import Tensor
from ..convolution import (
    conv1d,
    conv1d_transpose,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
    depthwise_conv2d,
    separable_conv2d,
)
from ..initializers import Initializer, glorot_uniform, zeros
from ..module import static_field
from .windowed import Windowed


class _Kernels(Windowed):
    """Windows with weights, and a bias, from a number of channels to another."""

    inputs: int = static_field()
    outputs: int = static_field()
    bias: Tensor | None

    def prepare(
        self, inputs: int, outputs: int, bias: bool, bias_init: Initializer, dtype: Any
    ) -> None:
        """Sets the fields."""
        self.inputs, self.outputs = inputs, outputs
        self.bias = bias_init((outputs,), dtype=dtype) if bias else None

    def biased(self, x: Tensor) -> Tensor:
        """x plus the bias, if there is one."""
        return x if self.bias is None else x + self.bias

    def facts(self) -> str:
        channels = f"{self.inputs} -> {self.outputs}"
        return ", ".join([channels, *self.window_facts((1,) * self.count)])


class _Grouped(_Kernels):
    """Kernels that may see the channels in groups."""

    weight: Tensor
    groups: int = static_field()
    function: ClassVar[Callable[..., Tensor]]

    def group(self, inputs: int, outputs: int, groups: int) -> None:
        """Sets the field. Raises ShapeError for groups that do not divide both."""
        if groups < 1 or inputs % groups or outputs % groups:
            raise ShapeError(
                f"{type(self).__name__}: groups do not fit; got {groups} for {inputs} inputs and "
                f"{outputs} outputs; give a number that divides both"
            )
        self.groups = groups

    def options(self) -> dict[str, Any]:
        return {**super().options(), "groups": self.groups}

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        return self.biased(type(self).function(x, self.weight, **self.options()))

    def facts(self) -> str:
        return super().facts() + (f", {self.groups} groups" if self.groups > 1 else "")


class _Conv(_Grouped):
    def __init__(
        self,
        inputs: int,
        outputs: int,
        size: Any,
        *,
        stride: Any = 1,
        padding: Any = "valid",
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        weight_init: Initializer = glorot_uniform,
        bias_init: Initializer = zeros,
        dtype: Any = float32,
    ) -> None:
        self.group(inputs, outputs, groups)
        self.place(size, stride, padding, dilation)
        self.weight = weight_init((*self.size, inputs // groups, outputs), dtype=dtype)
        self.prepare(inputs, outputs, bias, bias_init, dtype)


class Conv1D(_Conv):
    """`conv1d` with a learned kernel: (batch, width, inputs) to (batch, width', outputs).

    `weight` has shape (size, inputs / groups, outputs). Raises ShapeError for groups that do not
    divide both.

    >>> import py_tensor as pt
    >>> pt.nn.Conv1D(3, 8, 5, stride=2)(pt.ones((2, 9, 3))).shape
    (2, 3, 8)
    """

    count = 1
    function = staticmethod(conv1d)


class Conv2D(_Conv):
    """`conv2d` with a learned kernel: (batch, height, width, inputs) to (batch, ..., outputs).

    `size`, `stride` and `dilation` are a number or (height, width); `weight` has shape (*size,
    inputs / groups, outputs). Raises ShapeError for groups that do not divide both.

    >>> import py_tensor as pt
    >>> pt.nn.Conv2D(3, 8, 3, padding="same")(pt.ones((1, 4, 4, 3))).shape
    (1, 4, 4, 8)
    """

    count = 2
    function = staticmethod(conv2d)


class Conv3D(_Conv):
    """`conv3d` with a learned kernel: (batch, depth, height, width, inputs) to (..., outputs).

    `size`, `stride` and `dilation` are a number or three; `weight` has shape (*size, inputs /
    groups, outputs). Raises ShapeError for groups that do not divide both.

    >>> import py_tensor as pt
    >>> pt.nn.Conv3D(3, 8, 3)(pt.ones((1, 4, 4, 4, 3))).shape
    (1, 2, 2, 2, 8)
    """

    count = 3
    function = staticmethod(conv3d)


class _ConvTranspose(_Grouped):
    output_padding: tuple[int, ...] = static_field()

    def __init__(
        self,
        inputs: int,
        outputs: int,
        size: Any,
        *,
        stride: Any = 1,
        padding: Any = "valid",
        output_padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        weight_init: Initializer = glorot_uniform,
        bias_init: Initializer = zeros,
        dtype: Any = float32,
    ) -> None:
        self.group(inputs, outputs, groups)
        self.place(size, stride, padding, dilation)
        name = type(self).__name__
        self.output_padding = per_axis(name, "output_padding", output_padding, 0, self.count)
        # Initializers expect inputs before outputs; the function takes them the other way round.
        self.weight = weight_init((*self.size, inputs, outputs // groups), dtype=dtype).mT
        self.prepare(inputs, outputs, bias, bias_init, dtype)

    def options(self) -> dict[str, Any]:
        return {**super().options(), "output_padding": self.output_padding}


class ConvTranspose1D(_ConvTranspose):
    """`conv1d_transpose` with a learned kernel: (batch, width, inputs) to (..., outputs).

    `weight` has shape (size, outputs / groups, inputs). Raises ShapeError for groups that do not
    divide both.

    >>> import py_tensor as pt
    >>> pt.nn.ConvTranspose1D(8, 3, 2, stride=2)(pt.ones((2, 4, 8))).shape
    (2, 8, 3)
    """

    count = 1
    function = staticmethod(conv1d_transpose)


class ConvTranspose2D(_ConvTranspose):
    """`conv2d_transpose` with a learned kernel: (batch, height, width, inputs) to (..., outputs).

    `weight` has shape (*size, outputs / groups, inputs). Raises ShapeError for groups that do not
    divide both.

    >>> import py_tensor as pt
    >>> pt.nn.ConvTranspose2D(8, 3, 2, stride=2)(pt.ones((1, 4, 4, 8))).shape
    (1, 8, 8, 3)
    """

    count = 2
    function = staticmethod(conv2d_transpose)


class ConvTranspose3D(_ConvTranspose):
    """`conv3d_transpose` with a learned kernel: (batch, ..., inputs) to (batch, ..., outputs).

    `weight` has shape (*size, outputs / groups, inputs). Raises ShapeError for groups that do not
    divide both.

    >>> import py_tensor as pt
    >>> pt.nn.ConvTranspose3D(8, 3, 2, stride=2)(pt.ones((1, 2, 2, 2, 8))).shape
    (1, 4, 4, 4, 3)
    """

    count = 3
    function = staticmethod(conv3d_transpose)


class DepthwiseConv2D(_Kernels):
    """`depthwise_conv2d` with learned kernels: `multiplier` results for each channel.

    (batch, height, width, channels) to (batch, height', width', channels * multiplier); `weight`
    has shape (*size, channels, multiplier). Raises ShapeError for another number of inputs.

    >>> import py_tensor as pt
    >>> pt.nn.DepthwiseConv2D(3, 3, multiplier=2)(pt.ones((1, 4, 4, 3))).shape
    (1, 2, 2, 6)
    """

    weight: Tensor

    def __init__(
        self,
        channels: int,
        size: Any,
        *,
        multiplier: int = 1,
        stride: Any = 1,
        padding: Any = "valid",
        dilation: Any = 1,
        bias: bool = True,
        weight_init: Initializer = glorot_uniform,
        bias_init: Initializer = zeros,
        dtype: Any = float32,
    ) -> None:
        self.place(size, stride, padding, dilation)
        self.weight = _depthwise_weight(weight_init, self.size, channels, multiplier, dtype)
        self.prepare(channels, channels * multiplier, bias, bias_init, dtype)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        return self.biased(depthwise_conv2d(x, self.weight, **self.options()))


class SeparableConv2D(_Kernels):
    """`separable_conv2d` with learned kernels: each channel for itself, then all together.

    (batch, height, width, inputs) to (batch, height', width', outputs); `depthwise` has shape
    (*size, inputs, multiplier), `pointwise` has shape (1, 1, inputs * multiplier, outputs). Raises
    ShapeError for another number of inputs.

    >>> import py_tensor as pt
    >>> pt.nn.SeparableConv2D(3, 8, 3)(pt.ones((1, 4, 4, 3))).shape
    (1, 2, 2, 8)
    """

    depthwise: Tensor
    pointwise: Tensor

    def __init__(
        self,
        inputs: int,
        outputs: int,
        size: Any,
        *,
        multiplier: int = 1,
        stride: Any = 1,
        padding: Any = "valid",
        dilation: Any = 1,
        bias: bool = True,
        weight_init: Initializer = glorot_uniform,
        bias_init: Initializer = zeros,
        dtype: Any = float32,
    ) -> None:
        self.place(size, stride, padding, dilation)
        self.depthwise = _depthwise_weight(weight_init, self.size, inputs, multiplier, dtype)
        self.pointwise = weight_init((1, 1, inputs * multiplier, outputs), dtype=dtype)
        self.prepare(inputs, outputs, bias, bias_init, dtype)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        return self.biased(separable_conv2d(x, self.depthwise, self.pointwise, **self.options()))


def _depthwise_weight(
    weight_init: Initializer, size: tuple[int, ...], channels: int, multiplier: int, dtype: Any
) -> Tensor:
    """Kernels of one input each, which is what decides about their fans."""
    weight = weight_init((*size, 1, channels * multiplier), dtype=dtype)
    return weight.reshape((*size, channels, multiplier))
