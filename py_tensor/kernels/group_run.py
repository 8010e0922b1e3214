"""Run the statements of a group's elements with the values that are known without the arguments.

Input: a `WritingProgram` with shared arrays. Output: the shared arrays of which several elements
may change one element between two barriers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..dtypes import bool_
from ..ops.index_map import row_major
from ..runtime.evaluators import HostValues
from .execution import ListAlgebra
from .program import (
    Atom,
    Barrier,
    Branch,
    Number,
    Repeat,
    SharedArray,
    Statement,
    Step,
    Write,
    WritingProgram,
    has_effects,
)

MOST_VALUES = 1 << 20
"""Values that a run computes at most."""
Known = HostValues | None
"""Value of each element of a group; None if it depends on the arguments or on the group."""


class _TooLong(Exception):
    """The run has too many steps, or no end."""


class _Phase:
    """Changes of a shared array since the last barrier."""

    def __init__(self) -> None:
        self.owners: dict[int, int] = {}
        """Element that changed each position."""
        self.races = False
        self.only_adds = True


def shared_additions(program: WritingProgram) -> set[SharedArray] | None:
    """Return the shared arrays whose elements several elements of a group may change at once.

    None is returned if such changes may be others than additions of integers.
    """
    run = _GroupRun(program)
    try:
        run.run(program.body, None)
    except _TooLong:
        return None
    run.end_phase()
    return None if run.fails else run.atomic


class _GroupRun:
    """A run of the elements of a group. An unknown mask stands for all elements."""

    def __init__(self, program: WritingProgram) -> None:
        self.size = math.prod(program.workgroup)
        self.algebra = ListAlgebra(self.size)
        self.left = MOST_VALUES
        self.values: dict[Atom, Known] = {}
        for atom, length, step in zip(
            program.local, program.workgroup, row_major(program.workgroup), strict=True
        ):
            self.values[atom] = [number // step % length for number in range(self.size)]
        self.local = {*program.local}
        self.phases: dict[SharedArray, _Phase] = {}
        self.atomic: set[SharedArray] = set()
        self.fails = False

    def atom(self, atom: Atom) -> Known:
        if isinstance(atom, Number):
            return self.algebra.number(atom.value, atom.dtype)
        return self.values.get(atom)

    def run(self, body: Sequence[Statement], mask: Known) -> None:
        for statement in body:
            if isinstance(statement, Step):
                self.step(statement)
            elif isinstance(statement, Branch):
                self.run(statement.body, self.both(mask, self.atom(statement.condition)))
                self.values |= {outer: self.atom(inner) for outer, inner in statement.exports}
            elif isinstance(statement, Repeat):
                self.loop(statement, mask)
            elif isinstance(statement, Write):
                if isinstance(statement.array, SharedArray):
                    self.change(statement, statement.array, mask)
            elif isinstance(statement, Barrier):
                self.end_phase()

    def step(self, step: Step) -> None:
        if step.result in self.local:
            return
        self.left -= self.size
        if self.left < 0:
            raise _TooLong
        operands = [self.atom(operand) for operand in step.operands]
        known = [operand for operand in operands if operand is not None]
        self.values[step.result] = None
        if len(known) == len(operands):
            dtype = step.result.dtype
            self.values[step.result] = self.algebra.step(step.op, known, dtype)

    def both(self, mask: Known, condition: Known) -> Known:
        """Return the elements of a mask for which a condition may be true."""
        if mask is None or condition is None:
            return condition if mask is None else mask
        return [a and b for a, b in zip(mask, condition, strict=True)]

    def loop(self, loop: Repeat, mask: Known) -> None:
        """Run the iterations of a loop; values of loops without effects stay unknown."""
        if not has_effects([*loop.head, *loop.body]):
            self.values |= dict.fromkeys([carry.result for carry in loop.carries])
            return
        carried = [self.atom(carry.initial) for carry in loop.carries]
        count = 0
        while loop.limit is None or count < loop.limit:
            self.values |= zip([carry.inner for carry in loop.carries], carried, strict=True)
            self.run(loop.head, mask)
            active = self.algebra.number(True, bool_) if loop.active is None else None
            if loop.active is not None:
                active = self.atom(loop.active)
            if active is not None and not any(active):
                break
            if active is None and loop.trips is None:
                raise _TooLong
            self.left -= self.size
            self.run(loop.body, self.both(mask, active))
            following = [self.atom(carry.following) for carry in loop.carries]
            carried = [
                _chosen(active, new, old) for new, old in zip(following, carried, strict=True)
            ]
            count += 1
        self.values |= zip([carry.result for carry in loop.carries], carried, strict=True)

    def change(self, write: Write, array: SharedArray, mask: Known) -> None:
        """Note the elements that change each position."""
        phase = self.phases.setdefault(array, _Phase())
        phase.only_adds &= write.adds and array.dtype.kind in "iu"
        positions = self.atom(write.position)
        if positions is None:
            phase.races = True
            return
        for number, position in enumerate(positions):
            if position >= 0 and (mask is None or mask[number]):
                phase.races |= phase.owners.setdefault(int(position), number) != number

    def end_phase(self) -> None:
        for array, phase in self.phases.items():
            if phase.races:
                self.atomic.add(array)
                self.fails |= not phase.only_adds
        self.phases = {}


def _chosen(condition: Known, new: Known, old: Known) -> Known:
    """Return the values of a loop's carry after an iteration."""
    if condition is None or new is None or old is None:
        return new if condition is not None and all(condition) else None
    return [a if c else b for c, a, b in zip(condition, new, old, strict=True)]
