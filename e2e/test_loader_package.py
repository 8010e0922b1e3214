"""Test the npm package of the loader: files, version, types, and pages that start with it."""

from __future__ import annotations

import json
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from copy_template import ROOT, RUNTIME
from make_npm_package import LOADER, make_npm_package
from playwright.sync_api import Page
from server import serve
from waiting import leave

BIN = ROOT / "node_modules" / ".bin"
MAIN = """
import { start } from %s;
const python = await start(%s);
python.setStdout({ batched: (line) => { document.body.textContent = line; } });
await python.runPythonAsync("import py_tensor as pt; print((pt.arange(3) * 2).tolist())");
"""
HTML = '<!doctype html><title>py_tensor</title><body><script type="module" src="%s"></script>'
TYPED = """
import { type Progress, start, type StartOptions } from "py_tensor/start.js";
const options: StartOptions = { folder: "pyodide/", packages: ["a"], snapshot: false };
const onProgress = ({ step, fraction }: Progress) => `${step} ${fraction.toFixed(2)}`;
const onImport = (bytes: number) => console.log(bytes);
await (await start({ ...options, onProgress, onImport })).runPythonAsync("1");
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a project that has installed the package."""
    folder = tmp_path_factory.mktemp("project")
    make_npm_package(folder / "node_modules" / "py_tensor")
    return folder


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    with serve(folder) as url:
        yield url


def pack(package: Path) -> set[str]:
    command = ["npm", "pack", "--dry-run", "--json"]
    text = subprocess.run(command, cwd=package, capture_output=True, text=True, check=True).stdout
    [packed] = json.loads(text)
    return {file["path"] for file in packed["files"]}


def test_it_has_what_start_and_snapshots_need(folder: Path) -> None:
    manifest = json.loads((RUNTIME / "start.json").read_text())
    needed = {*manifest["pyodide"], "start.js", "start.json", "make_snapshot.mjs"}
    needed |= {archive["file"] for archive in manifest["archives"].values()}
    snapshot = manifest["snapshot"]["file"]
    needed |= {snapshot, f"{snapshot}.gz", "pyodide-lock.json"}
    needed |= {file.name for file in RUNTIME.glob("bridge-*.js")}
    types = {f"types/page_loader/{file.stem}.d.ts" for file in LOADER.glob("*.js")}
    others = {"LICENSE", "README.md", "package.json"}
    package = folder / "node_modules" / "py_tensor"
    assert pack(package) == {f"runtime/{name}" for name in needed} | types | others


def test_its_version_is_that_of_the_wheel() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    package = json.loads((LOADER / "package.json").read_text())
    assert package["version"] == project["version"]
    pyodide = json.loads((ROOT / "package.json").read_text())["devDependencies"]["pyodide"]
    assert package["peerDependencies"] == {"pyodide": pyodide}


def test_typescript_knows_the_options(folder: Path) -> None:
    (folder / "node_modules" / "pyodide").symlink_to(ROOT / "node_modules" / "pyodide")
    (folder / "main.ts").write_text(TYPED)
    command = [BIN / "tsc", "--noEmit", "--strict", "--module", "esnext", "--target", "es2022"]
    command += ["--moduleResolution", "bundler", "--types", "", "--skipLibCheck", "main.ts"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.stdout == ""


def test_a_page_imports_it_as_a_file(folder: Path, url: str, page: Page) -> None:
    (folder / "plain.js").write_text(MAIN % ('"./node_modules/py_tensor/runtime/start.js"', ""))
    (folder / "plain.html").write_text(HTML % "plain.js")
    page.goto(f"{url}/plain.html")
    page.get_by_text("[0, 2, 4]").wait_for()


def test_vite_bundles_it(folder: Path, page: Page) -> None:
    (folder / "main.js").write_text(MAIN % ('"py_tensor/start.js"', '{ folder: "pyodide" }'))
    (folder / "index.html").write_text(HTML % "./main.js")
    (folder / "public").mkdir()
    runtime = folder / "node_modules" / "py_tensor" / "runtime"
    (folder / "public" / "pyodide").symlink_to(runtime, target_is_directory=True)
    command = [BIN / "vite", "build", "--base", "./", "--outDir", "dist/app"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert "warn" not in (done.stdout + done.stderr).lower()
    with serve(folder / "dist") as url:
        page.goto(f"{url}/app/index.html")
        page.get_by_text("[0, 2, 4]").wait_for()
        leave(page)
