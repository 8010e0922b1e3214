"""pt.linalg.eig and eigvals against NumPy in float64, computed by NumPy and in Python."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_raises, assert_spec
from matrices import (
    EPSILON,
    adjoint,
    assert_close,
    assert_same_values,
    double,
    random,
    size_of,
)

import py_tensor as pt
from py_tensor.errors import ShapeError, TraceError
from py_tensor.linalg import eigen, schur

ROUNDING = 2 * EPSILON
"""Rounding of the results to float32, relative to the matrix; earlier steps are in double."""


@pytest.fixture(autouse=True, params=["numpy", "python"])
def library(request, monkeypatch):
    if request.param == "python":
        monkeypatch.setattr(eigen, "imported", lambda name: None)
    return request.param


def assert_eigenpairs(a, values, vectors):
    """Check A v = v w for vectors of length 1 whose largest element is real.

    Several elements may be the largest, up to rounding.
    """
    assert values.dtype == vectors.dtype == "complex64"
    product = double(vectors) * values[..., None, :]
    assert_close(double(a) @ vectors, product, size_of(a), ROUNDING)
    lengths = np.linalg.norm(double(vectors), axis=-2)
    assert_close(lengths, np.ones(lengths.shape), 1.0, ROUNDING)
    sizes = np.abs(vectors)
    largest = sizes >= (1 - ROUNDING) * sizes.max(axis=-2, keepdims=True)
    assert ((vectors.imag == 0) & largest).any(axis=-2).all()


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (2, 3, 5, 5), (33, 33)], ids=str)
def test_random_matrices(rng, shape, dtype):
    a = random(rng, *shape, dtype=dtype)
    values, vectors = (part.numpy() for part in pt.linalg.eig(pt.asarray(a)))
    assert (values.shape, vectors.shape) == (shape[:-1], shape)
    assert_eigenpairs(a, values, vectors)
    assert_same_values(values, np.linalg.eigvals(double(a)), size_of(a)[..., 0], ROUNDING)
    np.testing.assert_array_equal(pt.linalg.eigvals(pt.asarray(a)).numpy(), values)


def test_inverse_iteration_is_used_for_separate_eigenvalues_only(rng, library, monkeypatch):
    """Repeated eigenvalues of a symmetric matrix have independent vectors."""
    root = np.linalg.qr(double(random(rng, 12, 12)))[0]
    calls = []
    inverse_iteration = schur._of_hessenberg
    monkeypatch.setattr(
        schur, "_of_hessenberg", lambda *args: calls.append(args) or inverse_iteration(*args)
    )
    for values, count in ((np.arange(12.0), 12), (np.arange(12.0) // 3, 0)):
        a = root @ np.diag(values) @ root.T
        calls.clear()
        eigenvalues, rows = map(np.array, eigen._pairs_of(a.tolist()))
        assert len(calls) == (count if library == "python" else 0)
        assert np.linalg.cond(rows) < 100
        assert_close(a @ rows.T, rows.T * eigenvalues, 12.0, 1e-12)


def test_real_matrices_have_conjugate_pairs(rng):
    values, vectors = (part.numpy() for part in pt.linalg.eig(pt.asarray(random(rng, 20, 7, 7))))
    assert (values.imag == 0).any() and (values.imag != 0).any()
    for one, columns in zip(values, vectors, strict=True):
        (upper,) = np.nonzero(one.imag > 0)
        np.testing.assert_array_equal(one[upper + 1], one[upper].conj())
        np.testing.assert_array_equal(columns[:, upper + 1], columns[:, upper].conj())
        assert (columns[:, one.imag == 0].imag == 0).all()


def _special(rng):
    """Make matrices with zero, equal or widely scaled values during the iteration."""
    n = 8
    a = random(rng, n, n)
    graded = a * 10.0 ** -np.arange(n)
    cycle = np.roll(np.eye(n), 1, axis=0)
    two = np.zeros((n, n))
    two[:3, :3], two[3:, 3:] = a[:3, :3], a[3:, 3:]
    return {
        "zero": np.zeros((n, n)),
        "identity": np.eye(n),
        "ones": np.ones((n, n)),
        "symmetric": a + a.T,
        "skew": a - a.T,
        "cycle": cycle,
        "imaginary cycle": cycle * 1j,
        "complex diagonal": np.diag(np.arange(n) * (1 - 2j)),
        "blocks": two,
        "small": a * 1e-30,
        "large": a * 1e30,
        "graded": graded,
        "graded downwards": graded.T,
        "companion": np.diag(np.ones(n - 1), -1) + np.pad(a[:, :1], ((0, 0), (n - 1, 0))),
    }


def test_special_matrices(rng):
    special = _special(rng)
    for name, a in special.items():
        a = a.astype("complex64" if a.dtype.kind == "c" else "float32")
        values, vectors = (part.numpy() for part in pt.linalg.eig(pt.asarray(a)))
        assert_eigenpairs(a, values, vectors)
        expected = np.linalg.eigvals(double(a))
        assert_same_values(values, expected, size_of(a)[..., 0], ROUNDING)
        if not name.startswith(("ones", "zero", "identity")):
            assert np.linalg.cond(vectors) < 1e6, name


def test_triangular_matrices_return_their_diagonal(rng):
    """Include matrices whose eigenvalues are sensitive to rounding of other elements."""
    for dtype in ("float32", "complex64"):
        a = np.triu(random(rng, 24, 24, dtype=dtype))
        order = rng.permutation(24)
        for triangle in (a, a.T, a[order][:, order]):
            values, vectors = (part.numpy() for part in pt.linalg.eig(pt.asarray(triangle)))
            assert_eigenpairs(triangle, values, vectors)
            np.testing.assert_array_equal(np.sort(values), np.sort(np.diagonal(a)))


def test_badly_scaled_matrices_are_balanced():
    a = np.float32([[1.0, 1e20], [1e-20, 1.0]])
    values, vectors = (part.numpy() for part in pt.linalg.eig(pt.asarray(a)))
    assert_same_values(values, np.array([0.0, 2.0]), 1.0, ROUNDING)
    assert_eigenpairs(a, values, vectors)


@pytest.mark.parametrize("n", [2, 5, 40])
def test_defective_matrices_repeat_their_eigenvector(n):
    jordan = (3 * np.eye(n) + np.eye(n, k=1)).astype("float32")
    for a, largest in ((jordan, 0), (jordan.T, n - 1)):
        values, vectors = (part.numpy() for part in pt.linalg.eig(pt.asarray(a)))
        np.testing.assert_array_equal(values, np.full(n, 3.0))
        assert_eigenpairs(a, values, vectors)
        assert_close(np.abs(vectors[largest]), np.ones(n), 1.0, ROUNDING)


def test_rotated_defective_matrices(rng):
    root = np.linalg.qr(double(random(rng, 5, 5)))[0]
    a = (root @ (3 * np.eye(5) + np.eye(5, k=1)) @ root.T).astype("float32")
    values, vectors = (part.numpy() for part in pt.linalg.eig(pt.asarray(a)))
    assert_eigenpairs(a, values, vectors)
    # The fifth root of float32's rounding of the matrix.
    assert_close(values, np.full(5, 3.0), 1.0, EPSILON**0.2)


def test_non_finite_matrices_give_nan(rng):
    a = random(rng, 3, 4, 4)
    a[0, 1, 2], a[2, 0, 0] = np.nan, np.inf
    for part in (*pt.linalg.eig(pt.asarray(a)), pt.linalg.eigvals(pt.asarray(a))):
        got = part.numpy()
        assert np.isnan(got[[0, 2]]).all()
        assert np.isfinite(got[1]).all()


def test_eigenvalues_beyond_float32_are_infinite():
    values = pt.linalg.eigvals(pt.full((2, 2), 3e38)).tolist()
    assert any(abs(value) == np.inf for value in values)


def test_empty_matrices():
    for shape in ((0, 0), (0, 3, 3), (2, 0, 0)):
        values, vectors = pt.linalg.eig(pt.zeros(shape))
        assert_spec(values, shape[:-1], "complex64")
        assert_spec(vectors, shape, "complex64")
        assert_spec(pt.linalg.eigvals(pt.zeros(shape)), shape[:-1], "complex64")


def test_halves(rng):
    a = random(rng, 4, 4).astype("float16")
    values, vectors = (part.numpy() for part in pt.linalg.eig(pt.asarray(a)))
    assert_eigenpairs(a.astype("float32"), values, vectors)


def test_hermitian_matrices_have_orthonormal_vectors(rng):
    a = random(rng, 6, 6, dtype="complex64")
    a = a + adjoint(a)
    values, vectors = (part.numpy() for part in pt.linalg.eig(pt.asarray(a)))
    assert_close(values.imag, np.zeros(6), size_of(a)[0], ROUNDING)
    assert_close(adjoint(double(vectors)) @ vectors, np.eye(6), 1.0, 6 * ROUNDING)


def test_traced_values_are_unknown():
    with pytest.raises(TraceError, match="got eigvals of float32"):
        pt.jit(pt.linalg.eigvals)(pt.eye(2))


@pytest.mark.parametrize("name", ["eig", "eigvals"])
def test_wrong_operands(name):
    function = getattr(pt.linalg, name)
    assert_raises(
        ShapeError,
        f"{name}: matrices must be square; got shape (2, 3); make the last two axes equally long",
        lambda: function(pt.ones((2, 3))),
    )
