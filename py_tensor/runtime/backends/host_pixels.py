"""Pictures of a page for backends without own `Pixels`: a 2d canvas gives and takes their pixels.

Input: pictures of JavaScript, and buffers. Output: buffers with bytes on the host, and canvases.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from ...dtypes import uint8
from ...errors import ArgumentTypeError, BackendError
from .base import Backend, Buffer

try:
    import js
    from pyodide.ffi import JsException
except ImportError:  # CPython outside of a page
    js = None

LARGEST = 16384
"""Pixels along a side of the largest canvas of today's browsers."""

SIZES = {
    "HTMLImageElement": ("naturalWidth", "naturalHeight"),
    "HTMLVideoElement": ("videoWidth", "videoHeight"),
    "HTMLCanvasElement": ("width", "height"),
    "OffscreenCanvas": ("width", "height"),
    "ImageBitmap": ("width", "height"),
    "ImageData": ("width", "height"),
    "VideoFrame": ("displayWidth", "displayHeight"),
}
"""Names of the width and the height of each kind of picture, by the name of its class."""


def has_canvases() -> bool:
    """Return True in a page and in its workers."""
    return js is not None and (hasattr(js, "OffscreenCanvas") or hasattr(js, "document"))


class HostPixels:
    """Pictures whose pixels are read from a 2d canvas, or put on one."""

    largest = LARGEST

    def __init__(self, backend: Backend) -> None:
        self.backend = backend

    def size(self, source: Any) -> tuple[int, int]:
        kind = _class_name(source)
        if kind in SIZES or _is_pixel_data(source):
            width, height = SIZES.get(kind, ("width", "height"))
            return getattr(source, width), getattr(source, height)
        # Pyodide passes Python objects as proxies, which know their type.
        got = f"a Python {type(source).__name__}" if kind == "PyProxy" else kind
        raise ArgumentTypeError(
            f"from_pixels: the source is not a picture; got {got}; pass an image, a canvas, a "
            "video, a VideoFrame, an ImageBitmap, an ImageData or { data, width, height } with 4 "
            "bytes a pixel"
        )

    def load(self, source: Any, width: int, height: int) -> Buffer:
        if _is_pixel_data(source):
            data = source.data
        else:
            # The pixels are kept where the processor reads them.
            flat = _canvas(width, height).getContext("2d", willReadFrequently=True)
            with _refusals("from_pixels"):
                flat.drawImage(source, 0, 0, width, height)
                data = flat.getImageData(0, 0, width, height).data
        return Buffer(uint8, 4 * width * height, data.to_bytes())

    def draw(self, buffer: Buffer, width: int, height: int, canvas: Any) -> None:
        with _refusals("draw"):
            image = js.ImageData.new(width, height)
            # A backend may tell pictures from reads, which it counts.
            read = getattr(self.backend, "picture", self.backend.read)
            image.data.assign(read(buffer))
            # Assigning a size clears the canvas even if the size stays the same.
            if (canvas.width, canvas.height) != (width, height):
                canvas.width, canvas.height = width, height
            context = _context(canvas)
            if hasattr(context, "putImageData"):
                context.putImageData(image, 0, 0)
                return
            own = _canvas(width, height)
            if not (context and hasattr(own, "transferToImageBitmap")):
                raise BackendError(
                    "draw: the canvas is in use otherwise; got one whose context is neither 2d nor "
                    "bitmaprenderer; pass a canvas of its own"
                )
            own.getContext("2d").putImageData(image, 0, 0)
            context.transferFromImageBitmap(own.transferToImageBitmap())


@cache
def _contexts() -> Any:
    """Contexts that show pictures, by canvas.

    Firefox refuses a second getContext of a canvas that another thread gave away.
    """
    return js.WeakMap.new()


def _context(canvas: Any) -> Any:
    """Return the context of a canvas that can show pictures."""
    context = _contexts().get(canvas)
    if not context:
        context = canvas.getContext("2d") or canvas.getContext("bitmaprenderer")
        if context:
            _contexts().set(canvas, context)
    return context


@contextmanager
def _refusals(operation: str) -> Iterator[None]:
    """Raise an error of the browser as BackendError."""
    try:
        yield
    except JsException as error:
        raise BackendError(
            f"{operation}: the browser refuses the picture; got {error.message}; pass a picture of "
            "the page's own origin that has loaded, or a smaller one"
        ) from None


def _class_name(value: Any) -> str:
    """Return the name of a value's class in JavaScript, which is the same in every frame."""
    name: str = js.Object.prototype.toString.call(value)
    return name[8:-1]


def _is_pixel_data(source: Any) -> bool:
    """Return True for an object of JavaScript like ImageData, with 4 bytes a pixel."""
    data: Any = getattr(source, "data", None)
    sides: tuple[Any, Any] = getattr(source, "width", None), getattr(source, "height", None)
    if _class_name(data) not in ("Uint8Array", "Uint8ClampedArray") or None in sides:
        return False
    return bool(data.length == 4 * sides[0] * sides[1])


def _canvas(width: int, height: int) -> Any:
    if hasattr(js, "OffscreenCanvas"):
        return js.OffscreenCanvas.new(width, height)
    canvas = js.document.createElement("canvas")
    canvas.width, canvas.height = width, height
    return canvas
