"""Functions that a kernel calls several times are functions of its shader."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers import assert_values
from kernel_forms import assert_like_python
from random_kernels import Writer, function

import py_tensor as pt
from py_tensor.kernels import dot, reader, vec

X = np.asarray([-2.0, -0.5, 0.25, 1.5, 3.0], "float32")
N = np.asarray([0, 1, 2, 3, 7], "int32")


@pytest.fixture
def short_functions(monkeypatch):
    """Let short functions be functions of the shader, too."""
    monkeypatch.setattr(reader, "LEAST", 0)


def wave(x, turn, power=2):
    value = math.sin(x * turn) + math.cos(x) * turn
    for _ in range(power):
        value = value * value - x * 0.25 + 1.0 / (1.0 + abs(x))
    return value


def first_above(x, limit):
    """Return from a loop that elements leave at different times."""
    for k in range(20):
        if x * k * 0.5 > limit:
            return k, x * k
        if x < -1.0:
            break
    return -1, 0.0


def hit(p, ray, center, radius):
    q = p - center
    b, c = dot(q, ray), dot(q, q) - radius * radius
    if b * b - c > 0.0:
        return True, (p + ray * (-b - math.sqrt(b * b - c)) - center) / radius
    return False, p


def of_both(p, ray):
    one, a = hit(p, ray, vec(0.0, 0.5), 1.0)
    two, b = hit(p, ray, vec(0.25, -0.5), 0.75)
    return a + b if one and two else a * 0.5, one


def called_twice(x, n):
    return wave(x, 1.5) + wave(x + 1.0, 2.0) * n


def called_in_branches_and_loops(x, n):
    total = 0.0
    for k in range(4):
        if x > k * 0.5 - 1.0:
            count, last = first_above(x + k, 3.0)
            total += count + last
        elif n > 2:
            count, last = first_above(-x, 1.0)
            total -= last
        if total > 30.0:
            break
    return total


def functions_of_functions(x, n):
    p, ray = vec(x, 1.0), vec(0.6, 0.8)
    a, one = of_both(p, ray)
    b, two = of_both(p * 0.5, ray)
    return a.x + b.y, a.y, int(one) + 2 * int(two)


def other_constants(x, n):
    return wave(x, 1.0, 1) + wave(x, 2.0, 1) + wave(x, 1.0, power=3) + wave(n, 1.0, 1)


@pytest.mark.parametrize(
    "kernel",
    [called_twice, called_in_branches_and_loops, functions_of_functions, other_constants],
)
@pytest.mark.parametrize("least", [0, 12])
def test_values_are_those_of_python(kernel, least, monkeypatch):
    monkeypatch.setattr(reader, "LEAST", least)
    assert_like_python(pt.kernel(kernel), pt.asarray(X), pt.asarray(N), rtol=1e-5, atol=1e-5)


def test_random_functions_that_are_called_twice(request, short_functions):
    count = max(10, request.config.getoption("examples") // 15)
    x, n = X, N
    for seed in range(3000, 3000 + count):
        made = Writer(seed, indexed=False).text().replace("def made(", "def inner(")
        text = (
            f"{made}\ndef made(x, y, n, m):\n"
            "    a, b = inner(x, y, n, m)\n"
            "    if a > 0.0:\n"
            "        c, d = inner(y, a, b, n)\n"
            "        a, b = a + c, b - d\n"
            "    return a, b\n"
        )
        kernel = pt.kernel(function(text))
        arguments = [pt.asarray(part) for part in (x, np.roll(x, 2), n, np.roll(n, 1))]
        expected = kernel.python(*arguments)
        for got, wanted in zip(kernel(*arguments), expected, strict=True):
            assert_values(got, wanted.numpy(), what=text)


def program_of(kernel, *args):
    result = kernel(*args)
    first = result[0] if isinstance(result, tuple) else result
    return pt.explain(first).partition("program of")[2]


@pytest.mark.parametrize("name", ["called_twice", "functions_of_functions"])
def test_the_program_has_the_function_once(name):
    text = program_of(pt.kernel(globals()[name]), pt.asarray(X), pt.asarray(N))
    own = {"called_twice": "wave", "functions_of_functions": "hit"}[name]
    assert text.count(f"\n  {own}(") == 1
    assert text.count(f" = {own}(") == 2


def test_a_function_that_is_called_once_is_inlined():
    @pt.kernel
    def once(x):
        return wave(x, 1.5)

    text = program_of(once, pt.asarray(X))
    assert "wave(" not in text


def test_functions_that_read_tensors_are_inlined(short_functions):
    def around(u, i):
        return u[i - 1] + u[i + 1]

    @pt.kernel(shape=lambda u: u.shape)
    def smoothed(i, u):
        return around(u, i) * 0.25 + around(u, i + 1) * 0.25

    table = pt.asarray([1.0, 2.0])

    def looked_up(i):
        return table[i % 2] * 2.0

    @pt.kernel(shape=4)
    def of_table(i):
        return looked_up(i) + looked_up(i + 1)

    assert_like_python(smoothed, pt.asarray(X))
    assert of_table().tolist() == [6.0] * 4


def test_functions_that_need_constants_are_inlined(short_functions):
    def tapered(x, width):
        return sum(x * k for k in range(int(width))) + x / width

    def repeated(x, times):
        for _ in range(int(times)):
            x = x * 0.5
        return x

    @pt.kernel
    def of_both(x):
        return tapered(x, 2.0) + tapered(x, 3.0)

    assert_like_python(of_both, pt.asarray(X), rtol=1e-5)

    @pt.kernel
    def with_gradient(x):
        return repeated(x, 1.0) + repeated(x, 2.0)

    assert pt.grad(lambda x: with_gradient(x).sum())(pt.asarray(X)).tolist() == [0.75] * 5


def test_functions_that_write_are_inlined(short_functions):
    def add(out, i, value):
        out[i] += value

    @pt.kernel(shape=lambda x, out: x.shape)
    def spread(i, x, out):
        add(out, i, x[i])
        add(out, i + 1, 2.0 * x[i])

    assert spread(pt.asarray([1.0, 3.0]), pt.zeros(3)).tolist() == [1.0, 5.0, 6.0]


def test_functions_of_integers_and_truth_values(short_functions):
    def mixed(n, flag, text):
        if text == "sum":
            return n + 1, not flag
        return n * 3, flag

    @pt.kernel
    def both(n):
        a, flag = mixed(n, n > 1, "sum")
        b, other = mixed(a, flag, "sum")
        c, _ = mixed(b, other, "product")
        return c, other, mixed(n, True, "product")[0]

    assert_like_python(both, pt.asarray(N))
    u = both(pt.asarray(N).astype("uint32"))
    assert u[0].dtype is pt.uint32


def test_results_that_are_constants_or_arguments(short_functions):
    def parts(x, y):
        return 1, x, (y, 2.5)

    @pt.kernel
    def kernel(x):
        one, a, (b, c) = parts(x, 2.0 * x)
        two, d, (e, f) = parts(x + 1.0, x)
        return one + two + a + b + c + d + e + f

    assert_like_python(kernel, pt.asarray(X))


def test_gradients_of_functions_are_those_of_inlined_ones(monkeypatch):
    x, found = pt.asarray(X), []
    for least in (0, 1000):
        monkeypatch.setattr(reader, "LEAST", least)
        kernel = pt.kernel(called_twice)
        found.append(pt.grad(lambda x, kernel=kernel: kernel(x, 2).sum())(x).numpy())
    np.testing.assert_allclose(*found, rtol=1e-5)
    assert np.abs(found[0]).max() > 1.0


def test_functions_under_jit_and_vmap():
    kernel = pt.kernel(called_twice)
    x, n = pt.asarray(X), pt.asarray(N)
    expected = kernel(x, n).numpy()
    np.testing.assert_allclose(pt.jit(kernel)(x, n).numpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(pt.vmap(kernel)(x, n).numpy(), expected, rtol=1e-6)
    together = kernel(x, n) + kernel(x + 1.0, n)
    np.testing.assert_allclose(together.numpy(), expected + kernel(x + 1.0, n).numpy(), rtol=1e-6)


def test_a_loop_of_a_function_stops_for_elements_that_do_not_run_it():
    """The loop has no end for the elements that the branch leaves out."""

    def halved(x):
        steps = 0
        while x != 0.0:
            x = math.floor(x * 0.5) * 1.0
            steps += 1
        return steps

    @pt.kernel(max_steps=1 << 30)
    def kernel(x):
        return halved(x) + halved(x + 8.0) if x > 0.0 else -1

    assert kernel(pt.asarray([8.0, -1.0, 0.0, 2.0])).tolist() == [9, -1, -1, 6]
