"""Test the whole demo page: start, error messages and layout on a phone."""

import gzip
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import PIPE, Popen
from urllib.request import Request, urlopen

import pytest
from accessibility import faults
from conftest import SITE
from demo_driver import WEBGL, Demo
from kept_files import assert_kept
from playwright.sync_api import Browser, Page, Route
from server import serve
from watched_page import PageErrors, SharedPage

pytest_plugins = ["demo_fixtures"]

RECORD_PROGRESS = """
window.progress = [];
addEventListener("DOMContentLoaded", () => {
  const text = document.getElementById("loading-text");
  const bar = document.getElementById("loading-bar");
  const note = () => window.progress.push([text.textContent, bar.value]);
  new MutationObserver(note).observe(text, { childList: true });
});
"""


class RecordedDemo(Demo):
    """Demo page with a flag in its address, which records its progress and its requests."""

    def __init__(self, page: Page, site_url: str) -> None:
        self.requests: list[str] = []
        page.context.on("request", lambda request: self.requests.append(request.url))
        page.add_init_script(RECORD_PROGRESS)
        super().__init__(page, site_url, query="?py_tensor.flush_threshold=321&lang=en")


@pytest.fixture(scope="module")
def demo_page(chromium: Browser, site_url: str) -> Iterator[SharedPage[RecordedDemo]]:
    with SharedPage(chromium, lambda page: RecordedDemo(page, site_url)) as page:
        yield page


def test_progress_bar_counts_the_bytes(demo: Demo) -> None:
    steps = demo.page.evaluate("window.progress")
    downloads = [value for text, value in steps if text.endswith("MB")]
    values = [value for _, value in steps]
    assert len(set(downloads)) >= 5
    assert values == sorted(values)
    assert values[-1] == 1
    # Pyodide's WebAssembly file alone is larger than this.
    largest = max(float(text.split()[2]) for text, _ in steps if text.endswith("MB"))
    assert largest > 9


def test_no_request_leaves_the_origin(demo: RecordedDemo, site_url: str) -> None:
    requests, page = demo.requests, demo.page
    demo.run("arithmetic")
    page.click("[data-photo=flower]")
    page.wait_for_selector("[data-photo=flower][aria-pressed=true]")
    # The list includes the worker's requests.
    assert any(url.endswith("pyodide.asm.wasm") for url in requests)
    assert any(url.endswith("flower.jpg") for url in requests)
    here = (f"{site_url}/", f"blob:{site_url}/", "data:")
    assert [url for url in requests if not url.startswith(here)] == []


SCHEMES = {"light": "rgb(245, 244, 239)", "dark": "rgb(14, 16, 22)"}
"""Colour schemes of the browser, with the page's background."""


def test_flags_of_the_address_reach_python(demo: Demo) -> None:
    demo.write("import py_tensor as pt\nprint(pt.env.flush_threshold)")
    demo.start()
    demo.finish()
    assert demo.printed() == ["321"]


