"""Forms of the language of kernels: each gives the result of Python."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from kernel_forms import assert_like_python

import py_tensor as pt
from py_tensor.errors import KernelError

FLOATS = np.asarray([-3.5, -1.0, -0.25, 0.0, 0.5, 1.0, 2.0, 7.25, 100.0], "float32")
INTEGERS = np.asarray([-7, -3, -1, 0, 1, 2, 5, 8, 100], "int32")
GAIN = 2.5
WEIGHTS = (0.25, 0.5, 0.25)


def arithmetic(x, y):
    return (x + y) * 2.0 - x / (abs(y) + 1.0) + (-x) - (+y)


def rounding_down(x, y):
    return x // (y + 0.375) + x % (y + 0.375)


def whole_rounding_down(n, m):
    return n // 3 * 1000 + n % 3 * 100 + n // -4 * 10 + n % -4 + m


def powers(x, y):
    return x**2 + abs(x) ** 0.5 + 2.0**y + 2**3 + x**-1


def whole_powers(n, m):
    return n**2 + n**3 + 2**5


def bits(n, m):
    return (n & m) + (n | 12) - (n ^ m) + (~n) + (n << 3) + (n >> 1)


def chained(x, y):
    return 0.0 < x <= y < 50.0


def logic(x, y):
    return (x > 0.0 and y > 1.0) or not x < -1.0


def values_of_logic(x, y):
    return (x or y) + (x and y)


def conditional(x, y):
    return x if x > y else y * 2 if y > 0 else -1


def early_return(x, y):
    if x < 0:
        return -x
    if x == 0:
        return 7
    return x + y


def branches(x, y):
    if x > 1:
        z = x * 3.0
        w = 1
    elif x > 0:
        z = x - 1.0
        w = 2
    else:
        z = y
        w = 3
    return z * w


def types_grow(x, n):
    total = 0
    for k in range(5):
        total = total + k * 0.5
    return total + x


def nested_loops(n, m):
    count = 0
    for i in range(abs(n) % 5):
        for j in range(i, 6):
            if (i + j) % 3 == 0:
                continue
            if j > 4:
                break
            count += i * j + 1
    return count


def steps_of_range(n, m):
    total = 0
    for k in range(10, abs(n) % 7, -2):
        total += k
    for k in range(0, 7, 1 + abs(m) % 3):
        total += 100 * k
    return total


def search(n, m):
    for k in range(20):
        if k * k >= n:
            return k
    return -1


def inner_return(n, m):
    for i in range(4):
        for j in range(4):
            if i * 4 + j == n:
                return i * 10 + j
    return -1


def collatz(n, m):
    steps = 0
    value = abs(n) + 1
    while value != 1:
        value = value // 2 if value % 2 == 0 else 3 * value + 1
        steps += 1
    return steps


def endless_with_break(x, y):
    steps = 0
    while True:
        x = x * 0.5
        if abs(x) < 0.1:
            break
        steps += 1
    return steps


def gcd(n, m):
    a, b = abs(n) + 1, abs(m) + 1
    while b:
        a, b = b, a % b
    return a


def tuples(x, y):
    pair = (x, y)
    (a, b), c = pair, pair[0]
    parts = (a, b, c)
    total = 0.0
    for part in parts:
        if part < 0:
            continue
        total += part
    return total + parts[-1] + len(parts)


def unrolled_break(x, y):
    total = 0.0
    for dx, weight in ((-1, 0.5), (0, 1.0), (1, 0.5)):
        if x + dx > 1.5:
            break
        total += weight * (x + dx)
    return total


def chosen_part(n, m):
    return (10, 20, 30)[n % 3]


def constants(x, y):
    total = 0.0
    for weight in WEIGHTS:
        total += weight * x
    return total * GAIN + math.pi


def helper(x, slope=0.5):
    if x < 0:
        return x * slope
    return x


def calls(x, y):
    return helper(x) + helper(y, slope=0.1) + clamp(x, 0.0, 1.0)


def clamp(x, low, high):
    return min(max(x, low), high)


def functions(x, y):
    a = abs(x) + 0.1
    return math.sin(a) + math.exp(-a) + math.log(a) + math.sqrt(a) + math.hypot(x, y)


def roundings(x, y):
    return math.floor(x) + 10 * math.ceil(y) + 100 * round(x) + 1000 * int(y)


def tensors_functions(x, y):
    return pt.tanh(x) + pt.maximum(x, y) + pt.where(x > y, 1.0, 2.0) + pt.clip(x, -1.0, 1.0)


def casts(x, n):
    return int(x) + float(n) + bool(x) + int(n > 0)


def several(x, y):
    low, high = min(x, y), max(x, y)
    return low, high, low < high


def annotated(x: float, y: int) -> float:
    z: float = y
    return x + z


def assigned_twice(x, y):
    x = x + 1.0
    y = x = x * 2.0
    x += y
    x -= 1
    return x


def documented(x, y):
    """Return the sum."""
    pass
    return x + y


def unbounded_numbers(x, y):
    return max(x, y, 0.5) + min((x, y, 3)) + sum((x, y)) + divmod(x, 2.0)[1]


REAL = [
    *(arithmetic, rounding_down, powers, chained, logic, values_of_logic, conditional),
    *(early_return, branches, types_grow, endless_with_break, tuples, unrolled_break, constants),
    *(calls, functions, roundings, tensors_functions, casts, several),
    *(assigned_twice, documented, unbounded_numbers),
]
WHOLE = [
    *(arithmetic, whole_rounding_down, whole_powers, bits, chained, logic, values_of_logic),
    *(conditional, early_return, branches, types_grow, nested_loops, steps_of_range, search),
    *(inner_return, collatz, gcd, tuples, chosen_part, constants, calls, functions, casts),
    *(several, annotated, assigned_twice, unbounded_numbers),
]


@pytest.mark.parametrize("function", REAL, ids=lambda function: function.__name__)
def test_floats(function):
    x, y = np.meshgrid(FLOATS, FLOATS[:-1])
    if function is powers:
        x, y = np.where(x == 0, 3, x), np.clip(y, -3, 3)
    assert_like_python(pt.kernel(function), pt.asarray(x), pt.asarray(y), rtol=4e-6)


@pytest.mark.parametrize("function", WHOLE, ids=lambda function: function.__name__)
def test_integers(function):
    n, m = np.meshgrid(INTEGERS, INTEGERS[:-1])
    assert_like_python(pt.kernel(function), pt.asarray(n), pt.asarray(m), rtol=4e-6)


@pytest.mark.parametrize("function", [arithmetic, conditional, branches], ids=lambda f: f.__name__)
def test_broadcasting_and_numbers(function):
    kernel = pt.kernel(function)
    x, y = pt.asarray(FLOATS[:, None]), pt.asarray(INTEGERS)
    assert kernel(x, y).shape == (9, 9)
    assert_like_python(kernel, x, y)
    assert_like_python(kernel, x, 2)
    assert_like_python(kernel, 1.5, y)
    assert_like_python(kernel, 3, 4.0)


def test_unsigned_integers_wrap():
    @pt.kernel
    def hashed(x):
        x = (x ^ (x >> 16)) * 0x45D9F3B
        x = (x ^ (x >> 16)) * 0x45D9F3B
        return x ^ (x >> 16)

    given = np.asarray([0, 1, 12345, 2**32 - 1], "uint32")
    expected = given.copy()
    for _ in range(2):
        expected = (expected ^ (expected >> np.uint32(16))) * np.uint32(0x45D9F3B)
    expected ^= expected >> np.uint32(16)
    result = hashed(pt.asarray(given))
    assert result.dtype is pt.uint32
    np.testing.assert_array_equal(result.numpy(), expected)


def test_integers_wrap():
    @pt.kernel
    def doubled(n):
        return n * 2 + 1

    result = doubled(pt.asarray([2**30, -(2**31)], dtype="int32"))
    np.testing.assert_array_equal(result.numpy(), [-(2**31) + 1, 1])


@pytest.mark.parametrize(
    ("dtype", "wanted"),
    [
        *(("float16", "float32"), ("int8", "int32"), ("uint8", "int32"), ("int16", "int32")),
        *(("uint16", "int32"), ("uint32", "uint32"), ("bool", "bool")),
    ],
)
def test_dtypes_of_32_bits(dtype, wanted):
    @pt.kernel
    def same(x):
        return x

    x = pt.asarray(np.asarray([0, 1, 1], dtype))
    assert same(x).dtype == wanted
    np.testing.assert_array_equal(same(x).numpy(), np.asarray([0, 1, 1], wanted))


def test_a_while_loop_stops_after_its_limit():
    @pt.kernel(max_steps=100)
    def endless(x):
        steps = 0
        while x > 0.0:
            steps += 1
        return steps

    assert endless(pt.asarray([1.0, 0.0])).tolist() == [100, 0]


def test_only_the_lanes_that_need_it_loop_on():
    @pt.kernel
    def halvings(x):
        count = 0
        while x >= 1.0:
            x = x / 2.0
            count += 1
        return count

    assert halvings(pt.asarray([1.0, 2.0, 1000.0, 0.5, 9.0])).tolist() == [1, 2, 10, 0, 4]


def test_a_loop_in_a_branch_runs_for_its_elements_only():
    @pt.kernel(max_steps=50)
    def guarded(x):
        count = 0
        if x > 0.0:
            while x != 1.0:
                x = x / 2.0
                count += 1
        return count

    # -1.0 would never reach 1.0.
    assert guarded(pt.asarray([8.0, -1.0, 1.0])).tolist() == [3, 0, 0]


def test_changed_constants_of_the_enclosing_scope_are_seen(monkeypatch):
    kernel = pt.kernel(constants)
    before = kernel(pt.asarray([1.0]), 0.0).item()
    monkeypatch.setitem(globals(), "GAIN", 3.5)
    assert kernel(pt.asarray([1.0]), 0.0).item() == pytest.approx(before + 1.0)


def test_changed_helpers_are_seen(monkeypatch):
    kernel = pt.kernel(calls)
    before = kernel(pt.asarray([-1.0]), 0.0).item()
    monkeypatch.setitem(globals(), "helper", clamp_to_zero)
    assert before == pytest.approx(-0.5)
    assert kernel(pt.asarray([-1.0]), 0.0).item() == 0.0


def clamp_to_zero(x, slope=0.5):
    return max(x, 0.0)


def test_another_kernel_is_a_helper():
    inner = pt.kernel(helper)

    @pt.kernel
    def outer(x):
        return inner(x) * 2.0

    assert outer(pt.asarray([-1.0, 1.0])).tolist() == [-1.0, 2.0]


def test_decorated_functions_and_indexed_kernels_are_no_helpers():
    indexed = pt.kernel(shape=3)(one_index)

    @pt.kernel
    def uses_indexed(x):
        return indexed(x)

    @pt.kernel
    def uses_decorated(x):
        return decorated(x)

    with pytest.raises(KernelError, match="indexed cannot be called here"):
        uses_indexed(1.0)
    with pytest.raises(KernelError, match="decorated is decorated"):
        uses_decorated(1.0)


def one_index(i):
    return i


def doubling(function):
    @functools.wraps(function)
    def call(*args):
        return 2 * function(*args)

    return call


@doubling
def decorated(x):
    return x
