"""Poisson distribution with the mean mu under the names of `jax.scipy.stats.poisson`.

>>> import py_tensor as pt
>>> round(pt.scipy.stats.poisson.pmf(pt.asarray(0), 1.0).item(), 4)
0.3679
"""

from __future__ import annotations

import math

from ...functions.elementwise import exp, floor, less, logical_or, not_equal, where
from ...tensor import Tensor, as_tensor
from ...typing import ArrayLike
from ..special import gammaln, xlogy

__all__ = ["logpmf", "pmf"]


def logpmf(k: ArrayLike, mu: ArrayLike, loc: ArrayLike = 0) -> Tensor:
    """Return the logarithm of the probability."""
    k = as_tensor("poisson", k).astype("float32") - loc
    mu = as_tensor("poisson", mu)
    outside = logical_or(less(k, 0.0), not_equal(k, floor(k)))
    chance = xlogy(k, mu) - gammaln(k + 1.0) - mu
    return where(outside, -math.inf, chance)


def pmf(k: ArrayLike, mu: ArrayLike, loc: ArrayLike = 0) -> Tensor:
    """Return the probability."""
    return exp(logpmf(k, mu, loc))
