"""Programs: the computation of one element of a kernel's result, as elementwise operations.

Control flow is expressed by masks: a branch is computed if any element takes it, and a loop runs
until no element is active. So the same program runs on one element or four lanes of a shader, on
arrays and on tensors. Each variable is assigned once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from ..dtypes import DType
from ..ops import OP_DEFS
from ..ops.op_def import Elementwise

LOOP_STEPS = 16
"""Assumed number of iterations of a loop of unknown length, to estimate the cost of a kernel."""


class Var:
    """A value of the program, with its dtype; `number` grows in order of definition."""

    __slots__ = ("dtype", "number")

    def __init__(self, dtype: DType, number: int) -> None:
        self.dtype = dtype
        self.number = number

    def __repr__(self) -> str:
        return f"v{self.number}"


class Number:
    """A constant of a dtype."""

    __slots__ = ("dtype", "value")

    def __init__(self, value: bool | int | float, dtype: DType) -> None:
        self.value = value
        self.dtype = dtype

    def __repr__(self) -> str:
        return f"{self.value!r}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[str, DType]:
        # -0.0 equals 0.0, and True equals 1.
        return (repr(self.value), self.dtype)


Atom = Var | Number


def op(name: str) -> Elementwise:
    """Return the definition of an elementwise operation."""
    definition = OP_DEFS[name]
    assert isinstance(definition, Elementwise)
    return definition


AND, NOT, WHERE = op("logical_and"), op("logical_not"), op("where")


@dataclass(frozen=True)
class Step:
    """`result = op(operands)`; a cast converts to the dtype of the result."""

    result: Var
    op: Elementwise
    operands: tuple[Atom, ...]


@dataclass(frozen=True)
class ReadColumn:
    """Index along the last axis at which a kernel reads: `index` plus `offset`.

    `row` is the position of the first element along that axis. `border` is the mode for indices
    outside of the axis.
    """

    row: Atom
    index: Var
    offset: int
    border: str


@dataclass(frozen=True)
class Read:
    """`result` is the element of an input at a row-major position.

    If the index along the last axis is a variable plus a constant, `column` describes it.
    """

    result: Var
    tensor: Input
    position: Atom
    column: ReadColumn | None = None


class ColumnRead(Read):
    """A read that uses `column` only, so that reads of neighbours share texels."""


@dataclass(frozen=True)
class Branch:
    """Statements for elements whose condition is true.

    `exports` are pairs of a variable that is used after the branch, and its value in the branch.
    """

    condition: Atom
    body: list[Statement]
    exports: list[tuple[Var, Atom]]


@dataclass(frozen=True)
class Exit(Branch):
    """Statements for elements whose condition equals `ends`; they leave the loop afterwards.

    `exports` are pairs of a result of the loop and its value.
    """

    ends: bool


@dataclass(frozen=True)
class Carry:
    """Value that a loop carries from one iteration to the next.

    It is `inner` in the body, `initial` before the first iteration, `following` after an
    iteration, and `result` after the loop.
    """

    inner: Var
    initial: Atom
    following: Atom
    result: Var


@dataclass(frozen=True)
class Repeat:
    """A loop: statements that are repeated while `active` is true for some element.

    `head` computes `active`. If `active` is None, the loop runs exactly `limit` times for all
    elements; otherwise at most `limit` times, or any number of times if `limit` is None. `trips` is
    the number of iterations if it is known. `own` is `active` without the conditions of the
    branches around the loop.
    """

    carries: list[Carry]
    head: list[Statement]
    active: Atom | None
    own: Atom | None
    body: list[Statement]
    limit: int | None
    trips: int | None
    alone: bool = False
    """True if shaders run the loop for one element at a time, which `Exit` statements may leave."""


@dataclass(frozen=True, eq=False)
class ProgramFunction:
    """A function of the user that a program calls; it uses its parameters only."""

    name: str
    parameters: tuple[Var, ...]
    body: list[Statement]
    results: tuple[Var, ...]


@dataclass(frozen=True)
class FunctionCall:
    """`results` are those of a function for operands."""

    results: tuple[Var, ...]
    function: ProgramFunction
    operands: tuple[Atom, ...]


@dataclass(frozen=True, eq=False)
class SharedArray:
    """An array that the elements of a group share; it holds zeros when the kernel starts."""

    number: int
    shape: tuple[int, ...]
    dtype: DType

    def __repr__(self) -> str:
        return f"shared{self.number}"

    @property
    def size(self) -> int:
        """Number of elements of each group's array."""
        return math.prod(self.shape)


