"""Convolution and pooling: (batch, channels, ...) there, (batch, ..., channels) here."""

from __future__ import annotations

import math

import py_tensor as pt


def channels_last(x):
    return pt.moveaxis(x, 1, -1)


def channels_first(x):
    return pt.moveaxis(x, -1, 1)


def _named(name, count):
    """The function of pt.nn for images of `count` axes."""
    return getattr(pt.nn, name.format(count))


def _reach(size, dilations):
    return [d * (k - 1) + 1 for k, d in zip(size, dilations, strict=True)]


def _padding(image, reach, strides, pads, auto_pad):
    if auto_pad == "SAME_UPPER":
        return "same"
    if auto_pad == "SAME_LOWER":
        totals = [
            max(0, (-(-n // step) - 1) * step + r - n)
            for n, step, r in zip(image, strides, reach, strict=True)
        ]
        return [(total - total // 2, total // 2) for total in totals]
    count = len(image)
    return list(zip(pads[:count], pads[count:], strict=True)) if pads else [(0, 0)] * count


def _further(image, reach, strides, around):
    """How much wider the padding must be after each axis for windows that begin inside of it."""
    further = []
    for n, r, step, (before, after) in zip(image, reach, strides, around, strict=True):
        length = before + n + after
        windows = -(-(length - r) // step) + 1
        if (windows - 1) * step >= before + n:
            windows -= 1
        further.append(max(0, (windows - 1) * step + r - length))
    return further


def conv(
    x, w, b=None, *, auto_pad="NOTSET", dilations=None, group=1, kernel_shape=None, pads=None,
    strides=None,
):  # fmt: skip
    images, count = channels_last(x), x.ndim - 2
    strides, dilations = strides or [1] * count, dilations or [1] * count
    reach = _reach(w.shape[2:], dilations)
    kernel = pt.permute_dims(w, (*range(2, w.ndim), 1, 0))
    y = _named("conv{}d", count)(
        images,
        kernel,
        stride=strides,
        padding=_padding(x.shape[2:], reach, strides, pads, auto_pad),
        dilation=dilations,
        groups=group,
    )
    return channels_first(y if b is None else y + b)


def conv_integer(x, w, x_zero=None, w_zero=None, **options):
    x, w = x.astype("int32"), w.astype("int32")
    if x_zero is not None:
        x = x - x_zero.astype("int32")
    if w_zero is not None:
        w = w - w_zero.astype("int32").reshape((-1, *(1,) * (w.ndim - 1)))
    return conv(x, w, **options)


def conv_transpose(
    x, w, b=None, *, auto_pad="NOTSET", dilations=None, group=1, kernel_shape=None,
    output_padding=None, output_shape=None, pads=None, strides=None,
):  # fmt: skip
    images, count = channels_last(x), x.ndim - 2
    strides, dilations = strides or [1] * count, dilations or [1] * count
    more = list(output_padding or [0] * count)
    reach = _reach(w.shape[2:], dilations)
    around = _padding(x.shape[2:], reach, strides, pads, "NOTSET")
    if auto_pad != "NOTSET" and not output_shape:
        output_shape = [n * step for n, step in zip(x.shape[2:], strides, strict=True)]
    if output_shape:
        for axis, out in enumerate(output_shape):
            total = strides[axis] * (x.shape[2 + axis] - 1) + more[axis] + reach[axis] - out
            more[axis] += max(0, -total)
            less = max(0, total) // 2
            rest = max(0, total) - less
            around[axis] = (less, rest) if auto_pad == "SAME_UPPER" else (rest, less)
    kernel = pt.permute_dims(w, (*range(2, w.ndim), 1, 0))
    y = _named("conv{}d_transpose", count)(
        images,
        kernel,
        stride=strides,
        padding=around,
        output_padding=more,
        dilation=dilations,
        groups=group,
    )
    return channels_first(y if b is None else y + b)


def causal_conv_with_state(x, w, b=None, past=None, *, activation="none"):
    state = w.shape[-1] - 1
    if past is None:
        past = pt.zeros((*x.shape[:2], state), dtype=x.dtype)
    x = pt.concat([past, x], axis=2)
    y = conv(x, w, b, group=x.shape[1])
    y = y if activation == "none" else pt.nn.silu(y)
    return y, x[:, :, x.shape[2] - state :]


def _pooled(function, x, kernel_shape, strides, dilations, pads, auto_pad, ceil_mode, **options):
    count = x.ndim - 2
    strides, dilations = strides or [1] * count, dilations or [1] * count
    reach, image = _reach(kernel_shape, dilations), x.shape[2:]
    padding = _padding(image, reach, strides, pads, auto_pad)
    if ceil_mode:
        further = _further(image, reach, strides, padding)
        if any(further) and options.get("count_include_pad"):
            # Of the padding, only the windows' own is not counted.
            x = pt.pad(x, [(0, 0), (0, 0), *padding])
            padding, options = [(0, 0)] * count, {"count_include_pad": False}
        padding = [
            (before, after + more) for (before, after), more in zip(padding, further, strict=True)
        ]
    y = _named(function, count)(
        channels_last(x),
        kernel_shape,
        stride=strides,
        dilation=dilations,
        padding=padding,
        **options,
    )
    return channels_first(y)


def average_pool(
    x, *, auto_pad="NOTSET", ceil_mode=0, count_include_pad=0, dilations=None, kernel_shape,
    pads=None, strides=None,
):  # fmt: skip
    include = {"count_include_pad": bool(count_include_pad)}
    return _pooled(
        "avg_pool{}d", x, kernel_shape, strides, dilations, pads, auto_pad, ceil_mode, **include
    )


def max_pool(
    x, *, auto_pad="NOTSET", ceil_mode=0, dilations=None, kernel_shape, pads=None,
    storage_order=0, strides=None,
):  # fmt: skip
    return _pooled("max_pool{}d", x, kernel_shape, strides, dilations, pads, auto_pad, ceil_mode)


def lp_pool(x, *, p=2, kernel_shape, **options):
    means = average_pool(pt.abs(x) ** p, kernel_shape=kernel_shape, count_include_pad=1, **options)
    return (means * math.prod(kernel_shape)) ** (1 / p)


def _global(function, x):
    return function(channels_last(x)).reshape((*x.shape[:2], *(1,) * (x.ndim - 2)))


def global_average_pool(x):
    return _global(pt.nn.global_avg_pool, x)


def global_max_pool(x):
    return _global(pt.nn.global_max_pool, x)


OPERATORS = {
    "AveragePool": average_pool,
    "CausalConvWithState": causal_conv_with_state,
    "Conv": conv,
    "ConvInteger": conv_integer,
    "ConvTranspose": conv_transpose,
    "GlobalAveragePool": global_average_pool,
    "GlobalMaxPool": global_max_pool,
    "LpPool": lp_pool,
    "MaxPool": max_pool,
}
