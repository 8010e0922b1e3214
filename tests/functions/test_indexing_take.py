"""take: axes, shapes and dtypes of indices, fusion before and after, against NumPy."""

from __future__ import annotations

from array import array

import numpy as np
import pytest
from helpers import assert_raises, assert_values, ops_in, sample
from plans import kernels, leaf, plan_of

import py_tensor as pt
from py_tensor import errors
from py_tensor.dtypes import DTYPES


def integers(rng, n, shape, dtype="int32"):
    low = 0 if dtype[0] == "u" else -n
    return rng.integers(low, n, shape).astype(dtype)


@pytest.mark.parametrize(
    "shape", [(5,), (8, 4), (7, 3), (4, 6, 8), (3, 5, 7), (2, 3, 4, 5)], ids=str
)
@pytest.mark.parametrize("places", [(), (1,), (6,), (8,), (2, 3), (0,), (2, 0, 3)], ids=str)
def test_axes_and_shapes(shape, places, rng):
    x = sample(rng, shape, "float32")
    for axis in range(-len(shape), len(shape)):
        indices = integers(rng, shape[axis], places)
        got = pt.take(pt.asarray(x), pt.asarray(indices), axis=axis)
        assert_values(got, np.take(x, indices, axis=axis))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(9, 4), (9, 3)], ids=str)
def test_every_dtype(dtype, shape, rng):
    x = sample(rng, shape, dtype)
    indices = integers(rng, 9, (5,))
    for axis in (0, 1):
        part = indices % shape[axis]
        assert_values(pt.take(pt.asarray(x), part, axis=axis), np.take(x, part, axis=axis))


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int16", "uint16", "int8", "uint8"])
@pytest.mark.parametrize("tail", [3, 8])
def test_every_dtype_of_indices(dtype, tail, rng):
    x = sample(rng, (100, tail), "float32")
    indices = integers(rng, 100, (33,), dtype)
    assert_values(pt.take(pt.asarray(x), pt.asarray(indices), axis=0), x[indices])


@pytest.mark.parametrize("tail", [(), (3,), (4,)], ids=str)
def test_indices_out_of_range_in_a_tensor_are_clamped(tail, rng):
    x = sample(rng, (5, *tail), "float32")
    signed = pt.asarray(np.int32([-(2**31), -6, -5, -1, 0, 4, 5, 2**31 - 1]))
    assert_values(pt.take(pt.asarray(x), signed, axis=0), x[[0, 0, 0, 4, 0, 4, 4, 4]])
    unsigned = pt.asarray(np.uint32([0, 4, 5, 2**31, 2**32 - 1]))
    assert_values(pt.take(pt.asarray(x), unsigned, axis=0), x[[0, 4, 4, 4, 4]])


@pytest.mark.parametrize(
    ("indices", "wrong"),
    [
        (5, 5),
        ([5], 5),
        ((0, 3), 3),
        ([[-4], [2]], -4),
        (np.array([2, 3]), 3),
        (np.uint32([2**31]), 2**31),
        (np.array(-4), -4),
        (array("i", [0, 7]), 7),
    ],
    ids=str,
)
def test_known_indices_out_of_range(indices, wrong):
    x = pt.asarray(np.arange(12, dtype="float32").reshape(4, 3))
    text = f"index {wrong} is out of range; got axis of size 3; use -3 to 2 along axis 1"
    assert_raises(errors.ShapeError, f"take: {text}", lambda: pt.take(x, indices, axis=1))
    assert_raises(errors.ShapeError, f"take: {text}", lambda: x.take(indices, axis=-1))
    assert_values(
        pt.take(x, indices, axis=1, mode="clip"), np.take(x.numpy(), indices, 1, mode="clip")
    )
    assert_raises(
        errors.ShapeError,
        f"embedding: {text.replace('axis 1', 'axis 0')}",
        lambda: pt.nn.embedding(indices, x[:3]),
    )
    with pytest.raises(IndexError):
        pt.take(x, indices, axis=1)


def test_known_indices_out_of_range_of_the_flattened_tensor():
    text = "take: index 6 is out of range; got axis of size 6; use -6 to 5 along axis 0"
    assert_raises(errors.ShapeError, text, lambda: pt.take(pt.ones((2, 3)), [5, 6]))


