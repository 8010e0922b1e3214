"""Normalization layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .... import functions as F, nn
from ....tensor import Tensor
from .merging import unit
from .shared import Config, LayerRow, MaskRule, Weight


def _shaped(x: Tensor, weight: Tensor, axes: Sequence[int]) -> Tensor:
    """Return a weight of these axes with all axes of `x`."""
    kept = {axis % x.ndim for axis in axes}
    return weight.reshape([n if at in kept else 1 for at, n in enumerate(x.shape)])


def _aligned(x: Tensor, weight: Tensor | None, axes: Sequence[int]) -> Tensor | None:
    return None if weight is None else _shaped(x, weight, axes)


def _axes(axis: int | Sequence[int]) -> tuple[int, ...]:
    return (axis,) if isinstance(axis, int) else tuple(axis)


def _scaled(x: Tensor, scale: Tensor | None, offset: Tensor | None) -> Tensor:
    x = x if scale is None else x * scale
    return x if offset is None else x + offset


def batch_normalization(
    x: Tensor,
    gamma: Tensor | None,
    beta: Tensor | None,
    mean: Tensor,
    variance: Tensor,
    *,
    axis: int | Sequence[int] = -1,
    epsilon: float = 1e-3,
) -> Tensor:
    axes = _axes(axis)
    if len(axes) == 1 and axes[0] % x.ndim == x.ndim - 1:
        return nn.batch_norm(x, mean, variance, scale=gamma, offset=beta, epsilon=epsilon)
    centered = x - _shaped(x, mean, axes)
    unscaled = centered * F.rsqrt(_shaped(x, variance, axes) + epsilon)
    return _scaled(unscaled, _aligned(x, gamma, axes), _aligned(x, beta, axes))


def _scale_and_offset(config: Config) -> list[Weight | None]:
    return [
        Weight(("gamma", "scale")) if config.get("scale", True) else None,
        Weight(("beta",)) if config.get("center", True) else None,
    ]


def _batch_weights(config: Config) -> list[Weight | None]:
    return [
        *_scale_and_offset(config),
        Weight(("moving_mean",), trained=False),
        Weight(("moving_variance",), trained=False),
    ]


def layer_normalization(
    x: Tensor,
    gamma: Tensor | None,
    beta: Tensor | None,
    *,
    axis: int | Sequence[int] = -1,
    epsilon: float = 1e-3,
    rms_scaling: bool = False,
) -> Tensor:
    axes = _axes(axis)
    scaling, offset = _aligned(x, gamma, axes), _aligned(x, beta, axes)
    if rms_scaling:
        variance = nn.moments(x, axis=axes, keepdims=True)[1]
        return _scaled(x * F.rsqrt(variance + epsilon), scaling, None)
    return _scaled(nn.layer_norm(x, axis=axes, epsilon=epsilon), scaling, offset)


def _layer_weights(config: Config) -> list[Weight | None]:
    scale, offset = _scale_and_offset(config)
    if config.get("rms_scaling"):
        return [Weight(("gamma",)), None]
    return [scale, offset]


def rms_normalization(
    x: Tensor, scale: Tensor, *, axis: int | Sequence[int] = -1, epsilon: float = 1e-6
) -> Tensor:
    axes = _axes(axis)
    return _scaled(nn.rms_norm(x, axis=axes, epsilon=epsilon), _aligned(x, scale, axes), None)


def group_normalization(
    x: Tensor,
    gamma: Tensor | None,
    beta: Tensor | None,
    *,
    groups: int = 32,
    axis: int = -1,
    epsilon: float = 1e-3,
) -> Tensor:
    last = F.moveaxis(x, axis, -1)
    count = last.shape[-1] if groups == -1 else groups
    y = nn.group_norm(last, count, scale=gamma, offset=beta, epsilon=epsilon)
    return F.moveaxis(y, -1, axis)


def normalization(
    x: Tensor,
    mean: Tensor | None,
    variance: Tensor | None,
    *,
    axis: int | Sequence[int] | None = -1,
    invert: bool = False,
    given_mean: Any = None,
    given_variance: Any = None,
) -> Tensor:
    axes = () if axis is None else _axes(axis)
    x = x.astype("float32")
    center, spread = (
        _shaped(x, F.asarray(numbers, dtype="float32") if weight is None else weight, axes)
        for numbers, weight in ((given_mean, mean), (given_variance, variance))
    )
    scale = F.maximum(F.sqrt(spread), 1e-7)
    return center + x * scale if invert else (x - center) / scale


def _normalization_weights(config: Config) -> list[Weight | None]:
    if config.get("given_mean") is not None:
        return [None, None]
    return [
        Weight(("mean",), trained=False),
        Weight(("variance",), trained=False),
    ]


LAYERS = {
    "BatchNormalization": LayerRow(
        batch_normalization, _batch_weights, ignored="momentum center scale", mask=MaskRule.SAME
    ),
    "GroupNormalization": LayerRow(
        group_normalization, _scale_and_offset, ignored="center scale", mask=MaskRule.SAME
    ),
    "LayerNormalization": LayerRow(
        layer_normalization, _layer_weights, ignored="center scale", mask=MaskRule.SAME
    ),
    "Normalization": LayerRow(normalization, _normalization_weights, mask=MaskRule.SAME),
    "RMSNormalization": LayerRow(rms_normalization, lambda config: [Weight(("scale",))]),
    "UnitNormalization": LayerRow(unit, mask=MaskRule.SAME),
}
