"""Methods of elementwise functions give what NumPy's give."""

from __future__ import annotations

import numpy as np
import pytest

import py_tensor as pt

X = np.array([[3, 1, 2, 5], [4, 9, 2, 6], [5, 3, 5, 8]], "int32")
NAMES = (
    *("add", "subtract", "multiply", "maximum", "minimum", "bitwise_and", "bitwise_or"),
    *("bitwise_xor", "logical_and", "logical_or", "logical_xor"),
)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("method", ["reduce", "accumulate"])
def test_reduce_and_accumulate(method, name, axis):
    x = X > 3 if name.startswith("logical") else X
    expected = getattr(getattr(np, name), method)(x, axis=axis)
    result = getattr(getattr(pt, name), method)(pt.asarray(x), axis=axis)
    np.testing.assert_array_equal(result.numpy(), expected)
    assert result.shape == expected.shape


def test_reduce_of_floats_and_options():
    x = X[:2] / np.float32(4)
    for name in ("divide", "hypot", "add"):
        for options in ({"keepdims": True}, {"initial": 2.0}, {"axis": 1}):
            expected = getattr(np, name).reduce(x, **options)
            result = getattr(pt, name).reduce(pt.asarray(x), **options)
            np.testing.assert_allclose(result.numpy(), expected, rtol=1e-5)
            assert result.shape == expected.shape
    assert pt.add.reduce(X, axis=None).item() == X.sum()


def test_reduce_and_accumulate_without_elements():
    empty = pt.zeros((0, 3))
    assert pt.add.reduce(empty).tolist() == [0.0, 0.0, 0.0]
    assert pt.subtract.reduce(empty, initial=2.0).tolist() == [2.0, 2.0, 2.0]
    assert pt.maximum.accumulate(empty).shape == pt.subtract.accumulate(empty).shape == (0, 3)
    with pytest.raises(pt.errors.ShapeError, match=r"subtract\.reduce: no elements along axis"):
        pt.subtract.reduce(empty)


@pytest.mark.parametrize("name", ["add", "subtract", "less", "hypot", "arctan2"])
def test_outer(name):
    x, y = X.astype("float32"), np.array([0.5, 3.0], "float32")
    expected = getattr(np, name).outer(x, y)
    result = getattr(pt, name).outer(pt.asarray(x), [0.5, 3.0])
    assert result.shape == expected.shape
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-5)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "maximum", "minimum"])
@pytest.mark.parametrize("index", [[0, 2, 2], ([0, 0], [1, 1]), slice(1, 3)], ids=str)
def test_at_counts_every_occurrence(name, index):
    expected = X.astype("float32")
    getattr(np, name).at(expected, index, 4.0)
    result = pt.asarray(X.astype("float32"))
    other = result.copy()
    assert getattr(pt, name).at(result, index, 4.0) is None
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-6)
    np.testing.assert_array_equal(other.numpy(), X)


def test_at_needs_a_tensor():
    with pytest.raises(pt.errors.ArgumentError, match=r"add\.at: first argument is not a Tensor"):
        pt.add.at([1.0, 2.0], [0], 1.0)


def test_functions_of_one_operand_have_no_such_methods():
    assert not hasattr(pt.sin, "reduce")
