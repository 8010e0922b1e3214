"""Read a function's syntax tree into programs.

Input: a `FunctionSource`, and the dtypes and ranks of the arguments. Output: a `Program` for each
result, and the constants of the enclosing scopes on which they depend.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from ..dtypes import int32
from ..errors import KernelError
from . import expressions, inlining, loops, statements
from .builder import ATOMS, Operand, dtype_of, typed
from .calls import ArgumentType
from .program import (
    InputKind,
    Program,
    Repeat,
    WritingProgram,
    functions_in,
    has_effects,
    needed_part,
    statements_in,
)
from .reading import EXPRESSION_READERS, STATEMENT_READERS, Captured, Reading
from .source import FunctionSource, parameter_names

EXPRESSION_READERS |= {
    ast.Attribute: expressions.read_attribute,
    ast.BinOp: expressions.read_binary,
    ast.BoolOp: expressions.read_logical,
    ast.Call: inlining.read_call,
    ast.Compare: expressions.read_comparison,
    ast.Constant: expressions.read_constant,
    ast.GeneratorExp: loops.read_comprehension,
    ast.IfExp: expressions.read_choice,
    ast.Lambda: statements.read_lambda,
    ast.List: expressions.read_tuple,
    ast.ListComp: loops.read_comprehension,
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
    ast.FunctionDef: statements.read_definition,
    ast.If: statements.read_if,
    ast.Pass: statements.read_pass,
    ast.Return: statements.read_return,
    ast.While: loops.read_while,
}


LEAST = 12
"""Operations of a function from which on the shader has it as a function, if it is called twice."""


class ReadKernel(NamedTuple):
    """The programs of a kernel; `several` is True if its function returns a tuple.

    A kernel that writes, or has shared arrays, has one program of another kind.
    """

    several: bool
    programs: list[Program]
    writing: WritingProgram | None
    captured: list[Captured]
    tensors: list[Captured]
    """Tensors of the enclosing scopes, without their values, which are operands."""


def read_kernel(
    source: FunctionSource,
    border: str,
    max_steps: int,
    indices: int,
    arguments: Sequence[ArgumentType],
    workgroup: tuple[int, ...],
) -> ReadKernel:
    """Read a function for arguments of given types, after parameters for so many indices.

    It is read again if it calls functions that the shader should have.
    """
    reading = Reading(source, border, max_steps, workgroup)
    result = _read(reading, indices, arguments)
    effects = bool(reading.shared) or has_effects(reading.builder.blocks[0])
    keeps = [key for key, use in reading.uses.items() if use.calls > 1 and use.length >= LEAST]
    if keeps and not effects:
        again = Reading(source, border, max_steps, workgroup)
        again.keeps, again.sources = frozenset(keeps), reading.sources
        try:
            kept = _read(again, indices, arguments)
        except KernelError:
            # The function needs the floats of its calls as constants.
            pass
        else:
            if _is_bounded(again) or not _is_bounded(reading):
                reading, result = again, kept
    several = isinstance(result, tuple)
    tensors = [captured._replace(value=None) for captured in reading.tensors]
    names = {(id(captured.owner), captured.name): captured for captured in reading.captured}
    captured = [*names.values()]
    results: list[Operand] = []
    parts = () if result is None else result if isinstance(result, tuple) else (result,)
    for part in parts:
        if not isinstance(part, ATOMS):
            raise reading.error(source.tree, "the result is not a number", "return numbers")
        results.append(part)
    if effects:
        writing = _writing(reading, results)
        return ReadKernel(several, [], writing, captured, tensors)
    with reading.located(source.tree):
        programs = reading.builder.finished(reading.inputs, reading.coordinates, results)
    return ReadKernel(several, programs, None, captured, tensors)


def _is_bounded(reading: Reading) -> bool:
    """Return True if all loops have a constant number of iterations, which gradients need."""
    body = reading.builder.blocks[0]
    bodies = [body, *[function.body for function in functions_in(body)]]
    return not any(
        isinstance(statement, Repeat) and statement.trips is None
        for part in bodies
        for statement in statements_in(part)
    )


def _read(reading: Reading, indices: int, arguments: Sequence[ArgumentType]) -> object:
    """Return the result of the kernel's function; the statements are in the builder."""
    (source,) = reading.calls
    names = parameter_names(source.tree)
    reading.arguments = len(arguments)
    values: dict[str, object] = {}
    for axis, name in enumerate(names[:indices]):
        reading.input(InputKind.EXTENT, axis, axis, int32, f"extent {axis}")
        reading.coordinates.append(reading.builder.var(int32))
        values[name] = reading.coordinates[-1]
    for position, (name, argument) in enumerate(zip(names[indices:], arguments, strict=True)):
        values[name] = reading.argument(position, name, argument)
    pairs = zip(reading.coordinates, reading.workgroup, strict=bool(reading.workgroup))
    reading.local = tuple([reading.builder.apply("remainder", x, n) for x, n in pairs])
    return statements.read_function(reading, source.tree, values)


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
