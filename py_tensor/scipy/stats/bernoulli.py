"""Bernoulli distribution under the names of `jax.scipy.stats.bernoulli`.

`p` is the probability of 1.

>>> import py_tensor as pt
>>> pt.scipy.stats.bernoulli.pmf(pt.asarray([0, 1, 2]), 0.5).tolist()
[0.5, 0.5, 0.0]
"""

from __future__ import annotations

import math

from ...functions.elementwise import equal, exp, logical_or, where
from ...tensor import Tensor, as_tensor
from ...typing import ArrayLike
from ..special import xlog1py, xlogy

__all__ = ["logpmf", "pmf"]


def logpmf(k: ArrayLike, p: ArrayLike, loc: ArrayLike = 0) -> Tensor:
    """Return the logarithm of the probability."""
    k = as_tensor("bernoulli", k).astype("float32") - loc
    p = as_tensor("bernoulli", p)
    inside = logical_or(equal(k, 0.0), equal(k, 1.0))
    return where(inside, xlogy(k, p) + xlog1py(1.0 - k, -p), -math.inf)


def pmf(k: ArrayLike, p: ArrayLike, loc: ArrayLike = 0) -> Tensor:
    """Return the probability."""
    return exp(logpmf(k, p, loc))
