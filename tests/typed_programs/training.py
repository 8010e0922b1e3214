"""Training loop with an optimizer."""

from __future__ import annotations

import py_tensor as pt

x = pt.asarray([[0.0], [1.0], [2.0], [3.0]])
y = 2.0 * x + 1.0
model = pt.nn.Sequential(pt.nn.Dense(1, 8), pt.nn.relu, pt.nn.Dense(8, 1))
optimizer = pt.optim.adam(0.05)


def loss(model: pt.nn.Sequential) -> pt.Tensor:
    return pt.nn.mean_squared_error(model(x), y)


state = optimizer.init(model)
before = float(loss(model))
for _ in range(20):
    value, gradients = pt.value_and_grad(loss)(state.params)
    assert value.shape == ()
    state = optimizer.update(state, gradients)
assert float(loss(state.params)) < before
