"""Every misuse of a graph raises at once, with the exact text and the name of the node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from graphs import InOrder, value_of
from helpers import assert_raises

import py_tensor as pt
from py_tensor.errors import ArgumentError, GradientError, ShapeError, TraceError
from py_tensor.graph import (
    Graph,
    InCPUMemoryShuffledInputProviderBuilder,
    InGPUMemoryShuffledInputProviderBuilder,
    Session,
    SGDOptimizer,
    VarianceScalingInitializer,
)


class Given:
    """A small graph, and another one."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.x = self.graph.placeholder("input", [3])
        self.m = self.graph.placeholder("matrix", [2, 3])
        self.image = self.graph.placeholder("image", [5, 5, 2])
        self.w = self.graph.variable("weights", [1.0, 2.0, 3.0])
        self.y = self.graph.multiply(self.x, self.w)
        self.cost = self.graph.reduce_sum(self.y)
        self.session = Session(self.graph)
        self.other_graph = Graph()
        self.other = self.other_graph.placeholder("other", [3])

    def train(self, cost: Any = None, feed: Any = None, size: Any = 1, only: Any = None) -> Any:
        feed = [(self.x, InOrder([[1.0, 2.0, 3.0]]))] if feed is None else feed
        cost = self.cost if cost is None else cost
        return self.session.train(cost, feed, size, SGDOptimizer(0.1, only))


