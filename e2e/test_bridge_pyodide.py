"""Test the bridge in Pyodide: Python buffers, waiting and errors."""

from __future__ import annotations

from page_fixtures import WEBGL
from page_python import PagePython

pytest_plugins = ["page_fixtures"]
pytestmark = WEBGL


def round_trips() -> list[str]:
    import random
    from array import array

    from py_tensor.runtime.backends.pyodide import load_bridge

    bridge = load_bridge()
    wrong = []
    # Small and large buffers use different code paths.
    for size in (0, 1, 5, 4096, 8192, 1 << 18, (1 << 18) + 3, 1 << 20):
        data = random.randbytes(size)
        texels = max(1, -(-size // 4))
        shape = (min(texels, 2048), -(-texels // 2048))
        kinds = {
            "bytes": data,
            "bytearray": bytearray(data),
            "array": array("B", data),
            "view": memoryview(data),
            "slice": memoryview(b"?" + data)[1:],
            "rows": memoryview(data).cast("B", (2, size // 2)) if size and size % 2 == 0 else data,
        }
        for kind, source in kinds.items():
            bridge.upload(1, 7, *shape, source)
            target = bytearray(size)
            bridge.read(1, memoryview(target))
            bridge.free(1)
            if target != data:
                wrong.append(f"{kind} {size}")
    wrong += [f"error {bridge.error():#x}"] if bridge.error() else []
    bridge.destroy()
    return wrong


def test_all_kinds_of_buffers_round_trip(python: PagePython) -> None:
    assert python.call(round_trips) == []


def test_buffers_round_trip_if_python_cannot_wait(python: PagePython) -> None:
    assert python.call_blocking(round_trips) == []


async def awaited() -> list[object]:
    import asyncio
    from array import array

    from py_tensor.runtime.backends.pyodide import load_bridge

    bridge = load_bridge()
    bridge.upload(1, 0, 1, 1, array("f", [1, 2, 3]))
    bridge.upload(2, 0, 1, 1, array("f", [4, 5, 6]))
    first, second = array("f", bytes(12)), array("f", bytes(12))
    await asyncio.gather(bridge.read_async(1, first), bridge.read_async(2, second))
    result = [first.tolist(), second.tolist(), bridge.stats()["reads"]]
    bridge.destroy()
    return result


def test_two_reads_are_awaited_together(python: PagePython) -> None:
    assert python.call(awaited) == [[1, 2, 3], [4, 5, 6], 2]


def ticks_while_reading() -> int:
    import asyncio
    from array import array

    from py_tensor.runtime.backends.pyodide import load_bridge

    bridge = load_bridge()
    bridge.upload(1, 0, 1, 1, array("f", [1, 2, 3]))
    ticks = []
    target = array("f", bytes(12))
    asyncio.get_event_loop().call_soon(ticks.append, 1)
    bridge.read(1, target)
    bridge.destroy()
    return len(ticks)


def test_a_blocking_read_keeps_the_page_responsive(python: PagePython) -> None:
    assert python.call(ticks_while_reading) == (1 if python.thread == "page" else 0)


def errors() -> list[list[str]]:
    from array import array

    from py_tensor.runtime.backends.pyodide import load_bridge

    bridge = load_bridge()
    bridge.program(1, "wrong", "#version 300 es\nvoid main() { x; }")
    bridge.plan(1, array("i", [0, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0]))
    seen = []

    def note(action: object, *values: object) -> None:
        try:
            action(*values)
        except Exception as error:
            seen.append([type(error).__name__, str(error).split("\n")[0]])

    note(bridge.run, 1, array("i", [bridge.generation(), 5]).tobytes())
    note(bridge.read, 9, bytearray(4))
    note(bridge.upload, 1, 9, 1, 1, b"1234")
    note(bridge.pixel_size, object())
    bridge.destroy()
    return seen


def test_errors_are_the_packages_own(python: PagePython) -> None:
    assert python.call(errors) == [
        ["ShaderError", "shader wrong: ERROR: 0:2: 'x' : undeclared identifier"],
        ["BackendError", "no buffer 9"],
        ["BackendError", "no format 9; formats are 0 to 8"],
        [
            "ArgumentTypeError",
            "from_pixels: the source is not a picture; got a Python object; pass an image, a "
            "canvas, a video, a VideoFrame, an ImageBitmap, an ImageData or { data, width, "
            "height } with 4 bytes a pixel",
        ],
    ]


async def lost_and_found() -> list[object]:
    import asyncio
    from array import array

    from py_tensor.runtime.backends.pyodide import load_bridge

    bridge = load_bridge()
    bridge.upload(1, 0, 1, 1, array("f", [1, 2, 3]))
    before = bridge.generation()
    target = array("f", bytes(12))
    reading = asyncio.ensure_future(bridge.read_async(1, target))
    await asyncio.sleep(0)
    bridge.lose_context()
    seen = [bridge.is_lost()]
    for awaitable in (reading, bridge.read_async(1, target)):
        try:
            await awaitable
        except Exception as error:
            seen.append(f"{type(error).__name__}: {error}")
    bridge.restore_context()
    while bridge.is_lost():
        await asyncio.sleep(0.01)
    bridge.upload(1, 0, 1, 1, array("f", [4, 5, 6]))
    bridge.read(1, target)
    seen += [bridge.generation() - before, target.tolist(), bridge.error()]
    bridge.destroy()
    return seen


def test_a_lost_context_rejects_and_is_restored(python: PagePython) -> None:
    lost = (
        "BackendError: webgl: WebGL context lost; got no answer from the GPU; "
        "try again once the browser has restored it, or reload the page"
    )
    assert python.call(lost_and_found) == [True, lost, lost, 1, [4, 5, 6], 0]
