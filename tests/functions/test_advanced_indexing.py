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
    "with an integer before": (0, S(None), PLACES),
    "with an integer after": (PLACES, 0),
    "with a step": (S(None, None, -2), PLACES, S(1, 4, 2)),
    "new axes": (None, PLACES, None),
    "ellipsis": (..., PLACES),
    "ellipsis before": (PLACES, ...),
    "unsigned": PLACES.astype("uint8") % 3,
    "mask": M,
    "mask of rows": np.array([True, False, True]),
    "mask of the first axes": M[:, :, 0],
    "mask of the last axes": (S(None), M[0]),
    "mask and indices": (np.array([0, 1]), np.array([True, False, True, False])),
    "empty mask": np.zeros((3, 4, 5), bool),
    "full mask": np.ones((3, 4), bool),
}


def for_numpy(key):
    """Convert empty lists to integer arrays, since NumPy makes them floats."""
    return np.array(key, "int32") if isinstance(key, list) else key


def given(key):
    """Replace the arrays of a key by tensors."""
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


def test_arrays_are_accepted_as_indices():
    assert_values(pt.asarray(X)[PLACES], X[PLACES])
    assert_values(pt.asarray(X)[M], X[M])


def test_last_of_several_values_is_kept():
    t = pt.zeros(4)
    t[[1, 2, 1]] = pt.asarray([5.0, 6.0, 7.0])
    assert t.tolist() == [0.0, 7.0, 6.0, 0.0]


@pytest.mark.parametrize("shape", [(3000,), (3000, 3)], ids=str)
def test_many_places(shape, rng):
    """Use more indices than are searched linearly."""
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


def test_assignment_by_mask_under_jit():
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
        (pt.float32, "getitem: invalid index; got float32; use integers, slices, ... and None"),
        (
            (PLACES, 9),
            "getitem: index 9 is out of range; got axis of size 4; use -4 to 3 along axis 1",
        ),
        (
            (PLACES, 1.5),
            "getitem: invalid index; got 1.5; use integers, slices, ..., None, and tensors of "
            "integers or bool",
        ),
        (
            (PLACES, PLACES, PLACES, PLACES),
            "getitem: too many indices; got 4 for shape (3, 4, 5); use at most 3",
        ),
        ((..., PLACES, ...), "getitem: more than one ellipsis; got {key}; use one"),
        (
            np.ones((3, 5), bool),
            "getitem: mask has the wrong shape; got shape (3, 5) for axes of lengths (3, 4); use "
            "one bool per element",
        ),
        (
            np.ones(2, "float32"),
            'getitem: index must be integers or a mask; got dtype float32; use x.astype("int32")',
        ),
    ],
    ids=str,
)
def test_wrong_keys(key, text):
    t = pt.asarray(X)
    assert_raises(errors.ShapeError, text.format(key=given(key)), lambda: t[given(key)])


OUT_OF_RANGE = {
    "list": ([5], 5, 3, 0),
    "negative": ([0, -4], -4, 3, 0),
    "nested list": ([[0, 1], [2, 3]], 3, 3, 0),
    "pair of lists": (([5], [0]), 5, 3, 0),
    "second of two lists": (([0], [4]), 4, 4, 1),
    "after an ellipsis": ((..., [-6]), -6, 5, 2),
    "after a slice and a new axis": ((None, S(1), [4]), 4, 4, 1),
    "array of NumPy": (np.array([2, 3]), 3, 3, 0),
    "unsigned array of NumPy": (np.array([3], "uint32"), 3, 3, 0),
    "one-element array": ((S(None), np.array([-5])), -5, 4, 1),
}
"""Keys, and the wrong index, the length and the number of its axis."""


@pytest.mark.parametrize("name", OUT_OF_RANGE)
def test_known_indices_out_of_range(name):
    key, index, length, axis = OUT_OF_RANGE[name]
    t = pt.asarray(X)
    text = (
        f"index {index} is out of range; got axis of size {length}; use {-length} to {length - 1} "
        f"along axis {axis}"
    )
    assert_raises(errors.ShapeError, f"getitem: {text}", lambda: t[key])
    for value in (1, pt.asarray([1])):
        assert_raises(errors.ShapeError, f"setitem: {text}", lambda v=value: t.__setitem__(key, v))
    assert_raises(errors.ShapeError, f"setitem: {text}", lambda: t.at[key].set(1))
    for name in ("add", "multiply", "min", "power"):
        update = getattr(t.at[key], name)
        assert_raises(errors.ShapeError, f"getitem: {text}", lambda update=update: update(1))
    assert_values(t, X)
    with pytest.raises(IndexError):
        t[key]


def test_known_indices_at_the_limits():
    t = pt.asarray(X)
    for key in ([2, -3], (S(None), [3, -4]), (..., np.array([4, -5]))):
        assert_values(t[key], X[key])


def test_indices_in_tensors_are_limited_to_the_axis():
    t = pt.asarray([1, 2, 3])
    far = pt.asarray([5, -9, 1])
    assert t[far].tolist() == [3, 1, 2]
    assert t[[pt.asarray(5), 0]].tolist() == [3, 1]
    assert t.at[far].get().tolist() == [3, 1, 2]
    assert pt.jit(lambda x, i: x[i])(t, far).tolist() == [3, 1, 2]
    assert_raises(
        errors.ShapeError,
        "getitem: index 4 is out of range; got axis of size 1; use -1 to 0 along axis 1",
        lambda: t[:, None][far, [4]],
    )


def test_wrong_values():
    t = pt.asarray(X)

    def assign(key, value):
        t[key] = value

    assert_raises(
        errors.ShapeError,
        "setitem: shapes are incompatible; got (3,) for a target of shape (2, 4, 5); the value "
        "must broadcast to it",
        lambda: assign([0, 1], pt.ones(3, dtype="int32")),
    )
    assert_raises(
        errors.ShapeError,
        "setitem: mask has the wrong shape; got shape (4,) for a tensor of shape (3, 4, 5); use "
        "one bool per element",
        lambda: assign(pt.asarray([True] * 4), 0),
    )
    assert_raises(
        errors.ShapeError,
        "getitem: cannot index an empty axis; got axis 0 of length 0 and 1 indices; use an axis "
        "with elements",
        lambda: pt.zeros((0, 2))[[0]],
    )
    assert_values(t, X)
