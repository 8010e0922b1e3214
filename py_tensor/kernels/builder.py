"""Typed operations: promotion, constants and the statements that programs are made of.

Input: values, which are Python numbers (constants without a dtype of their own) and variables.
Output: statements, in which equal operations on equal values occur once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

from ..dtypes import OF_PYTHON, DType, bool_, float32, int32, promote
from ..errors import DTypeError
from ..ops import OP_DEFS
from ..ops.elementwise import CAST
from ..ops.op_def import Elementwise, Fixed, Where
from .program import Atom, Column, Family, Input, Number, Program, Read, Step, Var, needed_part

NEAR = 1 << 10
"""Largest distance along an axis at which reads count as neighbours."""
NUMBERS = (bool, int, float)
ATOMS = (Var, Number, *NUMBERS)
_ORDER = {"b": 0, "i": 1, "u": 1, "f": 2}
_KIND = {float32: float, int32: int, bool_: bool}


class Mismatch(Exception):
    """Operands do not fit together; the reader adds the place in the user's function."""

    def __init__(self, problem: str, advice: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.advice = advice


def op(name: str) -> Elementwise:
    """Return the definition of an elementwise operation."""
    found = OP_DEFS[name]
    assert isinstance(found, Elementwise)
    return found


def dtype_of(value: Any) -> DType:
    """Return the dtype of a value; that of a Python number is the default of its type."""
    if type(value) in NUMBERS:
        value = Number(value, OF_PYTHON[type(value)])
    dtype: DType = value.dtype
    return dtype


def typed(value: Any, dtype: DType) -> Atom:
    """Give a Python number a dtype. Variables must have it already."""
    if type(value) not in NUMBERS:
        atom: Atom = value
        assert atom.dtype is dtype
        return atom
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


def common(values: Sequence[Any]) -> DType:
    """Return the dtype to which values are promoted; Python numbers adopt that of variables."""
    strong = [value.dtype for value in values if type(value) not in NUMBERS]
    weak = [OF_PYTHON[type(value)] for value in values if type(value) in NUMBERS]
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

    def __init__(self) -> None:
        self._numbers = count(1)
        self.last = 0
        self.blocks: list[list[Any]] = [[]]
        self.known: list[dict[Any, Var]] = [{}]
        self._inverses: dict[Any, Any] = {}
        self.sums: dict[Var, tuple[Var, int]] = {}
        """Integers that are another one plus a constant."""

    def var(self, dtype: DType) -> Var:
        self.last = next(self._numbers)
        return Var(dtype, self.last)

    @contextmanager
    def block(self) -> Iterator[list[Any]]:
        """Collect statements in a block of their own."""
        body: list[Any] = []
        self.blocks.append(body)
        self.known.append({})
        try:
            yield body
        finally:
            self.blocks.pop()
            self.known.pop()

    def add(self, statement: Any) -> None:
        self.blocks[-1].append(statement)

    def _named(self, key: Any, dtype: DType, make: Callable[[Var], Any]) -> Var:
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
        found = self._named(key, dtype, lambda result: Step(result, definition, operands))
        if len(definition.factors) == 2 and dtype is int32:
            for at, factor in enumerate(definition.factors):
                whole, other = operands[at], operands[1 - at]
                if factor == 1 and isinstance(whole, Var) and isinstance(other, Number):
                    base, offset = self.sums.get(whole, (whole, 0))
                    more = definition.factors[1 - at] * int(other.value)
                    self.sums[found] = base, offset + more
        return found

    def read(
        self, given: Any, position: Atom, dtype: DType, row: Atom, place: Any, border: str
    ) -> Var:
        """Append a read of a tensor at a row-major position.

        It is at `place` along the last axis, subject to the border, in the row that starts at
        position `row`.
        """
        column = None
        if isinstance(place, Var):
            base, offset = self.sums.get(place, (place, 0))
            column = Column(row, base, offset, border) if abs(offset) <= NEAR else None
        return self._named(
            (given, position), dtype, lambda result: Read(result, given, position, column)
        )

    def cast(self, value: Any, dtype: DType) -> Any:
        """Convert a value to a dtype; a Python number stays one if it is of the dtype's type."""
        if type(value) in NUMBERS:
            if dtype in _KIND:
                if dtype is int32 and not math.isfinite(value):
                    raise Mismatch(f"{value} is no integer", "use a finite number")
                return _KIND[dtype](value)
            return typed(int(value), dtype)
        return value if value.dtype is dtype else self.step(CAST, (value,), dtype)

    def promoted(self, value: Any, dtype: DType) -> Atom:
        """Return an atom of a dtype, to which the value's own is promoted."""
        if type(value) in NUMBERS:
            return typed(value, dtype)
        atom: Atom = self.cast(value, dtype)
        return atom

    def apply(self, name: str | Elementwise, *values: Any) -> Any:
        """Apply an elementwise operation to values, converted as Python converts numbers."""
        definition = op(name) if isinstance(name, str) else name
        if isinstance(definition, Where):
            return self.select(self.truth(values[0]), values[1], values[2])
        if all(type(value) in NUMBERS for value in values):
            folded = _folded(definition, values)
            if folded is not None:
                return folded
        if isinstance(definition, Fixed):
            given = tuple(map(self._exactly, values, definition.takes))
            return self.step(definition, given, definition.gives)
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

    def _exactly(self, value: Any, dtype: DType) -> Atom:
        if type(value) not in NUMBERS and value.dtype is not dtype:
            raise Mismatch(f"dtype must be {dtype}, not {value.dtype}", "convert it")
        return typed(value, dtype)

    def truth(self, value: Any) -> Any:
        """Return True, False or a variable of dtype bool."""
        if type(value) in NUMBERS:
            return bool(value)
        if isinstance(value, Number):
            return bool(value.value)
        return value if value.dtype is bool_ else self.step(CAST, (value,), bool_)

    def both(self, a: Any, b: Any) -> Any:
        """Return the conjunction of two truth values."""
        if a is False or b is False:
            return False
        if a is True or b is a:
            return b
        return a if b is True else self.step(op("logical_and"), (a, b), bool_)

    def inverse(self, a: Any) -> Any:
        """Return the negation of a truth value."""
        if isinstance(a, bool):
            return not a
        if a not in self._inverses:
            inverse = self.step(op("logical_not"), (a,), bool_)
            self._inverses[inverse] = a
            return inverse
        return self._inverses[a]

    def select(self, condition: Any, a: Any, b: Any) -> Any:
        """Return `a` where a truth value is true, else `b`."""
        if isinstance(condition, bool):
            return a if condition else b
        if a is b or (type(a) is type(b) and type(a) in NUMBERS and repr(a) == repr(b)):
            return a
        if isinstance(b, bool) and (dtype_of(a) is bool_):
            negated = self.inverse(condition)
            if isinstance(a, bool):
                return condition if a else negated
            return (
                self.inverse(self.both(condition, self.inverse(a)))
                if b
                else self.both(condition, a)
            )
        if isinstance(a, bool) and dtype_of(b) is bool_:
            negated = self.inverse(condition)
            return self.inverse(self.both(negated, self.inverse(b))) if a else self.both(negated, b)
        dtype = common((a, b))
        operands = (condition, self.promoted(a, dtype), self.promoted(b, dtype))
        return self.step(op("where"), operands, dtype)

    def finished(
        self, inputs: Sequence[Input], coordinates: list[Var], results: Sequence[Any]
    ) -> list[Program]:
        """Return the program of each result, all with the inputs that some result needs.

        All operands of elementwise kernels are kept, since the result has their common shape.
        """
        atoms = tuple(typed(result, dtype_of(result)) for result in results)
        needed: set[Any] = {*atoms}
        family = Family(needed_part(self.blocks[0], needed), atoms)
        keep_all = not any(given.kind == "extent" for given in inputs)
        used = [i for i in inputs if keep_all or i.kind == "extent" or i.var in needed]
        if len(atoms) == 1:
            return [Program(used, coordinates, family.body, atoms[0])]
        bodies = [needed_part(family.body, {atom}) for atom in atoms]
        return [
            Program(used, coordinates, body, atom, family)
            for body, atom in zip(bodies, atoms, strict=True)
        ]


def _folded(definition: Elementwise, values: Sequence[Any]) -> Any:
    """Compute an operation on Python numbers; return None if it has to be computed later."""
    if isinstance(definition, Fixed) or not definition.formula:
        return None
    kind: Any = float if float in map(type, values) or definition.dtypes == "floating" else None
    if kind is None and definition.dtypes == "numeric":
        kind = int
    try:
        given = [kind(value) if kind else value for value in values]
        result = definition.host(float32)(*given)
    except (OverflowError, ValueError, ZeroDivisionError, TypeError):
        return None
    if definition.result == "bool":
        return bool(result)
    return float(result) if kind is float else result if type(result) in NUMBERS else None
