"""Assignment at positions and masks: in place where values are in host memory, equal to NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors
from py_tensor.runtime import executor

RNG = np.random.default_rng(0)
MASK = RNG.random((3, 4)) < 0.5
KEYS = [
    [2, 0, -1, 0],
    ([1, -1], [0, -4]),
    (slice(None), [3, 3, 0]),
    ([2, 0], slice(1, 3)),
    ([0, 1], slice(None), [1, -1]),
    (0, ..., [4, 1]),
    (None, [1, 2], 3),
    (slice(None, None, -1), [[0, 1], [2, 0]]),
    MASK,
    (slice(None), MASK[0]),
    (MASK[:, 0], [1], slice(4)),
    [],
]


def as_key(key, convert):
    """Convert lists and arrays of a key to arrays or tensors."""
    items = key if isinstance(key, tuple) else (key,)
    arrays = [np.asarray(k, None if np.size(k) else int) for k in items]
    pairs = zip(items, arrays, strict=True)
    return tuple(convert(array) if array.ndim else item for item, array in pairs)


@pytest.mark.parametrize("dtype", ["float32", "int16", "bool", "complex64"])
@pytest.mark.parametrize("at", range(len(KEYS)))
def test_assignment_at_a_key_equals_numpy(at, dtype):
    want = np.arange(60).reshape(3, 4, 5).astype(dtype)
    x = pt.asarray(want)
    key, own = as_key(KEYS[at], np.asarray), as_key(KEYS[at], pt.asarray)
    shape = want[key].shape
    for value in (RNG.integers(0, 9, shape).astype(dtype), np.ones(shape[-1:], dtype)):
        want[key] = value
        x[own] = value
        assert_values(x, want)


@pytest.mark.parametrize("at", range(len(KEYS)))
def test_assignment_to_a_part_changes_the_whole_and_other_parts(at):
    want = np.zeros((5, 4, 6), "int32")
    x = pt.asarray(want)
    part, turned = x.T[1:, :, 3:0:-1].T, x[1]
    array = want.T[1:, :, 3:0:-1].T
    array[as_key(KEYS[at], np.asarray)] = 7
    part[as_key(KEYS[at], pt.asarray)] = 7
    assert_values(x, want)
    assert_values(part, array)
    assert_values(turned, want[1])


def test_updates_at_positions_count_each_position_once():
    x = pt.zeros(4)
    x[[1, 1, -1]] += 1
    assert x.tolist() == [0.0, 1.0, 0.0, 1.0]


def test_indices_of_a_tensor_that_are_out_of_range_change_nothing():
    x = pt.arange(4)
    x[pt.asarray([1, 4, -5])] = pt.asarray([10, 20, 30])
    assert x.tolist() == [0, 10, 2, 3]


def test_an_index_below_the_first_reads_the_nearest_end():
    assert pt.arange(4)[pt.asarray([-5, -4, 4])].tolist() == [0, 0, 3]


def test_values_made_before_an_assignment_keep_their_elements():
    x = pt.arange(6)
    x[[0]] = 1
    copied, pending, taken, same = x.copy(), x * 2, x[[0, 1]], x
    data = memoryview(x)
    x[[0, 5]] = pt.asarray([7, 8])
    x[x] = x
    assert copied.tolist() == data.tolist() == [1, 1, 2, 3, 4, 5]
    assert pending.tolist() == [2, 2, 4, 6, 8, 10]
    assert taken.tolist() == [1, 1]
    assert same.tolist()[:5] == [7, 1, 2, 3, 4]


def test_rejected_values_leave_the_tensor_unchanged():
    x = pt.zeros((2, 3))
    for key, value in [([0, 1], pt.ones(2)), ([0], pt.ones((1, 1, 3)))]:
        with pytest.raises(errors.ShapeError, match="setitem: shapes are incompatible"):
            x[key] = value
    assert_raises(
        errors.ShapeError,
        "setitem: index 2 is out of range; got axis of size 2; use -2 to 1 along axis 0",
        lambda: x.__setitem__([0, 2], 1.0),
    )
    assert not x.any()


def test_assignment_at_positions_inside_transforms():
    def f(x):
        y = x * 1
        y[[0, 2]] = x[[1, 1]] * 3
        y[y > 5] = 1
        return (y * y).sum()

    x = pt.asarray([1.0, 2.0, 3.0])
    assert pt.jit(lambda x: pt.sum(x.at[pt.asarray([0])].set(5.0)))(x) == 10
    assert f(x) == 1 + 4 + 1
    assert pt.grad(f)(x).tolist() == [0.0, 4.0, 0.0]
    pulled = pt.vjp(lambda x: x * x, x)[1]
    x[[0, 1]] = 5.0
    assert pulled(pt.ones(3))[0].tolist() == [2.0, 4.0, 6.0]
    rows = pt.vmap(lambda row, at: row.at[at].set(9.0))(pt.zeros((2, 2)), pt.asarray([[0], [1]]))
    assert rows.tolist() == [[9.0, 0.0], [0.0, 9.0]]


def test_repeated_assignment_uses_no_further_memory():
    x = pt.zeros(1000)
    x[[1]] = 1.0
    pt.realize(x)
    before = pt.memory().num_bytes
    for at in range(20):
        x[pt.asarray([at, at + 1])] = 2.0
    pt.realize(x)
    assert pt.memory().num_bytes == before
    assert x.sum() == 42


@pytest.fixture
def numpy_backend(engine):
    pt.set_backend("numpy")
    yield
    executor.use(engine)


def test_the_numpy_backend_assigns_in_place(numpy_backend):
    x = pt.zeros((2, 4))
    x[[1]] = 1.0
    node = id(x._node)
    x[[0, 1], [1, -1]] = pt.asarray([2.0, 3.0])
    x[x > 2] = 4.0
    x[:, [0]] += 5.0
    assert id(x._node) == node
    assert x.tolist() == [[5.0, 2.0, 0.0, 0.0], [6.0, 1.0, 1.0, 4.0]]


def test_a_number_is_assigned_while_many_bytes_are_pending():
    x = pt.zeros(3_000_000)
    mask = x == 0
    for at in range(8):
        x[mask] = at
        x[[at]] = 0.5
    assert x[:9].tolist() == [7.0] * 7 + [0.5, 7.0]
