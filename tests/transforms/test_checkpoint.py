"""checkpoint: the same results and gradients, computed with less memory."""

from __future__ import annotations

from itertools import batched

import numpy as np
import pytest
from helpers import assert_values
from plans import bytes_drawn, plan_of

import py_tensor as pt

N = 64
MATRIX = N * N * 4
"""Bytes of a value."""
X = np.float32(np.random.default_rng(4).uniform(-1, 1, (N, N)))


def layers(count):
    rng = np.random.default_rng(3)
    return [pt.asarray(np.float32(rng.uniform(-0.2, 0.2, (N, N)))) for _ in range(count)]


def block(x, weights):
    for w in weights:
        x = pt.tanh(x @ w)
    return x


def chain(x, weights, wrap, each=4):
    for some in batched(weights, each):
        x = wrap(block)(x, some)
    return pt.sum(x * x)


def plain(function):
    return function


def gradients(*args):
    """Gradients of the chain by its input and all weights."""
    by_x, by_weights = pt.grad(chain, argnums=(0, 1))(*args)
    return [by_x, *by_weights]


@pytest.mark.parametrize("wrap", [pt.checkpoint, lambda f: pt.checkpoint(pt.checkpoint(f))])
def test_results_and_gradients_are_the_same(wrap):
    x, weights = pt.asarray(X), layers(8)
    found = pt.value_and_grad(chain, argnums=(0, 1))
    want = pt.tree_leaves(found(x, weights, plain))
    got = pt.tree_leaves(found(x, weights, wrap))
    pt.realize(*want, *got)
    for a, b in zip(got, want, strict=True):
        assert_values(a, b.numpy(), rtol=1e-4, atol=1e-5)


def test_outside_of_gradients_checkpoint_has_no_effect():
    noted = []
    wrapped = pt.checkpoint(lambda x, more=1: noted.append(more) or x * 2.0)
    assert (wrapped(pt.ones(2), more=5).tolist(), noted) == ([2.0, 2.0], [5])


def test_a_plan_needs_less_memory():
    x, weights = pt.asarray(X), layers(32)

    def needed(*how):
        """Count the bytes drawn besides the gradients."""
        return bytes_drawn(*gradients(x, weights, *how)) - 33 * MATRIX

    without, by_blocks = needed(plain), needed(pt.checkpoint)
    assert without >= 32 * MATRIX, "one for each of the 32 layers"
    # One for each of 8 blocks, the layers of one, and a few at a time.
    assert by_blocks <= (8 + 4 + 4) * MATRIX

    def fours(x, weights):
        for some in batched(weights, 4):
            x = pt.checkpoint(block)(x, some)
        return x

    halves = needed(lambda block: pt.checkpoint(block), 16)
    nested = needed(lambda block: pt.checkpoint(fours), 16)
    assert nested < by_blocks < halves < without


@pytest.mark.parametrize("order", [list, reversed])
def test_weight_gradients_are_computed_early(order):
    """Cotangents between layers are not kept, regardless of the order of the weights."""
    needed = bytes_drawn(*order(gradients(pt.asarray(X), layers(16), plain)))
    assert needed < (16 + 17 + 8) * MATRIX, "the layers, the gradients, and some at a time"


def test_the_device_needs_less_memory(engine):
    x, weights = pt.asarray(X), layers(32)
    pt.realize(*[tensor + 0.0 for tensor in (x, *weights)])

    def peak(wrap):
        if not engine.runs_glsl:  # computes and keeps one operation after the other
            return bytes_drawn(*gradients(x, weights, wrap))
        engine.bridge.trim()
        before = pt.memory().num_bytes_in_gpu
        pt.realize(*gradients(x, weights, wrap))
        after = pt.memory()
        return after.num_bytes_in_gpu + after.num_bytes_in_gpu_free - before

    assert peak(pt.checkpoint) <= peak(plain) - 16 * MATRIX


def test_the_forward_pass_is_computed_twice():
    def products(wrap):
        plan = plan_of(*gradients(pt.asarray(X), layers(8), wrap))
        return sum(draw.kernel.kind == "contract" for draw in plan.draws)

    # 8 layers, and 16 products backward.
    assert (products(plain), products(pt.checkpoint)) == (8 + 16, 8 + 8 + 16)


