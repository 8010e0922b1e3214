"""Views of dtypes, shapes in place and strides are those of NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import py_tensor as pt

X = np.arange(24, dtype="float32").reshape(3, 8)


@pytest.mark.parametrize("dtype", ["int32", "uint32", "uint8", "int16", "complex64", "float16"])
def test_bytes_as_another_dtype(dtype):
    expected = X.view(dtype)
    got = pt.asarray(X).view(dtype).numpy()
    assert (got.shape, got.dtype, got.tobytes()) == (expected.shape, dtype, expected.tobytes())


def test_a_view_without_dtype_shares_elements():
    x = pt.asarray(X)
    x.view()[0, 0] = 9
    assert x[0, 0].item() == 9


@pytest.mark.host
def test_bytes_that_do_not_fit():
    with pytest.raises(pt.errors.ShapeError, match=r"view: last axis does not fit elements of 4"):
        pt.zeros((2, 3), dtype="uint8").view("float32")
    with pytest.raises(pt.errors.ShapeError, match=r"view: last axis does not fit"):
        pt.asarray(1.0).view("uint8")


def test_traced_bytes_cannot_be_read():
    with pytest.raises(pt.errors.TraceError):
        pt.jit(lambda x: x.view("int32"))(pt.ones(2))


VIEWS = {
    "whole": lambda x: x,
    "transpose": lambda x: x.T,
    "steps": lambda x: x[::2, 1:],
    "row": lambda x: x[1],
    "backward": lambda x: x[:, ::-1],
    "reshaped": lambda x: x.reshape(2, 12),
    "part of a ravelled one": lambda x: x.ravel()[3:],
}


@pytest.mark.parametrize("name", VIEWS)
def test_strides(name):
    assert VIEWS[name](pt.asarray(X)).strides == VIEWS[name](X).strides


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize(("shape", "strides"), [((2, 2), (4, 4)), ((3,), (0,)), ((2,), (8,))])
def test_as_strided(name, shape, strides):
    expected = np.lib.stride_tricks.as_strided(VIEWS[name](X), shape, strides)
    whole = pt.asarray(X)
    got = pt.lib.stride_tricks.as_strided(VIEWS[name](whole), shape, strides)
    np.testing.assert_array_equal(got.numpy(), expected)


@pytest.mark.parametrize("name", ["transpose", "backward"])
def test_as_strided_of_a_view_that_outlives_its_whole(name):
    part = VIEWS[name](pt.asarray(X))
    assert part.base is None
    got = pt.lib.stride_tricks.as_strided(part, part.shape[::-1], part.strides[::-1])
    np.testing.assert_array_equal(got.numpy(), VIEWS[name](X).T)


def test_as_strided_checks_the_memory():
    x = pt.arange(6, dtype="int32")
    as_strided = pt.lib.stride_tricks.as_strided
    assert as_strided(x).tolist() == x.tolist()
    with pytest.raises(pt.errors.ShapeError, match=r"elements are outside .*got shape \(7,\)"):
        as_strided(x, (7,), (4,))
    with pytest.raises(pt.errors.ShapeError, match=r"elements are outside of the memory"):
        as_strided(x, (2,), (-4,))
    with pytest.raises(pt.errors.ShapeError, match=r"as_strided: strides do not fit"):
        as_strided(x, (2,), (2,))
    with pytest.raises(pt.errors.ArgumentError, match=r"as_strided: result is a copy"):
        as_strided(x, writeable=True)


def test_shape_is_changed_in_place():
    x = pt.zeros(6)
    x.shape = (2, -1)
    assert x.shape == (2, 3)
    x.shape = 6
    assert x.shape == (6,)


def test_views_share_elements_after_a_change_of_shape():
    x = pt.arange(6, dtype="int32")
    part = x[2:4]
    x.shape = (2, 3)
    part[0] = 77
    x[1, 0] = 5
    row = x[1]
    row.shape = (3, 1)
    row[1] = -1
    assert part.tolist() == [77, 5]
    assert x.tolist() == [[0, 1, 77], [5, -1, 5]]
    assert row.base is x


@pytest.mark.host
def test_shapes_that_need_a_copy_raise():
    x = pt.zeros((2, 3))
    with pytest.raises(pt.errors.ShapeError, match="number of elements must not change"):
        x.shape = (4,)
    with pytest.raises(pt.errors.ArgumentError, match="elements must be copied into another order"):
        x.T.shape = (6,)
