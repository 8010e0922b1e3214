"""Test the analyser's times, comparison with TensorFlow.js, sizes and report."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from analyser_driver import AnalyserPage, convolution, tensorflow_js_model
from PIL import Image
from playwright.sync_api import Browser, Page
from watched_page import SharedPage

pytest_plugins = ["analyser_fixtures"]


@pytest.fixture(scope="module")
def measured_once_page(chromium: Browser, site_url: str) -> Iterator[SharedPage[AnalyserPage]]:
    with SharedPage(chromium, lambda page: AnalyserPage(page, site_url, "?runs=1")) as page:
        yield page


@pytest.fixture
def measured_once(measured_once_page: SharedPage[AnalyserPage]) -> AnalyserPage:
    """Page that compares libraries after a single run of each."""
    return measured_once_page.get()


def floats(value: Any) -> list[float]:
    """Return the numbers in a value of JSON that are no integers."""
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return [number for each in inner for number in floats(each)]
    return [value] if isinstance(value, float) else []


def metric(page: Page, name: str) -> str:
    return page.inner_text(f"#speed-panel [data-metric={name}]")


def test_live_times_and_report(analyser: AnalyserPage) -> None:
    page = analyser.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    analyser.open_files({"conv.onnx": convolution([1, 3, 16, 16])})
    assert float(metric(page, "compile")) > 0
    page.click("#speed-panel button:text('Run repeatedly')")
    page.wait_for_function(
        "document.querySelector('[data-metric=model]').textContent.includes('(')"
    )
    page.click("#speed-panel button:text('Stop')")
    page.wait_for_selector("#speed-panel button:text('Run repeatedly')")
    assert float(metric(page, "rate")) > 0
    assert page.is_visible("#speed-panel .chart canvas")
    assert page.is_hidden("#speed-panel button:text('Sizes')")
    page.click("#speed-panel button:text('Copy as JSON')")
    page.wait_for_function("document.body.innerText.includes('Copied.')")
    report = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert all(number == float(f"{number:.4g}") for number in floats(report))
    assert (report["model"], report["format"], report["parameters"]) == ("conv.onnx", "onnx", 81)
    assert report["stages"]["model"]["low"] <= report["stages"]["model"]["high"]
    assert report["memory"]["gpuBytes"] > 0
    page.click("#speed-panel button:text('Copy as text')")
    page.wait_for_function(
        "navigator.clipboard.readText().then((text) => text.startsWith('py_tensor: conv.onnx'))"
    )
    text = page.evaluate("navigator.clipboard.readText()")
    assert re.search(r"^model, \d+ runs +[\d.,]{4,7} ms \([\d.,]{4,7} to ", text, re.MULTILINE), (
        text
    )
    assert re.search(r"^memory +[\d.]+ (B|kB|MB)$", text, re.MULTILINE), text
    with page.expect_download() as download:
        page.click("#speed-panel button:text('Save as PNG')")
    picture = np.asarray(Image.open(download.value.path()).convert("RGB")).astype(int)
    # The picture of the output is below the lines of the text.
    below = picture[22 * text.count("\n") + 56 :][:160, 28:188]
    assert below.shape == (160, 160, 3)
    assert below.std() > 20


def test_open_sides_are_compared(analyser: AnalyserPage) -> None:
    page = analyser.page
    analyser.open_files({"open.onnx": convolution(["n", 3, "h", "w"])})
    assert page.inner_text("#lengths label >> nth=1").startswith("x, h")
    page.click("#speed-panel button:text('Sizes')")
    page.wait_for_selector(".speed-tables tbody tr")
    sizes = page.locator(".speed-tables tbody th").all_inner_texts()
    assert [size.split()[0] for size in sizes] == ["64", "128", "256"]
    times = page.locator(".speed-tables tbody td").all_inner_texts()
    assert all(time.endswith(" ms") for time in times)
    page.fill("#lengths label:nth-of-type(2) input", "40")
    page.click("#lengths button")
    page.wait_for_function(
        "/40.256$/.test("
        "document.querySelector('#rows tbody tr:not(.spacer) td:nth-child(4)').textContent)"
    )


def test_tensorflow_js_gives_the_same_outputs(measured_once: AnalyserPage) -> None:
    analyser, page = measured_once, measured_once.page
    analyser.open_files(tensorflow_js_model())
    page.click("#speed-panel button:text('Compare with TensorFlow.js')")
    page.wait_for_selector(".speed-tables tbody tr:nth-child(2)")
    rows = page.locator(".speed-tables tbody tr").all()
    assert [row.locator("th").inner_text() for row in rows] == ["py_tensor", "TensorFlow.js webgl"]
    cells = rows[1].locator("td").all_inner_texts()
    assert all(float(cell) > 0 for cell in cells[:4])
    assert float(cells[4]) < 1e-4


def test_onnx_runtime_gives_the_same_outputs(measured_once: AnalyserPage) -> None:
    analyser, page = measured_once, measured_once.page
    # It takes longer than a tick of the page's clock, on WebAssembly too.
    analyser.open_files({"conv.onnx": convolution([1, 3, 512, 512])})
    page.click("#speed-panel button:text('Compare with ONNX Runtime Web')")
    page.wait_for_selector(".speed-tables tbody tr:nth-child(3)")
    rows = page.locator(".speed-tables tbody tr").all()
    names = [row.locator("th").inner_text() for row in rows]
    assert names == ["py_tensor", "ONNX Runtime webgl", "ONNX Runtime wasm"]
    for row in rows[1:]:
        cells = row.locator("td").all_inner_texts()
        assert all(float(cell) > 0 for cell in cells[:4]), cells
        assert float(cells[4]) < 1e-4


def test_pictures_of_three_sizes_side_by_side(page: Page, site_url: str) -> None:
    analyser = AnalyserPage(page, site_url)
    page.click("[data-gallery='pix2pix.json']")
    page.wait_for_selector("[data-gallery='pix2pix.json'][aria-pressed=true]")
    page.wait_for_function("document.querySelector('#output-times').children.length > 0")
    whole = analyser.pixels("#output-stage canvas:not([hidden])")
    page.click("#speed-panel button:text('Sizes')")
    page.wait_for_selector(".speed-pictures figure:nth-child(3)")
    captions = page.locator(".speed-pictures figcaption").all_inner_texts()
    for side, caption in zip((64, 128, 256), captions, strict=True):
        assert caption.split()[0] == str(side)
        assert float(caption.split(": ")[1].removesuffix(" ms")) > 0
        drawn = analyser.pixels(f".speed-pictures canvas[aria-label$=' {side}']")
        assert drawn.shape == (side, side, 4)
        assert drawn[..., :3].std() > 5
    # The picture of the largest size is the one that the page shows.
    np.testing.assert_array_equal(drawn, whole)
    boxes = [figure.bounding_box() for figure in page.locator(".speed-pictures canvas").all()]
    assert len({box["width"] for box in boxes if box}) == 1
    assert len({box["y"] for box in boxes if box}) == 1
