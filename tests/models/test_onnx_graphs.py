"""Graphs of ONNX: the order of nodes, large graphs, and branches with weights of their own."""

from __future__ import annotations

from typing import Any

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
