"""Test a crash of the browser's GPU process: one clear error, then recovery."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from page_python import PagePython
from playwright.sync_api import Browser
from watched_page import watched_page
from work_limit import HANG_SECONDS

pytest_plugins = ["page_fixtures"]

LOST = (
    "webgl: WebGL context lost; got no answer from the GPU; "
    "try again once the browser has restored it, or reload the page"
)
GONE = (
    "realize: the tensor was lost with the WebGL context; got a tensor that existed only on the "
    "GPU; compute it again from tensors created by asarray"
)


@pytest.fixture
def own_browser(launch_chromium: Callable[..., Browser]) -> Iterator[Browser]:
    """Browser whose GPU process the test may end."""
    browser = launch_chromium()
    yield browser
    browser.close()


def prepare() -> list[float]:
    """Keep a tensor on the host and one on the GPU for `read_all`."""
    import builtins

    import py_tensor as pt

    pt.env.host_elements = 0
    host = pt.asarray([1.0, 2.0])
    on_gpu = host * 2.0
    pt.realize(on_gpu)
    builtins.kept = (host, on_gpu)  # type: ignore[attr-defined]
    return (host + 1.0).tolist()


async def read_all(asynchronous: bool) -> list[Any]:
    """Return the outcomes of a read, a run of a cached plan and a run of a new plan."""
    import builtins

    import py_tensor as pt

    host, on_gpu = builtins.kept  # type: ignore[attr-defined]
    seen: list[Any] = []
    for make in (lambda: on_gpu, lambda: host + 1.0, lambda: pt.exp(host * 0.0) + host):
        try:
            tensor = make()
            data = (await tensor.data()) if asynchronous else memoryview(tensor)
            seen.append(data.tolist())
        except pt.errors.BackendError as error:
            seen.append(str(error))
    return seen


@pytest.mark.parametrize("asynchronous", [False, True], ids=["blocking", "asynchronous"])
@pytest.mark.parametrize("thread", ["page", "worker"])
def test_the_gpu_process_crashes(
    own_browser: Browser, pages_url: str, thread: str, asynchronous: bool
) -> None:
    with watched_page(own_browser) as page:
        python = PagePython(page, pages_url, thread, backend="webgl")
        assert python.call(prepare) == [2, 3]
        own_browser.new_browser_cdp_session().send("Browser.crashGpuProcess")
        right = [[2, 4], [2, 3], [2, 3]]
        recovered = [GONE, [2, 3], [2, 3]]
        for _ in range(4 * HANG_SECONDS):
            seen = python.call(read_all, asynchronous)
            for result, value in zip(seen, right, strict=True):
                assert result in (value, LOST, GONE)
            if seen == recovered:
                break
            page.wait_for_timeout(250)
        assert seen == recovered
