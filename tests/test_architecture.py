"""Imports point one way, code stays small, and few files import each foreign module.

Lists of exceptions can only shrink: a test fails for an exception that is not needed any more.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from check_size import CODE_LINES, WHEEL_BYTES
from source_code import UNKNOWN, code_lines, cycles, definitions, imports, module_of, parsed

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
    "sharding",
    "transforms",
    "kernels",
    "tree",
    "tree_util",
    "lib",
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
    "numpy_functions",
    "debug",
    "checkpoint_policies",
    "ad_checkpoint",
    "test_util",
    "lax",
    "scipy",
    "example_libraries",
    "numpy",
    "einops_backend",
    "models",
    "onnx",
    "torch",
    "text",
    "audio",
    "snapshot",
    "__init__",
)
"""Packages in the order in which a call passes through them; each may import those before it."""
TARGETS = ("textures",)
"""Packages of the compiler for one kind of device each."""
BACKWARD: dict[str, dict[str, str]] = {
    "late.py": {
        UNKNOWN: "imports the modules that other files name, and those of public names",
        "__init__": "gives the namespace itself to those who ask for it",
    },
    "dtypes.py": {"functions": "a dtype that is called makes a tensor"},
    "tensor.py": {"functions": "methods of tensors, for type checkers; lists that hold tensors"},
    "functions/decorators.py": {"numpy_functions": "methods of ufuncs, such as pt.add.reduce"},
    "functions/methods.py": {
        "numpy_functions": "NumPy's methods of tensors",
        "display": "tensors are shown as HTML in notebooks",
    },
    "numpy/__init__.py": {UNKNOWN: "imports its own modules when they are first used"},
    "random.py": {"numpy_functions": "pt.random.default_rng returns a Generator"},
}
"""Files that import a later package, with the reason; `UNKNOWN` is a name that is computed."""
CIRCLES: set[str] = set()
"""Modules of one package that import each other."""
ENGINE = ("language", "ops", "ir", "compiler", "runtime", "kernels", "transforms")
REUSED_NAMES: dict[str, set[str]] = {}
"""Names of classes of the engine that several files use."""
LONGEST_FUNCTION = 60
"""Lines of code."""
LONGEST_CLASS = 300
"""Lines from the first to the last, including docstrings."""
LONG = {"graph/graph.py:Graph": 737}
"""Functions and classes above these limits, with the lines that they may have."""
PAGE_ONLY = {
    *(
        "runtime/backends/pyodide.py",
        "runtime/backends/pyodide_webgpu.py",
        "runtime/backends/wasm_pyodide.py",
        "io/browser.py",
        "io/network.py",
        "io/file_cache.py",
    ),
    *("images.py", "data/csv_file.py", "data/devices.py", "settings.py", "display/places.py"),
    "runtime/backends/host_pixels.py",
}
FOREIGN = {
    "numpy": {
        *("dtypes.py", "runtime/host_data.py", "functions/interchange.py"),
        *("runtime/backends/numpy.py", "runtime/backends/jax.py", "data/parquet_file.py"),
        "linalg/numpy_references.py",
    },
    "pyarrow": {"data/parquet_file.py"},
    "jax": {
        *("runtime/backends/jax.py", "ops/jax_functions.py", "kernels/jax_execution.py"),
        "sharding.py",
    },
    "einops": {"einops_backend.py"},
    "jinja2": {"text/sandbox.py"},
    "js": PAGE_ONLY,
    "pyodide": PAGE_ONLY,
    "pyodide_js": {"runtime/backends/pyodide.py", "runtime/backends/wasm_pyodide.py"},
    "webgl_js_bridge": {"runtime/backends/pyodide.py"},
    "webgpu_js_bridge": {"runtime/backends/pyodide_webgpu.py"},
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


def compare(actual: dict[str, set[str]], listed: dict[str, set[str]]) -> None:
    """Fail for each fault that is not listed, and for each listed one that is not there."""
    faults, exceptions = (
        {(name, fault) for name, several in table.items() for fault in several}
        for table in (actual, listed)
    )
    lines = [f"not allowed: {name}: {fault}" for name, fault in sorted(faults - exceptions)]
    lines += [f"not needed: {name}: {fault}" for name, fault in sorted(exceptions - faults)]
    if lines:
        pytest.fail("\n".join(lines), pytrace=False)


def test_exceptions_must_be_listed_and_needed():
    compare({"a.py": {"nn", "io"}}, {"a.py": {"nn", "io"}})
    for actual, listed in ((set(), {"nn"}), ({"nn"}, set())):
        with pytest.raises(pytest.fail.Exception):
            compare({"a.py": actual}, {"a.py": listed})


def test_every_file_is_in_a_package():
    assert {room_of(name_of(path)) for path in FILES} == set(ROOMS)


def test_contributing_shows_the_order():
    text = (ROOT / "CONTRIBUTING.md").read_text().split("## The pipeline")[1].split("A call on")[0]
    assert tuple(re.split(r"\s+<-\s+", text.strip())) == ROOMS[:-1]


def packages_imported(path: Path, package: Path = PACKAGE) -> set[str]:
    """Return the packages and modules in the root of a package that one of its files imports."""
    names = [name.split(".") for name in imports(path, package)]
    roots = {".".join(parts[1:2]) for parts in names if parts[0] == package.name}
    roots |= {UNKNOWN for parts in names if parts[0] == UNKNOWN}
    return {room if room in (*ROOMS, UNKNOWN) else "__init__" for room in roots}


def backward(package: Path = PACKAGE) -> dict[str, set[str]]:
    """Return the packages that each file imports although they come after its own.

    A name that is computed may be that of any package.
    """
    order = [*ROOMS[:-1], UNKNOWN, ROOMS[-1]]
    result = {}
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        later = packages_imported(path, package) & {*order[order.index(room_of(name)) + 1 :]}
        if later:
            result[name] = later
    return result


def test_imports_point_one_way():
    compare(backward(), {name: set(rooms) for name, rooms in BACKWARD.items()})


@pytest.mark.parametrize(
    ("text", "rooms"),
    [
        (
            "def late():\n    from ..tensor import Tensor\n    from .. import functions\n",
            {"tensor", "functions"},
        ),
        ("if TYPE_CHECKING:\n    from ..tensor import Tensor\n", {"tensor"}),
        ("import py_tensor as pt\n", {"__init__"}),
        ("def late():\n    import py_tensor.nn.layers\n", {"nn"}),
        ("from py_tensor import asarray\nfrom py_tensor.nn import relu\n", {"__init__", "nn"}),
        ("from .. import asarray\n", {"__init__"}),
        ('x = import_module("py_tensor.nn")\n', {"nn"}),
        ('x = importlib.import_module("..nn", __package__)\n', {"nn"}),
        ('x = import_module(__package__.partition(".")[0])\n', {"__init__"}),
        ("x = __import__(name)\n", {UNKNOWN}),
        ("x = LateModule(f\"{__package__.partition('.')[0]}.nn.layers\")\n", {"nn"}),
        ('x = LateModule("nn.layers")\ny = late.LateModule("py_tensor.io")\n', {"nn", "io"}),
        ('x = LateModule(f"py_tensor.{name}").relu\n', {UNKNOWN}),
        (
            'x = sys.modules["py_tensor.nn"]\ny = sys.modules.get("py_tensor." + "io")\n',
            {"nn", "io"},
        ),
        ('x = sys.modules["numpy"]\nfrom ..errors import ShapeError\nfrom . import views\n', set()),
        ('x = LateModule(f"{__package__}.views")\ny = "py_tensor.nn"\n', set()),
    ],
)
def test_imports_against_the_order_are_found(tmp_path, text, rooms):
    wrong = tmp_path / "py_tensor" / "ops" / "wrong.py"
    wrong.parent.mkdir(parents=True)
    wrong.write_text(text)
    assert backward(tmp_path / "py_tensor") == ({"ops/wrong.py": rooms} if rooms else {})


def module_imports(package: Path = PACKAGE) -> dict[str, set[str]]:
    """Return the modules of the same package that each module imports."""
    files = {module_of(path, package): path for path in sorted(package.rglob("*.py"))}
    graph = {}
    for module, path in files.items():
        graph[module] = set()
        for name in imports(path, package):
            if name.split(".")[:2] == module.split(".")[:2]:
                while name not in files:
                    name = name.rpartition(".")[0]
                graph[module].add(name)
        graph[module] -= {module}
    return graph


def test_targets_are_imported_by_no_other_module_of_the_compiler():
    compiler = f"{PACKAGE.name}.compiler"
    targets = [f"{compiler}.{name}" for name in TARGETS]
    for module, imported in module_imports().items():
        if module.startswith(compiler):
            own = next(filter(module.startswith, targets), None)
            others = tuple(target for target in targets if target != own)
            assert not [name for name in imported if name.startswith(others)], module


def test_modules_do_not_import_each_other():
    compare({"circle": {*map(" ".join, cycles(module_imports()))}}, {"circle": CIRCLES})


@pytest.mark.parametrize(
    "text",
    [
        "from .graph import Graph\n",
        "def late():\n    from .graph import Graph\n",
        "if TYPE_CHECKING:\n    from .graph import Graph\n",
        "from py_tensor.graph.graph import Graph\n",
        "import py_tensor.graph.graph\n",
        'graph = LateModule(f"{__package__}.graph")\n',
    ],
)
def test_cycles_between_modules_are_found(tmp_path, text):
    package = tmp_path / "py_tensor" / "graph"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from .graph import Graph\n")
    (package / "graph.py").write_text("from . import layers\nfrom .symbols import Node\n")
    (package / "layers.py").write_text("def late():\n    from ..graph.symbols import Node\n")
    (package / "symbols.py").write_text(text)
    circle = [f"py_tensor.graph.{name}" for name in ("graph", "layers", "symbols")]
    assert cycles(module_imports(package.parent)) == [circle]
    (package / "symbols.py").write_text("from ..nn import graph\n")
    assert cycles(module_imports(package.parent)) == []


def test_page_only_modules_are_named_by_few_files():
    for path in FILES:
        roots = {name.partition(".")[0] for name in imports(path, PACKAGE, for_types=False)}
        for module in roots & FOREIGN.keys():
            assert name_of(path) in FOREIGN[module], f"{name_of(path)} imports {module}"


def package_lines(package: Path = PACKAGE) -> dict[str, int]:
    """Return the lines of code of each package; "modules" are those in the root of the package."""
    lines: Counter[str] = Counter()
    for path in sorted(package.rglob("*.py")):
        room = room_of(path.relative_to(package).as_posix())
        lines[room if room in CODE_LINES else "modules"] += len(code_lines(path))
    return dict(lines)


def test_packages_are_within_their_limits():
    lines = package_lines()
    assert lines.keys() == CODE_LINES.keys()
    assert {room: n for room, n in lines.items() if n > CODE_LINES[room]} == {}


LIMITS = re.compile(r"^- ([\d,]+) lines of code, a wheel of ([\d,]+) bytes: \w+", re.MULTILINE)


def recorded_limits(changelog: str) -> list[int]:
    """Return the limits in the first line of a changelog that has them and a reason."""
    newest = LIMITS.search(changelog)
    return [int(number.replace(",", "")) for number in newest.groups()] if newest else []


def test_changelog_has_the_sum_of_the_limits():
    """A limit is raised by lowering another one, or with a reason in CHANGELOG.md."""
    recorded = recorded_limits((ROOT / "CHANGELOG.md").read_text())
    assert recorded == [sum(CODE_LINES.values()), WHEEL_BYTES]


def test_newest_limits_with_a_reason_are_read():
    lines = [f"- {n},000 lines of code, a wheel of {n} bytes:" for n in (3, 2, 1)]
    assert recorded_limits(f"{lines[0]}\n{lines[1]} plots.\n{lines[2]} start.\n") == [2000, 2]


def test_code_lines_are_counted(tmp_path):
    package = tmp_path / "py_tensor"
    (package / "ops").mkdir(parents=True)
    (package / "some.py").write_text('"""A\ndocstring."""\n\n# why\nx = (\n    1\n)\n')
    (package / "ops" / "views.py").write_text("x = 1\n")
    assert code_lines(package / "some.py") == {5, 6, 7}
    assert package_lines(package) == {"modules": 3, "ops": 1}


def long_definitions(package: Path = PACKAGE) -> dict[str, int]:
    """Return the functions and classes above their limit, with their lines."""
    result = {}
    for path in sorted(package.rglob("*.py")):
        code = code_lines(path)
        for definition in definitions(path):
            lines = range(definition.first, definition.last + 1)
            n = len(lines) if definition.is_class else len(code.intersection(lines))
            if n > (LONGEST_CLASS if definition.is_class else LONGEST_FUNCTION):
                result[f"{path.relative_to(package).as_posix()}:{definition.name}"] = n
    return result


def test_functions_and_classes_are_short():
    long = long_definitions()
    compare({"long": {*long}}, {"long": {*LONG}})
    assert {name: n for name, n in long.items() if n > LONG[name]} == {}


def test_long_functions_and_classes_are_found(tmp_path):
    def method(statements: int, comments: int) -> str:
        return "    def f(self):\n" + statements * "        x = 1\n" + comments * "        # why\n"

    (tmp_path / "short.py").write_text(f"class Short:\n{method(58, 238)}        pass\n")
    (tmp_path / "long.py").write_text(f"class Long:\n{method(59, 239)}        pass\n")
    assert long_definitions(tmp_path) == {"long.py:Long": 301, "long.py:Long.f": 61}


def complex_functions(*paths: str) -> dict[str, set[str]]:
    """Return the rules for complexity that files break, as ruff finds them."""
    rules = "C901,PLR0915"
    options = ["--no-cache", "--exit-zero", "--output-format=json", f"--select={rules}"]
    command = [sys.executable, "-m", "ruff", "check", *options, *IGNORE_NONE, *(paths or ["."])]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    result = defaultdict(set)
    for fault in json.loads(output):
        path = Path(fault["filename"])
        result[path.relative_to(ROOT).as_posix()].add(fault["code"])
    return result


IGNORE_NONE = ("--config", "lint.per-file-ignores = {}")


def test_exceptions_of_complexity_are_needed():
    lint = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]["lint"]
    listed = {
        file: {*rules} & {"C901", "PLR0915"} for file, rules in lint["per-file-ignores"].items()
    }
    compare(complex_functions(), listed)


def shared_names(package: Path = PACKAGE) -> dict[str, set[str]]:
    """Return the public names of the engine's classes that several files use for a class."""
    files = defaultdict(set)
    for path in sorted(package.rglob("*.py")):
        for definition in definitions(path):
            name = definition.name.rpartition(".")[2]
            if definition.is_class and not name.startswith("_"):
                files[name].add(path.relative_to(package).as_posix())
    return {
        name: paths
        for name, paths in files.items()
        if len(paths) > 1 and not {*map(room_of, paths)}.isdisjoint(ENGINE)
    }


