"""Generate the shader of a kernel. Input: a `Kernel`. Output: a `Shader`."""

from __future__ import annotations

from typing import Any

from ...ir.bounded_cache import BoundedCache
from ..kernel import Kernel
from ..lowered_graph import LoweredGraph
from .contract_kernel import tile_dtype, write_contract
from .expressions import EXPRESSIONS
from .kernel_nodes import KernelNodes
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


_shaders: BoundedCache[tuple[Any, ...], Shader] = BoundedCache(1 << 10)
"""Shaders of all plans by the key of their kernels' nodes."""


def write(lowered: LoweredGraph, kernel: Kernel, tilings: dict[int, Tiling]) -> Shader:
    """Return the shader that draws a kernel; equal kernels are written once."""
    nodes = KernelNodes(lowered, kernel, tilings)
    shader = _shaders.get(nodes.key)
    if shader is None:
        shader = _shaders[nodes.key] = _written(nodes)
    return shader


def _written(nodes: KernelNodes) -> Shader:
    kernel, dtype = nodes.kernel, nodes.spec(nodes.kernel.output).dtype
    writer = Writer(nodes, EXPRESSIONS)
    WRITERS[kernel.kind](writer)
    inputs = [
        (nodes.spec(at).dtype, 0 if at in kernel.tiles else nodes.texture_row(at))
        for at in kernel.inputs
    ]
    outputs = [tile_dtype(dtype)] * nodes.tilings[kernel.root].layers if kernel.tiled else [dtype]
    source = assemble(inputs, writer.uniforms, outputs, writer.code.lines)
    uniforms = tuple(tuple(writer.uniforms[name]) for name in "FIU")
    modes = tuple("+".join(sorted(writer.fetches.modes.get(at, {"block"}))) for at in kernel.inputs)
    return Shader(nodes.name, source, uniforms, modes)
