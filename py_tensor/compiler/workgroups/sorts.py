"""Rewrites of sorts and scatters for kernels with workgroups.

A sort becomes a sort of blocks, then merges of them. A scatter of few slices searches all of them
for each result. Others are added by atomic operations if they are integers. Floats are sorted by
index first, so that they are always added in the same order.
Input: an operation and the nodes of its operands. Output: the node that computes it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from functools import partial

from ...dtypes import float16, float32, int32, uint32
from ...ir.node import OpInstance, TensorSpec, tensor_spec
from ...ops.gathers import SCATTER_ADD
from ...ops.op_def import OpDef, accumulated
from ...ops.sorts import ARGSORT
from ...ops.views import SLICE
from ..lowered_graph import LoweredGraph, rewritten
from ..lowering.formulas import Formula
from ..lowering.scatters import searched
from ..lowering.sorts import sorted_by_rows
from .scatter_kernel import AtomicSums, ChunkSums, SegmentStarts, SegmentSums
from .sort_kernel import BLOCK, MergedBlocks, SortedBlocks

SEARCHED = 1 << 20
"""Elements that a GPU searches in the time of a kernel."""
SEARCHED_ON_PROCESSOR = 1 << 14
"""Elements that a software renderer searches in that time."""
ADDING = 1 << 18
"""Invocations that add up segments, if there are few of them."""
LONG = 1 << 13
"""Slices among which some may have one index that takes a team long."""
TEAM = 256
"""Most invocations that add a segment."""


def lower_sort(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> int:
    """Lower a sort to a sort of blocks and merges of them."""
    if not call.spec.size:
        return lowered.append(call, srcs)
    return sorted_by_rows(lowered, call, srcs[0], partial(sorted_rows, has_pairs=False))


def sorted_rows(rows: Formula, descending: bool, has_pairs: bool) -> Formula:
    """Return the positions that sort each row of a matrix, or pairs of keys and positions.

    Pairs have the shape (lines, padded length, 2).
    """
    lines, length = rows.shape
    block = min(BLOCK, max(4, 1 << (length - 1).bit_length()))
    padded = -(-length // block) * block
    pairs = tensor_spec((lines, padded, 2), uint32)
    # Buffers end with whole groups of four.
    places = tensor_spec((lines, length if lines == 1 else length + -length % 4), int32)
    stored = has_pairs or padded > block
    spec = pairs if stored else places
    result = _kernel(ARGSORT, (rows,), SortedBlocks(block, descending, stored), spec)
    while block < padded:
        stored = has_pairs or 2 * block < padded
        width = Formula(rows.graph, rows.graph.implicit_uniform(block, int32))
        spec = pairs if stored else places
        result = _kernel(ARGSORT, (result, width), MergedBlocks(stored), spec)
        block *= 2
    if has_pairs or result.shape == rows.shape:
        return result
    return result.by(SLICE, ((0, lines, 1), (0, length, 1)))


def _kernel(op: OpDef, operands: tuple[Formula, ...], arg: Hashable, spec: TensorSpec) -> Formula:
    """Append an operation that a kernel computes in the way of a static argument."""
    lowered = operands[0].graph
    srcs = tuple([operand.at for operand in operands])
    specs = tuple(map(lowered.spec, srcs))
    call = rewritten(op, arg, specs, spec, tuple([spec.dtype for spec in specs]))
    return Formula(lowered, lowered.append(call, srcs))


def lower_scatter(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> int:
    """Lower a scatter in the way that takes the least time."""
    axis, length = call.arg
    shape, count = call.specs[0].shape, call.specs[1].size
    before = math.prod(shape[:axis])
    after = math.prod(shape[axis + len(call.specs[1].shape) :])
    slices, indices = (Formula(lowered, src) for src in srcs)
    slices, indices = slices.reshape(before, count, after), indices.astype(int32).reshape(count)
    floats = call.spec.dtype.kind == "f"
    blocks = -(-count // BLOCK)
    kernels = 2 + max(blocks - 1, 0).bit_length() if floats else 1
    one = SEARCHED_ON_PROCESSOR if lowered.target.on_processor else SEARCHED
    if before * length * count * after <= kernels * one:
        sums = searched(slices, indices, length)
    elif floats:
        sums = _segments(slices, indices, length)
    else:
        sums = _atomic(slices, indices, length)
    # Sums of narrow integers are wider.
    return sums.astype(call.spec.dtype).reshape(*call.spec.shape).at


def _atomic(slices: Formula, indices: Formula, length: int) -> Formula:
    before, _, after = slices.shape
    dtype = accumulated(slices.dtype)
    spec = tensor_spec((before, length, after), uint32 if slices.dtype.kind == "b" else dtype)
    return _kernel(SCATTER_ADD, (slices, indices), AtomicSums(length), spec)


def _segments(slices: Formula, indices: Formula, length: int) -> Formula:
    """Sort the indices, and add the slices of each."""
    before, count, after = slices.shape
    # Negative indices become large ones.
    pairs = sorted_rows(indices.astype(uint32).reshape(1, count), False, has_pairs=True)
    starts = _kernel(
        SCATTER_ADD, (pairs,), SegmentStarts(length), tensor_spec((length + 1,), int32)
    )
    along, rows = (length, before) if after == 1 else (after, before * length)
    wide = along if rows == 1 else along + -along % 4
    groups = rows * -(-wide // 4)
    team = min(TEAM, max(1, ADDING // groups), count)
    chunk = 1 << (math.isqrt(count) // 4).bit_length() if count >= LONG else 0
    arg = SegmentSums(length, 1 << team.bit_length() - 1, chunk)
    shape = (before, length, 1) if after == 1 else (before, length, after)
    stored = (before, wide, 1) if after == 1 else (before, length, wide)
    dtype = float32 if slices.dtype is float16 else slices.dtype
    operands: tuple[Formula, ...] = (slices, pairs, starts)
    if chunk:
        chunks = count // chunk
        part = (before, chunks + -chunks % 4, 1) if after == 1 else (before, chunks, stored[2])
        parts = _kernel(SCATTER_ADD, operands[:2], ChunkSums(chunk), tensor_spec(part, dtype))
        operands = (*operands, parts)
    sums = _kernel(SCATTER_ADD, operands, arg, tensor_spec(stored, dtype))
    return sums if stored == shape else sums.by(SLICE, tuple((0, n, 1) for n in shape))
