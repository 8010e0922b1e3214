"""Uniform distribution from `loc` to `loc + scale` under the names of `jax.scipy.stats.uniform`.

>>> import py_tensor as pt
>>> pt.scipy.stats.uniform.pdf(pt.asarray([0.5, 2.0])).tolist()
[1.0, 0.0]
"""

from __future__ import annotations

import math

from ...functions.elementwise import exp, greater_equal, less_equal, log, logical_and, where
from ...tensor import Tensor, as_tensor
from ...typing import ArrayLike

__all__ = ["logpdf", "pdf"]


def logpdf(x: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the logarithm of the density."""
    x, loc, scale = (as_tensor("uniform", part) for part in (x, loc, scale))
    z = (x - loc) / scale
    return where(logical_and(greater_equal(z, 0.0), less_equal(z, 1.0)), -log(scale), -math.inf)


def pdf(x: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Tensor:
    """Return the density."""
    return exp(logpdf(x, loc, scale))
