"""Imports point one way, packages stay small, and few files import each foreign module."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from functools import cache
from pathlib import Path

import py_tensor as pt

PACKAGE = Path(pt.__file__).parent
ROOT = Path(__file__).parent.parent
ROOMS = (
    "errors",
    "settings",
    "signatures",
    "late",
    "dtypes",
    "typing",
    "language",
    "ops",
    "ir",
    "compiler",
    "runtime",
    "tensor",
    "functions",
    "diagnostics",
    "images",
    "display",
    "plot",
    "random",
    "transforms",
    "kernels",
    "lax",
    "tree",
    "tree_util",
    "lib",
    "sharding",
    "linalg",
    "ragged",
    "sparse",
    "data",
    "io",
    "nn",
    "vision",
    "image",
    "optim",
    "train",
    "graph",
    "fft",
    "signal",
    "audio",
    "numpy_functions",
    "einops_backend",
    "models",
    "__init__",
)
"""Packages in the order in which a call passes through them; each may import those before it."""
CORE = {
    "language": 1641,  # the functions that shaders include; kernels in two languages; sizes
    "ops": 1790,  # formulas in plain Python; extremes of complex numbers; functions of JAX
    "ir": 664,  # structures given to trees are checked; several results; trees built often
    "compiler": 3317,  # float32 as float16; sizes in plans; split contractions; narrow convolutions
    "runtime": 1977,  # limit of GPU memory; graphs in two parts; JAX; loops and results on JAX
    "tensor": 395,  # parts know their tensor; iteration; flushes after a loss; handles of results
}
"""Maximum lines of code per package, without blank lines, comments and docstrings."""
PAGE_ONLY = {
    *("runtime/backends/pyodide.py", "io/browser.py", "io/network.py", "io/file_cache.py"),
    *("images.py", "data/devices.py", "settings.py", "display/places.py"),
}
FOREIGN = {
    "numpy": {
        *("dtypes.py", "runtime/host_data.py", "tensor.py"),
        *("runtime/backends/numpy.py", "runtime/backends/jax.py", "data/parquet_file.py"),
    },
    "pyarrow": {"data/parquet_file.py"},
    "jax": {
        *("runtime/backends/jax.py", "ops/jax_functions.py", "kernels/jax_execution.py"),
        "sharding.py",
    },
    "einops": {"einops_backend.py"},
    "js": PAGE_ONLY,
    "pyodide": {*PAGE_ONLY, "data/csv_file.py"},
    "pyodide_js": {"runtime/backends/pyodide.py"},
    "webgl_js_bridge": {"runtime/backends/pyodide.py"},
    "IPython": {"display/places.py"},
    "marimo": {"display/places.py"},
    "pyscript": {"display/places.py"},
}
"""Files that may import modules missing in a page or in ordinary Python."""
FILES = sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def room_of(name: str) -> str:
    return name.split("/")[0].removesuffix(".py")


@cache
def running_code(text: str) -> ast.Module:
    """Parse a module without its imports for type checkers."""
    tree = ast.parse(text)
    for node in tree.body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    return tree


def imports(path: Path, package: Path = PACKAGE) -> set[str]:
    """Return the imports of a file: modules, and packages of py_tensor after a dot.

    Imports for type checkers do not count, since they do not run.
    """
    found = set()
    here = path.relative_to(package).parent.parts
    for node in ast.walk(running_code(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add((node.module or "").split(".")[0])
        elif isinstance(node, ast.ImportFrom):
            parts = [*here[: len(here) - node.level + 1], *(node.module or "").split(".")]
            parts = [part for part in parts if part]
            found |= {f".{parts[0]}"} if parts else {f".{alias.name}" for alias in node.names}
    return found


def backward(path: Path, package: Path = PACKAGE) -> set[str]:
    """Packages that a file imports although they come after its own."""
    room = room_of(path.relative_to(package).as_posix())
    imported = imports(path, package)
    return {name for name in ROOMS[ROOMS.index(room) + 1 :] if f".{name}" in imported}


def test_every_file_is_in_a_package():
    assert {room_of(name_of(path)) for path in FILES} == set(ROOMS)


def test_imports_point_one_way():
    imported = {name_of(path): backward(path) for path in FILES}
    assert {name: rooms for name, rooms in imported.items() if rooms} == {}


def test_imports_against_the_order_are_found(tmp_path):
    wrong = tmp_path / "ops" / "wrong.py"
    wrong.parent.mkdir()
    wrong.write_text("def late():\n    from ..tensor import Tensor\n    from .. import functions\n")
    assert backward(wrong, tmp_path) == {"tensor", "functions"}


def module_of(path: Path, package: Path = PACKAGE) -> tuple[str, ...]:
    parts = path.relative_to(package).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def module_imports(package: Path = PACKAGE) -> dict[tuple[str, ...], set[tuple[str, ...]]]:
    """Return the modules of a package that each of its modules imports.

    Imports inside functions count, too; imports for type checkers do not, since they do not run.
    """
    files = {module_of(path, package): path for path in sorted(package.rglob("*.py"))}
    found = {}
    for module, path in files.items():
        here = path.relative_to(package).parent.parts
        targets = found[module] = set()
        for node in ast.walk(running_code(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = here[: len(here) - node.level + 1]
                base += tuple(node.module.split(".")) if node.module else ()
                for alias in node.names:
                    inner = (*base, alias.name)
                    targets.add(inner if inner in files else base)
        targets &= files.keys() - {module}
    return found


def cycles(graph: dict[tuple[str, ...], set[tuple[str, ...]]]) -> list[list[str]]:
    """Return the strongly connected components of more than one module."""
    reached = {}
    for start in graph:
        seen, stack = set(), [start]
        while stack:
            new = graph[stack.pop()] - seen
            seen |= new
            stack += new
        reached[start] = seen
    groups = {
        frozenset(other for other in reached[module] if module in reached[other])
        for module in graph
        if module in reached[module]
    }
    return sorted(sorted(map(".".join, group)) for group in groups)


def test_modules_do_not_import_each_other():
    assert cycles(module_imports()) == []


def test_cycles_between_modules_are_found(tmp_path):
    package = tmp_path / "graph"
    package.mkdir()
    (package / "__init__.py").write_text("from .graph import Graph\n")
    (package / "graph.py").write_text("from . import layers\nfrom .symbols import Node\n")
    (package / "layers.py").write_text("def late():\n    from ..graph.symbols import Node\n")
    (package / "symbols.py").write_text("from .graph import Graph\n")
    assert cycles(module_imports(tmp_path)) == [["graph.graph", "graph.layers", "graph.symbols"]]
    (package / "symbols.py").write_text("if TYPE_CHECKING:\n    from .graph import Graph\n")
    assert cycles(module_imports(tmp_path)) == []


def test_page_only_modules_are_named_by_few_files():
    for path in FILES:
        for module in imports(path) & FOREIGN.keys():
            assert name_of(path) in FOREIGN[module], f"{name_of(path)} imports {module}"


def code_lines(path: Path) -> int:
    """Lines that contain code."""
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
        if room_of(name_of(path)) in CORE:
            lines[room_of(name_of(path))] += code_lines(path)
    assert {room: n for room, n in lines.items() if n > CORE[room]} == {}


def test_type_checks_are_rarely_ignored():
    assert sum(path.read_text().count("# type: ignore") for path in FILES) < 10


GLSL_WORDS = re.compile(
    r"\b(?:[iub]?vec[234]\b(?!<)|[iu]?sampler2D\w*|texelFetch|gl_\w+|floatBitsTo\w+|u?intBitsToFloat|"
    r"roundEven|lessThan\w*|greaterThan\w*|notEqual|highp|mix\(|mat[234]|layout\(|#version)"
)
GLSL_FILES = {
    "language/glsl.py",
    # Names that arguments of the user's own GLSL cannot have.
    "kernels/hand_written.py",
}


def texts_with_glsl(text: str) -> list[str]:
    """Return the string literals of a module that contain GLSL, except docstrings."""
    tree = ast.parse(text)
    documents = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in documents
        and GLSL_WORDS.search(node.value)
    ]


def test_only_the_printer_contains_glsl():
    found = {name_of(path) for path in FILES if texts_with_glsl(path.read_text())}
    assert found == GLSL_FILES


def test_glsl_in_texts_is_found():
    assert texts_with_glsl('"""A vec4."""\nx = f"{kind} v = vec4({y});"\n') == [" v = vec4("]
    assert texts_with_glsl('x = "texelFetch"\n') == ["texelFetch"]


def test_operations_are_named_by_the_table_only():
    """Check that no other package compares the name of an op."""
    for path in FILES:
        if room_of(name_of(path)) in ("ops", "functions"):
            continue
        for node in ast.walk(running_code(path.read_text())):
            if isinstance(node, ast.Compare):
                text = ast.unparse(node)
                assert ".op.name ==" not in text and "op.name in" not in text, (
                    f"{name_of(path)}: {text}"
                )


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
"""Names documented without an example of their own: aliases, and functions that need a page."""
