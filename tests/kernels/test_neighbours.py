"""Reads of neighbours in indexed kernels, which share texels if rows have whole texels."""

from __future__ import annotations

import re

import numpy as np
import pytest
from helpers import assert_values
from plans import leaf, plan_of

import py_tensor as pt

rng = np.random.default_rng(9)
MODES = {"clamp": "edge", "wrap": "wrap", "zero": "constant"}
APART = (-9, -6, -4, -1, 0, 1, 2, 3, 4, 11)


def row(j, x):
    total = 0
    for n in APART:
        total = total * 3 + x[j + n]
    return total


def plane(i, j, x):
    total = 0
    for n in APART:
        total = total * 3 + x[i + n % 3 - 1, j + n]
    return total


def volume(h, i, j, x):
    total = 0
    for n in APART:
        total = total * 3 + x[1 - h, i + 1, n + j]
    return total


def expected(x, border):
    """Compute the same with NumPy."""
    padded = np.pad(x, 12, mode=MODES[border])
    total = np.zeros(x.shape, "int32")
    for n in APART:
        shift = {1: (n,), 2: (n % 3 - 1, n), 3: (0, 1, n)}[x.ndim]
        part = tuple(slice(12 + s, 12 + s + k) for s, k in zip(shift, x.shape, strict=True))
        term = padded[part]
        if x.ndim == 3:
            term = padded[13 - np.arange(len(x))][(slice(None), *part[1:])]
        total = total * 3 + term.astype("int32")
    return total


def fetches(*tensors):
    """Number of texels that a fragment of the only draw fetches."""
    (draw,) = plan_of(*tensors).draws
    main = draw.shader.source.split("void main")[1]
    return len(re.findall(r"pt_(?:texel|at)\d+\(|texelFetch\(", main))


@pytest.mark.parametrize("border", MODES)
@pytest.mark.parametrize(
    "shape", [(4,), (8,), (44,), (3, 4), (5, 8), (2, 12), (6, 5), (2, 3, 4), (2, 2, 16), (2, 3, 7)]
)
def test_neighbours_at_all_borders(shape, border):
    function = (row, plane, volume)[len(shape) - 1]
    kernel = pt.kernel(function, shape=lambda x: x.shape, border=border)
    x = rng.integers(-9, 9, shape, dtype="int32")
    assert_values(kernel(pt.asarray(x)), expected(x, border))


@pytest.mark.parametrize("dtype", ["float16", "int8", "bool", "uint32"])
def test_neighbours_of_each_dtype(dtype):
    @pt.kernel(shape=lambda x: x.shape, border="wrap")
    def left(i, j, x):
        return x[i, j - 1]

    x = rng.integers(0, 2, (3, 8)).astype(dtype)
    wanted = {"float16": "float32", "int8": "int32"}.get(dtype, dtype)
    assert_values(left(pt.asarray(x)), np.roll(x, 1, axis=1).astype(wanted))


def test_large_tensors():
    kernel = pt.kernel(plane, shape=lambda x: x.shape, border="clamp")
    x = rng.integers(-9, 9, (300, 304), dtype="int32")
    assert_values(kernel(pt.asarray(x)), expected(x, "clamp"))


@pt.kernel(shape=lambda u: u.shape, border="wrap")
def five_points(i, j, u):
    return u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j]


def five_points_expected(x):
    return sum(np.roll(x, s, a) for s in (1, -1) for a in (0, 1)) - np.float32(4) * x


def test_a_stencil_fetches_each_texel_once():
    assert fetches(five_points(leaf(8, 12))) == 5
    # Rows of other lengths begin within a texel.
    assert fetches(five_points(leaf(8, 13))) == 20


def test_operations_before_the_kernel_share_texels_too():
    x = rng.random((4, 8), "float32")
    result = five_points(pt.asarray(x) * 2.0 + pt.asarray(x))
    assert fetches(result) == 10
    assert_values(result, five_points_expected(x * 3), rtol=1e-5, atol=1e-5)


def test_transposed_operands_are_read_element_by_element():
    @pt.kernel(shape=lambda x: x.shape)
    def left(i, j, x):
        return x[i, j - 1]

    assert fetches(left(leaf(8, 4))) == 2
    assert fetches(left(leaf(8, 4).T)) == 4
    x = rng.random((8, 4), "float32")
    assert_values(five_points(pt.asarray(x).T), five_points_expected(x.T), rtol=1e-5, atol=1e-5)


