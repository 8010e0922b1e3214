"""Keys with masks and tensors of indices, read and assigned, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors

PLACES = np.array([[0, 2], [1, -1]], "int32")
X = np.arange(60, dtype="int32").reshape(3, 4, 5)
M = X % 3 == 1
S = slice
KEYS = {
    "rows": PLACES,
    "list": [0, 2],
    "no rows": [],
    "one": np.array(1),
    "inner axis": (S(None), PLACES),
    "apart": (PLACES, S(None), PLACES),
    "side by side": (PLACES, PLACES),
    "broadcast": (np.array([[0], [1]]), np.array([1, 2, 3])),
    "beside an integer": (0, S(None), PLACES),
    "integer behind": (PLACES, 0),
    "with a step": (S(None, None, -2), PLACES, S(1, 4, 2)),
    "new axes": (None, PLACES, None),
    "ellipsis": (..., PLACES),
    "ellipsis before": (PLACES, ...),
    "unsigned": PLACES.astype("uint8") % 3,
    "mask": M,
    "mask of rows": np.array([True, False, True]),
    "mask of the first axes": M[:, :, 0],
    "mask behind": (S(None), M[0]),
    "mask beside indices": (np.array([0, 1]), np.array([True, False, True, False])),
    "empty mask": np.zeros((3, 4, 5), bool),
    "full mask": np.ones((3, 4), bool),
}


def for_numpy(key):
    """NumPy takes an empty list for floats."""
    return np.array(key, "int32") if isinstance(key, list) else key


def given(key):
    """The key with tensors in the place of arrays."""
    if isinstance(key, tuple):
        return tuple(map(given, key))
    return pt.asarray(key) if isinstance(key, np.ndarray) else key


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("dtype", ["int32", "float32", "uint8", "bool"])
def test_read(name, dtype):
    key, x = KEYS[name], X.astype(dtype)
    assert_values(pt.asarray(x)[given(key)], x[for_numpy(key)])


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("dtype", ["int32", "float32", "bool"])
def test_assign(name, dtype, rng):
    key, x = KEYS[name], X.astype(dtype)
    key = for_numpy(key)
    shape = x[key].shape
    for value in (
        rng.integers(0, 100, shape).astype(dtype),
        rng.integers(0, 100, shape[-1:]).astype(dtype),
        np.ones((), dtype),
    ):
        expected, t = x.copy(), pt.asarray(x)
        expected[key] = value
        t[given(KEYS[name])] = pt.asarray(value)
        assert_values(t, expected)


def test_arrays_are_indices_as_tensors_are():
    assert_values(pt.asarray(X)[PLACES], X[PLACES])
    assert_values(pt.asarray(X)[M], X[M])


def test_last_of_several_values_stays():
    t = pt.zeros(4)
    t[[1, 2, 1]] = pt.asarray([5.0, 6.0, 7.0])
    assert t.tolist() == [0.0, 7.0, 6.0, 0.0]


@pytest.mark.parametrize("shape", [(3000,), (3000, 3)], ids=str)
def test_many_places(shape, rng):
    """More than are compared one by one."""
    x = rng.standard_normal(shape).astype("float32")
    places = rng.integers(-3000, 3000, 2000).astype("int32")
    new = rng.standard_normal((2000, *shape[1:])).astype("float32")
    t = pt.asarray(x)
    t[pt.asarray(places)] = pt.asarray(new)
    x[places] = new
    assert_values(t, x)
    mask = rng.standard_normal(3000) > 0
    t[pt.asarray(mask)] = pt.asarray(new[: mask.sum()])
    x[mask] = new[: mask.sum()]
    assert_values(t, x)
    t[pt.asarray(places[:1500])] = 0.5
    x[places[:1500]] = 0.5
    assert_values(t, x)


def test_a_mask_and_a_number_read_nothing():
    @pt.jit
    def clipped(x):
        x[x > 2.0] = 2.0
        return x

    assert clipped(pt.asarray([1.0, 3.0])).tolist() == [1.0, 2.0]


def test_indices_of_a_traced_function():
    rows = pt.jit(lambda x, i: x[i, :2])
    assert_values(rows(pt.asarray(X[0]), pt.asarray(PLACES)), X[0][PLACES, :2])


def test_gradients():
    i, x = pt.asarray([0, 0, 2]), pt.asarray([1.0, 2.0, 3.0])
    assert pt.grad(lambda x: pt.sum(x[i] ** 2))(x).tolist() == [4.0, 0.0, 6.0]

    def assigned(x, v):
        y = x * 1.0
        y[i] = v
        return pt.sum(y * pt.asarray([1.0, 10.0, 100.0]))

    dx, dv = pt.grad(assigned, (0, 1))(x, pt.asarray([5.0, 6.0, 7.0]))
    assert dx.tolist() == [0.0, 10.0, 0.0] and dv.tolist() == [0.0, 1.0, 100.0]


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (pt.float32, "getitem: not an index; got float32; use integers, slices, ... and None"),
        (
            (PLACES, 9),
            "getitem: index out of range; got 9 for axis 1 of length 4; use -4 to 3",
        ),
        (
            (PLACES, 1.5),
            "getitem: not an index; got 1.5; use integers, slices, ..., None, and tensors of "
            "integers or bool",
        ),
        (
            (PLACES, PLACES, PLACES, PLACES),
            "getitem: too many indices; got 4 for shape (3, 4, 5); give at most 3",
        ),
        ((..., PLACES, ...), "getitem: more than one ellipsis; got {key}; use one"),
        (
            np.ones((3, 5), bool),
            "getitem: mask does not fit; got shape (3, 5) for axes of lengths (3, 4); "
            "give one truth value an element",
        ),
        (
            np.ones(2, "float32"),
            "getitem: index is neither integers nor a mask; got dtype float32; "
            'use x.astype("int32")',
        ),
    ],
    ids=str,
)
def test_wrong_keys(key, text):
    t = pt.asarray(X)
    assert_raises(errors.ShapeError, text.format(key=given(key)), lambda: t[given(key)])


def test_wrong_values():
    t = pt.asarray(X)

    def assign(key, value):
        t[key] = value

    assert_raises(
        errors.ShapeError,
        "setitem: shapes do not fit; got (3,) for a place of shape (2, 4, 5); "
        "the value must broadcast to it",
        lambda: assign([0, 1], pt.ones(3, dtype="int32")),
    )
    assert_raises(
        errors.ShapeError,
        "setitem: mask does not fit; got shape (4,) for a tensor of shape (3, 4, 5); "
        "give one truth value an element",
        lambda: assign(pt.asarray([True] * 4), 0),
    )
    assert_raises(
        errors.ShapeError,
        "getitem: nothing to choose from; got axis 0 of length 0 and 1 indices; "
        "give an axis with elements",
        lambda: pt.zeros((0, 2))[[0]],
    )
    assert_values(t, X)
