"""Read the source of a package without importing it: imports, classes and lines of code.

`package` is the folder of the package, whose name is that of the folder.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

UNKNOWN = "*"
"""Name of a module, or a part of it, that is only known when the program runs."""
IMPORTERS = {"import_module", "__import__"}
"""Functions whose first argument is the name of a module."""
LATE = "LateModule"
"""Class of modules that are imported when first used, by their names inside the package."""
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


class Definition(NamedTuple):
    """A class or a function, with its first and last line."""

    name: str
    is_class: bool
    first: int
    last: int


@cache
def parsed(text: str) -> ast.Module:
    return ast.parse(text)


def module_of(path: Path, package: Path) -> str:
    """Return the name of a file's module."""
    parts = (package.name, *path.relative_to(package).with_suffix("").parts)
    return ".".join(parts).removesuffix(".__init__")


def imports(path: Path, package: Path, for_types: bool = True) -> set[str]:
    """Return the names of all modules that a file imports, or members of modules.

    They include imports inside functions, names in strings that `IMPORTERS` and `LATE` get, modules
    that are taken from `sys.modules` and, with `for_types`, imports for type checkers.
    """
    module = module_of(path, package)
    parent = module if path.name == "__init__.py" else module.rpartition(".")[0]
    names = {"__name__": module, "__package__": parent}
    tree = parsed(path.read_text())
    imported = set()
    for node in ast.walk(tree) if for_types else _running(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = _absolute("." * node.level + (node.module or ""), parent)
            imported |= {f"{base}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and node.args and _name(node.func) in IMPORTERS:
            imported.add(_absolute(_text(node.args[0], names), parent))
        elif isinstance(node, ast.Call) and node.args and _name(node.func) == LATE:
            name = _text(node.args[0], names)
            inside = name.partition(".")[0] not in (package.name, UNKNOWN)
            imported.add(f"{package.name}.{name}" if inside else name)
        elif (argument := _loaded_module(node)) is not None:
            name = _text(argument, names)
            if name.partition(".")[0] in (package.name, UNKNOWN):
                imported.add(name)
    return imported


def _running(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a tree without those that only type checkers read."""
    yield tree
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for statement in node.orelse:
                yield from _running(statement)
        else:
            yield from _running(node)


def _absolute(name: str, parent: str) -> str:
    """Return the name of a module without leading dots, given the package that imports it."""
    rest = name.lstrip(".")
    level = len(name) - len(rest)
    if level == 0:
        return rest
    base = parent.split(".")
    return ".".join([*base[: len(base) - level + 1], *rest.split(".")]).removesuffix(".")


def _name(function: ast.expr) -> str:
    """Return the name of a function that is called, without its module."""
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _loaded_module(node: ast.AST) -> ast.expr | None:
    """Return the name in `sys.modules[name]` or `sys.modules.get(name)`."""
    match node:
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id="sys"), attr="modules")):
            return node.slice
        case ast.Call(
            func=ast.Attribute(
                value=ast.Attribute(value=ast.Name(id="sys"), attr="modules"), attr="get"
            )
        ):
            return node.args[0]
    return None


def _text(node: ast.expr, names: dict[str, str]) -> str:
    """Return the value of an expression of strings, with `UNKNOWN` for what is not known."""
    match node:
        case ast.Constant(value=str(value)):
            return value
        case ast.Name(id=name):
            return names.get(name, UNKNOWN)
        case ast.JoinedStr(values=values):
            return "".join(_text(value, names) for value in values)
        case ast.FormattedValue(value=value):
            return _text(value, names)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _text(left, names) + _text(right, names)
        case ast.Subscript(
            value=ast.Call(func=ast.Attribute(value=value, attr="partition" | "split")),
            slice=ast.Constant(value=0),
        ):
            return _text(value, names).partition(".")[0]
    return UNKNOWN


def definitions(path: Path) -> Iterator[Definition]:
    """Yield the classes and functions of a file, with the names of the classes around them."""
    stack: list[tuple[ast.AST, str]] = [(parsed(path.read_text()), "")]
    while stack:
        parent, prefix = stack.pop()
        for node in ast.iter_child_nodes(parent):
            inner = prefix
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                is_class = isinstance(node, ast.ClassDef)
                assert node.end_lineno is not None
                yield Definition(prefix + node.name, is_class, node.lineno, node.end_lineno)
                inner = f"{prefix}{node.name}."
            stack.append((node, inner))


def code_lines(path: Path) -> frozenset[int]:
    """Return the numbers of the lines that contain code: no blank line, comment or docstring."""
    return _code_lines(path.read_text())


@cache
def _code_lines(text: str) -> frozenset[int]:
    documents: set[int] = set()
    for node in ast.walk(parsed(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            documents |= set(range(node.lineno, (node.end_lineno or 0) + 1))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            lines |= set(range(token.start[0], token.end[0] + 1))
    return frozenset(lines - documents)


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the strongly connected components of more than one node."""
    reached: dict[str, set[str]] = {}
    for start in graph:
        seen: set[str] = set()
        stack = [start]
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
    return sorted(sorted(group) for group in groups)
