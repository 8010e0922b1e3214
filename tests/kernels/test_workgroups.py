"""Kernels with groups of elements that share arrays."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor.errors import KernelError

rng = np.random.default_rng(0)


@pt.kernel(shape=lambda x: x.shape, workgroup=4)
def reversed_in_groups(i, x):
    tile = pt.shared(4, "int32")
    k = pt.local_index()
    tile[k] = x[i]
    pt.barrier()
    return tile[3 - k]


@pytest.mark.parametrize("length", [4, 8, 10, 33])
def test_elements_of_a_group_are_exchanged(length):
    x = np.arange(1, length + 1, dtype="int32")
    padded = np.pad(x, (0, -length % 4)).reshape(-1, 4)
    assert_values(reversed_in_groups(pt.asarray(x)), padded[:, ::-1].reshape(-1)[:length])


@pt.kernel(shape=lambda x, out: x.shape, workgroup=8)
def sums(i, x, out):
    tile = pt.shared(8)
    k = pt.local_index()
    tile[k] = x[i]
    pt.barrier()
    apart = 4
    while apart > 0:
        if k < apart:
            tile[k] += tile[k + apart]
        pt.barrier()
        apart //= 2
    if k == 0:
        out[i // 8] = tile[0]


@pytest.mark.parametrize("length", [8, 20, 64])
def test_sums_of_groups(length):
    x = rng.integers(0, 100, length).astype("float32")
    groups = -(-length // 8)
    expected = np.pad(x, (0, -length % 8)).reshape(-1, 8).sum(axis=1)
    assert_values(sums(pt.asarray(x), pt.zeros(groups)), expected)


@pt.kernel(shape=lambda a, b: (a.shape[0], b.shape[1]), workgroup=(4, 4), border="zero")
def product(i, j, a, b):
    rows, columns = pt.shared((4, 4)), pt.shared((4, 4))
    y, x = pt.local_index()
    total = 0.0
    for t in range(3):
        rows[y, x] = a[i, 4 * t + x]
        columns[y, x] = b[4 * t + y, j]
        pt.barrier()
        for k in range(4):
            total += rows[y, k] * columns[k, x]
        pt.barrier()
    return total


@pytest.mark.parametrize(("m", "n"), [(8, 12), (7, 5)])
def test_products_of_tiles(m, n):
    """The last groups have elements that do not run, and so do not load their part of a tile."""
    a, b = (rng.integers(-4, 5, s).astype("float32") for s in ((m, 12), (12, n)))
    expected = np.zeros((m, n), "float32")
    for i in range(m):
        for j in range(n):
            for k in range(12):
                column, row = j // 4 * 4 + k % 4, i // 4 * 4 + k % 4
                expected[i, j] += a[i, k] * (column < n) * b[k, j] * (row < m)
    assert_values(product(pt.asarray(a), pt.asarray(b)), expected)


@pt.kernel(shape=lambda x: x.shape, workgroup=16)
def running_sums(i, x):
    first, second = pt.shared(16), pt.shared(16)
    k = pt.local_index()
    value = x[i]
    first[k] = value
    pt.barrier()
    for step in (1, 2, 4, 8):
        if k >= step:
            value += first[k - step]
        second[k] = value
        pt.barrier()
        first[k] = second[k]
        pt.barrier()
    return value


def test_values_that_change_between_barriers():
    x = rng.integers(0, 9, 40).astype("float32")
    expected = np.concatenate([np.cumsum(part) for part in np.split(x, (16, 32))])
    assert_values(running_sums(pt.asarray(x)), expected.astype("float32"))


@pt.kernel(shape=lambda x, counts: x.shape, workgroup=(4, 8))
def histogram(i, j, x, counts):
    own = pt.shared(5, "int32")
    y, z = pt.local_index()
    own[x[i, j]] += 1
    pt.barrier()
    if 8 * y + z < 5:
        counts[8 * y + z] += own[8 * y + z]


@pytest.mark.parametrize("shape", [(8, 16), (9, 13)])
def test_histogram_of_groups(shape):
    x = rng.integers(0, 5, shape).astype("int32")
    expected = np.bincount(x.reshape(-1), minlength=5).astype("int32")
    assert_values(histogram(pt.asarray(x), pt.zeros(5, dtype="int32")), expected)


@pt.kernel(shape=lambda x: x.shape, workgroup=8)
def blurred(i, x):
    tile = pt.shared(10)
    k = pt.local_index()
    tile[k + 1] = x[i]
    if k == 0:
        tile[0] = x[i - 1]
    if k == 7:
        tile[9] = x[i + 1]
    pt.barrier()
    return tile[k] + 2.0 * tile[k + 1] + tile[k + 2]


def test_tiles_with_borders():
    x = rng.integers(0, 9, 24).astype("float32")
    wide = np.pad(x, 1, mode="edge")
    assert_values(blurred(pt.asarray(x)), wide[:-2] + 2 * wide[1:-1] + wide[2:])


@pt.kernel(shape=(4, 2, 6), workgroup=(2, 1, 3))
def places(i, j, k):
    flags = pt.shared((2, 3), "bool")
    a, b, c = pt.local_index()
    flags[a, c] = (i + j + k) % 2 == 0
    pt.barrier()
    return 100 * a + 10 * b + c, flags[1 - a, 2 - c]


def test_three_axes():
    number, flag = places()
    i, j, k = np.indices((4, 2, 6))
    assert_values(number, (100 * (i % 2) + k % 3).astype("int32"))
    ends = (i // 2 * 2 + 1 - i % 2) + j + (k // 3 * 3 + 2 - k % 3)
    assert_values(flag, ends % 2 == 0)


@pt.kernel(shape=12, workgroup=4)
def last_writes(i):
    tile = pt.shared(2, "int32")
    tile[i % 2] = i
    tile[0] += 100
    pt.barrier()
    return tile[0] + 1000 * tile[1]


def test_last_element_of_the_group_remains():
    expected = [[100 * 4 + 4 * g + 2 + 1000 * (4 * g + 3)] * 4 for g in range(3)]
    assert_values(last_writes(), np.asarray(expected, "int32").reshape(-1))


def test_many_tiles_need_few_operands():
    """Values are stored between barriers, so that no shader reads all tiles."""
    length = 4 * 40

    @pt.kernel(shape=lambda x: 8, workgroup=4)
    def totals(i, x):
        tile, k = pt.shared(4), pt.local_index()
        total = 0.0
        for t in range(40):
            tile[k] = x[4 * t + k]
            pt.barrier()
            total += tile[0] + tile[1] * tile[2] - tile[3]
            pt.barrier()
        return total

    x = rng.integers(0, 5, length).astype("float32")
    a, b, c, d = x.reshape(-1, 4).T
    assert_values(totals(pt.asarray(x)), np.full(8, (a + b * c - d).sum(), "float32"))


# --- errors ---------------------------------------------------------------------------------------

CASES = {
    "a barrier in a branch": (
        "if x[i] > 0.0:\n    pt.barrier()",
        "pt.barrier()",
        "a branch or loop is around the barrier whose condition is not constant",
        "call pt.barrier() outside of it",
    ),
    "a barrier after a return": (
        "if x[i] > 0.0:\n    return 0.0\npt.barrier()",
        "pt.barrier()",
        "a branch or loop is around the barrier whose condition is not constant",
        "call pt.barrier() outside of it",
    ),
    "a barrier in a loop of unknown length": (
        "for k in range(n):\n    pt.barrier()",
        "pt.barrier()",
        "a loop around it has a number of iterations that is not constant",
        "loop over range(...) of constants, with an if in the body",
    ),
    "a long loop": (
        "for k in range(2000):\n    pt.barrier()",
        "pt.barrier()",
        "loops around it have more than 1024 iterations",
        "split the work into several calls",
    ),
    "an array in a branch": (
        "if x[i] > 0.0:\n    t = pt.shared(4)",
        "pt.shared(4)",
        "a shared array is made in a branch or loop",
        "make it at the function's start",
    ),
    "a shape that is not constant": (
        "t = pt.shared(n)",
        "pt.shared(n)",
        "shared takes a constant shape and a dtype",
        'write pt.shared((16, 16), "int32")',
    ),
    "a narrow dtype": (
        't = pt.shared(4, "int8")',
        'pt.shared(4, "int8")',
        "the dtype is none of kernels",
        "use float32, int32, uint32 or bool",
    ),
    "a large array": (
        "t = pt.shared((64, 65))",
        "pt.shared((64, 65))",
        "shared arrays take 16640 bytes",
        "use at most 16384",
    ),
    "an argument of barrier": (
        "pt.barrier(1)",
        "pt.barrier(1)",
        "barrier takes no arguments",
        "write pt.barrier()",
    ),
    "an argument of local_index": (
        "k = pt.local_index(0)",
        "pt.local_index(0)",
        "local_index takes no arguments",
        "write pt.local_index()",
    ),
    "an array as a number": (
        "y = pt.shared(4) + 1.0",
        "pt.shared(4)",
        "a tensor is not a number",
        "read an element, as in x[i, j]",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_error_of_the_language(case):
    body, got, problem, advice = CASES[case]
    source = "def faulty(i, x, n):\n"
    source += "".join(f"    {line}\n" for line in body.splitlines()) + "    return x[i]\n"
    space: dict = {"pt": pt}
    exec(source, space)
    kernel = pt.kernel(space["faulty"], shape=lambda x, n: x.shape, workgroup=4, source=source)
    with pytest.raises(KernelError) as raised:
        kernel(pt.ones(3), 3)
    assert str(raised.value).splitlines()[0] == f"faulty: {problem}; got {got}; {advice}"


@pytest.mark.parametrize("name", ["shared", "barrier", "local_index"])
def test_calls_outside_of_kernels(name):
    arguments = (4,) if name == "shared" else ()
    assert_raises(
        KernelError,
        f"{name}: there are no groups in plain Python; got a call outside of a kernel; call it in "
        "the function of pt.kernel(shape=..., workgroup=...)",
        lambda: getattr(pt, name)(*arguments),
    )


def test_groups_do_not_run_in_plain_python():
    assert_raises(
        KernelError,
        "python: elements of a group do not run one after the other; got "
        "kernel(reversed_in_groups) with workgroup; call the kernel on the NumPy backend instead",
        lambda: reversed_in_groups.python(pt.arange(8)),
    )
