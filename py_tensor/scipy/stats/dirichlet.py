"""Dirichlet distribution under the names of `jax.scipy.stats.dirichlet`.

The first axis of x has the shares.

>>> import py_tensor as pt
>>> pt.scipy.stats.dirichlet.pdf(pt.asarray([0.5, 0.5]), pt.ones(2)).item()
1.0
"""

from __future__ import annotations

from ...functions.elementwise import exp
from ...functions.manipulation import reshape
from ...functions.statistical import sum
from ...tensor import Tensor, as_tensor
from ...typing import ArrayLike
from ..special import gammaln, xlogy

__all__ = ["logpdf", "pdf"]


def logpdf(x: ArrayLike, alpha: ArrayLike) -> Tensor:
    """Return the logarithm of the density."""
    x, alpha = as_tensor("dirichlet", x), as_tensor("dirichlet", alpha)
    weights = reshape(alpha, (-1, *(1,) * (x.ndim - 1)))
    constant = gammaln(sum(alpha)) - sum(gammaln(alpha))
    return constant + sum(xlogy(weights - 1.0, x), axis=0)


def pdf(x: ArrayLike, alpha: ArrayLike) -> Tensor:
    """Return the density."""
    return exp(logpdf(x, alpha))
