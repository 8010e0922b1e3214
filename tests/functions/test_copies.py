"""Copies and pickles of tensors, models, optimizer states and datasets hold values."""

from __future__ import annotations

import asyncio
import copy
import pickle

import numpy as np
import pytest

import py_tensor as pt

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "float16", "float32"]


def pickled(value):
    return pickle.loads(pickle.dumps(value))


COPIES = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": pickled}
STATES = {
    "host": lambda x: x,
    "pending": lambda x: pt.flip(x),
    "computed": lambda x: (y := pt.flip(x), pt.realize(y))[0],
}


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("dtype", [*DTYPES, "complex64"])
def test_a_copy_has_the_same_values(how, state, dtype):
    given = np.array([[0, 1, 2], [3, 4, 5]], dtype)
    x = STATES[state](pt.asarray(given))
    y = COPIES[how](x)
    assert y is not x and y.dtype is x.dtype
    assert y.tolist() == x.tolist()


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("shape", [(), (0,), (2, 0), (1, 1, 5)])
def test_a_copy_has_the_same_shape(how, shape):
    assert COPIES[how](pt.ones(shape)).shape == shape


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_is_a_tensor_of_its_own(how):
    x = pt.asarray([1.0, 2.0])
    before = pt.memory().num_tensors
    with pt.tidy():
        y = COPIES[how](x)
        assert pt.memory().num_tensors == before + 1
        y += 1.0
    assert y.is_disposed
    assert x.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("how", ["deepcopy", "pickle"])
def test_one_tensor_in_two_places_stays_one(how):
    x = pt.ones(2) * 2.0
    first, second = COPIES[how]([x, x])
    assert first is second and first.tolist() == [2.0, 2.0]


@pytest.mark.parametrize("how", COPIES)
def test_a_disposed_tensor_raises(how):
    x = pt.ones(2)
    x.dispose()
    with pytest.raises(pt.errors.DisposedError):
        COPIES[how](x)


def test_a_tracer_cannot_be_pickled():
    with pytest.raises(pt.errors.TraceError, match="pickle"):
        pt.jit(lambda x: pickled(x))(pt.ones(2))


@pytest.mark.parametrize("how", ["deepcopy", "pickle"])
def test_a_model_that_was_trained_can_be_copied(how):
    model = pt.nn.Sequential(pt.nn.Dense(3, 4), pt.nn.BatchNorm(4), pt.nn.Dense(4, 1))
    x, y = pt.random.normal((8, 3)), pt.random.normal((8, 1))
    optimizer = pt.optim.adam(0.01)
    asyncio.run(pt.train.fit(model, (x, y), loss="mse", optimizer=optimizer, epochs=1))
    state = optimizer.init(model)
    copied, copied_state = COPIES[how]((model, state))
    expected = model(x).tolist()
    assert copied(x).tolist() == expected
    for leaf, other in zip(pt.tree_leaves(state), pt.tree_leaves(copied_state), strict=True):
        np.testing.assert_array_equal(np.asarray(leaf), np.asarray(other))


@pytest.mark.parametrize("how", ["deepcopy", "pickle"])
@pytest.mark.parametrize("device", [False, True])
def test_a_dataset_can_be_copied(how, device):
    rows = pt.data.from_arrays(np.arange(10), device=device)
    dataset = rows.shuffle(seed=3).repeat(2).skip(1).take(15).batch(4)
    copied = COPIES[how](dataset)
    assert [x.tolist() for x in copied] == [x.tolist() for x in dataset]
    assert len(copied) == len(dataset)
