"""t[key] and t[key] = value, for every kind of key."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_values

import py_tensor as pt

S = slice
KEYS = [
    0,
    -1,
    (1, 2),
    (S(None), 0),
    (..., -1),
    ...,
    None,
    (None, 1),
    (1, None, S(None)),
    (..., None, 0),
    S(None),
    S(1, None),
    S(None, -1),
    S(None, None, 2),
    S(None, None, -1),
    S(None, None, -2),
    S(4, 1, -1),
    S(10, None),
    S(3, 3),
    S(-100, 100),
    S(5, 0),
    (S(1, None, 2), S(None, None, -3)),
    (S(None), S(2, 3)),
    (S(-2, None), 1),
    (S(0, 0), S(None)),
    (S(None, None, -4), S(6, 1, -2)),
    (S(1, 2), S(1, 2)),
    (),
]


def key_id(key):
    return str(key).replace("slice", "").replace("None", "_")


def numbers(*shape):
    return np.arange(np.prod(shape), dtype="float32").reshape(shape)


@pytest.mark.parametrize("key", KEYS, ids=key_id)
@pytest.mark.parametrize("shape", [(5, 7), (6, 8), (4, 3, 4)], ids=str)
def test_get(shape, key):
    x = numbers(*shape)
    assert_values(pt.asarray(x)[key], x[key])


@pytest.mark.parametrize("key", KEYS, ids=key_id)
@pytest.mark.parametrize("shape", [(5, 7), (6, 8), (4, 3, 4)], ids=str)
def test_set_to_a_number(shape, key):
    x = numbers(*shape)
    t = pt.asarray(x)
    x[key] = -1
    t[key] = -1
    assert_values(t, x)


@pytest.mark.parametrize("key", KEYS, ids=key_id)
@pytest.mark.parametrize("shape", [(5, 7), (6, 8), (4, 3, 4)], ids=str)
def test_set_to_a_tensor(shape, key):
    x = numbers(*shape)
    t = pt.asarray(x)
    value = -1 - numbers(*x[key].shape)
    x[key] = value
    t[key] = pt.asarray(value)
    assert_values(t, x)


@pytest.mark.parametrize("value_shape", [(), (1,), (7,), (3, 1), (1, 7), (3, 7)], ids=str)
def test_values_broadcast(value_shape):
    x = numbers(5, 7)
    t = pt.asarray(x)
    value = -numbers(*value_shape)
    x[1:4] = value
    t[1:4] = value
    assert_values(t, x)


@pytest.mark.parametrize(
    "dtype", ["float32", "float16", "int32", "uint32", "int16", "uint16", "int8", "uint8", "bool"]
)
def test_every_dtype_keeps_its_dtype(dtype):
    x = numbers(4, 6).astype(dtype)
    t = pt.asarray(x)
    x[1::2, ::-2] = 1
    t[1::2, ::-2] = 1
    assert_values(t, x)
    x[0] = np.ones(6, dtype)
    t[0] = pt.ones(6, dtype=dtype)
    assert_values(t, x)


@pytest.mark.parametrize(
    ("dtype", "value"),
    [("int32", 2.7), ("uint8", 2.0), ("float32", 3), ("bool", True), ("float16", 0.5)],
)
def test_the_value_is_converted(dtype, value):
    x = np.zeros(3, dtype)
    t = pt.asarray(x)
    x[1] = value
    t[1] = value
    assert_values(t, x)


@pytest.mark.parametrize(
    ("dtype", "given"),
    [("float32", "int32"), ("float16", "float32"), ("uint8", "int32"), ("int32", "uint32")],
)
def test_a_tensor_of_no_higher_kind_is_converted(dtype, given):
    t = pt.zeros(3, dtype=dtype)
    t[:2] = pt.asarray([1, 2], dtype=given)
    assert_values(t, np.asarray([1, 2, 0], dtype))
    t[pt.asarray([True, False, True])] = pt.asarray([True, False])
    assert_values(t, np.asarray([1, 2, 0], dtype))


@pytest.mark.parametrize(
    ("dtype", "given"), [("int32", "float16"), ("bool", "uint8"), ("bool", "float32")]
)
@pytest.mark.parametrize("key", [slice(2), [0, 1]])
def test_a_tensor_of_a_higher_kind_is_refused(dtype, given, key):
    t = pt.zeros(3, dtype=dtype)
    with pytest.raises(pt.errors.DTypeError) as raised:
        t[key] = pt.asarray([1, 2], dtype=given)
    assert str(raised.value) == (
        f"setitem: dtype {given} does not promote to {dtype}; got a value of {given}; "
        f'use value.astype("{dtype}")'
    )
    assert_values(t, np.zeros(3, dtype))


def test_assignment_leaves_copies_unchanged():
    t = pt.asarray(numbers(3))
    alias, part = pt.copy(t), t[1:].copy()
    t[1] = 9
    assert alias.tolist() == [0, 1, 2]
    assert part.tolist() == [1, 2]
    assert t.tolist() == [0, 9, 2]


def test_assignment_from_itself():
    x = numbers(4, 4)
    t = pt.asarray(x)
    t[1:] = t[:-1]
    want = x.copy()
    want[1:] = x[:-1]
    assert_values(t, want)


def test_many_assignments():
    x = np.zeros((6, 6), "float32")
    t = pt.asarray(x)
    for i in range(6):
        x[i, i:] = i + 1
        t[i, i:] = i + 1
    x[:, 2] += 10
    t[:, 2] += 10
    assert_values(t, x)


def test_in_place_arithmetic_on_a_part():
    x = numbers(4, 5)
    t = pt.asarray(x)
    t[1:3, ::2] *= 3
    x[1:3, ::2] *= 3
    assert_values(t, x)


def test_integers_of_other_types_are_indices():
    x = numbers(3, 4)
    t = pt.asarray(x)
    assert_values(t[np.int64(1)], x[1])
    assert_values(t[pt.asarray(2)], x[2])
    assert_values(t[: pt.asarray(2)], x[:2])


def test_iteration():
    rows = [row.tolist() for row in pt.asarray(numbers(3, 2))]
    assert rows == [[0, 1], [2, 3], [4, 5]]
    assert len(pt.asarray(numbers(3, 2))) == 3


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (
            5,
            "getitem: index 5 is out of range; got axis of size 5; use -5 to 4 along axis 0",
        ),
        (
            (0, -8),
            "getitem: index -8 is out of range; got axis of size 7; use -7 to 6 along axis 1",
        ),
        ((0, 0, 0), "getitem: too many indices; got 3 for shape (5, 7); use at most 2"),
        ((..., ...), "getitem: more than one ellipsis; got (Ellipsis, Ellipsis); use one"),
        (1.5, "getitem: invalid index; got 1.5; use integers, slices, ... and None"),
        ("a", "getitem: invalid index; got 'a'; use integers, slices, ... and None"),
        (
            [0.5],
            "getitem: index must be integers or a mask; got dtype float32; "
            + 'use x.astype("int32")',
        ),
        (
            S(None, None, 0),
            "getitem: invalid slice; got slice(None, None, 0); slice step cannot be zero",
        ),
    ],
    ids=str,
)
def test_wrong_keys(key, text):
    t = pt.asarray(numbers(5, 7))
    with pytest.raises(pt.errors.ShapeError) as raised:
        t[key]
    assert str(raised.value) == text
    with pytest.raises(pt.errors.ShapeError) as raised:
        t[key] = 0
    assert str(raised.value) == text.replace("getitem", "setitem")


def test_wrong_values():
    t = pt.asarray(numbers(5, 7))
    with pytest.raises(pt.errors.ShapeError) as raised:
        t[1:3] = pt.zeros((3, 7))
    assert str(raised.value) == (
        "setitem: shapes are incompatible; got (3, 7) for a target of shape (2, 7); the value must "
        "broadcast to it"
    )
    assert_values(t, numbers(5, 7))
