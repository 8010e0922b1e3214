"""Activation functions: elementwise functions of floating tensors.

Names are those of TensorFlow.js and PyTorch. If the two differ under one name, the docstring says
which one this is.
"""

from __future__ import annotations

import math

from .. import functions as F, random
from ..errors import ArgumentError, ShapeError
from ..functions import elementwise
from ..functions.arguments import flag, floating, number, one_axis
from ..functions.decorators import remembered
from ..tensor import Tensor, operand_of
from ..typing import ArrayLike

relu, sigmoid, tanh = elementwise.relu, elementwise.sigmoid, elementwise.tanh

_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772, 1.0507009873554805


@remembered
def relu6(x: ArrayLike, /) -> Tensor:
    """Compute min(max(x, 0), 6) elementwise; NaN stays NaN.

    Args:
        x: Tensor of any shape and a numeric dtype that is not complex.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is bool or complex.

    >>> import py_tensor as pt
    >>> pt.nn.relu6(pt.asarray([-1.0, 3.0, 9.0])).tolist()
    [0.0, 3.0, 6.0]
    >>> pt.nn.relu6(pt.asarray([-1, 3, 9])).tolist()
    [0, 3, 6]
    """
    return relu(x).minimum(6)


@remembered
def leaky_relu(x: ArrayLike, /, *, alpha: float = 0.2) -> Tensor:
    """Return x where x is positive, and alpha * x elsewhere.

    Args:
        x: Tensor of any shape and a floating dtype.
        alpha: Slope for negative x; default 0.2 as in TensorFlow.js (PyTorch has 0.01).

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is not floating.

    >>> import py_tensor as pt
    >>> pt.nn.leaky_relu(pt.asarray([-2.0, 3.0]), alpha=0.5).tolist()
    [-1.0, 3.0]
    """
    t = floating("leaky_relu", x)
    return F.where(t > 0, t, t * operand_of("leaky_relu", alpha))


@remembered
def prelu(x: ArrayLike, alpha: ArrayLike, /) -> Tensor:
    """Return x where x is positive, and alpha * x elsewhere, for a tensor `alpha`.

    Source: He et al. 2015, arXiv:1502.01852.

    Args:
        x: Tensor of any shape and a floating dtype.
        alpha: Slopes; a floating tensor that broadcasts with `x`. One slope per channel has shape
            (channels,).

    Returns:
        Tensor of the broadcast shape and the promoted dtype.

    Raises:
        DTypeError: If an operand is not floating.
        ShapeError: If the shapes do not broadcast.

    >>> import py_tensor as pt
    >>> pt.nn.prelu(pt.asarray([[-2.0, -2.0]]), pt.asarray([0.5, 0.25])).tolist()
    [[-1.0, -0.5]]
    """
    t = floating("prelu", x)
    return F.where(t > 0, t, t * floating("prelu", alpha))


def rrelu(
    x: ArrayLike, /, *, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = True
) -> Tensor:
    """Return x where x is positive, and a * x elsewhere, with a random slope a.

    Source: Xu et al. 2015, arXiv:1505.00853.

    Args:
        x: Tensor of any shape and a floating dtype.
        lower: Lower limit of the slopes; default 1 / 8.
        upper: Upper limit of the slopes; default 1 / 3.
        training: Draw a slope per element from `pt.random`; if False, use the mean of the limits.
            Default True.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        ArgumentError: If `lower` is above `upper`.
        DTypeError: If `x` is not floating.

    >>> import py_tensor as pt
    >>> pt.nn.rrelu(pt.asarray([-2.0, 3.0]), lower=0.25, upper=0.75, training=False).tolist()
    [-1.0, 3.0]
    """
    t = floating("rrelu", x)
    lower, upper = number("rrelu", "lower", lower), number("rrelu", "upper", upper)
    if lower > upper:
        raise ArgumentError(
            f"rrelu: lower must not exceed upper; got {lower} and {upper}; swap them"
        )
    if not flag("rrelu", "training", training):
        return F.where(t > 0, t, t * ((lower + upper) / 2))
    return F.where(t > 0, t, t * random.uniform(t.shape, low=lower, high=upper, dtype=t.dtype))


