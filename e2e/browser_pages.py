"""Test the start of Python, the demo page and the analyser in another browser.

FIREFOX names Firefox, WEBKIT the MiniBrowser of WebKitGTK, and BROWSER a browser of Playwright;
without them Chromium runs, of which the files `test_*.py` test more. pytest does not collect this
file by itself.
"""

from __future__ import annotations

import inspect
import io
import json
import os
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import playwright_bridge
import pytest
from analyser_driver import AnalyserPage, convolution
from conftest import SITE
from demo_driver import Demo
from handwriting import write
from kept_files import assert_kept
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from program_values import assert_like_numpy
from server import serve
from started_python import run_again
from waiting import eventually
from watched_page import PageErrors, watched_page

pytest_plugins = ["page_fixtures"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser | None]:
    """Browser of Playwright; None for WebKitGTK, which starts anew for each page."""
    if "WEBKIT" in os.environ:
        yield None
        return
    with sync_playwright() as playwright:
        browser = playwright_bridge.launch(playwright)
        yield browser
        browser.close()


ENDED_WORKER = "uncaught: uncaught exception: undefined\nundefined"
"""Error that Firefox sometimes reports when a page ends a busy worker. No event tells the page."""


@contextmanager
def new_page(
    browser: Browser | None, is_cut_off: bool = False, accepted: str = ""
) -> Iterator[Any]:
    """Open a page without stored data; fail at the end if it reported errors.

    Firefox reports every download that a reload cuts off, which `is_cut_off` accepts. `accepted` is
    the text of an error that does not fail the test.
    """
    if browser is not None:
        errors = PageErrors()
        errors.ignored = is_cut_off
        with watched_page(browser, errors) as page:
            yield page
            errors[:] = [error for error in errors if error != accepted]
        return
    import webkit_page

    with webkit_page.start_browser(os.environ["WEBKIT"]) as page:
        yield page
        assert page.errors() == []


# --- the loader -----------------------------------------------------------------------------------


