"""Normalization to mean 0 and variance 1, followed by a scale and an offset.

Means and variances are computed in float32, because squares of float16 overflow from 256 on. The
result has the dtype of x.
"""

from __future__ import annotations

from functools import reduce
from operator import add

from ..errors import ArgumentError, ShapeError
from ..functions.arguments import (
    MOST_STEPS,
    flag,
    floating,
    integer,
    number,
    one_axis,
    some_axes,
    wide,
)
from ..functions.decorators import named, remembered
from ..functions.manipulation import pad
from ..tensor import Tensor, as_tensor, operand_of
from ..typing import ArrayLike, Axis


def moments(x: ArrayLike, /, *, axis: Axis = None, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """Compute the mean and the variance along axes.

    Args:
        x: Tensor of any shape and a floating dtype.
        axis: Axis or axes to reduce; None (default) for all.
        keepdims: Keep the reduced axes with length 1; default False.

    Returns:
        Mean and population variance, both of the dtype of `x`; NaN if there are no elements.

    Raises:
        DTypeError: If `x` is not floating.
        ShapeError: If an axis does not exist.

    >>> import py_tensor as pt
    >>> [value.item() for value in pt.nn.moments(pt.asarray([1.0, 3.0]))]
    [2.0, 1.0]
    """
    x = floating("moments", x)
    axes = some_axes("moments", axis, x.ndim)
    mean = wide(x).mean(axis=axes, keepdims=True)
    variance = (wide(x) - mean).square().mean(axis=axes, keepdims=True)
    both = [value.astype(x.dtype, copy=False) for value in (mean, variance)]
    mean, variance = (
        both if flag("moments", "keepdims", keepdims) else [value.squeeze(axes) for value in both]
    )
    return mean, variance


@remembered
def local_response_normalization(
    x: ArrayLike,
    /,
    *,
    radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
) -> Tensor:
    """Compute x / (bias + alpha * s)**beta, s the sum of squares of nearby channels.

    Source: Krizhevsky et al. 2012, "ImageNet classification with deep convolutional networks".

    Args:
        x: Tensor of shape (..., channels) and a floating dtype.
        radius: Number of channels on both sides that are summed, 0 or more; default 5.
        bias: Addend; default 1.0.
        alpha: Factor of the sum; default 1.0.
        beta: Exponent; default 0.5.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        ArgumentError: If `radius` is negative.
        DTypeError: If `x` is not floating.
        ShapeError: If `x` has no axes.

    >>> import py_tensor as pt
    >>> x = pt.asarray([2.0, 1.0, 2.0])
    >>> pt.nn.local_response_normalization(x, radius=1, bias=4.0, beta=1.0).tolist()
    [0.2222222238779068, 0.07692307978868484, 0.2222222238779068]
    """
    tensor = floating("local_response_normalization", x)
    one_axis("local_response_normalization", -1, tensor.ndim)
    radius = integer("local_response_normalization", "radius", radius, 0, MOST_STEPS)
    bias, alpha, beta = (
        number("local_response_normalization", name, value)
        for name, value in (("bias", bias), ("alpha", alpha), ("beta", beta))
    )
    values, channels = wide(tensor), tensor.shape[-1]
    around = ((0, 0),) * (tensor.ndim - 1) + ((radius, radius),)
    squares = pad(values.square(), around)
    total = reduce(add, [squares[..., at : at + channels] for at in range(2 * radius + 1)])
    result = values * (total * alpha + bias) ** -beta
    return result.astype(tensor.dtype, copy=False)


@named
def moving_average(
    average: ArrayLike,
    x: ArrayLike,
    decay: float,
    /,
    *,
    step: float | None = None,
) -> Tensor:
    """Return average + (1 - decay) * (x - average), the next value of an exponential average.

    Args:
        average: Value before.
        x: New value; the shapes broadcast.
        decay: Share of the value before, from 0 to 1.
        step: Number of values including x, from 1; the change is divided by 1 - decay**step, which
            removes the weight of the initial value 0. None (default) for no correction.

    Returns:
        Tensor of the broadcast shape.

    Raises:
        DTypeError: If the operands have no common dtype.
        ShapeError: If the shapes do not broadcast.

    >>> import py_tensor as pt
    >>> pt.nn.moving_average([0.0, 4.0], [8.0, 8.0], 0.75).tolist()
    [2.0, 5.0]
    """
    before = as_tensor("moving_average", average)
    decay = number("moving_average", "decay", decay)
    if not 0.0 <= decay <= 1.0:
        raise ArgumentError(f"moving_average: decay is out of range; got {decay}; use 0 to 1")
    share = 1.0 - decay
    if step is not None:
        step = number("moving_average", "step", step, finite=True)
        if step < 1.0 or decay == 1.0:
            raise ArgumentError(
                f"moving_average: step needs decay below 1 and counts from 1; got decay {decay} "
                f"and step {step}"
            )
        share /= 1.0 - decay**step
    return before + (as_tensor("moving_average", x) - before) * share


@remembered
def batch_norm(
    x: ArrayLike,
    mean: ArrayLike,
    variance: ArrayLike,
    /,
    *,
    scale: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    epsilon: float = 1e-3,
) -> Tensor:
    """Compute (x - mean) / sqrt(variance + epsilon) * scale + offset.

    Source: Ioffe and Szegedy 2015, arXiv:1502.03167.

    Args:
        x: Tensor of shape (..., channels) and a floating dtype.
        mean: Mean that broadcasts with `x`, for example of shape (channels,).
        variance: Variance that broadcasts with `x`.
        scale: Factor broadcast with `x`, for example of shape (channels,); default None for 1.
        offset: Addend broadcast with `x`, for example of shape (channels,); default None for 0.
        epsilon: Number added to the variance; default 1e-3.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x`, `mean` or `variance` is not floating.
        ShapeError: If the shapes do not broadcast.

    >>> import py_tensor as pt
    >>> x = pt.asarray([[1.0, 2.0], [3.0, 6.0]])
    >>> pt.nn.batch_norm(x, pt.asarray([2.0, 4.0]), pt.asarray([1.0, 4.0]), epsilon=0.0).tolist()
    [[-1.0, -1.0], [1.0, 1.0]]
    """
    x = floating("batch_norm", x)
    mean, variance = floating("batch_norm", mean), floating("batch_norm", variance)
    return normalized("batch_norm", x, wide(mean), wide(variance), scale, offset, epsilon)


@remembered
def layer_norm(
    x: ArrayLike,
    /,
    *,
    scale: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    axis: Axis = -1,
    epsilon: float = 1e-5,
) -> Tensor:
    """Normalize along axes, then scale and shift.

    Source: Ba et al. 2016, arXiv:1607.06450.

    Args:
        x: Tensor of any shape and a floating dtype.
        scale: Factor broadcast with `x`, for example of shape (features,); default None for 1.
        offset: Addend broadcast with `x`, for example of shape (features,); default None for 0.
        axis: Axis or axes to normalize over; default -1.
        epsilon: Number added to the variance; default 1e-5.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is not floating.
        ShapeError: If shapes or axes do not fit.

    >>> import py_tensor as pt
    >>> pt.nn.layer_norm(pt.asarray([[1.0, 3.0], [6.0, 4.0]]), epsilon=0.0).tolist()
    [[-1.0, 1.0], [1.0, -1.0]]
    """
    x = floating("layer_norm", x)
    axes = some_axes("layer_norm", axis, x.ndim)
    return normalized(
        "layer_norm", x, *moments(wide(x), axis=axes, keepdims=True), scale, offset, epsilon
    )


@remembered
def rms_norm(
    x: ArrayLike, /, *, scale: ArrayLike | None = None, axis: Axis = -1, epsilon: float = 1e-6
) -> Tensor:
    """Compute x / sqrt(mean(x**2) + epsilon) * scale, with the mean along axes.

    Source: Zhang and Sennrich 2019, arXiv:1910.07467.

    Args:
        x: Tensor of any shape and a floating dtype.
        scale: Factor broadcast with `x`, for example of shape (features,); default None for 1.
        axis: Axis or axes to normalize over; default -1.
        epsilon: Number added to the mean of squares; default 1e-6.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is not floating.
        ShapeError: If shapes or axes do not fit.

    >>> import py_tensor as pt
    >>> pt.nn.rms_norm(pt.asarray([[2.0, -2.0]]), epsilon=0.0).tolist()
    [[1.0, -1.0]]
    """
    x = floating("rms_norm", x)
    axes = some_axes("rms_norm", axis, x.ndim)
    values = wide(x)
    squares = values.square().mean(axis=axes, keepdims=True)
    return _scaled("rms_norm", _unit("rms_norm", values, squares, epsilon), scale, None).astype(
        x.dtype, copy=False
    )


@remembered
def group_norm(
    x: ArrayLike,
    groups: int,
    /,
    *,
    scale: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    epsilon: float = 1e-5,
) -> Tensor:
    """Normalize over each image and group of neighbouring channels, then scale and shift.

    Source: Wu and He 2018, arXiv:1803.08494.

    Args:
        x: Tensor of shape (batch, ..., channels) and a floating dtype.
        groups: Number of groups, a divisor of the number of channels.
        scale: Factor broadcast with `x`, for example of shape (channels,); default None for 1.
        offset: Addend broadcast with `x`, for example of shape (channels,); default None for 0.
        epsilon: Number added to the variance; default 1e-5.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is not floating.
        ShapeError: If the shapes are incompatible, or `groups` does not divide the channels.

    >>> import py_tensor as pt
    >>> pt.nn.group_norm(pt.asarray([[1.0, 3.0, 6.0, 2.0]]), 2, epsilon=0.0).tolist()
    [[-1.0, 1.0, 1.0, -1.0]]
    """
    x = floating("group_norm", x)
    groups = integer("group_norm", "groups", groups)
    if x.ndim < 2 or groups < 1 or x.shape[-1] % groups:
        raise ShapeError(
            f"group_norm: wrong number of channels; got shape {x.shape} and {groups} groups; x "
            "must have shape (batch, ..., channels), channels a multiple of groups"
        )
    batch, *inner, channels = x.shape
    grouped = wide(x).reshape((batch, *inner, groups, channels // groups))
    axes = (*range(1, x.ndim - 1), x.ndim)
    mean, variance = moments(grouped, axis=axes, keepdims=True)
    # Restore the shape of x, so that scale and offset broadcast along the channels.
    unit = _unit("group_norm", grouped - mean, variance, epsilon).reshape(x.shape)
    return _scaled("group_norm", unit, scale, offset).astype(x.dtype, copy=False)


@remembered
def instance_norm(
    x: ArrayLike,
    /,
    *,
    scale: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    epsilon: float = 1e-5,
) -> Tensor:
    """Normalize over each channel of each image, then scale and shift.

    Source: Ulyanov et al. 2016, arXiv:1607.08022.

    Args:
        x: Tensor of shape (batch, ..., channels), with at least 3 axes, and a floating dtype.
        scale: Factor broadcast with `x`, for example of shape (channels,); default None for 1.
        offset: Addend broadcast with `x`, for example of shape (channels,); default None for 0.
        epsilon: Number added to the variance; default 1e-5.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is not floating.
        ShapeError: If `x` has fewer than 3 axes, or shapes do not broadcast.

    >>> import py_tensor as pt
    >>> pt.nn.instance_norm(pt.asarray([[[1.0], [3.0]]]), epsilon=0.0).tolist()
    [[[-1.0], [1.0]]]
    """
    x = floating("instance_norm", x)
    if x.ndim < 3:
        raise ShapeError(
            f"instance_norm: input must have at least 3 axes; got shape {x.shape}; x must have "
            "shape (batch, ..., channels)"
        )
    axes = tuple(range(1, x.ndim - 1))
    return normalized(
        "instance_norm", x, *moments(wide(x), axis=axes, keepdims=True), scale, offset, epsilon
    )


def _unit(operation: str, centred: Tensor, variance: Tensor, epsilon: float) -> Tensor:
    return centred * (variance + number(operation, "epsilon", epsilon)).rsqrt()


def _scaled(
    operation: str, unit: Tensor, scale: ArrayLike | None, offset: ArrayLike | None
) -> Tensor:
    if scale is not None:
        unit = unit * operand_of(operation, scale)
    return unit if offset is None else unit + operand_of(operation, offset)


def normalized(
    operation: str,
    x: Tensor,
    mean: Tensor,
    variance: Tensor,
    scale: ArrayLike | None,
    offset: ArrayLike | None,
    epsilon: float,
) -> Tensor:
    """Normalize x by a float32 mean and variance, then scale and shift."""
    unit = _unit(operation, wide(x) - mean, variance, epsilon)
    return _scaled(operation, unit, scale, offset).astype(x.dtype, copy=False)
