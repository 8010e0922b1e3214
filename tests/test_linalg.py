"""pt.linalg against NumPy in float64: systems, determinants, decompositions."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_spec, assert_values
from matrices import (
    EPSILON,
    assert_close,
    assert_orthonormal,
    bound,
    random,
    size_of,
    turned,
    with_values,
)

import py_tensor as pt

SHAPES = [(1, 1), (2, 3, 5, 5), (16, 16)]
OBLONG = [(2, 7, 3), (3, 6)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_systems(rng, shape):
    a, b = random(rng, *shape), random(rng, *shape[:-1], 3)
    condition = np.linalg.cond(a.astype("float64"))[..., None, None]
    expected = np.linalg.solve(a.astype("float64"), b)
    # The forward error grows with the condition (Higham, 9.3), and is relative to the solution.
    size = condition * np.abs(expected).max(axis=(-2, -1), keepdims=True)
    assert_close(pt.linalg.solve(pt.asarray(a), pt.asarray(b)).numpy(), expected, size, bound(a))
    inverse = np.linalg.inv(a.astype("float64"))
    size = condition * size_of(inverse)
    assert_close(pt.linalg.inv(pt.asarray(a)).numpy(), inverse, size, bound(a))
    determinant = np.linalg.det(a.astype("float64"))
    size = condition[..., 0, 0] * np.abs(determinant)
    assert_close(pt.linalg.det(pt.asarray(a)).numpy(), determinant, size, bound(a))
    sign, logarithm = pt.linalg.slogdet(pt.asarray(a))
    assert_values(sign, np.sign(determinant).astype("float32"))
    expected = np.log(np.abs(determinant))
    size = np.maximum(condition[..., 0, 0], np.abs(expected))
    assert_close(logarithm.numpy(), expected, size, bound(a))


def test_right_hand_sides_broadcast(rng):
    a, matrices = random(rng, 4, 4), random(rng, 2, 1, 4, 4)
    vector, sides = random(rng, 4), random(rng, 3, 4, 2)
    for left in (a, matrices):
        for right in (vector, sides, sides[0]):
            got = pt.linalg.solve(pt.asarray(left), pt.asarray(right)).numpy()
            expected = np.linalg.solve(left.astype("float64"), right)
            size = np.linalg.cond(left).max() * np.abs(expected).max()
            assert_close(got, expected, size, bound(a))


def test_pivots_are_chosen():
    a = pt.asarray([[0.0, 1.0, 0.0], [1e-9, 0.0, 3.0], [2.0, 0.0, 0.0]])
    expected = np.linalg.inv(a.numpy().astype("float64"))
    assert_values(pt.linalg.inv(a), expected.astype("float32"), rtol=1e-6, atol=1e-9)
    assert pt.linalg.det(a).item() == 6.0


def test_singular_matrices_have_no_inverse():
    a = pt.asarray([[[1.0, 2.0], [2.0, 4.0]], [[2.0, 0.0], [0.0, 4.0]]])
    assert_values(pt.linalg.inv(a), np.asarray([[[np.nan] * 2] * 2, [[0.5, 0], [0, 0.25]]], "f4"))
    assert pt.linalg.det(a).tolist() == [0.0, 8.0]
    sign, logarithm = pt.linalg.slogdet(a)
    assert sign.tolist() == [0.0, 1.0]
    assert logarithm.tolist()[0] == -np.inf


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_cholesky(rng, shape):
    root = random(rng, *shape)
    a = root @ turned(root) + np.eye(shape[-1], dtype="f4")
    lower, upper = (pt.linalg.cholesky(pt.asarray(a), upper=up).numpy() for up in (False, True))
    assert_close(lower.astype("float64") @ turned(lower), a, size_of(a), bound(a))
    assert_values(pt.asarray(upper), turned(lower))
    assert_values(pt.tril(pt.asarray(lower)), lower)


def test_matrices_that_are_not_positive_definite_have_no_cholesky_factor():
    a = [[[1.0, 2.0], [2.0, 1.0]], [[0.0, 0.0], [0.0, 1.0]], [[4.0, 0.0], [0.0, 9.0]]]
    factors = pt.linalg.cholesky(pt.asarray(a)).numpy()
    assert np.isnan(factors[:2]).all()
    np.testing.assert_array_equal(factors[2], [[2, 0], [0, 3]])


@pytest.mark.parametrize("mode", ["reduced", "complete"])
@pytest.mark.parametrize("shape", [*SHAPES, *OBLONG], ids=str)
def test_qr(rng, shape, mode):
    a = random(rng, *shape)
    q, r = (part.numpy() for part in pt.linalg.qr(pt.asarray(a), mode=mode))
    expected_q, expected_r = np.linalg.qr(a.astype("float64"), mode=mode)
    assert q.shape == expected_q.shape
    assert_orthonormal(q)
    assert_close(q.astype("float64") @ r, a, size_of(a), bound(a))
    k = min(shape[-2:])
    conditions = np.linalg.cond(a[..., :k].astype("float64"))[..., None, None]
    assert_close(r, expected_r, size_of(a) * conditions, bound(a))
    np.testing.assert_array_equal(np.tril(r, -1), 0.0)


def test_qr_of_columns_that_are_zero_or_equal(rng):
    a = random(rng, 5, 4)
    a[:, 1] = 0.0
    a[:, 3] = a[:, 0]
    q, r = (part.numpy() for part in pt.linalg.qr(pt.asarray(a)))
    assert_orthonormal(q)
    assert_close(q.astype("float64") @ r, a, size_of(a), bound(a))


def _symmetric(rng):
    """Matrices whose eigenvalues are equal, of many sizes, large, or zero."""
    halves = np.where(np.arange(8) < 4, -1.0, 2.0)
    special = [
        with_values(rng, halves),
        with_values(rng, halves + 1e-5 * np.arange(8)),
        with_values(rng, 10.0 ** -np.arange(8)),
        with_values(rng, np.arange(8) * 1e15),
        with_values(rng, np.arange(8) * 1e-15),
        np.zeros((8, 8)),
        np.ones((8, 8)),
        np.diag([3.0, -1.0, 2.0, 0.0, 0.0, 1.0, 5.0, -7.0]),
    ]
    return [np.stack(special).astype("float32"), random(rng, 2, 3, 5, 5), random(rng, 1, 1)]


def test_eigh(rng):
    for root in _symmetric(rng):
        a = (root + turned(root)) / 2
        values, vectors = (part.numpy() for part in pt.linalg.eigh(pt.asarray(a)))
        expected = np.linalg.eigvalsh(a.astype("float64"))
        size = size_of(a)
        assert_close(values, expected, size[..., 0], bound(a))
        assert (np.diff(values) >= 0).all()
        assert_orthonormal(vectors)
        product = a.astype("float64") @ vectors
        assert_close(product, vectors * values[..., None, :].astype("float64"), size, bound(a))
        assert_values(pt.linalg.eigvalsh(pt.asarray(a)), values)


@pytest.mark.parametrize("full", [False, True])
def test_svd(rng, full):
    ranks = np.stack([with_values(rng, [5.0, 3.0, 0.0], 7), random(rng, 3, 7)])
    for a in (*_symmetric(rng), ranks, turned(ranks)):
        u, s, vh = (part.numpy() for part in pt.linalg.svd(pt.asarray(a), full_matrices=full))
        expected = np.linalg.svd(a.astype("float64"), full_matrices=full)
        size = size_of(a)
        assert (u.shape, vh.shape) == (expected[0].shape, expected[2].shape)
        assert_close(s, expected[1], size[..., 0], bound(a))
        assert (np.diff(s) <= 0).all()
        assert (s >= 0).all()
        assert_orthonormal(u)
        assert_orthonormal(turned(vh))
        k = s.shape[-1]
        product = (u[..., :k] * s[..., None, :].astype("float64")) @ vh[..., :k, :]
        assert_close(product, a, size, bound(a))
        assert_close(pt.linalg.svdvals(pt.asarray(a)).numpy(), expected[1], size[..., 0], bound(a))


def test_small_singular_values_keep_their_digits(rng):
    values = 10.0 ** -np.arange(6)
    a = np.pad(np.diag(values).astype("float32")[::-1], (0, 2))
    got = pt.linalg.svdvals(pt.asarray(np.stack([a] * 8)))[0, :6]
    assert_values(got, values.astype("float32"), rtol=4 * EPSILON)


def test_nan_goes_through(rng):
    a = random(rng, 2, 4, 4)
    a[0, 1, 2] = np.nan
    for function in (pt.linalg.inv, pt.linalg.eigvalsh, pt.linalg.svdvals, pt.linalg.det):
        got = function(pt.asarray(a)).numpy()
        assert np.isnan(got[0]).any(), function
        assert np.isfinite(got[1]).all(), function


def test_empty_matrices():
    none, batch = pt.zeros((0, 0)), pt.zeros((0, 3, 3))
    assert pt.linalg.det(none).item() == 1.0
    assert [part.item() for part in pt.linalg.slogdet(none)] == [1.0, 0.0]
    for function in (pt.linalg.inv, pt.linalg.cholesky):
        assert_spec(function(none), (0, 0), "float32")
        assert_spec(function(batch), (0, 3, 3), "float32")
    assert_spec(pt.linalg.det(batch), (0,), "float32")
    assert_spec(pt.linalg.eigvalsh(none), (0,), "float32")
    assert_spec(pt.linalg.eigh(batch).eigenvectors, (0, 3, 3), "float32")
    assert_spec(pt.linalg.solve(none, pt.zeros((0, 2))), (0, 2), "float32")
    assert_spec(pt.linalg.pinv(pt.zeros((3, 0))), (0, 3), "float32")
    assert pt.linalg.matrix_rank(pt.zeros((3, 0))).item() == 0
    q, r = pt.linalg.qr(pt.zeros((3, 0)), mode="complete")
    assert_values(q, np.eye(3, dtype="f4"))
    assert_spec(r, (3, 0), "float32")
    u, s, vh = pt.linalg.svd(pt.zeros((0, 2)))
    assert_spec(u, (0, 0), "float32")
    assert_spec(s, (0,), "float32")
    assert_values(vh, np.eye(2, dtype="f4"))


def test_halves_are_computed_in_float32(rng):
    a = random(rng, 4, 4).astype("float16")
    expected = np.linalg.inv(a.astype("float64"))
    got = pt.linalg.inv(pt.asarray(a))
    assert_spec(got, (4, 4), "float16")
    size = np.abs(expected).max() * np.maximum(1.0, np.linalg.cond(a.astype("f8")) * 2.0**-12)
    assert_close(got.numpy(), expected, size, 2.0**-11)
    for part in (*pt.linalg.svd(pt.asarray(a)), *pt.linalg.eigh(pt.asarray(a))):
        assert part.dtype is pt.float16
