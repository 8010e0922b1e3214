"""Values whose elements come from several operands: padded, joined and interleaved ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...ir.node import OpInstance
from ...language.tree import FLOAT, INT, MASK, TRUTH, UINT, Value, Whole
from ...ops.index_map import row_major
from .indices import Index
from .positions import total
from .types import KIND, converted
from .writer import Writer


class _Test(NamedTuple):
    """Condition that a coordinate is one of an element, and not of the padding."""

    coordinate: Value
    length: int
    """Number of coordinates from the first element to the last."""
    step: int
    """Distance of the elements."""


def pad(writer: Writer, at: int, index: Index) -> Value:
    """Write an element of the operand, or of the padding around and between its elements."""
    call = writer.nodes.calls[at]
    together = writer.positions.is_aligned(index) and _pads_texels(call)
    src, fill = writer.nodes.edges[at]
    filler = writer.value(fill, writer.only)
    filler = converted(writer.code, filler, writer.nodes.spec(fill).dtype, call.spec.dtype)
    if call.specs[0].size == 0:
        return filler
    coordinates, tests = _inner_coordinates(writer, call, index, together)
    steps = row_major(call.specs[0].shape)
    source = writer.code.let(total(zip(coordinates, steps, strict=True), 0), "j")
    padding = _Padding(writer, src, tests, filler)
    return padding.texel(source, coordinates) if together else padding.lanes(source)


def _pads_texels(call: OpInstance) -> bool:
    """Return True if each texel of the result is inside or outside of the operand as a whole."""
    arg: Any = call.arg
    last = max((axis for axis, sides in enumerate(arg) if any(sides)), default=None)
    if last is None:
        return True
    tail, (low, high, interior) = row_major(call.spec.shape)[last], arg[last]
    ends = (low, call.specs[0].shape[last], high)
    return tail % 4 == 0 or not (interior or any(n * tail % 4 for n in ends))


def _inner_coordinates(
    writer: Writer, call: OpInstance, index: Index, together: bool
) -> tuple[list[Whole], list[_Test]]:
    """Return coordinates in the operand, of lane 0 or of all lanes, and tests of them."""
    code, arg = writer.code, call.arg
    coordinates: list[Any] = writer.positions.coordinates(index, call.spec.shape, together)
    tests: list[_Test] = []
    for axis, (c, (low, high, interior)) in enumerate(zip(coordinates, arg, strict=True)):
        step = interior + 1
        is_padded = low or high or interior
        if isinstance(c, int) and not is_padded:
            continue
        c = code.printer.whole(c - low)
        c = code.let(c if together or c.lanes == 4 else code.vector(INT, c), "c")
        if is_padded:
            tests.append(_Test(c, (call.specs[0].shape[axis] - 1) * step + 1, step))
        coordinates[axis] = code.let(c // step, "c")
    return coordinates, tests


class _Padding(NamedTuple):
    """Reads of an operand, with a filler for elements for which the tests do not hold."""

    writer: Writer
    src: int
    tests: Sequence[_Test]
    filler: Value

    def texel(self, source: Whole, coordinates: Sequence[Whole]) -> Value:
        """Read four neighbours, for which the tests are the same."""
        code, spec = self.writer.code, self.writer.nodes.spec(self.src)
        condition: Value | None = None
        for c, length, step in self.tests:
            inside = code.printer.converted(code.printer.whole(c), UINT) < length
            condition = inside if condition is None else condition & inside
            if step > 1:
                condition = condition & code.printer.whole(c % step).equals(0)
        value = code.variable(self.filler)
        # Lanes that continue in the next row are not neighbours along the last axis.
        axes: Any = tuple((c, n) for c, n in zip(coordinates, spec.shape, strict=True) if n != 1)
        known = axes if axes and axes[-1][1] % 4 == 0 else ()
        with code.block() if condition is None else code.when(condition):
            code.assign(value, self.writer.value(self.src, Index(spec.size, source, axes=known)))
        return value

    def lanes(self, source: Whole) -> Value:
        """Read four elements, and choose those for which the tests hold."""
        code = self.writer.code
        mask: Value | None = None
        for c, length, step in self.tests:
            formula = "uint32(x) < y"
            if step > 1:
                formula += f" and uint32(x) % {step} == 0"
            inside = code.apply(formula, MASK, c, code.printer.whole(length, UINT))
            mask = inside if mask is None else code.apply("x and y", MASK, mask, inside)
        mask = code.let(code.vector(MASK, 1) if mask is None else mask, "m")
        if isinstance(source, int):
            source = code.vector(INT, source)
        chosen: Any = code.let(source * code.vector(INT, mask), "j")
        index = Index(self.writer.nodes.spec(self.src).size, lanes=chosen)
        return code.let(code.pick(mask, self.writer.value(self.src, index), self.filler))


def concat(writer: Writer, at: int, index: Index) -> Value:
    code, positions = writer.code, writer.positions
    call = writer.nodes.calls[at]
    axis, shape = call.arg, call.spec.shape
    tail = row_major(shape)[axis]
    widths = [spec.shape[axis] * tail for spec in call.specs]
    row = shape[axis] * tail
    whole = positions.aligned_first(index)
    together = whole is not None and all(width % 4 == 0 for width in widths)
    position: Any = code.printer.whole(whole or 0) if together else positions.lanes(index)
    outer = code.let(position // row, "u")
    inner = code.let(position - outer * row, "c")
    result = code.variable(code.vector(KIND[call.spec.dtype.kind], 0))
    start = 0
    for src, spec, width in zip(writer.nodes.edges[at], call.specs, widths, strict=True):
        if width == 0:
            continue
        local = inner - start
        source = outer * width + local
        if together:
            inside = (inner >= start) & (inner < start + width)
        else:
            end = code.printer.whole(width, UINT)
            inside = code.apply("any_element(uint32(x) < y)", TRUTH, local, end)
        with code.when(inside):
            if together:
                below = Index(spec.size, code.let(source, "j"))
            else:
                mask = code.let(code.apply("uint32(x) < y", MASK, local, end), "m")
                chosen = code.let(source * code.vector(INT, mask), "j")
                below = Index(spec.size, lanes=chosen)
            value = converted(code, writer.value(src, below), spec.dtype, call.spec.dtype)
            code.assign(result, value if together else code.pick(mask, value, result))
        start += width
    return result


def interleave(writer: Writer, at: int, index: Index) -> Value:
    code, positions = writer.code, writer.positions
    re, im = writer.nodes.edges[at]
    size = writer.nodes.spec(re).size
    whole: Any = positions.aligned_first(index)
    if whole is not None:
        whole = code.printer.whole(whole)
        lanes = code.let((whole >> 1) + code.vector(INT, 0, 0, 1, 1), "i")
        own = index.own and not index.stack
        below = Index(size, lanes=lanes, pair=whole, own=own)
        x, y = writer.value(re, below), writer.value(im, below)
        parts = x.lane("x"), y.lane("x"), x.lane("z"), y.lane("z")
        return code.let(code.vector(FLOAT, *parts))
    position = positions.lanes(index)
    below = Index(size, lanes=code.let(position >> 1, "i"))
    x, y = writer.value(re, below), writer.value(im, below)
    odd = code.apply("x & 1 == 1", TRUTH, position)
    return code.let(code.pick(odd, y, x))
