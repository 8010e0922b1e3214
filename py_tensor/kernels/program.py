"""Programs: what a kernel computes for one element, in terms of elementwise operations.

Control flow is expressed by masks, so that one program describes the element of a shader, four
lanes of a fragment, an array and a tensor: a branch is computed if any element takes it, and a loop
runs until no element is active. Values are assigned once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..dtypes import DType
from ..ops import OP_DEFS
from ..ops.op_def import Elementwise

AND, WHERE = OP_DEFS["logical_and"], OP_DEFS["where"]
LOOP_STEPS = 16
"""Number of steps that a loop of unknown length counts as, to estimate the cost of a kernel."""


class Var:
    """A value of the program, with its dtype; `number` grows in order of definition."""

    __slots__ = ("dtype", "number")

    def __init__(self, dtype: DType, number: int) -> None:
        self.dtype = dtype
        self.number = number

    def __repr__(self) -> str:
        return f"v{self.number}"


class Number:
    """A constant of a dtype."""

    __slots__ = ("dtype", "value")

    def __init__(self, value: bool | int | float, dtype: DType) -> None:
        self.value = value
        self.dtype = dtype

    def __repr__(self) -> str:
        return f"{self.value!r}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        # -0.0 equals 0.0, and True equals 1.
        return (repr(self.value), self.dtype)


Atom = Var | Number


@dataclass(frozen=True)
class Step:
    """`result = op(operands)`; a cast converts to the dtype of the result."""

    result: Var
    op: Elementwise
    operands: tuple[Atom, ...]


@dataclass(frozen=True)
class Column:
    """Index along the last axis at which a kernel reads: `place` plus `offset`, or the border.

    `row` is the position of the first element along that axis.
    """

    row: Atom
    place: Var
    offset: int
    border: str


@dataclass(frozen=True)
class Read:
    """`result` is the element of an input at a row-major position.

    `column` describes the same position if it differs from a variable by a constant.
    """

    result: Var
    tensor: Input
    position: Atom
    column: Column | None = None


class ColumnRead(Read):
    """A read of which only `column` is used, so that neighbours share texels."""


@dataclass(frozen=True)
class Branch:
    """Statements for elements whose condition is true.

    `exports` are pairs of a value that is known after the branch, and its value in the branch.
    """

    condition: Atom
    body: list[Any]
    exports: list[tuple[Var, Atom]]


@dataclass(frozen=True)
class Exit(Branch):
    """Statements for elements whose condition is `ends`, after which they leave the loop.

    `exports` are pairs of a result of the loop and its value.
    """

    ends: bool


@dataclass(frozen=True)
class Carry:
    """Value that a loop passes on: in the body, at first, after an iteration, and after the loop.

    The names in this order are `inner`, `initial`, `following` and `result`.
    """

    inner: Var
    initial: Atom
    following: Atom
    result: Var


@dataclass(frozen=True)
class Loop:
    """Statements that are repeated while `active`, which `head` computes, is true for an element.

    If `active` is None, the loop runs exactly `limit` times for all elements; otherwise at most
    `limit` times, or any number of times if `limit` is None. `trips` is the number of iterations if
    it is known. `own` is the part of `active` without the conditions of the branches around the
    loop.
    """

    carries: list[Carry]
    head: list[Any]
    active: Atom | None
    own: Atom | None
    body: list[Any]
    limit: int | None
    trips: int | None
    alone: bool = False
    """True if shaders run the loop for one element, which `Exit` statements leave as well."""


@dataclass(eq=False)
class Input:
    """Operand of a kernel.

    `kind` is "value", "tensor" (read at positions), "length" (of an axis of a tensor) or "extent"
    (of an axis of the result). `place` is the position of the argument.
    """

    kind: str
    place: int
    axis: int
    var: Var
    name: str


@dataclass(eq=False)
class Family:
    """The statements of a function with several results, of which each has a program."""

    body: list[Any]
    results: tuple[Atom, ...]


@dataclass
class Program:
    """A kernel's program for one result.

    `coordinates` are the variables of the element's place in the result.
    """

    inputs: list[Input]
    coordinates: list[Var]
    body: list[Any]
    result: Atom
    family: Family | None = None
    """The statements of all results, if the function has several."""


def _cost(body: Iterable[Any], of: Callable[[Elementwise], int], read: int, steps: int) -> int:
    total = 0
    for statement in body:
        if isinstance(statement, Step):
            total += of(statement.op)
        elif isinstance(statement, Read):
            total += read
        elif isinstance(statement, Branch):
            total += _cost(statement.body, of, read, steps)
        else:
            times = (statement.trips or steps) if steps else 1
            total += times * _cost([*statement.head, *statement.body], of, read, steps)
    return total


def length_of(body: Iterable[Any]) -> int:
    """Return the share of a shader that statements take, in which loops count once."""
    return _cost(body, lambda op: op.length, 1, 0)


def weight_of(body: Iterable[Any]) -> int:
    """Return the cost of statements in scalar operations per element."""
    return _cost(body, lambda op: op.weight, 6, LOOP_STEPS)


def with_columns(
    body: Iterable[Any], shares: Callable[[Read], bool], differ: set[Any]
) -> list[Any]:
    """Replace the reads that share texels by column reads, which need the row only.

    Loops that elements leave at different times, by the values that differ, are written for one
    element.
    """
    replaced: list[Any] = []
    for statement in body:
        if isinstance(statement, Read):
            if statement.column is not None and shares(statement):
                row = statement.column.row
                statement = ColumnRead(statement.result, statement.tensor, row, statement.column)
        elif isinstance(statement, Branch):
            statement = replace(statement, body=with_columns(statement.body, shares, differ))
        elif isinstance(statement, Loop) and statement.own not in differ:
            parts = statement.head, statement.body
            head, inside = (with_columns(part, shares, differ) for part in parts)
            statement = replace(statement, head=head, body=inside)
        replaced.append(statement)
    return replaced


def varying(body: Iterable[Any], found: set[Any]) -> set[Any]:
    """Add to `found`, values that differ between lanes, those that depend on them."""
    for statement in body:
        if isinstance(statement, Step):
            if not found.isdisjoint(statement.operands):
                found.add(statement.result)
        elif isinstance(statement, Read):
            if statement.position in found:
                found.add(statement.result)
        elif isinstance(statement, Branch):
            varying(statement.body, found)
            for outer, inner in statement.exports:
                if statement.condition in found or inner in found:
                    found.add(outer)
        else:
            before = -1
            while before != len(found):
                before = len(found)
                for carry in statement.carries:
                    if not found.isdisjoint((carry.initial, carry.following, statement.own)):
                        found.update((carry.inner, carry.result))
                varying([*statement.head, *statement.body], found)
    return found


def needed_part(body: Sequence[Any], needed: set[Atom]) -> list[Any]:
    """Return the statements that compute the needed values; `needed` receives all that they use."""
    kept: list[Any] = []
    for statement in reversed(body):
        if isinstance(statement, Step):
            if statement.result in needed:
                needed.update(statement.operands)
                kept.append(statement)
        elif isinstance(statement, Read):
            if statement.result in needed:
                needed.update((statement.position, statement.tensor.var))
                kept.append(statement)
        elif isinstance(statement, Branch):
            exports = [pair for pair in statement.exports if pair[0] in needed]
            if exports or isinstance(statement, Exit):
                needed.add(statement.condition)
                needed.update(inner for _, inner in exports)
                inside = needed_part(statement.body, needed)
                kept.append(replace(statement, body=inside, exports=exports))
        elif any(carry.result in needed for carry in statement.carries):
            kept.append(_needed_loop(statement, needed))
    return kept[::-1]


def _needed_loop(loop: Loop, needed: set[Atom]) -> Loop:
    """Keep the carries that are needed after the loop, or by other carries that are kept."""
    results: set[Any] = {carry.result for carry in loop.carries if carry.result in needed}
    carries = [carry for carry in loop.carries if carry.result in results]
    while True:
        inside = results | {carry.following for carry in carries}
        if loop.active is not None:
            inside.add(loop.active)
        body = needed_part(loop.body, inside)
        head = needed_part(loop.head, inside)
        found = [carry for carry in loop.carries if carry in carries or carry.inner in inside]
        if len(found) == len(carries):
            break
        carries = found
    needed.update(inside)
    needed.update(carry.initial for carry in carries)
    return replace(loop, carries=carries, head=head, body=body)


def text_of(program: Program) -> str:
    """Return the program as text, one statement per line with the dtype of its result.

    The programs of a family have one text.
    """
    lines = [
        f"{given.var} = {given.name}: {given.var.dtype}"
        + (f" (length of axis {given.axis})" if given.kind == "length" else "")
        for given in program.inputs
    ]
    lines += [f"{var} = coordinate {axis}" for axis, var in enumerate(program.coordinates)]
    family = program.family or Family(program.body, (program.result,))
    _write(family.body, lines, "")
    results = ", ".join(f"{result}: {result.dtype}" for result in family.results)
    return "\n".join([*lines, f"return {results}"])


def _write(body: Iterable[Any], lines: list[str], indent: str) -> None:
    for statement in body:
        if isinstance(statement, Step):
            given = ", ".join(map(repr, statement.operands))
            result = statement.result
            lines.append(f"{indent}{result} = {statement.op.name}({given}): {result.dtype}")
        elif isinstance(statement, Read):
            result, source = statement.result, statement.tensor.name
            lines.append(f"{indent}{result} = {source}[{statement.position}]: {result.dtype}")
        elif isinstance(statement, Branch):
            lines.append(f"{indent}if {statement.condition}:")
            _write(statement.body, lines, indent + "  ")
            for var, inner in statement.exports:
                lines.append(f"{indent}  {var} = {inner}: {var.dtype}")
        else:
            for carry in statement.carries:
                lines.append(f"{indent}{carry.inner} = {carry.initial}: {carry.inner.dtype}")
            limit = "" if statement.limit is None else f" at most {statement.limit} times"
            lines.append(f"{indent}repeat{limit}:")
            _write(statement.head, lines, indent + "  ")
            if statement.active is not None:
                lines.append(f"{indent}  while {statement.active}")
            _write(statement.body, lines, indent + "  ")
            for carry in statement.carries:
                lines.append(f"{indent}  {carry.inner} = {carry.following}")
            for carry in statement.carries:
                lines.append(f"{indent}{carry.result} = {carry.inner}")
