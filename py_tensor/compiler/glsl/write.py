"""Generate the shader of a kernel. Input: a `Kernel`. Output: a `Shader`."""

from __future__ import annotations

from ..kernel import Kernel
from ..lowered_graph import LoweredGraph
from .contract_kernel import tile_dtype, write_contract
from .expressions import EXPRESSIONS
from .map_kernel import write_map
from .reduce_kernel import write_reduce
from .scan_kernel import write_scan
from .shader import Shader, assemble
from .tiles import Tiling
from .writer import Writer

WRITERS = {
    "map": write_map,
    "reduce": write_reduce,
    "scan": write_scan,
    "contract": write_contract,
}
"""Function that writes each kind of kernel."""


def write(lowered: LoweredGraph, kernel: Kernel, tilings: dict[int, Tiling]) -> Shader:
    """Return the shader that draws a kernel."""
    dtype = lowered.spec(kernel.output).dtype
    outputs = [tile_dtype(dtype)] * tilings[kernel.root].layers if kernel.tiled else [dtype]
    writer = Writer(lowered, kernel, tilings, EXPRESSIONS)
    WRITERS[kernel.kind](writer)
    inputs = [
        (lowered.spec(at).dtype, 0 if at in kernel.tiles else lowered.texture_row(at))
        for at in kernel.inputs
    ]
    source = assemble(inputs, writer.uniforms, outputs, writer.code.lines)
    uniforms = tuple(tuple(writer.uniforms[name]) for name in "FIU")
    modes = tuple("+".join(sorted(writer.fetches.modes.get(at, {"block"}))) for at in kernel.inputs)
    return Shader(name_of(lowered, kernel), source, uniforms, modes)


def name_of(lowered: LoweredGraph, kernel: Kernel) -> str:
    """Return a readable name of the kernel: the operation of its loop and of its output."""
    names = []
    for at in (kernel.root, kernel.output):
        op = lowered.op(at)
        if op is not None and op.name not in names:
            names.append(op.name)
    return "+".join(names) or "fill"
