"""Pictures of activations and filters: maps next to each other, in the colors of the plots."""

import math
from functools import cache
from typing import Any

import py_tensor as pt
from py_tensor.plot.drawing import palette

MAPS = 64
"""Most maps in a picture."""
LONGEST = 512
"""Longest side of a map; of a larger one, only each n-th element is drawn."""
CHANNELS_FIRST = {"onnx"}
"""Formats whose images have their channels before height and width."""


def maps_of(activation: pt.Tensor, format: str) -> pt.Tensor | None:
    """Return the maps (count, height, width) of the first element of a batch, or None."""
    x = activation
    if x.ndim < 2 or x.size == 0 or x.dtype.kind == "c":
        return None
    if x.ndim == 4:
        x = x[0] if format in CHANNELS_FIRST else pt.permute_dims(x[0], (2, 0, 1))
    else:
        x = x.reshape((-1, *x.shape[-2:])) if x.ndim > 2 else x.reshape((1, *x.shape))
    _, height, width = x.shape
    if min(height, width) == 1 and x.shape[0] == 1:
        return None
    step = max(1, math.ceil(max(height, width) / LONGEST))
    return x[:MAPS, ::step, ::step].astype("float32")


def filters_of(weight: pt.Tensor, operator: str, format: str) -> tuple[pt.Tensor | None, str]:
    """Return the filters of a convolution as maps, and what they show; None for other weights.

    Filters of pictures with three channels are colored: the maps have a last axis of length 3.
    """
    if weight.ndim != 4 or "conv" not in operator.lower():
        return None, ""
    if format == "onnx":
        filters, channels, rows, columns = 0, 1, 2, 3
    elif format == "tflite":
        filters, rows, columns, channels = 0, 1, 2, 3
        if weight.shape[0] == 1:
            filters, channels = 3, 0
    else:
        rows, columns, channels, filters = 0, 1, 2, 3
        if "depthwise" in operator.lower():
            channels, filters = 3, 2
    if weight.shape[rows] * weight.shape[columns] == 1:
        return None, ""
    x = pt.permute_dims(weight, (filters, channels, rows, columns))[:MAPS].astype("float32")
    if x.shape[1] == 3:
        return pt.permute_dims(x, (0, 2, 3, 1)), "in the colors of the three input channels"
    return x[:, 0], "of the first input channel" if x.shape[1] > 1 else ""


def picture(maps: pt.Tensor) -> pt.Tensor:
    """Return maps as one picture (height, width, 4) of bytes; each has its own range of values."""
    count, height, width = maps.shape[:3]
    axes = tuple(range(1, maps.ndim))
    low = pt.amin(maps, axis=axes, keepdims=True)
    high = pt.amax(maps, axis=axes, keepdims=True)
    shares = (maps - low) / pt.maximum(high - low, 1e-12)
    if maps.ndim == 3:
        # The first color stands for missing values.
        shares = pt.take(_colors(), 1 + pt.round(shares * 254).astype("int32"), axis=0)
    shares = pt.concat([shares, pt.ones((count, height, width, 1))], axis=-1)
    columns = columns_of(count, height, width)
    rows = math.ceil(count / columns)
    gap = 1 if count > 1 else 0
    empty = rows * columns - count
    tiles = pt.pad(shares, ((0, empty), (0, gap), (0, gap), (0, 0)))
    tiles = tiles.reshape((rows, columns, height + gap, width + gap, 4))
    whole = pt.permute_dims(tiles, (0, 2, 1, 3, 4))
    whole = whole.reshape((rows * (height + gap), columns * (width + gap), 4))
    return pt.round(whole * 255).astype("uint8")


def columns_of(count: int, height: int, width: int) -> int:
    """Return the number of maps in a row, so that the picture is about square."""
    return max(1, min(count, round(math.sqrt(count * (height + 1) / (width + 1)))))


@cache
def _colors() -> pt.Tensor:
    colors: Any = palette()
    return pt.asarray([byte / 255 for byte in colors], dtype="float32").reshape((-1, 3))
