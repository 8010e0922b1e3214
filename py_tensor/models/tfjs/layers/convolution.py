"""Convolutions: plain, transposed, depthwise and separable, of one to three axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from .... import functions as F, nn
from ....tensor import Tensor
from .recurrent import States, scan, starts
from .shared import (
    Config,
    LayerRow,
    MaskRule,
    Weight,
    activated,
    bias_of,
    biased,
    channels_last,
    in_format,
    sizes_of,
)

type Size = int | Sequence[int]

_CONVOLUTIONS: tuple[Callable[..., Tensor], ...] = (nn.conv1d, F.conv2d, nn.conv3d)
_TRANSPOSED: tuple[Callable[..., Tensor], ...] = (
    nn.conv1d_transpose,
    F.conv2d_transpose,
    nn.conv3d_transpose,
)


def convolution(
    count: int,
    x: Tensor,
    kernel: Tensor,
    bias: Tensor | None,
    *,
    filters: int = 0,
    kernel_size: Size = 0,
    strides: Size = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Size = 1,
    groups: int = 1,
    activation: str = "linear",
) -> Tensor:
    x = channels_last(x, data_format)
    stride, dilation = sizes_of(strides, count), sizes_of(dilation_rate, count)
    if padding == "causal":
        before = dilation[0] * (kernel.shape[0] - 1)
        x = F.pad(x, ((0, 0), (before, 0), (0, 0)))
        padding = "valid"
    result = _CONVOLUTIONS[count - 1](
        x, kernel, stride=stride, padding=padding, dilation=dilation, groups=groups
    )
    return in_format(biased(result, bias, activation), data_format)


def _kernel(count: int, *last: int | None) -> tuple[int | None, ...]:
    return (*(None,) * count, *last)


def _convolution_weights(count: int, config: Config) -> list[Weight | None]:
    filters = config["filters"]
    return [Weight(("kernel",), _kernel(count, None, filters)), bias_of(config, filters)]


def _transposed_weights(count: int, config: Config) -> list[Weight | None]:
    filters = config["filters"]
    return [Weight(("kernel",), _kernel(count, filters, None)), bias_of(config, filters)]


def convolution_transpose(
    count: int,
    x: Tensor,
    kernel: Tensor,
    bias: Tensor | None,
    *,
    filters: int = 0,
    kernel_size: Size = 0,
    strides: Size = 1,
    padding: str = "valid",
    output_padding: Size | None = None,
    data_format: str = "channels_last",
    dilation_rate: Size = 1,
    groups: int = 1,
    activation: str = "linear",
) -> Tensor:
    x = channels_last(x, data_format)
    stride, dilation = sizes_of(strides, count), sizes_of(dilation_rate, count)
    extra = None if output_padding is None else sizes_of(output_padding, count)
    padded, added = [], []
    for axis, (taps, apart) in enumerate(zip(kernel.shape, dilation, strict=False)):
        length, step, size = x.shape[axis + 1], stride[axis], (taps - 1) * apart + 1
        full = (length - 1) * step + size
        if extra is not None:
            length = full - 2 * (size // 2 if padding == "same" else 0) + extra[axis]
        else:
            length = length * step + (0 if padding == "same" else max(size - step, 0))
        before = max(full - length, 0) // 2 if padding == "same" else 0
        after = full - before - length
        padded.append((before, max(after, 0)))
        added.append(max(-after, 0))
    result = _TRANSPOSED[count - 1](
        x,
        kernel,
        stride=stride,
        padding=padded,
        output_padding=tuple(added),
        dilation=dilation,
        groups=groups,
    )
    return in_format(biased(result, bias, activation), data_format)


def depthwise(
    count: int,
    x: Tensor,
    kernel: Tensor,
    bias: Tensor | None,
    *,
    kernel_size: Size = 0,
    depth_multiplier: int = 1,
    strides: Size = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Size = 1,
    groups: int = 1,
    activation: str = "linear",
) -> Tensor:
    x = channels_last(x, data_format)
    result = _depthwise(count, x, kernel, strides, padding, dilation_rate)
    return in_format(biased(result, bias, activation), data_format)


def _depthwise(
    count: int, x: Tensor, kernel: Tensor, strides: Size, padding: str, dilation_rate: Size
) -> Tensor:
    stride, dilation = sizes_of(strides, count), sizes_of(dilation_rate, count)
    if count == 1:
        if padding == "causal":
            x = F.pad(x, ((0, 0), (dilation[0] * (kernel.shape[0] - 1), 0), (0, 0)))
            padding = "valid"
        # A second axis of length 1, after the first, so that "same" pads nothing there.
        planes = nn.depthwise_conv2d(
            x[:, :, None],
            kernel[:, None],
            stride=(stride[0], 1),
            padding=padding,
            dilation=(dilation[0], 1),
        )
        return planes[:, :, 0]
    return nn.depthwise_conv2d(x, kernel, stride=stride, padding=padding, dilation=dilation)


def _depthwise_weights(count: int, config: Config) -> list[Weight | None]:
    # TensorFlow.js does not save it for every layer.
    multiplier = config.get("depth_multiplier")
    names = ("kernel", "depthwise_kernel")
    return [Weight(names, _kernel(count, None, multiplier)), bias_of(config, None)]


def separable(
    count: int,
    x: Tensor,
    depthwise_kernel: Tensor,
    pointwise_kernel: Tensor,
    bias: Tensor | None,
    *,
    filters: int = 0,
    kernel_size: Size = 0,
    depth_multiplier: int = 1,
    strides: Size = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Size = 1,
    groups: int = 1,
    activation: str = "linear",
) -> Tensor:
    x = channels_last(x, data_format)
    planes = _depthwise(count, x, depthwise_kernel, strides, padding, dilation_rate)
    result = planes @ pointwise_kernel.reshape(pointwise_kernel.shape[-2:])
    return in_format(biased(result, bias, activation), data_format)


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
    kernel_size: Size = 0,
    strides: Size = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Size = 1,
    activation: str = "tanh",
    recurrent_activation: str = "sigmoid",
    **options: Any,
) -> Any:
    stride, dilation = sizes_of(strides, count), sizes_of(dilation_rate, count)
    convolve = _CONVOLUTIONS[count - 1]
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


def _named(function: Callable[..., Any], weights: Callable[..., Any], count: int) -> LayerRow:
    return LayerRow(partial(function, count), partial(weights, count))


def _conv_lstm_row(count: int) -> LayerRow:
    return LayerRow(
        partial(conv_lstm, count),
        partial(_conv_lstm_weights, count),
        inputs=3,
        arguments={"initial_state": 1},
        masks=1,
        mask=MaskRule.SEQUENCES,
    )


LAYERS = {
    **{f"Conv{n}D": _named(convolution, _convolution_weights, n) for n in (1, 2, 3)},
    **{
        f"Conv{n}DTranspose": _named(convolution_transpose, _transposed_weights, n)
        for n in (1, 2, 3)
    },
    **{f"DepthwiseConv{n}D": _named(depthwise, _depthwise_weights, n) for n in (1, 2)},
    **{f"SeparableConv{n}D": _named(separable, _separable_weights, n) for n in (1, 2)},
    **{f"ConvLSTM{n}D": _conv_lstm_row(n) for n in (1, 2, 3)},
}
