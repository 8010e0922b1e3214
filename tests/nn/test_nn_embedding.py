"""Embeddings, one-hot encodings, and dropout."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors

nn = pt.nn


@pytest.mark.parametrize("shape", [(), (5,), (2, 3)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("features", [3, 8])
def test_embedding(shape, dtype, features, rng):
    table = rng.standard_normal((10, features)).astype(dtype)
    indices = rng.integers(0, 10, shape).astype("int32")
    assert_values(nn.embedding(pt.asarray(indices), pt.asarray(table)), table[indices])


@pytest.mark.parametrize("dtype", ["int32", "uint8", "int16", "uint32"])
def test_one_hot_of_integers(dtype):
    indices = np.array([[0, 3], [2, 1]], dtype)
    assert_values(nn.one_hot(pt.asarray(indices), 4), np.eye(4, dtype="float32")[indices])


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "uint8", "bool"])
def test_one_hot_in_other_dtypes(dtype):
    want = np.eye(3, dtype=dtype)[[2, 0]]
    assert_values(nn.one_hot([2, 0], 3, dtype=dtype), want)


def test_one_hot_values():
    want = np.where(np.eye(3)[[2, 0]] == 1, 0.75, -0.5).astype("float16")
    assert_values(nn.one_hot([2, 0], 3, on_value=0.75, off_value=-0.5, dtype="float16"), want)
    assert_values(nn.one_hot([1], 3, on_value=7, off_value=5, dtype="int32"), np.int32([[5, 7, 5]]))


def test_positions_out_of_range():
    assert_values(nn.one_hot([-1, 3, 2], 3), np.float32([[0, 0, 0], [0, 0, 0], [0, 0, 1]]))
    assert_values(nn.one_hot([0, 1], 0), np.zeros((2, 0), "float32"))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_dropout(dtype, rate):
    pt.random.seed(7)
    x = np.full((100, 100), 2.0, dtype)
    got = nn.dropout(pt.asarray(x), rate).numpy()
    assert got.dtype == dtype
    kept = got[got != 0]
    np.testing.assert_allclose(kept.astype("float64"), 2.0 / (1.0 - rate), rtol=1e-3)
    # Four standard deviations of the mean of 10,000 draws.
    assert abs((got == 0).mean() - rate) < 4 * np.sqrt(rate * (1 - rate) / 10_000)


def test_dropped_infinities_leave_no_nan():
    x = pt.asarray(np.full(1000, np.inf, "float32"))
    pt.random.seed(1)
    got = nn.dropout(x, 0.5).numpy()
    assert set(got.tolist()) == {0.0, np.inf}


def test_dropout_rates_of_zero_and_one():
    x = pt.asarray([1.0, -2.0, float("inf")])
    assert nn.dropout(x, 0.0).tolist() == x.tolist()
    assert nn.dropout(x, 1.0).tolist() == [0.0, 0.0, 0.0]
    assert nn.dropout(x, 1.0, training=False).tolist() == x.tolist()


def test_dropout_draws_again_without_a_key():
    x = pt.ones(1000)
    a, b = nn.dropout(x, 0.5), nn.dropout(x, 0.5)
    assert (a.numpy() != b.numpy()).any()
    key = pt.random.key(3)
    c, d = nn.dropout(x, 0.5, key=key), nn.dropout(x, 0.5, key=key)
    assert (c.numpy() == d.numpy()).all()


CASES = {
    "embedding of floats": (
        errors.DTypeError,
        lambda: nn.embedding(pt.asarray([1.0]), pt.zeros((3, 2))),
        'embedding: indices must be integers; got dtype float32; use indices.astype("int32")',
    ),
    "embedding with a vector": (
        errors.ShapeError,
        lambda: nn.embedding([1], pt.zeros(3)),
        "embedding: table must have two axes; got shape (3,); pass (rows, features)",
    ),
    "one_hot of floats": (
        errors.DTypeError,
        lambda: nn.one_hot(pt.asarray([1.0]), 3),
        'one_hot: indices must be integers; got dtype float32; use indices.astype("int32")',
    ),
    "one_hot of a negative depth": (
        errors.ArgumentError,
        lambda: nn.one_hot([1], -1),
        "one_hot: depth is too small; got -1; use 0 or more",
    ),
    "dropout of integers": (
        errors.DTypeError,
        lambda: nn.dropout(pt.asarray([1]), 0.5),
        'dropout: dtype int32 is not floating; use x.astype("float32")',
    ),
    "dropout at no probability": (
        errors.ArgumentError,
        lambda: nn.dropout(pt.zeros(2), 1.5),
        "dropout: rate must be a probability; got 1.5; use a number from 0 to 1",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_wrong_arguments(name):
    error, call, text = CASES[name]
    assert_raises(error, text, call)
