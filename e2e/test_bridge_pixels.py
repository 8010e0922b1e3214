"""Test images: draw buffers to canvases, copy canvases and images into buffers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from bridge_page import UINT8, assert_stats, texture_size
from playwright.sync_api import Browser, JSHandle, Page
from playwright_bridge import PageBridge, PlaywrightBridge

from py_tensor.errors import ArgumentTypeError, BackendError

pytest_plugins = ["bridge_fixtures"]

CANVASES = {
    "canvas": """([width, height]) =>
      Object.assign(document.createElement("canvas"), { width, height })""",
    "offscreen": "([width, height]) => new OffscreenCanvas(width, height)",
}


@pytest.fixture(scope="module")
def chromium(launch_chromium: Callable[..., Browser]) -> Iterator[Browser]:
    """Chromium in which WebGPU draws to canvases in software; elsewhere its GPU process ends."""
    flags = ("--enable-features=Vulkan", "--use-vulkan=swiftshader")
    browser = launch_chromium(*flags, without="--disable-gpu-compositing")
    yield browser
    browser.close()


def opaque(width: int, height: int) -> bytes:
    """Return opaque RGBA pixels that are all different."""
    return b"".join(
        bytes((x & 255, y & 255, (7 * x + 3 * y) & 255, 255))
        for y in range(height)
        for x in range(width)
    )


def size_of(bridge: PageBridge, length: int) -> tuple[int, ...]:
    """Return what a bridge needs to know to allocate so many bytes."""
    is_texture = isinstance(bridge, PlaywrightBridge)
    return (UINT8, *texture_size(length)) if is_texture else (length,)


def upload_pixels(bridge: PageBridge, handle: int, width: int, height: int, data: bytes) -> None:
    assert len(data) == 4 * width * height
    bridge.upload(handle, *size_of(bridge, len(data)), data)


def read_bytes(bridge: PageBridge, handle: int, length: int) -> bytes:
    target = bytearray(length)
    bridge.read(handle, target)
    return bytes(target)


def canvas_bytes(canvas: JSHandle) -> bytes:
    """Return the canvas's pixels as getImageData gives them."""
    return bytes(
        canvas.evaluate(
            """canvas => {
              const { width, height } = canvas;
              let context = canvas.getContext("2d");
              if (context === null) {
                context = new OffscreenCanvas(width, height).getContext("2d");
                context.drawImage(canvas, 0, 0);
              }
              return Array.from(context.getImageData(0, 0, width, height).data);
            }"""
        )
    )


def image_data(page: Page, width: int, height: int, data: bytes) -> JSHandle:
    return page.evaluate_handle(
        "([w, h, data]) => new ImageData(new Uint8ClampedArray(data), w, h)",
        [width, height, list(data)],
    )


def assert_close(got: bytes, expected: bytes, tolerance: int) -> None:
    assert len(got) == len(expected)
    worst = max(abs(a - b) for a, b in zip(got, expected, strict=True))
    assert worst <= tolerance, (got, expected)


@pytest.mark.parametrize("size", [(1, 1), (3, 2), (2, 3), (64, 33), (257, 19)], ids=str)
@pytest.mark.parametrize("kind", CANVASES)
def test_drawing_shows_each_pixel(
    bridge_page: Page, any_bridge: PageBridge, kind: str, size: tuple[int, int]
) -> None:
    canvas = bridge_page.evaluate_handle(CANVASES[kind], list(size))
    upload_pixels(any_bridge, 1, *size, opaque(*size))
    any_bridge.draw(1, *size, canvas)
    assert canvas_bytes(canvas) == opaque(*size)
    assert_stats(any_bridge, reads=0)


def test_a_canvas_takes_the_size_of_the_picture(bridge_page: Page, any_bridge: PageBridge) -> None:
    canvas = bridge_page.evaluate_handle(CANVASES["canvas"], [300, 150])
    for size in ((8, 4), (4, 8)):
        upload_pixels(any_bridge, size[0], *size, opaque(*size))
        any_bridge.draw(size[0], *size, canvas)
        assert canvas.evaluate("canvas => [canvas.width, canvas.height]") == list(size)
        assert canvas_bytes(canvas) == opaque(*size)


