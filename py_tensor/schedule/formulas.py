"""Nodes of a program as values in formulas, so that lowering reads like mathematics.

Comes in: positions of nodes; goes out: a `Formula`, with operators and functions of the table's
rows, that appends what it computes to its program.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..dtypes import DType, bool_, float32
from ..nodes import call_of
from ..ops import ROWS
from ..ops.contractions import DOT
from ..ops.elementwise import CAST
from ..ops.gathers import TAKE
from ..ops.reductions import SUM
from ..ops.rows import Reduction, Row, Shape
from ..ops.sources import IOTA
from ..ops.views import CONCAT, DIAGONAL, PERMUTE, RESHAPE, SLICE
from .contractions import lower_contraction
from .program import Program
from .sums import lower_reduction

Operand = Any
"""A Formula, or a Python number, which takes the dtype of the formulas beside it."""


def _operator(name: str) -> Callable[[Formula, Operand], Formula]:
    return lambda self, other: of(name, self, other)


def _reflected(name: str) -> Callable[[Formula, Operand], Formula]:
    return lambda self, other: of(name, other, self)


class Formula:
    """A node of a program, to compute others from."""

    __slots__ = ("at", "program")

    def __init__(self, program: Program, at: int) -> None:
        self.program = program
        self.at = at

    __add__, __radd__ = _operator("add"), _reflected("add")
    __sub__, __rsub__ = _operator("subtract"), _reflected("subtract")
    __mul__, __rmul__ = _operator("multiply"), _reflected("multiply")
    __truediv__, __rtruediv__ = _operator("divide"), _reflected("divide")
    __mod__ = _operator("remainder")
    __lt__, __gt__ = _operator("less"), _operator("greater")
    __le__, __ge__ = _operator("less_equal"), _operator("greater_equal")
    __and__, __or__ = _operator("logical_and"), _operator("logical_or")

    def __neg__(self) -> Formula:
        return of("negative", self)

    def equals(self, other: Operand) -> Formula:
        return of("equal", self, other)

    @property
    def shape(self) -> Shape:
        return self.program.spec(self.at).shape

    @property
    def dtype(self) -> DType:
        return self.program.spec(self.at).dtype

    def stored(self) -> Formula:
        """The same, computed once by a draw of its own."""
        self.program.forced.add(self.at)
        return self

    def astype(self, dtype: DType) -> Formula:
        return self if self.dtype is dtype else self.by(CAST, dtype)

    def reshape(self, *shape: int) -> Formula:
        if -1 in shape:
            known = -math.prod(shape)
            shape = tuple(math.prod(self.shape) // known if n == -1 else n for n in shape)
        return self if self.shape == shape else self.by(RESHAPE, shape)

    def transposed(self) -> Formula:
        """The last two of three axes exchanged."""
        return self.by(PERMUTE, (0, 2, 1))

    def part(self, axis: int, start: int, stop: int) -> Formula:
        """From `start` to `stop` along an axis."""
        parts = [(0, n, 1) for n in self.shape]
        parts[axis] = (start, stop - start, 1)
        return self if parts[axis] == (0, self.shape[axis], 1) else self.by(SLICE, tuple(parts))

    def diagonal(self) -> Formula:
        """The diagonals of the last two of three axes."""
        return self.by(DIAGONAL, (1, 2))

    def take(self, places: Formula, axis: int) -> Formula:
        """Slices at the given places; the axes of `places` stand where the axis was."""
        return Formula(self.program, self.program.add(TAKE, (self.at, places.at), axis))

    def taken(self, place: Formula, axis: int) -> Formula:
        """The slice at one place along an axis, which keeps length 1."""
        shape = self.shape
        return self.take(place, axis).reshape(*shape[:axis], 1, *shape[axis + 1 :])

    def reduced(self, row: Reduction, axis: int) -> Formula:
        """Combined along an axis, which keeps length 1."""
        return Formula(self.program, lower_reduction(self.program, row, self.at, (axis,)))

    def sum(self, axis: int) -> Formula:
        return self.reduced(SUM, axis)

    def matmul(self, other: Formula) -> Formula:
        """The product of matrices (batch, rows, columns)."""
        specs = self.program.spec(self.at), self.program.spec(other.at)
        srcs = self.at, other.at
        return Formula(self.program, lower_contraction(self.program, call_of(DOT, specs), srcs))

    def by(self, row: Row, arg: Any) -> Formula:
        """A row of one operand applied, with its static argument."""
        return Formula(self.program, self.program.add(row, (self.at,), arg))


def of(name: str, *operands: Operand) -> Formula:
    """The elementwise row of that name applied to formulas and Python numbers.

    Numbers take the dtype of the last formula, or float32 beside truth values.
    """
    formulas = [operand for operand in operands if isinstance(operand, Formula)]
    program, dtype = formulas[-1].program, formulas[-1].dtype
    dtype = float32 if dtype is bool_ else dtype
    edges = [
        operand.at if isinstance(operand, Formula) else program.constant(operand, dtype)
        for operand in operands
    ]
    return Formula(program, program.add(ROWS[name], edges))


def where(condition: Formula, one: Operand, other: Operand) -> Formula:
    """`one` where the condition holds, else the other."""
    return of("where", condition, one, other)


def positions(program: Program, *shape: int) -> Formula:
    """Row-major positions in a shape, as int32."""
    at = program.add(IOTA, (), shape)
    program.melted.add(at)
    return Formula(program, at)


def joined(axis: int, *formulas: Formula) -> Formula:
    """One after the other along an axis; those of no length are left out."""
    parts = [formula for formula in formulas if formula.shape[axis]]
    if len(parts) < 2:
        return (parts or formulas)[0]
    program = parts[0].program
    return Formula(program, program.add(CONCAT, [part.at for part in parts], axis))


def looped(initial: Formula, count: int, body: Callable[[Formula, Formula], Formula]) -> Formula:
    """The state after `count` turns of the body, which gets a state and the turn's number."""
    program = initial.program
    at = program.loop(
        initial.at,
        count,
        lambda state, turn: body(Formula(program, state), Formula(program, turn)).at,
    )
    return Formula(program, at)