def count(name, function):
    """Count an operation in the plan of the function's value and gradient."""
    lowered = plan_of(*pt.value_and_grad(function)(pt.asarray(X))).lowered
    ops = map(lowered.op, range(len(lowered.calls)))
    return sum(op is not None and op.name == name for op in ops)


def test_forward_and_recomputed_nodes_are_not_merged():
    def function(x):
        return pt.sum(pt.exp(pt.exp(pt.exp(x))))

    assert (count("exp", function), count("exp", pt.checkpoint(function))) == (3, 6)


def test_closures():
    (w,) = layers(1)

    def loss(x, scale):
        shifted = x * 2.0
        inner = pt.checkpoint(lambda y: pt.tanh(y @ w) * shifted * scale + pt.exp(y))
        return pt.sum(inner(pt.sin(x)))

    x = pt.asarray(X)
    got = pt.grad(loss, argnums=(0, 1))(x, pt.asarray(3.0))

    def same(x, scale):
        y = pt.sin(x)
        return pt.sum(pt.tanh(y @ w) * (x * 2.0) * scale + pt.exp(y))

    for a, b in zip(got, pt.grad(same, argnums=(0, 1))(x, pt.asarray(3.0)), strict=True):
        assert_values(a, b.numpy(), rtol=1e-4, atol=1e-5)


def dropped(x):
    mask = pt.random.uniform(x.shape) < 0.5
    return pt.where(mask, pt.exp(x), 0.0)


def test_random_numbers_repeat():
    x = pt.asarray(X)
    pt.random.seed(5)
    value, gradient = pt.value_and_grad(lambda x: pt.sum(pt.checkpoint(dropped)(x)))(x)
    pt.random.seed(5)
    want = dropped(x).numpy()
    assert_values(value, np.float32(want.sum(dtype="float64")), rtol=1e-5)
    assert_values(gradient, want, rtol=1e-5)
    assert 0.3 < (want == 0.0).mean() < 0.7


def test_random_numbers_are_recomputed():
    def loss(wrap):
        return lambda x: pt.sum(wrap(dropped)(x))

    assert count("threefry2x32", loss(plain)) == 1
    assert count("threefry2x32", loss(pt.checkpoint)) == 2


def test_results_of_several_kinds():
    @pt.checkpoint
    def function(x, n):
        return {"y": pt.exp(x), "list": [x, n, None], "whole": x.astype("int32")}

    def loss(x):
        found = function(x, 3)
        assert found["list"][1:] == [3, None]
        return pt.sum(found["y"] * found["list"][0] * found["whole"].astype("float32"))

    x = np.float32([0.5, 1.5, 2.5])
    want = np.exp(x) * (x + 1) * np.trunc(x)
    assert_values(pt.grad(loss)(pt.asarray(x)), want, rtol=1e-5)


def test_values_read_inside_and_second_derivatives():
    @pt.checkpoint
    def cubed(x):
        y = x * x
        assert y.item() == 4.0
        return y * x

    assert pt.grad(cubed)(2.0).item() == 12.0
    assert pt.grad(pt.grad(pt.checkpoint(lambda x: x * x * x)))(2.0).item() == 12.0
    assert (
        pt.grad(pt.grad(pt.checkpoint(lambda x: pt.checkpoint(pt.sin)(x) * x)))(0.0).item() == 2.0
    )
    assert pt.jvp(cubed, (2.0,), (10.0,))[1].item() == 120.0
    y, pull = pt.vjp(pt.checkpoint(pt.exp), 1.0)
    assert (y.item(), pull(2.0)[0].item()) == pytest.approx((np.e, 2 * np.e))


def test_custom_gradients_inside():
    @pt.custom_gradient
    def tripled(x):
        return pt.exp(x), lambda g: g * 3.0

    wrapped = pt.checkpoint(lambda x: tripled(x * x) * 2.0)
    assert pt.grad(wrapped)(2.0).item() == 24.0


def test_under_jit():
    f = pt.jit(lambda x, weights: gradients(x, weights, pt.checkpoint))
    x, weights = pt.asarray(X), layers(8)
    want = gradients(x, weights, plain)
    for _ in range(2):
        for a, b in zip(f(x, weights), want, strict=True):
            assert_values(a, b.numpy(), rtol=1e-4, atol=1e-5)
