"""Devices under JAX's names."""

from __future__ import annotations

import numpy as np
import pytest

import py_tensor as pt
from py_tensor import errors
from py_tensor.runtime.backends.numpy import NumpyBackend
from py_tensor.runtime.executor import runtime


@pytest.fixture
def jax_backend(monkeypatch):
    from py_tensor.runtime.backends.jax import JaxBackend

    monkeypatch.setattr(runtime, "backend", JaxBackend())


def test_trees_move_to_the_device_and_back():
    tree = pt.device_put({"a": np.float32([1, 2]), "b": [3]}, pt.devices()[0])
    assert isinstance(tree["b"][0], pt.Array) and tree["a"].devices() == set(pt.devices())
    back = pt.device_get(tree)
    assert type(back["a"]) is np.ndarray and back["a"].tolist() == [1.0, 2.0]
    assert pt.block_until_ready({"a": tree["a"] * 2, "n": 5})["a"].tolist() == [2.0, 4.0]


def test_there_is_one_device():
    assert pt.devices() == pt.local_devices() == [pt.default_backend()]
    assert pt.device_count() == pt.local_device_count() == 1


def test_other_devices_raise():
    with pytest.raises(errors.ArgumentError, match="device is not in use"):
        pt.device_put(1.0, "tpu")


def test_waiting_in_a_trace_does_nothing():
    assert pt.jit(lambda x: pt.block_until_ready(x * 2))(pt.asarray(2.0)).item() == 4.0


def test_a_sharding_of_jax_places_a_tree_and_constrains_a_traced_one(jax_backend):
    from jax.sharding import NamedSharding, PartitionSpec

    mesh = pt.sharding.mesh((1,), ("data",))
    rows = NamedSharding(mesh, PartitionSpec("data"))
    placed = pt.device_put({"x": np.ones((2, 3), "float32")}, rows)
    assert placed["x"].sharding.spec == PartitionSpec("data")
    doubled = pt.jit(lambda tree: pt.device_put(tree, rows)["x"] * 2)(placed)
    assert doubled.tolist() == [[2.0] * 3] * 2


def test_a_sharding_of_jax_needs_its_backend(monkeypatch):
    class Placement:
        mesh = "a mesh"

    monkeypatch.setattr(runtime, "backend", NumpyBackend())
    with pytest.raises(errors.BackendError, match="shard: several devices need the JAX backend"):
        pt.device_put(pt.ones(2), Placement())
