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
from .workgroup_writer import WorkgroupWriter


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


LARGE = Blocking(16, 16, 4, 4, 16)
BLOCKINGS = (LARGE, Blocking(8, 8, 4, 4, 16), Blocking(4, 16, 2, 4, 16), Blocking(16, 4, 4, 4, 16))
"""Blockings to choose from."""


def blocking_of(groups: int, rows: int, columns: int) -> Blocking:
    """Choose the blocking of a result: the largest that occupies the device."""

    def waste(blocking: Blocking) -> float:
        down, across = -(-rows // blocking.height), -(-columns // blocking.width)
        return down * across * blocking.height * blocking.width / (rows * columns)

    busy = [
        blocking
        for blocking in BLOCKINGS
        if groups * math.ceil(rows / blocking.height) * math.ceil(columns / blocking.width) >= 64
    ]
    return min(busy or BLOCKINGS[1:], key=waste)


class BlockedContraction:
    """Writer of the block of one contraction.

    Subclasses define functions that load four elements of an operand: of the left one, given group,
    row and inner position, and of the right one, given group, inner position and column.
    """

    groups: int
    rows: int
    columns: int
    inner: int

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

    # --- text -----------------------------------------------------------------------------------

    def write(self) -> None:
        """Write the kernel."""
        writer = self.writer
        blocking = blocking_of(self.groups, self.rows, self.columns)
        self.left(blocking)
        self.right(blocking)
        self._keep()
        writer.workgroup = (blocking.invocations,)
        down, across = -(-self.rows // blocking.height), -(-self.columns // blocking.width)
        writer.grid = (across, down, self.groups)
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
        down, across, rows, columns, depth = blocking
        fours = columns // 4
        share = [
            self.writer.share(self.kind, blocking.height * self._pitch(depth)),
            self.writer.share(self.kind, self._right_size(blocking)),
        ]
        yield f"let across = l % {across};"
        yield f"let down = l / {across};"
        yield f"let row = i32(W.y) * {blocking.height};"
        yield f"let column = i32(W.x) * {blocking.width};"
        yield "let g = i32(W.z);"
        for row in range(rows):
            for four in range(fours):
                yield f"var s{row}_{four} = {self.zero};"
        start, stop = self.extent()
        yield from self._before(blocking)
        yield f"for (var start = {start}; start < {stop}; start += {depth}) {{"
        yield from ("  " + line for line in self._loads(blocking, share))
        yield "  workgroupBarrier();"
        yield f"  for (var k = 0; k < {depth // 4}; k++) {{"
        yield from ("    " + line for line in self._products(blocking, share))
        yield "  }"
        yield "  workgroupBarrier();"
        yield "}"
        for four in range(fours):
            yield "{"
            yield f"  let n = column + ({four * across} + across) * 4;"
            yield f"  if (n < {self.size(self.columns)}) {{"
            for row in range(rows):
                m = self.result_row(self.number("g"), self.number("m"))
                yield f"    {{ let m = row + {row * down} + down;"
                text = f"pt_keep({m.text}, n, s{row}_{four})"
                yield f"      if (m < {self.size(self.rows)}) {{ {text}; }} }}"
            yield "  }"
            yield "}"

    def _pitch(self, depth: int) -> int:
        """Return the distance of rows in shared memory, odd so that reads are of other banks."""
        return depth // 4 | 1

    def _right_size(self, blocking: Blocking) -> int:
        if self.is_upright[1]:
            return blocking.depth * blocking.width // 4
        return blocking.width * self._pitch(blocking.depth)

    def _before(self, blocking: Blocking) -> Iterator[str]:
        """Yield the statements before the loop over panels."""
        yield from ()

    def _loads(self, blocking: Blocking, share: list[str]) -> Iterator[str]:
        """Yield the statements that load a panel of each operand."""
        yield from self._left_loads(blocking, share[0])
        yield from self._right_loads(blocking, share[1])

    def _left_loads(self, blocking: Blocking, share: str) -> Iterator[str]:
        pitch, steps = self._pitch(blocking.depth), blocking.depth // 4
        for text, block in self._each(blocking.height * steps, blocking):
            if self.is_upright[0]:
                yield f"{block} let i = ({text}) / {steps}; let k = ({text}) % {steps};"
                load = "pt_left(g, row + i, start + k * 4)"
                yield f"  {share}[i * {pitch} + k] = {load}; }}"
            else:
                quarter = blocking.height // 4
                yield f"{block} let i = ({text}) % {quarter}; let k = ({text}) / {quarter};"
                load = "pt_left(g, row + i * 4, start + k)"
                yield f"  {share}[k * {quarter} + i] = {load}; }}"

    def _right_loads(self, blocking: Blocking, share: str) -> Iterator[str]:
        pitch, steps = self._pitch(blocking.depth), blocking.depth // 4
        for text, block in self._each(blocking.width * steps, blocking):
            if self.is_upright[1]:
                quarter = blocking.width // 4
                yield f"{block} let i = ({text}) % {quarter}; let k = ({text}) / {quarter};"
                load = "pt_right(g, start + k, column + i * 4)"
                yield f"  {share}[k * {quarter} + i] = {load}; }}"
            else:
                yield f"{block} let i = ({text}) / {steps}; let k = ({text}) % {steps};"
                load = "pt_right(g, start + k * 4, column + i)"
                place = f"((i & 3) * {blocking.width // 4} + (i >> 2u)) * {pitch} + k"
                yield f"  {share}[{place}] = {load}; }}"

    @staticmethod
    def _each(count: int, blocking: Blocking) -> Iterator[tuple[str, str]]:
        """Yield the texts of the numbers, below `count`, of an invocation, with heads of blocks."""
        for number in range(0, count, blocking.invocations):
            is_whole = number + blocking.invocations <= count
            yield f"l + {number}", "{" if is_whole else f"if (l + {number} < {count}) {{"

    def _products(self, blocking: Blocking, share: list[str]) -> Iterator[str]:
        """Yield the statements that multiply four elements of the inner axis."""
        down, across, rows, columns, depth = blocking
        pitch, fours, quarter = self._pitch(depth), columns // 4, blocking.width // 4
        if self.is_upright[0]:
            for row in range(rows):
                yield f"let a{row} = {share[0]}[({row * down} + down) * {pitch} + k];"
        if self.is_upright[1]:
            for lane in range(4):
                for four in range(fours):
                    place = f"(k * 4 + {lane}) * {quarter} + {four * across} + across"
                    yield f"let b{lane}_{four} = {share[1]}[{place}];"
        else:
            for four in range(fours):
                for lane in range(4):
                    place = f"({lane * quarter} + {four * across} + across) * {pitch} + k"
                    yield f"let b{lane}_{four} = {share[1]}[{place}];"
        if not self.is_upright[0]:
            for row in range(rows):
                at = f"{row * down} + down"
                parts = ", ".join(
                    [
                        f"{share[0]}[(k * 4 + {lane}) * {blocking.height // 4} "
                        f"+ (({at}) >> 2u)][({at}) & 3]"
                        for lane in range(4)
                    ]
                )
                yield f"let a{row} = {self.four}({parts});"
        for row in range(rows):
            for four in range(fours):
                yield from self._sums(row, four)

    def _sums(self, row: int, four: int) -> Iterator[str]:
        own = f"s{row}_{four}"
        if not self.is_upright[1]:
            dots = ", ".join([f"dot(a{row}, b{lane}_{four})" for lane in range(4)])
            yield f"{own} += {self.four}({dots});"
            return
        for lane, letter in enumerate("xyzw"):
            yield f"{own} += a{row}.{letter} * b{lane}_{four};"


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
