"""Test that Python started from a copy of its memory is like one that started by itself."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from conftest import SITE
from page_python import ROOT
from playwright.sync_api import Browser, Page, Route
from started_python import run_started
from waiting import eventually
from watched_page import PageErrors

pytest_plugins = ["page_fixtures"]

STATE = """
    import datetime, json, os, sys, time

    day = datetime.datetime.fromtimestamp(1_700_000_000).astimezone()
    json.dumps([
        time.tzname, time.timezone, time.altzone, time.daylight, time.strftime("%Z %z"),
        str(day), day.tzname(), sys.path, sys.argv, sys.executable, dict(os.environ), os.getcwd(),
    ])
"""
WAITING = """
    import asyncio, js, json
    from pyodide.ffi import run_sync

    # A method of C calls the function that waits.
    waited = list(map(run_sync, [asyncio.sleep(0.01, 1), asyncio.sleep(0.01, 2)]))
    json.dumps(waited)
"""
LATE = """
    import json, sys
    import py_tensor as pt
    import decimal
    from encodings import cp1252

    blocked = str(decimal.Decimal("0.1") + 1), "€".encode("cp1252").hex()
    json.dumps([blocked, pt.__version__, pt.nn.relu(pt.asarray([-1.0, 2.0])).tolist()])
"""
SOURCES = """
    import inspect, json, traceback
    import py_tensor as pt

    try:
        pt.reshape(pt.ones(3), (2, 2))
    except ValueError as error:
        lines = [frame.line for frame in traceback.extract_tb(error.__traceback__)]
    json.dumps([inspect.getsource(pt.matmul).splitlines()[-1].strip(), lines[-1]])
"""

AWAITED = """
    import js, json
    from py_tensor import nn

    try:
        import py_tensor.models
    except ImportError:
        pass
    json.dumps(js.awaited.to_py())
"""


def value(page: Page, url: str, program: str, thread: str, snapshot: bool) -> Any:
    """Return the value of a program that writes JSON."""
    folder = f"{url}/pyodide/"
    return json.loads(run_started(page, url, program, thread, folder=folder, snapshot=snapshot))


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Kolkata", "Pacific/Auckland"])
def test_state_is_that_of_an_ordinary_start(chromium: Browser, pages_url: str, zone: str) -> None:
    with chromium.new_context(timezone_id=zone) as context:
        page = context.new_page()
        copied, started = (value(page, pages_url, STATE, "page", s) for s in (True, False))
    assert copied == started


@pytest.mark.parametrize("thread", ["page", "worker"])
@pytest.mark.parametrize("snapshot", [True, False])
class TestStart:
    def test_python_waits(self, page: Page, pages_url: str, thread: str, snapshot: bool) -> None:
        assert value(page, pages_url, WAITING, thread, snapshot) == [1, 2]

    def test_imports_load_their_archives(
        self, page: Page, pages_url: str, thread: str, snapshot: bool
    ) -> None:
        blocked, _, relu = value(page, pages_url, LATE, thread, snapshot)
        assert blocked == ["1.1", "80"]
        assert relu == [0, 2]

    def test_sources_are_shown(
        self, page: Page, pages_url: str, thread: str, snapshot: bool
    ) -> None:
        source, line = value(page, pages_url, SOURCES, thread, snapshot)
        assert source.startswith("return ")
        assert line


def test_kernels_of_the_package_need_no_archive_of_sources(page: Page, pages_url: str) -> None:
    page.route("**/sources-*.zip", lambda route: route.fulfill(status=404))
    program = """
        import py_tensor as pt

        # Each pixel is a weighted sum of more pixels than are read without a loop.
        str(pt.vision.resize(pt.ones((32, 32, 1)), (4, 4), antialias=True).sum().item())
    """
    assert run_started(page, pages_url, program, folder=f"{pages_url}/pyodide/") == "16.0"


def test_missing_archive_is_named(page: Page, pages_url: str, page_errors: PageErrors) -> None:
    page_errors.ignore()
    page.route("**/models-*.zip", lambda route: route.fulfill(status=404))
    program = """
        try:
            import py_tensor.models
        except ImportError as error:
            text = f"{type(error).__name__}: {error}"
        text
    """
    text = run_started(page, pages_url, program, folder=f"{pages_url}/pyodide/")
    start = r"ImportError: import: models-\w+\.zip: the file did not load; got 404 Not Found; check"
    assert re.match(start, text)


@pytest.mark.parametrize("thread", ["page", "worker"])
def test_page_hears_for_how_many_bytes_an_import_waits(
    page: Page, pages_url: str, page_errors: PageErrors, thread: str
) -> None:
    page_errors.ignore()
    page.route("**/models-*.zip", lambda route: route.fulfill(status=404))
    folder = f"{pages_url}/pyodide/"
    text = run_started(page, pages_url, AWAITED, thread, folder=folder, prefetch=False)
    before, after = json.loads(text)[::2], json.loads(text)[1::2]
    archives = json.loads((SITE / "pyodide" / "start.json").read_text())["archives"]
    names = {entry["bytes"]: name for name, entry in archives.items()}
    waited = [names[number] for number in before]
    assert {"training", "models"} <= {*waited}
    assert len({*waited}) == len(waited)
    # The failed download ends with 0, too.
    assert {*after} == {0}


def test_archives_are_prefetched_one_after_the_other(page: Page, pages_url: str) -> None:
    held: list[Route] = []

    def asked(number: int) -> None:
        assert len(held) == number

    page.route(re.compile("/(library|rest|stdlib)-"), lambda route: held.append(route))
    run_started(page, pages_url, "1", folder=f"{pages_url}/pyodide/")
    for number in (1, 2, 3):
        eventually(page, partial(asked, number))
        # Requests that were sent at the same time arrive before the end of a later one.
        page.evaluate("fetch('start_options.html').then((response) => response.text())")
        asked(number)
        held[-1].continue_()


def test_equal_files_give_an_equal_copy(tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    shutil.copytree(SITE / "pyodide", folder, ignore=shutil.ignore_patterns("*.br", "*.whl"))
    script = ROOT / "page_loader" / "make_snapshot.mjs"
    environment = os.environ | {"TZ": "Asia/Tokyo", "LANG": "ja_JP.UTF-8"}
    command = ["node", script, folder, tmp_path / "snapshot.json"]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    copy = json.loads((tmp_path / "snapshot.json").read_text())
    manifest = json.loads((SITE / "pyodide" / "start.json").read_text())
    assert copy["file"] == manifest["snapshot"]["file"]
