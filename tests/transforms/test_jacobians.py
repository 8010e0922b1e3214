"""Jacobians, Hessians, linear maps and rules for tangents, against formulas in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors

A = np.float32([[1.0, -2.0, 0.5], [0.25, 3.0, -1.0]])
X = np.float32([0.5, -1.0, 2.0])
BOTH = pytest.mark.parametrize("jacobian", [pt.jacfwd, pt.jacrev])


@BOTH
def test_jacobian_of_a_product(jacobian):
    got = jacobian(lambda x: pt.tanh(pt.asarray(A) @ x))(pt.asarray(X))
    assert_values(got, (1 - np.tanh(A @ X) ** 2)[:, None] * A, rtol=1e-4, atol=1e-6)


@BOTH
@pytest.mark.parametrize("shapes", [((), ()), ((2,), ()), ((), (3,)), ((2, 3), (2, 2))])
def test_shapes(jacobian, shapes):
    out, given = shapes
    got = jacobian(lambda x: pt.broadcast_to(pt.sum(x), out) * 2.0)(pt.ones(given))
    assert_values(got, np.full((*out, *given), 2, "float32"))


@BOTH
def test_trees_and_several_arguments(jacobian):
    def function(x, params, k):
        return {"y": params["a"] * x * k, "z": [x[0] + params["b"]]}

    x, a, b = (pt.asarray(v) for v in (X, X + 1, np.float32(4)))
    got = jacobian(function, argnums=(1, 0))(x, {"a": a, "b": b}, 2.0)
    by_params, by_x = got["y"]
    assert_values(by_params["a"], np.diag(2 * X))
    assert_values(by_params["b"], np.zeros(3, "float32"))
    assert_values(by_x, np.diag(2 * (X + 1)))
    assert_values(got["z"][0][0]["b"], np.float32(1))
    assert_values(got["z"][0][1], np.float32([1, 0, 0]))
    only = jacobian(function)(x, {"a": a, "b": b}, 2.0)
    assert_values(only["y"], np.diag(2 * (X + 1)))


@BOTH
def test_aux(jacobian):
    got, aux = jacobian(lambda x: (x * x, {"seen": pt.sum(x)}), has_aux=True)(pt.asarray(X))
    assert_values(got, np.diag(2 * X))
    assert_values(aux["seen"], np.float32(1.5))


@BOTH
def test_under_jit_and_vmap(jacobian):
    def function(x):
        return pt.stack([x[0] * x[1], pt.sum(x**2)])

    def want(x):
        return np.float32([[x[1], x[0], 0], 2 * x])

    batch = np.stack([X, X * 2, X + 1])
    assert_values(pt.jit(jacobian(function))(pt.asarray(X)), want(X))
    got = pt.vmap(jacobian(function))(pt.asarray(batch))
    assert_values(got, np.stack([want(x) for x in batch]))


def test_hessian():
    def function(x, y):
        return pt.sum(x**3) * y

    x = pt.asarray(X)
    assert_values(pt.hessian(function)(x, 2.0), np.diag(12 * X), rtol=1e-6)
    (xx, xy), (yx, yy) = pt.hessian(function, argnums=(0, 1))(x, 2.0)
    assert_values(xx, np.diag(12 * X), rtol=1e-6)
    assert_values(xy, 3 * X**2, rtol=1e-6)
    assert_values(yx, 3 * X**2, rtol=1e-6)
    assert_values(yy, np.float32(0))
    second, aux = pt.hessian(lambda x: (pt.sum(x**2), x[0]), has_aux=True)(x)
    assert_values(second, 2 * np.eye(3, dtype="float32"))
    assert_values(aux, X[0])


def test_rows_are_computed_together():
    x = pt.asarray(X)
    one, many = (
        pt.explain(pt.jacrev(lambda x, n=n: pt.sin(x[0] * pt.ones(n)))(x)) for n in (2, 64)
    )
    assert many.count("\nkernel ") <= one.count("\nkernel ") + 1


def test_linearize_runs_the_function_once():
    calls = []

    def function(x, y):
        calls.append(0)
        return {"a": x * y, "b": pt.sin(x), "c": 3}

    x, y = pt.asarray(X), pt.asarray(2.0)
    result, pushed = pt.linearize(function, x, y)
    assert result["c"] == 3
    for scale in (1.0, -2.0):
        tangent = pushed(pt.full(3, scale), pt.asarray(1.0))
        assert tangent["c"] is None
        assert_values(tangent["a"], np.float32(2 * scale) + X)
        assert_values(tangent["b"], np.cos(X) * np.float32(scale), rtol=1e-6)
    assert len(calls) == 1
    rows = pt.vmap(lambda t: pushed(t, None)["a"])(pt.eye(3))
    assert_values(rows, 2 * np.eye(3, dtype="float32"))
    assert_raises(
        errors.GradientError,
        "linearize: tangent has the wrong shape; got (2,) for float32[3]; use the same shape",
        lambda: pushed(pt.ones(2), None),
    )


def test_linearize_with_aux():
    y, pushed, aux = pt.linearize(lambda x: (x * x, "seen"), pt.asarray(3.0), has_aux=True)
    assert (y.item(), pushed(1.0).item(), aux) == (9.0, 6.0, "seen")


def test_custom_jvp():
    @pt.custom_jvp
    def function(x, y):
        return pt.sin(x) * y

    @function.defjvp
    def rule(primals, tangents):
        (x, y), (dx, dy) = primals, tangents
        return function(x, y), 10.0 * pt.cos(x) * y * dx + x * dy

    x, y = 0.5, 3.0
    assert function(x, y).item() == pytest.approx(np.sin(x) * y)
    by_x, by_y = pt.grad(function, argnums=(0, 1))(x, y)
    assert by_x.item() == pytest.approx(10 * np.cos(x) * y, rel=1e-6)
    assert by_y.item() == pytest.approx(x)
    _, tangent = pt.jvp(function, (x, y), (1.0, 2.0))
    assert tangent.item() == pytest.approx(10 * np.cos(x) * y + 2 * x, rel=1e-6)
    second = pt.grad(pt.grad(function))(x, y)
    assert second.item() == pytest.approx(-10 * np.sin(x) * y, rel=1e-6)
    batch = pt.asarray(X)
    got = pt.vmap(pt.grad(function), in_axes=(0, None))(batch, y)
    assert_values(got, 30 * np.cos(X), rtol=1e-5)
    outside = pt.grad(lambda x: pt.sum(pt.vmap(function, in_axes=(0, None))(x, y)))
    assert_values(outside(batch), 30 * np.cos(X), rtol=1e-5)


def test_custom_jvp_with_fixed_arguments_and_trees():
    def applied(function, pair, k):
        return {"sum": function(pair[0]) + pair[1] * k}

    def rule(function, k, primals, tangents):
        ((a, b),), ((da, db),) = primals, tangents
        return applied(function, (a, b), k), {"sum": 5.0 * da + k * db}

    custom = pt.custom_jvp(nondiff_argnums=(0, 2))(applied)
    custom.defjvp(rule)
    a, b = pt.grad(lambda pair: custom(pt.exp, pair, 3.0)["sum"])((0.5, 1.0))
    assert (a.item(), b.item()) == (5.0, 3.0)


def test_custom_jvp_errors():
    @pt.custom_jvp
    def bare(x):
        return x

    assert_raises(
        errors.ArgumentError,
        "custom_jvp: there is no rule; got a call of bare; give the rule with defjvp",
        lambda: bare(1.0),
    )
    assert_raises(
        errors.GradientError,
        "custom_jvp: tangent does not have the result's shapes; got [(2,)] for [()]; "
        "return one tangent for each floating result",
        lambda: _gradient_with(lambda primals, tangents: (primals[0], pt.ones(2) * tangents[0])),
    )
    assert_raises(
        errors.GradientError,
        "custom_jvp: rule returned no pair; got 3; return (result, tangent)",
        lambda: _gradient_with(lambda primals, tangents: 3),
    )


def _gradient_with(rule):
    wrong = pt.custom_jvp(lambda x: x)
    wrong.defjvp(rule)
    return pt.grad(wrong)(1.0)


@BOTH
def test_integers_are_refused(jacobian):
    name = jacobian.__name__
    assert_raises(
        errors.DTypeError,
        f"{name}: arguments and results must be real and floating; got int32[3]; "
        'use x.astype("float32"), has_aux for other results, or holomorphic=True for complex '
        "numbers",
        lambda: jacobian(lambda x: x.astype("int32"))(pt.asarray(X)),
    )


def test_eval_shape():
    def function(x, *, scale):
        return {"y": x @ scale, "n": 3, "none": None}

    got = pt.eval_shape(function, pt.ShapeDtype((2, 1 << 20)), scale=pt.ones((1 << 20, 4)))
    assert repr(got) == (
        "{'y': ShapeDtype((2, 4), float32), 'n': ShapeDtype((), int32), 'none': None}"
    )
    assert_raises(
        errors.TraceError,
        "jit: the value of a traced tensor is unknown; got item of float32[]; "
        "use pt.where, or make the argument static with static_argnums",
        lambda: pt.eval_shape(lambda x: x.item(), pt.ShapeDtype(())),
    )
