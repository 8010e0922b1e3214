"""Special functions under the names of `jax.scipy.special`."""

from __future__ import annotations

import math
from typing import Any

from ..functions import statistical
from ..functions.arguments import some_axes
from ..functions.elementwise import (
    abs,
    betainc,
    digamma,
    equal,
    erf,
    erfc,
    erfinv,
    exp,
    floor,
    i0,
    isfinite,
    less,
    less_equal,
    lgamma as gammaln,
    log,
    log1p,
    logical_and,
    sigmoid as expit,
    sign,
    where,
)
from ..functions.manipulation import squeeze
from ..functions.neural import softmax
from ..tensor import Tensor, as_tensor
from ..transforms.autodiff import stop_gradient
from ..typing import ArrayLike, Axis

__all__ = [
    "beta",
    "betainc",
    "betaln",
    "comb",
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfinv",
    "expit",
    "factorial",
    "gamma",
    "gammaln",
    "gammasgn",
    "i0",
    "i0e",
    "kl_div",
    "log_ndtr",
    "log_softmax",
    "logit",
    "logsumexp",
    "multigammaln",
    "ndtr",
    "ndtri",
    "psi",
    "rel_entr",
    "softmax",
    "xlog1py",
    "xlogy",
]

psi = digamma


def logsumexp(
    a: ArrayLike,
    axis: Axis = None,
    b: ArrayLike | None = None,
    keepdims: bool = False,
    return_sign: bool = False,
) -> Any:
    """Return log(sum(b * exp(a))), without overflow.

    Args:
        a: Exponents.
        axis: Axis or axes to sum over; None (default) for all.
        b: Factors; None (default) for 1.
        keepdims: If True, axes of length 1 remain; False by default.
        return_sign: If True, the pair (log of the absolute sum, sign of the sum) is returned; False
            by default, where a negative sum gives NaN.

    >>> import py_tensor as pt
    >>> round(pt.scipy.special.logsumexp(pt.asarray([1000.0, 1000.0])).item() - 1000, 3)
    0.693
    """
    x = as_tensor("logsumexp", a)
    if x.dtype.kind in "biu":
        x = x.astype("float32")
    factor = 1.0 if b is None else as_tensor("logsumexp", b)
    used = x if b is None else where(equal(factor, 0.0), -math.inf, x)
    top = stop_gradient(statistical.max(used, axis=axis, keepdims=True))
    top = where(isfinite(top), top, 0.0)
    total = statistical.sum(factor * exp(used - top), axis=axis, keepdims=True)
    result = log(abs(total) if return_sign else total) + top
    sign_of = sign(total)
    if not keepdims:
        axes = tuple(some_axes("logsumexp", axis, result.ndim))
        result, sign_of = squeeze(result, axis=axes), squeeze(sign_of, axis=axes)
    return (result, sign_of) if return_sign else result


def log_softmax(x: ArrayLike, axis: Axis = None) -> Tensor:
    """Return the logarithms of `softmax`.

    >>> import py_tensor as pt
    >>> pt.scipy.special.log_softmax(pt.asarray([0.0, 200.0])).tolist()
    [-200.0, 0.0]
    """
    x = as_tensor("log_softmax", x)
    difference: Tensor = x - logsumexp(x, axis=axis, keepdims=True)
    return difference


def xlogy(x: ArrayLike, y: ArrayLike) -> Tensor:
    """Return x * log(y), and 0 if x is 0.

    >>> import py_tensor as pt
    >>> pt.scipy.special.xlogy(0.0, pt.asarray(0.0)).item()
    0.0
    """
    x, y = as_tensor("xlogy", x), as_tensor("xlogy", y)
    none = equal(x, 0.0)
    return where(none, 0.0, x * log(where(none, 1.0, y)))


def xlog1py(x: ArrayLike, y: ArrayLike) -> Tensor:
    """Return x * log(1 + y), and 0 if x is 0.

    >>> import py_tensor as pt
    >>> pt.scipy.special.xlog1py(0.0, pt.asarray(-1.0)).item()
    0.0
    """
    x, y = as_tensor("xlog1py", x), as_tensor("xlog1py", y)
    none = equal(x, 0.0)
    return where(none, 0.0, x * log1p(where(none, 0.0, y)))


def entr(x: ArrayLike) -> Tensor:
    """Return -x * log(x), and minus infinity for negative numbers.

    >>> import py_tensor as pt
    >>> pt.scipy.special.entr(pt.asarray([0.5, -1.0])).tolist()
    [0.3465735912322998, -inf]
    """
    x = as_tensor("entr", x)
    negative = less(x, 0.0)
    return where(negative, -math.inf, -xlogy(where(negative, 0.0, x), where(negative, 1.0, x)))


def rel_entr(p: ArrayLike, q: ArrayLike) -> Tensor:
    """Return p * log(p / q), and 0 if p is 0; infinity if p is negative or q is not positive.

    >>> import py_tensor as pt
    >>> pt.scipy.special.rel_entr(pt.asarray([0.0, 1.0]), pt.asarray([0.5, 1.0])).tolist()
    [0.0, 0.0]
    """
    p, q = as_tensor("rel_entr", p), as_tensor("rel_entr", q)
    both = logical_and(less(0.0, p), less(0.0, q))
    part = where(both, p, 1.0) * (log(where(both, p, 1.0)) - log(where(both, q, 1.0)))
    zero = logical_and(equal(p, 0.0), less_equal(0.0, q))
    return where(both, part, where(zero, 0.0, math.inf))


