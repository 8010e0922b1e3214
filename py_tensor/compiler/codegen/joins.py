"""Values whose elements come from several operands: padded, joined and interleaved ones."""

from __future__ import annotations

from typing import Any

from ...language.tree import FLOAT, INT, MASK, TRUTH, UINT, Value
from ...ops.index_map import row_major
from .indices import Index
from .types import KIND, converted
from .writer import Writer


def pad(writer: Writer, at: int, index: Index) -> Value:
    code, positions = writer.code, writer.positions
    call = writer.nodes.calls[at]
    src, fill = writer.nodes.edges[at]
    shape, inner = call.spec.shape, call.specs[0].shape
    inner_strides = row_major(inner)
    last = max((axis for axis, width in enumerate(call.arg) if any(width)), default=-1)
    whole = True
    if last >= 0:
        tail = row_major(shape)[last]
        low, high, interior = call.arg[last]
        # A texel is inside or outside as a whole if the border starts and ends with a texel.
        between = not interior and all(n * tail % 4 == 0 for n in (low, inner[last], high))
        whole = tail % 4 == 0 or between
    together = positions.is_aligned(index) and whole
    size = writer.nodes.spec(src).size
    filler = converted(
        code,
        writer.value(fill, writer.only),
        writer.nodes.spec(fill).dtype,
        call.spec.dtype,
    )
    if size == 0:
        return filler
    places = positions.coordinates(index, shape, together)
    tests: list[tuple[Value, int, int]] = []
    source: Any = 0
    for axis, (c, (low, high, interior)) in enumerate(zip(places, call.arg, strict=True)):
        if isinstance(c, int) and not (low or high or interior):
            source = source + c * inner_strides[axis]
            continue
        c = code.printer.whole(c - low)
        c = code.let(c if together or c.lanes == 4 else code.vector(INT, c), "c")
        if low or high or interior:
            tests.append((c, inner[axis], interior + 1))
        places[axis] = code.let(c // (interior + 1), "c")
        source = source + places[axis] * inner_strides[axis]
    source = code.let(source, "j")
    if together:
        condition: Any = None
        for c, n, step in tests:
            inside = code.call(code.printer.types[UINT, 1], UINT, c, lanes=1) < (n - 1) * step + 1
            condition = inside if condition is None else condition & inside
            if step > 1:
                condition = condition & code.printer.whole(c % step).equals(0)
        value = code.variable(filler)
        # Lanes that continue in the next row are not neighbours along the last axis.
        axes = tuple((c, n) for c, n in zip(places, inner, strict=True) if n != 1)
        known = axes if axes and axes[-1][1] % 4 == 0 else ()
        with code.block() if condition is None else code.when(condition):
            code.assign(value, writer.value(src, Index(size, source, axes=known)))
        return value
    mask: Any = None
    for c, n, step in tests:
        formula = "uint32(x) < y"
        if step > 1:
            formula += f" and uint32(x) % {step} == 0"
        inside = code.apply(formula, MASK, c, code.printer.whole((n - 1) * step + 1, UINT))
        mask = inside if mask is None else code.apply("x and y", MASK, mask, inside)
    mask = code.let(code.vector(MASK, 1) if mask is None else mask, "m")
    if isinstance(source, int):
        source = code.vector(INT, source)
    chosen: Any = code.let(source * code.vector(INT, mask), "j")
    value = writer.value(src, Index(size, lanes=chosen))
    return code.let(code.pick(mask, value, filler))


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
        place = outer * width + local
        if together:
            inside = (inner >= start) & (inner < start + width)
        else:
            end = code.printer.whole(width, UINT)
            inside = code.apply("any_element(uint32(x) < y)", TRUTH, local, end)
        with code.when(inside):
            if together:
                below = Index(spec.size, code.let(place, "j"))
            else:
                mask = code.let(code.apply("uint32(x) < y", MASK, local, end), "m")
                chosen = code.let(place * code.vector(INT, mask), "j")
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