@dataclass(frozen=True, eq=False)
class Site:
    """A place in the user's function; `error` makes an error there of a problem and advice."""

    error: Callable[[str, str], Exception]


@dataclass(frozen=True)
class Write:
    """Write `value` at a position of an array, or add it there if `adds` is True.

    `indices` are the indices along the axes, and `position` is the row-major position, or -1 if an
    index is outside of the array; nothing is written there.
    """

    array: Input | SharedArray
    indices: tuple[Atom, ...]
    position: Atom
    value: Atom
    adds: bool
    site: Site


@dataclass(frozen=True)
class SharedRead:
    """`result` is the element of a shared array at a row-major position, which is inside."""

    result: Var
    array: SharedArray
    position: Atom


@dataclass(frozen=True)
class Barrier:
    """All elements of a group have run the statements before it when one runs those after it."""

    site: Site


Statement = Step | Read | FunctionCall | Branch | Repeat | Write | SharedRead | Barrier
"""Writes, shared reads and barriers are only in a `WritingProgram`."""


class InputKind(Enum):
    """Meaning of an operand of a kernel."""

    VALUE = "value"
    TENSOR = "tensor"
    """A tensor that is read at positions."""
    LENGTH = "length"
    """Length of an axis of a tensor."""
    EXTENT = "extent"
    """Length of an axis of the result."""


@dataclass(eq=False)
class Input:
    """Operand of a kernel: an argument, or the length of an axis.

    `argument` is the position of the argument.
    """

    kind: InputKind
    argument: int
    axis: int
    var: Var
    name: str


@dataclass(eq=False)
class Family:
    """The statements of a function with several results, each of which has a program."""

    body: list[Statement]
    results: tuple[Atom, ...]


@dataclass
class Program:
    """A kernel's program for one result.

    `coordinates` are the variables of the element's indices in the result.
    """

    inputs: list[Input]
    coordinates: list[Var]
    body: list[Statement]
    result: Atom
    family: Family | None = None
    """The statements of all results, if the function has several."""


@dataclass
class WritingProgram:
    """A kernel's program with writes and shared arrays, for all elements of an index space.

    Its statements are those of one element, with branches and loops as in the user's function.
    `results` are the values that the function returns for each element; `outputs` are the tensors
    that it writes, which it does not read. `workgroup` are the lengths of a group along the axes of
    the index space, and `local` the element's indices in its group. Elements of the last groups
    that are outside of the index space do not run.

    `lock_step` makes programs without writes from it. A device with atomic operations and memory of
    workgroups can run it as it is.
    """

    inputs: list[Input]
    coordinates: list[Var]
    body: list[Statement]
    results: tuple[Atom, ...]
    outputs: list[Input]
    shared: list[SharedArray]
    workgroup: tuple[int, ...]
    local: tuple[Atom, ...]


def statements_in(body: Iterable[Statement]) -> Iterator[Statement]:
    """Return all statements, also those in branches and loops."""
    for statement in body:
        yield statement
        if isinstance(statement, Repeat):
            yield from statements_in([*statement.head, *statement.body])
        elif isinstance(statement, Branch):
            yield from statements_in(statement.body)


def functions_in(body: Iterable[Statement]) -> Iterator[ProgramFunction]:
    """Return the functions that statements call, each once and after those that it calls."""
    known: dict[ProgramFunction, None] = {}

    def visit(body: Iterable[Statement]) -> None:
        for statement in statements_in(body):
            if isinstance(statement, FunctionCall) and statement.function not in known:
                visit(statement.function.body)
                known[statement.function] = None

    visit(body)
    return iter(known)


def has_effects(body: Iterable[Statement]) -> bool:
    """Return True if a statement writes, or is a barrier."""
    return any(isinstance(statement, Write | Barrier) for statement in statements_in(body))


