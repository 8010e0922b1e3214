"""Rewrite gathers along an axis into gathers from the flattened operand at computed positions.

Input: a gather and the nodes of its operands. Output: the node that computes it.
"""

from __future__ import annotations

import math

from ...dtypes import int32
from ...ir.node import OpInstance
from ..lowered_graph import LoweredGraph
from .formulas import Formula, iota


def lower_gather_along(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> int:
    """Gather at (i length + index) after + j, for positions i before the axis and j after it."""
    x, indices = (Formula(lowered, src) for src in srcs)
    axis, _ = call.arg
    length, after = x.shape[axis], math.prod(x.shape[axis + 1 :])
    before = math.prod(x.shape[:axis])
    places = indices.astype(int32).reshape(before, indices.shape[axis], after)
    places = (iota(lowered, before, 1, 1) * length + places) * after + iota(lowered, 1, 1, after)
    return x.reshape(-1).take(places, 0).reshape(*call.spec.shape).at