@remembered
def elu(x: ArrayLike, /, *, alpha: float = 1.0) -> Tensor:
    """Return x where x is positive, and alpha * (exp(x) - 1) elsewhere.

    Source: Clevert et al. 2015, arXiv:1511.07289.

    Args:
        x: Tensor of any shape and a floating dtype.
        alpha: Minus the limit for large negative x; default 1.0.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is not floating.

    >>> import py_tensor as pt
    >>> pt.nn.elu(pt.asarray([-float("inf"), 0.0, 2.0])).tolist()
    [-1.0, 0.0, 2.0]
    """
    return _elu(floating("elu", x), operand_of("elu", alpha), 1.0)


def _elu(x: Tensor, alpha: float, width: float) -> Tensor:
    # The branch not selected must stay finite: an infinite derivative times 0 would be NaN.
    low = x.minimum(0.0)
    return F.where(x > 0, x, (low if width == 1.0 else low * (1.0 / width)).expm1() * alpha)


@remembered
def selu(x: ArrayLike, /) -> Tensor:
    """Compute 1.0507 * elu(x, alpha=1.6733), which keeps mean 0 and variance 1.

    Source: Klambauer et al. 2017, arXiv:1706.02515, which gives all digits of both constants.

    Args:
        x: Tensor of any shape and a floating dtype.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is not floating.

    >>> import py_tensor as pt
    >>> pt.nn.selu(pt.asarray([0.0, 1.0])).tolist()
    [0.0, 1.0507010221481323]
    """
    return _elu(floating("selu", x), _SELU_ALPHA, 1.0) * _SELU_SCALE


@remembered
def celu(x: ArrayLike, /, *, alpha: float = 1.0) -> Tensor:
    """Return x where x is positive, and alpha * (exp(x / alpha) - 1) elsewhere.

    Source: Barron 2017, arXiv:1704.07483.

    Args:
        x: Tensor of any shape and a floating dtype.
        alpha: Minus the limit for large negative x, not 0; default 1.0.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        ArgumentError: If `alpha` is 0.
        DTypeError: If `x` is not floating.

    >>> import py_tensor as pt
    >>> pt.nn.celu(pt.asarray([-float("inf"), 2.0]), alpha=0.5).tolist()
    [-0.5, 2.0]
    """
    t = floating("celu", x)
    alpha = number("celu", "alpha", alpha)
    if alpha == 0:
        raise ArgumentError("celu: alpha must not be zero; got 0; use another value, or relu")
    return _elu(t, alpha, alpha)


@remembered
def gelu(x: ArrayLike, /, *, approximate: bool = False) -> Tensor:
    """Compute x * P(X <= x) for a standard normal X: x / 2 * (1 + erf(x / sqrt(2))).

    Source: Hendrycks and Gimpel 2016, arXiv:1606.08415.

    Args:
        x: Tensor of any shape and a floating dtype.
        approximate: Compute x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) instead;
            default False.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is not floating.

    >>> import py_tensor as pt
    >>> pt.nn.gelu(pt.asarray([0.0, 20.0])).tolist()
    [0.0, 20.0]
    """
    t = floating("gelu", x)
    if flag("gelu", "approximate", approximate):
        # 1 + tanh(u) = 2 * sigmoid(2 * u), which does not cancel for negative u.
        return t * ((t + 0.044715 * t * t * t) * (2 * math.sqrt(2 / math.pi))).sigmoid()
    return t * 0.5 * ((t * math.sqrt(0.5)).erf() + 1.0)


@remembered
def silu(x: ArrayLike, /) -> Tensor:
    """Compute x * sigmoid(x); also called swish.

    Args:
        x: Tensor of any shape and a floating dtype.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is not floating.

    >>> import py_tensor as pt
    >>> pt.nn.silu(pt.asarray([0.0, 100.0])).tolist()
    [0.0, 100.0]
    """
    t = floating("silu", x)
    return t * t.sigmoid()


swish = silu


