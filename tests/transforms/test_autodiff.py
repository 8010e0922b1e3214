"""grad, value_and_grad, vjp and jvp: of trees, nested, under jit, with values read inside."""

from __future__ import annotations

import gc
import math
from collections import namedtuple
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from gradients import differences
from helpers import assert_raises, assert_spec, assert_values

import py_tensor as pt
from py_tensor import errors
from py_tensor.ir.node import tapes

X = np.float32([0.5, -1.25, 2.0])


@pytest.fixture(autouse=True)
def no_tape_left():
    yield
    assert tapes == []


def numbers(tree):
    """Convert the tensors of a tree to lists of rounded Python numbers."""
    return pt.tree_map(
        lambda leaf: np.round(leaf.numpy(), 4).tolist() if isinstance(leaf, pt.Tensor) else leaf,
        tree,
    )


# --- grad and value_and_grad --------------------------------------------------------------------


def test_value_and_grad():
    value, gradient = pt.value_and_grad(lambda x: pt.sum(x * x * x))(pt.asarray(X))
    assert_values(value, np.float32((X**3).sum()), rtol=1e-6)
    assert_values(gradient, 3 * X**2, rtol=1e-6)


def test_name_and_docstring_are_kept():
    def loss(x):
        """The loss."""
        return pt.sum(x)

    for transform in (pt.grad, pt.value_and_grad):
        assert (transform(loss).__name__, transform(loss).__doc__) == ("loss", "The loss.")


@pytest.mark.parametrize(
    ("argnums", "want"),
    [(0, 12.0), (1, 6.0), (-1, 8.0), ((0, 2), (12.0, 8.0)), ([-1], (8.0,)), (np.int64(1), 6.0)],
    ids=str,
)
def test_argnums(argnums, want):
    given = [pt.asarray(v) for v in (2.0, 4.0, 3.0)]
    assert numbers(pt.grad(lambda x, y, z: x * y * z, argnums=argnums)(*given)) == want


def test_other_arguments_and_keywords_are_passed_on():
    def loss(x, power, *rest, scale, **options):
        assert (power, rest, options) == (2, ("a",), {"more": None})
        return pt.sum(x**power) * scale

    gradient = pt.grad(loss)(pt.asarray([1.0, 3.0]), 2, "a", scale=pt.asarray(10.0), more=None)
    assert gradient.tolist() == [20.0, 60.0]


def test_an_unused_argument_has_a_zero_gradient():
    got = pt.grad(lambda x, y: pt.sum(x), argnums=(0, 1))(pt.ones(2), pt.ones((1, 3)))
    assert numbers(got) == ([1.0, 1.0], [[0.0, 0.0, 0.0]])
    got = pt.grad(lambda x: pt.asarray(7.0))(pt.ones(2, dtype="float16"))
    assert_values(got, np.zeros(2, "float16"))
    value, got = pt.value_and_grad(lambda x: 7.0)(pt.ones(2))
    assert (value, got.tolist()) == (7.0, [0.0, 0.0])


def test_gradients_of_a_repeated_argument_add_up():
    x = pt.asarray(3.0)
    assert pt.grad(lambda x: x * x + x)(x).item() == 7.0
    assert numbers(pt.grad(lambda x, y: x * y, argnums=(0, 1))(x, x)) == (3.0, 3.0)
    assert pt.grad(lambda x: x)(x).item() == 1.0


def test_a_tensor_from_outside_is_a_constant():
    x = pt.asarray(3.0)
    assert pt.grad(lambda y: x * y)(x).item() == 3.0
    y = x * 2.0
    assert pt.grad(lambda x: x * y)(x).item() == 6.0


def test_numbers_and_arrays_are_arguments():
    assert_spec(pt.grad(lambda x: x * 2.0)(3.0), (), "float32")
    got = pt.grad(lambda x, y: pt.sum(x[1] * y), argnums=(0, 1))([1.0, 2.0], np.float64([3, 4]))
    assert numbers(got) == ([0.0, 7.0], [2.0, 2.0])
    assert pt.grad(lambda x: x * x)(np.float64(3.0)).item() == 6.0


