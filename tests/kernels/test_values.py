"""Vectors, matrices and random numbers in kernels and in plain Python."""

from __future__ import annotations

import linecache
import math

import numpy as np
import pytest
from kernel_forms import assert_like_python

import py_tensor as pt
from py_tensor.errors import KernelError
from py_tensor.kernels import cross, dot, length, normalize, transpose, uniform, vec

X = np.asarray([-2.0, -0.5, 0.25, 1.5, 3.0], "float32")
Y = np.asarray([0.5, 2.0, -1.0, 1.0, -0.25], "float32")
LIGHT = vec(1.0, 2.0, 2.0) / 3.0


def arithmetic(x, y):
    a, b = vec(x, y, 1.0), vec(2, x, y)
    c = a * 2.0 + b - 0.5 * a / (1.0 + abs(x)) + (1.0 - b) * a - (-b)
    return c.x, c.y, c[2]


def products(x, y):
    a, b = vec(x, y, 0.5), vec(1.0, y, x)
    normal = cross(a, b)
    return dot(a, b) + a @ b, length(a), normal[0] + normal.y + normal.z, dot(LIGHT, a)


def matrices(x, y):
    turn = vec(vec(math.cos(x), -math.sin(x)), vec(math.sin(x), math.cos(x)))
    a = turn @ vec(y, 1.0)
    b = (turn @ turn)[1].x + (turn * 2.0)[0][1]
    return a.x, a.y, b


def in_loops(x, y):
    position, velocity = vec(x, y), vec(0.0, 0)
    for step in range(5):
        if length(position) > 4.0:
            break
        velocity = velocity - position * 0.1
        position = position + velocity if step != 2 else position * 0.5
    return position


def unit(x, y):
    direction = normalize(vec(x, y, 2.0))
    total = 0.0
    for part in direction:
        total += part * part
    return total


