"""Choose the kernel of a contraction. Input: its writer. Output: the statements of the kernel."""

from __future__ import annotations

from ...ir.node import OpInstance
from ...ops.contractions import CONVOLVE
from ..codegen.types import literal
from .contract_kernel import BlockedContraction, BlockedProduct
from .convolve_kernel import BlockedConvolution, SplitWindow
from .direct_kernel import DirectConvolution, is_direct
from .lane_kernel import LaneConvolution, is_by_lanes
from .map_kernel import write_map
from .packed_kernel import PackedProduct, write_packed
from .workgroup_writer import WorkgroupWriter


def write_contract(writer: WorkgroupWriter) -> None:
    """Write the statements of a contraction."""
    call = writer.nodes.calls[writer.kernel.root]
    if not min(spec.size for spec in call.specs):
        writer.fixed[writer.kernel.root] = literal(writer.code, 0, call.spec.dtype)
        write_map(writer)
    elif isinstance(call.arg, PackedProduct):
        write_packed(writer)
    elif call.op is not CONVOLVE:
        BlockedProduct(writer, call).write()
    else:
        convolution_of(call)(writer, call).write()


def convolution_of(call: OpInstance) -> type[BlockedContraction]:
    """Return the writer of a convolution."""
    kernel = call.specs[1].shape
    if isinstance(call.arg, SplitWindow):
        return BlockedConvolution
    if is_direct(call.arg, kernel):
        return DirectConvolution
    return LaneConvolution if is_by_lanes(call.arg, kernel) else BlockedConvolution
