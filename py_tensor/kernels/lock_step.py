"""Lower the program of a kernel that writes to programs without writes, which any device runs.

Input: a `WritingProgram`. Output: a `LockStepProgram`: a body without effects, of which each
write takes a position and a value for each element, and an order of phases.

All elements run in lock step. A shared array becomes a tensor, one row for each group, and each
write of it makes a new one, which later reads use. Loops that contain such writes are unrolled. A
value that depends on an earlier tensor is stored, so that no phase reads many of them. Other loops
with writes get an axis of their own: the body is run for an iteration whose number is a coordinate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..dtypes import bool_, int32
from .builder import Builder, Operand, Truth, typed
from .copying import ProgramCopy
from .program import (
    Atom,
    Barrier,
    Branch,
    Input,
    InputKind,
    Number,
    Read,
    ReadColumn,
    Repeat,
    SharedArray,
    SharedRead,
    Statement,
    Step,
    Var,
    Write,
    WritingProgram,
    has_effects,
    op,
    statements_in,
    varying,
)

ADD = op("add")
MOST_UNROLLED = 1024
"""Number of iterations up to which loops are unrolled."""


@dataclass(frozen=True, eq=False)
class LoopAxis:
    """Axis of the iterations of a loop; `number` is the coordinate along it."""

    number: Var
    trips: int


@dataclass(frozen=True, eq=False)
class ElementWrite:
    """A write of an array, for each element of the index space and of the loops `axes`.

    `position` is -1 for elements that do not write. `applies` is False for elements that do not
    reach the statement. `own` is True if each element writes at its own indices: its indices in the
    index space, or, for a shared array, its indices in the group.
    """

    array: Input | SharedArray
    axes: tuple[LoopAxis, ...]
    indices: tuple[Atom, ...]
    position: Atom
    value: Atom
    applies: Atom
    adds: bool
    own: bool


@dataclass(frozen=True, eq=False)
class WriteLoop:
    """Writes of a loop, in the order of the statements in its body."""

    axis: LoopAxis
    writes: list[ElementWrite | WriteLoop]


WriteOrder = list[ElementWrite | WriteLoop]
"""Writes in the order in which an element runs them."""


@dataclass(frozen=True, eq=False)
class SharedUpdate:
    """A write of a shared array, which is tensor `before` before it and `after` after it."""

    write: ElementWrite
    before: Input | None
    after: Input


@dataclass
class LockStepProgram:
    """A program without writes. Phase k ends with the update k of a shared array.

    `stored` are values that a phase stores for later ones, which read them from the input.
    """

    body: list[Statement]
    coordinates: list[Var]
    extents: list[Input]
    results: tuple[Atom, ...] = ()
    writes: WriteOrder = field(default_factory=list)
    updates: list[SharedUpdate] = field(default_factory=list)
    stored: list[tuple[int, Var, Input]] = field(default_factory=list)
    """Phase, value, and the input from which later phases read it."""


def lower(program: WritingProgram) -> LockStepProgram:
    """Return the program without writes."""
    return _Lowering(program).lowered()


class _Lowering(ProgramCopy):
    """One run of a program in lock step."""

    def __init__(self, program: WritingProgram) -> None:
        known = [*program.coordinates, *[operand.var for operand in program.inputs]]
        known += [s.result for s in statements_in(program.body) if isinstance(s, Step)]
        super().__init__(Builder(max(var.number for var in known)))
        self.program = program
        extents = [operand for operand in program.inputs if operand.kind is InputKind.EXTENT]
        body = self.builder.blocks[0]
        self.result = LockStepProgram(body, program.coordinates, extents)
        self.versions: dict[SharedArray, Input] = {}
        self.phases: dict[Var, int] = {}
        """Phase of each value that depends on a shared array."""
        self.shared: set[Atom] = set()
        """Values that depend on a shared array, or are results of loops."""
        self.kept: dict[Var, Input] = {}
        """Inputs by which later phases read stored values."""
        self.axes: tuple[LoopAxis, ...] = ()
        self.writes = self.result.writes
        self.noted = 0
        self.unrolled = 0

    def lowered(self) -> LockStepProgram:
        self.run(self.program.body, True)
        self.result.results = tuple([self.atom(atom) for atom in self.program.results])
        return self.result

    # --- atoms ----------------------------------------------------------------------------------

    def current(self, atom: Atom) -> Atom:
        """Return a value of the new program; one that an earlier phase stored is read."""
        phase = self.phases.get(atom) if isinstance(atom, Var) else None
        if phase is None or phase == len(self.result.updates):
            return atom
        assert isinstance(atom, Var)
        stored = self.kept.get(atom)
        if stored is None:
            stored = self.kept[atom] = self.new_input(atom, f"value {atom}")
            self.result.stored.append((phase, atom, stored))
        return self.read(stored, self.own_position(), None)

    def new_input(self, like: Var | SharedArray, name: str) -> Input:
        return Input(InputKind.TENSOR, -1, 0, self.builder.var(like.dtype), name)

    def own_position(self) -> Atom:
        """Return the row-major position of the element in the index space."""
        position: Operand = 0
        pairs = zip(self.program.coordinates, self.result.extents, strict=True)
        for axis, (coordinate, extent) in enumerate(pairs):
            start = self.builder.apply("multiply", position, extent.var) if axis else 0
            position = self.builder.apply("add", start, coordinate) if axis else coordinate
        return typed(position, int32)

    def group(self) -> Operand:
        """Return the number of the element's group."""
        build = self.builder
        axes = zip(
            self.program.coordinates, self.result.extents, self.program.workgroup, strict=True
        )
        result: Operand = 0
        for axis, (coordinate, extent, length) in enumerate(axes):
            groups = build.apply("floor_divide", build.apply("add", extent.var, length - 1), length)
            own = build.apply("floor_divide", coordinate, length)
            first = build.apply("multiply", result, groups) if axis else 0
            result = build.apply("add", first, own) if axis else own
        return result

    def in_groups(self, array: SharedArray, position: Atom) -> Atom:
        """Return the position in the tensor of all groups of a position in a shared array."""
        start = self.builder.apply("multiply", self.group(), array.size)
        return typed(self.builder.apply("add", start, position), int32)

    # --- statements -----------------------------------------------------------------------------

    def run(self, body: Sequence[Statement], mask: Truth) -> None:
        """Run statements with their effects for the elements of a mask."""
        for statement in body:
            match statement:
                case Branch() if has_effects(statement.body):
                    self.masked_branch(statement, mask)
                case Repeat() if has_effects([*statement.head, *statement.body]):
                    self.loop(statement, mask)
                case Write():
                    self.write(statement, mask)
                case Barrier():
                    if self.masked(mask) is not True:
                        raise statement.site.error(
                            "a branch or loop is around the barrier whose condition is not "
                            "constant",
                            "call pt.barrier() outside of it",
                        )
                case _:
                    self.copy_statement(statement)
            self.note_phases()

    def masked_branch(self, branch: Branch, mask: Truth) -> None:
        """Run a branch for all elements. Only elements that take it write or assign."""
        condition = self.truth(self.atom(branch.condition))
        if condition is False:
            self.copy_branch(branch)
            return
        self.run(branch.body, self.both(mask, condition))
        for outer, inner in branch.exports:
            self.values[outer] = self.atom(inner)

    def note_phases(self) -> None:
        """Note the phase of new statements that depend on shared arrays, or have loops."""
        body = self.result.body
        new, self.noted = body[self.noted :], len(body)
        if not self.program.shared:
            return
        varying(new, self.shared)
        for statement in new:
            if isinstance(statement, Repeat):
                self.shared.update(carry.result for carry in statement.carries)
        phase = len(self.result.updates)
        for result in _results(new):
            if result in self.shared:
                self.phases[result] = phase

    def masked(self, mask: Truth) -> Truth:
        return mask if isinstance(mask, bool) else self.truth(mask)

    def read(self, tensor: Input, position: Atom, column: ReadColumn | None) -> Var:
        result = super().read(tensor, position, column)
        if tensor.argument < 0:
            self.shared.add(result)
            self.phases[result] = len(self.result.updates)
        return result

    def read_shared(self, read: SharedRead) -> Atom:
        version = self.versions.get(read.array)
        if version is None:
            return typed(0, read.array.dtype)
        return self.read(version, self.in_groups(read.array, self.atom(read.position)), None)

    def both(self, mask: Truth, condition: Truth) -> Truth:
        return self.builder.both(self.masked(mask), self.masked(condition))

    # --- loops ----------------------------------------------------------------------------------

    def loop(self, loop: Repeat, mask: Truth) -> None:
        """Run a loop with effects."""
        inside = statements_in([*loop.head, *loop.body])
        if loop.trips is None or any(
            isinstance(part, Barrier)
            or (isinstance(part, Write) and isinstance(part.array, SharedArray))
            for part in inside
        ):
            self.unroll(loop, mask)
        else:
            self.along_axis(loop, loop.trips)
            self.repeat(loop)

    def unroll(self, loop: Repeat, mask: Truth) -> None:
        """Run the iterations of a loop one after the other. Their number must be constant."""
        carried = [self.atom(carry.initial) for carry in loop.carries]
        trip = 0
        while loop.limit is None or trip < loop.limit:
            self.values |= zip([carry.inner for carry in loop.carries], carried, strict=True)
            self.run(loop.head, mask)
            active = mask if loop.active is None else self.truth(self.atom(loop.active))
            own = True if loop.own is None else self.truth(self.atom(loop.own))
            if own is False or active is False:
                break
            self.unrolled += 1
            if (loop.trips is None and own is not True) or self.unrolled > MOST_UNROLLED:
                raise self.too_long(loop)
            self.run(loop.body, active)
            following = [self.atom(carry.following) for carry in loop.carries]
            chosen = self.masked(active)
            before = [self.current(atom) for atom in carried]
            carried = [
                typed(self.builder.select(chosen, new, old), new.dtype)
                for new, old in zip(following, before, strict=True)
            ]
            trip += 1
        self.values |= zip([carry.result for carry in loop.carries], carried, strict=True)

    def too_long(self, loop: Repeat) -> Exception:
        sites = [s for s in statements_in(loop.body) if isinstance(s, Write | Barrier)]
        if self.unrolled > MOST_UNROLLED:
            problem = f"loops around it have more than {MOST_UNROLLED} iterations"
            return sites[0].site.error(problem, "split the work into several calls")
        return sites[0].site.error(
            "a loop around it has a number of iterations that is not constant",
            "loop over range(...) of constants, with an if in the body",
        )

    def along_axis(self, loop: Repeat, trips: int) -> None:
        """Run the body for the iteration whose number is the coordinate along a new axis."""
        build = self.builder
        axis = LoopAxis(build.var(int32), trips)
        counters = {s.result: s for s in loop.body if isinstance(s, Step)}
        known: dict[Var, Atom] = {}
        for carry in loop.carries:
            step = counters.get(carry.following) if isinstance(carry.following, Var) else None
            if step is not None and step.op is ADD and carry.inner.dtype is int32:
                first, second = step.operands
                if first is carry.inner and isinstance(second, Number):
                    moved = build.apply("multiply", axis.number, int(second.value))
                    start = self.atom(carry.initial)
                    known[carry.inner] = typed(build.apply("add", start, moved), int32)
        if any(carry.inner not in known for carry in loop.carries):
            self.repeat(loop, axis.number)
        for carry in loop.carries:
            self.values[carry.inner] = known.get(carry.inner) or self.values[carry.result]
        outer, writes = self.axes, self.writes
        self.axes, self.writes = (*outer, axis), []
        writes.append(WriteLoop(axis, self.writes))
        self.run(loop.head, True)
        active = True if loop.active is None else self.truth(self.atom(loop.active))
        self.run(loop.body, active)
        self.axes, self.writes = outer, writes

    # --- writes ---------------------------------------------------------------------------------

    def write(self, write: Write, mask: Truth) -> None:
        build, array = self.builder, write.array
        applies = self.masked(mask)
        if applies is False:
            return
        position, value = self.atom(write.position), self.atom(write.value)
        indices = tuple([self.atom(index) for index in write.indices])
        shared = isinstance(array, SharedArray)
        if isinstance(array, SharedArray):
            local = tuple([self.atom(atom) for atom in self.program.local])
            own = indices == local and array.shape == self.program.workgroup
            is_inside = build.truth(build.apply("greater_equal", position, 0))
            position = self.in_groups(array, position)
            position = typed(build.select(is_inside, position, -1), int32)
        else:
            own = indices == tuple(self.program.coordinates) and not self.axes
        position = typed(build.select(applies, position, -1), int32)
        done = ElementWrite(
            array, self.axes, indices, position, value, typed(applies, bool_), write.adds, own
        )
        if not shared:
            self.writes.append(done)
            return
        assert isinstance(array, SharedArray)
        self.note_phases()
        after = self.new_input(array, f"{array}")
        self.result.updates.append(SharedUpdate(done, self.versions.get(array), after))
        self.versions[array] = after


def _results(body: Sequence[Statement]) -> list[Var]:
    """Return the values that statements define for those after them."""
    results: list[Var] = []
    for statement in body:
        if isinstance(statement, Step | Read):
            results.append(statement.result)
        elif isinstance(statement, Branch):
            results += [outer for outer, _ in statement.exports]
        elif isinstance(statement, Repeat):
            results += [carry.result for carry in statement.carries]
    return results
