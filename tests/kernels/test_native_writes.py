"""Kernels that write, which devices with atomic operations run as they are."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_values
from plans import leaf, plan_of

import py_tensor as pt
from py_tensor.compiler.workgroups.target import WorkgroupTarget
from py_tensor.errors import BackendError, GradientError
from py_tensor.runtime.executor import backend

DEVICE = WorkgroupTarget(buffers=10)
rng = np.random.default_rng(0)


@pytest.fixture
def native(monkeypatch):
    """Let the backend run kernels that write, to look at their plans on any backend."""
    monkeypatch.setattr(type(backend()), "runs_writes", True)


def kinds_of(*tensors):
    """Return the kinds of the kernels that compute tensors."""
    return [draw.kernel.kind.value for draw in plan_of(*tensors, device=DEVICE).draws]


@pt.kernel(shape=lambda levels, counts: levels.shape)
def histogram(i, levels, counts):
    counts[levels[i]] += 1


@pt.kernel(shape=lambda x, first, second: x.shape)
def two_histograms(i, x, first, second):
    first[x[i] % 4] -= 1
    second[x[i] // 4] += x[i]
    return x[i] > 3


# --- plans ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("native")
def test_histogram_is_a_copy_and_a_kernel():
    counts = histogram(leaf(1000, dtype="int32"), leaf(4, dtype="int32"))
    assert kinds_of(counts) == ["map", "write"]


def test_explain_shows_the_kernels_of_a_histogram(engine):
    if not engine.runs_writes:
        pytest.skip("the backend combines writes by other operations")
    levels = pt.asarray(rng.integers(0, 5, 1000).astype("int32"))
    text = pt.explain(histogram(levels, pt.zeros(4, dtype="int32")))
    assert text.count("\nkernel ") == 2
    assert "write histogram" in text


@pytest.mark.usefixtures("native")
def test_results_share_kernels():
    x, first, second = (leaf(n, dtype="int32") for n in (40, 4, 9))
    results = two_histograms(x, first, second)
    assert kinds_of(*results[1:]) == ["map", "map", "write"]
    # A kernel has two results. The third one is converted to bool.
    assert sorted(kinds_of(*results)) == ["map", "map", "map", "write", "write"]


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("value", ["x[i]", "1.0"])
def test_writes_that_race_are_combined_by_sorts(value):
    text = f"def f(i, x, out):\n    out[x[i]] {'+=' if value == '1.0' else '='} {value}\n"
    space = {}
    exec(text, space)
    kernel = pt.kernel(space["f"], shape=lambda x, out: x.shape, source=text)
    dtype = "float32" if value == "1.0" else "int32"
    assert "write" not in kinds_of(kernel(leaf(30, dtype="int32"), leaf(8, dtype=dtype)))


@pytest.mark.usefixtures("native")
def test_call_that_was_recorded_for_another_device_raises():
    if backend().name != "numpy":
        pytest.skip("NumPy is another device")
    counts = histogram(pt.asarray([1, 2]), pt.zeros(4, dtype="int32"))
    with pytest.raises(BackendError, match="recorded for another backend"):
        counts.tolist()


# --- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32"])
def test_histograms_of_narrow_integers_wrap(dtype):
    levels = rng.integers(-1, 6, 2000).astype("int32")
    start = rng.integers(0, 100, 5).astype(dtype)
    expected = start + np.bincount(levels[(levels >= 0) & (levels < 5)], minlength=5).astype(dtype)
    assert_values(histogram(pt.asarray(levels), pt.asarray(start)), expected)


def test_several_results():
    x, first, second = rng.integers(0, 30, 77), rng.integers(0, 9, 4), rng.integers(0, 9, 6)
    operands = [pt.asarray(part.astype("int32")) for part in (x, first, second)]
    large, less, more = two_histograms(*operands)
    assert_values(large, x > 3)
    assert_values(less, (first - np.bincount(x % 4, minlength=4)).astype("int32"))
    sums = np.bincount(x // 4, weights=x, minlength=8)[:6]
    assert_values(more, (second + sums).astype("int32"))


@pt.kernel(shape=(40, 3))
def turned(i, j, x, flags, out):
    flags[i, j] = x[i] > j
    for k in range(3):
        if k != j:
            out[j, i] += 0.5 * k + x[i]


def test_floats_and_truths_at_positions_of_the_element():
    x = rng.integers(0, 4, 40)
    flags, out = np.ones((40, 2), bool), rng.integers(0, 9, (3, 41)).astype("float32")
    got = turned(pt.asarray(x.astype("int32")), pt.asarray(flags), pt.asarray(out))
    assert_values(got[0], x[:, None] > np.arange(2))
    added = [sum(0.5 * k + x for k in range(3) if k != j) for j in range(3)]
    out[:, :40] += np.array(added)
    assert_values(got[1], out)


def test_index_space_of_many_workgroups():
    size = (1 << 21) + 5000
    counts = histogram(pt.arange(size) % 7, pt.zeros(6, dtype="int32"))
    assert_values(counts, np.bincount(np.arange(size) % 7)[:6].astype("int32"))


@pt.kernel(shape=lambda x, counts: x.shape, workgroup=64)
def shared_histogram(i, x, counts):
    own = pt.shared(16, "int32")
    k = pt.local_index()
    own[x[i]] += 1
    pt.barrier()
    if k < 16:
        counts[k] += own[k]


@pytest.mark.parametrize("length", [64, 200, 1000])
def test_histogram_in_shared_arrays(length):
    x = rng.integers(0, 16, length)
    start = np.arange(16, dtype="int32")
    counts = shared_histogram(pt.asarray(x.astype("int32")), pt.asarray(start))
    # Elements outside of the index space add nothing.
    whole = np.bincount(x, minlength=16)
    last = length % 64
    if 0 < last < 16:
        whole[last:] -= np.bincount(x[-last:], minlength=16)[last:]
    assert_values(counts, (start + whole).astype("int32"))


@pt.kernel(shape=lambda x, out: x.shape, workgroup=(4, 8))
def blurred(i, j, x, out):
    tile = pt.shared((6, 8))
    k, n = pt.local_index()
    tile[k + 1, n] = x[i, j]
    if k == 0:
        tile[0, n] = x[i - 1, j]
    if k == 3:
        tile[5, n] = x[i + 1, j]
    pt.barrier()
    out[i, j] = tile[k, n] + tile[k + 1, n] + tile[k + 2, n]


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("shape", [(8, 16), (12, 11)])
def test_borders_of_groups_are_shared_in_one_kernel(shape):
    assert kinds_of(blurred(leaf(*shape), leaf(*shape))) == ["map", "write"]


@pytest.mark.parametrize("shape", [(8, 16), (12, 11)])
def test_borders_of_groups(shape):
    x = rng.integers(0, 9, shape).astype("float32")
    padded = np.pad(x, ((1, 1), (0, 0)), mode="edge")
    expected = padded[:-2] + padded[1:-1] + padded[2:]
    assert_values(blurred(pt.asarray(x), pt.zeros(shape)), expected)


def test_jitted_histogram():
    counted = pt.jit(lambda x: histogram(x, pt.zeros(4, dtype="int32")) * 2)
    for _ in range(3):
        x = rng.integers(0, 4, 50)
        expected = 2 * np.bincount(x, minlength=4).astype("int32")
        assert_values(counted(pt.asarray(x.astype("int32"))), expected)


def test_histogram_of_each_example():
    x = rng.integers(0, 4, (3, 50))
    counts = pt.vmap(lambda row: histogram(row, pt.zeros(4, dtype="int32")))(
        pt.asarray(x.astype("int32"))
    )
    assert_values(counts, np.stack([np.bincount(row, minlength=4) for row in x]).astype("int32"))


@pt.kernel(shape=lambda x, out: x.shape)
def stepped(i, x, out):
    out[i] += 2


def squares(start):
    return (stepped(pt.arange(4), start) ** 2).sum()


@pytest.mark.parametrize("transform", [lambda f: f, pt.jit, pt.checkpoint])
def test_values_before_have_a_gradient(transform):
    function = transform(squares)
    assert_values(function(pt.ones(4)), np.float32(36))
    assert_values(pt.grad(function)(pt.ones(4)), np.full(4, 6, "float32"))


@pt.kernel(shape=(5,))
def assigned(i, x, out):
    out[i] += 1
    if x[i] > 2:
        out[i] = x[i]


def test_assigned_elements_have_no_gradient_of_the_values_before():
    x = pt.asarray([1, 5, 2, 3, 0])

    def total(start):
        return (assigned(x, start) ** 2).sum()

    expected = np.asarray([4, 0, 4, 0, 4, 2, 2], "float32")
    assert_values(pt.grad(total)(pt.ones(7)), expected)
    second = pt.jvp(pt.grad(total), [pt.ones(7)], [pt.ones(7)])[1]
    assert_values(second, np.asarray([2, 0, 2, 0, 2, 2, 2], "float32"))


def test_values_have_no_gradient():
    x = pt.asarray([1.0, 5.0, 2.0, 3.0, 0.0])
    with pytest.raises(GradientError, match="have no gradient of their own"):
        pt.grad(lambda x: assigned(x, pt.ones(5)).sum())(x)


def test_gradient_through_a_loop():
    def total(start):
        def body(k, out):
            return 2 * stepped(pt.arange(4), out)

        return pt.lax.fori_loop(0, 3, body, start).sum()

    assert_values(pt.jit(pt.grad(total))(pt.ones(4)), np.full(4, 8, "float32"))


def test_kernel_in_a_loop():
    x = rng.integers(0, 4, 50).astype("int32")

    def counted(levels, times):
        return pt.lax.fori_loop(
            0, times, lambda k, counts: histogram(levels, counts), pt.zeros(4, dtype="int32")
        )

    expected = 3 * np.bincount(x, minlength=4).astype("int32")
    assert_values(pt.jit(counted, static_argnums=1)(pt.asarray(x), 3), expected)
