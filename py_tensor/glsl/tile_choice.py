"""Which block of rows and columns each fragment of a contraction computes.

A rule instead of trial runs: texture fetches are what contractions wait for, so the block with the
fewest fetches in all is chosen, where blocks that stick out of the result count in full.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from ..ops.contractions import CONVOLVE, Window
from ..ops.rows import Contraction
from ..schedule.program import Program
from .tiles import Tiling

BUSY = 2048
"""Fragments a GPU needs to hide the time of a fetch; fewer take as long as so many."""
SHARED = 20
"""Texels of a row of pixels that a fragment may hold for all taps of a kernel's row."""


def offsets(height: int, window: Window) -> list[int]:
    """Columns of pixels, from the first, that `height` neighbouring results read in one row.

    Those of all taps where a fragment can hold them, else of the first.
    """
    step, kernel, dilation = window.stride[1], window.kernel[1], window.dilation[1]
    every = {row * step + tap * dilation for row in range(height) for tap in range(kernel)}
    first = [row * step for row in range(height)]
    return sorted(every) if len(every) <= min(SHARED, height * kernel - 1) else first


def tilings_of(program: Program, draw_buffers: int, limit: int) -> dict[int, Tiling]:
    """The block layout of every contraction in a program."""
    return {
        at: _choose(program, at, draw_buffers, limit)
        for at in range(len(program.calls))
        if isinstance(program.row(at), Contraction)
    }


def _choose(program: Program, at: int, draw_buffers: int, limit: int) -> Tiling:
    groups, rows, columns = program.spec(at).shape
    call = program.calls[at]
    lines, window = groups, None
    if call.row is CONVOLVE:
        window = call.arg
        lines, rows = groups * (rows // window.out[1]), window.out[1]
    by_row, by_column = _units(program, at)
    found: list[tuple[float, int, int, Tiling]] = []
    for height, width, spread in product((8, 4, 2, 1), (8, 4), (4, 2, 1)):
        if height * width > 4 * draw_buffers or (by_column and height % 4):
            continue
        tiling = Tiling(lines, rows, columns, height, width, spread, limit)
        left = right = 0.0
        if window is None:
            left, right = height, width
        else:
            taps = offsets(height, window)
            shared = len(taps) > height
            left = len(taps) / (window.kernel[1] if shared else 1)
            right = width
        # A quad whose fragments read different rows fetches each of them.
        left *= 1 if by_column else tiling.stacked
        right *= spread if by_row else 1
        cost = max(4 * tiling.quads, BUSY) * (left + right)
        found.append((cost, -height * width, -spread, tiling))
    return min(found, key=lambda entry: entry[:3])[3]


def _units(program: Program, at: int) -> tuple[bool, bool]:
    """Whether texels of the second operand lie along its rows' axis, of the first down its columns.

    That is, whether they were given transposed.
    """
    if program.calls[at].row is CONVOLVE:
        return False, False
    a, b = program.edges[at]
    return layout(program, b)[1][2] != 1, layout(program, a)[1][2] != 1


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
