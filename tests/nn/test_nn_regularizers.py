"""Penalties and constraints of parameters, in fit and in loops."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import nn
from py_tensor.errors import ArgumentError


def model(dtype="float32"):
    pt.random.seed(3)
    return nn.Sequential(nn.Dense(4, 6, dtype=dtype), pt.tanh, nn.Dense(6, 2, dtype=dtype))


def data(rng):
    return [pt.asarray(rng.standard_normal((16, n)).astype("float32")) for n in (4, 2)]


def test_penalties(rng):
    x = rng.standard_normal((3, 4)).astype("float32")
    for penalty, expected in (
        (nn.L1(0.5), 0.5 * np.abs(x).sum()),
        (nn.L2(0.25), 0.25 * (x * x).sum()),
        (nn.L1L2(0.5, 0.25), 0.5 * np.abs(x).sum() + 0.25 * (x * x).sum()),
        (nn.L1L2(0.0, 0.0), 0.0),
    ):
        assert_values(penalty(pt.asarray(x)), np.float32(expected), rtol=1e-5)


def test_norm_ranges(rng):
    x = (rng.standard_normal((5, 3)) * [0.1, 1.0, 3.0]).astype("float32")
    norms = np.linalg.norm(x, axis=0)
    for constraint, target in (
        (nn.max_norm(1.5), np.minimum(norms, 1.5)),
        (nn.unit_norm(), np.ones(3)),
        (nn.min_max_norm(0.5, 1.0), np.clip(norms, 0.5, 1.0)),
        (nn.min_max_norm(0.5, 1.0, rate=0.25), 0.25 * np.clip(norms, 0.5, 1) + 0.75 * norms),
    ):
        got = constraint(pt.asarray(x)).numpy()
        np.testing.assert_allclose(got, x * (target / norms), rtol=1e-5)


def test_fit_adds_penalties_as_a_loop_does(rng):
    x, y = data(rng)
    trained = []
    for by_fit in (True, False):
        net = model()
        nn.regularize(net.layers[0], weight=nn.L2(0.1), bias=nn.L1(0.2))
        nn.regularize(net.layers[2], weight=nn.L1(0.01))
        optimizer = pt.optim.sgd(0.1)
        if by_fit:
            training = pt.train.fit(
                net, (x, y), loss="mse", optimizer=optimizer, epochs=3, batch_size=16, shuffle=False
            )
            losses = asyncio.run(training).losses
        else:
            state, losses = optimizer.init(net), []

            def loss(net):
                return pt.mean((net(x) - y) ** 2) + nn.regularization_loss(net)

            for _ in range(3):
                value, gradients = pt.value_and_grad(loss)(state.params)
                losses.append(value.item())
                state = optimizer.update(state, gradients)
            net = state.params
        trained.append((losses, net.layers[0].weight.numpy(), net.layers[0].bias.numpy()))
    for one, other in zip(*trained, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
    plain = pt.mean((model()(x) - y) ** 2).item()
    assert trained[0][0][0] > plain + 0.01


def test_evaluation_includes_penalties(rng):
    x, y = data(rng)
    net = model()
    before = asyncio.run(pt.train.evaluate(net, (x, y), loss="mse"))["loss"]
    nn.regularize(net.layers[2], weight=lambda weight: pt.sum(weight) * 0.0 + 2.5)
    after = asyncio.run(pt.train.evaluate(net, (x, y), loss="mse"))["loss"]
    assert abs(after - before - 2.5) < 1e-5


@pytest.mark.parametrize("jitted", [False, True])
def test_constraints_hold_after_each_step(rng, jitted):
    x, y = data(rng)
    net = model()
    nn.constrain(net.layers[0], weight=nn.max_norm(0.5), bias=nn.non_neg)
    optimizer = pt.optim.adam(0.1)
    state = optimizer.init(net)

    def step(state):
        gradients = pt.grad(lambda net: pt.mean((net(x) - y) ** 2))(state.params)
        return optimizer.update(state, gradients)

    run = pt.jit(step) if jitted else step
    free = state.params.layers[2].weight.numpy()
    for _ in range(3):
        state = run(state)
        layer = state.params.layers[0]
        assert (np.linalg.norm(layer.weight.numpy(), axis=0) <= 0.5001).all()
        assert (layer.bias.numpy() >= 0).all()
    assert np.abs(state.params.layers[2].weight.numpy() - free).min() > 0


def test_shared_and_half_parameters_keep_their_values(rng):
    """Constraints of one module leave other parameters alone, also shared and float16 ones."""
    net = model("float16")
    net.layers[2].bias = net.layers[2].bias + 1
    tree = {"net": net, "again": net.layers[2].weight}
    nn.constrain(net.layers[0], bias=nn.non_neg)
    optimizer = pt.optim.sgd(1e-5)
    state = optimizer.init(tree)
    before = [vector.numpy() for vector in state.vectors]
    ones = pt.tree_map(pt.ones_like, state.params)
    state = optimizer.update(state, ones)
    changes = [b - v.numpy() for b, v in zip(before, state.vectors, strict=True)]
    changes = np.concatenate([change.reshape(-1) for change in changes])
    # Six biases at 0, and the padding of both biases to multiples of 4.
    assert np.count_nonzero(changes == 0) == 6 + 2 + 2
    assert (changes[changes > 0] >= 0.9e-5).all()


def test_wrong_names_and_factors():
    assert_raises(
        ArgumentError,
        "regularize: a parameter's name and a function are required; got kernel=L1L2(l1=0.0, "
        "l2=0.01) for Dense(2 -> 1); pass for example weight=pt.nn.L2()",
        lambda: nn.regularize(nn.Dense(2, 1), kernel=nn.L2()),
    )
    assert_raises(
        ArgumentError,
        "L1: factor is negative; got -1.0; use 0 or more",
        lambda: nn.L1(-1),
    )
