"""Gradients of pt.linalg against central differences of NumPy's functions in float64."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from graphs import numeric_gradient
from helpers import assert_raises
from matrices import adjoint, double, random

import py_tensor as pt
from py_tensor.errors import GradientError

SHAPE = (2, 4, 4)

NP = SimpleNamespace(
    **{name: getattr(np.linalg, name) for name in ("cholesky", "det", "inv", "pinv", "solve")},
    **{name: getattr(np, name) for name in ("abs", "imag", "real", "sum")},
    eig=np.linalg.eig,
    eigh=np.linalg.eigh,
    eigvals=np.linalg.eigvals,
    eigvalsh=np.linalg.eigvalsh,
    lstsq=lambda a, b: SimpleNamespace(x=np.linalg.pinv(a) @ b),
    matrix_norm=lambda x, ord: np.linalg.norm(x, ord, axis=(-2, -1)),
    matrix_power=np.linalg.matrix_power,
    mT=adjoint,
    qr=np.linalg.qr,
    slogdet=np.linalg.slogdet,
    svd=np.linalg.svd,
    svdvals=lambda x: np.linalg.svd(x, compute_uv=False),
)
PT = SimpleNamespace(
    **{name: getattr(pt.linalg, name) for name in pt.linalg.__all__},
    **{name: getattr(pt, name) for name in ("abs", "imag", "real", "sum")},
    mT=lambda x: pt.conj(pt.matrix_transpose(x)),
)


def _dot(xp, x, c):
    """Return a real number that depends on every element of x."""
    rows, columns = x.shape[-2:]
    c = c[..., :rows, :columns]
    return xp.sum(xp.real(x) * xp.real(c)) + xp.sum(xp.imag(x) * xp.imag(c))


def _numbers(xp, x, c):
    """Return a real number that depends on every number and every vector."""
    return _dot(xp, x[..., None, :] if x.ndim > 1 else x[:, None, None], c)


def _mean(xp, x):
    return (x + xp.mT(x)) * 0.5


def _decomposed(xp, vectors, values, c):
    """Return sizes of vectors, whose signs or phases are not defined, and the values."""
    total = _numbers(xp, values, c)
    for part in vectors:
        first = part[..., :1, :]
        total = total + _dot(xp, part * (xp.real(first) - 1j * xp.imag(first)), c)
    return total


def _eigh(xp, x, c):
    values, vectors = xp.eigh(_mean(xp, x))
    return _decomposed(xp, [vectors], values, c)


def _eig(xp, x, c):
    """Sum functions of both members over all pairs, whose order is not defined."""
    values, vectors = xp.eig(x)
    first = vectors[..., :1, :]
    inside = vectors * (xp.real(first) - 1j * xp.imag(first)) * values[..., None, :] ** 2
    return _dot(xp, xp.sum(inside, axis=-1)[..., None], c[..., :1]) + _numbers(
        xp, xp.sum(values**3, axis=-1)[..., None], c
    )


def _svd(xp, x, c):
    u, s, vh = xp.svd(x, full_matrices=False)
    pairs = u[..., :1, :] * vh[..., None, :, 0]
    return _decomposed(xp, [u, xp.mT(vh)], s, c) + _dot(xp, pairs, c)


def _qr(xp, x, c):
    q, r = xp.qr(x)
    return _dot(xp, q, c) + _dot(xp, r, c)


def _slogdet(xp, x, c):
    sign, logarithm = xp.slogdet(x)
    return _numbers(xp, sign, c) + _numbers(xp, logarithm, c)


CASES = {
    "cholesky": (lambda xp, x, c: _dot(xp, xp.cholesky(x @ xp.mT(x) + 1.0), c), SHAPE),
    "det": (lambda xp, x, c: _numbers(xp, xp.det(x), c), SHAPE),
    "eig": (_eig, SHAPE),
    "eigh": (_eigh, SHAPE),
    "eigvals": (
        lambda xp, x, c: _numbers(xp, xp.sum(xp.eigvals(x) ** 3, axis=-1)[..., None], c),
        SHAPE,
    ),
    "eigvalsh": (lambda xp, x, c: _numbers(xp, xp.eigvalsh(_mean(xp, x)), c), SHAPE),
    "inv": (lambda xp, x, c: _dot(xp, xp.inv(x), c), SHAPE),
    "lstsq": (lambda xp, x, c: _dot(xp, xp.lstsq(x, c).x, c), (2, 4, 2)),
    "matrix_norm": (lambda xp, x, c: _numbers(xp, xp.matrix_norm(x, ord=2), c), SHAPE),
    "matrix_power": (lambda xp, x, c: _dot(xp, xp.matrix_power(x, -3), c), SHAPE),
    "pinv of tall": (lambda xp, x, c: _dot(xp, xp.pinv(x), c), (2, 4, 2)),
    "pinv of wide": (lambda xp, x, c: _dot(xp, xp.pinv(x), c), (2, 2, 4)),
    "qr": (_qr, SHAPE),
    "qr of tall": (_qr, (2, 4, 2)),
    "qr of wide": (_qr, (2, 2, 4)),
    "slogdet": (_slogdet, SHAPE),
    "solve by matrix": (lambda xp, x, c: _dot(xp, xp.solve(x, c), c), SHAPE),
    "solve by right": (lambda xp, x, c: _dot(xp, xp.solve(c, x), c), SHAPE),
    "svd": (_svd, SHAPE),
    "svd of tall": (_svd, (2, 4, 2)),
    "svd of wide": (_svd, (2, 2, 4)),
    "svdvals": (lambda xp, x, c: _numbers(xp, xp.svdvals(x), c), SHAPE),
}


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
@pytest.mark.parametrize("case", CASES)
def test_gradients_equal_differences(case, dtype):
    function, shape = CASES[case]
    # Chosen so that conditions and gaps between values stay below about 10.
    rng = np.random.default_rng(5)
    x, c = random(rng, *shape, dtype=dtype), random(rng, *SHAPE, dtype=dtype)
    x = x + 2 * np.eye(*shape[-2:], dtype="float32")
    c = c + 2 * np.eye(4, dtype="float32")
    # The gradient by the real and the imaginary part, as separate numbers.
    parts = np.stack([x.real, x.imag]) if dtype == "complex64" else x[None]
    expected = numeric_gradient(
        lambda parts: function(NP, sum(parts[i] * 1j**i for i in range(len(parts))), double(c)),
        parts,
    )
    got = pt.grad(lambda x: function(PT, x, pt.asarray(c)))(pt.asarray(x)).numpy()
    got = np.stack([got.real, got.imag])[: len(parts)]
    # Rounding, multiplied by a few hundred because of the divisors.
    np.testing.assert_allclose(got, expected, rtol=2e-4, atol=2e-5 * np.abs(expected).max())


def test_second_derivatives():
    x = np.asarray([[3.0, 1.0], [1.0, 2.0]], "float32")

    def slope(x):
        return pt.sum(pt.grad(lambda x: pt.sum(pt.linalg.inv(x)))(x) ** 2)

    def expected(x):
        across = np.linalg.inv(x).T
        return np.sum((across @ np.ones((2, 2)) @ across) ** 2)

    got = pt.grad(slope)(pt.asarray(x)).numpy()
    np.testing.assert_allclose(got, numeric_gradient(expected, x), atol=1e-6)


@pytest.mark.parametrize("name", ["eig", "eigvals"])
def test_second_derivatives_of_eigenvalues(name):
    x = np.asarray([[3.0, 1.0], [-2.0, 2.0]], "float32")

    def values(x):
        result = getattr(pt.linalg, name)(x)
        return result if name == "eigvals" else result.eigenvalues

    def slope(x):
        return pt.sum(pt.grad(lambda x: pt.sum(pt.real(values(x) ** 3)))(x) ** 2)

    # The trace of the cube.
    got = pt.grad(slope)(pt.asarray(x)).numpy()
    expected = numeric_gradient(lambda x: np.sum((3 * x @ x) ** 2), x)
    np.testing.assert_allclose(got, expected, rtol=1e-5)


def test_second_derivatives_of_eigenvectors():
    x = np.asarray([[3.0, 1.0], [-0.5, 1.0]], "float32")

    def total(x):
        vectors = pt.linalg.eig(x).eigenvectors
        return pt.sum(pt.real(pt.abs(vectors) ** 4))

    def slope(x):
        return pt.sum(pt.grad(total)(x) ** 2)

    def reference(x):
        return np.sum(np.abs(np.linalg.eig(x)[1]) ** 4)

    def expected(x):
        return np.sum(numeric_gradient(reference, x) ** 2)

    got = pt.grad(slope)(pt.asarray(x)).numpy()
    np.testing.assert_allclose(got, numeric_gradient(expected, x), rtol=1e-3)


def test_equal_eigenvalues_have_gradients():
    got = pt.grad(lambda x: pt.sum(pt.linalg.eigvalsh(x) ** 2))(pt.eye(3))
    np.testing.assert_allclose(got.numpy(), 2 * np.eye(3), atol=1e-6)


def test_complete_qr_has_no_gradient():
    def total(x):
        return pt.sum(pt.linalg.qr(x, mode="complete").Q)

    assert_raises(
        GradientError,
        "qr: the complete decomposition has no gradient; got a matrix of shape (3, 2); "
        'use mode="reduced"',
        lambda: pt.grad(total)(pt.ones((3, 2))),
    )
