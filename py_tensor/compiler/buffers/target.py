"""Target with linear memory: kernels are WebAssembly functions, which load and store elements.

Input: a lowered graph and its kernels. Output: sizes of stored values, and texts of kernels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ...ir.node import OpInstance
from ...language.wasm_text import wat
from ...ops.op_def import (
    Contraction,
    Decomposition,
    GatherAlong,
    LastPosition,
    OpDef,
    Scatter,
    Search,
    Sort,
)
from ..codegen.shader import Shader
from ..fusion.traits import TRAITS, FusionTraits, Spread, TraitsTable
from ..kernel import FusionLimits, Kernel, KernelKind, KernelSchedule
from ..lowered_graph import LoweredGraph
from ..lowering.contractions import pixel_major, stored_operands
from ..lowering.lower import LOWERINGS
from ..lowering.searches import lower_last_position, lower_search
from ..target import Lowering, StoredValue, Target
from .decompose_kernel import DECOMPOSITIONS, is_real
from .storage import padded, stored
from .write import write


def lower_contraction(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> int:
    """Store the operands of a contraction, which reads them through one view each.

    The results of the groups of a convolution are stored as channels of the pixels.
    """
    return pixel_major(lowered, call, stored_operands(lowered, srcs))


def lower_decomposition(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> int:
    """Keep a decomposition of real matrices for which there is a kernel."""
    assert isinstance(call.op, Decomposition)
    if call.op.method in DECOMPOSITIONS and is_real(call):
        return lowered.append(call, srcs)
    at: int = LOWERINGS[Decomposition](lowered, call, srcs)
    return at


BUFFER_LOWERINGS: dict[type[OpDef], Lowering] = {
    Contraction: lower_contraction,
    Decomposition: lower_decomposition,
    Search: lower_search,
    LastPosition: lower_last_position,
}
"""Function that lowers each kind of operation that kernels compute in another way."""
BUFFER_TRAITS = TraitsTable(
    {
        Contraction: TRAITS[Contraction]._replace(has_epilogue=True),
        Decomposition: FusionTraits(KernelKind.DECOMPOSE, spread=Spread.NEVER),
        GatherAlong: FusionTraits(in_order=lambda call, is_first: not is_first),
        Sort: FusionTraits(KernelKind.SORT, spread=Spread.NEVER),
        Scatter: FusionTraits(KernelKind.SCATTER, spread=Spread.NEVER),
    }
)
LIMITS = FusionLimits(inputs=32, cheap=8)
"""Storing and loading an element takes about as long as four operations on it."""


class BufferSlot(NamedTuple):
    """Memory of a stored value."""

    nbytes: int
    """Size in bytes, with padding."""


class BufferTarget(Target):
    """Linear memory of a processor.

    `has_fma` is True if kernels may use fused multiply-adds, which round once.
    """

    def __init__(self, has_fma: bool = False) -> None:
        self.has_fma = has_fma

    limits = LIMITS
    outputs = 4
    stores_operands = True
    joins_choices = False
    lowerings: Mapping[type[OpDef], Lowering] = BUFFER_LOWERINGS
    traits = BUFFER_TRAITS

    def writes_tiles(self, kind: KernelKind) -> bool:
        return False

    def storage(self, lowered: LoweredGraph, schedule: KernelSchedule) -> BufferStorage:
        return BufferStorage(lowered, self.has_fma)

    def listing(self, source: str) -> str:
        return wat(source)


class BufferStorage:
    """Memory and kernels of one graph."""

    def __init__(self, lowered: LoweredGraph, has_fma: bool) -> None:
        self.lowered = lowered
        self.has_fma = has_fma

    def slot(self, value: StoredValue) -> BufferSlot:
        """Return the memory that holds a value."""
        spec = self.lowered.spec(value.node)
        return BufferSlot(padded(spec.size * stored(spec.dtype).size))

    def write(self, kernel: Kernel) -> Shader:
        """Return the text of a kernel."""
        return write(self.lowered, kernel, self.has_fma)
