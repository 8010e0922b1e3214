"""Write type stubs, since no editor can read functions made out of table rows off the sources.

usage: python tools/make_stubs.py [--check]
"""

import ast
import builtins
import inspect
import re
import subprocess
import sys
from collections.abc import Iterable
from types import FunctionType, MemberDescriptorType, ModuleType

from public_api import PACKAGE, ROOT, imports_of, parameters_of, write

import py_tensor
from py_tensor import functions, tensor

HEAD = '"""Written by tools/make_stubs.py; `make stubs` writes it anew."""\n'
# A comparison gives a tensor, where `object` promises a bool.
IGNORE = {"__eq__": "  # type: ignore[override]", "__ne__": "  # type: ignore[override]"}


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
        if method:
            first, *others = signature.parameters.values()
            signature = signature.replace(
                parameters=[first.replace(name="self", annotation=inspect.Parameter.empty), *others]
            )
        shown = parameters_of(signature, lambda text: self.annotation(text, home), lambda _: None)
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
            home = inspect.unwrap(value).__globals__["__name__"]
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
    stubs = {"__init__.pyi": package_stub(), "tensor.pyi": tensor_stub()}
    return write({f"{PACKAGE}/{name}": text for name, text in stubs.items()}, check, "stubs")


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
