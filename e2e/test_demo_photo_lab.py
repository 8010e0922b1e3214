"""Test the demo's photo lab: compare filters with NumPy and check constant memory."""

import io
import re
from collections.abc import Callable

import numpy as np
import pytest
from conftest import SITE
from demo_driver import Demo
from PIL import Image
from playwright.sync_api import Page
from waiting import eventually
from watched_page import SharedPage

pytest_plugins = ["demo_fixtures"]

LUMA = np.array([0.299, 0.587, 0.114])
BROWN = np.array([[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]])


@pytest.fixture
def demo(demo_page: SharedPage[Demo]) -> Demo:
    """Demo page, shared by the tests, that shows the photo of China without filters."""
    demo = demo_page.get()
    demo.page.click("#reset")
    demo.page.click("[data-photo=china]")
    demo.page.uncheck("[data-filter=sepia] input[type=checkbox]")
    assert_shows_photo(demo, "china")
    return demo


def assert_shows_photo(demo: Demo, name: str) -> None:
    """Assert that the canvas shows an unfiltered photo of the site now or after some frames."""
    stored = np.asarray(Image.open(SITE / "photos" / f"{name}.jpg").convert("RGB")).astype(int)

    def is_shown() -> None:
        shown = demo.photo()
        assert shown.shape == stored.shape
        # The browser's JPEG decoder may round differently from Pillow's.
        assert np.abs(shown - stored).max() <= 2

    eventually(demo.page, is_shown)


def wait_for_photo(demo: Demo, width: int) -> None:
    demo.page.wait_for_function(
        f"document.querySelector('#stage canvas')?.width === {width} &&"
        " document.getElementById('stage').ariaBusy === 'false'"
    )


def apply(demo: Demo, name: str, strength: float) -> None:
    """Enable a filter and wait until the worker has drawn with it."""
    slider = demo.page.locator(f"[data-filter={name}] input[type=range]")
    slider.fill(f"{strength:g}")
    assert demo.page.is_checked(f"[data-filter={name}] input[type=checkbox]")
    wait_for_draw(demo)


def wait_for_draw(demo: Demo) -> None:
    """Wait until the worker has drawn; the canvas shows it some frames later."""
    demo.page.wait_for_selector("#stage[aria-busy=false]")


def blur(picture: np.ndarray, sigma: float) -> np.ndarray:
    """Return the Gaussian blur over neighbours inside the image, computed with plain loops."""
    radius = int(np.ceil(3 * sigma))
    weights = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    for axis in (0, 1):
        length = picture.shape[axis]
        at = np.arange(length)[:, None] + np.arange(-radius, radius + 1)[None, :]
        inside = (at >= 0) & (at < length)
        shares = np.where(inside, weights, 0)
        shares /= shares.sum(axis=1, keepdims=True)
        lines = np.moveaxis(picture, axis, 0)[np.clip(at, 0, length - 1)]
        picture = np.moveaxis(np.einsum("ij,ij...->i...", shares, lines), 0, axis)
    return picture


def sobel(picture: np.ndarray, gain: float) -> np.ndarray:
    grey = picture @ LUMA
    rise = np.array([1.0, 2.0, 1.0])
    result = np.zeros_like(grey)
    windows = np.lib.stride_tricks.sliding_window_view(grey, (3, 3))
    across = windows[..., 2] @ rise - windows[..., 0] @ rise
    down = windows[..., 2, :] @ rise - windows[..., 0, :] @ rise
    result[1:-1, 1:-1] = np.hypot(across, down) * gain
    return np.repeat(result[..., None], 3, axis=2)


FILTERS: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    "brightness": lambda picture, amount: picture + amount,
    "contrast": lambda picture, factor: (picture - 0.5) * factor + 0.5,
    "blur": blur,
    "sharpen": lambda picture, amount: picture + (picture - blur(picture, 1.0)) * amount,
    "sobel": sobel,
    "threshold": lambda picture, level: np.repeat((picture @ LUMA > level)[..., None], 3, axis=2),
    "sepia": lambda picture, amount: picture + (picture @ BROWN.T - picture) * amount,
}


