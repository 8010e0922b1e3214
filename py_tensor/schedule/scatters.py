"""Rewrites scattered sums: a fragment cannot write elsewhere, so each place looks for its slices.

Few are looked through one by one; many are sorted by their places and added up before.
Comes in: a scatter of a Program's nodes; goes out: the node that computes it.
"""

from __future__ import annotations

import math

from ..dtypes import float16, float32, int32
from ..nodes import Call
from ..ops.views import BROADCAST
from .formulas import Formula, of, positions, where
from .program import Program
from .sorts import order_of, ordering_cost

DRAW = 1 << 17
"""Elements that a GPU looks through in the time of a draw; a processor, a quarter of them."""


def lower_scatter(program: Program, call: Call, srcs: tuple[int, ...]) -> int:
    """Each place looks through all slices, or where that takes longer, they are sorted before."""
    axis, length = call.arg
    x, indices = call.specs
    before, count = math.prod(x.shape[:axis]), indices.size
    after = math.prod(x.shape[axis + len(indices.shape) :])
    slices, given = (Formula(program, src) for src in srcs)
    slices, given = slices.reshape(before, count, after), given.reshape(count)
    looks_through = before * length * count * after <= _sorting_cost(before, count, after)
    sums = (_looked_for if looks_through else _sorted)(slices, given, length)
    return sums.reshape(*call.spec.shape).at


def _sorting_cost(before: int, count: int, after: int) -> int:
    """What sorting and adding up take, in elements looked through."""
    levels = max(count - 1, 0).bit_length()
    draws, compared = ordering_cost(1, count)
    return (draws + levels + 3) * DRAW + compared + 2 * levels * before * count * after


def _looked_for(slices: Formula, given: Formula, length: int) -> Formula:
    """The sum over all slices, of those alone that belong to a place."""
    before, count, after = slices.shape
    spread = slices.reshape(before, 1, count, after).by(BROADCAST, (before, length, count, after))
    belongs = given.reshape(count, 1).equals(positions(given.program, length, 1, 1))
    return where(belongs, spread, 0).sum(2)


def _sorted(slices: Formula, given: Formula, length: int) -> Formula:
    """Slices of one place come to lie side by side, and are added up there by doubling.

    After turn k a slice holds the sum of those of its place among the 2**k that end with it (Hillis
    and Steele 1986, with flags as Blelloch 1990 has them), so the last of a place holds all.
    """
    program, dtype, count = slices.program, slices.dtype, given.shape[0]
    if dtype is float16:
        # Only the sum of all is rounded.
        slices = slices.astype(float32)
    order = Formula(program, order_of(program, given.reshape(1, count).at)).reshape(count)
    keys, sums = given.take(order, 0).stored(), slices.take(order, 1).stored()
    position = positions(program, count)
    for level in range((count - 1).bit_length()):
        other = position - Formula(program, program.setting(1 << level, int32))
        first = of("maximum", other, 0)
        same = keys.take(first, 0).equals(keys) & (other >= 0)
        earlier = where(same.reshape(count, 1), sums.take(first, 1), 0)
        sums = (sums + earlier).stored()
    last = _last(keys, length)
    own = keys.take(last, 0).equals(positions(program, length)).reshape(length, 1)
    return where(own, sums.take(last, 1), 0).astype(dtype)


def _last(keys: Formula, length: int) -> Formula:
    """For each place the last of the sorted keys up to it, found by halving, or the first."""
    program, count = keys.program, keys.shape[0]
    place, found = positions(program, length), Formula(program, program.constant(0, int32))
    for level in range(count.bit_length() - 1, -1, -1):
        end = found + (1 << level)
        element = keys.take(of("minimum", end, count) - 1, 0)
        found = where((element <= place) & (end <= count), end, found)
    return of("maximum", found - 1, 0).stored()
