"""pt.linalg against NumPy in float64: systems, determinants, decompositions."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from helpers import assert_raises, assert_spec, assert_values
from matrices import (
    EPSILON,
    adjoint,
    assert_close,
    assert_orthonormal,
    bound,
    double,
    random,
    size_of,
    with_values,
)
from plans import leaf, plan_of

import py_tensor as pt
from py_tensor import errors

SHAPES = [(1, 1), (2, 3, 5, 5), (16, 16)]
OBLONG = [(2, 7, 3), (3, 6)]
DTYPES = ["float32", "complex64"]

each_dtype = pytest.mark.parametrize("dtype", DTYPES)


@each_dtype
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_systems(rng, shape, dtype):
    a, b = random(rng, *shape, dtype=dtype), random(rng, *shape[:-1], 3, dtype=dtype)
    condition = np.linalg.cond(double(a))[..., None, None]
    expected = np.linalg.solve(double(a), b)
    # The forward error grows with the condition (Higham, 9.3), and is relative to the solution.
    size = condition * np.abs(expected).max(axis=(-2, -1), keepdims=True)
    assert_close(pt.linalg.solve(pt.asarray(a), pt.asarray(b)).numpy(), expected, size, bound(a))
    inverse = np.linalg.inv(double(a))
    size = condition * size_of(inverse)
    assert_close(pt.linalg.inv(pt.asarray(a)).numpy(), inverse, size, bound(a))
    determinant = np.linalg.det(double(a))
    size = condition[..., 0, 0] * np.abs(determinant)
    assert_close(pt.linalg.det(pt.asarray(a)).numpy(), determinant, size, bound(a))
    sign, logarithm = pt.linalg.slogdet(pt.asarray(a))
    assert_close(sign.numpy(), np.sign(determinant), condition[..., 0, 0], bound(a))
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


def test_partial_pivoting():
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


@each_dtype
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_cholesky(rng, shape, dtype):
    root = random(rng, *shape, dtype=dtype)
    a = root @ adjoint(root) + np.eye(shape[-1], dtype="f4")
    lower, upper = (pt.linalg.cholesky(pt.asarray(a), upper=up).numpy() for up in (False, True))
    assert_close(double(lower) @ adjoint(lower), a, size_of(a), bound(a))
    assert_values(pt.asarray(upper), adjoint(lower))
    assert_values(pt.tril(pt.asarray(lower)), lower)


def test_cholesky_refuses_indefinite_matrices():
    a = [[[1.0, 2.0], [2.0, 1.0]], [[0.0, 0.0], [0.0, 1.0]], [[4.0, 0.0], [0.0, 9.0]]]
    factors = pt.linalg.cholesky(pt.asarray(a)).numpy()
    assert np.isnan(factors[:2]).all()
    np.testing.assert_array_equal(factors[2], [[2, 0], [0, 3]])


@each_dtype
@pytest.mark.parametrize("mode", ["reduced", "complete"])
@pytest.mark.parametrize("shape", [*SHAPES, *OBLONG], ids=str)
def test_qr(rng, shape, mode, dtype):
    a = random(rng, *shape, dtype=dtype)
    q, r = (part.numpy() for part in pt.linalg.qr(pt.asarray(a), mode=mode))
    expected_q, expected_r = np.linalg.qr(double(a), mode=mode)
    assert q.shape == expected_q.shape
    assert_orthonormal(q)
    assert_close(double(q) @ r, a, size_of(a), bound(a))
    k = min(shape[-2:])
    conditions = np.linalg.cond(double(a)[..., :k])[..., None, None]
    assert_close(r, expected_r, size_of(a) * conditions, bound(a))
    np.testing.assert_array_equal(np.tril(r, -1), 0.0)


@each_dtype
def test_qr_of_zero_or_equal_columns(rng, dtype):
    a = random(rng, 5, 4, dtype=dtype)
    a[:, 1] = 0.0
    a[:, 3] = a[:, 0]
    q, r = (part.numpy() for part in pt.linalg.qr(pt.asarray(a)))
    assert_orthonormal(q)
    assert_close(double(q) @ r, a, size_of(a), bound(a))


def _hermitian(rng, dtype):
    """Make matrices with equal, widely scaled, large or zero eigenvalues."""
    halves = np.where(np.arange(8) < 4, -1.0, 2.0)
    special = [
        with_values(rng, halves, dtype=dtype),
        with_values(rng, halves + 1e-5 * np.arange(8), dtype=dtype),
        with_values(rng, 10.0 ** -np.arange(8), dtype=dtype),
        with_values(rng, np.arange(8) * 1e15, dtype=dtype),
        with_values(rng, np.arange(8) * 1e-15, dtype=dtype),
        np.zeros((8, 8)),
        np.ones((8, 8)),
        np.diag([3.0, -1.0, 2.0, 0.0, 0.0, 1.0, 5.0, -7.0]),
    ]
    further = (random(rng, *shape, dtype=dtype) for shape in ((2, 3, 5, 5), (1, 1)))
    return [np.stack(special).astype(dtype), *further]


@each_dtype
def test_eigh(rng, dtype):
    for root in _hermitian(rng, dtype):
        a = (root + adjoint(root)) / 2
        values, vectors = (part.numpy() for part in pt.linalg.eigh(pt.asarray(a)))
        expected = np.linalg.eigvalsh(double(a))
        size = size_of(a)
        assert_close(values, expected, size[..., 0], bound(a))
        assert (np.diff(values) >= 0).all()
        assert_orthonormal(vectors)
        product = double(vectors) * values[..., None, :]
        assert_close(double(a) @ vectors, product, size, bound(a))
        assert_values(pt.linalg.eigvalsh(pt.asarray(a)), values)


@each_dtype
@pytest.mark.parametrize("full", [False, True])
def test_svd(rng, full, dtype):
    ranks = [with_values(rng, [5.0, 3.0, 0.0], 7, dtype=dtype), random(rng, 3, 7, dtype=dtype)]
    for a in (*_hermitian(rng, dtype), np.stack(ranks), adjoint(np.stack(ranks))):
        u, s, vh = (part.numpy() for part in pt.linalg.svd(pt.asarray(a), full_matrices=full))
        expected = np.linalg.svd(double(a), full_matrices=full)
        size = size_of(a)
        assert (u.shape, vh.shape) == (expected[0].shape, expected[2].shape)
        assert_close(s, expected[1], size[..., 0], bound(a))
        assert (np.diff(s) <= 0).all()
        assert (s >= 0).all()
        assert_orthonormal(u)
        assert_orthonormal(adjoint(vh))
        k = s.shape[-1]
        product = (double(u)[..., :k] * s[..., None, :]) @ vh[..., :k, :]
        assert_close(product, a, size, bound(a))
        assert_close(pt.linalg.svdvals(pt.asarray(a)).numpy(), expected[1], size[..., 0], bound(a))


@pytest.mark.parametrize("n", [33, 48])
def test_number_of_sweeps_is_sufficient(rng, n):
    """Second-difference matrices, with close eigenvalues at one end, need the most sweeps."""
    a = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    a[0, 0] = 1e-3
    clustered = np.where(np.arange(n) % 2, 1.0, 1.0 + 1e-4 * np.arange(n))
    a = np.stack([a.astype("float32"), with_values(rng, clustered)])
    values, vectors = (part.numpy() for part in pt.linalg.eigh(pt.asarray(a)))
    assert_close(values, np.linalg.eigvalsh(double(a)), size_of(a)[..., 0], bound(a))
    assert_orthonormal(vectors)
    size = size_of(a)
    assert_close(double(a) @ vectors, double(vectors) * values[..., None, :], size, bound(a))
    u, s, vh = (part.numpy() for part in pt.linalg.svd(pt.asarray(a)))
    assert_orthonormal(u)
    assert_close(double(u) * s[..., None, :] @ vh, a, size, bound(a))


def test_small_singular_values_are_accurate(rng):
    values = 10.0 ** -np.arange(6)
    a = np.pad(np.diag(values).astype("float32")[::-1], (0, 2))
    got = pt.linalg.svdvals(pt.asarray(np.stack([a] * 8)))[0, :6]
    assert_values(got, values.astype("float32"), rtol=4 * EPSILON)


def test_nan_propagates(rng):
    a = random(rng, 2, 4, 4)
    a[0, 2, 1] = np.nan
    for function in (pt.linalg.inv, pt.linalg.eigvalsh, pt.linalg.svdvals, pt.linalg.det):
        got = function(pt.asarray(a)).numpy()
        assert np.isnan(got[0]).any(), function
        assert np.isfinite(got[1]).all(), function


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_one_triangle_is_used(rng, dtype):
    a = random(rng, 2, 4, 4, dtype=dtype)
    x = pt.asarray(a)
    lower = pt.asarray(np.where(np.tri(4, k=0) > 0, a, np.nan))
    for side in ("L", "U"):
        expected = np.linalg.eigvalsh(double(a), side)
        assert_values(pt.linalg.eigvalsh(x, side), expected.astype("float32"), atol=1e-5)
        values, vectors = pt.linalg.eigh(x, UPLO=side)
        assert_values(values, expected.astype("float32"), atol=1e-5)
        triangle = np.tril(a) if side == "L" else np.triu(a)
        whole = triangle + adjoint(triangle)
        whole[..., range(4), range(4)] = a[..., range(4), range(4)].real
        scaled = vectors.numpy() * values.numpy()[:, None, :]
        np.testing.assert_allclose(whole @ vectors.numpy(), scaled, atol=1e-5)
        got = pt.scipy.linalg.eigh(x, lower=side == "L", eigvals_only=True)
        assert_values(got, expected.astype("float32"), atol=1e-5)
    assert_values(pt.linalg.eigvalsh(lower), pt.linalg.eigvalsh(x).numpy(), atol=1e-5)
    positive = a @ adjoint(a) + 4 * np.eye(4, dtype=dtype)
    factor = pt.linalg.cholesky(pt.asarray(np.tril(positive)))
    np.testing.assert_allclose(
        factor.numpy(), np.linalg.cholesky(double(positive)), rtol=1e-4, atol=1e-5
    )
    assert_raises(
        errors.ArgumentError,
        'eigh: UPLO is unknown; got \'upper\'; use "L" or "U"',
        lambda: pt.linalg.eigh(x, UPLO="upper"),
    )


def test_both_triangles_have_gradients():
    a = pt.asarray([[2.0, 1.0], [1.0, 3.0]])
    gradient = pt.grad(lambda x: pt.sum(pt.linalg.eigvalsh(x) ** 2))(a)
    np.testing.assert_allclose(gradient.numpy(), 2 * a.numpy(), rtol=1e-5)


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


def test_batches_take_the_draws_of_one_matrix():
    loops = {"cholesky": 2, "det": 4, "eigh": 3, "inv": 4, "qr": 7, "svd": 17, "svdvals": 7}
    for name, expected in loops.items():
        function = getattr(pt.linalg, name)
        for shape in ((8, 8), (5, 8, 8)):
            result = function(leaf(*shape))
            parts = result if isinstance(result, tuple) else (result,)
            draws = Counter(draw.kernel for draw in plan_of(*parts).draws)
            repeated = [kernel for kernel, times in draws.items() if times >= 7]
            assert len(repeated) == expected, (name, shape, draws.values())
            assert len(draws) - expected <= 24, (name, shape, len(draws))


def test_decompositions_under_jit(rng):
    @pt.jit
    def solved(a, b):
        values, vectors = pt.linalg.eigh(a @ pt.matrix_transpose(a))
        return pt.linalg.solve(a, b), pt.max(values), vectors

    for _ in range(2):
        a, b = random(rng, 6, 5, 5), random(rng, 6, 5, 3)
        x, largest, vectors = solved(pt.asarray(a), pt.asarray(b))
        assert_orthonormal(vectors.numpy())
        expected = np.linalg.norm(double(a), 2, axis=(1, 2)).max() ** 2
        assert_values(largest, np.float32(expected), rtol=1e-5)
        assert_close(double(a) @ x.numpy(), b, np.linalg.cond(a).max() * 4, bound(a))


def test_factors_can_be_read_later(rng, engine):
    a = pt.asarray(random(rng, 5, 5))
    for parts in (pt.linalg.svd(a), pt.linalg.eigh(a), pt.linalg.qr(a), pt.linalg.lstsq(a, a)):
        first, *rest = parts
        first.numpy()
        before = engine.statistics()["draws"]
        for part in rest:
            part.numpy()
        assert engine.statistics()["draws"] - before <= 2 * len(rest)
