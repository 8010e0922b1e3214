"""Repeated work reuses its plan and its programs."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest

import py_tensor as pt


def counts():
    info = pt.cache_info()
    return info.plan_misses, info.programs


@contextmanager
def nothing_new(plans=0, programs=0):
    """Fail if more plans are made or programs compiled than stated."""
    before = counts()
    yield
    made = tuple(b - a for a, b in zip(before, counts(), strict=True))
    assert made[0] <= plans and made[1] <= programs, f"{made} new plans and programs"


def step(x, w, b, rate):
    h = pt.relu(x @ w + b)
    loss = pt.mean((h - 1.0) ** 2)
    w -= rate * (w * loss)
    return loss.item()


def parts(rng):
    return [pt.asarray(rng.standard_normal(s).astype("float32")) for s in [(5, 8), (8, 4), (4,)]]


def test_nothing_new_fails(rng):
    with pytest.raises(AssertionError), nothing_new():
        (pt.asarray(rng.random((3, 11)).astype("float32")) * 1.2345 - 7).tolist()


def test_second_pass_of_a_loop(rng):
    x, w, b = parts(rng)
    for _ in range(3):
        step(x, w, b, 0.1)
    with nothing_new():
        for _ in range(20):
            step(x, w, b, 0.1)


def test_other_values_in_the_leaves(rng):
    for _ in range(3):
        step(*parts(rng), 0.1)
    with nothing_new():
        for _ in range(10):
            step(*parts(rng), 0.1)


@pytest.mark.parametrize("kind", [float, int])
def test_other_scalars(kind, rng):
    x = pt.asarray(rng.random((4, 4)).astype("float32"))
    (x * kind(3) + kind(2)).tolist()
    with nothing_new():
        for value in range(4, 20):
            (x * kind(value) + kind(value + 1)).tolist()


def test_in_place_updates_with_a_varying_rate(rng):
    x, g = (pt.asarray(rng.random(64).astype("float32")) for _ in range(2))
    for at in range(2):
        x += (0.1 / (at + 1)) * g
        pt.realize(x)
    with nothing_new():
        for at in range(100):
            x += (0.3 / (at + 1)) * g
            pt.realize(x)


def test_slices_assigned_in_a_loop():
    x = pt.zeros((4, 8))
    for _ in range(2):
        x[1:3, ::2] = 1.0
        pt.realize(x)
    with nothing_new():
        for value in range(10):
            x[1:3, ::2] = float(value)
            pt.realize(x)


def test_a_hundred_shapes_of_one_chain_share_a_program(rng, backend_name):
    before = counts()
    for n in range(1, 101):
        x = pt.asarray(rng.random((n, 3)).astype("float32"))
        pt.exp(x * 2 + 1).tolist()
    plans, programs = (b - a for a, b in zip(before, counts(), strict=True))
    assert plans <= 100
    # Kernels in linear memory have constant sizes, so that loops need no tests of alignment.
    assert programs <= (100 if backend_name == "wasm" else 1)


def test_shapes_share_programs_across_numbers_of_axes():
    pt.realize(pt.tanh(pt.asarray(np.zeros(24, "float32"))))
    with nothing_new(plans=3):
        for shape in [(4, 6), (2, 3, 4), (2, 3, 2, 2)]:
            pt.realize(pt.tanh(pt.asarray(np.zeros(shape, "float32"))))


def test_random_draws_are_one_plan():
    pt.random.seed(0)
    for _ in range(2):
        pt.random.normal((33,)).tolist()
    with nothing_new():
        for _ in range(10):
            pt.random.normal((33,)).tolist()


def test_held_values_are_part_of_the_graph(rng):
    """A held value may be read later, which makes another plan, once."""
    x = pt.asarray(rng.random((3, 5)).astype("float32"))
    for _ in range(2):
        held = x * 2
        pt.exp(held).tolist()
        held.tolist()
    with nothing_new():
        held = x * 2
        pt.exp(held).tolist()
        held.tolist()


def test_cache_info_counts_hits():
    x = pt.asarray([1.0, 2.0, 3.0])
    (x + 4.0).tolist()
    before = pt.cache_info()
    (x + 4.0).tolist()
    after = pt.cache_info()
    assert (after.plan_hits - before.plan_hits, after.plan_misses - before.plan_misses) == (1, 0)
    assert after.draws == before.draws + 1
    assert after.plans == before.plans
