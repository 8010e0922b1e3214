"""Imports of the site: src/ -> features/ -> python/ -> ui/, and never between features."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.host

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "web" / "src"
BENCHMARKS = ROOT / "benchmarks"
LIBRARIES = tuple(ROOT / name for name in ("page_loader", "webgl_js_bridge", "webgpu_js_bridge"))
JAVASCRIPT_IMPORT = re.compile(r'(?:from|import)[ (]"(\.[^"?]*)(?:\?raw)?"')
PYTHON_IMPORT = re.compile(r"^\s*(?:from|import) (\w+)", re.MULTILINE)

LAYERS = ["ui", "python", "features", ""]
"""Folders of web/src/. A file imports from its own folder and from earlier ones."""


def folder_of(file: Path) -> str:
    """Folder of a file in web/src/; empty for the entry points."""
    return file.relative_to(SOURCES).parts[0] if file.parent != SOURCES else ""


def programs() -> dict[str, Path]:
    """Python files that the worker loads, by module name."""
    files = [path for path in SOURCES.rglob("*.py") if path.parent.name != "examples"]
    modules = {path.stem: path for path in files}
    assert len(modules) == len(files), "the worker stores all files in one folder"
    return modules


def imports_of(file: Path) -> list[Path]:
    text = file.read_text()
    if file.suffix == ".js":
        imported = [(file.parent / name).resolve() for name in JAVASCRIPT_IMPORT.findall(text)]
        # The programs of examples/ are data.
        return [path for path in imported if path.suffix != ".json"]
    modules = programs()
    return [modules[name] for name in PYTHON_IMPORT.findall(text) if name in modules]


def files_in(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*.*")) if path.suffix in (".js", ".py")]


def test_imports_point_one_way() -> None:
    for file in files_in(SOURCES):
        assert_imports_point_one_way(file)


def assert_imports_point_one_way(file: Path) -> None:
    layer = LAYERS.index(folder_of(file))
    for imported in imports_of(file):
        assert imported.exists(), imported
        if any(map(imported.is_relative_to, LIBRARIES)):
            continue
        if imported.is_relative_to(BENCHMARKS):
            # The analyser measures as the benchmarks do.
            assert folder_of(file) == "features", imported
            continue
        assert LAYERS.index(folder_of(imported)) <= layer, f"{file} imports {imported}"
        if folder_of(file) == folder_of(imported) == "features":
            feature, other = (path.relative_to(SOURCES).parts[1] for path in (file, imported))
            assert feature == other, f"{feature} imports {imported}"


def test_benchmarks_import_ui_and_python_only() -> None:
    for file in BENCHMARKS.rglob("*.js"):
        for imported in imports_of(file):
            assert imported.exists(), imported
            if not imported.is_relative_to(BENCHMARKS):
                assert folder_of(imported) in ("ui", "python"), imported
