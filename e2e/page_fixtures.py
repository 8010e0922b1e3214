"""Fixtures of the tests that run Python in a page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from page_python import PagePython, link_pages
from playwright.sync_api import Browser, Page
from server import serve
from watched_page import watched_page

THREADS = ["page", "worker"]


@pytest.fixture(scope="session")
def pages_url(site_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the site's Pyodide, the tests' pages, the bridge's modules and the wheel."""
    folder = tmp_path_factory.mktemp("pages")
    link_pages(folder)
    with serve(folder) as url:
        yield url


@pytest.fixture(scope="module", params=THREADS)
def started_python(
    request: pytest.FixtureRequest, chromium: Browser, pages_url: str
) -> Iterator[PagePython]:
    """Python that the tests of a module share."""
    with watched_page(chromium, []) as page:
        yield PagePython(page, pages_url, request.param)


def leftovers() -> dict[str, int]:
    """What the tests of a shared Python must leave as it was."""
    import gc
    import sys

    import page_counts

    import py_tensor as pt
    from py_tensor.runtime import backend

    # The last uncaught exception holds the frames of a test that failed, with their tensors.
    for name in ("last_exc", "last_value", "last_type", "last_traceback"):
        sys.__dict__.pop(name, None)
    gc.collect()
    return {
        "tensors": pt.memory().num_tensors,
        "bytes on the GPU": pt.memory().num_bytes_in_gpu,
        "proxies of Python objects": page_counts.pyProxies(),
        "WebGL error": backend().bridge.error(),
    }


@pytest.fixture
def python(started_python: PagePython) -> Iterator[PagePython]:
    """Python in a page; nothing of the test may be alive in it afterwards."""
    before = started_python.call(leftovers)
    yield started_python
    assert started_python.call(leftovers) == before


@pytest.fixture(params=THREADS)
def fresh_python(request: pytest.FixtureRequest, page: Page, pages_url: str) -> PagePython:
    """Python of its own for a test that breaks something."""
    return PagePython(page, pages_url, request.param)
