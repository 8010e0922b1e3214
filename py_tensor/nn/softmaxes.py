"""Softmax and what belongs to it: shifted by the maximum, so that nothing overflows."""

from __future__ import annotations

from typing import Any

from .. import random
from ..autodiff import stop_gradient
from ..errors import ArgumentError
from ..functions.axes import one_axis, some_axes
from ..functions.creation import PUBLIC as CREATION
from ..functions.elementwise import PUBLIC as ELEMENTWISE
from ..functions.floating import floating, wide
from ..functions.neural import softmax
from ..functions.remembering import remembered
from ..random import Key
from ..tensor import Tensor

__all__ = ["gumbel_softmax", "log_softmax", "logsumexp", "softmax", "softmin"]


@remembered
def softmin(x: Any, /, *, axis: int = -1) -> Tensor:
    """exp(-x) over its sum along an axis.

    Shape and dtype are those of x; errors are those of `softmax`.

    >>> import py_tensor as pt
    >>> pt.nn.softmin(pt.asarray([0.0, 0.0])).tolist()
    [0.5, 0.5]
    """
    return softmax(-floating("softmin", x), axis=axis)


@remembered
def log_softmax(x: Any, /, *, axis: int = -1) -> Tensor:
    """log(softmax(x)) along an axis, accurate where the softmax would round to 0 or 1.

    Shape and dtype are those of x; errors are those of `softmax`.

    >>> import py_tensor as pt
    >>> pt.nn.log_softmax(pt.asarray([0.0, 1000.0])).tolist()
    [-1000.0, 0.0]
    """
    given = floating("log_softmax", x)
    place = one_axis("log_softmax", axis, given.ndim)
    if given.shape[place] == 0:
        return given
    # Halves would lose the sum's digits between the two steps.
    values = wide(given)
    shifted = values - _shift(values, (place,))
    result = shifted - shifted.exp().sum(axis=place, keepdims=True).log()
    return result.astype(given.dtype, copy=False)


def gumbel_softmax(
    x: Any,
    /,
    *,
    temperature: float = 1.0,
    hard: bool = False,
    axis: int = -1,
    key: Key | None = None,
) -> Tensor:
    """softmax((x + g) / temperature) along an axis, where g is Gumbel noise from `pt.random`.

    A choice drawn with probabilities softmax(x) that has a gradient. With `hard`, 1 at the choice
    and 0 elsewhere, with the gradient of the soft one. (Jang et al. 2016, arXiv:1611.01144.) Shape
    and dtype are those of x. Raises ArgumentError for a temperature that is not positive; else
    errors are those of `softmax`.

    >>> import py_tensor as pt
    >>> pt.nn.gumbel_softmax(pt.asarray([0.0, 1000.0]), hard=True).tolist()
    [0.0, 1.0]
    """
    if not temperature > 0:
        raise ArgumentError(
            f"gumbel_softmax: temperature is not positive; got {temperature}; use 1.0"
        )
    given = floating("gumbel_softmax", x)
    place = one_axis("gumbel_softmax", axis, given.ndim)
    # Logarithms of 0 are left out: the least number drawn is 2**-23 otherwise.
    u = random.uniform(given.shape, key=key).maximum(2.0**-24)
    noise = -(-u.log()).log()
    soft = softmax((wide(given) + noise) / temperature, axis=place).astype(given.dtype, copy=False)
    if not hard:
        return soft
    length = given.shape[place]
    at = CREATION["arange"](length).reshape((length, *(1,) * (given.ndim - place - 1)))
    chosen = soft.argmax(axis=place, keepdims=True).equal(at).astype(given.dtype)
    constant: Tensor = stop_gradient(soft)
    return chosen + (soft - constant)


@remembered
def logsumexp(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    """log(sum(exp(x))) along axes (all where None); minus infinity for no elements.

    The dtype is that of x. Raises DTypeError for dtypes that are not floating, ShapeError for axes
    that do not exist.

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
    result = total if keepdims else total.squeeze(axes)
    return result.astype(x.dtype, copy=False)


def _shift(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    """The maximum along axes; 0 where it is infinite, since infinity less itself is NaN."""
    # The shift cancels out, in the gradient too.
    largest = stop_gradient(x.max(axis=axes, keepdims=True))
    return ELEMENTWISE["where"](largest.isfinite(), largest, 0.0)
