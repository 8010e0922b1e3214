"""Test that repeated computations are neither scheduled nor compiled again."""

from __future__ import annotations

from typing import Any

from page_fixtures import WEBGL
from page_python import PagePython

pytest_plugins = ["page_fixtures"]


def passes() -> list[Any]:
    """Return (programs compiled, plans created, plans reused) of three passes with new values."""
    import py_tensor as pt
    from py_tensor.runtime.executor import backend

    def counts() -> list[int]:
        info = pt.cache_info()
        return [backend().bridge.stats()["compiled"], info.plan_misses, info.plan_hits, info.draws]

    w = pt.asarray([[(i * j) % 7 - 3.0 for j in range(12)] for i in range(20)])
    seen = []
    for step in range(3):
        before = counts()
        x = pt.asarray([[float(i + j + step) for j in range(20)] for i in range(8)])
        y = pt.softmax(pt.relu(x @ w + 0.5 * step), axis=1)
        z = pt.sum(y * y, axis=0)
        values = z.tolist()
        seen.append([now - then for now, then in zip(counts(), before, strict=True)])
    return [seen, values]


@WEBGL
def test_second_pass_compiles_nothing(python: PagePython) -> None:
    (first, second, third), values = python.call(passes)
    compiled, missed, _, draws = first
    assert compiled >= 1
    assert missed == 1
    assert second == third == [0, 0, 1, draws]
    assert len(values) == 12


def never_read(passes: int) -> list[int]:
    """Return the plans created by a long loop without reads; its tensors match no graph limit."""
    import py_tensor as pt

    missed = pt.cache_info().plan_misses
    x = pt.asarray([0.5, 0.25])
    for step in range(passes):
        x = pt.tanh(pt.sin(x * 0.5 + 0.25 * step) - pt.cos(x) * 0.125) + pt.abs(x) * 0.5
    return [pt.cache_info().plan_misses - missed, len(x.tolist())]


def test_a_loop_that_never_reads_makes_few_plans(python: PagePython) -> None:
    made, size = python.call(never_read, 1000)
    assert made <= 3
    assert size == 2


def same_shader() -> list[int]:
    """Return the programs compiled and the draws issued for one chain over three shapes."""
    import py_tensor as pt
    from py_tensor.runtime.executor import backend

    def counts() -> list[int]:
        stats = backend().bridge.stats()
        return [stats["compiled"], stats["draws"]]

    before = counts()
    for shape in [(64, 64), (4096,), (8, 8, 64)]:
        x = pt.asarray([0.5] * 4096).reshape(shape)
        pt.realize(pt.atan(x) * 2.0 - pt.tanh(x))
    return [now - then for now, then in zip(counts(), before, strict=True)]


@WEBGL
def test_shapes_share_a_shader(python: PagePython) -> None:
    assert python.call(same_shader) == [1, 3]


def explained() -> list[str]:
    import py_tensor as pt

    x = pt.zeros((8, 8)) + 1.0
    return [pt.explain(pt.softmax(x)), pt.explain(x)]


def test_explain_shows_every_stage(python: PagePython, backend: str) -> None:
    softmax, _ = python.call(explained)
    assert softmax.startswith("graph\n")
    assert "kernel 0: reduce" in softmax
    assert {"webgl": "#version 300 es", "wasm": ".func:kernel"}[backend] in softmax
    assert softmax.count("\nshader of kernel") <= 3
