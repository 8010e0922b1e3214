"""Sorts, sums of slices and gathers in linear memory give NumPy's results for any sizes."""

from __future__ import annotations

import numpy as np
import pytest

import py_tensor as pt
from py_tensor.compiler.buffers.target import BufferTarget
from py_tensor.compiler.stages import make_plan
from py_tensor.ir.node import linearize, node_of
from py_tensor.ops.gathers import SCATTER_ADD
from py_tensor.ops.sorts import ARGSORT
from py_tensor.tensor import apply

pytest.importorskip("wasmtime")
DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "float16", "float32"]


@pytest.fixture(scope="module")
def engine():
    """Return a backend that computes in WebAssembly, whichever backend the session has."""
    from wasmtime_engine import WasmtimeEngine

    from py_tensor.runtime.backends.wasm import WasmBackend

    return WasmBackend(WasmtimeEngine())


def numbers(dtype, *shape, seed=0):
    """Return numbers with ties and extremes, and with zeros of both signs and NaN for floats."""
    rng = np.random.default_rng(seed)
    if dtype.startswith("float"):
        special = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 6e-8, 65504.0], dtype)
        values = (rng.normal(size=shape) * 10).round(1).astype(dtype)
        return np.where(rng.random(shape) < 0.2, rng.choice(special, shape), values)
    if dtype == "bool":
        return rng.random(shape) < 0.5
    info = np.iinfo(dtype)
    values = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    return np.where(rng.random(shape) < 0.5, rng.integers(0, 4, shape).astype(dtype), values)


def kinds_of(*tensors):
    """Return the kinds of the kernels that compute tensors."""
    graph = linearize([tensor._node for tensor in tensors]).graph()
    return [draw.kernel.kind.value for draw in make_plan(graph, BufferTarget()).draws]


def checked_argsort(x, axis, descending, tensor=None):
    tensor = pt.asarray(x) if tensor is None else tensor
    result = apply(ARGSORT, (tensor,), (axis, descending))
    assert kinds_of(result)[-1] == "sort"
    expected = ARGSORT.reference(np, x, (axis, descending))
    np.testing.assert_array_equal(result.numpy(), expected)


# --- sorts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_argsort_of_short_and_long_lines(dtype, descending):
    for length in (1, 2, 3, 7, 48, 49, 130, 5000):
        checked_argsort(numbers(dtype, length, seed=length), 0, descending)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_argsort_of_100_000_elements(dtype):
    checked_argsort(numbers(dtype, 100_000), 0, False)
    checked_argsort(np.zeros(100_000, dtype), 0, True)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("shape", [(5, 6, 7), (4, 60, 3), (70, 1, 5), (1, 1, 1)])
def test_argsort_along_each_axis(shape, axis):
    for descending in (False, True):
        checked_argsort(numbers("float32", *shape), axis, descending)


def test_argsort_of_views_needs_no_copy():
    x = numbers("float32", 60, 50)
    tensor = pt.asarray(x)
    checked_argsort(x.T, 0, False, tensor.T)
    checked_argsort(x[::-1, 1::3], 1, True, tensor[::-1, 1::3])
    checked_argsort(np.broadcast_to(x[:1], (4, 50)), 1, True, pt.broadcast_to(tensor[:1], (4, 50)))


def test_argsort_reads_expressions():
    x = numbers("int32", 30, 60)
    checked_argsort(x * 3 + 1, 1, False, pt.asarray(x) * 3 + 1)


@pytest.mark.parametrize("shape", [(0,), (0, 5), (5, 0)])
def test_argsort_of_nothing(shape):
    assert apply(ARGSORT, (pt.zeros(shape),), (0, False)).shape == shape


@pytest.mark.parametrize("descending", [False, True])
def test_sort_needs_two_kernels(descending):
    for shape, axis in (((20_000,), 0), ((30, 40), 0), ((30, 40), 1)):
        x = np.random.default_rng(1).normal(size=shape).astype("float32")
        result = pt.sort(pt.asarray(x), axis=axis, descending=descending)
        assert kinds_of(result) == ["sort", "map"]
        expected = np.sort(x, axis=axis)
        np.testing.assert_array_equal(
            result.numpy(), np.flip(expected, axis=axis) if descending else expected
        )


