"""Words that describe the calls of a plan to the driver of kernels.

Input: a `Plan` of stages. Output: its words.
"""

from __future__ import annotations

from collections.abc import Callable

from ...ir.node import Scalar
from ..codegen.shader import Shader
from ..stages import Plan

SLOT = 4
"""Bytes of an address or a scalar."""


def words_of(plan: Plan, number_of: Callable[[Shader], int]) -> list[int]:
    """Return the words of each call: its kernel's number, their count, and offsets of its slots.

    Slots are addresses of leaves, outputs and temporaries, then scalars, and then the address of
    scratch memory.
    """
    scalars = plan.leaves + len(plan.outputs) + len(plan.temporaries)
    graph = [call for call in plan.lowered.graph.calls if type(call) is Scalar]
    scratch = scalars + len(graph) + len(plan.implicit_uniforms)
    words: list[int] = []
    for draw in plan.draws:
        slots = [*draw.inputs, *draw.targets]
        slots += [scalars + number for numbers in draw.uniforms for number in numbers]
        slots += [scratch] * bool(draw.shader.scratch)
        words += [number_of(draw.shader), len(slots), *[SLOT * slot for slot in slots]]
    return words
