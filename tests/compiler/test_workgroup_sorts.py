"""Sorts, sums of slices and products of small integers on devices with workgroups."""

from __future__ import annotations

import numpy as np
import pytest
from plans import leaf, plan_of

import py_tensor as pt
from py_tensor.compiler.workgroups.sort_kernel import exchanges
from py_tensor.compiler.workgroups.target import WorkgroupTarget
from py_tensor.ir.node import node_of
from py_tensor.ops.gathers import SCATTER_ADD
from py_tensor.ops.sorts import ARGSORT
from py_tensor.tensor import apply

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "float16", "float32"]
DEVICE = WorkgroupTarget(buffers=10, packed_products=True)


def kinds_of(*tensors, device=DEVICE):
    """Return the kinds of the kernels that compute tensors."""
    return [draw.kernel.kind.value for draw in plan_of(*tensors, device=device).draws]


def numbers(dtype, *shape):
    """Return numbers with ties and extremes, and with zeros of both signs and NaN for floats."""
    rng = np.random.default_rng(sum(shape))
    if dtype.startswith("float"):
        special = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 6e-8, 65504.0], dtype)
        values = (rng.normal(size=shape) * 10).round(1).astype(dtype)
        return np.where(rng.random(shape) < 0.2, rng.choice(special, shape), values)
    if dtype == "bool":
        return rng.random(shape) < 0.5
    info = np.iinfo(dtype)
    values = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    return np.where(rng.random(shape) < 0.5, rng.integers(0, 4, shape).astype(dtype), values)


def checked_argsort(x, axis, descending, tensor=None):
    tensor = pt.asarray(x) if tensor is None else tensor
    result = apply(ARGSORT, (tensor,), (axis, descending))
    expected = ARGSORT.reference(np, x, (axis, descending))
    np.testing.assert_array_equal(result.numpy(), expected)


def scattered(x, indices, axis, length):
    return pt.Tensor(node_of(SCATTER_ADD, (x._node, indices._node), (axis, length)))


def checked_scatter(x, indices, axis, length):
    result = scattered(pt.asarray(x), pt.asarray(indices), axis, length).numpy()
    expected = SCATTER_ADD.reference(np, x, indices, (axis, length))
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


# --- sorts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [4, 8, 16])
def test_exchanges_sort_all_zeros_and_ones(count):
    for bits in range(1 << count):
        x = [bits >> n & 1 for n in range(count)]
        for i, j in exchanges(count):
            x[i], x[j] = min(x[i], x[j]), max(x[i], x[j])
        assert x == sorted(x)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_argsort_of_short_and_long_lines(dtype, descending):
    for shape in ((7,), (300, 3), (3, 1000), (2, 1030)):
        checked_argsort(numbers(dtype, *shape), len(shape) - 1, descending)


@pytest.mark.parametrize("length", [2048, 2049, 5000])
def test_argsort_keeps_the_order_of_equal_elements(length):
    checked_argsort(np.zeros(length, "float32"), 0, False)
    checked_argsort(np.zeros(length, "float32"), 0, True)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_argsort_along_each_axis_of_an_expression(axis):
    x = numbers("int32", 5, 60, 3)
    checked_argsort(x * 3 + 1, axis, False, pt.asarray(x) * 3 + 1)


def test_lines_of_a_block_are_sorted_by_one_kernel():
    assert kinds_of(pt.argsort(leaf(64, 1000))) == ["sort"]
    assert kinds_of(pt.sort(leaf(5000, 8))) == ["sort", "map"]


def test_merges_of_a_long_line_share_a_shader():
    draws = plan_of(pt.argsort(leaf(1 << 20)), device=DEVICE).draws
    assert len(draws) == 11
    assert len({draw.shader.source for draw in draws}) == 3


# --- scatters -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("after", [(), (3,), (4,)])
def test_scatter_ignores_indices_out_of_range(dtype, after):
    rng = np.random.default_rng(3)
    indices = rng.integers(-9, 709, 300, "int32")
    if dtype == "bool":
        x = rng.random((300, *after)) < 0.1
    else:
        x = (rng.integers(0, 100, (300, *after)) * (0.25 if "float" in dtype else 1)).astype(dtype)
    checked_scatter(x, indices, 0, 701)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize(("shape", "axis"), [((3, 600), 1), ((3, 600, 5), 1), ((600, 8), 0)])