def test_has_aux():
    x = pt.asarray([1.0, 2.0])

    def loss(x):
        y = x * x
        return pt.sum(y), {"y": y, "name": "some"}

    (value, aux), gradient = pt.value_and_grad(loss, has_aux=True)(x)
    assert (value.item(), aux["y"].tolist(), aux["name"]) == (5.0, [1.0, 4.0], "some")
    gradient, aux = pt.grad(loss, has_aux=True)(x)
    assert (gradient.tolist(), aux["y"].tolist()) == ([2.0, 4.0], [1.0, 4.0])


Point = namedtuple("Point", "x y")


@dataclass
class Model:
    weight: Any
    more: Any
    name: str = field(metadata={"static": True})
    step: int = 0


def test_trees():
    tree = {
        "list": [pt.asarray(2.0), pt.asarray([1, 2])],
        "tuple": (pt.asarray(True), None, 3),
        "point": Point(pt.asarray(3.0), 0.5),
        "model": Model(pt.asarray([1.0, 2.0]), {"b": pt.asarray(5.0)}, "linear", 7),
    }

    def loss(tree):
        model, point = tree["model"], tree["point"]
        assert (model.name, model.step, tree["tuple"][1:]) == ("linear", 7, (None, 3))
        whole = pt.sum(tree["list"][1]) * pt.where(tree["tuple"][0], 1, 2)
        return pt.sum(model.weight * model.more["b"]) * tree["list"][0] * point.x * point.y * whole

    got = pt.grad(loss)(tree)
    assert isinstance(got["model"], Model) and isinstance(got["point"], Point)
    model = got.pop("model")
    assert (model.name, model.step) == ("linear", None)
    assert numbers(got) == {
        "list": [67.5, None],
        "tuple": (None, None, None),
        "point": Point(45.0, 270.0),
    }
    assert (model.weight.tolist(), model.more["b"].item()) == ([45.0, 45.0], 27.0)


def test_dtypes_of_gradients():
    x, y = pt.asarray([1.0, 2.0], dtype="float16"), pt.asarray([3.0, 4.0])
    half, single = pt.grad(lambda x, y: pt.sum(x * y), argnums=(0, 1))(x, y)
    assert_values(half, np.float16([3, 4]))
    assert_values(single, np.float32([1, 2]))
    assert_spec(pt.grad(lambda x: pt.sum(x * x))(x), (2,), "float16")


def test_integers_stop_gradients():
    def loss(x):
        whole = x.astype("int32")
        return pt.sum(x * whole.astype("float32") + pt.argmax(x).astype("float32"))

    assert pt.grad(loss)(pt.asarray([2.5, -1.5])).tolist() == [2.0, -1.0]


# --- vjp and jvp ----------------------------------------------------------------------------------


def test_vjp_of_several_arguments_and_results():
    def function(x, n, y):
        return {"product": x * y["v"], "rest": (n + 1, pt.sum(x), None)}

    x, y = pt.asarray([1.0, 2.0]), {"v": pt.asarray([3.0, 4.0]), "n": 5}
    result, pull = pt.vjp(function, x, 7, y)
    assert result["rest"][0] == 8
    cotangent = {"product": pt.asarray([1.0, 10.0]), "rest": (None, 100.0, None)}
    want = ([103.0, 140.0], None, {"v": [1.0, 20.0], "n": None})
    assert numbers(pull(cotangent)) == want
    assert numbers(pull(cotangent)) == want
    # Cotangents of non-floating leaves are ignored; None is zero.
    assert numbers(pull({"product": None, "rest": (99, 1.0, None)})) == (
        [1.0, 1.0],
        None,
        {"v": [0.0, 0.0], "n": None},
    )


def test_pullback_after_the_result_was_read():
    x = pt.asarray(X)
    y, pull = pt.vjp(lambda x: pt.exp(pt.sin(x) * 2.0), x)
    want = 2 * np.cos(X) * np.exp(2 * np.sin(X))
    assert_values(y, np.exp(2 * np.sin(X)), rtol=1e-5)
    for scale in (1.0, 3.0):
        assert_values(pull(pt.full(3, scale))[0], scale * want, rtol=1e-5)
    x += 1.0
    assert_values(pull(pt.ones(3))[0], want, rtol=1e-5)


