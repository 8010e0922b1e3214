"""A lost context or device: calls raise until it is restored.

Values held by Python are uploaded again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors
from py_tensor.runtime import executor
from py_tensor.runtime.backends.bridged import BridgedBackend

X = np.float32([[1, 2], [3, 4]])


def on_gpu(backend: Any) -> bool:
    return isinstance(backend, BridgedBackend)


def lost_text(own: Any) -> str:
    return (
        f"realize: the tensor was lost with the {own.lost}; got a tensor that existed only on the "
        "GPU; compute it again from tensors created by asarray"
    )


@pytest.fixture
def own(engine: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """Return a backend whose context or device may be lost; the host has none to lose."""
    if not on_gpu(engine):
        yield engine
        return
    backend = type(engine)(type(engine.bridge)(request.getfixturevalue("page")))
    executor.use(backend)
    yield backend
    backend.bridge.destroy()
    executor.use(engine)


def lose(own):
    if on_gpu(own):
        own.bridge.lose_context()


def restore(own):
    if on_gpu(own):
        own.bridge.restore_context()


def test_calls_raise_while_the_context_is_lost(own):
    x = pt.asarray(X)
    assert_values(x * 2, X * 2)
    lose(own)
    if on_gpu(own):
        with pytest.raises(errors.BackendError, match=f"{own.lost} lost"):
            (x * 3).tolist()
    restore(own)
    assert_values(x * 3, X * 3)


def test_values_held_by_python_are_uploaded_again(own):
    x, w = pt.asarray(X), pt.asarray(X + 1)
    assert_values(x @ w + 1.0, X @ (X + 1) + 1)
    before = pt.cache_info()
    lose(own)
    restore(own)
    assert_values(x @ w + 1.0, X @ (X + 1) + 1)
    after = pt.cache_info()
    assert after.plan_misses == before.plan_misses


def lose_a_value(own):
    """Return X, a value of it that was lost, and pending work on that value."""
    x = pt.asarray(X)
    y = x * 2
    pt.realize(y)
    pending = y + 1.0
    lose(own)
    restore(own)
    return x, y, pending


def test_values_held_by_the_gpu_only_raise(own):
    x, y, pending = lose_a_value(own)
    if not on_gpu(own):
        assert_values(pending, X * 2 + 1)
        return
    assert_raises(errors.BackendError, lost_text(own), y.tolist)
    assert_raises(errors.BackendError, lost_text(own), lambda: pending.tolist())
    y = x * 2
    assert_values(y + 1.0, X * 2 + 1)


def test_lost_tensors_fail_where_they_are_read_only(own):
    """Automatic flushes, which run all pending work, leave out work on lost tensors."""
    x, lost, pending = lose_a_value(own)
    total, kept = x, []
    for step in range(3 * pt.env.flush_threshold):
        total = total + 1.0
        if step % 100 == 0:
            kept.append(total)
    assert_values(total, X + 3 * pt.env.flush_threshold)
    if on_gpu(own):
        assert_raises(errors.BackendError, lost_text(own), pending.tolist)
    del kept, lost


def test_handles_of_lost_textures_are_freed(own):
    before = pt.memory().num_bytes_in_gpu
    y = pt.asarray(X) * 2
    pt.realize(y)
    lose(own)
    restore(own)
    del y
    assert pt.memory().num_bytes_in_gpu == (0 if on_gpu(own) else before)


def test_functions_under_jit(own):
    captured, computed = pt.asarray(X), pt.asarray(X) * 2
    pt.realize(computed)
    f = pt.jit(lambda x: x @ captured + 1.0)
    g = pt.jit(lambda x: x + computed)
    x = pt.asarray(X)
    assert_values(f(x), X @ X + 1)
    assert_values(g(x), X * 3)
    before = pt.cache_info().plan_misses
    lose(own)
    if on_gpu(own):
        with pytest.raises(errors.BackendError, match=f"{own.lost} lost"):
            f(x)
            own.bridge.flush()
    restore(own)
    assert_values(f(x), X @ X + 1)
    assert pt.cache_info().plan_misses == before
    if on_gpu(own):
        assert_raises(errors.BackendError, lost_text(own), lambda: g(x))
    else:
        assert_values(g(x), X * 3)


def test_values_that_functions_under_jit_computed_once(own):
    # Rows of 3 numbers are padded to whole texels.
    w = np.arange(24, dtype="float32").reshape(8, 3)
    captured, computed = pt.asarray(w), pt.asarray(w) * 2.0
    pt.realize(computed)
    f, g = pt.jit(lambda x: x @ captured), pt.jit(lambda x: x @ computed)
    x = np.ones((8, 8), "float32")
    given = pt.asarray(x)
    for function, want in ((f, x @ w), (g, x @ w * 2)):
        assert_values(function(given), want)
    lose(own)
    restore(own)
    for _ in range(2):
        assert_values(f(given), x @ w)
    if on_gpu(own):
        assert_raises(errors.BackendError, lost_text(own), lambda: g(given))
    else:
        assert_values(g(given), x @ w * 2)


def test_donated_tensors_survive_a_failed_call(own):
    f = pt.jit(lambda x: x + 1.0, donate_argnums=0)
    assert_values(f(pt.asarray(X)), X + 1)
    x, y = pt.asarray(X), pt.asarray(X) * 2
    pt.realize(x, y)
    lose(own)
    restore(own)
    if on_gpu(own):
        assert_raises(errors.BackendError, lost_text(own), lambda: f(y))
        assert not y.is_disposed
    assert_values(f(x), X + 1)
    assert x.is_disposed
