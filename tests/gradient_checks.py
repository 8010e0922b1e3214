"""Compare gradients of random programs, taken in several ways, with finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
from differentiable import RandomProgram
from gradients import assert_close, differences, weights

import py_tensor as pt

RTOL = 5e-4
"""Relative to the largest element: results of a dozen steps are rounded to float32."""


def loss(xp: Any, values: list[Any]) -> Any:
    """Weighted sum of the last values; the earlier ones are used more than once."""
    return sum(
        xp.sum(value * xp.asarray(weights(value.shape, seed)))
        for seed, value in enumerate(values[-2:])
    )


def plain(program: RandomProgram, tensors: list[pt.Tensor]) -> Any:
    wrt = range(len(tensors))
    return pt.grad(lambda *xs: loss(pt, program.ours(*xs)), argnums=[*wrt])(*tensors)


def jitted(program: RandomProgram, tensors: list[pt.Tensor]) -> Any:
    return pt.jit(lambda *xs: plain(program, xs))(*tensors)


def recomputed(program: RandomProgram, tensors: list[pt.Tensor]) -> Any:
    """Put every other step inside a checkpoint, and all inside another."""
    steps = [
        step._replace(ours=pt.checkpoint(step.ours)) if at % 2 else step
        for at, step in enumerate(program.steps)
    ]
    inner = RandomProgram(program.leaves, steps)
    whole = pt.checkpoint(lambda *xs: loss(pt, inner.ours(*xs)))
    return pt.grad(whole, argnums=[*range(len(tensors))])(*tensors)


def read(program: RandomProgram, tensors: list[pt.Tensor]) -> Any:
    """Read values inside the function, and again when the gradients are pulled back."""

    def function(*xs: pt.Tensor) -> pt.Tensor:
        values = program.ours(*xs)
        values[len(values) // 2].tolist()
        return loss(pt, values)

    value, pull = pt.vjp(function, *tensors)
    value.item()
    return pull(1.0)


def check(program: RandomProgram, way: Any) -> None:
    try:
        got = way(program, [*map(pt.asarray, program.leaves)])
        pt.realize(*got)
        for at, tensor in enumerate(got):
            want = differences(lambda *xs: loss(np, program.theirs(*xs)), program.leaves, at)
            # Values that cancel have errors relative to their operands, which are of this size.
            assert_close(tensor, want, "float32", RTOL, f"by v{at}", least=1.0)
    except Exception as error:
        error.add_note(str(program))
        raise


def vmapped(program: RandomProgram, tensors: list[pt.Tensor]) -> Any:
    """Differentiate for two sets of leaves at once."""
    both = [pt.stack([x, pt.flip(x) * 0.5]) for x in tensors]
    return [found[0] for found in pt.vmap(lambda *xs: plain(program, [*xs]))(*both)]


def forward(program: RandomProgram, tensors: list[pt.Tensor]) -> Any:
    function = pt.jacfwd(lambda *xs: loss(pt, program.ours(*xs)), argnums=[*range(len(tensors))])
    return function(*tensors)


WAYS = (plain, jitted, recomputed, read, vmapped, forward)
