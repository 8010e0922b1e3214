"""Gradients of pt.linalg against central differences of NumPy's functions in float64."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from graphs import numeric_gradient
from helpers import assert_raises
from matrices import random, turned

import py_tensor as pt
from py_tensor.errors import GradientError

SHAPE = (2, 4, 4)

NP = SimpleNamespace(
    **{name: getattr(np.linalg, name) for name in ("cholesky", "det", "inv", "pinv", "solve")},
    eigh=np.linalg.eigh,
    eigvalsh=np.linalg.eigvalsh,
    matrix_norm=lambda x, ord: np.linalg.norm(x, ord, axis=(-2, -1)),
    matrix_power=np.linalg.matrix_power,
    qr=np.linalg.qr,
    slogdet=np.linalg.slogdet,
    svd=np.linalg.svd,
    svdvals=lambda x: np.linalg.svd(x, compute_uv=False),
    sum=np.sum,
    mT=turned,
    lstsq=lambda a, b: SimpleNamespace(x=np.linalg.pinv(a) @ b),
)
PT = SimpleNamespace(
    **{name: getattr(pt.linalg, name) for name in pt.linalg.__all__},
    sum=pt.sum,
    mT=pt.matrix_transpose,
)


def _mean(xp, x):
    return (x + xp.mT(x)) * 0.5


def _positive(xp, x):
    return x @ xp.mT(x) + 1.0


def _decomposed(xp, x, decomposition, c):
    """Of vectors whose signs are not defined the squares, and the values."""
    *vectors, values = decomposition(x)
    total = xp.sum(values * c[..., 0, : values.shape[-1]])
    for part in vectors:
        rows, columns = part.shape[-2:]
        total = total + xp.sum(part * part * c[..., :rows, :columns])
    return total


def _eigh(xp, x, c):
    values, vectors = xp.eigh(_mean(xp, x))
    return _decomposed(xp, x, lambda x: (vectors, values), c)


def _svd(xp, x, c):
    u, s, vh = xp.svd(x, full_matrices=False)
    return _decomposed(xp, x, lambda x: (u, xp.mT(vh), s), c)


def _qr(xp, x, c):
    q, r = xp.qr(x)
    k, n = r.shape[-2:]
    return xp.sum(q * c[..., : x.shape[-2], :k]) + xp.sum(r * c[..., :k, :n])


def _slogdet(xp, x, c):
    return xp.sum(xp.slogdet(x)[1] * c[..., 0, 0])


CASES = {
    "cholesky": (lambda xp, x, c: xp.sum(xp.cholesky(_positive(xp, x)) * c), SHAPE),
    "det": (lambda xp, x, c: xp.sum(xp.det(x) * c[..., 0, 0]), SHAPE),
    "eigh": (_eigh, SHAPE),
    "eigvalsh": (lambda xp, x, c: xp.sum(xp.eigvalsh(_mean(xp, x)) * c[..., 0, :4]), SHAPE),
    "inv": (lambda xp, x, c: xp.sum(xp.inv(x) * c), SHAPE),
    "matrix_norm": (lambda xp, x, c: xp.sum(xp.matrix_norm(x, ord=2) * c[..., 0, 0]), SHAPE),
    "matrix_power": (lambda xp, x, c: xp.sum(xp.matrix_power(x, -3) * c), SHAPE),
    "pinv of tall": (lambda xp, x, c: xp.sum(xp.pinv(x) * c[..., :2, :4]), (2, 4, 2)),
    "pinv of wide": (lambda xp, x, c: xp.sum(xp.pinv(x) * c[..., :4, :2]), (2, 2, 4)),
    "qr": (_qr, SHAPE),
    "qr of tall": (_qr, (2, 4, 2)),
    "qr of wide": (_qr, (2, 2, 4)),
    "slogdet": (_slogdet, SHAPE),
    "solve by matrix": (lambda xp, x, c: xp.sum(xp.solve(x, c) * c), SHAPE),
    "solve by right": (lambda xp, x, c: xp.sum(xp.solve(c, x) * c), SHAPE),
    "svd": (_svd, SHAPE),
    "svd of tall": (_svd, (2, 4, 2)),
    "svd of wide": (_svd, (2, 2, 4)),
    "svdvals": (lambda xp, x, c: xp.sum(xp.svdvals(x) * c[..., 0, :4]), SHAPE),
    "lstsq": (lambda xp, x, c: xp.sum(xp.lstsq(x, c).x * c[..., :2, :4]), (2, 4, 2)),
}


@pytest.mark.parametrize("case", CASES)
def test_gradients_are_those_of_differences(case):
    function, shape = CASES[case]
    # Chosen such that conditions and gaps between values stay below some ten.
    rng = np.random.default_rng(5)
    x, c = random(rng, *shape), random(rng, *SHAPE)
    x = x + 2 * np.eye(*shape[-2:], dtype="float32")
    c = c + 2 * np.eye(4, dtype="float32")
    expected = numeric_gradient(lambda x: function(NP, x, c.astype("float64")), x)
    got = pt.grad(lambda x: function(PT, x, pt.asarray(c)))(pt.asarray(x)).numpy()
    # Rounding, and a few hundred of it by what the values divide by.
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


def test_equal_eigenvalues_have_gradients():
    got = pt.grad(lambda x: pt.sum(pt.linalg.eigvalsh(x) ** 2))(pt.eye(3))
    np.testing.assert_allclose(got.numpy(), 2 * np.eye(3), atol=1e-6)


def test_the_complete_qr_has_no_gradient():
    def total(x):
        return pt.sum(pt.linalg.qr(x, mode="complete").Q)

    assert_raises(
        GradientError,
        "qr: the complete decomposition has no gradient; got a matrix of shape (3, 2); "
        'use mode="reduced"',
        lambda: pt.grad(total)(pt.ones((3, 2))),
    )
