"""Binomial distribution of n trials under the names of `jax.scipy.stats.binom`.

There are `n` trials with the probability `p`.

>>> import py_tensor as pt
>>> round(pt.scipy.stats.binom.pmf(pt.asarray(1), 2, 0.5).item(), 4)
0.5
"""

from __future__ import annotations

import math

from ...functions.elementwise import exp, less, logical_or, where
from ...tensor import Tensor, as_tensor
from ...typing import ArrayLike
from ..special import gammaln, xlog1py, xlogy

__all__ = ["logpmf", "pmf"]


def logpmf(k: ArrayLike, n: ArrayLike, p: ArrayLike, loc: ArrayLike = 0) -> Tensor:
    """Return the logarithm of the probability."""
    k = as_tensor("binom", k).astype("float32") - loc
    n, p = as_tensor("binom", n).astype("float32"), as_tensor("binom", p)
    outside = logical_or(less(k, 0.0), less(n, k))
    ways = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    return where(outside, -math.inf, ways + xlogy(k, p) + xlog1py(n - k, -p))


def pmf(k: ArrayLike, n: ArrayLike, p: ArrayLike, loc: ArrayLike = 0) -> Tensor:
    """Return the probability."""
    return exp(logpmf(k, n, p, loc))
