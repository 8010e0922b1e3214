"""Test what only a page shows: timers of the GPU, entries of the Performance panel, addresses."""

from __future__ import annotations

from typing import Any

from page_fixtures import WEBGL
from page_python import PagePython
from playwright.sync_api import Page

pytest_plugins = ["page_fixtures"]


async def measured_async() -> dict[str, Any]:
    import py_tensor as pt

    x = pt.asarray([[float(i)] * 64 for i in range(64)])

    async def work() -> float:
        y = pt.exp(x / 64.0) @ x
        return (await y.data())[0, 0]

    await work()
    timing = await pt.time(work)
    profile = await pt.profile(work)
    return {
        "times": [timing.wall_ms, timing.kernel_ms, timing.upload_ms, timing.download_ms],
        "profile": [profile.timer, profile.kernel_ms],
        "kernels": [[k.name, k.line, k.ms, list(k.output_shape)] for k in profile.kernels],
        "transfers": [list(each[2:4]) for each in profile.transfers],
        "has timer": pt.env.timer,
    }


def measured() -> dict[str, Any]:
    import py_tensor as pt

    x = pt.asarray([[float(i)] * 64 for i in range(64)])

    def work() -> float:
        return (pt.exp(x / 64.0) @ x)[0, 0].item()

    work()
    timing, profile = pt.time(work), pt.profile(work)
    return {
        "times": [timing.wall_ms, timing.kernel_ms, timing.upload_ms, timing.download_ms],
        "profile": [profile.timer, profile.kernel_ms],
        "kernels": [[k.name, k.line, k.ms, list(k.output_shape)] for k in profile.kernels],
        "transfers": [list(each[2:4]) for each in profile.transfers],
        "has timer": pt.env.timer,
    }


def check(seen: dict[str, Any], timer: str, timed: bool) -> None:
    wall, kernels, _, download = seen["times"]
    # The clock of a page has steps of 0.1 ms, which take longer than a small kernel.
    least = 0 if timer == "host" else 1e-3
    assert wall > 0 and download >= least
    assert (kernels is not None) == timed
    assert kernels is None or least <= kernels < 10_000
    assert seen["profile"][0] == timer
    assert seen["profile"][1] >= least
    assert all(ms is not None and ms >= 0 for _, _, ms, _ in seen["kernels"])
    assert {line.partition(":")[0] for _, line, _, _ in seen["kernels"]} == {
        "test_page_measuring.py"
    }
    assert [kind for kind, _ in seen["transfers"]] == ["download"]


def check_timer(seen: dict[str, Any], backend: str) -> None:
    gpu = ("gpu", True) if seen["has timer"] else ("wait", False)
    check(seen, *{"webgl": gpu, "wasm": ("host", True)}[backend])


def test_await(python: PagePython, backend: str) -> None:
    check_timer(python.call(measured_async), backend)


def test_waiting_for_promises(python: PagePython, backend: str) -> None:
    """Under runPythonAsync, a blocking call can wait for the timer's results."""
    check_timer(python.call(measured), backend)


@WEBGL
def test_without_promises(python: PagePython) -> None:
    check(python.call_blocking(measured), "wait", False)


def test_without_a_timer(page: Page, pages_url: str) -> None:
    python = PagePython(page, pages_url, "page", "no_timer", backend="webgl")
    for seen in (python.call(measured), python.call(measured_async)):
        assert seen["has timer"] is False
        check(seen, "wait", False)


def entries() -> dict[str, Any]:
    import io
    import logging

    import js

    import py_tensor as pt

    def names() -> list[Any]:
        found = js.performance.getEntriesByType("measure")
        js.performance.clearMeasures()
        return [[each.detail.devtools.track, each.name] for each in found]

    x = pt.asarray([[float(i)] * 64 for i in range(64)])
    pt.realize(pt.exp(x) * 2.0)
    names()
    pt.realize(pt.exp(x) * 2.0)
    seen = {"without": names()}
    pt.profile(lambda: pt.exp(x) * 2.0)
    seen["profile"] = names()
    log = io.StringIO()
    logger = logging.getLogger("py_tensor")
    handler = logging.StreamHandler(log)
    logger.addHandler(handler)
    try:
        with pt.enable_debug_mode():
            pt.exp(x) * 2.0
    finally:
        logger.removeHandler(handler)
    seen["debug"] = names()
    seen["log"] = log.getvalue().splitlines()
    pt.realize(pt.exp(x) * 2.0)
    return seen | {"after": names()}


def test_entries_of_the_performance_panel(python: PagePython) -> None:
    seen = python.call(entries)
    assert seen["without"] == seen["after"] == []
    plans = [name for track, name in seen["profile"] if track == "plans"]
    assert len(plans) == 1 and plans[0].startswith("plan ") and plans[0].endswith(": multiply")
    assert [name for track, name in seen["profile"] if track == "kernels"] == ["multiply"]
    kernels = [name for track, name in seen["debug"] if track == "kernels"]
    assert kernels == ["exp", "multiply"]
    assert [line.partition(":")[0] for line in seen["log"]] == ["exp", "multiply"]
    for line in seen["log"]:
        assert " ms, GPU " in line and "GPU -" not in line and "16384 bytes (test_page_" in line


def flags() -> list[Any]:
    import warnings

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        import py_tensor as pt
    texts = [str(each.message) for each in caught]
    return [pt.env.flush_threshold, pt.env.pool_limit, pt.env.debug, pt.env.backend, texts]


def test_flags_of_the_address(page: Page, pages_url: str) -> None:
    python = PagePython(page, pages_url, "page")
    query = "?lang=en&py_tensor.flush_threshold=77&py_tensor.pool_limit=1000"
    page.evaluate("query => history.replaceState(null, '', query)", query)
    assert python.call(flags) == [77, 1000, False, "wasm", []]


def test_a_wrong_flag_of_the_address_warns(page: Page, pages_url: str) -> None:
    python = PagePython(page, pages_url, "page")
    page.evaluate("history.replaceState(null, '', '?py_tensor.flush=77')")
    threshold, _, _, _, (text,) = python.call(flags)
    assert threshold == 500
    assert text.startswith("env: unknown flag; got 'flush'; use one of ")


def uploads() -> list[Any]:
    import js

    import py_tensor as pt

    image = js.ImageData.new(8, 4)
    profile = pt.profile(lambda: pt.from_pixels(image))
    assert profile.result.shape == (4, 8, 3)
    return [list(each[2:4]) for each in profile.transfers]


def test_images_are_uploads(python: PagePython) -> None:
    assert python.call(uploads) == [["upload", 8 * 4 * 4]]
