"""Run a program on arrays of JAX, whose values are not known while they are traced.

Input: a program, and arrays or tracers of JAX. Output: the array of the result. Only the JAX
backend imports this module.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
from jax import lax

from ..dtypes import as_dtype
from ..ops.op_def import Elementwise, Shape
from ..runtime.backends.jax import function_of
from .execution import ArrayAlgebra, KnownExecution, ProgramArray, coordinates_of
from .program import Program, Repeat, Var


class JaxAlgebra(ArrayAlgebra):
    """Values are arrays of JAX."""

    def __init__(self) -> None:
        super().__init__(jnp)

    def function(
        self, definition: Elementwise, operands: Sequence[ProgramArray]
    ) -> Callable[..., object]:
        return function_of(definition, as_dtype(operands[-1].dtype))


class JaxExecution(KnownExecution[ProgramArray]):
    """A run whose loops are compiled loops; `shape` is the result's."""

    def __init__(self, shape: Shape, values: dict[Var, ProgramArray] | None = None) -> None:
        super().__init__(JaxAlgebra())
        self.values = values or {}
        self.shape = shape

    def loop(self, loop: Repeat) -> None:
        def inside(carried: Sequence[jax.Array]) -> JaxExecution:
            carries = {carry.inner: x for carry, x in zip(loop.carries, carried, strict=True)}
            run = JaxExecution(self.shape, {**self.values, **carries})
            run.run(loop.head)
            return run

        def goes_on(state: tuple[jax.Array, list[jax.Array]]) -> jax.Array:
            count, carried = state
            goes = jnp.asarray(True) if loop.limit is None else count < loop.limit
            if loop.active is not None:
                goes = goes & jnp.asarray(inside(carried).atom(loop.active)).any()
            return goes

        def iterate(
            state: tuple[jax.Array, list[jax.Array]],
        ) -> tuple[jax.Array, list[jax.Array]]:
            count, carried = state
            run = inside(carried)
            run.run(loop.body)
            run.advance(loop)
            return count + 1, [full(run.values[carry.inner]) for carry in loop.carries]

        def full(value: ProgramArray) -> jax.Array:
            return jnp.broadcast_to(jnp.asarray(value), self.shape)

        initial = [full(self.atom(carry.initial)) for carry in loop.carries]
        _, carried = lax.while_loop(goes_on, iterate, (jnp.int32(0), initial))
        for carry, value in zip(loop.carries, carried, strict=True):
            self.values[carry.result] = value


def elementwise(program: Program, arrays: Sequence[jax.Array]) -> ProgramArray:
    """Return the result of a program without reads."""
    shape = jnp.broadcast_shapes(*[array.shape for array in arrays])
    return JaxExecution(shape).result(program, arrays)


def indexed(program: Program, arrays: Sequence[jax.Array], shape: Shape) -> ProgramArray:
    """Return the result of a program for all elements of a result of a shape."""
    size = (math.prod(shape),)
    result = JaxExecution(size).result(program, arrays, coordinates_of(jnp, shape))
    return jnp.broadcast_to(jnp.asarray(result), size)
