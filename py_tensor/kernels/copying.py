"""Copy the statements of a program into another one, with known values and without effects.

Input: statements, and atoms of the new program for the values that they use. Output: statements of
a `Builder`. Conditions that are known choose a branch, and operations on constants are computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..dtypes import bool_, int32
from ..ops.elementwise import CAST
from ..runtime.evaluators import cast
from .builder import Builder, Mismatch, Truth, on_numbers, typed
from .program import (
    AND,
    NOT,
    WHERE,
    Atom,
    Branch,
    Carry,
    Input,
    Number,
    Read,
    ReadColumn,
    Repeat,
    SharedRead,
    Statement,
    Step,
    Var,
)


class ProgramCopy:
    """A copy of statements; subclasses know the statements that only a `WritingProgram` has."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.values: dict[Atom, Atom] = {}
        """Atom of the new program for each variable of the old one; inputs stand for themselves."""

    def atom(self, atom: Atom) -> Atom:
        """Return the value of an atom of the old program."""
        return self.current(self.values.get(atom, atom))

    def current(self, atom: Atom) -> Atom:
        """Return the atom that now has a value of the new program."""
        return atom

    def truth(self, atom: Atom) -> Truth:
        value = self.current(atom)
        return bool(value.value) if isinstance(value, Number) else value

    def copy(self, body: Sequence[Statement]) -> None:
        """Append statements without their effects."""
        for statement in body:
            self.copy_statement(statement)

    def copy_statement(self, statement: Statement) -> None:
        match statement:
            case Step():
                operands = tuple([self.atom(operand) for operand in statement.operands])
                self.values[statement.result] = self.step(statement, operands)
            case Read():
                position, column = self.atom(statement.position), self.column(statement.column)
                self.values[statement.result] = self.read(statement.tensor, position, column)
            case SharedRead():
                self.values[statement.result] = self.read_shared(statement)
            case Branch():
                self.copy_branch(statement)
            case Repeat():
                self.repeat(statement)

    def step(self, step: Step, operands: tuple[Atom, ...]) -> Atom:
        """Append an operation, unless its result is known."""
        build, dtype = self.builder, step.result.dtype
        if step.op is WHERE:
            condition = self.truth(operands[0])
            return typed(build.select(condition, *operands[1:]), dtype)
        if step.op is AND:
            return typed(build.both(*map(self.truth, operands)), bool_)
        if step.op is NOT:
            return typed(build.inverse(self.truth(operands[0])), bool_)
        known = _known(step, [operand for operand in operands if isinstance(operand, Number)])
        return build.step(step.op, operands, dtype) if known is None else known

    def column(self, column: ReadColumn | None) -> ReadColumn | None:
        if column is None:
            return None
        row, index = self.atom(column.row), self.atom(column.index)
        return replace(column, row=row, index=index) if isinstance(index, Var) else None

    def read(self, tensor: Input, position: Atom, column: ReadColumn | None) -> Var:
        return self.builder.read_at(tensor, position, tensor.var.dtype, column)

    def read_shared(self, read: SharedRead) -> Atom:
        raise NotImplementedError

    def copy_branch(self, branch: Branch) -> None:
        condition = self.truth(self.atom(branch.condition))
        if condition is False:
            for outer, _ in branch.exports:
                self.values[outer] = Number(0, outer.dtype)
            return
        if condition is True:
            self.copy(branch.body)
            for outer, inner in branch.exports:
                self.values[outer] = self.atom(inner)
            return
        with self.builder.block() as body:
            self.copy(branch.body)
            inside = [(outer, self.atom(inner)) for outer, inner in branch.exports]
        exports: list[tuple[Var, Atom]] = []
        for outer, atom in inside:
            new = self.values[outer] = self.builder.var(outer.dtype)
            exports.append((new, atom))
        self.builder.add(Branch(condition, body, exports))

    def repeat(self, loop: Repeat, before: Var | None = None) -> None:
        """Append a loop without its effects; only the iterations before a number, if it is given.

        Its carries get their values after the loop.
        """
        build = self.builder
        initial = [self.atom(carry.initial) for carry in loop.carries]
        inner = [build.var(carry.inner.dtype) for carry in loop.carries]
        self.values |= zip([carry.inner for carry in loop.carries], inner, strict=True)
        carries: list[Carry] = []
        count = build.var(int32)
        with build.block() as head:
            self.copy(loop.head)
            own, active = (
                True if part is None else self.truth(self.atom(part))
                for part in (loop.own, loop.active)
            )
            if before is not None:
                is_before = build.truth(build.apply("less", count, before))
                own = build.both(own, is_before)
                # So `own` is needed, by which shaders choose how they run the loop.
                active = build.both(active, own)
            with build.block() as body:
                self.copy(loop.body)
                following = [self.atom(carry.following) for carry in loop.carries]
                if before is not None:
                    more = build.apply("add", count, 1)
        if before is not None:
            carries.append(Carry(count, Number(0, int32), typed(more, int32), build.var(int32)))
        for carry, first, variable, after in zip(
            loop.carries, initial, inner, following, strict=True
        ):
            result = self.values[carry.result] = build.var(carry.result.dtype)
            carries.append(Carry(variable, first, after, result))
        trips = loop.trips if before is None else None
        goes_on, own_condition = [None if c is True else typed(c, bool_) for c in (active, own)]
        build.add(Repeat(carries, head, goes_on, own_condition, body, loop.limit, trips))


def _known(step: Step, operands: Sequence[Number]) -> Number | None:
    """Return the result of an operation on constants if it is exact, else None."""
    dtype = step.result.dtype
    if len(operands) < len(step.operands) or dtype.kind == "f":
        return None
    numbers = [operand.value for operand in operands]
    if step.op is CAST:
        return Number(cast(numbers, dtype)[0], dtype)
    value = on_numbers(step.op, numbers)
    try:
        result = None if value is None else typed(value, dtype)
    except Mismatch:
        # The device wraps it.
        return None
    assert not isinstance(result, Var)
    return result
