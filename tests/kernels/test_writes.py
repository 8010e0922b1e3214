"""Kernels that write tensors: assignments and additions at computed positions."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_raises, assert_values
from kernel_forms import assert_like_python

import py_tensor as pt
from py_tensor.errors import ArgumentError, GradientError, KernelError

rng = np.random.default_rng(0)
KEYS = rng.integers(-2, 12, 40).astype("int32")
VALUES = rng.integers(-50, 50, 40).astype("int32")


def added(i, keys, values, out):
    out[keys[i]] += values[i]


def assigned(i, keys, values, out):
    out[keys[i]] = values[i]


def of_keys(keys, values, out):
    return keys.shape


def sequential(keys, values, out, adds):
    """Write one element after the other."""
    out = out.astype("float64")
    for key, value in zip(keys, values, strict=True):
        if 0 <= key < len(out):
            out[key] = out[key] * adds + value
    return out


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "uint32", "int16", "uint8"])
@pytest.mark.parametrize("function", [added, assigned])
def test_dtypes_are_written(function, dtype):
    kernel = pt.kernel(function, shape=of_keys)
    start = np.arange(10).astype(dtype)
    values = abs(VALUES).astype("uint32") if dtype == "uint32" else VALUES
    values = values if "int" in dtype else VALUES.astype("float32") / 4
    expected = sequential(KEYS, values, start, function is added)
    if "int" in dtype:
        expected = expected.astype("int64")
    got = kernel(pt.asarray(KEYS), pt.asarray(values), pt.asarray(start))
    assert_values(got, expected.astype(dtype))


def test_the_tensor_passed_keeps_its_values():
    kernel = pt.kernel(added, shape=of_keys)
    start = pt.zeros(3, dtype="int32")
    got = kernel(pt.asarray([0, 0], dtype="int32"), pt.asarray([1, 2], dtype="int32"), start)
    assert (start.tolist(), got.tolist()) == ([0, 0, 0], [3, 0, 0])


def test_bools_are_assigned():
    @pt.kernel(shape=lambda keys, out: keys.shape)
    def marked(i, keys, out):
        out[keys[i]] = keys[i] % 2 == 0

    got = marked(pt.asarray(KEYS), pt.asarray([True, True, True, False, False]))
    here = [k in KEYS for k in range(5)]
    assert all(here)
    assert got.tolist() == [True, False, True, False, True]


def test_integers_wrap_at_the_width_of_the_dtype():
    kernel = pt.kernel(added, shape=of_keys)
    ones = pt.ones(3, dtype="int32")
    got = kernel(pt.asarray([0, 0, 1]), ones * 100, pt.asarray([100, 0], dtype="int8"))
    assert_values(got, np.asarray([300 - 256, 100], "int8"))
    large = pt.asarray([2**31 - 1, 5], dtype="int32")
    assert kernel(pt.asarray([0, 0, 1]), ones, large).tolist() == [-(2**31) + 1, 6]


def test_many_values_for_few_positions_are_exact():
    keys = rng.integers(0, 7, 5000).astype("int32")
    kernel = pt.kernel(added, shape=of_keys)
    got = kernel(pt.asarray(keys), pt.ones(5000, dtype="int32"), pt.zeros(7, dtype="int32"))
    assert_values(got, np.bincount(keys, minlength=7).astype("int32"))


def test_many_assignments_to_many_positions():
    keys = rng.integers(0, 3000, 5000).astype("int32")
    values = rng.integers(0, 1000, 5000).astype("int32")
    kernel = pt.kernel(assigned, shape=of_keys)
    got = kernel(pt.asarray(keys), pt.asarray(values), pt.full(3000, -1, dtype="int32"))
    expected = sequential(keys, values, np.full(3000, -1), False)
    assert_values(got, expected.astype("int32"))


def test_results_are_deterministic():
    keys = pt.asarray(rng.integers(0, 5, 3000).astype("int32"))
    values = pt.asarray(rng.random(3000, "float32"))
    kernel = pt.kernel(added, shape=of_keys)
    first, second = (kernel(keys, values, pt.zeros(5)).numpy() for _ in range(2))
    np.testing.assert_array_equal(first, second)
    exact = np.zeros(5)
    np.add.at(exact, keys.numpy(), values.numpy().astype("float64"))
    np.testing.assert_allclose(first, exact, rtol=1e-5)


def both(i, keys, out):
    out[keys[i]] += 1
    if keys[i] > 2:
        out[keys[i] - 1] = 100 * i
    out[5] -= i


def test_assignments_and_additions_of_one_tensor():
    kernel = pt.kernel(both, shape=lambda keys, out: keys.shape)
    assert_like_python(kernel, pt.asarray(KEYS), pt.asarray(np.arange(9, dtype="int32")))


def in_loops(i, j, x, out, counts):
    out[i, 0] += 2.0 * j
    for k in range(3):
        for m in range(2, -4, -3):
            if x[i, j] > k - m:
                out[k + i % 2, m + 1] = 10.0 * i + k + m
            counts[k] += 1
        out[k, j % 3] -= x[i, j]


@pytest.mark.parametrize("shape", [(3, 4), (5, 7)])
def test_loops_with_a_constant_number_of_iterations(shape):
    kernel = pt.kernel(in_loops, shape=lambda x, out, counts: x.shape)
    x = pt.asarray(rng.integers(-4, 5, shape).astype("float32"))
    assert_like_python(kernel, x, pt.ones((4, 5)), pt.zeros(2, dtype="int32"))


def carried(i, x, out):
    total, last = 0.0, -1
    for k in range(5):
        total += x[i + k]
        if total > 6.0:
            break
        if k % 2 == 1:
            continue
        out[k] += total
        for k in range(2):
            last = k + 1
            out[last + i] = total
    out[0] += total + last


def test_loops_that_carry_values_and_end_early():
    kernel = pt.kernel(carried, shape=lambda x, out: x.shape, border="wrap")
    x = pt.asarray(rng.integers(0, 5, 11).astype("float32"))
    assert_like_python(kernel, x, pt.zeros(12))


def halving(i, out):
    step = 8
    while step > 0:
        out[step] += i
        step //= 2


def test_while_loops_of_constants():
    assert_like_python(pt.kernel(halving, shape=5), pt.zeros(9, dtype="int32"))


def early(i, x, out, counts):
    if x[i] < 0.0:
        return
    n = 0
    while n < 100:
        n += 1
        if n * n > x[i]:
            break
    out[n] += x[i]
    if n > 3:
        counts[0] += 1
        return
    counts[n] = n


def test_returns_in_branches():
    kernel = pt.kernel(early, shape=lambda x, out, counts: x.shape)
    x = pt.asarray((rng.random(50) * 40 - 10).astype("float32"))
    assert_like_python(kernel, x, pt.zeros(8), pt.zeros(5, dtype="int32"), rtol=1e-5)


def test_returns_in_loops_after_returns():
    def first(i, j, x, out):
        if x[i] > 3:
            return
        for k in range(2):
            out[x[i], j] = 10 * i + j + k
            return

    x = np.asarray([4, 1, 0, 1], "int32")
    kernel = pt.kernel(first, shape=(4, 5))
    got = kernel(pt.asarray(x), pt.zeros((4, 5), dtype="int32"))
    expected = np.zeros((4, 5), "int32")
    expected[1], expected[0] = 30 + np.arange(5), 20 + np.arange(5)
    assert_values(got, expected)


def test_positions_outside_are_ignored():
    @pt.kernel(shape=4)
    def corners(i, out):
        out[i - 1, 2 * i - 1] = i + 1

    assert corners(pt.zeros((3, 4), dtype="int32")).tolist() == [
        [0, 2, 0, 0],
        [0, 0, 0, 3],
        [0, 0, 0, 0],
    ]


def own(i, j, x, out, other):
    out[i, j] = 2.0 * x[i, j]
    if x[i, j] > 0.0:
        out[i, j] += 1.0
        other[i, j] = j


def test_elements_at_their_own_position():
    kernel = pt.kernel(own, shape=lambda x, out, other: x.shape)
    x = pt.asarray(rng.integers(-4, 5, (5, 6)).astype("float32"))
    other = pt.full((5, 6), -1, dtype="int32")
    assert_like_python(kernel, x, pt.zeros((5, 6)), other)
    # The outputs have other shapes than the index space.
    assert_like_python(kernel, x, pt.zeros((6, 6)), pt.zeros((3, 4), dtype="int32"))


def test_returned_values_come_first():
    @pt.kernel(shape=lambda x, out: x.shape)
    def halves(i, x, out):
        out[i // 2] += x[i]
        return x[i] / 2, i

    half, numbers, sums = halves(pt.asarray([1.0, 2.0, 4.0]), pt.zeros(2))
    assert (half.tolist(), numbers.tolist()) == ([0.5, 1.0, 2.0], [0, 1, 2])
    assert sums.tolist() == [3.0, 4.0]
    assert_like_python(halves, pt.asarray([1.0, 2.0, 4.0]), pt.zeros(2))


def add_twice(out, k, value):
    for _ in range(2):
        out[k] += value


def test_helper_functions_write():
    @pt.kernel(shape=lambda x, out: x.shape)
    def sums(i, x, out):
        add_twice(out, x[i] % 3, x[i])

    assert_like_python(sums, pt.asarray(KEYS), pt.zeros(3, dtype="int32"))


def test_constants_are_written():
    @pt.kernel(shape=3)
    def constants(i, out, flags):
        out[1] += 0.5
        out[0] = 2.0
        flags[2] = True

    out, flags = constants(pt.zeros(2), pt.zeros(3, dtype="bool"))
    assert (out.tolist(), flags.tolist()) == ([2.0, 1.5], [False, False, True])


def test_empty_index_space_and_empty_output():
    kernel = pt.kernel(added, shape=of_keys)
    none = pt.zeros(0, dtype="int32")

    @pt.kernel(shape=lambda n, out: n)
    def counted(i, n, out):
        out[i] += 1

    assert counted(0, pt.ones(2)).tolist() == [1.0, 1.0]
    assert kernel(pt.asarray([1]), pt.asarray([1]), none).shape == (0,)


def test_writes_under_jit_and_vmap():
    kernel = pt.kernel(added, shape=of_keys)
    keys, values = pt.asarray(KEYS), pt.asarray(VALUES)
    start = pt.zeros(10, dtype="int32")
    expected = kernel(keys, values, start).numpy()
    jitted = pt.jit(lambda k, v, s: kernel(k, v, s) * 2)
    for _ in range(2):
        assert_values(jitted(keys, values, start), expected * 2)
    rows = pt.stack([values, values * 3])
    batched = pt.vmap(lambda v: kernel(keys, v, start))(rows)
    assert_values(batched, np.stack([expected, expected * 3]))


# --- gradients ------------------------------------------------------------------------------------


def test_gradient_of_the_tensor_before():
    kernel = pt.kernel(added, shape=of_keys)
    keys = pt.asarray([0, 2, 2])

    def loss(start):
        return (kernel(keys, pt.asarray([1.0, 2.0, 3.0]), start) ** 2).sum()

    assert pt.grad(loss)(pt.asarray([1.0, 1.0, 1.0])).tolist() == [4.0, 2.0, 12.0]


def test_gradient_without_a_rule_raises():
    kernel = pt.kernel(added, shape=of_keys)
    keys = pt.asarray([0, 2, 2])
    assert_raises(
        GradientError,
        "added: indexed kernels have no gradient of their own; got a floating operand; give a rule "
        "with kernel.gradient, or block the gradient with pt.stop_gradient",
        lambda: pt.grad(lambda v: kernel(keys, v, pt.zeros(3)).sum())(pt.ones(3)),
    )


def test_gradient_by_a_rule():
    kernel = pt.kernel(added, shape=of_keys)

    @kernel.gradient
    def rule(g, keys, values, out):
        return None, g[keys], g

    keys, weights = pt.asarray([0, 2, 2]), pt.asarray([1.0, 10.0, 100.0])
    gradient = pt.grad(lambda v: (kernel(keys, v, pt.zeros(3)) * weights).sum())
    assert gradient(pt.ones(3)).tolist() == [1.0, 100.0, 100.0]


# --- errors ---------------------------------------------------------------------------------------

CASES = {
    "a tensor that is read": (
        "out[i] += out[i - 1]",
        "out[i]",
        "a kernel reads and writes the same tensor",
        "pass the tensor twice, under one name for reads and one for writes",
    ),
    "a read after a write": (
        "out[i] = x[i]\ny = out[i]",
        "out[i]",
        "a kernel reads and writes the same tensor",
        "pass the tensor twice, under one name for reads and one for writes",
    ),
    "a product": (
        "out[i] *= 2.0",
        "out[i] *= 2.0",
        "elements have =, += and -= alone",
        "write the new value with =",
    ),
    "a float in an array of integers": (
        "counts[i] += x[i]",
        "counts[i]",
        "a value of dtype float32 does not fit an array of int32",
        "use int(...)",
    ),
    "an integer in an array of truth values": (
        "flags[i] = i",
        "flags[i]",
        "a value of dtype int32 does not fit an array of bool",
        'use pt.astype(value, "bool")',
    ),
    "an integer in an array of unsigned ones": (
        "ids[i] = i",
        "ids[i]",
        "int32 and uint32 do not fit together",
        'convert one with pt.astype(x, "int32") or pt.astype(x, "uint32")',
    ),
    "a sum of truth values": (
        "flags[i] += True",
        "flags[i]",
        "bool arrays have no += and -=",
        "use an int32 array, or =",
    ),
    "too many indices": ("out[i, i] = 1.0", "out[i, i]", "out has 1 axes", "give 1 indices"),
    "a float as index": (
        "out[x[i]] = 1.0",
        "x[i]",
        "a float is not an integer",
        "use int(...) or //",
    ),
    "a tuple as value": (
        "out[i] = x[i], x[i]",
        "out[i]",
        "a tuple is not a number",
        "use its parts",
    ),
    "an element of a number": (
        "n[i] = 1",
        "n[i]",
        "a number has no elements",
        "pass a tensor with axes, for example pt.zeros(n)",
    ),
    "an element of a tuple": (
        "t = (1, 2)\nt[0] = 1",
        "t[0]",
        "parts of a tuple cannot be assigned",
        "make a new tuple",
    ),
    "a loop of unknown length": (
        "for k in range(n):\n    out[k] += 1.0",
        "out[k]",
        "a loop around it has a number of iterations that is not constant",
        "loop over range(...) of constants, with an if in the body",
    ),
    "a shared array without groups": (
        "t = pt.shared(4)",
        "pt.shared(4)",
        "the kernel has no groups",
        "give their lengths with pt.kernel(workgroup=...)",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_error_of_the_language(case):
    body, got, problem, advice = CASES[case]
    source = "def faulty(i, x, n, out, counts, ids, flags):\n"
    source += "".join(f"    {line}\n" for line in body.splitlines())
    space: dict = {"pt": pt}
    exec(source, space)
    kernel = pt.kernel(
        space["faulty"], shape=lambda x, n, out, counts, ids, flags: x.shape, source=source
    )
    with pytest.raises(KernelError) as raised:
        kernel(
            pt.ones(3),
            3,
            pt.zeros(4),
            *[pt.zeros(4, dtype=dtype) for dtype in ("int32", "uint32", "bool")],
        )
    assert str(raised.value).splitlines()[0] == f"faulty: {problem}; got {got}; {advice}"


def test_nothing_returned_or_written():
    @pt.kernel(shape=3)
    def nothing(i):
        return

    with pytest.raises(KernelError, match="return has no value; got return; return a number"):
        nothing()


def test_errors_of_groups():
    def numbers(i, x):
        return i

    for shape, workgroup, text in (
        (None, 4, "numbers: workgroup has no index space; got 4; give shape, too"),
        (
            3,
            (2, 2),
            "numbers: workgroup has another number of axes; got (2, 2) for 1 indices; give one "
            "length for each of at most 3",
        ),
        (
            3,
            512,
            "numbers: workgroup has no element or too many; got (512,); use lengths whose product "
            "is at most 256",
        ),
    ):
        assert_raises(
            ArgumentError,
            text,
            lambda shape=shape, workgroup=workgroup: pt.kernel(
                numbers, shape=shape, workgroup=workgroup
            ),
        )
