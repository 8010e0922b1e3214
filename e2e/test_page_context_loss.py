"""Test a lost WebGL context: the errors during the loss and recovery after it."""

from __future__ import annotations

from typing import Any

import pytest
from page_python import PagePython

pytest_plugins = ["page_fixtures"]


LOST = (
    "webgl: WebGL context lost; got no answer from the GPU; "
    "try again once the browser has restored it, or reload the page"
)


async def lost_at_rest() -> dict[str, Any]:
    """Return the errors of all operations that need the GPU while the context is lost."""
    import asyncio

    import js

    import py_tensor as pt
    from py_tensor.runtime.executor import backend

    async def message(function: Any) -> str:
        try:
            result = function()
            if asyncio.iscoroutine(result):
                await result
        except pt.errors.BackendError as error:
            return str(error)
        return "no error"

    host = pt.asarray([1.0, 2.0])
    on_gpu = host * 2.0
    pt.realize(on_gpu)
    canvas = js.OffscreenCanvas.new(1, 1)
    picture = pt.zeros((2, 2)) + 1.0
    pt.draw(picture, canvas)
    backend().bridge.lose_context()
    messages = [
        await message(lambda: on_gpu.tolist()),
        await message(lambda: on_gpu.data()),
        await message(lambda: (host + 1.0).tolist()),
        await message(lambda: pt.realize(pt.exp(host) * 3.0)),
        await message(lambda: pt.draw(picture, canvas)),
        await message(lambda: pt.from_pixels(js.ImageData.new(1, 1))),
    ]
    # The webglcontextlost event arrives in a later task.
    await asyncio.sleep(0.05)
    messages.append(await message(lambda: on_gpu.tolist()))
    return {"messages": messages, "host": host.tolist(), "memory": pt.memory().num_tensors}


def test_lost_while_idle(lossy_python: PagePython) -> None:
    seen = lossy_python.call(lost_at_rest)
    assert set(seen["messages"]) == {LOST}
    assert seen["host"] == [1, 2]
    assert seen["memory"] == 3


async def lost_and_restored() -> dict[str, Any]:
    import asyncio

    import py_tensor as pt
    from py_tensor.runtime.executor import backend

    pt.env.host_elements = 0  # small values would stay on the host
    bridge = backend().bridge

    def chain(x: Any) -> Any:
        return pt.softmax(pt.relu(x @ x.T - 0.5))

    host = pt.asarray([[1.0, 2.0], [3.0, 4.0]])
    on_gpu = host * 2.0
    pending = host * 3.0
    before = chain(host).tolist()
    pt.realize(on_gpu)
    programs = pt.memory().num_programs
    plans = pt.cache_info().plan_misses
    bridge.lose_context()
    await asyncio.sleep(0.05)
    lost = bridge.is_lost()
    bridge.restore_context()
    while bridge.is_lost():
        await asyncio.sleep(0.05)
    messages = []
    for read in (on_gpu.tolist, (on_gpu + host).tolist, (on_gpu + 1.0).tolist):
        try:
            messages.append(str(read()))
        except pt.errors.BackendError as error:
            messages.append(str(error))
    try:
        await on_gpu.data()
    except pt.errors.BackendError as error:
        messages.append(str(error))
    result = {
        "lost": lost,
        "messages": messages,
        "same": chain(host).tolist() == before,
        "pending": pending.tolist(),
        "fresh": (pt.asarray([5.0]) + 1.0).tolist(),
        "programs": pt.memory().num_programs - programs,
        "plans made": pt.cache_info().plan_misses - plans,
    }
    del host, on_gpu, pending, read
    memory = pt.memory()
    return result | {"left": [memory.num_tensors, memory.num_bytes_in_gpu], "error": bridge.error()}


GONE = (
    "realize: the tensor was lost with the WebGL context; got a tensor that existed only on the "
    "GPU; compute it again from tensors created by asarray"
)


