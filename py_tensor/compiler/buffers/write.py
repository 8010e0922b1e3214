"""Generate the text of a kernel. Input: a `Kernel`. Output: a `Shader`.

A kernel is the function `kernel(A, S)`. S is the address of a plan's slots, words with addresses of
buffers and with scalars. A is the address of the offsets in S of those that the kernel uses: of its
inputs, outputs, scalars in the order of `ARRAYS`, and of memory to work in, if it needs any.
"""

from __future__ import annotations

from collections import ChainMap
from typing import Any

from ...ir.node import BoundedCache
from ...language.sizes import ARRAYS
from ...language.tree import FLOAT
from ...language.wasm import WASM
from ...language.wasm_inlining import inlined
from ...ops.op_def import Concat, OpDef, Pad
from ..codegen.expressions import EXPRESSIONS
from ..codegen.kernel_nodes import KernelNodes
from ..codegen.shader import Shader
from ..codegen.writer import Expression
from ..kernel import Kernel, KernelKind
from ..lowered_graph import LoweredGraph
from . import segments
from .buffer_writer import BufferWriter
from .contract_kernel import write_contract
from .decompose_kernel import write_decompose
from .gathers import GATHERS
from .map_kernel import write_map
from .reduce_kernel import write_reduce
from .scan_kernel import write_scan
from .scatter_kernel import write_scatter
from .sort_kernel import write_sort

WRITERS = {
    KernelKind.MAP: write_map,
    KernelKind.REDUCE: write_reduce,
    KernelKind.SCAN: write_scan,
    KernelKind.CONTRACT: write_contract,
    KernelKind.SORT: write_sort,
    KernelKind.SCATTER: write_scatter,
    KernelKind.DECOMPOSE: write_decompose,
}
"""Function that writes each kind of kernel."""

BUFFER_EXPRESSIONS: ChainMap[type[OpDef], Expression] = ChainMap(
    {Concat: Expression(segments.concat), Pad: Expression(segments.pad), **GATHERS}, EXPRESSIONS
)
"""Expression of each kind of operation that a kernel can inline."""

_shaders: BoundedCache[tuple[Any, ...], Shader] = BoundedCache(1 << 10)
"""Texts of all plans by the key of their kernels' nodes."""


def write(lowered: LoweredGraph, kernel: Kernel, has_fma: bool) -> Shader:
    """Return the text of a kernel; equal kernels are written once.

    With `has_fma`, products and sums of contractions are rounded once.
    """
    nodes = KernelNodes(lowered, kernel)
    key = has_fma, *nodes.key
    shader = _shaders.get(key)
    if shader is None:
        shader = _shaders[key] = _written(nodes, has_fma)
    return shader


def _written(nodes: KernelNodes, has_fma: bool) -> Shader:
    kernel, writer = nodes.kernel, BufferWriter(nodes, BUFFER_EXPRESSIONS, WASM)
    writer.has_fma = has_fma
    WRITERS[kernel.kind](writer)
    body = "\n".join(writer.code.lines())
    head = ".func:kernel A:i32 S:i32 ->"
    own = "\n".join(writer.definitions)
    included = WASM.included(f"{own}\n{body}")
    text = inlined("\n".join([*included, *writer.definitions, head, _arguments(writer), body]))
    uniforms = tuple(map(tuple, writer.uniforms.values()))
    modes = tuple("+".join(sorted(writer.modes.get(at, ()))) for at in kernel.inputs)
    shader = Shader(nodes.name, text, uniforms, ((), (), ()), modes, writer.scratch)
    return shader._replace(updates=writer.updates)


def _arguments(writer: BufferWriter) -> str:
    """Return statements that load the addresses and scalars of a kernel into variables."""
    kernel = writer.kernel
    names = [(f"in{number}", "i32") for number, _ in enumerate(kernel.inputs)]
    names += [(f"out{number}", "i32") for number, _ in enumerate(kernel.outputs)]
    names += [
        (f"{ARRAYS[kind]}{number}", "f32" if kind == FLOAT else "i32")
        for kind, scalars in writer.uniforms.items()
        for number, _ in enumerate(scalars)
    ]
    if writer.scratch:
        names.append(("scratch", "i32"))
    return "\n".join(
        [
            f"  S A i32.load:{4 * number} i32.add {kind}.load .local:{name}:{kind} .set:{name}"
            for number, (name, kind) in enumerate(names)
        ]
    )