def filtered(photo: np.ndarray, chain: list[tuple[str, float]]) -> np.ndarray:
    """Return the pixels of a photo after a chain of filters, 0 to 255, unrounded."""
    picture = photo / 255
    for name, strength in chain:
        picture = np.clip(FILTERS[name](picture, strength), 0, 1)
    return picture * 255


def assert_pixels(shown: np.ndarray, expected: np.ndarray, outliers: float = 0) -> None:
    """Assert that all pixels except a share of `outliers` differ by at most one step of 255."""
    assert shown.shape == expected.shape
    distance = np.abs(shown - expected).max(axis=-1)
    far = distance > 1
    assert far.mean() <= outliers, f"{far.sum()} pixels differ by up to {distance.max()}"


def assert_shows(demo: Demo, expected: np.ndarray, outliers: float = 0) -> None:
    """Assert that the canvas shows these pixels now or after some frames."""
    eventually(demo.page, lambda: assert_pixels(demo.photo(), expected, outliers))


@pytest.mark.parametrize("name", ["china", "flower"])
def test_photo_without_filters(demo: Demo, name: str) -> None:
    demo.page.click(f"[data-photo={name}]")
    demo.page.wait_for_selector(f"[data-photo={name}][aria-pressed=true]")
    wait_for_draw(demo)
    assert_shows_photo(demo, name)
    assert demo.page.inner_text("#photo-status").endswith("427 pixels")


@pytest.mark.parametrize(
    ("name", "strength", "outliers"),
    [
        ("brightness", 0.2, 0),
        ("contrast", 1.75, 0),
        ("blur", 2.4, 0),
        ("sharpen", 2.5, 0),
        ("sobel", 1.2, 0),
        ("threshold", 0.45, 0.001),
        ("sepia", 0.8, 0),
    ],
)
def test_filter(demo: Demo, name: str, strength: float, outliers: float) -> None:
    photo = demo.photo()
    expected = filtered(photo, [(name, strength)])
    assert np.abs(expected - photo).mean() > 3, "the filter changes nothing"
    apply(demo, name, strength)
    assert_shows(demo, expected, outliers)


def test_reset_restores_the_first_filters(demo: Demo) -> None:
    photo = demo.photo()
    apply(demo, "threshold", 0.5)
    demo.page.click("#reset")
    assert_shows(demo, filtered(photo, [("sepia", 0.8)]))


def test_filters_combine_in_their_order(demo: Demo) -> None:
    photo = demo.photo()
    apply(demo, "contrast", 2.0)
    apply(demo, "blur", 1.5)
    assert_shows(demo, filtered(photo, [("contrast", 2.0), ("blur", 1.5)]))
    demo.page.click('[aria-label="Move Gaussian blur up"]')
    wait_for_draw(demo)
    assert demo.page.evaluate("document.activeElement.ariaLabel") == "Move Gaussian blur up"
    assert_shows(demo, filtered(photo, [("blur", 1.5), ("contrast", 2.0)]))


def test_own_picture(demo: Demo) -> None:
    rng = np.random.default_rng(3)
    own = np.kron(rng.integers(0, 256, (5, 7, 3)), np.ones((20, 20, 1))).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(own).save(file, "PNG")
    demo.page.set_input_files(
        "#file", {"name": "own.png", "mimeType": "image/png", "buffer": file.getvalue()}
    )
    wait_for_photo(demo, 140)
    wait_for_draw(demo)
    eventually(demo.page, lambda: np.testing.assert_array_equal(demo.photo(), own))
    apply(demo, "blur", 3.0)
    assert_shows(demo, filtered(own, [("blur", 3.0)]))


def test_dropped_picture(demo: Demo) -> None:
    red = io.BytesIO()
    Image.new("RGB", (60, 40), (200, 30, 10)).save(red, "PNG")
    dropped = demo.page.evaluate_handle(
        """(bytes) => {
          const data = new DataTransfer();
          data.items.add(new File([new Uint8Array(bytes)], "red.png", { type: "image/png" }));
          return data;
        }""",
        list(red.getvalue()),
    )
    demo.page.dispatch_event("#stage", "dragover", {"dataTransfer": dropped})
    assert demo.page.is_visible(".drop-hint")
    demo.page.dispatch_event("#stage", "drop", {"dataTransfer": dropped})
    wait_for_photo(demo, 60)
    assert demo.page.is_hidden(".drop-hint")
    assert_shows(demo, np.full((40, 60, 3), (200, 30, 10)))
    assert demo.page.locator("[data-photo][aria-pressed=true]").count() == 0