def test_results_that_are_read_in_another_order():
    x = rng.random((4, 8), "float32")
    result = five_points(pt.asarray(x)).T[::-1] + 0.0
    expected = five_points_expected(x).T[::-1]
    assert_values(result, np.ascontiguousarray(expected), rtol=1e-5, atol=1e-5)


def test_rows_that_differ_between_lanes_are_read_element_by_element():
    @pt.kernel(shape=lambda x: x.shape, border="wrap")
    def sheared(i, j, x):
        return x[i + j, j + 1]

    @pt.kernel(shape=lambda x: x.shape, border="wrap")
    def chosen(i, j, x):
        row = 0
        for k in range(3):
            if x[i, j] > 0.25 * k:
                row = row + k
        return x[row, j]

    x = rng.random((4, 8), "float32")
    i, j = np.indices(x.shape)
    assert_values(sheared(pt.asarray(x)), x[(i + j) % 4, (j + 1) % 8])
    rows = sum(k * (x > np.float32(0.25 * k)) for k in range(3))
    assert_values(chosen(pt.asarray(x)), x[rows % 4, j])


def test_rows_of_a_loop_share_texels():
    @pt.kernel(shape=lambda x: x.shape)
    def column_sums(i, j, x):
        total = 0.0
        for k in range(len(x)):
            total += x[k, j - 1] + x[k, j] + x[k, j + 1]
        return total

    x = rng.random((5, 8), "float32")
    result = column_sums(pt.asarray(x))
    assert fetches(result) == 3
    padded = np.pad(x, ((0, 0), (1, 1)), mode="edge")
    expected = (padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]).sum(0)
    assert_values(result, np.broadcast_to(expected, x.shape), rtol=1e-5)


def test_a_position_of_all_lanes_is_fetched_once():
    @pt.kernel(shape=lambda a, b: (a.shape[0], b.shape[1]))
    def product(i, j, a, b):
        total = 0.0
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        return total

    a, b = rng.random((5, 7), "float32"), rng.random((7, 8), "float32")
    result = product(pt.asarray(a), pt.asarray(b))
    # One element of `a` and one texel of `b`.
    assert fetches(result) == 2
    assert_values(result, a @ b, rtol=1e-5)
    # Rows of ten elements: four lanes may be in two rows.
    wide = rng.random((7, 10), "float32")
    assert_values(product(pt.asarray(a), pt.asarray(wide)), a @ wide, rtol=1e-5)


def test_operations_before_a_position_of_all_lanes():
    @pt.kernel(shape=lambda x: x.shape)
    def distances(i, x):
        total = 0.0
        for k in range(len(x)):
            total += abs(x[k] - x[i])
        return total

    x = rng.random(12).astype("float32")
    result = distances(pt.asarray(x) * 2.0)
    assert fetches(result) == 2
    assert_values(result, 2 * np.abs(x - x[:, None]).sum(1), rtol=1e-5)


def test_positions_that_loops_and_branches_make_differ():
    @pt.kernel(shape=lambda x: x.shape)
    def counted(i, x):
        at = 0
        while at < i:
            at += 1
        return x[at]

    @pt.kernel(shape=lambda x: x.shape)
    def chosen(i, x):
        at = 0
        if i % 2 == 1:
            at = 3
        return x[at]

    x = rng.random(8).astype("float32")
    assert_values(counted(pt.asarray(x)), x)
    assert_values(chosen(pt.asarray(x)), np.tile(x[[0, 3]], 4))


def test_reads_in_branches():
    @pt.kernel(shape=lambda x: x.shape, border="zero")
    def some(i, j, x):
        if x[i, j] > 0.5:
            return pt.sin(x[i, j - 1]) * pt.cos(x[i, j + 1]) + pt.exp(x[i, j - 1])
        return x[i, j + 1]

    x = rng.random((4, 8), "float32")
    padded = np.pad(x, ((0, 0), (1, 1)))
    left, right = padded[:, :-2], padded[:, 2:]
    expected = np.where(x > 0.5, np.sin(left) * np.cos(right) + np.exp(left), right)
    assert_values(some(pt.asarray(x)), expected, rtol=1e-5, atol=1e-6)