def test_drawing_ignores_the_state_of_the_canvas(bridge_page: Page, any_bridge: PageBridge) -> None:
    canvas = bridge_page.evaluate_handle(CANVASES["canvas"], [4, 4])
    canvas.evaluate(
        """canvas => {
          const context = canvas.getContext("2d");
          context.fillRect(0, 0, 4, 4);
          context.scale(3, 3);
          context.globalAlpha = 0.3;
        }"""
    )
    data = bytes((0, 0, 0, 0)) * 8 + bytes((255, 0, 0, 255)) * 8
    upload_pixels(any_bridge, 1, 4, 4, data)
    any_bridge.draw(1, 4, 4, canvas)
    assert canvas_bytes(canvas) == data
    assert canvas.evaluate("canvas => canvas.getContext('2d').globalAlpha") == pytest.approx(0.3)


def test_alpha_is_shown_as_transparency(bridge_page: Page, any_bridge: PageBridge) -> None:
    canvas = bridge_page.evaluate_handle(CANVASES["canvas"], [2, 1])
    data = bytes((200, 100, 50, 128, 255, 255, 255, 64))
    upload_pixels(any_bridge, 1, 2, 1, data)
    any_bridge.draw(1, 2, 1, canvas)
    shown = canvas_bytes(canvas)
    assert shown[3] == 128 and shown[7] == 64
    # A canvas stores premultiplied colours, so reading them rounds.
    assert_close(shown, data, 2)


def test_a_canvas_of_bitmaps_is_drawn_to(bridge_page: Page, any_bridge: PageBridge) -> None:
    canvas = bridge_page.evaluate_handle(CANVASES["canvas"], [3, 2])
    canvas.evaluate("canvas => { canvas.getContext('bitmaprenderer'); }")
    upload_pixels(any_bridge, 1, 3, 2, opaque(3, 2))
    any_bridge.draw(1, 3, 2, canvas)
    copy = bridge_page.evaluate_handle(
        """source => {
          const copy = new OffscreenCanvas(source.width, source.height);
          copy.getContext("2d").drawImage(source, 0, 0);
          return copy;
        }""",
        canvas,
    )
    assert canvas_bytes(copy) == opaque(3, 2)


def test_a_canvas_in_use_otherwise_is_refused(bridge_page: Page, any_bridge: PageBridge) -> None:
    canvas = bridge_page.evaluate_handle(CANVASES["canvas"], [3, 2])
    canvas.evaluate("canvas => { canvas.getContext('webgl'); }")
    upload_pixels(any_bridge, 1, 3, 2, opaque(3, 2))
    with pytest.raises(BackendError, match="draw: the canvas is in use otherwise"):
        any_bridge.draw(1, 3, 2, canvas)


def test_computing_goes_on_after_pixels(bridge_page: Page, any_bridge: PageBridge) -> None:
    canvas = bridge_page.evaluate_handle(CANVASES["canvas"], [3, 2])
    for handle in range(1, 8, 2):
        upload_pixels(any_bridge, handle, 3, 2, opaque(3, 2))
        any_bridge.draw(handle, 3, 2, canvas)
        any_bridge.alloc(handle + 1, *size_of(any_bridge, 24))
        any_bridge.from_pixels(handle + 1, canvas, 3, 2)
        assert read_bytes(any_bridge, handle, 24) == opaque(3, 2)
        assert read_bytes(any_bridge, handle + 1, 24) == opaque(3, 2)


