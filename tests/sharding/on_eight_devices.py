"""Tests on eight devices, which JAX makes of one processor; test_processes.py runs this file."""

from __future__ import annotations

import asyncio
from functools import cache

import jax
import numpy as np
import pytest
from helpers import assert_raises, assert_values
from jax.sharding import PartitionSpec

import py_tensor as pt
from py_tensor import errors

X = np.random.default_rng(0).normal(size=(72, 8)).astype("float32")
Y = np.random.default_rng(1).integers(0, 4, 72).astype("int32")
SPLIT = {"layers.0.weight": (None, "model"), "layers.0.bias": "model", "layers.2.weight": "model"}
OPTIMIZER = pt.optim.adam(0.01, clip_global_norm=1.0)
DATA, BOTH = ((8,), ("data",)), ((4, 2), ("data", "model"))


def network():
    pt.random.seed(1)
    return pt.nn.Sequential(pt.nn.Dense(8, 16), pt.relu, pt.nn.Dense(16, 4))


def trained(**options):
    """Train for two epochs, whose last batch cannot be divided among eight devices."""
    model = network()
    training = pt.train.fit(
        model,
        (X[:68], Y[:68]),
        **{"epochs": 2, **options},
        optimizer=OPTIMIZER,
        loss="sparse_categorical_crossentropy_of_logits",
        batch_size=32,
        metrics=["accuracy"],
        validation=(X[68:], Y[68:]),
    )
    return model, asyncio.run(training)


@cache
def one_device():
    """Return the losses, the logs and the weights of a training on one device."""
    model, history = trained()
    return history.losses, history.epochs, [leaf.numpy() for leaf in pt.tree.leaves(model)]


def test_there_are_eight_devices():
    assert jax.device_count() == 8


@pytest.mark.parametrize(("shape", "shardings"), [(DATA, None), (BOTH, SPLIT)])
def test_losses_are_those_of_one_device(shape, shardings):
    losses, logs, weights = one_device()
    model, history = trained(mesh=pt.sharding.mesh(*shape), shardings=shardings)
    np.testing.assert_allclose(history.losses, losses, rtol=1e-6)
    for got, wanted in zip(history.epochs, logs, strict=True):
        assert got == pytest.approx(wanted, rel=1e-6)
    for got, wanted in zip(pt.tree.leaves(model), weights, strict=True):
        assert_values(got, wanted, atol=1e-6)
        # Every device has a part or a copy.
        assert len(got.sharding.device_set) == 8
    placed = [leaf.sharding.spec for leaf in pt.tree.leaves(model)]
    split = [PartitionSpec(None, "model"), PartitionSpec("model"), PartitionSpec("model")]
    assert placed == ([*split, PartitionSpec()] if shardings else [PartitionSpec()] * 4)


def test_slots_are_placed_as_their_parameters():
    mesh = pt.sharding.mesh(*BOTH)
    model = pt.sharding.shard(network(), mesh, SPLIT)
    optimizer = pt.optim.adam(0.01, ema=0.9)
    state = optimizer.init(model)
    for _ in range(2):
        state = optimizer.update(state, model)
    places = [vector.sharding for vector in state.vectors]
    assert [place.spec for place in places[:2]] == [
        PartitionSpec(None, "model"),
        PartitionSpec("model"),
    ]
    for slot in state.slots.values():
        assert [vector.sharding for vector in slot] == places


def test_a_step_is_compiled_once_per_size_of_batch():
    compiled = []
    jax.monitoring.register_event_duration_secs_listener(
        lambda event, seconds, **_: compiled.append(event)
    )
    name = "/jax/core/compile/backend_compile_duration"

    def count(epochs):
        compiled.clear()
        trained(mesh=pt.sharding.mesh(*BOTH), shardings=SPLIT, epochs=epochs)
        return compiled.count(name)

    few = count(1)
    assert few > 0
    assert count(4) <= few


def test_mesh_in_use():
    with pt.sharding.use(pt.sharding.mesh(*DATA)):
        model, history = trained()
    np.testing.assert_allclose(history.losses, one_device()[0], rtol=1e-6)
    assert len(model.layers[0].weight.sharding.device_set) == 8