def test_pullback_through_a_cast():
    _, pull = pt.vjp(lambda x: x * 2.0, pt.ones(2, dtype="float16"))
    assert_values(pull([1, 2])[0], np.float16([2, 4]))


def test_vjp_has_aux():
    y, pull, aux = pt.vjp(lambda x: (x * x, "aux"), pt.asarray(3.0), has_aux=True)
    assert (y.item(), pull(1.0)[0].item(), aux) == (9.0, 6.0, "aux")


def test_jvp_of_several_arguments_and_results(rng):
    a, b, u, v = (np.float32(rng.uniform(0.5, 2, (3,))) for _ in range(4))

    def function(xp, x, y):
        return xp.sin(x) * y, [xp.sum(x / y)]

    (product, [total]), (product_t, [total_t]) = pt.jvp(
        lambda x, y: function(pt, x, y), (pt.asarray(a), pt.asarray(b)), (pt.asarray(u), v)
    )

    def moved(by):
        x, y = a + np.float64(by) * u, b + np.float64(by) * v
        return [*function(np, x, y)[0], function(np, x, y)[1][0]]

    want = (np.array(moved(1e-6)) - np.array(moved(-1e-6))) / 2e-6
    assert_values(product, np.float32(function(np, a, b)[0]), rtol=1e-5)
    assert_values(total, np.float32(function(np, a, b)[1][0]), rtol=1e-5)
    assert_values(product_t, np.float32(want[:3]), rtol=1e-4)
    assert_values(total_t, np.float32(want[3]), rtol=1e-4)


def test_jvp_of_trees_and_constants():
    def function(tree, n):
        return {"y": tree["x"] * tree["x"], "constant": pt.ones(2), "n": n}

    given = ({"x": pt.asarray(3.0), "i": 1}, 4)
    value, tangent = pt.jvp(function, given, ({"x": 2.0, "i": None}, None))
    assert (value["y"].item(), value["n"]) == (9.0, 4)
    assert numbers(tangent) == {"y": 12.0, "constant": [0.0, 0.0], "n": None}
    _, tangent = pt.jvp(lambda x, y: x * y, (2.0, 3.0), (None, 1.0))
    assert tangent.item() == 2.0
    _, tangent = pt.jvp(lambda x, unused: x * x, (2.0, 3.0), (1.0, 1.0))
    assert tangent.item() == 4.0
    value, tangent, aux = pt.jvp(lambda x: (x * x, 1), (3.0,), (1.0,), has_aux=True)
    assert (value.item(), tangent.item(), aux) == (9.0, 6.0, 1)


def test_jvp_of_every_linear_rule(rng):
    """Differentiate each rule by its cotangent, for rules other than products."""
    x = np.float32(rng.uniform(0.5, 2, (1, 5, 4, 1)))
    t = np.float32(rng.uniform(-1, 1, x.shape))

    def function(x):
        y = pt.max_pool2d(x, 2, stride=1) + pt.cumulative_prod(x, axis=1)[:, 1:, 1:]
        y = pt.take(y, [0, 0, 3], axis=1) * pt.prod(x[0, 0, :, 0])
        return pt.concat([pt.softmax(y, axis=1), pt.flip(y)], axis=2)[..., 0]

    _, tangent = pt.jvp(function, (pt.asarray(x),), (pt.asarray(t),))
    near = [function(pt.asarray(x + np.float32(by) * t)).numpy() for by in (0.01, -0.01)]
    assert_values(tangent, (near[0] - near[1]) / np.float32(0.02), rtol=2e-3, atol=2e-2)


# --- derivatives of derivatives -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "derivatives"),
    [
        (lambda x: x**4, [lambda x: 4 * x**3, lambda x: 12 * x**2, lambda x: 24 * x]),
        (pt.sin, [math.cos, lambda x: -math.sin(x), lambda x: -math.cos(x)]),
        (
            pt.tanh,
            [
                lambda x: 1 - math.tanh(x) ** 2,
                lambda x: -2 * math.tanh(x) * (1 - math.tanh(x) ** 2),
                lambda x: (6 * math.tanh(x) ** 2 - 2) * (1 - math.tanh(x) ** 2),
            ],
        ),
        (pt.exp, [math.exp] * 3),
    ],
    ids=["pow", "sin", "tanh", "exp"],
)
def test_up_to_third_derivatives(function, derivatives):
    for x in (0.0, 0.7, -1.5):
        f, found = function, []
        for _ in derivatives:
            f = pt.grad(f)
            found.append(f(x))
        pt.realize(*found)
        want = [derivative(x) for derivative in derivatives]
        np.testing.assert_allclose([g.item() for g in found], want, rtol=1e-5, atol=1e-5)


