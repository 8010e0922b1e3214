"""Normal distribution of vectors under the names of `jax.scipy.stats.multivariate_normal`.

Vectors are along the last axis.

>>> import py_tensor as pt
>>> round(pt.scipy.stats.multivariate_normal.pdf(pt.zeros(2)).item(), 4)
0.1592
"""

from __future__ import annotations

import math

from ...functions.creation import eye
from ...functions.elementwise import exp, log
from ...functions.manipulation import matrix_transpose, reshape
from ...functions.statistical import sum
from ...linalg import diagonal
from ...tensor import Tensor, as_tensor
from ...typing import ArrayLike
from .. import linalg

__all__ = ["logpdf", "pdf"]


def logpdf(x: ArrayLike, mean: ArrayLike = 0.0, cov: ArrayLike = 1.0) -> Tensor:
    """Return the logarithm of the density."""
    x, mean, cov = (as_tensor("multivariate_normal", part) for part in (x, mean, cov))
    if cov.ndim == 0:
        cov = cov * eye(x.shape[-1] if x.ndim else 1)
    apart = x - mean
    if not apart.ndim:
        apart = reshape(apart, (1,))
    factor = linalg.cholesky(cov, lower=True)
    side = reshape(apart, (-1, apart.shape[-1]))
    z = linalg.solve_triangular(factor, matrix_transpose(side), lower=True)
    distance = reshape(sum(z * z, axis=0), apart.shape[:-1])
    scale = sum(log(diagonal(factor)))
    return -0.5 * (distance + apart.shape[-1] * math.log(2 * math.pi)) - scale


def pdf(x: ArrayLike, mean: ArrayLike = 0.0, cov: ArrayLike = 1.0) -> Tensor:
    """Return the density."""
    return exp(logpdf(x, mean, cov))
