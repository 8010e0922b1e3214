"""Beta distribution with the shapes a and b under the names of `jax.scipy.stats.beta`.

>>> import py_tensor as pt
>>> pt.scipy.stats.beta.pdf(pt.asarray(0.3), 1.0, 1.0).item()
1.0
"""

from __future__ import annotations

import math

from ...functions.elementwise import exp, less, log, logical_or, where
from ...tensor import Tensor, as_tensor
from ...typing import ArrayLike
from ..special import betaln, xlog1py, xlogy

__all__ = ["logpdf", "pdf"]


def logpdf(
    x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0
) -> Tensor:
    """Return the logarithm of the density."""
    x, a, b, loc, scale = (as_tensor("beta", part) for part in (x, a, b, loc, scale))
    z = (x - loc) / scale
    outside = logical_or(less(z, 0.0), less(1.0, z))
    z = where(outside, 0.5, z)
    density = xlogy(a - 1.0, z) + xlog1py(b - 1.0, -z) - betaln(a, b) - log(scale)
    return where(outside, -math.inf, density)


def pdf(
    x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0
) -> Tensor:
    """Return the density."""
    return exp(logpdf(x, a, b, loc, scale))
