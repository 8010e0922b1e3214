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


@pytest.mark.parametrize("indices", [[0, 2, 1], [2, 0], [0, 0, 1, 2], []], ids=str)
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", [*NAMES, "gcd"])
def test_reduceat(name, axis, indices):
    x = X > 3 if name.startswith("logical") else X
    places = np.asarray(indices, "int32")
    expected = getattr(np, name).reduceat(x, places, axis=axis)
    result = getattr(pt, name).reduceat(pt.asarray(x), places, axis=axis)
    np.testing.assert_array_equal(result.numpy(), expected)
    assert result.shape == expected.shape


def test_reduceat_needs_positions_of_the_axis():
    with pytest.raises(pt.errors.ShapeError, match=r"add\.reduceat: index 3 is out of range"):
        pt.add.reduceat(X, [0, 3])


def test_reduce_where_a_mask_is_true():
    x, mask = X / np.float32(4), X > 3
    for name in ("add", "multiply", "hypot", "logaddexp"):
        expected = getattr(np, name).reduce(x, axis=1, where=mask)
        result = getattr(pt, name).reduce(pt.asarray(x), axis=1, where=mask)
        np.testing.assert_allclose(result.numpy(), expected, rtol=1e-5)
    for name in ("maximum", "subtract"):
        options = {"initial": 2.0, "where": mask[:, :1]}
        expected = getattr(np, name).reduce(x, **options)
        result = getattr(pt, name).reduce(pt.asarray(x), **options)
        np.testing.assert_allclose(result.numpy(), expected, rtol=1e-5)


def test_methods_write_to_out():
    row, whole = pt.zeros(4), pt.zeros((3, 4))
    assert pt.add.reduce(X, out=row) is row
    assert pt.add.accumulate(X, out=whole) is whole
    np.testing.assert_array_equal(row.numpy(), X.sum(axis=0))
    np.testing.assert_array_equal(whole.numpy(), X.cumsum(axis=0))
    assert pt.maximum.reduceat(X, [0, 2], axis=1, out=whole[:, :2].copy()).shape == (3, 2)
    assert pt.add.outer(X[0], X[1], out=pt.zeros((4, 4))).shape == (4, 4)


@pytest.mark.parametrize("name", ["bitwise_xor", "power", "logical_or", "fmax", "lcm"])
def test_at_of_functions_that_are_called_for_each_occurrence(name):
    x = X > 3 if name.startswith("logical") else X
    values = x[0, :3]
    expected, result = x.copy(), pt.asarray(x.copy())
    getattr(np, name).at(expected, ([0, 0, 2], [1, 1, 3]), values)
    getattr(pt, name).at(result, ([0, 0, 2], [1, 1, 3]), values)
    np.testing.assert_array_equal(result.numpy(), expected)


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
