"""Rewrite a scan into scans of separate chunks and a scan of the chunks' totals.

The totals of the chunks are scanned in the same way, and consumers combine them with the chunks'
elements.
Input: a scan and the node of its operand. Output: the node that computes it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from ...ir.node import OpInstance
from ...ops.op_def import Scan
from ...ops.views import BROADCAST, RESHAPE, SLICE
from ..lowered_graph import LoweredGraph, ScanBlock

ScanOfBlock = Callable[[LoweredGraph, OpInstance, int, ScanBlock], int]
"""Function that appends the scan of an operand in chunks."""


class ScanFrame(NamedTuple):
    """Shape (outer, length, inner) of the operand of a scan along its middle axis."""

    outer: int
    length: int
    inner: int


def frame_of(call: OpInstance) -> ScanFrame:
    """Return the shape of the operand of a scan, with one axis before and one after its own."""
    axis, _ = call.arg
    shape = call.specs[0].shape
    return ScanFrame(math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :]))


def scan_of_chunks(
    lowered: LoweredGraph, call: OpInstance, src: int, block: ScanBlock, scan: ScanOfBlock
) -> int:
    """Scan an operand (groups, rows, columns) in chunks, then add what comes before each chunk.

    `scan` appends a scan: of separate chunks for this `block`, and of the totals of chunks for one
    that is not `alone`.
    """
    op, axis, chunk = call.op, block.axis, block.chunk
    assert isinstance(op, Scan)
    shape = lowered.spec(src).shape
    length = shape[axis] + block.initial
    chunks = -(-length // chunk)
    local = scan(lowered, call, src, block)
    last = (chunk - 1, chunks - 1, chunk)
    carried = lowered.add(SLICE, (local,), _along(shape, axis, last))
    if block.initial:
        element = lowered.add(SLICE, (src,), _along(shape, axis, last))
        carried = lowered.add(op.join, (carried, element))
    carried = scan(lowered, call, carried, block._replace(initial=True, alone=False))
    before, after = shape[:axis], shape[axis + 1 :]
    carried = lowered.add(RESHAPE, (carried,), (*before, chunks, 1, *after))
    carried = lowered.add(BROADCAST, (carried,), (*before, chunks, chunk, *after))
    carried = lowered.add(RESHAPE, (carried,), (*before, chunks * chunk, *after))
    carried = lowered.add(SLICE, (carried,), _along(shape, axis, (0, length, 1)))
    return lowered.add(op.join, (carried, local))


def _along(shape: tuple[int, ...], axis: int, part: tuple[int, int, int]) -> tuple[object, ...]:
    """Return the static argument that slices one axis by (start, length, step)."""
    return tuple(part if number == axis else (0, n, 1) for number, n in enumerate(shape))
