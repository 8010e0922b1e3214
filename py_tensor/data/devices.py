"""Camera and microphone of a web page as sources of tensors.

Input: streams that the user permits. Output: images, waveforms and spectrograms. Both need the
page's document; in a worker, let the page send frames, and read them with `pt.from_pixels`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

from ..errors import ArgumentError, BackendError
from ..functions.arguments import choice, flag, integer, number
from ..functions.conversion import asarray
from ..functions.joining import stack
from ..functions.sliding_windows import per_axis
from ..images import from_pixels, next_frame
from ..tensor import Tensor

try:
    import js
    from pyodide.ffi import JsException, to_js
except ImportError:  # CPython outside of a page: each function raises BackendError
    js = None


async def _stream(operation: str, **constraints: Any) -> Any:
    """Ask the user for a stream."""
    if js is None or not hasattr(js, "document"):
        raise BackendError(
            f"{operation}: needs the thread of a web page; got none; call it in the page, and send "
            "frames to workers"
        )
    options = to_js(constraints, dict_converter=js.Object.fromEntries)
    try:
        return await js.navigator.mediaDevices.getUserMedia(options)
    except JsException as error:
        raise BackendError(
            f"{operation}: the device cannot be used; got {error}; connect one, and allow the page "
            "to use it"
        ) from None


def _stop(stream: Any) -> None:
    for track in stream.getTracks():
        track.stop()


class Webcam:
    """Camera that gives images; create it with `webcam`.

    `async for image in camera` gives images until the camera is stopped.
    """

    def __init__(self, video: Any, stream: Any, size: tuple[int, int] | None, crop: bool) -> None:
        self._video = video
        self._stream = stream
        self._size = size
        self._crop = crop
        self._canvas = js.OffscreenCanvas.new(*reversed(size)) if size else None

    def capture(self) -> Tensor:
        """Return the current image.

        Returns:
            uint8 tensor of shape (height, width, 3).

        Raises:
            BackendError: If there is no WebGL2 context.

        In a page:

            image = camera.capture()
        """
        if self._size is None or self._canvas is None:
            return from_pixels(self._video)
        height, width = self._size
        across, down = self._video.videoWidth, self._video.videoHeight
        shown = (across, down)
        if self._crop:
            scale = min(across / width, down / height)
            shown = (width * scale, height * scale)
        corner = ((across - shown[0]) / 2, (down - shown[1]) / 2)
        flat = self._canvas.getContext("2d")
        flat.drawImage(self._video, *corner, *shown, 0, 0, width, height)
        return from_pixels(self._canvas)

    async def __aiter__(self) -> AsyncIterator[Tensor]:
        while self._stream.active:
            yield self.capture()
            await next_frame()

    def stop(self) -> None:
        """Release the camera; the last image stays.

        In a page:

            camera.stop()
        """
        _stop(self._stream)


async def webcam(
    video: Any = None,
    *,
    size: tuple[int, int] | None = None,
    center_crop: bool = False,
    facing_mode: str = "user",
    device_id: str | None = None,
) -> Webcam:
    """Start the camera; the browser asks the user for permission.

    Args:
        video: HTMLVideoElement that shows the images; None (default) for a hidden one.
        size: Height and width of the images in pixels; None (default) for the size of
            the camera's images.
        center_crop: Cut off edges to keep the proportions for `size`, instead of stretching; False
            by default.
        facing_mode: "user" (default) for the front camera, or "environment".
        device_id: Preferred camera, as in `navigator.mediaDevices.enumerateDevices()`; None
            (default) for any.

    Returns:
        `Webcam` with the methods `capture` and `stop`.

    Raises:
        ArgumentError: If `facing_mode` or `size` is invalid.
        BackendError: In a worker, outside of pages, and if there is no camera or no permission.

    In a page:

        camera = await pt.data.webcam(size=(224, 224), center_crop=True)
        image = camera.capture().astype("float32") / 255.0
        camera.stop()
    """
    facing_mode = choice("webcam", "facing_mode", facing_mode, ("user", "environment"))
    if size is not None:
        height, width = per_axis("webcam", "size", size, 1, 2)
        size = (height, width)
    center_crop = flag("webcam", "center_crop", center_crop)
    wanted: dict[str, Any] = {"facingMode": facing_mode}
    if device_id is not None:
        wanted["deviceId"] = device_id
    stream = await _stream("webcam", video=wanted)
    video = js.document.createElement("video") if video is None else video
    video.srcObject = stream
    video.muted = video.playsInline = True
    await video.play()
    return Webcam(video, stream, size, center_crop)


class SoundRecording(NamedTuple):
    """Result of `Microphone.capture`."""

    spectrogram: Tensor
    """Levels in decibels of shape (frames, columns, 1); float32."""
    waveform: Tensor
    """Samples of shape (frames * fft_size, 1), from about -1 to 1; float32."""


class Microphone:
    """Microphone that gives recordings; create it with `microphone`."""

    def __init__(self, stream: Any, analyser: Any, frames: int, columns: int) -> None:
        self._stream = stream
        self._analyser = analyser
        self._frames = frames
        self._columns = columns

    async def capture(self) -> SoundRecording:
        """Record frames and return their waveform and spectrum.

        Returns:
            `pt.data.Recording` with a spectrogram and a waveform.

        In a page:

            sound = await mic.capture()
            print(sound.spectrogram.shape)
        """
        analyser, context = self._analyser, self._analyser.context
        levels = js.Float32Array.new(analyser.frequencyBinCount)
        samples = js.Float32Array.new(analyser.fftSize)
        columns, waves = [], []
        for _ in range(self._frames):
            await asyncio.sleep(analyser.fftSize / context.sampleRate)
            analyser.getFloatFrequencyData(levels)
            analyser.getFloatTimeDomainData(samples)
            columns.append(_vector(levels)[: self._columns])
            waves.append(_vector(samples))
        return SoundRecording(stack(columns)[:, :, None], stack(waves).reshape((-1, 1)))

    def stop(self) -> None:
        """Release the microphone.

        In a page:

            mic.stop()
        """
        _stop(self._stream)
        self._analyser.context.close()


def _vector(numbers: Any) -> Tensor:
    """Return a copy of a Float32Array."""
    return asarray(memoryview(numbers.to_bytes()).cast("f"), dtype="float32")


async def microphone(
    *,
    fft_size: int = 1024,
    frames: int = 43,
    columns: int | None = None,
    sample_rate: int | None = None,
    smoothing: float = 0.0,
) -> Microphone:
    """Start the microphone; the browser asks the user for permission.

    Args:
        fft_size: Number of samples in a frame, a power of 2 from 32 to 32768; 1024 by default.
        frames: Number of frames in a recording; 43 by default, about a second.
        columns: Number of frequencies of a spectrogram, from the lowest; None (default) for all,
            half of `fft_size`.
        sample_rate: Samples per second; None (default) for the rate of the device.
        smoothing: Share of the spectrum before in each spectrum, from 0 to below 1; 0.0 by default.

    Returns:
        `Microphone` with the methods `capture` and `stop`.

    Raises:
        ArgumentError: If a number is out of range.
        BackendError: In a worker, outside of pages, and if there is no microphone or no permission.

    In a page:

        mic = await pt.data.microphone(frames=20)
        sound = await mic.capture()
        mic.stop()
    """
    fft_size = integer("microphone", "fft_size", fft_size)
    frames = integer("microphone", "frames", frames, 1)
    columns = fft_size // 2 if columns is None else integer("microphone", "columns", columns)
    smoothing = number("microphone", "smoothing", smoothing)
    if sample_rate is not None:
        sample_rate = integer("microphone", "sample_rate", sample_rate, 1)
    if not 32 <= fft_size <= 32768 or fft_size & (fft_size - 1):
        raise ArgumentError(
            f"microphone: fft_size is invalid; got {fft_size}; use a power of 2 from 32 to 32768"
        )
    if not 1 <= columns <= fft_size // 2 or not 0.0 <= smoothing < 1.0:
        raise ArgumentError(
            f"microphone: option is out of range; got columns {columns}, smoothing {smoothing}; "
            f"use 1 to {fft_size // 2} columns and a smoothing from 0 to below 1"
        )
    stream = await _stream("microphone", audio=True)
    rate = {} if sample_rate is None else {"sampleRate": sample_rate}
    context = js.AudioContext.new(to_js(rate, dict_converter=js.Object.fromEntries))
    analyser = context.createAnalyser()
    analyser.fftSize = fft_size
    analyser.smoothingTimeConstant = smoothing
    context.createMediaStreamSource(stream).connect(analyser)
    context.resume()  # browsers may start it suspended
    return Microphone(stream, analyser, frames, columns)