def test_file_that_is_no_picture_is_reported(demo: Demo) -> None:
    demo.page.set_input_files(
        "#file", {"name": "no.png", "mimeType": "image/png", "buffer": b"no picture"}
    )
    demo.page.wait_for_function(
        "document.getElementById('photo-status').textContent.startsWith('The browser cannot read')"
    )


def test_memory_is_constant_over_a_hundred_frames(page: Page, site_url: str) -> None:
    """Use a page of its own, because Python collects what earlier tests left in a shared one.

    The other sections make their networks when they become visible, which here they never do.
    """
    page.add_init_script("IntersectionObserver.prototype.observe = () => {}")
    demo = Demo(page, site_url)
    wait_for_photo(demo, 640)
    apply(demo, "contrast", 1.5)
    apply(demo, "sobel", 1.0)
    demo.page.click("#animate")
    names = ["tensors", "bytes", "gpuBytes", "pooledBytes", "programs", "plans"]
    wait_for_hits(demo, demo.numbers("planHits")[0] + 20)
    hits, *before = demo.numbers("planHits", *names)
    wait_for_hits(demo, hits + 100)
    assert demo.numbers(*names) == before
    assert float(demo.page.inner_text("#frame-ms")) > 0
    # A machine that needs half a second for a frame has no rate.
    assert re.fullmatch(r"[1-9]\d*|\u2013", demo.page.inner_text("#frame-fps"))
    demo.page.click("#animate")
    assert demo.page.get_attribute("#animate", "aria-pressed") == "false"


def wait_for_hits(demo: Demo, hits: int) -> None:
    demo.page.wait_for_function(
        f"Number(document.querySelector('[data-number=planHits]').dataset.value) >= {hits}"
    )


def test_sliders_are_the_filters(demo: Demo) -> None:
    names = demo.page.eval_on_selector_all("[data-filter]", "all => all.map(e => e.dataset.filter)")
    assert names == list(FILTERS)


def test_photo_is_saved_with_its_filters(demo: Demo) -> None:
    apply(demo, "brightness", 0.2)
    expected = filtered(demo.photo(), [])
    with demo.page.expect_download() as download:
        demo.page.click("#photo-save")
    assert download.value.suggested_filename == "photo.png"
    saved = np.asarray(Image.open(download.value.path()).convert("RGB"))
    eventually(demo.page, lambda: np.testing.assert_array_equal(saved, demo.photo()))
    assert saved.shape == expected.shape


def test_code_of_the_filters_is_shown(demo: Demo) -> None:
    demo.page.click("#photo-code summary")
    assert "def sepia(" in demo.page.inner_text("#photo-code pre")


def test_camera_is_filtered(demo: Demo) -> None:
    page = demo.page
    page.click("#camera")
    page.wait_for_selector("#photo-status:text('pixels of the camera')")
    page.wait_for_function("Number(document.getElementById('frame-ms').textContent) > 0")
    page.check("[data-filter=threshold] input[type=checkbox]")

    def is_black_and_white() -> None:
        assert set(np.unique(demo.photo())) == {0, 255}

    eventually(page, is_black_and_white)
    page.click("#camera:text-is('Stop the camera')")
    page.click("[data-photo=china]")
    wait_for_photo(demo, 640)


def test_several_frames_are_measured_after_a_change(demo: Demo) -> None:
    page = demo.page
    page.evaluate(
        """() => {
          globalThis.times = [];
          const shown = document.getElementById("frame-ms");
          new MutationObserver(() => times.push(shown.textContent)).observe(shown, {
            childList: true,
          });
        }"""
    )
    page.check("[data-filter=contrast] input[type=checkbox]")
    page.wait_for_function("times.filter((time) => time > 0).length >= 5")
    assert not page.inner_text("#frame-fps").isdigit()
