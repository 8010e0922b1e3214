"""Fixtures of the tests that drive the bridge alone, without Pyodide."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page
from playwright_bridge import PlaywrightBridge, load_page


@pytest.fixture(scope="module")
def bridge_page(chromium: Browser) -> Iterator[Page]:
    """A page in which bridges can be opened."""
    page = load_page(chromium)
    yield page
    page.close()


@pytest.fixture
def bridge(bridge_page: Page) -> Iterator[PlaywrightBridge]:
    """A bridge of its own for the test; WebGL must not have noted an error in the end."""
    bridge = PlaywrightBridge(bridge_page)
    yield bridge
    code = bridge.error()
    bridge.destroy()
    assert code == 0, f"getError() is {code:#x}"
