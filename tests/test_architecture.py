"""Imports point one way, rooms stay small, and each foreign module is known to few files."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from pathlib import Path

import pytest
from helpers import assert_up_to_date

import py_tensor as pt

PACKAGE = Path(pt.__file__).parent
ROOT = Path(__file__).parent.parent
ROOMS = (
    "errors",
    "dtypes",
    "indexing",
    "ops",
    "conversion",
    "nodes",
    "schedule",
    "glsl",
    "plan",
    "backends",
    "hosting",
    "runtime",
    "tracing",
    "lifetime",
    "printing",
    "tensor",
    "functions",
    "accounting",
    "debugging",
    "explaining",
    "pixels",
    "random",
    "pytree",
    "replaying",
    "jitting",
    "warming",
    "autodiff",
    "linalg",
    "data",
    "saving",
    "nn",
    "optim",
    "train",
    "graph",
    "fft",
    "__init__",
)
"""In the order a call walks through them: each may import those before it."""
BESIDE = {"conversion", "hosting", "lifetime", "printing"}
"""The host's side of a tensor; a call does not walk through them on its way to the GPU."""
CORE = set(ROOMS[: ROOMS.index("tensor") + 1]) - BESIDE
LINES = 6000
"""Of code: no blank lines, comments, docstrings. Gradient rules take some 250."""
BESIDE_LINES = 490
FOREIGN = {
    "numpy": {"backends/numpy.py", "conversion.py", "tensor.py"},
    "js": {"backends/pyodide_bridge.py", "saving/browser.py"},
    "pyodide": {"backends/pyodide_bridge.py", "saving/browser.py"},
    "pyodide_js": {"backends/pyodide_bridge.py"},
    "webgl_js_bridge": {"backends/pyodide_bridge.py"},
}
"""Which files may import what a page or an ordinary Python may lack."""
FILES = sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def room_of(name: str) -> str:
    return name.split("/")[0].removesuffix(".py")


def imports(path: Path, package: Path = PACKAGE) -> set[str]:
    """Rooms, and top-level modules outside of the package, that a file imports anywhere."""
    found = set()
    here = path.relative_to(package).parent.parts
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add((node.module or "").split(".")[0])
        elif isinstance(node, ast.ImportFrom):
            parts = [*here[: len(here) - node.level + 1], *(node.module or "").split(".")]
            parts = [part for part in parts if part]
            found |= {parts[0]} if parts else {alias.name for alias in node.names}
    return found


def backward(path: Path, package: Path = PACKAGE) -> set[str]:
    """Rooms a file imports that come after its own."""
    room = room_of(path.relative_to(package).as_posix())
    after = ROOMS[ROOMS.index(room) + 1 :]
    return imports(path, package) & set(after)


def test_every_file_is_in_a_room():
    assert {room_of(name_of(path)) for path in FILES} == set(ROOMS)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_imports_point_one_way(path):
    assert not backward(path)


def test_imports_the_other_way_are_found(tmp_path):
    wrong = tmp_path / "ops" / "rows.py"
    wrong.parent.mkdir()
    wrong.write_text("def late():\n    from ..tensor import Tensor\n    from .. import functions\n")
    assert backward(wrong, tmp_path) == {"tensor", "functions"}


def test_no_room_names_what_only_pages_have():
    for path in FILES:
        for module in imports(path) & FOREIGN.keys():
            assert name_of(path) in FOREIGN[module], f"{name_of(path)} imports {module}"


def code_lines(path: Path) -> int:
    """Lines that bear code."""
    text = path.read_text()
    documents = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            documents |= set(range(node.lineno, (node.end_lineno or 0) + 1))
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            lines |= set(range(token.start[0], token.end[0] + 1))
    return len(lines - documents)


NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def test_code_lines_are_counted(tmp_path):
    path = tmp_path / "some.py"
    path.write_text('"""A\ndocstring."""\n\n# why\nx = (\n    1\n)\n')
    assert code_lines(path) == 3


def test_the_core_is_small():
    lines = Counter()
    for path in FILES:
        lines[room_of(name_of(path))] += code_lines(path)
    assert sum(lines[room] for room in CORE) < LINES, dict(lines)
    assert sum(lines[room] for room in BESIDE) < BESIDE_LINES, dict(lines)


def test_operations_are_named_by_the_table_only():
    """No other room compares the name of a row."""
    for path in FILES:
        if room_of(name_of(path)) in ("ops", "functions"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Compare):
                text = ast.unparse(node)
                assert ".row.name ==" not in text and "row.name in" not in text, (
                    f"{name_of(path)}: {text}"
                )


def test_stubs_are_up_to_date():
    assert_up_to_date("make_stubs.py")


def test_every_public_function_has_a_docstring_with_an_example():
    for name in pt.__all__:
        value = getattr(pt, name)
        if (
            callable(value)
            and getattr(value, "__module__", "").startswith("py_tensor")
            and name not in NO_EXAMPLE
        ):
            assert ">>> " in (value.__doc__ or ""), name


NO_EXAMPLE = {"CacheInfo", "Memory", "draw", "from_pixels", "get_backend"}
"""Given by functions that have one, or about pictures, which need a page."""
