"""Optimizers against NumPy, step by step; states, layouts, draws and memory of a step."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from helpers import assert_raises, assert_spec, assert_values
from plans import kernels, leaf

import py_tensor as pt
from py_tensor import errors
from py_tensor.optim import flat_params

SHAPES = {"w": (3, 5), "b": (5,), "s": ()}


def sgd(p, g, s, t):
    return p - 0.1 * g


def momentum(p, g, s, t):
    s["v"] = 0.9 * s.get("v", 0) + g
    return p - 0.1 * s["v"]


def nesterov(p, g, s, t):
    s["v"] = 0.8 * s.get("v", 0) + g
    return p - 0.1 * (g + 0.8 * s["v"])


def adagrad(p, g, s, t):
    s["sum"] = s.get("sum", 0.1) + g * g
    return p - 0.1 * g / (np.sqrt(s["sum"]) + 1e-10)


def adadelta(p, g, s, t):
    s["g"] = 0.9 * s.get("g", 0) + 0.1 * g * g
    d = np.sqrt(s.get("d", 0) + 1e-6) / np.sqrt(s["g"] + 1e-6) * g
    s["d"] = 0.9 * s.get("d", 0) + 0.1 * d * d
    return p - d


def rmsprop(p, g, s, t):
    s["v"] = 0.99 * s.get("v", 0) + 0.01 * g * g
    return p - 0.01 * g / (np.sqrt(s["v"]) + 1e-8)


def rmsprop_centered_momentum(p, g, s, t):
    s["v"] = 0.9 * s.get("v", 0) + 0.1 * g * g
    s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
    s["b"] = 0.5 * s.get("b", 0) + g / (np.sqrt(s["v"] - s["m"] ** 2) + 1e-3)
    return p - 0.01 * s["b"]


def adam(p, g, s, t):
    s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
    s["v"] = 0.999 * s.get("v", 0) + 0.001 * g * g
    m, v = s["m"] / (1 - 0.9**t), s["v"] / (1 - 0.999**t)
    return p - 0.1 * m / (np.sqrt(v) + 1e-8)


def amsgrad(p, g, s, t):
    s["m"] = 0.8 * s.get("m", 0) + 0.2 * g
    s["v"] = 0.5 * s.get("v", 0) + 0.5 * g * g
    s["max"] = np.maximum(s.get("max", 0), s["v"])
    return p - 0.1 / (1 - 0.8**t) * s["m"] / (np.sqrt(s["max"] / (1 - 0.5**t)) + 1e-2)


def adamw(p, g, s, t):
    return adam(p * (1 - 0.1 * 0.01), g, s, t)


def adamax(p, g, s, t):
    s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
    s["u"] = np.maximum(0.999 * s.get("u", 0), np.abs(g) + 1e-8)
    return p - 0.1 / (1 - 0.9**t) * s["m"] / s["u"]


def nadam(p, g, s, t):
    s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
    s["v"] = 0.999 * s.get("v", 0) + 0.001 * g * g
    u = [0.9 * (1 - 0.96 ** (i * 0.004) / 2) for i in range(1, t + 2)]
    ahead = u[-1] * s["m"] / (1 - np.prod(u))
    direction = ahead + (1 - u[-2]) * g / (1 - np.prod(u[:-1]))
    return p - 0.1 * direction / (np.sqrt(s["v"] / (1 - 0.999**t)) + 1e-8)


def lion(p, g, s, t):
    m = s.get("m", 0)
    s["m"] = 0.8 * m + 0.2 * g
    return p - 0.1 * np.sign(0.7 * m + 0.3 * g)


def penalized(p, g, s, t):
    return momentum(p, g + 0.3 * p, s, t)


def decayed(p, g, s, t):
    return momentum(p * (1 - 0.1 * 0.3), g, s, t)


RULES = {
    "sgd": (pt.optim.sgd(0.1), sgd),
    "momentum": (pt.optim.momentum(0.1), momentum),
    "nesterov": (pt.optim.momentum(0.1, 0.8, nesterov=True), nesterov),
    "adagrad": (pt.optim.adagrad(0.1, initial_accumulator=0.1), adagrad),
    "adadelta": (pt.optim.adadelta(), adadelta),
    "rmsprop": (pt.optim.rmsprop(), rmsprop),
    "rmsprop centered, momentum": (
        pt.optim.rmsprop(rho=0.9, epsilon=1e-3, momentum=0.5, centered=True),
        rmsprop_centered_momentum,
    ),
    "adam": (pt.optim.adam(0.1), adam),
    "amsgrad": (
        pt.optim.adam(0.1, beta1=0.8, beta2=0.5, epsilon=1e-2, amsgrad=True),
        amsgrad,
    ),
    "adamw": (pt.optim.adamw(0.1), adamw),
    "adamax": (pt.optim.adamax(0.1), adamax),
    "nadam": (pt.optim.nadam(0.1), nadam),
    "lion": (pt.optim.lion(0.1, beta1=0.7, beta2=0.8), lion),
    "l2": (pt.optim.momentum(0.1, l2=0.3), penalized),
    "weight decay": (pt.optim.momentum(0.1, weight_decay=0.3), decayed),
}


def tree(rng, dtype="float32"):
    return {name: rng.normal(size=shape).astype(dtype) for name, shape in SHAPES.items()}


def tensors(arrays):
    return pt.tree_map(pt.asarray, arrays)


def stepped(optimizer):
    return pt.jit(optimizer.update, donate_argnums=0)


@pytest.mark.parametrize("jitted", [False, True], ids=["eager", "jit"])
@pytest.mark.parametrize("name", RULES)
def test_steps_equal_numpy(name, jitted, rng):
    optimizer, reference = RULES[name]
    update = stepped(optimizer) if jitted else optimizer.update
    expected = {key: value.astype("float64") for key, value in tree(rng).items()}
    state = optimizer.init(tensors({k: v.astype("float32") for k, v in expected.items()}))
    slots = {key: {} for key in SHAPES}
    for t in range(1, 8):
        gradients = tree(rng)
        # With a gradient of 0, every divisor is smallest.
        gradients["b"][0] = 0.0
        state = update(state, tensors(gradients))
        for key, g in gradients.items():
            expected[key] = reference(expected[key], g.astype("float64"), slots[key], t)
        got = state.params
        for key, value in expected.items():
            # float32 against float64: several operations per step, each off by up to 6e-8.
            assert_values(got[key], value.astype("float32"), rtol=2e-5, atol=2e-6, what=(key, t))
    assert state.step == 7


def test_wrong_settings_are_detected(rng):
    """Compare with the reference of another setting: the tolerance is not too wide."""
    state = pt.optim.adam(0.1, epsilon=1e-3).init(tensors(tree(rng)))
    gradients = tree(rng)
    state = pt.optim.adam(0.1, epsilon=1e-3).update(state, tensors(gradients))
    before = tree(np.random.default_rng(20))["w"].astype("float64")
    expected = adam(before, gradients["w"].astype("float64"), {}, 1)
    assert np.abs(state.params["w"].numpy() - expected).max() > 1e-5


# --- trees ----------------------------------------------------------------------------------------


@dataclass
class Model:
    weight: pt.Tensor
    mean: pt.Tensor = field(metadata={"buffer": True})
    count: int
    places: pt.Tensor
    width: int = field(metadata={"static": True})


def model():
    return Model(pt.ones((2, 3)), pt.ones(3), 4, pt.asarray([1, 2]), 3)


@pytest.fixture
def packed(engine, monkeypatch):
    """Pack parameters into vectors, also on a backend that has no need of it."""
    monkeypatch.setattr(engine, "whole_programs", False)


def test_only_floating_parameters_are_trained(packed):
    params = model()
    optimizer = pt.optim.sgd(0.5)
    state = optimizer.init(params)
    assert_spec(state.vectors[0], (8,), "float32")
    gradients = Model(pt.ones((2, 3)), pt.ones(3), None, None, 3)
    state = stepped(optimizer)(state, gradients)
    got = state.params
    assert_values(got.weight, np.full((2, 3), 0.5, "float32"))
    assert_values(got.mean, np.ones(3, "float32"))
    assert_values(got.places, np.int32([1, 2]))
    assert (got.count, got.width) == (4, 3)
    # Donating the state did not dispose of the caller's tensors.
    assert_values(params.weight, np.ones((2, 3), "float32"))
    assert_values(params.mean, np.ones(3, "float32"))


def test_missing_gradients_are_zeros():
    state = pt.optim.sgd(1.0).init({"a": pt.ones(2), "b": pt.ones(3)})
    state = pt.optim.sgd(1.0).update(state, {"a": None, "b": pt.ones(3)})
    assert_values(state.params["a"], np.float32([1, 1]))
    assert_values(state.params["b"], np.float32([0, 0, 0]))


def test_gradients_of_a_shared_tensor_add_up(packed):
    shared = pt.ones(3)
    state = pt.optim.sgd(1.0).init([shared, pt.zeros(2), shared])
    assert_spec(state.vectors[0], (8,), "float32")
    state = pt.optim.sgd(1.0).update(state, [pt.ones(3), pt.ones(2), pt.ones(3) * 2.0])
    first, between, second = state.params
    assert_values(first, np.float32([-2, -2, -2]))
    assert_values(second, np.float32([-2, -2, -2]))
    assert_values(between, np.float32([-1, -1]))


def test_halves_accumulate_small_steps():
    """Steps of a tenth of a half's resolution add up."""
    optimizer = pt.optim.sgd(1.0)
    state = optimizer.init([pt.ones(3, dtype="float16"), pt.ones(2)])
    update = stepped(optimizer)
    for _ in range(20):
        state = update(state, [pt.full(3, -1e-4, dtype="float16"), pt.zeros(2)])
    assert_values(state.params[0], np.full(3, 1 + 2e-3, "float16"))
    assert_spec(state.params[1], (2,), "float32")


