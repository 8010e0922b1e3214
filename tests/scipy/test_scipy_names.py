"""Functions under the names of `jax.scipy` return what JAX's return."""

from __future__ import annotations

from importlib import import_module

import jax
import numpy as np
import pytest

import py_tensor as pt
from py_tensor import errors
from py_tensor.scipy.sparse.linalg import cg

RANDOM = np.random.default_rng(0)


def sample(*shape):
    return RANDOM.standard_normal(shape).astype("float32")


X, POSITIVE = sample(20), np.abs(sample(20)) + np.float32(0.1)
SHARES = RANDOM.random(20).astype("float32")
A, COLUMNS, VECTOR = sample(4, 4), sample(4, 2), sample(4)
POSITIVE_DEFINITE = (A @ A.T + 4 * np.eye(4)).astype("float32")
PLACES = [np.float32([-1.2, 0.3, 2.7, 4.9]), np.float32([0, 1.1, 5.5, 3])]
GAMMA_SIDES = np.float32([-0.5, -1.5, -2.5, 0.5, 3, 4.2])
DENSITIES = [
    *((f"stats.{name}", (X, 0.1, 1.5)) for name in ("uniform", "expon", "laplace", "logistic")),
    ("stats.cauchy", (X, 0.1, 1.5)),
    ("stats.norm", (X, 0.5, 2.0)),
    ("stats.gamma", (X, POSITIVE, 0.1, 2.0)),
    ("stats.beta", (SHARES, POSITIVE, 2.0)),
    ("stats.t", (X, POSITIVE, 0.1, 2.0)),
    ("stats.chi2", (POSITIVE, POSITIVE)),
    ("stats.dirichlet", (np.float32([0.2, 0.3, 0.5]), np.float32([1, 2, 3]))),
    ("stats.multivariate_normal", (sample(5, 4), sample(4), POSITIVE_DEFINITE)),
    ("stats.multivariate_normal", (sample(4), sample(4), POSITIVE_DEFINITE)),
]
CHANCES = [
    ("stats.poisson", (np.arange(5), 2.5)),
    ("stats.bernoulli", (np.arange(-1, 3), 0.3)),
    ("stats.binom", (np.arange(-1, 7), 5, 0.3)),
]
CALLS = [
    *((place, name, args, {}) for place, args in DENSITIES for name in ("logpdf", "pdf")),
    *((place, name, args, {}) for place, args in CHANCES for name in ("logpmf", "pmf")),
    *(("stats.norm", name, (X * 5, 0.5, 2.0), {}) for name in ("cdf", "logcdf", "sf", "logsf")),
    ("stats.norm", "ppf", (SHARES, 1.0, 2.0), {}),
    ("stats.norm", "isf", (SHARES, 1.0, 2.0), {}),
    ("stats.logistic", "cdf", (X, 0.1, 2.0), {}),
    ("stats.cauchy", "cdf", (X, 0.1, 2.0), {}),
    ("special", "logsumexp", (sample(3, 4), 1), {}),
    ("special", "logsumexp", (sample(3, 4), (0, 1)), {"keepdims": True}),
    ("special", "logsumexp", (VECTOR,), {"b": sample(4), "return_sign": True}),
    ("special", "logsumexp", (np.float32([-np.inf, -np.inf]),), {}),
    ("special", "logsumexp", (np.float32([np.inf, 1]),), {}),
    *(("special", name, (POSITIVE,), {}) for name in ("expit", "gammaln", "i0e", "ndtr")),
    *(("special", name, (GAMMA_SIDES,), {}) for name in ("gamma", "gammaln", "gammasgn")),
    *(("special", name, (SHARES,), {}) for name in ("logit", "ndtri", "entr")),
    ("special", "log_ndtr", (np.float32([-30, -10, -6, -5.1, -4.9, -3, 0, 2, 6]),), {}),
    ("special", "xlogy", (np.float32([0, 1, 2]), np.float32([0, 2, 3])), {}),
    ("special", "xlog1py", (np.float32([0, 1, 2]), np.float32([-1, 2, 3])), {}),
    ("special", "rel_entr", (np.float32([0, 1, 2, -1]), np.float32([0, 1, 3, 1])), {}),
    ("special", "kl_div", (POSITIVE, SHARES), {}),
    ("special", "betaln", (POSITIVE, SHARES + 1), {}),
    ("special", "beta", (POSITIVE, SHARES + 1), {}),
    ("special", "multigammaln", (POSITIVE + 3, 3), {}),
    ("special", "factorial", (np.arange(6),), {}),
    ("special", "comb", (np.float32(5), np.float32(2)), {}),
    ("special", "log_softmax", (sample(3, 4),), {"axis": -1}),
    ("linalg", "cholesky", (POSITIVE_DEFINITE,), {}),
    ("linalg", "cholesky", (POSITIVE_DEFINITE,), {"lower": True}),
    *(
        ("linalg", "solve_triangular", (POSITIVE_DEFINITE, COLUMNS, trans, lower, unit), {})
        for trans in (0, 1, 2, "T")
        for lower in (True, False)
        for unit in (True, False)
    ),
    ("linalg", "solve", (POSITIVE_DEFINITE, VECTOR), {}),
    ("linalg", "expm", (A,), {}),
    ("linalg", "expm", (A * 2,), {}),
    ("linalg", "block_diag", (A, COLUMNS), {}),
    ("linalg", "toeplitz", (VECTOR, sample(3)), {}),
    ("linalg", "eigh", (POSITIVE_DEFINITE,), {"eigvals_only": True}),
    ("linalg", "svd", (A,), {"compute_uv": False}),
    *(
        call
        for mode in ("full", "same", "valid")
        for call in (
            ("signal", "convolve", (sample(8), sample(3), mode), {}),
            ("signal", "convolve", (sample(3), sample(8), mode), {}),
            ("signal", "convolve", (sample(5, 6, 7), sample(3, 2, 2), mode), {}),
            ("signal", "convolve2d", (sample(8, 7), sample(3, 2), mode), {}),
            ("signal", "correlate", (sample(8), sample(3), mode), {}),
            ("signal", "correlate2d", (sample(8, 7), sample(3, 4), mode), {}),
        )
    ),
    *(
        ("ndimage", "map_coordinates", (sample(5, 6), PLACES, order, mode), {})
        for order in (0, 1)
        for mode in ("constant", "nearest", "wrap")
    ),
    ("integrate", "trapezoid", (X,), {}),
]


