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
from .builder import ATOMS, Operand
from .locals import TensorArgument
from .program import InputKind, Program
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
    """The programs of a kernel; `several` is True if its function returns a tuple."""

    several: bool
    programs: list[Program]
    captured: list[Captured]


def read_kernel(
    source: FunctionSource,
    border: str,
    max_steps: int,
    indices: int,
    arguments: Sequence[ArgumentType],
) -> ReadKernel:
    """Read a function for arguments of given types, after parameters for so many indices."""
    reading = Reading(source, border, max_steps)
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
    result = statements.read_function(reading, source.tree, values)
    several = isinstance(result, tuple)
    results: list[Operand] = []
    for part in result if isinstance(result, tuple) else (result,):
        if not isinstance(part, ATOMS):
            raise reading.error(source.tree, "the result is not a number", "return numbers")
        results.append(part)
    with reading.located(source.tree):
        programs = reading.builder.finished(reading.inputs, reading.coordinates, results)
    return ReadKernel(several, programs, reading.captured)
