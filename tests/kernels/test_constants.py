"""Tuples, lists, dicts, arrays and tensors of the enclosing scopes, and functions in functions."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_forms import assert_like_python

import py_tensor as pt
from py_tensor.errors import KernelError
from py_tensor.kernels import uniform, vec

X = np.asarray([-2.0, -0.5, 0.25, 1.5, 3.0], "float32")
N = np.asarray([0, 1, 2, 3, 7], "int32")
WEIGHTS = [0.25, 0.5, 0.25]
SPHERES = [((0.0, 1.0), 0.5, "near"), ((2.0, -1.0), 1.5, "far")]
GAINS = {"near": 2.0, "far": np.float32(0.5), 3: [1, 2]}
TURN = np.asarray([[0.0, -1.0], [1.0, 0.0]], "float32")


def enumerated(x, n):
    total = 0.0
    for k, weight in enumerate(WEIGHTS, 1):
        total += k * weight * x
    for (a, b), c in zip(((1, 2), (3, 4)), reversed(range(2)), strict=True):
        total += a * b - c
    return total + n


def comprehensions(x, n):
    inner = sum([a * b for a in WEIGHTS for b in (1.0, x) if a > 0.3])
    return inner + max(x * k for k in range(3)) + sum(w for w in WEIGHTS) + len([n, n])


def searches(x, n):
    return any(x > w for w in WEIGHTS) and not all([x > 0.0, n > 1])


def of_dicts(x, n):
    total = GAINS.get("none", 1.0) + GAINS[3][n % 2] + len(GAINS)
    for (u, v), radius, name in SPHERES:
        if name == "near":
            total += u * x
        total += GAINS[name] * radius * v
    for key in GAINS:
        if key != 3:
            total += GAINS[key]
    return total + sum(value for key, value in GAINS.items() if key == "far")


def nested(x, n):
    scale = 2.0

    def scaled(a, by=3.0, *, more=0.0):
        return a * by * scale + more + x

    before = scaled(1.0)
    scale = n
    twice = lambda f, a: f(f(a))  # noqa: E731
    return before + twice(scaled, 0.5) + scaled(1.0, more=x)


def nested_in_loops(x, n):
    total = 0.0
    for k in range(3):

        def shifted(a):
            if a > 1.0:
                return a - k  # noqa: B023
            return a + total  # noqa: B023

        total = shifted(total + x)
    return total


def spread_out_names(x, n):
    [first, second] = [x, n]
    return first - second


@pytest.mark.parametrize(
    "function",
    [
        *(enumerated, comprehensions, searches, of_dicts, nested, nested_in_loops),
        spread_out_names,
    ],
)
def test_kernels_give_what_python_gives(function):
    assert_like_python(pt.kernel(function), pt.asarray(X), pt.asarray(N), rtol=1e-5, atol=1e-5)


def test_a_nested_function_writes_in_a_loop():
    @pt.kernel(shape=2)
    def counted(i, out):
        def add(by):
            for k in range(3):
                out[k] += by
            return out.shape[0]

        first = add(1)
        out[i] += add(2) - first

    assert counted(pt.zeros(3)).tolist() == [6.0, 6.0, 6.0]


def test_stars_spread_tuples_in_calls():
    @pt.kernel
    def spread_out(x):
        pair = [x, 2.0]
        return max(*pair, 0.5) + vec(*pair, *pair)[3]

    assert spread_out(pt.asarray([1.0, 3.0])).tolist() == [4.0, 5.0]


def test_an_array_of_numpy_is_a_matrix():
    @pt.kernel
    def turned(x, y):
        a = TURN @ vec(x, y)
        return a.x, a.y + TURN[1, 0] + TURN.T[0][1]

    x, y = pt.asarray([1.0, 2.0]), pt.asarray([3.0, 5.0])
    assert [part.tolist() for part in turned(x, y)] == [[-3.0, -5.0], [3.0, 4.0]]


def test_a_constant_that_changes_in_place_compiles_again():
    table, names = [1.0, 2.0], {"a": np.asarray([1, 2])}

    @pt.kernel
    def summed(x):
        return x + sum(table) + names["a"][1]

    assert summed(1.0).item() == 6.0
    table[0] = 2.0
    assert summed(1.0).item() == 7.0
    names["a"][1] = 4
    assert summed(1.0).item() == 9.0
    table[:] = [2, 2]
    assert summed(1).dtype is pt.int32


def test_a_captured_tensor_is_an_operand():
    table, gain = pt.asarray([1.0, 2.0, 4.0]), pt.asarray(3)

    @pt.kernel(shape=lambda n: n)
    def looked_up(i, n):
        return table[i % len(table)] * gain + table.shape[0]

    assert looked_up(4).tolist() == [6.0, 9.0, 15.0, 6.0]
    table = pt.asarray([5.0, 6.0])
    assert looked_up(3).tolist() == [17.0, 20.0, 17.0]
    table = pt.asarray([5, 6])
    assert looked_up(2).dtype is pt.int32


def test_a_captured_number_of_an_elementwise_kernel_has_a_gradient():
    def loss(w):
        @pt.kernel
        def scaled(x):
            return x * w * w

        return scaled(pt.asarray([1.0, 2.0])).sum()

    assert pt.grad(loss)(pt.asarray(3.0)).item() == 18.0


def test_a_captured_tensor_in_jit_and_vmap():
    table = pt.asarray([[1.0, 2.0], [3.0, 4.0]])

    def rows(k):
        @pt.kernel(shape=lambda k: 2)
        def row(i, k):
            return table[k, i]

        return row(k)

    assert pt.jit(rows)(pt.asarray(1)).tolist() == [3.0, 4.0]
    assert pt.vmap(rows)(pt.asarray([1, 0])).tolist() == [[3.0, 4.0], [1.0, 2.0]]


def test_a_captured_tensor_in_kernels_that_write():
    table = pt.asarray([1, 2, 4, 8])

    @pt.kernel(shape=lambda n, sums: n)
    def added(i, n, sums):
        sums[i % 2] += table[i % 4]
        return table[i % len(table)]

    values, sums = added(8, pt.zeros(2, dtype="int32"))
    assert values.tolist() == [1, 2, 4, 8] * 2
    assert sums.tolist() == [10, 20]

    @pt.kernel(shape=8, workgroup=4)
    def in_groups(i):
        part, k = pt.shared(4, "int32"), pt.local_index()
        part[k] = table[k] + i
        pt.barrier()
        return part[3 - k]

    assert in_groups().tolist() == [11, 6, 3, 1, 15, 10, 7, 5]

    @pt.kernel(shape=4)
    def written(i):
        table[i] = 0

    text = r"written: a tensor of the enclosing scope is written; got table\[i\]; pass it as an arg"
    with pytest.raises(KernelError, match=text):
        written()


def test_captured_tensors_are_released():
    table = pt.asarray([1.0, 2.0])

    @pt.kernel(shape=2)
    def doubled(i):
        return 2 * table[i]

    assert doubled().tolist() == [2.0, 4.0]
    before = pt.memory().num_tensors
    table = None
    assert pt.memory().num_tensors == before - 1


def test_random_numbers_of_four_integers():
    @pt.kernel(shape=(2, 3, 2, 2))
    def noise(i, j, k, n):
        return uniform(5, i, j, k, n)

    expected = [uniform(5, *map(int, index)) for index in np.ndindex(2, 3, 2, 2)]
    np.testing.assert_array_equal(noise().numpy().ravel(), np.asarray(expected, "float32"))
    assert len({*expected}) == 24
    assert uniform(5, 1, 2) != uniform(5, 1, 2, 0) != uniform(5, 1, 2, 0, 0)


def test_random_numbers_of_four_integers_are_uniform():
    @pt.kernel(shape=(20, 20, 10))
    def noise(i, j, k):
        return uniform(1, i, j, k, 3)

    values = noise().numpy()
    assert abs(values.mean() - 0.5) < 0.02
    assert abs(values.var() - 1 / 12) < 0.005
    for axis in range(3):
        first, second = np.delete(values, -1, axis).ravel(), np.delete(values, 0, axis).ravel()
        assert abs(np.corrcoef(first, second)[0, 1]) < 0.05
