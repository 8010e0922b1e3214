"""Generate the shader of a kernel. Input: a `Kernel`. Output: a `Shader`."""

from __future__ import annotations

from typing import Any

from ...ir.bounded_cache import BoundedCache
from ...language.sizes import ARRAYS, LARGEST, Sizes
from ...language.tree import FLOAT, INT
from ...language.wgsl import STORED, WGSL, ComputeParts
from ..codegen.expressions import EXPRESSIONS
from ..codegen.fetches import ReadMode
from ..codegen.kernel_nodes import KernelNodes
from ..codegen.shader import Shader
from ..kernel import Kernel, KernelKind
from ..lowered_graph import LoweredGraph
from .contractions import write_contract
from .map_kernel import write_map
from .reduce_kernel import write_reduce
from .scan_kernel import write_scan
from .workgroup_writer import WorkgroupWriter

WRITERS = {
    KernelKind.MAP: write_map,
    KernelKind.REDUCE: write_reduce,
    KernelKind.SCAN: write_scan,
    KernelKind.CONTRACT: write_contract,
}
"""Function that writes each kind of kernel."""

_shaders: BoundedCache[tuple[Any, ...], Shader] = BoundedCache(1 << 10)
"""Shaders of all plans by the key of their kernels' nodes."""


def write(lowered: LoweredGraph, kernel: Kernel) -> Shader:
    """Return the shader that computes a kernel; equal kernels are written once for a target."""
    nodes = KernelNodes(lowered, kernel)
    key = lowered.target, *nodes.key
    shader = _shaders.get(key)
    if shader is None:
        shader = _shaders[key] = _written(nodes, lowered.target)
    return shader


def _written(nodes: KernelNodes, target: Any) -> Shader:
    kernel, printer = nodes.kernel, WGSL
    if nodes.largest > LARGEST:
        printer = printer.constant_sizes
    writer = WorkgroupWriter(nodes, EXPRESSIONS, printer, target)
    WRITERS[kernel.kind](writer)
    scalars = writer.uniforms
    sizes = Sizes(len(scalars[FLOAT]), len(scalars[INT]))
    text = "\n".join(writer.code.lines())
    definitions = [*writer.shared, *writer.definitions]
    if writer.head:
        definitions.append("\n".join([writer.head, text, "}"]))
        text = writer.main
    definitions = [sizes.filled(line) for line in definitions]
    body = sizes.filled(text)
    numbers = tuple(sizes.reciprocals), tuple(sizes.numbers), ()
    lengths = [
        (kind, len(scalars[kind]) + len(more)) for kind, more in zip(ARRAYS, numbers, strict=True)
    ]
    source = ComputeParts(
        inputs=[STORED[nodes.spec(at).dtype.name] for at in kernel.inputs],
        uniforms={kind: length for kind, length in lengths if length},
        outputs=[STORED[nodes.spec(at).dtype.name] for at in kernel.outputs],
        needs={**writer.code.needs, **sizes.needs},
        body=body,
        workgroup=writer.workgroup,
        definitions=definitions,
    )
    uniforms = tuple(map(tuple, scalars.values()))
    block = {ReadMode.BLOCK}
    modes = tuple("+".join(sorted(writer.fetches.modes.get(at, block))) for at in kernel.inputs)
    text = WGSL.compute(source)
    return Shader(nodes.name, text, uniforms, numbers, modes, grid=writer.grid)
