"""Kernels that factorize matrices in linear memory give NumPy's results for any sizes."""

from __future__ import annotations

import numpy as np
import pytest

import py_tensor as pt
from py_tensor.compiler.buffers.target import BufferTarget
from py_tensor.compiler.stages import make_plan
from py_tensor.ir.node import linearize

pytest.importorskip("wasmtime")
SIZES = [1, 2, 3, 4, 5, 8, 9, 13, 33, 70]


@pytest.fixture(scope="module")
def engine():
    """Return a backend that computes in WebAssembly, whichever backend the session has."""
    from wasmtime_engine import WasmtimeEngine

    from py_tensor.runtime.backends.wasm import WasmBackend

    return WasmBackend(WasmtimeEngine())


def kinds_of(tensor):
    graph = linearize([tensor._node]).graph()
    return {draw.kernel.kind.value for draw in make_plan(graph, BufferTarget()).draws}


def matrices(*shape, dtype="float32"):
    x = np.random.default_rng(shape[-1]).normal(size=shape)
    if dtype == "complex64":
        x = x + 1j * np.random.default_rng(1).normal(size=shape)
    return x.astype(dtype)


def check(got, expected, size=1.0):
    # Errors grow with the condition number, which is below 1000 here.
    np.testing.assert_allclose(got.numpy(), expected, atol=1e-4 * size * np.abs(expected).max())


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("columns", [1, 4, 7])
def test_solve(n, columns):
    a, b = matrices(2, n, n) + 2 * np.eye(n, dtype="float32"), matrices(2, n, columns)
    result = pt.linalg.solve(pt.asarray(a), pt.asarray(b))
    assert "decompose" in kinds_of(result)
    check(result, np.linalg.solve(a.astype("float64"), b.astype("float64")))


@pytest.mark.parametrize("n", SIZES)
def test_determinant(n):
    a = matrices(3, n, n)
    sign, logarithm = pt.linalg.slogdet(pt.asarray(a))
    expected = np.linalg.slogdet(a.astype("float64"))
    np.testing.assert_array_equal(sign.numpy(), expected[0])
    check(logarithm, expected[1], 10.0)


@pytest.mark.parametrize("n", SIZES)
def test_cholesky(n):
    a = matrices(2, n, n).astype("float64")
    a = a @ a.transpose(0, 2, 1) + np.eye(n)
    result = pt.linalg.cholesky(pt.asarray(a.astype("float32")))
    assert "decompose" in kinds_of(result)
    check(result, np.linalg.cholesky(a))


@pytest.mark.parametrize("mode", ["reduced", "complete"])
@pytest.mark.parametrize("shape", [(1, 1), (3, 2), (4, 4), (5, 3), (9, 7), (33, 33), (70, 20)])
def test_qr(shape, mode):
    a = matrices(2, *shape)
    q, r = pt.linalg.qr(pt.asarray(a), mode=mode)
    assert "decompose" in kinds_of(q)
    expected = np.linalg.qr(a.astype("float64"), mode=mode)
    check(q, expected[0])
    check(r, expected[1])


def test_pivots_of_zero_and_exchanged_rows():
    a = np.array([[0, 2, 1], [0, 0, 3], [4, 1, 1]], "float32")
    check(pt.linalg.det(pt.asarray(a)), np.linalg.det(a.astype("float64")))
    check(pt.linalg.inv(pt.asarray(a)), np.linalg.inv(a.astype("float64")))


@pytest.mark.parametrize("n", [2, 3, 6])
def test_singular_matrices(n):
    a = pt.asarray(np.ones((n, n), "float32"))
    assert np.isnan(pt.linalg.inv(a).numpy()).all()
    assert pt.linalg.det(a).item() == 0.0
    assert np.isnan(pt.linalg.cholesky(-a).numpy()).all()


def test_complex_matrices_are_computed_by_formulas():
    a, b = matrices(5, 5, dtype="complex64"), matrices(5, 2, dtype="complex64")
    result = pt.linalg.solve(pt.asarray(a), pt.asarray(b))
    assert "decompose" not in kinds_of(result)
    check(result, np.linalg.solve(a.astype("complex128"), b.astype("complex128")))


@pytest.mark.parametrize("n", [1, 2, 3, 8, 33])
def test_eigenvalues_and_singular_values(n):
    a = matrices(2, n, n)
    symmetric = a + a.transpose(0, 2, 1)
    values, vectors = pt.linalg.eigh(pt.asarray(symmetric))
    assert "decompose" in kinds_of(values)
    check(values, np.linalg.eigvalsh(symmetric.astype("float64")))
    v = vectors.numpy()
    np.testing.assert_allclose(
        v @ (values.numpy()[..., None] * v.transpose(0, 2, 1)), symmetric, atol=1e-4
    )
    u, s, vh = pt.linalg.svd(pt.asarray(a))
    check(s, np.linalg.svd(a.astype("float64"), compute_uv=False))
    np.testing.assert_allclose((u.numpy() * s.numpy()[:, None]) @ vh.numpy(), a, atol=1e-4)
