"""Modules: trees of parameters, calls under jit, paths in errors, summaries."""

from __future__ import annotations

from contextvars import copy_context
from dataclasses import dataclass

import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors
from py_tensor.ir import pytree
from py_tensor.runtime import executor
from py_tensor.runtime.backends.numpy import NumpyBackend

nn = pt.nn


class Residual(nn.Module):
    dense: nn.Dense
    norm: nn.BatchNorm
    factor: float = nn.static_field()

    def __init__(self, features, factor=0.5):
        self.dense = nn.Dense(features, features)
        self.norm = nn.BatchNorm(features)
        self.factor = factor

    def forward(self, x, *, training=False):
        return x + self.norm(self.dense(x), training=training) * self.factor


class Net(nn.Module):
    blocks: list
    heads: dict
    extra: pt.Tensor

    def __init__(self):
        self.blocks = [Residual(4), nn.Sequential(nn.Dense(4, 8), pt.relu, nn.Dense(8, 4))]
        self.heads = {"class": nn.Dense(4, 2), "box": nn.Dense(4, 3)}
        self.extra = pt.zeros(4)

    def forward(self, x, *, training=False):
        for block in self.blocks:
            x = block(x, training=training)
        return self.heads["class"](x + self.extra), self.heads["box"](x)


def test_a_module_is_a_tree():
    net = Net()
    leaves, structure = pt.tree_flatten(net)
    assert all(isinstance(leaf, pt.Tensor) for leaf in leaves)
    again = pt.tree_unflatten(structure, leaves)
    assert type(again) is Net and type(again.blocks[0]) is Residual
    assert again.blocks[0].factor == 0.5
    x = pt.ones((2, 4))
    for a, b in zip(net(x), again(x), strict=True):
        assert_values(a, b.numpy())
    shapes = [leaf.shape for leaf in pt.tree_leaves(net.blocks[0])]
    assert shapes == [(4, 4), (4,), (4,), (4,), (4,), (4,)]
    assert pytree.buffer_leaves(net.blocks[0]) == [False, False, False, False, True, True]


def test_repr_of_a_tree_of_other_leaves():
    net = Net()
    other = pt.tree_map(lambda leaf: leaf.ndim, net)
    assert repr(other).splitlines()[1:] == [
        line.replace("36 param", "0 param").replace("76 param", "0 param")
        for line in repr(net).splitlines()[1:]
    ]
    assert repr(pt.tree_flatten(nn.LSTM(3, 4))[1]) == "Structure(LSTM(3 -> 4))"


def test_mapping_returns_another_model():
    model = nn.Sequential(nn.Dense(3, 2), pt.relu)
    doubled = pt.tree_map(lambda leaf: leaf * 2, model)
    assert_values(doubled[0].weight, model[0].weight.numpy() * 2)
    assert doubled[1].function is pt.relu


def test_undeclared_attributes_are_refused():
    model = nn.Dense(2, 2)
    with pytest.raises(AttributeError) as raised:
        model.scale = 3
    assert str(raised.value) == (
        'Dense: attribute is not declared; got scale = 3; write "scale: ..." in the class, so '
        "that it is part of the module's tree"
    )


def test_a_module_without_forward():
    class Empty(nn.Module):
        pass

    with pytest.raises(NotImplementedError, match=r"^Empty: forward is missing"):
        Empty()(1)


def test_sequential_holds_modules_and_functions():
    model = nn.Sequential(nn.Dense(3, 4), pt.tanh, nn.Dense(4, 2), lambda x: x * 2)
    assert len(model) == 4 and [type(layer) for layer in model][1] is nn.Activation
    x = np.float32([[1.0, -2.0, 3.0]])
    w, b = (v.numpy().astype("float64") for v in (model[0].weight, model[2].weight))
    want = np.tanh(x @ w) @ b * 2
    assert_values(model(pt.asarray(x)), want.astype("float32"), rtol=1e-5, atol=1e-6)
    part = model[:2]
    assert type(part) is nn.Sequential and part[0] is model[0]
    assert_values(part(pt.asarray(x)), np.tanh(x @ w).astype("float32"), rtol=1e-5, atol=1e-6)
    assert nn.Sequential()(3) == 3


