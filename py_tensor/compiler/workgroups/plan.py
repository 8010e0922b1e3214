"""Buffers of a plan, and the words that describe a plan to the bridge.

Input: a `Plan` of stages. Output: its words.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import NamedTuple

from ...dtypes import DType
from ...language.wgsl import STORED
from ..codegen.shader import Shader
from ..stages import Plan

ALIGNMENT = 16
"""Sizes of buffers are multiples of it, so that whole groups are loaded and stored."""


class StorageSlot(NamedTuple):
    """Buffer of a plan."""

    nbytes: int
    """Size in bytes, with padding."""


def nbytes_of(dtype: DType, size: int) -> int:
    """Return the bytes of a buffer of so many elements; complex ones are two numbers."""
    numbers = 2 * size if dtype.kind == "c" else size
    nbytes = numbers * STORED[dtype.name].itemsize
    return max(ALIGNMENT, -(-nbytes // ALIGNMENT) * ALIGNMENT)


def words_of(plan: Plan, program_id: Callable[[Shader], int]) -> array[int]:
    """Serialize a plan for the bridge; webgpu_js_bridge/plans.js documents the layout."""
    words = array("i", [plan.leaves, len(plan.outputs), len(plan.temporaries), len(plan.draws)])
    words.extend(slot.nbytes for slot in (*plan.outputs, *plan.temporaries))
    for draw in plan.draws:
        words.extend((program_id(draw.shader), *draw.shader.grid))
        for numbers in (draw.targets, draw.inputs, *draw.uniforms):
            words.append(len(numbers))
            words.extend(numbers)
    return words
