"""Kernels with several results: one draw computes all of them."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_values
from plans import DEVICE, kernels, leaf, plan_of

import py_tensor as pt
from py_tensor.ir.node import node_of
from py_tensor.tensor import Tensor

rng = np.random.default_rng(5)
U, V = rng.random((6, 8), "float32"), rng.random((6, 8), "float32")


@pt.kernel(shape=lambda u, v: u.shape, border="wrap")
def gray_scott(i, j, u, v):
    lap_u = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j]
    lap_v = v[i - 1, j] + v[i + 1, j] + v[i, j - 1] + v[i, j + 1] - 4.0 * v[i, j]
    r = u[i, j] * v[i, j] * v[i, j]
    feed = 0.035 * (1.0 - u[i, j])
    return u[i, j] + 0.16 * lap_u - r + feed, v[i, j] + 0.08 * lap_v + r - 0.1 * v[i, j]


@pt.kernel
def parts(x):
    whole = math_floor(x)
    return x - whole, int(whole), whole > 0.0, x


def math_floor(x):
    return pt.floor(x)


@pt.kernel
def nine(x):
    y = pt.sin(x)
    return y, y + 1, y + 2, y + 3, y + 4, y + 5, y + 6, y + 7, y + 8


@pt.kernel
def polar(x, y):
    return pt.sqrt(x * x + y * y), pt.atan2(y, x)


@pt.kernel
def first_is_short(x, y):
    return x + 1, x * y


def expected_gray_scott(u, v, steps):
    for _ in range(steps):
        rolled = [
            sum(np.roll(x, s, a) for s in (1, -1) for a in (0, 1)) - 4 * x
            for x in (u.astype("float64"), v.astype("float64"))
        ]
        r = u * v * v
        u, v = (
            u + 0.16 * rolled[0] - r + 0.035 * (1 - u),
            v + 0.08 * rolled[1] + r - 0.1 * v,
        )
    return u.astype("float32"), v.astype("float32")


def targets(*tensors, device=DEVICE):
    """Number of targets of each draw."""
    return [len(draw.targets) for draw in plan_of(*tensors, device=device).draws]


def test_one_draw_computes_both_results():
    u, v = pt.asarray(U), pt.asarray(V)
    for _ in range(3):
        u, v = gray_scott(u, v)
    assert targets(u, v) == [2, 2, 2]
    expected = expected_gray_scott(U, V, 3)
    # NVIDIA rounds sums of about 0.3 that nearly cancel otherwise, by up to 2.4e-8.
    assert_values(u, expected[0], rtol=1e-5, atol=1e-7)
    assert_values(v, expected[1], rtol=1e-5, atol=1e-7)


def test_reading_one_result_computes_the_other_that_a_tensor_has():
    u, v = gray_scott(pt.asarray(U), pt.asarray(V))
    assert "-> slot 2: float32[6, 8], slot 3: float32[6, 8]" in pt.explain(u)
    pt.realize(u + 1.0)
    assert "nothing pending" in pt.explain(v)
    assert_values(v, expected_gray_scott(U, V, 1)[1], rtol=1e-5)


def test_a_result_that_no_tensor_has_is_not_computed():
    u, v = gray_scott(pt.asarray(U), pt.asarray(V))
    v.dispose()
    text = pt.explain(u)
    assert "-> slot 2: float32[6, 8]; reads" in text
    assert "y1" not in text
    assert_values(u, expected_gray_scott(U, V, 1)[0], rtol=1e-5)
    alone = gray_scott(pt.asarray(U), pt.asarray(V))[1]
    assert_values(alone, expected_gray_scott(U, V, 1)[1], rtol=1e-5)


def test_results_of_other_calls_stay_apart():
    u, v = gray_scott(pt.asarray(U), pt.asarray(V))
    other = gray_scott(pt.asarray(V), pt.asarray(U))
    assert targets(u, other[0], v, other[1]) == [2, 2]
    pt.realize(u)
    assert "kernel 0" in pt.explain(other[0])
    assert_values(other[0], expected_gray_scott(V, U, 1)[0], rtol=1e-5)


def test_a_join_does_not_compute_each_result_separately():
    @pt.kernel(shape=(4, 8))
    def spiral(i, j):
        x = y = 0.5
        for _ in range(20):
            x, y = 0.6 * x - 0.8 * y + 0.1 * i, 0.8 * x + 0.6 * y + 0.1 * j
        return x, y

    # Results that tensors have are stored anyway, and `assert` would keep their tensors.
    joined = pt.stack(spiral(), axis=2)
    assert targets(joined) == [2, 1]
    expected = np.stack([result.numpy() for result in spiral.python()], axis=2)
    assert_values(joined, expected, rtol=1e-4, atol=1e-5)


def test_a_join_of_results_of_different_calls_is_one_draw():
    @pt.kernel
    def powers(x):
        y = x
        for _ in range(20):
            x, y = 0.5 * x * y + 0.25, 0.5 * y + 0.125
        return x, y

    a, b = pt.asarray(U), pt.asarray(V)
    joined = pt.stack([powers(a)[0], powers(b)[0]])
    assert targets(joined) == [1]
    expected = [powers.python(U)[0].numpy(), powers.python(V)[0].numpy()]
    assert_values(joined, np.stack(expected), rtol=1e-5)


def test_results_of_different_dtypes():
    x = np.linspace(-2.5, 2.5, 30, dtype="float32").reshape(5, 6)
    results = parts(pt.asarray(x))
    assert targets(*results) == [4]
    floor = np.floor(x)
    for result, expected in zip(
        results, (x - floor, floor.astype("int32"), floor > 0, x), strict=True
    ):
        assert_values(result, expected, rtol=1e-6)


@pytest.mark.parametrize(("buffers", "expected"), [(8, [8, 1]), (4, [4, 4, 1]), (1, [1] * 9)])
def test_more_results_than_draw_buffers_take_more_draws(buffers, expected):
    results = nine(leaf(4, 4))
    assert targets(*results, device=DEVICE._replace(draw_buffers=buffers)) == expected


def test_nine_results():
    x = np.linspace(-1, 1, 12, dtype="float32")
    for number, result in enumerate(nine(pt.asarray(x))):
        assert_values(result, np.sin(x) + np.float32(number), rtol=1e-5, atol=1e-6)


def test_operations_after_the_results_are_fused():
    x, y = leaf(4, 4), leaf(4, 4)
    radius, angle = polar(x, y)
    a, b = radius * 2.0 + 1.0, angle - y
    del radius, angle
    assert kernels(a, b) == ["map add+subtract"]
    assert targets(a, b) == [2]
    assert_values(a, np.full((4, 4), 2 * np.sqrt(np.float32(2)) + 1), rtol=1e-6)
    assert_values(b, np.full((4, 4), np.float32(np.pi / 4) - 1), rtol=1e-5)


def test_results_in_one_expression_share_their_statements():
    first, second, *others = nine(leaf(4, 4))
    total = first * second
    del first, second, others
    (draw,) = plan_of(total).draws
    assert draw.shader.source.split("void main")[1].count("sin(") == 1
    sine = np.sin(np.float32(1))
    assert_values(total, np.full((4, 4), sine * (sine + 1)), rtol=1e-5)


def test_a_result_that_needs_the_other_is_drawn_after_it():
    low, high = gray_scott(pt.asarray(U), pt.asarray(V))
    again = gray_scott(low, high)
    mixed = again[0] + pt.sum(again[1])
    total = pt.sum(again[1])
    expected = expected_gray_scott(U, V, 2)
    assert_values(mixed, expected[0] + expected[1].sum(), rtol=1e-5)
    assert_values(total, expected[1].sum(), rtol=1e-5)


def test_a_kernel_that_reads_the_other_output_is_drawn_after_it():
    x, y = pt.asarray(U + 1), pt.asarray(V + 1)
    radius, angle = polar(x, y)
    first = radius * 2.0
    second = angle + first
    del radius, angle
    assert targets(first, second) == [1, 1]
    pt.realize(first, second)
    twice = 2 * np.hypot(U + 1, V + 1)
    assert_values(first, twice, rtol=1e-6)
    assert_values(second, twice + np.arctan2(V + 1, U + 1), rtol=1e-5)


def test_results_of_two_calls_in_one_expression():
    x, y = pt.asarray(U + 1), pt.asarray(V + 1)
    total = polar(x, y)[0] + polar(y, x)[1]
    assert_values(total, np.hypot(U + 1, V + 1) + np.arctan2(U + 1, V + 1), rtol=1e-5)


def test_outputs_of_different_sizes_stay_apart():
    first, second = gray_scott(leaf(6, 8), leaf(6, 8))
    node = second._node
    smaller = Tensor(node_of(node.call.op, node.srcs, (3, 8)))
    assert targets(first, smaller) == [1, 1]


def test_large_results_have_one_layout():
    x = np.linspace(0, 1, 300 * 301, dtype="float32").reshape(300, 301)
    a, b = first_is_short(pt.asarray(x), pt.asarray(x))
    product = pt.matmul(a, pt.asarray(np.ones((301, 4), "float32")))
    assert_values(b, x * x, rtol=1e-6)
    assert_values(product, (x + 1).sum(1, keepdims=True).repeat(4, 1), rtol=1e-4)


def test_jit():
    @pt.jit
    def step(u, v):
        return gray_scott(*gray_scott(u, v))

    @pt.jit
    def only_second(u, v):
        return gray_scott(u, v)[1]

    for scale in (1.0, 0.5):
        expected = expected_gray_scott(U * np.float32(scale), V, 2)
        u, v = step(pt.asarray(U) * scale, pt.asarray(V))
        assert_values(u, expected[0], rtol=1e-5)
        assert_values(v, expected[1], rtol=1e-5)
    assert_values(
        only_second(pt.asarray(U), pt.asarray(V)), expected_gray_scott(U, V, 1)[1], rtol=1e-5
    )


def test_loops_of_the_compiler():
    def step(carry, _):
        return gray_scott(*carry), carry[0]

    def carried(u, v):
        return pt.lax.scan(step, (u, v), None, length=4)

    (u, v), history = carried(pt.asarray(U), pt.asarray(V))
    plan = plan_of(u, v, history)
    assert max(len(draw.targets) for draw in plan.draws) == 2
    expected = expected_gray_scott(U, V, 4)
    assert_values(u, expected[0], rtol=1e-5)
    assert_values(v, expected[1], rtol=1e-5)
    assert_values(history[2], expected_gray_scott(U, V, 2)[0], rtol=1e-5)


def test_vmap():
    stack_u, stack_v = np.stack([U, V]), np.stack([V, U])
    radius, angle = pt.vmap(polar)(pt.asarray(stack_u), pt.asarray(stack_v))
    assert targets(radius, angle) == [2]
    assert_values(radius, np.hypot(stack_u, stack_v), rtol=1e-6)
    assert_values(angle, np.arctan2(stack_v, stack_u), rtol=1e-5)


def test_gradients_of_both_results():
    x, y = pt.asarray(U[0] + 1), pt.asarray(V[0] + 1)

    def loss(x, y):
        radius, angle = polar(x, y)
        return (radius * 2.0 + angle).sum()

    a, b = (U[0] + 1).astype("float64"), (V[0] + 1).astype("float64")
    square = a * a + b * b
    by_x, by_y = pt.grad(loss, (0, 1))(x, y)
    assert_values(by_x, (2 * a / np.sqrt(square) - b / square).astype("float32"), rtol=1e-4)
    assert_values(by_y, (2 * b / np.sqrt(square) + a / square).astype("float32"), rtol=1e-4)


def test_a_rule_takes_a_tuple_of_cotangents():
    @pt.kernel(shape=lambda u: u.shape)
    def both_ways(i, u):
        return u[u.shape[0] - 1 - i], 2.0 * u[i]

    @both_ways.gradient
    def rule(g, u):
        return (both_ways(g[0])[0] + 2.0 * g[1],)

    def loss(u):
        back, twice = both_ways(u)
        return (back * pt.asarray([1.0, 2.0, 3.0])).sum() + twice.sum()

    assert pt.grad(loss)(pt.ones(3)).tolist() == [5.0, 4.0, 3.0]


def test_memory_is_exact():
    u, v = pt.asarray(U), pt.asarray(V)
    pt.realize(u, v)
    before = pt.memory()
    first, second = gray_scott(u, v)
    pt.realize(first)
    after = pt.memory()
    assert after.num_tensors == before.num_tensors + 2
    assert after.num_bytes == before.num_bytes + 2 * U.nbytes
    second.dispose()
    assert pt.memory().num_bytes == before.num_bytes + U.nbytes
    with pt.tidy():
        kept = pt.keep(gray_scott(first, v)[1])
    assert pt.memory().num_tensors == before.num_tensors + 2
    first.dispose()
    kept.dispose()
    assert pt.memory().num_bytes == before.num_bytes


def test_a_profile_has_one_kernel():
    def step():
        pt.realize(*gray_scott(pt.asarray(U), pt.asarray(V)))

    step()
    profile = pt.profile(step)
    assert profile.kernels[0].name == "gray_scott"
    if pt.get_backend() in ("webgl", "webgpu"):
        (kernel,) = profile.kernels
        assert kernel.operations == ("gray_scott", "gray_scott")
        assert kernel.nbytes == 2 * U.nbytes
