"""Test that the demo's sections survive the loss of the WebGL context."""

from __future__ import annotations

import numpy as np
import pytest
from demo_driver import WEBGL, Demo
from lost_context import keep_contexts, lose_context
from playwright.sync_api import Page
from waiting import eventually
from watched_page import PageErrors


@pytest.fixture
def demo(page: Page, site_url: str, page_errors: PageErrors) -> Demo:
    keep_contexts(page, "**/worker-*.js*")
    page_errors.ignore()
    demo = Demo(page, site_url, query=WEBGL)
    page.wait_for_selector("#animate:enabled")
    page.wait_for_selector("#stage[aria-busy=false]")
    return demo


def test_photo_is_drawn_after_a_loss(demo: Demo) -> None:
    filtered = demo.photo().astype(float)
    demo.page.uncheck("[data-filter=sepia] input[type=checkbox]")

    def is_unfiltered() -> None:
        assert np.abs(demo.photo() - filtered).mean() > 3

    eventually(demo.page, is_unfiltered)
    photo = demo.photo().astype(float)
    lose_context(demo.page)
    demo.page.locator("[data-filter=brightness] input[type=range]").fill("0.2")

    def is_brighter() -> None:
        expected = np.clip(photo + 51, 0, 255)
        assert np.abs(demo.photo() - expected).max() <= 1

    eventually(demo.page, is_brighter)
    assert demo.page.inner_text("#photo-status").endswith("427 pixels")


def test_training_goes_on_after_a_loss(demo: Demo) -> None:
    page = demo.page
    page.fill("#digits-epochs", "8")
    page.click("#digits-train:enabled")
    page.wait_for_function(
        "Number(document.querySelector('#digits-metrics [data-metric=epoch]').textContent) >= 3"
    )
    lose_context(demo.page)
    page.wait_for_selector("#digits-status:text('The browser reset the GPU; the network of epoch')")
    kept = int(page.inner_text("#digits-status").split()[9])
    assert kept >= 3
    demo.wait_for_state("digits", "done")
    assert demo.metric("digits", "epoch") == "8"
    assert float(demo.metric("digits", "accuracy").removesuffix(" %")) > 85


def test_surface_begins_again_after_a_loss(demo: Demo) -> None:
    page = demo.page
    page.click("#surface-play:enabled")
    demo.wait_for_step("surface", 20)
    lose_context(demo.page)
    page.wait_for_selector("#surface-status:text('The browser reset the GPU')")
    demo.wait_for_step("surface", 20)
    assert page.get_attribute("#surface", "data-state") == "training"
