"""Read images, canvases and videos of the page into tensors, and draw tensors to canvases.

The backend copies the pixels (`Pixels`): WebGL2 and WebGPU between the browser and the GPU, other
backends through ImageData.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from time import perf_counter
from typing import Any, NamedTuple

from .dtypes import uint8
from .errors import ArgumentError, BackendError, ShapeError, TraceError
from .functions.arguments import integer
from .ir.node import leaf_node, tensor_spec
from .runtime.backends.base import Pixels
from .runtime.backends.host_pixels import HostPixels, has_canvases
from .runtime.executor import backend
from .runtime.scopes import state
from .tensor import Tensor, as_tensor
from .typing import ArrayLike

__all__ = ["Frame", "draw", "frames", "from_pixels", "next_frame", "to_pixels"]

try:
    import js
    from pyodide.ffi import create_once_callable, create_proxy
except ImportError:  # CPython outside of a page
    js = None


def _pixels(operation: str) -> Pixels:
    """Return the object that moves pictures; raise BackendError outside of pages."""
    pixels = backend().pixels
    if pixels is not None:
        return pixels
    if not has_canvases():
        raise BackendError(
            f"{operation}: there is no page to take pictures from or to draw to; got backend "
            f"{backend().name}; run under Pyodide in a page or a worker"
        )
    return HostPixels(backend())


def _check_sides(operation: str, height: int, width: int, largest: int) -> None:
    if not height * width:
        raise ShapeError(
            f"{operation}: image has no pixels; got height {height}, width {width}; wait until it "
            "has loaded, or pass an image with pixels"
        )
    if max(height, width) > largest:
        place = "canvas" if backend().pixels is None else "GPU"
        raise BackendError(
            f"{operation}: image is too large for the {place}; got height {height}, width {width}; "
            f"scale it down to at most {largest} pixels per side"
        )


def from_pixels(source: Any, channels: int = 3) -> Tensor:
    """Make a tensor from an image, canvas, video frame, ImageData or pixel data.

    On WebGL2 and WebGPU the pixels are copied to the GPU without passing through Python. Other
    backends get them from a canvas, which rounds the colors of partly transparent pixels.

    Args:
        source: JavaScript object: an image, canvas, video, VideoFrame, ImageBitmap, ImageData, or
            an object with `data` (a Uint8Array of RGBA bytes), `width` and `height`.
        channels: 1 (red), 3 (RGB, default) or 4 (RGBA, alpha not premultiplied).

    Returns:
        uint8 tensor of shape (height, width, channels), values from 0 to 255.

    Raises:
        ArgumentError: If `channels` is not 1, 3 or 4.
        ArgumentTypeError: If `source` is no picture.
        ShapeError: If the source has no pixels, for example because it has not loaded yet.
        TraceError: If called inside a function under `jit`.
        BackendError: If there is no page, or the source exceeds the GPU's limits.

    In a page:

        image = pt.from_pixels(js.document.querySelector("img"))
        picture = image.astype("float32") / 255
    """
    channels = integer("from_pixels", "channels", channels)
    if channels not in (1, 3, 4):
        raise ArgumentError(
            f"from_pixels: unsupported number of channels; got {channels}; use 1, 3 or 4"
        )
    if state.trace is not None:
        raise TraceError(
            "from_pixels: images cannot be read inside jit, because all calls of "
            f"{state.trace.name} would see the first image; got an image; pass its tensor as an "
            "argument"
        )
    pixels = _pixels("from_pixels")
    width, height = pixels.size(source)
    _check_sides("from_pixels", height, width, pixels.largest)
    backend().check_size("from_pixels", (height, width, 4), uint8)
    spec = tensor_spec((height, width, 4), uint8)
    tensor = Tensor(leaf_node(pixels.load(source, width, height), spec))
    return tensor if channels == 4 else tensor[:, :, :channels]


def to_rgba(tensor: ArrayLike, operation: str = "draw") -> Tensor:
    """Convert a tensor to RGBA pixels: uint8 of shape (height, width, 4).

    Floats are scaled from 0..1, integers are clipped to 0..255. Raises ShapeError unless the shape
    is (height, width) or (height, width, 1 | 3 | 4).
    """
    x = as_tensor(operation, tensor)
    shape = x.shape
    if len(shape) not in (2, 3) or (len(shape) == 3 and shape[2] not in (1, 3, 4)):
        raise ShapeError(
            f"{operation}: tensor cannot be shown as an image; got shape {shape}; use (height, "
            "width) or (height, width, 1, 3 or 4)"
        )
    if x.dtype.kind == "f":
        x = (x.clip(0.0, 1.0) * 255.0).round()
    elif x.dtype.kind == "b":
        x = x.astype(uint8) * 255
    elif x.dtype.itemsize > 1:
        x = x.clip(0, 255)
    x = x.astype(uint8)
    if len(shape) == 2:
        x = x.reshape((*shape, 1))
    if x.shape[2] == 1:
        x = x.broadcast_to((*shape[:2], 3))
    if x.shape[2] == 3:
        x = x.pad(((0, 0), (0, 0), (0, 1)), constant_values=255)
    return x


async def to_pixels(tensor: ArrayLike, canvas: Any = None) -> bytes:
    """Return an image's pixels as RGBA bytes, and draw it if a canvas is given.

    Args:
        tensor: Image as for `draw`.
        canvas: Canvas to draw to; None (default) for none.

    Returns:
        Bytes of all pixels row by row, 4 for each.

    Raises:
        ShapeError: If the tensor has another shape.
        ArgumentError: If `canvas` is not a canvas.
        BackendError: If a canvas is given and there is no page.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> list(asyncio.run(pt.to_pixels([[0.0, 1.0]])))
    [0, 0, 0, 255, 255, 255, 255, 255]
    """
    picture = to_rgba(tensor, "to_pixels")
    if canvas is not None:
        _draw("to_pixels", picture, canvas)
    return (await picture.data()).tobytes()


async def next_frame() -> None:
    """Wait until the browser is about to draw its next frame: `await pt.next_frame()`.

    Loops that wait for it between steps keep the page responsive. Outside of pages, other tasks of
    the event loop run once.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> asyncio.run(pt.next_frame())
    """
    request = getattr(js, "requestAnimationFrame", None)
    if request is None:
        await asyncio.sleep(0)
        return
    drawn = asyncio.get_running_loop().create_future()

    def finish(_: Any) -> None:
        # A task that was cancelled meanwhile has cancelled the future.
        if not drawn.done():
            drawn.set_result(None)

    request(create_once_callable(finish))
    await drawn


class Frame(NamedTuple):
    """Time and pointer at the beginning of a frame, given by `frames`.

    >>> import py_tensor as pt
    >>> pt.Frame(number=0, time=0.0, x=0.5, y=0.5, pressed=False).x
    0.5
    """

    number: int
    """Frames before this one."""
    time: float
    """Seconds since the first frame."""
    x: float
    """Position of the pointer from 0 at the left to 1 at the right; 0.5 before it has moved."""
    y: float
    """Position of the pointer from 0 at the top to 1 at the bottom; 0.5 before it has moved."""
    pressed: bool
    """True while a button is pressed, or a finger or pen touches the canvas."""


_POINTER_EVENTS = ("pointermove", "pointerdown", "pointerup", "pointercancel", "pointerleave")


def frames(canvas: Any = None) -> AsyncIterator[Frame]:
    """Return an asynchronous iterator over the frames of the browser, for pictures that move.

    Each step waits until the browser is about to draw its next frame, as `next_frame` does. The
    loop ends with `break` or when its task is cancelled; it pauses while the page is hidden.
    Outside of pages, other tasks of the event loop run once for each frame.

    Args:
        canvas: Canvas, or another element, whose pointer is followed; None (default) for no
            pointer. An OffscreenCanvas in a worker has no events of its own: the page can dispatch
            events there with the fields `offsetX`, `offsetY` and `buttons`.

    Returns:
        Asynchronous iterator of `Frame` with the fields `number`, `time`, `x`, `y` and `pressed`.

    Raises:
        ArgumentError: If `canvas` has no events.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> async def first():
    ...     async for frame in pt.frames():
    ...         return frame.number, frame.x, frame.pressed
    >>> asyncio.run(first())
    (0, 0.5, False)

    In a page:

        canvas = js.document.querySelector("canvas")
        async for frame in pt.frames(canvas):
            pt.draw(picture(frame.time, frame.x, frame.y), canvas)
    """
    if canvas is not None and not hasattr(canvas, "addEventListener"):
        raise ArgumentError(
            f"frames: canvas has no events; got {canvas!s:.60}; pass a canvas or another element "
            "of the page"
        )
    return _frames(canvas)


async def _frames(canvas: Any) -> AsyncIterator[Frame]:
    x = y = 0.5
    pressed = False

    def follow(event: Any) -> None:
        nonlocal x, y, pressed
        x = event.offsetX / (getattr(canvas, "clientWidth", 0) or canvas.width)
        y = event.offsetY / (getattr(canvas, "clientHeight", 0) or canvas.height)
        pressed = event.type in _POINTER_EVENTS[:3] and event.buttons != 0

    listener = None if canvas is None else create_proxy(follow)
    try:
        if listener is not None:
            for kind in _POINTER_EVENTS:
                canvas.addEventListener(kind, listener)
        start, number = None, 0
        while True:
            await next_frame()
            now = perf_counter()
            start = now if start is None else start
            yield Frame(number, now - start, x, y, pressed)
            number += 1
    finally:
        if listener is not None:
            for kind in _POINTER_EVENTS:
                canvas.removeEventListener(kind, listener)
            listener.destroy()


def draw(tensor: ArrayLike, canvas: Any) -> None:
    """Draw a tensor to a canvas, on WebGL2 and WebGPU without reading it back.

    Args:
        tensor: Image of shape (height, width), (height, width, 1), (height, width, 3) or
            (height, width, 4); floats from 0 to 1, or integers from 0 to 255.
        canvas: HTMLCanvasElement or OffscreenCanvas; it is resized to the image.

    Raises:
        ShapeError: If the tensor has another shape.
        ArgumentError: If `canvas` is not a canvas.
        BackendError: If there is no page, the canvas has another context than a 2d one, or the
            image exceeds the GPU's limits.

    In a page:

        pt.draw(pt.random.uniform((64, 64, 3)), js.document.querySelector("canvas"))
    """
    _draw("draw", tensor, canvas)


def _draw(operation: str, tensor: ArrayLike, canvas: Any) -> None:
    pixels = _pixels(operation)
    if not hasattr(canvas, "getContext"):
        raise ArgumentError(
            f"{operation}: target must be a canvas; got {canvas!s:.60}; pass an HTMLCanvasElement "
            "or an OffscreenCanvas"
        )
    picture = to_rgba(tensor, operation)
    height, width, _ = picture.shape
    _check_sides(operation, height, width, pixels.largest)
    pixels.draw(picture._buffer(operation), width, height, canvas)
