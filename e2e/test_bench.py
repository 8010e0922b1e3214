"""Test the benchmark page: comparison of results, times and error reports."""

import json
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, Request, Route
from server import serve
from watched_page import PageErrors, SharedPage

ROOT = Path(__file__).parent.parent
MODELS = ROOT / "tests" / "models" / "data"
DEVICE_MILLISECONDS = 240_000
"""The software renderer takes half a minute on an idle machine."""
TINY = "quick=1&scale=0.03&rounds=2&ms=2"


def run_bench(page: Page, site_url: str, parameters: str) -> dict:
    """Run the benchmark page to its end and return its results."""
    page.goto(f"{site_url}/bench/index.html?auto=1&{TINY}&{parameters}")
    page.wait_for_selector("body[data-state]")
    assert page.inner_text("#status") == "Finished"
    return json.loads(page.text_content("#json") or "")


def change_program(page: Page, changes: dict[str, str]) -> None:
    """Replace patterns in the page's scripts, which include the Python files."""

    def change(route: Route) -> None:
        answer = route.fetch()
        text = answer.text()
        for pattern, replacement in changes.items():
            text = re.sub(pattern, replacement, text)
        route.fulfill(response=answer, body=text)

    page.route("**/assets/*.js", change)


@pytest.fixture(scope="module")
def source_url() -> Iterator[str]:
    """URL of the repository's files."""
    with serve(ROOT) as url:
        yield url


@pytest.fixture(scope="module")
def source_page(chromium: Browser, source_url: str) -> Iterator[SharedPage[Page]]:
    def open_source(page: Page) -> Page:
        page.goto(f"{source_url}/web/icon.svg")
        return page

    with SharedPage(chromium, open_source) as page:
        yield page


def compare(source_page: SharedPage[Page], values: list, expected: list, tolerance: dict) -> dict:
    return source_page.get().evaluate(
        """async ([values, expected, tolerance]) => {
          const { compare } = await import("/benchmarks/compare.js");
          return compare(Float32Array.from(values), Float32Array.from(expected), tolerance);
        }""",
        [values, expected, tolerance],
    )


@pytest.mark.parametrize(
    ("values", "expected", "same"),
    [
        ([1, 2, 3], [1, 2, 3], True),
        ([1, 2, 3.02], [1, 2, 3], True),
        ([1, 2, 3.2], [1, 2, 3], False),
        ([0.02, 0, 0], [0, 0, 0], False),
        ([1, 2], [1, 2, 3], False),
        ([math.nan], [1], False),
        ([1], [math.nan], False),
        ([math.nan, math.inf], [math.nan, math.inf], True),
        ([math.inf], [-math.inf], False),
        ([1e30], [math.inf], False),
        ([math.inf], [1], False),
    ],
)
def test_comparison(
    source_page: SharedPage[Page], values: list, expected: list, same: bool
) -> None:
    tolerance = {"atol": 0.005, "rtol": 0.01}
    assert compare(source_page, values, expected, tolerance)["same"] is same


def test_comparison_names_the_worst_value(source_page: SharedPage[Page]) -> None:
    found = compare(source_page, [1, 2.5, 3.25], [1, 2, 3], {"atol": 0.01, "rtol": 0})
    assert found["worst"] == 0.5
    assert found["text"].startswith("value 1 is 2.5 instead of 2 ")


@pytest.mark.parametrize(("share", "same"), [(0.5, True), (0.4, False)])
def test_a_share_of_the_values_may_differ(
    source_page: SharedPage[Page], share: float, same: bool
) -> None:
    tolerance = {"atol": 0, "rtol": 0, "different": share}
    assert compare(source_page, [1, 2, 3, 4], [1, 2, 5, 6], tolerance)["same"] is same


