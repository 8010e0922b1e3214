"""Facts about each kind of operation by which fusion places its nodes.

Input: an op definition. Output: its `FusionTraits`. Targets replace entries of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from types import MappingProxyType
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
    """True if a kernel with a loop can apply it to the result of the loop."""
    has_epilogue: bool = False
    """True if its kernel can apply an elementwise consumer to its result, and stores that."""
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
    Reduction: FusionTraits(KernelKind.REDUCE, has_epilogue=True, spread=Spread.NEVER),
    Scan: FusionTraits(KernelKind.SCAN),
    Contraction: FusionTraits(KernelKind.CONTRACT, spread=Spread.NEVER),
    Loop: FusionTraits(KernelKind.LOOP),
}
"""Facts about kinds of operations that lowering keeps and for which the defaults do not hold."""

NO_TRAITS = FusionTraits()


class TraitsTable:
    """Facts about the kind of an operation: those in `TRAITS`, or the entries that replace them."""

    def __init__(self, replaced: Mapping[type[OpDef], FusionTraits] = MappingProxyType({})) -> None:
        self.replaced = replaced
        self._known: dict[type[OpDef], FusionTraits] = {}

    def __call__(self, op: OpDef) -> FusionTraits:
        traits = self._known.get(type(op))
        if traits is None:
            traits = entry_of({**TRAITS, **self.replaced}, op) or NO_TRAITS
            self._known[type(op)] = traits
        return traits


traits_of = TraitsTable()
"""Return the facts about the kind of an operation on every target that replaces none."""
