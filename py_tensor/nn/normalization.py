"""Normalization: values brought to mean 0 and variance 1, then scaled and shifted.

Means and variances are computed in float32, since the squares of halves overflow at 256; the
result has the dtype of x.
"""

from __future__ import annotations

from typing import Any

from ..errors import ShapeError
from ..functions.axes import some_axes
from ..functions.floating import floating, wide
from ..functions.remembering import remembered
from ..tensor import Tensor, operand_of


def moments(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """The mean and the variance along axes (all where None).

    Both have the dtype of x and lack the axes unless `keepdims`; NaN for no elements. Raises
    DTypeError for dtypes that are not floating, ShapeError for axes that do not exist.

    >>> import py_tensor as pt
    >>> [value.item() for value in pt.nn.moments(pt.asarray([1.0, 3.0]))]
    [2.0, 1.0]
    """
    x = floating("moments", x)
    axes = some_axes("moments", axis, x.ndim)
    mean = wide(x).mean(axis=axes, keepdims=True)
    variance = (wide(x) - mean).square().mean(axis=axes, keepdims=True)
    both = [value.astype(x.dtype, copy=False) for value in (mean, variance)]
    mean, variance = both if keepdims else [value.squeeze(axes) for value in both]
    return mean, variance


@remembered
def batch_norm(
    x: Any,
    mean: Any,
    variance: Any,
    /,
    *,
    scale: Any = None,
    offset: Any = None,
    epsilon: float = 1e-3,
) -> Tensor:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset, for statistics given.

    `mean`, `variance`, `scale` (1 where None) and `offset` (0 where None) broadcast against x: of
    shape (channels,) for channels last. Raises DTypeError for dtypes that are not floating,
    ShapeError for shapes that do not broadcast. (Ioffe and Szegedy 2015, arXiv:1502.03167.)

    >>> import py_tensor as pt
    >>> x = pt.asarray([[1.0, 2.0], [3.0, 6.0]])
    >>> pt.nn.batch_norm(x, pt.asarray([2.0, 4.0]), pt.asarray([1.0, 4.0]), epsilon=0.0).tolist()
    [[-1.0, -1.0], [1.0, 1.0]]
    """
    x = floating("batch_norm", x)
    centre, spread = floating("batch_norm", mean), floating("batch_norm", variance)
    return normalized("batch_norm", x, wide(centre), wide(spread), scale, offset, epsilon)


@remembered
def layer_norm(
    x: Any, /, *, scale: Any = None, offset: Any = None, axis: Any = -1, epsilon: float = 1e-5
) -> Tensor:
    """Values normalized along axes, then scaled and shifted.

    `scale` and `offset` broadcast against x: of shape (features,) for the last axis. Raises
    DTypeError for dtypes that are not floating, ShapeError for shapes and axes that do not fit.
    (Ba et al. 2016, arXiv:1607.06450.)

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
def rms_norm(x: Any, /, *, scale: Any = None, axis: Any = -1, epsilon: float = 1e-6) -> Tensor:
    """x / sqrt(mean(x**2) + epsilon) * scale, with the mean along axes.

    `scale` broadcasts against x. Errors are those of `layer_norm`. (Zhang and Sennrich 2019,
    arXiv:1910.07467.)

    >>> import py_tensor as pt
    >>> pt.nn.rms_norm(pt.asarray([[2.0, -2.0]]), epsilon=0.0).tolist()
    [[1.0, -1.0]]
    """
    x = floating("rms_norm", x)
    axes = some_axes("rms_norm", axis, x.ndim)
    values = wide(x)
    squares = values.square().mean(axis=axes, keepdims=True)
    return _scaled("rms_norm", _unit(values, squares, epsilon), scale, None).astype(
        x.dtype, copy=False
    )


@remembered
def group_norm(
    x: Any,
    groups: int,
    /,
    *,
    scale: Any = None,
    offset: Any = None,
    epsilon: float = 1e-5,
) -> Tensor:
    """Values normalized over each image and group of neighbouring channels, scaled and shifted.

    `x` has shape (batch, ..., channels), and channels are a multiple of `groups`; `scale` and
    `offset` have shape (channels,). Raises DTypeError for dtypes that are not floating, ShapeError
    where shapes do not fit. (Wu and He 2018, arXiv:1803.08494.)

    >>> import py_tensor as pt
    >>> pt.nn.group_norm(pt.asarray([[1.0, 3.0, 6.0, 2.0]]), 2, epsilon=0.0).tolist()
    [[-1.0, 1.0, 1.0, -1.0]]
    """
    x = floating("group_norm", x)
    if x.ndim < 2 or groups < 1 or x.shape[-1] % groups:
        raise ShapeError(
            f"group_norm: channels do not fit; got shape {x.shape} and {groups} groups; "
            "x is (batch, ..., channels), channels a multiple of groups"
        )
    batch, *inner, channels = x.shape
    grouped = wide(x).reshape((batch, *inner, groups, channels // groups))
    axes = (*range(1, x.ndim - 1), x.ndim)
    mean, variance = moments(grouped, axis=axes, keepdims=True)
    # As many axes as x, so that scale and offset find the channels.
    unit = _unit(grouped - mean, variance, epsilon).reshape(x.shape)
    return _scaled("group_norm", unit, scale, offset).astype(x.dtype, copy=False)


@remembered
def instance_norm(
    x: Any, /, *, scale: Any = None, offset: Any = None, epsilon: float = 1e-5
) -> Tensor:
    """Values normalized over each channel of each image, scaled and shifted.

    `x` has shape (batch, ..., channels) with at least 3 axes; `scale` and `offset` have shape
    (channels,). Raises DTypeError for dtypes that are not floating, ShapeError for fewer axes.
    (Ulyanov et al. 2016, arXiv:1607.08022.)

    >>> import py_tensor as pt
    >>> pt.nn.instance_norm(pt.asarray([[[1.0], [3.0]]]), epsilon=0.0).tolist()
    [[[-1.0], [1.0]]]
    """
    x = floating("instance_norm", x)
    if x.ndim < 3:
        raise ShapeError(
            f"instance_norm: needs at least 3 axes; got shape {x.shape}; "
            "x is (batch, ..., channels)"
        )
    axes = tuple(range(1, x.ndim - 1))
    return normalized(
        "instance_norm", x, *moments(wide(x), axis=axes, keepdims=True), scale, offset, epsilon
    )


def _unit(centred: Tensor, variance: Tensor, epsilon: float) -> Tensor:
    return centred * (variance + float(epsilon)).rsqrt()


def _scaled(operation: str, unit: Tensor, scale: Any, offset: Any) -> Tensor:
    if scale is not None:
        unit = unit * operand_of(operation, scale)
    return unit if offset is None else unit + operand_of(operation, offset)


def normalized(
    operation: str,
    x: Tensor,
    mean: Tensor,
    variance: Tensor,
    scale: Any,
    offset: Any,
    epsilon: float,
) -> Tensor:
    """x with a mean and a variance in float32 taken out of it, scaled and shifted."""
    unit = _unit(wide(x) - mean, variance, epsilon)
    return _scaled(operation, unit, scale, offset).astype(x.dtype, copy=False)
