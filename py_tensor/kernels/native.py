"""Find the kernels that write which one compute shader can run as they are, and call them.

Input: a `WritingProgram`. Output: the arrays that need atomic operations, or None if the results
of such a shader could differ between runs. Each element of a tensor must be changed by one element
of the index space, or by additions of integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from ..compiler.workgroups.writes import Writes, WrittenResult
from ..dtypes import int32
from ..errors import BackendError
from ..functions.elementwise import astype
from ..ir.node import OpNode, node_of, scalar_node
from ..ops.op_def import Shape
from ..runtime.executor import backend
from ..tensor import Tensor, node_behind
from .calls import INSIDE
from .group_run import shared_additions
from .kinds import no_gradient
from .native_writer import Written, stored_dtype, write_program
from .program import (
    AND,
    Atom,
    Barrier,
    Branch,
    Input,
    InputKind,
    Number,
    Read,
    Repeat,
    SharedArray,
    SharedRead,
    Statement,
    Step,
    Var,
    Write,
    WritingProgram,
    length_of,
    needed_part,
    op,
    statements_in,
    varying,
    weight_of,
)

MOST_INPUTS = 6
"""Tensors that every device can bind in addition to two results."""
EQUAL, FLOOR_DIVIDE = op("equal"), op("floor_divide")


class NativeKernel:
    """A kernel that writes, as one operation for each result."""

    def __init__(
        self, name: str, program: WritingProgram, atomic: frozenset[Written], listing: str
    ) -> None:
        self.name = name
        self.program = program
        self.atomic = atomic
        needed: set[Atom] = {*program.results}
        needed_part(program.body, needed)
        self.inputs = [i for i in program.inputs if i.var in needed or i in program.outputs]
        self.op = self._operation(program, listing)

    def _operation(self, program: WritingProgram, listing: str) -> Writes:
        return Writes(
            name=self.name,
            dtypes=tuple([stored_dtype(result.dtype) for result in program.results]),
            starts=tuple([self.inputs.index(output) for output in program.outputs]),
            write=partial(
                write_program, program=replace(program, inputs=self.inputs), atomic=self.atomic
            ),
            family=object(),
            listing=listing,
            reference=_moved(self.name),
            gradient=self._gradient,
            weight=max(1, weight_of(program.body)),
            length=max(1, length_of(program.body)),
            public=False,
        )

    def __call__(self, nodes: Sequence[OpNode], shape: Shape) -> list[Tensor]:
        """Return what the function returns and writes, for an index space of a shape."""
        program = self.program
        operands = tuple([self._operand(operand, nodes, shape) for operand in self.inputs])
        dtypes = [result.dtype for result in program.results]
        dtypes += [nodes[output.argument].spec.dtype for output in program.outputs]
        results = [
            Tensor(node_of(self.op, operands, WrittenResult(shape, number)))
            for number in range(len(dtypes))
        ]
        pairs = zip(results, dtypes, strict=True)
        return [astype(result, dtype, copy=False) for result, dtype in pairs]

    def _gradient(self, _: object, g: Tensor, y: Tensor, *rest: Any) -> Tensor | None:
        """Return the cotangent of an operand, which is that of the values before the writes."""
        *operands, position, arg = rest
        if position not in self.op.starts:
            no_gradient(self.name, "kernels that write")()
        if position != self.op.start(arg.number):
            return None
        operands[position] = g
        nodes = tuple([node_behind(self.name, operand) for operand in operands])
        return Tensor(node_of(self._zeros, nodes, arg))

    @cached_property
    def _zeros(self) -> Writes:
        """The operation that assigns zeros where the kernel assigns values, and adds nothing."""
        body = _with_zeros(self.program.body)
        return self._operation(replace(self.program, body=body), self.op.listing)

    def _operand(self, operand: Input, nodes: Sequence[OpNode], shape: Shape) -> OpNode:
        if operand in self.program.outputs:
            start = Tensor(nodes[operand.argument])
            wide = stored_dtype(INSIDE[start.dtype])
            return node_behind(self.op.name, astype(start, wide, copy=False))
        if operand.kind in (InputKind.VALUE, InputKind.TENSOR):
            return nodes[operand.argument]
        is_extent = operand.kind is InputKind.EXTENT
        lengths = shape if is_extent else nodes[operand.argument].spec.shape
        return scalar_node(lengths[operand.axis], int32)


def native_kernel(name: str, program: WritingProgram, listing: str) -> NativeKernel | None:
    """Return a kernel as operations that write, or None if other operations have to compute it."""
    atomic = atomic_arrays(program)
    if atomic is None:
        return None
    made = NativeKernel(name, program, atomic, listing)
    read = [i for i in made.inputs if i.kind is InputKind.TENSOR and i not in program.outputs]
    return made if len(read) <= MOST_INPUTS else None


def _with_zeros(body: Iterable[Statement]) -> list[Statement]:
    """Return statements that assign zeros to tensors, without additions to them."""
    changed: list[Statement] = []
    for statement in body:
        if isinstance(statement, Branch | Repeat):
            statement = replace(statement, body=_with_zeros(statement.body))
        elif isinstance(statement, Write) and isinstance(statement.array, Input):
            if statement.adds:
                continue
            statement = replace(statement, value=Number(0, statement.value.dtype))
        changed.append(statement)
    return changed


def _moved(name: str) -> Any:
    """Return the reference of a call that another backend recorded: an error."""

    def reference(*_: object) -> Tensor:
        raise BackendError(
            f"{name}: the call was recorded for another backend; got backend {backend().name}; "
            "call pt.realize before you change the backend"
        )

    return reference


# --- the analysis ---------------------------------------------------------------------------------


def atomic_arrays(program: WritingProgram) -> frozenset[Written] | None:
    """Return the arrays whose elements several elements of the index space may change at once.

    None is returned if such changes are not additions of integers, or if a barrier is in a branch
    or loop whose condition differs between the elements of a group.
    """
    writes: dict[Input, list[tuple[Write, list[Atom]]]] = {}
    _collect(program.body, [], writes)
    steps = {s.result: s for s in statements_in(program.body) if isinstance(s, Step)}
    atomic: set[Written] = set()
    for output, found in writes.items():
        owners = {_owner(program, steps, write, conditions) for write, conditions in found}
        if len(owners) == 1 and None not in owners:
            continue
        if output.var.dtype.kind not in "iu" or not all(write.adds for write, _ in found):
            return None
        atomic.add(output)
    if program.shared:
        shared = shared_additions(program) if _waits_together(program) else None
        if shared is None:
            return None
        atomic |= shared
    return frozenset(atomic)


def _collect(
    body: Iterable[Statement],
    conditions: list[Atom],
    writes: dict[Input, list[tuple[Write, list[Atom]]]],
) -> None:
    """Collect the writes of tensors with the conditions of the branches around them."""
    for statement in body:
        if isinstance(statement, Write):
            if not isinstance(statement.array, SharedArray):
                writes.setdefault(statement.array, []).append((statement, conditions))
        elif isinstance(statement, Branch):
            _collect(statement.body, [*conditions, statement.condition], writes)
        elif isinstance(statement, Repeat):
            _collect([*statement.head, *statement.body], conditions, writes)


def _owner(
    program: WritingProgram, steps: dict[Var, Step], write: Write, conditions: Iterable[Atom]
) -> tuple[object, ...] | None:
    """Return how the indices of a write tell the element that writes there, or None.

    For each axis of the index space an index is the element's own, or the number of its group. Then
    only the element with a fixed index in its group may write.
    """
    fixed = _fixed(steps, conditions)
    groups = program.workgroup or (0,) * len(program.coordinates)
    owner: list[object] = []
    for axis, (coordinate, length) in enumerate(zip(program.coordinates, groups, strict=True)):
        if coordinate in write.indices:
            owner.append(write.indices.index(coordinate))
            continue
        pinned = fixed.get(program.local[axis]) if length else None
        numbers = [
            number
            for number, index in enumerate(write.indices)
            if isinstance(index, Var)
            and (step := steps.get(index)) is not None
            and step.op is FLOOR_DIVIDE
            and step.operands == (coordinate, Number(length, int32))
        ]
        if pinned is None or not numbers:
            return None
        owner.append((numbers[0], pinned))
    return tuple(owner)


def _fixed(steps: dict[Var, Step], conditions: Iterable[Atom]) -> dict[Atom, Atom]:
    """Return the values that conditions compare with constants, with these."""
    fixed: dict[Atom, Atom] = {}
    stack = [*conditions]
    while stack:
        condition = stack.pop()
        step = steps.get(condition) if isinstance(condition, Var) else None
        if step is None:
            continue
        if step.op is AND:
            stack += step.operands
        elif step.op is EQUAL:
            first, second = step.operands
            if isinstance(second, Number):
                fixed[first] = second
            elif isinstance(first, Number):
                fixed[second] = first
    return fixed


def _waits_together(program: WritingProgram) -> bool:
    """Return True if all elements of a group arrive at the same barriers."""
    differ: set[Atom] = {*program.coordinates, *program.local}
    for statement in statements_in(program.body):
        if isinstance(statement, Read | SharedRead):
            differ.add(statement.result)
    varying(program.body, differ)

    def together(body: Iterable[Statement]) -> bool:
        for statement in body:
            if isinstance(statement, Branch):
                inside, differs = statement.body, statement.condition in differ
            elif isinstance(statement, Repeat):
                inside = [*statement.head, *statement.body]
                differs = statement.active is not None and statement.active in differ
            else:
                continue
            waits = any(isinstance(part, Barrier) for part in statements_in(inside))
            if waits and (differs or not together(inside)):
                return False
        return True

    return together(program.body)
