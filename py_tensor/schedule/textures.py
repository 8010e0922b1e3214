"""How wide the textures of values are that live inside a plan only.

Those others see are as wide as their size tells. Inside, GPUs gain where fragments below each other
read texels that lie so, too: operands of contractions have one row in a row, and parts of sums lie
as what they are sums of.
Comes in: a Program and its Schedule; goes out: the rows noted in the Program.
"""

from __future__ import annotations

from ..nodes import Call
from ..ops.contractions import CONVOLVE, DOT
from .kernel import Schedule
from .program import Partial, Program


def choose_rows(program: Program, schedule: Schedule, largest: int) -> None:
    """Notes the rows of textures, the last first, so that each knows where it is read from."""
    fixed = set(schedule.keep.values())
    # A loop's state lies in each of these in turn, and its shaders know one layout.
    fixed |= {at for place in range(len(program.calls)) for at in program.states_of(place)}

    def note(at: int, row: int) -> None:
        inside = not program.is_leaf(at) and at not in fixed and at not in program.rows
        texels = -(-program.spec(at).size // 4)
        if inside and row and -(-texels // row) <= largest and row <= largest:
            program.rows[at] = row

    for kernel in reversed(schedule.kernels):
        call = program.calls[kernel.root] if kernel.root >= 0 else None
        if kernel.kind == "contract" and call is not None:
            first = program.edges[kernel.root][0]
            base, strides, _ = program.strides(first)
            if call.row is CONVOLVE:
                _, _, width, channels = call.specs[0].shape
                note(base, call.arg.stride[0] * width * channels // 4)
            elif call.row is DOT and strides is not None and strides[2] == 1:
                note(base, strides[1] // 4)
        row = program.rows.get(kernel.output)
        for at in kernel.inputs:
            if row and at not in kernel.tiles and _follows(program, at, kernel.output):
                note(at, row)
    for at, call in enumerate(program.calls):
        if type(call) is Call and isinstance(call.arg, Partial):
            base = program.view(program.edges[at][0])[0]
            row = program.texture_row(base)
            note(at, min(row, 1 << (-(-call.spec.size // 4) - 1).bit_length()))


def _follows(program: Program, at: int, out: int) -> bool:
    """Whether neighbours along the last axis of one are such in the other."""
    shape, result = program.spec(at).shape, program.spec(out).shape
    return len(shape) > 1 and shape[-1:] == result[-1:] and program.spec(at).size > shape[-1]
