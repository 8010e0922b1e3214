"""Test from_pixels and draw in a page, pixel for pixel, on textures and through a 2d canvas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from page_python import PagePython

pytest_plugins = ["page_fixtures"]

PIXELS = [
    [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]],
    [[10, 20, 30, 255], [40, 50, 60, 255], [70, 80, 90, 255]],
]


async def tensor_of(kind: str, pixels: Any) -> list[Any]:
    """Return the from_pixels result of an image of the given kind."""
    import js
    from pyodide.ffi import to_js

    import py_tensor as pt

    height, width = len(pixels), len(pixels[0])
    flat = bytes(channel for row in pixels for pixel in row for channel in pixel)
    image = js.ImageData.new(js.Uint8ClampedArray.new(to_js(flat)), width, height)
    source = image
    if kind in ("OffscreenCanvas", "canvas"):
        if kind == "canvas":
            source = js.document.createElement("canvas")
            source.width, source.height = width, height
        else:
            source = js.OffscreenCanvas.new(width, height)
        source.getContext("2d").putImageData(image, 0, 0)
    if kind == "ImageBitmap":
        source = await js.createImageBitmap(image)
    if kind == "VideoFrame":
        settings = {"format": "RGBA", "codedWidth": width, "codedHeight": height, "timestamp": 0}
        settings["colorSpace"] = js.Object.fromEntries(to_js([["matrix", "rgb"]]))
        source = js.VideoFrame.new(
            to_js(flat), js.Object.fromEntries(to_js([list(item) for item in settings.items()]))
        )
    if kind == "pixel data":
        source = js.Object.new()
        source.data, source.width, source.height = js.Uint8Array.new(to_js(flat)), width, height
    tensors = [pt.from_pixels(source, channels) for channels in (4, 3, 1)]
    default = pt.from_pixels(source)
    if kind == "VideoFrame":
        source.close()
    return [
        [[tensor.shape, tensor.dtype.name, tensor.tolist()] for tensor in tensors],
        default.tolist(),
        (default.astype("float32") / 255.0).tolist()[0][0],
    ]


@pytest.mark.parametrize(
    "kind", ["ImageData", "ImageBitmap", "VideoFrame", "OffscreenCanvas", "canvas", "pixel data"]
)
def test_from_pixels(python: PagePython, kind: str) -> None:
    if kind == "canvas" and python.thread == "worker":
        kind = "ImageData"  # a worker has no DOM elements
    (all_four, rgb, red), default, floats = python.call(tensor_of, kind, PIXELS)
    assert all_four == [[2, 3, 4], "uint8", PIXELS]
    assert rgb == [[2, 3, 3], "uint8", [[pixel[:3] for pixel in row] for row in PIXELS]]
    assert red == [[2, 3, 1], "uint8", [[pixel[:1] for pixel in row] for row in PIXELS]]
    assert default == rgb[2]
    # GPUs divide by multiplying with a rounded reciprocal.
    assert floats == pytest.approx([1, 0, 0], rel=2e-7)


def straight_alpha() -> list[Any]:
    import js
    from pyodide.ffi import to_js

    import py_tensor as pt

    flat = bytes([200, 100, 50, 128, 1, 2, 3, 0, 255, 255, 255, 1, 9, 8, 7, 255])
    image = js.ImageData.new(js.Uint8ClampedArray.new(to_js(flat)), 2, 2)
    seen = pt.from_pixels(image, 4).reshape(16).tolist()
    return [seen, list(flat)]


def test_alpha_is_straight(python: PagePython) -> None:
    tensor, pixels = python.call(straight_alpha)
    assert tensor == pixels


def drawn(target: str, shape: list[int], dtype: str, values: list[float]) -> list[Any]:
    """Return the size and pixels of a canvas after draw, and the number of reads from textures."""
    import js

    import py_tensor as pt
    from py_tensor.runtime.executor import runtime

    statistics = runtime.backend.statistics  # type: ignore[union-attr]
    if target == "element":
        canvas = js.document.createElement("canvas")
    else:
        canvas = js.OffscreenCanvas.new(5, 5)
    flat = canvas.getContext("2d")
    tensor = pt.asarray(values, dtype=dtype).reshape(tuple(shape))
    reads = statistics().get("reads", 0)
    pt.draw(tensor, canvas)
    reads = statistics().get("reads", 0) - reads
    image = flat.getImageData(0, 0, canvas.width, canvas.height)
    return [canvas.width, canvas.height, list(image.data.to_py()), reads]


def drawn_with_alpha() -> list[list[int]]:
    """Return pixels of a canvas after draw, as the canvas and as from_pixels returns them."""
    import js

    import py_tensor as pt

    canvas = js.OffscreenCanvas.new(1, 1)
    flat = canvas.getContext("2d")
    pixels = [[[200, 100, 50, 128], [255, 0, 0, 0]], [[0, 0, 255, 255], [80, 160, 240, 204]]]
    pt.draw(pt.asarray(pixels, dtype="uint8"), canvas)
    seen = flat.getImageData(0, 0, 2, 2).data.to_py()
    back, floats = pt.from_pixels(canvas, 4), pt.asarray(pixels, dtype="float32") / 255.0
    pt.draw(floats, canvas)
    again = pt.from_pixels(canvas, 4)
    return [list(seen), back.reshape(16).tolist(), again.reshape(16).tolist()]


def test_pixels_with_alpha(python: PagePython) -> None:
    wanted = np.array([200, 100, 50, 128, 0, 0, 0, 0, 0, 0, 255, 255, 80, 160, 240, 204])
    for pixels in python.call(drawn_with_alpha):
        # A canvas stores colours multiplied by alpha, which are rounded.
        assert np.abs(np.array(pixels) - wanted).max() <= 1, pixels


GREY = [0, 51, 102, 153, 204, 255]


@pytest.mark.parametrize(
    ("shape", "dtype", "values", "pixels"),
    [
        ([2, 3], "uint8", GREY, [c for g in GREY for c in (g, g, g, 255)]),
        ([2, 3], "float32", [g / 255 for g in GREY], [c for g in GREY for c in (g, g, g, 255)]),
        ([2, 3, 1], "int32", [-5, *GREY[1:5], 999], [c for g in GREY for c in (g, g, g, 255)]),
        ([1, 2, 3], "uint8", GREY, [0, 51, 102, 255, 153, 204, 255, 255]),
        ([1, 1, 4], "uint8", [9, 8, 7, 255], [9, 8, 7, 255]),
        ([1, 3], "bool", [True, False, True], [255] * 4 + [0, 0, 0, 255] + [255] * 4),
        ([1, 3], "float32", [-0.5, 0.5, 1.5], [0, 0, 0, 255] + [128] * 3 + [255] * 5),
    ],
)
def test_draw(
    python: PagePython,
    shape: list[int],
    dtype: str,
    values: list[float],
    pixels: list[int],
) -> None:
    for target in ["offscreen", "element"] if python.thread == "page" else ["offscreen"]:
        width, height, seen, reads = python.call(drawn, target, shape, dtype, values)
        assert [height, width] == shape[:2]
        assert seen == pixels
        assert reads == 0


def big_picture() -> list[Any]:
    """Return the corners of an image with several texture rows and of its negative."""
    import js

    import py_tensor as pt

    rows = pt.arange(300, dtype="float32").reshape((300, 1)) / 299.0
    columns = pt.arange(500, dtype="float32").reshape((1, 500)) / 499.0
    picture = pt.stack([rows + columns * 0.0, rows * 0.0 + columns, rows * columns], axis=2)
    canvas = js.OffscreenCanvas.new(1, 1)
    flat = canvas.getContext("2d")

    def corners() -> list[list[int]]:
        at = [(0, 0), (499, 0), (0, 299), (499, 299)]
        return [list(flat.getImageData(x, y, 1, 1).data.to_py()) for x, y in at]

    pt.draw(picture, canvas)
    first = corners()
    pt.draw(1.0 - picture, canvas)
    back = pt.from_pixels(canvas)
    error = pt.max(pt.abs(back.astype("float32") / 255.0 - (1.0 - picture))).item()
    return [first, corners(), error]


def test_picture_of_many_rows(python: PagePython) -> None:
    first, second, error = python.call(big_picture)
    assert first == [
        [0, 0, 0, 255],
        [0, 255, 0, 255],
        [255, 0, 0, 255],
        [255, 255, 255, 255],
    ]
    assert second == [
        [255, 255, 255, 255],
        [255, 0, 255, 255],
        [0, 255, 255, 255],
        [0, 0, 0, 255],
    ]
    assert error < 0.5001 / 255


def bitmap_drawn() -> list[int]:
    """Return a pixel of a canvas that shows bitmaps, after draw."""
    import js

    import py_tensor as pt

    canvas = js.OffscreenCanvas.new(5, 5)
    canvas.getContext("bitmaprenderer")
    pt.draw(pt.asarray([[[9, 8, 7]]], dtype="uint8"), canvas)
    flat = js.OffscreenCanvas.new(1, 1).getContext("2d")
    flat.drawImage(canvas, 0, 0)
    return [canvas.width, *flat.getImageData(0, 0, 1, 1).data.to_py()]


def test_a_canvas_that_shows_bitmaps(python: PagePython) -> None:
    assert python.call(bitmap_drawn) == [1, 9, 8, 7, 255]


def mistakes() -> list[Any]:
    """Return the widest image of a backend and the messages of invalid calls."""
    import js
    from pyodide.ffi import to_js

    import py_tensor as pt
    from py_tensor.images import _pixels

    def message(function: Any) -> str:
        try:
            function()
        except pt.errors.TensorError as error:
            return f"{type(error).__name__}: {error}"
        return "no error"

    canvas = js.OffscreenCanvas.new(1, 1)
    taken = js.OffscreenCanvas.new(1, 1)
    taken.getContext("webgl2")
    widest = _pixels("draw").largest
    sized = js.Object.fromEntries(to_js([["width", 2], ["height", 2]]))
    short = js.Object.fromEntries(to_js([["width", 2], ["height", 2]]))
    short.data = js.Uint8Array.new(3)
    return [
        widest,
        message(lambda: pt.draw(pt.ones((2, 2, 2)), canvas)),
        message(lambda: pt.draw(pt.ones((2, 2)), js.Object.new())),
        message(lambda: pt.draw(pt.ones((2, 2)), "canvas")),
        message(lambda: pt.draw(pt.ones((2, 2)), taken)),
        message(lambda: pt.draw(pt.ones((0, 2)), canvas)),
        message(lambda: pt.draw(pt.ones((1, widest + 1)), canvas)),
        message(lambda: pt.from_pixels(js.Object.new())),
        message(lambda: pt.from_pixels(sized)),
        message(lambda: pt.from_pixels(short)),
        message(lambda: pt.from_pixels(None)),
        message(lambda: pt.from_pixels(5)),
        message(lambda: pt.from_pixels([1, 2])),
        message(lambda: pt.from_pixels(js.OffscreenCanvas.new(widest + 1, 1))),
        message(lambda: pt.from_pixels(js.OffscreenCanvas.new(0, 0))),
        message(lambda: pt.from_pixels(js.ImageData.new(1, 1), 2)),
    ]


def test_mistakes(python: PagePython, backend: str) -> None:
    widest, *messages = python.call(mistakes)
    place = {"webgl": "GPU", "wasm": "canvas"}[backend]
    sides = f"{widest + 1}; scale it down to at most {widest} pixels per side"
    no_pixels = "wait until it has loaded, or pass an image with pixels"
    pictures = (
        "pass an image, a canvas, a video, a VideoFrame, an ImageBitmap, an ImageData or "
        "{ data, width, height } with 4 bytes a pixel"
    )
    no_picture = "ArgumentTypeError: from_pixels: the source is not a picture; got"
    assert messages == [
        "ShapeError: draw: tensor cannot be shown as an image; got shape (2, 2, 2); use (height, "
        "width) or (height, width, 1, 3 or 4)",
        "ArgumentError: draw: target must be a canvas; got [object Object]; pass an "
        "HTMLCanvasElement or an OffscreenCanvas",
        "ArgumentError: draw: target must be a canvas; got canvas; pass an HTMLCanvasElement or "
        "an OffscreenCanvas",
        "BackendError: draw: the canvas is in use otherwise; got one whose context is neither 2d "
        "nor bitmaprenderer; pass a canvas of its own",
        f"ShapeError: draw: image has no pixels; got height 0, width 2; {no_pixels}",
        f"BackendError: draw: image is too large for the {place}; got height 1, width {sides}",
        f"{no_picture} Object; {pictures}",
        f"{no_picture} Object; {pictures}",
        f"{no_picture} Object; {pictures}",
        f"{no_picture} Undefined; {pictures}",
        f"{no_picture} Number; {pictures}",
        f"{no_picture} a Python list; {pictures}",
        f"BackendError: from_pixels: image is too large for the {place}; got height 1, width "
        f"{sides}",
        f"ShapeError: from_pixels: image has no pixels; got height 0, width 0; {no_pixels}",
        "ArgumentError: from_pixels: unsupported number of channels; got 2; use 1, 3 or 4",
    ]
