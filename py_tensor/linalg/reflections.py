"""How matrices are made triangular on the GPU: the QR decomposition by Householder's reflections.

Golub & Van Loan, Matrix Computations, 5.1 and 5.2, with LAPACK's signs (`sgeqrf` and `cgeqrf`): the
triangle's diagonal is real. Comes in: a Program with an operand (batch, rows, columns) and the
number of parts of an element; goes out: the position of the result.
"""

from __future__ import annotations

from ..ops.reductions import MAX
from ..schedule.formulas import Formula, joined, looped, of, positions, where
from ..schedule.program import Program
from .entries import Entries, choose, padded, split, unit, zeros

NEGLIGIBLE = 1e-28
"""Squares this small, beside a largest element of 1, are taken for zero: smaller ones underflow."""


def scale_of(x: Entries) -> Formula:
    """(batch, 1, 1): about the largest absolute elements, or 1, so that squares stay in range."""
    batch, rows, columns = x.shape
    largest = x.size().reshape(batch, rows * columns).reduced(MAX, 1).reshape(batch, 1, 1)
    return where(largest > 0.0, largest, 1.0)


def below(x: Entries, rows: int) -> Entries:
    """The matrices with so many rows of zeros below."""
    batch, _, columns = x.shape
    return x.each(lambda part: joined(1, part, zeros(part.program, batch, rows, columns)))


def reflected(x: Entries) -> tuple[Entries, Entries]:
    """The triangle R (batch, rows, columns), of zeros below, and what each reflection is made of.

    A reflection is 1 - t v v^H. Column k of the second (batch, rows + 1, count) has v below row k,
    where v is 1, and t in its last row; 0 is for no reflection.
    """
    parts, program = x.parts, x.re.program
    rows, columns = x.shape[1:]
    count = min(rows, columns)
    x = padded(below(x, 1))
    row, column = positions(program, rows + 1, 1), positions(program, 1, x.shape[2])

    def turn(state: Formula, k: Formula) -> Formula:
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
        # In its own column a vector becomes exactly the new head.
        share = choose(reflects, choose(column.equals(k), length, share), 0.0).stored()
        vector = choose(under, down * inverse, choose(row.equals(rows), factor, 0.0))
        vector = choose(row.equals(k), 1.0, choose(reflects, vector, 0.0)).stored()
        changed = choose(column.equals(k) & (k < row), vector, left - vector * share)
        kept = (column < k) | (row.equals(rows) & (k < column))
        return choose(kept, left, changed).joined()

    packed = split(looped(x.joined(), count, turn), parts)
    triangle = choose(row < column + 1, packed, 0.0).part(1, 0, rows).part(2, 0, columns)
    return triangle, packed.part(2, 0, count)


def orthogonal(reflections: Entries, start: Entries) -> Entries:
    """The product of the reflections, and of it and `start` (batch, rows, columns)."""
    parts, program = start.parts, start.re.program
    _, rows, columns = start.shape
    row = positions(program, rows, 1)
    reflections = reflections.stored()
    count = reflections.shape[2]

    def turn(state: Formula, number: Formula) -> Formula:
        left = split(state, parts)
        k = (count - 1) - number
        reflection = reflections.taken(k, 2)
        vector = choose(k < row, reflection.part(1, 0, rows), 0.0)
        vector = choose(row.equals(k), 1.0, vector).stored()
        factor = reflection.part(1, rows, rows + 1)
        share = (factor * (vector.conj() * left).sum(1)).stored()
        return (left - vector * share).joined()

    product = looped(padded(start).joined(), count, turn)
    return split(product, parts).part(2, 0, columns)


def qr(program: Program, at: int, arg: tuple[int, bool]) -> int:
    """Q and R: R below Q where Q has as many columns, else, if `complete`, behind Q."""
    parts, complete = arg
    x = split(Formula(program, at), parts)
    batch, rows, columns = x.shape
    scale = scale_of(x)
    triangle, reflections = reflected(x / scale)
    triangle = triangle * scale
    start = unit(program, batch, rows, rows if complete else columns, parts)
    product = orthogonal(reflections, start)
    if complete:
        return joined(2, product.joined(), triangle.joined()).at
    return joined(1, product.joined(), triangle.part(1, 0, columns).joined()).at
