"""How matrices are eliminated on the GPU: solutions, determinants, Cholesky factors.

Comes in: a Program with operands (batch, rows, columns) and the number of parts of an element; goes
out: the position of the result. A turn of a loop does one pivot of all matrices at once: a draw
that finds it, a draw that updates every element, and small ones between.
"""

from __future__ import annotations

import math

from ..ops.reductions import ROWS as REDUCTIONS
from ..schedule.formulas import Formula, joined, looped, of, positions, where
from ..schedule.program import Program
from .entries import Entries, choose, padded, split

_REDUCTIONS = {row.name: row for row in REDUCTIONS}


def _eliminated(x: Entries, count: int, *, jordan: bool) -> Entries:
    """Rows combined until the first `count` columns are those of a triangle, or the identity.

    Gaussian elimination with partial pivoting, or Gauss-Jordan's (Golub & Van Loan, Matrix
    Computations, 3.4; Higham, Accuracy and Stability of Numerical Algorithms, 14.4): a matrix needs
    one loop where a triangle would need a second for substitution. Of two rows exchanged one
    changes sign, so that the product of the diagonal stays the determinant.
    """
    x = padded(x)
    parts, program = x.parts, x.re.program
    batch, rows, _ = x.shape
    row = positions(program, rows, 1)
    first = positions(program, batch, 1) * rows

    def turn(state: Formula, k: Formula) -> Formula:
        size = where(row < k, -1.0, split(state, parts).taken(k, 2).size())
        place = size.reduced(_REDUCTIONS["argmax"], 1)
        flat = state.reshape(batch * rows, -1)
        pivot_row = split(flat.take(place.reshape(batch, 1) + first, 0), parts)
        pivot = pivot_row.taken(k, 2)
        goes = row.equals(place) & (k < row)
        given = split(flat.take(where(goes, k, row).reshape(batch, rows) + first, 0), parts)
        given = choose(goes, -given, given)
        # Without an inverse there is no solution, and no way to raise from a shader.
        instead = math.nan if jordan else 0.0
        scaled = pivot_row * pivot.reciprocal()
        unit_row = choose(pivot.size().equals(0.0), instead, scaled).stored()
        rest = given - given.taken(k, 2).stored() * unit_row
        if jordan:
            return choose(row.equals(k), unit_row, rest).joined()
        return choose(row.equals(k), pivot_row, choose(row < k, given, rest)).joined()

    return split(looped(x.joined(), count, turn), parts)


def solve(program: Program, a: int, b: int, parts: int) -> int:
    """X of A X = B for A (batch, n, n) and B (batch, n, m); NaN where A is singular."""
    left, right = (split(Formula(program, at), parts) for at in (a, b))
    n, m = right.shape[1:]
    both = Entries(
        joined(2, left.re, right.re),
        None if left.im is None or right.im is None else joined(2, left.im, right.im),
    )
    return _eliminated(both, n, jordan=True).part(2, n, n + m).joined().at


def _pivots(program: Program, at: int, parts: int) -> Entries:
    """(batch, 1, n), with the determinant as product."""
    x = split(Formula(program, at), parts)
    batch, n, _ = x.shape
    pivots = _eliminated(x, n, jordan=False).part(2, 0, n).diagonal().reshape(batch, 1, n)
    return pivots.stored() if n else pivots


def _product(x: Entries) -> Entries:
    """(batch, 1, 1): the product of elements (batch, 1, n)."""
    if x.im is None:
        return Entries(x.re.reduced(_REDUCTIONS["prod"], 2))
    n = x.shape[2]
    if n == 0:
        return choose(positions(x.re.program, x.shape[0], 1, 1) < 0, x.sum(2), 1.0)
    while n > 1:
        half = n // 2
        pairs = x.part(2, 0, half) * x.part(2, half, 2 * half)
        if n % 2:
            last = x.part(2, n - 1, n)
            assert pairs.im is not None and last.im is not None
            pairs = Entries(joined(2, pairs.re, last.re), joined(2, pairs.im, last.im))
        x, n = pairs.stored(), n - half
    return x


def det(program: Program, at: int, parts: int) -> int:
    """(batch, parts): determinants, as products of pivots."""
    product = _product(_pivots(program, at, parts))
    return product.joined().reshape(product.shape[0], parts).at


def slogdet(program: Program, at: int, parts: int) -> int:
    """(batch, parts + 1): the signs of determinants, and logarithms of their absolute values."""
    pivots = _pivots(program, at, parts)
    size = pivots.magnitude()
    signs = pivots / where(size.equals(0.0), 1.0, size)
    if parts == 1:
        signs = Entries(of("sign", pivots.re))
    product = _product(signs).joined().reshape(size.shape[0], parts)
    logarithms = of("log", size).sum(2).reshape(size.shape[0], 1)
    return joined(1, product, logarithms).at


def cholesky(program: Program, at: int, parts: int) -> int:
    """The lower factors; NaN where a matrix is not positive definite.

    Golub & Van Loan, 4.2.5: outer products, a column a turn.
    """
    x = split(Formula(program, at), parts)
    n = x.shape[1]
    x = padded(x)
    row, column = positions(program, n, 1), positions(program, 1, x.shape[2])

    def turn(state: Formula, k: Formula) -> Formula:
        left = split(state, parts)
        across = left.taken(k, 1)
        factor = (across / of("sqrt", across.re.taken(k, 2))).stored()
        # What is left over is Hermitian: its column is its row's conjugate.
        down = factor.part(2, 0, n).transposed().conj()
        changed = choose(column.equals(k), down, left - down * factor)
        return choose((row < k) | (column < k), left, changed).joined()

    lower = split(looped(x.joined(), n, turn), parts).part(2, 0, n)
    last = lower.re.part(1, n - 1, n).part(2, n - 1, n)
    below = positions(program, 1, n) < row + 1
    return choose(last > 0.0, choose(below, lower, 0.0), math.nan).joined().at
