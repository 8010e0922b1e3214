"""Choose the kernel of a contraction. Input: its writer. Output: the statements of the kernel."""

from __future__ import annotations

from ...ops.contractions import CONVOLVE
from ..codegen.types import literal
from .contract_kernel import BlockedProduct
from .convolve_kernel import BlockedConvolution, SplitWindow
from .direct_kernel import DirectConvolution, is_direct
from .map_kernel import write_map
from .workgroup_writer import WorkgroupWriter


def write_contract(writer: WorkgroupWriter) -> None:
    """Write the statements of a contraction."""
    call = writer.nodes.calls[writer.kernel.root]
    if not min(spec.size for spec in call.specs):
        writer.fixed[writer.kernel.root] = literal(writer.code, 0, call.spec.dtype)
        write_map(writer)
    elif call.op is not CONVOLVE:
        BlockedProduct(writer, call).write()
    elif not isinstance(call.arg, SplitWindow) and is_direct(call.arg, call.specs[1].shape):
        DirectConvolution(writer, call).write()
    else:
        BlockedConvolution(writer, call).write()
