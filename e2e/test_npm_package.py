"""Test the npm package of the bridge: files, version and import."""

import json
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BRIDGE = ROOT / "webgl_js_bridge"


def run(*command: str) -> str:
    return subprocess.run(command, cwd=BRIDGE, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def packed() -> set[str]:
    """Paths of the files in the published package."""
    # The script that writes the declarations prints other lines first.
    text = run("npm", "pack", "--dry-run", "--json", "--foreground-scripts=false")
    [package] = json.loads(text)
    return {file["path"] for file in package["files"]}


def test_it_has_every_module_with_its_declarations(packed: set[str]) -> None:
    modules = {path.name for path in BRIDGE.glob("*.js")}
    declarations = {f"types/{name.replace('.js', '.d.ts')}" for name in modules}
    others = {"LICENSE", "README.md", "package.json", "types/types.d.ts"}
    assert packed == modules | declarations | others


def test_its_exports_are_packed(packed: set[str]) -> None:
    package = json.loads((BRIDGE / "package.json").read_text())
    targets = {*package["exports"]["."].values(), package["types"]}
    assert {target.removeprefix("./") for target in targets} <= packed
    assert "function createBridge" in (BRIDGE / package["types"]).read_text()


def test_its_version_is_that_of_the_wheel() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert json.loads((BRIDGE / "package.json").read_text())["version"] == project["version"]


def test_it_is_imported_by_its_name() -> None:
    script = "console.log(Object.keys(await import('webgl_js_bridge')).includes('createBridge'))"
    assert run("node", "--input-type=module", "--eval", script).strip() == "true"
