"""Random programs: the same steps on tensors and, independently, on NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from . import (
    complex_steps,
    creation_steps,
    image_steps,
    kernel_steps,
    movement_steps,
    number_steps,
    order_steps,
    table_steps,
)
from .program import LARGE, RandomProgram, leaf

Step = Callable[[Any, RandomProgram], None]

GROUPS: list[tuple[int, dict[str, Step]]] = [
    (4, table_steps.ELEMENT),
    (2, table_steps.REDUCED),
    (2, table_steps.OTHERS),
    (4, movement_steps.STEPS),
    (3, number_steps.STEPS),
    (2, order_steps.STEPS),
    (1, image_steps.STEPS),
    (1, creation_steps.STEPS),
    (1, complex_steps.STEPS),
    (1, kernel_steps.STEPS),
]
"""Relative frequency of steps, by kind."""
STEPS: dict[str, Step] = {name: step for _, group in GROUPS for name, step in group.items()}
NAMES = st.sampled_from([sorted(group) for weight, group in GROUPS for _ in range(weight)]).flatmap(
    st.sampled_from
)


def build(draw: Any, program: RandomProgram) -> RandomProgram:
    """Draw a few leaves and some steps; results that grow too large are removed."""
    for _ in range(draw(st.integers(1, 3))):
        leaf(draw, program)
    for _ in range(draw(st.integers(2, 12))):
        add(STEPS[draw(NAMES)], draw, program)
    return program


def add(step: Step, draw: Any, program: RandomProgram) -> None:
    """Add a step, and remove it if its result grew too large."""
    count = len(program.values)
    with np.errstate(all="ignore"):
        step(draw, program)
        if len(program.values) > count:
            _, array = program.values[-1]
            floats = array.dtype.kind == "f"
            if array.size > 20_000 or (floats and array.size and not np.abs(array).max() < LARGE):
                program.pop()


@st.composite
def programs(draw: Any) -> RandomProgram:
    return build(draw, RandomProgram())
