"""Fixtures of the tests that run in a page: the built site, a browser and a page."""

import os
import shutil
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import playwright_bridge
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from server import serve
from watched_page import PageErrors, crashed_pages, note_crashes, raise_crash, watched_page
from work_limit import HANG_SECONDS

SITE = Path(__file__).parent.parent / "build" / "site"

FLAGS = [
    *playwright_bridge.FLAGS,
    # Optimizing Pyodide's code takes as long as most tests; in a page it also goes on afterwards.
    "--js-flags=--liftoff-only",
    # In one start of about 40, Chromium (156) turns on its heap profiler. That one reads past the
    # end of the stacks on which WebAssembly waits for promises, and the page crashes. The feature
    # is not disabled, since a second --disable-features would replace Playwright's.
    "--enable-features=HeapProfilerReporting:stable-probability/0/nonstable-probability/0",
    # A camera and a microphone without hardware and questions.
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None]:
    crashed_pages.clear()
    yield from raise_crash()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None]:
    yield from raise_crash()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None]:
    yield from raise_crash()


@pytest.fixture(scope="session")
def site_url() -> Iterator[str]:
    """URL of the built site, without a trailing slash."""
    if not (SITE / "index.html").exists():
        pytest.fail("site: not built; got no build/site/index.html; run make site", pytrace=False)
    with serve(SITE) as url:
        yield url


@pytest.fixture(scope="session")
def launch_chromium() -> Iterator[Callable[..., Browser]]:
    """Start a headless Chromium, $CHROMIUM, the system's or Playwright's, with other flags."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    # Like all other waits: a machine under load takes longer than the 5 s of `expect`.
    expect.set_options(timeout=1000 * HANG_SECONDS)
    with sync_playwright() as playwright:

        def launch(*flags: str, without: str = "") -> Browser:
            browser = playwright.chromium.launch(
                executable_path=path,
                headless=True,
                args=[*(flag for flag in FLAGS if flag != without), *flags],
                timeout=1000 * HANG_SECONDS,
            )
            note_crashes(browser)
            return browser

        yield launch


@pytest.fixture(scope="session")
def chromium(launch_chromium: Callable[..., Browser]) -> Iterator[Browser]:
    """Headless Chromium shared by all tests."""
    browser = launch_chromium()
    yield browser
    browser.close()


@pytest.fixture
def page_errors() -> PageErrors:
    """Errors of the page so far. A test that provokes errors ignores them."""
    return PageErrors()


@pytest.fixture
def page(chromium: Browser, page_errors: PageErrors) -> Iterator[Page]:
    """Empty page in a new browser context. An uncaught error in it fails the test."""
    with watched_page(chromium, page_errors) as page:
        yield page
