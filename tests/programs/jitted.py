"""A random program under `pt.jit`."""

from __future__ import annotations

from typing import Any

import numpy as np

import py_tensor as pt

from . import RandomProgram, build
from .program import compare


def check_jitted(draw: Any) -> None:
    """Compare a random program, as a function of its leaves, with and without jit."""
    drawn: list[Any] = []

    def noted(strategy: Any) -> Any:
        drawn.append(draw(strategy))
        return drawn[-1]

    program = build(noted, RandomProgram(reads=False))
    arrays = [
        array
        for (_, array), step in zip(program.values, program.steps, strict=True)
        if " = leaf: " in step
    ]

    def function(*leaves: pt.Tensor) -> list[pt.Tensor]:
        again, given = iter(drawn), iter(leaves)
        traced = RandomProgram(make=lambda array: next(given), reads=False)
        same = build(lambda strategy: next(again), traced)
        return [tensor for tensor, _ in same.values]

    jitted = pt.jit(function)
    try:
        first = jitted(*map(pt.asarray, arrays))
        compare([(t, array) for t, (_, array) in zip(first, program.values, strict=True)])
        misses = pt.cache_info().plan_misses
        others = [pt.asarray(np.flip(array)) for array in arrays]
        second = jitted(*others)
        assert pt.cache_info().plan_misses == misses
        compare([(t, want.numpy()) for t, want in zip(second, function(*others), strict=True)])
    except Exception as error:
        error.add_note("\n".join(program.steps))
        raise
