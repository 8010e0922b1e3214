"""Rewrites scattered sums: a fragment cannot write elsewhere, so each place looks for its slices.

Comes in: a scatter of a Program's nodes; goes out: the node that computes it.
"""

from __future__ import annotations

import math

from ..nodes import Call
from ..ops.elementwise import EQUAL, WHERE
from ..ops.reductions import SUM
from ..ops.sources import IOTA
from ..ops.views import BROADCAST, RESHAPE
from .program import Program
from .sums import lower_reduction


def lower_scatter(program: Program, call: Call, srcs: tuple[int, ...]) -> int:
    """The sum over all slices, of those alone that belong to a place."""
    axis, length = call.arg
    x, indices = call.specs
    before, count = math.prod(x.shape[:axis]), indices.size
    after = math.prod(x.shape[axis + len(indices.shape) :])
    slices = program.add(RESHAPE, srcs[:1], (before, 1, count, after))
    slices = program.add(BROADCAST, (slices,), (before, length, count, after))
    given = program.add(RESHAPE, srcs[1:], (count, 1))
    place = program.add(IOTA, (), (length, 1, 1))
    nothing = program.constant(0, call.spec.dtype)
    found = program.add(WHERE, (program.add(EQUAL, (given, place)), slices, nothing))
    total = lower_reduction(program, SUM, found, (2,))
    return program.add(RESHAPE, (total,), call.spec.shape)
