"""Softmax and related functions, shifted by the maximum so that they do not overflow."""

from __future__ import annotations

from .. import random
from ..errors import ArgumentError
from ..functions.arguments import flag, floating, number, one_axis, some_axes, wide
from ..functions.creation import arange
from ..functions.decorators import named, remembered
from ..functions.elementwise import where
from ..functions.neural import softmax
from ..random import Key
from ..tensor import Tensor
from ..transforms.autodiff import stop_gradient
from ..typing import ArrayLike, Axis

__all__ = ["gumbel_softmax", "log_softmax", "logsumexp", "softmax", "softmin"]


@remembered
def softmin(x: ArrayLike, /, *, axis: int = -1) -> Tensor:
    """Compute exp(-x) divided by its sum along an axis.

    Args:
        x: Tensor of any shape and a floating dtype.
        axis: Axis along which the result sums to 1; default -1.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is not floating.
        ShapeError: If the axis does not exist.

    >>> import py_tensor as pt
    >>> pt.nn.softmin(pt.asarray([0.0, 0.0])).tolist()
    [0.5, 0.5]
    """
    return softmax(-floating("softmin", x), axis=axis)


@remembered
def log_softmax(x: ArrayLike, /, *, axis: int = -1) -> Tensor:
    """Compute log(softmax(x)), accurately even where the softmax rounds to 0 or 1.

    Args:
        x: Tensor of any shape and a floating dtype.
        axis: Axis of the classes; default -1.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is not floating.
        ShapeError: If the axis does not exist.

    >>> import py_tensor as pt
    >>> pt.nn.log_softmax(pt.asarray([0.0, 1000.0])).tolist()
    [-1000.0, 0.0]
    """
    tensor = floating("log_softmax", x)
    along = one_axis("log_softmax", axis, tensor.ndim)
    if tensor.shape[along] == 0:
        return tensor
    # float16 would lose digits of the sum between the two steps.
    values = wide(tensor)
    shifted = values - _shift(values, (along,))
    result = shifted - shifted.exp().sum(axis=along, keepdims=True).log()
    return result.astype(tensor.dtype, copy=False)


@named
def gumbel_softmax(
    x: ArrayLike,
    /,
    *,
    temperature: float = 1.0,
    hard: bool = False,
    axis: int = -1,
    key: Key | None = None,
) -> Tensor:
    """Draw a differentiable sample of a choice with probabilities softmax(x).

    Formula: softmax((x + g) / temperature) with Gumbel noise g. Source: Jang et al. 2016,
    arXiv:1611.01144.

    Args:
        x: Tensor of any shape and a floating dtype.
        temperature: Positive number; the lower, the closer the result is to one-hot. Default 1.0.
        hard: Return exactly 1 for the choice and 0 elsewhere, with the gradient of the soft sample;
            default False.
        axis: Axis of the classes; default -1.
        key: Key of `pt.random`; None (default) for the next one.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        ArgumentError: If the temperature is not positive.
        DTypeError: If `x` is not floating.
        ShapeError: If the axis does not exist.

    >>> import py_tensor as pt
    >>> pt.nn.gumbel_softmax(pt.asarray([0.0, 1000.0]), hard=True).tolist()
    [0.0, 1.0]
    """
    temperature = number("gumbel_softmax", "temperature", temperature)
    if not temperature > 0:
        raise ArgumentError(
            f"gumbel_softmax: temperature must be positive; got {temperature}; use for example 1.0"
        )
    tensor = floating("gumbel_softmax", x)
    along = one_axis("gumbel_softmax", axis, tensor.ndim)
    # Avoid log(0): the smallest number drawn except 0 is 2**-23.
    u = random.uniform(tensor.shape, key=key).maximum(2.0**-24)
    noise = -(-u.log()).log()
    soft = softmax((wide(tensor) + noise) / temperature, axis=along).astype(
        tensor.dtype, copy=False
    )
    if not flag("gumbel_softmax", "hard", hard):
        return soft
    length = tensor.shape[along]
    at = arange(length).reshape((length, *(1,) * (tensor.ndim - along - 1)))
    chosen = soft.argmax(axis=along, keepdims=True).equal(at).astype(tensor.dtype)
    constant: Tensor = stop_gradient(soft)
    return chosen + (soft - constant)


@remembered
def logsumexp(x: ArrayLike, /, *, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Compute log(sum(exp(x))) along axes without overflow.

    Args:
        x: Tensor of any shape and a floating dtype.
        axis: Axis or axes to reduce; None (default) for all.
        keepdims: Keep the reduced axes with length 1; default False.

    Returns:
        Tensor of the dtype of `x`; minus infinity if there are no elements.

    Raises:
        DTypeError: If `x` is not floating.
        ShapeError: If an axis does not exist.

    >>> import py_tensor as pt
    >>> pt.nn.logsumexp(pt.asarray([1000.0, -1000.0])).item()
    1000.0
    """
    x = floating("logsumexp", x)
    axes = some_axes("logsumexp", axis, x.ndim)
    values = wide(x)
    if x.size:
        shift = _shift(values, axes)
        total = (values - shift).exp().sum(axis=axes, keepdims=True).log() + shift
    else:
        total = values.exp().sum(axis=axes, keepdims=True).log()
    result = total if flag("logsumexp", "keepdims", keepdims) else total.squeeze(axes)
    return result.astype(x.dtype, copy=False)


def _shift(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    """Return the maximum along axes, and 0 where it is infinite: inf - inf would be NaN."""
    # The shift cancels out, also in the gradient.
    largest = stop_gradient(x.max(axis=axes, keepdims=True))
    return where(largest.isfinite(), largest, 0.0)