def test_no_confusion_of_perturbations():
    inner = lambda x: x * pt.grad(lambda y: x + y)(x)  # noqa: E731
    assert pt.grad(inner)(3.0).item() == 1.0
    assert pt.grad(lambda x: x * pt.grad(lambda y: x * y)(2.0))(3.0).item() == 6.0
    twice = lambda x: pt.jvp(lambda y: x * y, (2.0,), (1.0,))[1]  # noqa: E731
    assert pt.grad(lambda x: x * twice(x))(3.0).item() == 6.0
    assert pt.grad(lambda x: pt.vjp(lambda y: x * y * y, x)[1](x)[0])(2.0).item() == 24.0


def test_derivatives_of_pulled_back_values():
    x = pt.asarray([0.5, 2.0])
    y, pull = pt.vjp(lambda x: x**3, x)
    got = pt.grad(lambda g: pt.sum(pull(g)[0] * g))(pt.asarray([1.0, 10.0]))
    assert_values(got, np.float32([2 * 0.75 * 1, 2 * 12 * 10]), rtol=1e-6)
    assert pt.jvp(pull, (y,), (pt.ones(2),))[1][0].tolist() == [0.75, 12.0]


def loss(x):
    return pt.sum(pt.sin(x[0]) * pt.exp(x[1] * x[2])) + x[0] * x[0] * x[2]


def hessian_of_loss(x):
    a, b, c = map(float, x)
    e = math.exp(b * c)
    return [
        [-math.sin(a) * e + 2 * c, c * math.cos(a) * e, b * math.cos(a) * e + 2 * a],
        [c * math.cos(a) * e, c * c * math.sin(a) * e, (1 + b * c) * math.sin(a) * e],
        [b * math.cos(a) * e + 2 * a, (1 + b * c) * math.sin(a) * e, b * b * math.sin(a) * e],
    ]


@pytest.mark.parametrize(
    "row",
    [
        lambda x, e: pt.jvp(pt.grad(loss), (x,), (e,))[1],
        lambda x, e: pt.vjp(pt.grad(loss), x)[1](e)[0],
        lambda x, e: pt.grad(lambda x: pt.sum(pt.grad(loss)(x) * e))(x),
        lambda x, e: pt.grad(lambda x: pt.jvp(loss, (x,), (e,))[1])(x),
    ],
    ids=["jvp of grad", "vjp of grad", "grad of grad", "grad of jvp"],
)
def test_hessian(row):
    x = np.float32([0.5, -0.25, 1.5])
    rows = [row(pt.asarray(x), pt.asarray(e)) for e in np.eye(3, dtype="float32")]
    pt.realize(*rows)
    np.testing.assert_allclose([r.tolist() for r in rows], hessian_of_loss(x), rtol=1e-4, atol=1e-5)


# --- inside differentiated functions --------------------------------------------------------------


def test_values_may_be_read():
    seen = []

    def loss(x):
        y = pt.exp(x)
        seen.append(y.tolist())
        z = y * x if seen[-1][0] > 1.0 else y
        pt.realize(z)
        seen.append(float(pt.sum(z)))
        return pt.sum(z * seen[-1])

    x = np.float32([0.5, 1.0])
    value, gradient = pt.value_and_grad(loss)(pt.asarray(x))
    total = float((np.exp(x) * x).sum())
    assert math.isclose(seen[1], total, rel_tol=1e-5)
    assert math.isclose(value.item(), total**2, rel_tol=1e-5)
    assert_values(gradient, np.float32((np.exp(x) * (x + 1)) * total), rtol=1e-5)


