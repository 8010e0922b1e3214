"""Functional models, merge layers, and the parameters and states of modules by name."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from helpers import assert_raises, assert_spec, assert_values, sample

import py_tensor as pt
from py_tensor import errors

nn = pt.nn

MERGES = {
    "Add": (nn.Add, lambda a, b: a + b),
    "Subtract": (nn.Subtract, lambda a, b: a - b),
    "Multiply": (nn.Multiply, lambda a, b: a * b),
    "Maximum": (nn.Maximum, np.maximum),
    "Minimum": (nn.Minimum, np.minimum),
    "Average": (nn.Average, lambda a, b: (a + b) / 2),
    "Concatenate": (nn.Concatenate, lambda a, b: np.concatenate([a, b], axis=-1)),
}


@pytest.mark.parametrize("name", MERGES)
def test_merge_layers(name, rng):
    layer, formula = MERGES[name]
    a, b = sample(rng, (2, 3), "float32"), sample(rng, (2, 3), "float32")
    got = layer()([pt.asarray(a), pt.asarray(b)])
    assert_values(got, formula(a, b), rtol=1e-6)


def test_merges_of_three(rng):
    parts = [sample(rng, (2, 3), "float32") for _ in range(3)]
    tensors = [pt.asarray(part) for part in parts]
    assert_values(nn.Add()(tensors), sum(parts), rtol=1e-6, atol=1e-6)
    assert_values(nn.Average()(tensors), np.mean(parts, axis=0), rtol=1e-5, atol=1e-6)
    assert_values(nn.Concatenate(axis=0)(tensors), np.concatenate(parts))


def test_merges_refuse_other_inputs():
    assert_raises(
        errors.ArgumentError,
        "Subtract: Subtract: input must be a list of 2 tensors; got 3; pass for example [x, y]",
        lambda: nn.Subtract()([pt.ones(2)] * 3),
    )
    assert_raises(
        errors.ArgumentError,
        "Add: Add: input must be a list of 1 or more tensors; got Tensor; pass for example [x, y]",
        lambda: nn.Add()(pt.ones(2)),
    )


# --- functional models ----------------------------------------------------------------------------


def branched():
    first, second, last = nn.Dense(4, 6), nn.Dense(4, 6), nn.Dense(6, 2)
    x = nn.Input((4,))
    joined = nn.Activation(pt.relu)(first(x)) + second(x) * second(x)
    return nn.Model(x, last(joined)), (first, second, last)


def test_a_model_computes_what_its_layers_do(rng):
    model, (first, second, last) = branched()
    x = pt.asarray(sample(rng, (3, 4), "float32"))
    want = last(pt.relu(first(x)) + second(x) ** 2)
    assert_values(model(x), want.numpy(), rtol=1e-6, atol=1e-6)
    jitted = pt.jit(lambda model, x: model(x))
    assert_values(jitted(model, x), want.numpy(), rtol=1e-6, atol=1e-6)


def test_shared_layers_are_one():
    model, layers = branched()
    assert sum(layer is layers[1] for layer in model.layers) == 1
    assert len(list(model.parameters())) == 6


def test_models_of_several_inputs_and_outputs(rng):
    a, b = nn.Input((3,)), nn.Input((5, 2))
    outputs, state = nn.GRU(2, 4)(b)
    dense = nn.Dense(7, 2)
    model = nn.Model({"a": a, "b": b}, [dense(nn.Concatenate()([a, state])), outputs])
    x, y = pt.asarray(sample(rng, (2, 3), "float32")), pt.asarray(sample(rng, (2, 5, 2), "float32"))
    first, second = model({"a": x, "b": y})
    gru = next(layer for layer in model.layers if isinstance(layer, nn.GRU))
    want, last = gru(y)
    assert_values(second, want.numpy())
    assert_values(first, dense(pt.concat([x, last], axis=1)).numpy())


def test_models_of_models(rng):
    inner, _ = branched()
    x = nn.Input((4,))
    outer = nn.Model(x, inner(x) - nn.Dense(4, 2)(x))
    data = pt.asarray(sample(rng, (3, 4), "float32"))
    assert_values(outer(data), (inner(data) - outer.layers[1](data)).numpy(), rtol=1e-6, atol=1e-6)


def test_options_and_training_reach_the_layers():
    x = nn.Input((5, 8))
    attention = nn.MultiHeadAttention(8, 2)
    model = nn.Model(x, nn.Dropout(1.0)(attention(x, causal=True)))
    data = pt.random.normal((2, 5, 8))
    assert_values(model(data), attention(data, causal=True).numpy())
    assert not model(data, training=True).numpy().any()


def test_a_model_learns(rng):
    pt.random.seed(0)
    model, _ = branched()
    x = sample(rng, (64, 4), "float32", -1.0, 1.0)
    y = np.stack([x[:, 0] * x[:, 1], x[:, 2]], axis=1)
    history = asyncio.run(
        pt.train.fit(model, (x, y), loss="mse", optimizer=pt.optim.adam(0.02), epochs=40)
    )
    assert history["loss"][-1] < 0.1 * history["loss"][0]


def test_shapes_are_known_before_data():
    x = nn.Input((28, 28, 1))
    y = nn.Conv2D(1, 8, 3)(x)
    assert y.shape == (None, 26, 26, 8)
    assert repr(y) == "LayerOutput(shape=(None, 26, 26, 8), dtype=float32)"
    with pytest.raises(errors.ShapeError, match="Dense"):
        nn.Dense(3, 2)(y)
    summary = nn.summary(nn.Model(x, nn.Flatten()(y)), (2, 28, 28, 1))
    assert "(2, 26, 26, 8)" in summary


def test_wrong_models_are_refused():
    x, other = nn.Input((4,)), nn.Input((4,))
    assert_raises(
        errors.ArgumentError,
        "Model: outputs depend on another input; got one of shape (None, 4); add it to inputs",
        lambda: nn.Model(x, nn.Dense(4, 2)(x) + nn.Dense(4, 2)(other)),
    )
    assert_raises(
        errors.ArgumentError,
        "Model: inputs and outputs must be symbolic; got 3; start from pt.nn.Input and call layers "
        "on it",
        lambda: nn.Model(x, 3),
    )
    assert_raises(
        errors.ArgumentError,
        "Add: a symbolic call takes no tensors; got one of shape (4,); pass it as another Input, "
        "or hold it in a module",
        lambda: nn.Add()([x, pt.ones(4)]),
    )
    model = nn.Model([x, other], x + other)
    assert_raises(
        errors.ArgumentError,
        "Model: Model: wrong number of inputs; got 1 for Structure([*, *]); pass 2",
        lambda: model(pt.ones((1, 4))),
    )


# --- parameters and states ------------------------------------------------------------------------


def test_parameters_by_name():
    model = nn.Sequential(nn.Dense(4, 3), nn.BatchNorm(3), nn.Dense(3, 3))
    model[2].weight = model[0].bias
    names = [name for name, _ in model.named_parameters()]
    assert names == ["layers.0.weight", "layers.0.bias", "layers.1.scale", "layers.1.offset",
                     "layers.2.bias"]  # fmt: skip
    assert [p.shape for p in model.parameters()] == [(4, 3), (3,), (3,), (3,), (3,)]
    assert next(iter(model.parameters())) is model[0].weight
    assert set(model.state_dict()) - set(names) == {
        "layers.1.mean",
        "layers.1.variance",
        "layers.2.weight",
    }


def test_states_are_loaded_in_place(tmp_path, rng):
    first, second = (nn.Sequential(nn.Dense(4, 3), nn.BatchNorm(3)) for _ in range(2))
    first(pt.asarray(sample(rng, (5, 4), "float32")), training=True)
    weight = second[0].weight
    second.load_state_dict(first.state_dict())
    x = pt.asarray(sample(rng, (2, 4), "float32"))
    assert_values(second(x), first(x).numpy())
    assert second[0].weight is weight
    pt.io.save(first.state_dict(), tmp_path / "state.safetensors")
    third = nn.Sequential(nn.Dense(4, 3), nn.BatchNorm(3))
    third.load_state_dict(pt.io.load(tmp_path / "state.safetensors"))
    assert_values(third(x), first(x).numpy())
    # The copy does not follow the original.
    first[0].weight[...] = 0.0
    assert abs(third[0].weight.numpy()).max() > 0
    assert abs(second[0].weight.numpy()).max() > 0


def test_states_are_converted():
    layer = nn.Dense(2, 1, dtype="float16")
    layer.load_state_dict({"weight": np.ones((2, 1)), "bias": [2.0]})
    assert_spec(layer.weight, (2, 1), "float16")
    assert layer(pt.ones((1, 2), dtype="float16")).tolist() == [[4.0]]


def test_wrong_states_are_refused():
    layer = nn.Dense(2, 1, weight_init=nn.initializers.ones)
    assert_raises(
        errors.ArgumentError,
        "load_state_dict: names differ; got ['w'] instead of ['bias']; rename them, or pass "
        "strict=False to ignore them",
        lambda: layer.load_state_dict({"weight": np.zeros((2, 1)), "w": [1.0]}),
    )
    assert_raises(
        errors.ShapeError,
        "load_state_dict: shapes differ; got (1, 2) for (2, 1) of weight; pass the state of a "
        "module of the same sizes",
        lambda: layer.load_state_dict({"bias": [5.0], "weight": [[1.0, 2.0]]}),
    )
    assert layer.bias.tolist() == [0.0]
    layer.load_state_dict({"bias": [5.0], "w": [1.0]}, strict=False)
    assert layer.bias.tolist() == [5.0]
    assert layer.weight.tolist() == [[1.0], [1.0]]
