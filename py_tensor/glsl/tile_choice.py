"""Which block of rows and columns each fragment of a contraction or scan computes.

A scan's chunk is its block. For contractions, a rule instead of trial runs: texture fetches are
what they wait for, so the block with the fewest fetches in all is chosen, where blocks that stick
out of the result count in full. On a GPU a fetch counts once for each place that the four fragments
of a quad read from, where a place is two texels wide and two high; on a processor, for each
fragment.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

from ..ops.contractions import CONVOLVE, Window
from ..ops.rows import Contraction, Scan
from ..schedule.program import Piece, Program
from .tiles import Tiling

BUSY = 512
"""Fragments a GPU needs to hide the time of a fetch; fewer take as long as so many."""
BUSY_PROCESSOR = 16
"""The same where a processor draws: a quad for each of four cores."""
SHARED = 12
"""Texels of a row of pixels that a fragment may hold for all taps of a kernel's row."""


def offsets(height: int, window: Window) -> list[int]:
    """Columns of pixels, from the first, that `height` neighbouring results read in one row.

    Those of all taps where a fragment can hold them, else of the first.
    """
    step, kernel, dilation = window.stride[1], window.kernel[1], window.dilation[1]
    every = {row * step + tap * dilation for row in range(height) for tap in range(kernel)}
    first = [row * step for row in range(height)]
    return sorted(every) if len(every) <= min(SHARED, height * kernel - 1) else first


def tilings_of(
    program: Program, draw_buffers: int, limit: int, on_processor: bool = False
) -> dict[int, Tiling]:
    """The block layout of every contraction and scan in a program."""
    tilings = {}
    for at, call in enumerate(program.calls):
        row = program.row(at)
        if isinstance(row, Contraction):
            tilings[at] = candidates(program, at, draw_buffers, limit, on_processor)[0][1]
        elif isinstance(row, Scan) and call.spec.size:
            piece: Piece = call.arg
            height, width = (1, piece.chunk) if piece.axis == 2 else (piece.chunk, 4)
            lines, rows, columns = call.spec.shape
            tilings[at] = Tiling(lines, rows, columns, height, width, 4, limit, turns=False)
    return tilings


def candidates(
    program: Program, at: int, draw_buffers: int, limit: int, on_processor: bool
) -> list[tuple[float, Tiling]]:
    """The blocks that a contraction may have, with the fetches each takes in all, fewest first."""
    groups, rows, columns = program.spec(at).shape
    call = program.calls[at]
    lines, window = groups, None
    if call.row is CONVOLVE:
        window = call.arg
        lines, rows = groups * (rows // window.out[1]), window.out[1]
    # The stride from what a row, or a line of pixels, reads to what the next reads.
    if window is None:
        a, b = (layout(program, operand) for operand in program.edges[at])
        base = a[0]
        by_row, by_column, stride = b[1][2] != 1, a[1][2] != 1, max(1, a[1][1])
    else:
        base = program.view(program.edges[at][0])[0]
        by_row = by_column = False
        stride = window.stride[0] * call.specs[0].shape[2] * call.specs[0].shape[3]
    texture_row = 4 * program.texture_row(base)
    below = texture_row // stride if texture_row % stride == 0 else 0
    found: list[tuple[float, Tiling]] = []
    for height, width, spread in product((4, 8, 2, 1), (8, 4), (2, 4, 1)):
        if height * width > 4 * draw_buffers or (by_column and height % 4):
            continue
        tiling = Tiling(lines, rows, columns, height, width, spread, limit)
        left = _left_fetches(height, window)
        if on_processor:
            found.append((_cost(tiling, left + width, BUSY_PROCESSOR), tiling))
            continue
        if spread != 4 and not (by_column and height == 4):
            left *= tiling.stacked
        # A texture serves two neighbours at once; rows of a transposed operand are none.
        right = width * (spread if by_row else max(1, spread // 2))
        found.append((_cost(tiling, left + right), tiling))
        if spread == 2 and below and not by_column:
            if window is not None and lines >= 2 * below:
                apart = replace(tiling, lines_apart=below)
                found.append((_cost(apart, left / 2 + right), apart))
            if window is None and (below % height == 0 or height % below == 0):
                apart = replace(tiling, apart=below)
                found.append((_cost(apart, left / 2 + right), apart))
    return sorted(found, key=lambda entry: entry[0])


def _cost(tiling: Tiling, fetches: float, busy: int = BUSY) -> float:
    return max(4 * tiling.quads, busy) * fetches


def _left_fetches(height: int, window: Window | None) -> float:
    """Texels of the first operand that a fragment fetches for four texels of the second."""
    if window is None:
        return height
    taps = offsets(height, window)
    return len(taps) / (window.kernel[1] if len(taps) > height else 1)


def layout(program: Program, at: int) -> tuple[int, tuple[Any, ...], int]:
    """A matrix operand as stored, and the strides by which it is read; one inner stride is 1."""
    base, strides, offset = program.strides(at)
    assert strides is not None
    groups, outer, inner = strides
    _, _, n = program.spec(at).shape
    if outer == 1 and inner == 1:
        # Both hold where one axis has length 1; prefer the innermost.
        outer = n
    return base, (groups, outer, inner), offset
