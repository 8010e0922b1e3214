"""Fixtures of the tests that use the bridge directly, without Pyodide."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page
from playwright_bridge import PageBridge, PlaywrightBridge, PlaywrightGpuBridge, load_page
from watched_page import is_crashed


@pytest.fixture(scope="module")
def bridge_pages() -> Iterator[list[Page]]:
    """Pages that can open bridges; the last one is in use."""
    pages: list[Page] = []
    yield pages
    for page in pages:
        page.close()


@pytest.fixture
def bridge_page(chromium: Browser, bridge_pages: list[Page]) -> Page:
    """Page shared by the tests of a module; a new one replaces a page that crashed."""
    if not bridge_pages or is_crashed(bridge_pages[-1]):
        bridge_pages.append(load_page(chromium))
    return bridge_pages[-1]


@pytest.fixture
def bridge(bridge_page: Page) -> Iterator[PlaywrightBridge]:
    """New bridge for one test; fails the test if WebGL reports an error at its end."""
    bridge = PlaywrightBridge(bridge_page)
    yield bridge
    code = bridge.error()
    bridge.destroy()
    assert code == 0, f"getError() is {code:#x}"


@pytest.fixture
def gpu_bridge(bridge_page: Page) -> Iterator[PlaywrightGpuBridge]:
    """New WebGPU bridge for one test; fails the test if WebGPU reports an error at its end."""
    bridge = PlaywrightGpuBridge(bridge_page)
    yield bridge
    error = bridge.error()
    bridge.destroy()
    assert not error


@pytest.fixture(params=["bridge", "gpu_bridge"])
def any_bridge(request: pytest.FixtureRequest) -> PageBridge:
    """New bridge to WebGL, and to WebGPU."""
    bridge: PageBridge = request.getfixturevalue(request.param)
    return bridge
