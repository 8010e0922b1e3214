"""Fixtures of the tests that share a demo page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from demo_driver import Demo
from playwright.sync_api import Browser
from watched_page import SharedPage


@pytest.fixture(scope="module")
def demo_page(chromium: Browser, site_url: str) -> Iterator[SharedPage[Demo]]:
    with SharedPage(chromium, lambda page: Demo(page, site_url)) as page:
        yield page


@pytest.fixture
def demo(demo_page: SharedPage[Demo]) -> Demo:
    """Demo page shared by tests that start programs and wait for their end."""
    return demo_page.get()
