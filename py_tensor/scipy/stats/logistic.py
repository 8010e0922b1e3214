"""Logistic distribution under the names of `jax.scipy.stats.logistic`.

>>> import py_tensor as pt
>>> pt.scipy.stats.logistic.pdf(pt.asarray(0.0)).item()
0.25
"""

from __future__ import annotations

from ...functions.elementwise import abs, exp, log, log1p, sigmoid
from ...tensor import Tensor, as_tensor
from ...typing import ArrayLike

__all__ = ["cdf", "logpdf", "pdf"]


def logpdf(x: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the logarithm of the density."""
    x, loc, scale = (as_tensor("logistic", part) for part in (x, loc, scale))
    z = (x - loc) / scale
    return -abs(z) - 2.0 * log1p(exp(-abs(z))) - log(scale)


def pdf(x: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the density."""
    return exp(logpdf(x, loc, scale))


def cdf(x: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the probability of values up to x."""
    x, loc, scale = (as_tensor("logistic", part) for part in (x, loc, scale))
    return sigmoid((x - loc) / scale)
