"""Compile and call a kernel that writes: programs in lock step, and the combination of writes.

Input: a `WritingProgram`, and the nodes of a call's arguments. Output: the tensors that the kernel
returns and writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ..dtypes import int32
from ..functions.creation import zeros
from ..functions.manipulation import broadcast_to
from ..ir.node import OpNode, node_of, scalar_node
from ..late import LateModule
from ..ops.op_def import Shape
from ..runtime.executor import backend
from ..tensor import Tensor, node_behind
from .combining import WrittenValues, atoms_of, outputs_after, shared_after, writes_in
from .lock_step import LockStepProgram, LoopAxis, SharedUpdate, lower
from .op_defs import IndexedKernel
from .program import (
    Atom,
    Family,
    Input,
    InputKind,
    Program,
    Var,
    WritingProgram,
    needed_part,
)

if TYPE_CHECKING:
    from . import native
else:
    # Only backends whose kernels write themselves need it.
    native = LateModule("kernels.native")

MakeOp = Callable[[Program], IndexedKernel]
"""Function that makes the op definition of a program."""


class _Values:
    """Operations that compute some values for each element of the index space and of loops."""

    def __init__(
        self,
        program: LockStepProgram,
        inputs: Sequence[Input],
        atoms: Iterable[Atom],
        axes: tuple[LoopAxis, ...],
        make: MakeOp,
    ) -> None:
        self.axes = axes
        wanted = [*dict.fromkeys(atom for atom in atoms if isinstance(atom, Var))]
        needed: set[Atom] = {*wanted}
        family = Family(needed_part(program.body, needed), tuple(wanted))
        rank = len(program.extents)
        extents = [*program.extents]
        for number, axis in enumerate(axes):
            # Its variable is not in the body.
            length = Var(int32, axis.number.number)
            extents.append(Input(InputKind.EXTENT, 0, rank + number, length, "trips"))
        coordinates = [*program.coordinates, *[axis.number for axis in axes]]
        self.inputs = [*extents, *[operand for operand in inputs if operand.var in needed]]
        self.ops: dict[Atom, IndexedKernel] = {}
        for atom in wanted:
            body = needed_part(family.body, {atom}) if len(wanted) > 1 else family.body
            several = family if len(wanted) > 1 else None
            self.ops[atom] = make(Program(self.inputs, coordinates, body, atom, several))

    def computed(self, call: _Call) -> dict[Atom, Tensor]:
        """Return the values in a call."""
        shape = (*call.shape, *[axis.trips for axis in self.axes])
        operands = tuple([call.node(operand, shape) for operand in self.inputs])
        return {atom: Tensor(node_of(op, operands, shape)) for atom, op in self.ops.items()}


class _Call:
    """Values of one call."""

    def __init__(self, name: str, nodes: Sequence[OpNode], shape: Shape) -> None:
        self.name = name
        self.nodes = nodes
        self.shape = shape
        self.stored: dict[Input, Tensor] = {}
        """Shared arrays, and values that a phase stored."""
        self.lengths: dict[Input, OpNode] = {}

    def node(self, operand: Input, shape: Shape) -> OpNode:
        """Return the node of an operand of values of a shape."""
        if operand in self.stored:
            return node_behind(self.name, self.stored[operand])
        if operand.kind in (InputKind.VALUE, InputKind.TENSOR):
            return self.nodes[operand.argument]
        if operand not in self.lengths:
            is_extent = operand.kind is InputKind.EXTENT
            lengths = shape if is_extent else self.nodes[operand.argument].spec.shape
            self.lengths[operand] = scalar_node(lengths[operand.axis], int32)
        return self.lengths[operand]


class _Phase:
    """Values that a phase computes for later phases and for the write at its end."""

    def __init__(self, stored: Mapping[Var, Input], values: _Values | None) -> None:
        self.stored = stored
        self.values = values
        self.update: SharedUpdate | None = None
        self.of_update: _Values | None = None

    def run(self, call: _Call, workgroup: Shape) -> None:
        """Compute the values, and change the shared array."""
        if self.values is not None:
            computed = self.values.computed(call)
            call.stored |= {stored: computed[value] for value, stored in self.stored.items()}
        if self.update is not None and self.of_update is not None:
            update = self.update
            before = None if update.before is None else call.stored[update.before]
            values = WrittenValues(call.shape, {(): self.of_update.computed(call)})
            call.stored[update.after] = shared_after(before, update.write, workgroup, values)


class WritingKernel:
    """A kernel that writes, compiled for dtypes and ranks of its arguments."""

    def __init__(self, name: str, program: WritingProgram, make: MakeOp, listing: str) -> None:
        self.name = name
        self.listing = listing
        self.program = program
        self.outputs = [output.argument for output in program.outputs]
        """Positions of the arguments that the kernel writes."""
        lowered = self.lowered = lower(program)
        inputs = [i for i in program.inputs if i.kind is not InputKind.EXTENT]
        inputs += [update.after for update in lowered.updates]
        inputs += [stored for _, _, stored in lowered.stored]

        def values(atoms: Iterable[Atom], axes: tuple[LoopAxis, ...] = ()) -> _Values:
            return _Values(lowered, inputs, atoms, axes, make)

        by_axes: dict[tuple[LoopAxis, ...], list[Atom]] = {(): [*lowered.results]}
        for write in writes_in(lowered.writes):
            by_axes.setdefault(write.axes, []).extend(atoms_of(write))
        self.last = {axes: values(atoms, axes) for axes, atoms in by_axes.items()}
        """Values of the last phase, by the loops of which they have axes."""
        self.phases: list[_Phase] = []
        used = {operand for part in self.last.values() for operand in part.inputs}
        for number in reversed(range(len(lowered.updates) + 1)):
            stored = {
                value: operand
                for phase, value, operand in lowered.stored
                if phase == number and operand in used
            }
            phase = _Phase(stored, values(stored) if stored else None)
            used.update(phase.values.inputs if phase.values is not None else ())
            update = lowered.updates[number] if number < len(lowered.updates) else None
            if update is not None and update.after in used:
                phase.update, phase.of_update = update, values(atoms_of(update.write))
                used.update(phase.of_update.inputs)
                used.update(() if update.before is None else (update.before,))
            self.phases.insert(0, phase)

    @cached_property
    def as_written(self) -> native.NativeKernel | None:
        """The kernel as operations that write themselves, if results are the same in every run."""
        return native.native_kernel(self.name, self.program, self.listing)

    def chosen(self, starts: Sequence[Tensor]) -> native.NativeKernel | None:
        """Return the operations that write themselves, if the backend has them."""
        if not backend().runs_writes or any(start.size == 0 for start in starts):
            return None
        return self.as_written

    def __call__(self, nodes: Sequence[OpNode], shape: Shape) -> list[Tensor]:
        """Return what the function returns and writes, for an index space of a shape."""
        starts = [Tensor(nodes[output.argument]) for output in self.program.outputs]
        native = self.chosen(starts) if shape and 0 not in shape else None
        if native is not None:
            return native(nodes, shape)
        if 0 in shape:
            return [*[zeros(shape, dtype=x.dtype) for x in self.program.results], *starts]
        call = _Call(self.name, nodes, shape)
        for phase in self.phases:
            phase.run(call, self.program.workgroup)
        computed = {axes: part.computed(call) for axes, part in self.last.items()}
        values = WrittenValues(shape, computed)
        results = [broadcast_to(values.of(x, ()), shape) for x in self.lowered.results]
        by_output = dict(zip(self.program.outputs, starts, strict=True))
        return [*results, *outputs_after(by_output, self.lowered.writes, values)]
