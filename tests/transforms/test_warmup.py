"""Warm-up prepares a function before its first call: traced, planned, compiled, not blocking."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from helpers import assert_raises, assert_values
from work_limit import HANG_SECONDS

import py_tensor as pt
from py_tensor import errors
from py_tensor.ops.op_def import Elementwise
from py_tensor.runtime import executor
from py_tensor.runtime.backends.numpy import NumpyBackend
from py_tensor.tensor import apply
from py_tensor.transforms.jit import precompile

X = np.float32([[1, 2], [3, 4]])


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Drive coroutines without an event loop, since Playwright already runs one."""
    monkeypatch.setattr(precompile, "POLL_SECONDS", 0)


def finished(coroutine: Any) -> Any:
    """Return the result of a coroutine that waits by yielding."""
    end = time.monotonic() + HANG_SECONDS
    while time.monotonic() < end:
        try:
            coroutine.send(None)
        except StopIteration as done:
            return done.value
        time.sleep(0.002)
    raise AssertionError("the coroutine goes on and on")


def network(params, x, rate):
    for w in params:
        x = pt.softmax(pt.tanh(x @ w) * rate, axis=1)
    return x


def described(shape, n):
    return [pt.ShapeDtype(shape) for _ in range(n)], pt.ShapeDtype(shape), 0.5


def test_the_first_call_compiles_nothing(engine):
    step = pt.jit(network)
    seen = []
    got = finished(
        pt.warmup(step, *described((12, 12), 2), progress=lambda *counts: seen.append(counts))
    )
    assert got is step
    before = pt.cache_info()
    x = pt.asarray(np.eye(12, dtype="float32"))
    step([x, x], x, 0.25).tolist()
    after = pt.cache_info()
    assert (after.plan_misses, after.programs) == (before.plan_misses, before.programs)
    if engine.name not in ("webgl", "webgpu", "wasm"):
        assert seen == []
        return
    total = seen[-1][1]
    assert total >= 2 and seen[-1] == (total, total)
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})


def test_nothing_is_leaked(state):
    before = state()
    step = finished(pt.warmup(network, *described((8, 8), 1)))
    assert state() == before
    x = pt.asarray(np.eye(8, dtype="float32"))
    assert_values(step([x], x, 0.5), network([x], x, 0.5).numpy())


def test_tensors_names_and_static_arguments():
    def f(x, y, axis):
        return pt.sum(x * y, axis=axis)

    step = pt.jit(f, static_argnames="axis")
    x = pt.asarray(X)
    finished(pt.warmup(step, x, y=pt.ShapeDtype((2, 2)), axis=0))
    before = pt.cache_info().plan_misses
    assert_values(step(x, y=x, axis=0), (X * X).sum(0))
    assert pt.cache_info().plan_misses == before


def test_random_numbers_are_unchanged():
    f = pt.jit(lambda: pt.random.uniform((3,)))
    pt.random.seed(3)
    want = pt.random.uniform((3,)).tolist()
    pt.random.seed(3)
    finished(pt.warmup(f))
    assert f().tolist() == want


def test_methods():
    @dataclass
    class Dense:
        w: Any

        @pt.jit
        def __call__(self, x):
            return x @ self.w

    layer = Dense(pt.asarray(X))
    finished(pt.warmup(layer.__call__, pt.ShapeDtype((2, 2))))
    before = pt.cache_info().plan_misses
    assert_values(layer(pt.asarray(X)), X @ X)
    assert pt.cache_info().plan_misses == before


def test_warmup_runs_once_on_blank_tensors(engine):
    captured = pt.asarray(X)
    f = pt.jit(lambda x, n: (x @ captured * n, x * 2, x.sum()))
    uploads = engine.bridge.stats()["uploads"] if engine.name in ("webgl", "webgpu") else 0
    draws = pt.cache_info().draws
    finished(pt.warmup(f, pt.ShapeDtype((2, 2)), 3))
    once = pt.cache_info().draws - draws
    assert [value.tolist() for value in f(pt.asarray(X), 3)] == [
        (X @ X * 3).tolist(),
        (X * 2).tolist(),
        10,
    ]
    if engine.name in ("webgl", "webgpu"):
        # Captured tensors are on the GPU already.
        assert engine.bridge.stats()["uploads"] == uploads + 2
        assert pt.cache_info().draws - draws == 2 * once > 0


def test_errors_of_the_function_are_raised_at_once():
    with pytest.raises(errors.ShapeError, match="do not broadcast"):
        pt.warmup(lambda x, y: x + y, pt.ShapeDtype((2,)), pt.ShapeDtype((3,)))
    assert_raises(
        errors.DTypeError,
        "ShapeDtype: unknown dtype; got 'float8'; use one of float32, float16, int32, uint32, "
        "int16, uint16, int8, uint8, bool, complex64",
        lambda: pt.ShapeDtype((2,), "float8"),
    )


def test_errors_of_shaders_are_raised_when_awaited(engine):
    broken = Elementwise(
        name="broken", formula="native.hypot(x, 0.0)", reference="abs", dtypes="floating"
    )
    waiting = pt.warmup(lambda x: apply(broken, (x,)), pt.ShapeDtype((3,)))
    if engine.name not in ("webgl", "webgpu"):
        finished(waiting)  # there are no shaders to break
        return
    with pytest.raises(errors.ShaderError, match=r"^shader broken: ERROR"):
        finished(waiting)


def test_a_function_that_computes_nothing():
    seen = []
    step = finished(pt.warmup(lambda x: x, pt.ShapeDtype((3,)), progress=seen.append))
    x = pt.ones(3)
    assert step(x) is x and seen == []


def test_under_an_event_loop(engine, monkeypatch):
    monkeypatch.undo()
    # Use a separate thread and NumPy, since Playwright has the event loop of this one.
    executor.use(NumpyBackend())
    try:
        waiting = pt.warmup(lambda x: x + 1, pt.ShapeDtype((3,)))
        with ThreadPoolExecutor(1) as threads:
            step = threads.submit(asyncio.run, waiting).result()
        assert step(pt.ones(3)).tolist() == [2, 2, 2]
    finally:
        executor.use(engine)


def test_specs_may_be_shapes():
    shape = pt.ShapeDtype(3, pt.int32)
    assert (shape.shape, shape.dtype) == ((3,), pt.int32)
    assert repr(pt.ShapeDtype((2, 3), "float16")) == "ShapeDtype((2, 3), float16)"
