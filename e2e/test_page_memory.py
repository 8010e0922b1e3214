"""Test memory in a page: exact counts, constant memory in loops, freed textures."""

from __future__ import annotations

from typing import Any

from page_fixtures import WEBGL
from page_python import PagePython

pytest_plugins = ["page_fixtures"]


def counts_of_a_program() -> list[list[int]]:
    import py_tensor as pt

    def counts() -> list[int]:
        now = pt.memory()
        assert not now.unreliable
        return [now.num_tensors, now.num_data_buffers, now.num_bytes, now.num_bytes_in_gpu]

    pt.realize(pt.zeros(1) + 1.0)
    start = counts()
    seen = []

    def note() -> None:
        seen.append([now - then for now, then in zip(counts(), start, strict=True)])

    x = pt.ones((64, 64))
    x = pt.asarray(x.tolist())
    note()  # host data only
    y = x + 1.0
    note()  # pending
    pt.realize(y)
    note()  # x uploaded, y computed
    z = y
    same = pt.asarray(y, copy=True)
    note()  # a new name adds no handle; a copied handle shares its value
    del z, same
    y = y.reshape(4096)
    pt.realize(y)
    note()  # the same texture under another shape
    del y
    note()
    x.dispose()
    note()
    return seen


def test_counts_are_exact(python: PagePython, backend: str) -> None:
    size = 64 * 64 * 4
    # WebAssembly reads the elements of the host where they are.
    uploaded = size if backend == "webgl" else 0
    assert python.call(counts_of_a_program) == [
        [1, 1, size, 0],
        [2, 2, 2 * size, 0],
        [2, 2, 2 * size, size + uploaded],
        [3, 2, 2 * size, size + uploaded],
        [2, 2, 2 * size, size + uploaded],
        [1, 1, size, uploaded],
        [0, 0, 0, 0],
    ]


def long_loop(passes: int) -> list[dict[str, int]]:
    """Return counts at intervals of 400 passes of a training loop without scopes."""
    import dataclasses

    import page_counts

    import py_tensor as pt

    x = pt.asarray([[i * 0.01 + j for j in range(16)] for i in range(32)])
    w = pt.zeros((16, 4))
    seen = []
    for step in range(passes):
        y = pt.softmax(x @ w)
        w = w - (x.T @ (y - 0.25)) * (0.1 / (step + 1))
        if step % 10 == 0:
            assert pt.sum(y).item() > 31
        if step % 400 == 100:
            pt.realize(w)
            seen.append(
                dataclasses.asdict(pt.memory())
                | {"js": page_counts.jsRefs(), "py": page_counts.pyProxies()}
            )
    return seen


def test_memory_is_constant_over_a_thousand_passes(python: PagePython) -> None:
    python.call(long_loop, 120)
    first, second, third = python.call(long_loop, 1000)
    assert first == second == third


async def references(passes: int) -> list[int]:
    """Return how many JavaScript references and Python proxies the passes do not free."""
    import asyncio
    import contextlib

    import js
    import page_counts

    import py_tensor as pt

    canvas = js.OffscreenCanvas.new(8, 8)
    image = js.ImageData.new(8, 8)

    async def one_pass() -> None:
        small = pt.asarray([1.0, 2.0, 3.0]) * 2.0
        large = pt.zeros(200_000) + 1.0
        small.tolist()
        memoryview(large)
        await asyncio.gather(small.data(), large.data())
        pt.draw(pt.from_pixels(image), canvas)
        pt.memory()
        with contextlib.suppress(pt.errors.ArgumentTypeError):
            pt.from_pixels(js.Object.new())

    for _ in range(5):
        await one_pass()
    before = page_counts.jsRefs(), page_counts.pyProxies()
    for _ in range(passes):
        await one_pass()
    after = page_counts.jsRefs(), page_counts.pyProxies()
    return [now - then for now, then in zip(after, before, strict=True)]


def test_no_reference_stays(python: PagePython) -> None:
    assert python.call(references, 50) == [0, 0]


def textures_after_death() -> list[list[int]]:
    import gc

    import py_tensor as pt
    from py_tensor.runtime.executor import backend

    def textures() -> list[int]:
        now = backend().bridge.stats()
        return [now["texturesInUse"], now["texturesFree"]]

    backend().bridge.trim()
    gc.disable()
    try:
        seen = [textures()]
        x = pt.zeros((100, 10)) + 1.0
        pt.realize(x)
        seen.append(textures())
        del x
        seen.append(textures())
        y = pt.zeros((10, 100)) + 2.0
        pt.realize(y)
        seen.append(textures())
        pt.dispose([y])
        backend().bridge.trim()
        seen.append(textures())
    finally:
        gc.enable()
    return seen


@WEBGL
def test_a_texture_is_freed_with_its_last_reference(python: PagePython) -> None:
    assert python.call(textures_after_death) == [[0, 0], [1, 0], [0, 1], [1, 0], [0, 0]]


def scopes() -> dict[str, Any]:
    import py_tensor as pt

    outside = pt.ones(4)

    @pt.tidy
    def step(x: OnlyForTypeCheckers):  # noqa: F821
        kept = pt.keep(x * 3.0)
        lost = x + 1.0
        return {"result": x * 2.0, "kept": [kept]}, lost.tolist()

    result, values = step(outside)
    with pt.tidy():
        inside = outside + 5.0
        pt.realize(inside)
    try:
        inside.tolist()
        message = ""
    except pt.errors.DisposedError as error:
        message = str(error)
    return {
        "result": result["result"].tolist(),
        "kept": result["kept"][0].tolist(),
        "lost": values,
        "alive": pt.memory().num_tensors,
        "message": message,
        "inside": inside.is_disposed,
    }


def test_tidy_keep_dispose(python: PagePython) -> None:
    seen = python.call(scopes)
    assert seen["result"] == [2.0] * 4
    assert seen["kept"] == [3.0] * 4
    assert seen["lost"] == [2.0] * 4
    assert seen["alive"] == 3
    assert seen["inside"] is True
    assert seen["message"].startswith("tolist: tensor was disposed; got a tensor disposed of at ")
    assert "test_page_memory.py" in seen["message"]


def traced() -> list[Any]:
    import py_tensor as pt

    pt.memory_trace(True)
    many = [pt.ones((8, 8)) for _ in range(5)]
    trace = pt.memory_trace()
    pt.memory_trace(False)
    return [len(many), trace]


def test_trace_names_the_line(python: PagePython) -> None:
    count, trace = python.call(traced)
    (line,) = trace
    assert line.startswith("test_page_memory.py:")
    assert trace[line][:2] == [count, count * 8 * 8 * 4]