def partwise(x, y):
    v = vec(x, y, 2.5)
    w = abs(v) % 2.0 + v // 2 + math.floor(v) * 0.5 + round(v) + math.ceil(v) + math.trunc(v)
    u = (abs(v) + 1.0) ** 2 + 2.0 ** vec(1, 2, 3) + 1.0 / (abs(v) + 1.0) + 5 % (abs(v) + 1.0)
    return w.x + w.z, u.y, (7 // (abs(v) + 1.0)).x + max(v) + min(v)


def swizzles(x, y):
    v = vec(x, y, 2.5, 1.0)
    a, b = v.zyx, v.ww
    return a.x + 2.0 * a.y + 3.0 * a.z, dot(b, v.xy), v.xx[1]


def transposes(x, y):
    m = vec(vec(x, y, 1.0), vec(2.0, x, y))
    t = transpose(m) @ vec(1.0, 2.0)
    return (m @ m.T)[0, 1], t.x + t.y * t.z, m.T[2, 1]


@pytest.mark.parametrize(
    "function",
    [arithmetic, products, matrices, in_loops, unit, partwise, swizzles, transposes],
)
def test_vectors(function):
    assert_like_python(pt.kernel(function), pt.asarray(X), pt.asarray(Y), rtol=1e-5, atol=1e-5)


def test_components_are_assigned():
    @pt.kernel
    def moved(x, n):
        v = w = vec(x, 2.0, 3)
        v.x += 1.0
        v.zy = v.xy
        v[n % 3] = 10.0
        m = vec(vec(x, 0.0), vec(0.0, x))
        m[1, n % 2] *= 5.0
        m[0] = vec(7.0, 8.0)
        for k in range(3):
            v.y = v.y * 2.0 + k
            if v.y > 20.0:
                v[2] = -1
        return v.x, v.y, v.z, w.x + w.z, m[0, 0] + m[0].y, m[1].y

    x, n = np.asarray([1.0, 2.0, 4.0], "float32"), np.asarray([0, 1, 2], "int32")
    found = [part.tolist() for part in moved(pt.asarray(x), pt.asarray(n))]
    # y is 2 at first, or 10 for n = 1. The loop doubles it three times, and adds 2 and 2.
    assert found == [
        [10.0, 3.0, 5.0],
        [20.0, 84.0, 20.0],
        [2.0, -1.0, 10.0],
        [4.0, 5.0, 7.0],
        [15.0, 15.0, 15.0],
        [1.0, 10.0, 4.0],
    ]


def test_minima_of_vectors_are_those_of_parts():
    @pt.kernel
    def bounded(x, y):
        a = min(max(vec(x, y), 0.0), vec(1.0, 0.5))
        b = pt.clip(pt.minimum(vec(x, y), 2.0), -1.0, 1.0)
        return a.x, a.y, b.x + b.y

    found = bounded(pt.asarray(X), pt.asarray(Y))
    lower, upper = np.clip(X, 0, 1), np.clip(Y, 0, 0.5)
    np.testing.assert_array_equal(found[0].numpy(), lower)
    np.testing.assert_array_equal(found[1].numpy(), upper)
    np.testing.assert_array_equal(found[2].numpy(), np.clip(X, -1, 1) + np.clip(Y, -1, 1))
    with pytest.raises(TypeError, match="vectors have no order in plain Python"):
        min(vec(1, 2), vec(2, 1))
    v = vec(1, 2)
    with pytest.raises(TypeError, match="vectors do not change in plain Python"):
        v.x = 3
    with pytest.raises(TypeError, match="vectors do not change in plain Python"):
        v[0] = 3


def test_products_of_vectors_are_right():
    assert dot(vec(1, 2), vec(3, 4)) == 11
    assert vec(vec(1, 2), vec(3, 4)) @ vec(5, 6) == (17, 39)
    assert cross(vec(1, 2, 3), vec(4, 5, 6)) == (-3, 6, -3)
    assert length(vec(3.0, 4.0)) == 5.0
    assert 2 - vec(1, 2) == (1, 0)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("vec(x, y) + vec(x, y, x)", "lengths 2 and 3 differ"),
        ("vec(x, y) % (x, y)", "a tuple is not a number"),
        ("x @ y", "@ takes vectors"),
        ("cross(vec(x, y), vec(x, y))", "cross takes vectors of three parts"),
        ("vec(x, vec(x, y))", "the parts differ in kind"),
        ("vec(x, y).z", "numbers have no z"),
        ("(x, y) + (x, y)", "a tuple is not a number"),
        ("math.sin(vec(x, y))", "wrong arguments of math.sin"),
    ],
)
def test_errors(text, problem):
    source = f"def bad(x, y):\n    return {text}\n"
    file = f"<vectors {text}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names = dict(globals())
    exec(compile(source, file, "exec"), names)
    with pytest.raises(KernelError, match=f"bad: {problem}; got "):
        pt.kernel(names["bad"])(1.0, 2.0)


def test_random_numbers_are_the_same_everywhere():
    @pt.kernel(shape=lambda seed, n: (n, 3))
    def noise(i, j, seed, n):
        return uniform(seed, i, j)

    for seed in (0, 7, -1):
        result = noise(seed, 50)
        expected = [[uniform(seed, i, j) for j in range(3)] for i in range(50)]
        np.testing.assert_array_equal(result.numpy(), np.asarray(expected, "float32"))
        assert_like_python(noise, seed, 50, rtol=0, atol=0)


def test_random_numbers_are_uniform():
    @pt.kernel(shape=lambda n: n)
    def noise(i, n):
        return uniform(1, i)

    values = noise(4000).numpy()
    assert 0 <= values.min() < 0.01
    assert 0.99 < values.max() < 1
    assert abs(values.mean() - 0.5) < 0.02
    assert abs(values.var() - 1 / 12) < 0.005
    assert abs(np.corrcoef(values[:-1], values[1:])[0, 1]) < 0.05


def test_random_numbers_of_constants():
    @pt.kernel
    def shifted(x):
        return x + uniform(3, 4, 5)

    assert shifted(0.0).item() == uniform(3, 4, 5)
