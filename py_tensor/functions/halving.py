"""Where elements belong among others that are in order, found by halving in one kernel."""

from __future__ import annotations

from ..nodes import node_of
from ..ops.gathers import TAKE
from ..tensor import Tensor
from .creation import zeros
from .elementwise import PUBLIC as ELEMENTWISE


def belonging(x: Tensor, values: Tensor, side: str) -> Tensor:
    """For each value its place in the sorted vector x, of the same dtype; int32.

    With "left", before elements that equal it, with "right" behind them.
    """
    length = x.shape[0]
    found = zeros(values.shape, dtype="int32")
    step = 1 << length.bit_length() >> 1
    while step:
        end = found + step
        place = ELEMENTWISE["minimum"](end, length) - 1
        element = Tensor(node_of(TAKE, (x._node, place._node), 0))
        goes_behind = _before(element, values) if side == "left" else ~_before(values, element)
        found = ELEMENTWISE["where"](goes_behind & (end <= length), end, found)
        step //= 2
    return found


def _before(a: Tensor, b: Tensor) -> Tensor:
    """Whether elements are smaller than others, NaN being larger than all numbers."""
    less = a < b
    if a.dtype.kind != "f":
        return less
    return less | (ELEMENTWISE["isnan"](b) & ~ELEMENTWISE["isnan"](a))