def test_more_operations_than_the_pending_limit():
    count = 3 * pt.env.flush_threshold

    def loss(x):
        for _ in range(count):
            x = x + 1.0 / count
        return x * x

    value, gradient = pt.value_and_grad(loss)(pt.asarray(1.0))
    assert math.isclose(value.item(), 4.0, rel_tol=1e-4)
    assert math.isclose(gradient.item(), 4.0, rel_tol=1e-4)
    value, pull = pt.vjp(loss, pt.asarray(1.0))
    assert math.isclose(pull(2.0)[0].item(), 8.0, rel_tol=1e-4)


def test_more_host_data_than_the_pending_limit(monkeypatch):
    monkeypatch.setattr(pt.env, "flush_bytes", 64)

    def loss(x):
        for _ in range(8):
            x = x * pt.asarray([1.0, 2.0, 1.0, 0.5])
        return pt.sum(x**2)

    gradient = pt.grad(loss)(pt.ones(4))
    assert gradient.tolist() == [2.0, 2.0 * 2.0**16, 2.0, 2.0 * 0.5**16]


def test_tidy_inside():
    made = []

    @pt.tidy
    def squared(x):
        made.append(x * x)
        return made[-1] * 1.0

    assert pt.grad(lambda x: pt.sum(squared(x)))(pt.asarray([3.0])).tolist() == [6.0]
    assert made[0].is_disposed


def test_disposing_inside():
    def loss(x):
        y = x * x
        z = y * y
        y.dispose()
        return pt.sum(z)

    x = pt.asarray([2.0])
    assert pt.grad(loss)(x).tolist() == [32.0]
    assert not x.is_disposed


def test_an_argument_disposed_inside_stays_disposed():
    def loss(x):
        y = pt.sum(x * x)
        x.dispose()
        return y

    x = pt.asarray([2.0])
    before = pt.memory().num_tensors
    line = test_an_argument_disposed_inside_stays_disposed.__code__.co_firstlineno + 3
    assert pt.grad(loss)(x).tolist() == [4.0]
    assert pt.memory().num_tensors == before - 1
    text = (
        f"add: tensor was disposed; got a tensor disposed of at test_autodiff.py:{line}; keep it "
        "with pt.keep, or return it from the tidy that made it"
    )
    assert_raises(errors.DisposedError, text, lambda: x + 1.0)


def test_assignment_in_place():
    def loss(x, y):
        z = x * 1.0
        z[1:] = y * y
        z += x
        z[0] = 5.0
        return pt.sum(z * z)

    x, y = pt.asarray([1.0, 2.0, 3.0]), pt.asarray(2.0)
    got = pt.grad(loss, argnums=(0, 1))(x, y)
    assert numbers(got) == ([0.0, 12.0, 14.0], 104.0)
    assert (x.tolist(), y.item()) == ([1.0, 2.0, 3.0], 2.0)


@pytest.mark.parametrize("transform", ["grad", "vjp", "jvp"])
def test_assignment_to_an_argument_reaches_the_callers_tensor(transform):
    def loss(model, x):
        model["mean"][...] = 0.5 * model["mean"] + 0.5 * x
        model["count"] += 1
        x *= 2.0
        return pt.sum(model["mean"] * x)

    mean, count, x = pt.asarray([2.0, 4.0]), pt.asarray(1), pt.asarray([1.0, 3.0])
    alias = pt.copy(mean)
    model = {"mean": mean, "count": count}
    if transform == "grad":
        gradient, by_x = pt.grad(loss, argnums=(0, 1))(model, x)
    elif transform == "vjp":
        gradient, by_x = pt.vjp(loss, model, x)[1](1.0)
    else:
        tangents = ({"mean": pt.ones(2), "count": None}, pt.zeros(2))
        assert pt.jvp(loss, (model, x), tangents)[1].item() == 4.0
    if transform != "jvp":
        assert numbers(gradient) == {"mean": [1.0, 3.0], "count": None}
        assert by_x.tolist() == [4.0, 10.0]
    assert (mean.tolist(), count.item(), x.tolist()) == ([1.5, 3.5], 2, [2.0, 6.0])
    assert alias.tolist() == [2.0, 4.0]
    assert (model["mean"] is mean, model["count"] is count) == (True, True)