# --- scatters -------------------------------------------------------------------------------------


def added_in_order(x, indices, axis, length):
    """Add slices one by one and round each sum; the reference has sums of double precision."""
    inside = (indices >= 0) & (indices < length)
    slices = np.moveaxis(x, range(axis, axis + indices.ndim), range(indices.ndim))
    dtype = "float32" if x.dtype == "float16" else x.dtype
    sums = np.zeros((length, *slices.shape[indices.ndim :]), dtype)
    np.add.at(sums, indices[inside], slices[inside])
    return np.moveaxis(sums, 0, axis).astype(x.dtype)


def checked_scatter(x, indices, axis, length, tensors=None):
    tensors = (pt.asarray(x), pt.asarray(indices)) if tensors is None else tensors
    result = pt.Tensor(node_of(SCATTER_ADD, [tensor._node for tensor in tensors], (axis, length)))
    assert kinds_of(result)[-1] == "scatter"
    expected = added_in_order(x, indices, axis, length)
    got = result.numpy()
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("after", [(), (1,), (3,), (4,), (11,), (2, 8)])
def test_scatter_adds_slices_in_order(dtype, after):
    rng = np.random.default_rng(3)
    indices = rng.integers(-2, 9, 50, "int32")
    if dtype == "bool":
        x = rng.random((50, *after)) < 0.1
    else:
        x = (rng.integers(0, 100, (50, *after)) * (0.25 if "float" in dtype else 1)).astype(dtype)
    checked_scatter(x, indices, 0, 7)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("indices", [(6,), (2, 3), (1,), (0,)])
def test_scatter_along_each_axis(axis, indices):
    rng = np.random.default_rng(4)
    shape = [3, 4, 5]
    shape[axis : axis + 1] = indices
    x = rng.normal(size=shape).astype("float32")
    checked_scatter(x, rng.integers(-1, 6, indices, "int32"), axis, 5)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "uint32"])
def test_scatter_at_indices_of_each_dtype(dtype):
    indices = np.array([0, 1, 1, 100, 2, np.iinfo(dtype).max], dtype)
    checked_scatter(np.arange(6, dtype="float32"), indices, 0, 3)


def test_scatter_of_expressions_and_views():
    rng = np.random.default_rng(5)
    x, indices = rng.normal(size=(8, 50)).astype("float32"), rng.integers(0, 9, 50, "int32")
    tensor, places = pt.asarray(x), pt.asarray(indices)
    checked_scatter(x.T, indices, 0, 9, (tensor.T, places))
    checked_scatter(x[:, ::-1] * 2, indices // 2, 1, 9, (tensor[:, ::-1] * 2, places // 2))
    checked_scatter(
        np.ones(50, "float32"), indices, 0, 9, (pt.broadcast_to(pt.asarray(1.0), (50,)), places)
    )


def test_scatter_of_100_000_slices():
    rng = np.random.default_rng(6)
    x = rng.integers(0, 9, (100_000, 4)).astype("float32")
    checked_scatter(x, rng.integers(0, 1000, 100_000, "int32"), 0, 1000)


# --- gathers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(9,), (9, 3), (9, 4), (9, 5), (9, 2, 8)])
def test_take_of_slices(dtype, shape):
    x, indices = numbers(dtype, *shape), np.random.default_rng(7).integers(-9, 9, (5, 3), "int32")
    np.testing.assert_array_equal(
        pt.take(pt.asarray(x), pt.asarray(indices), axis=0).numpy(), x[indices]
    )


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_take_along_each_axis(axis):
    x = numbers("float32", 6, 7, 8)
    indices = np.random.default_rng(8).integers(0, 6, (11,), "int32")
    tensor, places = pt.asarray(x), pt.asarray(indices)
    np.testing.assert_array_equal(pt.take(tensor, places, axis=axis).numpy(), x.take(indices, axis))
    got = (pt.take(tensor.T, places, axis=axis) + 1).numpy()
    np.testing.assert_array_equal(got, x.T.take(indices, axis) + np.float32(1))
    order = np.argsort(x, axis=axis).astype("int32")
    got = pt.take_along_axis(tensor, pt.asarray(order), axis=axis).numpy()
    np.testing.assert_array_equal(got, np.take_along_axis(x, order, axis))