def test_known_indices_of_take_along_axis_out_of_range():
    x, y = pt.asarray([[1, 2], [3, 4], [5, 6]]), pt.asarray([[1, 2], [3, 4], [5, 6]])
    text = "index 5 is out of range; got axis of size 3; use -3 to 2 along axis 0"
    for rows in ([[5]], ([5],), np.array([[0, 5]])):
        assert_raises(
            errors.ShapeError,
            f"take_along_axis: {text}",
            lambda rows=rows: pt.take_along_axis(x, rows, axis=0),
        )
        assert_raises(
            errors.ShapeError,
            f"put_along_axis: {text}",
            lambda rows=rows: pt.put_along_axis(y, rows, 9, axis=0),
        )
    text = "index -7 is out of range; got axis of size 6; use -6 to 5 along axis 0"
    assert_raises(
        errors.ShapeError,
        f"take_along_axis: {text}",
        lambda: pt.take_along_axis(x, [-7], axis=None),
    )
    assert_raises(
        errors.ShapeError,
        f"put_along_axis: {text}",
        lambda: pt.put_along_axis(y, [-7], 9, axis=None),
    )
    assert pt.take_along_axis(x, pt.asarray([[5]]), axis=0).tolist() == [[5, 6]]
    assert pt.take_along_axis(x, [[-3]], axis=0).tolist() == [[1, 2]]
    assert_values(y, x.numpy())


def test_lists_and_numbers():
    x = np.float32([[1, 2, 3], [4, 5, 6]])
    assert_values(pt.take([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [2, 0], axis=1), x[:, [2, 0]])
    assert_values(pt.take(pt.asarray(x), -1, axis=0), x[-1])
    assert_values(pt.asarray(x).take([1], axis=0), x[[1]])
    assert_values(pt.take([5, 6, 7], [2, 2]), np.int32([7, 7]))


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)], ids=str)
def test_no_elements(shape):
    x = np.zeros(shape, "float32")
    for axis in (0, 1):
        for count in (0, 2):
            if shape[axis] or not count:
                indices = np.zeros(count, "int32")
                assert_values(pt.take(pt.asarray(x), indices, axis=axis), np.take(x, indices, axis))


def test_a_million_elements(rng):
    x = sample(rng, (1000, 1001), "float32")
    indices = integers(rng, 1000, (999,))
    assert_values(pt.take(pt.asarray(x), indices, axis=0), x[indices])
    assert_values(pt.take(pt.asarray(x.T.copy()), indices, axis=1), x.T[:, indices])


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x[::2],
        lambda x: x[::-1, ::-1],
        lambda x: x.T,
        lambda x: x[:, 4:],
        lambda x: x[1:].T,
        lambda x: x.reshape((24, 4)).T,
    ],
    ids=["strided", "reversed", "transposed", "columns", "part, transposed", "reshaped"],
)
@pytest.mark.parametrize("axis", [0, 1])
def test_views(view, axis, rng):
    x = sample(rng, (8, 12), "float32")
    part = view(x)
    indices = integers(rng, part.shape[axis], (6,))
    assert_values(pt.take(view(pt.asarray(x)), indices, axis=axis), np.take(part, indices, axis))
    rows = integers(rng, 8, (8,))
    assert_values(view(pt.take(pt.asarray(x), rows, axis=0)), view(x[rows]))
    backward = pt.asarray(indices)[::-1]
    assert_values(
        pt.take(view(pt.asarray(x)), backward, axis=axis), np.take(part, indices[::-1], axis)
    )


def test_computed_operands_and_indices(rng):
    x, y = sample(rng, (10, 8), "float32"), sample(rng, (5, 8), "float32")
    indices = rng.integers(0, 9, 5).astype("int32")
    got = pt.relu(pt.take(pt.asarray(x) * 2.0, pt.asarray(indices) + 1, axis=0) + y)
    assert_values(got, np.maximum((x * 2)[indices + 1] + y, 0), rtol=1e-6)