def test_slots_of_halves_are_float32():
    state = pt.optim.adam(0.1).init([pt.ones(3, dtype="float16")])
    state = pt.optim.adam(0.1).update(state, [pt.full(3, 1e-4, dtype="float16")])
    # The gradient's square exceeds float16.
    assert_values(state.params[0], np.full(3, 0.9, "float16"))
    assert all(slot.dtype == "float32" for slot in pt.tree_leaves(state.slots))


def test_optimizers_compare_by_value():
    assert pt.optim.adam(0.1) == pt.optim.adam(0.1)
    assert hash(pt.optim.adam(0.1)) == hash(pt.optim.adam(0.1))
    assert pt.optim.adam(0.1) != pt.optim.adam(0.2)
    assert pt.optim.adam() != pt.optim.adamw()
    layout = pt.optim.sgd().init([pt.ones(3)]).layout
    equal = pt.optim.sgd().init([pt.zeros(3)]).layout
    assert layout == equal and hash(layout) == hash(equal)


# --- rates and clipping ---------------------------------------------------------------------------


def test_a_schedule_is_evaluated_at_each_step():
    asked = []

    def schedule(step):
        asked.append(step)
        return 1.0 if step < 2 else 0.5

    optimizer = pt.optim.sgd(schedule)
    update = stepped(optimizer)
    state = optimizer.init([pt.zeros(1)])
    for _ in range(3):
        state = update(state, [pt.ones(1)])
    assert_values(state.params[0], np.float32([-2.5]))
    assert asked[-3:] == [0, 1, 2]


