"""Test the analyser in Firefox, which `make test-firefox` starts.

pytest does not collect this file by itself, since Chromium runs the other tests.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from analyser_driver import AnalyserPage
from playwright.sync_api import Browser, sync_playwright
from watched_page import watched_page


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
