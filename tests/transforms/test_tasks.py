"""Differentiations and traces belong to the asyncio task or thread that runs them."""

from __future__ import annotations

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, copy_context

import numpy as np
import pytest
from helpers import assert_values

import py_tensor as pt
from py_tensor import errors
from py_tensor.ir.node import own_tapes, tapes
from py_tensor.runtime import executor, scopes
from py_tensor.runtime.scopes import state as registry
from py_tensor.tensor import flush

X = np.float32([0.5, -1.25, 2.0])


async def both(first, second):
    return await asyncio.gather(first, second)


@pytest.fixture
def counted():
    """A jitted function and the list of its traces."""
    traces = []

    @pt.jit
    def double(x):
        traces.append(registry.trace)
        return x * 2 + 1

    double(pt.ones((3,))).numpy()
    return double, traces


def test_gradients_of_asynchronous_functions():
    async def loss(x, scale):
        y = pt.exp(x)
        await asyncio.sleep(0)
        return pt.sum(y * y) * scale, y

    async def main():
        x = pt.asarray(X)
        slope, aux = await pt.grad(loss, has_aux=True)(x, 2.0)
        (value, again), slopes = await pt.value_and_grad(loss, has_aux=True)(x, 2.0)
        return [t.numpy() for t in (slope, aux, value, again, slopes)]

    slope, aux, value, again, slopes = asyncio.run(main())
    np.testing.assert_allclose(slope, 4 * np.exp(2 * X), rtol=1e-5)
    np.testing.assert_array_equal(slope, slopes)
    np.testing.assert_array_equal(aux, again)
    np.testing.assert_allclose(value, 2 * np.exp(2 * X).sum(), rtol=1e-5)
    assert tapes == []


def test_an_error_in_an_asynchronous_function_ends_its_tape():
    async def loss(x):
        await asyncio.sleep(0)
        raise ValueError("mine")

    async def main():
        with pytest.raises(ValueError, match="mine"):
            await pt.grad(loss)(pt.asarray(X))
        assert own_tapes() == ()

    asyncio.run(main())
    assert tapes == []


def test_tasks_do_not_see_each_others_tapes(counted):
    double, traces = counted

    async def loss(x, inside, done):
        y = pt.sin(x) * 3
        inside.set()
        await done.wait()
        assert len(own_tapes()) == 1
        return pt.sum(y * y)

    async def ordinary(inside, done):
        await inside.wait()
        assert own_tapes() == ()
        result = double(pt.asarray(X))
        clipped = pt.custom_gradient(lambda x: (x * 2, lambda g: g))(result)
        block = pt.checkpoint(pt.exp)(clipped)
        assert [(tape.custom, tape.regions) for tape in tapes] == [({}, {})]
        flush()
        done.set()
        return [t.numpy() for t in (result, clipped, block)]

    async def main():
        inside, done = asyncio.Event(), asyncio.Event()
        slope, values = await both(
            pt.grad(loss)(pt.asarray(X), inside, done), ordinary(inside, done)
        )
        return slope.numpy(), values

    slope, (result, clipped, block) = asyncio.run(main())
    np.testing.assert_allclose(slope, 9 * np.sin(2 * X), rtol=1e-5)
    np.testing.assert_array_equal(result, 2 * X + 1)
    np.testing.assert_array_equal(clipped, 4 * X + 2)
    np.testing.assert_allclose(block, np.exp(4 * X + 2), rtol=1e-5)
    assert len(traces) == 1


def test_two_tasks_differentiate_at_once():
    async def loss(x, mine, other):
        y = pt.exp(x)
        mine.set()
        await other.wait()
        y.numpy()
        await asyncio.sleep(0)
        return pt.sum(y * x)

    async def main():
        a, b = asyncio.Event(), asyncio.Event()
        found = await both(
            pt.grad(loss)(pt.asarray(X), a, b), pt.grad(loss)(pt.asarray(X * 2), b, a)
        )
        return [slope.numpy() for slope in found]

    for slope, x in zip(asyncio.run(main()), (X, 2 * X), strict=True):
        np.testing.assert_allclose(slope, np.exp(x) * (1 + x), rtol=1e-4)
    assert tapes == []