def test_assignment_through_two_derivatives():
    def inner(x):
        x *= x
        return pt.sum(x)

    def outer(x):
        gradient = pt.grad(inner)(x)
        return pt.sum(gradient * x)  # 2 x times the assigned value, x * x

    x = pt.asarray([3.0])
    assert pt.grad(outer)(x).tolist() == [54.0]
    assert x.tolist() == [9.0]


def test_an_error_inside_ends_the_tape():
    def failing(x):
        x += 1.0
        raise ValueError("mine")

    x = pt.asarray([1.0])
    for transform in (pt.grad(failing), lambda x: pt.vjp(failing, x)):
        with pytest.raises(ValueError, match="mine"):
            transform(x)
        assert tapes == []
    assert x.tolist() == [1.0]


def test_nothing_is_leaked(state):
    x = pt.asarray(X)
    pt.realize(x + 1.0)
    before = state()
    for _ in range(3):
        value, gradient = pt.value_and_grad(lambda x: pt.sum(pt.exp(x) * pt.softmax(x)))(x)
        value.item()
        y, pull = pt.vjp(pt.sin, x)
        pull(y)[0].tolist()
        pt.jvp(pt.grad(lambda x: pt.sum(x**3)), (x,), (x,))[1].tolist()
        del value, gradient, y, pull
    assert state() == before


def test_gradients_need_few_plans():
    step = pt.value_and_grad(lambda x, y: pt.mean((pt.tanh(x) - y) ** 2))
    x, y = pt.asarray(X), pt.asarray(X)
    x -= step(x, y)[1] * 0.1
    x.tolist()
    misses = pt.cache_info().plan_misses
    for rate in (0.2, 0.3, 0.4):
        x -= step(x, y)[1] * rate
        x.tolist()
    assert pt.cache_info().plan_misses == misses


# --- under jit ------------------------------------------------------------------------------------


def model_loss(w, x, scale):
    return pt.sum(pt.tanh(x @ w) ** 2) * scale


W, INPUTS = np.float32([[0.5], [-1.0]]), np.float32([[1, 2], [0.5, -1], [0, 1]])


def expected():
    wide = [W.astype("float64"), INPUTS]
    return differences(lambda w, x: np.sum(np.tanh(x @ w) ** 2) * 3.0, wide, 0)


@pytest.mark.parametrize(
    "made",
    [
        lambda: pt.jit(pt.grad(model_loss)),
        lambda: pt.grad(pt.jit(model_loss)),
        lambda: pt.jit(pt.grad(pt.jit(model_loss))),
        lambda: pt.jit(pt.grad(pt.checkpoint(model_loss))),
    ],
    ids=["jit of grad", "grad of jit", "jit of grad of jit", "jit of grad of checkpoint"],
)
def test_with_jit(made):
    f = made()
    w, x = pt.asarray(W), pt.asarray(INPUTS)
    for scale in (3.0, 6.0, 1.5):
        got = f(w, x, scale)
        assert_values(got, np.float32(expected() * scale / 3.0), rtol=1e-5)


def test_one_trace_and_one_plan_for_all_steps():
    traces = []

    @pt.jit(donate_argnums=0)
    def step(state, x, rate):
        traces.append(1)
        value, gradient = pt.value_and_grad(model_loss)(state["w"], x, rate * 10.0)
        return {"w": state["w"] - rate * gradient, "step": state["step"] + 1}, value

    state, x = {"w": pt.asarray(W), "step": 0}, pt.asarray(INPUTS)
    first = state["w"]
    values = []
    for rate in (0.1, 0.05, 0.025):
        state, value = step(state, x, rate)
        values.append(value.item() / rate)
    assert (len(traces), state["step"], first.is_disposed) == (1, 3, True)
    assert values[0] > values[1] > values[2]


def test_traced_numbers_are_differentiable():
    f = pt.jit(pt.value_and_grad(lambda x, n: x * x * n))
    for x, n in ((3.0, 2), (0.5, 7)):
        value, gradient = f(x, n)
        assert (value.item(), gradient.item()) == (x * x * n, 2 * x * n)


