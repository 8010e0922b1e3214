"""Test the templates that need no packages of their own: page, worker, PyScript and Vite."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
from copy_template import ROOT, STARTED, TEMPLATES, copy_template
from playwright.sync_api import Page
from server import serve
from template_server import eventually_shows, origins_of, started, text_of
from waiting import leave

NAMES = ["page", "pyscript", "vite", "worker"]


@pytest.fixture
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Copy of a template, with the repository's npm packages instead of newly installed ones."""
    copy_template(request.param, tmp_path)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    return tmp_path


@pytest.mark.parametrize("folder", NAMES, indirect=True)
def test_a_template_draws_what_the_slider_asks_for(folder: Path, page: Page) -> None:
    origins = origins_of(page)
    with started(folder) as url:
        page.goto(url)
        page.get_by_text(text_of(30)).wait_for()
        eventually_shows(page, page.locator("canvas"), 30)
        page.locator("input").fill("77")
        page.get_by_text(text_of(77)).wait_for()
        eventually_shows(page, page.locator("canvas"), 77)
        leave(page)
    assert origins == {url}


SHOWN = """globalThis.shown = new Set();
new MutationObserver(() => shown.add(document.getElementById("text")?.textContent ?? ""))
  .observe(document, { childList: true, subtree: true });"""
"""Script that collects the texts that a page shows."""


@pytest.mark.parametrize("folder", STARTED, indirect=True)
def test_progress_is_shown(folder: Path, page: Page) -> None:
    page.add_init_script(SHOWN)
    with started(folder) as url:
        page.goto(url)
        page.get_by_text(text_of(30)).wait_for()
        texts = "\n".join(page.evaluate("[...shown]"))
        leave(page)
    numbers = [int(number) for number in re.findall(r"^Loading Python: (\d+) %$", texts, re.M)]
    assert numbers == sorted(numbers)
    assert len(numbers) > 5
    assert numbers[-1] == 100


@pytest.mark.parametrize("folder", NAMES, indirect=True)
def test_a_template_has_only_the_files_of_its_start(folder: Path) -> None:
    names = {file.name for file in folder.glob("**/pyodide/*")}
    wheel = {name for name in names if name.endswith(".whl") or name == "python_stdlib.zip"}
    scripts = {"pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json"}
    if folder.joinpath("pyscript.json").exists():
        assert names == scripts | wheel
        assert len(wheel) == 2
    else:
        assert names >= scripts | {"start.js", "start.json"}
        assert not wheel


@pytest.mark.parametrize("folder", ["vite"], indirect=True)
def test_the_built_vite_app(folder: Path, page: Page) -> None:
    subprocess.run(["npm", "run", "build"], cwd=folder, check=True, capture_output=True)
    with serve(folder / "dist") as url:
        page.goto(url)
        page.get_by_text(text_of(30)).wait_for()
        leave(page)


def test_npm_packages_have_the_versions_of_the_repository() -> None:
    repository = json.loads((ROOT / "package.json").read_text())["devDependencies"]
    for name in NAMES:
        file = TEMPLATES / name / "package.json"
        package = json.loads(file.read_text()) if file.exists() else {}
        packages = package.get("dependencies", {}) | package.get("devDependencies", {})
        assert packages.items() <= repository.items(), name


def test_templates_have_the_same_picture() -> None:
    assert len({file.read_text() for file in TEMPLATES.glob("*/picture.py")}) == 1


def test_readmes_name_the_command() -> None:
    for folder in TEMPLATES.iterdir():
        assert f"    make template NAME={folder.name}\n" in (folder / "README.md").read_text()


LATE_SERVER = """
import http.server, os, socket, time
address = ("127.0.0.1", int(os.environ["PORT"]))
with socket.create_server(address) as tried:
    tried.accept()[0].close()
time.sleep(0.5)
http.server.HTTPServer(address, http.server.SimpleHTTPRequestHandler).serve_forever()
"""
"""Server that first listens only to see whether the port is free, as Vite does."""


def test_a_template_is_started_when_it_answers_requests(tmp_path: Path) -> None:
    tmp_path.joinpath("server.py").write_text(LATE_SERVER)
    tmp_path.joinpath("start.sh").write_text(f'exec "{sys.executable}" server.py')
    with started(tmp_path) as url, urlopen(url) as response:
        assert b"server.py" in response.read()


def test_an_unknown_template_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="unknown name; got 'nonsense'; use one of anywidget, "):
        copy_template("nonsense", tmp_path)
