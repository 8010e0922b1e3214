"""Student's t distribution with df degrees of freedom under the names of `jax.scipy.stats.t`.

>>> import py_tensor as pt
>>> round(pt.scipy.stats.t.pdf(pt.asarray(0.0), 1.0).item(), 4)
0.3183
"""

from __future__ import annotations

import math

from ...functions.elementwise import exp, log, log1p
from ...tensor import Tensor, as_tensor
from ...typing import ArrayLike
from ..special import gammaln

__all__ = ["logpdf", "pdf"]


def logpdf(x: ArrayLike, df: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the logarithm of the density."""
    x, df, loc, scale = (as_tensor("t", part) for part in (x, df, loc, scale))
    z = (x - loc) / scale
    constant = gammaln(0.5 * (df + 1.0)) - gammaln(0.5 * df) - 0.5 * log(math.pi * df)
    return constant - log(scale) - 0.5 * (df + 1.0) * log1p(z * z / df)


def pdf(x: ArrayLike, df: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the density."""
    return exp(logpdf(x, df, loc, scale))
