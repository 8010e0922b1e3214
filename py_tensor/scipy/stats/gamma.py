"""Gamma distribution with the shape a under the names of `jax.scipy.stats.gamma`.

>>> import py_tensor as pt
>>> pt.scipy.stats.gamma.pdf(pt.asarray(0.0), 1.0).item()
1.0
"""

from __future__ import annotations

import math

from ...functions.elementwise import exp, less, log, where
from ...tensor import Tensor, as_tensor
from ...typing import ArrayLike
from ..special import gammaln, xlogy

__all__ = ["logpdf", "pdf"]


def logpdf(x: ArrayLike, a: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the logarithm of the density."""
    x, a, loc, scale = (as_tensor("gamma", part) for part in (x, a, loc, scale))
    z = (x - loc) / scale
    inside = where(less(z, 0.0), 1.0, z)
    density = xlogy(a - 1.0, inside) - inside - gammaln(a) - log(scale)
    return where(less(z, 0.0), -math.inf, density)


def pdf(x: ArrayLike, a: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the density."""
    return exp(logpdf(x, a, loc, scale))
