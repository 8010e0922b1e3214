"""Convolutions: plain, transposed, depthwise and separable, of one to three axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from .... import functions as F, nn
from ....tensor import Tensor
from ..operators.images import channels_last, like as in_format
from .recurrent import States, recurrent_row, scan, starts
from .shared import (
    Config,
    LayerRow,
    Weight,
    activated,
    bias_of,
    biased,
    sizes_of,
)

type Size = int | Sequence[int]


def _of_axes(name: str, count: int) -> Callable[..., Tensor]:
    """Return the function of a number of axes, for example `nn.conv2d`."""
    function: Callable[..., Tensor] = getattr(nn, name.format(count))
    return function


class WindowOptions(NamedTuple):
    """Options of a convolution, with a number for each axis."""

    stride: tuple[int, ...]
    padding: str
    dilation: tuple[int, ...]
    groups: int
    output_padding: tuple[int, ...] | None


type Convolution = Callable[[Tensor, Sequence[Tensor], WindowOptions], Tensor]
"""Function of images with the channels last, and kernels."""


def convolved(
    function: Convolution,
    count: int,
    x: Tensor,
    *weights: Tensor,
    strides: Size = 1,
    padding: str = "valid",
    output_padding: Size | None = None,
    data_format: str = "channels_last",
    dilation_rate: Size = 1,
    groups: int = 1,
    activation: str = "linear",
) -> Tensor:
    """Convolve along `count` axes, and apply the bias, the last weight, and the activation."""
    *kernels, bias = weights
    x = channels_last(x, data_format)
    dilation = sizes_of(dilation_rate, count)
    if padding == "causal":
        before = dilation[0] * (kernels[0].shape[0] - 1)
        x = F.pad(x, ((0, 0), (before, 0), (0, 0)))
        padding = "valid"
    extra = None if output_padding is None else sizes_of(output_padding, count)
    window = WindowOptions(sizes_of(strides, count), padding, dilation, groups, extra)
    return in_format(biased(function(x, kernels, window), bias, activation), data_format)


def _convolution(x: Tensor, kernels: Sequence[Tensor], window: WindowOptions) -> Tensor:
    return _of_axes("conv{}d", x.ndim - 2)(
        x,
        kernels[0],
        stride=window.stride,
        padding=window.padding,
        dilation=window.dilation,
        groups=window.groups,
    )


def _transposed(x: Tensor, kernels: Sequence[Tensor], window: WindowOptions) -> Tensor:
    padded, added = [], []
    is_same, extra = window.padding == "same", window.output_padding
    for axis, (taps, apart) in enumerate(zip(kernels[0].shape, window.dilation, strict=False)):
        length, step, size = x.shape[axis + 1], window.stride[axis], (taps - 1) * apart + 1
        full = (length - 1) * step + size
        if extra is not None:
            length = full - 2 * (size // 2 if is_same else 0) + extra[axis]
        else:
            length = length * step + (0 if is_same else max(size - step, 0))
        before = max(full - length, 0) // 2 if is_same else 0
        after = full - before - length
        padded.append((before, max(after, 0)))
        added.append(max(-after, 0))
    return _of_axes("conv{}d_transpose", x.ndim - 2)(
        x,
        kernels[0],
        stride=window.stride,
        padding=padded,
        output_padding=tuple(added),
        dilation=window.dilation,
        groups=window.groups,
    )


def _depthwise(x: Tensor, kernels: Sequence[Tensor], window: WindowOptions) -> Tensor:
    stride, dilation, kernel = window.stride, window.dilation, kernels[0]
    if x.ndim == 3:
        # A second axis of length 1, after the first, so that "same" pads nothing there.
        planes = _depthwise(
            x[:, :, None],
            [kernel[:, None]],
            window._replace(stride=(stride[0], 1), dilation=(dilation[0], 1)),
        )
        return planes[:, :, 0]
    return nn.depthwise_conv2d(x, kernel, stride=stride, padding=window.padding, dilation=dilation)


def _separable(x: Tensor, kernels: Sequence[Tensor], window: WindowOptions) -> Tensor:
    pointwise = kernels[1].reshape(kernels[1].shape[-2:])
    return _depthwise(x, kernels[:1], window) @ pointwise


def _kernel(count: int, *last: int | None) -> tuple[int | None, ...]:
    return (*(None,) * count, *last)


def _weights(transposed: bool, count: int, config: Config) -> list[Weight | None]:
    filters = config["filters"]
    last = (filters, None) if transposed else (None, filters)
    return [Weight(("kernel",), _kernel(count, *last)), bias_of(config, filters)]


def _depthwise_weights(count: int, config: Config) -> list[Weight | None]:
    # TensorFlow.js does not save it for every layer.
    multiplier = config.get("depth_multiplier")
    names = ("kernel", "depthwise_kernel")
    return [Weight(names, _kernel(count, None, multiplier)), bias_of(config, None)]


def _separable_weights(count: int, config: Config) -> list[Weight | None]:
    filters = config["filters"]
    return [
        Weight(("depthwise_kernel",), _kernel(count, None, config.get("depth_multiplier"))),
        Weight(("pointwise_kernel",), (*(1,) * count, None, filters)),
        bias_of(config, filters),
    ]


def conv_lstm(
    count: int,
    x: Tensor,
    h: Tensor | None,
    c: Tensor | None,
    kernel: Tensor,
    recurrent: Tensor,
    bias: Tensor | None,
    mask: Tensor | None,
    *,
    filters: int,
    strides: Size = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Size = 1,
    activation: str = "tanh",
    recurrent_activation: str = "sigmoid",
    **options: Any,
) -> Any:
    stride, dilation = sizes_of(strides, count), sizes_of(dilation_rate, count)
    convolve = _of_axes("conv{}d", count)
    flat = F.reshape(x, (x.shape[0] * x.shape[1], *x.shape[2:]))
    # The inputs of all steps are convolved at once.
    inputs = convolve(
        channels_last(flat, data_format), kernel, stride=stride, padding=padding, dilation=dilation
    )
    inputs = inputs if bias is None else inputs + bias
    inputs = inputs.reshape((x.shape[0], x.shape[1], *inputs.shape[1:]))

    def step(now: Tensor, states: States) -> States:
        h, c = states
        gates = now + convolve(h, recurrent, padding="same")
        i, f, g, o = (gates[..., at * filters : (at + 1) * filters] for at in range(4))
        c = activated(f, recurrent_activation) * c + activated(i, recurrent_activation) * activated(
            g, activation
        )
        return activated(o, recurrent_activation) * activated(c, activation), c

    last = (None if state is None else channels_last(state, data_format) for state in (h, c))
    states = starts((x.shape[0], *inputs.shape[2:-1], filters), [*last], inputs, recurrent)
    results = scan(inputs, step, states, mask, **options)
    if isinstance(results, tuple):
        return tuple(_in_format(result, data_format, count) for result in results)
    return _in_format(results, data_format, count)


def _in_format(x: Tensor, data_format: str, count: int) -> Tensor:
    """Return images, or sequences of images, in the format of the layer."""
    return F.moveaxis(x, -1, -1 - count) if data_format == "channels_first" else x


def _conv_lstm_weights(count: int, config: Config) -> list[Weight | None]:
    gates = 4 * config["filters"]
    return [
        Weight(("kernel",), _kernel(count, None, gates), attribute="cell"),
        Weight(("recurrent_kernel",), _kernel(count, config["filters"], gates), attribute="cell"),
        Weight(("bias",), (gates,), attribute="cell") if config.get("use_bias", True) else None,
    ]


def _rows(
    name: str, function: Convolution, weights: Callable[..., Any], most: int = 3
) -> dict[str, LayerRow]:
    return {
        name.format(count): LayerRow(
            partial(convolved, function, count),
            partial(weights, count),
            ignored="filters kernel_size depth_multiplier",
        )
        for count in range(1, most + 1)
    }


LAYERS = {
    **_rows("Conv{}D", _convolution, partial(_weights, False)),
    **_rows("Conv{}DTranspose", _transposed, partial(_weights, True)),
    **_rows("DepthwiseConv{}D", _depthwise, _depthwise_weights, 2),
    **_rows("SeparableConv{}D", _separable, _separable_weights, 2),
    **{
        f"ConvLSTM{count}D": recurrent_row(
            partial(conv_lstm, count), partial(_conv_lstm_weights, count), 2, "kernel_size"
        )
        for count in (1, 2, 3)
    },
}
