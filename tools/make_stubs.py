"""Write type stubs, since no editor can read functions made out of table rows off the sources.

usage: python tools/make_stubs.py [--check]
"""

import ast
import builtins
import importlib.util
import inspect
import re
import subprocess
import sys
from collections.abc import Iterable
from itertools import zip_longest
from pathlib import Path
from types import FunctionType, MemberDescriptorType, ModuleType

import py_tensor
from py_tensor import functions, tensor

ROOT = Path(__file__).parent.parent
PACKAGE = py_tensor.__name__
HEAD = '"""Written by tools/make_stubs.py; `make stubs` writes it anew."""\n'
# A comparison gives a tensor, where `object` promises a bool.
IGNORE = {"__eq__": "  # type: ignore[override]", "__ne__": "  # type: ignore[override]"}


def imports_of(module: ModuleType) -> dict[str, str]:
    """The import statement behind each name that a module imports or assigns."""
    found = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.ImportFrom):
            package = "." * node.level + (node.module or "")
            home = importlib.util.resolve_name(package, module.__package__)
            for name in node.names:
                alias = f" as {name.asname}" if name.asname else ""
                found[name.asname or name.name] = f"from {home} import {name.name}{alias}"
        elif isinstance(node, ast.ClassDef):
            found[node.name] = f"from {module.__name__} import {node.name}"
    return found


class Stub:
    """The lines of one stub, and the imports that their annotations need."""

    def __init__(self, module: ModuleType, shadowed: Iterable[str] = ()) -> None:
        self.module = module
        self.imports: set[str] = set()
        self.lines: list[str] = []
        self.shadowed = set(shadowed) & set(vars(builtins))

    def annotation(self, text: str, home: ModuleType) -> str:
        """An annotation as the stub writes it: imported, and builtins told from public names."""
        known = imports_of(home)
        for name in set(re.findall(r"[A-Za-z_]\w*", text)):
            if name in known and not known[name].startswith(f"from {self.module.__name__} import"):
                self.imports.add(known[name])
            elif name in self.shadowed:
                self.imports.add("import builtins")
                text = re.sub(rf"\b{name}\b", f"builtins.{name}", text)
        return text

    def function(self, name: str, function: FunctionType, method: bool = False) -> None:
        """A function's or method's signature with the first line of its documentation."""
        home = sys.modules[function.__globals__["__name__"]]
        signature = inspect.signature(function)
        parameters = list(signature.parameters.values())
        if method:
            kind = parameters[0].kind
            parameters[0] = inspect.Parameter("self", kind)
        shown = []
        for parameter, following in zip_longest(parameters, parameters[1:]):
            star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(
                parameter.kind, ""
            )
            text = f"{star}{parameter.name}"
            if parameter.annotation is not parameter.empty:
                text += f": {self.annotation(parameter.annotation, home)}"
            if parameter.default is not parameter.empty:
                plain = isinstance(parameter.default, (bool, int, float, str, type(None)))
                text += f" = {parameter.default!r}" if plain else " = ..."
            shown.append(text)
            after = following.kind if following else None
            if parameter.kind is parameter.POSITIONAL_ONLY and after is not parameter.kind:
                shown.append("/")
            if after is parameter.KEYWORD_ONLY and parameter.kind not in (
                after,
                parameter.VAR_POSITIONAL,
            ):
                shown.append("*")
        returns = self.annotation(signature.return_annotation, home)
        head = "async def" if inspect.iscoroutinefunction(function) else "def"
        ignore = IGNORE.get(name, "") if method else ""
        document = (function.__doc__ or "").split("\n")[0]
        body = f'{ignore}\n    """{document}"""' if document else f" ...{ignore}"
        self.add(f"{head} {name}({', '.join(shown)}) -> {returns}:{body}", method)

    def add(self, text: str, inside: bool = False) -> None:
        self.lines += [f"    {line}" if inside else line for line in text.split("\n")]

    def text(self) -> str:
        lines = [HEAD, *sorted(self.imports), *self.lines]
        path = f"{PACKAGE}/{self.module.__name__}.pyi"
        result = "\n".join(lines)
        for step in (["check", "--quiet", "--select=I,RUF022", "--fix"], ["format"]):
            command = [sys.executable, "-m", "ruff", *step, f"--stdin-filename={path}", "-"]
            done = subprocess.run(
                command, input=result, capture_output=True, text=True, check=True, cwd=ROOT
            )
            result = done.stdout
        return result


def class_stub(stub: Stub, kind: type) -> None:
    """A class with everything that was put on it when the package was imported."""
    stub.add(f"class {kind.__name__}:")
    stub.add(f'"""{(kind.__doc__ or "").splitlines()[0]}"""', True)
    fields = {
        node.target.attr: ast.unparse(node.annotation)
        for node in ast.walk(ast.parse(inspect.getsource(kind)))
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Attribute)
    }
    for name, value in vars(kind).items():
        if isinstance(value, FunctionType):
            stub.function(name, value, method=True)
        elif isinstance(value, property):
            assert isinstance(value.fget, FunctionType)
            stub.add("@property", True)
            stub.function(name, value.fget, method=True)
        elif isinstance(value, MemberDescriptorType):
            stub.add(f"{name}: {stub.annotation(fields[name], stub.module)}", True)
        elif value is object.__hash__:
            stub.add("def __hash__(self) -> int: ...", True)


def tensor_stub() -> str:
    """The stub of the module that has the class."""
    stub = Stub(tensor)
    for name, value in vars(tensor).items():
        if name.startswith("_") or getattr(value, "__module__", tensor.__name__) != tensor.__name__:
            continue
        if isinstance(value, FunctionType):
            stub.function(name, value)
        elif isinstance(value, type):
            class_stub(stub, value)
        elif isinstance(value, int):
            stub.add(f"{name}: {type(value).__name__}")
    return stub.text()


def package_stub() -> str:
    """The stub of the package: functions out of rows as signatures, all else as imports."""
    names: list[str] = sorted(py_tensor.__all__)
    stub = Stub(py_tensor, names)
    imported = imports_of(py_tensor)
    for name in names:
        value = getattr(py_tensor, name)
        if name in functions.PUBLIC:
            home = value.__globals__["__name__"]
            if getattr(sys.modules[home], name, None) is value:
                stub.imports.add(f"from {home} import {name}")
            else:
                stub.function(name, value)
        elif name in imported:
            stub.imports.add(imported[name])
        else:
            stub.add(f"{name}: {'None' if value is None else type(value).__name__}")
    stub.imports |= {
        f"from {PACKAGE} import {name} as {name}" for name in sorted(vars(py_tensor)["_LAZY"])
    }
    stub.add("__version__: str")
    stub.add(f"__all__ = {names!r}")
    return stub.text()


def main(check: bool) -> int:
    stale = []
    for name, text in (("__init__.pyi", package_stub()), ("tensor.pyi", tensor_stub())):
        path = ROOT / PACKAGE / name
        if not path.exists() or path.read_text() != text:
            stale.append(f"{PACKAGE}/{name}")
            if not check:
                path.write_text(text)
    if check and stale:
        print(f"stubs: out of date; got {', '.join(stale)}; run make stubs", file=sys.stderr)
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
