"""custom_gradient and stop_gradient: user-defined rules, and stopped gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors


@pt.custom_gradient
def doubled(x):
    """Itself, with twice the gradient."""
    return x, lambda g: g * 2.0


def test_the_rule_is_used():
    x = pt.asarray([1.0, 2.0])
    value, gradient = pt.value_and_grad(lambda x: pt.sum(doubled(x * x)))(x)
    assert (value.item(), gradient.tolist()) == (5.0, [4.0, 8.0])
    assert doubled.__name__ == "doubled" and doubled.__doc__ == "Itself, with twice the gradient."


def test_outside_of_gradients_the_rule_is_not_used():
    x = pt.asarray([1.0, 2.0])
    assert doubled(x) is x


def test_a_returned_argument_keeps_its_other_gradient():
    assert pt.grad(lambda x: pt.sum(doubled(x) + x * 10.0))(pt.asarray([1.0])).tolist() == [12.0]
    assert pt.grad(lambda x: pt.sum(doubled(doubled(x))))(pt.asarray([1.0])).tolist() == [4.0]


def test_several_arguments_and_results():
    seen = []

    @pt.custom_gradient
    def function(x, tree, n, *, scale):
        def rule(cotangents):
            seen.append(cotangents)
            g = cotangents["sum"] * scale
            return g, {"y": g * 10.0, "i": None}, None

        return {"sum": x + tree["y"], "n": n, "whole": tree["i"]}, rule

    def loss(x, tree):
        result = function(x, tree, 3, scale=2.0)
        assert result["n"] == 3
        return pt.sum(result["sum"] * result["whole"].astype("float32"))

    x, tree = pt.asarray([1.0, 2.0]), {"y": pt.asarray([3.0, 4.0]), "i": pt.asarray([1, 5])}
    by_x, by_tree = pt.grad(loss, argnums=(0, 1))(x, tree)
    assert (by_x.tolist(), by_tree["y"].tolist(), by_tree["i"]) == (
        [2.0, 10.0],
        [20.0, 100.0],
        None,
    )
    (cotangents,) = seen
    assert (cotangents["n"], cotangents["whole"]) == (None, None)


def test_unused_results_have_zero_cotangents():
    @pt.custom_gradient
    def pair(x):
        return (x * 2.0, x * 3.0), lambda g: g[0] * 20.0 + g[1] * 30.0

    x = pt.asarray([1.0, 2.0])
    for at, want in ((0, 20.0), (1, 30.0)):
        assert pt.grad(lambda x, at=at: pt.sum(pair(x)[at]))(x).tolist() == [want, want]
    assert pt.grad(lambda x: pt.sum(pair(x)[0] + pair(x)[1]))(x).tolist() == [50.0, 50.0]
    # The second result's cotangent arrives through the first one's user.
    late = lambda x: pt.sum(pt.exp(pair(x)[1] * 0.0) * pair(x)[0])  # noqa: E731
    assert pt.grad(late)(x).tolist() == [20.0, 20.0]


def test_one_result_computed_from_another():
    @pt.custom_gradient
    def pair(x):
        return (x, x * x), lambda g: g[0] + g[1] * 100.0

    def loss(x):
        first, second = pair(x)
        return pt.sum(first * pt.exp(second))

    x = pt.asarray([0.5])
    e = 2.718281828459045**0.25
    assert_values(pt.grad(loss)(x), (pt.asarray([e + 50.0 * e])).numpy(), rtol=1e-5)


def test_none_is_zero():
    @pt.custom_gradient
    def first(x, y):
        return x * y, lambda g: (g, None)

    got = pt.grad(lambda x, y: first(x, y) + y, argnums=(0, 1))(2.0, 3.0)
    assert [g.item() for g in got] == [1.0, 1.0]
    nothing = pt.custom_gradient(lambda x: (x * 1.0, lambda g: None))
    assert pt.grad(lambda x: nothing(x) + x)(2.0).item() == 1.0


def test_captured_tensors_get_no_gradient():
    def loss(x):
        scaled = pt.custom_gradient(lambda y: (y * x, lambda g: g * 100.0))
        return scaled(x)

    assert pt.grad(loss)(3.0).item() == 100.0


@dataclass
class Parameters:
    weight: Any
    steps: int


def test_a_dataclass_as_argument():
    @pt.custom_gradient
    def scaled(p, x):
        return p.weight * x, lambda g: (Parameters(g * 7.0, None), x)

    p = Parameters(pt.asarray(2.0), 3)
    by_p, by_x = pt.grad(lambda p, x: scaled(p, x), argnums=(0, 1))(p, pt.asarray(5.0))
    assert (by_p.weight.item(), by_p.steps, by_x.item()) == (7.0, None, 5.0)


def test_second_derivatives_use_the_rule():
    @pt.custom_gradient
    def cubed(x):
        return x**3, lambda g: g * x**2  # not 3 x**2, to distinguish the rule from the derivative

    assert pt.grad(cubed)(2.0).item() == 4.0
    assert pt.grad(pt.grad(cubed))(2.0).item() == 4.0
    assert pt.grad(pt.grad(pt.grad(cubed)))(2.0).item() == 2.0
    assert pt.jvp(cubed, (2.0,), (1.0,))[1].item() == 4.0


def test_nested_rules_and_functions():
    @pt.custom_gradient
    def outer(x):
        return doubled(x) * 3.0, lambda g: doubled(g * x)

    assert pt.grad(outer)(5.0).item() == 5.0
    assert pt.grad(pt.grad(outer))(5.0).item() == 2.0
    assert pt.grad(lambda x: pt.grad(doubled)(x) * x)(5.0).item() == 2.0


def test_assignment_inside_changes_the_argument():
    @pt.custom_gradient
    def tripled(x):
        x *= 3.0
        return x * 1.0, lambda g: g * 5.0

    x = pt.asarray(2.0)
    assert pt.grad(lambda x: tripled(x) * 2.0)(x).item() == 10.0
    assert x.item() == 6.0


def test_numbers_are_not_differentiated():
    scaled = pt.custom_gradient(lambda x, n: (x * n, lambda g: (g * 50.0, 7.0)))
    assert pt.grad(lambda x: scaled(x, 3.0))(2.0).item() == 50.0


def test_cotangents_take_the_arguments_dtype():
    half = pt.custom_gradient(lambda x: (x * 1.0, lambda g: pt.asarray([3.0, 4.0])))
    got = pt.grad(lambda x: pt.sum(half(x)))(pt.ones(2, dtype="float16"))
    assert (got.dtype.name, got.tolist()) == ("float16", [3.0, 4.0])


def test_under_jit_and_read():
    @pt.jit
    def step(x):
        return pt.grad(lambda x: pt.sum(doubled(x) * x))(x)

    assert step(pt.asarray([3.0])).tolist() == [9.0]

    def read(x):
        y = doubled(x * 3.0)
        return y * y.item()

    assert pt.grad(read)(2.0).item() == 36.0


def function_returning(result):
    def mine(x, y):
        return result(x, y)

    return pt.custom_gradient(mine)


MISTAKES = {
    "no pair": (
        lambda x, y: x,
        "custom_gradient: mine must return a pair of a result and a rule; got 7.0; return "
        "(result, rule)",
    ),
    "rule that is none": (
        lambda x, y: (x, 5),
        "custom_gradient: mine must return a pair of a result and a rule; got (7.0, 5); return "
        "(result, rule)",
    ),
    "one for two": (
        lambda x, y: (pt.asarray(1.0), lambda g: 3.0),
        "custom_gradient: wrong number of cotangents; got 3.0 for 2 arguments of mine; return a "
        "tuple with one per argument, None for zero",
    ),
    "three for two": (
        lambda x, y: (pt.asarray(1.0), lambda g: (1, 2, 3)),
        "custom_gradient: wrong number of cotangents; got (1, 2, 3) for 2 arguments of mine; "
        "return a tuple with one per argument, None for zero",
    ),
    "another structure": (
        lambda x, y: (pt.asarray(1.0), lambda g: (None, [1.0])),
        "custom_gradient: cotangent has the wrong structure; got Structure([*]) for an argument "
        "Structure({'v': *}) of mine; use the argument's structure, or None for zero",
    ),
    "another shape": (
        lambda x, y: (pt.asarray(1.0), lambda g: (None, {"v": pt.ones(3)})),
        "custom_gradient: cotangent has the wrong shape; got (3,) for an argument of shape (2,) "
        "of mine; use the argument's shape",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_misuse(name):
    result, text = MISTAKES[name]
    function = function_returning(result)
    y = {"v": pt.ones(2)}
    call = pt.grad(lambda y: pt.sum(function(7.0, y)) if name != "no pair" else function(7.0, y))
    assert_raises(errors.GradientError, text, lambda: call(y))


# --- stop_gradient --------------------------------------------------------------------------------


def test_stop_gradient_of_trees():
    def loss(x):
        stopped = pt.stop_gradient({"x": x * x, "n": 3, "whole": pt.asarray([1, 2]), "none": None})
        assert (stopped["n"], stopped["whole"].tolist(), stopped["none"]) == (3, [1, 2], None)
        return pt.sum(stopped["x"] * x)

    assert pt.grad(loss)(pt.asarray([1.0, 3.0])).tolist() == [1.0, 9.0]
    x = pt.asarray([1.0])
    assert pt.stop_gradient(x).tolist() == [1.0]
    assert pt.grad(lambda x: pt.stop_gradient(x * x))(2.0).item() == 0.0


def test_stop_gradient_in_second_derivatives_and_jvp():
    first = pt.grad(lambda x: x**3 * pt.stop_gradient(x))
    assert (first(2.0).item(), pt.grad(first)(2.0).item()) == (24.0, 24.0)
    assert pt.jvp(lambda x: x * pt.stop_gradient(x), (3.0,), (1.0,))[1].item() == 3.0


def test_stop_gradient_costs_no_draw(engine):
    x = pt.asarray([1.0, 2.0])
    y = pt.exp(pt.stop_gradient(x * 2.0)) + 1.0
    assert pt.explain(y).count("\nkernel ") == 1
