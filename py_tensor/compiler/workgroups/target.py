"""Target with workgroups: kernels are compute shaders over storage buffers.

Input: a lowered graph and its kernels. Output: sizes of stored values, and texts of kernels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...ir.node import OpGraph, TensorSpec
from ...ops.op_def import (
    Contraction,
    GatherAlong,
    LastPosition,
    OpDef,
    Pad,
    Reduction,
    Scan,
    Scatter,
    Search,
    Sort,
)
from ..codegen.shader import Shader
from ..fusion.traits import TRAITS, FusionTraits, Recompute, Spread, TraitsTable
from ..kernel import FusionLimits, Kernel, KernelKind, KernelSchedule
from ..lowered_graph import LoweredGraph
from ..lowering.gathers import lower_gather_along
from ..lowering.pads import lower_pad
from ..lowering.searches import lower_last_position, lower_search
from ..target import Lowering, StoredValue, Target
from .attention import Attention, JoinedParts, Scores, lower_attention, with_attention
from .contract_kernel import BlockedSize, Blocking, ContractionSize
from .convolution_lowering import lower_contraction
from .lowering import lower_reduction, lower_scan
from .plan import StorageSlot, nbytes_of
from .row_kernel import can_store
from .sorts import lower_scatter, lower_sort
from .write import write
from .writes import Writes

OUTPUTS = 2
"""Results of a kernel. With those that it reads they are bound as storage buffers, of which most
devices have 10."""
WORKGROUP_LOWERINGS: dict[type[OpDef], Lowering] = {
    Pad: lower_pad,
    GatherAlong: lower_gather_along,
    Scatter: lower_scatter,
    Sort: lower_sort,
    Search: lower_search,
    LastPosition: lower_last_position,
    Reduction: lower_reduction,
    Scan: lower_scan,
    Contraction: lower_contraction,
    Scores: lower_attention,
    Attention: lower_attention,
}
"""Function that lowers each kind of operation that kernels compute in another way."""
WORKGROUP_TRAITS = TraitsTable(
    {
        Contraction: TRAITS[Contraction]._replace(has_epilogue=True),
        Scores: FusionTraits(recompute=Recompute.ALWAYS, spread=Spread.NEVER),
        Attention: FusionTraits(KernelKind.ATTEND, spread=Spread.NEVER),
        JoinedParts: FusionTraits(spread=Spread.NEVER),
        Sort: FusionTraits(KernelKind.SORT, spread=Spread.NEVER),
        Scatter: FusionTraits(KernelKind.SCATTER, spread=Spread.NEVER),
        Writes: FusionTraits(KernelKind.WRITE),
    }
)


class _Capabilities(NamedTuple):
    buffers: int = 8
    largest: int = 1 << 27
    on_processor: bool = False
    packed_products: bool = False
    blockings: tuple[BlockedSize, ...] = ()


class WorkgroupTarget(_Capabilities, Target):
    """Capabilities of a device with workgroups, for example of WebGPU.

    `buffers` is the number of storage buffers that a kernel may bind, and `largest` the size in
    bytes of the largest one. `on_processor` is True for a software renderer. `packed_products` is
    True if the language has products of words of four 8-bit integers. `blockings` were measured to
    be the fastest of contractions; a rule chooses those of others.
    """

    traits = WORKGROUP_TRAITS
    outputs = OUTPUTS
    stores_operands = False
    joins_rows = True
    lowerings: Mapping[type[OpDef], Lowering] = WORKGROUP_LOWERINGS

    @property
    def limits(self) -> FusionLimits:
        return FusionLimits(inputs=self.buffers - OUTPUTS)

    def blocking(self, size: ContractionSize) -> Blocking | None:
        """Return the blocking that was measured to be the fastest of a contraction, if any."""
        return dict(self.blockings).get(size)

    def writes_tiles(self, kind: KernelKind) -> bool:
        return False

    def rewritten(self, graph: OpGraph) -> OpGraph:
        return with_attention(graph)

    def stores_rows(self, frame: tuple[int, int], specs: Sequence[TensorSpec]) -> bool:
        return can_store(frame, specs)

    def storage(self, lowered: LoweredGraph, schedule: KernelSchedule) -> WorkgroupStorage:
        return WorkgroupStorage(lowered)


class WorkgroupStorage:
    """Buffers and shaders of the kernels of one graph."""

    def __init__(self, lowered: LoweredGraph) -> None:
        self.lowered = lowered

    def slot(self, value: StoredValue) -> StorageSlot:
        """Return the buffer that holds a value."""
        spec = self.lowered.spec(value.node)
        return StorageSlot(nbytes_of(spec.dtype, spec.size))

    def write(self, kernel: Kernel) -> Shader:
        """Return the shader that computes a kernel."""
        return write(self.lowered, kernel)
