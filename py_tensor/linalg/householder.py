"""QR decomposition on the GPU, by Householder reflections.

Golub & Van Loan, Matrix Computations, 5.1 and 5.2, with LAPACK's signs (`sgeqrf` and `cgeqrf`): the
triangle's diagonal is real. Input: a lowered graph, the position of an operand (batch, rows,
columns) and the number of parts of an element. Output: the position of the result.
"""

from __future__ import annotations

from ..compiler.lowered_graph import LoweredGraph
from ..compiler.lowering.formulas import Formula, joined, looped, of, positions, where
from ..ops.reductions import MAX
from .entries import MatrixEntries, choose, padded, split, unit, zeros

NEGLIGIBLE = 1e-28
"""Squares up to this limit, relative to a largest element of 1, count as zero: smaller ones
underflow."""


def scale_of(x: MatrixEntries) -> Formula:
    """Return (batch, 1, 1): about the largest absolute element, or 1, to keep squares in range."""
    batch, rows, columns = x.shape
    largest = x.size().reshape(batch, rows * columns).reduced(MAX, 1).reshape(batch, 1, 1)
    return where(largest > 0.0, largest, 1.0)


def below(x: MatrixEntries, rows: int) -> MatrixEntries:
    """Append rows of zeros."""
    batch, _, columns = x.shape
    return x.each(lambda part: joined(1, part, zeros(part.graph, batch, rows, columns)))


def reflected(x: MatrixEntries) -> tuple[MatrixEntries, MatrixEntries]:
    """Return the triangle R (batch, rows, columns), and the reflections.

    A reflection is 1 - t v v^H. The second result has shape (batch, rows + 1, count). Its column k
    stores v below row k, where v is 1, and t in the last row; t = 0 means no reflection.
    """
    parts, lowered = x.parts, x.re.graph
    rows, columns = x.shape[1:]
    count = min(rows, columns)
    x = padded(below(x, 1))
    row, column = positions(lowered, rows + 1, 1), positions(lowered, 1, x.shape[2])

    def step(state: Formula, k: Formula) -> Formula:
        left = split(state, parts)
        down, across = left.taken(k, 2), left.taken(k, 1)
        under = (k < row) & (row < rows)
        products = (choose(under, down, 0.0).conj() * left).sum(1)
        head, squares = across.taken(k, 2), products.re.taken(k, 2)
        new_head = of("copysign", of("sqrt", head.squares() + squares), -head.re)
        length = head - new_head
        inverse = length.reciprocal()
        reflects = squares > NEGLIGIBLE
        if head.im is not None:
            reflects = reflects | (head.im * head.im > NEGLIGIBLE)
        factor = -length / new_head
        share = factor.conj() * (across + inverse.conj() * products)
        # In its own column, a vector becomes exactly the new head.
        share = choose(reflects, choose(column == k, length, share), 0.0).materialized()
        vector = choose(under, down * inverse, choose(row == rows, factor, 0.0))
        vector = choose(row == k, 1.0, choose(reflects, vector, 0.0)).materialized()
        changed = choose((column == k) & (k < row), vector, left - vector * share)
        kept = (column < k) | ((row == rows) & (k < column))
        return choose(kept, left, changed).joined()

    packed = split(looped(x.joined(), count, step), parts)
    triangle = choose(row < column + 1, packed, 0.0).part(1, 0, rows).part(2, 0, columns)
    return triangle, packed.part(2, 0, count)


def orthogonal(reflections: MatrixEntries, start: MatrixEntries) -> MatrixEntries:
    """Return the product of the reflections and `start` (batch, rows, columns)."""
    parts, lowered = start.parts, start.re.graph
    _, rows, columns = start.shape
    row = positions(lowered, rows, 1)
    reflections = reflections.materialized()
    count = reflections.shape[2]

    def step(state: Formula, number: Formula) -> Formula:
        left = split(state, parts)
        k = (count - 1) - number
        reflection = reflections.taken(k, 2)
        vector = choose(k < row, reflection.part(1, 0, rows), 0.0)
        vector = choose(row == k, 1.0, vector).materialized()
        factor = reflection.part(1, rows, rows + 1)
        share = (factor * (vector.conj() * left).sum(1)).materialized()
        return (left - vector * share).joined()

    product = looped(padded(start).joined(), count, step)
    return split(product, parts).part(2, 0, columns)


def qr(lowered: LoweredGraph, at: int, arg: tuple[int, bool]) -> int:
    """Return Q and R: R below Q, or to the right of Q if `complete`."""
    parts, complete = arg
    x = split(Formula(lowered, at), parts)
    batch, rows, columns = x.shape
    scale = scale_of(x)
    triangle, reflections = reflected(x / scale)
    triangle = triangle * scale
    start = unit(lowered, batch, rows, rows if complete else columns, parts)
    product = orthogonal(reflections, start)
    if complete:
        return joined(2, product.joined(), triangle.joined()).at
    return joined(1, product.joined(), triangle.part(1, 0, columns).joined()).at