def test_a_take_of_a_take(rng):
    x = sample(rng, (10, 8), "float32")
    a, b = integers(rng, 10, (7,)), integers(rng, 7, (2, 3))
    got = pt.take(pt.take(pt.asarray(x), a, axis=0), b, axis=0)
    assert_values(got, x[a][b])
    got = pt.take(pt.asarray(x), pt.take(pt.asarray(a), b), axis=0)
    assert_values(got, x[a[b]])


def test_take_of_a_product_and_of_a_sum(rng):
    x, y = sample(rng, (12, 8), "int32"), sample(rng, (8, 16), "int32")
    a, b = pt.asarray(x), pt.asarray(y)
    indices = integers(rng, 12, (5,))
    assert_values(pt.take(a @ b, indices, axis=0), (x @ y)[indices])
    assert_values(pt.take(a, indices, axis=0) @ b, x[indices] @ y)
    assert_values(pt.take(a.sum(axis=1), indices), x.sum(axis=1, dtype="int32")[indices])
    assert_values(pt.take(a, indices, axis=0).sum(axis=1), x[indices].sum(axis=1, dtype="int32"))
    best = pt.take(a, a.argmax(axis=0), axis=0)
    assert_values(best, x[x.argmax(axis=0)])


# --- kernels ---


def test_take_fuses_into_one_kernel():
    table, bias = leaf(100, 8), leaf(8)
    indices = pt.asarray(np.arange(20, dtype="int32"))
    pt.realize(indices)
    names = kernels(pt.relu(pt.take(table * 2.0, indices + 1, axis=0) + bias))
    assert names == ["map relu"]


@pytest.mark.parametrize(
    ("shape", "axis", "count", "expected"),
    [
        ((100, 8), 0, 20, ["aligned", "splat"]),
        ((100, 6), 0, 20, ["lanes", "lanes"]),
        ((6, 100), 1, 20, ["lanes", "aligned"]),
        ((100,), 0, 20, ["lanes", "same"]),
        ((6, 100), 1, 18, ["lanes", "lanes"]),
    ],
    ids=str,
)
def test_access_modes_of_operands(shape, axis, count, expected):
    plan = plan_of(pt.take(leaf(*shape), leaf(count, dtype="int32"), axis=axis))
    (draw,) = plan.draws
    found = {
        plan.lowered.spec(at).dtype.name: mode
        for at, mode in zip(draw.kernel.inputs, draw.shader.modes, strict=True)
    }
    assert [found["float32"], found["int32"]] == expected


def test_expensive_operands_are_computed_once():
    x = leaf(10, 8)
    indices = leaf(1000, dtype="int32")
    many = pt.take(pt.erfinv(pt.sin(x)), indices, axis=0)
    names = kernels(many)
    assert names == ["map erfinv", "map take"]
    few = pt.take(pt.erfinv(pt.sin(x)), indices[:5], axis=0)
    names = kernels(few)
    assert names == ["map take"]


def test_explain_shows_the_take():
    tensor = pt.take(pt.ones((3, 4)) * 2.0, [0, 2], axis=0)
    text = pt.explain(tensor)
    assert "take(" in text
    assert ops_in(tensor) == ["map take"]


# --- errors ---


@pytest.mark.parametrize(
    ("error", "call", "text"),
    [
        (
            pt.errors.DTypeError,
            lambda: pt.take(pt.ones(3), [0.5]),
            ('take: indices must be integers; got dtype float32; use indices.astype("int32")'),
        ),
        (
            pt.errors.DTypeError,
            lambda: pt.take(pt.ones(3), [True]),
            'take: indices must be integers; got dtype bool; use indices.astype("int32")',
        ),
        (
            pt.errors.ShapeError,
            lambda: pt.take(pt.ones((2, 3)), [0], axis=2),
            "take: axis out of range; got axis 2 for 2 axes; use -2 to 1",
        ),
        (
            pt.errors.ShapeError,
            lambda: pt.take(pt.ones((0, 3)), [0], axis=0),
            (
                "take: cannot take from an empty axis; got length 0 of axis 0 of shape (0, 3) and "
                "1 indices; use an axis with elements"
            ),
        ),
    ],
)
def test_errors(error, call, text):
    assert_raises(error, text, call)
