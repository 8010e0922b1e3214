"""Fixtures of the tests that run Python in a page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from page_python import PagePython, leftovers, leftovers_before_test, link_pages
from playwright.sync_api import Browser, Page
from server import serve
from watched_page import watched_page

THREADS = ["page", "worker"]


@pytest.fixture(scope="session")
def pages_url(site_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of a folder with the site's Pyodide, the tests' pages, the bridge and the wheel."""
    folder = tmp_path_factory.mktemp("pages")
    link_pages(folder)
    with serve(folder) as url:
        yield url


@pytest.fixture(scope="module", params=THREADS)
def started_python(
    request: pytest.FixtureRequest, chromium: Browser, pages_url: str
) -> Iterator[PagePython]:
    """Python interpreter shared by the tests of a module."""
    with watched_page(chromium) as page:
        yield PagePython(page, pages_url, request.param)


@pytest.fixture
def python(started_python: PagePython) -> Iterator[PagePython]:
    """Shared Python interpreter in a page; fails a test that leaves objects alive."""
    before = leftovers_before_test(started_python)
    yield started_python
    assert started_python.call(leftovers) == before


@pytest.fixture(params=THREADS)
def fresh_python(request: pytest.FixtureRequest, page: Page, pages_url: str) -> PagePython:
    """New Python interpreter for a test that breaks state."""
    return PagePython(page, pages_url, request.param)
