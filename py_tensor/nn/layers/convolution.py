"""Layers of convolutions, channels last."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ...dtypes import float32
from ...errors import ShapeError
from ...functions.windows import explicit_padding, per_axis
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
from ..module import Module, static_field


class _Window(Module):
    """What all convolutions have: a bias, and where their kernels lie."""

    bias: Tensor | None
    size: tuple[int, ...] = static_field()
    stride: tuple[int, ...] = static_field()
    padding: Any = static_field()
    dilation: tuple[int, ...] = static_field()
    count: ClassVar[int] = 2

    def _place(self, size: Any, stride: Any, padding: Any, dilation: Any) -> None:
        name, count = type(self).__name__, self.count
        self.size = per_axis(name, "size", size, 1, count)
        self.stride = per_axis(name, "stride", stride, 1, count)
        self.dilation = per_axis(name, "dilation", dilation, 1, count)
        named = padding in ("valid", "same") if isinstance(padding, str) else False
        self.padding = padding if named else explicit_padding(name, padding, count)

    def _options(self) -> dict[str, Any]:
        return {"stride": self.stride, "padding": self.padding, "dilation": self.dilation}

    def _biased(self, x: Tensor) -> Tensor:
        return x if self.bias is None else x + self.bias

    def _described(self, channels: str) -> str:
        facts = [channels, "x".join(map(str, self.size))]
        if max(self.stride) > 1:
            facts.append(f"stride {'x'.join(map(str, self.stride))}")
        if self.padding != "valid":
            facts.append(f"padding {self.padding}")
        if max(self.dilation) > 1:
            facts.append(f"dilation {'x'.join(map(str, self.dilation))}")
        return ", ".join(facts)

    def _check(self, inputs: int, outputs: int, groups: int) -> None:
        if groups < 1 or inputs % groups or outputs % groups:
            raise ShapeError(
                f"{type(self).__name__}: groups do not fit; got {groups} for {inputs} inputs and "
                f"{outputs} outputs; give a number that divides both"
            )


class _Conv(_Window):
    weight: Tensor
    groups: int = static_field()
    function: ClassVar[Callable[..., Tensor]]

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
        self._check(inputs, outputs, groups)
        self._place(size, stride, padding, dilation)
        self.groups = groups
        self.weight = weight_init((*self.size, inputs // groups, outputs), dtype=dtype)
        self.bias = bias_init((outputs,), dtype=dtype) if bias else None

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        function = type(self).function
        return self._biased(function(x, self.weight, groups=self.groups, **self._options()))

    def facts(self) -> str:
        each, outputs = self.weight.shape[-2:]
        groups = f", {self.groups} groups" if self.groups > 1 else ""
        return self._described(f"{each * self.groups} -> {outputs}") + groups


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


class _ConvTranspose(_Window):
    weight: Tensor
    groups: int = static_field()
    output_padding: tuple[int, ...] = static_field()
    function: ClassVar[Callable[..., Tensor]]

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
        self._check(inputs, outputs, groups)
        self._place(size, stride, padding, dilation)
        self.groups = groups
        self.output_padding = per_axis(
            type(self).__name__, "output_padding", output_padding, 0, self.count
        )
        # Initializers expect inputs before outputs; the function takes them the other way round.
        self.weight = weight_init((*self.size, inputs, outputs // groups), dtype=dtype).mT
        self.bias = bias_init((outputs,), dtype=dtype) if bias else None

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        result = type(self).function(
            x,
            self.weight,
            groups=self.groups,
            output_padding=self.output_padding,
            **self._options(),
        )
        return self._biased(result)

    def facts(self) -> str:
        each, inputs = self.weight.shape[-2:]
        groups = f", {self.groups} groups" if self.groups > 1 else ""
        return self._described(f"{inputs} -> {each * self.groups}") + groups


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


class DepthwiseConv2D(_Window):
    """`depthwise_conv2d` with learned kernels: `multiplier` results for each channel.

    (batch, height, width, channels) to (batch, height', width', channels * multiplier); `weight`
    has shape (*size, channels, multiplier).

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
        self._place(size, stride, padding, dilation)
        self.weight = _depthwise_weight(weight_init, self.size, channels, multiplier, dtype)
        self.bias = bias_init((channels * multiplier,), dtype=dtype) if bias else None

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        return self._biased(depthwise_conv2d(x, self.weight, **self._options()))

    def facts(self) -> str:
        channels, multiplier = self.weight.shape[-2:]
        return self._described(f"{channels} -> {channels * multiplier}")


class SeparableConv2D(_Window):
    """`separable_conv2d` with learned kernels: each channel for itself, then all together.

    (batch, height, width, inputs) to (batch, height', width', outputs); `depthwise` has shape
    (*size, inputs, multiplier), `pointwise` has shape (1, 1, inputs * multiplier, outputs).

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
        self._place(size, stride, padding, dilation)
        self.depthwise = _depthwise_weight(weight_init, self.size, inputs, multiplier, dtype)
        self.pointwise = weight_init((1, 1, inputs * multiplier, outputs), dtype=dtype)
        self.bias = bias_init((outputs,), dtype=dtype) if bias else None

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        return self._biased(separable_conv2d(x, self.depthwise, self.pointwise, **self._options()))

    def facts(self) -> str:
        return self._described(f"{self.depthwise.shape[2]} -> {self.pointwise.shape[3]}")


def _depthwise_weight(
    weight_init: Initializer, size: tuple[int, ...], channels: int, multiplier: int, dtype: Any
) -> Tensor:
    """Kernels of one input each, which is what decides about their fans."""
    weight = weight_init((*size, 1, channels * multiplier), dtype=dtype)
    return weight.reshape((*size, channels, multiplier))