@pytest.mark.parametrize("wrong", [3, "relu", nn.Dense, None], ids=str)
def test_invalid_layers_are_refused(wrong):
    assert_raises(
        errors.ArgumentError,
        f"Sequential: layer 1 is neither a module nor a function; got {wrong!r:.60}; pass modules "
        "and functions",
        lambda: nn.Sequential(pt.relu, wrong),
    )


# --- jit ------------------------------------------------------------------------------------------


def small_model():
    return nn.Sequential(
        nn.Conv2D(1, 4, 3, padding="same"),
        nn.BatchNorm(4, momentum=0.5),
        pt.relu,
        nn.MaxPool2D(2),
        nn.Flatten(),
        nn.Dense(16, 3),
    )


def test_the_module_is_an_argument_of_jit(rng):
    model, traces = small_model(), []

    @pt.jit
    def apply(model, x):
        traces.append(x.shape)
        return model(x)

    x = pt.asarray(rng.standard_normal((2, 4, 4, 1)).astype("float32"))
    for _ in range(2):
        assert_values(apply(model, x), model(x).numpy(), rtol=1e-6, atol=1e-6)
    other = pt.tree_map(lambda leaf: leaf + 0.5, model)
    assert_values(apply(other, x), other(x).numpy(), rtol=1e-6, atol=1e-6)
    assert traces == [(2, 4, 4, 1)]


def test_buffers_are_updated_under_jit(rng):
    model = small_model()
    copy = pt.tree_map(lambda leaf: leaf + 0, model)
    train = pt.jit(lambda model, x: model(x, training=True))
    for _ in range(3):
        x = pt.asarray(rng.standard_normal((2, 4, 4, 1)).astype("float32"))
        # One plan or several add in the same order, but not with the same instructions.
        assert_values(train(model, x), copy(x, training=True).numpy(), rtol=1e-5, atol=1e-5)
        for name in ("mean", "variance"):
            want = getattr(copy[1], name).numpy()
            assert_values(getattr(model[1], name), want, rtol=1e-6, atol=1e-6)
    assert abs(model[1].mean.numpy()).min() > 0


def test_dropout_draws_again_under_jit():
    model = nn.Sequential(nn.Dropout(0.5))
    apply = pt.jit(lambda model, x: model(x, training=True))
    x = pt.ones(200)
    pt.random.seed(2)
    first, second = apply(model, x).tolist(), apply(model, x).tolist()
    assert first != second
    pt.random.seed(2)
    assert model(x, training=True).tolist() == first


def test_backends_agree_with_numpy(engine, rng):
    """Compute a model on the session's backend and on NumPy."""
    pt.random.seed(1)
    model = nn.Sequential(
        nn.Conv2D(3, 8, 3, padding="same"),
        nn.BatchNorm(8),
        pt.relu,
        nn.DepthwiseConv2D(8, 3),
        nn.AvgPool2D(2),
        nn.LayerNorm(8),
        nn.Flatten(),
        nn.Dense(32, 10),
        nn.softmax,
    )
    arrays = [leaf.numpy() for leaf in pt.tree_leaves(model)]
    x = rng.standard_normal((2, 6, 6, 3)).astype("float32")
    results = []
    for backend in (engine, NumpyBackend()):
        executor.use(backend)
        there = pt.tree_unflatten(pt.tree_flatten(model)[1], map(pt.asarray, arrays))
        results.append(there(pt.asarray(x), training=True).numpy())
        results.append(there[1].mean.numpy())
    executor.use(engine)
    # Products of up to 72 terms, normalized twice.
    np.testing.assert_allclose(results[0], results[2], rtol=2e-5, atol=2e-6)
    np.testing.assert_allclose(results[1], results[3], rtol=2e-6, atol=1e-8)


# --- errors ---------------------------------------------------------------------------------------


