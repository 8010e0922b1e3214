"""Loops and branches give what Python's loops give, and so do their gradients."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from helpers import assert_raises, assert_values
from plans import plan_of

import py_tensor as pt
from py_tensor import errors, lax

X = np.float32(np.random.default_rng(3).uniform(-1, 1, (5, 3)))
W = np.float32([1.0, -0.5, 2.0])


def unrolled(f, init, xs, reverse=False):
    """Run a scan as a loop of Python over slices of the arrays."""
    carry, ys = init, []
    length = pt.tree_leaves(xs)[0].shape[0]
    order = range(length)
    for at in reversed(order) if reverse else order:
        carry, y = f(carry, pt.tree_map(lambda x, at=at: x[at], xs))
        ys.append(y)
    return carry, pt.tree_map(lambda *each: pt.stack(each), *(ys[::-1] if reverse else ys))


def same(got, want, rtol=2e-5, atol=1e-5):
    got, want = pt.tree_leaves(got), pt.tree_leaves(want)
    assert len(got) == len(want)
    pt.realize(*got, *want)
    for a, b in zip(got, want, strict=True):
        exact = b.dtype.kind not in "fc"
        if b.dtype.kind == "c":
            assert_values(pt.imag(a), pt.imag(b).numpy(), rtol=rtol, atol=atol)
            a, b = pt.real(a), pt.real(b)
        assert_values(a, b.numpy(), rtol=0 if exact else rtol, atol=0 if exact else atol)


def sums(carry, x):
    return carry + x, carry


def mixed(carry, x):
    """Carries of several dtypes, contractions, reductions and constants."""
    h, count, seen = carry
    new = pt.tanh(pt.asarray(X[:3]) @ h * 0.5 + x["a"])
    found = pt.argmax(new)
    return (new, count + found, seen | (pt.sum(new) > x["b"])), {"h": new, "at": found}


def swapping(carry, x):
    a, b = carry
    return (b * 0.5, a + x), ()


def returning_what_came(carry, x):
    return carry, (x, pt.ones(2))


SCANS = {
    "sums": (sums, lambda: pt.zeros(3), lambda: pt.asarray(X)),
    "mixed": (
        mixed,
        lambda: (pt.asarray(W), pt.asarray(1), pt.asarray(False)),
        lambda: {"a": pt.asarray(X), "b": pt.asarray(X[:, 0] * 9)},
    ),
    "swapping": (swapping, lambda: (pt.asarray(W), pt.ones(3)), lambda: pt.asarray(X)),
    "unchanged": (returning_what_came, lambda: pt.asarray(W), lambda: pt.asarray(X)),
    "complex": (
        lambda c, x: (c * pt.complex(x, 0.5), c),
        lambda: pt.complex(pt.asarray(W), 1.0),
        lambda: pt.asarray(X),
    ),
    "halves": (
        lambda c, x: (c * x.astype("float16"), c),
        lambda: pt.ones(3, dtype="float16"),
        lambda: pt.asarray(X),
    ),
}


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", SCANS)
def test_scan(name, reverse):
    f, init, xs = SCANS[name]
    rtol = 2e-3 if name == "halves" else 2e-5
    got = lax.scan(f, init(), xs(), reverse=reverse)
    same(got, unrolled(f, init(), xs(), reverse), rtol=rtol)
    same(pt.jit(lambda c, x: lax.scan(f, c, x, reverse=reverse))(init(), xs()), got)


def test_a_long_scan_is_one_plan_whose_body_is_compiled_once():
    def final(x):
        return lax.scan(lambda c, x: (pt.sin(c) + x, c * 2.0), pt.zeros(3), x)

    x = pt.asarray(np.tile(X, (20, 1)))
    profile = pt.profile(lambda: final(x))
    carry, ys = profile.result
    assert len(profile.plans) == 1
    same((carry, ys), unrolled(lambda c, x: (pt.sin(c) + x, c * 2.0), pt.zeros(3), x))
    plan = plan_of(final(x)[0])
    # The first draw computes the initial carry.
    assert len(plan.draws) == 1 + 100
    assert len({draw.shader.source for draw in plan.draws[1:]}) == 1
    assert len(plan.temporaries) <= 2


def test_no_draw_reads_the_texture_that_it_writes():
    """Several carries of these loops have the same value after an iteration."""
    given = operands()
    plan = plan_of(pt.hessian(lambda w: loss_by(lax.scan, w, *given[1:]))(given[0]))
    assert [draw for draw in plan.draws if {*draw.targets} & {*draw.inputs}] == []


def test_stacked_values_take_few_draws():
    plan = plan_of(lax.scan(lambda c, x: (c + x, c * 2.0), pt.zeros(3), pt.ones((64, 3)))[1])
    # One draw for the initial carry, and in each iteration one for the carry and one for the value.
    # Eight values are joined in a draw.
    assert len(plan.draws) == 1 + 2 * 64 + 8 + 1


def test_what_no_iteration_changes_is_computed_once():
    w = pt.asarray(X[:3])

    def f(c, x):
        return pt.tanh(c @ pt.exp(w @ w)) + x, None

    plan = plan_of(lax.scan(f, pt.zeros(3), pt.asarray(X))[0])
    outside = [draw for draw in plan.draws if plan.draws.count(draw) == 1]
    assert len(plan.draws) < 5 * 3 + 4, outside
    same(lax.scan(f, pt.zeros(3), pt.asarray(X))[0], unrolled(f, pt.zeros(3), pt.asarray(X))[0])


def test_scan_without_a_sequence_or_iterations():
    carry, ys = lax.scan(lambda c, x: (c * 2.0, c), pt.asarray(1.0), None, length=4)
    assert (carry.item(), ys.tolist()) == (16.0, [1.0, 2.0, 4.0, 8.0])
    carry, ys = lax.scan(sums, pt.asarray(W), pt.zeros((0, 3)))
    assert_values(carry, W)
    assert_values(ys, np.zeros((0, 3), "float32"))
    carry, ys = lax.scan(lambda c, x: (c, None), 2.0, None, length=3)
    assert (carry.item(), ys) == (2.0, None)


def test_scans_inside_scans():
    def outer(c, row):
        inner, ys = lax.scan(lambda a, x: (a * 0.5 + x + c, a), c, row)
        return inner, (ys, pt.sum(inner))

    def want(c, row):
        inner, ys = unrolled(lambda a, x: (a * 0.5 + x + c, a), c, row)
        return inner, (ys, pt.sum(inner))

    x = pt.asarray(X)
    same(lax.scan(outer, pt.asarray(1.0), x), unrolled(want, pt.asarray(1.0), x))

    def loss(x, f, scan):
        carry, (ys, totals) = scan(f, pt.asarray(1.0), x)
        return carry + pt.sum(ys * ys) + pt.sum(totals)

    got = pt.grad(lambda x: loss(x, outer, lax.scan))(x)
    same(got, pt.grad(lambda x: loss(x, want, unrolled))(x), rtol=1e-4)


def loss_by(scan, w, c, x):
    def f(carry, x):
        h, total = carry
        new = pt.tanh(h * w + x)
        return (new, total + pt.sum(h * x)), new * x

    (h, total), ys = scan(f, (c, pt.asarray(0.0)), x)
    return pt.sum(h) + total * 0.5 + pt.sum(ys**2)


def operands():
    return pt.asarray(W), pt.asarray(W * 0.5), pt.asarray(X)


def test_gradients():
    given = operands()
    got = pt.value_and_grad(lambda *a: loss_by(lax.scan, *a), argnums=(0, 1, 2))(*given)
    want = pt.value_and_grad(lambda *a: loss_by(unrolled, *a), argnums=(0, 1, 2))(*given)
    same(got, want)
    same(pt.jit(pt.grad(lambda *a: loss_by(lax.scan, *a), argnums=(0, 1, 2)))(*given), want[1])


def test_second_derivatives_and_tangents():
    given = operands()
    got = pt.hessian(lambda w: loss_by(lax.scan, w, *given[1:]))(given[0])
    for at in range(3):
        slope = pt.grad(lambda w: loss_by(unrolled, w, *given[1:]))
        # In debug mode no operations are fused: many of this graph have too many operands for a
        # shader if they are.
        with pt.enable_debug_mode():
            row = pt.grad(lambda w, at=at, slope=slope: slope(w)[at])(given[0])
        same(got[at], row, rtol=1e-4)
    value, tangent = pt.jvp(lambda *a: loss_by(lax.scan, *a), given, given)
    same(value, loss_by(unrolled, *given))
    slopes = pt.grad(lambda *a: loss_by(unrolled, *a), argnums=(0, 1, 2))(*given)
    same(tangent, sum(pt.sum(g * x) for g, x in zip(slopes, given, strict=True)), rtol=1e-4)


def test_vmap():
    given = operands()

    def batched(scan):
        function = pt.grad(lambda w, c, x: loss_by(scan, w, c, x), argnums=(0, 2))
        return pt.vmap(function, in_axes=(0, None, 1))(
            pt.stack([given[0], given[0] * 2.0]), given[1], pt.stack([given[2], -given[2]], axis=1)
        )

    same(batched(lax.scan), batched(unrolled), rtol=1e-4)
    xs = pt.stack([given[2], -given[2]])
    for axes in ((0, None), (None, 0), (0, 0)):
        init = pt.stack([given[0], given[1]]) if axes[0] == 0 else given[0]
        x = xs if axes[1] == 0 else given[2]
        same(
            pt.vmap(lambda c, x: lax.scan(sums, c, x), in_axes=axes)(init, x),
            pt.vmap(lambda c, x: unrolled(sums, c, x), in_axes=axes)(init, x),
        )


def test_gradients_outside_of_vmap():
    given = operands()
    w, c, x = given

    def loss(w, scan):
        return pt.sum(pt.vmap(lambda c: loss_by(scan, w, c, x))(pt.stack([c, c * 2.0])))

    got = pt.grad(lambda w: loss(w, lax.scan))(w)
    same(got, pt.grad(lambda w: loss(w, unrolled))(w), rtol=1e-4)


def test_custom_gradients_inside():
    @pt.custom_gradient
    def doubled(x):
        return x * 1.0, lambda g: g * 2.0

    def loss(x, scan):
        return scan(lambda c, x: (doubled(c) + x, None), pt.asarray(0.0), x)[0]

    got = pt.grad(lambda x: loss(x, lax.scan))(pt.asarray([1.0, 2.0, 3.0]))
    assert got.tolist() == [4.0, 2.0, 1.0]


def test_gradients_after_values_were_read():
    given = operands()

    def loss(w):
        carry, ys = lax.scan(lambda c, x: (c * w + x, c), given[1], given[2])
        assert len(ys.tolist()) == 5
        return pt.sum(carry * carry)

    got = pt.grad(loss)(given[0])
    want = pt.grad(
        lambda w: pt.sum(unrolled(lambda c, x: (c * w + x, c), given[1], given[2])[0] ** 2)
    )
    same(got, want(given[0]), rtol=1e-4)


@pytest.mark.parametrize("batch_size", [None, 1, 2, 5, 7])
def test_map(batch_size):
    def f(x):
        return {"sum": pt.sum(x["a"] * x["b"]), "same": x["b"]}

    xs = {"a": pt.asarray(X), "b": pt.asarray(X[::-1].copy())}
    same(lax.map(f, xs, batch_size=batch_size), pt.vmap(f)(xs))


def test_map_differs_from_vmap_by_its_error():
    assert_raises(
        errors.ArgumentError,
        "map: batch_size is not positive; got 0; give at least 1",
        lambda: lax.map(pt.sin, pt.ones(2), batch_size=0),
    )


def test_fori_loop():
    given = operands()

    def power(w, n):
        return lax.fori_loop(0, n, lambda i, v: v * w + i, pt.ones(3))

    want = np.ones(3, "float32")
    for i in range(4):
        want = want * W + np.float32(i)
    assert_values(power(given[0], 4), want, rtol=1e-6)
    assert_values(power(given[0], 0), np.ones(3, "float32"))
    assert_values(power(given[0], pt.asarray(4)), want, rtol=1e-6)
    assert lax.fori_loop(7, 3, lambda i, v: v + 1, 5).item() == 5
    assert lax.fori_loop(-2, 3, lambda i, v: v + i, 0).item() == 0
    compiled = pt.jit(power, static_argnums=1)
    assert_values(compiled(given[0], 4), want, rtol=1e-6)
    assert_raises(
        errors.TraceError,
        "fori_loop: the number of iterations is not known; got traced int as limit; "
        "make it static with static_argnums",
        lambda: pt.jit(power)(given[0], 4),
    )
    got = pt.grad(lambda w: pt.sum(power(w, 2)))(given[0])
    assert_values(got, 2 * W, rtol=1e-6)


def halve(x):
    return {"x": x["x"] / 2.0, "n": x["n"] + 1}


def above(x):
    return x["x"] > 1.0


@pytest.mark.parametrize("max_steps", [None, 3, 10])
def test_while_loop(max_steps):
    got = lax.while_loop(above, halve, {"x": 20.0, "n": 0}, max_steps=max_steps)
    want = (20.0 / 8, 3) if max_steps == 3 else (20.0 / 32, 5)
    assert (got["x"].item(), got["n"].item()) == want


def test_while_loop_with_a_limit_is_compiled_mapped_and_differentiated():
    def count(x):
        return lax.while_loop(above, halve, {"x": x, "n": 0}, max_steps=8)

    x = pt.asarray([0.5, 3.0, 20.0, 100.0])
    for function in (pt.vmap(count), pt.jit(pt.vmap(count))):
        assert function(x)["n"].tolist() == [0, 2, 5, 7]
    gradient = pt.vmap(pt.grad(lambda x: count(x)["x"]))(x)
    assert gradient.tolist() == [1.0, 0.25, 1 / 32, 1 / 128]


def last_half(x):
    return lax.while_loop(above, halve, {"x": x, "n": 0})["x"]


def scaled_until_large(x, factor):
    """The condition depends on traced values only after the first iteration."""
    return lax.while_loop(lambda v: pt.sum(v) < 50.0, lambda v: v * factor + x, pt.ones(3))


def roots(x):
    """Loops inside a scan, whose carry is complex."""

    def step(c, x):
        found = lax.while_loop(lambda v: pt.abs(v) > 1.0, lambda v: v / 2.0, c * x)
        return found, pt.abs(found)

    return lax.scan(step, pt.complex(pt.asarray(3.0), 4.0), x)[1]


LOOPS_WITHOUT_LIMIT = {
    "halves": (last_half, pt.vmap(last_half), [np.float32([20.0, 0.5, 3.0])]),
    "closure": (
        scaled_until_large,
        pt.vmap(scaled_until_large),
        [np.abs(X) + np.float32(1.0), np.float32([1.5, 2.0, 3.0, 1.25, 4.0])],
    ),
    "scan": (roots, pt.vmap(roots), [np.abs(X) + np.float32(0.5)]),
}


@pytest.mark.parametrize("name", LOOPS_WITHOUT_LIMIT)
def test_while_loop_without_a_limit_on_traced_values(name, backend_name):
    function, mapped, arrays = LOOPS_WITHOUT_LIMIT[name]
    given = [pt.asarray(array) for array in arrays]
    if backend_name != "jax":
        advice = (
            "while_loop: the condition depends on traced values; got a loop without limit "
            "inside jit, vmap or scan; give max_steps"
        )
        for call in (lambda: pt.jit(function)(*(x[0] for x in given)), lambda: mapped(*given)):
            assert_raises(errors.TraceError, advice, call)
        return
    limited = pytest.MonkeyPatch()
    with limited.context() as patch:
        patch.setattr(lax, "while_loop", partial(lax.while_loop, max_steps=12))
        want = [function(*(x[at] for x in given)) for at in range(len(arrays[0]))]
    compiled = pt.jit(function)
    same([compiled(*(x[at] for x in given)) for at in range(len(arrays[0]))], want)
    same(mapped(*given), pt.stack(want))
    same(pt.jit(mapped)(*given), pt.stack(want))


def test_a_while_loop_without_a_limit_has_no_gradient(backend_name):
    text = (
        "while_loop: a loop without limit has no gradient; got a backward pass through it; "
        "give max_steps, or use fori_loop or scan"
    )
    functions = [pt.grad(last_half)]
    if backend_name == "jax":
        functions += [pt.jit(functions[0]), lambda x: pt.vmap(functions[0])(pt.stack([x, x]))]
    for function in functions:
        assert_raises(errors.GradientError, text, lambda f=function: f(pt.asarray(3.0)))
    gradient = pt.grad(lambda x: x * pt.stop_gradient(last_half(x)))
    assert gradient(3.0).item() == 0.75
    if backend_name == "jax":
        assert pt.jit(gradient)(pt.asarray(3.0)).item() == 0.75


def test_each_step_of_a_while_loop_is_one_plan():
    x = pt.asarray(20.0)
    pt.realize(x)
    profile = pt.profile(lambda: lax.while_loop(above, halve, {"x": x, "n": 0})["n"])
    assert len(profile.plans) == 6


def test_cond():
    def function(pred, x):
        return lax.cond(pred, lambda x: {"y": x * 2.0}, lambda x: {"y": -x}, x)["y"]

    x = pt.asarray(W)
    for pred, want in ((True, W * 2), (False, -W), (pt.asarray(True), W * 2), (pt.asarray(0), -W)):
        assert_values(function(pred, x), want)
    assert_values(pt.jit(function)(False, x), -W)
    got = pt.vmap(lambda x: function(x > 0, x))(x)
    assert_values(got, np.where(W > 0, W * 2, -W))
    gradient = pt.vmap(pt.grad(lambda x: function(x > 0, x)))(x)
    assert_values(gradient, np.where(W > 0, np.float32(2), np.float32(-1)))
    calls = []
    lax.cond(True, lambda: calls.append("true"), lambda: calls.append("false"))
    assert calls == ["true"]


def test_switch():
    branches = [lambda x: x, lambda x: x * 10.0, lambda x: -x]
    x = pt.asarray(W)
    for place, want in ((-4, W), (0, W), (1, W * 10), (2, -W), (9, -W)):
        assert_values(lax.switch(place, branches, x), want)
        assert_values(lax.switch(pt.asarray(place), branches, x), want)
    got = pt.vmap(lambda i: lax.switch(i, branches, x))(pt.asarray([2, 0]))
    assert_values(got, np.stack([-W, W]))
    assert_values(pt.jit(lambda i: lax.switch(i, branches, x))(1), W * 10)


@pt.custom_gradient
def clipped(x):
    return x * 2.0, lambda g: pt.clip(g, -1.0, 1.0)


def simple(x, w):
    return lax.cond(pt.sum(x) > 0, lambda x: pt.sin(x) * w, lambda x: x * x, x)


def several_results(x, w):
    def both(x):
        return {"a": pt.complex(x, w), "n": pt.argmax(x), "s": pt.sum(x * w)}

    def other(x):
        return {"a": pt.complex(w, 1.0), "n": pt.asarray(7), "s": pt.asarray(2.0)}

    found = lax.cond(pt.sum(x) > 0, both, other, x)
    return pt.real(found["a"] * found["a"]) * found["s"] + pt.astype(found["n"], "float32")


def nested(x, w):
    inner = [lambda y: y * w, lambda y: simple(-y, w), lambda y: y + 1.0]
    index = pt.astype(pt.sum(x > 0), "uint32") * 3
    return lax.cond(x[0] > 0, lambda: lax.switch(index, inner, x), lambda: pt.exp(w) * 2.0)


def with_loops(x, w):
    def loop(y):
        return lax.scan(lambda c, v: (pt.tanh(c * v) + w, c), y, pt.stack([w, x]))[0]

    def step(c, v):
        return lax.cond(pt.sum(c) > v, lambda: loop(c) * v, lambda: c + w), None

    return lax.scan(step, x, w)[0]


def with_a_custom_gradient(x, w):
    return lax.cond(pt.sum(x) > 0, lambda: clipped(x) * w, lambda: w * 3.0)


def checkpointed(x, w):
    return pt.checkpoint(simple)(x, w)


BRANCHES = [
    *(simple, several_results, nested, with_loops, with_a_custom_gradient, checkpointed),
]


@pytest.mark.parametrize("function", BRANCHES)
def test_branches_on_traced_values(function):
    """Compiled functions, which may compute one branch only, give what the others give."""
    w, rows = pt.asarray(W), pt.asarray(np.stack([X[0], -X[0], X[1], np.abs(X[2])]))

    def loss(x, w):
        return pt.sum(function(x, w) * pt.asarray(X[3]))

    runs = [function, pt.grad(loss, argnums=(0, 1))]
    for run in (*runs, pt.hessian(loss)) if function is simple else runs:
        want = [run(x, w) for x in rows]
        compiled = pt.jit(run)
        same([compiled(x, w) for x in rows], want, rtol=1e-4)
        stacked = pt.tree_map(lambda *each: pt.stack(each), *want)
        same(pt.jit(pt.vmap(run, in_axes=(0, None)))(rows, w), stacked, rtol=1e-4)


def test_branches_are_chosen_by_traced_numbers():
    compiled = pt.jit(lambda at, x: lax.switch(at, [lambda: x, lambda: -x, lambda: x * 2.0]))
    for at, want in ((-7, W), (0, W), (1, -W), (2, W * 2), (900, W * 2)):
        assert_values(compiled(at, pt.asarray(W)), want)
        assert_values(compiled(pt.asarray(at), pt.asarray(W)), want)
    large = pt.asarray([4294967295], dtype="uint32")[0]
    assert_values(compiled(large, pt.asarray(W)), W * 2)


@pytest.mark.parametrize("length", [0, 1, 2, 3, 4, 7, 8, 33])
@pytest.mark.parametrize("reverse", [False, True])
def test_associative_scan(length, reverse, rng):
    x = rng.uniform(-1, 1, (2, length)).astype("float32")
    want = np.flip(np.cumsum(np.flip(x, 1), 1), 1) if reverse else np.cumsum(x, 1)
    got = lax.associative_scan(pt.add, pt.asarray(x), reverse=reverse, axis=1)
    assert_values(got, want.astype("float32"), rtol=1e-5, atol=1e-6)


def test_associative_scan_of_trees():
    """Linear recurrences: y[i] = a[i] y[i - 1] + b[i]."""
    a, b = X.T.copy()[:2]

    def combined(left, right):
        return {"a": left["a"] * right["a"], "b": left["b"] * right["a"] + right["b"]}

    def run(a, b):
        return lax.associative_scan(combined, {"a": a, "b": b})["b"]

    want, y = [], np.float32(0)
    for each, add in zip(a, b, strict=True):
        y = each * y + add
        want.append(y)
    assert_values(run(pt.asarray(a), pt.asarray(b)), np.float32(want), rtol=1e-5, atol=1e-6)
    by_b = pt.grad(lambda b: pt.sum(run(pt.asarray(a), b)))(pt.asarray(b))
    g, total = [], np.float32(0)
    for at in reversed(range(5)):
        total = np.float32(1) + (a[at + 1] * total if at < 4 else 0)
        g.insert(0, total)
    assert_values(by_b, np.float32(g), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("error", "text", "call"),
    [
        (
            errors.ShapeError,
            "scan: carry changes its type; got float32[2] after float32[]; "
            "convert the initial or the new carry",
            lambda: lax.scan(lambda c, x: (x, None), 0.0, pt.ones((3, 2))),
        ),
        (
            errors.DTypeError,
            "scan: carry changes its type; got float32[] after int32[]; "
            "convert the initial or the new carry",
            lambda: lax.scan(lambda c, x: (c + x, None), 0, pt.ones(3)),
        ),
        (
            errors.ArgumentError,
            "scan: carry changes its structure; got Structure([*]) after Structure(*); "
            "return a carry with the containers of init",
            lambda: lax.scan(lambda c, x: ([c], None), 0, pt.ones(3)),
        ),
        (
            errors.ArgumentError,
            "scan: the function returned no pair; got Tensor; return (carry, y)",
            lambda: lax.scan(lambda c, x: c, 0, pt.ones(3)),
        ),
        (
            errors.ShapeError,
            "scan: lengths differ; got [2, 3]; give sequences of one length",
            lambda: lax.scan(sums, 0.0, pt.ones(3), length=2),
        ),
        (
            errors.ArgumentError,
            "scan: length is not known; got no xs; give length",
            lambda: lax.scan(sums, 0.0),
        ),
        (
            errors.ShapeError,
            "scan: a sequence has no axis; got float32[]; give tensors with slices along their "
            "first axis",
            lambda: lax.scan(sums, 0.0, 1.0),
        ),
        (
            errors.ArgumentError,
            "while_loop: condition is not one bool; got float32[]; compare numbers, and use "
            "pt.any or pt.all for several",
            lambda: lax.while_loop(lambda x: x, lambda x: x, 1.0),
        ),
        (
            errors.ArgumentError,
            "cond: condition is not one value; got bool[2]; use pt.any or pt.all",
            lambda: lax.cond(pt.ones(2) > 0, lambda: 0, lambda: 1),
        ),
        (
            errors.ArgumentError,
            "cond: results differ in structure; got Structure([*]) and Structure(*); "
            "return the same containers",
            lambda: lax.cond(pt.asarray(True), lambda: [1], lambda: 1),
        ),
        (
            errors.DTypeError,
            "cond: results differ in type; got int32[] and float32[]; "
            "return equal shapes and dtypes",
            lambda: lax.cond(pt.asarray(True), lambda: 1, lambda: 1.0),
        ),
        (
            errors.ArgumentError,
            "switch: there is no branch; got an empty sequence; give at least one",
            lambda: lax.switch(0, []),
        ),
        (
            errors.ShapeError,
            "associative_scan: lengths differ; got [2, 3]; give one length",
            lambda: lax.associative_scan(pt.add, [pt.ones(2), pt.ones(3)]),
        ),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)
def test_errors(error, text, call):
    assert_raises(error, text, call)
