"""Rewrite a scan into scans of separate chunks and a scan of the chunks' totals.

A fragment computes a chunk of neighbouring results, as many as it can draw at once, so each element
is read once. If little would be read repeatedly, a fragment instead reads everything before its
chunk, which saves a draw.
Input: a scan and the node of its operand. Output: the node that computes it.
"""

from __future__ import annotations

from ....ir.node import OpInstance, tensor_spec
from ....ops.views import RESHAPE
from ...lowered_graph import LoweredGraph, ScanBlock
from ...lowering.scans import frame_of, scan_of_chunks

READ_AGAIN = 1 << 20
"""Elements that may be read repeatedly to save a draw; a GPU reads them in less time."""
LONGEST_WAY = 128
"""Steps that a fragment may take before its chunk; more would leave most of the GPU idle."""


def lower_scan(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> int:
    """Lower the scan `call` of the node `srcs[0]`."""
    _, initial = call.arg
    if not call.spec.size:
        return lowered.append(call, srcs)
    outer, length, inner = frame_of(call)
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
    axis, chunk = block.axis, block.chunk
    chunks = -(-(lowered.spec(src).shape[axis] + block.initial) // chunk)
    steps = (chunks - 1) * chunk // (4 if axis == 2 else 1)
    if steps <= LONGEST_WAY and (chunks - 1) * lowered.spec(src).size <= 2 * READ_AGAIN:
        return _block(lowered, call, src, block._replace(alone=chunks == 1))
    return scan_of_chunks(lowered, call, src, block, _of_chunks)


def _of_chunks(lowered: LoweredGraph, call: OpInstance, src: int, block: ScanBlock) -> int:
    if block.alone:
        return _block(lowered, call, src, block)
    return _scan(lowered, call, src, block._replace(alone=True))


def _block(lowered: LoweredGraph, call: OpInstance, src: int, block: ScanBlock) -> int:
    shape = list(lowered.spec(src).shape)
    shape[block.axis] += block.initial
    return lowered.rewritten(call, (src,), block, tensor_spec(tuple(shape), call.spec.dtype))