@pytest.mark.parametrize("size", [(1, 1), (3, 2), (257, 19)], ids=str)
def test_image_data_are_exact_even_if_transparent(
    bridge_page: Page, any_bridge: PageBridge, size: tuple[int, int]
) -> None:
    width, height = size
    data = bytes((37 * i + i // 256) & 255 for i in range(4 * width * height))
    source = image_data(bridge_page, width, height, data)
    assert any_bridge.pixel_size(source) == size
    any_bridge.alloc(1, *size_of(any_bridge, len(data)))
    any_bridge.from_pixels(1, source, *size)
    assert read_bytes(any_bridge, 1, len(data)) == data
    assert any_bridge.stats()["bytesInUse"] == any_bridge.stats()["bytesPeak"]
    assert_stats(any_bridge, bytesFree=0)


SOURCES = {
    "canvas": "canvas => canvas",
    "bitmap": "canvas => createImageBitmap(canvas)",
    "straight bitmap": "canvas => createImageBitmap(canvas, { premultiplyAlpha: 'none' })",
    "video frame": "canvas => new VideoFrame(canvas, { timestamp: 0 })",
    "image": """async canvas => {
      const image = new Image();
      image.src = canvas.toDataURL();
      await image.decode();
      return image;
    }""",
}


@pytest.mark.parametrize("alpha", [255, 128])
@pytest.mark.parametrize("kind", SOURCES)
def test_pictures_of_all_kinds_have_straight_alpha(
    bridge_page: Page, any_bridge: PageBridge, kind: str, alpha: int
) -> None:
    data = bytearray(opaque(5, 3))
    data[3::4] = bytes([alpha]) * 15
    canvas = bridge_page.evaluate_handle(CANVASES["canvas"], [5, 3])
    canvas.evaluate(
        "(canvas, source) => canvas.getContext('2d').putImageData(source, 0, 0)",
        image_data(bridge_page, 5, 3, bytes(data)),
    )
    source = canvas.evaluate_handle(SOURCES[kind])
    assert any_bridge.pixel_size(source) == (5, 3)
    any_bridge.alloc(1, *size_of(any_bridge, 60))
    any_bridge.from_pixels(1, source, 5, 3)
    read = read_bytes(any_bridge, 1, 60)
    expected = canvas_bytes(canvas)
    # Undoing premultiplied alpha rounds.
    assert_close(read, expected, 0 if alpha == 255 else 2)


def test_objects_that_are_no_picture_are_refused(bridge_page: Page, any_bridge: PageBridge) -> None:
    for source in ("({})", "({ width: 2, height: 2 })", "null", "'picture'"):
        with pytest.raises(ArgumentTypeError, match="from_pixels: the source is not a picture"):
            any_bridge.pixel_size(bridge_page.evaluate_handle(source))
    # The bridge refuses it, too, if the caller does not ask for the size first.
    any_bridge.alloc(1, *size_of(any_bridge, 16))
    with pytest.raises(BackendError):
        any_bridge.from_pixels(1, bridge_page.evaluate_handle("({ width: 2, height: 2 })"), 2, 2)
    assert not any_bridge.error()


@pytest.mark.parametrize(
    ("width", "message"),
    [(0, "from_pixels: the picture is empty"), (1 << 17, "from_pixels: the picture is too large")],
)
def test_pictures_that_do_not_fit_are_refused(
    bridge_page: Page, any_bridge: PageBridge, width: int, message: str
) -> None:
    canvas = bridge_page.evaluate_handle(CANVASES["canvas"], [width, 1])
    any_bridge.alloc(1, *size_of(any_bridge, 4))
    with pytest.raises(BackendError, match=message):
        any_bridge.from_pixels(1, canvas, *any_bridge.pixel_size(canvas))
    assert any_bridge.stats()["bytesInUse"] == any_bridge.stats()["bytesPeak"]
    assert_stats(any_bridge, bytesFree=0)


def test_the_context_may_live_on_the_canvas_drawn_to(bridge_page: Page) -> None:
    shown = bridge_page.evaluate(
        """async () => {
          const { createBridge } = await import("/webgl_js_bridge/index.js");
          const canvas = document.createElement("canvas");
          const memory = new Uint8Array([255, 0, 0, 255, 0, 0, 255, 255, 0, 255, 0, 255]);
          const bridge = createBridge({ heap: () => memory, canvas });
          bridge.upload(1, 7, 4, 1, 0, 12);
          bridge.draw(1, 3, 1, canvas);
          const copy = new OffscreenCanvas(3, 1).getContext("2d");
          copy.drawImage(canvas, 0, 0);
          bridge.destroy();
          return Array.from(copy.getImageData(0, 0, 3, 1).data);
        }"""
    )
    assert shown == [255, 0, 0, 255, 0, 0, 255, 255, 0, 255, 0, 255]


def test_a_wrong_picture_is_detected() -> None:
    with pytest.raises(AssertionError):
        assert_close(bytes((1, 2)), bytes((1, 4)), 1)
