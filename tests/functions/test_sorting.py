"""Sorting, searching in sorted arrays, and sets, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_raises, assert_values
from plans import plan_of

import py_tensor as pt
from py_tensor import errors

DTYPES = ("float32", "float16", "int32", "uint32", "int16", "uint8", "int8", "bool", "complex64")
SHAPES = [((7,), 0), ((3, 9), 1), ((9, 3), 0), ((2, 3, 4), -2), ((1,), 0), ((0, 4), 0), ((4, 0), 1)]


def numbers(rng, shape, dtype):
    """Draw few distinct values, so that many are equal, with NaN and both zeros among floats."""
    if dtype == "complex64":
        parts = rng.choice([-1.0, -0.0, 0.0, 2.0, np.inf, np.nan], (*shape, 2))
        return parts.astype("float32").view("complex64")[..., 0]
    x = rng.integers(0, 20, shape)
    if dtype[0] != "f":
        return (x % 2 == 0) if dtype == "bool" else x.astype(dtype)
    x = (x - 10).astype(dtype) / 2
    x[x == 4] = np.nan
    x[x == 3] = -0.0
    return x.astype(dtype)


def in_order(x, axis, descending):
    """Sort stably with NumPy: equal elements keep their order in both directions."""
    if not descending:
        return np.argsort(x, axis=axis, kind="stable").astype("int32")
    backward = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - backward, axis).astype("int32")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("descending", [False, True])
def test_order(dtype, descending, rng):
    given = [(numbers(rng, shape, dtype), axis) for shape, axis in SHAPES]
    orders = [pt.argsort(pt.asarray(x), axis=a, descending=descending) for x, a in given]
    values = [pt.sort(pt.asarray(x), axis=a, descending=descending) for x, a in given]
    pt.realize(*orders, *values)
    for (x, axis), order, value in zip(given, orders, values, strict=True):
        expected = in_order(x, axis, descending)
        assert_values(order, expected)
        assert_values(value, np.take_along_axis(x, expected, axis))


@pytest.mark.parametrize("shape", [(3000,), (4, 2049), (3, 1200), (2, 2048)])
@pytest.mark.parametrize("dtype", ["float32", "int32", "complex64"])
def test_long_axes(shape, dtype, rng):
    x = numbers(rng, shape, dtype)
    assert_values(pt.argsort(pt.asarray(x)), in_order(x, -1, False))
    assert_values(pt.argsort(pt.asarray(x), descending=True), in_order(x, -1, True))


def test_steps_of_a_sorting_network_share_a_shader():
    x = pt.asarray(np.arange(8192, dtype="float32"))
    pt.realize(x)
    sources = [draw.shader.source for draw in plan_of(pt.argsort(x)).draws]
    assert len(sources) > 90 and len(set(sources)) <= 6


def test_unsigned_integers_of_32_bits_are_sorted(rng):
    x = rng.integers(0, 2**32, 100).astype("uint32")
    assert_values(pt.argsort(pt.asarray(x)), np.argsort(x).astype("int32"))


def test_sorted_under_jit(rng):
    x = numbers(rng, (5000,), "float32")
    ordered = pt.jit(pt.sort)
    for _ in range(2):
        assert_values(ordered(pt.asarray(x)), np.sort(x))
        x = x[::-1].copy()


def test_gradient_goes_to_the_original_positions():
    x = pt.asarray([3.0, 1.0, 2.0])
    weights = pt.asarray([1.0, 10.0, 100.0])
    assert pt.grad(lambda x: pt.sum(pt.sort(x) * weights))(x).tolist() == [100.0, 1.0, 10.0]
    assert pt.grad(lambda x: pt.sum(pt.topk(x, 2)[0] * weights[:2]))(x).tolist() == [1, 0, 10]
    z = pt.asarray([2 + 1j, 2 - 1j, 1 + 5j])
    gradient = pt.grad(lambda z: pt.sum(pt.imag(pt.sort(z)) * weights))(z)
    assert gradient.tolist() == [100j, 10j, 1j]
    assert pt.grad(lambda z: pt.real(pt.median(z)))(z).tolist() == [0, 1, 0]


def test_largest(rng):
    x = rng.permutation(60).reshape(3, 20).astype("int32")
    for largest in (True, False):
        values, places = pt.topk(pt.asarray(x), 4, largest=largest)
        expected = in_order(x, -1, largest)[:, :4]
        assert_values(places, expected)
        assert_values(values, np.take_along_axis(x, expected, -1))
    assert pt.topk(pt.asarray(x), 0, axis=0)[0].shape == (0, 20)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "uint8", "bool"])
@pytest.mark.parametrize("largest", [True, False])
def test_largest_of_long_rows_are_in_stable_order(rng, dtype, largest):
    x = rng.integers(0, 200, (2, 300, 3)).astype(dtype)
    x[0, :, 1] = 1
    if dtype == "float32":
        x[:, ::50] = np.nan
        x[1, :, 2] = np.where(np.arange(300) < 4, 5, np.nan)
    for axis, k in ((1, 7), (1, 60), (0, 1)):
        values, places = pt.topk(pt.asarray(x), k, axis=axis, largest=largest)
        expected = in_order(x, axis, largest)
        expected = expected[:, :k] if axis else expected[:k]
        assert_values(places, expected)
        assert_values(values, np.take_along_axis(x, expected, axis))


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "uint8"])
@pytest.mark.parametrize("k", [1, 5, 70])
def test_largest_of_very_long_rows_are_in_stable_order(rng, dtype, k):
    """Only some parts of such rows are sorted; 4500 elements do not fill the last one."""
    x = rng.integers(0, 2000, (5, 4500)).astype(dtype)
    x[1] = 1
    if dtype in ("float32", "int32"):
        x[2] = -np.arange(4500)
    if dtype == "float32":
        x[3, ::700], x[4] = np.nan, -np.inf
    for rows, axis in ((x, -1), (x.T, 0)):
        places = pt.jit(lambda rows, axis=axis: pt.topk(rows, k, axis=axis)[1])(pt.asarray(rows))
        assert_values(places, np.take(in_order(rows, axis, True), range(k), axis))
    values, places = pt.topk(pt.asarray(x), k)
    assert_values(values, np.take_along_axis(x, in_order(x, -1, True)[:, :k], -1))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("length", [0, 1, 2, 7, 8, 1000])
def test_searchsorted(side, length, rng):
    x = np.sort(rng.integers(0, 50, length).astype("float32"))
    v = np.concatenate([rng.integers(-3, 53, (4, 5)).astype("float32"), np.full((1, 5), np.inf)])
    v = v.astype("float32")
    expected = np.searchsorted(x, v, side).astype("int32")
    assert_values(pt.searchsorted(pt.asarray(x), pt.asarray(v), side=side), expected)
    mixed = rng.permutation(length)
    sorter = np.argsort(mixed).astype("int32")
    got = pt.searchsorted(pt.asarray(x[mixed]), pt.asarray(v), side=side, sorter=pt.asarray(sorter))
    assert_values(got, expected)


@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted_of_many_unordered_elements(side, rng):
    x = np.sort(rng.integers(0, 9000, 20_000).astype("float32"))
    v = rng.integers(-100, 9100, 20_000).astype("float32")
    x[-5:] = v[7::1000] = np.nan
    expected = np.searchsorted(x, v, side).astype("int32")
    assert_values(pt.searchsorted(pt.asarray(x), pt.asarray(v), side=side), expected)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["float32", "int32", "uint32"])
def test_equal_elements_of_long_lines_keep_their_order(dtype, axis, descending, rng):
    x = rng.integers(0 if dtype == "uint32" else -9, 9, (60, 50)).astype(dtype)
    if dtype == "float32":
        x[x == 3] = -0.0
        x[x == 4] = np.nan
        x[x == 5] = -np.inf
    expected = in_order(x, axis, descending)
    assert_values(pt.argsort(pt.asarray(x), axis=axis, descending=descending), expected)
    got = pt.sort(pt.asarray(x), axis=axis, descending=descending)
    assert_values(got, np.take_along_axis(x, expected, axis))


def test_nan_sorts_after_all_numbers():
    x = np.array([1.0, 2.0, np.nan, np.nan], "float32")
    v = np.array([np.nan, np.inf, 2.0], "float32")
    for side in ("left", "right"):
        expected = np.searchsorted(x, v, side).astype("int32")
        assert_values(pt.searchsorted(pt.asarray(x), pt.asarray(v), side=side), expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(30,), (4, 5), (0,), (1,), ()])
def test_distinct_elements(dtype, shape, rng):
    x = numbers(rng, shape, dtype) if shape else np.asarray(numbers(rng, (1,), dtype)[0])
    t = pt.asarray(x)
    values, indices, inverse, counts = np.unique_all(x)
    found = pt.unique_all(t)
    assert_values(found.values, values)
    assert_values(found.indices, indices.astype("int32"))
    assert_values(found.inverse_indices, inverse.astype("int32"))
    assert_values(found.counts, counts.astype("int32"))
    assert_values(pt.unique_values(t), values)
    assert_values(pt.unique_counts(t).counts, counts.astype("int32"))
    assert_values(pt.unique_inverse(t).inverse_indices, inverse.astype("int32"))


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8", "bool"])
def test_membership(dtype, rng):
    x, among = numbers(rng, (6, 7), dtype), numbers(rng, (5,), dtype)
    for other in (among, among[:0], among[:1]):
        for invert in (False, True):
            expected = np.isin(x, other, invert=invert)
            assert_values(pt.isin(pt.asarray(x), pt.asarray(other), invert=invert), expected)


def test_membership_of_complex_numbers():
    x = np.asarray([1j, 2, 2 - 1j, np.nan, -0.0], "complex64")
    for other in (np.asarray([2 - 1j, 3, 0, 1j], "complex64"), np.float32([2, 0]), np.int32([0])):
        assert_values(pt.isin(pt.asarray(x), pt.asarray(other)), np.isin(x, other))
        assert_values(pt.isin(pt.asarray(other), pt.asarray(x)), np.isin(other, x))
    assert_values(pt.isin(pt.asarray(x), 1j), np.isin(x, 1j))


def test_complex_numbers_with_nan_are_distinct():
    x = np.asarray([np.nan, 1j, complex(1, np.nan), -0.0, 1j, complex(1, np.nan), 0.0], "complex64")
    counts = pt.unique_counts(pt.asarray(x)).counts.tolist()
    assert sorted(counts) == [1, 1, 1, 2, 2]


@pytest.mark.parametrize("dtype", ["uint32", "int8", "float16"])
def test_numbers_take_the_dtype_of_the_other_operand(dtype):
    x = np.asarray([1, 3, 5], dtype)
    for number in (0, 3, 4, 9):
        for side in ("left", "right"):
            expected = np.int32(np.searchsorted(x, number, side))
            assert_values(pt.searchsorted(pt.asarray(x), number, side=side), expected)
        assert_values(pt.isin(pt.asarray(x), number), np.isin(x, number))
        assert_values(pt.isin(number, pt.asarray(x)), np.isin(number, x))
        found = pt.jit(lambda x, number: pt.searchsorted(x, number))(pt.asarray(x), number)
        assert_values(found, np.int32(np.searchsorted(x, number)))
    assert pt.searchsorted(pt.asarray([1, 3]), 2.5).item() == 1


def test_nan_equals_no_element():
    x = pt.asarray([np.nan, 1.0, -0.0])
    assert pt.isin(x, pt.asarray([0.0, np.nan])).tolist() == [False, False, True]
    assert pt.isin(x, float("nan"), invert=True).tolist() == [True, True, True]


@pytest.mark.parametrize(
    ("error", "text", "call"),
    [
        (
            errors.ShapeError,
            "sort: tensor has no axes; got shape (); reshape it to (1,)",
            lambda: pt.sort(pt.asarray(1)),
        ),
        (
            errors.ArgumentError,
            "topk: k is out of range; got 4 for axis 0 of length 3; use 0 to 3",
            lambda: pt.topk(pt.ones(3), 4),
        ),
        (
            errors.ShapeError,
            "searchsorted: shapes do not fit; got (2, 2) and (1,); x1 must be a vector, or have "
            "one row for each row of x2",
            lambda: pt.searchsorted(pt.ones((2, 2)), pt.ones(1)),
        ),
        (
            errors.ArgumentError,
            'searchsorted: side is unknown; got \'middle\'; use "left" or "right"',
            lambda: pt.searchsorted(pt.ones(2), pt.ones(1), side="middle"),
        ),
        (
            errors.DTypeError,
            "isin: dtypes cannot be compared; got bool and int32; use .astype",
            lambda: pt.isin(pt.asarray([True]), pt.asarray([1])),
        ),
        (
            errors.DTypeError,
            "isin: dtypes cannot be compared; got int32 and bool; use .astype",
            lambda: pt.isin(pt.asarray([1]), True),
        ),
        (
            errors.DTypeError,
            "searchsorted: Python integer -1 does not fit dtype uint8; got -1; uint8 holds 0 to "
            "255",
            lambda: pt.searchsorted(pt.asarray([1, 2], dtype="uint8"), -1),
        ),
    ],
)
def test_wrong_arguments(error, text, call):
    assert_raises(error, text, call)
