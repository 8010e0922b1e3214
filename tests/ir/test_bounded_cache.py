"""Caches stay bounded, regardless of the program."""

from __future__ import annotations

import gc

import numpy as np

import py_tensor as pt
from py_tensor.ir import node
from py_tensor.ir.node import BoundedCache
from py_tensor.runtime import executor


def test_oldest_entry_is_dropped():
    cache = BoundedCache(2)
    cache["a"], cache["b"], cache["a"] = 1, 2, 3
    assert cache == {"a": 3, "b": 2}
    cache["c"] = 4
    assert cache == {"b": 2, "c": 4}


def test_specs_are_freed_with_the_last_tensor():
    shape = (3, 1, 4, 1, 5)
    x, y = (pt.asarray(np.ones(shape, "float32")) for _ in range(2))
    assert x._spec is y._spec is node._specs[shape, pt.float32]
    del x, y
    gc.collect()
    assert (shape, pt.float32) not in node._specs


def test_many_shapes_keep_caches_small(engine, monkeypatch):
    monkeypatch.setattr(executor.runtime.plans, "limit", 8)
    monkeypatch.setattr(node._calls, "limit", 16)
    if engine.name in ("webgl", "webgpu", "wasm"):
        monkeypatch.setattr(engine.programs, "limit", 4)
    executor.runtime.plans.clear()
    node._calls.clear()
    programs = []
    for n in range(2, 60):
        x = pt.asarray(np.ones((n, 3), "float32"))
        # Each shape needs a shader of its own.
        assert (x.T @ x).tolist() == [[n] * 3] * 3
        programs.append(pt.memory().num_programs)
    assert len(executor.runtime.plans) <= 8
    assert len(node._calls) <= 16
    assert programs[-1] == programs[-20]
    if engine.name in ("webgl", "webgpu", "wasm"):
        assert len(engine.programs.unused) <= 4
        in_plans = {
            draw.shader.source
            for plan in executor.runtime.plans.values()
            for draw in getattr(plan, "plan", plan).draws
        }
        assert in_plans <= engine.programs.numbers.keys()
