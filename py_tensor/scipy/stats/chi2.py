"""Chi-squared distribution with df degrees of freedom under the names of `jax.scipy.stats.chi2`.

>>> import py_tensor as pt
>>> pt.scipy.stats.chi2.pdf(pt.asarray(0.0), 2.0).item()
0.5
"""

from __future__ import annotations

from ...functions.elementwise import exp
from ...tensor import Tensor, as_tensor
from ...typing import ArrayLike
from . import gamma

__all__ = ["logpdf", "pdf"]


def logpdf(x: ArrayLike, df: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the logarithm of the density."""
    half = 0.5 * as_tensor("chi2", df)
    return gamma.logpdf(x, half, loc, 2.0 * as_tensor("chi2", scale))


def pdf(x: ArrayLike, df: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the density."""
    return exp(logpdf(x, df, loc, scale))
