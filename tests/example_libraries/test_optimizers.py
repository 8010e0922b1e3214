"""Optimizers return what JAX's return."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from jax.example_libraries import optimizers as theirs

import py_tensor as pt
from py_tensor.example_libraries import optimizers as ours

CHOICES = [
    ("sgd", (0.1,)),
    ("momentum", (0.1, 0.9)),
    ("nesterov", (0.1, 0.9)),
    ("adagrad", (0.1,)),
    ("rmsprop", (0.1,)),
    ("rmsprop_momentum", (0.1,)),
    ("adam", (0.1,)),
    ("adamax", (0.1,)),
]


def trained(library, grad, name, args):
    init, update, get_params = getattr(library, name)(*args)
    state = init({"w": np.float32([1, -2, 3]), "b": np.float32(0.5)})
    loss = grad(lambda p: (p["w"] ** 2).sum() * p["b"] + p["b"] ** 2)
    for i in range(5):
        state = update(i, loss(get_params(state)), state)
    return get_params(state)


@pytest.mark.parametrize(("name", "args"), CHOICES)
def test_steps_are_those_of_jax(name, args):
    got, expected = trained(ours, pt.grad, name, args), trained(theirs, jax.grad, name, args)
    for key in ("w", "b"):
        np.testing.assert_allclose(got[key].numpy(), expected[key], rtol=2e-5, atol=1e-6)


def test_steps_are_compiled():
    init, update, get_params = ours.adam(ours.exponential_decay(0.1, 10, 0.5))
    step = pt.jit(lambda i, state: update(i, pt.grad(lambda x: x * x)(get_params(state)), state))
    state = init(3.0)
    for i in range(3):
        state = step(i, state)
    assert abs(get_params(state).item() - 2.72) < 0.02


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("constant", (0.5,)),
        ("exponential_decay", (1.0, 10, 0.5)),
        ("inverse_time_decay", (1.0, 10, 0.5)),
        ("inverse_time_decay", (1.0, 10, 0.5, True)),
        ("polynomial_decay", (1.0, 10, 0.1, 2.0)),
        ("piecewise_constant", ([3, 12], [1.0, 0.5, 0.1])),
    ],
)
def test_schedules_are_those_of_jax(name, args):
    for step in (0, 5, 15):
        expected = getattr(theirs, name)(*args)(step)
        np.testing.assert_allclose(float(getattr(ours, name)(*args)(step)), expected, rtol=1e-6)


def test_gradients_are_clipped_by_their_norm():
    gradients = {"w": pt.asarray([3.0, 4.0])}
    assert ours.l2_norm(gradients).item() == 5.0
    assert ours.clip_grads(gradients, 1.0)["w"].tolist() == pytest.approx([0.6, 0.8])
    assert ours.clip_grads(gradients, 9.0)["w"].tolist() == [3.0, 4.0]