@remembered
def mish(x: ArrayLike, /) -> Tensor:
    """Compute x * tanh(softplus(x)).

    Source: Misra 2019, arXiv:1908.08681.

    Args:
        x: Tensor of any shape and a floating dtype.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is not floating.

    >>> import py_tensor as pt
    >>> pt.nn.mish(pt.asarray([0.0, 20.0])).tolist()
    [0.0, 20.0]
    """
    t = floating("mish", x)
    return t * t.logaddexp(0.0).tanh()


@remembered
def softplus(x: ArrayLike, /) -> Tensor:
    """Compute log(1 + exp(x)) without overflow.

    Args:
        x: Tensor of any shape and a floating dtype.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is not floating.

    >>> import py_tensor as pt
    >>> pt.nn.softplus(pt.asarray([-float("inf"), 100.0])).tolist()
    [0.0, 100.0]
    """
    return floating("softplus", x).logaddexp(0.0)


@remembered
def softsign(x: ArrayLike, /) -> Tensor:
    """Compute x / (1 + abs(x)).

    Args:
        x: Tensor of any shape and a floating dtype.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is not floating.

    >>> import py_tensor as pt
    >>> pt.nn.softsign(pt.asarray([-1.0, 3.0])).tolist()
    [-0.5, 0.75]
    """
    t = floating("softsign", x)
    return t / (t.abs() + 1.0)


@remembered
def log_sigmoid(x: ArrayLike, /) -> Tensor:
    """Compute log(1 / (1 + exp(-x))) without overflow.

    Args:
        x: Tensor of any shape and a floating dtype.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is not floating.

    >>> import py_tensor as pt
    >>> pt.nn.log_sigmoid(pt.asarray([-100.0, -200.0])).tolist()
    [-100.0, -200.0]
    """
    return -(-floating("log_sigmoid", x)).logaddexp(0.0)


@remembered
def hard_tanh(x: ArrayLike, /, *, low: float = -1.0, high: float = 1.0) -> Tensor:
    """Clip x to the range from `low` to `high`; NaN stays NaN.

    Args:
        x: Tensor of any shape and a floating dtype.
        low: Lower limit; default -1.0.
        high: Upper limit; default 1.0.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is not floating.

    >>> import py_tensor as pt
    >>> pt.nn.hard_tanh(pt.asarray([-3.0, 0.5, 3.0])).tolist()
    [-1.0, 0.5, 1.0]
    """
    return floating("hard_tanh", x).clip(low, high)


