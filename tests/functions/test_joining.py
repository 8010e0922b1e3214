"""concat and stack: axes, aligned and unaligned widths, empty operands, dtypes, many operands."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_values

import py_tensor as pt


def parts(rng, shapes, dtype="float32"):
    return [(rng.random(shape) * 100).astype(dtype) for shape in shapes]


@pytest.mark.parametrize(
    ("axis", "shapes"),
    [
        (0, [(5, 3), (2, 3), (5, 3)]),
        (1, [(5, 3), (5, 4)]),
        (1, [(5, 8), (5, 4)]),
        (-1, [(2, 3, 4), (2, 3, 8), (2, 3, 4)]),
        (-2, [(2, 3, 4), (2, 1, 4)]),
        (0, [(3,), (0,), (5,)]),
        (1, [(2, 0), (2, 3), (2, 1)]),
        (0, [(0, 2), (0, 2)]),
        (None, [(2, 3), (4,), ()]),
        (0, [(4, 4)]),
    ],
    ids=str,
)
def test_concat(axis, shapes, rng):
    arrays = parts(rng, shapes)
    assert_values(
        pt.concat([pt.asarray(a) for a in arrays], axis=axis), np.concatenate(arrays, axis=axis)
    )


@pytest.mark.parametrize(
    "dtype", ["float32", "float16", "int32", "uint32", "int16", "uint16", "int8", "uint8", "bool"]
)
def test_concat_of_every_dtype(dtype, rng):
    arrays = parts(rng, [(2, 3), (2, 4)], dtype)
    assert_values(
        pt.concat([pt.asarray(a) for a in arrays], axis=1), np.concatenate(arrays, axis=1)
    )


@pytest.mark.parametrize(
    ("a", "b", "result"),
    [
        ("int32", "float32", "float32"),
        ("int8", "uint8", "int16"),
        ("bool", "int16", "int16"),
        ("float16", "float32", "float32"),
    ],
)
def test_concat_promotes(a, b, result, rng):
    x, y = parts(rng, [(3,)], a)[0], parts(rng, [(4,)], b)[0]
    got = pt.concat([pt.asarray(x), pt.asarray(y)])
    assert_values(got, np.concatenate([x.astype(result), y.astype(result)]))


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
@pytest.mark.parametrize("shape", [(3, 5), (4, 8)], ids=str)
def test_stack(axis, shape, rng):
    arrays = parts(rng, [shape] * 3)
    assert_values(pt.stack([pt.asarray(a) for a in arrays], axis=axis), np.stack(arrays, axis=axis))


def test_stack_of_scalars():
    assert_values(pt.stack([pt.asarray(1.0), pt.asarray(2.0)]), np.float32([1, 2]))


@pytest.mark.parametrize("n", [9, 40])
@pytest.mark.parametrize("axis", [0, 1])
def test_many_operands(n, axis, rng):
    arrays = parts(rng, [(2, 3)] * n)
    assert_values(
        pt.concat([pt.asarray(a) for a in arrays], axis=axis), np.concatenate(arrays, axis=axis)
    )


def test_operands_are_fused(rng):
    x, y = parts(rng, [(4, 6), (4, 2)])
    a, b = pt.asarray(x), pt.asarray(y)
    got = pt.concat([a * 2, pt.sqrt(b), a[:, ::-1]], axis=1) + 1
    assert_values(got, np.concatenate([x * 2, np.sqrt(y), x[:, ::-1]], axis=1) + 1, rtol=1e-6)


def test_one_tensor_twice(rng):
    x = parts(rng, [(3, 4)])[0]
    t = pt.asarray(x)
    assert_values(pt.concat([t, t, t]), np.concatenate([x, x, x]))


def test_lists_and_arrays_are_joined():
    assert_values(pt.concat([[1, 2], np.int32([3])]), np.int32([1, 2, 3]))
