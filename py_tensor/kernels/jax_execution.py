"""Run a program on arrays of JAX, whose values are not known while they are traced.

Input: a program, and arrays or tracers of JAX. Output: the array of the result. Only the JAX
backend imports this module.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from ..dtypes import DType, as_dtype
from ..ops.elementwise import CAST
from ..ops.op_def import Elementwise
from ..runtime.backends.jax import function_of
from .execution import ArrayAlgebra, Execution, evaluated
from .program import Loop, Program


class JaxAlgebra(ArrayAlgebra):
    """Values are arrays of JAX; `shape` is the result's."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        super().__init__(jnp)
        self.shape = shape

    def step(self, definition: Elementwise, operands: Sequence[Any], dtype: DType) -> Any:
        if definition is CAST:
            return operands[0].astype(dtype.name)
        operand = as_dtype(operands[-1].dtype)
        return jnp.asarray(function_of(definition, operand)(*operands)).astype(dtype.name)


class JaxExecution(Execution):
    """A run whose loops are compiled loops."""

    def loop(self, loop: Loop) -> None:
        def inside(carried: Sequence[Any]) -> JaxExecution:
            carries = {carry.inner: x for carry, x in zip(loop.carries, carried, strict=True)}
            run = JaxExecution(self.algebra, {**self.values, **carries})
            run.run(loop.head)
            return run

        def goes_on(state: tuple[Any, list[Any]]) -> Any:
            count, carried = state
            goes = jnp.asarray(True) if loop.limit is None else count < loop.limit
            if loop.active is not None:
                goes = goes & jnp.any(inside(carried).atom(loop.active))
            return goes

        def iterate(state: tuple[Any, list[Any]]) -> tuple[Any, list[Any]]:
            count, carried = state
            run = inside(carried)
            run.run(loop.body)
            run.advance(loop)
            return count + 1, [full(run.values[carry.inner]) for carry in loop.carries]

        def full(value: Any) -> Any:
            return jnp.broadcast_to(value, self.algebra.shape)

        initial = [full(self.atom(carry.initial)) for carry in loop.carries]
        _, carried = lax.while_loop(goes_on, iterate, (jnp.int32(0), initial))
        for carry, value in zip(loop.carries, carried, strict=True):
            self.values[carry.result] = value


def elementwise(program: Program, arrays: Sequence[Any]) -> Any:
    """Return the result of a program without reads."""
    algebra = JaxAlgebra(jnp.broadcast_shapes(*[array.shape for array in arrays]))
    return evaluated(program, algebra, arrays, execution=JaxExecution)


def indexed(program: Program, given: Sequence[Any], places: Callable[..., list[Any]]) -> Any:
    """Return the result of a program that is given the place of its element."""
    *arrays, shape = given
    algebra = JaxAlgebra((math.prod(shape),))
    result = evaluated(program, algebra, arrays, places(jnp, shape), execution=JaxExecution)
    return jnp.broadcast_to(result, algebra.shape)