def test_class_names_of_the_engine_are_used_once():
    compare(shared_names(), REUSED_NAMES)


def test_class_names_that_are_used_twice_are_found(tmp_path):
    for name, text in {
        "ir/node.py": "class Node:\n    class Step: ...\nclass Graph: ...\nclass _Key: ...\n",
        "ops/views.py": "class Step: ...\nclass _Key: ...\n",
        "models/graph.py": "class Graph: ...\nclass Layer: ...\n",
        "nn/layers.py": "def make():\n    class Layer: ...\n",
    }.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    found = {"Graph": {"ir/node.py", "models/graph.py"}, "Step": {"ir/node.py", "ops/views.py"}}
    assert shared_names(tmp_path) == found


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
        for node in ast.walk(parsed(path.read_text())):
            if isinstance(node, ast.Compare):
                text = ast.unparse(node)
                assert ".op.name ==" not in text and "op.name in" not in text, (
                    f"{name_of(path)}: {text}"
                )


BACKENDS = {"webgpu", "webgl", "wasm", "numpy", "python", "jax"}


def choices_by_name(text: str) -> list[str]:
    """Return the code that compares the name of a backend, or looks for parts of one backend.

    Code asks for a capability instead, an attribute of `Backend`.
    """
    found = []
    for node in ast.walk(ast.parse(text)):
        names = {each.value for each in ast.walk(node) if isinstance(each, ast.Constant)}
        if isinstance(node, ast.Compare):
            wrong = bool(names & BACKENDS) and not re.search(
                r"sys\.modules|__module__", ast.unparse(node)
            )
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            wrong = called in ("getattr", "hasattr") and "bridge" in names
            wrong = wrong or (called.endswith("backends.get") and bool(names & BACKENDS))
        else:
            wrong = (
                isinstance(node, ast.Subscript)
                and ast.unparse(node.value).endswith("backends")
                and bool(names & BACKENDS)
            ) or (isinstance(node, ast.MatchValue) and bool(names & BACKENDS))
        if wrong:
            found.append(ast.unparse(node))
    return found


def test_no_code_compares_the_name_of_a_backend():
    found = {name_of(path): choices_by_name(path.read_text()) for path in FILES}
    assert {name: texts for name, texts in found.items() if texts} == {}


@pytest.mark.parametrize(
    "code",
    [
        "backend().name == 'jax'",
        "engine.name != 'webgl'",
        "pt.get_backend() in ('webgl', 'wasm')",
        "getattr(backend(), 'bridge', None)",
        "hasattr(engine, 'bridge')",
        "runtime.backends.get('webgl')",
        "runtime.backends['webgl']",
    ],
)
def test_comparisons_of_the_name_of_a_backend_are_found(code):
    assert choices_by_name(f'"""A text about webgl."""\nif f(1) and {code}:\n    pass\n') == [code]


def test_names_of_backends_are_allowed_in_tables():
    assert choices_by_name("A = {'webgl': create}\nuse('numpy')\nx = 'jax' in sys.modules\n") == []


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
