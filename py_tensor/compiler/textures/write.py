"""Generate the shader of a kernel. Input: a `Kernel`. Output: a `Shader`."""

from __future__ import annotations

from typing import Any

from ...dtypes import float16, float32
from ...ir.node import BoundedCache
from ...language.printer import InputTexture, Printer, ShaderParts
from ...language.sizes import ARRAYS, LARGEST, Sizes
from ...language.tree import FLOAT, INT
from ..codegen.expressions import EXPRESSIONS
from ..codegen.fetches import ReadMode
from ..codegen.kernel_nodes import KernelNodes
from ..codegen.shader import Shader
from ..codegen.types import KIND, kept
from ..kernel import Kernel, KernelKind
from ..lowered_graph import LoweredGraph
from .contract_kernel import tile_dtype, write_contract
from .map_kernel import write_map
from .reduce_kernel import write_reduce
from .scan_kernel import write_scan
from .texture_layout import texture_row
from .texture_writer import TextureWriter
from .tiles import TILED_KINDS, Tiling

WRITERS = {
    KernelKind.MAP: write_map,
    KernelKind.REDUCE: write_reduce,
    KernelKind.SCAN: write_scan,
    KernelKind.CONTRACT: write_contract,
}
"""Function that writes each kind of kernel."""


_shaders: BoundedCache[tuple[Any, ...], Shader] = BoundedCache(1 << 10)
"""Shaders of all plans by the key of their kernels' nodes."""


def write(
    lowered: LoweredGraph,
    kernel: Kernel,
    tilings: dict[int, Tiling],
    float_as_half: bool,
    printer: Printer,
) -> Shader:
    """Return the shader that draws a kernel; equal kernels are written once.

    With `float_as_half` it draws float32 results into textures of float16. `printer` is that of the
    shader's language.
    """
    nodes = KernelNodes(lowered, kernel, tilings)
    key = printer, float_as_half, *nodes.key
    shader = _shaders.get(key)
    if shader is None:
        shader = _shaders[key] = _written(nodes, float_as_half, printer)
    return shader


def _written(nodes: KernelNodes, float_as_half: bool, printer: Printer) -> Shader:
    kernel = nodes.kernel
    if nodes.largest > LARGEST:
        printer = printer.constant_sizes
    writer = TextureWriter(nodes, EXPRESSIONS, printer)
    WRITERS[kernel.kind](writer)
    code, fetches = writer.code, writer.fetches
    outputs = [nodes.spec(at).dtype for at in kernel.outputs]
    if kernel.kind in TILED_KINDS:
        outputs = [tile_dtype(outputs[0])] * nodes.tilings[kernel.root].layers
    for number, dtype in enumerate(outputs):
        if float_as_half and dtype is float32:
            code.output(number, kept(code, code.value(f"y{number}", FLOAT), float16))
    inputs = [
        InputTexture(kind, None if at in kernel.tiles else texture_row(nodes, at))
        for at, kind in zip(kernel.inputs, fetches.kinds, strict=True)
    ]
    scalars = writer.uniforms
    sizes = Sizes(len(scalars[FLOAT]), len(scalars[INT]))
    reads = sizes.filled(printer.reads(inputs, fetches.texels, fetches.elements))
    definitions = [sizes.filled(text) for text in writer.definitions]
    body = sizes.filled("\n".join(code.lines()))
    numbers = tuple(sizes.reciprocals), tuple(sizes.numbers), ()
    lengths = [
        (kind, len(scalars[kind]) + len(more)) for kind, more in zip(ARRAYS, numbers, strict=True)
    ]
    source = ShaderParts(
        inputs=inputs,
        uniforms={kind: length for kind, length in lengths if length},
        outputs=[KIND[dtype.kind] for dtype in outputs],
        needs={**code.needs, **sizes.needs},
        reads=reads,
        body=body,
        definitions=definitions,
        own=writer.own,
    )
    uniforms = tuple(map(tuple, scalars.values()))
    block = {ReadMode.BLOCK}
    modes = tuple("+".join(sorted(fetches.modes.get(at, block))) for at in kernel.inputs)
    return Shader(nodes.name, printer.shader(source), uniforms, numbers, modes)
