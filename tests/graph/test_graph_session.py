"""Sessions evaluate the requested tensors, train like NumPy step by step, and leak nothing."""

from __future__ import annotations

import gc
import subprocess
import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from graphs import InOrder, value_of
from helpers import assert_raises

import py_tensor as pt
from py_tensor import errors
from py_tensor.graph import (
    CostReduction,
    FeedEntry,
    Graph,
    InCPUMemoryShuffledInputProviderBuilder,
    InGPUMemoryShuffledInputProviderBuilder,
    MomentumOptimizer,
    Session,
    SGDOptimizer,
)

INPUTS = np.array([[1, 2, 3], [10, 20, 30], [100, 200, 300]], "float32")
LABELS = np.array([[4], [40], [400]], "float32")


@pytest.mark.parametrize(
    "builder", [InCPUMemoryShuffledInputProviderBuilder, InGPUMemoryShuffledInputProviderBuilder]
)
def test_the_tutorials_example(builder: Any):
    """Run deeplearn.js's introduction: ten batches of three examples at a learning rate of 1e-5."""
    graph = Graph()
    x = graph.placeholder("input", [3])
    label = graph.placeholder("label", [1])
    start = np.array([[0.3, -0.7, 0.2]], "float32")
    multiplier = graph.variable("multiplier", start)
    y = graph.matmul(multiplier, x)
    cost = graph.mean_squared_cost(y, label)
    session = Session(graph, pt.graph.math)
    optimizer = SGDOptimizer(1e-5)
    inputs = [pt.asarray(row) for row in INPUTS]
    labels = [pt.asarray(row) for row in LABELS]
    providers = builder([inputs, labels], seed=1).get_input_providers()
    feed = [FeedEntry(x, providers[0]), FeedEntry(label, providers[1])]

    w = start.astype("float64")
    costs = []
    for _ in range(10):
        got = session.train(cost, feed, 3, optimizer, CostReduction.MEAN)
        error = INPUTS @ w.T - LABELS
        expected = np.mean(0.5 * error**2)
        w = w - 1e-5 * (error.T @ INPUTS) / 3
        # The cost is a sum of squares that falls to a millionth; float32 adds them up.
        np.testing.assert_allclose(got.item(), expected, rtol=1e-4)
        np.testing.assert_allclose(value_of(multiplier), w, rtol=1e-5)
        costs.append(got.item())
    assert all(after < before for before, after in pairwise(costs))
    tested = session.eval(y, [FeedEntry(x, pt.asarray([0.1, 0.2, 0.3]))])
    assert tested.shape == (1,)
    np.testing.assert_allclose(tested.numpy(), [0.1, 0.2, 0.3] @ w.T, rtol=1e-5)


def test_a_step_is_one_plan(engine: Any):
    """Draws and plans do not grow with the number of examples in a batch."""
    counts = []
    for size in (4, 32):
        graph = Graph()
        x, label = graph.placeholder("x", [4]), graph.placeholder("label", [2])
        hidden = graph.layers.dense("hidden", x, 8, graph.relu)
        cost = graph.mean_squared_cost(label, graph.layers.dense("out", hidden, 2))
        examples = [np.ones((16, 4), "float32"), np.ones((16, 2), "float32")]
        builder = InCPUMemoryShuffledInputProviderBuilder(examples, seed=0)
        feed = list(zip([x, label], builder.get_input_providers(), strict=True))
        session, optimizer = Session(graph), SGDOptimizer(0.01)
        for _ in range(2):
            session.train(cost, feed, size, optimizer)
        before = pt.cache_info()
        session.train(cost, feed, size, optimizer)
        after = pt.cache_info()
        assert after.plan_misses == before.plan_misses
        assert after.plan_hits == before.plan_hits + 1
        counts.append(after.draws - before.draws)
    assert counts[0] == counts[1]


