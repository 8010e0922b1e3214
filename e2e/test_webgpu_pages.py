"""Test the pages of the site and two templates with WebGPU, in workers and on a page's thread.

The address chooses WebGPU, since the adapter computes on the processor here.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from analyser_driver import AnalyserPage, blazeface_files
from copy_template import copy_template
from demo_driver import Demo
from gallery_programs import small
from handwriting import write
from PIL import Image
from playwright.sync_api import Browser, Page
from server import serve
from template_server import brightness, text_of
from test_bench import TINY, run_page
from test_demo_gallery import FRAMES, SIDE, assert_draws_like_numpy
from test_demo_photo_lab import assert_shows_photo
from waiting import eventually, leave
from watched_page import SharedPage

WEBGPU = "?py_tensor.backend=webgpu"


@pytest.fixture(scope="module")
def chromium(launch_chromium: Callable[..., Browser]) -> Iterator[Browser]:
    """Chromium in which WebGPU draws to canvases in software; elsewhere its GPU process ends."""
    flags = ("--enable-features=Vulkan", "--use-vulkan=swiftshader")
    browser = launch_chromium(*flags, without="--disable-gpu-compositing")
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def demo_page(chromium: Browser, site_url: str) -> Iterator[SharedPage[Demo]]:
    with SharedPage(chromium, lambda page: Demo(page, site_url, query=WEBGPU)) as page:
        yield page


@pytest.fixture
def demo(demo_page: SharedPage[Demo]) -> Iterator[Demo]:
    """Demo page that computes with WebGPU, shared by the tests."""
    yield demo_page.get()
    demo_page.errors.check()


def test_the_page_names_backend_and_reason(demo: Demo) -> None:
    note = demo.page.inner_text("#backend-note")
    assert note.startswith("Runs on WebGPU, ") and "without a GPU" in note
    shown = demo.page.inner_text("#backend")
    assert shown.startswith("WebGPU, ") and shown.endswith("; the page's address names webgpu")


@pytest.mark.parametrize("example", ["arithmetic", "matmul", "memory", "noise", "training"])
def test_examples_of_the_playground_run(demo: Demo, example: str) -> None:
    demo.run(example)


def test_playground_explains_compute_shaders(demo: Demo) -> None:
    demo.run("explain")
    assert "@compute" in demo.text()


@pytest.mark.parametrize("name", ["histogram", "life", "mandelbrot", "n_body", "ray_marching"])
def test_gallery_program_draws_the_same_as_numpy(demo: Demo, name: str) -> None:
    source = small(name, SIDE, FRAMES)
    assert_draws_like_numpy(demo, source, source)


def test_photo_lab_draws_photos_and_the_camera(demo: Demo) -> None:
    page = demo.page
    page.wait_for_selector("#camera:enabled")
    page.uncheck("[data-filter=sepia] input[type=checkbox]")
    assert_shows_photo(demo, "china")
    page.click("#camera")
    page.wait_for_selector("#camera:text('Stop the camera')")
    eventually(page, lambda: assert_width_of_photo(demo, 640))
    page.click("#camera")
    page.click("[data-photo=flower]")
    assert_shows_photo(demo, "flower")


def assert_width_of_photo(demo: Demo, width: int) -> None:
    assert demo.photo().shape[1] == width


def test_digits_are_learned_and_classified(demo: Demo) -> None:
    page = demo.page
    page.wait_for_selector("#digits-train:enabled")
    write(page, 7)
    page.wait_for_selector("#pad-bars .best")
    page.fill("#digits-epochs", "2")
    page.click("#digits-train")
    demo.wait_for_state("digits", "done")
    assert float(demo.metric("digits", "accuracy").removesuffix(" %")) > 50


def test_points_are_fitted(demo: Demo) -> None:
    page = demo.page
    page.locator("#surface").scroll_into_view_if_needed()
    page.wait_for_function("document.querySelector('#surface-stage canvas')?.width === 80")
    page.click("#surface-step")
    demo.wait_for_step("surface", 1)


def test_analyser_draws_findings_and_shows_a_layer(chromium: Browser, site_url: str) -> None:
    with SharedPage(chromium, lambda page: AnalyserPage(page, site_url, WEBGPU)) as shared:
        analyser = shared.get()
        page = analyser.page
        assert page.inner_text("#backend").endswith("; the page's address names webgpu")
        analyser.open_files(blazeface_files())
        analyser.select("conv2d/Relu")
        assert "24 maps of 128 by 128" in page.inner_text("#layer")
        maps = analyser.pixels('#layer canvas[aria-label^="24 maps"]')
        assert len(np.unique(maps[..., :3].reshape(-1, 3), axis=0)) > 100
        page.click("#layer .kernel summary")
        assert "@compute" in page.inner_text("#layer .kernel pre")
        shared.errors.check()


def test_benchmark_compares_backends(chromium: Browser, site_url: str) -> None:
    page = chromium.new_page()
    parameters = f"{TINY}&libraries=webgpu,webgl&only=softmax,product_chain"
    results = run_page(page, site_url, f"webgpu.html?auto=1&{parameters}")
    page.close()
    assert results["summary"]["failed"] == 0
    assert {library for row in results["rows"] for library in row["outcomes"]} == {
        "py_tensor webgpu",
        "py_tensor webgl",
    }


@pytest.mark.parametrize("name", ["page", "worker"])
def test_template_draws_what_the_slider_asks_for(page: Page, name: str, tmp_path: Path) -> None:
    copy_template(name, tmp_path)
    html = tmp_path / "index.html"
    # A worker has an address of its own.
    html.write_text(html.read_text().replace('"worker.js"', '"worker.js" + location.search'))
    with serve(tmp_path) as url:
        page.goto(f"{url}/index.html{WEBGPU}")
        for waves in (30, 77):
            page.locator("input:enabled").fill(str(waves))
            page.get_by_text(text_of(waves, "webgpu")).wait_for()
            eventually(page, partial(assert_shown, page, waves))
        leave(page)


def assert_shown(page: Page, waves: float) -> None:
    """Check the picture on the screen: the page's own WebGPU canvas has no pixels after a frame."""
    shot = Image.open(io.BytesIO(page.locator("canvas").screenshot()))
    shown = np.asarray(shot.convert("RGB"))[..., 0]
    assert shown.shape == (256, 256)
    assert np.abs(shown - 255 * brightness(waves)).max() <= 1
