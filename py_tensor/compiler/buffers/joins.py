"""Values joined from several operands, whose coordinates are known: padded, joined, gathered ones.

Input: a node and an `Index` with axes. Output: its four lanes. Lanes that belong to one operand are
read from it at once. Indices without axes, and lanes of several operands, are left to the functions
for all targets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...language.tree import INT, UINT, Value, Whole
from ...ops.index_map import Shape, View, contiguous, steps
from ...ops.op_def import Concat, Gather, Pad
from ..codegen import joins
from ..codegen.expressions import EXPRESSIONS
from ..codegen.indices import Index
from ..codegen.positions import by_axes, total
from ..codegen.types import KIND, converted
from ..codegen.writer import Expression, NodeAtIndex
from .buffer_writer import BufferWriter
from .storage import GROUP


class Coordinate(NamedTuple):
    """Coordinate of the lanes along an axis."""

    first: Whole
    """That of lane 0."""
    low: int
    """Least value, of all lanes."""
    high: int
    """Greatest value, of all lanes."""
    count: int = 0
    """Number of neighbours that the lanes are; 0 if all lanes have the same coordinate."""

    def after(self, writer: BufferWriter, start: int) -> Coordinate:
        """Return the coordinate counted from a start."""
        if not start:
            return self
        first = writer.code.let(self.first - start, "c")
        return Coordinate(first, self.low - start, self.high - start, self.count)

    def within(self, writer: BufferWriter, length: int) -> Coordinate:
        """Return the coordinate where it is below a length, which is a condition around it."""
        low, high = max(self.low, 0), min(self.high, length - 1)
        if (low, high) == (self.low, self.high):
            return self
        return Coordinate(writer.code.variable(self.first, "d"), low, high, self.count)


def located(writer: BufferWriter, index: Index, shape: Shape) -> list[Coordinate] | None:
    """Return the coordinates of an index in a value of this shape.

    None is returned if they are unknown, or if the lanes are not neighbours along one axis.
    """
    if len(index.stack) > 1 or not index.axes:
        return None
    view = index.stack[0] if index.stack else contiguous(shape)
    known = [] if view.is_constant else by_axes(view, index.axes)
    if known is None:
        return None
    lengths = {c.text: n for c, n in index.axes}
    if len(lengths) < len(index.axes):
        return None
    sizes = tuple([lengths[c.text] for c, _ in known])
    split = steps(View(sizes, tuple([step for _, step in known]), view.offset), shape)
    if split is None:
        return None
    result: list[Coordinate] = []
    for axis, offset in enumerate(split[0]):
        terms: list[tuple[Whole, int]] = []
        count, low, high = 0, offset, offset
        for (c, _), along in zip(known, split[1], strict=True):
            if step := along[axis]:
                ends = [n * step for n in writer.ranges.get(c.text, (0, lengths[c.text] - 1))]
                low, high = low + min(ends), high + max(ends)
                is_first = index.first is not None and c is index.axes[-1][0]
                if c.lanes > 1 or is_first:
                    count = GROUP if is_first else writer.counts.get(c.text, 0)
                    if step != 1 or not count:
                        return None
                terms.append((writer.firsts.get(c.text, c), step))
        result.append(Coordinate(total(terms, offset), low, high, count))
    return result


def _value(writer: BufferWriter, at: int, coordinates: Sequence[Coordinate]) -> Value:
    """Return the lanes of a node at coordinates."""
    spec = writer.nodes.spec(at)
    axes: list[tuple[Value, int]] = []
    for (first, low, high, count), length in zip(coordinates, spec.shape, strict=True):
        if count:
            c = writer.lanes_from(first, count)
        elif length == 1:
            continue
        elif isinstance(first, int) or first.text in [other.text for other, _ in axes]:
            # Axes are told apart by their coordinates.
            c = writer.code.variable(first, "d")
        else:
            c = first
        writer.ranges[c.text] = low, high
        axes.append((c, length))
    return writer.value(at, writer.index(spec.size, tuple(axes)))


def _by_cases(
    writer: BufferWriter, cases: Sequence[tuple[Value | None, Callable[[], Value]]], start: Value
) -> Value:
    """Return the value of the case whose condition holds, or of that without a condition."""
    for condition, write in cases:
        if condition is None:
            return write()
    result = writer.code.variable(start)
    for condition, write in cases:
        assert condition is not None
        with writer.code.when(condition):
            writer.code.assign(result, write())
    return result


def _inside(writer: BufferWriter, c: Coordinate, length: int) -> Value | bool | None:
    """Return the condition that a coordinate is below a length; None if the lanes differ."""
    if c.low >= 0 and c.high < length:
        return True
    if c.high < 0 or c.low >= length:
        return False
    printer = writer.code.printer
    if c.count:
        return None
    return printer.converted(printer.whole(c.first), UINT) < length


def pad(writer: BufferWriter, at: int, index: Index) -> Value:
    """Write elements of the operand, or of the padding around them."""
    code, nodes, call = writer.code, writer.nodes, writer.nodes.calls[at]
    src, fill = nodes.edges[at]
    shape = call.specs[0].shape
    coordinates = located(writer, index, call.spec.shape)
    if coordinates is None or any(interior for *_, interior in call.arg) or 0 in shape:
        return joins.pad(writer, at, index)
    whole: Value | None = None
    inner = []
    for c, (low, _, _), length in zip(coordinates, call.arg, shape, strict=True):
        own = c.after(writer, low)
        inside = _inside(writer, own, length)
        if inside is None:
            return joins.pad(writer, at, index)
        if isinstance(inside, Value):
            whole = inside if whole is None else whole & inside
        if inside is False:
            inner.clear()
            break
        inner.append(own.within(writer, length))
    filler = writer.value(fill, writer.only)
    filler = converted(code, filler, nodes.spec(fill).dtype, call.spec.dtype)
    if len(inner) < len(shape):
        return filler
    return _by_cases(writer, [(whole, lambda: _value(writer, src, inner))], filler)


def concat(writer: BufferWriter, at: int, index: Index) -> Value:
    """Write elements of the operand to which the lanes belong."""
    code, call = writer.code, writer.nodes.calls[at]
    axis, dtype = call.arg, call.spec.dtype
    coordinates = located(writer, index, call.spec.shape)
    if coordinates is None:
        return joins.concat(writer, at, index)
    cases: list[tuple[Value | None, Callable[[], Value]]] = []
    start = 0
    for src, spec in zip(writer.nodes.edges[at], call.specs, strict=True):
        length = spec.shape[axis]
        own = coordinates[axis].after(writer, start)
        inside = _inside(writer, own, length)
        if inside is None:
            return joins.concat(writer, at, index)
        start += length
        if inside is False:
            continue
        own = own.within(writer, length)
        below = [*coordinates[:axis], own, *coordinates[axis + 1 :]]

        def write(src: int = src, spec: Any = spec, below: list[Coordinate] = below) -> Value:
            return converted(code, _value(writer, src, below), spec.dtype, dtype)

        cases.append((None if inside is True else inside, write))
    return _by_cases(writer, cases, code.vector(KIND[dtype.kind], 0))


def _gather_operands(writer: BufferWriter, at: int, index: Index) -> list[NodeAtIndex]:
    return [] if _gathered(writer, at, index) else EXPRESSIONS[Gather].operands(writer, at, index)


def _gathered(writer: BufferWriter, at: int, index: Index) -> list[Coordinate] | None:
    """Return the coordinates in the result of a gather if all lanes take the same slice."""
    call = writer.nodes.calls[at]
    coordinates = located(writer, index, call.spec.shape)
    if coordinates is None or 0 in call.specs[0].shape:
        return None
    own = coordinates[call.arg : call.arg + len(call.specs[1].shape)]
    return None if any(c.count for c in own) else coordinates


def gather(writer: BufferWriter, at: int, index: Index, *indices: Value) -> Value:
    """Write elements of slices at indices."""
    coordinates = None if indices else _gathered(writer, at, index)
    if coordinates is None:
        return EXPRESSIONS[Gather].write(writer, at, index, *indices)  # type: ignore[no-any-return]
    code, call, (src, places) = writer.code, writer.nodes.calls[at], writer.nodes.edges[at]
    axis, after = call.arg, call.arg + len(call.specs[1].shape)
    length = call.specs[0].shape[axis]
    taken = _value(writer, places, coordinates[axis:after])
    taken = code.apply("place(x, y)", INT, taken, code.vector(INT, length))
    own = Coordinate(code.let(code.let(taken).lane("x"), "j"), 0, length - 1)
    return _value(writer, src, [*coordinates[:axis], own, *coordinates[after:]])


BUFFER_EXPRESSIONS = {
    **EXPRESSIONS,
    Pad: Expression(pad),
    Concat: Expression(concat),
    Gather: Expression(gather, _gather_operands),
}
"""Expression of each kind of operation that a kernel for linear memory can inline."""
