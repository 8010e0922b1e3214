"""Rewrites contractions into those that the tiled kernel can do.

Operands whose rows do not start at a texel are copied into padded ones; long products with few
results are cut into parts; very small products, and grouped convolutions with few channels a
group, become fused sums.
Comes in: a contraction of a Program's nodes; goes out: the node that computes it.
"""

from __future__ import annotations

import math

from ..nodes import Call, call_of
from ..ops.contractions import CONVOLVE, DOT, Window
from ..ops.elementwise import CAST
from ..ops.reductions import SUM
from ..ops.views import PAD, PERMUTE, RESHAPE, SLICE, WINDOW
from .program import Program
from .sums import FEW_RESULTS, cast, sum_of_products

FEWEST = 128
"""Products that each part of a cut-up contraction adds up at least."""


def _up(n: int) -> int:
    """The next multiple of a texel's four elements."""
    return -(-n // 4) * 4


def lower_contraction(program: Program, call: Call, srcs: tuple[int, ...]) -> int:
    """The contraction `call` of the nodes `srcs`."""
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
        total = sum_of_products(program, left, right, (2,), call)
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
            return cast(program, program.add(SUM, (each,), (0,)), call)
    whole = inner % 4 == 0
    a = _aligned(program, a, None if whole else (0, 0, _up(inner) - inner))
    b = _aligned(program, b, None if whole else (0, _up(inner) - inner, 0))
    return program.append(
        Call(DOT, None, (program.spec(a), program.spec(b)), call.spec, call.operands), (a, b)
    )


def _parts(inner: int, results: int) -> int:
    """Into how many sums a product with few results is cut, so that a GPU has enough to do."""
    wanted = min(inner // FEWEST, FEW_RESULTS * 8 // max(1, results))
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
    total = sum_of_products(program, x, w, (3, 4, 5), call)
    total = program.add(RESHAPE, (total,), (batch * oh * ow, groups, columns))
    return program.add(PERMUTE, (total,), (1, 0, 2))
