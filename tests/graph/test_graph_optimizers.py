"""Every optimizer follows deeplearn.js's formulas, computed in NumPy, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from graphs import InOrder, value_of

import py_tensor as pt
from py_tensor.graph import (
    AdadeltaOptimizer,
    AdagradOptimizer,
    AdamaxOptimizer,
    AdamOptimizer,
    Graph,
    MomentumOptimizer,
    RMSPropOptimizer,
    Session,
    SGDOptimizer,
)

BATCH, STEPS = 2, 6
INPUTS = np.array([[1.0, -2.0], [0.5, 3.0], [-1.5, 0.25]])
LABELS = np.array([1.0, -1.0, 2.0])


def sgd(state: dict[str, Any], v: Any, g: Any, c: float, t: int) -> Any:
    return v + c * g


def momentum(state: dict[str, Any], v: Any, g: Any, c: float, t: int) -> Any:
    state["velocity"] = 0.9 * state.get("velocity", 0.0) + g
    return v + c * state["velocity"]


def rmsprop(state: dict[str, Any], v: Any, g: Any, c: float, t: int) -> Any:
    state["cache"] = 0.8 * state.get("cache", 0.0) + (1 - 0.8) * g**2
    return v + c * g / (np.sqrt(state["cache"]) + 1e-6)


def adagrad(state: dict[str, Any], v: Any, g: Any, c: float, t: int) -> Any:
    state["cache"] = state.get("cache", 0.0) + g**2
    return v + c * g / (np.sqrt(state["cache"]) + 1e-6)


def adadelta(state: dict[str, Any], v: Any, g: Any, c: float, t: int) -> Any:
    cache, updates = state.get("cache", 0.0), state.get("updates", 0.0)
    step = np.sqrt(updates + 1e-6) / np.sqrt(cache + 1e-6) * g
    state["cache"] = 0.8 * cache + (1 - 0.8) * g**2
    state["updates"] = 0.8 * updates + (1 - 0.8) * step**2
    return v + c * step


def adam(state: dict[str, Any], v: Any, g: Any, c: float, t: int) -> Any:
    state["m"] = 0.9 * state.get("m", 0.0) + 0.1 * g
    state["v"] = 0.99 * state.get("v", 0.0) + 0.01 * g**2
    return v + c * (state["m"] / (1 - 0.9**t)) / (np.sqrt(state["v"] / (1 - 0.99**t)) + 1e-8)


def adamax(state: dict[str, Any], v: Any, g: Any, c: float, t: int) -> Any:
    state["m"] = 0.9 * state.get("m", 0.0) + 0.1 * g
    state["u"] = np.maximum(0.99 * state.get("u", 0.0), np.abs(g))
    return v + c / (1 - 0.9**t) * state["m"] / (1e-8 + state["u"])


OPTIMIZERS = {
    "sgd": (lambda rate: SGDOptimizer(rate), sgd),
    "momentum": (lambda rate: MomentumOptimizer(rate, 0.9), momentum),
    "rmsprop": (lambda rate: RMSPropOptimizer(rate, 0.8), rmsprop),
    "adagrad": (lambda rate: AdagradOptimizer(rate), adagrad),
    "adadelta": (lambda rate: AdadeltaOptimizer(rate, 0.8), adadelta),
    "adam": (lambda rate: AdamOptimizer(rate, 0.9, 0.99), adam),
    "adamax": (lambda rate: AdamaxOptimizer(rate, 0.9, 0.99), adamax),
}


class Line:
    """w . x + b against labels, in a graph, and the same in NumPy."""

    def __init__(self) -> None:
        self.graph = graph = Graph()
        x, label = graph.placeholder("x", [2]), graph.placeholder("label", [])
        self.w, self.b = graph.variable("w", [[0.5, -0.25]]), graph.variable("b", 0.1)
        y = graph.add(graph.reduce_sum(graph.matmul(self.w, x)), self.b)
        self.cost = graph.mean_squared_cost(label, y)
        self.feed = [(x, InOrder(INPUTS)), (label, InOrder(LABELS))]
        self.session = Session(graph)
        self.values = {"w": np.array([[0.5, -0.25]]), "b": np.array(0.1)}
        self.states: dict[str, dict[str, Any]] = {"w": {}, "b": {}}
        self.given = self.batches = 0

    def train(self, optimizer: Any, batch: int = BATCH) -> None:
        self.session.train(self.cost, self.feed, batch, optimizer)

    def follow(self, formula: Any, rate: float, batch: int = BATCH) -> None:
        """Repeat the batch that `train` used: summed gradients, then a step over their number."""
        self.batches += 1
        sums = {"w": np.zeros((1, 2)), "b": np.array(0.0)}
        for _ in range(batch):
            x, label = INPUTS[self.given % 3], LABELS[self.given % 3]
            self.given += 1
            error = (self.values["w"] @ x).sum() + self.values["b"] - label
            sums["w"] = sums["w"] + error * x
            sums["b"] = sums["b"] + error
        for name, g in sums.items():
            self.values[name] = formula(
                self.states[name], self.values[name], g, -rate / batch, self.batches
            )

    def check(self) -> None:
        # float32 after six steps; the largest error seen is 3e-6.
        np.testing.assert_allclose(value_of(self.w), self.values["w"], rtol=2e-5, atol=2e-6)
        np.testing.assert_allclose(value_of(self.b), self.values["b"], rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps(name: str):
    make, formula = OPTIMIZERS[name]
    line, optimizer = Line(), make(0.1)
    for _ in range(STEPS):
        line.train(optimizer)
        line.follow(formula, 0.1)
        line.check()


@pytest.mark.parametrize("name", ["sgd", "adam"])
def test_learning_rates_and_batch_sizes_change(name: str):
    """Change both from one batch to the next; another rate is not traced again."""
    make, formula = OPTIMIZERS[name]
    line, optimizer = Line(), make(0.1)
    line.train(optimizer)
    line.follow(formula, 0.1)
    optimizer.set_learning_rate(0.05)
    before = pt.memory().num_plans
    line.train(optimizer)
    line.follow(formula, 0.05)
    line.check()
    assert pt.memory().num_plans == before
    line.train(optimizer, 3)
    line.follow(formula, 0.05, 3)
    line.check()


def test_momentum_changes():
    line, optimizer = Line(), MomentumOptimizer(0.1, 0.9)
    line.train(optimizer)
    line.follow(momentum, 0.1)
    optimizer.set_momentum(0.0)
    line.train(optimizer)
    line.follow(sgd, 0.1)
    line.check()


def test_epsilon_can_be_chosen():
    line, optimizer = Line(), AdagradOptimizer(0.1, epsilon=1.0)
    line.train(optimizer)
    line.follow(lambda state, v, g, c, t: v + c * g / (np.abs(g) + 1.0), 0.1)
    line.check()


def test_dispose_resets_the_optimizer():
    """The state is dropped, and steps are counted from 1 again."""
    line, optimizer = Line(), AdamOptimizer(0.1, 0.9, 0.99)
    for _ in range(2):
        line.train(optimizer)
        line.follow(adam, 0.1)
    optimizer.dispose()
    line.states, line.batches = {"w": {}, "b": {}}, 0
    line.train(optimizer)
    line.follow(adam, 0.1)
    line.check()


def test_a_network_learns_the_exclusive_or():
    pt.random.seed(3)
    graph = Graph()
    x, label = graph.placeholder("x", [2]), graph.placeholder("label", [2])
    hidden = graph.layers.dense("hidden", x, 8, graph.tanh)
    logits = graph.layers.dense("logits", hidden, 2)
    cost = graph.softmax_cross_entropy_cost(logits, label)
    right = graph.argmax_equals(logits, label)
    inputs = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], "float32")
    labels = np.eye(2, dtype="float32")[[0, 1, 1, 0]]
    builder = pt.graph.InGPUMemoryShuffledInputProviderBuilder([inputs, labels], seed=0)
    feed = list(zip([x, label], builder.get_input_providers(), strict=True))
    session, optimizer = Session(graph), AdamOptimizer(0.1, 0.9, 0.999)
    for _ in range(60):
        session.train(cost, feed, 4, optimizer)
    for row, one in zip(inputs, labels, strict=True):
        assert session.eval(right, [(x, row), (label, one)]).item()
