"""Elements of rank 0 are keys of sets and dictionaries; other tensors are not."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import py_tensor as pt

VALUES = [3, 1, 3, 2]


@pytest.mark.parametrize("dtype", ["int32", "uint8", "float32"])
def test_sets_and_counters_of_elements_equal_those_of_numbers(dtype):
    x = pt.asarray(VALUES, dtype)
    assert {key.item() for key in set(x)} == set(VALUES)
    assert set(x) == set(VALUES)
    assert Counter(x)[3] == 2


def test_many_elements_are_keys():
    x = pt.asarray(VALUES * 10)
    assert Counter(x) == Counter(VALUES * 10)


def test_elements_find_numbers():
    x = pt.asarray(VALUES)
    assert {3: "a"}.get(x[0]) == "a"
    assert x[1] not in {3, 2}
    assert {x[3]: "b"}[2] == "b"


@pytest.mark.parametrize("value", [7, -1, True, 0.5, -0.0, 2 + 1j, float("inf")])
def test_hash_equals_that_of_the_number(value):
    assert hash(pt.asarray(value)) == hash(value)
    assert hash(pt.asarray(value) + 0 if value is not True else pt.asarray(1) > 0) == hash(value)


@pytest.mark.host
@pytest.mark.parametrize("shape", [(1,), (2, 3), (0,)])
def test_tensors_with_axes_are_unhashable(shape):
    with pytest.raises(TypeError, match=r"hash: tensor is unhashable; got float32\["):
        hash(pt.ones(shape))


def test_tracers_are_unhashable():
    with pytest.raises(TypeError, match="hash: tensor is unhashable"):
        pt.jit(lambda x: x * hash(x))(pt.asarray(1.0))


@pytest.mark.host
def test_functions_with_tuples_of_elements_read_none(monkeypatch):
    monkeypatch.setattr(pt.Tensor, "__hash__", None)
    x = pt.asarray(np.float32(1))
    assert pt.stack((x, x)).shape == (2,)
    assert pt.expand_dims(x, axis=(0, 1)).shape == (1, 1)
