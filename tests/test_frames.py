"""`pt.frames` outside of pages; e2e/test_page_frames.py tests it in a page."""

from __future__ import annotations

import pytest
from event_loop import run

import py_tensor as pt

pytestmark = pytest.mark.host


def test_frames_are_counted_and_timed() -> None:
    async def three() -> list[pt.Frame]:
        found = []
        async for frame in pt.frames():
            found.append(frame)
            if frame.number == 2:
                break
        return found

    frames = run(three())
    assert [frame.number for frame in frames] == [0, 1, 2]
    assert frames[0].time == 0.0 < frames[1].time < frames[2].time
    assert {frame[2:] for frame in frames} == {(0.5, 0.5, False)}


def test_something_without_events_is_refused_at_once() -> None:
    with pytest.raises(pt.errors.ArgumentError, match="frames: canvas has no events; got a canvas"):
        pt.frames("a canvas")
