"""Values of every graph operation, and gradients of training, against NumPy.

Gradients are those of a session's step. Operands are variables (the same for all examples), fed
values (different for each), or products of both. Expected gradients are central differences in
float64.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from graphs import InOrder, numeric_gradient, value_of

import py_tensor as pt
from py_tensor.graph import CostReduction, Graph, Session, SGDOptimizer

BATCH = 3
RTOL, ATOL = 2e-5, 2e-5
"""For float32 sums of up to a few hundred products; the largest error seen is a quarter of it."""


class Case(NamedTuple):
    shapes: tuple[tuple[int, ...], ...]
    build: Any
    """(graph, *tensors) -> tensor."""
    reference: Any
    """(*arrays) -> array, in float64."""
    modes: tuple[str, ...] = ()
    """For each operand v (variable), f (fed) or b (their product); one string per test."""
    gradients: Any = None
    """(g, *arrays) -> gradients, if they differ from the value's derivatives."""
    low: float = -2.0


def _softmax(x: Any) -> Any:
    powers = np.exp(x - x.max())
    return powers / powers.sum()


def _conv2d(stride: int, pad: int) -> Any:
    def convolved(x: Any, w: Any, b: Any) -> Any:
        size = w.shape[0]
        x = np.pad(x, ((pad, pad), (pad, pad), (0, 0)))
        rows, columns = (((n - size) // stride) + 1 for n in x.shape[:2])
        out = np.empty((rows, columns, w.shape[3]))
        for i in range(rows):
            for j in range(columns):
                part = x[i * stride : i * stride + size, j * stride : j * stride + size]
                out[i, j] = np.tensordot(part, w, 3) + b
        return out

    return convolved


def _max_pool(size: int, stride: int, pad: int) -> Any:
    def pooled(x: Any) -> Any:
        x = np.pad(x, ((pad, pad), (pad, pad), (0, 0)), constant_values=-np.inf)
        rows, columns = (((n - size) // stride) + 1 for n in x.shape[:2])
        parts = [
            x[i * stride : i * stride + size, j * stride : j * stride + size].max((0, 1))
            for i in range(rows)
            for j in range(columns)
        ]
        return np.reshape(parts, (rows, columns, x.shape[2]))

    return pooled


CASES = {
    "reshape": Case(((2, 3),), lambda g, x: g.reshape(x, [3, 2]), lambda x: x.reshape(3, 2)),
    "fused_linear_combination": Case(
        ((2, 3), (2, 3), (), (1, 1)),
        lambda g, x1, x2, c1, c2: g.fused_linear_combination(x1, x2, c1, c2),
        lambda x1, x2, c1, c2: c1 * x1 + c2.item() * x2,
        ("vfvf", "fbfb"),
    ),
    "add": Case(((2, 3), (2, 3)), lambda g, x, y: g.add(x, y), np.add),
    "add a number": Case(((2, 3), (1,)), lambda g, x, y: g.add(x, y), np.add),
    "add to a number": Case(((), (2, 3)), lambda g, x, y: g.add(x, y), np.add),
    "add a row": Case(((2, 3), (3,)), lambda g, x, y: g.add(x, y), np.add),
    "add to a row": Case(((3,), (2, 3)), lambda g, x, y: g.add(x, y), np.add),
    "add single elements": Case(((1, 1), (1,)), lambda g, x, y: g.add(x, y), lambda x, y: x[0] + y),
    "subtract": Case(((2, 3), (2, 3)), lambda g, x, y: g.subtract(x, y), np.subtract),
    "subtract from a number": Case(((), (3,)), lambda g, x, y: g.subtract(x, y), np.subtract),
    "multiply": Case(((2, 3), (2, 3)), lambda g, x, y: g.multiply(x, y), np.multiply),
    "multiply by a number": Case(((2, 3), ()), lambda g, x, y: g.multiply(x, y), np.multiply),
    "divide": Case(((2, 3), (2, 3)), lambda g, x, y: g.divide(x, y), np.divide, low=0.5),
    "divide a number": Case(((), (4,)), lambda g, x, y: g.divide(x, y), np.divide, low=0.5),
    "reduce_sum": Case(((2, 3),), lambda g, x: g.reduce_sum(x), np.sum),
    "concat1d": Case(
        ((2,), (3,)), lambda g, x, y: g.concat1d(x, y), lambda x, y: np.concatenate([x, y])
    ),
    "concat2d": Case(
        ((2, 3), (1, 3)), lambda g, x, y: g.concat2d(x, y, 0), lambda x, y: np.concatenate([x, y])
    ),
    "concat3d": Case(
        ((2, 1, 2), (2, 3, 2)),
        lambda g, x, y: g.concat3d(x, y, 1),
        lambda x, y: np.concatenate([x, y], 1),
    ),
    "concat4d": Case(
        ((2, 1, 2, 1), (2, 1, 2, 3)),
        lambda g, x, y: g.concat4d(x, y, 3),
        lambda x, y: np.concatenate([x, y], 3),
    ),
    "matmul of matrices": Case(
        ((2, 3), (3, 4)), lambda g, x, y: g.matmul(x, y), np.matmul, ("vf", "fv", "bb")
    ),
    "matmul with a vector": Case(
        ((2, 3), (3,)), lambda g, x, y: g.matmul(x, y), np.matmul, ("vf", "fv", "bb")
    ),
    "matmul of a vector": Case(
        ((3,), (3, 4)), lambda g, x, y: g.matmul(x, y), np.matmul, ("vf", "fv", "bb")
    ),
    "conv2d": Case(
        ((4, 5, 2), (3, 3, 2, 3), (3,)),
        lambda g, x, w, b: g.conv2d(x, w, b, 3, 3),
        _conv2d(1, 1),
        ("fvv", "vfb"),
    ),
    "conv2d with a stride": Case(
        ((5, 5, 2), (3, 3, 2, 1), (1,)),
        lambda g, x, w, b: g.conv2d(x, w, b, 3, 1, 2, 0),
        _conv2d(2, 0),
        ("bvv", "fbv"),
    ),
    "conv2d that keeps the rows": Case(
        ((4, 4, 1), (2, 2, 1, 2), (2,)),
        lambda g, x, w, b: g.conv2d(x, w, b, 2, 2, 2),
        _conv2d(2, 2),
        ("fvv",),
    ),
    "max_pool": Case(
        ((4, 4, 3),), lambda g, x: g.max_pool(x, 2, 2, 0), _max_pool(2, 2, 0), ("b", "v")
    ),
    "max_pool with padding": Case(
        ((3, 4, 2),), lambda g, x: g.max_pool(x, 3), _max_pool(3, 1, 1), ("b",)
    ),
    "exp": Case(((2, 3),), lambda g, x: g.exp(x), np.exp),
    "log": Case(((2, 3),), lambda g, x: g.log(x), np.log, low=0.5),
    "relu": Case(((2, 3),), lambda g, x: g.relu(x), lambda x: np.maximum(x, 0)),
    "leaky_relu": Case(
        ((2, 3),), lambda g, x: g.leaky_relu(x, 0.2), lambda x: np.where(x > 0, x, 0.2 * x)
    ),
    "prelu": Case(
        ((2, 3), (2, 3)), lambda g, x, a: g.prelu(x, a), lambda x, a: np.where(x > 0, x, a * x)
    ),
    "elu": Case(
        ((2, 3),), lambda g, x: g.elu(x), lambda x: np.where(x >= 0, x, np.expm1(np.minimum(x, 0)))
    ),
    "tanh": Case(((2, 3),), lambda g, x: g.tanh(x), np.tanh),
    "sigmoid": Case(((2, 3),), lambda g, x: g.sigmoid(x), lambda x: 1 / (1 + np.exp(-x))),
    "square": Case(((2, 3),), lambda g, x: g.square(x), np.square),
    "softmax": Case(((4,),), lambda g, x: g.softmax(x), _softmax),
    "softmax_cross_entropy_cost": Case(
        ((4,), (4,)),
        lambda g, x, t: g.softmax_cross_entropy_cost(x, t),
        lambda x, t: -np.sum(t * np.log(_softmax(x) + 1e-5)),
        gradients=lambda g, x, t: (g * (_softmax(x) - t), np.zeros_like(t)),
    ),
    "mean_squared_cost": Case(
        ((2, 3), (2, 3)),
        lambda g, x, y: g.mean_squared_cost(x, y),
        lambda x, y: 0.5 * np.mean((x - y) ** 2),
        gradients=lambda g, x, y: (g * (x - y), g * (y - x)),
    ),
}


GROUPS = {
    "arithmetic": [
        *("reshape", "fused_linear_combination", "reduce_sum", "add", "add a number"),
        *("add to a number", "add a row", "add to a row", "add single elements"),
    ],
    "more arithmetic": [
        *("subtract", "subtract from a number", "multiply", "multiply by a number"),
        *("divide", "divide a number"),
    ],
    "joining": ["concat1d", "concat2d", "concat3d", "concat4d"],
    "products": ["matmul of matrices", "matmul with a vector", "matmul of a vector"],
    "images": [
        *("conv2d", "conv2d with a stride", "conv2d that keeps the rows"),
        *("max_pool", "max_pool with padding"),
    ],
    "activations": [
        *("exp", "log", "relu", "leaky_relu", "prelu", "elu", "tanh", "sigmoid", "square"),
    ],
    "costs": ["softmax", "softmax_cross_entropy_cost", "mean_squared_cost"],
}


class Trial:
    """A case in a graph with operands of some modes, and NumPy's expected results."""

    def __init__(self, graph: Graph, name: str, modes: str, rng: np.random.Generator) -> None:
        self.case = case = CASES[name]
        self.what = f"{name} {modes}"
        self.modes = modes
        self.data = [
            rng.uniform(case.low, 2.0, (BATCH, *shape)).astype("float32") for shape in case.shapes
        ]
        self.scales = rng.uniform(0.5, 1.5, (len(modes), BATCH)).astype("float32")
        self.variables: dict[int, Any] = {}
        self.feeds: dict[Any, Any] = {}
        operands = []
        for at, (shape, mode) in enumerate(zip(case.shapes, modes, strict=True)):
            if mode == "f":
                operands.append(graph.placeholder(f"x{at}", shape))
                self.feeds[operands[at]] = self.data[at]
                continue
            operands.append(graph.variable(f"v{at}", self.data[at][0]))
            self.variables[at] = operands[at]
            if mode == "b":
                scale = graph.placeholder(f"scale{at}", [])
                self.feeds[scale] = self.scales[at]
                operands[at] = graph.multiply(operands[at], scale)
        self.result = case.build(graph, *operands)
        self.weights = rng.uniform(-1.0, 1.0, self.result.shape).astype("float32")
        self.cost = graph.reduce_sum(graph.multiply(self.result, graph.constant(self.weights)))

    def operands(self, example: int, changed: dict[int, Any] | None = None) -> list[Any]:
        """Values of the operands in an example, optionally with other values of some variables."""
        values = []
        for at, mode in enumerate(self.modes):
            value = self.data[at][example if mode == "f" else 0].astype("float64")
            value = (changed or {}).get(at, value)
            values.append(value * float(self.scales[at][example]) if mode == "b" else value)
        return values

    def value(self, example: int) -> Any:
        return self.case.reference(*self.operands(example))

    def cost_in(self, example: int, changed: dict[int, Any] | None = None) -> Any:
        result = self.case.reference(*self.operands(example, changed))
        return np.sum(self.weights * np.asarray(result))

    def gradient(self, at: int) -> Any:
        """Gradient of the sum of all examples' costs, with respect to a variable."""
        total = np.zeros(self.data[at].shape[1:])
        for example in range(BATCH):
            if self.case.gradients is None:

                def cost(x: Any, example: int = example) -> Any:
                    return self.cost_in(example, {at: x})

                total += numeric_gradient(cost, self.data[at][0])
            else:
                found = self.case.gradients(float(self.weights), *self.operands(example))[at]
                total += found * (float(self.scales[at][example]) if self.modes[at] == "b" else 1.0)
        return total


def modes_of(case: Case) -> tuple[str, ...]:
    if case.modes:
        return case.modes
    return ("b",) if len(case.shapes) == 1 else ("vf", "fv")


@pytest.mark.parametrize("group", GROUPS)
def test_values_and_gradients(group: str, rng: np.random.Generator):
    """Build several operations in one graph, since few large plans compile faster than many."""
    g = Graph()
    trials = [
        Trial(g, name, modes, rng) for name in GROUPS[group] for modes in modes_of(CASES[name])
    ]
    session = Session(g)
    for example in (0, BATCH - 1):
        feed = [(x, data[example]) for trial in trials for x, data in trial.feeds.items()]
        results = session.eval_all([trial.result for trial in trials], feed)
        for trial, result in zip(trials, results, strict=True):
            np.testing.assert_allclose(
                result.numpy(), trial.value(example), rtol=RTOL, atol=ATOL, err_msg=trial.what
            )

    cost = trials[0].cost
    for trial in trials[1:]:
        cost = g.add(cost, trial.cost)
    providers = [(x, InOrder(data)) for trial in trials for x, data in trial.feeds.items()]
    total = session.train(cost, providers, BATCH, SGDOptimizer(1.0), CostReduction.SUM)
    costs = [trial.cost_in(example) for trial in trials for example in range(BATCH)]
    np.testing.assert_allclose(total.numpy(), np.sum(costs), rtol=1e-4, atol=1e-4)
    for trial in trials:
        for at, variable in trial.variables.items():
            np.testing.assert_allclose(
                (trial.data[at][0] - value_of(variable)) * BATCH,
                trial.gradient(at),
                rtol=1e-4,
                atol=1e-4,
                err_msg=f"{trial.what}, operand {at}",
            )


def test_every_operation_is_in_a_group():
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(CASES)
    methods = {name.split(" ")[0] for name in CASES} | {"argmax", "argmax_equals"}
    others = {"constant", "get_nodes", "layers", "placeholder", "variable"}
    assert methods | others == {name for name in dir(Graph) if not name.startswith("_")}


def test_argmax_and_argmax_equals():
    g = Graph()
    x, y = g.placeholder("x", [2, 3]), g.placeholder("y", [2, 3])
    session = Session(g)
    first = [[0.0, 5.0, 1.0], [2.0, 3.0, 4.0]]
    same = [[-9.0, -1.0, -2.0], [-3.0, -4.0, -5.0]]
    other = [[0.0, 1.0, 2.0], [9.0, 1.0, 2.0]]
    place, equal = g.argmax(x), g.argmax_equals(x, y)
    assert (place.shape, equal.shape) == ((), ())
    found = session.eval_all([place, equal], [(x, first), (y, same)])
    assert [tensor.tolist() for tensor in found] == [1, True]
    found = session.eval_all([place, equal], [(x, other), (y, same)])
    assert [tensor.tolist() for tensor in found] == [3, False]


def test_costs_propagate_their_gradient():
    """The factor that multiplies a cost counts, and several costs add up."""
    g = Graph()
    w = g.variable("w", [1.0, 2.0])
    squared = g.mean_squared_cost(g.constant([0.0, 0.0]), w)
    entropy = g.softmax_cross_entropy_cost(w, g.constant([1.0, 0.0]))
    cost = g.add(g.multiply(squared, g.constant(3)), entropy)
    Session(g).train(cost, [], 1, SGDOptimizer(0.1))
    gradient = 3 * np.array([1.0, 2.0]) + _softmax(np.array([1.0, 2.0])) - np.array([1.0, 0.0])
    np.testing.assert_allclose(value_of(w), [1, 2] - 0.1 * gradient, rtol=1e-5)


def test_elu_gradient_ignores_an_infinite_exponential():
    g = Graph()
    w = g.variable("w", [200.0, -1.0])
    Session(g).train(g.reduce_sum(g.elu(w)), [], 1, SGDOptimizer(1.0))
    np.testing.assert_allclose(value_of(w), [199.0, -1 - np.exp(-1)], rtol=1e-5)


def test_fed_integers_become_float32():
    g = Graph()
    x = g.placeholder("x", [2])
    result = Session(g).eval(g.divide(x, g.constant(2)), [(x, pt.asarray([1, 2]))])
    assert result.tolist() == [0.5, 1.0]


def test_a_long_graph_is_evaluated():
    """Build a graph deeper than Python's recursion limit."""
    g = Graph()
    x = y = g.placeholder("x", [])
    for _ in range(1500):
        y = g.add(y, x)
    assert Session(g).eval(y, [(x, 1.0)]).item() == 1501.0
