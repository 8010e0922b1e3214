"""Rewrite a scan into scans of separate chunks and a scan of the chunks' totals.

A fragment computes a chunk of neighbouring results, as many as it can draw at once, so each element
is read once. The totals of the chunks are scanned in the same way, and consumers combine them with
the chunks' elements. If little would be read repeatedly, a fragment instead reads everything before
its chunk, which saves a draw.
Input: a scan and the node of its operand. Output: the node that computes it.
"""

from __future__ import annotations

import math

from ....ir.node import OpInstance, tensor_spec
from ....ops.op_def import Scan
from ....ops.views import BROADCAST, RESHAPE, SLICE
from ...lowered_graph import LoweredGraph, ScanBlock

READ_AGAIN = 1 << 20
"""Elements that may be read repeatedly to save a draw; a GPU reads them in less time."""
LONGEST_WAY = 128
"""Steps that a fragment may take before its chunk; more would leave most of the GPU idle."""


def lower_scan(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> int:
    """Lower the scan `call` of the node `srcs[0]`."""
    axis, initial = call.arg
    shape = call.specs[0].shape
    if not call.spec.size:
        return lowered.append(call, srcs)
    outer, length, inner = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
    texels = 8 if lowered.target.draw_buffers >= 8 else 4
    if inner == 1:
        frame, along, chunk = (1, outer, length), 2, 4 * texels
    else:
        frame, along, chunk = (outer, length, inner), 1, texels
    at = lowered.add(RESHAPE, srcs, frame)
    at = _scan(lowered, call, at, ScanBlock(along, initial, chunk, alone=True))
    return lowered.add(RESHAPE, (at,), call.spec.shape)


def _scan(lowered: LoweredGraph, call: OpInstance, src: int, block: ScanBlock) -> int:
    """Scan an operand (groups, rows, columns) in chunks."""
    op, axis, chunk = call.op, block.axis, block.chunk
    assert isinstance(op, Scan)
    shape = lowered.spec(src).shape
    length = shape[axis] + block.initial
    chunks = -(-length // chunk)
    steps = (chunks - 1) * chunk // (4 if axis == 2 else 1)
    if steps <= LONGEST_WAY and (chunks - 1) * lowered.spec(src).size <= 2 * READ_AGAIN:
        return _block(lowered, call, src, block._replace(alone=chunks == 1))
    local = _block(lowered, call, src, block)
    last = (chunk - 1, chunks - 1, chunk)
    carried = lowered.add(SLICE, (local,), _along(shape, axis, last))
    if block.initial:
        element = lowered.add(SLICE, (src,), _along(shape, axis, last))
        carried = lowered.add(op.join, (carried, element))
    carried = _scan(lowered, call, carried, block._replace(initial=True))
    before, after = shape[:axis], shape[axis + 1 :]
    carried = lowered.add(RESHAPE, (carried,), (*before, chunks, 1, *after))
    carried = lowered.add(BROADCAST, (carried,), (*before, chunks, chunk, *after))
    carried = lowered.add(RESHAPE, (carried,), (*before, chunks * chunk, *after))
    carried = lowered.add(SLICE, (carried,), _along(shape, axis, (0, length, 1)))
    return lowered.add(op.join, (carried, local))


def _along(shape: tuple[int, ...], axis: int, part: tuple[int, int, int]) -> tuple[object, ...]:
    """Return the static argument that slices one axis by (start, length, step)."""
    return tuple(part if number == axis else (0, n, 1) for number, n in enumerate(shape))


def _block(lowered: LoweredGraph, call: OpInstance, src: int, block: ScanBlock) -> int:
    shape = list(lowered.spec(src).shape)
    shape[block.axis] += block.initial
    return lowered.rewritten(call, (src,), block, tensor_spec(tuple(shape), call.spec.dtype))
