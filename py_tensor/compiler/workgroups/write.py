"""Generate the shader of a kernel. Input: a `Kernel`. Output: a `Shader`."""

from __future__ import annotations

from collections import ChainMap
from typing import Any

from ...ir.node import BoundedCache
from ...language.printer import Printer
from ...language.sizes import ARRAYS, LARGEST, Sizes
from ...language.tree import FLOAT, INT
from ...language.wgsl import STORED, WGSL, ComputeParts
from ...ops.op_def import OpDef
from ..codegen.expressions import EXPRESSIONS
from ..codegen.fetches import ReadMode
from ..codegen.kernel_nodes import KernelNodes
from ..codegen.shader import Shader
from ..codegen.writer import Expression
from ..kernel import Kernel, KernelKind
from ..lowered_graph import LoweredGraph
from .attention import JoinedParts, Scores, joined_parts_at, scores_at
from .attention_kernel import write_attention
from .contractions import write_contract
from .map_kernel import write_map
from .reduce_kernel import write_reduce
from .row_kernel import write_rows
from .scan_kernel import write_scan
from .scatter_kernel import write_scatter
from .sort_kernel import write_sort
from .workgroup_writer import WorkgroupWriter
from .writes import space_of, with_copies, write_writes

WRITERS = {
    KernelKind.MAP: write_map,
    KernelKind.REDUCE: write_reduce,
    KernelKind.ROWS: write_rows,
    KernelKind.SCAN: write_scan,
    KernelKind.CONTRACT: write_contract,
    KernelKind.ATTEND: write_attention,
    KernelKind.SORT: write_sort,
    KernelKind.SCATTER: write_scatter,
    KernelKind.WRITE: write_writes,
}
"""Function that writes each kind of kernel."""

_EXPRESSIONS: ChainMap[type[OpDef], Expression] = ChainMap(
    {Scores: Expression(scores_at), JoinedParts: Expression(joined_parts_at)}, EXPRESSIONS
)

_shaders: BoundedCache[tuple[Any, ...], Shader] = BoundedCache(1 << 10)
"""Shaders of all plans by the key of their kernels' nodes."""


def write(lowered: LoweredGraph, kernel: Kernel) -> Shader:
    """Return the shader that computes a kernel; equal kernels are written once for a target."""
    nodes = KernelNodes(lowered, kernel)
    key = lowered.target, *nodes.key
    shader = _shaders.get(key)
    if shader is None:
        if kernel.kind is KernelKind.WRITE:
            shader = with_copies(nodes, lambda part: _written(part, lowered.target))
        else:
            shader = _written(nodes, lowered.target)
        _shaders[key] = shader
    return shader


def _written(nodes: KernelNodes, target: Any) -> Shader:
    kernel = nodes.kernel
    printer: Printer = WGSL
    if max(nodes.largest, space_of(nodes)) > LARGEST:
        printer = printer.constant_sizes
    writer = WorkgroupWriter(nodes, _EXPRESSIONS, printer, target)
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
        outputs=writer.outputs,
        needs={**writer.code.needs, **sizes.needs},
        body=body,
        workgroup=writer.workgroup,
        definitions=definitions,
    )
    uniforms = tuple(map(tuple, scalars.values()))
    block = {ReadMode.BLOCK}
    modes = tuple("+".join(sorted(writer.fetches.modes.get(at, block))) for at in kernel.inputs)
    text = WGSL.compute(source)
    return Shader(
        nodes.name,
        text,
        uniforms,
        numbers,
        modes,
        grid=writer.grid,
        before=writer.before,
        contraction=writer.contraction,
    )
