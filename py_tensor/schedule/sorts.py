"""Rewrites sorting: small axes by counting who comes before, others by a bitonic network.

Comes in: a sort of a Program's node; goes out: the node that computes it. Places are sorted, whose
elements are looked up to compare. Of equal elements the one in front comes first, so orders are
stable; NaN is larger than all numbers.
"""

from __future__ import annotations

import math

from ..dtypes import int32
from ..nodes import Call
from ..ops import ROWS
from ..ops.elementwise import CAST, ISNAN, WHERE
from ..ops.gathers import TAKE
from ..ops.reductions import SUM
from ..ops.sources import IOTA
from ..ops.views import PERMUTE, RESHAPE
from .program import Program
from .sums import lower_reduction

PAIRS = 1 << 22
"""Comparisons of all with all take less time than the draws of a network up to so many."""


def lower_sort(program: Program, call: Call, src: int) -> int:
    """The places of the elements along the axis, in order."""
    axis, descending = call.arg
    shape = call.spec.shape
    length = shape[axis]
    batch = math.prod(shape) // max(length, 1)
    order = [*(a for a in range(len(shape)) if a != axis), axis]
    turned = program.add(PERMUTE, (src,), tuple(order))
    turned_shape = program.spec(turned).shape
    rows = program.add(RESHAPE, (turned,), (batch, length))
    places = program.add(RESHAPE, (order_of(program, rows, descending),), turned_shape)
    return program.add(PERMUTE, (places,), tuple(order.index(a) for a in range(len(shape))))


def order_of(program: Program, rows: int, descending: bool = False) -> int:
    """The places of the elements in each row of a matrix, in order; one of the same shape."""
    batch, length = program.spec(rows).shape
    sorting = _Sorting(program, batch, length, descending)
    if _is_counted(batch, length):
        return program.add(RESHAPE, (sorting.counted(rows),), (batch, length))
    return sorting.exchanged(rows)


def ordering_cost(batch: int, length: int) -> tuple[int, int]:
    """How many draws `order_of` takes, and how many elements it reads in all."""
    if _is_counted(batch, length):
        return 2, 2 * batch * length**2
    levels = (length - 1).bit_length()
    draws = levels * (levels + 1) // 2
    return draws, 8 * draws * batch * length


def _is_counted(batch: int, length: int) -> bool:
    return batch * length**2 <= PAIRS


class _Sorting:
    """The order of `length` elements in each of `batch` rows."""

    def __init__(self, program: Program, batch: int, length: int, descending: bool) -> None:
        self.program = program
        self.batch = batch
        self.length = length
        self.descending = descending

    def _add(self, name: str, *operands: int) -> int:
        return self.program.add(ROWS[name], operands)

    def _iota(self, *shape: int) -> int:
        return self.program.add(IOTA, (), shape)

    def _constant(self, value: int) -> int:
        return self.program.constant(value, int32)

    def _before(self, a: int, b: int) -> int:
        """Whether an element comes before another by its value alone."""
        smaller, larger = (b, a) if self.descending else (a, b)
        found = self._add("less", smaller, larger)
        if self.program.spec(a).dtype.kind != "f":
            return found
        largest = self.program.add(ISNAN, (larger,))
        number = self._add("logical_not", self.program.add(ISNAN, (smaller,)))
        return self._add("logical_or", found, self._add("logical_and", largest, number))

    def counted(self, rows: int) -> int:
        """Each element's rank is how many come before it; place r is whose rank is r."""
        program, batch, length = self.program, self.batch, self.length
        one = program.add(RESHAPE, (rows,), (batch, length, 1))
        other = program.add(RESHAPE, (rows,), (batch, 1, length))
        earlier = self._add("less", self._iota(1, 1, length), self._iota(1, length, 1))
        level = self._add("logical_not", self._before(one, other))
        ahead = self._add(
            "logical_or", self._before(other, one), self._add("logical_and", level, earlier)
        )
        ranks = lower_reduction(program, SUM, program.add(CAST, (ahead,), int32), (2,))
        ranks = program.add(RESHAPE, (ranks,), (batch, 1, length))
        here = self._add("equal", ranks, self._iota(1, length, 1))
        found = program.add(WHERE, (here, self._iota(1, 1, length), self._constant(0)))
        return lower_reduction(program, SUM, found, (2,))

    def exchanged(self, rows: int) -> int:
        """Batcher's bitonic network (1968), each block turned so that all its steps ascend."""
        program, batch, length = self.program, self.batch, self.length
        width = 1 << (length - 1).bit_length()
        flat = program.add(RESHAPE, (rows,), (batch * length,))
        position = self._iota(batch * width)
        row = self._add("floor_divide", position, self._constant(width))
        start = self._add("multiply", row, self._constant(length))
        places = self._add("remainder", position, self._constant(width))
        block = 2
        while block <= width:
            step = block - 1
            while step:
                places = self._step(flat, places, position, start, step)
                step = block // 4 if step == block - 1 else step // 2
            block *= 2
        places = program.add(RESHAPE, (places,), (batch, width))
        parts = ((0, batch, 1), (0, length, 1))
        return program.add(ROWS["slice"], (places,), parts)

    def _step(self, flat: int, places: int, position: int, start: int, step: int) -> int:
        """Places after comparing each with that at `position ^ step`; one shader for all steps."""
        program = self.program
        partner = self._add("bitwise_xor", position, program.setting(step, int32))
        other = program.add(TAKE, (places, partner), 0)
        mine, its = (self._element(flat, start, at) for at in (places, other))
        ahead, behind = self._before(its, mine), self._before(mine, its)
        if self.length & (self.length - 1):
            exists, other_exists = (self._exists(at) for at in (places, other))
            ahead = self._add("logical_or", self._add("logical_not", exists), ahead)
            ahead = self._add("logical_and", other_exists, ahead)
            behind = self._add("logical_or", self._add("logical_not", other_exists), behind)
            behind = self._add("logical_and", exists, behind)
        level = self._add("logical_not", behind)
        tie = self._add("logical_and", level, self._add("less", other, places))
        swap = self._add("logical_or", ahead, tie)
        # The lower one of a pair takes what comes first, the upper one the other.
        upper = self._add("less", partner, position)
        swap = self._add("logical_xor", swap, upper)
        result = program.add(WHERE, (swap, other, places))
        program.forced.add(result)
        return result

    def _element(self, flat: int, start: int, at: int) -> int:
        place = self._add("minimum", at, self._constant(self.length - 1))
        return self.program.add(TAKE, (flat, self._add("add", start, place)), 0)

    def _exists(self, at: int) -> int:
        return self._add("less", at, self._constant(self.length))
