"""Rewrites reading along an axis: elements of the flattened operand, at positions worked out.

Comes in: a gather of a Program's nodes; goes out: the node that computes it.
"""

from __future__ import annotations

import math

from ..dtypes import int32
from ..nodes import Call
from ..ops.elementwise import ADD, CAST, MULTIPLY
from ..ops.gathers import TAKE
from ..ops.sources import IOTA
from ..ops.views import RESHAPE
from .program import Program


def lower_gather_along(program: Program, call: Call, srcs: tuple[int, ...]) -> int:
    """Position (i length + index) after + j, of the places i before the axis and j behind it."""
    x, indices = call.specs
    axis, _ = call.arg
    length, after = x.shape[axis], math.prod(x.shape[axis + 1 :])
    before = math.prod(x.shape[:axis])
    step = (before, indices.shape[axis], after)
    places = program.add(RESHAPE, (program.add(CAST, srcs[1:], int32),), step)
    outer = _scaled(program, program.add(IOTA, (), (before, 1, 1)), length)
    places = _scaled(program, program.add(ADD, (outer, places)), after)
    places = program.add(ADD, (places, program.add(IOTA, (), (1, 1, after))))
    flat = program.add(RESHAPE, srcs[:1], (x.size,))
    return program.add(RESHAPE, (program.add(TAKE, (flat, places), 0),), call.spec.shape)


def _scaled(program: Program, at: int, factor: int) -> int:
    return program.add(MULTIPLY, (at, program.constant(factor, int32)))
