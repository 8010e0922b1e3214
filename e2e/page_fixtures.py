"""Fixtures of the tests that run Python in a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest
from page_python import PagePython, leftovers, link_pages
from playwright.sync_api import Browser, Page
from server import serve
from watched_page import SharedPage

THREADS = ["page", "worker"]


@pytest.fixture(scope="session")
def pages_url(site_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of a folder with the site's Pyodide, the tests' pages, the bridge and the wheel."""
    folder = tmp_path_factory.mktemp("pages")
    link_pages(folder)
    with serve(folder) as url:
        yield url


@pytest.fixture(scope="session")
def interpreters(
    chromium: Browser, pages_url: str
) -> Iterator[Callable[[str], SharedPage[PagePython]]]:
    """Function of the thread; returns the page of the interpreter that all tests share."""
    with ExitStack() as stack:

        @cache
        def interpreter(thread: str) -> SharedPage[PagePython]:
            start = SharedPage(chromium, lambda page: PagePython(page, pages_url, thread))
            return stack.enter_context(start)

        yield interpreter


@pytest.fixture(params=THREADS)
def thread(request: pytest.FixtureRequest) -> str:
    """Name of the thread that runs Python: "page" or "worker"."""
    name: str = request.param
    return name


@pytest.fixture
def python(
    interpreters: Callable[[str], SharedPage[PagePython]], thread: str
) -> Iterator[PagePython]:
    """Shared Python interpreter in a page; fails a test that leaves objects alive."""
    page = interpreters(thread)
    python = page.get()
    before = python.call(leftovers)
    yield python
    assert python.call(leftovers) == before
    page.errors.check()


@pytest.fixture
def fresh_python(thread: str, page: Page, pages_url: str) -> PagePython:
    """New Python interpreter for a test that breaks state."""
    return PagePython(page, pages_url, thread)
