"""checkpoint: the same results and gradients, computed with less memory."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_values
from plans import plan_of

import py_tensor as pt
from py_tensor.dtypes import BY_NAME

N = 64
W = np.float32(np.random.default_rng(3).uniform(-0.2, 0.2, (N, N)))
X = np.float32(np.random.default_rng(4).uniform(-1, 1, (N, N)))


def block(x, w, depth=4):
    for _ in range(depth):
        x = pt.tanh(x @ w)
    return x


def chain(x, w, wrap, blocks=8):
    for _ in range(blocks):
        x = wrap(block)(x, w)
    return pt.sum(x * x)


def plain(function):
    return function


def by_one(function):
    """The gradients alone: what is computed for the value, too, must be kept for it."""
    return pt.grad(function, argnums=(0, 1))


@pytest.mark.parametrize("wrap", [pt.checkpoint, lambda f: pt.checkpoint(pt.checkpoint(f))])
def test_results_and_gradients_are_the_same(wrap):
    x, w = pt.asarray(X), pt.asarray(W)
    want = pt.value_and_grad(chain, argnums=(0, 1))(x, w, plain, 2)
    got = pt.value_and_grad(chain, argnums=(0, 1))(x, w, wrap, 2)
    pt.realize(want[0], *want[1], got[0], *got[1])
    assert_values(got[0], want[0].numpy(), rtol=1e-6)
    for a, b in zip(got[1], want[1], strict=True):
        assert_values(a, b.numpy(), rtol=1e-4, atol=1e-5)


def test_outside_of_gradients_it_is_the_function():
    noted = []
    wrapped = pt.checkpoint(lambda x, more=1: noted.append(more) or x * 2.0)
    assert (wrapped(pt.ones(2), more=5).tolist(), noted) == ([2.0, 2.0], [5])


def stored(*tensors):
    """Bytes of the textures that a plan of these tensors needs beside its operands."""
    plan = plan_of(*tensors)
    sizes = {name: dtype.itemsize for name, dtype in BY_NAME.items()}
    formats = list(sizes.values())
    return sum(
        formats[number] * 4 * width * height * max(1, layers)
        for number, width, height, layers in (*plan.outputs, *plan.temporaries)
    )


def test_a_plan_needs_less_memory():
    x, w = pt.asarray(X), pt.asarray(W)
    matrix = N * N * 4
    without = stored(*by_one(chain)(x, w, plain))
    blocks = stored(*by_one(chain)(x, w, pt.checkpoint))
    assert without >= 32 * matrix, "one for each of the 32 layers"
    # One for each of 8 blocks, the layers of one, tiles and what is summed up.
    assert blocks <= 22 * matrix
    nested = stored(*by_one(lambda x, w: chain(x, w, quarters, blocks=2))(x, w))
    whole = stored(*by_one(lambda x, w: chain(x, w, lambda f: sixteen, blocks=2))(x, w))
    assert nested < blocks and nested < whole


def sixteen(x, w):
    return block(x, w, depth=16)


sixteen = pt.checkpoint(sixteen)


def quarters(_):
    """A block of 16 layers, checkpointed as a whole and by fours."""

    @pt.checkpoint
    def outer(x, w):
        for _ in range(4):
            x = pt.checkpoint(block)(x, w)
        return x

    return outer


def test_peak_memory_on_the_device(engine):
    if engine.name == "numpy":
        assert pt.memory().num_bytes_in_gpu == 0  # it computes one operation after the other
        return
    peaks = {}
    for name, wrap in (("plain", plain), ("checkpoint", pt.checkpoint)):
        x, w = pt.asarray(X), pt.asarray(W)
        pt.realize(x + 0.0, w + 0.0)
        before = pt.memory()
        got = by_one(chain)(x, w, wrap)
        pt.realize(*got)
        after = pt.memory()
        peaks[name] = after, before, got
    assert peaks


def test_the_forward_pass_is_computed_twice():
    x, w = pt.asarray(X), pt.asarray(W)

    def products(wrap):
        gradients = by_one(chain)(x, w, wrap, 2)
        return sum(draw.kernel.kind == "contract" for draw in plan_of(*gradients).draws)

    # 8 layers forward and 16 products backward; the last of each block is not needed again.
    assert products(plain) == 8 + 16
    assert products(pt.checkpoint) == products(plain) + 6


def test_forward_and_recomputed_nodes_are_not_merged():
    def function(x):
        return pt.sum(pt.exp(pt.exp(pt.exp(x))))

    def exps(f):
        value, gradient = pt.value_and_grad(f)(pt.asarray(X))
        program = plan_of(value, gradient).program
        return sum(
            row is not None and row.name == "exp"
            for row in map(program.row, range(len(program.calls)))
        )

    assert (exps(function), exps(pt.checkpoint(function))) == (3, 6)


def test_closures():
    w = pt.asarray(W)

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


def test_random_numbers_are_the_same_again():
    x = pt.asarray(X)
    pt.random.seed(5)
    value, gradient = pt.value_and_grad(lambda x: pt.sum(pt.checkpoint(dropped)(x)))(x)
    pt.random.seed(5)
    want = dropped(x).numpy()
    assert_values(value, np.float32(want.sum(dtype="float64")), rtol=1e-5)
    assert_values(gradient, want, rtol=1e-5)
    assert 0.3 < (want == 0.0).mean() < 0.7


def test_random_numbers_are_computed_again_too():
    def bits(wrap):
        value, gradient = pt.value_and_grad(lambda x: pt.sum(wrap(dropped)(x)))(pt.asarray(X))
        program = plan_of(value, gradient).program
        return sum(
            row is not None and "threefry" in row.name
            for row in map(program.row, range(len(program.calls)))
        )

    assert (bits(plain), bits(pt.checkpoint)) == (1, 2)


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
    f = pt.jit(pt.grad(lambda x, w: chain(x, w, pt.checkpoint, 2)))
    x, w = pt.asarray(X), pt.asarray(W)
    want = pt.grad(lambda x, w: chain(x, w, plain, 2))(x, w).numpy()
    for _ in range(2):
        assert_values(f(x, w), want, rtol=1e-4, atol=1e-5)
