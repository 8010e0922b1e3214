"""Rewrite scatters into gathers, since a fragment cannot write to another position.

If there are few slices, each result searches all of them. If there are many, they are sorted by
index and summed per index first.
Input: a scatter and the nodes of its operands. Output: the node that computes it.
"""

from __future__ import annotations

import math

from ...dtypes import float16, float32, int32
from ...ir.node import OpInstance
from ...ops.graph_value import Algebra
from ...ops.sorts import count_before
from ...ops.views import BROADCAST
from ..lowered_graph import LoweredGraph
from .formulas import Formula, of, positions, where
from .sorts import order_of, ordering_cost

DRAW = 1 << 17
"""Elements that a GPU searches in the time of a draw; a software renderer, a quarter of them."""


def lower_scatter(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> int:
    """Lower a scatter by searching all slices for each result, or by sorting if that is faster."""
    axis, length = call.arg
    shape, count = call.specs[0].shape, call.specs[1].size
    before = math.prod(shape[:axis])
    after = math.prod(shape[axis + len(call.specs[1].shape) :])
    slices, indices = (Formula(lowered, src) for src in srcs)
    # Unsigned indices that are too large become negative, which are no positions either.
    indices = indices.reshape(count).astype(int32)
    slices = slices.reshape(before, count, after)
    looks_through = before * length * count * after <= _sorting_cost(before, count, after)
    sums = (searched if looks_through else _sorted)(slices, indices, length)
    # Sums of narrow integers are wider.
    return sums.astype(call.spec.dtype).reshape(*call.spec.shape).at


def _sorting_cost(before: int, count: int, after: int) -> int:
    """Return the cost of sorting and summing, in searched elements."""
    levels = max(count - 1, 0).bit_length()
    draws, compared = ordering_cost(1, count)
    return (draws + levels + 3) * DRAW + compared + 2 * levels * before * count * after


def searched(slices: Formula, indices: Formula, length: int) -> Formula:
    """Sum over all slices, with 0 instead of the slices of other indices."""
    before, count, after = slices.shape
    spread = slices.reshape(before, 1, count, after).by(BROADCAST, (before, length, count, after))
    belongs = indices.reshape(count, 1) == positions(indices.graph, length, 1, 1)
    return where(belongs, spread, 0).sum(2)


def _sorted(slices: Formula, indices: Formula, length: int) -> Formula:
    """Sort slices by index, then sum the slices of each index in steps that double.

    After step k a slice holds the sum of the slices with its index among the 2**k that end with it
    (Hillis and Steele 1986, with flags as in Blelloch 1990). The last slice of an index then holds
    the sum of all.
    """
    lowered, count = slices.graph, indices.shape[0]
    if slices.dtype is float16:
        # Round only the final sum to float16.
        slices = slices.astype(float32)
    order = order_of(indices.reshape(1, count)).reshape(count)
    keys, sums = indices.take(order, 0).materialized(), slices.take(order, 1).materialized()
    position = positions(lowered, count)
    for level in range((count - 1).bit_length()):
        other = position - Formula(lowered, lowered.implicit_uniform(1 << level, int32))
        first = of("maximum", other, 0)
        is_equal = (keys.take(first, 0) == keys) & (other >= 0)
        earlier = where(is_equal.reshape(count, 1), sums.take(first, 1), 0)
        sums = (sums + earlier).materialized()
    last = _last(keys, length)
    own = (keys.take(last, 0) == positions(lowered, length)).reshape(length, 1)
    return where(own, sums.take(last, 1), 0)


def _last(keys: Formula, length: int) -> Formula:
    """Return for each index the last position whose key is at most the index, or 0 if none is."""
    targets = positions(keys.graph, length)
    zero = Formula(keys.graph, keys.graph.constant(0, int32))
    count = count_before(Algebra(), keys.shape[0], zero, lambda at: keys.take(at, 0) <= targets)
    return of("maximum", count - 1, 0).materialized()
