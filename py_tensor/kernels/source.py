"""Source of a user's function: its syntax tree, the names it uses, and errors at its lines.

Input: a Python function. Output: a `FunctionSource`. Its `error` makes a KernelError with a caret.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import sys
import textwrap
from collections.abc import Iterator
from types import CodeType, FrameType, FunctionType

from ..errors import KernelError
from ..signatures import parameters_of

MISSING = object()
_COMPREHENSIONS = ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp


class FunctionSource:
    """A function with its syntax tree.

    `text` is the function's source if Python cannot find it, for example in `exec`.
    """

    def __init__(self, function: FunctionType, text: str | None = None) -> None:
        parameters = parameters_of(function)
        assert parameters is not None
        self.function = function
        self.parameters = parameters
        self.name = function.__name__
        self.file = function.__code__.co_filename
        self.first = 0
        written = text
        if written is None:
            try:
                linecache.checkcache(self.file)
                lines, start = inspect.getsourcelines(function)
                written, self.first = "".join(lines), max(start - 1, 0)
            except (OSError, TypeError):
                written = ""
            if self._definition(textwrap.dedent(written)) is None:
                written, self.first = text_of_callers(function), 0
        self.lines = written.splitlines()
        plain = textwrap.dedent(written)
        pairs = zip(self.lines, plain.splitlines(), strict=False)
        self.indent = next((len(a) - len(b) for a, b in pairs if b.strip()), 0)
        tree = self._definition(plain)
        if tree is None and text is None and self.name != "<lambda>":
            raise KernelError(
                f"kernel: source of {self.name} is not available; got a function from {self.file}; "
                "give its text with pt.kernel(source=...), or define it in a file"
            )
        if tree is None:
            what = "a lambda" if self.name == "<lambda>" else "no such text"
            raise KernelError(
                f"kernel: source of {self.name} has no definition with def; got {what}; write "
                f"def {self.name.strip('<>')}(...): and a return"
            )
        self.tree = tree

    def _definition(self, text: str) -> ast.FunctionDef | None:
        """Return the definition with the function's name and parameters."""
        try:
            module = ast.parse(text)
        except SyntaxError:
            return None
        code = self.function.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        definition = None
        for node in ast.walk(module):
            if isinstance(node, ast.FunctionDef) and parameter_names(node) == names:
                line = _first_line(node) + self.first
                first = definition is None or line == code.co_firstlineno
                if node.name == self.name and first:
                    definition = node
        return definition

    def listing(self) -> list[str]:
        """Return the lines of the function."""
        return self.lines[_first_line(self.tree) - 1 : self.tree.end_lineno]

    def error(self, node: ast.expr | ast.stmt, problem: str, advice: str) -> KernelError:
        """Return an error that points at a node."""
        row = node.lineno - 1
        column = node.col_offset + self.indent
        line = self.lines[row] if row < len(self.lines) else ""
        # Columns of the syntax tree count bytes in UTF-8.
        start = len(line.encode()[:column].decode(errors="ignore"))
        stop = len(line)
        end = node.end_col_offset
        if node.end_lineno == node.lineno and end is not None:
            stop = len(line.encode()[: end + self.indent].decode(errors="ignore"))
        got = line[start:stop].strip()
        shown = line.strip()
        before = start - (len(line) - len(line.lstrip()))
        return KernelError(
            f"{self.name}: {problem}; got {got}; {advice}\n"
            f'  File "{self.file}", line {self.first + row + 1}\n'
            f"    {shown}\n"
            f"    {' ' * before}{'^' * max(1, len(line[start:stop].rstrip()))}"
        )


def parameter_names(tree: ast.FunctionDef) -> tuple[str, ...]:
    """Return the names of a function's parameters."""
    parameters = *tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs
    return tuple([parameter.arg for parameter in parameters])


def own_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Return the nodes inside of a function or loop, except those in functions inside of it."""
    pending = [*ast.iter_child_nodes(tree)]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda | _COMPREHENSIONS):
            pending += ast.iter_child_nodes(node)


def stored_names(tree: ast.AST, components: bool = True) -> set[str]:
    """Return the names that a function or loop assigns, also by assignments to `components`.

    Names of functions and comprehensions inside of it are their own.
    """
    names: set[str] = set()
    for node in own_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        stores = isinstance(getattr(node, "ctx", None), ast.Store)
        while stores and components and isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        if stores and isinstance(node, ast.Name):
            names.add(node.id)
    return names


def _first_line(tree: ast.FunctionDef) -> int:
    """Return the line of a definition's first decorator, or of the definition."""
    return min(tree.lineno, *(part.lineno for part in tree.decorator_list), tree.lineno)


def text_of_callers(function: FunctionType) -> str:
    """Return the text from which a function was compiled, from a variable of a caller, or "".

    Pyodide's `runPython` and calls of `exec` keep the text in a variable while it runs.
    """
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        for value in [*frame.f_locals.values()]:
            if isinstance(value, str) and f"def {function.__name__}" in value:
                try:
                    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
                    code = compile(value, "<text>", "exec", flags, dont_inherit=True)
                except (SyntaxError, ValueError):
                    continue
                if _contains(code, function.__code__):
                    return value
        frame = frame.f_back
    return ""


def _contains(code: CodeType, wanted: CodeType) -> bool:
    """Return True if a code object defines another one at the same line."""
    return any(
        (part.co_qualname, part.co_firstlineno, part.co_code)
        == (wanted.co_qualname, wanted.co_firstlineno, wanted.co_code)
        or _contains(part, wanted)
        for part in code.co_consts
        if isinstance(part, CodeType)
    )


def resolve(function: FunctionType, name: str) -> object:
    """Return the value of a name of a function's enclosing scopes, or `MISSING`."""
    code = function.__code__
    if name in code.co_freevars:
        assert function.__closure__ is not None
        try:
            value: object = function.__closure__[code.co_freevars.index(name)].cell_contents
        except ValueError:
            return MISSING
        return value
    value = function.__globals__.get(name, MISSING)
    return getattr(builtins, name, MISSING) if value is MISSING else value
