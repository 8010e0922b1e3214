"""Definitions of sorts: the indices that sort the elements along an axis; and searches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .op_def import LastPosition, Search, Sort
from .rule_types import ArrayNamespace, Functions

ALL_PAIRS_LIMIT = 1 << 22
"""Number of comparisons up to which comparing all pairs is faster than a sorting network's draws."""


def _argsort(xp: ArrayNamespace, x: Any, arg: tuple[int, bool]) -> Any:
    axis, descending = arg
    if not descending:
        return _stable_order(xp, x, axis)
    backward = _stable_order(xp, xp.flip(x, axis=axis), axis)
    return xp.flip(x.shape[axis] - 1 - backward, axis=axis)


def _stable_order(xp: ArrayNamespace, x: Any, axis: int) -> Any:
    """Sort 64-bit integers of key and position, several times faster than NumPy's stable sort."""
    if x.dtype.itemsize != 4 or x.shape[axis] < 32:
        return xp.argsort(x, axis=axis, kind="stable")
    keys = x
    if x.dtype.kind == "f":
        # The bits of floats sort as integers do, if those of negative numbers are inverted.
        bits = xp.where(x == 0, xp.float32(0), x).view(xp.int32)
        keys = xp.where(xp.isnan(x), xp.int32(0x7FFFFFFF), bits ^ (bits >> 31 & 0x7FFFFFFF))
    elif x.dtype.kind == "u":
        keys = (x ^ xp.uint32(1 << 31)).view(xp.int32)
    pairs = xp.moveaxis(keys, axis, -1).astype(xp.int64) << 32
    pairs += xp.arange(x.shape[axis])
    pairs.sort(axis=-1)
    return xp.moveaxis((pairs & 0xFFFFFFFF).astype(xp.int32), -1, axis)


def first_places(xp: ArrayNamespace, x: Any, k: int, arg: tuple[int, bool]) -> Any:
    """Return the first k of the indices that sort; None if sorting all elements is as fast."""
    axis, descending = arg
    rows = xp.moveaxis(x, axis, -1)
    shape, length = (*rows.shape[:-1], k), x.shape[axis]
    if not 0 < k <= length // 8 or x.dtype.kind == "c":
        return None
    rows = rows.reshape(-1, length)
    kth = length - k if descending else k - 1
    limit = xp.partition(rows, kth, axis=1)[:, kth : kth + 1]
    # NaN comes after all numbers.
    row, place = divmod(xp.flatnonzero(~(rows < limit) if descending else rows <= limit), length)
    counts = xp.bincount(row, minlength=len(rows))
    if not counts.size or counts.min() < k or row.size > rows.size // 8:
        return None
    values = rows[row, place]
    if descending:
        order = row.size - 1 - xp.flip(xp.lexsort((xp.flip(values), xp.flip(-row))))
    else:
        order = xp.lexsort((values, row))
    starts = xp.cumsum(counts) - counts
    chosen = place[order[starts[:, None] + xp.arange(k)]]
    return xp.moveaxis(chosen.reshape(shape), -1, axis)


def count_before(pt: Functions, length: int, zeros: Any, is_before: Callable[[Any], Any]) -> Any:
    """Return the numbers of sorted elements that come before given values, by binary search.

    `is_before` maps indices of the `length` elements to booleans, one for each given value. `zeros`
    has the shape of the result. `pt` has the functions of these values, as in complex rules.
    """
    count = zeros
    for level in reversed(range(length.bit_length())):
        end = count + (1 << level)
        fits = is_before(pt.minimum(end, length) - 1) & (end <= length)
        count = pt.where(fits, end, count)
    return count


SCATTERED = 1 << 14
"""Length of a sorted row from which looking for elements in ascending order is faster."""


def _search(xp: ArrayNamespace, x: Any, values: Any, right: bool) -> Any:
    side = "right" if right else "left"
    counts = xp.empty(values.shape, xp.int32)
    for row, wanted, count in zip(x, values, counts, strict=True):
        if min(row.size, wanted.size) < SCATTERED:
            count[:] = xp.searchsorted(row, wanted, side)
        else:
            order = _stable_order(xp, wanted, 0)
            count[order] = xp.searchsorted(row, wanted[order], side)
    return counts


def _last(xp: ArrayNamespace, places: Any, arg: tuple[int, bool]) -> Any:
    length, _ = arg
    result = xp.full(length, -1, xp.int32)
    positions = xp.arange(places.size, dtype=xp.int32)
    inside = (places >= 0) & (places < length)
    # NumPy assigns in order.
    result[places[inside]] = positions[inside]
    return result


# fmt: off
ARGSORT = Sort(name="argsort", jax="argsort", reference=_argsort, public=False, doc="Return the indices that sort the elements along an axis.")
SEARCH = Search(name="search", jax="search", reference=_search, public=False, doc="Count the elements of sorted rows that come before others.")
LAST_POSITION = LastPosition(name="last_position", jax="last_position", reference=_last, public=False, doc="Return the last position of 0, 1, 2, ... in a vector.")

OP_DEFS = (ARGSORT, SEARCH, LAST_POSITION)