@pytest.mark.parametrize(("place", "name", "args", "options"), CALLS)
def test_values_are_those_of_jax(place, name, args, options):
    theirs = getattr(import_module(f"jax.scipy.{place}"), name)(*args, **options)
    ours = getattr(import_module(f"py_tensor.scipy.{place}"), name)(*args, **options)
    for got, expected in zip(pt.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        assert got.shape == expected.shape
        # Gamma functions are exp of their logarithms, and triangular systems are eliminated.
        np.testing.assert_allclose(got.numpy(), expected, rtol=2e-4, atol=2e-4)


def test_a_factor_solves_systems():
    for lower in (True, False):
        factor = pt.scipy.linalg.cho_factor(POSITIVE_DEFINITE, lower)
        x = pt.scipy.linalg.cho_solve(factor, VECTOR)
        expected = np.linalg.solve(POSITIVE_DEFINITE, VECTOR)
        np.testing.assert_allclose(x.numpy(), expected, rtol=1e-3, atol=1e-5)


def squared(a, b):
    return pt.sum(cg(a, b)[0] ** 2)


def test_conjugate_gradients_solve_systems():
    expected = np.linalg.solve(POSITIVE_DEFINITE, VECTOR)
    x, none = cg(POSITIVE_DEFINITE, pt.asarray(VECTOR))
    assert none is None
    np.testing.assert_allclose(x.numpy(), expected, rtol=1e-3, atol=1e-5)
    matrix = pt.asarray(POSITIVE_DEFINITE)
    tree, _ = cg(lambda v: {"x": matrix @ v["x"]}, {"x": pt.asarray(VECTOR)}, x0={"x": x})
    np.testing.assert_allclose(tree["x"].numpy(), expected, rtol=1e-3, atol=1e-5)


def test_conjugate_gradients_work_in_transformations():
    matrix, b = pt.asarray(POSITIVE_DEFINITE), pt.asarray(VECTOR)
    expected = (np.linalg.solve(POSITIVE_DEFINITE, VECTOR) ** 2).sum()
    np.testing.assert_allclose(pt.jit(squared)(matrix, b).item(), expected, rtol=1e-3)
    both = pt.vmap(squared, (None, 0))(matrix, pt.stack([b, 2 * b]))
    np.testing.assert_allclose(both.numpy(), [expected, 4 * expected], rtol=1e-3)


def test_gradients_of_solutions():
    def solved(a, b):
        return jax.numpy.sum(jax.numpy.linalg.solve(a, b) ** 2)

    matrix, b = pt.asarray(POSITIVE_DEFINITE), pt.asarray(VECTOR)
    expected = jax.grad(solved, (0, 1))(POSITIVE_DEFINITE, VECTOR)
    for ours, theirs in zip(pt.grad(squared, (0, 1))(matrix, b), expected, strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-3, atol=1e-5)


def test_wrong_arguments_raise():
    with pytest.raises(errors.ArgumentError, match="trans does not exist"):
        pt.scipy.linalg.solve_triangular(A, VECTOR, trans="X")
    with pytest.raises(errors.ArgumentError, match="generalized problems"):
        pt.scipy.linalg.eigh(A, A)
    with pytest.raises(errors.ArgumentError, match="mode does not exist"):
        pt.scipy.linalg.qr(A, mode="raw")
    with pytest.raises(errors.ArgumentError, match="mode does not exist"):
        pt.scipy.signal.convolve(X, X, "half")
    with pytest.raises(errors.ShapeError, match="axes do not fit"):
        pt.scipy.signal.convolve(X, A)
    with pytest.raises(errors.ArgumentError, match="boundary is not supported"):
        pt.scipy.signal.convolve2d(A, A, boundary="wrap")
    with pytest.raises(errors.ArgumentError, match="boundary is not supported"):
        pt.scipy.signal.correlate2d(A, A, boundary="wrap")
    with pytest.raises(errors.ArgumentError, match="not supported"):
        pt.scipy.ndimage.map_coordinates(A, [X, X], 3)