CLIPPED = {
    "clip_value": ([[1.0, -1.0], [1.0]], {"clip_value": 1.0}),
    "clip_norm": ([[1.5, -2.0], [2.5]], {"clip_norm": 2.5}),
    "clip_global_norm": ([[1.5, -2.0], [6.0]], {"clip_global_norm": 6.5}),
    "limits that are kept": ([[3.0, -4.0], [12.0]], {"clip_norm": 12.5, "clip_global_norm": 13.0}),
}


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", CLIPPED)
def test_gradients_are_clipped(name, dtype):
    expected, options = CLIPPED[name]
    optimizer = pt.optim.sgd(1.0, **options)
    state = optimizer.init([pt.zeros(2), pt.zeros(1)])
    gradients = [pt.asarray([3.0, -4.0], dtype=dtype), pt.asarray([12.0], dtype=dtype)]
    got = optimizer.update(state, gradients).params
    for tensor, values in zip(got, expected, strict=True):
        # The norm is found by sums and a root, which round a few times.
        assert_values(tensor, -np.float32(values), rtol=1e-6)


def test_clipping_trees():
    gradients = {"a": pt.asarray([3.0, -4.0]), "b": [pt.asarray([12.0]), None]}
    by_value = pt.optim.clip_by_value(gradients, 3.5)
    assert_values(by_value["a"], np.float32([3, -3.5]))
    by_norm = pt.optim.clip_by_norm(gradients, 2.5)
    assert_values(by_norm["a"], np.float32([1.5, -2]), rtol=1e-6)
    assert_values(by_norm["b"][0], np.float32([2.5]), rtol=1e-6)
    by_global_norm = pt.optim.clip_by_global_norm(gradients, 6.5)
    assert_values(by_global_norm["b"][0], np.float32([6]), rtol=1e-6)
    assert by_global_norm["b"][1] is None
    assert pt.optim.clip_by_global_norm([], 1.0) == []


