"""Exponential distribution under the names of `jax.scipy.stats.expon`.

>>> import py_tensor as pt
>>> pt.scipy.stats.expon.pdf(pt.asarray([0.0, -1.0])).tolist()
[1.0, 0.0]
"""

from __future__ import annotations

import math

from ...functions.elementwise import exp, less, log, where
from ...tensor import Tensor, as_tensor
from ...typing import ArrayLike

__all__ = ["logpdf", "pdf"]


def logpdf(x: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the logarithm of the density."""
    x, loc, scale = (as_tensor("expon", part) for part in (x, loc, scale))
    z = (x - loc) / scale
    return where(less(z, 0.0), -math.inf, -z - log(scale))


def pdf(x: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the density."""
    return exp(logpdf(x, loc, scale))
