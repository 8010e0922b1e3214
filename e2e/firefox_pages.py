"""Test pages in Firefox, which `make test-firefox` starts.

pytest does not collect this file by itself, since Chromium runs the other tests.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from analyser_driver import AnalyserPage
from demo_driver import Demo
from page_python import PagePython
from playwright.sync_api import Browser, sync_playwright
from program_values import assert_like_numpy
from watched_page import watched_page

pytest_plugins = ["page_fixtures"]

WASM = "?py_tensor.backend=wasm"


@pytest.fixture
def firefox() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.firefox.launch(
            channel="moz-firefox", executable_path=os.environ["FIREFOX"]
        )
        yield browser
        browser.close()


def test_gallery_model_is_opened_and_run(firefox: Browser, site_url: str) -> None:
    with watched_page(firefox) as page:
        analyser = AnalyserPage(page, site_url)
        page.click("[data-gallery='emotion.json']")
        page.wait_for_selector("#output-bars li")
        name, _, score = page.locator("#output-bars li").all_inner_texts()[0].rpartition("\n")
        assert name.strip() == "happy"
        assert float(score.strip(" %")) > 90
        shown = analyser.pixels("#output-stage canvas:not([hidden])")
        assert shown[..., :3].std() > 20
        analyser.select("Relu")
        assert "32 maps of 31 by 31" in page.inner_text("#layer")
        page.evaluate("document.getElementById('output-checks').open = true")
        page.select_option("#output-other", "onnx")
        page.click("#output-compare")
        row = page.locator("#output-differences tbody tr")
        assert float(row.get_attribute("data-difference") or "inf") < 1e-3


@pytest.mark.parametrize("thread", ["page", "worker"])
def test_values_on_webassembly_are_those_of_numpy(
    firefox: Browser, pages_url: str, thread: str
) -> None:
    with watched_page(firefox) as page:
        assert_like_numpy(PagePython(page, pages_url, thread, backend="wasm"), "wasm")


def test_demo_on_webassembly(firefox: Browser, site_url: str) -> None:
    with watched_page(firefox) as page:
        demo = Demo(page, site_url, query=WASM)
        assert page.inner_text("#backend-note").startswith("Runs on WebAssembly")
        demo.run("arithmetic")
        assert demo.caption() == "shape (2, 3) · float32 · wasm · 24 B"
        page.wait_for_selector("#animate:enabled")
        page.wait_for_selector("#stage[aria-busy=false]")
        assert demo.photo().std() > 20
        page.fill("#digits-epochs", "3")
        page.click("#digits-train:enabled")
        demo.wait_for_state("digits", "done")
        assert float(demo.metric("digits", "accuracy").removesuffix(" %")) > 80