def test_norms_of_halves_do_not_overflow():
    clipped = pt.optim.clip_by_global_norm([pt.full(4, 1000.0, dtype="float16")], 1.0)
    assert_values(clipped[0], np.full(4, 0.5, "float16"))


def test_norm_of_zero_gradients():
    assert_values(pt.optim.clip_by_norm([pt.zeros(3)], 1.0)[0], np.zeros(3, "float32"))


def test_long_parameters_have_separate_vectors(engine, monkeypatch, rng):
    """Values do not depend on the packing of parameters, even with a norm over all of them."""
    arrays = [rng.normal(size=n).astype("float32") for n in (6, 20, 5, 9, 40, 3)]
    gradients = [rng.normal(size=array.shape).astype("float32") for array in arrays]
    optimizer = pt.optim.adamw(0.1, clip_global_norm=2.0)
    results = []
    for part, small, whole, sizes in (
        (1 << 18, 8, False, [92]),
        (16, 8, False, [16, 20, 16, 40]),
        (1 << 18, 0, True, [6, 20, 5, 9, 40, 3]),
        (1 << 18, 8, True, [8 + 8 + 4, 20, 9, 40]),
    ):
        monkeypatch.setattr(flat_params, "PART", part)
        monkeypatch.setattr(flat_params, "SMALL", small)
        monkeypatch.setattr(engine, "whole_programs", whole)
        state = optimizer.init(tensors(arrays))
        assert sorted(v.size for v in state.vectors) == sorted(sizes)
        update = stepped(optimizer)
        for _ in range(3):
            state = update(state, tensors(gradients))
        results.append(state.params)
    for one, *rest in zip(*results, strict=True):
        for other in rest:
            assert_values(other, one.numpy(), rtol=1e-6)


# --- cost of a step -------------------------------------------------------------------------------


def parameters(count):
    """Alternate matrices and vectors, some of which do not fill their texels."""
    return [pt.ones((6, 5) if at % 2 else (7,)) * float(at) for at in range(count)]


def draws(optimizer, count):
    state = optimizer.init(parameters(count))
    text = pt.jit(optimizer.update).explain(state, parameters(count))
    return sum(line.startswith("kernel ") for line in text.splitlines())


