"""Facts about each kind of operation by which fusion places its nodes.

Input: an op definition. Output: its `FusionTraits`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from ...ir.node import OpInstance
from ...ops.index_map import View
from ...ops.loops import Loop
from ...ops.op_def import (
    Concat,
    Contraction,
    Elementwise,
    Gather,
    OpDef,
    Pad,
    Reduction,
    Scan,
    ViewOp,
    entry_of,
)
from ..kernel import KernelKind

TILED = 8
"""Cost, in operations, of reading an element in tile layout, whose position takes arithmetic."""


class Recompute(Enum):
    """Condition under which several kernels compute a node instead of reading it."""

    ALWAYS = "it costs nothing"
    IF_CHEAP = "the node costs little"
    IF_CHEAP_ITSELF = "the operation costs little; its operand can be materialized instead"


class Spread(Enum):
    """Way to tell whether an operation reads the elements of an operand many times."""

    BY_SIZE = "its own size tells"
    BY_CONSUMERS = "the sizes of its consumers tell"
    NEVER = "it reads no element many times"


class FusionTraits(NamedTuple):
    """Facts about a kind of operation.

    The defaults are those of an operation that is inlined and reads operands at other positions.
    """

    kernel: KernelKind | None = None
    """Kind of the kernel with a loop that computes it; None if it can be inlined anywhere."""
    in_order: Callable[[OpInstance, bool], bool] = lambda call, is_first: False
    """True if an operand is read at the positions of the result. It gets the operation, and
    True for the first operand."""
    is_epilogue: bool = False
    """True if a kernel of a reduction can apply it to the reduction's result."""
    repeats: bool = False
    """True if it shows its operand's elements again, so that the operand is materialized instead
    of the result."""
    recompute: Recompute = Recompute.IF_CHEAP
    spread: Spread = Spread.BY_SIZE
    read_cost: int = 1
    """Cost of reading an element of the materialized result, in operations."""


def _view_of(call: OpInstance) -> View:
    assert isinstance(call.op, ViewOp)
    return call.op.view(call.specs[0].shape, call.arg)[1]


TRAITS: dict[type[OpDef], FusionTraits] = {
    Elementwise: FusionTraits(in_order=lambda call, is_first: True, is_epilogue=True),
    ViewOp: FusionTraits(
        in_order=lambda call, is_first: _view_of(call).is_identity,
        repeats=True,
        recompute=Recompute.ALWAYS,
    ),
    Pad: FusionTraits(
        repeats=True, recompute=Recompute.IF_CHEAP_ITSELF, spread=Spread.BY_CONSUMERS
    ),
    Concat: FusionTraits(spread=Spread.NEVER),
    Gather: FusionTraits(in_order=lambda call, is_first: not is_first),
    Reduction: FusionTraits(KernelKind.REDUCE, spread=Spread.NEVER),
    Scan: FusionTraits(KernelKind.SCAN),
    Contraction: FusionTraits(KernelKind.CONTRACT, spread=Spread.NEVER, read_cost=TILED),
    Loop: FusionTraits(KernelKind.LOOP),
}
"""Facts about kinds of operations that lowering keeps and for which the defaults do not hold."""

NO_TRAITS = FusionTraits()
_traits: dict[type[OpDef], FusionTraits] = {}


def traits_of(op: OpDef) -> FusionTraits:
    """Return the facts about the kind of an operation."""
    traits = _traits.get(type(op))
    if traits is None:
        traits = _traits[type(op)] = entry_of(TRAITS, op) or NO_TRAITS
    return traits
