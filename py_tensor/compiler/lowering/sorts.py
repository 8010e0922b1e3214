"""Rewrite sorts: short axes by counting smaller elements, others by a bitonic network.

Indices are sorted, and their elements are looked up for each comparison. Equal elements keep their
order, so the sort is stable. NaN is larger than all numbers.
Input: a sort and the node of its operand. Output: the node that computes it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ...dtypes import int32, uint8
from ...ir.node import OpInstance
from ...ops.sorts import ALL_PAIRS_LIMIT
from ...ops.views import PERMUTE, SLICE
from ..lowered_graph import LoweredGraph
from .formulas import Formula, iota, of, where

OrderOfRows = Callable[[Formula, bool], Formula]
"""Function that returns the indices that sort each row of a matrix, maybe in descending order."""


def lower_sort(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> int:
    """Lower the sort `call` of the node `srcs[0]`."""
    return sorted_by_rows(lowered, call, srcs[0], order_of)


def sorted_by_rows(
    lowered: LoweredGraph, call: OpInstance, src: int, order_of_rows: OrderOfRows
) -> int:
    """Lower a sort along an axis to a sort of the rows of a matrix."""
    axis, descending = call.arg
    shape = call.spec.shape
    length = shape[axis]
    order = [*(a for a in range(len(shape)) if a != axis), axis]
    permuted = Formula(lowered, src).by(PERMUTE, tuple(order))
    rows = permuted.reshape(math.prod(shape) // max(length, 1), length)
    places = order_of_rows(rows, descending).reshape(*permuted.shape)
    return places.by(PERMUTE, tuple(order.index(a) for a in range(len(shape)))).at


def order_of(rows: Formula, descending: bool = False) -> Formula:
    """Return the indices that sort each row of a matrix, as a matrix of the same shape."""
    if rows.dtype.kind == "b":
        # Truth values cannot be compared by size.
        rows = rows.astype(uint8)
    return _counted(rows, descending) if _is_counted(*rows.shape) else _exchanged(rows, descending)


def ordering_cost(batch: int, length: int) -> tuple[int, int]:
    """Return the number of draws of `order_of` and the number of elements that it reads."""
    if _is_counted(batch, length):
        return 2, 2 * batch * length**2
    levels = (length - 1).bit_length()
    draws = levels * (levels + 1) // 2
    return draws, 8 * draws * batch * length


def _is_counted(batch: int, length: int) -> bool:
    return batch * length**2 <= ALL_PAIRS_LIMIT


def _before(a: Formula, b: Formula, descending: bool) -> Formula:
    """Return True where element `a` comes before `b` by value alone."""
    smaller, larger = (b, a) if descending else (a, b)
    precedes = smaller < larger
    if a.dtype.kind != "f":
        return precedes
    largest = of("isnan", larger)
    return precedes | (largest & ~of("isnan", smaller))


def _counted(rows: Formula, descending: bool) -> Formula:
    """Compute each element's rank, the number of elements before it, and invert the ranks."""
    batch, length = rows.shape
    one, other = rows.reshape(batch, length, 1), rows.reshape(batch, 1, length)
    across, down = iota(rows.graph, 1, 1, length), iota(rows.graph, 1, length, 1)
    earlier = across < down
    level = ~_before(one, other, descending)
    ahead = _before(other, one, descending) | (level & earlier)
    ranks = ahead.astype(int32).sum(2).reshape(batch, 1, length)
    return where(ranks == down, across, 0).sum(2).reshape(batch, length)


def _exchanged(rows: Formula, descending: bool) -> Formula:
    """Sort by Batcher's bitonic network (1968), with blocks mirrored so all steps ascend."""
    lowered, (batch, length) = rows.graph, rows.shape
    width = 1 << (length - 1).bit_length()
    flat = rows.reshape(batch * length)
    position = iota(lowered, batch * width)
    start = position // width * length
    places = position % width

    def exchanged(places: Formula, step: int) -> Formula:
        """Compare-exchange positions with `position ^ step`; one shader serves all steps."""
        partner = of(
            "bitwise_xor", position, Formula(lowered, lowered.implicit_uniform(step, int32))
        )
        other = places.take(partner, 0)
        mine, its = (flat.take(start + of("minimum", at, length - 1), 0) for at in (places, other))
        ahead, after = _before(its, mine, descending), _before(mine, its, descending)
        if length & (length - 1):
            exists, other_exists = places < length, other < length
            ahead = other_exists & (~exists | ahead)
            after = exists & (~other_exists | after)
        tie = ~after & (other < places)
        swap = ahead | tie
        # The lower position of a pair takes the element that comes first, the upper the other.
        swap = of("logical_xor", swap, partner < position)
        return where(swap, other, places).materialized()

    block = 2
    while block <= width:
        step = block - 1
        while step:
            places = exchanged(places, step)
            step = block // 4 if step == block - 1 else step // 2
        block *= 2
    return places.reshape(batch, width).by(SLICE, ((0, batch, 1), (0, length, 1)))
