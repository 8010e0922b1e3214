"""Loops that elements leave at different times, which shaders run for one element at a time."""

from __future__ import annotations

import linecache
import math

import numpy as np
import pytest
from helpers import assert_values
from kernel_forms import assert_like_python
from op_defs import ELEMENTWISE, dtypes_of
from plans import plan_of

import py_tensor as pt
from py_tensor.dtypes import float32, int32
from py_tensor.kernels import uniform

X = np.asarray([-3.5, -1.0, 0.0, 0.5, 2.0, 7.25, 3.0], "float32")
N = np.asarray([-7, -1, 0, 1, 2, 9, 4], "int32")


def shader_of(*tensors):
    (draw,) = plan_of(*tensors).draws
    return draw.shader.source.partition("void main")[2]


def exits_at_three_places(x, n):
    total = 0.0
    for k in range(12):
        if x > 5.0:
            break
        total += x
        if total > 6.0:
            return -total * 2.0
        x = x + 0.75 * k
        if k > abs(n):
            total += 100.0
            break
        total += 0.25
    return total + x


def work_before_an_exit(x, n):
    steps = 0
    while True:
        steps += 1
        if steps * x > n + 3 or steps > 20:
            slope = math.floor(x) // 2 + math.floor(2.0 * x) % 3 + abs(x) * abs(x) * steps
            x = slope * slope + slope // 3 - 1.0
            break
        if steps % 3 == n % 3:
            continue
        x += 0.5
    return x + steps


def loops_in_loops(x, n):
    count = 0
    for row in range(abs(n)):
        for column in range(row + 1):
            if column > x + row:
                break
            while count % 4 != 3:
                count += 1
                if count > 40:
                    return -count
            count += column
        if count > 25:
            break
    return count


def own_condition(x, n):
    going, odd = True, False
    while going and n < 12:
        n += 2
        odd = not odd
        going = x * n < 20.0 or odd
    return n + (100 if going else 0) + (1000 if odd else 0)


def a_condition_that_stays(x, n):
    steps = 0
    while x > 0.0:
        steps += 1
        if steps > 3 + abs(n):
            break
    return steps


def loops_in_branches(x, n):
    total = 0
    if x > 0.0:
        for k in range(8):
            total += k * n
            for m in range(k % 3):
                total -= m
    else:
        for k in range(abs(n)):
            total += k
    return total