CASES: dict[str, tuple[type, Callable[[Given], Any], str]] = {
    "no tensor": (
        ArgumentError,
        lambda given: given.graph.add(given.x, 3),
        "add: argument must be a tensor of a graph; got int 3; create one with placeholder, "
        "variable or constant",
    ),
    "a tensor of another graph": (
        ArgumentError,
        lambda given: given.graph.add(given.x, given.other),
        "add: tensor belongs to another graph; got 'other' of shape (3,); use tensors of this "
        "graph",
    ),
    "another graph evaluated": (
        ArgumentError,
        lambda given: given.session.eval(given.other, []),
        "eval: tensor belongs to another graph; got 'other' of shape (3,); use tensors of this "
        "graph",
    ),
    "another graph fed": (
        ArgumentError,
        lambda given: given.session.eval(given.y, [(given.other, [1.0])]),
        "eval: tensor belongs to another graph; got 'other' of shape (3,); use tensors of this "
        "graph",
    ),
    "a placeholder that is no tensor": (
        ArgumentError,
        lambda given: given.session.eval(given.y, [("input", [1.0, 2.0, 3.0])]),
        "eval: argument must be a tensor of a graph; got str 'input'; create one with "
        "placeholder, variable or constant",
    ),
    "a placeholder not fed": (
        ArgumentError,
        lambda given: given.session.eval_all([given.y], []),
        "eval_all: placeholder is not fed; got a feed of nothing without 'input' of shape (3,); "
        "add a FeedEntry for it",
    ),
    "another placeholder fed": (
        ArgumentError,
        lambda given: given.train(feed=[(given.m, InOrder([[1.0]]))]),
        "train: placeholder is not fed; got a feed of 'matrix' of shape (2, 3) without "
        "'input' of shape (3,); add a FeedEntry for it",
    ),
    "fed twice": (
        ArgumentError,
        lambda given: given.session.eval(given.y, [(given.x, [1.0]), (given.x, [2.0])]),
        "eval: tensor is fed twice; got two entries for 'input' of shape (3,); pass only one",
    ),
    "no entry": (
        ArgumentError,
        lambda given: given.session.eval(given.y, [given.x]),
        "eval: feed must consist of FeedEntry objects; got 'input' of shape (3,); pass "
        "FeedEntry(tensor, data)",
    ),
    "a wrong shape fed": (
        ShapeError,
        lambda given: given.session.eval(given.y, [(given.x, [1.0, 2.0])]),
        "eval: value has the wrong shape; got (2,) for 'input' of shape (3,); feed shape (3,)",
    ),
    "a wrong shape provided": (
        ShapeError,
        lambda given: given.train(feed=[(given.x, InOrder([[1.0, 2.0]]))]),
        "train: value has the wrong shape; got (2,) for 'input' of shape (3,); feed shape (3,)",
    ),
    "a wrong shape provided in a batch": (
        ShapeError,
        lambda given: given.train(
            feed=[
                (given.x, InCPUMemoryShuffledInputProviderBuilder([[[1.0]]]).get_input_provider(0))
            ]
        ),
        "train: value has the wrong shape; got (1, 1) for 'input' of shape (3,); feed shape (1, 3)",
    ),
    "trained with an array": (
        ArgumentError,
        lambda given: given.train(feed=[(given.x, [1.0, 2.0, 3.0])]),
        "train: data must be an input provider; got list for 'input' of shape (3,); use "
        "InCPUMemoryShuffledInputProviderBuilder or an object with get_next_copy and dispose_copy",
    ),
    "a cost of several numbers": (
        ArgumentError,
        lambda given: given.train(cost=given.y),
        "train: cost must be a single number; got 'Multiply' of shape (3,); use reduce_sum",
    ),
    "no batch": (
        ArgumentError,
        lambda given: given.train(size=0),
        "train: batch_size is invalid; got 0; use an integer of at least 1",
    ),
    "no variable": (
        ArgumentError,
        lambda given: given.train(cost=given.graph.reduce_sum(given.x)),
        "train: there is no variable to train; got a cost without variables; create one with "
        "graph.variable",
    ),
    "a specified variable that does not matter": (
        ArgumentError,
        lambda given: given.train(only=[given.graph.variable("idle", 1.0)]),
        "train: the cost does not depend on a variable; got VariableNode 'idle' in "
        "specified_variable_list; choose from [VariableNode 'weights']",
    ),
    "argmax trained": (
        GradientError,
        lambda given: given.train(cost=given.graph.argmax(given.y)),
        "train: operation has no gradient; got 'ArgMax' of shape () on the path to the cost "
        "'ArgMax' of shape (); use softmax_cross_entropy_cost or mean_squared_cost",
    ),
    "trained inside of jit": (
        TraceError,
        lambda given: pt.jit(lambda: given.train())(),
        "train: sessions cannot be trained inside jit; got a call in <lambda>; call it outside; "
        "its steps are already compiled",
    ),
    "nothing evaluated": (
        ArgumentError,
        lambda given: given.session.activation_array_map.get(given.y),
        "activation_array_map: the tensor has not been evaluated; got 'Multiply' of shape (3,); "
        "call eval or train first",
    ),
    "a negative length": (
        ShapeError,
        lambda given: given.graph.placeholder("x", [-1]),
        "placeholder: lengths must not be negative; got shape (-1,); use lengths of at least 0",
    ),
    "reshape": (
        ShapeError,
        lambda given: given.graph.reshape(given.m, [5]),
        "reshape: number of elements must not change; got 'matrix' of shape (2, 3) for shape "
        "(5,); use a shape of 6 elements",
    ),
    "add": (
        ShapeError,
        lambda given: given.graph.add(given.m, given.graph.placeholder("y", [2])),
        "add: shapes are incompatible; got 'matrix' of shape (2, 3) and 'y' of shape (2,); use "
        "equal shapes, or a single element, or a matrix and one of its rows",
    ),
    "subtract": (
        ShapeError,
        lambda given: given.graph.subtract(given.m, given.x),
        "subtract: shapes are incompatible; got 'matrix' of shape (2, 3) and 'input' of shape "
        "(3,); use equal shapes, or a single element",
    ),
    "fused_linear_combination": (
        ShapeError,
        lambda given: given.graph.fused_linear_combination(given.x, given.x, given.x, given.x),
        "fused_linear_combination: coefficient must be a single number; got 'input' of shape "
        "(3,); use shape ()",
    ),
    "concat": (
        ShapeError,
        lambda given: given.graph.concat2d(given.m, given.graph.placeholder("y", [3, 3]), 1),
        "concat2d: shapes are incompatible; got 'matrix' of shape (2, 3) and 'y' of shape (3, 3); "
        "shapes may differ along axis 1 only",
    ),
    "concat of other axes": (
        ShapeError,
        lambda given: given.graph.concat1d(given.x, given.m),
        "concat1d: wrong number of axes; got 'matrix' of shape (2, 3); use 1",
    ),
    "concat along no axis": (
        ShapeError,
        lambda given: given.graph.concat3d(given.image, given.image, 3),
        "concat3d: axis out of range; got axis 3 for 3 axes; use 0 to 2",
    ),
    "matmul of vectors": (
        ShapeError,
        lambda given: given.graph.matmul(given.x, given.w),
        "matmul: operands must be matrices, or a matrix and a vector; got 'input' of shape (3,) "
        "and 'weights' of shape (3,); use two matrices, or a matrix and a vector",
    ),
    "matmul": (
        ShapeError,
        lambda given: given.graph.matmul(given.x, given.m),
        "matmul: inner lengths must be equal; got 'input' of shape (3,) and 'matrix' of shape (2, "
        "3); the last axis of the first operand must be as long as the first axis of the second",
    ),
    "conv2d of no image": (
        ShapeError,
        lambda given: given.graph.conv2d(given.m, given.w, given.x, 3, 1),
        "conv2d: image must have three axes and bias one; got 'matrix' of shape (2, 3) and "
        "'input' of shape (3,); pass (rows, columns, channels) and (output_depth,)",
    ),
    "conv2d with other weights": (
        ShapeError,
        lambda given: given.graph.conv2d(given.image, given.m, given.x, 3, 3),
        "conv2d: weights or bias have the wrong shape; got 'matrix' of shape (2, 3) and 'input' "
        "of shape (3,); for 'image' of shape (5, 5, 2) give shapes (3, 3, 2, 3) and (3,)",
    ),
    "windows that leave a border": (
        ShapeError,
        lambda given: given.graph.max_pool(given.image, 2, 2, 0),
        "max_pool: windows do not fill the image exactly; got field_size 2, stride 2 and zero_pad "
        "0 for 'image' of shape (5, 5, 2); length + 2 * zero_pad - field_size must be a "
        "non-negative multiple of stride",
    ),
    "no stride": (
        ArgumentError,
        lambda given: given.graph.max_pool(given.image, 2, 0),
        "max_pool: stride is invalid; got 0; use an integer of at least 1",
    ),
    "max_pool of no image": (
        ShapeError,
        lambda given: given.graph.max_pool(given.x, 2),
        "max_pool: image must have three axes; got 'input' of shape (3,); pass (rows, columns, "
        "channels)",
    ),
    "leaky_relu with a tensor": (
        ArgumentError,
        lambda given: given.graph.leaky_relu(given.x, given.x),
        "leaky_relu: alpha must be a number; got 'input' of shape (3,); use prelu",
    ),
    "prelu": (
        ShapeError,
        lambda given: given.graph.prelu(given.m, given.x),
        "prelu: shapes must be equal; got 'matrix' of shape (2, 3) and 'input' of shape (3,); use "
        "equal shapes",
    ),
    "softmax": (
        ShapeError,
        lambda given: given.graph.softmax(given.m),
        "softmax: input must be a vector of at least 2 elements; got 'matrix' of shape (2, 3); "
        "use one axis of at least 2 elements",
    ),
    "mean_squared_cost": (
        ShapeError,
        lambda given: given.graph.mean_squared_cost(given.m, given.x),
        "mean_squared_cost: shapes must be equal; got 'matrix' of shape (2, 3) and 'input' of "
        "shape (3,); use equal shapes",
    ),
    "dense": (
        ShapeError,
        lambda given: given.graph.layers.dense("layer", given.m, 2),
        "dense: input must be a vector; got 'matrix' of shape (2, 3); reshape it to one axis",
    ),
    "numbers of examples": (
        ShapeError,
        lambda given: InCPUMemoryShuffledInputProviderBuilder([[1.0, 2.0], [1.0]]),
        "InCPUMemoryShuffledInputProviderBuilder: inputs must have equal numbers of examples, at "
        "least one; got [2, 1]; pass as many examples of each input",
    ),
    "shapes of examples": (
        ShapeError,
        lambda given: InGPUMemoryShuffledInputProviderBuilder([[pt.ones(2), pt.ones(3)]]),
        "InGPUMemoryShuffledInputProviderBuilder: examples of an input must have the same shape "
        "and dtype; got float32[3] and float32[2]; convert them",
    ),
    "no inputs": (
        ArgumentError,
        lambda given: InCPUMemoryShuffledInputProviderBuilder([]),
        "InCPUMemoryShuffledInputProviderBuilder: at least one input is required; got an empty "
        "sequence; pass an input",
    ),
    "no such input": (
        ArgumentError,
        lambda given: InCPUMemoryShuffledInputProviderBuilder([[1.0]]).get_input_provider(1),
        "InCPUMemoryShuffledInputProviderBuilder: unknown input; got 1; use 0 to 0",
    ),
    "no such mode": (
        ArgumentError,
        lambda given: VarianceScalingInitializer(1.0, "fan"),  # type: ignore[arg-type]
        'VarianceScalingInitializer: mode is unknown; got \'fan\'; use "fan_in", "fan_out" or '
        '"fan_avg"',
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_error(name: str):
    error, call, text = CASES[name]
    given = Given()
    assert_raises(error, text, lambda: call(given))


def test_copies_are_returned_after_an_error():
    given = Given()
    good, bad = InOrder([[1.0, 2.0, 3.0]]), InOrder([[1.0, 2.0]])
    target = given.graph.placeholder("target", [3])
    cost = given.graph.mean_squared_cost(target, given.y)
    with pytest.raises(ShapeError):
        given.train(cost, [(given.x, good), (target, bad)], 2)
    assert [(p.given, p.disposed) for p in (good, bad)] == [(1, 1), (1, 1)]
    assert value_of(given.w).tolist() == [1.0, 2.0, 3.0]
