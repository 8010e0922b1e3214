"""Build the statements of a program: promotion of dtypes, constants and typed operations.

Input: variables and Python numbers, which are constants without a dtype of their own. Output:
statements, in which equal operations on equal values occur once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

from ..dtypes import OF_PYTHON, DType, bool_, float32, int32, promote, uint32
from ..errors import DTypeError
from ..ops.elementwise import CAST
from ..ops.op_def import Elementwise, Fixed, Where
from .program import (
    AND,
    NOT,
    WHERE,
    Atom,
    Family,
    FunctionCall,
    Input,
    InputKind,
    Number,
    Program,
    ProgramFunction,
    Read,
    ReadColumn,
    SharedArray,
    SharedRead,
    Statement,
    Step,
    Var,
    needed_part,
    op,
)

NEAR = 1 << 10
"""Largest distance along an axis at which reads count as neighbours."""
KERNEL_DTYPES = (float32, int32, uint32, bool_)
"""The dtypes that values have inside of kernels."""
NUMBERS = (bool, int, float)
PythonNumber = bool | int | float
ATOMS = (Var, Number, bool, int, float)
Operand = Atom | PythonNumber
"""A number in a kernel: an atom, or a constant without a dtype of its own."""
Truth = bool | Var
"""A truth value: a constant, or a variable of dtype bool."""
_ORDER = {"b": 0, "i": 1, "u": 1, "f": 2}
_OF_DTYPE: dict[DType, Callable[[PythonNumber], PythonNumber]] = {
    float32: float,
    int32: int,
    bool_: bool,
}


class Mismatch(Exception):
    """Operands do not fit together; the reader adds the line of the user's function."""

    def __init__(self, problem: str, advice: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.advice = advice


def dtype_of(value: Operand) -> DType:
    """Return the dtype of a value; that of a Python number is the default of its type."""
    return OF_PYTHON[type(value)] if isinstance(value, NUMBERS) else value.dtype


def typed(value: Operand, dtype: DType) -> Atom:
    """Give a Python number a dtype. Variables must have it already."""
    if not isinstance(value, NUMBERS):
        assert value.dtype is dtype
        return value
    if dtype.kind == "f":
        return Number(float(value), dtype)
    if dtype.kind == "b":
        return Number(bool(value), dtype)
    if isinstance(value, float):
        raise Mismatch(f"a float cannot be {dtype}", "use int(...)")
    if not dtype.lowest <= value <= dtype.highest:
        raise Mismatch(
            f"integer {value} does not fit dtype {dtype}",
            f"use a number from {dtype.lowest} to {dtype.highest}",
        )
    return Number(int(value), dtype)


def common(values: Sequence[Operand]) -> DType:
    """Return the dtype to which values are promoted; Python numbers adopt that of variables."""
    strong = [value.dtype for value in values if not isinstance(value, NUMBERS)]
    weak = [OF_PYTHON[type(value)] for value in values if isinstance(value, NUMBERS)]
    result: DType | None = None
    for dtype in strong:
        try:
            result = dtype if result is None else promote("kernel", result, dtype)
        except DTypeError:
            raise Mismatch(
                "int32 and uint32 do not fit together",
                'convert one with pt.astype(x, "int32") or pt.astype(x, "uint32")',
            ) from None
    for dtype in weak:
        if result is None or _ORDER[dtype.kind] > _ORDER[result.kind]:
            result = dtype
    assert result is not None
    return result


class Builder:
    """Statements of a program under construction."""

    def __init__(self, last: int = 0) -> None:
        self._numbers = count(last + 1)
        self.last = last
        self.blocks: list[list[Statement]] = [[]]
        self.known: list[dict[Hashable, Any]] = [{}]
        self._inverses: dict[Var, Var] = {}
        self.sums: dict[Var, tuple[Var, int]] = {}
        """Integers that equal another one plus a constant."""

    def var(self, dtype: DType) -> Var:
        self.last = next(self._numbers)
        return Var(dtype, self.last)

    @contextmanager
    def block(self) -> Iterator[list[Statement]]:
        """Collect statements in a block of their own."""
        body: list[Statement] = []
        self.blocks.append(body)
        self.known.append({})
        try:
            yield body
        finally:
            self.blocks.pop()
            self.known.pop()

    @contextmanager
    def function(self) -> Iterator[list[Statement]]:
        """Collect the statements of a function, which sees no values of those around it."""
        blocks, known = self.blocks, self.known
        self.blocks, self.known = [[]], [{}]
        try:
            yield self.blocks[0]
        finally:
            self.blocks, self.known = blocks, known

    def call(self, function: ProgramFunction, operands: tuple[Atom, ...]) -> tuple[Var, ...]:
        """Append a call, or return the results of an equal one."""
        for names in reversed(self.known):
            known: tuple[Var, ...] | None = names.get((function, operands))
            if known is not None:
                return known
        results = tuple([self.var(result.dtype) for result in function.results])
        self.known[-1][function, operands] = results
        self.add(FunctionCall(results, function, operands))
        return results

    def add(self, statement: Statement) -> None:
        self.blocks[-1].append(statement)

    def _named(self, key: Hashable, dtype: DType, make: Callable[[Var], Statement]) -> Var:
        for names in reversed(self.known):
            known: Var | None = names.get(key)
            if known is not None:
                return known
        result = self.known[-1][key] = self.var(dtype)
        self.add(make(result))
        return result

    def step(self, definition: Elementwise, operands: tuple[Atom, ...], dtype: DType) -> Var:
        """Append an operation, or return the result of an equal one."""
        key = (definition, operands, dtype)
        result = self._named(key, dtype, lambda result: Step(result, definition, operands))
        if len(definition.factors) == 2 and dtype is int32:
            for position, factor in enumerate(definition.factors):
                term, addend = operands[position], operands[1 - position]
                if factor == 1 and isinstance(term, Var) and isinstance(addend, Number):
                    base, offset = self.sums.get(term, (term, 0))
                    more = definition.factors[1 - position] * int(addend.value)
                    self.sums[result] = base, offset + more
        return result

    def read_shared(self, array: SharedArray, position: Atom) -> Var:
        """Append a read of a shared array. Equal reads may differ, since writes may be between."""
        result = self.var(array.dtype)
        self.add(SharedRead(result, array, position))
        return result

    def read(
        self, tensor: Input, position: Atom, dtype: DType, row: Atom, index: Operand, border: str
    ) -> Var:
        """Append a read of a tensor at a row-major position.

        `index` is the index along the last axis before the border mode is applied to it, and `row`
        the position at which the row starts.
        """
        column = None
        if isinstance(index, Var):
            base, offset = self.sums.get(index, (index, 0))
            column = ReadColumn(row, base, offset, border) if abs(offset) <= NEAR else None
        return self.read_at(tensor, position, dtype, column)

    def read_at(
        self, tensor: Input, position: Atom, dtype: DType, column: ReadColumn | None
    ) -> Var:
        """Append a read of a tensor, or return the result of an equal one."""
        return self._named(
            (tensor, position), dtype, lambda result: Read(result, tensor, position, column)
        )

    def cast(self, value: Operand, dtype: DType) -> Operand:
        """Convert a value to a dtype; a Python number stays one if Python has the dtype's type."""
        if not isinstance(value, NUMBERS):
            return self.promoted(value, dtype)
        if dtype not in _OF_DTYPE:
            return typed(int(value), dtype)
        if dtype is int32 and not math.isfinite(value):
            raise Mismatch(f"{value} is no integer", "use a finite number")
        return _OF_DTYPE[dtype](value)

    def promoted(self, value: Operand, dtype: DType) -> Atom:
        """Return a value as an atom of a dtype to which its own can be promoted."""
        if isinstance(value, NUMBERS):
            return typed(value, dtype)
        return value if value.dtype is dtype else self.step(CAST, (value,), dtype)

    def apply(self, name: str | Elementwise, *values: Operand) -> Operand:
        """Apply an elementwise operation to values, converted as Python converts numbers."""
        definition = op(name) if isinstance(name, str) else name
        if isinstance(definition, Where):
            return self.select(self.truth(values[0]), values[1], values[2])
        constants = [value for value in values if isinstance(value, NUMBERS)]
        if len(constants) == len(values):
            known = on_numbers(definition, constants)
            if known is not None:
                return known
        if isinstance(definition, Fixed):
            exact = tuple(map(self._exactly, values, definition.takes))
            return self.step(definition, exact, definition.gives)
        dtype = common(values)
        allowed = definition.dtypes
        if allowed == "floating":
            dtype = float32
        elif allowed == "boolean":
            truths = tuple(typed(self.truth(value), bool_) for value in values)
            return self.step(definition, truths, bool_)
        elif allowed == "numeric" and dtype is bool_:
            dtype = int32
        elif allowed.startswith("integer") and dtype.kind == "f":
            raise Mismatch(f"{definition.name} takes integers, not {dtype}", "use int(...)")
        elif allowed == "integer" and dtype is bool_:
            dtype = int32
        operands = tuple(self.promoted(value, dtype) for value in values)
        return self.step(definition, operands, bool_ if definition.result == "bool" else dtype)

    def _exactly(self, value: Operand, dtype: DType) -> Atom:
        if not isinstance(value, NUMBERS) and value.dtype is not dtype:
            raise Mismatch(f"dtype must be {dtype}, not {value.dtype}", "convert it")
        return typed(value, dtype)

    def truth(self, value: Operand) -> Truth:
        """Return True, False or a variable of dtype bool."""
        if isinstance(value, NUMBERS):
            return bool(value)
        if isinstance(value, Number):
            return bool(value.value)
        return value if value.dtype is bool_ else self.step(CAST, (value,), bool_)

    def both(self, a: Truth, b: Truth) -> Truth:
        """Return the conjunction of two truth values."""
        if a is False or b is False:
            return False
        if a is True or b is a:
            return b
        return a if b is True else self.step(AND, (a, b), bool_)

    def inverse(self, a: Truth) -> Truth:
        """Return the negation of a truth value."""
        if isinstance(a, bool):
            return not a
        if a not in self._inverses:
            inverse = self.step(NOT, (a,), bool_)
            self._inverses[inverse] = a
            return inverse
        return self._inverses[a]

    def select(self, condition: Truth, a: Operand, b: Operand) -> Operand:
        """Return `a` where a truth value is true, else `b`."""
        if isinstance(condition, bool):
            return a if condition else b
        if a is b or (isinstance(a, NUMBERS) and type(a) is type(b) and repr(a) == repr(b)):
            return a
        if isinstance(b, bool) and dtype_of(a) is bool_:
            return self._select_constant(condition, self.truth(a), b)
        if isinstance(a, bool) and dtype_of(b) is bool_:
            return self._select_constant(self.inverse(condition), self.truth(b), a)
        dtype = common((a, b))
        operands = (condition, self.promoted(a, dtype), self.promoted(b, dtype))
        return self.step(WHERE, operands, dtype)

    def _select_constant(self, condition: Truth, a: Truth, b: bool) -> Truth:
        """Return `a` where a condition is true, else the constant `b`."""
        if not b:
            return self.both(condition, a)
        return self.inverse(self.both(condition, self.inverse(a)))

    def select_truth(self, condition: Truth, a: Truth, b: Truth) -> Truth:
        """Return the truth value `a` where a condition is true, else `b`."""
        return self.truth(self.select(condition, a, b))

    def finished(
        self, inputs: Sequence[Input], coordinates: list[Var], results: Sequence[Operand]
    ) -> list[Program]:
        """Return the program of each result, all with the inputs that some result needs.

        All operands of elementwise kernels are kept, since the result has their common shape.
        """
        atoms = tuple(typed(result, dtype_of(result)) for result in results)
        needed: set[Atom] = {*atoms}
        family = Family(needed_part(self.blocks[0], needed), atoms)
        extents = [operand for operand in inputs if operand.kind is InputKind.EXTENT]
        used = [i for i in inputs if not extents or i in extents or i.var in needed]
        if len(atoms) == 1:
            return [Program(used, coordinates, family.body, atoms[0])]
        bodies = [needed_part(family.body, {atom}) for atom in atoms]
        return [
            Program(used, coordinates, body, atom, family)
            for body, atom in zip(bodies, atoms, strict=True)
        ]


def on_numbers(definition: Elementwise, values: Sequence[PythonNumber]) -> PythonNumber | None:
    """Compute an operation on Python numbers; return None if it has to be computed later."""
    if isinstance(definition, Fixed) or not definition.formula:
        return None
    kind: type[float] | None = None
    if float in map(type, values) or definition.dtypes == "floating":
        kind = float
    elif definition.dtypes == "numeric":
        kind = int
    try:
        numbers = [kind(value) if kind else value for value in values]
        result: object = definition.host(float32)(*numbers)
    except (OverflowError, ValueError, ZeroDivisionError, TypeError):
        return None
    if definition.result == "bool":
        return bool(result)
    if not isinstance(result, NUMBERS):
        return None
    return float(result) if kind is float else result
