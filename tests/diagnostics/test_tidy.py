"""Scopes own the tensors made in them, release returned ones, and end on errors too."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass

import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors


@dataclass
class Pair:
    first: pt.Tensor
    rest: dict


def test_tidy_runs_a_function_and_keeps_its_result():
    inner = []

    def work():
        a, b, c, d = (pt.ones(n) for n in (1, 2, 3, 4))
        inner.extend([a, b, c, d])
        return Pair(a, {"b": [b, (c, 1, "text")]})

    got = pt.tidy(work)
    assert [t.is_disposed for t in inner] == [False, False, False, True]
    assert_values(got.rest["b"][1][0], np.ones(3, "float32"))


def test_tidy_decorates():
    made = []

    @pt.tidy
    def scaled(x, factor=2):
        made.append(x * factor)
        return made[-1] + 1

    assert scaled.__name__ == "scaled"
    assert scaled(pt.ones(2)).tolist() == [3, 3]
    assert scaled(pt.ones(2), factor=4).tolist() == [5, 5]
    assert all(t.is_disposed for t in made)


def test_tidy_with_parentheses_and_as_context():
    made = []

    @pt.tidy()
    def one(x):
        made.append(x + 1)
        return made[-1] * 2

    assert one(pt.ones(1)).tolist() == [4]
    with pt.tidy():
        made.append(pt.ones(1))
        outer = pt.keep(pt.ones(2))
    assert all(t.is_disposed for t in made)
    assert outer.tolist() == [1, 1]


def test_scopes_nest():
    with pt.tidy():
        a = pt.ones(1)
        b = pt.tidy(lambda: pt.ones(2) + a)
        with pt.tidy():
            c = b * 2
        assert (a.is_disposed, b.is_disposed, c.is_disposed) == (False, False, True)
    assert a.is_disposed and b.is_disposed


def test_keep_applies_to_every_scope():
    with pt.tidy(), pt.tidy():
        x = pt.keep(pt.ones(1))
    assert not x.is_disposed


def test_arguments_belong_to_their_own_scope():
    x = pt.ones(2)
    pt.tidy(lambda: x + 1)
    assert not x.is_disposed


def test_an_error_ends_the_scope():
    made = []

    def fail():
        made.append(pt.ones(3) * 2)
        pt.realize(made[-1])
        made.append(made[-1] + pt.zeros(4))

    for _ in range(2):
        with pytest.raises(errors.ShapeError):
            pt.tidy(fail)
        with pytest.raises(errors.ShapeError), pt.tidy():
            fail()
    assert len(made) == 4
    assert all(t.is_disposed for t in made)


def test_generators_are_refused():
    def parts():
        yield pt.ones(1)

    async def later():
        yield pt.ones(1)

    for function in (parts, later):
        assert_raises(
            errors.ArgumentError,
            f"tidy: the function must not be a generator; got {function!r}; use `with pt.tidy():` "
            "inside it",
            lambda function=function: pt.tidy(function),
        )


def run(coroutine):
    """Run a coroutine in another thread, since this one may run Playwright's event loop."""

    def target():
        with asyncio.Runner() as runner:
            return runner.run(coroutine)

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(target).result()


def test_tasks_have_separate_scopes():
    async def task(first, second):
        with pt.tidy():
            x = pt.ones(3)
            first.set()
            await second.wait()
            y = x + 1.0
            assert not x.is_disposed
        assert x.is_disposed
        assert y.is_disposed

    async def both():
        a, b = asyncio.Event(), asyncio.Event()
        await asyncio.gather(task(a, b), task(b, a))

    run(both())


def test_scope_of_a_task_outlives_the_parents_inner_scope():
    async def child(go):
        await go.wait()
        return pt.ones(3)

    async def parent():
        go = asyncio.Event()
        with pt.tidy():
            with pt.tidy():
                task = asyncio.ensure_future(child(go))
                await asyncio.sleep(0)
            go.set()
            x = await task
            assert not x.is_disposed
        return x

    assert run(parent()).is_disposed


def test_async_scopes_and_functions():
    async def steps():
        async with pt.tidy():
            x = pt.ones(3)
            await asyncio.sleep(0)
        assert x.is_disposed

        made = []

        @pt.tidy
        async def add(y):
            made.append(y + 1.0)
            await asyncio.sleep(0)
            return y + 2.0

        z = await add(pt.ones(3))
        assert made[0].is_disposed
        assert not z.is_disposed

    run(steps())


def test_scope_may_be_left_in_another_context():
    scope = pt.tidy()
    copy_context().run(scope.__enter__)
    x = pt.ones(3)
    scope.__exit__(None, None, None)
    with pt.tidy():
        y = pt.ones(3)
    assert not x.is_disposed
    assert y.is_disposed


def test_scopes_left_in_the_wrong_order_are_counted_once(state):
    before = state()
    outer, inner = pt.tidy(), pt.tidy()
    outer.__enter__()
    inner.__enter__()
    outer.__exit__(None, None, None)
    inner.__exit__(None, None, None)
    assert state() == before
    with pt.tidy():
        x = pt.ones(3)
    assert x.is_disposed
