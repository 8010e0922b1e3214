"""Tensors given by the indices of their elements, and rows of different lengths."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from helpers import assert_raises, assert_values, sample

import py_tensor as pt
from py_tensor import errors

DTYPES = ["float32", "int32", "uint8"]


def distinct(rng, shape, count):
    """Draw different indices."""
    flat = rng.permutation(int(np.prod(shape)))[:count]
    return np.stack(np.unravel_index(flat, shape), axis=1).astype("int32")


@pytest.mark.parametrize("dtype", [*DTYPES, "bool"])
@pytest.mark.parametrize("shape", [(7,), (3, 4), (2, 3, 4)])
def test_to_dense(dtype, shape, rng):
    indices, values = distinct(rng, shape, 5), sample(rng, (5,), dtype, 1, 9)
    expected = np.full(shape, 1, dtype)
    expected[tuple(indices.T)] = values
    assert_values(pt.sparse.to_dense(pt.asarray(indices), pt.asarray(values), shape, 1), expected)


@pytest.mark.parametrize("new", [(24,), (4, 6), (-1, 2), (2, -1, 3)])
def test_reshape(new, rng):
    indices = distinct(rng, (3, 8), 6)
    got, shape = pt.sparse.reshape(pt.asarray(indices), (3, 8), new)
    expected = np.zeros(24).reshape(new).shape
    flat = np.ravel_multi_index(tuple(indices.T), (3, 8))
    assert shape == expected
    assert_values(got, np.stack(np.unravel_index(flat, expected), axis=1).astype("int32"))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [0, 1, 7])
def test_fill_empty_rows(dtype, count, rng):
    shape = (6, 5)
    indices, values = distinct(rng, shape, count), sample(rng, (count,), dtype, 1, 9)
    filled = pt.sparse.fill_empty_rows(pt.asarray(indices), pt.asarray(values), shape, 100)
    rows = filled.indices.numpy()[:, 0]
    assert (np.diff(rows) >= 0).all()
    assert set(rows) == set(range(6))
    empty = np.array([row not in indices[:, 0] for row in range(6)])
    assert_values(filled.empty_rows, empty)
    assert_values(filled.indices[filled.places], indices)
    assert_values(filled.values[filled.places], values)
    added = np.setdiff1d(np.arange(len(rows)), filled.places.numpy())
    assert (filled.values.numpy()[added] == 100).all()
    assert (filled.indices.numpy()[added, 1] == 0).all()


def nested(splits, values):
    """Return rows as nested lists."""
    for level in reversed(splits):
        values = [values[a:b] for a, b in pairwise(level)]
    return values


SPLITS = [[0, 2, 2, 5], [0, 1, 4, 4, 6, 7]]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("indices", [[2, 0, 2], [1], []])
@pytest.mark.parametrize("levels", [1, 2])
def test_gather(dtype, indices, levels, rng):
    splits = SPLITS[-levels:]
    values = sample(rng, (7, 2), dtype, 0, 9)
    limits, taken = pt.ragged.gather(splits, pt.asarray(values), pt.asarray(indices, dtype="int32"))
    expected = nested(splits, values.tolist())
    got = nested([limit.tolist() for limit in limits], taken.tolist())
    assert got == [expected[at] for at in indices]
    assert taken.dtype.name == dtype


def test_ranges():
    splits, values = pt.ragged.ranges([0.5, 3.0, 1.0], [2.0, 0.0, 1.0], [0.5, -2.0, 1.0])
    assert_values(splits, np.array([0, 3, 5, 5], "int32"))
    assert_values(values, np.array([0.5, 1.0, 1.5, 3.0, 1.0], "float32"))
    splits, values = pt.ragged.ranges(2, [4, -2, 3])
    assert_values(splits, np.array([0, 2, 2, 3], "int32"))
    assert_values(values, np.array([2, 3, 2], "int32"))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [None, (2, None, 2), (5, 1, 4), (0, 2, 2)])
def test_to_tensor(dtype, shape, rng):
    values = sample(rng, (7, 2), dtype, 0, 9)
    got = pt.ragged.to_tensor(SPLITS, pt.asarray(values), 9, shape)
    rows = nested(SPLITS, values.tolist())
    lengths = [3, 3, 3] if shape is None else list(shape)
    lengths[1] = 3 if lengths[1] is None else lengths[1]
    expected = np.full((*lengths, 2), 9, dtype)
    for i, outer in enumerate(rows[: lengths[0]]):
        for j, inner in enumerate(outer[: lengths[1]]):
            for k, value in enumerate(inner[: lengths[2]]):
                expected[i, j, k] = value
    assert_values(got, expected)


def test_gradients_of_values():
    values = pt.arange(5.0)
    gradient = pt.grad(lambda v: pt.sum(pt.ragged.to_tensor([[0, 2, 2, 5]], v) ** 2))(values)
    assert gradient.tolist() == [0.0, 2.0, 4.0, 6.0, 8.0]
    gradient = pt.grad(lambda v: pt.sum(pt.sparse.to_dense([[0], [2]], v, (3,)) * 3.0))(pt.ones(2))
    assert gradient.tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    ("error", "text", "call"),
    [
        (
            errors.DTypeError,
            'to_dense: indices are not integers; got dtype float32; use indices.astype("int32")',
            lambda: pt.sparse.to_dense([[0.0]], [1.0], (1,)),
        ),
        (
            errors.ShapeError,
            "to_dense: indices are no matrix; got shape (1,); pass one row of indices for each "
            "element",
            lambda: pt.sparse.to_dense([0], [1.0], (1,)),
        ),
        (
            errors.ShapeError,
            "to_dense: indices do not fit; got shape (1, 1) for shape (2, 2); pass one column for "
            "each axis",
            lambda: pt.sparse.to_dense([[0]], [1.0], (2, 2)),
        ),
        (
            errors.ShapeError,
            "reshape: shapes do not fit; got indices of shape (1, 2) for shape (2, 3) and new "
            "shape (5,); the sizes must be equal",
            lambda: pt.sparse.reshape([[0, 1]], (2, 3), (5,)),
        ),
        (
            errors.ShapeError,
            "fill_empty_rows: elements do not fit; got indices of shape (1, 2), values of shape "
            "(1,) and shape (2, 2); pass one row of indices within the shape for each value",
            lambda: pt.sparse.fill_empty_rows([[2, 0]], [1.0], (2, 2), 0),
        ),
        (
            errors.ShapeError,
            "gather: splits do not fit; got [0, 3]; they must rise from 0 to the number of rows or "
            "values of the next level, 2",
            lambda: pt.ragged.gather([[0, 3]], [1.0, 2.0], [0]),
        ),
        (
            errors.ShapeError,
            "gather: index out of range; got [1]; use 0 to 0",
            lambda: pt.ragged.gather([[0, 2]], [1.0, 2.0], [1]),
        ),
        (
            errors.DTypeError,
            'gather: indices are not integers; got dtype float32; use indices.astype("int32")',
            lambda: pt.ragged.gather([[0, 2]], [1.0, 2.0], [0.0]),
        ),
        (
            errors.ShapeError,
            "ranges: a difference is 0; got 0; use other numbers",
            lambda: pt.ragged.ranges([0], [3], [0]),
        ),
        (
            errors.ShapeError,
            "ranges: operands do not fit; got shapes (2,), (3,), (); pass vectors of one length, "
            "or numbers",
            lambda: pt.ragged.ranges([0, 1], [3, 4, 5]),
        ),
        (
            errors.ShapeError,
            "to_tensor: shape does not fit; got (2,) for 1 vectors of splits; pass one more length "
            "than vectors",
            lambda: pt.ragged.to_tensor([[0, 1]], [1.0], 0, (2,)),
        ),
    ],
)
def test_wrong_arguments(error, text, call):
    assert_raises(error, text, call)