def test_training_continues_on_other_devices(tmp_path):
    """A file with the state of a training does not depend on the devices."""
    _, history = trained(epochs=1, mesh=pt.sharding.mesh(*BOTH), shardings=SPLIT)
    path = tmp_path / "state.safetensors"
    pt.io.save(history.state.to_tree(), path)
    losses = []
    for mesh in (None, pt.sharding.mesh(*DATA)):
        state = OPTIMIZER.init(network())
        state = state.with_tree(pt.io.load(path, like=state.to_tree()))
        assert state.step == 3
        training = pt.train.fit(
            state.params,
            pt.data.from_arrays(X[:64], Y[:64]).batch(32),
            loss="sparse_categorical_crossentropy_of_logits",
            optimizer=OPTIMIZER,
            state=state,
            mesh=mesh,
        )
        losses.append(asyncio.run(training).losses)
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-6)


def test_shard():
    mesh = pt.sharding.mesh(*BOTH)
    x = pt.sharding.shard(X, mesh, ("data", "model"))
    assert_values(x, X)
    assert x.sharding.spec == PartitionSpec("data", "model")
    assert {part.data.shape for part in x._node.buffer.handle.addressable_shards} == {(18, 4)}
    assert "sharding=P('data', 'model')" in repr(x)
    assert "sharding" not in repr(pt.asarray(X))
    assert pt.asarray(X).sharding is None
    total = pt.sum(x * 2, axis=0)
    assert_values(total, 2 * X.sum(axis=0), rtol=1e-5)
    assert pt.sharding.shard(X, mesh, PartitionSpec(("data", "model"))).sharding.spec == (
        PartitionSpec(("data", "model"))
    )
    assert pt.sharding.shard({"x": X, "n": 3}, mesh)["n"] == 3


def test_shard_inside_jit_and_gradients():
    mesh = pt.sharding.mesh(*DATA)

    @pt.jit
    def rows(x):
        return pt.sharding.shard(x * 2, mesh, "data")

    assert rows(pt.asarray(X)).sharding.spec == PartitionSpec("data")
    assert_values(rows(pt.asarray(X)), X * 2)
    gradient = pt.grad(lambda x: pt.sum(pt.sharding.shard(x, mesh, "data") ** 2))
    assert_values(gradient(pt.asarray(X)), 2 * X)


def test_shard_batch():
    mesh = pt.sharding.mesh(*DATA)
    x, y = pt.sharding.shard_batch((X, Y[:5]), mesh)
    assert x.sharding.spec == PartitionSpec("data")
    assert y.sharding.spec == PartitionSpec()
    assert_values(y, Y[:5])


def test_values_are_not_donated_twice():
    mesh = pt.sharding.mesh(*DATA)
    x = pt.sharding.shard(X, mesh, "data")
    again = pt.sharding.shard(x, mesh, "data")
    step = pt.jit(lambda x: x + 1, donate_argnums=0)
    assert_values(step(again), X + 1)
    assert_values(x, X)


def test_a_mesh_of_jax():
    mesh = jax.make_mesh((8,), ("rows",))
    x = pt.sharding.shard(X, mesh, "rows")
    assert_values(x @ x.T, X @ X.T, rtol=1e-5, atol=1e-5)


def test_mistakes():
    mesh = pt.sharding.mesh(*DATA)
    with pytest.raises(errors.ArgumentError, match="mesh: cannot arrange devices; got"):
        pt.sharding.mesh((16,), ("data",))
    with pytest.raises(errors.ArgumentError, match="shard: spec does not fit the mesh; got P"):
        pt.sharding.shard(X, mesh, "model")
    with pytest.raises(errors.ArgumentError, match="shard: spec does not fit the tensor; got P"):
        pt.sharding.shard(X[:7], mesh, "data")
    assert_raises(
        errors.ArgumentError,
        "shard: no tensor has such a name; got 'kernel' for layers.0.weight, layers.0.bias, "
        'layers.2.weight, layers.2.bias; use for example "layers.*.weight"',
        lambda: pt.sharding.shard(network(), mesh, {"kernel": "data"}),
    )
    assert_raises(
        errors.ArgumentTypeError,
        "use: mesh must be a mesh; got [8]; pass pt.sharding.mesh",
        lambda: pt.sharding.use([8]),
    )