@pytest.mark.parametrize(
    ("optimizer", "few", "many", "in_memory"),
    [
        (pt.optim.sgd(), 1, 8, 6),
        (pt.optim.momentum(), 2, 9, 7),
        (pt.optim.adam(), 4, 11, 10),
        (pt.optim.adamw(clip_global_norm=1.0), 6, 14, 12),
        (pt.optim.rmsprop(momentum=0.9, centered=True), 5, 12, 11),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_a_step_is_few_draws(optimizer, few, many, in_memory, packed, engine):
    """Expect one draw for each vector, and one for each 8 joined gradients.

    A kernel for linear memory joins more of them, and sums them without a second kernel. What many
    elements need, such as the norm, has a kernel of its own there. On WebGPU one workgroup computes
    a short norm and what needs it.
    """
    if engine.name == "webgpu":
        assert draws(optimizer, 4) <= few
        return
    assert draws(optimizer, 4) == few
    assert draws(optimizer, 60) == (in_memory if engine.name == "wasm" else many)


def test_parameters_are_read_in_place():
    """A matrix whose rows fill their texels is not copied, wherever it begins in the vector."""
    state = pt.optim.sgd().init([pt.ones(3), pt.ones((8, 16))])
    x = pt.ones((4, 8))
    pt.realize(*state.vectors, x)
    assert kernels(x @ state.params[1]) == kernels(x @ leaf(8, 16))
    # Any other place would need a copy.
    assert len(kernels(x @ leaf(135)[7:].reshape(8, 16))) > len(kernels(x @ leaf(8, 16)))


@pytest.mark.parametrize("name", ["sgd", "adam", "rmsprop centered, momentum"])
def test_steps_allocate_nothing_after_the_first(name, rng):
    optimizer, _ = RULES[name]
    update = stepped(optimizer)
    state = optimizer.init(parameters(12))
    gradients = parameters(12)
    pt.realize(*gradients)
    state = update(state, gradients)
    before = pt.memory()
    for _ in range(50):
        state = update(state, gradients)
    assert pt.memory() == before


def test_donated_states_need_one_extra_vector(engine):
    def held(**options):
        optimizer = pt.optim.adam()
        update = pt.jit(optimizer.update, **options)
        gradients = [pt.ones((64, 64)) * 2.0]
        state = optimizer.init([pt.ones((64, 64))])
        pt.realize(*pt.tree_leaves((state.vectors, state.slots)), *gradients)
        if engine.runs_glsl:
            engine.bridge.trim()
        for _ in range(3):
            state = update(state, gradients)
        memory = pt.memory()
        return memory.num_bytes_in_gpu + memory.num_bytes_in_gpu_free

    # Two of three new vectors reuse the textures of old ones.
    assert held() - held(donate_argnums=0) == engine.runs_glsl * 2 * 64 * 64 * 4


def test_donated_states_are_disposed():
    optimizer = pt.optim.momentum(0.1)
    state = optimizer.init([pt.ones(3)])
    after = stepped(optimizer)(state, [pt.ones(3)])
    assert state.vectors[0].is_disposed and state.slots["velocity"][0].is_disposed
    assert not after.vectors[0].is_disposed


# --- errors ---------------------------------------------------------------------------------------


def test_errors():
    optimizer = pt.optim.sgd(0.1)
    state = optimizer.init([pt.ones(3)])
    for error, text, call in (
        (
            errors.ShapeError,
            "update: gradient must have its parameter's shape; got shape (2,) for (3,); pass the "
            "gradients of state.params",
            lambda: optimizer.update(state, [pt.ones(2)]),
        ),
        (
            errors.ArgumentError,
            "update: structures differ; got a list of 2 instead of a list of 1; use the "
            "containers of the first tree",
            lambda: optimizer.update(state, [pt.ones(3), pt.ones(3)]),
        ),
        (
            errors.ArgumentError,
            "update: the state belongs to another optimizer; got slots [] for adam, which has "
            "['mean', 'square']; use the optimizer that created it",
            lambda: pt.optim.adam().update(state, [pt.ones(3)]),
        ),
        (
            errors.ArgumentError,
            "init: there are no parameters to train; got 2 leaves without a floating tensor "
            "outside buffers; pass parameters or a model",
            lambda: optimizer.init([pt.asarray([1, 2]), 3.0]),
        ),
        (
            errors.ArgumentError,
            "sgd: learning_rate is negative; got -0.1; use 0 or more",
            lambda: pt.optim.sgd(-0.1),
        ),
        (
            errors.ArgumentError,
            "adam: beta1 is out of range; got 1.0; use a number from 0 to below 1",
            lambda: pt.optim.adam(beta1=1.0),
        ),
        (
            errors.ArgumentError,
            "sgd: clip_norm must be above 0; got 0; use a positive number",
            lambda: pt.optim.sgd(clip_norm=0),
        ),
        (
            errors.ArgumentError,
            "clip_by_norm: limit must be above 0; got -1; use a positive number",
            lambda: pt.optim.clip_by_norm([pt.ones(3)], -1),
        ),
    ):
        assert_raises(error, text, call)


# --- averages, groups and chains ------------------------------------------------------------------


@pytest.mark.parametrize("jitted", [False, True], ids=["eager", "jit"])
def test_averages_of_parameters(jitted, rng):
    optimizer = pt.optim.sgd(0.1, ema=0.75)
    update = stepped(optimizer) if jitted else optimizer.update
    expected = tree(rng)
    average = {key: value.astype("float64") for key, value in expected.items()}
    state = optimizer.init(tensors(expected))
    for _ in range(5):
        gradients = tree(rng)
        state = update(state, tensors(gradients))
        for key, g in gradients.items():
            expected[key] = expected[key] - 0.1 * g
            average[key] = 0.75 * average[key] + 0.25 * expected[key]
    for key, value in average.items():
        np.testing.assert_allclose(state.averages[key].numpy(), value, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(state.params[key].numpy(), expected[key], rtol=1e-5, atol=1e-6)


def test_averages_need_the_option():
    assert_raises(
        errors.ArgumentError,
        "averages: the optimizer keeps no averages; got slots ['velocity']; create it with ema=, "
        "for example 0.99",
        lambda: pt.optim.momentum().init(pt.ones(2)).averages,
    )
    assert_raises(
        errors.ArgumentError,
        "sgd: ema is out of range; got 1.0; use a number from 0 to below 1",
        lambda: pt.optim.sgd(ema=1.0),
    )


@pytest.mark.parametrize("jitted", [False, True], ids=["eager", "jit"])
def test_groups_have_their_own_settings(jitted, rng):
    optimizer = pt.optim.momentum(
        0.1,
        weight_decay=0.3,
        groups={
            "b": {"weight_decay": 0.0, "l2": 0.2},
            "s": {"learning_rate": pt.optim.step_decay(0.4, 2, 0.5)},
        },
    )
    assert hash(optimizer) == hash(pt.optim.chain(optimizer))
    update = stepped(optimizer) if jitted else optimizer.update
    expected = {key: value.astype("float64") for key, value in tree(rng).items()}
    state = optimizer.init(tensors({k: v.astype("float32") for k, v in expected.items()}))
    assert len(state.vectors) == 3
    velocity = dict.fromkeys(SHAPES, 0.0)
    for t in range(5):
        gradients = tree(rng)
        state = update(state, tensors(gradients))
        for key, g in gradients.items():
            p = expected[key]
            rate = 0.4 * 0.5 ** (t // 2) if key == "s" else 0.1
            velocity[key] = 0.9 * velocity[key] + g + (0.2 * p if key == "b" else 0.0)
            decay = 0.0 if key == "b" else 0.3
            expected[key] = p - rate * velocity[key] - rate * decay * p
    for key, value in expected.items():
        np.testing.assert_allclose(state.params[key].numpy(), value, rtol=1e-5, atol=1e-5)


def test_the_longest_start_of_a_name_counts():
    model = pt.nn.Sequential(pt.nn.Dense(2, 2), pt.nn.Dense(2, 2))
    groups = {"layers.0": {"learning_rate": 0.5}, "layers.0.bias": {"learning_rate": 0.0}}
    optimizer = pt.optim.sgd(1.0, groups=groups)
    before = {name: value.numpy() for name, value in model.state_dict().items()}
    ones = pt.tree_map(pt.ones_like, model)
    after = optimizer.update(optimizer.init(model), ones).params.state_dict()
    changes = {name: (before[name] - after[name].numpy()).ravel()[0] for name in before}
    assert changes == pytest.approx(
        {
            "layers.0.weight": 0.5,
            "layers.0.bias": 0.0,
            "layers.1.weight": 1.0,
            "layers.1.bias": 1.0,
        }
    )


def test_wrong_groups_are_refused():
    assert_raises(
        errors.ArgumentError,
        "sgd: unknown setting of group \"w\"; got 'rate'; use learning_rate, weight_decay or l2",
        lambda: pt.optim.sgd(groups={"w": {"rate": 1.0}}),
    )
    assert_raises(
        errors.ArgumentError,
        'sgd: l2 of group "w" is negative; got -1; use 0 or more',
        lambda: pt.optim.sgd(groups={"w": {"l2": -1}}),
    )
    assert_raises(
        errors.ArgumentError,
        "init: group has no parameters; got 'v'; use the start of a name, as w, b",
        lambda: pt.optim.sgd(groups={"v": {}}).init({"w": pt.ones(2), "b": pt.ones(2)}),
    )


def test_chains_apply_functions_in_order():
    optimizer = pt.optim.chain(
        lambda tree: pt.tree_map(lambda g: g * 10.0, tree),
        lambda tree: pt.optim.clip_by_value(tree, 2.0),
        pt.optim.sgd(1.0),
    )
    state = optimizer.update(optimizer.init([pt.zeros(2)]), [pt.asarray([0.1, 5.0])])
    assert state.params[0].tolist() == [-1.0, -2.0]
    for wrong in ((), (pt.optim.sgd(), 3), (pt.optim.sgd(), pt.optim.sgd())):
        with pytest.raises(errors.ArgumentError, match="chain: steps must be functions"):
            pt.optim.chain(*wrong)


# --- L-BFGS ---------------------------------------------------------------------------------------


def test_lbfgs_solves_linear_systems(rng):
    a = rng.normal(size=(8, 8)) / 4 + np.eye(8)
    matrix = (a @ a.T).astype("float32")
    b = rng.normal(size=8).astype("float32")
    m, v = pt.asarray(matrix), pt.asarray(b)
    result = pt.optim.lbfgs(lambda x: 0.5 * x @ (m @ x) - v @ x, pt.zeros(8), tolerance=1e-3)
    # Steps change the value by less than its rounding once the gradient is below about 4e-4.
    want = np.linalg.solve(matrix.astype("float64"), b)
    assert result.converged
    assert result.iterations <= 30
    np.testing.assert_allclose(result.params.numpy(), want, rtol=5e-3, atol=5e-3)


def test_lbfgs_trains_a_model(rng):
    x = rng.normal(size=(32, 3)).astype("float32")
    y = (x @ np.float32([[1], [-2], [3]]) + 0.5).astype("float32")
    model = pt.nn.Dense(3, 1)
    start = model.weight.tolist()
    result = pt.optim.lbfgs(
        lambda model: pt.nn.mean_squared_error(model(pt.asarray(x)), y), model, history=3
    )
    np.testing.assert_allclose(result.params.weight.numpy().ravel(), [1, -2, 3], atol=1e-3)
    np.testing.assert_allclose(result.params.bias.numpy(), [0.5], atol=1e-3)
    assert model.weight.tolist() == start
    assert result.value < 1e-6


def test_lbfgs_stops_at_the_limit():
    result = pt.optim.lbfgs(lambda x: (x**4).sum(), pt.ones(3), max_iterations=2)
    assert (result.iterations, result.converged) == (2, False)
    assert_raises(
        errors.ArgumentError,
        "lbfgs: history is too small; got 0; use 1 or more",
        lambda: pt.optim.lbfgs(lambda x: x.sum(), pt.ones(3), history=0),
    )


def test_lbfgs_refuses_constraints():
    model = pt.nn.constrain(pt.nn.Dense(2, 1), weight=pt.nn.non_neg)
    assert_raises(
        errors.ArgumentError,
        "lbfgs: constraints cannot be applied; got a module with pt.nn.constrain; use another "
        "optimizer, for example pt.optim.adam, or parameters without constraints",
        lambda: pt.optim.lbfgs(lambda model: model(pt.ones((1, 2))).sum(), model),
    )
