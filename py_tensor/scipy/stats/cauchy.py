"""Cauchy distribution under the names of `jax.scipy.stats.cauchy`.

>>> import py_tensor as pt
>>> round(pt.scipy.stats.cauchy.pdf(pt.asarray(0.0)).item(), 4)
0.3183
"""

from __future__ import annotations

import math

from ...functions.elementwise import atan, exp, log, log1p
from ...tensor import Tensor, as_tensor
from ...typing import ArrayLike

__all__ = ["cdf", "logpdf", "pdf"]


def logpdf(x: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the logarithm of the density."""
    x, loc, scale = (as_tensor("cauchy", part) for part in (x, loc, scale))
    z = (x - loc) / scale
    return -log1p(z * z) - log(math.pi * scale)


def pdf(x: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the density."""
    return exp(logpdf(x, loc, scale))


def cdf(x: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the probability of values up to x."""
    x, loc, scale = (as_tensor("cauchy", part) for part in (x, loc, scale))
    return 0.5 + atan((x - loc) / scale) / math.pi