def test_errors_name_the_layer():
    model = nn.Sequential(nn.Dense(784, 128), pt.relu, nn.Dense(64, 10))
    assert_raises(
        errors.ShapeError,
        "Sequential[2] Dense(64 -> 10): matmul: inner lengths must be equal; got shapes (1, 128) "
        "and (64, 10); axis -1 of the first is 128, axis -2 of the second is 64",
        lambda: model(pt.zeros((1, 784))),
    )
    assert_raises(
        errors.ShapeError,
        "Dense(64 -> 10): matmul: inner lengths must be equal; got shapes (2, 3) and (64, 10); "
        "axis -1 of the first is 3, axis -2 of the second is 64",
        lambda: model[2](pt.zeros((2, 3))),
    )


def test_errors_name_the_path():
    net = Net()
    net.blocks = [net.blocks[0], nn.Sequential(nn.Dense(5, 4))]
    assert_raises(
        errors.ShapeError,
        "Net.blocks[1][0] Dense(5 -> 4): matmul: inner lengths must be equal; got shapes (1, 4) "
        "and (5, 4); axis -1 of the first is 4, axis -2 of the second is 5",
        lambda: net(pt.zeros((1, 4))),
    )
    net.blocks = []
    net.heads = {**net.heads, "class": nn.Dense(6, 2)}
    assert_raises(
        errors.ShapeError,
        "Net.heads['class'] Dense(6 -> 2): matmul: inner lengths must be equal; got shapes (1, 4) "
        "and (6, 2); axis -1 of the first is 4, axis -2 of the second is 6",
        lambda: net(pt.zeros((1, 4))),
    )
    net.extra = pt.zeros(3)
    assert_raises(
        errors.ShapeError,
        "Net: add: shapes (1, 4) and (3,) do not broadcast; axis -1 is 4 and 3",
        lambda: net(pt.zeros((1, 4))),
    )


def test_errors_of_values_under_jit_name_the_layer():
    model = nn.Sequential(lambda x: x if x.sum() > 0 else -x)
    with pytest.raises(errors.TraceError, match=r"^Sequential\[0\] Activation\(<lambda>\): jit: "):
        pt.jit(lambda model, x: model(x))(model, pt.ones(2))


def test_other_errors_are_unchanged():
    def wrong(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match=r"^'mine'$"):
        nn.Sequential(wrong)(1)


# --- text -----------------------------------------------------------------------------------------


def test_repr():
    assert repr(nn.Dense(3, 2)) == "Dense(3 -> 2)"
    assert repr(nn.Flatten()) == "Flatten"
    assert repr(Net()) == (
        "Net: 141 parameters\n"
        "  blocks[0] Residual: 36 parameters\n"
        "    dense Dense(4 -> 4)\n"
        "    norm BatchNorm(4)\n"
        "  blocks[1] Sequential: 76 parameters\n"
        "    [0] Dense(4 -> 8)\n"
        "    [1] Activation(relu)\n"
        "    [2] Dense(8 -> 4)\n"
        "  heads['class'] Dense(4 -> 2)\n"
        "  heads['box'] Dense(4 -> 3)"
    )


def test_summary():
    model = nn.Sequential(
        nn.Conv2D(1, 8, 3, padding="same"), nn.BatchNorm(8), pt.relu, Residual(8), nn.Flatten()
    )
    assert nn.summary(model, (1, 4, 4, 1)).splitlines() == [
        "layer                                  output shape  parameters",
        "[0] Conv2D(1 -> 8, 3x3, padding same)  (1, 4, 4, 8)          80",
        "[1] BatchNorm(8)                       (1, 4, 4, 8)          32",
        "[2] Activation(relu)                   (1, 4, 4, 8)           0",
        "[3] Residual                           (1, 4, 4, 8)         104",
        "  dense Dense(8 -> 8)                  (1, 4, 4, 8)          72",
        "  norm BatchNorm(8)                    (1, 4, 4, 8)          32",
        "[4] Flatten                            (1, 128)               0",
        "total                                  (1, 128)             216",
        "trainable                                                   184",
    ]