def test_training_leaks_nothing(state: Any):
    """The counts of tensors, textures and plans stay the same, in and out of scopes."""
    graph = Graph()
    x, label = graph.placeholder("x", [3]), graph.placeholder("label", [1])
    y = graph.layers.dense("layer", x, 1)
    cost = graph.mean_squared_cost(y, label)
    builder = InGPUMemoryShuffledInputProviderBuilder([INPUTS, LABELS], seed=0)
    own = InOrder(LABELS)
    feeds = [
        list(zip([x, label], builder.get_input_providers(), strict=True)),
        [(x, builder.get_input_provider(0)), (label, own)],
    ]
    session, optimizer = Session(graph), MomentumOptimizer(1e-6, 0.9)

    def steps(count: int) -> None:
        for at in range(count):
            kinds = (CostReduction.NONE, CostReduction.MEAN)
            session.train(cost, feeds[at % 2], 3, optimizer, kinds[at // 2 % 2])
            with pt.tidy():
                session.train(cost, feeds[at % 2], 3, optimizer, CostReduction.SUM)
                session.eval(y, [(x, INPUTS[0])])

    steps(8)
    before, plans = state(), pt.memory().num_plans
    free = pt.memory().num_bytes_in_gpu_free
    steps(60)
    assert state() == before
    assert (pt.memory().num_plans, pt.memory().num_bytes_in_gpu_free) == (plans, free)
    assert own.given == own.disposed > 0


def test_a_graph_is_freed_with_its_last_user(state: Any):
    """Variables, slots, traces and fed values are freed without the garbage collector."""
    gc.collect()
    gc.disable()
    try:
        before = state()
        graph = Graph()
        x = graph.placeholder("x", [3])
        cost = graph.reduce_sum(graph.layers.dense("layer", x, 2, graph.square))
        session, optimizer = Session(graph), MomentumOptimizer(0.1, 0.9)
        session.train(cost, [(x, InOrder(INPUTS))], 2, optimizer)
        session.eval(cost, [(x, INPUTS[0])])
        assert state()["live tensors"] > before["live tensors"]
        del graph, x, cost, session, optimizer
        assert state()["live tensors"] == before["live tensors"]
    finally:
        gc.enable()


def test_dispose(state: Any):
    before = state()
    graph = Graph()
    w = graph.variable("w", [1.0])
    x = graph.placeholder("x", [1])
    cost = graph.reduce_sum(graph.multiply(w, x))
    session, optimizer = Session(graph), MomentumOptimizer(0.1, 0.9)
    session.train(cost, [(x, InOrder([[2.0]]))], 1, optimizer)
    session.dispose()
    optimizer.dispose()
    assert state()["live tensors"] == before["live tensors"] + 1
    np.testing.assert_allclose(value_of(w), [0.8], rtol=1e-6)
    session.train(cost, [(x, InOrder([[2.0]]))], 1, optimizer)
    np.testing.assert_allclose(value_of(w), [0.6], rtol=1e-6)


def test_eval_all_shares_common_operations():
    graph = Graph()
    x = graph.placeholder("x", [2])
    squared = graph.square(x)
    y, z = graph.add(squared, graph.constant(3)), graph.add(squared, graph.constant(2))
    found = Session(graph).eval_all([y, z, y], [FeedEntry(x, [5.0, 4.0])])
    assert [tensor.tolist() for tensor in found] == [[28.0, 19.0], [27.0, 18.0], [28.0, 19.0]]


def test_any_tensor_can_be_fed():
    """Operands of a fed tensor are not needed."""
    graph = Graph()
    x = graph.placeholder("x", [2])
    squared = graph.square(x)
    y = graph.add(squared, graph.constant(3))
    session = Session(graph)
    assert session.eval(y, [FeedEntry(squared, [25.0, 16.0])]).tolist() == [28.0, 19.0]
    assert session.eval(y, [FeedEntry(x, [5.0, 4.0])]).tolist() == [28.0, 19.0]
    assert session.eval(y, [FeedEntry(y, [1.0, 2.0])]).tolist() == [1.0, 2.0]


def test_inputs_are_evaluated_unchanged():
    graph = Graph()
    x, w = graph.placeholder("x", [2]), graph.variable("w", [3.0, 4.0])
    session = Session(graph)
    given = pt.asarray([1.0, 2.0])
    found = session.eval_all([x, w, graph.constant([5, 6])], [(x, given)])
    assert [tensor.tolist() for tensor in found] == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    for tensor in found:
        tensor.dispose()
    assert given.tolist() == [1.0, 2.0]
    assert session.eval(w).tolist() == [3.0, 4.0]


def test_variables_are_copies_of_their_initial_values():
    graph = Graph()
    data = pt.asarray([1.0, 2.0])
    w = graph.variable("w", data)
    Session(graph).train(graph.reduce_sum(w), [], 1, SGDOptimizer(0.5))
    assert data.tolist() == [1.0, 2.0]
    data.dispose()
    assert value_of(w).tolist() == [0.5, 1.5]


def test_variables_can_be_set():
    graph = Graph()
    w = graph.variable("w", [1.0, 2.0])
    session = Session(graph)
    assert session.eval(w).tolist() == [1.0, 2.0]
    w.node.data = pt.asarray([7.0, 8.0])
    assert session.eval(w).tolist() == [7.0, 8.0]
    assert_raises(
        errors.ShapeError,
        "variable: data has the wrong shape; got (3,) for 'w' of shape (2,); use the same shape",
        lambda: setattr(w.node, "data", pt.ones(3)),
    )


def test_only_the_specified_variables_are_trained():
    """Specify variables as nodes, or as their tensors."""
    graph = Graph()
    x = graph.placeholder("x", [2])
    w, b = graph.variable("w", [1.0, 1.0]), graph.variable("b", 1.0)
    cost = graph.reduce_sum(graph.add(graph.multiply(w, x), b))
    session = Session(graph)
    for chosen in (b, b.node):
        session.train(cost, [(x, InOrder([[2.0, 3.0]]))], 1, SGDOptimizer(0.1, [chosen]))
    assert value_of(w).tolist() == [1.0, 1.0]
    np.testing.assert_allclose(value_of(b), 1.0 - 2 * 0.1 * 2, rtol=1e-6)


def test_costs_are_reduced():
    graph = Graph()
    x = graph.placeholder("x", [])
    cost = graph.multiply(graph.variable("w", 2.0), x)
    examples = [3.0, 5.0, 10.0]
    found = {
        reduction: Session(graph)
        .train(cost, [(x, InOrder(examples))], 3, SGDOptimizer(0.0), reduction)
        .item()
        for reduction in CostReduction
    }
    assert found == {CostReduction.NONE: 0.0, CostReduction.SUM: 36.0, CostReduction.MEAN: 12.0}


def test_a_cost_without_feeds_counts_for_each_example():
    graph = Graph()
    w = graph.variable("w", 3.0)
    cost = Session(graph).train(graph.square(w), [], 4, SGDOptimizer(0.5), CostReduction.SUM)
    assert (cost.item(), value_of(w).item()) == (36.0, 0.0)


def test_results_belong_to_scopes():
    graph = Graph()
    x, w = graph.placeholder("x", [2]), graph.variable("w", [1.0, 2.0])
    y = graph.multiply(x, w)
    session = Session(graph)
    with pt.tidy():
        result = session.eval(y, [(x, [1.0, 1.0])])
        cost = session.train(
            graph.reduce_sum(y), [(x, InOrder([[1.0, 1.0]]))], 1, SGDOptimizer(1.0)
        )
    assert result.is_disposed
    assert cost.is_disposed
    assert value_of(w).tolist() == [0.0, 1.0]


def test_evaluations_can_be_differentiated_and_traced():
    """Evaluations are functions of tensors like any other."""
    graph = Graph()
    x, w = graph.placeholder("x", [2]), graph.variable("w", [3.0, 4.0])
    cost = graph.reduce_sum(graph.square(graph.multiply(x, w)))
    session = Session(graph)

    def evaluated(value: pt.Tensor) -> pt.Tensor:
        return session.eval(cost, [(x, value)])

    assert pt.grad(evaluated)(pt.asarray([1.0, 2.0])).tolist() == [18.0, 64.0]
    assert pt.grad(pt.jit(evaluated))(pt.asarray([1.0, 2.0])).tolist() == [18.0, 64.0]
    assert pt.jit(evaluated)(pt.asarray([1.0, 2.0])).item() == 73.0


def test_debug_mode_trains_the_same():
    graph = Graph()
    w = graph.variable("w", [3.0, 4.0])
    cost = graph.reduce_sum(graph.square(w))
    pt.enable_debug_mode()
    try:
        Session(graph).train(cost, [], 1, SGDOptimizer(0.25))
    finally:
        pt.enable_production_mode()
    assert value_of(w).tolist() == [1.5, 2.0]


def test_the_subpackage_is_imported_on_first_use():
    code = """
import sys, py_tensor
assert "py_tensor.graph" not in sys.modules
assert py_tensor.graph.Graph is sys.modules["py_tensor.graph"].Graph
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_activations_of_the_latest_evaluation():
    graph = Graph()
    x, w = graph.placeholder("x", [2]), graph.variable("w", [1.0, 2.0])
    inner = graph.multiply(x, w)
    cost = graph.reduce_sum(graph.square(inner))
    session = Session(graph)
    session.eval(cost, [(x, [3.0, 4.0])])
    activations = session.activation_array_map
    assert activations.get(inner).tolist() == [3.0, 8.0]
    assert activations.get(x).tolist() == [3.0, 4.0]
    session.train(cost, [(x, InOrder([[1.0, 1.0], [5.0, 6.0]]))], 2, SGDOptimizer(0.0))
    assert activations.get(inner).tolist() == [5.0, 12.0]


def test_nodes():
    graph = Graph()
    x = graph.placeholder("x", [8, 8, 2])
    w, b = graph.variable("w", pt.zeros((3, 3, 2, 4))), graph.variable("b", pt.zeros(4))
    y = graph.conv2d(x, w, b, 3, 4, 1)
    node = y.node
    assert [node.name for node in graph.get_nodes()] == ["x", "w", "b", "Convolution 2D"]
    assert node.inputs == {"x": x, "w": w, "b": b}
    assert node.attributes == {"stride": 1, "zero_pad": 1}
    assert node.output is y
    assert node.graph is graph
    assert [tensor.id for tensor in (x, w, b, y)] == sorted(tensor.id for tensor in (x, w, b, y))
    assert repr(y) == "'Convolution 2D' of shape (8, 8, 4)"


def test_dense_layers():
    graph = Graph()
    x = graph.placeholder("x", [2])
    y = graph.layers.dense(
        "layer",
        x,
        3,
        lambda x: graph.relu(x),
        True,
        pt.graph.NDArrayInitializer([[1.0, 0.0, -1.0], [0.0, 2.0, 0.0]]),
        pt.graph.ConstantInitializer(0.5),
    )
    assert Session(graph).eval(y, [(x, [1.0, 2.0])]).tolist() == [1.5, 4.5, 0.0]
    names = [node.name for node in graph.get_nodes()]
    assert names == ["x", "layer-weights", "MatMul", "layer-bias", "Add", "ReLU"]
    plain = graph.layers.dense("plain", x, 3, use_bias=False)
    assert "plain-bias" not in [node.name for node in graph.get_nodes()]
    assert plain.node.name == "MatMul"
