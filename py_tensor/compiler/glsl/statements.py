"""Statements of a shader in nested scopes, without repeated or loop-invariant computations.

Input: GLSL expressions. Output: the lines of `main`. Equal expressions share a variable, which is
declared outside of the loops in which the expression does not change.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

_DECLARED = re.compile(r"\w+ (\w+) = ")
_COUNTER = re.compile(r"^for \(int (\w+) = ")
_WORD = re.compile(r"\w+")


class _Scope(NamedTuple):
    """Statements between braces, and the names of the values that they compute."""

    branch: int
    """Level of the innermost scope around them, or of their own, that is not a loop."""
    lines: list[str]
    values: dict[tuple[object, ...], str]


class Statements:
    """Statements of one kernel, and the names of the values that they compute."""

    def __init__(self) -> None:
        self.scopes = [_Scope(0, [], {})]
        self.level: dict[str, int] = {}
        self.count = 0
        self.offered: list[str] = []
        """Names that may remain unused."""

    @property
    def lines(self) -> list[str]:
        return self.scopes[0].lines

    def line(self, text: str, level: int = -1) -> None:
        level %= len(self.scopes)
        self.scopes[level].lines.append("  " * (level + 1) + text)
        declared = _DECLARED.match(text)
        if declared is not None:
            self.level[declared[1]] = level

    def name(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Put statements into braces; names declared there are unknown after them."""
        level = len(self.scopes)
        loop = head.startswith("for ")
        self.scopes.append(_Scope(self.scopes[-1].branch if loop else level, [], {}))
        self.level |= dict.fromkeys(_COUNTER.findall(head), level)
        yield
        inside = self.scopes.pop()
        self.line(f"{head} {{")
        self.scopes[-1].lines.extend(inside.lines)
        self.line("}")

    @contextmanager
    def hoisted(self, expression: str) -> Iterator[None]:
        """Write statements into the outermost scope in which the expression can be computed."""
        level = self._level_of(expression)
        inside = self.scopes[level + 1 :]
        del self.scopes[level + 1 :]
        yield
        self.scopes += inside

    def _level_of(self, expression: str) -> int:
        """Return the outermost level for an expression, which may leave loops but not branches."""
        branch = self.scopes[-1].branch
        if branch == len(self.scopes) - 1:
            return branch
        # Functions, types and components have other names than variables.
        return max([branch, *[self.level.get(word, 0) for word in _WORD.findall(expression)]])

    def known(self, key: tuple[object, ...]) -> str | None:
        for scope in reversed(self.scopes):
            if key in scope.values:
                return scope.values[key]
        return None

    def keep(self, key: tuple[object, ...], name: str) -> None:
        """Record the name of a value in the scope that declares the name."""
        self.scopes[self.level.get(name, len(self.scopes) - 1)].values[key] = name

    def let(self, key: tuple[object, ...], kind: str, prefix: str, expression: str) -> str:
        """Return a name for the expression, which is declared at its first use."""
        name = self.known(key)
        if name is None:
            name = self.name(prefix)
            self.line(f"{kind} {name} = {expression};", self._level_of(expression))
            self.keep(key, name)
        return name

    def offer(self, kind: str, name: str, expression: str) -> None:
        """Declare a name that may remain unused, in which case `prune` drops it."""
        self.offered.append(name)
        self.line(f"{kind} {name} = {expression};")

    def prune(self) -> None:
        """Drop unused offered names, the last first, since later ones use earlier ones."""
        count = Counter(_WORD.findall("\n".join(self.lines)))
        for name in reversed(self.offered):
            if count[name] == 1:
                line = next(line for line in self.lines if f" {name} = " in line)
                self.lines.remove(line)
                count.subtract(_WORD.findall(line))

    def named(self, expression: str, kind: str) -> str:
        """Return a new name for the expression, or the expression itself if it is a name."""
        if expression.isidentifier():
            return expression
        name = self.name("v")
        self.line(f"{kind} {name} = {expression};", self._level_of(expression))
        return name

    def integer(self, text: str) -> str:
        """Return a name for an int, or the text itself if it is a name or a number."""
        short = text.isidentifier() or text.isdigit()
        return text if short else self.let(("int", text), "int", "i", text)
