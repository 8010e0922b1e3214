"""Loops of one element, which leave as soon as the element is done.

Input: statements, and the values that differ between the elements of a fragment. Output: the same
statements, in which loops that elements leave at different times have exits. In a program a loop
goes on while conditions are true that it carries, and later statements are selected by them. For
one element an exit follows the first statement that decides such a condition; it computes what the
loop results in, and the statements after it are those of an element that stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..dtypes import bool_
from ..ops import OP_DEFS
from .program import AND, WHERE, Atom, Branch, Exit, Loop, Number, Read, Step, Var

NOT = OP_DEFS["logical_not"]
TRUE, FALSE = Number(True, bool_), Number(False, bool_)


def with_exits(body: Iterable[Any], differ: set[Any], alone: bool = False) -> list[Any]:
    """Give loops that elements leave at different times exits; all loops if one element runs."""
    found: list[Any] = []
    for statement in body:
        if isinstance(statement, Branch):
            inside = with_exits(statement.body, differ, alone)
            statement = replace(statement, body=inside)
        elif isinstance(statement, Loop):
            single = alone or statement.own in differ
            head, inside = (
                with_exits(part, differ, single) for part in (statement.head, statement.body)
            )
            statement = replace(statement, head=head, body=inside)
            if single:
                statement = replace(_Exits(statement, {}).loop(), alone=True)
        found.append(statement)
    return found


class _Exits:
    """The exits of a loop; `known` has what values are equal to at the current statement."""

    def __init__(self, loop: Loop, known: dict[Any, Atom]) -> None:
        self.given = loop
        self.steps: dict[Atom, Step] = dict(_steps([*loop.head, *loop.body]))
        self.known = known
        self.ends = False
        """True if every element leaves in the first iteration."""

    def loop(self) -> Loop:
        """Return the loop without the conditions that it carries, whose exits replace them."""
        loop = self.given
        conditions = self.leaving([loop.active] if loop.active else [])
        ends = [c for c in loop.carries if c.initial == TRUE and c.inner in conditions]
        self.known |= {carry.inner: TRUE for carry in ends}
        head = self.specialized(loop.head)
        active = self.active(loop)
        if active is not None:
            self.known[active] = TRUE
        body = self.specialized(loop.body, [carry.following for carry in ends])
        carries = [
            replace(carry, following=carry.inner if self.ends else self.value(carry.following))
            for carry in loop.carries
        ]
        return replace(loop, carries=carries, head=head, active=active, body=body)

    def active(self, loop: Loop) -> Atom | None:
        active = None if loop.active is None else self.value(loop.active)
        return None if active == TRUE else active

    def value(self, atom: Atom) -> Atom:
        while atom in self.known:
            atom = self.known[atom]
        return atom

    def specialized(self, body: Sequence[Any], goes: Sequence[Atom] = ()) -> list[Any]:
        """Return statements with known values, and exits after which all of `goes` are true."""
        found: list[Any] = []
        defined: set[Any] = set()
        pending = [*reversed(body)]
        while pending or goes:
            leaving = self.leaving(goes)
            ready = [atom for atom in leaving if not pending or atom in defined or atom == FALSE]
            if ready:
                atom = ready[0]
                found.append(self.exit(atom, leaving[atom], pending[::-1]))
                if atom == FALSE:
                    self.ends = True
                    break
                self.known[atom] = Number(not leaving[atom], bool_)
                continue
            if not pending:
                break
            statement = pending.pop()
            condition = self.value(statement.condition) if type(statement) is Branch else None
            if isinstance(condition, Number):
                for outer, inner in statement.exports:
                    self.known[outer] = inner if condition.value else Number(0, outer.dtype)
                pending += reversed(statement.body) if condition.value else ()
                continue
            statement = self.simplified(statement)
            if statement is not None:
                found.append(statement)
                defined.update(_defined(statement))
        return found

    def leaving(self, goes: Iterable[Atom]) -> dict[Atom, bool]:
        """Return the values of which one ends the loop, with the truth value for which it does."""
        found: dict[Atom, bool] = {}
        pending = [*goes]
        while pending:
            atom = self.value(pending.pop())
            step = self.steps.get(atom)
            if step is not None and step.op is AND:
                pending += step.operands
            elif step is not None and step.op is NOT:
                operand = self.value(step.operands[0])
                if isinstance(operand, Number):
                    pending.append(Number(not operand.value, bool_))
                else:
                    found[operand] = True
            elif atom != TRUE:
                found[atom] = False
        return found

    def exit(self, condition: Atom, ends: bool, rest: Sequence[Any]) -> Exit:
        """Return the exit of elements for which a condition is `ends`, before other statements."""
        inside = _Exits(self.given, dict(self.known))
        if isinstance(condition, Var):
            inside.known[condition] = Number(ends, bool_)
        body = inside.specialized(rest)
        exports = [(carry.result, inside.value(carry.following)) for carry in self.given.carries]
        return Exit(condition, body, exports, ends)

    def simplified(self, statement: Any) -> Any:
        """Return a statement with known operands, or None if its result is known."""
        value, specialized = self.value, self.specialized
        if isinstance(statement, Step):
            operands = tuple(map(value, statement.operands))
            result = _folded(statement, operands)
            if result is None:
                return replace(statement, operands=operands)
            self.known[statement.result] = result
            return None
        if isinstance(statement, Read):
            return replace(statement, position=value(statement.position))
        if isinstance(statement, Branch):
            condition, body = value(statement.condition), specialized(statement.body)
            exports = [(outer, value(inner)) for outer, inner in statement.exports]
            return replace(statement, condition=condition, body=body, exports=exports)
        initial = [value(carry.initial) for carry in statement.carries]
        head, body = specialized(statement.head), specialized(statement.body)
        carries = [
            replace(carry, initial=first, following=value(carry.following))
            for carry, first in zip(statement.carries, initial, strict=True)
        ]
        active = self.active(statement)
        return replace(statement, carries=carries, head=head, active=active, body=body)


def _folded(step: Step, operands: Sequence[Atom]) -> Atom | None:
    """Return the result of a choice whose condition is known, or None."""
    first = operands[0]
    if step.op is WHERE and isinstance(first, Number):
        return operands[1] if first.value else operands[2]
    if step.op is NOT and isinstance(first, Number):
        return Number(not first.value, bool_)
    if step.op is AND:
        for one, other in (operands, operands[::-1]):
            if isinstance(one, Number):
                return other if one.value else one
    return None


def _steps(body: Iterable[Any]) -> Iterator[tuple[Var, Step]]:
    for statement in body:
        if isinstance(statement, Step):
            yield statement.result, statement
        elif isinstance(statement, Branch):
            yield from _steps(statement.body)


def _defined(statement: Any) -> list[Var]:
    if isinstance(statement, Branch):
        return [outer for outer, _ in statement.exports]
    if isinstance(statement, Loop):
        return [carry.result for carry in statement.carries]
    return [statement.result]
