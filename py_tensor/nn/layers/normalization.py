"""Normalization layers."""

from __future__ import annotations

from collections.abc import Sequence

from ...dtypes import float32
from ...errors import ShapeError
from ...functions.arguments import a_shape, flag, floating, integer, number, wide
from ...functions.indexing import replace
from ...tensor import Tensor
from ...typing import DTypeLike
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
    """Normalization with learned scale and offset, unless `affine` is False."""

    scale: Tensor | None
    offset: Tensor | None
    epsilon: float = static_field()

    def set_parameters(
        self, shape: tuple[int, ...], affine: bool, epsilon: float, dtype: DTypeLike
    ) -> None:
        """Set the fields."""
        affine = flag(type(self).__name__, "affine", affine)
        self.scale = ones(shape, dtype=dtype) if affine else None
        self.offset = zeros(shape, dtype=dtype) if affine else None
        self.epsilon = number(type(self).__name__, "epsilon", epsilon)


class BatchNorm(_Affine):
    """Normalize each channel over the batch, or by running statistics outside training.

    Calling the layer takes a tensor of shape (batch, ..., channels) and a floating dtype, and
    returns one of the same shape and dtype. With `training=True` the buffers `mean` and `variance`
    become momentum * buffer + (1 - momentum) * statistic of the batch, in place. The variance is
    the population variance, as in TensorFlow.js.

    Args:
        channels: Number of channels.
        momentum: Share of the running statistics kept at each call; default 0.99.
        epsilon: Number added to the variance; default 1e-3.
        affine: Learn a scale (first 1) and an offset (first 0); default True.
        dtype: Dtype of the parameters, float32 (default) or float16.

    Raises:
        DTypeError: In a call, if the input is not floating.
        ShapeError: In a call, if the input has another number of channels, or fewer than 2 axes.

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
        dtype: DTypeLike = float32,
    ) -> None:
        self.channels = integer("BatchNorm", "channels", channels, 0)
        self.set_parameters((self.channels,), affine, epsilon, dtype)
        self.mean = zeros((self.channels,))
        self.variance = ones((self.channels,))
        self.momentum = number("BatchNorm", "momentum", momentum)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        x = floating("batch_norm", x)
        if x.ndim < 2 or x.shape[-1] != self.channels:
            raise ShapeError(
                f"batch_norm: wrong number of channels; got shape {x.shape}; x must have shape "
                f"(batch, ..., {self.channels})"
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
            replace(buffer, ..., buffer * self.momentum + value * (1.0 - self.momentum))
        return normalized("batch_norm", x, mean, variance, self.scale, self.offset, self.epsilon)

    def facts(self) -> str:
        return str(self.channels)


class LayerNorm(_Affine):
    """Normalize over the last axis or axes, as `layer_norm`, with learned scale and offset.

    Calling the layer takes a tensor of shape (..., *shape) and a floating dtype, and returns one of
    the same shape and dtype.

    Args:
        shape: Length of the last axis, or lengths of the last axes.
        epsilon: Number added to the variance; default 1e-5.
        affine: Learn a scale (first 1) and an offset (first 0); default True.
        dtype: Dtype of the parameters, float32 (default) or float16.

    Raises:
        ShapeError: In a call, if the last axes have other lengths.

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
        dtype: DTypeLike = float32,
    ) -> None:
        self.shape = a_shape("LayerNorm", shape)
        self.set_parameters(self.shape, affine, epsilon, dtype)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        _check_last("layer_norm", x, self.shape)
        axes = tuple(range(-len(self.shape), 0))
        return layer_norm(x, scale=self.scale, offset=self.offset, axis=axes, epsilon=self.epsilon)

    def facts(self) -> str:
        return ", ".join(map(str, self.shape))


