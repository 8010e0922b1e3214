"""custom_vjp in JAX's form; custom_jvp is tested with the Jacobians."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import py_tensor as pt
from py_tensor import errors


def assert_near(tensor, expected):
    np.testing.assert_allclose(tensor.numpy(), expected, rtol=1e-6)


@pt.custom_vjp
def product(x, y):
    return pt.sin(x) * y


def product_fwd(x, y):
    # The function itself is called inside of its rule.
    return product(x, y), (pt.cos(x), pt.sin(x), y)


def product_bwd(residuals, g):
    cos, sin, y = residuals
    return 2.0 * cos * g * y, sin * g


product.defvjp(product_fwd, product_bwd)


def test_the_rule_replaces_the_gradient():
    x, y = pt.asarray(0.0), pt.asarray(3.0)
    assert product(x, y).item() == 0.0
    assert_near(pt.grad(product, (0, 1))(x, y)[0], 6.0)
    assert_near(pt.jit(pt.grad(product))(x, y), 6.0)
    assert_near(pt.vmap(pt.grad(product), (None, 0))(x, pt.asarray([1.0, 2.0])), [2.0, 4.0])
    assert_near(pt.grad(product)(x, y=3.0), 6.0)


def test_the_second_derivative_is_that_of_the_rule():
    assert_near(pt.grad(pt.grad(product))(pt.asarray(1.5707964), 3.0), -6.0)


def test_a_result_that_is_a_residual_follows_the_rule_again():
    @pt.custom_vjp
    def growing(x):
        return pt.exp(x)

    def fwd(x):
        result = growing(x)
        return result, result

    growing.defvjp(fwd, lambda result, g: (3.0 * result * g,))
    # The derivative of 3 y is 3 times that of y, which the rule makes 3 y.
    assert_near(pt.grad(pt.grad(growing))(0.0), 9.0)


def test_arguments_without_derivative_come_first_in_bwd():
    @partial(pt.custom_vjp, nondiff_argnums=(0,))
    def applied(function, x):
        return function(x)

    applied.defvjp(lambda function, x: (function(x), x), lambda function, x, g: (function(x) * g,))
    assert_near(pt.grad(applied, argnums=1)(pt.exp, 0.0), 1.0)


def test_trees_and_missing_cotangents():
    @pt.custom_vjp
    def total(tree, count):
        return tree["a"] + tree["b"][0], count

    total.defvjp(
        lambda tree, count: (total(tree, count), None),
        lambda _, g: ({"a": g[0] * 10.0, "b": [None]}, None),
    )
    tree = {"a": pt.asarray(1.0), "b": [pt.asarray(2.0)]}
    gradient = pt.grad(lambda tree: total(tree, 3)[0])(tree)
    assert (gradient["a"].item(), gradient["b"][0].item()) == (10.0, 0.0)


def test_methods_have_rules():
    class Scale:
        factor = 5.0

        @partial(pt.custom_vjp, nondiff_argnums=(0,))
        def apply(self, x):
            return x * self.factor

        apply.defvjp(
            lambda self, x: (x * self.factor, None), lambda self, _, g: (-self.factor * g,)
        )

    assert pt.grad(Scale().apply)(1.0).item() == -5.0


@pytest.mark.parametrize("decorator", [pt.custom_vjp, pt.custom_jvp])
def test_a_call_without_rule_raises(decorator):
    with pytest.raises(errors.ArgumentError, match="there is no rule"):
        decorator(pt.sin)(1.0)


def test_a_rule_that_returns_no_pair_raises():
    function = pt.custom_vjp(lambda x: x)
    function.defvjp(lambda x: x, lambda _, g: (g,))
    with pytest.raises(errors.GradientError, match="no pair"):
        pt.grad(function)(1.0)


def test_custom_jvp_takes_arguments_by_name():
    @pt.custom_jvp
    def power(x, n=2):
        return x**n

    power.defjvps(lambda t, result, x, n: 7.0 * t, None)
    assert pt.grad(power)(3.0).item() == 7.0
    assert pt.grad(lambda x: power(n=3, x=x))(2.0).item() == 7.0
