"""Generate matrix products, blocked through shared memory.

A workgroup computes a block of the result. It loads panels of both operands into shared memory, and
each invocation multiplies rows of one with columns of the other into sums that it keeps in
registers. Results go through the epilogue to memory. Convolutions are such products, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ...ir.node import OpInstance
from ...language.tree import INT, Value, ValueKind, Whole
from ..codegen.positions import total
from ..codegen.types import KIND, converted, wrapped
from .workgroup_writer import ROW, WorkgroupWriter


class Blocking(NamedTuple):
    """Sizes of the blocks of a contraction."""

    down: int
    """Invocations of a workgroup along the rows of the result."""
    across: int
    """Invocations along its columns."""
    rows: int
    """Rows that an invocation computes."""
    columns: int
    """Columns that an invocation computes, a multiple of 4."""
    depth: int
    """Elements of the inner axis in a panel, a multiple of 4."""

    @property
    def invocations(self) -> int:
        return self.down * self.across

    @property
    def height(self) -> int:
        return self.down * self.rows

    @property
    def width(self) -> int:
        return self.across * self.columns

    @property
    def fours(self) -> int:
        """Groups of four columns that an invocation computes."""
        return self.columns // 4

    @property
    def pitch(self) -> int:
        """Distance of lines in shared memory, odd so that neighbours are in other banks."""
        return self.depth // 4 | 1

    def row_of(self, row: int) -> str:
        """Return the text of the row of the result of an invocation's row."""
        if self.depth == 4:
            return f"row + down * {self.rows} + {row}"
        return f"row + {row * self.down} + down"

    def column_of(self, four: int) -> str:
        """Return the text of the first column of four that an invocation computes."""
        return f"column + ({four * self.across} + across) * 4"

    def shares(self, count: int) -> Iterator[tuple[str, str]]:
        """Yield the texts of the numbers below `count` of an invocation, and their conditions."""
        for number in range(0, count, self.invocations):
            own = f"(l + {number})" if number else "l"
            yield own, f"{own} < {count}" if number + self.invocations > count else ""


class ContractionSize(NamedTuple):
    """Properties of a contraction on which the fastest blocking depends."""

    kind: str
    """Name of the operation, and the axis of each operand that has neighbours in memory."""
    dtypes: str
    """Names of the dtypes of the result and of the operands."""
    groups: int
    rows: int
    columns: int
    inner: int
    """Number of products of a result."""

    @property
    def products(self) -> int:
        """Number of all products."""
        return self.groups * self.rows * self.columns * self.inner

    @property
    def is_long(self) -> bool:
        """True if the kernel takes long enough to measure it in several blockings."""
        return self.products >= LONG_PRODUCTS


class BlockedSize(NamedTuple):
    """A contraction and the blocking that computes it."""

    size: ContractionSize
    blocking: Blocking


class _Load(NamedTuple):
    """Four elements that an invocation loads into shared memory."""

    value: str
    place: str
    guard: str
    """Condition on which they are stored, or an empty text."""


LARGE = Blocking(8, 16, 8, 4, 16)
BLOCKINGS = (LARGE, Blocking(8, 8, 4, 4, 16), Blocking(4, 16, 2, 4, 16), Blocking(16, 4, 4, 4, 16))
"""Blockings to choose from."""


LONG_PRODUCTS = 200_000_000
"""Products from which a contraction takes long, about 0.03 ms on a large GPU."""
ON_PROCESSOR = Blocking(16, 4, 4, 4, 4)
"""Blocking without shared memory."""


