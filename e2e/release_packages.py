"""Install a release's packages from local archives, and use them in Pyodide, Node and a template.

`make release-check` runs this file, in a folder that has the archives; `make test-e2e` does not.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from copy_template import ROOT, copy_template
from playwright.sync_api import Page
from server import serve
from template_server import text_of
from waiting import leave

ARCHIVES = sorted((ROOT / "build" / "npm").glob("*.tgz"))


def node(folder: Path, script: str) -> str:
    command = ["node", "--input-type=module", "--eval", script]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a project that has installed the three packages from their archives."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    command = ["npm", "install", "--offline", "--no-audit", "--no-fund", *map(str, ARCHIVES)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder


def test_there_are_three_packages(project: Path) -> None:
    names = json.loads((project / "package.json").read_text())["dependencies"].keys()
    assert names == {"py_tensor", "webgl_js_bridge", "webgpu_js_bridge"}


@pytest.mark.parametrize("name", ["webgl_js_bridge", "webgpu_js_bridge"])
def test_a_bridge_is_imported_by_its_name_and_has_types(name: str, project: Path) -> None:
    assert node(project, f"console.log(typeof (await import('{name}')).createBridge)") == "function"
    program = project / f"{name}.ts"
    program.write_text(
        f'import {{ createBridge }} from "{name}";\nconst n: number = createBridge;\n'
    )
    compiler = ROOT / "node_modules" / ".bin" / "tsc"
    command = [str(compiler), "--noEmit", "--ignoreConfig", "--strict", "--skipLibCheck"]
    command += ["--target", "es2024", "--module", "esnext", "--moduleResolution", "bundler"]
    done = subprocess.run([*command, program.name], cwd=project, capture_output=True, text=True)
    # The one error shows that the type of the function is known.
    assert done.stdout.count("error TS") == 1, done.stdout
    assert "is not assignable to type 'number'" in done.stdout


def test_the_vite_template_starts_from_the_npm_package(
    project: Path, tmp_path: Path, page: Page
) -> None:
    copy_template("vite", tmp_path)
    shutil.rmtree(tmp_path / "public" / "pyodide")
    shutil.copytree(project / "node_modules/py_tensor/runtime", tmp_path / "public" / "pyodide")
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    subprocess.run(["npm", "run", "build"], cwd=tmp_path, check=True, capture_output=True)
    with serve(tmp_path / "dist") as url:
        page.goto(url)
        page.get_by_text(text_of(30)).wait_for()
        leave(page)


MICROPIP = """
import { loadPyodide } from %(pyodide)s;
const python = await loadPyodide();
python.mountNodeFS("/packages", %(packages)s);
await python.runPythonAsync(`
import sys
sys.path.append("/packages")
import micropip
await micropip.install("py_tensor", index_urls=[%(index)r])
import py_tensor as pt
print(pt.__version__, pt.get_backend(), (pt.arange(4) * 2).tolist())
`);
"""


def test_micropip_installs_the_wheel_from_an_index(tmp_path: Path) -> None:
    script = MICROPIP % {
        "pyodide": json.dumps(str(ROOT / "node_modules" / "pyodide" / "pyodide.mjs")),
        "packages": json.dumps(os.environ["MICROPIP_FOLDER"]),
        "index": os.environ["PACKAGE_INDEX"],
    }
    version = json.loads((ROOT / "page_loader" / "package.json").read_text())["version"]
    assert node(tmp_path, script).splitlines()[-1] == f"{version} wasm [0, 2, 4, 6]"
