"""Kinds of operations that kernels make, and their entries in the tables of the engine.

Input: a `Program`. Output: an op definition, which is fused, cached, traced, mapped and evaluated
like those of `ops/`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..compiler.codegen.expressions import EXPRESSIONS, elementwise_operands
from ..compiler.codegen.writer import Expression
from ..errors import GradientError
from ..functions.manipulation import broadcast_to
from ..ir.node import OpInstance
from ..late import LateModule
from ..ops.index_map import broadcast_view, make_view
from ..ops.rule_types import GradientRule
from ..runtime.evaluators import EVALUATORS, HostValues, read_through
from ..tensor import Tensor
from ..transforms.autodiff.api import vjp
from .execution import (
    ArrayAlgebra,
    KnownExecution,
    ListAlgebra,
    ProgramArray,
    ProgramNamespace,
    TensorExecution,
    coordinates_of,
)
from .op_defs import ElementwiseKernel, IndexedKernel, program_of
from .program import InputKind, Program, length_of, weight_of
from .program_writer import write_elementwise, write_indexed

if TYPE_CHECKING:
    from . import jax_execution
else:
    # JAX is imported only by its backend.
    jax_execution = LateModule("kernels.jax_execution")


def elementwise_kernel(name: str, program: Program, listing: str) -> ElementwiseKernel:
    """Return the op definition of a program without reads."""

    def reference(xp: ProgramNamespace, *arrays: ProgramArray) -> ProgramArray:
        return KnownExecution(ArrayAlgebra(xp)).result(program, arrays)

    rules = tuple(
        _gradient(name, program, position) if operand.var.dtype.kind == "f" else None
        for position, operand in enumerate(program.inputs)
    )
    return ElementwiseKernel(
        name=name,
        program=program,
        family=program.family,
        listing=listing,
        arity=len(program.inputs),
        formula="",
        reference=reference,
        jax=lambda *arrays: jax_execution.elementwise(program, arrays),
        gradient=rules,
        weight=max(1, weight_of(program.body)),
        length=max(1, length_of(program.body)),
        public=False,
    )


def indexed_kernel(name: str, program: Program, listing: str) -> IndexedKernel:
    """Return the op definition of a program that takes the indices of its element."""

    def reference(xp: ProgramNamespace, *operands: Any) -> ProgramArray:
        *arrays, shape = operands
        run = KnownExecution(ArrayAlgebra(xp))
        result = run.result(program, arrays, coordinates_of(xp, shape))
        return xp.broadcast_to(result, (math.prod(shape),))

    def jax(*operands: Any) -> ProgramArray:
        *arrays, shape = operands
        return jax_execution.indexed(program, arrays, shape)

    return IndexedKernel(
        name=name,
        program=program,
        family=program.family,
        listing=listing,
        reference=reference,
        jax=jax,
        gradient=no_gradient(name, "indexed kernels"),
        weight=max(1, weight_of(program.body)),
        length=max(1, length_of(program.body)),
        public=False,
    )


# --- gradients ------------------------------------------------------------------------------------


def _gradient(name: str, program: Program, position: int) -> GradientRule:
    """Return the gradient rule with respect to an operand: the gradient of the program itself."""

    def rule(_: object, g: Tensor, y: Tensor, *operands: Tensor) -> Tensor | None:
        def computed(x: Tensor) -> Tensor:
            inputs = [*operands[:position], x, *operands[position + 1 :]]
            return broadcast_to(TensorExecution(name).result(program, inputs), y.shape)

        if program.result.dtype.kind != "f":
            return None
        _, pull = vjp(computed, operands[position])
        cotangent: Tensor = pull(g)[0]
        return cotangent

    return rule


def no_gradient(name: str, kind: str) -> GradientRule:
    """Return the gradient rule of kernels of a kind that has none: an error."""

    def rule(*_: object) -> Tensor:
        raise GradientError(
            f"{name}: {kind} have no gradient of their own; got a floating operand; give a rule "
            "with kernel.gradient, or block the gradient with pt.stop_gradient"
        )

    return rule


# --- plain Python ---------------------------------------------------------------------------------


def _evaluate_elementwise(call: OpInstance, *operands: HostValues) -> HostValues:
    inputs = [
        read_through(values, broadcast_view(spec.shape, call.spec.shape))
        for values, spec in zip(operands, call.specs, strict=True)
    ]
    return KnownExecution(ListAlgebra(call.spec.size)).result(program_of(call.op), inputs)


def _evaluate_indexed(call: OpInstance, *operands: HostValues) -> HostValues:
    program = program_of(call.op)
    size, shape = call.spec.size, call.spec.shape
    inputs = [
        values if operand.kind is InputKind.TENSOR else values * size
        for values, operand in zip(operands, program.inputs, strict=True)
    ]
    coordinates = []
    for axis, length in enumerate(shape):
        strides = [0] * len(shape)
        strides[axis] = 1
        coordinates.append(read_through([*range(length)], make_view(shape, strides)))
    return KnownExecution(ListAlgebra(size)).result(program, inputs, coordinates)


EXPRESSIONS[ElementwiseKernel] = Expression(write_elementwise, elementwise_operands)
EXPRESSIONS[IndexedKernel] = Expression(write_indexed)
EVALUATORS[ElementwiseKernel] = _evaluate_elementwise
EVALUATORS[IndexedKernel] = _evaluate_indexed