def test_run_reports_the_same_everywhere(page: Page, site_url: str) -> None:
    posts: list[Request] = []
    page.on("request", lambda request: posts.append(request) if request.method == "POST" else None)
    page.set_viewport_size({"width": 360, "height": 740})
    results = run_bench(page, site_url, "only=bias_relu,argmax,train_mlp,read_back_async")
    rows = {row["name"].split()[0]: row for row in results["rows"]}
    assert list(rows) == ["bias_relu", "argmax", "train_mlp", "read_back_async"]
    assert results["summary"]["failed"] == 0
    for row in rows.values():
        assert row["comparison"]["same"]
        for side in ("ours", "theirs"):
            times = row[side]
            assert 0 < times["minimum"] <= times["median"], times
            assert times["first"] > 0
            assert 3 <= times["repetitions"] <= 400
        assert row["ratio"] == row["theirs"]["median"] / row["ours"]["median"]
        assert row["share"] == row["limit"] / row["ours"]["median"]
    ratios = [row["ratio"] for row in results["rows"] if row["ratio"]]
    mean = math.prod(ratios) ** (1 / len(ratios))
    assert results["summary"]["geometricMean"] == pytest.approx(mean)
    assert results["summary"]["slower"] == sum(ratio < 1 for ratio in ratios)
    device = results["device"]
    assert min(device["flops"], device["bytesPerSecond"], device["drawMicroseconds"]) > 0

    shown = page.locator("#table tbody tr").all()
    names = [row.get_attribute("data-name") for row in shown]
    assert names == [row["name"] for row in results["rows"]]
    texts = [request.post_data for request in posts if request.url.endswith("/result")]
    assert texts == [page.text_content("#text")]
    assert all(name in texts[0] for name in names)
    assert len(texts[0]) < 9000
    assert len([request for request in posts if request.url.endswith("/log")]) == len(names)

    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") == 360, "the phone scrolls"


def test_faults_are_reported_and_do_not_stop_the_run(page: Page, site_url: str) -> None:
    change_program(
        page,
        {
            r"relu\(x \+ bias\)": "relu(x - bias)",
            r"return lambda: pt.take\(table, indices, axis=0\)": "return lambda: 1 / 0",
            r"softmax:\(\[(\w+)\]\)=>\(\)=>": r"softmax:([\1])=>()=>null.broken+",
            r"def argmax\(": "def not_argmax(",
        },
    )
    results = run_bench(page, site_url, "only=bias_relu,gather,softmax,argmax,layer_norm")
    rows = {row["name"].split()[0]: row for row in results["rows"]}
    assert rows.keys() == {"bias_relu", "gather", "softmax", "argmax", "layer_norm"}
    assert results["summary"]["failed"] == 3
    assert rows["layer_norm"]["ratio"] > 0
    for faulty in ("bias_relu", "gather", "softmax", "argmax"):
        assert rows[faulty]["ratio"] is None

    assert rows["bias_relu"]["ours"]["error"].startswith("wrong: value ")
    assert "wrong: value" in failure_shown(page, "bias_relu")

    assert rows["gather"]["ours"]["error"].startswith("ZeroDivisionError")
    assert rows["gather"]["theirs"]["median"] > 0

    error = rows["softmax"]["theirs"]["error"]
    assert re.match("TypeError|Cannot read properties of null", error)
    assert rows["softmax"]["ours"]["median"] > 0

    assert rows["argmax"]["ours"] is None and rows["argmax"]["comparison"] is None
    assert rows["argmax"]["theirs"]["median"] > 0
    assert "no counterpart" in page.inner_text("#table [data-name^=argmax] th small")


def failure_shown(page: Page, workload: str) -> str:
    """Return the text of a failed workload in the page's table."""
    return page.inner_text(f"#table .failed[data-name^={workload}] small")


def run_kernels(page: Page, site_url: str) -> dict:
    """Run the page of kernels and return its results."""
    page.goto(f"{site_url}/bench/kernels.html?auto=1&{TINY}")
    page.wait_for_selector("body[data-state]")
    assert page.inner_text("#status") == "Finished"
    return json.loads(page.text_content("#json") or "")


