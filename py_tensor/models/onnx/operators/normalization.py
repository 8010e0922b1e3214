"""Normalization and softmax. Rows with the layout `images` take the channels on the last axis."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any

from .... import functions as F, nn
from ....dtypes import float32
from ....functions.arguments import one_axis
from ....tensor import Tensor
from ... import folding, layouts
from ...execution import Simplified
from ...graph import ModelConstant
from .images import check_windows
from .shared import Operator


def batch_normalization(
    x: Tensor,
    scale: Tensor,
    offset: Tensor,
    mean: Tensor,
    variance: Tensor,
    *,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    training_mode: int = 0,
    spatial: int = 1,
) -> tuple[Tensor, ...]:
    if not spatial:
        # An old option: statistics for each element instead of each channel.
        mean, variance, scale, offset = (
            statistic if statistic.ndim < 2 else F.moveaxis(statistic, 0, -1)
            for statistic in (mean, variance, scale, offset)
        )
        return ((x - mean) * F.rsqrt(variance + epsilon) * scale + offset,)
    running: tuple[Tensor, ...] = ()
    if training_mode:
        now = nn.moments(x, axis=tuple(range(x.ndim - 1)))
        running = tuple(
            old * momentum + new * (1 - momentum)
            for old, new in zip((mean, variance), now, strict=True)
        )
        mean, variance = now
    y = nn.batch_norm(x, mean, variance, scale=scale, offset=offset, epsilon=epsilon)
    return (y, *running)


def affine(x: Tensor, scale: Tensor, offset: Tensor) -> Tensor:
    return x * scale + offset


def simplified(inputs: Sequence[Any], options: Mapping[str, Any]) -> Simplified | None:
    """Return batch normalization with constant statistics as a scale and an offset."""
    if options.get("training_mode") or not options.get("spatial", 1):
        return None
    row = Operator(affine, layout=layouts.images)
    epsilon = options.get("epsilon", 1e-5)
    if all(isinstance(value, ModelConstant) and value.dtype is float32 for value in inputs):
        scales, offsets, means, variances = (value.numbers for value in inputs)
        channels = zip(scales, offsets, means, variances, strict=True)
        scale = [(a / math.sqrt(v + epsilon), b, mean) for a, b, mean, v in channels]
        made = [s for s, _, _ in scale], [b - mean * s for s, b, mean in scale]
        constants = [folding.made(numbers, (len(numbers),), float32) for numbers in made]
        for constant in constants:
            # Made here, a tensor does not belong to a trace.
            constant.tensor()
        return Simplified(row, tuple(constants))
    a, b, mean, variance = map(layouts.plain, inputs)
    factor = a * F.rsqrt(variance + epsilon)
    return Simplified(row, (factor, b - mean * factor))


def group_normalization(
    x: Tensor,
    scale: Tensor,
    offset: Tensor,
    *,
    opset: int,
    num_groups: int,
    epsilon: float = 1e-5,
    stash_type: int = 1,
) -> Tensor:
    if opset < 21:
        # Old versions have a scale and an offset for each group.
        size = x.shape[-1] // num_groups
        scale, offset = F.repeat(scale, size), F.repeat(offset, size)
    return nn.group_norm(x, num_groups, scale=scale, offset=offset, epsilon=epsilon)


def instance_normalization(
    x: Tensor, scale: Tensor, offset: Tensor, *, epsilon: float = 1e-5
) -> Tensor:
    return nn.instance_norm(x, scale=scale, offset=offset, epsilon=epsilon)


def layer_normalization(
    x: Tensor,
    scale: Tensor,
    offset: Tensor | None = None,
    *,
    axis: int = -1,
    epsilon: float = 1e-5,
    stash_type: int = 1,
) -> tuple[Tensor, ...]:
    axes = tuple(range(axis % x.ndim, x.ndim))
    y = nn.layer_norm(x, scale=scale, offset=offset, axis=axes, epsilon=epsilon)
    mean, variance = nn.moments(x, axis=axes, keepdims=True)
    return y, mean, F.rsqrt(variance + epsilon)


def rms_normalization(
    x: Tensor, scale: Tensor, *, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1
) -> Tensor:
    axes = tuple(range(axis % x.ndim, x.ndim))
    return nn.rms_norm(x, scale=scale, axis=axes, epsilon=epsilon)


def mean_variance_normalization(x: Tensor, *, axes: Sequence[int] = (0, 2, 3)) -> Tensor:
    return nn.layer_norm(x, axis=tuple(axes), epsilon=0.0)


def lp_normalization(x: Tensor, *, axis: int = -1, p: int = 2) -> Tensor:
    powers = F.abs(x) if p == 1 else F.square(x)
    size = F.sum(powers, axis=axis, keepdims=True)
    size = size if p == 1 else F.sqrt(size)
    return F.where(size == 0, 0.0, x / size)


def local_response_normalization(
    x: Tensor, *, size: int, alpha: float = 1e-4, beta: float = 0.75, bias: float = 1.0
) -> Tensor:
    check_windows([size])
    along = F.square(x).reshape((-1, x.shape[-1], 1))
    means = nn.avg_pool1d(along, size, stride=1, padding="same", count_include_pad=True)
    return x / (bias + alpha * means.reshape(x.shape)) ** beta


def softmax(
    function: Callable[..., Tensor], x: Tensor, *, opset: int, axis: int | None = None
) -> Tensor:
    if opset < 13:
        return over_flat_axes(function, x, axis)
    return function(x, axis=-1 if axis is None else axis)


def over_flat_axes(function: Callable[..., Tensor], x: Tensor, axis: int | None) -> Tensor:
    """Apply a function to all axes from `axis` on as one: versions before 13 do."""
    at = one_axis("softmax", 1 if axis is None else axis, x.ndim)
    flat = x.reshape((prod(x.shape[:at]), prod(x.shape[at:])))
    return function(flat, axis=-1).reshape(x.shape)


OPERATORS = {
    "BatchNormalization": Operator(batch_normalization, layout=layouts.images, simplify=simplified),
    "GroupNormalization": Operator(group_normalization, layout=layouts.images),
    "InstanceNormalization": Operator(instance_normalization, layout=layouts.images),
    "LRN": Operator(local_response_normalization, layout=layouts.images),
    "LayerNormalization": Operator(layer_normalization),
    "LogSoftmax": Operator(partial(softmax, nn.log_softmax), layout=layouts.along),
    "LpNormalization": Operator(lp_normalization, layout=layouts.along),
    "MeanVarianceNormalization": Operator(mean_variance_normalization),
    "RMSNormalization": Operator(rms_normalization),
    "Softmax": Operator(partial(softmax, F.softmax), layout=layouts.along),
}