def _cost(
    body: Iterable[Statement], cost: Callable[[Elementwise], int], read: int, steps: int
) -> int:
    total = 0
    for statement in body:
        if isinstance(statement, Step):
            total += cost(statement.op)
        elif isinstance(statement, Read):
            total += read
        elif isinstance(statement, Branch):
            total += _cost(statement.body, cost, read, steps)
        elif isinstance(statement, FunctionCall):
            total += _cost(statement.function.body, cost, read, steps)
        elif isinstance(statement, Repeat):
            times = (statement.trips or steps) if steps else 1
            total += times * _cost([*statement.head, *statement.body], cost, read, steps)
    return total


def length_of(body: Iterable[Statement]) -> int:
    """Return the share of a shader that statements take; a loop counts once."""
    return _cost(body, lambda op: op.length, 1, 0)


def weight_of(body: Iterable[Statement]) -> int:
    """Return the cost of statements in scalar operations per element."""
    return _cost(body, lambda op: op.weight, 6, LOOP_STEPS)


def with_columns(
    body: Iterable[Statement], shares: Callable[[Read], bool], differ: set[Atom]
) -> list[Statement]:
    """Replace the reads that share texels by column reads, which need only the row's position.

    Loops whose condition is one of the values that differ between lanes are left unchanged: shaders
    run them for one element at a time.
    """
    replaced: list[Statement] = []
    for statement in body:
        if isinstance(statement, Read):
            if statement.column is not None and shares(statement):
                row = statement.column.row
                statement = ColumnRead(statement.result, statement.tensor, row, statement.column)
        elif isinstance(statement, Branch):
            statement = replace(statement, body=with_columns(statement.body, shares, differ))
        elif isinstance(statement, Repeat) and statement.own not in differ:
            parts = statement.head, statement.body
            head, inside = (with_columns(part, shares, differ) for part in parts)
            statement = replace(statement, head=head, body=inside)
        replaced.append(statement)
    return replaced


def varying(body: Iterable[Statement], differ: set[Atom]) -> set[Atom]:
    """Add the values that depend on values that differ between lanes to the set of these."""
    for statement in body:
        if isinstance(statement, Step):
            if not differ.isdisjoint(statement.operands):
                differ.add(statement.result)
        elif isinstance(statement, Read):
            if statement.position in differ:
                differ.add(statement.result)
        elif isinstance(statement, FunctionCall):
            if not differ.isdisjoint(statement.operands):
                differ.update(statement.results)
        elif isinstance(statement, Branch):
            varying(statement.body, differ)
            for outer, inner in statement.exports:
                if statement.condition in differ or inner in differ:
                    differ.add(outer)
        elif isinstance(statement, Repeat):
            before = -1
            while before != len(differ):
                before = len(differ)
                for carry in statement.carries:
                    if not differ.isdisjoint((carry.initial, carry.following, statement.own)):
                        differ.update((carry.inner, carry.result))
                varying([*statement.head, *statement.body], differ)
    return differ


def needed_part(body: Sequence[Statement], needed: set[Atom]) -> list[Statement]:
    """Return the statements that compute the needed values; `needed` receives all that they use."""
    kept: list[Statement] = []
    for statement in reversed(body):
        if isinstance(statement, Step):
            if statement.result in needed:
                needed.update(statement.operands)
                kept.append(statement)
        elif isinstance(statement, Read):
            if statement.result in needed:
                needed.update((statement.position, statement.tensor.var))
                kept.append(statement)
        elif isinstance(statement, FunctionCall):
            if not needed.isdisjoint(statement.results):
                needed.update(statement.operands)
                kept.append(statement)
        elif isinstance(statement, Branch):
            exports = [pair for pair in statement.exports if pair[0] in needed]
            if exports or isinstance(statement, Exit) or has_effects(statement.body):
                needed.add(statement.condition)
                needed.update(inner for _, inner in exports)
                inside = needed_part(statement.body, needed)
                kept.append(replace(statement, body=inside, exports=exports))
        elif isinstance(statement, Repeat):
            results = {carry.result for carry in statement.carries}
            if not needed.isdisjoint(results) or has_effects(statement.body):
                kept.append(_needed_loop(statement, needed))
        elif isinstance(statement, SharedRead):
            if statement.result in needed:
                needed.add(statement.position)
                kept.append(statement)
        else:
            if isinstance(statement, Write):
                needed.update((*statement.indices, statement.position, statement.value))
            kept.append(statement)
    return kept[::-1]


