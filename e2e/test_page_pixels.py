"""Pictures of the page become tensors and tensors become pictures, pixel for pixel."""

from __future__ import annotations

from typing import Any

import pytest
from page_python import PagePython

pytest_plugins = ["page_fixtures"]

PIXELS = [
    [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]],
    [[10, 20, 30, 255], [40, 50, 60, 255], [70, 80, 90, 255]],
]


async def tensor_of(kind: str, pixels: Any) -> list[Any]:
    """What from_pixels makes of a picture given in one of the page's ways."""
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
    tensors = [pt.from_pixels(source, channels) for channels in (4, 3, 1)]
    default = pt.from_pixels(source)
    return [
        [[tensor.shape, tensor.dtype.name, tensor.tolist()] for tensor in tensors],
        default.tolist(),
        (default.astype("float32") / 255.0).tolist()[0][0],
    ]


@pytest.mark.parametrize("kind", ["ImageData", "ImageBitmap", "OffscreenCanvas", "canvas"])
def test_from_pixels(python: PagePython, kind: str) -> None:
    if kind == "canvas" and python.thread == "worker":
        kind = "ImageData"  # a worker has no elements
    (all_four, rgb, red), default, floats = python.call(tensor_of, kind, PIXELS)
    assert all_four == [[2, 3, 4], "uint8", PIXELS]
    assert rgb == [[2, 3, 3], "uint8", [[pixel[:3] for pixel in row] for row in PIXELS]]
    assert red == [[2, 3, 1], "uint8", [[pixel[:1] for pixel in row] for row in PIXELS]]
    assert default == rgb[2]
    assert floats == [1, 0, 0]


def straight_alpha() -> list[Any]:
    import js
    from pyodide.ffi import to_js

    import py_tensor as pt

    flat = bytes([200, 100, 50, 128, 1, 2, 3, 0, 255, 255, 255, 1, 9, 8, 7, 255])
    image = js.ImageData.new(js.Uint8ClampedArray.new(to_js(flat)), 2, 2)
    return [pt.from_pixels(image, 4).reshape(16).tolist(), list(flat)]


def test_alpha_is_straight(python: PagePython) -> None:
    tensor, pixels = python.call(straight_alpha)
    assert tensor == pixels


def drawn(target: str, shape: list[int], dtype: str, values: list[float]) -> list[Any]:
    """Size and pixels of a canvas after draw, and how many reads draw took."""
    import js

    import py_tensor as pt
    from py_tensor.runtime import backend

    if target == "element":
        canvas = js.document.createElement("canvas")
    else:
        canvas = js.OffscreenCanvas.new(5, 5)
    flat = canvas.getContext("2d")
    tensor = pt.asarray(values, dtype=dtype).reshape(tuple(shape))
    reads = backend().bridge.stats()["reads"]
    pt.draw(tensor, canvas)
    reads = backend().bridge.stats()["reads"] - reads
    image = flat.getImageData(0, 0, canvas.width, canvas.height)
    return [canvas.width, canvas.height, list(image.data.to_py()), reads]


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
    python: PagePython, shape: list[int], dtype: str, values: list[float], pixels: list[int]
) -> None:
    for target in ["offscreen", "element"] if python.thread == "page" else ["offscreen"]:
        width, height, seen, reads = python.call(drawn, target, shape, dtype, values)
        assert [height, width] == shape[:2]
        assert seen == pixels
        assert reads == 0


def big_picture() -> list[Any]:
    """The corners of a picture of several texture rows, and of its negative on the same canvas."""
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


def mistakes() -> list[str]:
    import js

    import py_tensor as pt

    def message(function: Any) -> str:
        try:
            function()
        except pt.errors.TensorError as error:
            return f"{type(error).__name__}: {error}"
        return "no error"

    canvas = js.OffscreenCanvas.new(1, 1)
    taken = js.OffscreenCanvas.new(1, 1)
    taken.getContext("webgl2")
    return [
        message(lambda: pt.draw(pt.ones((2, 2, 2)), canvas)),
        message(lambda: pt.draw(pt.ones((2, 2)), js.Object.new())),
        message(lambda: pt.draw(pt.ones((2, 2)), "canvas")),
        message(lambda: pt.draw(pt.ones((2, 2)), taken)),
        message(lambda: pt.draw(pt.ones((0, 2)), canvas)),
        message(lambda: pt.draw(pt.ones((1, 20_000)), canvas)),
        message(lambda: pt.from_pixels(js.Object.new())),
        message(lambda: pt.from_pixels([1, 2])),
        message(lambda: pt.from_pixels(js.OffscreenCanvas.new(20_000, 1))),
        message(lambda: pt.from_pixels(js.OffscreenCanvas.new(0, 0))),
        message(lambda: pt.from_pixels(js.ImageData.new(1, 1), 2)),
    ]


def test_mistakes(python: PagePython) -> None:
    sides = "20000; this GPU allows 8192 pixels a side; scale it down"
    no_pixels = "wait until it has loaded, or give at least one pixel"
    no_picture = (
        "BackendError: from_pixels: not a picture; got an object without width and height; "
        "pass an image, a canvas, a video, an ImageBitmap or an ImageData"
    )
    assert python.call(mistakes) == [
        "ShapeError: draw: not a picture; got shape (2, 2, 2); "
        "use (height, width) or (height, width, 1, 3 or 4)",
        "ArgumentError: draw: not a canvas; got [object Object]; "
        "pass an HTMLCanvasElement or an OffscreenCanvas",
        "ArgumentError: draw: not a canvas; got canvas; "
        "pass an HTMLCanvasElement or an OffscreenCanvas",
        "BackendError: draw: the canvas is in use otherwise; got one whose context is neither 2d "
        "nor bitmaprenderer; pass a canvas of its own",
        f"ShapeError: draw: picture has no pixels; got height 0, width 2; {no_pixels}",
        f"BackendError: draw: picture larger than the GPU; got height 1, width {sides}",
        no_picture,
        no_picture,
        f"BackendError: from_pixels: picture larger than the GPU; got height 1, width {sides}",
        f"ShapeError: from_pixels: picture has no pixels; got height 0, width 0; {no_pixels}",
        "ArgumentError: from_pixels: channels does not fit; got 2; use 1, 3 or 4",
    ]
