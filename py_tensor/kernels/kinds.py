"""Kinds of operations that kernels make, and their entries in the tables of the engine.

Input: a `Program`. Output: an op definition, which is fused, cached, traced, mapped and evaluated
like those of `ops/`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

from ..compiler.codegen.expressions import EXPRESSIONS, elementwise_operands, operation
from ..compiler.codegen.indices import Index
from ..compiler.codegen.types import KIND, converted, literal
from ..compiler.codegen.writer import Expression, Writer
from ..dtypes import DType
from ..errors import GradientError
from ..language.tree import INT, MASK, TRUTH, UINT, Value, Whole
from ..late import LateModule
from ..ops.elementwise import CAST
from ..ops.index_map import broadcast_view, make_view, row_major
from ..ops.op_def import Elementwise, InferredResult, OpDef, Shape, broadcast
from ..runtime.evaluators import EVALUATORS, HostValues, read_through
from ..transforms.autodiff.api import vjp
from .execution import ArrayAlgebra, ListAlgebra, TensorAlgebra, TensorExecution, evaluated
from .exits import with_exits
from .program import (
    Atom,
    Branch,
    Column,
    ColumnRead,
    Exit,
    Loop,
    Number,
    Program,
    Read,
    Step,
    Var,
    length_of,
    needed_part,
    varying,
    weight_of,
    with_columns,
)

jax_execution: Any = LateModule("kernels.jax_execution")

INLINED = 12
"""Cost up to which a branch is computed for all elements instead of testing its condition."""


class ElementwiseKernel(Elementwise):
    """Kernel whose operands are broadcast together, like those of `add`."""

    program: Program

    def infer(self, specs: Sequence[Any], arg: Hashable) -> InferredResult:
        shape = broadcast(self.name, [spec.shape for spec in specs])
        return InferredResult(shape, self.program.result.dtype, _dtypes(self.program))


class IndexedKernel(OpDef):
    """Kernel that is called once for each element of a result, whose shape is the argument.

    It reads tensors at positions. The lengths of their axes and of the result's are operands, so
    that kernels of all sizes have one shader.
    """

    program: Program
    rereads: bool = True

    def infer(self, specs: Sequence[Any], arg: Any) -> InferredResult:
        return InferredResult(arg, self.program.result.dtype, _dtypes(self.program))


def _dtypes(program: Program) -> tuple[DType, ...]:
    return tuple([given.var.dtype for given in program.inputs])


def elementwise_kernel(name: str, program: Program, listing: str) -> ElementwiseKernel:
    """Return the op definition of a program without reads."""
    rules = tuple(
        _gradient(name, program, at) if given.var.dtype.kind == "f" else None
        for at, given in enumerate(program.inputs)
    )
    return ElementwiseKernel(
        name=name,
        program=program,
        family=program.family,
        listing=listing,
        arity=len(program.inputs),
        formula="",
        reference=lambda xp, *arrays: evaluated(program, ArrayAlgebra(xp), arrays),
        jax=lambda *arrays: jax_execution.elementwise(program, arrays),
        gradient=rules,
        weight=max(1, weight_of(program.body)),
        length=max(1, length_of(program.body)),
        public=False,
    )


def indexed_kernel(name: str, program: Program, listing: str) -> IndexedKernel:
    """Return the op definition of a program that is given the place of its element."""

    def places(xp: Any, shape: Shape) -> list[Any]:
        return [
            (xp.arange(math.prod(shape), dtype=xp.int32) // step % n).astype(xp.int32)
            for n, step in zip(shape, row_major(shape), strict=True)
        ]

    def reference(xp: Any, *given: Any) -> Any:
        *arrays, shape = given
        result = evaluated(program, ArrayAlgebra(xp), arrays, places(xp, shape))
        return xp.broadcast_to(result, (math.prod(shape),))

    return IndexedKernel(
        name=name,
        program=program,
        family=program.family,
        listing=listing,
        reference=reference,
        jax=lambda *given: jax_execution.indexed(program, given, places),
        gradient=no_gradient(name, "indexed kernels"),
        weight=max(1, weight_of(program.body)),
        length=max(1, length_of(program.body)),
        public=False,
    )


# --- gradients ------------------------------------------------------------------------------------


def _gradient(name: str, program: Program, at: int) -> Any:
    def rule(pt: Any, g: Any, y: Any, *operands: Any) -> Any:
        def computed(x: Any) -> Any:
            given = [x if place == at else value for place, value in enumerate(operands)]
            algebra = TensorAlgebra(pt, name)
            result = evaluated(program, algebra, given, execution=TensorExecution)
            return pt.broadcast_to(result, y.shape)

        if program.result.dtype.kind != "f":
            return None
        _, pull = vjp(computed, operands[at])
        (found,) = pull(g)
        return found

    return rule


def no_gradient(name: str, kind: str) -> Any:
    """Return the gradient rule of kernels of a kind that has none: an error."""

    def rule(*given: Any) -> Any:
        raise GradientError(
            f"{name}: {kind} have no gradient of their own; got a floating operand; give a rule "
            "with kernel.gradient, or block the gradient with pt.stop_gradient"
        )

    return rule


# --- shaders --------------------------------------------------------------------------------------


class ProgramWriter:
    """Writer of the statements of a program for the four elements at an index."""

    def __init__(self, writer: Writer, at: int, index: Index, values: dict[Var, Value]) -> None:
        self.writer = writer
        self.code = writer.code
        self.index = index
        self.shape = writer.nodes.spec(at).shape
        self.edges = writer.nodes.edges[at]
        self.program: Program = writer.nodes.calls[at].op.program
        self.values = values
        extents = [given.var for given in self.program.inputs if given.kind == "extent"]
        self.length = values[extents[-1]].lane("x") if extents else None
        """Length of the last axis."""
        self.differ: set[Any] = set()
        """Values that differ between the four elements."""
        self.four = self.code.printer
        self.needed: set[Any] = set()
        """Values that other statements or the results need."""
        self.lane: Value | None = None
        """Number of the element in statements for one element."""

    def sharing(self, body: Sequence[Any]) -> list[Any]:
        """Let reads of neighbours along the last axis share texels."""
        nodes, given = self.writer.nodes, zip(self.edges, self.program.inputs, strict=True)
        differ = {each.var for src, each in given if nodes.spec(src).size > 1}
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
                read.column.place is last
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

    def write(self, body: Sequence[Any]) -> None:
        for statement in body:
            if isinstance(statement, Step):
                self.step(statement)
            elif isinstance(statement, Read):
                self.read(statement)
            elif isinstance(statement, Exit):
                self.exit(statement)
            elif isinstance(statement, Branch):
                self.branch(statement)
            else:
                self.loop(statement)

    def step(self, step: Step) -> None:
        given = [self.atom(operand) for operand in step.operands]
        dtype, dtypes = step.result.dtype, [operand.dtype for operand in step.operands]
        if step.op is CAST:
            found = self.code.let(converted(self.code, given[0], dtypes[0], dtype))
        else:
            found = operation(self.writer, step.op, given, [*given], dtypes, dtype)
        self.values[step.result] = found

    def read(self, read: Read) -> None:
        writer = self.writer
        src = self.edges[self.program.inputs.index(read.tensor)]
        spec = writer.nodes.spec(src)
        code, position = self.code, self.atom(read.position)
        with code.printed_by(self.four):
            if isinstance(read, ColumnRead):
                value = self.column(src, read)
            else:
                same = position.lanes == 1 or read.position not in self.differ
                position = code.let(code.printer.spread(position))
                value = writer.value(src, Index(spec.size, lanes=position, is_splat=same))
            value = code.let(converted(code, value, spec.dtype, read.result.dtype))
        self.values[read.result] = value if self.lane is None else self.part(value, 0)

    def column(self, src: int, read: ColumnRead) -> Value:
        """Return four neighbours, from the texels that they share with other reads."""
        assert read.column is not None
        texel, lane = divmod(read.column.offset, 4)
        first = self.texel(src, read.column, texel)
        if not lane:
            return first
        second = self.texel(src, read.column, texel + 1)
        parts = first.lane("xyzw"[lane:]), second.lane("xyzw"[:lane])
        return self.code.let(self.code.vector(first.kind, *parts))

    def texel(self, src: int, column: Column, apart: int) -> Value:
        """Return a texel in the row of a column, so many texels after the lanes' own.

        Rows of the result and of the tensor have equal lengths and whole texels.
        """
        writer, code = self.writer, self.code
        assert self.length is not None
        own = code.let(self.values[column.place].lane("x") >> 2, "i")
        count = code.let(self.length >> 2, "i")
        place: Any = own + apart
        outside, edge = None, "x" if apart < 0 else "w"
        if apart and column.border == "wrap":
            # No operand of % may be negative.
            place = (place + count * -apart if apart < 0 else place) % count
        elif apart:
            outside = own < -apart if apart < 0 else own >= count - apart
            ends = (place, 0) if apart < 0 else (place, count - 1)
            place = code.call("max" if apart < 0 else "min", INT, *ends, lanes=1)
        if not isinstance(column.row, Number):
            place = (self.values[column.row].lane("x") >> 2) + place
        value = writer.texel(src, code.let(place, "i"))
        if outside is None or column.border != "clamp":
            return value
        edges = value.lane(edge * 4)
        return code.let(writer.fetches.either(outside, edges, value))

    def branch(self, branch: Branch) -> None:
        """Write a branch, which is skipped if no lane takes it and testing costs less."""
        if weight_of(branch.body) <= INLINED:
            self.write(branch.body)
            for outer, inner in branch.exports:
                self.values[outer] = self.atom(inner)
            return
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
            code.line("break;")

    def one_by_one(self, loop: Loop) -> None:
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

    def loop(self, loop: Loop) -> None:
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


def _write_elementwise(writer: Writer, at: int, index: Index, *values: Value) -> Value:
    program: Program = writer.nodes.calls[at].op.program
    known = {}
    for src, given, value in zip(writer.nodes.edges[at], program.inputs, values, strict=True):
        value = converted(writer.code, value, writer.nodes.spec(src).dtype, given.var.dtype)
        known[given.var] = writer.code.let(value)
    return _written(writer, at, index, known)


def _write_indexed(writer: Writer, at: int, index: Index) -> Value:
    call, code = writer.nodes.calls[at], writer.code
    program: Program = call.op.program
    values: dict[Var, Value] = {}
    extents: dict[int, Value] = {}
    for src, given in zip(writer.nodes.edges[at], program.inputs, strict=True):
        if given.kind == "tensor":
            continue
        value = writer.value(src, writer.only)
        value = converted(code, value, writer.nodes.spec(src).dtype, given.var.dtype)
        values[given.var] = code.let(value)
        if given.kind == "extent":
            extents[given.axis] = values[given.var]
    places = coordinates(writer, index, [extents[axis] for axis in sorted(extents)])
    values |= zip(program.coordinates, places, strict=True)
    return _written(writer, at, index, values)


def coordinates(writer: Writer, index: Index, lengths: Sequence[Value]) -> list[Value]:
    """Return the coordinates of four elements in a value with the given lengths, variables."""
    code, position = writer.code, writer.positions.lanes(index)
    if not lengths:
        return []
    # Lanes after the last element compute the last one again.
    last = math.prod(lengths[1:], start=lengths[0]) - 1
    position = code.let(code.call("min", INT, position, last))
    found: list[Value] = []
    for length in reversed(lengths[1:]):
        rest = code.let(position // length)
        found.insert(0, code.let(position - rest * length))
        position = rest
    return [position, *found]


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
    program: Program = nodes.calls[at].op.program
    results, body = {at: program.result}, program.body
    if program.family is not None:
        for other, call in enumerate(nodes.calls):
            family = getattr(nodes.op(other), "family", None)
            if family is program.family and nodes.edges[other] == nodes.edges[at]:
                results[other] = call.op.program.result
        body = program.family.body
    written = ProgramWriter(writer, at, index, values)
    written.needed = {*results.values()}
    body = with_exits(written.sharing(body), written.differ)
    written.write(needed_part(body, written.needed))
    for place, result in results.items():
        code.keep((place, index), code.let(written.atom(result)))
    value: Value = code.values[at, index]
    return value


# --- plain Python ---------------------------------------------------------------------------------


def _evaluate_elementwise(call: Any, *operands: HostValues) -> HostValues:
    inputs = [
        read_through(values, broadcast_view(spec.shape, call.spec.shape))
        for values, spec in zip(operands, call.specs, strict=True)
    ]
    result: HostValues = evaluated(call.op.program, ListAlgebra(call.spec.size), inputs)
    return result


def _evaluate_indexed(call: Any, *operands: HostValues) -> HostValues:
    program: Program = call.op.program
    size, shape = call.spec.size, call.spec.shape
    inputs = [
        values if given.kind == "tensor" else values * size
        for values, given in zip(operands, program.inputs, strict=True)
    ]
    places = []
    for axis, _ in enumerate(shape):
        strides = [0] * len(shape)
        strides[axis] = 1
        places.append(read_through([*range(shape[axis])], make_view(shape, strides)))
    result: HostValues = evaluated(program, ListAlgebra(size), inputs, places)
    return result


EXPRESSIONS[ElementwiseKernel] = Expression(_write_elementwise, elementwise_operands)
EXPRESSIONS[IndexedKernel] = Expression(_write_indexed)
EVALUATORS[ElementwiseKernel] = _evaluate_elementwise
EVALUATORS[IndexedKernel] = _evaluate_indexed
