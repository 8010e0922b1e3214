"""Kernels that write elements of their results at positions that they compute.

Such a result starts as a copy of an operand: the tensor before the writes.
Input: a kernel whose root is `Writes`. Output: its shader, with those that copy before it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from ...dtypes import DType
from ...ops.op_def import InferredResult, OpDef, Shape
from ...ops.rule_types import Spec
from ..codegen.kernel_nodes import KernelNodes
from ..codegen.shader import Shader
from ..kernel import Kernel, KernelKind
from .workgroup_writer import WorkgroupWriter


class WrittenResult(NamedTuple):
    """Static argument of `Writes`: the index space, and the number of the result."""

    space: Shape
    number: int


class Writes(OpDef):
    """Function that runs for each element of an index space, and writes elements of its results.

    The first results have an element for each element of the index space and the dtypes `dtypes`.
    Each further one starts as a copy of the operand with the number in `starts`, which the function
    does not read. `write` writes the statements of the function.
    """

    dtypes: tuple[DType, ...]
    starts: tuple[int, ...]
    write: Callable[[WorkgroupWriter], None]
    rereads: bool = True

    def infer(self, specs: Sequence[Spec], arg: Any) -> InferredResult:
        own = tuple([spec.dtype for spec in specs])
        start = self.start(arg.number)
        if start is None:
            return InferredResult(arg.space, self.dtypes[arg.number], own)
        return InferredResult(specs[start].shape, own[start], own)

    def start(self, number: int) -> int | None:
        """Return the number of the operand of which a result is a copy at first."""
        return None if number < len(self.dtypes) else self.starts[number - len(self.dtypes)]


def space_of(nodes: KernelNodes) -> int:
    """Return the number of elements for which the function of a kernel runs, if it writes."""
    kernel = nodes.kernel
    if kernel.kind is not KernelKind.WRITE:
        return 0
    return math.prod(nodes.calls[kernel.root].arg.space)


def write_writes(writer: WorkgroupWriter) -> None:
    """Write the statements of a kernel that writes."""
    writer.nodes.calls[writer.kernel.root].op.write(writer)


def with_copies(nodes: KernelNodes, shader_of: Callable[[KernelNodes], Shader]) -> Shader:
    """Return the shader of a kernel that writes, after those that copy the values before."""
    kernel = nodes.kernel
    op: Writes = nodes.calls[kernel.root].op
    operands, before = nodes.edges[kernel.root], None
    for number, at in enumerate(kernel.outputs):
        start = op.start(nodes.calls[at].arg.number)
        if start is not None:
            copied = operands[start]
            inputs = _inputs(nodes, [copied])
            part = Kernel(KernelKind.MAP, (copied,), copied, inputs, frozenset(), kernel.scalars)
            shader = shader_of(KernelNodes(nodes, part))
            before = shader._replace(reads=inputs, writes=(number,), before=before)
    inputs = _inputs(nodes, [at for n, at in enumerate(operands) if n not in op.starts])
    shader = shader_of(KernelNodes(nodes, kernel._replace(inputs=inputs)))
    return shader._replace(reads=inputs, before=before)


def _inputs(nodes: KernelNodes, operands: Iterable[int]) -> tuple[int, ...]:
    """Return the inputs of a kernel on which operands depend."""
    stack, seen = [*operands], set[int]()
    while stack:
        at = stack.pop()
        if at not in seen:
            seen.add(at)
            stack += () if at in nodes.kernel.inputs else nodes.edges[at]
    return tuple([at for at in nodes.kernel.inputs if at in seen])
