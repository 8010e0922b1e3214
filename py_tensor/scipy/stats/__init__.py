"""Distributions under the names of `jax.scipy.stats`.

>>> import py_tensor as pt
>>> round(pt.scipy.stats.norm.logpdf(pt.asarray(0.0)).item(), 4)
-0.9189
"""

from . import (
    bernoulli as bernoulli,
    beta as beta,
    binom as binom,
    cauchy as cauchy,
    chi2 as chi2,
    dirichlet as dirichlet,
    expon as expon,
    gamma as gamma,
    laplace as laplace,
    logistic as logistic,
    multivariate_normal as multivariate_normal,
    norm as norm,
    poisson as poisson,
    t as t,
    uniform as uniform,
)

__all__ = [
    "bernoulli",
    "beta",
    "binom",
    "cauchy",
    "chi2",
    "dirichlet",
    "expon",
    "gamma",
    "laplace",
    "logistic",
    "multivariate_normal",
    "norm",
    "poisson",
    "t",
    "uniform",
]
