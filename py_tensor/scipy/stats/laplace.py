"""Laplace distribution under the names of `jax.scipy.stats.laplace`.

>>> import py_tensor as pt
>>> pt.scipy.stats.laplace.pdf(pt.asarray(0.0)).item()
0.5
"""

from __future__ import annotations

from ...functions.elementwise import abs, exp, log
from ...tensor import Tensor, as_tensor
from ...typing import ArrayLike

__all__ = ["logpdf", "pdf"]


def logpdf(x: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the logarithm of the density."""
    x, loc, scale = (as_tensor("laplace", part) for part in (x, loc, scale))
    z = (x - loc) / scale
    return -abs(z) - log(2.0 * scale)


def pdf(x: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the density."""
    return exp(logpdf(x, loc, scale))
