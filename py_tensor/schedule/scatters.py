"""Rewrites scattered sums: a fragment cannot write elsewhere, so each place looks for its slices.

Few are looked through one by one; many are sorted by their places and added up before.
Comes in: a scatter of a Program's nodes; goes out: the node that computes it.
"""

from __future__ import annotations

import math

from ..dtypes import float16, float32, int32
from ..nodes import Call
from ..ops import ROWS
from ..ops.elementwise import CAST, EQUAL, WHERE
from ..ops.gathers import TAKE
from ..ops.reductions import SUM
from ..ops.sources import IOTA
from ..ops.views import BROADCAST, RESHAPE
from .program import Program
from .sorts import PAIRS, order_of
from .sums import lower_reduction

DRAW = 1 << 17
"""Elements that a GPU looks through in the time of a draw; a processor, a quarter of them."""


def lower_scatter(program: Program, call: Call, srcs: tuple[int, ...]) -> int:
    """Each place looks through all slices, or where that takes longer, they are sorted before."""
    axis, length = call.arg
    x, indices = call.specs
    before, count = math.prod(x.shape[:axis]), indices.size
    after = math.prod(x.shape[axis + len(indices.shape) :])
    slices = program.add(RESHAPE, srcs[:1], (before, count, after))
    given = program.add(RESHAPE, srcs[1:], (count,))
    if before * length * count * after <= _sorting_cost(before, count, after):
        sums = _looked_for(program, slices, given, length)
    else:
        sums = _sorted(program, slices, given, length)
    return program.add(RESHAPE, (sums,), call.spec.shape)


def _sorting_cost(before: int, count: int, after: int) -> int:
    """What sorting and adding up take, in elements looked through."""
    levels = max(count - 1, 0).bit_length()
    draws, compared = 2, 2 * count**2
    if count**2 > PAIRS:
        draws = levels * (levels + 1) // 2
        compared = 8 * draws * count
    return (draws + levels + 3) * DRAW + compared + 2 * levels * before * count * after


def _looked_for(program: Program, slices: int, given: int, length: int) -> int:
    """The sum over all slices, of those alone that belong to a place."""
    before, count, after = program.spec(slices).shape
    apart = program.add(RESHAPE, (slices,), (before, 1, count, after))
    spread = program.add(BROADCAST, (apart,), (before, length, count, after))
    belongs = program.add(RESHAPE, (given,), (count, 1))
    place = program.add(IOTA, (), (length, 1, 1))
    nothing = program.constant(0, program.spec(slices).dtype)
    found = program.add(WHERE, (program.add(EQUAL, (belongs, place)), spread, nothing))
    return lower_reduction(program, SUM, found, (2,))


def _sorted(program: Program, slices: int, given: int, length: int) -> int:
    """Slices of one place come to lie side by side, and are added up there by doubling.

    After turn k a slice holds the sum of those of its place among the 2**k that end with it (Hillis
    and Steele 1986, with flags as Blelloch 1990 has them), so the last of a place holds all.
    """
    _, count, _ = program.spec(slices).shape
    dtype = program.spec(slices).dtype
    if dtype is float16:
        # Only the sum of all is rounded.
        slices = program.add(CAST, (slices,), float32)
    nothing = program.constant(0, program.spec(slices).dtype)
    row = program.add(RESHAPE, (given,), (1, count))
    order = program.add(RESHAPE, (order_of(program, row),), (count,))
    keys = program.add(TAKE, (given, order), 0)
    sums = program.add(TAKE, (slices, order), 1)
    position, zero = program.add(IOTA, (), (count,)), program.constant(0, int32)
    program.forced |= {keys, sums}
    for level in range((count - 1).bit_length()):
        other = _do(program, "subtract", position, program.setting(1 << level, int32))
        first = _do(program, "maximum", other, zero)
        same = program.add(EQUAL, (program.add(TAKE, (keys, first), 0), keys))
        same = _do(program, "logical_and", same, _do(program, "greater_equal", other, zero))
        same = program.add(RESHAPE, (same,), (count, 1))
        earlier = program.add(WHERE, (same, program.add(TAKE, (sums, first), 1), nothing))
        sums = _do(program, "add", sums, earlier)
        program.forced.add(sums)
    last = _last(program, keys, length)
    own = program.add(EQUAL, (program.add(TAKE, (keys, last), 0), program.add(IOTA, (), (length,))))
    own = program.add(RESHAPE, (own,), (length, 1))
    result = program.add(WHERE, (own, program.add(TAKE, (sums, last), 1), nothing))
    return result if program.spec(result).dtype is dtype else program.add(CAST, (result,), dtype)


def _last(program: Program, keys: int, length: int) -> int:
    """For each place the last of the sorted keys up to it, found by halving, or the first."""
    count = program.spec(keys).size
    one, whole = program.constant(1, int32), program.constant(count, int32)
    place = program.add(IOTA, (), (length,))
    found = program.constant(0, int32)
    for level in range(count.bit_length() - 1, -1, -1):
        end = _do(program, "add", found, program.constant(1 << level, int32))
        at = _do(program, "subtract", _do(program, "minimum", end, whole), one)
        fits = _do(program, "less_equal", program.add(TAKE, (keys, at), 0), place)
        fits = _do(program, "logical_and", fits, _do(program, "less_equal", end, whole))
        found = program.add(WHERE, (fits, end, found))
    last = _do(program, "maximum", _do(program, "subtract", found, one), program.constant(0, int32))
    program.forced.add(last)
    return last


def _do(program: Program, name: str, *operands: int) -> int:
    return program.add(ROWS[name], operands)
