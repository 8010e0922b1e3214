"""Normalization layers."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

from ...dtypes import float32
from ...errors import ShapeError
from ...functions.floating import floating, wide
from ...tensor import Tensor
from ..initializers import ones, zeros
from ..module import Module, buffer_field, static_field
from ..normalization import (
    batch_norm,
    group_norm,
    instance_norm,
    layer_norm,
    moments,
    normalized,
    rms_norm,
)


class _Affine(Module):
    """What is normalized is scaled and shifted by learned numbers, unless `affine` is False."""

    scale: Tensor | None
    offset: Tensor | None
    epsilon: float = static_field()

    def prepare(self, shape: tuple[int, ...], affine: bool, epsilon: float, dtype: Any) -> None:
        """Sets the fields."""
        self.scale = ones(shape, dtype=dtype) if affine else None
        self.offset = zeros(shape, dtype=dtype) if affine else None
        self.epsilon = float(epsilon)


class BatchNorm(_Affine):
    """Each channel normalized over the batch in training, else by running statistics.

    (batch, ..., channels) to the same. In training, the buffers `mean` and `variance` move in place
    to momentum * themselves + (1 - momentum) * the batch's (the variance over all elements, without
    correction, as in TensorFlow.js). Raises ShapeError for another number of channels.

    >>> import py_tensor as pt
    >>> norm = pt.nn.BatchNorm(1, momentum=0.5)
    >>> y = norm(pt.asarray([[1.0], [3.0]]), training=True)
    >>> norm.mean.tolist(), norm.variance.tolist()
    ([1.0], [1.0])
    """

    channels: int = static_field()
    mean: Tensor = buffer_field()
    variance: Tensor = buffer_field()
    momentum: float = static_field()

    def __init__(
        self,
        channels: int,
        *,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        affine: bool = True,
        dtype: Any = float32,
    ) -> None:
        self.prepare((channels,), affine, epsilon, dtype)
        self.channels = channels
        self.mean = zeros((channels,))
        self.variance = ones((channels,))
        self.momentum = float(momentum)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        x = floating("batch_norm", x)
        if x.ndim < 2 or x.shape[-1] != self.channels:
            raise ShapeError(
                f"batch_norm: channels do not fit; got shape {x.shape}; "
                f"x is (batch, ..., {self.channels})"
            )
        if not training:
            return batch_norm(
                x,
                self.mean,
                self.variance,
                scale=self.scale,
                offset=self.offset,
                epsilon=self.epsilon,
            )
        mean, variance = moments(wide(x), axis=tuple(range(x.ndim - 1)))
        for buffer, value in ((self.mean, mean), (self.variance, variance)):
            buffer[...] = buffer * self.momentum + value * (1.0 - self.momentum)
        return normalized("batch_norm", x, mean, variance, self.scale, self.offset, self.epsilon)

    def facts(self) -> str:
        return str(self.channels)


class LayerNorm(_Affine):
    """`layer_norm` over the last axis, or the last axes, with learned scale and offset.

    (..., *shape) to the same; `shape` is a number or several. Raises ShapeError for other shapes.

    >>> import py_tensor as pt
    >>> pt.nn.LayerNorm(2, epsilon=0.0)(pt.asarray([[1.0, 3.0]])).tolist()
    [[-1.0, 1.0]]
    """

    shape: tuple[int, ...] = static_field()

    def __init__(
        self,
        shape: int | Sequence[int],
        *,
        epsilon: float = 1e-5,
        affine: bool = True,
        dtype: Any = float32,
    ) -> None:
        self.shape = (
            tuple(index(n) for n in shape) if isinstance(shape, Sequence) else (index(shape),)
        )
        self.prepare(self.shape, affine, epsilon, dtype)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        _check_last("layer_norm", x, self.shape)
        axes = tuple(range(-len(self.shape), 0))
        return layer_norm(x, scale=self.scale, offset=self.offset, axis=axes, epsilon=self.epsilon)

    def facts(self) -> str:
        return ", ".join(map(str, self.shape))


class RMSNorm(Module):
    """`rms_norm` over the last axis with a learned scale: (..., features) to the same.

    Raises ShapeError for another number of features.

    >>> import py_tensor as pt
    >>> pt.nn.RMSNorm(2, epsilon=0.0)(pt.asarray([[2.0, -2.0]])).tolist()
    [[1.0, -1.0]]
    """

    features: int = static_field()
    epsilon: float = static_field()
    scale: Tensor

    def __init__(self, features: int, *, epsilon: float = 1e-6, dtype: Any = float32) -> None:
        self.features = features
        self.scale = ones((features,), dtype=dtype)
        self.epsilon = float(epsilon)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        _check_last("rms_norm", x, (self.features,))
        return rms_norm(x, scale=self.scale, epsilon=self.epsilon)

    def facts(self) -> str:
        return str(self.features)


class GroupNorm(_Affine):
    """`group_norm` with learned scale and offset: (batch, ..., channels) to the same.

    Raises ShapeError where `groups` does not divide `channels`, and for other channels.

    >>> import py_tensor as pt
    >>> pt.nn.GroupNorm(2, 4, epsilon=0.0)(pt.asarray([[1.0, 3.0, 6.0, 2.0]])).tolist()
    [[-1.0, 1.0, 1.0, -1.0]]
    """

    groups: int = static_field()
    channels: int = static_field()

    def __init__(
        self,
        groups: int,
        channels: int,
        *,
        epsilon: float = 1e-5,
        affine: bool = True,
        dtype: Any = float32,
    ) -> None:
        if groups < 1 or channels % groups:
            raise ShapeError(
                f"GroupNorm: groups do not fit; got {groups} for {channels} channels; "
                "give a number that divides them"
            )
        self.groups, self.channels = groups, channels
        self.prepare((channels,), affine, epsilon, dtype)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        _check_last("group_norm", x, (self.channels,))
        return group_norm(
            x, self.groups, scale=self.scale, offset=self.offset, epsilon=self.epsilon
        )

    def facts(self) -> str:
        return f"{self.groups} groups of {self.channels // self.groups}"


class InstanceNorm(_Affine):
    """`instance_norm` with learned scale and offset: (batch, ..., channels) to the same.

    Raises ShapeError for another number of channels.

    >>> import py_tensor as pt
    >>> pt.nn.InstanceNorm(1, epsilon=0.0)(pt.asarray([[[1.0], [3.0]]])).tolist()
    [[[-1.0], [1.0]]]
    """

    channels: int = static_field()

    def __init__(
        self,
        channels: int,
        *,
        epsilon: float = 1e-5,
        affine: bool = True,
        dtype: Any = float32,
    ) -> None:
        self.channels = channels
        self.prepare((channels,), affine, epsilon, dtype)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        _check_last("instance_norm", x, (self.channels,))
        return instance_norm(x, scale=self.scale, offset=self.offset, epsilon=self.epsilon)

    def facts(self) -> str:
        return str(self.channels)


def _check_last(operation: str, x: Tensor, shape: tuple[int, ...]) -> None:
    if x.shape[-len(shape) :] != shape:
        expected = ", ".join(map(str, shape))
        raise ShapeError(
            f"{operation}: last axes do not fit; got shape {x.shape}; x is (..., {expected})"
        )