FUNCTIONS = [
    *(exits_at_three_places, work_before_an_exit, loops_in_loops, own_condition),
    *(a_condition_that_stays, loops_in_branches),
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_like_python(function):
    x, n = np.meshgrid(X, N)
    assert_like_python(pt.kernel(function), pt.asarray(x), pt.asarray(n))


@pt.kernel(shape=lambda u, v, found: (5, 8), border="zero")
def walk(i, j, u, v, found):
    """Walk to the right until a number, a small integer and a truth value allow it."""
    total = 0.0
    for k in range(20):
        if found[i, j + k] or u[i, j + k] > 2.0 - 0.125 * k:
            return total, k, found[i, j + k]
        total += u[i, j + k] * v[j + k] + uniform(3, i, k)
    return total, -1, False


@pytest.mark.parametrize("shape", [(5, 8), (5, 7)])
def test_reads_and_results_of_each_kind(shape):
    rng = np.random.default_rng(3)
    u = rng.integers(-8, 12, shape).astype("float32") / 4
    v = rng.integers(-3, 3, shape[1]).astype("int8")
    assert_like_python(walk, pt.asarray(u), pt.asarray(v), pt.asarray(rng.random(shape) < 0.1))


def test_neighbours_are_fused():
    rng = np.random.default_rng(4)
    a, b = rng.integers(-8, 12, (2, 5, 4)).astype("float32") / 4
    v = rng.integers(-3, 3, 8).astype("int8")
    before = pt.concat([pt.asarray(a), pt.asarray(b) * 2.0], axis=1) + 0.25
    flags = pt.asarray(np.roll(a, 1)).sum(axis=1, keepdims=True) > 4.0
    flags = pt.broadcast_to(flags, (5, 8))
    total, steps, found = walk(before, pt.asarray(v), flags)
    got = pt.where(found, pt.exp(total * 0.125), total + steps)
    expected = walk.python(before.numpy(), v, flags.numpy())
    total, steps, found = (part.numpy() for part in expected)
    wanted = np.where(found, np.exp(total * 0.125), total + steps).astype("float32")
    assert_values(got, wanted, rtol=2e-6, atol=2e-6)


def test_a_kernel_in_the_loop_of_another():
    @pt.kernel
    def halvings(x):
        count = 0
        while x > 0.5:
            x *= 0.5
            count += 1
        return count

    @pt.kernel(shape=lambda counts: (9,))
    def largest(i, counts):
        best = 0
        for k in range(i + 1):
            best = max(best, counts[k])
        return best

    x = np.asarray([0.25, 3.0, 100.0, 2.0, 1.0, 0.0, 1000.0, 6.0, 5.0], "float32")
    got = largest(halvings(pt.asarray(x)))
    wanted = np.maximum.accumulate([max(0, math.ceil(math.log2(v / 0.5))) if v else 0 for v in x])
    assert_values(got, wanted.astype("int32"))


def test_gradients_of_loops_with_exits():
    @pt.kernel
    def limited(x):
        y = 1.0
        for _ in range(6):
            if y > 10.0:
                break
            y *= x
        return y

    x = np.asarray([0.5, 2.0, 3.0, 20.0, 1.5], "float32")
    powers = np.asarray([6, 4, 3, 1, 6], "float32")
    assert_values(limited(pt.asarray(x)), x**powers, rtol=1e-6)
    gradient = pt.grad(lambda x: limited(x).sum())(pt.asarray(x))
    assert_values(gradient, powers * x ** (powers - 1), rtol=1e-5)


# --- shaders --------------------------------------------------------------------------------------


@pt.kernel(shape=lambda side, steps: (side, side))
def escape_time(i, j, side, steps):
    a, b = 3.0 * j / side - 2.2, 3.0 * i / side - 1.5
    x = y = 0.0
    for n in range(steps):
        if x * x + y * y > 4.0:
            return n
        x, y = x * x - y * y + a, 2.0 * x * y + b
    return steps


def test_a_loop_of_one_element_has_neither_masks_nor_choices():
    body = shader_of(escape_time(64, 50))
    inner = body.partition("for (;;) {")[2].partition(".yzw")[0].rpartition("\n")[0]
    assert inner.count("break;") == 2
    assert [word for word in ("any(", "pt_pick", "mix(", "?", "vec4", "&&") if word in inner] == []
    # As many operations as the function has.
    signs = {sign: inner.count(f" {sign} ") for sign in "*+-<>"}
    assert signs == {"*": 4, "+": 4, "-": 1, "<": 1, ">": 1}


def test_statements_around_the_loop_are_written_once():
    assert shader_of(escape_time(64, 50)).count("break;") == 2


@pt.kernel(shape=lambda x: x.shape)
def sums(i, x):
    total = 0.0
    for k in range(len(x)):
        total += x[k] * i
    return total


def test_loops_that_all_elements_leave_together_run_for_four():
    x = pt.asarray(X)
    body = shader_of(sums(x))
    assert body.count("for (") == 1
    assert "mix(" not in body
    assert_values(sums(x), X.sum() * np.arange(7, dtype="float32"), rtol=1e-6)


@pt.kernel
def in_a_branch(x):
    total = 0.0
    if x > 0.0:
        for k in range(40):
            total += x * k
    return total


def test_loops_in_branches_run_for_four():
    body = shader_of(in_a_branch(pt.asarray(X)))
    assert body.count("for (") == 1
    assert_like_python(in_a_branch, pt.asarray(X))


# --- functions of one element ---------------------------------------------------------------------


def in_a_loop(name, arity):
    """Return a kernel that computes an operation in a loop that elements leave at their times."""
    names = ", ".join("xyz"[:arity])
    text = f"def repeated({names}, steps):\n    r = 0\n    for n in range(steps):\n"
    text += f"        r = pt.{name}({names})\n    return r\n"
    file = f"<repeated {name}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    found = {"pt": pt}
    exec(compile(text, file, "exec"), found)
    return pt.kernel(found["repeated"])


def kinds_of(op):
    return [dtype for dtype in (float32, int32) if dtype in dtypes_of(op)]


CASES = [(op, dtype) for op in ELEMENTWISE for dtype in kinds_of(op) if op.name != "where"]


@pytest.mark.parametrize(("op", "dtype"), CASES, ids=lambda part: getattr(part, "name", str(part)))
def test_functions_give_the_same_for_one_element_as_for_four(op, dtype):
    values = [-1e30, -7.0, -2.0, -0.75, -0.0, 0.0, 0.5, 1.0, 1.5, 3.0, 100.0, 1e10, math.inf]
    values += [math.nan, 1e-3, 0.25]
    given = np.asarray(values[1:10] if dtype is int32 else values).astype(dtype.name)
    x, y, z = (pt.asarray(np.roll(given, by)) for by in (0, 3, 5))
    operands = (x, y, z)[: op.arity]
    steps = pt.asarray(np.arange(len(given), dtype="int32") % 4 + 1)
    got = in_a_loop(op.name, op.arity)(*operands, steps)
    expected = getattr(pt, op.name)(*operands)
    np.testing.assert_array_equal(got.numpy(), expected.numpy())
