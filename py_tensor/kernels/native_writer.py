"""Write a kernel that writes as one compute shader, whose invocations run one element each.

Input: a `WritingProgram`, and the arrays that need atomic operations. Output: the statements of the
shader.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

from ..compiler.codegen.types import KIND, converted
from ..compiler.workgroups.workgroup_writer import (
    INVOCATIONS,
    ROW,
    SharedElements,
    WorkgroupWriter,
)
from ..dtypes import DType, bool_, uint32
from ..language.tree import Value, Whole
from ..ops.op_def import Shape
from .program import (
    Atom,
    Barrier,
    Branch,
    Input,
    InputKind,
    Number,
    Repeat,
    SharedArray,
    SharedRead,
    Statement,
    Step,
    Var,
    Write,
    WritingProgram,
    has_effects,
    needed_part,
    statements_in,
)
from .program_writer import ProgramWriter

Written = Input | SharedArray


def write_program(
    writer: WorkgroupWriter, program: WritingProgram, atomic: Collection[Written]
) -> None:
    """Write the statements of a program for the results that a kernel stores."""
    values: dict[Var, Value] = {}
    nodes, code = writer.nodes, writer.code
    for src, operand in zip(nodes.edges[writer.kernel.root], program.inputs, strict=True):
        if operand.kind is not InputKind.TENSOR:
            value = writer.value(src, writer.only)
            value = converted(code, value, nodes.spec(src).dtype, operand.var.dtype)
            values[operand.var] = code.let(value)
    native = NativeWriter(writer, program, values, atomic)
    with code.printed_by(code.printer.of_one):
        native.write_all()


def stored_dtype(dtype: DType) -> DType:
    """Return the dtype in which elements of a dtype of kernels are stored one by one."""
    return uint32 if dtype is bool_ else dtype


class NativeWriter(ProgramWriter):
    """Writer of the statements of a program with writes, for one element."""

    writer: WorkgroupWriter
    program: WritingProgram

    def __init__(
        self,
        writer: WorkgroupWriter,
        program: WritingProgram,
        values: dict[Var, Value],
        atomic: Collection[Written],
    ) -> None:
        nodes, kernel = writer.nodes, writer.kernel
        super().__init__(writer, kernel.root, writer.only, values, program)
        self.lane = 0
        self.space: Shape = nodes.calls[kernel.root].arg.space
        self.inside: Value | None = None
        """Condition for elements in the index space; None if all are, or others have ended."""
        self.own: Value | None = None
        """Position of the element in the index space."""
        self.known: set[Atom] = set()
        """Results of steps whose values are known otherwise."""
        self.arrays: dict[Written, SharedElements] = {}
        self.results: dict[int, Atom] = {}
        """Returned values, by the number of the output that stores them."""
        written: set[Written] = {*program.shared}
        for number, at in enumerate(kernel.outputs):
            result = nodes.calls[at].arg.number
            if result < len(program.results):
                self.results[number] = program.results[result]
                continue
            output = program.outputs[result - len(program.results)]
            is_atomic = output in atomic
            self.arrays[output] = writer.output_elements(number, atomic=is_atomic)
            written.add(output)
        for array in program.shared:
            self.arrays[array] = writer.share_elements(
                KIND[array.dtype.kind], array.size, atomic=array in atomic
            )
        self.body = needed_part(_writing(program.body, written), {*self.results.values()})
        self.waits = any(isinstance(part, Barrier) for part in statements_in(self.body))

    def write_all(self) -> None:
        """Write the statements of the kernel."""
        if self.program.workgroup:
            self.place_in_group(self.program.workgroup)
        else:
            self.place()
        self.write(self.body)
        for number, result in self.results.items():
            array = self.writer.output_elements(number, atomic=False)
            value = self.stored(self.atom(result), result.dtype)
            assert self.own is not None
            with self.code.when(self.own >= 0 if self.inside is None else self.inside):
                self.writer.store_element(array, self.own, value)

    # --- places of elements ---------------------------------------------------------------------

    def place(self) -> None:
        """Let each invocation run one element of the index space."""
        writer, code, size = self.writer, self.code, math.prod(self.space)
        workgroup = writer.launch(INVOCATIONS, -(-size // INVOCATIONS))
        self.own = code.let(workgroup * INVOCATIONS + writer.local, "t")
        writer.leave(self.own >= writer.count(size))
        self.values |= zip(self.program.coordinates, self.split(self.own, self.space), strict=True)

    def place_in_group(self, lengths: Shape) -> None:
        """Let each workgroup run a group of elements."""
        writer, code = self.writer, self.code
        counts = [-(-n // own) for n, own in zip(self.space, lengths, strict=True)]
        total = math.prod(counts)
        workgroup = code.let(writer.launch(math.prod(lengths), total), "w")
        local = self.split(writer.local, lengths)
        conditions: list[Value] = []
        position: Whole = 0
        for axis, group in enumerate(self.split(workgroup, counts)):
            length, own = self.space[axis], lengths[axis]
            coordinate = code.let(code.printer.whole(group * own) + local[axis], "i")
            if length % own or (axis == 0 and total > ROW):
                conditions.append(coordinate >= writer.count(length))
            self.values[self.program.coordinates[axis]] = coordinate
            position = position * length + coordinate
            atom = self.program.local[axis]
            if isinstance(atom, Var):
                self.values[atom] = local[axis]
                self.known.add(atom)
        self.own = code.let(code.printer.whole(position), "t")
        if conditions:
            outside = conditions[0]
            for condition in conditions[1:]:
                outside = outside | condition
            if not self.waits:
                writer.leave(outside)
            else:
                self.inside = code.let(code.printer.inverse(outside), "b")

    def split(self, position: Value, lengths: Sequence[int]) -> list[Value]:
        """Return the indices at a row-major position."""
        code = self.code
        indices: list[Value] = []
        for length in reversed(lengths[1:]):
            rest = code.let(position // length)
            indices.insert(0, code.let(code.printer.whole(position % length)))
            position = rest
        return [position, *indices] if lengths else []

    # --- statements -----------------------------------------------------------------------------

    def write(self, body: Sequence[Statement]) -> None:
        for statement in body:
            if isinstance(statement, Write):
                self.write_element(statement)
            elif isinstance(statement, SharedRead):
                array, dtype = self.arrays[statement.array], statement.array.dtype
                value = self.writer.load_element(array, self.atom(statement.position))
                value = converted(self.code, value, stored_dtype(dtype), dtype)
                self.values[statement.result] = self.code.let(value)
            elif isinstance(statement, Barrier):
                self.writer.wait()
            elif not (isinstance(statement, Step) and statement.result in self.known):
                super().write([statement])

    def write_element(self, write: Write) -> None:
        """Write an element, unless the position is outside of the array."""
        if isinstance(write.position, Number) and write.position.value < 0:
            # Shaders refuse constant positions outside of an array.
            return
        position = self.atom(write.position)
        dtype = write.array.dtype if isinstance(write.array, SharedArray) else write.value.dtype
        value = self.stored(self.atom(write.value), dtype)
        condition = position >= 0
        if self.inside is not None:
            condition = condition & self.inside
        with self.code.when(condition):
            change = self.writer.add_to_element if write.adds else self.writer.store_element
            change(self.arrays[write.array], position, value)

    def stored(self, value: Value, dtype: DType) -> Value:
        """Return a value as it is stored."""
        value = converted(self.code, value, dtype, stored_dtype(dtype))
        return self.code.let(value)

    def branch(self, branch: Branch) -> None:
        if has_effects(branch.body):
            self.skipped(branch)
        else:
            super().branch(branch)


def _writing(body: Sequence[Statement], arrays: Collection[Written]) -> list[Statement]:
    """Return the statements without writes of other arrays."""
    kept: list[Statement] = []
    for statement in body:
        if isinstance(statement, Branch | Repeat):
            statement = replace(statement, body=_writing(statement.body, arrays))
        if not (isinstance(statement, Write) and statement.array not in arrays):
            kept.append(statement)
    return kept