def waste(blocking: Blocking, rows: int, columns: int) -> float:
    """Return the elements that the blocks of a result have, relative to the result's."""
    down, across = -(-rows // blocking.height), -(-columns // blocking.width)
    return down * across * blocking.height * blocking.width / (rows * columns)


def blocking_of(groups: int, rows: int, columns: int) -> Blocking:
    """Choose the blocking of a result: the largest that occupies the device."""
    busy = [
        blocking
        for blocking in BLOCKINGS
        if groups * math.ceil(rows / blocking.height) * math.ceil(columns / blocking.width) >= 64
    ]
    return min(busy or BLOCKINGS[1:], key=lambda blocking: waste(blocking, rows, columns))


class BlockedContraction:
    """Writer of the block of one contraction.

    Subclasses define functions that load four elements of an operand: of the left one, given group,
    row and inner position, and of the right one, given group, inner position and column.
    """

    groups: int
    rows: int
    columns: int
    inner: int
    parts: int = 1
    """Parts into which the inner axis is split. Each is a group."""
    folds: int

    def __init__(self, writer: WorkgroupWriter, call: OpInstance) -> None:
        self.writer = writer
        self.code = writer.code
        self.nodes = writer.nodes
        self.call = call
        self.root = writer.kernel.root
        self.operands = self.nodes.edges[self.root]
        self.kind: ValueKind = KIND[call.spec.dtype.kind]
        self.four = self.code.printer.types[self.kind, 4]
        self.zero = f"{self.four}({self.code.printer.types[self.kind, 1]}(0))"
        """Text of four zeros."""
        self.is_upright = [True, True]
        """True for the left operand if its four elements are in a row, and for the right one if
        they are in four columns."""

    # --- loads ----------------------------------------------------------------------------------

    def size(self, number: int) -> str:
        return self.code.printer.size(number)

    def whole(self, number: Whole) -> Value:
        return self.code.printer.whole(number)

    def text(self, number: Whole) -> str:
        return self.whole(number).text

    def number(self, name: str) -> Value:
        """Return a parameter of a function."""
        return self.code.value(name, INT, 1)

    def function(self, name: str, parameters: str, lines: Iterable[str]) -> None:
        """Define a function that returns four elements."""
        names = ", ".join([f"{own}: i32" for own in parameters])
        head = f"fn {name}({names}) -> {self.four} {{"
        self.writer.definitions.append("\n".join([head, *[f"  {line}" for line in lines], "}"]))

    def four_at(self, operand: int, first: Any, step: int, together: bool) -> str:
        """Return the text of four elements of an operand, `step` apart, in the result's kind."""
        at = self.operands[operand]
        base = self.nodes.strides(at)[0]
        slot, code = self.writer.kernel.inputs.index(base), self.code
        fetches = self.writer.fetches
        if together:
            value = fetches.texel(slot, first // 4)
        else:
            start = code.printer.whole(first)
            parts = [fetches.element(slot, start + n * step) for n in range(4 if step else 1)]
            value = code.vector(fetches.kinds[slot], *parts)
        return self.converted(operand, value)

    def converted(self, operand: int, value: Value) -> str:
        """Return the text of four elements of an operand, converted to the result's dtype."""
        source = self.nodes.spec(self.operands[operand]).dtype
        return converted(self.code, value, source, self.call.spec.dtype).text

    def bounded(self, text: str, position: str, along: bool, blocking: Blocking) -> str:
        """Return four elements with zeros for those after the end of the inner axis.

        They start at a position of it, and are neighbours along it if `along`.
        """
        if self.inner % blocking.depth == 0:
            return text
        end = self.size(self.inner)
        if along and self.inner % 4:
            position = f"({position} + vec4<i32>(0, 1, 2, 3))"
            condition = f"{position} < vec4<i32>({end})"
        else:
            condition = f"{position} < {end}"
        return f"select({self.zero}, {text}, {condition})"

    def left(self, blocking: Blocking) -> None:
        """Define `pt_left(g, m, k)`."""
        raise NotImplementedError

    def right(self, blocking: Blocking) -> None:
        """Define `pt_right(g, k, n)`."""
        raise NotImplementedError

    def result_row(self, group: Value, row: Value) -> Any:
        """Return the row of the results as they are stored."""
        raise NotImplementedError

    def extent(self) -> tuple[str, str]:
        """Return the first position along the inner axis, and the end."""
        return "0", self.size(self.inner)

    def before(self, blocking: Blocking) -> Iterator[str]:
        """Yield the statements before the loop along the inner axis."""
        yield from ()

    def after(self, step: int) -> Iterator[str]:
        """Yield the statements after the loads of a step along the inner axis."""
        yield from ()

    def left_value(self, number: int, row: str, k: str) -> str:
        """Return the text of four elements of the left operand: the n-th of an invocation."""
        return f"pt_left(g, {row}, {k})"

    # --- text -----------------------------------------------------------------------------------

    def write(self) -> None:
        """Write the kernel."""
        writer = self.writer
        blocking = ON_PROCESSOR
        if not writer.target.on_processor:
            size = size_of(self)
            blocking = writer.target.blocking(size)
            if blocking is None:
                blocking = blocking_of(self.groups, self.rows, self.columns)
            writer.contraction = BlockedSize(size, blocking)
        self.left(blocking)
        self.right(blocking)
        self._keep()
        writer.workgroup = (blocking.invocations,)
        down, across = -(-self.rows // blocking.height), -(-self.columns // blocking.width)
        # Lines of many rows are folded, because grids are limited.
        self.folds = -(-down // ROW)
        writer.grid = (across, -(-down // self.folds), self.groups * self.folds)
        writer.main = "\n".join([f"  {line}" for line in self._main(blocking)])

    def _keep(self) -> None:
        """Write the function that stores four results, after the epilogue."""
        code, writer = self.code, self.writer
        m, n, v = (self.number(name) for name in "mnv")
        first = code.let(total([(m, self.columns), (n, 1)], 0), "e")
        number = code.let(first // 4, "t")
        writer.positions.numbers[first] = number
        writer.fetches.number = number
        value = wrapped(code, v.of(self.kind), self.call.spec.dtype)
        writer.fixed[self.root] = code.let(code.value(value.text, self.kind))
        count = self.call.spec.size // self.columns
        axes = ((m, count), (n, self.columns)) if count > 1 else ((n, self.columns),)
        writer.result(first, axes)
        writer.head = f"fn pt_keep(m: i32, n: i32, v: {self.four}) {{"

    def _main(self, blocking: Blocking) -> Iterator[str]:
        """Yield the statements of the kernel."""
        yield f"let across = l % {blocking.across};"
        yield f"let down = l / {blocking.across};"
        block, group = "i32(W.y)", "i32(W.z)"
        if self.folds > 1:
            block = f"i32(W.z % {self.folds}u * {self.writer.grid[1]}u + W.y)"
            group = f"i32(W.z / {self.folds}u)"
        yield f"let row = {block} * {blocking.height};"
        yield f"let column = i32(W.x) * {blocking.width};"
        yield f"let g = {group};"
        for row in range(blocking.rows):
            for four in range(blocking.fours):
                yield f"var s{row}_{four} = {self.zero};"
        if self.writer.target.on_processor:
            start, stop = self.extent()
            yield from self.before(blocking)
            yield f"for (var k = {start}; k < {stop}; k += 4) {{"
            yield from self._direct(blocking)
            yield from self.after(4)
            yield "}"
        else:
            yield from self._shared(blocking)
        m = self.result_row(self.number("g"), self.number("m"))
        for four in range(blocking.fours):
            yield f"{{ let n = {blocking.column_of(four)};"
            yield f"  if (n < {self.size(self.columns)}) {{"
            for row in range(blocking.rows):
                yield f"    {{ let m = {blocking.row_of(row)};"
                yield f"      if (m < {self.size(self.rows)}) {{"
                yield f"        pt_keep({m.text}, n, s{row}_{four}); }} }}"
            yield "  } }"

    def _direct(self, blocking: Blocking) -> Iterator[str]:
        """Yield the statements that multiply four elements of the inner axis, from memory.

        A software renderer switches between invocations at each barrier, which takes longer.
        """
        for row in range(blocking.rows):
            if self.is_upright[0]:
                yield f"  let a{row} = {self.left_value(row, blocking.row_of(row), 'k')};"
        if not self.is_upright[0]:
            for lane in range(4):
                yield f"  let t{lane} = pt_left(g, {blocking.row_of(0)}, k + {lane});"
            for row in range(4):
                lanes = ", ".join([f"t{lane}[{row}]" for lane in range(4)])
                yield f"  let a{row} = {self.four}({lanes});"
        for four in range(blocking.fours):
            n = blocking.column_of(four)
            for lane in range(4):
                place = f"k + {lane}, {n}" if self.is_upright[1] else f"k, {n} + {lane}"
                yield f"  let b{lane}_{four} = pt_right(g, {place});"
        for row in range(blocking.rows):
            for four in range(blocking.fours):
                yield from ("  " + line for line in self._sums(row, four))

    def _shared(self, blocking: Blocking) -> Iterator[str]:
        """Yield the loop over panels. A panel is loaded while the one before it is multiplied."""
        depth, pitch = blocking.depth, blocking.pitch
        left = self.writer.share(self.kind, blocking.height * pitch)
        length = depth * blocking.width // 4 if self.is_upright[1] else blocking.width * pitch
        right = self.writer.share(self.kind, length)
        loads = [*self._left_loads(blocking, left), *self._right_loads(blocking, right)]
        first, last = self.extent()
        yield from self.before(blocking)
        yield f"var start = {first};"
        for number, load in enumerate(loads):
            yield f"var p{number} = {load.value};"
        yield from self.after(depth)
        yield "loop {"
        for number, load in enumerate(loads):
            store = f"{load.place} = p{number};"
            yield f"  if ({load.guard}) {{ {store} }}" if load.guard else f"  {store}"
        yield "  workgroupBarrier();"
        yield f"  start += {depth};"
        end = f"start < {last}"
        yield f"  if ({end}) {{"
        for number, load in enumerate(loads):
            yield f"    p{number} = {load.value};"
        yield from self.after(depth)
        yield "  }"
        yield f"  for (var k = 0; k < {depth // 4}; k++) {{"
        yield from ("    " + line for line in self._products(blocking, left, right))
        yield "  }"
        yield f"  if (!({end})) {{ break; }}"
        yield "  workgroupBarrier();"
        yield "}"

    def _left_loads(self, blocking: Blocking, array: str) -> Iterator[_Load]:
        """Yield the loads of a panel of the left operand into shared memory."""
        steps, quarter = blocking.depth // 4, blocking.height // 4
        for number, (own, guard) in enumerate(blocking.shares(blocking.height * steps)):
            if self.is_upright[0]:
                i, k = f"({own} / {steps})", f"({own} % {steps})"
                place = f"{array}[{i} * {blocking.pitch} + {k}]"
                value = self.left_value(number, f"row + {i}", f"start + {k} * 4")
                yield _Load(value, place, guard)
            else:
                i, k = f"({own} % {quarter})", f"({own} / {quarter})"
                value = f"pt_left(g, row + {i} * 4, start + {k})"
                yield _Load(value, f"{array}[{own}]", guard)

    def _right_loads(self, blocking: Blocking, array: str) -> Iterator[_Load]:
        """Yield the loads of a panel of the right operand into shared memory."""
        steps, quarter = blocking.depth // 4, blocking.width // 4
        for own, guard in blocking.shares(blocking.width * steps):
            if self.is_upright[1]:
                i, k = f"({own} % {quarter})", f"({own} / {quarter})"
                value = f"pt_right(g, start + {k}, column + {i} * 4)"
                yield _Load(value, f"{array}[{own}]", guard)
            else:
                i, k = f"({own} / {steps})", f"({own} % {steps})"
                # Columns that are read together are in other banks.
                line = f"(({i} & 3) * {quarter} + ({i} >> 2u))"
                place = f"{array}[{line} * {blocking.pitch} + {k}]"
                yield _Load(f"pt_right(g, start + {k} * 4, column + {i})", place, guard)

    def _products(self, blocking: Blocking, left: str, right: str) -> Iterator[str]:
        """Yield the statements that multiply four elements of the inner axis, from panels."""
        down, across, pitch = blocking.down, blocking.across, blocking.pitch
        for row in range(blocking.rows):
            at = f"({row * down} + down)"
            if self.is_upright[0]:
                yield f"let a{row} = {left}[{at} * {pitch} + k];"
            else:
                quarter = blocking.height // 4
                column = f"({at} >> 2u)][{at} & 3]"
                lanes = [f"{left}[(k * 4 + {lane}) * {quarter} + {column}" for lane in range(4)]
                yield f"let a{row} = {self.four}({', '.join(lanes)});"
        quarter = blocking.width // 4
        for four in range(blocking.fours):
            for lane in range(4):
                line = f"{four * across} + across"
                place = f"(k * 4 + {lane}) * {quarter} + {line}"
                if not self.is_upright[1]:
                    place = f"({lane * quarter} + {line}) * {pitch} + k"
                yield f"let b{lane}_{four} = {right}[{place}];"
        for row in range(blocking.rows):
            for four in range(blocking.fours):
                yield from self._sums(row, four)

    def _sums(self, row: int, four: int) -> Iterator[str]:
        own = f"s{row}_{four}"
        if not self.is_upright[1]:
            dots = ", ".join([f"dot(a{row}, b{lane}_{four})" for lane in range(4)])
            yield f"{own} += {self.four}({dots});"
            return
        for lane, letter in enumerate("xyzw"):
            yield f"{own} += a{row}.{letter} * b{lane}_{four};"


def size_of(contraction: BlockedContraction) -> ContractionSize:
    """Return the properties of a contraction on which its fastest blocking depends."""
    call, (left, right) = contraction.call, contraction.is_upright
    return ContractionSize(
        f"{call.op.name} {'mk'[left]}{'kn'[right]}",
        " ".join([spec.dtype.name for spec in (call.spec, *call.specs)]),
        contraction.groups,
        contraction.rows,
        contraction.columns,
        contraction.inner // contraction.parts,
    )


class BlockedProduct(BlockedContraction):
    """Matrix product of (groups, rows, inner) and (groups, inner, columns)."""

    def __init__(self, writer: WorkgroupWriter, call: OpInstance) -> None:
        super().__init__(writer, call)
        self.groups, self.rows, self.columns = call.spec.shape
        self.inner = call.specs[0].shape[2]
        for operand, axis in ((0, 1), (1, 1)):
            _, strides, _ = self.nodes.strides(self.operands[operand])
            assert strides is not None
            shape = call.specs[operand].shape
            # Four elements are along the axis with neighbours in memory.
            self.is_upright[operand] = not (abs(strides[axis]) == 1 and shape[axis] > 1)

    def result_row(self, group: Value, row: Value) -> Any:
        return total([(group, self.rows), (row, 1)], 0) if self.groups > 1 else row

    def left(self, blocking: Blocking) -> None:
        self._load("pt_left", 0, "gmk", blocking)

    def right(self, blocking: Blocking) -> None:
        self._load("pt_right", 1, "gkn", blocking)

    def _load(self, name: str, operand: int, names: str, blocking: Blocking) -> None:
        _, strides, offset = self.nodes.strides(self.operands[operand])
        assert strides is not None
        shape = self.call.specs[operand].shape
        axis = 2 if self.is_upright[operand] else 1
        others = [step for n, step in zip(range(3), strides, strict=True) if n != axis]
        together = strides[axis] == 1 and shape[axis] % 4 == 0
        together = together and all(step % 4 == 0 for step in (*others, offset))
        terms = [(self.number(own), step) for own, step in zip(names, strides, strict=True)]
        first = self.code.printer.whole(total(terms if self.groups > 1 else terms[1:], offset))
        text = self.four_at(operand, self.number("p"), strides[axis], together)
        text = self.bounded(text, "k", names[axis] == "k", blocking)
        self.function(name, names, [f"let p = {first.text};", f"return {text};"])
