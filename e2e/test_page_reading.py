"""Test that every kind of read returns exact values from the page's GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from page_python import WEBGL, PagePython

pytest_plugins = ["page_fixtures"]

DTYPES = ("float32", "float16", "int32", "uint32", "int16", "uint16", "int8", "uint8", "bool")
ROW = 4 * 2048
SIZES = (0, 1, 3, 4, 5, 4095, 4096, 4097, ROW - 1, ROW, ROW + 1, 3 * ROW + 2)


def as_asked(dtype: str, size: int) -> str:
    """Read a GPU tensor with the blocking functions and return a description of errors."""
    import struct

    import py_tensor as pt

    code = getattr(pt, dtype).code
    few = [False, True] if dtype == "bool" else [0, 1, 2, 3, 5, 100, 7]
    values = [few[i * i % len(few)] for i in range(size)]
    tensor = pt.flip(pt.asarray(values, dtype=dtype))
    values.reverse()
    if tensor.tolist() != values:
        return "tolist"
    if bytes(memoryview(tensor)) != struct.pack(f"={size}{code}", *values):
        return "memoryview"
    return ""


async def as_awaited(dtype: str, size: int) -> str:
    """Read a GPU tensor with the non-blocking functions and return a description of errors."""
    import struct

    import py_tensor as pt

    code = getattr(pt, dtype).code
    few = [False, True] if dtype == "bool" else [0, 1, 2, 3, 5, 100, 7]
    values = [few[i * i % len(few)] for i in range(size)]
    tensor = pt.flip(pt.asarray(values, dtype=dtype))
    values.reverse()
    data = await tensor.data()
    if (data.format, data.shape) != (code, (size,)):
        return f"data gives {data.format}, {data.shape}"
    if data.tobytes() != struct.pack(f"={size}{code}", *values):
        return "data"
    return "" if tensor.tolist() == values else "tolist after data"


async def cancelled() -> bool:
    """Cancel reads, and return True if memory that is allocated afterwards keeps its values."""
    import asyncio
    import contextlib

    import py_tensor as pt

    tensor = pt.ones(1 << 16) * 2.0
    pt.realize(tensor)
    others = []
    for _ in range(20):
        task = asyncio.ensure_future(tensor.data())
        await asyncio.sleep(0)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        others += [bytearray(tensor.nbytes), bytearray(tensor.nbytes)]
    await tensor.data()
    await asyncio.sleep(0.1)
    return not any(map(any, others))


@pytest.mark.parametrize("backend", ["webgl", "webgpu"])
def test_cancelled_reads_leave_other_memory_alone(python: PagePython) -> None:
    assert python.call(cancelled)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_size(python: PagePython, dtype: str) -> None:
    for size in SIZES:
        assert python.call(as_awaited, dtype, size) == "", size
        assert python.call(as_asked, dtype, size) == "", size
        assert python.call_blocking(as_asked, dtype, size) == "", size


async def read_large(dtype: str) -> list[bool]:
    from array import array

    import py_tensor as pt

    few = array(getattr(pt, dtype).code, [1, 2, 3, 50, 60])
    host = few * 2_000_000
    tensor = pt.flip(pt.asarray(host))
    host = host[::-1]
    return [
        (await tensor.data()).tobytes() == host.tobytes(),
        memoryview(tensor) == memoryview(host),
    ]


@pytest.mark.parametrize("dtype", ["float32", "int16", "uint8"])
def test_ten_million_elements(python: PagePython, dtype: str) -> None:
    assert python.call(read_large, dtype) == [True, True]


async def read_many() -> list[Any]:
    """Read many tensors concurrently, starting some while others are pending."""
    import asyncio

    import py_tensor as pt

    tensors = [pt.arange(n, dtype="float32") * 2.0 for n in (3, 9000, 1, 70_000)]
    reads = [asyncio.ensure_future(tensor.data()) for tensor in tensors]
    await asyncio.sleep(0)
    last = tensors[3][-1].item()
    # Growing Python's memory detaches every view that JavaScript holds.
    room = [bytearray(30_000_000) for _ in range(4)]
    results = await asyncio.gather(*reads)
    return [
        last,
        len(room),
        *(
            result.tolist() == tensor.tolist()
            for result, tensor in zip(results, tensors, strict=True)
        ),
    ]


def test_reads_in_flight_together(python: PagePython) -> None:
    assert python.call(read_many) == [2 * 69_999, 4, True, True, True, True]


async def read_the_dying() -> list[float]:
    """Dispose of a tensor while its read is pending."""
    import asyncio

    import py_tensor as pt

    tensor = pt.arange(50_000, dtype="float32") + 0.5
    read = asyncio.ensure_future(tensor.data())
    await asyncio.sleep(0)
    tensor.dispose()
    del tensor
    other = pt.realize(pt.zeros(50_000) + 1.0)
    del other
    data = await read
    return [data[0], data[49_999]]


def test_disposed_while_read(python: PagePython) -> None:
    assert python.call(read_the_dying) == [0.5, 49_999.5]


def through_the_buffer_protocol() -> list[Any]:
    import struct

    import py_tensor as pt

    tensor = pt.asarray([[1, 2, 3], [4, 5, 6]], dtype="int16") * 2
    view = memoryview(tensor)
    half = memoryview(pt.asarray([0.5, -2.0], dtype="float16") + 0.0)
    truth = memoryview(pt.asarray([[True], [False]]))
    scalar = memoryview(pt.asarray(1.0) + 1.0)
    return [
        [view.format, view.shape, view.itemsize, view.tolist()],
        [half.format, half.shape, list(struct.unpack("=2e", half))],
        [truth.format, truth.shape, truth.tolist()],
        [scalar.format, scalar.shape, scalar.tolist()],
        list(struct.unpack_from("=3h", tensor, 6)),
        bytes(tensor).hex(),
    ]


def test_buffer_protocol(python: PagePython) -> None:
    assert python.call(through_the_buffer_protocol) == [
        ["h", [2, 3], 2, [[2, 4, 6], [8, 10, 12]]],
        ["e", [2], [0.5, -2.0]],
        ["?", [2, 1], [[True], [False]]],
        ["f", [], 2.0],
        [8, 10, 12],
        "0200040006000800" + "0a000c00",
    ]


def to_javascript() -> list[Any]:
    import js
    from pyodide.ffi import to_js

    import py_tensor as pt

    values = to_js(memoryview(pt.asarray([1.5, 2.5]) * 2.0))
    back = pt.asarray(js.Float32Array.new(values).to_memoryview())
    return [js.Object.prototype.toString.call(values), (back + 1.0).tolist()]


def test_typed_arrays(python: PagePython) -> None:
    assert python.call(to_javascript) == ["[object Float32Array]", [4.0, 6.0]]


def numpy_is_missing() -> str:
    import py_tensor as pt

    try:
        pt.ones(2).numpy()
    except ImportError as error:
        return str(error)
    return "no error"


def test_numpy_is_missing(python: PagePython) -> None:
    assert python.call(numpy_is_missing) == (
        "numpy: NumPy is not installed; got no module numpy; use tolist() or memoryview(t)"
    )


TICKER = "let n = 0; setInterval(() => { n += 1; }, 4); () => n"


async def many_tiny_reads(ticker: str, blocking: bool, most: int) -> list[int]:
    """Return draws and timer ticks of a loop with host values, which ends after 10 ticks."""
    from pyodide.code import run_js

    import py_tensor as pt

    ticks = run_js(ticker)
    x = pt.asarray([1.0, 2.0])
    draws, before = pt.cache_info().draws, ticks()
    for _ in range(most):
        y = (x + 1.0).sum()
        assert (y.item() if blocking else (await y.data())[()]) == 5.0
        if ticks() - before >= 10:
            break
    return [pt.cache_info().draws - draws, ticks() - before]


@pytest.mark.parametrize("blocking", [False, True], ids=["data", "item"])
def test_page_stays_responsive_in_a_loop_of_tiny_reads(python: PagePython, blocking: bool) -> None:
    # In a worker only awaiting code needs the event loop.
    is_deaf = blocking and python.thread == "worker"
    draws, ticks = python.call(many_tiny_reads, TICKER, blocking, 3_000 if is_deaf else 20_000)
    assert draws == 0
    assert ticks == 0 if is_deaf else ticks >= 10


def heavy_read(ticker: str, products: int) -> int:
    """Return timer ticks while a blocking read waits for products of matrices."""
    from pyodide.code import run_js

    import py_tensor as pt

    ticks = run_js(ticker)
    x = pt.ones((512, 512)) / 512.0
    # Compile and run once, so that the ticks of the wait alone are counted.
    assert (x @ x)[0, 0].item() > 0
    for _ in range(products):
        x = x @ x
    first = x[0, 0]
    pt.realize(first)
    before = ticks()
    assert first.item() > 0
    return ticks() - before


async def heavy_await(ticker: str, products: int) -> int:
    from pyodide.code import run_js

    import py_tensor as pt

    ticks = run_js(ticker)
    x = pt.ones((512, 512)) / 512.0
    assert (x @ x)[0, 0].item() > 0
    for _ in range(products):
        x = x @ x
    first = x[0, 0]
    pt.realize(first)
    before = ticks()
    assert (await first.data())[()] > 0
    return ticks() - before


def most_ticks(python: PagePython, function: Callable[..., Any]) -> int:
    """Return timer ticks during a wait, of which a quick GPU has to compute more until it lasts."""
    for products in (16, 64, 256, 1024):
        ticks: int = python.call(function, TICKER, products)
        if ticks > 3:
            break
    return ticks


@WEBGL
def test_page_stays_responsive_while_python_waits(python: PagePython) -> None:
    assert most_ticks(python, heavy_await) > 3
    if python.thread == "page":
        assert most_ticks(python, heavy_read) > 3
    else:  # no page freezes, and blocking is faster
        assert python.call(heavy_read, TICKER, 16) == 0


def many_quick_reads(ticker: str, most: int) -> list[int]:
    """Return reads and timer ticks of a loop, which ends after 10 ticks."""
    from pyodide.code import run_js

    import py_tensor as pt

    ticks = run_js(ticker)
    x = pt.ones((4, 4))
    reads = 0
    before = ticks()
    while reads < most and ticks() - before < 10:
        assert (x + 1.0).tolist()[0][0] == 2.0
        reads += 1
    return [reads, ticks() - before]


def test_page_stays_responsive_in_a_loop_of_quick_reads(python: PagePython) -> None:
    is_page = python.thread == "page"
    reads, ticks = python.call(many_quick_reads, TICKER, 5_000 if is_page else 100)
    assert ticks >= 10 if is_page else (reads, ticks) == (100, 0)


def test_blocking_if_python_cannot_wait(python: PagePython) -> None:
    assert python.call_blocking(heavy_read, TICKER, 16) == 0
