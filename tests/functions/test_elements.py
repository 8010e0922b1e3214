"""Single elements that are read and written on the host: equal to the general way, and in place."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_values

import py_tensor as pt
from py_tensor import errors

X = np.arange(24).reshape(2, 3, 4)
DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "float16", "float32"]


@pytest.mark.parametrize("dtype", [*DTYPES, "complex64"])
def test_elements_of_every_dtype(dtype):
    want = X.astype(dtype)
    x = pt.asarray(want)
    assert_values(x[1, -2, 3], want[1, -2, 3])
    for array in (x, want):
        array[1, -2, 3] = array[0, 0, 1]
        array[0, 1, 1] = True
        array[-1, 0, 0] = array[0, 2, 2] & True if dtype == "bool" else array[0, 2, 2] * 2
    assert_values(x, want)


@pytest.mark.parametrize(
    ("dtype", "number"),
    [("int32", 2**31), ("uint8", -1), ("int8", 128), ("bool", 2), ("int32", 1.5), ("float32", 1j)],
)
def test_numbers_that_do_not_fit_are_treated_as_for_a_slice(dtype, number):
    x, y = pt.zeros(3, dtype=dtype), pt.zeros(3, dtype=dtype)
    results = []
    for assign in (lambda: x.__setitem__(1, number), lambda: y.__setitem__(S(1, 2), number)):
        try:
            assign()
            results.append(None)
        except (errors.DTypeError, errors.ShapeError, ValueError, OverflowError) as error:
            results.append((type(error), str(error)))
    assert results[0] == results[1]
    assert x.tolist() == y.tolist()


S = slice


@pytest.mark.parametrize("key", [3, -4, (0, 3), (2, 0), (0, -4)])
def test_indices_out_of_range_raise(key):
    x = pt.zeros((2, 3) if isinstance(key, tuple) else 3)
    with pytest.raises(IndexError, match="getitem"):
        x[key]
    with pytest.raises(IndexError, match="setitem"):
        x[key] = 1
    assert x.tolist() == pt.zeros(x.shape).tolist()


def test_writing_an_element_keeps_everything_that_was_made_of_the_tensor():
    x = pt.arange(4)
    x[0] = 10
    copied, pending, reshaped = x.copy(), x * 2, x.reshape(2, 2, copy=True)
    data, listed = memoryview(x), x.tolist()
    element, part = x[0], x[1:]
    x[0] = 20
    x[1] = 30
    assert copied.tolist() == [10, 1, 2, 3]
    assert pending.tolist() == [20, 2, 4, 6]
    assert reshaped.tolist() == [[10, 1], [2, 3]]
    assert data.tolist() == listed == [10, 1, 2, 3]
    assert element == 10
    assert part.tolist() == [30, 2, 3]
    assert x.tolist() == [20, 30, 2, 3]


def test_writing_an_element_of_a_part_writes_the_whole_and_the_other_parts():
    x = pt.arange(12).reshape(3, 4).copy()
    row, column, turned = x[1], x[:, 2], x.T
    row[2] = 50
    row[3] = 60
    column[0] = 70
    turned[0, 2] = 80
    x[1, 0] = 90
    want = [[0, 1, 70, 3], [90, 5, 50, 60], [80, 9, 10, 11]]
    assert x.tolist() == want
    assert row.tolist() == want[1]
    assert column.tolist() == [70, 50, 10]
    assert turned[0].tolist() == [0, 90, 80]


def test_elements_that_are_written_are_used_by_later_operations():
    x = pt.zeros(5)
    total = pt.asarray(0.0)
    for i in range(5):
        x[i] = i + 1
        total = total + x.sum() + x[i]
    assert total == 1 + 3 + 6 + 10 + 15 + 15
    assert (x * 2).tolist() == [2, 4, 6, 8, 10]


def test_writing_elements_inside_transforms():
    def f(x):
        y = x * 1
        y[1] = x[0] * 3
        return (y * y).sum()

    x = pt.asarray([1.0, 2.0, 3.0])
    assert pt.jit(f)(x) == f(x) == 19
    assert pt.grad(f)(x).tolist() == [20.0, 0.0, 6.0]
    pulled = pt.vjp(lambda x: x * x, x)[1]
    x[0] = 5.0
    assert pulled(pt.ones(3))[0].tolist() == [2.0, 4.0, 6.0]


def test_a_captured_constant_keeps_its_value():
    w = pt.asarray([1.0, 2.0])
    w[0] = 3.0
    add = pt.jit(lambda x: x + w)
    assert add(pt.zeros(2)).tolist() == [3.0, 2.0]
    w[0] = 9.0
    assert add(pt.zeros(2)).tolist() == [3.0, 2.0]
    assert (w * 1).tolist() == [9.0, 2.0]


def test_disposed_tensors_raise():
    x = pt.zeros(3)
    x.dispose()
    with pytest.raises(errors.DisposedError):
        x[0]
    with pytest.raises(errors.DisposedError):
        x[0] = 1
