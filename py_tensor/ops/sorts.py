"""Definitions of sorts: the indices that sort the elements along an axis; and binary search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .op_def import Sort
from .rule_types import ArrayNamespace, Functions

ALL_PAIRS_LIMIT = 1 << 22
"""Number of comparisons up to which comparing all pairs is faster than a sorting network's draws."""


def _argsort(xp: ArrayNamespace, x: Any, arg: tuple[int, bool]) -> Any:
    axis, descending = arg
    if not descending:
        return xp.argsort(x, axis=axis, kind="stable")
    backward = xp.argsort(xp.flip(x, axis=axis), axis=axis, kind="stable")
    return xp.flip(x.shape[axis] - 1 - backward, axis=axis)


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


# fmt: off
ARGSORT = Sort(name="argsort", jax="argsort", reference=_argsort, public=False, doc="Return the indices that sort the elements along an axis.")

OP_DEFS = (ARGSORT,)