def test_a_tape_keeps_nothing_of_other_tasks():
    """Training in one task while another differentiates must not keep each step's values."""

    async def loss(x, inside, done):
        y = pt.sin(x) * 3
        y.numpy()
        inside.set()
        await done.wait()
        return pt.sum(y)

    async def ordinary(inside, done):
        await inside.wait()
        (tape,) = tapes
        before = len(tape.made)
        x = pt.asarray(X)
        for _ in range(5):
            x = pt.exp(pt.sin(x))
            x.numpy()
        done.set()
        return before, len(tape.made)

    async def main():
        inside, done = asyncio.Event(), asyncio.Event()
        _, counts = await both(pt.grad(loss)(pt.asarray(X), inside, done), ordinary(inside, done))
        return counts

    before, after = asyncio.run(main())
    assert before == after > 0


def test_pending_work_is_run_while_another_task_differentiates():
    async def loss(x, inside, done):
        y = pt.sin(x)
        inside.set()
        await done.wait()
        return pt.sum(y)

    async def ordinary(inside, done):
        await inside.wait()
        x = pt.asarray(X)
        for _ in range(3 * pt.env.flush_threshold):
            x = x + 1.0
        pending = registry.pending
        done.set()
        return pending, x.numpy()

    async def main():
        inside, done = asyncio.Event(), asyncio.Event()
        slope, found = await both(
            pt.grad(loss)(pt.asarray(X), inside, done), ordinary(inside, done)
        )
        return slope.numpy(), *found

    slope, pending, values = asyncio.run(main())
    np.testing.assert_allclose(slope, np.cos(X), rtol=1e-5)
    assert pending <= 2 * pt.env.flush_threshold
    np.testing.assert_array_equal(values, X + 3 * pt.env.flush_threshold)


def test_a_task_started_inside_is_differentiated_too():
    async def part(x):
        await asyncio.sleep(0)
        custom = pt.custom_gradient(lambda x: (pt.sin(x), lambda g: g * 5))
        return pt.sum(custom(x))

    async def loss(x):
        return sum(await both(part(x), part(x * 2)))

    async def main():
        return (await pt.grad(loss)(pt.asarray(X))).numpy()

    np.testing.assert_allclose(asyncio.run(main()), np.full(3, 15.0), rtol=1e-6)


# --- traces: other tasks run inside one when a read waits for the browser -------------------------


def traced_with(other):
    """Result of a jitted function during whose trace `other` runs in a context of its own."""
    found = []

    @pt.jit
    def f(x):
        y = pt.sin(x)
        if not found:
            found.append(elsewhere.run(other))
        return y * 2

    elsewhere = copy_context()
    values = f(pt.asarray(X))
    assert_values(values, np.sin(X) * 2, rtol=1e-5)
    assert_values(f(pt.asarray(X + 1)), np.sin(X + 1) * 2, rtol=1e-5)
    assert registry.traces == []
    return found[0]


def test_tensors_of_other_tasks_outlive_the_trace():
    made = traced_with(lambda: pt.asarray(X) + 1)
    assert_values(made, X + 1)


def test_values_are_read_while_another_task_traces():
    assert traced_with(lambda: (pt.asarray(X) + 1).tolist()) == (X + 1).tolist()


def test_assignment_in_place_while_another_task_traces():
    x = pt.asarray(X)

    def other():
        nonlocal x
        x[0] = 7.0
        return x.tolist()

    assert traced_with(other)[0] == 7.0


