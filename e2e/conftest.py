"""Fixtures of the tests that run in a page: the built site, a browser, a page without errors."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from server import serve
from watched_page import watched_page

SITE = Path(__file__).parent.parent / "build" / "site"

FLAGS = [
    "--no-sandbox",
    # WebGL2 without a graphics card.
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    # As Chromium does by itself without a graphics card, where no flag asks for WebGL.
    "--disable-gpu-compositing",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def site_url() -> Iterator[str]:
    """The address of the built site, without a slash at the end."""
    if not (SITE / "index.html").exists():
        pytest.fail("site: not built; got no build/site/index.html; run make site", pytrace=False)
    with serve(SITE) as url:
        yield url


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A headless Chromium: the one that CHROMIUM names, else the system's, else Playwright's."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, headless=True, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page_errors() -> list[str]:
    """What went wrong in the page so far; a test that provokes errors clears it."""
    return []


@pytest.fixture
def page(chromium: Browser, page_errors: list[str]) -> Iterator[Page]:
    """An empty page in a context of its own; an error nobody caught in it fails the test."""
    with watched_page(chromium, page_errors) as page:
        yield page
