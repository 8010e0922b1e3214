"""Choose texture widths for temporaries.

The width of an output depends on its size only. Temporaries are free: a GPU is faster if vertical
neighbours among fragments read vertical neighbours among texels. Operands of contractions therefore
have one matrix row per texture row, and split reductions have the texture width of their operand.
Input: a `LoweredGraph` and its `KernelSchedule`. Output: `widths` of the lowered graph.
"""

from __future__ import annotations

from ...ir.node import OpInstance
from ...ops.contractions import CONVOLVE, DOT
from ..kernel import KernelKind, KernelSchedule
from ..lowered_graph import LoweredGraph, LoweredNodes, SplitReduction

NARROW, WIDE = 128, 2048
"""Texture widths: at most NARROW for textures of up to NARROW rows, else at least WIDE."""


def row_of(size: int) -> int:
    """Return the width in texels, a power of two, of the texture of `size` elements.

    Small textures are about as high as wide: GPUs shade quads of 2 x 2 fragments, and software
    renderers distribute the rows of a texture among CPU cores. Textures of more than WIDE rows are
    at least as wide as high, so that a device can hold the square of its longest row.
    """
    texels = max(1, -(-size // 4))
    side = 1 << ((texels - 1).bit_length() + 1) // 2
    return side if texels <= NARROW * NARROW else max(side, WIDE)


def most_elements(largest: int) -> int:
    """Return the largest size of a texture whose sides have at most so many texels."""
    side = 1 << largest.bit_length() - 1
    return min(4 * side * side, (1 << 31) - 1)


def texture_row(nodes: LoweredNodes, at: int) -> int:
    """Return the texture width in texels of a materialized node in row-major order."""
    return nodes.widths.get(at) or row_of(nodes.spec(at).size)


def choose_widths(lowered: LoweredGraph, schedule: KernelSchedule, largest: int) -> None:
    """Choose the widths of temporaries, consumers first, since widths follow the consumer's."""
    fixed = set(schedule.keep.values())
    # The carry of a loop moves between these textures, and its shaders assume one layout.
    fixed |= lowered.loop_values()
    # One draw has one viewport.
    fixed |= {at for kernel in schedule.kernels if kernel.outputs[1:] for at in kernel.outputs}

    def choose(at: int, width: int) -> None:
        free = not lowered.is_leaf(at) and at not in fixed and at not in lowered.widths
        texels = -(-lowered.spec(at).size // 4)
        if free and width and -(-texels // width) <= largest and width <= largest:
            lowered.widths[at] = width

    for kernel in reversed(schedule.kernels):
        call = lowered.calls[kernel.root]
        if kernel.kind is KernelKind.CONTRACT:
            first = lowered.edges[kernel.root][0]
            base, strides, _ = lowered.strides(first)
            if call.op is CONVOLVE:
                _, _, width, channels = call.specs[0].shape
                choose(base, call.arg.stride[0] * width * channels // 4)
            elif call.op is DOT and strides is not None and strides[2] == 1:
                choose(base, strides[1] // 4)
        output_width = lowered.widths.get(kernel.output)
        for at in kernel.inputs:
            if output_width and at not in kernel.tiles and _follows(lowered, at, kernel.output):
                choose(at, output_width)
    for at, call in enumerate(lowered.calls):
        if type(call) is OpInstance and isinstance(call.arg, SplitReduction):
            base = lowered.view(lowered.edges[at][0])[0]
            texels = -(-call.spec.size // 4)
            choose(at, min(texture_row(lowered, base), 1 << (texels - 1).bit_length()))


def _follows(lowered: LoweredGraph, at: int, out: int) -> bool:
    """Return True if neighbours along the last axis of one node are neighbours in the other.

    Axes of length 1 do not count.
    """
    shape, result = ([n for n in lowered.spec(node).shape if n != 1] for node in (at, out))
    return len(shape) > 1 and shape[-1:] == result[-1:]
