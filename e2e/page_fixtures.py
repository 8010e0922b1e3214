"""Fixtures of the tests that run Python in a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache

import pytest
from page_python import PagePython, leftovers, link_pages
from playwright.sync_api import Browser
from server import serve
from watched_page import SharedPage

THREADS = ["page", "worker"]
CHOICES = {"wasm": "", "webgl": "webgl", "webgpu": "webgpu"}
"""Backends, with what an address has to say: WebAssembly is the first use's choice."""


@pytest.fixture(scope="session")
def pages_url(site_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of a folder with the site's Pyodide, the tests' pages, the bridge and the wheel."""
    folder = tmp_path_factory.mktemp("pages")
    link_pages(folder)
    with serve(folder) as url:
        yield url


type Interpreters = Callable[[str, str], SharedPage[PagePython]]
"""Function of the thread and the backend; returns the page of an interpreter that tests share."""


@contextmanager
def shared_interpreters(chromium: Browser, pages_url: str) -> Iterator[Interpreters]:
    """Start an interpreter for each thread and backend that are asked for."""
    with ExitStack() as stack:

        @cache
        def interpreter(thread: str, backend: str) -> SharedPage[PagePython]:
            start = SharedPage(
                chromium,
                lambda page: PagePython(page, pages_url, thread, backend=CHOICES[backend]),
            )
            return stack.enter_context(start)

        yield interpreter


@pytest.fixture(scope="session")
def interpreters(chromium: Browser, pages_url: str) -> Iterator[Interpreters]:
    with shared_interpreters(chromium, pages_url) as interpreters:
        yield interpreters


@pytest.fixture(params=THREADS)
def thread(request: pytest.FixtureRequest) -> str:
    """Name of the thread that runs Python: "page" or "worker"."""
    name: str = request.param
    return name


@pytest.fixture(params=["wasm", "webgl"])
def backend(request: pytest.FixtureRequest) -> str:
    """Name of the backend that computes."""
    name: str = request.param
    return name


@pytest.fixture
def python(interpreters: Interpreters, thread: str, backend: str) -> Iterator[PagePython]:
    """Shared Python interpreter in a page; fails a test that leaves objects alive."""
    page = interpreters(thread, backend)
    python = page.get()
    before = python.call(leftovers)
    yield python
    # Answers of a test must not reach the next one.
    python.page.unroute_all()
    assert python.call(leftovers) == before
    page.errors.check()


@pytest.fixture(scope="module")
def lossy_interpreters(chromium: Browser, pages_url: str) -> Iterator[Interpreters]:
    """Interpreters of pages whose contexts tests lose."""
    with shared_interpreters(chromium, pages_url) as interpreters:
        yield interpreters


async def restored() -> int:
    """Restore a lost context and the settings; return the number of tensors that were left."""
    import asyncio
    import gc
    import sys

    import py_tensor as pt
    from py_tensor.runtime.executor import backend
    from py_tensor.settings import Settings

    for name in ("last_exc", "last_value", "last_type", "last_traceback"):
        sys.__dict__.pop(name, None)
    gc.collect()
    bridge = backend().bridge
    if bridge.is_lost():
        bridge.restore_context()
    while bridge.is_lost():
        await asyncio.sleep(0.01)
    pt.env.host_elements = Settings().host_elements
    return pt.memory().num_tensors


@pytest.fixture
def lossy_python(lossy_interpreters: Interpreters, thread: str) -> Iterator[PagePython]:
    """Python interpreter of a page whose context tests lose; it is restored after each."""
    page = lossy_interpreters(thread, "webgl")
    python = page.get()
    yield python
    assert python.call(restored) == 0
    page.errors.check()
