"""Test pt.frames in a page and in a worker: the clock, the pointer, and its end."""

from __future__ import annotations

from typing import Any

from page_python import PagePython

pytest_plugins = ["page_fixtures"]


async def followed() -> list[Any]:
    """Return the frames before and after events on a canvas."""
    import js
    from pyodide.ffi import to_js

    import py_tensor as pt

    on_page = hasattr(js, "document")
    if on_page:
        canvas = js.document.createElement("canvas")
        canvas.style.width, canvas.style.height = "200px", "100px"
        js.document.body.append(canvas)
    else:
        canvas = js.OffscreenCanvas.new(200, 100)

    def send(kind: str, x: float, y: float, buttons: int) -> None:
        event = js.Event.new(kind)
        fields = to_js(
            {"offsetX": x, "offsetY": y, "buttons": buttons}, dict_converter=js.Object.fromEntries
        )
        js.Object.assign(event, fields)
        canvas.dispatchEvent(event)

    events = [
        ("pointermove", 50, 25, 0),
        ("pointerdown", 100, 25, 1),
        ("pointermove", 150, 75, 1),
        ("pointerup", 150, 75, 0),
        ("pointerdown", 20, 20, 1),
        ("pointerleave", 200, 20, 1),
    ]
    seen = []
    async for frame in pt.frames(canvas):
        seen.append(frame)
        if frame.number == len(events):
            break
        send(*events[frame.number])
    if on_page:
        canvas.remove()
    times = [frame.time for frame in seen]
    return [[[*frame[2:]] for frame in seen], times[0], times == sorted(set(times))]


def test_frames_have_the_time_and_the_pointer(python: PagePython) -> None:
    seen, first, ascending = python.call(followed)
    assert seen == [
        [0.5, 0.5, False],
        [0.25, 0.25, False],
        [0.5, 0.25, True],
        [0.75, 0.75, True],
        [0.75, 0.75, False],
        [0.1, 0.2, True],
        [1.0, 0.2, False],
    ]
    assert first == 0.0 and ascending


async def cancelled() -> str:
    """Cancel a task while it waits for a frame, then wait for that frame."""
    import asyncio

    import js

    import py_tensor as pt

    target = js.EventTarget.new()

    async def endless() -> None:
        async for _ in pt.frames(target):
            pass

    task = asyncio.ensure_future(endless())
    await pt.next_frame()
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        await pt.next_frame()
        return "cancelled"
    return "finished"


def test_frames_are_cancelled(python: PagePython) -> None:
    # An error in the callback of the frame, or a listener that is left, fails the test.
    assert python.call(cancelled) == "cancelled"
