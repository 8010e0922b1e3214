"""Matrix products: numbers of axes, sizes around texels and tiles, transposed operands, dtypes."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import HALF, assert_raises, assert_values, products

import py_tensor as pt
from py_tensor import errors
from py_tensor.ops import OP_DEFS

RTOL = OP_DEFS["dot"].tolerance
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 33, 64)


def small(rng, *shape):
    """Draw small integers, whose products are exact in float32."""
    return rng.integers(-4, 5, shape).astype("float32")


def check(pairs):
    """Compare each (tensor product, NumPy product) in one plan."""
    pt.realize(*(got for got, _ in pairs))
    for number, (got, want) in enumerate(pairs):
        assert_values(got, want, what=f"pair {number}, {want.shape}")


@pytest.mark.parametrize("rows", SIZES)
def test_sizes(rows, rng):
    pairs = []
    for at in range(len(SIZES)):
        inner, columns = SIZES[at], SIZES[(at * 5 + rows) % len(SIZES)]
        a, b = small(rng, rows, inner), small(rng, inner, columns)
        pairs.append((pt.asarray(a) @ pt.asarray(b), a @ b))
    check(pairs)


@pytest.mark.parametrize("n", [3, 4, 5, 8, 12, 17])
def test_transposed_operands(n, rng):
    a, b, c, d = (
        small(rng, n, 2 * n),
        small(rng, n, 2 * n),
        small(rng, 2 * n, n),
        small(rng, 8, 3 * n),
    )
    s, t, u, v = map(pt.asarray, (a, b, c, d))
    check(
        [
            (s.T @ t, a.T @ b),
            (s @ t.T, a @ b.T),
            (s.T @ u.T, a.T @ c.T),
            (s[::-1] @ u, a[::-1] @ c),
            (s[:, 1:] @ u[1:], a[:, 1:] @ c[1:]),
            (s[:, ::2] @ u[::2], a[:, ::2] @ c[::2]),
            (u.T @ u, c.T @ c),
            (s @ s.T, a @ a.T),
            (v[:, :n] @ v[:, n : 2 * n].T, d[:, :n] @ d[:, n : 2 * n].T),
        ]
    )


@pytest.mark.parametrize(
    ("p", "q"),
    [
        ((5,), (5,)),
        ((8,), (8, 3)),
        ((3, 8), (8,)),
        ((2, 3, 5), (5,)),
        ((5,), (2, 5, 3)),
        ((2, 4, 8), (8, 4)),
        ((2, 3, 5), (5, 7)),
        ((4, 8), (2, 8, 4)),
        ((2, 5, 7), (2, 7, 3)),
        ((2, 1, 5, 6), (3, 6, 4)),
        ((2, 3, 4, 8), (2, 3, 8, 4)),
        ((1, 3, 8, 8), (2, 1, 8, 8)),
        ((0, 3), (3, 4)),
        ((3, 0), (0, 4)),
        ((2, 0, 3), (3, 4)),
        ((0, 2, 3), (3, 4)),
        ((1, 1), (1, 1)),
    ],
    ids=str,
)
def test_axes(p, q, rng):
    a, b = small(rng, *p), small(rng, *q)
    assert_values(pt.asarray(a) @ pt.asarray(b), a @ b)


def test_many_axes_transposed(rng):
    a, b = small(rng, 2, 3, 8, 4), small(rng, 3, 2, 8, 12)
    s, t = pt.asarray(a), pt.asarray(b)
    got = s.mT @ pt.permute_dims(t, (1, 0, 2, 3))
    assert_values(got, np.matrix_transpose(a) @ b.transpose(1, 0, 2, 3))


@pytest.mark.parametrize(
    "shapes", [((3, 5), (5, 4)), ((8, 16), (16, 12)), ((7,), (7, 9)), ((17, 33), (33, 5))], ids=str
)
@pytest.mark.parametrize("dtype", ["int32", "uint32", "int16", "uint16", "int8", "uint8"])
def test_integers_are_exact_and_wrap(dtype, shapes, rng):
    info = np.iinfo(dtype)
    a, b = (rng.integers(info.min, info.max, s, endpoint=True).astype(dtype) for s in shapes)
    assert_values(pt.asarray(a) @ pt.asarray(b), a @ b)


@pytest.mark.parametrize(
    "shapes", [((9, 31), (31, 6)), ((16, 64), (64, 16)), ((300, 200), (200, 100))], ids=str
)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_random_floats(dtype, shapes, rng):
    a, b = (rng.standard_normal(s).astype(dtype) for s in shapes)
    want = a.astype("float64") @ b.astype("float64")
    size = np.abs(a).astype("float64") @ np.abs(b).astype("float64")
    rtol = RTOL if dtype == "float32" else HALF
    assert_values(
        pt.asarray(a) @ pt.asarray(b), want.astype(dtype), rtol=rtol, atol=rtol * size.max()
    )


def test_dtypes_promote(rng):
    a, b = rng.integers(-9, 9, (4, 8)).astype("int8"), small(rng, 8, 4)
    assert_values(pt.asarray(a) @ pt.asarray(b), a @ b)


def test_operands_and_results_are_fused(rng):
    a, b, bias = small(rng, 12, 20), small(rng, 20, 7), small(rng, 7)
    s, t, u = map(pt.asarray, (a, b, bias))
    got = pt.relu((s * 2 + 1) @ (t - 1) + u) * 0.5
    assert_values(got, np.maximum((a * 2 + 1) @ (b - 1) + bias, 0) * np.float32(0.5))


def test_chain_of_products(rng):
    a, b, c = small(rng, 5, 8), small(rng, 8, 16), small(rng, 16, 3)
    assert_values(pt.asarray(a) @ pt.asarray(b) @ pt.asarray(c), a @ b @ c)


def test_product_used_twice_and_reduced(rng):
    a, b = small(rng, 8, 8), small(rng, 8, 8)
    product = pt.asarray(a) @ pt.asarray(b)
    assert_values(product + product.T, a @ b + (a @ b).T)
    assert_values((pt.asarray(a) @ pt.asarray(b)).sum(axis=1), (a @ b).sum(axis=1))


def test_lists_on_the_left():
    assert_values([[1.0, 2.0]] @ pt.asarray([[3.0], [4.0]]), np.float32([[11]]))


def test_wrong_shapes():
    x = pt.zeros((2, 3))
    assert_raises(
        errors.ShapeError,
        (
            "matmul: inner lengths must be equal; got shapes (2, 3) and (2, 3); axis -1 of the "
            "first is 3, axis -2 of the second is 2"
        ),
        lambda: x @ x,
    )
    assert_raises(
        errors.ShapeError,
        "matmul: operands must have at least one axis; got shapes () and (2, 3); use multiply",
        lambda: pt.asarray(1.0) @ x,
    )
    assert_raises(
        errors.ShapeError,
        "matmul: shapes (2,) and (3,) do not broadcast; axis -1 is 2 and 3",
        lambda: pt.zeros((2, 4, 4)) @ pt.zeros((3, 4, 4)),
    )


def test_a_sum_over_an_empty_product():
    got = (pt.zeros((0, 5)) @ pt.ones((5, 4))).sum(axis=0)
    assert_values(got, np.zeros(4, "float32"))


@pytest.mark.parametrize("batch", [(), (3,)], ids=str)
@pytest.mark.parametrize("lengths", [(17, 256, 512), (36, 96, 16), (8, 8, 8)], ids=str)
def test_views_that_are_also_results(lengths, batch, rng):
    """A product reads the operands of views, even if the views are also materialized."""
    a, b, transposed, results = products(rng, *lengths, batch)
    pt.realize(*results, *transposed)
    for result in results:
        assert_values(result, a @ b)
    assert_values(transposed[0], a)


def test_transposed_images_that_are_also_results(rng):
    x = rng.integers(-4, 5, (2, 8, 9, 10)).astype("float32")
    w = rng.integers(-4, 5, (3, 3, 8, 4)).astype("float32")
    transposed = pt.permute_dims(pt.asarray(x), (0, 2, 3, 1))
    result = pt.conv2d(transposed, pt.asarray(w))
    pt.realize(transposed, result)
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))
    assert_values(transposed, x.transpose(0, 2, 3, 1))
    assert_values(result, np.einsum("bchwij,ijco->bhwo", windows, w))


def test_product_of_a_number_that_is_repeated_stored_and_turned(rng):
    x, w = pt.full((2, 7, 5), 3.0), pt.asarray(rng.integers(-3, 4, (5, 16)).astype("float32"))
    product = pt.permute_dims(x, (1, 0, 2)) @ w
    pt.realize(x, product)
    assert_values(product, np.full((7, 2, 5), 3, "float32") @ w.numpy())