def _needed_loop(loop: Repeat, needed: set[Atom]) -> Repeat:
    """Keep the carries that are needed after the loop, or by other carries that are kept."""
    results: set[Atom] = {carry.result for carry in loop.carries if carry.result in needed}
    carries = [carry for carry in loop.carries if carry.result in results]
    while True:
        inside = results | {carry.following for carry in carries}
        if loop.active is not None:
            inside.add(loop.active)
        body = needed_part(loop.body, inside)
        head = needed_part(loop.head, inside)
        used = [carry for carry in loop.carries if carry in carries or carry.inner in inside]
        if len(used) == len(carries):
            break
        carries = used
    needed.update(inside)
    needed.update(carry.initial for carry in carries)
    return replace(loop, carries=carries, head=head, body=body)


def text_of(program: Program | WritingProgram) -> str:
    """Return the program as text, one statement per line with the dtype of its result.

    The programs of a family have one text.
    """
    lines = [
        f"{operand.var} = {operand.name}: {operand.var.dtype}"
        + (f" (length of axis {operand.axis})" if operand.kind is InputKind.LENGTH else "")
        for operand in program.inputs
    ]
    lines += [f"{var} = coordinate {axis}" for axis, var in enumerate(program.coordinates)]
    if isinstance(program, WritingProgram):
        lines += [f"{array} = shared {array.shape}: {array.dtype}" for array in program.shared]
        body, results = program.body, program.results
    else:
        family = program.family or Family(program.body, (program.result,))
        body, results = family.body, family.results
    for function in functions_in(body):
        names = ", ".join(f"{var}: {var.dtype}" for var in function.parameters)
        lines.append(f"{function.name}({names}):")
        _write(function.body, lines, "  ")
        lines.append("  return " + ", ".join(map(repr, function.results)))
    _write(body, lines, "")
    if results:
        lines.append("return " + ", ".join(f"{result}: {result.dtype}" for result in results))
    return "\n".join(lines)


def _write(body: Iterable[Statement], lines: list[str], indent: str) -> None:
    for statement in body:
        if isinstance(statement, Step):
            operands = ", ".join(map(repr, statement.operands))
            result = statement.result
            lines.append(f"{indent}{result} = {statement.op.name}({operands}): {result.dtype}")
        elif isinstance(statement, Read):
            result, source = statement.result, statement.tensor.name
            lines.append(f"{indent}{result} = {source}[{statement.position}]: {result.dtype}")
        elif isinstance(statement, Branch):
            lines.append(f"{indent}if {statement.condition}:")
            _write(statement.body, lines, indent + "  ")
            for var, inner in statement.exports:
                lines.append(f"{indent}  {var} = {inner}: {var.dtype}")
        elif isinstance(statement, FunctionCall):
            results = ", ".join(map(repr, statement.results))
            operands = ", ".join(map(repr, statement.operands))
            lines.append(f"{indent}{results} = {statement.function.name}({operands})")
        elif isinstance(statement, Write):
            name = statement.array.name if isinstance(statement.array, Input) else statement.array
            sign, indices = "+=" if statement.adds else "=", ", ".join(map(repr, statement.indices))
            lines.append(f"{indent}{name}[{indices}] {sign} {statement.value}")
        elif isinstance(statement, SharedRead):
            result, array = statement.result, statement.array
            lines.append(f"{indent}{result} = {array}[{statement.position}]: {result.dtype}")
        elif isinstance(statement, Barrier):
            lines.append(f"{indent}barrier")
        else:
            for carry in statement.carries:
                lines.append(f"{indent}{carry.inner} = {carry.initial}: {carry.inner.dtype}")
            limit = "" if statement.limit is None else f" at most {statement.limit} times"
            lines.append(f"{indent}repeat{limit}:")
            _write(statement.head, lines, indent + "  ")
            if statement.active is not None:
                lines.append(f"{indent}  while {statement.active}")
            _write(statement.body, lines, indent + "  ")
            for carry in statement.carries:
                lines.append(f"{indent}  {carry.inner} = {carry.following}")
            for carry in statement.carries:
                lines.append(f"{indent}{carry.result} = {carry.inner}")
