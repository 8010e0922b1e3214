"""Values whose rows are replaced, which keep their memory on WebAssembly if they are donated."""

from __future__ import annotations

import numpy as np
from plans import plan_of

import py_tensor as pt
from py_tensor.compiler.buffers.target import BufferTarget


def rows(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape), dtype="float32").reshape(shape)


def address(x: pt.Tensor) -> int:
    """Return the address of a value in linear memory, 0 on backends without one."""
    pt.realize(x)
    return getattr(x._node.buffer.handle, "address", 0)


def replaced(old, new, at):
    """Return a value with another row at a position."""
    is_new = pt.arange(old.shape[0]).reshape((-1, 1)) == at
    return pt.where(is_new, new, old)


def test_kernels_know_the_input_whose_rows_they_replace():
    old, new = pt.asarray(rows(9, 16)), pt.asarray(rows(16))
    pt.realize(old, new)
    condition = pt.asarray(rows(9, 1) > 3)
    by_row = pt.where(condition, new, old)
    by_element = pt.where(pt.asarray(rows(9, 16) > 3), new, old)
    short = pt.where(condition, new[:8], old.reshape((18, 8))[:9])
    shifted = pt.where(condition, old[::-1], old)
    updates = []
    for result in by_row, by_element, short, shifted:
        (draw,) = plan_of(result, device=BufferTarget()).draws
        updates.append(draw.shader.updates is not None)
    assert updates == [True, False, False, False]


def test_a_donated_value_is_written_in_place():
    step = pt.jit(replaced, donate_argnums=0)
    want = rows(9, 19)
    x = pt.asarray(want) * 1
    before = address(x)
    for at in (3, 8, 0):
        new = want[at] + 100
        x = step(x, pt.asarray(new), pt.asarray(at))
        want[at] = new
        assert address(x) == before
        np.testing.assert_array_equal(x.numpy(), want)


def test_a_value_that_is_not_donated_stays():
    old, new = pt.asarray(rows(9, 16)) * 1, pt.asarray(rows(16)) + 7
    pt.realize(old)
    got = pt.jit(replaced)(old, new, pt.asarray(4)).numpy()
    want = rows(9, 16)
    np.testing.assert_array_equal(old.numpy(), want)
    want[4] = rows(16) + 7
    np.testing.assert_array_equal(got, want)


def reversed_rows(old, at):
    return replaced(old, old[::-1], at)


def with_old_sum(old, new, at):
    return replaced(old, new, at), pt.cumulative_sum(old, axis=0)


def test_a_donated_value_that_is_read_at_other_positions_is_copied():
    at, x = 2, rows(5, 16)
    old = pt.asarray(x) * 1
    pt.realize(old)
    got = pt.jit(reversed_rows, donate_argnums=0)(old, pt.asarray(at)).numpy()
    want = x.copy()
    want[at] = x[::-1][at]
    np.testing.assert_array_equal(got, want)


def test_a_donated_value_that_is_read_later_is_copied():
    x, new = rows(6, 16), rows(16) - 9
    old = pt.asarray(x) * 1
    pt.realize(old)
    step = pt.jit(with_old_sum, donate_argnums=0)
    got, sums = step(old, pt.asarray(new), pt.asarray(5))
    np.testing.assert_array_equal(sums.numpy(), x.cumsum(0))
    x[5] = new
    np.testing.assert_array_equal(got.numpy(), x)


def moved_twice(old, new, at):
    return replaced(replaced(old, new, at), new * 2, at + 1)


def test_rows_of_a_temporary_are_replaced():
    x, new = rows(6, 16), rows(16) - 9
    old = pt.asarray(x) * 1
    pt.realize(old)
    got = pt.jit(moved_twice, donate_argnums=0)(old, pt.asarray(new), pt.asarray(1)).numpy()
    x[1], x[2] = new, new * 2
    np.testing.assert_array_equal(got, x)


def test_a_cache_writes_one_position_and_keeps_its_memory():
    step = pt.jit(lambda cache, k, v: cache.extended(k, v), donate_argnums=0)
    cache = pt.nn.KeyValueCache.empty(2, 3, 8, 16, window=8)
    x = rows(2, 3, 1, 16)
    before, want = None, np.zeros((2, 3, 8, 16), "float32")
    for at in range(11):
        cache = step(cache, pt.asarray(x + at), pt.asarray(-x))
        own = address(cache.keys), address(cache.values)
        assert before in (None, own)
        before = own
        want[:, :, at % 8] = (x + at)[:, :, 0]
        np.testing.assert_array_equal(cache.keys.numpy(), want)