@remembered
def hard_sigmoid(x: ArrayLike, /) -> Tensor:
    """Compute relu6(x + 3) / 6.

    This is the function of PyTorch and Keras 3. TensorFlow.js clips 0.2 * x + 0.5 to 0 .. 1
    instead.

    Args:
        x: Tensor of any shape and a floating dtype.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is not floating.

    >>> import py_tensor as pt
    >>> pt.nn.hard_sigmoid(pt.asarray([-4.0, 0.0, 4.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    return (floating("hard_sigmoid", x) + 3.0).clip(0.0, 6.0) * (1 / 6)


@remembered
def hard_swish(x: ArrayLike, /) -> Tensor:
    """Compute x * relu6(x + 3) / 6.

    Source: Howard et al. 2019, arXiv:1905.02244.

    Args:
        x: Tensor of any shape and a floating dtype.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is not floating.

    >>> import py_tensor as pt
    >>> pt.nn.hard_swish(pt.asarray([0.0, 1.5, 4.0])).tolist()
    [0.0, 1.125, 4.0]
    """
    t = floating("hard_swish", x)
    return t * ((t + 3.0).clip(0.0, 6.0) * (1 / 6))


@remembered
def tanh_shrink(x: ArrayLike, /) -> Tensor:
    """Compute x - tanh(x).

    Args:
        x: Tensor of any shape and a floating dtype.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is not floating.

    >>> import py_tensor as pt
    >>> pt.nn.tanh_shrink(pt.asarray([0.0, 100.0])).tolist()
    [0.0, 99.0]
    """
    t = floating("tanh_shrink", x)
    return t - t.tanh()


@remembered
def soft_shrink(x: ArrayLike, /, *, threshold: float = 0.5) -> Tensor:
    """Move x towards 0 by `threshold`; return 0 where x would cross 0.

    NaN stays NaN.

    Args:
        x: Tensor of any shape and a floating dtype.
        threshold: Distance, 0 or more; default 0.5.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is not floating.

    >>> import py_tensor as pt
    >>> pt.nn.soft_shrink(pt.asarray([-2.0, 0.25, 2.0])).tolist()
    [-1.5, 0.0, 1.5]
    """
    t = floating("soft_shrink", x)
    threshold = number("soft_shrink", "threshold", threshold)
    return t - t.clip(-threshold, threshold)


@remembered
def hard_shrink(x: ArrayLike, /, *, threshold: float = 0.5) -> Tensor:
    """Return x where abs(x) is above `threshold`, and 0 elsewhere; NaN stays NaN.

    Args:
        x: Tensor of any shape and a floating dtype.
        threshold: Largest magnitude that becomes 0; default 0.5.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is not floating.

    >>> import py_tensor as pt
    >>> pt.nn.hard_shrink(pt.asarray([-2.0, 0.25, 2.0])).tolist()
    [-2.0, 0.0, 2.0]
    """
    t = floating("hard_shrink", x)
    return F.where(t.abs() <= operand_of("hard_shrink", threshold), 0.0, t)


@remembered
def threshold(x: ArrayLike, limit: float, value: float, /) -> Tensor:
    """Return x where x is above `limit`, and `value` elsewhere; NaN stays NaN.

    Args:
        x: Tensor of any shape and a floating dtype.
        limit: Number to compare with.
        value: Number for elements up to the limit.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is not floating.

    >>> import py_tensor as pt
    >>> pt.nn.threshold(pt.asarray([1.0, 3.0]), 2.0, -1.0).tolist()
    [-1.0, 3.0]
    """
    t = floating("threshold", x)
    below = t <= operand_of("threshold", limit)
    return F.where(below, number("threshold", "value", value), t)


@remembered
def step(x: ArrayLike, /, *, alpha: float = 0.0) -> Tensor:
    """Return 1 where x is positive, and `alpha` elsewhere; NaN stays NaN.

    Formula: tf.step of TensorFlow.js.

    Args:
        x: Tensor of any shape and a floating dtype.
        alpha: Number for elements up to 0; default 0.0.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If `x` is not floating.

    >>> import py_tensor as pt
    >>> pt.nn.step(pt.asarray([-2.0, 0.0, 2.0])).tolist()
    [0.0, 0.0, 1.0]
    """
    t = floating("step", x)
    one_or_alpha = F.where(t > 0, 1.0, number("step", "alpha", alpha)).astype(t.dtype, copy=False)
    return F.where(t.isnan(), t, one_or_alpha)


@remembered
def glu(x: ArrayLike, /, *, axis: int = -1) -> Tensor:
    """Compute a * sigmoid(b), where a and b are the halves of x along an axis.

    Source: Dauphin et al. 2016, arXiv:1612.08083.

    Args:
        x: Tensor of any shape and a floating dtype.
        axis: Axis of even length to halve; default -1.

    Returns:
        Tensor of the dtype of `x`, half as long along the axis.

    Raises:
        DTypeError: If `x` is not floating.
        ShapeError: If the axis does not exist or its length is odd.

    >>> import py_tensor as pt
    >>> pt.nn.glu(pt.asarray([4.0, 6.0, 0.0, 0.0])).tolist()
    [2.0, 3.0]
    """
    t = floating("glu", x)
    along = one_axis("glu", axis, t.ndim)
    length = t.shape[along]
    if length % 2:
        raise ShapeError(
            f"glu: axis must have an even length; got length {length} of axis {along} of shape "
            f"{t.shape}; use an even length"
        )
    before = (slice(None),) * along
    a, b = t[(*before, slice(None, length // 2))], t[(*before, slice(length // 2, None))]
    return a * b.sigmoid()