def test_restored(lossy_python: PagePython) -> None:
    seen = lossy_python.call(lost_and_restored)
    assert seen["lost"] is True
    assert seen["messages"] == [GONE] * 4
    assert seen["same"] is True
    assert seen["pending"] == [[3, 6], [9, 12]]
    assert seen["fresh"] == [6]
    # Cached shaders and plans are reused; only two sums are new.
    assert seen["plans made"] == 3
    assert seen["left"] == [0, 0]
    assert seen["error"] == 0


async def pictures_after_restore() -> list[Any]:
    """Use images as the first operation in the restored context."""
    import asyncio

    import js

    import py_tensor as pt
    from py_tensor.runtime.executor import backend

    bridge = backend().bridge
    canvas = js.OffscreenCanvas.new(1, 1)
    seen = []
    for verb in ("draw", "from_pixels"):
        picture = pt.full((2, 2, 4), 254, dtype="uint8") + 1
        pt.draw(picture, canvas)
        bridge.lose_context()
        await asyncio.sleep(0.05)
        bridge.restore_context()
        while bridge.is_lost():
            await asyncio.sleep(0.05)
        if verb == "draw":
            try:
                pt.draw(picture, canvas)
            except pt.errors.BackendError as error:
                seen.append(str(error))
            pt.draw(pt.asarray([[1.0]]), canvas)
            seen.append(list(canvas.getContext("2d").getImageData(0, 0, 1, 1).data.to_py()))
        else:
            seen.append((pt.from_pixels(canvas) + 1).tolist())
    return seen


def test_pictures_after_restore(lossy_python: PagePython) -> None:
    assert lossy_python.call(pictures_after_restore) == [
        GONE,
        [255, 255, 255, 255],
        [[[0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]]],
    ]


async def lost_in_flight() -> list[Any]:
    import asyncio

    import py_tensor as pt
    from py_tensor.runtime.executor import backend

    x = pt.ones((256, 256)) / 256.0
    for _ in range(8):
        x = x @ x
    reads = [asyncio.ensure_future(x.data()), asyncio.ensure_future((x + 1.0).data())]
    await asyncio.sleep(0)
    backend().bridge.lose_context()
    results = await asyncio.wait_for(asyncio.gather(*reads, return_exceptions=True), 300)
    return [f"{type(result).__name__}: {result}" for result in results]


def test_lost_while_read(lossy_python: PagePython) -> None:
    assert lossy_python.call(lost_in_flight) == [f"BackendError: {LOST}"] * 2


async def lost_while_python_waits() -> str:
    """Return the error of a blocking read that waits through JSPI during the loss."""
    import js
    from pyodide.ffi import create_once_callable

    import py_tensor as pt
    from py_tensor.runtime.executor import backend

    x = pt.ones((512, 512)) / 512.0
    for _ in range(12):
        x = x @ x
    pt.realize(x)
    js.setTimeout(create_once_callable(backend().bridge.lose_context), 0)
    try:
        x.tolist()
    except pt.errors.BackendError as error:
        return str(error)
    return "no error"


@pytest.mark.parametrize("thread", ["page"])
def test_lost_while_python_waits(lossy_python: PagePython) -> None:
    assert lossy_python.call(lost_while_python_waits) == LOST


async def many_times() -> list[Any]:
    """Return results and GPU bytes before each of several losses, all from the same host data."""
    import asyncio

    import py_tensor as pt
    from py_tensor.runtime.executor import backend

    bridge = backend().bridge
    w = pt.asarray([[0.5, 0.25], [1.0, -1.0]])
    seen = []
    for step in range(4):
        x = pt.asarray([[1.0, float(step)]])
        seen.append([(x @ w).tolist(), pt.memory().num_bytes_in_gpu])
        bridge.lose_context()
        await asyncio.sleep(0.02)
        bridge.restore_context()
        while bridge.is_lost():
            await asyncio.sleep(0.02)
    return seen


def test_lost_again_and_again(lossy_python: PagePython) -> None:
    seen = lossy_python.call(many_times)
    assert [values for values, _ in seen] == [[[0.5 + n, 0.25 - n]] for n in range(4)]
    assert len({count for _, count in seen}) == 1
