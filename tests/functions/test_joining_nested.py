"""Sequences that hold tensors become one tensor, without a read and with gradients."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_raises, assert_spec, assert_values

import py_tensor as pt
from py_tensor import errors


def test_sequences_of_tensors(rng):
    x = rng.normal(size=(2, 3)).astype("float32")
    t = pt.asarray(x) * 2
    assert_values(pt.asarray([t, t + 1]), np.stack([2 * x, 2 * x + 1]))
    assert_values(pt.asarray(([t[0]], [t[1]])), 2 * x[:, None])
    assert_values(pt.sum([t, t], axis=0), 4 * x)


def test_numbers_and_tensors_mixed():
    one = pt.sum(pt.ones(3, dtype="int32"))
    assert_values(pt.asarray([[one, 2], [0, one + 1]]), np.int32([[3, 2], [0, 4]]))
    assert_values(pt.asarray([one, 2.5]), np.float32([3, 2.5]))
    assert_values(pt.asarray([one, np.float32(2.5)]), np.float32([3, 2.5]))
    assert_values(pt.asarray([one, True], dtype="float32"), np.float32([3, 1]))
    assert_values(pt.asarray([np.ones(2, "int32"), pt.zeros(2)]), np.float32([[1, 1], [0, 0]]))
    assert_spec(pt.asarray([pt.ones((), dtype="float16"), 1.5]), (2,), "float16")
    assert_spec(pt.asarray([one, 1j]), (2,), "complex64")


def test_gradients():
    def rotated(angle, x):
        c, s = pt.cos(angle), pt.sin(angle)
        return pt.sum((pt.asarray([[c, -s], [s, c]]) @ x) * pt.asarray([1.0, 2.0]))

    got = pt.grad(rotated)(pt.asarray(0.5), pt.asarray([3.0, 4.0]))
    c, s = np.cos(0.5), np.sin(0.5)
    assert_values(got, np.float32(-3 * s - 4 * c + 2 * (3 * c - 4 * s)), rtol=1e-6)


def test_under_jit():
    calls = []

    @pt.jit
    def pair(x, number):
        calls.append(0)
        return pt.asarray([x, x * 2, number])

    for x, number in ((1.0, 5.0), (3.0, 6.0)):
        assert_values(pair(pt.asarray(x), number), np.float32([x, 2 * x, number]))
    assert len(calls) == 1


def test_many_tensors():
    tensors = [pt.asarray(float(n)) for n in range(100)]
    assert_values(pt.asarray(tensors), np.arange(100, dtype="float32"))


@pytest.mark.parametrize("operation", ["asarray", "sum"])
def test_ragged_and_invalid_sequences(operation):
    function, t = getattr(pt, operation), pt.ones(2)
    assert_raises(
        errors.ShapeError,
        f"{operation}: ragged input; got shapes (), (2,) next to each other; make all shapes equal",
        lambda: function([t, 1.0]),
    )
    assert_raises(
        errors.ShapeError,
        f"{operation}: ragged input; got a number at index [1], next to sequences; nest all rows "
        "equally deep",
        lambda: function([[t], t]),
    )
    assert_raises(
        errors.DTypeError,
        f"{operation}: cannot convert str to a tensor; got 'a'; pass numbers, nested lists, a "
        "buffer or a NumPy array",
        lambda: function([t, "a"]),
    )
