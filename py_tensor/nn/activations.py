"""Activation functions: elementwise, floating dtypes in and the same out.

Names are TensorFlow.js's and PyTorch's; where the two differ under one name, the docstring says
which is meant.
"""

from __future__ import annotations

import math
from typing import Any

from .. import random
from ..errors import ArgumentError, ShapeError
from ..functions.axes import one_axis
from ..functions.elementwise import PUBLIC as ELEMENTWISE
from ..functions.floating import floating
from ..functions.remembering import remembered
from ..tensor import Tensor

relu, sigmoid, tanh = ELEMENTWISE["relu"], ELEMENTWISE["sigmoid"], ELEMENTWISE["tanh"]

_where = ELEMENTWISE["where"]
_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772, 1.0507009873554805


@remembered
def relu6(x: Any, /) -> Tensor:
    """min(max(x, 0), 6); NaN stays.

    Takes any shape of a floating dtype; raises DTypeError for others.

    >>> import py_tensor as pt
    >>> pt.nn.relu6(pt.asarray([-1.0, 3.0, 9.0])).tolist()
    [0.0, 3.0, 6.0]
    """
    return floating("relu6", x).clip(0.0, 6.0)


@remembered
def leaky_relu(x: Any, /, *, alpha: float = 0.2) -> Tensor:
    """x where positive, else alpha * x; `alpha` is TensorFlow.js's (PyTorch's is 0.01).

    Takes any shape of a floating dtype; raises DTypeError for others.

    >>> import py_tensor as pt
    >>> pt.nn.leaky_relu(pt.asarray([-2.0, 3.0]), alpha=0.5).tolist()
    [-1.0, 3.0]
    """
    t = floating("leaky_relu", x)
    return _where(t > 0, t, t * alpha)


@remembered
def prelu(x: Any, alpha: Any, /) -> Tensor:
    """x where positive, else alpha * x, where `alpha` is a tensor that broadcasts against x.

    Learned slopes of each channel have shape (channels,). (He et al. 2015, arXiv:1502.01852.)
    Floating dtypes; raises DTypeError for others, ShapeError for shapes that do not broadcast.

    >>> import py_tensor as pt
    >>> pt.nn.prelu(pt.asarray([[-2.0, -2.0]]), pt.asarray([0.5, 0.25])).tolist()
    [[-1.0, -0.5]]
    """
    t = floating("prelu", x)
    return _where(t > 0, t, t * floating("prelu", alpha))


def rrelu(
    x: Any, /, *, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = True
) -> Tensor:
    """x where positive, else a * x: a random between the limits in training, their mean otherwise.

    Raises ArgumentError where `lower` is above `upper`. (Xu et al. 2015, arXiv:1505.00853.) Takes
    any shape of a floating dtype; raises DTypeError for others.

    >>> import py_tensor as pt
    >>> pt.nn.rrelu(pt.asarray([-2.0, 3.0]), lower=0.25, upper=0.75, training=False).tolist()
    [-1.0, 3.0]
    """
    t = floating("rrelu", x)
    if lower > upper:
        raise ArgumentError(
            f"rrelu: lower is above upper; got {lower} and {upper}; give the smaller one first"
        )
    if not training:
        return _where(t > 0, t, t * ((lower + upper) / 2))
    return _where(t > 0, t, t * random.uniform(t.shape, lower, upper, dtype=t.dtype))


@remembered
def elu(x: Any, /, *, alpha: float = 1.0) -> Tensor:
    """x where positive, else alpha * (exp(x) - 1). (Clevert et al. 2015, arXiv:1511.07289.)

    Takes any shape of a floating dtype; raises DTypeError for others.

    >>> import py_tensor as pt
    >>> pt.nn.elu(pt.asarray([-float("inf"), 0.0, 2.0])).tolist()
    [-1.0, 0.0, 2.0]
    """
    return _elu(floating("elu", x), alpha, 1.0)


def _elu(x: Tensor, alpha: float, width: float) -> Tensor:
    # What is not chosen must stay finite: an infinite derivative times 0 would be NaN.
    low = x.minimum(0.0)
    return _where(x > 0, x, (low if width == 1.0 else low * (1.0 / width)).expm1() * alpha)


@remembered
def selu(x: Any, /) -> Tensor:
    """1.0507 * elu(x, alpha=1.6733): keeps mean 0 and variance 1.

    (Klambauer et al. 2017, arXiv:1706.02515, where both constants have all their digits.) Takes any
    shape of a floating dtype; raises DTypeError for others.

    >>> import py_tensor as pt
    >>> pt.nn.selu(pt.asarray([0.0, 1.0])).tolist()
    [0.0, 1.0507010221481323]
    """
    return _elu(floating("selu", x), _SELU_ALPHA, 1.0) * _SELU_SCALE


