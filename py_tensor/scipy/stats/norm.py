"""Normal distribution under the names of `jax.scipy.stats.norm`.

`loc` is the mean and `scale` the standard deviation.

>>> import py_tensor as pt
>>> pt.scipy.stats.norm.cdf(pt.asarray(1.0), loc=1.0).item()
0.5
"""

from __future__ import annotations

import math

from ...functions.elementwise import exp, log
from ...tensor import Tensor, as_tensor
from ...typing import ArrayLike
from .. import special

__all__ = ["cdf", "isf", "logcdf", "logpdf", "logsf", "pdf", "ppf", "sf"]


def _standard(x: ArrayLike, loc: ArrayLike, scale: ArrayLike) -> Tensor:
    return (as_tensor("norm", x) - as_tensor("norm", loc)) / as_tensor("norm", scale)


def logpdf(x: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the logarithm of the density."""
    z = _standard(x, loc, scale)
    return -0.5 * (z * z + math.log(2 * math.pi)) - log(as_tensor("norm", scale))


def pdf(x: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the density."""
    return exp(logpdf(x, loc, scale))


def cdf(x: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the probability of values up to x."""
    return special.ndtr(_standard(x, loc, scale))


def logcdf(x: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the logarithm of the probability of values up to x."""
    return special.log_ndtr(_standard(x, loc, scale))


def sf(x: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the probability of values above x."""
    return special.ndtr(-_standard(x, loc, scale))


def logsf(x: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the logarithm of the probability of values above x."""
    return special.log_ndtr(-_standard(x, loc, scale))


def ppf(q: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the value up to which the probability is q."""
    return special.ndtri(q) * as_tensor("norm", scale) + as_tensor("norm", loc)


def isf(q: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the value above which the probability is q."""
    return ppf(1.0 - as_tensor("norm", q), loc, scale)
