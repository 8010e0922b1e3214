"""Exits of loops that shaders run for one element at a time.

Input: statements, and the values that differ between the elements of a fragment. Output: the same
statements, with exits in the loops that elements leave at different times.

A loop of a program runs while conditions that it carries are true, and selects its results by them.
When a shader runs it for one element, it can leave as soon as one of these conditions is known.
Therefore an `Exit` is inserted after the first statement that decides such a condition. The exit
computes the results of the loop. In the statements after it, the condition is a constant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ..dtypes import bool_
from .program import (
    AND,
    NOT,
    WHERE,
    Atom,
    Branch,
    Exit,
    FunctionCall,
    Number,
    Read,
    Repeat,
    Statement,
    Step,
    Var,
)

TRUE, FALSE = Number(True, bool_), Number(False, bool_)


def with_exits(
    body: Iterable[Statement], differ: set[Atom], alone: bool = False
) -> list[Statement]:
    """Insert exits into loops that elements leave at different times.

    If `alone` is True, the statements run for one element, and all loops have exits.
    """
    statements: list[Statement] = []
    for statement in body:
        if isinstance(statement, Branch):
            inside = with_exits(statement.body, differ, alone)
            statement = replace(statement, body=inside)
        elif isinstance(statement, Repeat):
            single = alone or statement.own in differ
            head, inside = (
                with_exits(part, differ, single) for part in (statement.head, statement.body)
            )
            statement = replace(statement, head=head, body=inside)
            if single:
                statement = replace(_Exits(statement, {}).loop(), alone=True)
        statements.append(statement)
    return statements


class _Exits:
    """Insertion of exits into a loop; `known` maps values to what they equal at this point."""

    def __init__(self, loop: Repeat, known: dict[Atom, Atom]) -> None:
        self.original = loop
        self.steps: dict[Atom, Step] = dict(_steps([*loop.head, *loop.body]))
        self.known = known
        self.ends = False
        """True if every element leaves in the first iteration."""

    def loop(self) -> Repeat:
        """Return the loop with exits instead of the conditions that it carries."""
        loop = self.original
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

    def active(self, loop: Repeat) -> Atom | None:
        active = None if loop.active is None else self.value(loop.active)
        return None if active == TRUE else active

    def value(self, atom: Atom) -> Atom:
        while atom in self.known:
            atom = self.known[atom]
        return atom

    def specialized(
        self, body: Sequence[Statement], conditions: Sequence[Atom] = ()
    ) -> list[Statement]:
        """Replace known values in statements; insert exits that make all conditions true."""
        statements: list[Statement] = []
        defined: set[Atom] = set()
        pending = [*reversed(body)]
        while pending or conditions:
            leaving = self.leaving(conditions)
            ready = [atom for atom in leaving if not pending or atom in defined or atom == FALSE]
            if ready:
                atom = ready[0]
                statements.append(self.exit(atom, leaving[atom], pending[::-1]))
                if atom == FALSE:
                    self.ends = True
                    break
                self.known[atom] = Number(not leaving[atom], bool_)
                continue
            if not pending:
                break
            statement = pending.pop()
            if type(statement) is Branch:
                condition = self.value(statement.condition)
                if isinstance(condition, Number):
                    for outer, inner in statement.exports:
                        self.known[outer] = inner if condition.value else Number(0, outer.dtype)
                    pending += reversed(statement.body) if condition.value else ()
                    continue
            simplified = self.simplified(statement)
            if simplified is not None:
                statements.append(simplified)
                defined.update(_defined(simplified))
        return statements

    def leaving(self, conditions: Iterable[Atom]) -> dict[Atom, bool]:
        """Return the values that end the loop, each with the truth value that ends it."""
        ends: dict[Atom, bool] = {}
        pending = [*conditions]
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
                    ends[operand] = True
            elif atom != TRUE:
                ends[atom] = False
        return ends

    def exit(self, condition: Atom, ends: bool, rest: Sequence[Statement]) -> Exit:
        """Return the exit of elements whose condition equals `ends`.

        It contains the remaining statements of the iteration, because the results depend on them.
        """
        inside = _Exits(self.original, dict(self.known))
        if isinstance(condition, Var):
            inside.known[condition] = Number(ends, bool_)
        body = inside.specialized(rest)
        exports = [(carry.result, inside.value(carry.following)) for carry in self.original.carries]
        return Exit(condition, body, exports, ends)

    def simplified(self, statement: Statement) -> Statement | None:
        """Return a statement with known operands replaced, or None if its result is known."""
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
        if isinstance(statement, FunctionCall):
            return replace(statement, operands=tuple(map(value, statement.operands)))
        if isinstance(statement, Branch):
            condition, body = value(statement.condition), specialized(statement.body)
            exports = [(outer, value(inner)) for outer, inner in statement.exports]
            return replace(statement, condition=condition, body=body, exports=exports)
        assert isinstance(statement, Repeat)
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


def _steps(body: Iterable[Statement]) -> Iterator[tuple[Var, Step]]:
    for statement in body:
        if isinstance(statement, Step):
            yield statement.result, statement
        elif isinstance(statement, Branch):
            yield from _steps(statement.body)


def _defined(statement: Statement) -> list[Var]:
    if isinstance(statement, Branch):
        return [outer for outer, _ in statement.exports]
    if isinstance(statement, Repeat):
        return [carry.result for carry in statement.carries]
    if isinstance(statement, FunctionCall):
        return [*statement.results]
    assert isinstance(statement, Step | Read)
    return [statement.result]
