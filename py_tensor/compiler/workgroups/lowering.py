"""Rewrites of operations for kernels with workgroups.

Input: an operation and the nodes of its operands. Output: the node that computes it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable

from ...dtypes import int8, int32, uint8
from ...ir.node import OpInstance, op_instance, tensor_spec
from ...ops.contractions import DOT
from ...ops.elementwise import CAST
from ...ops.op_def import Reduction, ViewOp
from ...ops.reductions import SUM
from ...ops.views import PERMUTE, RESHAPE, SLICE
from ..fusion.rows import row_frame_of
from ..lowered_graph import LoweredGraph, ScanBlock, SplitReduction
from ..lowering.contractions import (
    cast,
    dot_by_sum,
    stored_operands,
)
from ..lowering.scans import frame_of, scan_of_chunks
from .packed_kernel import PackedProduct
from .row_kernel import BUSY_PROCESSOR, MOST
from .scan_kernel import LINE
from .workgroup_writer import MOST_GROUPS

BUSY = 1 << 17
"""Invocations that occupy a GPU."""
LINE_TEAM = 16
"""Invocations that combine the elements of four neighbouring results."""
SHORTEST = 4096
"""Smallest number of elements that a team combines of a part of a split reduction.

A reduction that is not split may share a kernel with others of the same rows."""
WALK = 16
"""Elements along which an invocation walks at least in a scan that is not along the last axis."""
BLOCK = 32
"""Rows and columns of a small block of a product."""
BLOCKS = 256
"""Small blocks that occupy a GPU."""
SHORTEST_PART = 128
"""Smallest inner axis of a part of a split product."""
FEWEST_PARTS = 4
"""Smallest number of parts into which a product is split."""


def lower_reduction(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> int:
    """Split a long reduction with few results into parts, to occupy the device."""
    assert isinstance(call.op, Reduction)
    (src,) = srcs
    axes, results = call.arg, call.spec.size
    length = call.specs[0].size // max(results, 1)
    along = lowered.along(src, axes)
    if row_frame_of(call, lowered.lane_axis(src)) is None and not along:
        own, shortest = -(-results // 4) * min(LINE_TEAM, length), 4 * LINE_TEAM
    else:
        own, shortest = results * min(MOST, length // 4), SHORTEST
    busy = BUSY_PROCESSOR if lowered.target.on_processor else BUSY
    parts = min(busy // max(own, 1), length // shortest) // 4 * 4
    if parts < 4 or not results or call.op.index:
        return lowered.append(call, srcs)
    shape = (results, parts) if along else (parts, results)
    spec = tensor_spec(shape, call.spec.dtype)
    partial = lowered.rewritten(call, srcs, SplitReduction(axes, parts), spec)
    again = op_instance(call.op, (spec,), (1,) if along else (0,))
    rest = lowered.append(again, (partial,))
    return lowered.add(RESHAPE, (rest,), call.spec.shape)


def lower_scan(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> int:
    """Lower a scan to scans of chunks."""
    if not call.spec.size:
        return lowered.append(call, srcs)
    _, initial = call.arg
    outer, length, inner = frame_of(call)
    frame, axis = ((1, outer, length), 2) if inner == 1 else ((outer, length, inner), 1)
    at = lowered.add(RESHAPE, srcs, frame)
    at = _chunked(lowered, call, at, ScanBlock(axis, initial, 0, alone=False))
    return lowered.add(RESHAPE, (at,), call.spec.shape)


def _chunked(lowered: LoweredGraph, call: OpInstance, src: int, block: ScanBlock) -> int:
    """Scan an operand (groups, rows, columns): in chunks if that occupies more of the device."""
    if block.alone:
        return _scan_of_block(lowered, call, src, block)
    outer, _, columns = lowered.spec(src).shape
    length = lowered.spec(src).shape[block.axis] + block.initial
    chunk = LINE
    if block.axis == 1:
        busy = BUSY_PROCESSOR if lowered.target.on_processor else BUSY
        own = outer * -(-columns // 4)
        chunk = length if 4 * own >= busy else max(WALK, math.isqrt(length))
    if length <= chunk:
        return _scan_of_block(lowered, call, src, block._replace(chunk=length + -length % 4))
    return scan_of_chunks(lowered, call, src, block._replace(chunk=chunk, alone=True), _chunked)


def _scan_of_block(lowered: LoweredGraph, call: OpInstance, src: int, block: ScanBlock) -> int:
    """Append the scan of chunks, whose results are stored in lines of whole groups of four."""
    shape = list(lowered.spec(src).shape)
    shape[block.axis] += block.initial
    wide = (*shape[:2], shape[2] + -shape[2] % 4)
    spec = tensor_spec(wide, call.spec.dtype)
    at = lowered.rewritten(call, (src,), block._replace(alone=True), spec)
    if wide[2] == shape[2]:
        return at
    lowered.materialized.add(at)
    return lowered.add(SLICE, (at,), tuple((0, n, 1) for n in shape))


def lower_dot(lowered: LoweredGraph, call: OpInstance, a: int, b: int) -> int:
    """Lower a matrix product: to a blocked one, or to a sum of products if it is narrow."""
    groups, rows, columns = call.spec.shape
    inner = call.specs[0].shape[2]
    if inner < 4 or min(rows, columns) < 2 or groups > MOST_GROUPS:
        return dot_by_sum(lowered, call, a, b)
    if groups == 1:
        parts = 1 if lowered.target.on_processor else parts_of(inner, rows, columns, 4)
        if parts > 1:
            a = lowered.add(RESHAPE, (a,), (rows, parts, inner // parts))
            a = lowered.add(PERMUTE, (a,), (1, 0, 2))
            b = lowered.add(RESHAPE, (b,), (parts, inner // parts, columns))
            sums = _blocked(lowered, op_instance(DOT, (lowered.spec(a), lowered.spec(b))), a, b)
            return cast(lowered, added_up(lowered, sums), call)
    return _blocked(lowered, call, a, b)


def added_up(lowered: LoweredGraph, parts: int) -> int:
    """Add up the parts of a split contraction."""
    return lower_reduction(lowered, op_instance(SUM, (lowered.spec(parts),), (0,)), (parts,))


def parts_of(inner: int, rows: int, columns: int, step: int) -> int:
    """Return into how many parts to split the inner axis of a contraction with few results.

    The length of a part is a multiple of `step`. Adding up the parts takes a further kernel, which
    few parts do not pay for.
    """
    blocks = -(-rows // BLOCK) * -(-columns // BLOCK)
    wanted = min(inner // SHORTEST_PART, BLOCKS // max(blocks, 1))
    parts = range(wanted, FEWEST_PARTS - 1, -1)
    return next((n for n in parts if inner % (step * n) == 0), 1)


def _blocked(lowered: LoweredGraph, call: OpInstance, a: int, b: int) -> int:
    """Append a blocked product; results are stored in rows of whole groups of four."""
    groups, rows, columns = call.spec.shape
    arg, (a, b) = _packed(lowered, call, (a, b))
    a, b = stored_operands(lowered, (a, b))
    more = -columns % 4
    if not more or not call.spec.size:
        return lowered.rewritten(call, (a, b), arg, call.spec)
    spec = tensor_spec((groups, rows, columns + more), call.spec.dtype)
    at = lowered.rewritten(call, (a, b), arg, spec)
    return lowered.add(SLICE, (at,), tuple((0, n, 1) for n in call.spec.shape))


def _packed(
    lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]
) -> tuple[Hashable, tuple[int, ...]]:
    """Return the static argument and the operands of a product of 8-bit integers, if it is one."""
    if call.spec.dtype is int32 and lowered.target.packed_products and call.specs[0].size:
        narrow = [_narrow(lowered, src) for src in srcs]
        dtypes = {lowered.spec(at).dtype for at in narrow}
        if dtypes in ({int8}, {uint8}):
            return PackedProduct(), tuple(narrow)
    return call.arg, srcs


def _narrow(lowered: LoweredGraph, at: int) -> int:
    """Return a node before its conversion from 8-bit integers, which may be below views."""
    views = []
    base = at
    while isinstance(lowered.op(base), ViewOp):
        views.append(lowered.calls[base])
        (base,) = lowered.edges[base]
    if lowered.op(base) is not CAST or lowered.spec(lowered.edges[base][0]).dtype.itemsize > 1:
        return at
    (base,) = lowered.edges[base]
    for view in reversed(views):
        base = lowered.add(view.op, (base,), view.arg)
    return base