def test_donated_inside():
    taken = pt.jit(lambda w, x: pt.sum(w * w * x), donate_argnums=0)
    w, x = pt.asarray([1.0, 2.0]), pt.asarray([3.0, 4.0])
    assert pt.grad(taken)(w, x).tolist() == [6.0, 16.0]
    assert w.is_disposed and not x.is_disposed


def test_assignment_under_jit_and_grad():
    @pt.jit
    def step(mean, x):
        def loss(mean, x):
            mean += x
            return pt.sum(mean * x)

        return pt.grad(loss, argnums=1)(mean, x)

    mean = pt.asarray([1.0, 2.0])
    for _ in range(2):
        got = step(mean, pt.asarray([3.0, 4.0]))
    assert (got.tolist(), mean.tolist()) == ([10.0, 14.0], [7.0, 10.0])


def test_vjp_and_jvp_under_jit():
    @pt.jit
    def both(x, v):
        y, pull = pt.vjp(lambda x: pt.sin(x) * x, x)
        return y, pull(v)[0], pt.jvp(lambda x: pt.sin(x) * x, (x,), (v,))[1]

    for scale in (1.0, 2.0):
        y, pulled, pushed = both(pt.asarray(X * scale), pt.asarray(X))
        want = (np.cos(X * scale) * X * scale + np.sin(X * scale)) * X
        assert_values(y, np.sin(X * scale) * X * scale, rtol=1e-5)
        assert_values(pulled, want, rtol=1e-5)
        assert_values(pushed, want, rtol=1e-5)


# --- debug mode -----------------------------------------------------------------------------------


def test_debug_mode_gives_the_same():
    x = pt.asarray(X)

    def loss(x):
        return pt.sum(pt.softmax(pt.exp(x) * 2.0) * x) + pt.mean(x**2)

    want = pt.grad(loss)(x).numpy()
    with pt.enable_debug_mode():
        got = pt.grad(loss)(x)
        second = pt.grad(lambda x: pt.sum(pt.grad(loss)(x)))(x)
    assert_values(got, want, rtol=1e-5)
    assert_values(second, pt.grad(lambda x: pt.sum(pt.grad(loss)(x)))(x).numpy(), rtol=1e-4)


@pytest.mark.parametrize(
    ("name", "function", "operation", "value"),
    [
        (
            "log",
            lambda x: pt.sum(pt.where(x > 0.0, pt.log(x + 1.0), 0.0) * 0.0 + pt.sqrt(x)),
            "divide",
            "inf",
        ),
        ("sqrt", lambda x: pt.sum(pt.sqrt(x)), "divide", "inf"),
        ("std", lambda x: pt.std(x * 0.0), "divide", "nan"),
    ],
)
def test_debug_mode_finds_the_first_nan_in_the_backward_pass(name, function, operation, value):
    x = pt.asarray([0.0, 4.0])
    with pytest.raises(errors.NumericError) as raised, pt.enable_debug_mode(infinities=True):
        pt.grad(function)(x)
    assert str(raised.value).startswith(
        f"gradient of sqrt: {operation}: result is not finite; got "
    )


def test_debug_mode_accepts_infinite_padding():
    x = pt.asarray(np.float32(np.arange(9).reshape(1, 3, 3, 1)))
    with pt.enable_debug_mode():
        gradient = pt.grad(lambda x: pt.sum(pt.max_pool2d(x, 2, padding="same")))(x)
    assert gradient.flatten().tolist() == [0, 0, 0, 0, 1, 1, 0, 1, 1]


def test_no_collector_is_needed():
    x = pt.asarray(X)
    gc.collect()
    gc.disable()
    try:
        before = pt.memory().num_tensors
        pt.grad(lambda x: pt.sum(pt.checkpoint(pt.exp)(x) * x))(x).tolist()
        pt.vjp(pt.sin, x)[1](x)
        assert pt.memory().num_tensors == before
    finally:
        gc.enable()


def test_host_data_does_not_run_pending_work_inside(monkeypatch):
    monkeypatch.setattr(pt.env, "flush_bytes", 16)

    def f(x):
        y = pt.exp(x)
        pt.asarray(np.ones(100, "float32"))
        assert y._node.buffer is None
        return pt.sum(y)

    assert_values(pt.grad(f)(pt.asarray([0.0])), np.float32([1]))