@remembered
def celu(x: Any, /, *, alpha: float = 1.0) -> Tensor:
    """x where positive, else alpha * (exp(x / alpha) - 1); raises ArgumentError for alpha 0.

    (Barron 2017, arXiv:1704.07483.) Takes any shape of a floating dtype; raises DTypeError for
    others.

    >>> import py_tensor as pt
    >>> pt.nn.celu(pt.asarray([-float("inf"), 2.0]), alpha=0.5).tolist()
    [-0.5, 2.0]
    """
    t = floating("celu", x)
    if alpha == 0:
        raise ArgumentError("celu: alpha is zero; got 0; use another, or relu")
    return _elu(t, alpha, alpha)


@remembered
def gelu(x: Any, /, *, approximate: bool = False) -> Tensor:
    """x * P(X <= x) for X normally distributed: x / 2 * (1 + erf(x / sqrt(2))).

    With `approximate`, x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))). (Hendrycks and
    Gimpel 2016, arXiv:1606.08415.) Takes any shape of a floating dtype; raises DTypeError for
    others.

    >>> import py_tensor as pt
    >>> pt.nn.gelu(pt.asarray([0.0, 20.0])).tolist()
    [0.0, 20.0]
    """
    t = floating("gelu", x)
    if approximate:
        # 1 + tanh(u) = 2 * sigmoid(2 * u), which does not cancel where u is negative.
        return t * ((t + 0.044715 * t * t * t) * (2 * math.sqrt(2 / math.pi))).sigmoid()
    return t * 0.5 * ((t * math.sqrt(0.5)).erf() + 1.0)


@remembered
def silu(x: Any, /) -> Tensor:
    """x * sigmoid(x); also called swish.

    Takes any shape of a floating dtype; raises DTypeError for others.

    >>> import py_tensor as pt
    >>> pt.nn.silu(pt.asarray([0.0, 100.0])).tolist()
    [0.0, 100.0]
    """
    t = floating("silu", x)
    return t * t.sigmoid()


swish = silu


@remembered
def mish(x: Any, /) -> Tensor:
    """x * tanh(softplus(x)). (Misra 2019, arXiv:1908.08681.)

    Takes any shape of a floating dtype; raises DTypeError for others.

    >>> import py_tensor as pt
    >>> pt.nn.mish(pt.asarray([0.0, 20.0])).tolist()
    [0.0, 20.0]
    """
    t = floating("mish", x)
    return t * t.logaddexp(0.0).tanh()


@remembered
def softplus(x: Any, /) -> Tensor:
    """log(1 + exp(x)) without overflow.

    Takes any shape of a floating dtype; raises DTypeError for others.

    >>> import py_tensor as pt
    >>> pt.nn.softplus(pt.asarray([-float("inf"), 100.0])).tolist()
    [0.0, 100.0]
    """
    return floating("softplus", x).logaddexp(0.0)


@remembered
def softsign(x: Any, /) -> Tensor:
    """x / (1 + abs(x)).

    Takes any shape of a floating dtype; raises DTypeError for others.

    >>> import py_tensor as pt
    >>> pt.nn.softsign(pt.asarray([-1.0, 3.0])).tolist()
    [-0.5, 0.75]
    """
    t = floating("softsign", x)
    return t / (t.abs() + 1.0)


@remembered
def log_sigmoid(x: Any, /) -> Tensor:
    """log(1 / (1 + exp(-x))) without overflow.

    Takes any shape of a floating dtype; raises DTypeError for others.

    >>> import py_tensor as pt
    >>> pt.nn.log_sigmoid(pt.asarray([-100.0, -200.0])).tolist()
    [-100.0, -200.0]
    """
    return -(-floating("log_sigmoid", x)).logaddexp(0.0)


@remembered
def hard_tanh(x: Any, /, *, low: float = -1.0, high: float = 1.0) -> Tensor:
    """x held between `low` and `high`; NaN stays.

    Takes any shape of a floating dtype; raises DTypeError for others.

    >>> import py_tensor as pt
    >>> pt.nn.hard_tanh(pt.asarray([-3.0, 0.5, 3.0])).tolist()
    [-1.0, 0.5, 1.0]
    """
    return floating("hard_tanh", x).clip(low, high)