def test_summary_of_a_single_layer():
    assert nn.summary(nn.Dense(4, 3), (2, 4)).splitlines() == [
        "layer          output shape  parameters",
        "Dense(4 -> 3)  (2, 3)                15",
        "total          (2, 3)                15",
        "trainable                            15",
    ]


def test_summary_does_not_see_calls_of_other_tasks():
    elsewhere = copy_context()

    class Slow(nn.Module):
        dense: nn.Dense

        def __init__(self):
            self.dense = nn.Dense(2, 3)

        def forward(self, x, *, training=False):
            result = self.dense(x)
            elsewhere.run(self.dense, pt.ones((5, 2)))
            return result

    lines = nn.summary(Slow(), (1, 2)).splitlines()
    assert lines[1].split() == ["dense", "Dense(2", "->", "3)", "(1,", "3)", "9"]


def test_summary_of_several_results_and_unused_layers():
    class Pair(nn.Module):
        used: nn.LSTM
        unused: nn.Dense

        def __init__(self):
            self.used, self.unused = nn.LSTM(3, 4), nn.Dense(2, 2)

        def forward(self, x, *, training=False):
            return self.used(x)

    lines = nn.summary(Pair(), (2, 5, 3)).splitlines()
    assert lines[1].startswith("used LSTM(3 -> 4)     (2, 5, 4), (2, 4), (2, 4)  ")
    assert lines[2].startswith("unused Dense(2 -> 2)  not called  ")


def test_summary_of_integers_and_of_wrong_shapes():
    model = nn.Sequential(nn.Embedding(10, 4), nn.Dense(4, 2))
    assert "(1, 6, 2)" in nn.summary(model, (1, 6), dtype="int32")
    with pytest.raises(errors.ShapeError, match=r"^Sequential\[0\] Dense\(4 -> 2\): matmul"):
        nn.summary(nn.Sequential(nn.Dense(4, 2)), (1, 3))


def test_shared_tensors_count_once():
    layer = nn.Dense(4, 4)
    model = nn.Sequential(layer, pt.relu, layer)
    assert nn.summary(model, (1, 4)).splitlines()[-1].split() == ["trainable", "20"]


def test_every_public_name_has_a_docstring_with_an_example():
    for name in nn.__all__:
        value = getattr(nn, name)
        if name not in ("initializers", "relu", "sigmoid", "tanh"):
            assert ">>> " in (value.__doc__ or ""), name
    assert set(nn.__all__) <= set(dir(nn))


class Tied(pt.nn.Module):
    first: pt.nn.Dense
    second: pt.nn.Dense

    def __init__(self):
        self.first, self.second = pt.nn.Dense(2, 2), pt.nn.Dense(2, 2)
        self.second.weight = self.first.weight

    def forward(self, x):
        return self.second(self.first(x))


def test_tree_map_keeps_shared_parameters_tied():
    calls = []
    model = pt.tree_map(lambda leaf: calls.append(leaf) or leaf * 2, Tied())
    assert model.first.weight is model.second.weight
    assert len(calls) == 3


def test_gradient_of_shared_parameter_adds_both_uses():
    """The same step by `tree_map` and by an optimizer; the derivative is that of W W x."""
    model, x = Tied(), pt.asarray([[1.0, -2.0]])
    weight = model.first.weight.numpy()
    gradients = pt.grad(lambda model: model(x).sum())(model)
    ones = np.ones((1, 2), "float32")
    expected = x.numpy().T @ (ones @ weight.T) + (x.numpy() @ weight).T @ ones
    assert gradients.first.weight is gradients.second.weight
    assert_values(gradients.first.weight, expected, rtol=1e-5)
    stepped = pt.tree_map(lambda p, g: p - 0.5 * g, model, gradients)
    assert stepped.first.weight is stepped.second.weight
    optimizer = pt.optim.sgd(0.5)
    trained = optimizer.update(optimizer.init(model), gradients).params
    assert_values(trained.second.weight, stepped.second.weight.numpy(), rtol=1e-6)
    assert trained.first.weight is trained.second.weight