def test_phone_has_no_sideways_scroll(page: Page, site_url: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    demo = Demo(page, site_url)
    for example in ("arithmetic", "matmul", "mistake"):
        demo.choose(example)
        demo.start()
        demo.finish()
        for scheme, background in SCHEMES.items():
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate("document.documentElement.scrollWidth") == 360
            shown = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert shown == background


def test_keyboard_runs_and_leaves_the_editor(demo: Demo) -> None:
    page = demo.page
    demo.write("print('by key', 6 * 7)")
    page.keyboard.press("Control+Enter")
    page.wait_for_function("document.getElementById('output').innerText.includes('by key 42')")
    # The first Escape closes the completion list that typing opened.
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.closest('#editor')")


def test_controls_have_names(demo: Demo) -> None:
    nameless = demo.page.evaluate(
        """[...document.querySelectorAll("button, input, canvas, img, [role=textbox]")]
        .filter((e) => !(e.ariaLabel || e.innerText || e.labels?.length || e.hasAttribute("alt")))
        .map((e) => e.outerHTML)"""
    )
    assert nameless == []


WITHOUT_WEBGL = """
const getContext = OffscreenCanvas.prototype.getContext;
OffscreenCanvas.prototype.getContext = function (kind, ...rest) {
  return kind === "webgl2" ? null : getContext.call(this, kind, ...rest);
};
"""


def change_workers(page: Page, change: str) -> None:
    """Run a script at the start of each worker of the demo page."""

    def changed(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=change + answer.text())

    page.route("**/worker-*.js*", changed)


def test_page_without_webgl2_computes_on_webassembly(page: Page, site_url: str) -> None:
    change_workers(page, WITHOUT_WEBGL)
    demo = Demo(page, site_url)
    note = page.inner_text("#backend-note")
    assert note.startswith("Runs on WebAssembly (no GPU found).")
    assert "this page gets no WebGL2 context" in page.inner_text("#backend")
    demo.run("arithmetic")
    assert demo.caption() == "shape (2, 3) · float32 · wasm · 24 B"
    page.wait_for_selector("#animate:enabled")
    page.wait_for_selector("#stage[aria-busy=false]")
    assert demo.photo().std() > 20


def test_plain_python_is_reported(page: Page, site_url: str) -> None:
    change_workers(page, WITHOUT_WEBGL + "WebAssembly.validate = () => false;")
    demo = Demo(page, site_url)
    note = page.inner_text("#backend-note")
    assert note.startswith("Runs on plain Python, which is slow. The exact reason: ")
    assert "this page gets no WebGL2 context" in note
    assert "this browser has no vectors in WebAssembly" in note
    demo.run("arithmetic")
    assert demo.caption() == "shape (2, 3) · float32 · python · 24 B"
    for section in ("photo-lab", "digits", "surface"):
        reason = page.locator(f"#{section} p.status").first.inner_text()
        assert reason.startswith("Switched off, because this page computes in plain Python, ")
        assert page.locator(f"#{section} button:enabled").count() == 0
    assert page.is_hidden("#stage")
    demo.choose("fluid")
    demo.start()
    assert page.inner_text("#run-status").startswith("running on plain Python, which may take")


def test_backend_is_named(demo: Demo) -> None:
    assert demo.page.inner_text("#backend-note").startswith("Runs on WebAssembly (no GPU found).")
    reason = demo.page.inner_text("#backend")
    assert reason.startswith("WebAssembly; wasm is the fastest backend here (webgpu: ")
    assert "SwiftShader" in reason


def test_webgl2_without_a_gpu_is_named(page: Page, site_url: str) -> None:
    demo = Demo(page, site_url, query=WEBGL)
    note = page.inner_text("#backend-note")
    assert note.startswith("Runs on WebGL2, ") and "without a GPU" in note
    assert page.inner_text("#backend").endswith("; the page's address names webgl")
    demo.run("arithmetic")
    assert demo.caption() == "shape (2, 3) · float32 · webgl · 24 B"
    page.wait_for_selector("#stage[aria-busy=false]")
    assert demo.photo().std() > 20


STORE_SLOWLY = """
const { put } = Cache.prototype;
Cache.prototype.put = async function (request, response) {
  if (request.url.endsWith(".wasm")) await new Promise((resolve) => setTimeout(resolve, 1000));
  return put.call(this, request, response);
};
"""


@pytest.fixture
def slow_site(tmp_path: Path) -> Path:
    """The site with a service worker that stores Python's largest file a second later."""
    for path in SITE.iterdir():
        (tmp_path / path.name).symlink_to(path)
    worker = tmp_path / "service-worker.js"
    worker.unlink()
    worker.write_text(STORE_SLOWLY + (SITE / worker.name).read_text())
    return tmp_path


def test_page_starts_without_a_connection(chromium: Browser, slow_site: Path) -> None:
    context = chromium.new_context()
    page = context.new_page()
    with serve(slow_site) as url:
        demo = Demo(page, url, offline=True)
        page.wait_for_selector("#loading-text:has-text('works without a connection')")
        assert_kept(page)
    page.reload()
    page.wait_for_selector("#run:enabled")
    demo.run("arithmetic")
    assert demo.values().shape == (2, 3)
    page.wait_for_selector("#animate:enabled")
    context.close()


def test_preview_server_compresses() -> None:
    root = SITE.parent.parent
    command = [root / "node_modules/.bin/vite", "preview", root / "web", "--port", "8019"]
    with Popen([*map(str, command), "--strictPort"], stdout=PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            while "8019" not in server.stdout.readline():
                assert server.poll() is None, "vite preview ended"
            request = Request(
                "http://127.0.0.1:8019/pyodide/pyodide.asm.wasm",
                headers={"Accept-Encoding": "gzip"},
            )
            with urlopen(request) as response:
                assert response.headers["Content-Encoding"] == "gzip"
                assert response.headers["Content-Type"] == "application/wasm"
                data = gzip.decompress(response.read())
        finally:
            server.terminate()
    assert data == (SITE / "pyodide" / "pyodide.asm.wasm").read_bytes()


@pytest.mark.parametrize("address", ["index.html", "analyser/index.html", "chat/index.html"])
def test_missing_script_of_the_page_is_reported(
    page: Page, site_url: str, page_errors: PageErrors, address: str
) -> None:
    page.route("**/assets/*.js", lambda route: route.fulfill(status=404))
    page.goto(f"{site_url}/{address}")
    page.wait_for_selector("[data-state=failed]")
    assert page.inner_text("#loading-text") == "Not running"
    assert page.inner_text("#notice-title") == "The page did not load"
    page_errors.ignore()


def test_progress_counts_transferred_bytes_of_one_total(page: Page, site_url: str) -> None:
    page.add_init_script(
        """addEventListener('DOMContentLoaded', () => {
          window.steps = [];
          const text = document.getElementById('loading-text');
          new MutationObserver(() => steps.push(text.textContent)).observe(
            text, { childList: true });
        })"""
    )
    page.goto(f"{site_url}/index.html")
    page.wait_for_selector("[data-state=ready]")
    steps = page.evaluate("steps.filter((text) => text.endsWith(' MB'))")
    totals = {step.split()[-2] for step in steps}
    manifest = json.loads((SITE / "pyodide" / "start.json").read_text())
    wasm = gzip.compress((SITE / "pyodide" / "pyodide.asm.wasm").read_bytes(), mtime=0)
    expected = (len(wasm) + manifest["snapshot"]["compressed"]) / 1e6
    assert len(totals) == 1
    # 0.05 is for the rounding; Python makes 3.53 MB of the file of which Node makes 3.60 MB.
    assert abs(float(totals.pop()) - expected) < 0.13


def test_total_is_shown_before_the_first_byte(
    page: Page, site_url: str, page_errors: PageErrors
) -> None:
    # The speed of the script that arrives chooses the files of the start.
    page.route(re.compile(r"/pyodide/(?!pyodide\.asm\.mjs)"), lambda route: None)
    page.goto(f"{site_url}/index.html")
    page.wait_for_selector("#loading-text:text('Downloading Python, 0.0 of ')")
    assert page.inner_text("#run-seconds").startswith("Downloading Python, 0.0 of ")
    page_errors.ignore()


def test_stalled_download_is_reported(page: Page, site_url: str, page_errors: PageErrors) -> None:
    page.clock.install()
    page.route("**/pyodide.asm.wasm", lambda route: None)
    page.goto(f"{site_url}/index.html")
    page.wait_for_selector("#loading-text:text('Downloading Python, ')")
    page.clock.run_for(25_000)
    page.wait_for_selector("#loading-text:text('Nothing has arrived for')")
    # Who opens a shared program does not see the top of the page.
    assert page.inner_text("#run-seconds").startswith("Downloading Python, ")
    assert page.inner_text("#digits-status") == "Waiting for Python…"
    page_errors.ignore()


@pytest.mark.parametrize("name", ["pyodide.asm.wasm", "core", "start"])
def test_missing_file_is_reported(
    page: Page, site_url: str, page_errors: PageErrors, name: str
) -> None:
    archives = json.loads((SITE / "pyodide" / "start.json").read_text())["archives"]
    name = archives[name]["file"] if name in archives else name
    for missing in (name, "snapshot-*"):
        page.route(f"**/{missing}", lambda route: route.fulfill(status=404))
    page.goto(f"{site_url}/index.html")
    page.wait_for_selector("[data-state=failed]")
    assert page.inner_text("#notice-title") == "Python did not start"
    assert page.inner_text("#notice-detail").startswith(
        f"{name}: the file did not load; got 404 Not Found; "
    )
    # What still arrives does not hide the failure.
    page.wait_for_timeout(500)
    assert page.inner_text("#loading-text") == "Not running"
    for status in ("#run-seconds", "#digits-status", "#surface-status"):
        assert page.inner_text(status) == "Python did not start; the top of the page says why."
    page_errors.ignore()


def test_page_without_the_copied_memory_starts_and_warns(
    page: Page, site_url: str, page_errors: PageErrors
) -> None:
    warnings: list[str] = []
    page.on("console", lambda message: warnings.append(message.text))
    # It arrives and is too short, so that its bytes were transferred for nothing.
    short = gzip.compress(bytes(20_000_000))
    page.route("**/snapshot-*", lambda route: route.fulfill(body=short))
    page.add_init_script(RECORD_PROGRESS)
    Demo(page, site_url)
    assert any("starts without the copy of its memory" in text for text in warnings)
    steps = page.evaluate("window.progress")
    counted = [(text.split()[-4], text.split()[-2]) for text, _ in steps if text.endswith("MB")]
    loaded, totals = zip(*[tuple(map(float, numbers)) for numbers in counted], strict=True)
    assert list(loaded) == sorted(loaded)
    assert list(totals) == sorted(totals)
    assert loaded[-1] == totals[-1] > totals[0]
    fractions = [value for _, value in steps]
    assert fractions == sorted(fractions)
    page_errors.ignore()


@pytest.mark.parametrize(
    "damage",
    [lambda data: data[: len(data) // 2], lambda data: b"x" + data],
    ids=["truncated", "garbage"],
)
def test_damaged_webassembly_is_reported(
    page: Page, site_url: str, page_errors: PageErrors, damage: Callable[[bytes], bytes]
) -> None:
    data = damage((SITE / "pyodide" / "pyodide.asm.wasm").read_bytes())
    page.route(
        "**/pyodide.asm.wasm",
        lambda route: route.fulfill(body=data, content_type="application/wasm"),
    )
    page.goto(f"{site_url}/index.html")
    page.wait_for_selector("[data-state=failed]")
    assert page.inner_text("#notice-title") == "Python did not start"
    assert page.inner_text("#notice-detail").startswith(
        "pyodide.asm.wasm: the file did not load; got WebAssembly.instantiateStreaming(): "
    )
    page_errors.ignore()


def test_failed_load_of_a_part_is_reported(
    page: Page, site_url: str, page_errors: PageErrors
) -> None:
    page.route("**/heat_equation*", lambda route: route.abort())
    page.route("**/flower.jpg", lambda route: route.abort())
    demo = Demo(page, site_url)
    demo.choose_program("heat_equation")
    page.wait_for_selector(
        "#output:has-text('heat_equation: the program did not load; got Failed to fetch; check')"
    )
    page.unroute("**/heat_equation*")
    demo.choose("arithmetic")
    demo.choose_program("heat_equation")
    page.wait_for_selector("#run:enabled")
    page.click("[data-photo=flower]")
    page.wait_for_selector("#photo-status:text('flower: the photo did not load; got Failed')")
    page_errors.ignore()


def test_installation_and_sources_are_linked(page: Page, site_url: str) -> None:
    page.goto(f"{site_url}/index.html")
    links = page.eval_on_selector_all("#install a", "links => links.map((link) => link.href)")
    assert any(link.endswith(".whl") for link in links)
    assert any(link.endswith(".tar.gz") for link in links)
    for link in links:
        assert page.request.get(link).ok, link
    commands = page.locator("#install pre").all_inner_texts()
    wheel = next(link for link in links if link.endswith(".whl"))
    assert all(wheel in command for command in commands)
    places = page.eval_on_selector_all("main > section", "all => all.map((one) => one.id)")
    assert places[:2] == ["playground", "live"]


def test_page_is_accessible(page: Page, site_url: str) -> None:
    page.emulate_media(reduced_motion="reduce")
    demo = Demo(page, site_url)
    page.locator("#digits").scroll_into_view_if_needed()
    page.wait_for_selector("#digits-cards li")
    # The editor scrolls sideways.
    demo.write(f"# {'long ' * 60}\nimport py_tensor as pt\npt.ones(2) @ pt.ones(3)")
    demo.start()
    assert demo.finish().startswith("failed after")
    for words in page.locator(".words summary").all():
        words.click()
    page.locator("#run").focus()
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        assert (scheme, faults(page)) == (scheme, [])
