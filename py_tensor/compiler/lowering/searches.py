"""Compose searches in sorted rows, and of last positions, of gathers and comparisons.

Input: a search and the nodes of its operands. Output: the node that computes it.
"""

from __future__ import annotations

from ...dtypes import int32
from ...ir.node import OpInstance
from ...ops.graph_value import Algebra
from ...ops.reductions import MAX
from ...ops.sorts import ALL_PAIRS_LIMIT, ARGSORT, count_before
from ..lowered_graph import LoweredGraph
from .formulas import Formula, of, positions, where


def lower_search(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> int:
    """Lower a search to one kernel, which does a binary search for each element."""
    x, values = (Formula(lowered, src) for src in srcs)
    return _counted(x, values, call.arg).at


def _counted(x: Formula, values: Formula, right: bool) -> Formula:
    rows, length = x.shape
    flat, start = x.reshape(rows * length), positions(x.graph, rows, 1) * length

    def is_before(places: Formula) -> Formula:
        element = flat.take(places if rows == 1 else places + start, 0)
        return ~_before(values, element) if right else _before(element, values)

    zeros = positions(x.graph, *values.shape) * 0
    counts: Formula = count_before(Algebra(), length, zeros, is_before)
    return counts


def _before(a: Formula, b: Formula) -> Formula:
    """Compare elements, with NaN larger than all numbers."""
    less = a < b
    return less | (of("isnan", b) & ~of("isnan", a)) if a.dtype.kind == "f" else less


def lower_last_position(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> int:
    """Compare all pairs if they are few, else sort the integers and search them."""
    length, ascending = call.arg
    places = Formula(lowered, srcs[0]).astype(int32)
    (count,) = places.shape
    targets = positions(lowered, length)
    if count * length <= ALL_PAIRS_LIMIT:
        here = places.reshape(1, count) == targets.reshape(length, 1)
        return where(here, positions(lowered, count), -1).reduced(MAX, 1).reshape(length).at
    order = None if ascending else places.lowered(ARGSORT, (0, False)).materialized()
    keys = places.materialized() if order is None else places.take(order, 0).materialized()
    before = _counted(keys.reshape(1, count), targets.reshape(1, length), True).reshape(length) - 1
    last = of("maximum", before, 0)
    holds = (before >= 0) & (keys.take(last, 0) == targets)
    return where(holds, last if order is None else order.take(last, 0), -1).at
