"""Test datasets in a page: without NumPy, on the event loop, on both threads."""

from __future__ import annotations

from typing import Any

from page_python import PagePython

pytest_plugins = ["page_fixtures"]


def batches(device: bool) -> list[Any]:
    from array import array

    import py_tensor as pt

    x = memoryview(array("f", range(30))).cast("B").cast("f", (10, 3))
    dataset = pt.data.from_arrays({"x": x, "y": list(range(10))}, device=device)
    first = [[batch["x"].tolist(), batch["y"].tolist()] for batch in dataset.batch(4)]
    rows = [row["x"].tolist() for row in dataset.skip(8)]
    order = [y for batch in dataset.shuffle(seed=2).batch(4) for y in batch["y"].tolist()]
    return [first, rows, order]


def test_batches_of_arrays(python: PagePython) -> None:
    rows = [[3.0 * n, 3.0 * n + 1, 3.0 * n + 2] for n in range(10)]
    numbers = list(range(10))
    expected = [[rows[at : at + 4], numbers[at : at + 4]] for at in (0, 4, 8)]
    for device in (False, True):
        got, last, order = python.call(batches, device)
        assert got == expected
        assert last == rows[8:]
        assert sorted(order) == numbers != order


async def prefetched() -> list[Any]:
    """Return how far a source runs ahead of a waiting loop and how often it was closed."""
    import asyncio

    import py_tensor as pt

    made = 0
    closed = []

    async def source() -> Any:
        nonlocal made
        try:
            while True:
                made += 1
                yield float(made), [made, made]
                await asyncio.sleep(0)
        finally:
            closed.append(made)

    ahead = []
    async for x, y in pt.data.from_generator(source).batch(2).prefetch(2):
        total = await (x.sum() + y.sum()).data()
        for _ in range(20):
            await asyncio.sleep(0)
        ahead.append([total[()], made])
        if len(ahead) == 4:
            break
    del x, y, total
    # The event loop closes one stage after another.
    for _ in range(20):
        await asyncio.sleep(0)
    return [ahead, len(closed)]


def test_prefetch_prepares_while_the_loop_waits(python: PagePython) -> None:
    ahead, closed = python.call(prefetched)
    # Batch k holds 2k + 1 and 2k + 2, once as floats, twice as integers.
    assert [total for total, _ in ahead] == [3 * (4 * k + 3) for k in range(4)]
    # The source has prepared two batches more than the loop has taken.
    assert [made for _, made in ahead] == [2 * (k + 3) for k in range(4)]
    assert closed == 1


def table() -> list[Any]:
    from pathlib import Path

    import py_tensor as pt

    path = Path("/tmp/table.csv")
    path.write_text("a,b,kind\n1,2.5,cat\n3,4.5,dog\n")
    dataset = pt.data.csv(path, labels="kind", dtypes={"kind": ["cat", "dog"]})
    return [[x.tolist(), y.tolist()] for x, y in dataset.batch(2)]


def test_csv(python: PagePython) -> None:
    assert python.call(table) == [[[[1.0, 2.5], [3.0, 4.5]], [0, 1]]]