def test_kernels_are_compared_with_gpu_js_and_glsl(page: Page, site_url: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{site_url}/bench/index.html")
    page.click("nav a:text('Kernels')")
    page.wait_for_url("**/bench/kernels.html")
    results = run_kernels(page, site_url)
    names = [row["name"].split()[0] for row in results["rows"]]
    assert names == ["mandelbrot", "stencil", "n_body", "product"]
    assert results["versions"]["gpu.js"].startswith("2.")
    for row in results["rows"]:
        for peer in ("gpuJs", "glsl"):
            measured = row[peer]
            assert measured["comparison"]["same"], row
            assert measured["ratio"] == measured["theirs"]["median"] / measured["ours"]["median"]
            assert measured["theirs"]["first"] > 0
    assert results["summary"]["failed"] == 0
    shown = page.locator("#sections tbody tr td:first-child").all_inner_texts()
    assert shown == [row["name"] for row in results["rows"]]
    assert page.evaluate("document.documentElement.scrollWidth") == 360, "the phone scrolls"


def test_a_wrong_kernel_fails(page: Page, site_url: str) -> None:
    change_program(page, {r"total \+= a\[i, k\] \* b\[k, j\]": "total += a[i, k] * b[k, 0]"})
    results = run_kernels(page, site_url)
    assert results["summary"]["failed"] == 1
    *right, product = results["rows"]
    assert all(row["gpuJs"]["ratio"] > 0 for row in right)
    for peer in ("gpuJs", "glsl"):
        assert product[peer]["ours"]["error"].startswith("wrong: value")
        assert product[peer]["ratio"] is None
    assert "wrong: value" in page.inner_text("#sections")


def test_language_models_are_measured(page: Page, site_url: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{site_url}/bench/language_models.html?auto=1&only=small&prompt=8")
    page.wait_for_selector("body[data-state]")
    assert page.inner_text("#status") == "Finished"
    results = json.loads(page.text_content("#json") or "")
    rows = [(row, own["columns"]) for own in results["sections"] for row in own["rows"]]
    assert [row[0] for row, _ in rows] == [
        "small int8 wasm",
        "small texts, 2 x 8 tokens wasm",
        "small sounds, 1 s of sound wasm",
    ]
    assert all(len(row) == len(columns) for row, columns in rows)
    numbers = [[float(number) for number in row[1:] if number] for row, _ in rows]
    assert [len(own) for own in numbers] == [7, 4, 8]
    assert all(number > 0 for own in numbers for number in own)
    assert results["summary"]["failed"] == 0
    assert page.evaluate("document.documentElement.scrollWidth") == 360, "the phone scrolls"


def run_processor(page: Page, site_url: str, parameters: str) -> dict:
    """Run the page of the processor and return its results."""
    page.goto(f"{site_url}/bench/processor.html?auto=1&{TINY}&{parameters}")
    page.wait_for_selector("body[data-state]")
    assert page.inner_text("#status") == "Finished"
    return json.loads(page.text_content("#json") or "")


PROCESSOR = "libraries=webgl,tensorflow,jax&only=softmax,conv2d,train"


def test_processor_libraries_are_compared(page: Page, site_url: str) -> None:
    results = run_processor(page, site_url, PROCESSOR)
    rows = {row["name"]: row for row in results["rows"]}
    assert results["summary"]["failed"] == 0
    assert len(rows) == 6
    for name, row in rows.items():
        assert list(row["outcomes"]) == ["py_tensor webgl", "TF.js wasm", "jax-js wasm"]
        for library, outcome in row["outcomes"].items():
            # TensorFlow.js has no gradient of convolutions on WebAssembly.
            if (library, name.split()[0]) == ("TF.js wasm", "train_cnn"):
                assert "Conv2DBackpropFilter" in outcome["error"]
            else:
                assert 0 < outcome["minimum"] <= outcome["median"], row
                assert row["errors"][library] < 1e-4
    titles = [section["title"] for section in results["sections"]]
    assert {"Milliseconds", "GFLOP/s of products", "Largest errors"} <= {*titles}
    assert all(name in (page.text_content("#text") or "") for name in rows)


def test_wrong_result_on_the_processor_fails(page: Page, site_url: str) -> None:
    change_program(page, {r"pt\.softmax\(x\)": "pt.softmax(2.0 * x)"})
    results = run_processor(page, site_url, "libraries=webgl,tensorflow&only=softmax")
    assert results["summary"]["failed"] == 1
    outcomes = results["rows"][0]["outcomes"]
    assert outcomes["py_tensor webgl"]["error"].startswith("wrong: value")
    assert outcomes["TF.js wasm"]["median"] > 0


def run_page(page: Page, site_url: str, address: str) -> dict:
    """Run a page of the benchmarks and return its results."""
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{site_url}/bench/{address}")
    page.wait_for_selector("body[data-state]")
    assert page.inner_text("#status") == "Finished"
    assert page.evaluate("document.documentElement.scrollWidth") == 360, "the phone scrolls"
    return json.loads(page.text_content("#json") or "")


GPU_ROWS = "only=softmax,scatter_add,int8_product,product_chain,read_back"


def test_libraries_are_compared_on_webgpu(
    launch_chromium: Callable[..., Browser], site_url: str
) -> None:
    browser = launch_chromium("--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader")
    parameters = f"{TINY}&libraries=webgl,tensorflow,jax&{GPU_ROWS}"
    results = run_page(browser.new_page(), site_url, f"webgpu.html?auto=1&{parameters}")
    browser.close()
    assert results["summary"]["failed"] == 0
    assert len(results["rows"]) == 5
    for row in results["rows"]:
        for library, outcome in row["outcomes"].items():
            if (row["name"].split()[0], library) == ("int8_product", "TF.js webgpu"):
                assert outcome is None
            else:
                assert 0 < outcome["minimum"] <= outcome["median"], row
    kernels = {
        row["name"].split()[0]: {name: s["kernels"] for name, s in row["submissions"].items()}
        for row in results["rows"]
    }
    assert kernels["product_chain"]["TF.js webgpu"] == 4
    assert kernels["product_chain"]["jax-js webgpu"] == 4
    assert kernels["product_chain"]["py_tensor webgl"] >= 4
    assert not kernels["read_back_async"]
    assert "gpu=google swiftshader software=true" in results["renderer"]


TUNED = "import py_tensor as pt\nx = pt.ones((64, 64))\ndef run():\n    return pt.exp(x)"


def test_programs_are_timed_one_after_the_other(page: Page, site_url: str) -> None:
    code = urlencode({"code": [TUNED, TUNED.replace("exp(x)", "sin(x)")]}, doseq=True)
    results = run_page(page, site_url, f"tune.html?auto=1&{TINY}&backend=webgl&{code}")
    exp, sine = results["rows"]
    assert [kernel["name"] for kernel in exp["kernels"]] == ["exp"]
    assert [kernel["name"] for kernel in sine["kernels"]] == ["sin"]
    for row in results["rows"]:
        assert 0 < row["minimum"] <= row["median"]
        assert row["kernels"][0]["shape"] == [64, 64]


def calls_of_libraries(page: Page, source_url: str, order: list[str], count: int) -> list[str]:
    """Return what measureTrained does with libraries that only note their calls."""
    page.goto(f"{source_url}/web/icon.svg")
    return page.evaluate(
        """async ([order, count]) => {
          const { measureTrained } = await import("/benchmarks/trained.js");
          const calls = [];
          const library = (name) => [name, async () => {
            calls.push(`load ${name}`);
            return {
              milliseconds: 1, described: [], give() {}, release() {},
              async run() { calls.push(name); return 1; },
              async values() { return [Float32Array.of(1)]; },
            };
          }];
          await measureTrained("m", ["a", "b", "c"].slice(0, count).map(library), 3, order);
          return calls;
        }""",
        [order, count],
    )


def test_libraries_take_turns(page: Page, source_url: str) -> None:
    calls = calls_of_libraries(page, source_url, ["c", "a"], 3)
    assert calls[:6] == ["load a", "load b", "load c", "c", "a", "b"]
    # A call of each turn is not timed. Each library has each turn of a round.
    assert "".join(calls[6:]) == "aabbcc" + "bbccaa" + "ccaabb"
    # With two libraries there are as many rounds that start with the first as with the second.
    assert (
        "".join(calls_of_libraries(page, source_url, [], 2)[4:])
        == "aabb" + "bbaa" + "aabb" + "bbaa"
    )


def test_labels_and_numbers_are_compared(page: Page, source_url: str) -> None:
    page.goto(f"{source_url}/web/icon.svg")
    errors = page.evaluate(
        """async () => {
          const { relativeError } = await import("/benchmarks/trained.js");
          return [
            relativeError([Float32Array.of(1, 3)], [Float32Array.of(2, 4)]),
            relativeError([Int32Array.of(7, 1, 5, 0)], [Int32Array.of(7, 1, 9, 0)]),
            relativeError([Float32Array.of(7, 1)], [Int32Array.of(7, 1)]),
          ];
        }"""
    )
    assert errors == [0.25, 0.25, 0]


def run_models(page: Page, site_url: str, files: dict[str, bytes], parameters: str = "") -> dict:
    """Run the page of trained models with the first of these files and return its results."""

    def answer(route: Route) -> None:
        name = route.request.url.rpartition("/")[2]
        if name == "models.json":
            route.fulfill(json=[{"file": next(iter(files))}])
        else:
            route.fulfill(body=files[name])

    page.route("**/models/*", answer)
    page.goto(f"{site_url}/bench/models.html?auto=1&runs=3&{parameters}")
    page.wait_for_selector("body[data-state]")
    assert page.inner_text("#status") == "Finished"
    return json.loads(page.text_content("#json") or "")


def test_trained_model_is_compared_and_timed(page: Page, site_url: str) -> None:
    folder = MODELS / "blazeface"
    names = ["blazeface.json", *sorted(path.name for path in folder.glob("*.bin"))]
    files = {name: (folder / name).read_bytes() for name in names}
    results = run_models(page, site_url, files)
    ours, theirs = results["rows"]
    assert 0 < theirs["error"] < 1e-5
    for row in (ours, theirs):
        assert row["first"] > row["median"] > 0
    assert results["summary"]["failed"] == 0
    assert "1 models, TF.js webgl" in (page.text_content("#text") or "")


def product_files() -> dict[str, bytes]:
    """Return the files of a model that multiplies two matrices."""
    cases = json.loads((MODELS / "tfjs_operators.json").read_text())
    model = next(case["model"] for case in cases if case["name"] == "MatMul")
    return {"product.json": json.dumps(model).encode(), "group1-shard1of1.bin": b""}


def test_trained_model_is_compared_with_webgpu(
    launch_chromium: Callable[..., Browser], site_url: str
) -> None:
    flags = ("--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader")
    browser = launch_chromium(*flags)
    parameters = "backends=webgl,webgpu&order=TF.js"
    results = run_models(browser.new_page(), site_url, product_files(), parameters)
    browser.close()
    assert [row["library"] for row in results["rows"]] == [
        "py_tensor",
        "TF.js webgl",
        "TF.js webgpu",
    ]
    assert results["summary"]["failed"] == 0
    for row in results["rows"]:
        assert row["median"] >= 0, row


def test_a_browser_without_webgpu_is_reported(page: Page, site_url: str) -> None:
    page.add_init_script("delete Navigator.prototype.gpu")
    results = run_models(page, site_url, product_files(), "backends=webgpu")
    ours, theirs = results["rows"]
    # On WebAssembly a call may take less than a tick of the page's clock.
    assert ours["median"] >= 0
    assert "webgpu" in theirs["failure"]
    assert results["summary"]["failed"] == 0


def test_wrong_trained_model_fails(page: Page, site_url: str) -> None:
    files = product_files()
    assert run_models(page, site_url, files)["summary"]["failed"] == 0
    change_program(page, {r"\.cast\(view\.format\)\) for": ".cast(view.format)[::-1]) for"})
    assert run_models(page, site_url, files)["summary"]["failed"] == 1


def test_unknown_workload_is_reported(page: Page, site_url: str, page_errors: PageErrors) -> None:
    page.goto(f"{site_url}/bench/index.html?auto=1&only=nothing")
    page.wait_for_selector("[data-state=failed]")
    assert page.inner_text("#status").startswith("bench: no workload matches; got only=nothing")
    page_errors.ignore()


def test_report_of_a_device_is_kept_in_its_address(chromium: Browser, site_url: str) -> None:
    with chromium.new_context(permissions=["clipboard-read", "clipboard-write"]) as context:
        page = context.new_page()
        page.goto(f"{site_url}/bench/device.html?auto=1")
        page.wait_for_selector("body[data-state]", timeout=DEVICE_MILLISECONDS)
        assert page.inner_text("#status") == "Finished"
        backends = page.locator("#sections section").first
        rows = dict(re.findall(r"^(\w+)\t(\d+ of \d+)\t", backends.inner_text(), re.MULTILINE))
        assert rows == dict.fromkeys(("webgpu", "webgl", "wasm"), "18 of 18")
        report = json.loads(page.text_content("#json") or "")
        page.click("#copy-link")
        page.wait_for_function("document.getElementById('sharing').textContent")
        link = page.evaluate("navigator.clipboard.readText()")
        with page.expect_download() as download:
            page.click("#save-report")
        kept = json.loads(download.value.path().read_text())
        assert kept["sections"] == report["sections"]
        # Opened elsewhere, the address shows the same tables and starts nothing.
        other = context.new_page()
        other.goto(link)
        other.wait_for_selector("body[data-state=shared]")
        assert other.inner_text("#status").startswith(f"Measured on {kept['date']} on ")
        assert other.locator("#sections").inner_text() == page.locator("#sections").inner_text()
        other.goto("about:blank")
        other.goto(link[:-40])
        other.wait_for_selector("body[data-state=failed]")
        assert other.inner_text("#status").startswith("report: the address has no whole report")
