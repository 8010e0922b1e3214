"""Gradients of elementwise kernels, and rules of the user for all kernels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers import assert_values

import py_tensor as pt
from py_tensor.errors import GradientError

X = np.asarray([-2.0, -0.5, 0.25, 1.5, 3.0], "float32")
Y = np.asarray([0.5, 2.0, -1.0, 1.0, -0.25], "float32")


def smooth(x, y):
    return math.sin(x) * y + x**2 / (1.0 + y * y)


def pieces(x, y):
    if x < 0:
        return x * y
    if x > 1:
        return math.sqrt(x) + y
    return x * x * y


def guarded(x, y):
    return math.log(x) * y if x > 0 else y * 2.0


def fixed_loop(x, y):
    total = 0.0
    for k in range(5):
        total = total * y + x / (k + 1)
    return total


def long_loop(x, y):
    z = x
    for _ in range(40):
        z = z - 0.1 * (z * z * z - y)
    return z


def loop_with_break(x, y):
    total = 0.0
    for k in range(6):
        if total > 4.0:
            break
        if k == 2:
            continue
        total += x * x + y
    return total


def returned_from_a_loop(x, y):
    for _ in range(4):
        x = x * 1.5
        if x > 3.0:
            return x * y
    return x


def over_a_tuple(x, y):
    total = 0.0
    for weight in (0.5, 1.0, 2.0):
        total += math.tanh(weight * x) * y
    return total


def logical(x, y):
    return x * y if (x > 0 and math.sqrt(x) > 0.6) or y > 1.0 else x + y


FUNCTIONS = [
    *(smooth, pieces, guarded, fixed_loop, long_loop, loop_with_break, returned_from_a_loop),
    *(over_a_tuple, logical),
]


def differences(function, x, y, step=1e-5):
    """Return central differences of a function of two numbers, computed in double precision."""

    def at(a, b):
        return np.asarray([float(function(p, q)) for p, q in zip(a, b, strict=True)])

    x, y = x.astype("float64"), y.astype("float64")
    return (
        (at(x + step, y) - at(x - step, y)) / (2 * step),
        (at(x, y + step) - at(x, y - step)) / (2 * step),
    )


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_gradients_are_those_of_the_function(function):
    kernel = pt.kernel(function)
    dx, dy = pt.grad(lambda x, y: kernel(x, y).sum(), argnums=(0, 1))(pt.asarray(X), pt.asarray(Y))
    wanted = differences(function, X, Y)
    np.testing.assert_allclose(dx.numpy(), wanted[0], rtol=2e-4, atol=2e-4)
    np.testing.assert_allclose(dy.numpy(), wanted[1], rtol=2e-4, atol=2e-4)


def test_broadcast_operands_and_numbers():
    kernel = pt.kernel(smooth)
    x, y = X[:, None], Y
    dx, dy = pt.grad(lambda x, y: kernel(x, y).sum(), argnums=(0, 1))(pt.asarray(x), pt.asarray(y))
    grid = [part.reshape(-1) for part in np.broadcast_arrays(x, y)]
    wanted = [part.reshape(5, 5) for part in differences(smooth, *grid)]
    np.testing.assert_allclose(dx.numpy(), wanted[0].sum(1, keepdims=True), rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(dy.numpy(), wanted[1].sum(0), rtol=1e-3, atol=1e-3)
    ds = pt.grad(lambda y: kernel(pt.asarray(X), y).sum())(0.5)
    wanted = differences(smooth, X, np.full(5, 0.5, "float32"))[1].sum()
    assert ds.item() == pytest.approx(wanted, rel=1e-3)


def test_other_branches_do_not_make_nan():
    kernel = pt.kernel(guarded)
    dx = pt.grad(lambda x: kernel(x, 1.0).sum())(pt.asarray([0.0, -1.0, 2.0]))
    assert dx.tolist() == [0.0, 0.0, 0.5]


def test_integers_have_no_gradient():
    @pt.kernel
    def scaled(x, n):
        return x * n

    gradient = pt.grad(lambda x: scaled(x, pt.asarray([1, 2, 3])).sum())
    assert gradient(pt.ones(3)).tolist() == [1.0, 2.0, 3.0]


def test_second_derivatives():
    @pt.kernel
    def cube(x):
        return x * x * x if x > 0 else 0.0

    second = pt.grad(lambda x: pt.grad(lambda x: cube(x).sum())(x).sum())
    assert second(pt.asarray([2.0, -1.0])).tolist() == [12.0, 0.0]


def test_jit_of_a_gradient():
    kernel = pt.kernel(smooth)
    gradient = pt.jit(pt.grad(lambda x: kernel(x, 0.5).sum()))
    wanted = differences(smooth, X, np.full(5, 0.5, "float32"))[0]
    np.testing.assert_allclose(gradient(pt.asarray(X)).numpy(), wanted, rtol=2e-4, atol=2e-4)


def test_several_results():
    @pt.kernel
    def polar(x, y):
        return math.hypot(x, y), math.atan2(y, x)

    def loss(x, y):
        radius, angle = polar(x, y)
        return (radius + 2.0 * angle).sum()

    dx, dy = pt.grad(loss, argnums=(0, 1))(pt.asarray([3.0]), pt.asarray([4.0]))
    assert dx.item() == pytest.approx(0.6 - 2 * 4 / 25)
    assert dy.item() == pytest.approx(0.8 + 2 * 3 / 25)


def test_loops_of_unknown_length_have_no_gradient():
    @pt.kernel
    def halved(x):
        while x > 1.0:
            x = x / 2.0
        return x

    with pytest.raises(GradientError) as caught:
        pt.grad(lambda x: halved(x).sum())(pt.asarray([3.0]))
    assert str(caught.value) == (
        "halved: no gradient of a loop whose number of steps is not constant; got a while loop or "
        "a range of arguments; give a rule with kernel.gradient"
    )


def test_long_loops_have_no_gradient():
    @pt.kernel
    def power(x):
        y = x
        for _ in range(1000):
            y = y * x
        return y

    with pytest.raises(GradientError, match="power: no gradient of a long loop; got 1000 steps"):
        pt.grad(lambda x: power(x).sum())(pt.ones(2))


@pt.kernel(shape=lambda u: u.shape, border="wrap")
def shifted(i, u):
    return u[i - 1]


def test_indexed_kernels_have_no_gradient_of_their_own():
    with pytest.raises(GradientError) as caught:
        pt.grad(lambda u: shifted(u).sum())(pt.ones(3))
    assert str(caught.value) == (
        "shifted: indexed kernels have no gradient of their own; got a floating operand; give a "
        "rule with kernel.gradient, or block the gradient with pt.stop_gradient"
    )


def test_a_rule_of_the_user():
    @pt.kernel(shape=lambda u, factor: u.shape, border="wrap")
    def moved(i, u, factor):
        return u[i - 1] * factor

    @pt.kernel(shape=lambda g, factor: g.shape, border="wrap")
    def moved_back(i, g, factor):
        return g[i + 1] * factor

    @moved.gradient
    def rule(g, u, factor):
        return moved_back(g, factor), None

    weights = pt.asarray([1.0, 2.0, 3.0])
    gradient = pt.grad(lambda u: (moved(u, 2.0) * weights).sum())(pt.ones(3))
    assert gradient.tolist() == [4.0, 6.0, 2.0]
    assert_values(moved(pt.asarray([1.0, 2.0, 3.0]), 2.0), np.asarray([6, 2, 4], "float32"))


def test_a_rule_of_several_results():
    @pt.kernel
    def parts(x):
        return x * 2.0, x * 3.0

    @parts.gradient
    def rule(g, x):
        first, second = g
        return (first * 20.0 + second * 30.0,)

    assert pt.grad(lambda x: (parts(x)[0] + parts(x)[1]).sum())(pt.ones(2)).tolist() == [50.0, 50.0]
