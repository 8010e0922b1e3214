"""Words that describe the draws of a plan to the driver. Input: a `Plan`. Output: its words.

The words of a draw are the number of its kernel, the number of its arguments, and these: offsets in
bytes of slots. A run has these slots, of four bytes each: addresses of leaves, outputs and
temporaries, the graph's scalars, the implicit uniforms, and the address of scratch memory.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable

from ...ir.node import Scalar
from ..codegen.shader import Shader
from ..stages import Plan

SLOT = 4
"""Bytes of a slot."""


def words_of(plan: Plan, program_id: Callable[[Shader], int]) -> array[int]:
    """Return the words of a plan's draws, in order."""
    first = plan.leaves + len(plan.outputs) + len(plan.temporaries)
    scalars = sum(type(call) is Scalar for call in plan.lowered.graph.calls)
    scratch = first + scalars + len(plan.implicit_uniforms)
    words = array("I")
    for draw in plan.draws:
        slots = [*draw.inputs, *draw.targets]
        slots += [first + number for numbers in draw.uniforms for number in numbers]
        if draw.shader.scratch:
            slots.append(scratch)
        words.extend((program_id(draw.shader), len(slots), *[SLOT * slot for slot in slots]))
    return words
