"""Source of a user's function: its syntax tree, the names it uses, and errors at its lines.

Input: a Python function. Output: a `Source`, whose `error` makes a KernelError with a caret.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import textwrap
from collections.abc import Callable
from typing import Any

from ..errors import KernelError

MISSING = object()


class Source:
    """A function with its syntax tree.

    `text` is the function's source if Python cannot find it, for example in `exec`.
    """

    def __init__(self, function: Callable[..., Any], text: str | None = None) -> None:
        self.function = function
        self.name = function.__name__
        self.file = function.__code__.co_filename
        self.first = 0
        found = text
        if found is None:
            try:
                linecache.checkcache(self.file)
                lines, start = inspect.getsourcelines(function)
                found, self.first = "".join(lines), max(start - 1, 0)
            except (OSError, TypeError):
                found = ""
        self.lines = found.splitlines()
        plain = textwrap.dedent(found)
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
        for node in ast.walk(module):
            if isinstance(node, ast.FunctionDef) and node.name == self.name:
                given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                if tuple(part.arg for part in given) == names:
                    return node
        return None

    def error(self, node: Any, problem: str, advice: str) -> KernelError:
        """Return an error that points at a node."""
        row = node.lineno - 1
        column = node.col_offset + self.indent
        line = self.lines[row] if row < len(self.lines) else ""
        # Columns of the syntax tree count bytes in UTF-8.
        start = len(line.encode()[:column].decode(errors="ignore"))
        stop = len(line)
        if node.end_lineno == node.lineno:
            stop = len(line.encode()[: node.end_col_offset + self.indent].decode(errors="ignore"))
        got = line[start:stop].strip()
        shown = line.strip()
        before = start - (len(line) - len(line.lstrip()))
        return KernelError(
            f"{self.name}: {problem}; got {got}; {advice}\n"
            f'  File "{self.file}", line {self.first + row + 1}\n'
            f"    {shown}\n"
            f"    {' ' * before}{'^' * max(1, len(line[start:stop].rstrip()))}"
        )

    def resolve(self, name: str) -> Any:
        """Return the value of a name of the enclosing scopes, or `MISSING`."""
        return resolve(self.function, name)


def resolve(function: Any, name: str) -> Any:
    """Return the value of a name of a function's enclosing scopes, or `MISSING`."""
    code = function.__code__
    if name in code.co_freevars:
        try:
            return function.__closure__[code.co_freevars.index(name)].cell_contents
        except ValueError:
            return MISSING
    found = function.__globals__.get(name, MISSING)
    return getattr(builtins, name, MISSING) if found is MISSING else found
