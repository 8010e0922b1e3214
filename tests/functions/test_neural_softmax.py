"""softmax: axes, aligned and unaligned lengths, large numbers."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import HALF, assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors


def softmax(x, axis=-1):
    wide = x.astype("float64")
    powers = np.exp(wide - wide.max(axis=axis, keepdims=True))
    return (powers / powers.sum(axis=axis, keepdims=True)).astype(x.dtype)


@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((5,), -1),
        ((8,), 0),
        ((50, 10), -1),
        ((50, 12), 1),
        ((50, 12), 0),
        ((7, 13), 0),
        ((2, 3, 4), 1),
        ((3, 1), -1),
        ((2, 1000), -1),
        ((4000, 3), 0),
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_softmax(shape, axis, dtype, rng):
    x = (rng.standard_normal(shape) * 3).astype(dtype)
    rtol = 4e-6 if dtype == "float32" else 4 * HALF
    atol = 0.0 if dtype == "float32" else 1e-6
    assert_values(pt.softmax(pt.asarray(x), axis=axis), softmax(x, axis), rtol=rtol, atol=atol)


def test_large_numbers_do_not_overflow():
    x = np.float32([[1000.0, 1000.0], [-1e30, 0.0], [88.0, -88.0]])
    assert_values(pt.softmax(pt.asarray(x)), softmax(x), atol=1e-6)


def test_pending_operands(rng):
    x, w = (
        rng.standard_normal((6, 8)).astype("float32"),
        rng.standard_normal((8, 5)).astype("float32"),
    )
    assert_values(
        pt.softmax(pt.asarray(x) @ pt.asarray(w) * 0.5), softmax(x @ w * np.float32(0.5)), rtol=1e-5
    )


def test_attention(rng):
    q, k, v = (rng.standard_normal((2, 7, 16)).astype("float32") for _ in range(3))
    s, t, u = map(pt.asarray, (q, k, v))
    got = pt.softmax(s @ t.mT * 0.25) @ u
    assert_values(
        got, softmax(q @ k.transpose(0, 2, 1) * np.float32(0.25)) @ v, rtol=1e-5, atol=1e-5
    )


def test_empty():
    assert_values(pt.softmax(pt.zeros((3, 0))), np.zeros((3, 0), "float32"))
    assert_values(pt.softmax(pt.zeros((0, 3))), np.zeros((0, 3), "float32"))


def test_nan_propagates():
    assert np.isnan(pt.softmax(pt.asarray([1.0, float("nan")])).tolist()).all()


def test_wrong_arguments():
    assert pt.softmax(pt.asarray([1, 1])).tolist() == [0.5, 0.5]
    assert_raises(
        errors.ShapeError,
        "softmax: axis out of range; got axis 2 for 2 axes; use -2 to 1",
        lambda: pt.softmax(pt.zeros((2, 2)), axis=2),
    )
