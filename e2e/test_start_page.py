"""Test the pages that measure how pages start, and the files that a start requests."""

from __future__ import annotations

import json
import re
from urllib.parse import urlsplit

import pytest
from conftest import SITE
from playwright.sync_api import Page, Request
from test_bench import run_page
from watched_page import PageErrors

LIBRARIES = {"pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide.mjs", "start.js", "start.json"}
HASHED = re.compile(r"-([0-9a-f]{16}|[0-9A-Z]{8})\.")


def test_table_has_a_row_for_each_kind_of_start(page: Page, site_url: str) -> None:
    results = run_page(page, site_url, "start.html?auto=1&rounds=1")
    assert results["summary"]["failed"] == 0, results
    names = [row["name"] for row in results["rows"]]
    assert names == [
        "snapshot wasm",
        "snapshot webgl",
        "snapshot wasm, page's thread",
        "archives wasm",
        "wheel wasm",
        "TensorFlow.js",
    ]
    theirs = results["rows"][-1]
    for row in results["rows"]:
        assert len(row["starts"]) == 1
        assert 0 < row["ready"] < row["values"]
        assert row["longestTask"] >= 0
        assert row["requests"] == len(row["starts"][0]["files"]) > 1
        assert row["bytes"] > 100_000
        assert row["ratio"] == theirs["values"] / row["values"]
    shown = page.locator("#sections tbody tr td:first-child").all_inner_texts()
    assert shown == names
    assert page.locator("#sections tbody tr").first.locator("td").count() == 8


def test_a_failed_start_is_reported(page: Page, site_url: str, page_errors: PageErrors) -> None:
    page_errors.ignore()
    page.route("**/pyodide-lock.json", lambda route: route.fulfill(json={}))
    results = run_page(page, site_url, "start.html?auto=1&rounds=1&only=wheel")
    assert results["summary"]["failed"] == 1
    assert results["rows"][0]["error"].startswith("Error: ")


@pytest.mark.parametrize(
    ("start", "archives", "megabytes"),
    [
        ("snapshot", {"snapshot.bin", "snapshot.bin.gz"}, 10.5),
        ("archives", {"core.zip", "start.zip"}, 7.5),
    ],
)
@pytest.mark.parametrize("backend", ["wasm", "webgl"])
def test_start_requests_only_the_files_it_needs(
    page: Page, site_url: str, start: str, archives: set[str], megabytes: float, backend: str
) -> None:
    requests: list[Request] = []
    page.context.on("request", lambda request: requests.append(request))
    page.goto(f"{site_url}/bench/start/plain.html?start={start}&backend={backend}")
    page.wait_for_function("document.body.textContent.startsWith('{')")
    report = json.loads(page.text_content("body") or "")
    assert "error" not in report
    paths = {urlsplit(request.url).path for request in requests}
    reported = {urlsplit(file["name"]).path for file in report["files"]}
    files = {path for path in paths & reported if "/pyodide/" in path}
    names = {HASHED.sub(".", path.rpartition("/")[2]) for path in files}
    assert names == LIBRARIES | archives | {"bridge.js"}
    assert sum(compressed_size(path) for path in paths & reported) < 1e6 * megabytes


def compressed_size(path: str) -> int:
    """Return the bytes of a file of the site as a server sends it that compresses by gzip."""
    file = SITE / path.lstrip("/")
    compressed = file.with_name(f"{file.name}.gz")
    if file.suffix == ".gz":
        return 0  # counted by its original
    return (compressed if compressed.exists() else file).stat().st_size
