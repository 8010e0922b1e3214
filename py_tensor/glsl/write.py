"""Kernel in, Shader out."""

from __future__ import annotations

from ..schedule.kernel import Kernel
from ..schedule.program import Program
from .contract_kernel import tile_dtype, write_contract
from .map_kernel import write_map
from .reduce_kernel import write_reduce
from .scan_kernel import write_scan
from .shader import Shader, assemble
from .tiles import Tiling


def write(program: Program, kernel: Kernel, tilings: dict[int, Tiling]) -> Shader:
    """The shader that draws a kernel."""
    dtype = program.spec(kernel.output).dtype
    outputs = [dtype]
    if kernel.kind == "map":
        writer = write_map(program, kernel, tilings)
    elif kernel.kind == "reduce":
        writer = write_reduce(program, kernel, tilings)
    else:
        tiling = tilings[kernel.root]
        if kernel.kind == "scan":
            writer = write_scan(program, kernel, tilings)
        else:
            writer = write_contract(program, kernel, tiling)
        outputs = [tile_dtype(dtype)] * tiling.layers
    inputs = [
        (program.spec(at).dtype, 0 if at in kernel.tiles else program.texture_row(at))
        for at in kernel.inputs
    ]
    source = assemble(inputs, writer.uniforms, outputs, writer.lines)
    uniforms = tuple(tuple(writer.uniforms[name]) for name in "FIU")
    modes = tuple("+".join(sorted(writer.modes.get(at, {"block"}))) for at in kernel.inputs)
    return Shader(name_of(program, kernel), source, uniforms, modes)


def name_of(program: Program, kernel: Kernel) -> str:
    """What a person calls the kernel: its loop and what follows it."""
    names = []
    for at in (kernel.root, kernel.output):
        row = program.row(at) if at >= 0 else None
        if row is not None and row.name not in names:
            names.append(row.name)
    return "+".join(names) or "fill"
