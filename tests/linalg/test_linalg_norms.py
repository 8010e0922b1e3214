"""Norms, ranks, products and pseudo-inverses of pt.linalg against NumPy, and their errors."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from helpers import assert_raises, assert_spec, assert_values, sample
from matrices import assert_close, bound, double, random, size_of, with_values

import py_tensor as pt
from py_tensor.errors import ArgumentError, DTypeError, ShapeError


@pytest.mark.parametrize("ord", [2, 1, 0, 3, 0.5, -1, -2, np.inf, -np.inf])
@pytest.mark.parametrize("axis", [None, 1, (0, -1)])
def test_vector_norm(rng, axis, ord):
    x = sample(rng, (3, 4, 5), "float32", 0.5, 4.0) * np.float32(-1.0)
    axes = tuple(range(3)) if axis is None else np.atleast_1d(axis)
    rest = [a for a in range(3) if a not in np.mod(axes, 3)]
    flat = np.transpose(x.astype("f8"), (*rest, *np.mod(axes, 3)))
    flat = flat.reshape(*(x.shape[a] for a in rest), -1)
    expected = np.linalg.norm(flat, ord, axis=-1).astype("float32")
    got = pt.linalg.vector_norm(pt.asarray(x), axis=axis, ord=ord)
    # Powers of sums of powers round about ten times.
    assert_values(got, expected, rtol=4e-6)
    kept = pt.linalg.vector_norm(pt.asarray(x), axis=axis, ord=ord, keepdims=True)
    assert kept.shape == tuple(1 if a in np.mod(axes, 3) else n for a, n in enumerate(x.shape))


@pytest.mark.parametrize("ord", ["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf])
def test_matrix_norm(rng, ord):
    x = random(rng, 2, 3, 5, 5)
    expected = np.linalg.norm(x.astype("float64"), ord, axis=(-2, -1), keepdims=True)
    got = pt.linalg.matrix_norm(pt.asarray(x), ord=ord, keepdims=True).numpy()
    assert_close(got, expected, 5 * size_of(x), bound(x))
    assert pt.linalg.matrix_norm(pt.asarray(x), ord=ord).shape == (2, 3)


def test_norms_and_products_of_complex_numbers(rng):
    x = random(rng, 2, 3, 3, dtype="complex64")
    got = pt.asarray(x)
    size = 5 * size_of(double(x))[..., 0, 0]
    for ord in ("fro", "nuc", 1, 2, np.inf):
        norm = pt.linalg.matrix_norm(got, ord=ord)
        assert_spec(norm, (2,), "float32")
        expected = np.linalg.norm(double(x), ord, axis=(-2, -1))
        assert_close(norm.numpy(), expected, size, bound(x))
    expected = np.linalg.norm(double(x), axis=-1).astype("float32")
    assert_values(pt.linalg.vector_norm(got, axis=-1), expected, rtol=1e-6)
    assert_spec(pt.linalg.cond(got), (2,), "float32")
    assert pt.linalg.matrix_rank(got).tolist() == [3, 3]
    inverse = np.linalg.pinv(double(x)[:, :2])
    got_inverse = pt.linalg.pinv(got[:, :2]).numpy()
    assert_close(got_inverse, inverse, 10 * size_of(inverse), bound(x))
    for product, expected in (
        (pt.linalg.cross(got[0], got[1]), np.cross(x[0], x[1])),
        (pt.linalg.outer(got[0, 0], got[1, 0]), np.outer(x[0, 0], x[1, 0])),
        (pt.linalg.trace(got), np.trace(x, axis1=1, axis2=2)),
    ):
        assert_spec(product, expected.shape, "complex64")
        assert_close(product.numpy(), double(expected), 10.0, bound(x))


def test_empty_norms():
    assert pt.linalg.vector_norm(pt.zeros((0,))).item() == 0.0
    assert pt.linalg.vector_norm(pt.zeros((0,)), ord=np.inf).item() == 0.0
    for ord in ("fro", "nuc", 1, 2, np.inf):
        assert pt.linalg.matrix_norm(pt.zeros((0, 3)), ord=ord).item() == 0.0


def test_halves_do_not_overflow_in_norms():
    x = pt.full((300,), 200.0, dtype="float16")
    assert_values(pt.linalg.vector_norm(x), np.asarray(200 * 300**0.5, "float16"), rtol=2.0**-11)


def test_rank_and_condition(rng):
    values = [[5.0, 3.0, 2.0, 1.0, 0.5], [5.0, 3.0, 0.0, 0.0, 0.0], [1.0, 1e-2, 1e-4, 1e-5, 0.0]]
    x = np.stack([with_values(rng, value, 5) for value in values] * 2)
    got = pt.asarray(x)
    assert pt.linalg.matrix_rank(got).tolist() == [5, 2, 4] * 2
    assert pt.linalg.matrix_rank(got, rtol=1e-3).tolist() == [5, 2, 2] * 2
    rtol = pt.asarray([0.3, 1e-3, 1e-3] * 2)
    assert pt.linalg.matrix_rank(got, rtol=rtol).tolist() == [3, 2, 2] * 2
    assert_values(pt.linalg.cond(got)[:1], np.asarray([10.0], "f4"), rtol=1e-5)
    assert_values(pt.linalg.cond(got, p=-2)[:1], np.asarray([0.1], "f4"), rtol=1e-5)
    expected = np.linalg.cond(x[:1].astype("float64"), 1)
    assert_values(pt.linalg.cond(got, p=1)[:1], expected.astype("f4"), rtol=1e-5)
    assert pt.linalg.cond(pt.asarray([[1.0, 0.0], [0.0, 0.0]]), p=1).item() == np.inf


@pytest.mark.parametrize("shape", [(7, 3), (3, 7)])
def test_pseudo_inverse(rng, shape):
    x = np.stack([random(rng, *shape), np.zeros(shape, "float32"), random(rng, *shape)])
    x[2, :, -1] = x[2, :, 0]
    x[2, -1] = x[2, 0]
    expected = np.linalg.pinv(x.astype("float64"), rtol=1e-6)
    got = pt.linalg.pinv(pt.asarray(x)).numpy()
    assert_close(got, expected, np.maximum(1.0, size_of(expected)) * 10, bound(x))


def test_least_squares(rng):
    a, b = random(rng, 7, 3), random(rng, 7, 2)
    x, residuals, rank, values = pt.linalg.lstsq(pt.asarray(a), pt.asarray(b))
    expected = np.linalg.lstsq(a.astype("float64"), b, rcond=None)
    for got, reference in ((x, expected[0]), (residuals, expected[1]), (values, expected[3])):
        assert_close(got.numpy(), reference, np.linalg.cond(a) * np.abs(reference).max(), bound(a))
    assert rank.item() == 3
    vector = pt.linalg.lstsq(pt.asarray(a), pt.asarray(b[:, 0]))
    assert_close(vector.x.numpy(), expected[0][:, 0], 10.0, bound(a))
    assert_spec(vector.residuals, (), "float32")


def test_matrix_power(rng):
    x = random(rng, 2, 3, 3)
    for n in (0, 1, 2, 5):
        expected = np.linalg.matrix_power(x.astype("float64"), n)
        size = np.maximum(size_of(x), 1.0) ** n
        assert_close(pt.linalg.matrix_power(pt.asarray(x), n).numpy(), expected, size, bound(x))
    power = pt.linalg.matrix_power(pt.asarray([[2.0, 0.0], [0.0, 4.0]]), -2)
    assert power.tolist() == [[0.25, 0.0], [0.0, 0.0625]]


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8"])
def test_products(rng, dtype):
    a, b = (sample(rng, (2, 3), dtype, 0, 9) for _ in range(2))
    exact = {"rtol": 0.0 if dtype != "float32" else 1e-6, "atol": 0 if dtype != "float32" else 1e-4}
    got = pt.linalg.cross(pt.asarray(a), pt.asarray(b[0]))
    assert_values(got, np.cross(a, b[0]).astype(dtype), **exact)
    got = pt.linalg.cross(pt.asarray(a.T), pt.asarray(b.T), axis=-2)
    assert_values(got, np.cross(a, b).T.astype(dtype), **exact)
    got = pt.linalg.outer(pt.asarray(a[0]), pt.asarray(b[1]))
    assert_values(got, np.outer(a[0], b[1]).astype(dtype), **exact)
    x = sample(rng, (2, 3, 4), dtype, 0, 9)
    total = {"uint8": "uint32"}.get(dtype, dtype)
    for offset in (-5, -1, 0, 2, 4):
        got = pt.linalg.diagonal(pt.asarray(x), offset=offset)
        assert_values(got, np.diagonal(x, offset, 1, 2))
        expected = np.trace(x, offset, 1, 2, dtype=total)
        assert_values(pt.linalg.trace(pt.asarray(x), offset=offset), expected, **exact)
    assert pt.linalg.trace(pt.asarray(x), dtype="float32").dtype is pt.float32
    assert pt.linalg.matmul is pt.matmul


def assert_equal(got, expected):
    for a, b in zip(got, expected, strict=True):
        assert_values(a, b.numpy())


def test_errors():
    square, vector = pt.ones((2, 2)), pt.ones((2,))
    integers = pt.asarray([[2, 1], [1, 3]])
    one = [
        *("cholesky", "cond", "det", "eigh", "eigvalsh", "inv", "matrix_norm", "matrix_rank"),
        *("pinv", "qr", "slogdet", "svd", "svdvals"),
    ]
    for name in one:
        function = getattr(pt.linalg, name)
        whole, real = function(integers), function(pt.astype(integers, "float32"))
        assert_equal(pt.tree_leaves(whole), pt.tree_leaves(real))
        assert_raises(
            ShapeError,
            f"{name}: input must be a matrix; got shape (2,); use at least two axes",
            partial(function, vector),
        )
    for name in ("cholesky", "det", "eigh", "eigvalsh", "inv", "slogdet"):
        assert_raises(
            ShapeError,
            f"{name}: matrices must be square; got shape (2, 3); make the last two axes equally "
            "long",
            partial(getattr(pt.linalg, name), pt.ones((2, 3))),
        )
    assert_raises(
        ShapeError,
        "solve: lengths must match; got shapes (2, 2) and (3,); pass right-hand sides of length 2",
        lambda: pt.linalg.solve(square, pt.ones((3,))),
    )
    assert_raises(
        ShapeError,
        "lstsq: lengths must match; got shapes (2, 2) and (3,); pass right-hand sides of length 2",
        lambda: pt.linalg.lstsq(square, pt.ones((3,))),
    )
    assert_raises(
        ArgumentError,
        'qr: mode is unknown; got \'raw\'; use "reduced" or "complete"',
        lambda: pt.linalg.qr(square, mode="raw"),
    )
    assert_raises(
        ArgumentError,
        'matrix_norm: unknown ord; got 3; use "fro", "nuc", 1, -1, 2, -2, float(\'inf\') or '
        "-float('inf')",
        lambda: pt.linalg.matrix_norm(square, ord=3),
    )
    assert_raises(
        ShapeError,
        "cross: vectors must have 3 elements; got shapes (2,) and (2,) along axis -1; pass the "
        "axis of length 3",
        lambda: pt.linalg.cross(vector, vector),
    )
    assert_raises(
        ShapeError,
        "cross: axis out of range; got axis 0 for shapes (2,) and (2,); count from the end, "
        "because operands may have further leading axes",
        lambda: pt.linalg.cross(vector, vector, axis=0),
    )
    assert_raises(
        ShapeError,
        "outer: operands must be vectors; got shapes (2, 2) and (2,); use flatten",
        lambda: pt.linalg.outer(square, vector),
    )
    assert_raises(
        ShapeError,
        "diagonal: input must be a matrix; got shape (2,); use at least two axes",
        lambda: pt.linalg.diagonal(vector),
    )
    assert_raises(
        DTypeError,
        'trace: dtype bool is not numeric; use x.astype("int32")',
        lambda: pt.linalg.trace(pt.ones((2, 2), dtype="bool")),
    )