def test_pending_work_is_run_while_another_task_traces():
    def other():
        x = pt.asarray(X) * 3
        flush()
        return x, x._node.buffer is not None

    x, computed = traced_with(other)
    assert computed
    assert_values(x, 3 * X)


def test_jitted_calls_run_while_another_task_traces(counted):
    double, traces = counted
    assert_values(traced_with(lambda: double(pt.asarray(X))), 2 * X + 1)
    assert len(traces) == 1
    half = pt.jit(lambda x: x / 2)
    assert_values(traced_with(lambda: half(pt.asarray(X))), X / 2)


def test_a_tracer_cannot_be_read_by_another_task():
    leaked = []

    @pt.jit
    def f(x):
        leaked.append(x * 2)
        with pytest.raises(errors.TraceError, match="value of a traced tensor is unknown"):
            Context().run(leaked[0].tolist)
        return x

    f(pt.asarray(X))


def test_threads_do_not_see_each_others_traces():
    def other():
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(lambda: (registry.trace, own_tapes())).result()

    assert traced_with(other) == (None, ())


def loss_of(weights, x):
    return pt.sum(pt.tanh(x @ weights) ** 2)


def assigned(x, number):
    x = pt.zeros(8)
    x[number % 8] = 5.0
    x[pt.asarray([1, 2])] = number
    x += 1.0
    return x


SHARED = pt.jit(lambda x, number: pt.tanh(x * number) + pt.sum(x))
IN_THREADS = [
    lambda x, number: pt.softmax(x * number + pt.exp(x)),
    SHARED,
    lambda x, number: pt.jit(lambda x: pt.sum(x * number, axis=0))(x),
    lambda x, number: pt.grad(loss_of)(pt.ones((4, 2)) * number, x),
    lambda x, number: pt.jit(pt.grad(loss_of))(pt.ones((4, 2)) * number, x),
    lambda x, number: pt.vmap(lambda row: pt.sum(row * row) + number)(x),
    lambda x, number: pt.vmap(pt.grad(lambda row: pt.sum(pt.exp(row * number))))(x),
    lambda x, number: pt.tidy(lambda: pt.sum(x * number + 1.0)),
    lambda x, number: pt.lax.scan(lambda c, row: (c + row * number, c), 0.0, x[0])[1],
    lambda x, number: x[number / 8 < x],
    assigned,
]


@pytest.fixture
def frequent_switches():
    """Switch threads after each call, instead of 200 times in a second."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.fixture
def numpy_backend(engine):
    """Compute with NumPy: backends of a page run in one thread."""
    pt.set_backend("numpy")
    yield
    executor.use(engine)


@pytest.mark.usefixtures("frequent_switches", "numpy_backend")
def test_transforms_give_equal_results_in_many_threads():
    x = pt.asarray(np.arange(12, dtype="float32").reshape(3, 4) / 12)
    calls = [(function, number) for number in range(1, 5) for function in IN_THREADS]
    expected = [function(x, number).numpy() for function, number in calls]

    def run(first):
        rotated = [(first + 7 * step) % len(calls) for step in range(len(calls))]
        return [(at, calls[at][0](x, calls[at][1]).numpy()) for at in rotated]

    with ThreadPoolExecutor(16) as pool:
        for results in pool.map(run, range(16)):
            for at, got in results:
                np.testing.assert_allclose(got, expected[at], rtol=1e-6, err_msg=str(at))
    assert (tapes, registry.traces, registry.watchers) == ([], [], ())


def test_nothing_is_kept_of_finished_transforms():
    before = len(scopes.state.watchers)
    pt.grad(lambda x: pt.sum(x * x))(pt.asarray(X)).numpy()
    pt.jit(lambda x: x + 1)(pt.asarray(X)).numpy()
    values = [value for value in copy_context().values() if isinstance(value, tuple)]
    assert not any(
        isinstance(item, type(tapes)) or hasattr(item, "made") for v in values for item in v
    )
    assert len(scopes.state.watchers) == before
