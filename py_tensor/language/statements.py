"""Statements of a shader in nested scopes, without repeated, loop-invariant or unused computations.

Input: values. Output: the lines of a kernel. Equal expressions share a variable. It is declared
outside of the loops in which the expression does not change, and it is dropped if nothing uses it.
An expression may contain a variable that is assigned only after its last assignment.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from .printer import Printer
from .sizes import UNROLLED
from .tree import INT, PRIMARY, Value, ValueKind, Whole


class Statement(NamedTuple):
    """Line of a shader, or a block of statements after a line and before another one."""

    text: str
    uses: int
    """Bits of the variables in the text."""
    declares: int = 0
    """Bit of the variable that the line declares."""
    block: list[Statement] | None = None
    end: str = "}"


class _Scope:
    """Statements between braces, and the keys of the values that they compute."""

    __slots__ = ("branch", "declared", "keys", "statements")

    def __init__(self, branch: int, declared: int = 0) -> None:
        self.branch = branch
        """Level of the innermost scope around them, or of their own, that is not a loop."""
        self.declared = declared
        """Bits of the variables of the scope."""
        self.statements: list[Statement] = []
        self.keys: list[Hashable] = []


class _Block:
    """Context in which statements are written into a scope of their own."""

    __slots__ = ("around", "code", "counter", "label", "scope", "uses")

    def __init__(
        self,
        code: Statements,
        scope: _Scope,
        around: tuple[str, str],
        uses: int,
        counter: Value | None = None,
        label: str = "",
    ) -> None:
        self.code = code
        self.scope = scope
        self.around = around
        self.uses = uses
        self.counter = counter
        self.label = label
        """Name of a loop."""

    def __enter__(self) -> Any:
        self.code.scopes.append(self.scope)
        if self.label:
            self.code.loops.append(self.label)
        return self.counter

    def __exit__(self, *error: object) -> None:
        code, scope = self.code, self.code.scopes.pop()
        for key in scope.keys:
            code.values.pop(key, None)
        if self.label:
            code.loops.pop()
        head, end = self.around
        code.scopes[-1].statements.append(Statement(head, self.uses, 0, scope.statements, end))


class Chunk:
    """Statements that are printed apart from those around them, with a value after them."""

    def __init__(self, code: Statements) -> None:
        self.code = code
        self.scope = _Scope(0)
        self.text = ""

    def finish(self, value: Value) -> None:
        """Print the statements that a value needs, and the value."""
        lines: list[str] = []
        self.code.print_into(lines, self.scope.statements, "", value.uses)
        self.text = "\n".join([*lines[::-1], value.text])


class Statements:
    """Statements of one kernel, and the values that they compute."""

    def __init__(self, printer: Printer) -> None:
        self.printer = printer
        self.value = printer.value
        self.scopes = [_Scope(0)]
        self.loops: list[str] = []
        """Labels of the loops around the current statement."""
        self.values: dict[Hashable, Any] = {}
        self.known = self.values.get
        """Function that returns the value of a key, or None."""
        self.count = 0
        self.needs: dict[str, None] = {}
        """Names of the functions that the statements call."""

    # --- expressions ----------------------------------------------------------------------------

    def apply(self, formula: str, result: ValueKind, *operands: Value) -> Value:
        """Return the value of a formula of operands x, y, z and w, given the kind of the result."""
        kinds, texts, uses = [], [], 0
        for operand in operands:
            if operand.lanes != self.printer.lanes:
                operand = self.printer.spread(operand)
            if self.printer.names_operands and " " in operand.text:
                operand = self.let(operand)
            kinds.append(operand.kind)
            uses |= operand.uses
            texts.append(operand.text if operand.level == PRIMARY else f"({operand.text})")
        template, level, lanes, needs = self.printer.formula(formula, tuple(kinds), result)
        if needs:
            self.needs |= needs
        return self.value(template.format(*texts), result, lanes, level, uses)

    def call(self, name: str, kind: ValueKind, *operands: Whole, lanes: int = 0) -> Value:
        """Return the value of a function of the shader, given its kind and number of lanes."""
        lanes = lanes or self.printer.lanes
        texts, uses = [], 0
        for operand in operands:
            if isinstance(operand, int):
                texts.append(self.printer.size(operand))
            else:
                texts.append(operand.text)
                uses |= operand.uses
        return self.value(self.printer.invoked(name, texts), kind, lanes, PRIMARY, uses)

    def vector(self, kind: ValueKind, *parts: Whole) -> Value:
        """Return a value of all lanes, given each of them or one for all."""
        return self.printer.vector(kind, parts)

    def pick(self, condition: Value, a: Value, b: Value) -> Value:
        """Return `a` or `b` for each lane by truth values."""
        return self.apply("y if x else z", a.kind, condition, a, b)

    # --- variables ------------------------------------------------------------------------------

    def keep(self, key: Hashable, value: Any) -> None:
        """Record a value in the innermost scope that it depends on."""
        level = 0 if isinstance(value, int) else self._level(value.uses, 0)
        self.values[key] = value
        self.scopes[level].keys.append(key)

    def _level(self, uses: int, least: int) -> int:
        """Return the innermost level that declares one of the variables, but at least `least`."""
        level, scopes = len(self.scopes) - 1, self.scopes
        while level > least and not uses & scopes[level].declared:
            level -= 1
        return level

    def let[W: Whole](self, value: W, prefix: str = "v") -> W:
        """Return a variable with the value; numbers and variables are returned unchanged.

        It is declared in the outermost scope in which the expression can be computed, which may
        be outside of loops but not of branches.
        """
        if isinstance(value, int):
            return value
        text = value.text
        known: Any = self.values.get(text)
        if known is None:
            if text.isidentifier():
                return value
            level = self._level(value.uses, self.scopes[-1].branch)
            known = self.values[text] = self._declare(value, prefix, level)
            self.scopes[level].keys.append(text)
        variable: W = known
        return variable

    def variable(self, value: Whole, prefix: str = "r") -> Value:
        """Declare a variable of the current scope, which may be assigned."""
        return self._declare(self.printer.whole(value), prefix, -1)

    def _declare(self, value: Value, prefix: str, level: int) -> Value:
        self.count += 1
        # A variable may not hide a type.
        self.count += f"{prefix}{self.count}" in self.printer.types.values()
        name, bit, scope = f"{prefix}{self.count}", 1 << self.count, self.scopes[level]
        if name in self.printer.reserved:
            name += "_"
        scope.statements.append(Statement(self.printer.declared(name, value), value.uses, bit))
        scope.declared |= bit
        return self.value(name, value.kind, value.lanes, PRIMARY, bit)

    def array(self, kind: ValueKind, length: int) -> Value:
        """Declare an array of vectors."""
        self.count += 1
        name, bit, scope = f"a{self.count}", 1 << self.count, self.scopes[-1]
        scope.statements.append(Statement(self.printer.array(name, kind, length), 0, bit))
        scope.declared |= bit
        return self.value(name, kind, 4, PRIMARY, bit)

    def name(self, prefix: str) -> str:
        """Return a name that no variable has."""
        self.count += 1
        return f"{prefix}{self.count}"

    # --- statements -----------------------------------------------------------------------------

    def line(self, text: str, uses: int = 0) -> None:
        self.scopes[-1].statements.append(Statement(text, uses))

    def assign(self, target: Value, value: Value, sign: str = "=") -> None:
        self.line(self.printer.assigned(target, value, sign), target.uses | value.uses)

    def output(self, number: int, value: Value) -> None:
        """Write an output of the fragment."""
        self.line(f"y{number} = {value.text};", value.uses)

    def stop(self, condition: Value, how: str = "break") -> None:
        """Leave the loop, or continue with its next iteration, on a condition."""
        text = self.printer.leave_if(condition, how, self.loops[-1])
        self.line(text, condition.uses)

    def leave(self) -> None:
        """Leave the loop."""
        self.line(self.printer.leave("break", self.loops[-1]))

    def block(self) -> _Block:
        """Put statements into a block; variables declared there are unknown after it."""
        return _Block(self, _Scope(self.scopes[-1].branch), self.printer.branch(None), 0)

    def when(self, condition: Value) -> _Block:
        """Run statements on a condition."""
        scope = _Scope(len(self.scopes))
        return _Block(self, scope, self.printer.branch(condition), condition.uses)

    def loop(self, start: Whole, stop: Whole, step: int = 1) -> _Block:
        """Repeat statements while the counter that the context manager returns is below `stop`."""
        self.count += 1
        first = self.printer.whole(start)
        short = isinstance(stop, int) and stop <= UNROLLED
        last = (self.printer.constant_sizes if short else self.printer).whole(stop)
        counter = self.value(f"k{self.count}", INT, 1, PRIMARY, 1 << self.count)
        around = self.printer.repeat(counter.text, counter, first, last, step)
        scope = _Scope(self.scopes[-1].branch, counter.uses)
        return _Block(self, scope, around, first.uses | last.uses, counter, counter.text)

    def endless(self) -> _Block:
        """Repeat statements until one of them leaves the loop."""
        self.count += 1
        label = f"k{self.count}"
        around = self.printer.endless(label)
        return _Block(self, _Scope(self.scopes[-1].branch), around, 0, None, label)

    @contextmanager
    def hoisted(self, value: Whole) -> Iterator[None]:
        """Write statements into the outermost scope in which the value can be computed."""
        uses = 0 if isinstance(value, int) else value.uses
        level = self._level(uses, self.scopes[-1].branch)
        within, self.scopes = self.scopes[level + 1 :], self.scopes[: level + 1]
        hidden = {k: self.values.pop(k) for scope in within for k in scope.keys if k in self.values}
        yield
        self.values |= hidden
        self.scopes += within

    @contextmanager
    def separate(self) -> Iterator[Chunk]:
        """Write statements whose text another writer puts where it needs them."""
        chunk = Chunk(self)
        self.scopes.append(chunk.scope)
        yield chunk
        self.scopes.pop()
        for key in chunk.scope.keys:
            self.values.pop(key, None)

    @contextmanager
    def printed_by(self, printer: Printer) -> Iterator[None]:
        """Write expressions with another number of lanes."""
        before, self.printer = self.printer, printer
        yield
        self.printer = before

    def local(self, text: str, kind: ValueKind, lanes: int) -> Value:
        """Return a variable of the current scope with a text, which may be a variable's name."""
        if not text.isidentifier():
            return self._declare(self.value(text, kind, lanes), "r", -1)
        self.count += 1
        self.scopes[-1].declared |= 1 << self.count
        return self.value(text, kind, lanes, PRIMARY, 1 << self.count)

    # --- text -----------------------------------------------------------------------------------

    def lines(self) -> list[str]:
        """Return the lines of the kernel, without declarations of unused variables."""
        lines: list[str] = []
        self.print_into(lines, self.scopes[0].statements, "  ", 0)
        return lines[::-1]

    def print_into(
        self, lines: list[str], statements: list[Statement], indent: str, used: int
    ) -> int:
        """Append lines, the last first; return the bits of the variables that are used."""
        for text, uses, declares, block, end in reversed(statements):
            if block is not None:
                lines.append(indent + end)
                used = self.print_into(lines, block, indent + "  ", used) | uses
                lines.append(indent + text)
            elif not declares or declares & used:
                lines.append(indent + text)
                used |= uses
        return used
