"""Pending work runs by itself at the limits on tensors and bytes, and at no other time."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

import py_tensor as pt
from py_tensor.runtime import scopes

STEPS = pt.env.flush_threshold + 100


def is_pending(x):
    return x._node.buffer is None


def chain(x, steps):
    for _ in range(steps):
        x = x + 1.0
    return x


def test_work_is_pending_up_to_the_limit():
    x = pt.ones(3)
    assert is_pending(chain(x, pt.env.flush_threshold - 100))


def test_a_loop_elsewhere_is_flushed_at_twice_the_limit():
    scopes.state.anchor = ("another loop",)
    held = pt.ones(3) * 2.0
    assert is_pending(chain(held, STEPS)) and is_pending(held)
    chain(held, STEPS)
    assert not is_pending(held)


def test_loops_without_reads_flush_at_one_instruction(rng):
    """A body of seven tensors, of which the limit is no multiple."""
    x = pt.asarray(rng.random(8).astype("float32"))
    before = pt.cache_info()
    for _ in range(1000):
        y = x * 2.0 - 1.0
        z = y * y + 0.5
        x = (z - y) * 0.25 + 0.5
    after = pt.cache_info()
    hits, misses = after.plan_hits - before.plan_hits, after.plan_misses - before.plan_misses
    # Only the first flush may be elsewhere in the body.
    assert misses <= 2
    assert hits + misses >= 12


def test_work_that_has_run_does_not_count_towards_the_limit():
    x = pt.ones(3)
    held = x * 2.0
    for _ in range(STEPS):
        pt.realize(x + 1.0)
    assert is_pending(held)


def test_values_computed_on_the_host_do_not_count_towards_the_limit(engine, monkeypatch):
    monkeypatch.setattr(pt.env, "host_elements", 16)
    monkeypatch.setattr(engine, "compiles", True)
    x = pt.asarray([1.0, 2.0])
    held = x * 2.0
    for _ in range(STEPS):
        (pt.asarray([1.0, 2.0]) + 1.0).tolist()
    assert is_pending(held)


def test_new_host_data_flushes_at_the_limit_on_bytes(monkeypatch):
    module = import_module("py_tensor.tensor")
    monkeypatch.setattr(pt.env, "flush_bytes", 1000)
    monkeypatch.setattr(module, "_pending_bytes", 0)
    data = np.ones(100, "float32")
    for _ in range(2):
        held = pt.asarray(data) * 2.0
        pt.asarray(data)
        assert is_pending(held)
        pt.asarray(data)
        assert not is_pending(held)


@pytest.mark.parametrize("count", [1, 5])
def test_results_of_cached_calls_count_as_their_operations(count):
    """A composite function creates as many pending operations when it comes from the cache."""
    x = pt.asarray(np.ones((2, 3), "float32"))
    pt.realize(pt.softmax(x))
    scopes.state.pending = 0
    for _ in range(count):
        y = pt.softmax(x)
    nodes, stack = set(), [y._node]
    while stack:
        node = stack.pop()
        if node.call is not None and id(node) not in nodes:
            nodes.add(id(node))
            stack += node.srcs
    assert scopes.state.pending == count * len(nodes)
