"""Test the camera and the microphone with the browser's fake devices."""

from __future__ import annotations

from typing import Any

import pytest
from page_python import PagePython

pytest_plugins = ["page_fixtures"]


# Workers have no camera.
on_page = pytest.mark.parametrize("thread", ["page"])


async def pictures() -> list[Any]:
    """Return shapes, dtypes and numbers of colors of images, and whether the camera stopped."""
    import py_tensor as pt

    camera = await pt.data.webcam()
    small = await pt.data.webcam(size=(24, 32), center_crop=True)
    whole, cropped = camera.capture(), small.capture()
    found: list[Any] = [
        whole.shape,
        whole.dtype.name,
        cropped.shape,
        len(set(whole.flatten().tolist())) > 1,
    ]
    count = 0
    async for image in small:
        count += image.shape == (24, 32, 3)
        if count == 3:
            small.stop()
    camera.stop()
    found.append(count)
    return found


@on_page
def test_webcam(python: PagePython) -> None:
    shape, dtype, small, several, count = python.call(pictures)
    assert len(shape) == 3 and shape[2] == 3 and min(shape) > 0
    assert dtype == "uint8"
    assert small == [24, 32, 3]
    assert several
    assert count == 3


async def sound() -> list[Any]:
    import py_tensor as pt

    # The fake device beeps once per second.
    mic = await pt.data.microphone(fft_size=1024, frames=60, columns=100)
    recording = await mic.capture()
    mic.stop()
    loudest = pt.max(pt.abs(recording.waveform)).item()
    return [recording.spectrogram.shape, recording.waveform.shape, loudest]


@on_page
def test_microphone(python: PagePython) -> None:
    spectrogram, waveform, loudest = python.call(sound)
    assert spectrogram == [60, 100, 1]
    assert waveform == [61440, 1]
    # Resampling exceeds the range a little.
    assert 0.1 < loudest < 1.5


async def mistakes() -> list[str]:
    """Return the messages of invalid calls, and of one that the user does not permit."""
    import js

    import py_tensor as pt

    if hasattr(js, "document"):
        own = js.navigator.mediaDevices.getUserMedia
        denied = "new DOMException('denied', 'NotAllowedError')"
        js.eval(f"navigator.mediaDevices.getUserMedia = async () => {{ throw {denied}; }}")
    messages = []
    for call in (
        pt.data.webcam(),
        pt.data.webcam(facing_mode="back"),
        pt.data.webcam(size=(0, 3)),
        pt.data.microphone(fft_size=100),
        pt.data.microphone(columns=600),
    ):
        try:
            await call
        except pt.errors.TensorError as error:
            messages.append(f"{type(error).__name__}: {error}")
    if hasattr(js, "document"):
        js.navigator.mediaDevices.getUserMedia = own
    return messages


def test_mistakes(python: PagePython) -> None:
    none, *others = python.call(mistakes)
    problem = (
        "the device cannot be used; got NotAllowedError: denied"
        if python.thread == "page"
        else "needs the thread of a web page; got none"
    )
    assert none.startswith(f"BackendError: webcam: {problem}")
    assert others == [
        'ArgumentError: webcam: facing_mode is unknown; got \'back\'; use "user" or "environment"',
        "ArgumentError: webcam: size is invalid; got (0, 3); use a number or two of at least 1",
        "ArgumentError: microphone: fft_size is invalid; got 100; use a power of 2 from 32 to "
        "32768",
        "ArgumentError: microphone: option is out of range; got columns 600, smoothing 0.0; use 1 "
        "to 512 columns and a smoothing from 0 to below 1",
    ]


async def frames(count: int) -> list[Any]:
    """Return the numbers of the frames that were waited for, and RGBA pixels."""
    import js
    from pyodide.code import run_js

    import py_tensor as pt

    frame = run_js(
        "let n = 0; const next = () => { n += 1; requestAnimationFrame(next); };"
        "requestAnimationFrame(next); () => n"
    )
    numbers = []
    for _ in range(count):
        await pt.next_frame()
        numbers.append(frame())
    canvas = js.OffscreenCanvas.new(1, 1)
    pixels = await pt.to_pixels(pt.asarray([[0.0, 1.0]]), canvas)
    return [numbers, list(pixels), canvas.width]


def test_frames_and_pixels(python: PagePython) -> None:
    numbers, pixels, width = python.call(frames, 3)
    assert numbers == sorted(set(numbers))
    assert pixels == [0, 0, 0, 255, 255, 255, 255, 255]
    assert width == 2
