"""Choose the block of rows and columns that each fragment of a contraction or scan computes.

The block of a scan is its chunk. For contractions the block is chosen by a cost model instead of
trial runs. Texture fetches dominate, so the block with the fewest fetches in total is chosen;
blocks that extend beyond the result count in full. On a GPU the four fragments of a quad share
fetches from the same area of 2 x 2 texels, which count once. In a software renderer the fetches of
each fragment count.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from ...ops.contractions import CONVOLVE, Window
from ...ops.op_def import Contraction, Scan
from ..lowered_graph import LoweredGraph, LoweredNodes, ScanBlock
from .taps import taps_of
from .texture_layout import texture_row
from .tiles import Tiling

BUSY = 512
"""Fragments that a GPU needs to hide the latency of fetches; fewer fragments are not faster."""
BUSY_PROCESSOR = 16
"""The same for a software renderer: a quad for each of four cores."""


def tilings_of(
    lowered: LoweredGraph, draw_buffers: int, limit: int, on_processor: bool = False
) -> dict[int, Tiling]:
    """Choose the tiling of every contraction and scan of a lowered graph."""
    tilings: dict[int, Tiling] = {}
    known: dict[object, Tiling] = {}
    for at, call in enumerate(lowered.calls):
        op = lowered.op(at)
        if isinstance(op, Contraction):
            (base, *a), (_, *b) = map(lowered.strides, lowered.edges[at])
            key = (call, *a, *b, texture_row(lowered, base))
            if key not in known:
                known[key] = candidates(lowered, at, draw_buffers, limit, on_processor)[0][1]
            tilings[at] = known[key]
        elif isinstance(op, Scan) and call.spec.size:
            block: ScanBlock = call.arg
            height, width = (1, block.chunk) if block.axis == 2 else (block.chunk, 4)
            lines, rows, columns = call.spec.shape
            tilings[at] = Tiling(lines, rows, columns, height, width, 4, limit, alternates=False)
    return tilings


def candidates(
    lowered: LoweredGraph, at: int, draw_buffers: int, limit: int, on_processor: bool
) -> list[tuple[float, Tiling]]:
    """Return the possible tilings of a contraction with their total fetches, fewest first."""
    groups, rows, columns = lowered.spec(at).shape
    call = lowered.calls[at]
    lines, window = groups, None
    if call.op is CONVOLVE:
        window = call.arg
        lines, rows = groups * (rows // window.out[1]), window.out[1]
    # `stride` is the distance between the elements that neighbouring rows or lines of pixels read.
    if window is None:
        a, b = (layout(lowered, operand) for operand in lowered.edges[at])
        base = a[0]
        by_row, by_column, stride = b[1][2] != 1, a[1][2] != 1, max(1, a[1][1])
    else:
        base = lowered.view(lowered.edges[at][0])[0]
        by_row = by_column = False
        stride = window.stride[0] * call.specs[0].shape[2] * call.specs[0].shape[3]
    row = 4 * texture_row(lowered, base)
    below = row // stride if row % stride == 0 else 0
    candidates: list[tuple[float, Tiling]] = []
    fetches = {height: _left_fetches(height, window) for height in (4, 8, 2, 1)}
    for height, width, spread in product(fetches, (8, 4), (2, 4, 1)):
        if height * width > 4 * draw_buffers or (by_column and height % 4):
            continue
        tiling = Tiling(lines, rows, columns, height, width, spread, limit)
        left = fetches[height]
        if on_processor:
            candidates.append((_cost(tiling, left + width, BUSY_PROCESSOR), tiling))
            continue
        if spread != 4 and not (by_column and height == 4):
            left *= tiling.stacked
        # A GPU serves two neighbouring texels at once; rows of a transposed operand are apart.
        right = width * (spread if by_row else max(1, spread // 2))
        candidates.append((_cost(tiling, left + right), tiling))
        if spread == 2 and below and not by_column:
            if window is not None and lines >= 2 * below:
                apart = tiling._replace(lines_apart=below)
                candidates.append((_cost(apart, left / 2 + right), apart))
            if window is None and (below % height == 0 or height % below == 0):
                apart = tiling._replace(apart=below)
                candidates.append((_cost(apart, left / 2 + right), apart))
    return sorted(candidates, key=lambda entry: entry[0])


def _cost(tiling: Tiling, fetches: float, busy: int = BUSY) -> float:
    return max(4 * tiling.quads, busy) * fetches


def _left_fetches(height: int, window: Window | None) -> float:
    """Return the texels of the first operand that a fragment fetches for four of the second."""
    if window is None:
        return height
    taps = taps_of(height, window)
    return len(taps.columns) / taps.step


def layout(lowered: LoweredNodes, at: int) -> tuple[int, tuple[Any, ...], int]:
    """Return the stored node of a matrix operand, the strides to read it by, and the offset.

    One of the two inner strides is 1.
    """
    base, strides, offset = lowered.strides(at)
    assert strides is not None
    groups, outer, inner = strides
    _, _, n = lowered.spec(at).shape
    if outer == 1 and inner == 1:
        # Both strides are 1 if an axis has length 1; prefer the innermost axis.
        outer = n
    return base, (groups, outer, inner), offset
