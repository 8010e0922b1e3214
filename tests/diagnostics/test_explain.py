"""pt.explain shows every stage and runs nothing."""

from __future__ import annotations

import re

import numpy as np

import py_tensor as pt


def test_graph_kernels_and_shaders(backend_name):
    x = pt.asarray(np.ones((5, 8), "float32"))
    text = pt.explain(pt.sum(pt.exp(x) * 2.0, axis=1))
    graph, kernels, shader = text.split("\n\n", 2)
    assert graph.splitlines() == [
        "graph",
        "  %0 = buffer float32[5, 8]",
        "  %1 = exp(%0): float32[5, 8]",
        "  %2 = scalar float32",
        "  %3 = multiply(%1, %2): float32[5, 8]",
        "  %4 = sum(%3) (1,): float32[5, 1]",
        "  %5 = reshape(%4) (5,): float32[5] -> output",
    ]
    if backend_name == "wasm":
        assert kernels.splitlines() == [
            "kernel 0: reduce sum -> slot 1: float32[5, 1]; reads slot 0 (neighbours)",
            "memory: 32 bytes of results, 0 bytes of temporaries",
        ]
        assert shader.startswith("shader of kernel 0\n(module\n")
        assert "(func $kernel (param $A i32) (param $S i32)" in shader
        assert "v128.load local.set $" in shader and "f32x4.mul local.set $" in shader
        return
    assert kernels.splitlines() == [
        "kernel 0: reduce sum -> slot 1: float32[5, 1]; reads slot 0 (aligned)",
        "memory: 32 bytes of results, 0 bytes of temporaries",
    ]
    if backend_name == "webgpu":
        assert shader.startswith("shader of kernel 0\nsizes in I: ")
        assert "var<storage, read> x0: array<vec4<f32>>;" in shader
        return
    assert shader.startswith("shader of kernel 0\nsizes in I: 5, 8\n#version 300 es\n")
    assert "uniform sampler2D x0;" in shader and "uniform float F[1];" in shader


def test_memory_of_temporaries(backend_name):
    x = pt.asarray(np.ones((64, 64), "float32"))
    text = pt.explain((x + 1.0) @ x + pt.sum((x @ x) ** 2.0))
    found = re.search(r"^memory: (\d+) bytes of results, (\d+) bytes of temporaries$", text, re.M)
    results, temporaries = map(int, found.groups())
    assert results == 64 * 64 * 4 < temporaries


def test_explain_runs_nothing(engine):
    x = pt.asarray(np.ones((5, 8), "float32")) * 3.0
    before = pt.cache_info()
    pt.explain(x)
    assert pt.cache_info() == before
    assert x._node.buffer is None


def test_several_outputs_and_shared_values():
    x = pt.asarray([1.0])
    a = pt.exp(x)
    text = pt.explain(a * 2.0, a + 1.0)
    assert text.count("-> output") == 2
    assert "exp(%0): float32[1] (shared)" in text or "(shared)" in text


def test_materialized_values():
    assert pt.explain(pt.asarray([1.0])) == "graph\n  nothing pending: the values are there\n"
