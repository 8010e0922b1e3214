"""Read a function's syntax tree into programs.

Input: a `FunctionSource`, and the dtypes and ranks of the arguments. Output: a `Program` for each
result, and the constants of the enclosing scopes on which they depend.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from ..dtypes import DType, int32
from . import expressions, inlining, loops, statements
from .builder import ATOMS, Operand, dtype_of, typed
from .locals import TensorArgument
from .program import InputKind, Program, WritingProgram, has_effects, needed_part
from .reading import EXPRESSION_READERS, STATEMENT_READERS, Captured, Reading
from .source import FunctionSource, parameter_names

EXPRESSION_READERS |= {
    ast.Attribute: expressions.read_attribute,
    ast.BinOp: expressions.read_binary,
    ast.BoolOp: expressions.read_logical,
    ast.Call: inlining.read_call,
    ast.Compare: expressions.read_comparison,
    ast.Constant: expressions.read_constant,
    ast.IfExp: expressions.read_choice,
    ast.Name: expressions.read_name,
    ast.Subscript: expressions.read_subscript,
    ast.Tuple: expressions.read_tuple,
    ast.UnaryOp: expressions.read_unary,
}
STATEMENT_READERS |= {
    ast.AnnAssign: statements.read_annotated_assignment,
    ast.Assign: statements.read_assignment,
    ast.AugAssign: statements.read_augmented_assignment,
    ast.Break: statements.read_break,
    ast.Continue: statements.read_continue,
    ast.Expr: statements.read_expression,
    ast.For: loops.read_for,
    ast.If: statements.read_if,
    ast.Pass: statements.read_pass,
    ast.Return: statements.read_return,
    ast.While: loops.read_while,
}


class ArgumentType(NamedTuple):
    """Dtype of an argument, and its rank if it is a tensor that is read at positions, else 0."""

    dtype: DType
    rank: int


class ReadKernel(NamedTuple):
    """The programs of a kernel; `several` is True if its function returns a tuple.

    A kernel that writes, or has shared arrays, has one program of another kind.
    """

    several: bool
    programs: list[Program]
    writing: WritingProgram | None
    captured: list[Captured]


def read_kernel(
    source: FunctionSource,
    border: str,
    max_steps: int,
    indices: int,
    arguments: Sequence[ArgumentType],
    workgroup: tuple[int, ...],
) -> ReadKernel:
    """Read a function for arguments of given types, after parameters for so many indices."""
    reading = Reading(source, border, max_steps, workgroup)
    names = parameter_names(source.tree)
    values: dict[str, object] = {}
    for axis, name in enumerate(names[:indices]):
        reading.input(InputKind.EXTENT, axis, axis, int32, f"extent {axis}")
        reading.coordinates.append(reading.builder.var(int32))
        values[name] = reading.coordinates[-1]
    for position, (name, (dtype, rank)) in enumerate(zip(names[indices:], arguments, strict=True)):
        kind = InputKind.TENSOR if rank else InputKind.VALUE
        operand = reading.input(kind, position, 0, dtype, name)
        lengths = tuple(
            [
                reading.input(InputKind.LENGTH, position, axis, int32, name).var
                for axis in range(rank)
            ]
        )
        values[name] = TensorArgument(operand, lengths) if rank else operand.var
    pairs = zip(reading.coordinates, workgroup, strict=bool(workgroup))
    reading.local = tuple([reading.builder.apply("remainder", x, n) for x, n in pairs])
    result = statements.read_function(reading, source.tree, values)
    several = isinstance(result, tuple)
    results: list[Operand] = []
    parts = () if result is None else result if isinstance(result, tuple) else (result,)
    for part in parts:
        if not isinstance(part, ATOMS):
            raise reading.error(source.tree, "the result is not a number", "return numbers")
        results.append(part)
    if reading.shared or has_effects(reading.builder.blocks[0]):
        return ReadKernel(several, [], _writing(reading, results), reading.captured)
    with reading.located(source.tree):
        programs = reading.builder.finished(reading.inputs, reading.coordinates, results)
    return ReadKernel(several, programs, None, reading.captured)


def _writing(reading: Reading, results: Sequence[Operand]) -> WritingProgram:
    """Return the program of a kernel that writes, or has shared arrays."""
    atoms = tuple([typed(result, dtype_of(result)) for result in results])
    local = tuple([typed(index, int32) for index in reading.local])
    body = needed_part(reading.builder.blocks[0], {*atoms, *local})
    outputs = [i for i in reading.inputs if "written" in reading.accesses.get(i, ())]
    return WritingProgram(
        reading.inputs,
        reading.coordinates,
        body,
        atoms,
        outputs,
        reading.shared,
        reading.workgroup,
        local,
    )
