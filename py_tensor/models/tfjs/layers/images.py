"""Pooling, cropping, padding and resizing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from .... import functions as F, nn, vision
from ....tensor import Tensor
from ..operators.images import channels_last, like as in_format
from .shared import LayerRow, check_size, leading, sizes_of

type Size = int | Sequence[int]


def pool(
    function: Callable[..., Tensor],
    count: int,
    x: Tensor,
    *,
    pool_size: Size = 2,
    strides: Size | None = None,
    padding: str = "valid",
    data_format: str = "channels_last",
) -> Tensor:
    window = sizes_of(pool_size, count)
    stride = window if strides is None else sizes_of(strides, count)
    x = channels_last(x, data_format)
    pooled = function(x, window, stride=stride, padding=padding)
    return in_format(pooled, data_format)


def global_pool(
    function: Callable[..., Tensor],
    x: Tensor,
    *,
    keepdims: bool = False,
    data_format: str = "channels_last",
) -> Tensor:
    axes = range(2, x.ndim) if data_format == "channels_first" else range(1, x.ndim - 1)
    return function(x, axis=tuple(axes), keepdims=keepdims)


def global_average_1d(
    x: Tensor, mask: Tensor | None, *, keepdims: bool = False, data_format: str = "channels_last"
) -> Tensor:
    if mask is None:
        return global_pool(F.mean, x, keepdims=keepdims, data_format=data_format)
    last = channels_last(x, data_format)
    valid = leading(mask, last)
    total = F.sum(F.where(valid, last, 0.0), axis=1, keepdims=True)
    result = total / F.sum(valid.astype(x.dtype), axis=1, keepdims=True)
    return in_format(result, data_format) if keepdims else result[:, 0]


def adaptive_pool(
    function: Callable[..., Tensor],
    count: int,
    x: Tensor,
    *,
    output_size: Size,
    data_format: str = "channels_last",
) -> Tensor:
    x = channels_last(x, data_format)
    return in_format(function(x, sizes_of(output_size, count)), data_format)


def _pairs(sizes: Any, count: int) -> list[tuple[int, int]]:
    """Return (before, after) for each axis, given one number, a number per axis, or all."""
    check_size(sizes)
    if isinstance(sizes, int):
        return [(sizes, sizes)] * count
    if count == 1 and isinstance(sizes[0], int):
        sizes = [sizes]
    return [(size, size) if isinstance(size, int) else tuple(size) for size in sizes]


def _per_axis(x: Tensor, inner: list[Any], data_format: str, outer: Any) -> list[Any]:
    at = 2 if data_format == "channels_first" else 1
    if len(inner) != x.ndim - 2:
        raise ValueError(f"{len(inner)} sizes for {x.ndim} axes")
    return [*[outer] * at, *inner, *[outer] * (2 - at)]


def padded(count: int, x: Tensor, *, padding: Any, data_format: str = "channels_last") -> Tensor:
    return F.pad(x, _per_axis(x, _pairs(padding, count), data_format, (0, 0)))


def cropped(count: int, x: Tensor, *, cropping: Any, data_format: str = "channels_last") -> Tensor:
    kept = [slice(start, -end or None) for start, end in _pairs(cropping, count)]
    return x[tuple(_per_axis(x, kept, data_format, slice(None)))]


def _resized(x: Tensor, size: tuple[int, int], interpolation: str) -> Tensor:
    check_size(size)
    name = interpolation.lower()
    if name == "nearest":
        return nn.resize_nearest_neighbor(x, size, half_pixel_centers=True)
    if name == "bilinear":
        return nn.resize_bilinear(x, size, half_pixel_centers=True)
    if name == "bicubic":
        for axis, out in enumerate(size, 1):
            x = vision.resizing.weighted(x, axis, _cubic_rows(x.shape[axis], out))
        return x
    raise ValueError(f"interpolation {interpolation!r:.40}")


def _cubic_rows(length: int, out: int) -> list[tuple[int, list[float]]]:
    """Return the weights of the pixels that a pixel of the result reads, as TensorFlow has them.

    Positions are rounded to 1/1024, and the weights of pixels beyond an edge are left out. Source:
    https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/core/kernels/image/resize_bicubic_op.cc
    """
    rows: list[tuple[int, list[float]]] = []
    for at in range(out):
        center = (at + 0.5) * length / out - 0.5
        low = math.floor(center)
        part = round((center - low) * 1024) / 1024
        first, last = max(low - 1, 0), min(low + 3, length)
        weights = [vision.resizing.cubic(low + part - pixel, -0.5) for pixel in range(first, last)]
        total = sum(weights)
        rows.append((first, [weight / total for weight in weights]))
    return rows


def upsampling(
    count: int,
    x: Tensor,
    *,
    size: Size,
    data_format: str = "channels_last",
    interpolation: str = "nearest",
) -> Tensor:
    factors = sizes_of(size, count)
    x = channels_last(x, data_format)
    if interpolation == "nearest":
        for axis, factor in enumerate(factors, start=1):
            x = F.repeat(x, factor, axis=axis)
    else:
        height, width = (n * factor for n, factor in zip(x.shape[1:3], factors, strict=True))
        x = _resized(x, (height, width), interpolation)
    return in_format(x, data_format)


def resizing(
    x: Tensor,
    *,
    height: int,
    width: int,
    interpolation: str = "bilinear",
    crop_to_aspect_ratio: bool = False,
    pad_to_aspect_ratio: bool = False,
    antialias: bool = False,
    data_format: str = "channels_last",
) -> Tensor:
    check_size(height, width)
    if antialias or pad_to_aspect_ratio:
        raise ValueError("antialias or pad_to_aspect_ratio; both must be False")
    x = channels_last(x, data_format).astype("float32")
    if crop_to_aspect_ratio:
        rows, columns = x.shape[-3:-1]
        kept = (min(rows, columns * height // width), min(columns, rows * width // height))
        x = _center(x, max(kept[0], 1), max(kept[1], 1))
    batched = x if x.ndim == 4 else x[None]
    result = _resized(batched, (height, width), interpolation)
    return in_format(result if x.ndim == 4 else result[0], data_format)


def _center(x: Tensor, height: int, width: int) -> Tensor:
    rows, columns = x.shape[-3:-1]
    top, left = (rows - height) // 2, (columns - width) // 2
    return x[..., top : top + height, left : left + width, :]


def center_crop(
    x: Tensor, *, height: int, width: int, data_format: str = "channels_last"
) -> Tensor:
    check_size(height, width)
    last = channels_last(x, data_format)
    if last.shape[-3] < height or last.shape[-2] < width:
        return resizing(
            x, height=height, width=width, crop_to_aspect_ratio=True, data_format=data_format
        )
    return in_format(_center(last, height, width), data_format)


def _each_count(prefix: str, function: Callable[..., Any], name: str = "") -> dict[str, LayerRow]:
    """Return a row for 1 to 3 axes; `name` is that of the pooling function, without its ending."""
    fixed = [[getattr(nn, f"{name}{n}d")] if name else [] for n in (1, 2, 3)]
    return {
        f"{prefix}{n}D": LayerRow(partial(function, *functions, n))
        for n, functions in enumerate(fixed, 1)
    }


LAYERS = {
    **_each_count("AdaptiveAveragePooling", adaptive_pool, "adaptive_avg_pool"),
    **_each_count("AdaptiveMaxPooling", adaptive_pool, "adaptive_max_pool"),
    **_each_count("AveragePooling", pool, "avg_pool"),
    **_each_count("MaxPooling", pool, "max_pool"),
    "CenterCrop": LayerRow(center_crop),
    **_each_count("Cropping", cropped),
    "GlobalAveragePooling1D": LayerRow(global_average_1d, masks=1),
    **{f"GlobalAveragePooling{n}D": LayerRow(partial(global_pool, F.mean)) for n in (2, 3)},
    **{f"GlobalMaxPooling{n}D": LayerRow(partial(global_pool, F.max)) for n in (1, 2, 3)},
    "Resizing": LayerRow(resizing, ignored="fill_mode fill_value"),
    **_each_count("UpSampling", upsampling),
    **_each_count("ZeroPadding", padded),
}
