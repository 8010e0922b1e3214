"""Graphs of ONNX: the order of nodes, large graphs, and branches with weights of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import py_tensor as pt
from py_tensor.errors import ModelError
from py_tensor.models import execution

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def value(name: str, shape: Any = None, dtype: int = FLOAT) -> Any:
    return helper.make_tensor_value_info(name, dtype, shape)


def saved(
    nodes: list[Any], inputs: list[Any], outputs: list[Any], constants: Any = None, **options: Any
) -> bytes:
    given = [numpy_helper.from_array(array, name) for name, array in (constants or {}).items()]
    graph = helper.make_graph(nodes, "graph", inputs, outputs, given)
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("own", 1)]
    model = helper.make_model(graph, opset_imports=imports, **options)
    data: bytes = model.SerializeToString()
    return data


def test_nodes_before_those_that_they_need_are_sorted(engine):
    nodes = [
        helper.make_node("Add", ["b", "c"], ["y"]),
        helper.make_node("Relu", ["c"], ["b"]),
        helper.make_node("Neg", ["x"], ["c"]),
    ]
    model = pt.models.loads(saved(nodes, [value("x", [2])], [value("y", [2])]))
    assert model([1.0, -2.0]).tolist() == [-1.0, 4.0]
    assert [layer.operator for layer in model.layers] == ["Neg", "Relu", "Add"]


def test_nodes_in_order_keep_their_order(engine):
    names = ["Neg", "Abs", "Relu", "Exp"]
    nodes = [helper.make_node(name, ["x"], [name]) for name in names]
    nodes.append(helper.make_node("Sum", names[::-1], ["y"]))
    model = pt.models.loads(saved(nodes, [value("x", [1])], [value("y", [1])]))
    assert [layer.operator for layer in model.layers] == [*names, "Sum"]


def test_branches_that_read_later_results_are_sorted(engine):
    then = helper.make_graph(
        [helper.make_node("Neg", ["late"], ["t"])], "then", [], [value("t", [1])]
    )
    other = helper.make_graph([], "else", [], [value("late", [1])])
    nodes = [
        helper.make_node("If", ["flag"], ["y"], then_branch=then, else_branch=other),
        helper.make_node("Exp", ["x"], ["late"]),
    ]
    inputs = [value("x", [1]), value("flag", [], BOOL)]
    model = pt.models.loads(saved(nodes, inputs, [value("y", [1])]))
    assert [model([0.0], flag).tolist() for flag in (True, False)] == [[-1.0], [1.0]]


@pytest.mark.host
def test_nodes_that_need_each_other_are_an_error():
    nodes = [helper.make_node("Neg", ["b"], ["a"]), helper.make_node("Neg", ["a"], ["b"])]
    with pytest.raises(ModelError, match=r'nodes form a cycle; got .* "[ab]" \(Neg\)'):
        pt.models.loads(saved(nodes, [value("x", [1])], [value("b", [1])]))


def chain(length: int) -> bytes:
    nodes = [helper.make_node("Neg", [f"v{n}"], [f"v{n + 1}"]) for n in range(length)]
    return saved(nodes, [value("v0", [1])], [value(f"v{length}", [1])])


def test_a_long_graph_without_loops_runs(engine, monkeypatch):
    monkeypatch.setattr(execution, "MAX_NODES", 20)
    monkeypatch.setattr(execution, "MAX_TRACED_NODES", 20)
    assert pt.models.loads(chain(100))([3.0]).tolist() == [3.0]


def test_a_long_graph_in_a_trace_says_where_to_call_it(engine, monkeypatch):
    monkeypatch.setattr(execution, "MAX_TRACED_NODES", 20)
    model = pt.models.loads(chain(100))
    with pytest.raises(pt.errors.TraceError, match=r"too many nodes .* outside of pt\.jit"):
        pt.jit(model)(pt.asarray([3.0]))


def branches(**options: Any) -> bytes:
    """Return a model of two networks with weights of equal names, one of which `rate` chooses."""
    graphs = []
    for name, count in (("then", 3), ("else", 5)):
        kernel = np.random.default_rng(count).normal(size=(2, 1, count)).astype("float32")
        constants = {
            "kernel": kernel,
            "scale": np.float32([2, 3]),
            "offset": np.float32([count, 1]),
            "mean": np.float32([0, 1]),
            "variance": np.float32([1, 4]),
            "axes": np.int64([2]),
        }
        nodes = [
            helper.make_node("Conv", ["x", "kernel"], ["c"], auto_pad="SAME_UPPER"),
            helper.make_node(
                "BatchNormalization", ["c", "scale", "offset", "mean", "variance"], ["n"]
            ),
            helper.make_node("Mul", ["n", "shared"], ["s"]),
            helper.make_node("ReduceMax", ["s", "axes"], [f"{name}_y"], keepdims=0),
        ]
        given = [numpy_helper.from_array(array, key) for key, array in constants.items()]
        graphs.append(helper.make_graph(nodes, name, [], [value(f"{name}_y", [1, 2])], given))
    nodes = [
        helper.make_node("Equal", ["rate", "high"], ["is_high"]),
        helper.make_node("If", ["is_high"], ["y"], then_branch=graphs[0], else_branch=graphs[1]),
    ]
    inputs = [value("x", [1, 1, 16]), value("rate", [], INT64)]
    constants = {"high": np.int64(16000), "shared": np.float32([[[0.5]]])}
    return saved(nodes, inputs, [value("y", [1, 2])], constants, ir_version=8)


def test_weights_of_branches_are_parameters(rng, engine):
    data = branches()
    model = pt.models.loads(data)
    names = dict(model.named_parameters())
    assert {"kernel", "If_1/kernel"} <= {name.replace("y/", "If_1/") for name in names}
    shapes = sorted(tensor.shape for tensor in names.values() if tensor.ndim == 3)
    assert shapes == [(1, 1, 1), (3, 1, 2), (5, 1, 2)]
    x = rng.normal(size=(1, 1, 16)).astype("float32")
    session = onnxruntime.InferenceSession(data)
    for rate in (16000, 8000, 16000):
        [expected] = session.run(None, {"x": x, "rate": np.array(rate)})
        np.testing.assert_allclose(model(x, rate).numpy(), expected, rtol=2e-5, atol=1e-5)
    assert not model._runner.eager


def test_weights_of_branches_are_trained_and_saved(rng, engine):
    model = pt.models.loads(branches())
    x = pt.asarray(rng.normal(size=(1, 1, 16)).astype("float32"))

    def loss(model: pt.models.Model) -> pt.Tensor:
        return pt.sum(model(x, 8000) ** 2)

    gradients = dict(pt.grad(loss)(model).named_parameters())
    moved = {name for name, tensor in gradients.items() if abs(tensor).max().item() > 0}
    assert {tensor.shape for name, tensor in gradients.items() if name in moved} >= {(5, 1, 2)}
    assert not any(gradients[name].shape == (3, 1, 2) for name in moved)
    again = pt.models.loads(pt.models.save(model))
    for rate in (16000, 8000):
        assert pt.allclose(again(x, rate), model(x, rate), atol=1e-6)
    assert again.state_dict().keys() == model.state_dict().keys()


def test_a_branch_runs_as_many_steps_as_its_network_alone(engine):
    """Weights of branches are prepared when they are loaded."""
    model = pt.models.loads(branches())
    [step] = [step for step in model._program.steps if step.bodies]
    bodies = step.bodies.values()
    assert [len(body.steps) for body in bodies] == [4, 4]
    assert {len(inner.node.inputs) for body in bodies for inner in body.steps} == {2, 3}


def test_values_that_decide_are_compiled_until_they_are_many(engine):
    model = pt.models.loads(branches())
    x = pt.ones((1, 1, 16))
    expected = model(x, 1)
    for rate in range(4):
        assert pt.allclose(model(x, rate), expected)
    assert not model._runner.eager
    assert pt.allclose(model(x, 5), expected)
    assert model._runner.eager


def test_a_weight_of_a_function_is_shared_by_its_calls(engine):
    body = [
        helper.make_node("Constant", [], ["w"], value=numpy_helper.from_array(np.float32([3]))),
        helper.make_node("MatMul", ["a", "w"], ["c"]),
    ]
    imports = [helper.make_opsetid("", 18)]
    function = helper.make_function("own", "Times", ["a"], ["c"], body, imports)
    nodes = [
        helper.make_node("Times", ["x"], ["first"], domain="own"),
        helper.make_node("Times", ["x"], ["second"], domain="own"),
        helper.make_node("Add", ["first", "second"], ["y"]),
    ]
    model = pt.models.loads(
        saved(nodes, [value("x", [2, 1])], [value("y", [2])], functions=[function])
    )
    assert model([[1.0], [2.0]]).tolist() == [6.0, 12.0]
    assert [tensor.tolist() for _, tensor in model.named_parameters()] == [[3.0]]