class LoadedPython:
    """Python that the page loader starts without JavaScript Promise Integration."""

    def __init__(self, page: Page, url: str, thread: str) -> None:
        self.page, self.thread = page, thread
        page.goto(f"{url}/pages/start_options.html?no_promises&py_tensor.backend=wasm")

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of a test. Arguments and result are JSON."""
        given = json.dumps(json.dumps(arguments))
        program = (
            f"{textwrap.dedent(inspect.getsource(function))}\n"
            "import inspect, json\n"
            f"result = {function.__name__}(*json.loads({given}))\n"
            "json.dumps(await result if inspect.isawaitable(result) else result)"
        )
        return json.loads(run_again(self.page, program, self.thread))


@pytest.fixture(scope="module", params=["page", "worker"])
def loaded(
    request: pytest.FixtureRequest, browser: Browser | None, pages_url: str
) -> Iterator[LoadedPython]:
    with new_page(browser) as page:
        yield LoadedPython(page, pages_url, request.param)


def test_values_are_those_of_numpy(loaded: LoadedPython) -> None:
    assert_like_numpy(loaded, "wasm")


async def read_both_ways(backend: str) -> list[Any]:
    from pyodide.ffi import can_run_sync

    import py_tensor as pt

    before = pt.get_backend()
    pt.set_backend(backend)
    try:
        x = pt.arange(70_000, dtype="float32") * 2.0
        waited = await x.data()
        blocking = [x[-1].item(), x[:3].tolist(), waited == memoryview(x)]
        return [can_run_sync(), pt.get_backend(), *blocking]
    finally:
        pt.set_backend(before)


HAS_WEBGL = {
    "page": "() => Boolean(document.createElement('canvas').getContext('webgl2'))",
    "worker": """() => new Promise((resolve) => {
      const script = "postMessage(Boolean(new OffscreenCanvas(1, 1).getContext('webgl2')))";
      const worker = new Worker(URL.createObjectURL(new Blob([script])));
      worker.onmessage = ({ data }) => resolve(data);
    })""",
}
"""JavaScript that says whether a thread has WebGL2, which workers of WebKitGTK lack."""


@pytest.mark.parametrize("backend", ["wasm", "webgl"])
def test_results_are_read_blocking_and_waiting(loaded: LoadedPython, backend: str) -> None:
    if backend == "webgl" and not loaded.page.evaluate(HAS_WEBGL[loaded.thread]):
        with pytest.raises(Exception, match="this page gets no WebGL2 context"):
            loaded.call(read_both_ways, backend)
    else:
        seen = loaded.call(read_both_ways, backend)
        assert seen == [False, backend, 139_998, [0, 2, 4], True]


async def stored_and_restored() -> list[Any]:
    import py_tensor as pt

    await pt.io.store("three", {"x": pt.arange(3)})
    return [await pt.io.names(), (await pt.io.restore("three"))["x"].tolist()]


def test_tensors_are_stored_in_the_browser(loaded: LoadedPython) -> None:
    assert loaded.call(stored_and_restored) == [["three"], [0, 1, 2]]


# --- the demo page --------------------------------------------------------------------------------

RECORD_PROGRESS = """() => new Promise((resolve) => {
  const text = document.getElementById("loading-text");
  const bar = document.getElementById("loading-bar");
  const steps = [];
  const note = () => {
    steps.push([text.textContent, bar.value]);
    if (document.querySelector("[data-state=ready], [data-state=failed]")) resolve(steps);
  };
  const observer = new MutationObserver(note);
  observer.observe(document, { subtree: true, attributeFilter: ["data-state"] });
  observer.observe(text, { childList: true });
  note();
})"""


class RecordedDemo(Demo):
    """Demo page that has its service worker, and the texts and numbers of its progress bar."""

    def __init__(self, page: Page, site_url: str) -> None:
        self.page = page
        page.goto(f"{site_url}/index.html")
        self.progress = page.evaluate(RECORD_PROGRESS)
        assert page.is_hidden("#notice"), page.inner_text("#notice")

    def run_program(self, source: str) -> str:
        """Write and run a program, and return the status that the page shows."""
        self.write(source)
        self.start()
        return self.finish()


@pytest.fixture(scope="module")
def demo(browser: Browser | None, site_url: str) -> Iterator[RecordedDemo]:
    with new_page(browser, accepted=ENDED_WORKER) as page:
        yield RecordedDemo(page, site_url)


def test_demo_page_starts(demo: RecordedDemo) -> None:
    values = [value for _, value in demo.progress]
    assert len(set(values)) >= 3
    assert values == sorted(values)
    assert values[-1] == 1
    assert demo.progress[-1][0].startswith("Python is ready")
    assert demo.page.inner_text("#backend-note").startswith("Runs on ")


def test_example_computes(demo: RecordedDemo) -> None:
    demo.run("arithmetic")
    a = np.array([[1, 2, 3], [4, 5, 6]], dtype=np.float32)
    c = np.sqrt(a * [10, 20, 30] + 1) - a.mean()
    np.testing.assert_allclose(demo.values(), c, rtol=6e-5)
    assert demo.caption().startswith("shape (2, 3) · float32 · ")


SHOWING = """import py_tensor as pt
x = pt.linspace(0.0, 1.0, 5)
print(x.sum().item())
pt.show(pt.plot.line(x, x * x, title="Squares"))
pt.show(pt.asarray([[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]]), "two colours")"""


def test_text_plot_and_picture_are_shown(demo: RecordedDemo) -> None:
    status = demo.run_program(SHOWING)
    assert status.startswith("ran in"), demo.text()
    assert demo.printed() == ["2.5"]
    assert "Squares" in demo.page.locator("#output svg text").all_text_contents()
    assert demo.picture("two colours").tolist() == [[[255, 0, 0], [0, 0, 255]]]


def test_program_of_the_list_is_run(demo: RecordedDemo) -> None:
    demo.choose_program("prime_numbers")
    demo.start()
    assert demo.finish().startswith("ran in"), demo.text()
    assert demo.printed()[0].startswith("168 primes up to 1000")


def test_error_names_its_line(demo: RecordedDemo) -> None:
    assert demo.run_program("x = [1]\nprint('before')\nx[3]").startswith("failed after")
    assert demo.printed() == ["before"]
    assert demo.page.inner_text(".failure-message") == "IndexError: list index out of range"
    assert demo.page.inner_text(".failed-line") == "x[3]"


def test_names_are_completed_and_described(demo: RecordedDemo) -> None:
    page = demo.page

    def is_completed() -> None:
        assert "concat" in page.locator(".cm-completionLabel").all_text_contents()

    demo.write("import py_tensor as pt\n\n")
    page.keyboard.type("pt.conca")
    eventually(page, is_completed)
    # The editor does not take a key for a choice just after its list appeared.
    page.wait_for_timeout(500)
    page.keyboard.press("Enter")
    assert page.inner_text("#editor .cm-content").rstrip().endswith("pt.concat")
    page.keyboard.press("Escape")
    lines = page.locator("#editor .cm-line")
    # Firefox puts an empty line before a text of several lines.
    line = lines.nth(lines.all_text_contents().index("import py_tensor as pt"))

    def is_described() -> None:
        # What the editor still does after the last key may end a hover.
        line.hover(position={"x": 75, "y": 8})
        page.wait_for_timeout(1000)
        texts = page.locator(".cm-tooltip-hover").all_inner_texts()
        page.mouse.move(1, 1)
        assert "py_tensor" in "".join(texts)

    eventually(page, is_described)


def test_loop_without_an_end_is_stopped(demo: RecordedDemo) -> None:
    demo.write("print('on and on')\nwhile True:\n    pass")
    demo.start()
    demo.page.wait_for_selector("#output pre")
    demo.page.click("#stop")
    demo.finish()
    assert demo.page.inner_text("#run-status") == "stopped; Python was restarted"
    assert demo.printed() == ["on and on"]
    assert demo.run_program("print(6 * 7)").startswith("ran in")
    assert demo.printed() == ["42"]


def test_file_of_the_visitor_is_read(demo: RecordedDemo) -> None:
    page = demo.page
    file = {"name": "two.csv", "mimeType": "text/csv", "buffer": b"1,2\n"}
    page.set_input_files("#program-files", file)
    page.wait_for_function("document.getElementById('saved').textContent.includes('two.csv')")
    status = demo.run_program("print(open('two.csv').read(), end='')")
    assert status.startswith("ran in"), demo.text()
    assert demo.printed() == ["1,2"]


def test_photo_is_filtered_and_moves(demo: RecordedDemo) -> None:
    page = demo.page
    page.locator("#stage").scroll_into_view_if_needed()
    page.wait_for_selector("#animate:enabled")
    page.wait_for_selector("#stage[aria-busy=false]")
    photo = np.asarray(Image.open(SITE / "photos" / "china.jpg").convert("RGB")).astype(int)

    def is_shown() -> None:
        shown = demo.photo()
        assert shown.shape == photo.shape
        # The page starts with a filter of brown tones.
        assert 5 < np.abs(shown - photo).mean() < 60

    eventually(page, is_shown)
    first = demo.photo()
    page.click("#animate")

    def has_moved() -> None:
        assert np.abs(demo.photo().astype(int) - first).mean() > 1

    eventually(page, has_moved)
    page.click("#animate")
    own = io.BytesIO()
    Image.new("RGB", (60, 40), (200, 30, 10)).save(own, "PNG")
    page.locator("[data-filter=sepia] input[type=checkbox]").click()
    page.set_input_files(
        "#file", {"name": "red.png", "mimeType": "image/png", "buffer": own.getvalue()}
    )

    def is_red() -> None:
        assert demo.photo().shape == (40, 60, 3)
        assert np.unique(demo.photo().reshape(-1, 3), axis=0).tolist() == [[200, 30, 10]]

    eventually(page, is_red)


def test_digits_are_learned_and_recognised(demo: RecordedDemo) -> None:
    page = demo.page
    page.locator("#digits").scroll_into_view_if_needed()
    page.fill("#digits-epochs", "6")
    page.click("#digits-train:enabled")
    demo.wait_for_state("digits", "done")
    assert float(demo.metric("digits", "accuracy").removesuffix(" %")) > 90
    write(page, 7)

    def is_recognised() -> None:
        assert page.inner_text("#pad-says") == "Looks like a 7"

    eventually(page, is_recognised)


def test_page_starts_without_a_connection(browser: Browser | None) -> None:
    with new_page(browser, is_cut_off=True) as page:
        with serve(SITE) as url:
            demo = RecordedDemo(page, url)
            demo.write("print('kept')")
            eventually(page, lambda: assert_kept(page))
        page.reload()
        page.wait_for_selector("#run:enabled")
        demo.start()
        assert demo.finish().startswith("ran in"), demo.text()
        assert demo.printed() == ["kept"]


# --- the analyser ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def analyser(browser: Browser | None, site_url: str) -> Iterator[AnalyserPage]:
    with new_page(browser) as page:
        yield AnalyserPage(page, site_url, offline=True)


def differences(analyser: AnalyserPage, library: str) -> list[float]:
    """Return the difference of each output from another library, relative to the largest value."""
    page = analyser.page
    page.evaluate("document.getElementById('output-checks').open = true")
    page.select_option("#output-other", library)
    page.click("#output-compare")
    page.wait_for_selector("#output-compare:enabled")
    rows = page.locator("#output-differences tbody tr").all()
    return [
        float(row.get_attribute("data-difference") or "inf")
        / float(row.get_attribute("data-largest") or "0")
        for row in rows
    ]


def test_gallery_model_is_opened_and_run(analyser: AnalyserPage) -> None:
    page = analyser.page
    page.click("[data-gallery='emotion.json']")
    page.wait_for_selector("#output-bars li")
    name, score = page.locator("#output-bars li").all_inner_texts()[0].strip().split("\n")
    assert name.strip() == "happy"
    assert float(score.strip(" %")) > 90
    assert analyser.pixels("#output-stage canvas:not([hidden])")[..., :3].std() > 20
    analyser.select("Relu")
    assert "32 maps of 31 by 31" in page.inner_text("#layer")
    assert analyser.pixels("#layer canvas[aria-label^='32 maps']")[..., :3].std() > 5
    (against_onnx,) = differences(analyser, "onnx")
    (against_tensorflow,) = differences(analyser, "tfjs")
    assert 0 <= against_onnx < 1e-3
    assert 0 <= against_tensorflow < 1e-3


def test_own_model_is_opened_and_run(analyser: AnalyserPage) -> None:
    analyser.open_files({"conv.onnx": convolution([1, 3, 16, 16])})
    assert "conv.onnx was opened" in analyser.page.inner_text("#open-status")
    analyser.page.wait_for_selector("#output-times > *")
    (difference,) = differences(analyser, "onnx")
    assert 0 <= difference < 1e-5