@remembered
def hard_sigmoid(x: Any, /) -> Tensor:
    """relu6(x + 3) / 6, as in PyTorch and Keras 3 (TensorFlow.js has 0.2 * x + 0.5, held in 0..1).

    Takes any shape of a floating dtype; raises DTypeError for others.

    >>> import py_tensor as pt
    >>> pt.nn.hard_sigmoid(pt.asarray([-4.0, 0.0, 4.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    return (floating("hard_sigmoid", x) + 3.0).clip(0.0, 6.0) * (1 / 6)


@remembered
def hard_swish(x: Any, /) -> Tensor:
    """x * relu6(x + 3) / 6. (Howard et al. 2019, arXiv:1905.02244.)

    Takes any shape of a floating dtype; raises DTypeError for others.

    >>> import py_tensor as pt
    >>> pt.nn.hard_swish(pt.asarray([0.0, 1.5, 4.0])).tolist()
    [0.0, 1.125, 4.0]
    """
    t = floating("hard_swish", x)
    return t * ((t + 3.0).clip(0.0, 6.0) * (1 / 6))


@remembered
def tanh_shrink(x: Any, /) -> Tensor:
    """x - tanh(x).

    Takes any shape of a floating dtype; raises DTypeError for others.

    >>> import py_tensor as pt
    >>> pt.nn.tanh_shrink(pt.asarray([0.0, 100.0])).tolist()
    [0.0, 99.0]
    """
    t = floating("tanh_shrink", x)
    return t - t.tanh()


@remembered
def soft_shrink(x: Any, /, *, threshold: float = 0.5) -> Tensor:
    """x moved towards 0 by `threshold`, and 0 where it would cross; NaN stays.

    Takes any shape of a floating dtype; raises DTypeError for others.

    >>> import py_tensor as pt
    >>> pt.nn.soft_shrink(pt.asarray([-2.0, 0.25, 2.0])).tolist()
    [-1.5, 0.0, 1.5]
    """
    t = floating("soft_shrink", x)
    return t - t.clip(-threshold, threshold)


@remembered
def hard_shrink(x: Any, /, *, threshold: float = 0.5) -> Tensor:
    """x, but 0 where it is not further than `threshold` from 0; NaN stays.

    Takes any shape of a floating dtype; raises DTypeError for others.

    >>> import py_tensor as pt
    >>> pt.nn.hard_shrink(pt.asarray([-2.0, 0.25, 2.0])).tolist()
    [-2.0, 0.0, 2.0]
    """
    t = floating("hard_shrink", x)
    return _where(t.abs() <= threshold, 0.0, t)


@remembered
def threshold(x: Any, limit: float, value: float, /) -> Tensor:
    """x where it is above `limit`, else `value`; NaN stays.

    Takes any shape of a floating dtype; raises DTypeError for others.

    >>> import py_tensor as pt
    >>> pt.nn.threshold(pt.asarray([1.0, 3.0]), 2.0, -1.0).tolist()
    [-1.0, 3.0]
    """
    t = floating("threshold", x)
    return _where(t <= limit, float(value), t)


@remembered
def step(x: Any, /, *, alpha: float = 0.0) -> Tensor:
    """1 where x is positive, else `alpha`, as in TensorFlow.js; NaN stays.

    Takes any shape of a floating dtype; raises DTypeError for others.

    >>> import py_tensor as pt
    >>> pt.nn.step(pt.asarray([-2.0, 0.0, 2.0])).tolist()
    [0.0, 0.0, 1.0]
    """
    t = floating("step", x)
    one_or_alpha = _where(t > 0, 1.0, float(alpha)).astype(t.dtype, copy=False)
    return _where(t.isnan(), t, one_or_alpha)


@remembered
def glu(x: Any, /, *, axis: int = -1) -> Tensor:
    """a * sigmoid(b), where a and b are the halves of x along an axis.

    Floating dtypes; raises DTypeError for others, ShapeError for an odd length. (Dauphin et al.
    2016, arXiv:1612.08083.)

    >>> import py_tensor as pt
    >>> pt.nn.glu(pt.asarray([4.0, 6.0, 0.0, 0.0])).tolist()
    [2.0, 3.0]
    """
    t = floating("glu", x)
    place = one_axis("glu", axis, t.ndim)
    length = t.shape[place]
    if length % 2:
        raise ShapeError(
            f"glu: axis has no halves; got length {length} of axis {place} of shape {t.shape}; "
            "give an even length"
        )
    before = (slice(None),) * place
    a, b = t[(*before, slice(None, length // 2))], t[(*before, slice(length // 2, None))]
    return a * b.sigmoid()
