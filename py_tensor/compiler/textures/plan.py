"""Textures of a plan, and the words that describe a plan to the bridge.

Input: a `Plan` of stages. Output: its words.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import NamedTuple

from ...dtypes import DTYPES, DType, float16
from ..codegen.shader import Shader
from ..stages import Draw, Plan
from .texture_layout import row_of

FORMATS = {dtype.name: number for number, dtype in enumerate(DTYPES)} | {"bool": 7}
"""Number of each dtype's texture format in the bridge; bool is stored as uint8."""
FLOAT32_AS_FLOAT16 = 8
"""Texture format of float32 values that are stored as float16."""


def numbers_in(dtype: DType) -> int:
    """Return how many numbers in a texture an element takes."""
    return 2 if dtype.kind == "c" else 1


def texture_size(size: int, width: int | None = None) -> tuple[int, int]:
    """Return width and height of the texture of `size` elements, whose width may be given."""
    width = width or row_of(size)
    return width, max(1, -(-size // (4 * width)))


class Slot(NamedTuple):
    """Texture of a plan; a 2-D texture has no layers."""

    format: int
    width: int
    height: int
    layers: int | None = None

    @property
    def nbytes(self) -> int:
        """Size of the texture in bytes."""
        stored = float16 if self.format == FLOAT32_AS_FLOAT16 else DTYPES[self.format]
        return 4 * stored.itemsize * self.width * self.height * (self.layers or 1)


def viewport(draw: Draw) -> tuple[int, int]:
    """Return width and height of the textures into which a kernel draws."""
    return draw.slot.width, draw.slot.height


def words_of(plan: Plan, program_id: Callable[[Shader], int]) -> array[int]:
    """Serialize a plan for the bridge; webgl_js_bridge/plans.js documents the layout."""
    words = array("i", [plan.leaves, len(plan.outputs), len(plan.temporaries), len(plan.draws)])
    for slot in (*plan.outputs, *plan.temporaries):
        words.extend((*slot[:3], slot.layers or 0))
    for draw in plan.draws:
        words.extend((program_id(draw.shader), *viewport(draw)))
        for numbers in (draw.targets, draw.inputs, *draw.uniforms):
            words.append(len(numbers))
            words.extend(numbers)
    return words