def kl_div(p: ArrayLike, q: ArrayLike) -> Tensor:
    """Return p * log(p / q) - p + q, see `rel_entr`.

    >>> import py_tensor as pt
    >>> pt.scipy.special.kl_div(pt.asarray(1.0), 1.0).item()
    0.0
    """
    return rel_entr(p, q) - p + as_tensor("kl_div", q)


def logit(x: ArrayLike) -> Tensor:
    """Return log(x / (1 - x)), the inverse of `expit`.

    >>> import py_tensor as pt
    >>> pt.scipy.special.logit(pt.asarray(0.5)).item()
    0.0
    """
    x = as_tensor("logit", x)
    return log(x) - log1p(-x)


def gammasgn(x: ArrayLike) -> Tensor:
    """Return the sign of the gamma function.

    >>> import py_tensor as pt
    >>> pt.scipy.special.gammasgn(pt.asarray([-0.5, -1.5, 2.0])).tolist()
    [-1.0, 1.0, 1.0]
    """
    x = as_tensor("gammasgn", x)
    return where(less(x, 0.0), 1.0 - 2.0 * ((-floor(x)) % 2.0), 1.0)


def gamma(x: ArrayLike) -> Tensor:
    """Return the gamma function.

    >>> import py_tensor as pt
    >>> round(pt.scipy.special.gamma(pt.asarray(5.0)).item(), 3)
    24.0
    """
    return gammasgn(x) * exp(gammaln(as_tensor("gamma", x)))


def factorial(n: ArrayLike, exact: bool = False) -> Tensor:
    """Return n!, as a floating number; `exact` must be False.

    >>> import py_tensor as pt
    >>> round(pt.scipy.special.factorial(pt.asarray(4)).item(), 3)
    24.0
    """
    n = as_tensor("factorial", n).astype("float32")
    return where(less(n, 0.0), 0.0, exp(gammaln(n + 1.0)))


def comb(n: ArrayLike, k: ArrayLike) -> Tensor:
    """Return the number of ways to choose k of n things, as a floating number.

    >>> import py_tensor as pt
    >>> round(pt.scipy.special.comb(pt.asarray(5), 2).item(), 3)
    10.0
    """
    n, k = as_tensor("comb", n).astype("float32"), as_tensor("comb", k).astype("float32")
    return exp(gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0))


def betaln(a: ArrayLike, b: ArrayLike) -> Tensor:
    """Return the logarithm of the beta function.

    >>> import py_tensor as pt
    >>> pt.scipy.special.betaln(pt.asarray(1.0), 1.0).item()
    0.0
    """
    a, b = as_tensor("betaln", a), as_tensor("betaln", b)
    return gammaln(a) + gammaln(b) - gammaln(a + b)


def beta(a: ArrayLike, b: ArrayLike) -> Tensor:
    """Return the beta function.

    >>> import py_tensor as pt
    >>> pt.scipy.special.beta(pt.asarray(1.0), 1.0).item()
    1.0
    """
    a, b = as_tensor("beta", a), as_tensor("beta", b)
    return gammasgn(a) * gammasgn(b) * gammasgn(a + b) * exp(betaln(a, b))


def multigammaln(a: ArrayLike, d: int) -> Tensor:
    """Return the logarithm of the multivariate gamma function of dimension d.

    >>> import py_tensor as pt
    >>> round(pt.scipy.special.multigammaln(pt.asarray(2.0), 1).item(), 4)
    0.0
    """
    a = as_tensor("multigammaln", a)
    parts = [gammaln(a - 0.5 * at) for at in range(d)]
    total: Tensor = sum(parts[1:], parts[0]) + d * (d - 1) / 4 * math.log(math.pi)
    return total


def i0e(x: ArrayLike) -> Tensor:
    """Return exp(-abs(x)) * i0(x), for numbers up to about 80.

    >>> import py_tensor as pt
    >>> pt.scipy.special.i0e(pt.asarray(0.0)).item()
    1.0
    """
    x = as_tensor("i0e", x)
    return exp(-abs(x)) * i0(x)


def ndtr(x: ArrayLike) -> Tensor:
    """Return the share of a standard normal distribution below x.

    >>> import py_tensor as pt
    >>> pt.scipy.special.ndtr(pt.asarray(0.0)).item()
    0.5
    """
    return 0.5 * erfc(-as_tensor("ndtr", x) / math.sqrt(2.0))


def ndtri(p: ArrayLike) -> Tensor:
    """Return the inverse of `ndtr`.

    >>> import py_tensor as pt
    >>> pt.scipy.special.ndtri(pt.asarray(0.5)).item()
    0.0
    """
    return math.sqrt(2.0) * erfinv(2.0 * as_tensor("ndtri", p) - 1.0)


def log_ndtr(x: ArrayLike) -> Tensor:
    """Return the logarithm of `ndtr`, also for very negative numbers.

    >>> import py_tensor as pt
    >>> round(pt.scipy.special.log_ndtr(pt.asarray(-20.0)).item(), 2)
    -203.92
    """
    x = as_tensor("log_ndtr", x)
    low = less(x, -5.0)
    far = where(low, x, -5.0)
    # The first terms of the asymptotic series.
    inverse = 1.0 / (far * far)
    series = log1p(inverse * (-1.0 + inverse * (3.0 + inverse * (-15.0 + inverse * 105.0))))
    tail = -0.5 * far * far - log(-far) - 0.5 * math.log(2 * math.pi) + series
    near = where(low, 0.0, x)
    return where(low, tail, where(less(near, 0.0), log(ndtr(near)), log1p(-ndtr(-near))))
