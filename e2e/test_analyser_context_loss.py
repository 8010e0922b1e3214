"""Test that the analyser survives the loss of the WebGL context."""

from __future__ import annotations

import numpy as np
import pytest
from analyser_driver import AnalyserPage, blazeface_files, convolution, serve_files
from demo_driver import WEBGL
from lost_context import keep_contexts, lose_context
from playwright.sync_api import Page
from waiting import eventually
from watched_page import PageErrors

AGAIN = "The browser reset the GPU; the model was loaded again."
RAN = "document.querySelector('#output-times').children.length > 0"


@pytest.fixture
def analyser(page: Page, site_url: str, page_errors: PageErrors) -> AnalyserPage:
    keep_contexts(page, "**/analyser_worker-*.js*")
    page_errors.ignore()
    return AnalyserPage(page, site_url, WEBGL)


def run_again(page: Page) -> None:
    page.evaluate("document.querySelector('#output-times').replaceChildren()")
    page.click("#output-again")
    page.wait_for_function(RAN)


def test_model_input_and_layer_come_back(analyser: AnalyserPage) -> None:
    page = analyser.page
    analyser.open_files({"conv.onnx": convolution([1, 3, 16, 16])})
    page.wait_for_function(RAN)
    analyser.select("conv")
    before = analyser.pixels('#layer canvas[aria-label^="3 maps"]')
    page.evaluate("document.getElementById('output-numbers').open = true")
    page.wait_for_selector("#output-numbers td")
    numbers = page.inner_text("#output-numbers .numbers")
    lose_context(page)
    run_again(page)
    page.wait_for_selector(f"#open-status:text('{AGAIN}')")
    assert page.inner_text("#layer .layer-name") == "conv"

    def is_as_before() -> None:
        maps = analyser.pixels('#layer canvas[aria-label^="3 maps"]')
        np.testing.assert_array_equal(maps, before)
        assert page.inner_text("#output-numbers .numbers") == numbers

    eventually(page, is_as_before)


def test_first_use_after_a_loss_is_of_any_part(analyser: AnalyserPage) -> None:
    page = analyser.page
    analyser.open_files(blazeface_files())
    page.wait_for_function(RAN)
    lose_context(page)
    page.click("#rows button:text('Measure the layers')")
    page.wait_for_function(
        "document.querySelector('#rows .status').textContent.startsWith('Each layer')"
    )
    lose_context(page)
    analyser.select("conv2d/Relu")
    assert "24 maps of 128 by 128" in page.inner_text("#layer")
    lose_context(page)
    analyser.open_files({"conv.onnx": convolution([1, 3, 16, 16])})
    assert page.is_hidden("#open-problem"), analyser.problem()


def test_repeated_runs_go_on_after_a_loss(analyser: AnalyserPage) -> None:
    page = analyser.page
    analyser.open_files({"conv.onnx": convolution([1, 3, 16, 16])})
    page.click("#speed-panel button:text('Run repeatedly')")
    page.wait_for_function(RAN)
    for _ in range(2):
        page.evaluate("document.getElementById('open-status').textContent = ''")
        lose_context(page)
        page.wait_for_selector(f"#open-status:text('{AGAIN}')")
    page.evaluate("document.querySelector('#output-times').replaceChildren()")
    page.wait_for_function(RAN)
    page.click("#speed-panel button:text('Stop')")


def test_model_that_cannot_be_loaded_again_is_named(analyser: AnalyserPage, site_url: str) -> None:
    page = analyser.page
    files = {"conv.onnx": convolution([1, 3, 16, 16])}
    serve_files(page, files)
    analyser.open_address(f"{site_url}/given/conv.onnx")
    page.wait_for_function(RAN)
    files.clear()
    lose_context(page)
    page.click("#output-again")
    page.wait_for_selector("#output-status:text('the model cannot be loaded again')")
    assert "404" in page.inner_text("#output-status")
    assert page.inner_text("#output-status").endswith("open it again")
