"""How matrices are eliminated on the GPU: solutions, determinants, Cholesky factors.

Comes in: a Program with operands (batch, rows, columns); goes out: the position of the result. A
turn of a loop does one pivot of all matrices at once: a draw that finds it, a draw that updates
every element.
"""

from __future__ import annotations

import math
from typing import Any

from ..ops.reductions import ROWS as REDUCTIONS
from ..ops.reductions import SUM
from ..schedule.formulas import Formula, filled, joined, looped, of, positions, where
from ..schedule.program import Program

_REDUCTIONS = {row.name: row for row in REDUCTIONS}


def padded(x: Formula, columns: int = 0) -> Formula:
    """The matrices with columns of zeros behind, `columns` in all or whole texels."""
    batch, rows, have = x.shape
    missing = max(columns - have, 0) or -have % 4
    return (
        joined(2, x, filled(x.program, 0.0, batch, rows, missing)) if missing and x.shape[1] else x
    )


def _eliminated(x: Formula, count: int, jordan: bool) -> Formula:
    """Rows combined until the first `count` columns are those of a triangle, or the identity.

    Gaussian elimination with partial pivoting, or Gauss-Jordan's (Golub & Van Loan, Matrix
    Computations, 3.4; Higham, Accuracy and Stability of Numerical Algorithms, 14.4): a matrix needs
    one loop where a triangle would need a second for substitution. Of two rows exchanged one
    changes sign, so that the product of the diagonal stays the determinant.
    """
    program = x.program
    batch, rows, width = x.shape
    row = positions(program, rows, 1)
    first = positions(program, batch, 1) * rows

    def turn(state: Formula, k: Formula) -> Formula:
        size = where(row < k, -1.0, of("abs", state.taken(k, 2)))
        place = size.reduced(_REDUCTIONS["argmax"], 1)
        flat = state.reshape(batch * rows, width)
        pivot_row = flat.take(place.reshape(batch, 1) + first, 0)
        pivot = pivot_row.taken(k, 2)
        goes = row.equals(place) & (k < row)
        given = flat.take((where(goes, k, row)).reshape(batch, rows) + first, 0)
        given = where(goes, -given, given)
        # Without an inverse there is no solution, and no way to raise from a shader.
        instead = math.nan if jordan else 0.0
        unit_row = where(pivot.equals(0.0), instead, pivot_row / pivot).stored()
        rest = given - given.taken(k, 2).stored() * unit_row
        if jordan:
            return where(row.equals(k), unit_row, rest)
        return where(row.equals(k), pivot_row, where(row < k, given, rest))

    return looped(x, count, turn)


def solve(program: Program, a: int, b: int, arg: Any) -> int:
    """X of A X = B for A (batch, n, n) and B (batch, n, m); NaN where A is singular."""
    left, right = Formula(program, a), Formula(program, b)
    n, m = right.shape[1:]
    state = _eliminated(padded(joined(2, left, right)), n, jordan=True)
    return state.part(2, n, n + m).at


def _pivots(program: Program, at: int) -> Formula:
    """(batch, n), with the determinant as product."""
    x = Formula(program, at)
    n = x.shape[1]
    return _eliminated(padded(x), n, jordan=False).part(2, 0, n).diagonal()


def det(program: Program, at: int, arg: Any) -> int:
    """(batch): determinants, as products of pivots."""
    pivots = _pivots(program, at)
    return pivots.reduced(_REDUCTIONS["prod"], 1).reshape(pivots.shape[0]).at


def slogdet(program: Program, at: int, arg: Any) -> int:
    """(batch, 2): the signs of determinants and the logarithms of their absolute values."""
    pivots = _pivots(program, at)
    if pivots.shape[1]:
        pivots = pivots.stored()
    sign = of("sign", pivots).reduced(_REDUCTIONS["prod"], 1)
    return joined(1, sign, of("log", of("abs", pivots)).reduced(SUM, 1)).at


def cholesky(program: Program, at: int, arg: Any) -> int:
    """The lower factors; NaN where a matrix is not positive definite.

    Golub & Van Loan, 4.2.5: outer products, a column a turn.
    """
    x = Formula(program, at)
    n = x.shape[1]
    row, column = positions(program, n, 1), positions(program, 1, n + -n % 4)

    def turn(state: Formula, k: Formula) -> Formula:
        across = state.taken(k, 1)
        factor = (across / of("sqrt", across.taken(k, 2))).stored()
        # What is left over is symmetric: its column is its row.
        down = factor.part(2, 0, n).transposed()
        changed = where(column.equals(k), down, state - down * factor)
        return where((row < k) | (column < k), state, changed)

    state = looped(padded(x), n, turn).part(2, 0, n)
    last = state.part(1, n - 1, n).part(2, n - 1, n)
    below = positions(program, 1, n) < positions(program, n, 1) + 1
    return where(last > 0.0, where(below, state, 0.0), math.nan).at
