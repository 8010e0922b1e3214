"""Rewrites what one kernel cannot do, or does badly, into what it can.

Contractions: operands whose rows do not start at a texel are copied into padded ones; long products
with few results are cut into parts; very small products, and grouped convolutions with few
channels a group, become fused sums.
Reductions: long sums with few results are cut into parts, so that the GPU has enough to do at once.
Scans: `scans` cuts them into chunks.
Comes in: a Graph; goes out: a Program.
"""

from __future__ import annotations

import math

from ..graph import Call, Graph, call_of, spec_of
from ..ops.contractions import CONVOLVE, DOT, Window
from ..ops.elementwise import CAST, EITHER, EQUAL, ISNAN, MULTIPLY, WHERE
from ..ops.reductions import MIN, SUM
from ..ops.rows import Contraction, Reduction, Scan, ViewRow
from ..ops.sources import IOTA
from ..ops.views import PAD, PERMUTE, RESHAPE, SLICE, WINDOW
from .program import FULL_ROW, Partial, Program
from .scans import lower_scan

FEW_RESULTS = 8192
"""A reduction with fewer results than this leaves most of a GPU idle ..."""
LONG = 512
"""... and is cut up where each would add up more elements than this."""
SHORTEST = 32
"""Elements or products that one part of a cut-up sum adds up at least."""


def lower(graph: Graph, draw_buffers: int) -> Program:
    """The graph in terms of operations a kernel can do, drawing into so many buffers at once."""
    program = Program(graph)
    for call, edges in zip(graph.calls, graph.edges, strict=True):
        srcs = tuple(program.origin[at] for at in edges)
        row = call.row if type(call) is Call else None
        if isinstance(row, Contraction):
            at = _contract(program, call, srcs)
        elif isinstance(row, Reduction):
            at = _reduce(program, row, srcs[0], call.arg)
        elif isinstance(row, Scan):
            at = lower_scan(program, call, srcs[0], draw_buffers)
        elif isinstance(row, ViewRow):
            at = _viewed(program, call, srcs[0])
        else:
            at = program.append(call, srcs)
        program.origin.append(at)
    return program


def _viewed(program: Program, call: Call, src: int) -> int:
    """A view, or where it undoes those before it only another shape of what they are views of."""
    at = program.append(call, (src,))
    base, stack = program.view(at)
    if stack or program.spec(base).size != call.spec.size:
        return at
    shape = call.spec.shape
    return base if program.spec(base).shape == shape else program.add(RESHAPE, (base,), shape)


