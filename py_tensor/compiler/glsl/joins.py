"""GLSL of values whose elements come from several operands: padded, joined and interleaved ones."""

from __future__ import annotations

from typing import Any

from ...ops.index_map import row_major
from .indices import Index
from .integers import quotient
from .types import VECTOR, converted
from .writer import Writer


def pad(writer: Writer, at: int, index: Index) -> str:
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
    kind = "int" if together else "ivec4"
    size = writer.nodes.spec(src).size
    if size == 0:
        return _filler(writer, fill, call)
    places = positions.coordinates(index, shape, together)
    tests, terms = [], []
    for axis, (c, (low, high, interior)) in enumerate(zip(places, call.arg, strict=True)):
        c = f"{c} - {low}" if low else c
        c = code.let((at, index, axis), kind, "c", c if together else f"ivec4({c})")
        if low or high or interior:
            tests.append((c, inner[axis], interior + 1))
        places[axis] = f"({c} / {interior + 1})" if interior else c
        step = inner_strides[axis]
        terms.append(f"{places[axis]} * {step}" if step != 1 else places[axis])
    source = code.known((at, index, "source"))
    if source is None:
        source = code.name("j")
        code.offer(kind, source, " + ".join(terms) or f"{kind}(0)")
        code.keep((at, index, "source"), source)
    axes = tuple((c, n) for c, n in zip(places, inner, strict=True) if n != 1)
    filler = _filler(writer, fill, call)
    result = VECTOR[call.spec.dtype.kind]
    name = code.name("v")
    if together:
        condition = " && ".join(
            f"uint({c}) < {(n - 1) * step + 1}u" + (f" && {c} % {step} == 0" if step > 1 else "")
            for c, n, step in tests
        )
        code.line(f"{result} {name} = {filler};")
        with code.block(f"if ({condition or 'true'})"):
            # Lanes that continue in the next row are not neighbours along the last axis.
            known = axes if axes and axes[-1][1] % 4 == 0 else ()
            below = Index(size, first=source, axes=known)
            code.line(f"{name} = {writer.value(src, below)};")
        return name
    condition = " & ".join(
        f"uvec4(lessThan(uvec4({c}), uvec4({(n - 1) * step + 1}u)))"
        + (f" & uvec4(equal({c} % {step}, ivec4(0)))" if step > 1 else "")
        for c, n, step in tests
    )
    mask = code.let((at, index, "mask"), "uvec4", "m", condition or "uvec4(1u)")
    kept = code.let((at, index, "kept"), "ivec4", "j", f"{source} * ivec4({mask})")
    inside = writer.value(src, Index(size, lanes=kept))
    code.line(f"{result} {name} = pt_pick(bvec4({mask}), {inside}, {filler});")
    return name


def _filler(writer: Writer, fill: int, call: Any) -> str:
    value = writer.value(fill, Index(1, lanes="ivec4(0)"))
    return converted(value, writer.nodes.spec(fill).dtype, call.spec.dtype)


def concat(writer: Writer, at: int, index: Index) -> str:
    code, positions = writer.code, writer.positions
    call = writer.nodes.calls[at]
    axis, shape = call.arg, call.spec.shape
    tail = row_major(shape)[axis]
    widths = [spec.shape[axis] * tail for spec in call.specs]
    row = shape[axis] * tail
    whole = positions.aligned_first(index)
    together = whole is not None and all(width % 4 == 0 for width in widths)
    kind = "int" if together else "ivec4"
    position = whole if together else positions.lanes(index)
    outer = code.let((at, index, "outer"), kind, "u", quotient(str(position), row))
    inner = code.let((at, index, "inner"), kind, "c", f"{position} - {outer} * {row}")
    result = VECTOR[call.spec.dtype.kind]
    name = code.name("v")
    code.line(f"{result} {name} = {result}(0);")
    start = 0
    for src, spec, width in zip(writer.nodes.edges[at], call.specs, widths, strict=True):
        if width == 0:
            continue
        local = f"{inner} - {start}" if start else inner
        place = f"{outer} * {width} + {local}"
        key = (at, index, start)
        inside = f"lessThan(uvec4({local}), uvec4({width}u))"
        test = f"{inner} >= {start} && {inner} < {start + width}"
        with code.block(f"if ({test if together else f'any({inside})'})"):
            if together:
                below = Index(spec.size, first=code.let((*key, "j"), "int", "j", place))
            else:
                mask = code.let((*key, "m"), "uvec4", "m", f"uvec4({inside})")
                place = f"({place}) * ivec4({mask})"
                below = Index(spec.size, lanes=code.let((*key, "j"), "ivec4", "j", place))
            value = converted(writer.value(src, below), spec.dtype, call.spec.dtype)
            picked = value if together else f"pt_pick(bvec4({mask}), {value}, {name})"
            code.line(f"{name} = {picked};")
        start += width
    return name


def interleave(writer: Writer, at: int, index: Index) -> str:
    code, positions = writer.code, writer.positions
    re, im = writer.nodes.edges[at]
    size = writer.nodes.spec(re).size
    whole = positions.aligned_first(index)
    if whole is not None:
        lanes = code.known((at, index, "pairs"))
        if lanes is None:
            lanes = code.name("i")
            code.offer("ivec4", lanes, f"({whole} >> 1) + ivec4(0, 0, 1, 1)")
            code.keep((at, index, "pairs"), lanes)
        own = index.own and not index.stack
        below = Index(size, lanes=lanes, pair=whole, own=own)
        x, y = writer.value(re, below), writer.value(im, below)
        return code.named(f"vec4({x}.x, {y}.x, {x}.z, {y}.z)", "vec4")
    position = positions.lanes(index)
    lanes = code.let((at, index, "halves"), "ivec4", "i", f"{position} >> 1")
    x, y = (writer.value(part, Index(size, lanes=lanes)) for part in (re, im))
    return code.named(f"mix({x}, {y}, equal({position} & 1, ivec4(1)))", "vec4")
