"""Convolution and pooling.

ONNX has images of (batch, channels, ...), py_tensor of (batch, ..., channels). The layout `images`
moves the channels of the first input and of the first result: the functions have them last.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from .... import functions as F, nn
from ....tensor import Tensor
from ... import layouts
from ...layouts import Order
from .shared import LARGEST, Ints, Operator, unsupported

type Padding = list[tuple[int, int]]


def check_windows(*numbers: Sequence[int] | None) -> None:
    for lengths in numbers:
        if lengths is not None and any(abs(number) > LARGEST for number in lengths):
            raise ValueError(f"windows with {list(lengths)}; at most {LARGEST} is supported")


def _named(name: str, count: int) -> Callable[..., Tensor]:
    """Return the function of pt.nn for images of `count` axes."""
    if not 1 <= count <= 3:
        raise ValueError(f"images with {count} axes; 1 to 3 are supported")
    function: Callable[..., Tensor] = getattr(nn, name.format(count))
    return function


class Steps(NamedTuple):
    """Windows along the axes of an image."""

    strides: Ints
    dilations: Ints
    reach: Ints
    """Number of elements from the first to the last one of a window."""
    padding: Any


class Windows(NamedTuple):
    """Attributes of operators on windows of images."""

    auto_pad: str = "NOTSET"
    dilations: Ints | None = None
    pads: Ints | None = None
    strides: Ints | None = None

    def along(self, image: Sequence[int], size: Sequence[int]) -> Steps:
        """Return the steps of windows of a size, with defaults for what the file does not say."""
        check_windows(size, self.strides, self.dilations, self.pads)
        count, pads = len(image), self.pads
        strides, dilations = self.strides or [1] * count, self.dilations or [1] * count
        reach = [d * (k - 1) + 1 for k, d in zip(size, dilations, strict=True)]
        padding: Any
        if self.auto_pad == "SAME_UPPER":
            padding = "same"
        elif self.auto_pad == "SAME_LOWER":
            totals = [
                max(0, (-(-n // step) - 1) * step + r - n)
                for n, step, r in zip(image, strides, reach, strict=True)
            ]
            padding = [(total - total // 2, total // 2) for total in totals]
        else:
            pads = pads or [0] * 2 * count
            padding = list(zip(pads[:count], pads[count:], strict=True))
        return Steps(strides, dilations, reach, padding)


DEFAULT = Windows()


def _further(image: Sequence[int], reach: Ints, strides: Ints, around: Padding) -> Ints:
    """Extra padding after each axis for windows that begin inside of it."""
    further = []
    for n, r, step, (before, after) in zip(image, reach, strides, around, strict=True):
        length = before + n + after
        windows = -(-(length - r) // step) + 1
        if (windows - 1) * step >= before + n:
            windows -= 1
        further.append(max(0, (windows - 1) * step + r - length))
    return further


def conv(
    x: Tensor, w: Tensor, b: Tensor | None = None, *, options: Windows = DEFAULT, group: int = 1
) -> Tensor:
    steps = options.along(x.shape[1:-1], w.shape[2:])
    y = _named("conv{}d", x.ndim - 2)(
        x,
        F.permute_dims(w, (*range(2, w.ndim), 1, 0)),
        stride=steps.strides,
        padding=steps.padding,
        dilation=steps.dilations,
        groups=group,
    )
    return y if b is None else y + b


def conv_transpose(
    x: Tensor,
    w: Tensor,
    b: Tensor | None = None,
    *,
    options: Windows,
    group: int = 1,
    output_padding: Ints | None = None,
    output_shape: Ints | None = None,
) -> Tensor:
    check_windows(output_padding, output_shape)
    image, count, auto_pad = x.shape[1:-1], x.ndim - 2, options.auto_pad
    strides, dilations, reach, around = options._replace(auto_pad="NOTSET").along(
        image, w.shape[2:]
    )
    more = list(output_padding or [0] * count)
    if auto_pad != "NOTSET" and not output_shape:
        output_shape = [n * step for n, step in zip(image, strides, strict=True)]
    if output_shape:
        for axis, out in enumerate(output_shape):
            total = strides[axis] * (image[axis] - 1) + more[axis] + reach[axis] - out
            more[axis] += max(0, -total)
            less = max(0, total) // 2
            rest = max(0, total) - less
            around[axis] = (less, rest) if auto_pad == "SAME_UPPER" else (rest, less)
    y = _named("conv{}d_transpose", count)(
        x,
        F.permute_dims(w, (*range(2, w.ndim), 1, 0)),
        stride=strides,
        padding=around,
        output_padding=more,
        dilation=dilations,
        groups=group,
    )
    return y if b is None else y + b


def causal_conv_with_state(
    x: Tensor,
    w: Tensor,
    b: Tensor | None = None,
    past: Tensor | None = None,
    *,
    activation: str = "none",
) -> tuple[Tensor, Tensor]:
    batch, _, channels = x.shape
    state = w.shape[-1] - 1
    if past is None:
        before = F.zeros((batch, state, channels), dtype=x.dtype)
    else:
        before = F.moveaxis(past, 1, -1)
    x = F.concat([before, x], axis=1)
    y = conv(x, w, b, group=channels)
    y = y if activation == "none" else nn.silu(y)
    return y, F.moveaxis(x[:, x.shape[1] - state :], -1, 1)


def _pooled(
    kind: str,
    x: Tensor,
    *,
    options: Windows,
    results: int = 1,
    kernel_shape: Ints,
    ceil_mode: int = 0,
    count_include_pad: int = 0,
    storage_order: int = 0,
) -> Any:
    image = x.shape[1:-1]
    strides, dilations, reach, padding = options.along(image, kernel_shape)
    counts = {"count_include_pad": bool(count_include_pad)} if kind == "avg" else {}
    if results > 1:
        if x.ndim != 4 or ceil_mode or any(step != 1 for step in dilations):
            raise unsupported("places of MaxPool with dilations, or of images without two axes")
        return _with_places(x, kernel_shape, strides, padding, storage_order)
    if ceil_mode:
        further = _further(image, reach, strides, padding)
        if any(further) and count_include_pad:
            # Count only the padding that the windows themselves add.
            x = F.pad(x, [(0, 0), *padding, (0, 0)])
            padding, counts = [(0, 0)] * len(image), {"count_include_pad": False}
        padding = [
            (before, after + more) for (before, after), more in zip(padding, further, strict=True)
        ]
    return _named(kind + "_pool{}d", len(image))(
        x, kernel_shape, stride=strides, dilation=dilations, padding=padding, **counts
    )


average_pool = partial(_pooled, "avg")
max_pool = partial(_pooled, "max")


def _with_places(
    x: Tensor, size: Ints, strides: Ints, padding: Any, columns_first: int
) -> tuple[Tensor, Tensor]:
    """Return the largest elements, and their positions in (batch, channels, height, width)."""
    y, flat = nn.max_pool2d_with_argmax(x, size, stride=strides, padding=padding)
    batch, height, width, channels = x.shape
    pixel = flat // channels
    if columns_first:
        pixel = pixel % width * height + pixel // width
    image = F.arange(batch).reshape((-1, 1, 1, 1)) * channels + F.arange(channels)
    return y, F.moveaxis(image * (height * width) + pixel, -1, 1)


def lp_pool(
    x: Tensor, *, options: Windows, kernel_shape: Ints, p: int = 2, ceil_mode: int = 0
) -> Tensor:
    means: Tensor = average_pool(
        F.abs(x) ** p,
        options=options,
        kernel_shape=kernel_shape,
        ceil_mode=ceil_mode,
        count_include_pad=1,
    )
    return (means * math.prod(kernel_shape)) ** (1 / p)


def _global(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    return function(x).reshape((x.shape[0], *(1,) * (x.ndim - 2), x.shape[-1]))


global_average_pool = partial(_global, nn.global_avg_pool)
global_max_pool = partial(_global, nn.global_max_pool)


def kernel_order(attributes: Mapping[str, Any], rank: int) -> Order | None:
    """Order of a kernel's axes in py_tensor: ONNX has (outputs, inputs, ...)."""
    return (*range(2, rank), 1, 0) if rank > 2 else None


def of_images(function: Callable[..., Any], **options: Any) -> Operator:
    return Operator(function, layout=layouts.images, **options)


KERNEL = frozenset({"kernel_shape"})
"""Attributes that repeat the shape of the kernel."""


def convolution(function: Callable[..., Any], **options: Any) -> Operator:
    return of_images(
        function, orders={"w": kernel_order}, options=Windows, ignored=KERNEL, **options
    )


OPERATORS = {
    "AveragePool": of_images(average_pool, options=Windows),
    "CausalConvWithState": of_images(causal_conv_with_state),
    "Conv": convolution(conv),
    "ConvTranspose": convolution(conv_transpose),
    "GlobalAveragePool": of_images(global_average_pool),
    "GlobalMaxPool": of_images(global_max_pool),
    "LpPool": of_images(lp_pool, options=Windows),
    "MaxPool": of_images(max_pool, options=Windows),
}