def test_tree_map_of_lists_calls_the_function_for_each_place():
    x = pt.ones(2)
    first, second = pt.tree_map(lambda leaf: leaf + 1, [x, x])
    assert first is not second


class Plain(pt.nn.Module):
    """A model whose `forward` knows nothing of training."""

    first: pt.nn.Dropout
    second: pt.nn.Sequential

    def __init__(self):
        self.first = pt.nn.Dropout(1.0)
        self.second = pt.nn.Sequential(pt.nn.Dense(2, 1), pt.nn.Dropout(1.0))

    def forward(self, x):
        return self.second(self.first(x) + 1.0) + 1.0


def test_training_reaches_modules_without_being_passed():
    model, x = Plain(), pt.ones((1, 2))
    assert model(x, training=True).tolist() == [[1.0]]
    assert model(x).tolist() != [[1.0]]
    assert model(x, training=False).tolist() == model(x).tolist()


def test_training_that_is_passed_holds_inside():
    class Outer(pt.nn.Module):
        inner: Plain

        def __init__(self):
            self.inner = Plain()

        def forward(self, x, *, training=False):
            return self.inner(x, training=False), self.inner(x)

    fixed, learning = Outer()(pt.ones((1, 2)), training=True)
    assert fixed.tolist() != learning.tolist() == [[1.0]]


def test_training_ends_with_a_failing_call():
    model = Plain()
    with pytest.raises(errors.ShapeError):
        model(pt.ones((1, 3)), training=True)
    assert model(pt.ones((1, 2))).tolist() != [[1.0]]


def test_frozen_parameters_are_not_trained():
    model = pt.nn.freeze(pt.nn.Sequential(pt.nn.Dense(2, 2), pt.nn.Dense(2, 1)), "layers.0")
    assert [name for name, _ in model.named_parameters()] == ["layers.1.weight", "layers.1.bias"]
    assert pt.nn.summary(model, (1, 2)) is not None
    optimizer = pt.optim.sgd(0.5)
    state = optimizer.init(model)
    gradients = pt.grad(lambda model: model(pt.ones((1, 2))).sum())(state.params)
    trained = optimizer.update(state, gradients).params
    assert_values(trained[0].weight, model[0].weight.numpy())
    assert trained[1].bias.tolist() == [-0.5]
    assert len(list(pt.nn.freeze(model, "layers.0.weight", frozen=False).parameters())) == 3
    assert list(pt.nn.freeze(model).parameters()) == []
    assert len(list(pt.nn.freeze(model, frozen=False).parameters())) == 4


def test_freezing_an_unknown_name_lists_the_names():
    assert_raises(
        errors.ArgumentError,
        "freeze: no parameter has a name; got ['weigh']; use the start of one of weight, bias",
        lambda: pt.nn.freeze(pt.nn.Dense(2, 1), "weight", "weigh"),
    )


@dataclass
class Config:
    width: int
    factors: tuple[float, ...] = (1.0,)


class Configured(pt.nn.Module):
    config: Config = pt.nn.static_field()
    weight: pt.Tensor

    def __init__(self, config):
        self.config, self.weight = config, pt.ones(config.width)

    def forward(self, x):
        return x * self.weight * self.config.factors[0]


def test_dataclass_as_static_field_is_compared_by_its_fields():
    traces = []

    @pt.jit
    def run(model, x):
        traces.append(model.config)
        return model(x)

    x = pt.ones(2)
    assert run(Configured(Config(2)), x).tolist() == [1.0, 1.0]
    assert run(Configured(Config(2)), x).tolist() == [1.0, 1.0]
    assert run(Configured(Config(2, (3.0,))), x).tolist() == [3.0, 3.0]
    assert len(traces) == 2
    config = Config(2)
    assert pt.tree_map(lambda leaf: leaf + 1, Configured(config)).config is config
