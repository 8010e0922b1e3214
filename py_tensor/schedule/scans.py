"""Rewrites a scan into chunks that are scanned by themselves, and a scan of what they carry on.

A fragment gives a chunk of neighbouring results, as many as it may draw at once, so the elements
are read once. What the chunks carry on is scanned in the same way and joined to their elements by
whoever reads them. Where little would be read again, a fragment instead reads everything before its
chunk, which saves a draw.
"""

from __future__ import annotations

import math
from dataclasses import replace

from ..nodes import Call, spec_of
from ..ops.rows import Scan
from ..ops.views import BROADCAST, RESHAPE, SLICE
from .program import Piece, Program

READ_AGAIN = 1 << 20
"""Elements that may be read again to save a draw; a GPU reads them in less time than that takes."""
LONGEST_WAY = 128
"""Steps a fragment may take before its chunk; longer ones leave a GPU waiting for a few of them."""


def lower_scan(program: Program, call: Call, src: int, draw_buffers: int) -> int:
    """The scan `call` of the node `src`."""
    axis, initial = call.arg
    shape = call.specs[0].shape
    if not call.spec.size:
        return program.append(call, (src,))
    outer, length, inner = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
    texels = 8 if draw_buffers >= 8 else 4
    if inner == 1:
        frame, along, chunk = (1, outer, length), 2, 4 * texels
    else:
        frame, along, chunk = (outer, length, inner), 1, texels
    at = program.add(RESHAPE, (src,), frame)
    at = _scan(program, call, at, Piece(along, initial, chunk, alone=True))
    return program.add(RESHAPE, (at,), call.spec.shape)


def _scan(program: Program, call: Call, src: int, piece: Piece) -> int:
    """The scan of (groups, rows, columns) whose chunks `piece` describes."""
    row, axis, chunk = call.row, piece.axis, piece.chunk
    assert isinstance(row, Scan)
    shape = program.spec(src).shape
    length = shape[axis] + piece.initial
    chunks = -(-length // chunk)
    steps = (chunks - 1) * chunk // (4 if axis == 2 else 1)
    if steps <= LONGEST_WAY and (chunks - 1) * program.spec(src).size <= 2 * READ_AGAIN:
        return _piece(program, call, src, replace(piece, alone=chunks == 1))
    local = _piece(program, call, src, piece)
    last = (chunk - 1, chunks - 1, chunk)
    carried = program.add(SLICE, (local,), _along(shape, axis, last))
    if piece.initial:
        element = program.add(SLICE, (src,), _along(shape, axis, last))
        carried = program.add(row.join, (carried, element))
    carried = _scan(program, call, carried, replace(piece, initial=True))
    before, behind = shape[:axis], shape[axis + 1 :]
    carried = program.add(RESHAPE, (carried,), (*before, chunks, 1, *behind))
    carried = program.add(BROADCAST, (carried,), (*before, chunks, chunk, *behind))
    carried = program.add(RESHAPE, (carried,), (*before, chunks * chunk, *behind))
    carried = program.add(SLICE, (carried,), _along(shape, axis, (0, length, 1)))
    return program.add(row.join, (carried, local))


def _along(shape: tuple[int, ...], axis: int, part: tuple[int, int, int]) -> tuple[object, ...]:
    """A slice (start, length, step) of one axis."""
    return tuple(part if place == axis else (0, n, 1) for place, n in enumerate(shape))


def _piece(program: Program, call: Call, src: int, piece: Piece) -> int:
    shape = list(program.spec(src).shape)
    shape[piece.axis] += piece.initial
    spec = spec_of(tuple(shape), call.spec.dtype)
    return program.append(Call(call.row, piece, (program.spec(src),), spec, call.operands), (src,))
