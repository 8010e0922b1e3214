"""Write the program of a kernel into a shader.

Input: a node whose operation is a kernel, and the index of four of its elements. Output: the
statements of the shader, and the value of the result.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Sequence
from copy import copy
from functools import reduce
from typing import Any

from ..compiler.codegen.cancellation import Sums
from ..compiler.codegen.expressions import operation
from ..compiler.codegen.indices import Index
from ..compiler.codegen.types import KIND, converted, either, literal
from ..compiler.codegen.writer import Writer
from ..language.statements import Statements
from ..language.tree import INT, MASK, TRUTH, UINT, Value, Whole
from ..ops.elementwise import CAST
from ..ops.op_def import Elementwise
from .exits import with_exits
from .op_defs import program_of
from .program import (
    Atom,
    Branch,
    ColumnRead,
    Exit,
    FunctionCall,
    InputKind,
    Number,
    Program,
    ProgramFunction,
    Read,
    ReadColumn,
    Repeat,
    Statement,
    Step,
    Var,
    WritingProgram,
    needed_part,
    varying,
    weight_of,
    with_columns,
)

INLINED = 12
"""Cost up to which a branch is computed for all elements instead of testing its condition."""


class ProgramWriter:
    """Writer of the statements of a program for the four elements at an index."""

    def __init__(
        self,
        writer: Writer,
        at: int,
        index: Index,
        values: dict[Var, Value],
        program: Program | WritingProgram,
    ) -> None:
        self.writer = writer
        self.code = writer.code
        self.index = index
        self.shape = writer.nodes.spec(at).shape
        self.edges = writer.nodes.edges[at]
        self.program = program
        self.values = values
        inputs = self.program.inputs
        extents = [operand.var for operand in inputs if operand.kind is InputKind.EXTENT]
        last = values.get(extents[-1]) if extents else None
        self.length = None if last is None else last.lane("x")
        """Length of the last axis."""
        self.differ: set[Atom] = set()
        """Values that differ between the four elements."""
        self.four = self.code.printer
        self.needed: set[Atom] = set()
        """Values that other statements or the results need."""
        self.lane: Whole | None = None
        """Number of the element in statements for one element."""

    def sharing(self, body: Sequence[Statement]) -> list[Statement]:
        """Let reads of neighbours along the last axis share texels."""
        operands = zip(self.edges, self.program.inputs, strict=True)
        differ: set[Atom] = {
            operand.var for src, operand in operands if self.writer.nodes.spec(src).size > 1
        }
        whole = self.length is not None and self.shape[-1] % 4 == 0
        if not (whole and self.writer.positions.is_aligned(self.index)):
            self.differ = varying(body, differ.union(self.program.coordinates))
            return [*body]
        # The lanes are in one row.
        last = self.program.coordinates[-1]
        self.differ = differ = varying(body, differ | {last})

        def shares(read: Read) -> bool:
            assert read.column is not None
            src = self.edges[self.program.inputs.index(read.tensor)]
            return (
                read.column.index is last
                and read.column.row not in differ
                and self.writer.nodes.spec(src).shape[-1] == self.shape[-1]
                and _keeps_texels(self.writer, src)
            )

        return with_columns(body, shares, differ)

    def atom(self, atom: Atom) -> Value:
        if isinstance(atom, Number):
            return literal(self.code, atom.value, atom.dtype)
        value = self.values[atom]
        if value.lanes == self.code.printer.lanes:
            return value
        assert self.lane is not None
        return self.part(value, self.lane if atom in self.differ else 0)

    def part(self, value: Value, lane: Whole) -> Value:
        """Return one of four lanes, in statements for one element."""
        one = value[lane]
        if value.kind == MASK:
            one = self.code.printer.of_kind(one.of(UINT), MASK)
        return self.code.let(one)

    def write(self, body: Sequence[Statement]) -> None:
        for statement in body:
            if isinstance(statement, Step):
                self.step(statement)
            elif isinstance(statement, Read):
                self.read(statement)
            elif isinstance(statement, FunctionCall):
                self.call(statement)
            elif isinstance(statement, Exit):
                self.exit(statement)
            elif isinstance(statement, Branch):
                self.branch(statement)
            elif isinstance(statement, Repeat):
                self.loop(statement)

    def step(self, step: Step) -> None:
        operands = [self.atom(operand) for operand in step.operands]
        dtype, dtypes = step.result.dtype, [operand.dtype for operand in step.operands]
        if step.op is CAST:
            value = self.code.let(converted(self.code, operands[0], dtypes[0], dtype))
        else:
            value = operation(self.writer, step.op, operands, [*operands], dtypes, dtype)
        self.values[step.result] = value

    def call(self, call: FunctionCall) -> None:
        """Write a call of a function of the shader, of four elements or of one."""
        code, function = self.code, call.function
        operands = [code.printer.spread(self.atom(operand)) for operand in call.operands]
        name = defined(self, function)
        kinds = [KIND[result.dtype.kind] for result in function.results]
        names = [code.name("c") for _ in kinds]
        further = []
        for own, kind in zip(names[1:], kinds[1:], strict=True):
            declaration, argument = code.printer.received(own, kind)
            code.line(declaration)
            further.append(argument)
        text = code.printer.invoked(name, [operand.text for operand in operands], further)
        uses = reduce(operator.or_, [operand.uses for operand in operands], 0)
        first = code.value(text, kinds[0], code.printer.lanes)
        code.line(code.printer.declared(names[0], first), uses)
        for result, own, kind in zip(call.results, names, kinds, strict=True):
            self.values[result] = code.local(own, kind, code.printer.lanes)

    def read(self, read: Read) -> None:
        writer = self.writer
        src = self.edges[self.program.inputs.index(read.tensor)]
        spec = writer.nodes.spec(src)
        code, position = self.code, self.atom(read.position)
        with code.printed_by(self.four):
            if isinstance(read, ColumnRead):
                value = self.column(src, read)
            else:
                uniform = position.lanes == 1 or read.position not in self.differ
                position = code.let(code.printer.spread(position))
                value = writer.value(src, Index(spec.size, lanes=position, is_splat=uniform))
            value = code.let(converted(code, value, spec.dtype, read.result.dtype))
        self.values[read.result] = value if self.lane is None else self.part(value, 0)

    def column(self, src: int, read: ColumnRead) -> Value:
        """Return four neighbours, from the texels that they share with other reads."""
        assert read.column is not None
        own = self.writer.run_of(self.values[read.column.index])
        if own is not None:
            return self.run(src, read.column, own)
        texel, lane = divmod(read.column.offset, 4)
        first = self.texel(src, read.column, texel)
        if not lane:
            return first
        second = self.texel(src, read.column, texel + 1)
        parts = first.lane("xyzw"[lane:]), second.lane("xyzw"[:lane])
        return self.code.let(self.code.vector(first.kind, *parts))

    def run(self, src: int, column: ReadColumn, own: Value) -> Value:
        """Return four neighbours at once, or each by itself if some are outside of the row."""
        writer, code = self.writer, self.code
        spec, offset, length = writer.nodes.spec(src), column.offset, self.shape[-1]
        first: Value = own + offset
        row = 0 if isinstance(column.row, Number) else self.values[column.row]
        if isinstance(row, Value):
            first = code.let(row.lane("x")) + first
        whole = Index(spec.size, code.let(first, "i"))
        if not offset:
            return writer.value(src, whole)
        value = code.variable(code.vector(KIND[spec.dtype.kind], 0))
        inside = code.let((own >= -offset) & (own < length - 3 - offset), "b")
        with code.when(inside):
            code.assign(value, writer.value(src, whole))
        with code.when(code.printer.of_one.inverse(inside)):
            lanes: Any = self.values[column.index] + offset
            if column.border == "wrap":
                lanes = (lanes + -(offset // length) * length) % length
            else:
                ends = (("min", length - 1), ("max", 0))
                for name, end in ends:
                    lanes = code.printer.bounded(name, lanes, end)
            places = code.let(lanes + row, "i")
            code.assign(value, writer.value(src, Index(spec.size, lanes=places)))
        return value

    def texel(self, src: int, column: ReadColumn, apart: int) -> Value:
        """Return the texel that is `apart` texels after the lanes' own, in the row of a column.

        Rows of the result and of the tensor have equal lengths, which are multiples of 4.
        """
        writer, code = self.writer, self.code
        assert self.length is not None
        own = code.let(self.values[column.index].lane("x") >> 2, INT)
        count = code.let(self.length >> 2, INT)
        unbounded = own + apart
        texel: Whole = unbounded
        outside, edge = None, "x" if apart < 0 else "w"
        if apart and column.border == "wrap":
            # No operand of % may be negative.
            texel = (unbounded + count * -apart if apart < 0 else unbounded) % count
        elif apart:
            outside = own < -apart if apart < 0 else own >= count - apart
            name, end = ("max", 0) if apart < 0 else ("min", count - 1)
            texel = code.printer.bounded(name, unbounded, end)
        if not isinstance(column.row, Number):
            texel = (self.values[column.row].lane("x") >> 2) + texel
        assert isinstance(texel, Value)
        value = writer.texel(src, code.let(texel, INT))
        if outside is None or column.border != "clamp":
            return value
        edges = value.lane(edge * 4)
        return code.let(either(code, outside, edges, value))

    def branch(self, branch: Branch) -> None:
        """Write a branch, which is skipped if no lane takes it and testing costs less."""
        if weight_of(branch.body) <= INLINED:
            self.write(branch.body)
            for outer, inner in branch.exports:
                self.values[outer] = self.atom(inner)
            return
        self.skipped(branch)

    def skipped(self, branch: Branch) -> None:
        """Write a branch that is skipped if no lane takes it."""
        code = self.code
        for outer, _ in branch.exports:
            self.values[outer] = code.variable(code.vector(KIND[outer.dtype.kind], 0))
        with code.when(code.apply("any_element(x)", TRUTH, self.atom(branch.condition))):
            self.write(branch.body)
            for outer, inner in branch.exports:
                code.assign(self.values[outer], self.atom(inner))

    def exit(self, leave: Exit) -> None:
        """Write the exit of one element from a loop."""
        code = self.code
        formula = "any_element(x)" if leave.ends else "not any_element(x)"
        with code.when(code.apply(formula, TRUTH, self.atom(leave.condition))):
            self.write(leave.body)
            for outer, inner in leave.exports:
                code.assign(self.values[outer], self.atom(inner))
            code.leave()

    def one_by_one(self, loop: Repeat) -> None:
        """Write a loop that elements leave at different times, for one element after the other."""
        code, values = self.code, self.values
        needed = [carry.result for carry in loop.carries if carry.result in self.needed]
        results = {var: code.variable(code.vector(KIND[var.dtype.kind], 0)) for var in needed}
        with code.loop(0, 4) as self.lane:
            self.values = dict(values)
            with code.printed_by(code.printer.of_one):
                self.loop(loop)
                ends = [self.values[var] for var in needed]
                ends = [
                    code.printer.of_kind(end, UINT) if end.kind == MASK else end for end in ends
                ]
            for result, end in zip(results.values(), ends, strict=True):
                # All lanes move by one, since Direct3D cannot assign a lane by its number.
                code.assign(result, code.vector(result.kind, result.lane("yzw"), end))
        self.lane, self.values = None, values | results

    def loop(self, loop: Repeat) -> None:
        code = self.code
        if loop.alone and self.lane is None:
            self.one_by_one(loop)
            return
        for carry in loop.carries:
            self.values[carry.result] = code.variable(self.atom(carry.initial))
        with code.endless() if loop.limit is None else code.loop(0, loop.limit):
            for carry in loop.carries:
                # Values of an iteration do not change, as all other values.
                self.values[carry.inner] = code.variable(self.values[carry.result])
            self.write(loop.head)
            active = None if loop.active is None else self.atom(loop.active)
            if active is not None:
                code.stop(code.apply("not any_element(x)", TRUTH, active))
            self.write(loop.body)
            for carry in loop.carries:
                if carry.following not in (carry.inner, carry.initial):
                    code.assign(self.values[carry.result], self.atom(carry.following))


def defined(caller: ProgramWriter, function: ProgramFunction) -> str:
    """Return the name of a function of the shader, which is defined before the kernel."""
    writer, printer = caller.writer, caller.code.printer
    known = writer.functions.get((function, printer.lanes))
    if known is not None:
        return known
    words = re.sub(r"[^A-Za-z0-9]+", "_", function.name).strip("_")
    name = f"own{len(writer.functions)}_{words}"
    writer.functions[function, printer.lanes] = name
    outside = writer.code, writer.sums
    writer.code, writer.sums = code, _ = Statements(printer), Sums()
    inner = copy(caller)
    inner.code, inner.lane = code, None if printer.lanes > 1 else 0
    kinds = [KIND[var.dtype.kind] for var in function.parameters]
    parameters = [(f"p{number}", kind) for number, kind in enumerate(kinds)]
    values = [code.local(text, kind, printer.lanes) for text, kind in parameters]
    inner.values = dict(zip(function.parameters, values, strict=True))
    inner.differ = varying(function.body, {*function.parameters})
    inner.needed = {*function.results}
    body = with_exits(function.body, inner.differ, printer.lanes == 1)
    inner.write(needed_part(body, inner.needed))
    results = [inner.atom(result) for result in function.results]
    lines: list[str] = []
    uses = reduce(operator.or_, [result.uses for result in results])
    code.print_into(lines, code.scopes[0].statements, "  ", uses)
    returned = printer.returned([result.text for result in results])
    lines = [*lines[::-1], *[f"  {line}" for line in returned]]
    head = printer.head(name, parameters, [KIND[var.dtype.kind] for var in function.results])
    writer.definitions.append(printer.function_text(head, lines))
    writer.code, writer.sums = outside
    writer.code.needs |= code.needs
    return name


def write_elementwise(writer: Writer, at: int, index: Index, *operands: Value) -> Value:
    """Write an elementwise kernel, given its operands at the index."""
    values: dict[Var, Value] = {}
    program, edges = program_of(writer.nodes.op(at)), writer.nodes.edges[at]
    for src, operand, value in zip(edges, program.inputs, operands, strict=True):
        value = converted(writer.code, value, writer.nodes.spec(src).dtype, operand.var.dtype)
        values[operand.var] = writer.code.let(value)
    return _written(writer, at, index, values)


def write_indexed(writer: Writer, at: int, index: Index) -> Value:
    """Write an indexed kernel."""
    nodes, code = writer.nodes, writer.code
    program = program_of(nodes.op(at))
    values: dict[Var, Value] = {}
    extents: list[Value] = []
    known = writer.coordinates(at, index)
    for src, operand in zip(nodes.edges[at], program.inputs, strict=True):
        if operand.kind is InputKind.TENSOR:
            continue
        value = writer.value(src, writer.only)
        value = converted(code, value, nodes.spec(src).dtype, operand.var.dtype)
        if known is not None and operand.kind is InputKind.EXTENT:
            value = literal(code, nodes.spec(at).shape[len(extents)], operand.var.dtype)
        values[operand.var] = code.let(value)
        if operand.kind is InputKind.EXTENT:
            extents.append(values[operand.var])
    if known is None:
        known = coordinates(writer, index, extents)
    values |= zip(program.coordinates, known, strict=True)
    return _written(writer, at, index, values)


def coordinates(writer: Writer, index: Index, lengths: Sequence[Value]) -> list[Value]:
    """Return the coordinates of four elements in a value with the given lengths, variables."""
    code, position = writer.code, writer.positions.lanes(index)
    if not lengths:
        return []
    # Lanes after the last element compute the last one again.
    last = math.prod(lengths[1:], start=lengths[0]) - 1
    position = code.let(code.printer.bounded("min", position, last))
    indices: list[Value] = []
    for length in reversed(lengths[1:]):
        rest = code.let(position // length)
        indices.insert(0, code.let(position - rest * length))
        position = rest
    return [position, *indices]


def _keeps_texels(writer: Writer, at: int) -> bool:
    """Return True if a node is read texel by texel, also if the kernel computes it."""
    nodes = writer.nodes
    if nodes.is_leaf(at):
        return at not in writer.kernel.tiles
    return isinstance(nodes.op(at), Elementwise) and all(
        nodes.spec(src).size == 1
        or (nodes.spec(src).shape == nodes.spec(at).shape and _keeps_texels(writer, src))
        for src in nodes.edges[at]
    )


def _written(writer: Writer, at: int, index: Index, values: dict[Var, Value]) -> Value:
    """Write a result, and the results of the same family that the kernel computes."""
    nodes, code = writer.nodes, writer.code
    program = program_of(nodes.op(at))
    results, body = {at: program.result}, program.body
    if program.family is not None:
        for sibling, _ in enumerate(nodes.calls):
            op = nodes.op(sibling)
            family = getattr(op, "family", None)
            if family is program.family and nodes.edges[sibling] == nodes.edges[at]:
                results[sibling] = program_of(op).result
        body = program.family.body
    written = ProgramWriter(writer, at, index, values, program)
    written.needed = {*results.values()}
    body = with_exits(written.sharing(body), written.differ)
    written.write(needed_part(body, written.needed))
    for node, result in results.items():
        code.keep((node, index), code.let(written.atom(result)))
    value: Value = code.values[at, index]
    return value
