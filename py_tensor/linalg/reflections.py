"""How matrices are made triangular on the GPU: the QR decomposition by Householder's reflections.

Golub & Van Loan, Matrix Computations, 5.1 and 5.2, with LAPACK's signs (`sgeqrf`). Comes in: a
Program with an operand (batch, rows, columns); goes out: the position of the result.
"""

from __future__ import annotations

from ..dtypes import float32
from ..ops.reductions import MAX
from ..ops.views import BROADCAST
from ..schedule.formulas import Formula, joined, looped, of, positions, where
from ..schedule.program import Program
from .elimination import padded

NEGLIGIBLE = 1e-28
"""Squares this small, beside a largest element of 1, are taken for zero: smaller ones underflow."""


def scale_of(x: Formula) -> Formula:
    """(batch, 1, 1): the largest absolute elements, or 1, so that squares stay in range."""
    batch, rows, columns = x.shape
    largest = of("abs", x).reshape(batch, rows * columns).reduced(MAX, 1).reshape(batch, 1, 1)
    return where(largest > 0.0, largest, 1.0)


def reflected(x: Formula) -> tuple[Formula, Formula]:
    """The triangle R (batch, rows, columns), of zeros below, and what each reflection is made of.

    Column k of the second (batch, rows, count) has the reflection's vector below row k, where the
    vector is 1; zeros are for no reflection.
    """
    program = x.program
    rows, columns = x.shape[1:]
    count = min(rows, columns)
    x = padded(x)
    row, column = positions(program, rows, 1), positions(program, 1, x.shape[2])

    def turn(state: Formula, k: Formula) -> Formula:
        down, across = state.taken(k, 2), state.taken(k, 1)
        products = (where(k < row, down, 0.0) * state).sum(1)
        head, below = across.taken(k, 2), products.taken(k, 2)
        new_head = of("copysign", of("sqrt", head * head + below), -head)
        length = head - new_head
        reflects = below > NEGLIGIBLE
        share = -length / new_head * (across + products / length)
        share = where(reflects, share, 0.0).stored()
        vector = where(reflects & (k < row), down / length, 0.0)
        vector = where(row.equals(k), 1.0, vector).stored()
        changed = where(column.equals(k) & (k < row), vector, state - vector * share)
        return where(column < k, state, changed)

    packed = looped(x, count, turn)
    triangle = where(row < column + 1, packed, 0.0).part(2, 0, columns)
    vectors = packed.part(2, 0, count)
    return triangle, where(positions(program, 1, count) < row, vectors, 0.0)


def unit(program: Program, rows: int, columns: int) -> Formula:
    """(1, rows, columns), of ones where both indices are equal."""
    equal = positions(program, 1, rows, 1).equals(positions(program, 1, 1, columns))
    return equal.astype(float32)


def orthogonal(vectors: Formula, start: Formula) -> Formula:
    """The product of the reflections, and of it and `start` (batch, rows, columns)."""
    _, rows, columns = start.shape
    row = positions(vectors.program, rows, 1)
    vectors = vectors.stored()
    squares = (vectors * vectors).sum(1)
    factors = where(squares > 0.0, 2.0 / (squares + 1.0), 0.0).stored()
    count = vectors.shape[2]

    def turn(state: Formula, turn: Formula) -> Formula:
        k = (count - 1) - turn
        vector = where(row.equals(k), 1.0, vectors.taken(k, 2)).stored()
        share = ((vector * state).sum(1) * factors.taken(k, 2)).stored()
        return state - vector * share

    return looped(padded(start), count, turn).part(2, 0, columns)


def spread(x: Formula, batch: int) -> Formula:
    """The same for all matrices of a batch."""
    return x.by(BROADCAST, (batch, *x.shape[1:]))


def qr(program: Program, at: int, complete: bool) -> int:
    """Q and R beside each other: R below Q where Q has as many columns, else behind Q."""
    x = Formula(program, at)
    batch, rows, columns = x.shape
    scale = scale_of(x)
    triangle, vectors = reflected(x / scale)
    triangle = triangle * scale
    start = spread(unit(program, rows, rows if complete else columns), batch)
    if complete:
        return joined(2, orthogonal(vectors, start), triangle).at
    return joined(1, orthogonal(vectors, start), triangle.part(1, 0, columns)).at
