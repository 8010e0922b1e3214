"""Fixtures of the tests that use the WebGPU bridge directly, without Pyodide."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page
from playwright_bridge import PlaywrightGpuBridge

pytest_plugins = ["bridge_fixtures"]


@pytest.fixture
def gpu_bridge(bridge_page: Page) -> Iterator[PlaywrightGpuBridge]:
    """New bridge for one test; fails the test if WebGPU reports an error at its end."""
    bridge = PlaywrightGpuBridge(bridge_page)
    yield bridge
    error = bridge.error()
    bridge.destroy()
    assert error == ""
