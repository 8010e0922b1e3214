"""Elimination on the GPU: solutions, determinants, Cholesky factors.

Input: a lowered graph, the positions of operands (batch, rows, columns) and the number of parts of
an element. Output: the position of the result. Each loop iteration processes one pivot of all
matrices: one draw finds it, one draw updates every element, and small draws are between them.
"""

from __future__ import annotations

import math

from ..compiler.lowered_graph import LoweredGraph
from ..compiler.lowering.formulas import Formula, joined, looped, of, positions, where
from ..ops.op_def import Decomposition
from ..ops.reductions import OP_DEFS as REDUCTIONS
from .entries import MatrixEntries, choose, padded, split

_REDUCTIONS = {op.name: op for op in REDUCTIONS}


def _eliminated(x: MatrixEntries, count: int, *, jordan: bool) -> MatrixEntries:
    """Combine rows until the first `count` columns are triangular, or the identity with `jordan`.

    Gaussian elimination with partial pivoting, or Gauss-Jordan elimination (Golub & Van Loan,
    Matrix Computations, 3.4; Higham, Accuracy and Stability of Numerical Algorithms, 14.4).
    Gauss-Jordan needs one loop; a triangle would need a second one for substitution. One of two
    exchanged rows changes its sign, so the product of the diagonal remains the determinant.
    """
    x = padded(x)
    parts, lowered = x.parts, x.re.graph
    batch, rows, _ = x.shape
    row = positions(lowered, rows, 1)
    first = positions(lowered, batch, 1) * rows

    def step(state: Formula, k: Formula) -> Formula:
        size = where(row < k, -1.0, split(state, parts).taken(k, 2).size())
        largest = size.reduced(_REDUCTIONS["argmax"], 1)
        flat = state.reshape(batch * rows, -1)
        pivot_row = split(flat.take(largest.reshape(batch, 1) + first, 0), parts)
        pivot = pivot_row.taken(k, 2)
        exchanged = (row == largest) & (k < row)
        before = where(exchanged, k, row).reshape(batch, rows)
        left = split(flat.take(before + first, 0), parts)
        left = choose(exchanged, -left, left)
        # A shader cannot raise, so singular matrices give NaN.
        instead = math.nan if jordan else 0.0
        scaled = pivot_row * pivot.reciprocal()
        unit_row = choose(pivot.size() == 0.0, instead, scaled).materialized()
        rest = left - left.taken(k, 2).materialized() * unit_row
        if jordan:
            return choose(row == k, unit_row, rest).joined()
        return choose(row == k, pivot_row, choose(row < k, left, rest)).joined()

    return split(looped(x.joined(), count, step), parts)


def solve(lowered: LoweredGraph, a: int, b: int, parts: int) -> int:
    """Solve A X = B for A (batch, n, n) and B (batch, n, m); NaN if A is singular."""
    left, right = (split(Formula(lowered, at), parts) for at in (a, b))
    n, m = right.shape[1:]
    both = MatrixEntries(
        joined(2, left.re, right.re),
        None if left.im is None or right.im is None else joined(2, left.im, right.im),
    )
    return _eliminated(both, n, jordan=True).part(2, n, n + m).joined().at


def _lower_pivots(lowered: LoweredGraph, at: int, parts: int) -> int:
    x = split(Formula(lowered, at), parts)
    batch, n, _ = x.shape
    pivots = _eliminated(x, n, jordan=False).part(2, 0, n).diagonal().reshape(batch, 1, n)
    return (pivots.materialized() if n else pivots).joined().at


PIVOTS = Decomposition(
    name="pivots",
    shape=lambda a, parts: (a[0], 1, a[2]),
    lowering=_lower_pivots,
    doc="Pivots of Gaussian elimination, whose product is the determinant.",
)


def _pivots(lowered: LoweredGraph, at: int, parts: int) -> MatrixEntries:
    """Return the pivots, (batch, 1, n), whose product is the determinant."""
    return split(Formula(lowered, at).lowered(PIVOTS, parts), parts)


def _product(x: MatrixEntries) -> MatrixEntries:
    """Return the product, (batch, 1, 1), of elements (batch, 1, n)."""
    if x.im is None:
        return MatrixEntries(x.re.reduced(_REDUCTIONS["prod"], 2))
    n = x.shape[2]
    if n == 0:
        return choose(positions(x.re.graph, x.shape[0], 1, 1) < 0, x.sum(2), 1.0)
    while n > 1:
        half = n // 2
        pairs = x.part(2, 0, half) * x.part(2, half, 2 * half)
        if n % 2:
            last = x.part(2, n - 1, n)
            assert pairs.im is not None and last.im is not None
            pairs = MatrixEntries(joined(2, pairs.re, last.re), joined(2, pairs.im, last.im))
        x, n = pairs.materialized(), n - half
    return x


def det(lowered: LoweredGraph, at: int, parts: int) -> int:
    """Return the determinants, (batch, parts), as products of pivots."""
    product = _product(_pivots(lowered, at, parts))
    return product.joined().reshape(product.shape[0], parts).at


def slogdet(lowered: LoweredGraph, at: int, parts: int) -> int:
    """Return (batch, parts + 1): signs of determinants and logarithms of their absolute values."""
    pivots = _pivots(lowered, at, parts)
    size = pivots.magnitude()
    signs = pivots / where(size == 0.0, 1.0, size)
    if parts == 1:
        signs = MatrixEntries(of("sign", pivots.re))
    product = _product(signs).joined().reshape(size.shape[0], parts)
    logarithms = of("log", size).sum(2).reshape(size.shape[0], 1)
    return joined(1, product, logarithms).at


def cholesky(lowered: LoweredGraph, at: int, parts: int) -> int:
    """Return the lower factors; NaN if a matrix is not positive definite.

    Golub & Van Loan, 4.2.5: outer products, one column per loop iteration.
    """
    x = split(Formula(lowered, at), parts)
    n = x.shape[1]
    x = padded(x)
    row, column = positions(lowered, n, 1), positions(lowered, 1, x.shape[2])

    def step(state: Formula, k: Formula) -> Formula:
        left = split(state, parts)
        across = left.taken(k, 1)
        factor = (across / of("sqrt", across.re.taken(k, 2))).materialized()
        # The remaining matrix is Hermitian: its column is its row's conjugate.
        down = factor.part(2, 0, n).transposed().conj()
        changed = choose(column == k, down, left - down * factor)
        return choose((row < k) | (column < k), left, changed).joined()

    lower = split(looped(x.joined(), n, step), parts).part(2, 0, n)
    last = lower.re.part(1, n - 1, n).part(2, n - 1, n)
    below = positions(lowered, 1, n) < row + 1
    return choose(last > 0.0, choose(below, lower, 0.0), math.nan).joined().at
