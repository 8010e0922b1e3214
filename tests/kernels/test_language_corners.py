"""Less common forms of the language, and values at its limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from kernel_forms import assert_like_python

import py_tensor as pt

X = np.asarray([-3.5, -1.0, 0.0, 0.5, 2.0, 7.25], "float32")
N = np.asarray([-7, -1, 0, 1, 2, 9], "int32")


def target_after_a_loop(x, n):
    k = 10
    for k in range(3):  # noqa: B007
        pass
    for k in range(5, abs(n)):
        if k > 6:
            break
    return k


def changed_limit(x, n):
    stop = 4
    total = 0
    for k in range(stop):
        stop = stop - 1
        k = k + 10
        total += k + stop
    return total


def swapped(x, n):
    a, b = x, float(n)
    for _ in range(3):
        a, b = b, a
    return a - b


def truth_of_numbers(x, n):
    found = False
    count = 0
    for k in range(3):
        found = found or x > k
        count += x > k
    if n:
        count += 10
    if not x:
        count += 100
    return count + (1000 if found else 0) + (n == True) + (x and n)  # noqa: E712


def grown_tuple(x, n):
    pair = (0, (1, n))
    for k in range(4):
        pair = (pair[0] + x, (pair[1][0] * 2, pair[1][1] + k))
    return pair[0] + pair[1][0] + pair[1][1]


def first_of_helpers(x, n):
    total = 0.0
    for k in range(abs(n) % 4 + 1):
        if k % 2 == 0:
            total += first_above(x, k)
        elif first_above(x * 2.0, 1) > 3:
            return total
    return total + first_above(x, n)


def first_above(x, start):
    for k in range(start, start + 5):
        while k > 2:
            k -= 2
            if k == 1:
                return k + 10.0
        if k > x:
            return k
    return -1


def nearest(x, n):
    best, place = math.inf, -1
    for k in range(6):
        far = abs(x - k) if k != 3 else math.nan
        if far < best:
            best, place = far, k
    return best + place


def nested_conditions(x, n):
    return (1 if x > 1 else 2 if n > 0 else 3.5) + (x if n else 0) * (not n)


def while_and(x, n):
    steps = 0
    y = abs(x) + 1.0
    while y < 100.0 and steps < abs(n):
        y *= 2.0
        steps += 1
        if steps == 5:
            continue
        y += 0.5
    return y + steps


def continue_in_a_tuple_loop(x, n):
    total = 0.0
    for outer in (1, 2, 3):
        if outer == 2 and n > 0:
            continue
        for inner in (0.5, 1.5):
            if x > inner * outer:
                break
            total += inner
        if total > 3.0:
            return total
    return -total


def unused_arguments(x, n):
    return 4


def keyword_only(x, n, *, scale=2.0):
    return x * scale + n


FUNCTIONS = [
    *(target_after_a_loop, changed_limit, swapped, truth_of_numbers, grown_tuple),
    *(first_of_helpers, nearest, nested_conditions, while_and, continue_in_a_tuple_loop),
    *(unused_arguments, keyword_only),
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_like_python(function):
    x, n = np.meshgrid(X, N)
    assert_like_python(pt.kernel(function), pt.asarray(x), pt.asarray(n))


def test_keyword_only_arguments():
    kernel = pt.kernel(keyword_only)
    assert_like_python(lambda_of(kernel, scale=3.0), pt.asarray(X), 1)


def lambda_of(kernel, **names):
    """Return the kernel with fixed keyword arguments, in both forms."""

    class Partial:
        def __call__(self, *args):
            return kernel(*args, **names)

        def python(self, *args):
            return kernel.python(*args, **names)

    return Partial()


def test_numbers_that_are_not_finite():
    @pt.kernel
    def limits(x):
        return math.inf if x > 0 else -math.inf if x < 0 else math.nan

    result = limits(pt.asarray([1.0, -1.0, 0.0])).tolist()
    assert result[:2] == [math.inf, -math.inf]
    assert math.isnan(result[2])


def test_results_where_python_raises():
    @pt.kernel
    def undefined(n, x):
        return n // (n - n) + n % (n - n), math.log(x - x), math.sqrt(-x), n ** (n - 3)

    quotient, logarithm, root, power = undefined(pt.asarray([2]), pt.asarray([1.0]))
    assert quotient.item() == 0
    assert logarithm.item() == -math.inf
    assert math.isnan(root.item())
    assert power.item() == 1  # a negative exponent counts as 0


def test_tensors_without_elements():
    kernel = pt.kernel(first_of_helpers)
    assert kernel(pt.zeros((0, 3)), 1).shape == (0, 3)


def test_numbers_alone():
    kernel = pt.kernel(nearest)
    assert kernel(2.25, 1).shape == ()
    assert kernel(2.25, 1).item() == 2.25


def test_an_indexed_kernel_without_axes():
    @pt.kernel(shape=())
    def answer():
        return 42

    @pt.kernel(shape=lambda x: ())
    def total(x):
        result = 0.0
        for k in range(x.shape[0]):
            result += x[k]
        return result

    assert answer().item() == 42
    assert total(pt.asarray(X)).item() == X.sum()


def test_many_tensors_and_lengths():
    @pt.kernel(shape=lambda a, b, c, d: (a.shape[0], d.shape[1]))
    def product(i, j, a, b, c, d):
        result = 0.0
        for k in range(b.shape[0]):
            for m in range(c.shape[0]):
                result += a[i, k] * b[k, m] * c[m, m] * d[m, j]
        return result

    rng = np.random.default_rng(0)
    a, b, c, d = (rng.random(shape, "float32") for shape in ((2, 3), (3, 4), (4, 4), (4, 5)))
    result = product(*map(pt.asarray, (a, b, c, d))).numpy()
    np.testing.assert_allclose(result, a @ b @ np.diag(np.diag(c)) @ d, rtol=1e-5)


def test_variable_first_value_of_a_carry_is_widened_before_the_loop():
    """The cast of an integer argument that becomes a float in the loop is outside of the body."""

    @pt.kernel
    def halved(n):
        pair = (n, n)
        for _ in range(3):
            pair = (pair[0] * 0.5, pair[1])
        return pair[0] + pair[1]

    assert halved(pt.asarray([8, 16])).tolist() == [9.0, 18.0]
