"""Test values on WebAssembly while Python's memory grows, and after it is exhausted."""

from __future__ import annotations

from typing import Any

import pytest
from page_python import PagePython
from playwright.sync_api import Page

pytest_plugins = ["page_fixtures"]


@pytest.fixture
def lone_python(page: Page, pages_url: str, thread: str) -> PagePython:
    """Interpreter of a page of its own, whose memory does not shrink again."""
    return PagePython(page, pages_url, thread)


def grown() -> dict[str, Any]:
    """Return what a program reads before, while and after the memory grows."""
    import pyodide_js

    import py_tensor as pt

    pt.env.pool_limit = 0  # each value takes new memory

    def size() -> int:
        return int(pyodide_js._module.memory.buffer.byteLength)

    @pt.jit
    def step(x: Any, y: Any) -> Any:
        return pt.cumulative_sum(x % 5) + y.T.reshape((-1,)), pt.max(x)

    host = memoryview(bytes(range(256)) * 64)
    bytes_of_host = pt.asarray(host)
    x = pt.arange(16384, dtype="int32") * 3
    pending = x + 7
    y = (x % 11).reshape((64, 256))[::-1, ::2]
    y = pt.concat([y, y])
    first, largest = step(x, y)
    view, read = memoryview(first), first.tolist()
    loss, slope = pt.value_and_grad(lambda w: pt.sum(w * w))(pt.ones(1000) / 2)
    expected = [read, largest.item(), pending.tolist(), y.tolist(), loss.item(), slope.tolist()]
    start, held, seen = size(), [], {"backend": pt.get_backend(), "equal": []}
    for k in range(24):
        # The memory grows while the plan takes its results, after the addresses of its leaves.
        held.append(x.reshape((-1, 1)) + pt.arange(512, dtype="int32") * k)
        pt.realize(held[-1])
        again, largest = step(x, y)
        now = [again.tolist(), largest.item(), (x + 7).tolist(), y.tolist()]
        now += [loss.item(), slope.tolist()]
        seen["equal"].append(now == expected and view.tolist() == read)
    seen["grown"] = size() - start
    seen["kept"] = [each[-1, -1].item() for each in held]
    seen["bytes"] = pt.sum(bytes_of_host, dtype="int32").item()
    seen["pending"] = pending.tolist() == expected[2]
    return seen


def test_values_stay_while_the_memory_grows(lone_python: PagePython) -> None:
    seen = lone_python.call(grown)
    assert seen.pop("grown") > 500 << 20
    assert seen == {
        "backend": "wasm",
        "equal": [True] * 24,
        "kept": [16383 * 3 + 511 * k for k in range(24)],
        "bytes": sum(range(256)) * 64,
        "pending": True,
    }


def many_kernels() -> list[Any]:
    """Return results of more kernels than are kept, and the number that is kept."""
    import gc

    import py_tensor as pt

    x = pt.arange(40, dtype="int32")
    before = pt.env.program_limit, pt.env.plan_limit
    pt.env.program_limit, pt.env.plan_limit = 2, 3
    wrong = []
    try:
        for _ in range(2):
            for k in range(1, 30):
                y = x.reshape((k, -1)) if 40 % k == 0 else pt.roll(x, k) * x
                for _ in range(k % 5):
                    y = pt.where(y % 2 == 0, y, -y) + x[0]
                z = pt.sum(y, axis=0)
                z, y = z.tolist(), y.tolist()
                total = [sum(column) for column in zip(*y, strict=True)] if 40 % k == 0 else sum(y)
                wrong += [k] if z != total else []
        gc.collect()
        return [wrong, pt.memory().num_programs]
    finally:
        pt.env.program_limit, pt.env.plan_limit = before


def test_dropped_kernels_leave_their_places(python: PagePython) -> None:
    wrong, kept = python.call(many_kernels)
    assert wrong == []
    assert kept <= 12


def large() -> list[Any]:
    """Return numbers of tensors of 200 MB: sums, elements, and a transposed copy's."""
    import py_tensor as pt

    x = pt.arange(50_000_000, dtype="int32") % 7
    y = x.reshape((5000, 10_000)).T + 1
    pt.realize(x, y)
    total, rows = pt.sum(y), pt.sum(y, axis=1)
    seen = [y.nbytes, total.item(), rows[-1].item(), y[9999, 4999].item(), x[-3:].tolist()]
    del x
    z = y * 2
    pt.realize(z)
    return [*seen, pt.max(z).item(), z[0, :3].tolist()]


def test_tensors_of_200_megabytes(page: Page, pages_url: str) -> None:
    seen = PagePython(page, pages_url, "page").call(large)
    rows = [sum((10_000 * i + j) % 7 + 1 for i in range(5000)) for j in (9999,)]
    total = sum((k % 7 + 1) * (50_000_000 // 7 + (k < 50_000_000 % 7)) for k in range(7))
    last = [k % 7 for k in range(49_999_997, 50_000_000)]
    first = [2 * (10_000 * i % 7 + 1) for i in range(3)]
    assert seen == [200_000_000, total, *rows, last[-1] + 1, last, 14, first]


def exhausted() -> dict[str, Any]:
    """Fill the memory with blocks that nobody writes, and return what works then and later."""
    import pyodide_js

    import py_tensor as pt
    from py_tensor.runtime.executor import backend

    x = pt.arange(50_000, dtype="int32")
    kept = x * 3
    pending = kept + 1
    pt.realize(kept)
    step = pt.jit(lambda x: pt.cumulative_sum(x % 5)[-1])
    before = [kept.tolist(), step(kept).item()]
    blocks = []
    try:
        while True:
            blocks.append(backend().engine.memory.allocate(48 << 20))
    except MemoryError:
        size = pyodide_js._module.memory.buffer.byteLength
    errors = []
    for function in (
        lambda: pt.realize(pt.zeros(15_000_000) + 1.0),
        lambda: pt.sort(pt.zeros(15_000_000) + x[0]).tolist(),
        lambda: pt.jit(lambda x: x + pt.zeros((300, 1)))(x),
        lambda: pt.asarray(bytes(1)) * pt.ones((60_000_000,), dtype="uint8"),
    ):
        try:
            result = function()
            pt.realize(result)
            errors.append("none")
        except MemoryError as error:
            errors.append(f"{type(error).__name__}: {error}")
    seen = {"size": size, "errors": errors, "in use": pt.memory().num_bytes_in_gpu}
    seen["same"] = [kept.tolist(), step(kept).item()] == before
    seen["pending"] = pending.tolist() == [value + 1 for value in before[0]]
    blocks.clear()
    later = pt.zeros(15_000_000, dtype="int32") + kept[1]
    seen["later"] = pt.sum(later).item()
    return seen


def test_exhausted_memory_loses_nothing(lone_python: PagePython) -> None:
    seen = lone_python.call(exhausted)
    assert seen["size"] > 1 << 30
    for text in seen["errors"]:
        assert text.startswith("OutOfMemoryError: realize: memory is exhausted; got "), text
    assert seen["same"] and seen["pending"]
    assert seen["later"] == 45_000_000
