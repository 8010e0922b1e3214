"""`make_jaxpr` shows graphs in JAX's notation."""

from __future__ import annotations

import pytest

import py_tensor as pt
from py_tensor import errors

pytestmark = pytest.mark.host


def test_operations_are_listed_with_their_operands():
    graph = pt.make_jaxpr(lambda pair: pair[0] * pt.sin(pair[1]) + 3.0)((pt.ones(8), 2.0))
    assert str(graph).split("\n") == [
        "{ lambda ; a:f32[8] b:f32[]. let",
        "    c:f32[] = sin b",
        "    d:f32[8] = multiply a c",
        "    e:f32[8] = add d 3.0:f32[]",
        "  in (e,) }",
    ]
    assert [equation.primitive for equation in graph.jaxpr.eqns] == ["sin", "multiply", "add"]


def test_values_from_outside_are_constants():
    table = pt.asarray([1.0, 2.0])
    graph = pt.make_jaxpr(lambda x: x + table)(pt.ShapeDtype((2,)))
    assert graph.constvars == ("a:f32[2]",) and graph.invars == ("b:f32[2]",)
    assert graph.consts[0].tolist() == [1.0, 2.0]


def test_static_arguments_and_shapes():
    function = pt.make_jaxpr(lambda n, x: {"y": x.reshape(n)}, static_argnums=0, return_shape=True)
    graph, shapes = function((2, 3), pt.ones(6))
    assert len(graph.eqns) == 1 and shapes["y"].shape == (2, 3)
    assert str(pt.make_jaxpr(lambda x: x)(1)) == "{ lambda ; a:i32[]. let\n  in (a,) }"


def test_loops_are_one_operation_for_each_result():
    graph = pt.make_jaxpr(lambda x: pt.lax.scan(lambda c, y: (c + y, c * y), 0.0, x))(pt.ones(3))
    assert [equation.primitive for equation in graph.eqns if "scan" in str(equation)]


def test_values_cannot_be_read():
    with pytest.raises(errors.TraceError, match="unknown"):
        pt.make_jaxpr(lambda x: x.item())(1.0)