def _up(n: int) -> int:
    """The next multiple of a texel's four elements."""
    return -(-n // 4) * 4


def _reduce(program: Program, row: Reduction, src: int, axes: tuple[int, ...]) -> int:
    call = call_of(row, (program.spec(src),), axes)
    results, length = call.spec.size, math.prod(call.specs[0].shape[axis] for axis in axes)
    if results >= FEW_RESULTS or length <= LONG or results == 0:
        return program.append(call, (src,))
    if row.extreme is not None:
        return _position(program, row, src, call)
    # All lanes of a GPU, and of a second pass over one long sum no more than it can do in one.
    most = min(4 * FEW_RESULTS // results, 2 * FEW_RESULTS)
    parts = max(4, min(length // SHORTEST, most) // 4 * 4)
    frame = _frame(results, length, parts)
    if not program.along(src, axes):
        partial = _partial(program, call, src, Partial(axes, parts), (parts, results))
        rest = _reduce(program, row, partial, (0,))
    elif frame is None or axes != tuple(range(len(call.specs[0].shape)))[-len(axes) :]:
        partial = _partial(program, call, src, Partial(axes, parts), (results, parts))
        rest = _reduce(program, row, partial, (1,))
    else:
        src = program.add(RESHAPE, (src,), (*frame, length))
        src = program.add(PERMUTE, (src,), TURNED)
        partial = _partial(program, call, src, Partial((4,), parts), (results, parts))
        turned = tuple(frame[axis] for axis in TURNED[:4])
        partial = program.add(RESHAPE, (partial,), (*turned, parts))
        rest = _reduce(program, row, program.add(PERMUTE, (partial,), TURNED), (4,))
    return program.add(RESHAPE, (rest,), call.spec.shape)


def _partial(
    program: Program, call: Call, src: int, partial: Partial, shape: tuple[int, int]
) -> int:
    spec = spec_of(shape, call.spec.dtype)
    specs = (program.spec(src),)
    return program.append(Call(call.row, partial, specs, spec, call.operands), (src,))


TURNED = (0, 2, 1, 3, 4)
"""Brings results to the places where `_frame` wants them; twice, back again."""


def _frame(results: int, length: int, parts: int) -> tuple[int, int, int, int] | None:
    """Axes of the results for a better order of sums in parts, or None where they do not divide.

    GPUs fetch fastest where the fragments above and below each other read texels that lie so, too.
    Results whose texels do are `below` apart, while sums of `across` results lie side by side.
    """
    below, across = 4 * FULL_ROW // length, 4 * FULL_ROW // parts
    fits = 4 * FULL_ROW % length == 4 * FULL_ROW % parts == 0 and below > 0
    if not fits or across % below or results % (2 * across):
        return None
    return results // (2 * across), across // below, 2, below


def _position(program: Program, row: Reduction, src: int, call: Call) -> int:
    """The first position that holds the extreme element: two reductions that can be cut up."""
    assert row.extreme is not None
    (axis,) = call.arg
    shape = call.specs[0].shape
    extreme = _reduce(program, row.extreme, src, call.arg)
    found = program.add(EQUAL, (src, extreme))
    if call.operands[0].kind == "f":
        found = program.add(EITHER, (found, program.add(ISNAN, (src,))))
    place = program.add(IOTA, (), tuple(n if a == axis else 1 for a, n in enumerate(shape)))
    nowhere = program.constant(shape[axis], call.spec.dtype)
    return _reduce(program, MIN, program.add(WHERE, (found, place, nowhere)), call.arg)


def _sum_of_products(program: Program, a: int, b: int, axes: tuple[int, ...], call: Call) -> int:
    product = program.add(MULTIPLY, (_cast(program, a, call), _cast(program, b, call)))
    return _cast(program, _reduce(program, SUM, product, axes), call)


def _cast(program: Program, at: int, call: Call) -> int:
    dtype = call.spec.dtype
    return at if program.spec(at).dtype is dtype else program.add(CAST, (at,), dtype)


def _contract(program: Program, call: Call, srcs: tuple[int, ...]) -> int:
    if call.row is CONVOLVE:
        return _convolve(program, call, *srcs)
    assert call.row is DOT
    return _dot(program, call, *srcs)


def _dot(program: Program, call: Call, a: int, b: int) -> int:
    groups, rows, columns = call.spec.shape
    inner = call.specs[0].shape[2]
    if inner < 4 or max(rows, columns) < 4:
        left = program.add(RESHAPE, (a,), (groups, rows, inner, 1))
        right = program.add(RESHAPE, (b,), (groups, 1, inner, columns))
        total = _sum_of_products(program, left, right, (2,), call)
        return program.add(RESHAPE, (total,), call.spec.shape)
    if columns < 4:
        # A texel holds four columns, so the product is made of the transposed operands.
        a, b = (program.add(PERMUTE, (at,), (0, 2, 1)) for at in (b, a))
        turned = call_of(DOT, (program.spec(a), program.spec(b)))
        return program.add(PERMUTE, (_dot(program, turned, a, b),), (0, 2, 1))
    if groups == 1:
        parts = _parts(inner, rows * columns)
        if parts > 1:
            a = program.add(RESHAPE, (a,), (rows, parts, inner // parts))
            a = program.add(PERMUTE, (a,), (1, 0, 2))
            b = program.add(RESHAPE, (b,), (parts, inner // parts, columns))
            each = _dot(program, call_of(DOT, (program.spec(a), program.spec(b))), a, b)
            return _cast(program, program.add(SUM, (each,), (0,)), call)
    whole = inner % 4 == 0
    a = _aligned(program, a, None if whole else (0, 0, _up(inner) - inner))
    b = _aligned(program, b, None if whole else (0, _up(inner) - inner, 0))
    return program.append(
        Call(DOT, None, (program.spec(a), program.spec(b)), call.spec, call.operands), (a, b)
    )


def _parts(inner: int, results: int) -> int:
    """Into how many sums a product with few results is cut, so that a GPU has enough to do."""
    wanted = min(inner // SHORTEST, FEW_RESULTS * 8 // max(1, results))
    return next((n for n in range(wanted, 1, -1) if inner % (4 * n) == 0), 1)


def _padded(program: Program, at: int, high: tuple[int, ...]) -> int:
    zero = program.constant(0, program.spec(at).dtype)
    return program.add(PAD, (at, zero), tuple((0, n, 0) for n in high))


def _aligned(program: Program, at: int, high: tuple[int, ...] | None) -> int:
    """The operand (groups, n, m) such that texels run along its unit-stride axis.

    Itself where its strides allow, else a copy whose rows are padded with zeros to whole texels.
    """
    shape = program.spec(at).shape
    if high is None:
        base, strides, offset = program.strides(at)
        if strides is not None and offset % 4 == 0:
            for unit, other in ((2, 1), (1, 2)):
                if (
                    strides[unit] == 1
                    and shape[unit] % 4 == 0
                    and all(strides[axis] % 4 == 0 and strides[axis] >= 0 for axis in (0, other))
                ):
                    program.forced.add(base)
                    return at
        high = (0, 0, 0)
    high = (high[0], high[1], _up(shape[2] + high[2]) - shape[2])
    return _whole(program, _padded(program, at, high) if any(high) else at)


def _whole(program: Program, at: int) -> int:
    """The operand as a stored contiguous buffer: itself, or a copy where it is a real view."""
    base, stack = program.view(at)
    if stack:
        at = base = program.add(CAST, (at,), program.spec(at).dtype)
    program.forced.add(base)
    return at


def _convolve(program: Program, call: Call, x: int, w: int) -> int:
    window: Window = call.arg
    groups = window.groups
    each, outs = call.specs[1].shape[2:]
    columns = outs // groups
    if groups > 1 and (each % 4 or columns % 4):
        return _convolve_by_sum(program, call, x, w)
    if groups == 1 and window == Window((1, 1), (1, 1), (0, 0), (1, 1), window.out, 1):
        _, pixels, outs = call.spec.shape
        if math.prod(program.spec(x).shape[:3]) == pixels:
            x = program.add(RESHAPE, (x,), (1, pixels, each))
            w = program.add(RESHAPE, (w,), (1, each, outs))
            return _dot(program, call_of(DOT, (program.spec(x), program.spec(w))), x, w)
    if each % 4:
        x = _padded(program, x, (0, 0, 0, _up(each) - each))
    if columns % 4:
        w = _padded(program, w, (0, 0, 0, _up(outs) - outs))
    x, w = _whole(program, x), _whole(program, w)
    return program.append(
        Call(CONVOLVE, window, (program.spec(x), program.spec(w)), call.spec, call.operands), (x, w)
    )


def _convolve_by_sum(program: Program, call: Call, x: int, w: int) -> int:
    """Groups too narrow for texels: the sum over windows, one output channel a lane."""
    (kh, kw), (sh, sw), (ph, pw), (dh, dw), (oh, ow), groups = call.arg
    batch, height, width, channels = call.specs[0].shape
    each, columns = channels // groups, call.specs[1].shape[3] // groups
    bottom = max(0, (oh - 1) * sh + (kh - 1) * dh + 1 - height - ph)
    right = max(0, (ow - 1) * sw + (kw - 1) * dw + 1 - width - pw)
    zero = program.constant(0, program.spec(x).dtype)
    x = program.add(PAD, (x, zero), ((0, 0, 0), (ph, bottom, 0), (pw, right, 0), (0, 0, 0)))
    x = program.add(WINDOW, (x,), ((1, kh, sh, dh), (2, kw, sw, dw)))
    full = program.spec(x).shape
    if full[1:3] != (oh, ow):
        x = program.add(SLICE, (x,), tuple((0, n, 1) for n in (batch, oh, ow, channels, kh, kw)))
    x = program.add(RESHAPE, (x,), (batch, oh, ow, groups, 1, each, kh, kw))
    x = program.add(PERMUTE, (x,), (0, 1, 2, 6, 7, 5, 3, 4))
    w = program.add(RESHAPE, (w,), (1, 1, 1, kh, kw, each, groups, columns))
    total = _sum_of_products(program, x, w, (3, 4, 5), call)
    total = program.add(RESHAPE, (total,), (batch * oh * ow, groups, columns))
    return program.add(PERMUTE, (total,), (1, 0, 2))
