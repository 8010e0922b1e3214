"""Kernels that are called on the indices of each element, and read tensors at positions."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_raises, assert_values
from kernel_forms import assert_like_python
from plans import plan_of

import py_tensor as pt
from py_tensor.errors import ArgumentError, DTypeError, ShapeError

rng = np.random.default_rng(0)
IMAGE = rng.random((5, 7), "float32")


def mandelbrot(i, j, height, width, steps):
    x = y = 0.0
    for n in range(steps):
        if x * x + y * y > 4.0:
            return n
        x, y = x * x - y * y + 3.0 * j / width - 2.2, 2.0 * x * y + 2.25 * i / height - 1.125
    return steps


def gray_scott(i, j, u, v):
    lap_u = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j]
    lap_v = v[i - 1, j] + v[i + 1, j] + v[i, j - 1] + v[i, j + 1] - 4.0 * v[i, j]
    r = u[i, j] * v[i, j] * v[i, j]
    feed = 0.035 * (1.0 - u[i, j])
    return u[i, j] + 0.16 * lap_u - r + feed, v[i, j] + 0.08 * lap_v + r - 0.1 * v[i, j]


def shifted(i, j, x, rows, columns):
    return x[i + rows, j + columns]


MODES = {"clamp": "edge", "wrap": "wrap", "zero": "constant"}


def test_coordinates():
    kernel = pt.kernel(lambda_like, shape=lambda a, b, c: (a, b, c))
    expected = np.arange(2 * 3 * 5).reshape(2, 3, 5).astype("int32")
    assert_values(kernel(2, 3, 5), expected)


def lambda_like(i, j, k, a, b, c):
    return (i * b + j) * c + k


def test_mandelbrot():
    kernel = pt.kernel(mandelbrot, shape=lambda height, width, steps: (height, width))
    assert_like_python(kernel, 9, 13, 30)


@pytest.mark.parametrize("border", MODES)
def test_several_results_of_a_stencil(border):
    kernel = pt.kernel(gray_scott, shape=lambda u, v: u.shape, border=border)
    assert_like_python(kernel, pt.asarray(IMAGE), pt.asarray(IMAGE[::-1].copy()))


@pytest.mark.parametrize("border", MODES)
@pytest.mark.parametrize("offset", [(0, 0), (2, -3), (-6, 9), (5, 7), (0, -1)])
def test_borders(border, offset):
    kernel = pt.kernel(shifted, shape=lambda x, rows, columns: x.shape, border=border)
    rows, columns = offset
    padded = np.pad(IMAGE, ((10, 10), (10, 10)), mode=MODES[border])
    expected = padded[10 + rows : 15 + rows, 10 + columns : 17 + columns]
    assert_values(kernel(pt.asarray(IMAGE), rows, columns), expected)
    assert_like_python(kernel, pt.asarray(IMAGE), rows, columns)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "uint32", "int8", "bool"])
def test_dtypes_are_read(dtype):
    @pt.kernel(shape=lambda x: x.shape[::-1])
    def transposed(i, j, x):
        return x[j, i]

    x = (IMAGE * 100 - (0 if dtype == "uint32" else 50)).astype(dtype)
    wanted = {"float16": "float32", "int8": "int32"}.get(dtype, dtype)
    assert_values(transposed(pt.asarray(x)), x.T.astype(wanted))


def test_lengths():
    @pt.kernel(shape=lambda x: (4,))
    def lengths(i, x):
        rows, columns = x.shape
        return (rows, columns, x.shape[1] - len(x), x.ndim)[i]

    assert lengths(pt.asarray(IMAGE)).tolist() == [5, 7, 2, 2]


def test_a_fixed_shape_and_a_number_of_elements():
    @pt.kernel(shape=6)
    def squares(i):
        return i * i

    @pt.kernel(shape=(2, 2))
    def ones(i, j):
        return 1.0

    @pt.kernel(shape=lambda n: n)
    def up_to(i, n):
        return i

    assert squares().tolist() == [0, 1, 4, 9, 16, 25]
    assert ones().tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert up_to(3).tolist() == [0, 1, 2]
    assert up_to(0).shape == (0,)


def test_tensors_without_axes_are_numbers():
    @pt.kernel(shape=3)
    def line(i, slope):
        return i * slope

    assert line(pt.asarray(0.5)).tolist() == [0.0, 0.5, 1.0]


def test_computed_positions_in_a_loop():
    @pt.kernel(shape=lambda x: x.shape)
    def prefix(i, x):
        total = 0.0
        for k in range(i + 1):
            total += x[k]
        return total

    x = np.arange(10, dtype="float32")
    assert_values(prefix(pt.asarray(x)), np.cumsum(x))


def test_large_tensors():
    @pt.kernel(shape=lambda x: x.shape, border="zero")
    def corner(i, j, x):
        return x[i - 1, j - 1] + 1

    x = np.arange(300 * 301, dtype="int32").reshape(300, 301)
    expected = np.pad(x, ((1, 0), (1, 0)))[:-1, :-1] + 1
    assert_values(corner(pt.asarray(x)), expected.astype("int32"))


def test_operations_before_and_after_are_fused():
    kernel = pt.kernel(shifted, shape=lambda x, rows, columns: x.shape)
    x = pt.asarray(IMAGE)
    result = kernel(x * 2.0 + 1.0, 1, 0) * 3.0
    assert len(plan_of(result).draws) == 1
    assert_values(result, (IMAGE * 2 + 1)[[1, 2, 3, 4, 4]] * np.float32(3), rtol=1e-6)


def test_costly_operations_before_reads_are_computed_once():
    @pt.kernel(shape=lambda x: x.shape, border="wrap")
    def neighbours(i, x):
        return x[i - 1] + x[i + 1]

    x = pt.asarray(np.linspace(-1, 1, 64, dtype="float32"))
    result = neighbours(pt.sin(pt.exp(x)))
    assert len(plan_of(result).draws) == 2
    expected = np.sin(np.exp(np.linspace(-1, 1, 64, dtype="float32")))
    assert_values(result, np.roll(expected, 1) + np.roll(expected, -1), rtol=2e-5, atol=1e-6)


def test_reductions_of_kernels():
    kernel = pt.kernel(lambda_like, shape=lambda a, b, c: (a, b, c))
    assert pt.sum(kernel(2, 3, 5)).item() == sum(range(30))
    assert (
        pt.sum(kernel(2, 3, 5), axis=1).tolist() == np.arange(30).reshape(2, 3, 5).sum(1).tolist()
    )


def test_another_size_has_the_same_shader():
    kernel = pt.kernel(shifted, shape=lambda x, rows, columns: x.shape)

    def shader(shape):
        plan = plan_of(kernel(pt.zeros(shape), 1, 2) + 1.0)
        return [draw.shader.source for draw in plan.draws]

    assert shader((5, 7)) == shader((6, 6)) == shader((4, 9))


def test_many_sizes_in_turn():
    kernel = pt.kernel(shifted, shape=lambda x, rows, columns: x.shape, border="zero")
    x = np.arange(400, dtype="float32").reshape(20, 20)
    for _ in range(2):
        for n in range(1, 20):
            expected = np.zeros((n, n + 1), "float32")
            expected[:-1] = x[1:n, : n + 1]
            assert_values(kernel(pt.asarray(x[:n, : n + 1]), 1, 0), expected)


def test_errors_of_shapes():
    kernel = pt.kernel(shifted, shape=lambda x, rows, columns: x.shape)
    assert_raises(
        ShapeError,
        "shifted: result has 1 axes but the function takes 2 indices; got shape (3,); return 2 "
        "lengths",
        lambda: kernel(pt.ones(3), 0, 0),
    )
    assert_raises(
        ShapeError,
        "shifted: a tensor has no elements to read; got shape (0, 3); give at least one",
        lambda: kernel(pt.ones((0, 3)), 0, 0),
    )
    assert_raises(
        ArgumentError,
        "kernel: shape must take the arguments of shifted after the indices; got ('y',) for "
        "('i', 'j', 'x', 'rows', 'columns'); use the same names",
        lambda: pt.kernel(shifted, shape=lambda y: y.shape),
    )
    assert_raises(
        DTypeError,
        "shifted: kernels have no complex numbers; got dtype complex64; use pt.real(x) and "
        "pt.imag(x)",
        lambda: kernel(pt.asarray([[1j]]), 0, 0),
    )
    assert_raises(
        ArgumentError,
        "shifted: shifted needs columns; got 2 arguments and names []; give one value for each "
        "parameter",
        lambda: kernel(pt.ones((2, 2)), 0),
    )