class RMSNorm(Module):
    """Normalize over the last axis by the root mean square, as `rms_norm`.

    Calling the layer takes a tensor of shape (..., features) and a floating dtype, and returns one
    of the same shape and dtype. `scale` is learned and has shape (features,).

    Args:
        features: Length of the last axis.
        epsilon: Number added to the mean of squares; default 1e-6.
        unit_offset: Multiply by 1 + scale, as Gemma does; default False.
        dtype: Dtype of the parameters, float32 (default) or float16.

    Raises:
        ShapeError: In a call, if the last axis has another length.

    >>> import py_tensor as pt
    >>> pt.nn.RMSNorm(2, epsilon=0.0)(pt.asarray([[2.0, -2.0]])).tolist()
    [[1.0, -1.0]]
    """

    features: int = static_field()
    epsilon: float = static_field()
    unit_offset: bool = static_field()
    scale: Tensor

    def __init__(
        self,
        features: int,
        *,
        epsilon: float = 1e-6,
        unit_offset: bool = False,
        dtype: DTypeLike = float32,
    ) -> None:
        self.features = integer("RMSNorm", "features", features, 0)
        self.unit_offset = flag("RMSNorm", "unit_offset", unit_offset)
        self.scale = (zeros if self.unit_offset else ones)((self.features,), dtype=dtype)
        self.epsilon = number(type(self).__name__, "epsilon", epsilon)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        _check_last("rms_norm", x, (self.features,))
        scale = wide(self.scale) + 1.0 if self.unit_offset else self.scale
        return rms_norm(x, scale=scale, epsilon=self.epsilon)

    def facts(self) -> str:
        return str(self.features)


class GroupNorm(_Affine):
    """Normalize over groups of channels, as `group_norm`, with learned scale and offset.

    Calling the layer takes a tensor of shape (batch, ..., channels) and a floating dtype, and
    returns one of the same shape and dtype.

    Args:
        groups: Number of groups, a divisor of `channels`.
        channels: Number of channels.
        epsilon: Number added to the variance; default 1e-5.
        affine: Learn a scale (first 1) and an offset (first 0); default True.
        dtype: Dtype of the parameters, float32 (default) or float16.

    Raises:
        ShapeError: If `groups` does not divide `channels`; in a call, if the input has another
            number of channels.

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
        dtype: DTypeLike = float32,
    ) -> None:
        groups = integer("GroupNorm", "groups", groups)
        channels = integer("GroupNorm", "channels", channels, 0)
        if groups < 1 or channels % groups:
            raise ShapeError(
                f"GroupNorm: number of groups must divide the number of channels; got {groups} for "
                f"{channels} channels; use a divisor"
            )
        self.groups, self.channels = groups, channels
        self.set_parameters((channels,), affine, epsilon, dtype)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        _check_last("group_norm", x, (self.channels,))
        return group_norm(
            x, self.groups, scale=self.scale, offset=self.offset, epsilon=self.epsilon
        )

    def facts(self) -> str:
        return f"{self.groups} groups of {self.channels // self.groups}"


class InstanceNorm(_Affine):
    """Normalize each channel of each image, as `instance_norm`, with learned scale and offset.

    Calling the layer takes a tensor of shape (batch, ..., channels) with at least 3 axes and a
    floating dtype, and returns one of the same shape and dtype.

    Args:
        channels: Number of channels.
        epsilon: Number added to the variance; default 1e-5.
        affine: Learn a scale (first 1) and an offset (first 0); default True.
        dtype: Dtype of the parameters, float32 (default) or float16.

    Raises:
        ShapeError: In a call, if the input has another number of channels, or fewer than 3 axes.

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
        dtype: DTypeLike = float32,
    ) -> None:
        self.channels = integer("InstanceNorm", "channels", channels, 0)
        self.set_parameters((self.channels,), affine, epsilon, dtype)

    def forward(self, x: Tensor, *, training: bool = False) -> Tensor:
        _check_last("instance_norm", x, (self.channels,))
        return instance_norm(x, scale=self.scale, offset=self.offset, epsilon=self.epsilon)

    def facts(self) -> str:
        return str(self.channels)


def _check_last(operation: str, x: Tensor, shape: tuple[int, ...]) -> None:
    if x.shape[-len(shape) :] != shape:
        expected = ", ".join(map(str, shape))
        raise ShapeError(
            f"{operation}: last axes have the wrong lengths; got shape {x.shape}; x must have "
            f"shape (..., {expected})"
        )