def test_scatter_of_equal_indices(dtype, shape, axis):
    indices = np.repeat(np.int32(7), 600)
    checked_scatter(numbers("uint8", *shape).astype(dtype), indices, axis, 60)


@pytest.mark.parametrize("shape", [(9001,), (2, 9001), (9001, 8), (2, 9001, 5)])
def test_scatter_of_many_slices_of_which_most_have_one_index(shape):
    rng = np.random.default_rng(7)
    indices = np.where(rng.random(9001) < 0.7, 41, rng.integers(-5, 300, 9001)).astype("int32")
    x = rng.integers(0, 100, shape).astype("float32")
    checked_scatter(x, indices, shape.index(9001), 290)
    checked_scatter(x, indices, shape.index(9001), 10_000)


@pytest.mark.parametrize("dtype", ["uint8", "uint32"])
def test_scatter_at_unsigned_indices(dtype):
    indices = np.full(3000, np.iinfo(dtype).max, dtype)
    indices[:6] = [0, 1, 1, 100, 2, 2]
    checked_scatter(np.arange(3000, dtype="float32"), indices, 0, 30)


def test_sum_of_long_segments_is_the_same_each_time():
    rng = np.random.default_rng(5)
    x, indices = rng.normal(size=5000).astype("float32"), rng.integers(0, 40, 5000, "int32")
    first, second = (scattered(pt.asarray(x), pt.asarray(indices), 0, 40).numpy() for _ in range(2))
    np.testing.assert_array_equal(first, second)
    expected = np.bincount(indices, x.astype("float64"), 40)
    np.testing.assert_allclose(first, expected, rtol=1e-4, atol=1e-4)


def test_kernels_of_scatters():
    indices = leaf(1000, dtype="int32")
    assert kinds_of(scattered(leaf(1000), indices, 0, 4)) == ["reduce"]
    assert kinds_of(scattered(leaf(1000), indices, 0, 10_000)) == ["sort", "scatter", "scatter"]
    integers = scattered(leaf(1000, dtype="int32"), indices, 0, 10_000)
    assert kinds_of(integers) == ["map", "scatter"]


def test_gradient_of_an_embedding():
    rng = np.random.default_rng(6)
    table = rng.normal(size=(500, 12)).astype("float32")
    indices = rng.integers(0, 500, (20, 30), "int32")
    places = pt.asarray(indices)
    slope = pt.grad(lambda x: pt.sum(pt.take(x, places, axis=0) ** 2))(pt.asarray(table))
    counts = np.bincount(indices.reshape(-1), minlength=500)
    np.testing.assert_allclose(slope.numpy(), 2 * table * counts[:, None], rtol=1e-5, atol=1e-6)


# --- products of small integers -------------------------------------------------------------------


def product(a, b):
    return a.astype("int32") @ b.astype("int32")


def is_packed(tensor, device=DEVICE):
    """Return True if a kernel multiplies words of four integers."""
    (source,) = {draw.shader.source for draw in plan_of(tensor, device=device).draws[-1:]}
    return "Packed" in source


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("shape", [(40, 48, 36), (7, 13, 9), (8, 20, 4)])
def test_products_of_small_integers(dtype, shape):
    rows, inner, columns = shape
    a, b = numbers(dtype, rows, inner), numbers(dtype, inner, columns)
    np.testing.assert_array_equal(product(pt.asarray(a), pt.asarray(b)).numpy(), product(a, b))
    turned = product(pt.asarray(a), pt.asarray(b.T.copy()).T)
    np.testing.assert_array_equal(turned.numpy(), product(a, b))
    turned = product(pt.asarray(a.T.copy()).T, pt.asarray(b))
    np.testing.assert_array_equal(turned.numpy(), product(a, b))


def test_products_of_words_need_operands_of_one_dtype():
    a, b = leaf(64, 64, dtype="int8"), leaf(64, 64, dtype="uint8")
    assert is_packed(product(a, a)) and is_packed(product(b, b))
    assert not is_packed(product(a, b))
    assert not is_packed(product(a, a), DEVICE._replace(packed_products=False))


def test_half_precision_next_to_nan_is_exact():
    x = np.array([np.nan, 2.0, np.nan, -2.0], "float16")
    np.testing.assert_array_equal((pt.asarray(x) * 1).numpy(), x)
