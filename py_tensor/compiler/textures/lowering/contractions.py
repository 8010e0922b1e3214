"""Rewrite contractions into those that the tiled kernel can compute.

Operands whose rows do not start at a texel are copied and padded. Contractions with few results
are split into parts, each of some of the channels, to occupy the GPU. Very small products, and
grouped convolutions with few channels per group, become fused sums.
Input: a contraction and the nodes of its operands. Output: the node that computes it.
"""

from __future__ import annotations

import math

from ....ir.node import OpInstance, op_instance, tensor_spec
from ....ops.contractions import CONVOLVE, DOT, Window
from ....ops.elementwise import CAST
from ....ops.reductions import SUM
from ....ops.views import PERMUTE, RESHAPE
from ...lowered_graph import LoweredGraph
from ...lowering.contractions import cast, convolve_by_sum, dot_by_sum
from .narrow_convolutions import PLAIN, as_rows, best_form, in_form, in_order, padded, up
from .reductions import SHORTEST


def lower_contraction(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> int:
    """Lower the contraction `call` of the nodes `srcs`."""
    if call.op is CONVOLVE:
        return _convolve(lowered, call, *srcs)
    assert call.op is DOT
    return _dot(lowered, call, *srcs)


def _dot(lowered: LoweredGraph, call: OpInstance, a: int, b: int) -> int:
    groups, rows, columns = call.spec.shape
    inner = call.specs[0].shape[2]
    if inner < 4 or max(rows, columns) < 4:
        return dot_by_sum(lowered, call, a, b)
    if columns < 4:
        # A texel holds four columns, so compute the transposed product.
        a, b = (lowered.add(PERMUTE, (at,), (0, 2, 1)) for at in (b, a))
        transposed = op_instance(DOT, (lowered.spec(a), lowered.spec(b)))
        return lowered.add(PERMUTE, (_dot(lowered, transposed, a, b),), (0, 2, 1))
    if groups == 1:
        parts = _parts(lowered, inner, 1, rows * columns)
        if parts > 1:
            a = lowered.add(RESHAPE, (a,), (rows, parts, inner // parts))
            a = lowered.add(PERMUTE, (a,), (1, 0, 2))
            b = lowered.add(RESHAPE, (b,), (parts, inner // parts, columns))
            sums = _dot(lowered, op_instance(DOT, (lowered.spec(a), lowered.spec(b))), a, b)
            return cast(lowered, lowered.add(SUM, (sums,), (0,)), call)
    whole = inner % 4 == 0
    a = _aligned(lowered, a, None if whole else (0, 0, up(inner) - inner))
    b = _aligned(lowered, b, None if whole else (0, up(inner) - inner, 0))
    return lowered.rewritten(call, (a, b), None, call.spec)


def _parts(lowered: LoweredGraph, channels: int, taps: int, results: int) -> int:
    """Return into how many parts to split the channels of a contraction with few results.

    Each fragment sums up the products of one part, one after the other, and then a kernel the
    parts. Together this takes least if there are about as many parts as steps of four products.
    """
    products = taps * channels
    wanted = min(
        products // SHORTEST, math.isqrt(products // 4), lowered.target.busy // max(1, results)
    )
    return next((n for n in range(wanted, 1, -1) if channels % (4 * n) == 0), 1)


def _aligned(lowered: LoweredGraph, at: int, high: tuple[int, ...] | None) -> int:
    """Return the operand (groups, n, m) with texels along its unit-stride axis.

    The operand itself is returned if its strides allow, else a copy whose rows are padded with
    zeros to whole texels.
    """
    shape = lowered.spec(at).shape
    if high is None:
        base, strides, offset = lowered.strides(at)
        if strides is not None and offset % 4 == 0:
            for unit, other in ((2, 1), (1, 2)):
                if (
                    strides[unit] == 1
                    and shape[unit] % 4 == 0
                    and all(strides[axis] % 4 == 0 and strides[axis] >= 0 for axis in (0, other))
                ):
                    lowered.materialized.add(base)
                    return at
        high = (0, 0, 0)
    high = (high[0], high[1], up(shape[2] + high[2]) - shape[2])
    return _whole(lowered, padded(lowered, at, *[(0, n) for n in high]))


def _whole(lowered: LoweredGraph, at: int) -> int:
    """Return the operand as a contiguous buffer: itself, or a copy if it is not in order."""
    base, stack = lowered.view(at)
    if stack:
        at = base = lowered.add(CAST, (at,), lowered.spec(at).dtype)
    lowered.materialized.add(base)
    return at


def _convolve(lowered: LoweredGraph, call: OpInstance, x: int, w: int) -> int:
    window: Window = call.arg
    groups = window.groups
    inputs, outs = call.specs[1].shape[2:]
    columns = outs // groups
    if groups > 1 and (inputs % 4 or columns % 4):
        return convolve_by_sum(lowered, call, x, w)
    if groups == 1 and window == Window((1, 1), (1, 1), (0, 0), (1, 1), window.out, 1):
        _, pixels, outs = call.spec.shape
        if math.prod(lowered.spec(x).shape[:3]) == pixels:
            x = lowered.add(RESHAPE, (x,), (1, pixels, inputs))
            w = lowered.add(RESHAPE, (w,), (1, inputs, outs))
            return _dot(lowered, op_instance(DOT, (lowered.spec(x), lowered.spec(w))), x, w)
    if groups == 1 and (form := best_form(call)) != PLAIN:
        inner, x, w = in_form(lowered, call, x, w, form)
        rows = as_rows(lowered, inner, x, w)
        if rows is None:
            at = _in_texels(lowered, inner, x, w)
        else:
            at = _dot(lowered, op_instance(DOT, tuple(map(lowered.spec, rows))), *rows)
        return in_order(lowered, call, at, form)
    return _in_texels(lowered, call, x, w)


def _in_texels(lowered: LoweredGraph, call: OpInstance, x: int, w: int) -> int:
    """Convolve images after their pixels are padded to texels."""
    window: Window = call.arg
    groups = window.groups
    inputs, outs = call.specs[1].shape[2:]
    x = padded(lowered, x, (0, 0), (0, 0), (0, 0), (0, up(inputs) - inputs))
    w = padded(lowered, w, (0, 0), (0, 0), (0, 0), (0, up(outs) - outs))
    x, w = _whole(lowered, x), _whole(lowered, w)
    _, rows, columns = call.spec.shape
    parts = _parts(lowered, inputs, math.prod(window.kernel), rows * columns) if groups == 1 else 1
    if parts == 1:
        return lowered.rewritten(call, (x, w), window, call.spec)
    spec = tensor_spec((parts, rows, columns), call.spec.dtype)
    total = lowered.rewritten(call, (x, w), window, spec)
    return cast(lowered, lowered.add(SUM, (total,), (0,)), call)
