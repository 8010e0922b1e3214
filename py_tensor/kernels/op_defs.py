"""Op definitions of kernels."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from ..dtypes import DType
from ..ops.op_def import Elementwise, InferredResult, OpDef, broadcast
from ..ops.rule_types import Spec
from .program import Program


class ElementwiseKernel(Elementwise):
    """Kernel whose operands are broadcast together, like those of `add`."""

    program: Program

    def infer(self, specs: Sequence[Spec], arg: Hashable) -> InferredResult:
        shape = broadcast(self.name, [spec.shape for spec in specs])
        return InferredResult(shape, self.program.result.dtype, _dtypes(self.program))


class IndexedKernel(OpDef):
    """Kernel that is called once for each element of a result, whose shape is the argument.

    It reads tensors at positions. The lengths of their axes and of the result's are operands, so
    that kernels of all sizes have one shader.
    """

    program: Program
    rereads: bool = True

    def infer(self, specs: Sequence[Spec], arg: Any) -> InferredResult:
        return InferredResult(arg, self.program.result.dtype, _dtypes(self.program))


def program_of(op: OpDef | None) -> Program:
    """Return the program of a kernel."""
    assert isinstance(op, ElementwiseKernel | IndexedKernel)
    return op.program


def _dtypes(program: Program) -> tuple[DType, ...]:
    return tuple([operand.var.dtype for operand in program.inputs])
