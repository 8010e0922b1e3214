"""Pictures in and out: canvases, images and videos of the page, without reading textures back."""

from __future__ import annotations

from typing import Any

from .dtypes import uint8
from .errors import ArgumentError, BackendError, ShapeError, TraceError
from .lifetime import state
from .nodes import leaf_node, spec_of
from .runtime import backend
from .tensor import Tensor, as_tensor


def _webgl(operation: str) -> Any:
    engine = backend()
    if not hasattr(engine, "bridge"):
        raise BackendError(
            f"{operation}: needs the webgl backend; got {engine.name}; run in a page with WebGL2"
        )
    return engine


def _check_sides(operation: str, height: int, width: int, engine: Any) -> None:
    if not height * width:
        raise ShapeError(
            f"{operation}: picture has no pixels; got height {height}, width {width}; "
            "wait until it has loaded, or give at least one pixel"
        )
    largest = engine.limits["maxTextureSize"]
    if max(height, width) > largest:
        raise BackendError(
            f"{operation}: picture larger than the GPU; got height {height}, width {width}; "
            f"this GPU allows {largest} pixels a side; scale it down"
        )


def from_pixels(source: Any, channels: int = 3) -> Tensor:
    """A uint8 tensor (height, width, channels) of an image, canvas, video frame or ImageData.

    The pixels go from the browser to a texture without passing through Python. `channels` is 1
    (red), 3 or 4 (with alpha, not premultiplied). Raises ArgumentError for other channels,
    ShapeError for no pixels, TraceError inside of `jit`, BackendError without WebGL2 and for more
    pixels than the GPU takes. In a page:

        image = pt.from_pixels(js.document.querySelector("img"))
        picture = image.astype("float32") / 255
    """
    if channels not in (1, 3, 4):
        raise ArgumentError(f"from_pixels: channels does not fit; got {channels}; use 1, 3 or 4")
    if state.trace is not None:
        raise TraceError(
            f"from_pixels: every call of {state.trace.name} would see the picture of the first; "
            "got a picture inside jit; pass the tensor as an argument"
        )
    engine = _webgl("from_pixels")
    width, height = engine.bridge.pixel_size(source)
    _check_sides("from_pixels", height, width, engine)
    engine.check_size("from_pixels", (height, width, 4), uint8)
    spec = spec_of((height, width, 4), uint8)
    buffer = engine.blank(uint8, spec.size)
    engine.bridge.from_pixels(buffer.handle, source, width, height)
    tensor = Tensor(leaf_node(buffer, spec))
    return tensor if channels == 4 else tensor[:, :, :channels]


def to_rgba(tensor: Any) -> Tensor:
    """The tensor as a picture: uint8 (height, width, 4).

    Floats are taken from 0..1, integers from 0..255.
    Raises ShapeError unless the shape is (height, width) or (height, width, 1 | 3 | 4).
    """
    x = as_tensor("draw", tensor)
    shape = x.shape
    if len(shape) not in (2, 3) or (len(shape) == 3 and shape[2] not in (1, 3, 4)):
        raise ShapeError(
            f"draw: not a picture; got shape {shape}; "
            "use (height, width) or (height, width, 1, 3 or 4)"
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


def draw(tensor: Any, canvas: Any) -> None:
    """Draws a picture to a canvas or OffscreenCanvas, which takes the picture's size; no read-back.

    `tensor` has shape (height, width) or (height, width, 1 | 3 | 4); floats from 0 to 1, integers
    from 0 to 255. Raises ShapeError for other shapes, ArgumentError for what is no canvas,
    BackendError without WebGL2. In a page:

        pt.draw(pt.random.uniform((64, 64, 3)), js.document.querySelector("canvas"))
    """
    engine = _webgl("draw")
    if not hasattr(canvas, "getContext"):
        raise ArgumentError(
            f"draw: not a canvas; got {canvas!s:.60}; "
            "pass an HTMLCanvasElement or an OffscreenCanvas"
        )
    picture = to_rgba(tensor)
    height, width, _ = picture.shape
    _check_sides("draw", height, width, engine)
    engine.bridge.draw(engine.handle_of(picture._buffer("draw")), width, height, canvas)
