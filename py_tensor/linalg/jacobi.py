"""Eigenvalues and singular values on the GPU, by Jacobi rotations.

Each loop iteration rotates n / 2 disjoint pairs of rows of all matrices. After n - 1 iterations,
one sweep, every pair was rotated once (Brent & Luk, 1985). A rotation is applied as x - s (y + t
x), t = s / (1 + c), which preserves lengths to the last digits (Rutishauser, 1966). It also moves
the larger value to the front (de Rijk, 1989), which saves sweeps.

Input: a lowered graph, the position of an operand (batch, rows, columns) and the number of parts of
an element. Output: the position of the result.
"""

from __future__ import annotations

from itertools import pairwise

from ..compiler.lowered_graph import LoweredGraph
from ..compiler.lowering.formulas import Formula, joined, looped, of, positions, where
from ..dtypes import float32, int32
from ..ops.op_def import Decomposition
from ..ops.reductions import MAX
from ..ops.sorts import ARGSORT
from .entries import MatrixEntries, choose, padded, split, unit
from .householder import below, orthogonal, reflected, scale_of


def sweeps(n: int) -> int:
    """Return the number of sweeps after which the result is as accurate as float32 rounding allows.

    It grows like the logarithm of n. Sweeps measured on random, clustered, graded and singular
    matrices and on second-order differences: 4 at n = 3, 6 at 8, 8 at 33, 9 at 64, 10 at 128.
    """
    return 4 + (n - 1).bit_length()


class _Pairs:
    """Row pairs of one Jacobi step: row i and row `partner`.

    If n is odd, the idle row is paired with itself.

    Two rows are paired if their numbers add up to the step's number, modulo the number m of steps
    of a sweep. For even n, the row that would be paired with itself is paired with the last row.
    """

    def __init__(self, n: int, step: Formula) -> None:
        m = n - 1 + n % 2
        self.index = index = positions(step.graph, n)
        step = step % m
        partner = where(step < index, step - index + m, step - index)
        if n % 2 == 0:
            last = (step * (n // 2)) % m
            partner = where(partner == index, m, where(index == m, last, partner))
        self.partner = partner

    def rotations(self, own: Formula, joint: MatrixEntries) -> Formula:
        """Return (batch, 4 or 6, n): for each row, the rotation that makes `joint` zero.

        For Hermitian matrices [[own, joint], [conj(joint), own of the partner]], given as (batch,
        1, n). Golub & Van Loan, 8.5.2: the smaller of two angles. Partners have opposite angles.
        """
        index, partner = self.index, self.partner
        difference = own.take(partner, 2) - own
        size = joint.magnitude()
        ratio = difference / (size * 2.0)
        tangent = 1.0 / (of("abs", ratio) + of("sqrt", ratio * ratio + 1.0))
        down = (difference < 0.0) | ((difference == 0.0) & (partner < index))
        tangent = where(down, -tangent, tangent)
        tangent = where((size == 0.0) | (index == partner), 0.0, tangent)
        cosine = 1.0 / of("sqrt", tangent * tangent + 1.0)
        phase = joint / where(size == 0.0, 1.0, size)
        sine = phase * (tangent * cosine)
        # Move the larger value to the front.
        swaps = (index < partner) & (difference > 0.0) | (partner < index) & (difference < 0.0)
        sine = choose(swaps, -sine.conj(), sine)
        slope = sine.conj() / (cosine + 1.0)
        first, second = where(swaps, partner, index), where(swaps, index, partner)
        values = [sine.re, slope.re, first.astype(float32), second.astype(float32)]
        if sine.im is not None and slope.im is not None:
            values += [sine.im, slope.im]
        return _one_of(values).materialized()


def _one_of(values: list[Formula]) -> Formula:
    """Stack vectors (batch, 1, n) as rows."""
    kind = positions(values[0].graph, len(values), 1)
    result = values[-1]
    for number in range(len(values) - 2, -1, -1):
        result = where(kind == number, values[number], result)
    return result


def _rows(state: Formula, indices: Formula) -> Formula:
    """Return, for each matrix of a batch, its rows at indices (batch, rows)."""
    batch, n, width = state.shape
    start = positions(state.graph, batch, 1) * n
    return state.reshape(batch * n, width).take(indices + start, 0)


class _Rotation:
    """The rotation x - s (y + t x) of each row x, from the materialized result of `rotations`."""

    def __init__(self, materialized: Formula, parts: int) -> None:
        batch, count, n = materialized.shape
        kinds = [materialized.part(1, kind, kind + 1).transposed() for kind in range(count)]
        self.parts = parts
        self.sine, self.slope = (
            MatrixEntries(kinds[kind], kinds[kind + 4] if parts == 2 else None) for kind in (0, 1)
        )
        self.sources = [kinds[kind].reshape(batch, n).astype(int32) for kind in (2, 3)]
        """Numbers of the rows x and y."""

    def of(self, state: Formula, start: int, stop: int) -> Formula:
        """Return the rotated matrices in these columns of the state."""
        x, y = (split(_rows(state, rows).part(2, start, stop), self.parts) for rows in self.sources)
        return (x - self.sine * (y + self.slope * x)).joined()


def _order(values: Formula, descending: bool) -> Formula:
    return values.lowered(ARGSORT, (1, descending)).materialized()


def _lower_rotations(lowered: LoweredGraph, at: int, arg: tuple[int, int]) -> int:
    """Rotate pairs of rows until their first `width` columns are orthogonal."""
    parts, width = arg
    start = Formula(lowered, at)
    batch, n, end = start.shape
    # Real rows and their rotations need the same update, so one column range is enough.
    ends = (0, end) if parts == 1 or end == width else (0, width, end)

    def step(state: Formula, number: Formula) -> Formula:
        pairs = _Pairs(n, number)
        partners = where(positions(lowered, 2, 1) == 0, pairs.index, pairs.partner)
        rows = state.part(2, 0, width)
        products = (rows.reshape(batch, 1, n, width) * rows.take(partners, 1)).sum(3)
        own, joint = (products.part(1, k, k + 1).reshape(batch, 1, n) for k in (0, 1))
        rotation = _Rotation(pairs.rotations(own, _joint(joint, rows, pairs, parts)), parts)
        return joined(2, *(rotation.of(state, *columns) for columns in pairwise(ends)))

    steps = n - 1 + n % 2 if n > 1 else 0
    return looped(start, sweeps(n) * steps, step).at


ROTATIONS = Decomposition(
    name="rotations",
    method="rotations",
    shape=lambda a, arg: a,
    lowering=_lower_rotations,
    doc="Rows that are rotated in pairs until their first columns are orthogonal.",
)


def _orthogonalised(
    x: MatrixEntries, *, product: bool
) -> tuple[MatrixEntries, Formula, MatrixEntries]:
    """Return orthogonal rows, longest first, their lengths, and optionally the rotations.

    One-sided rotations (Hestenes, 1958) diagonalize x x^H, which is never computed, since it would
    square the condition number.
    """
    parts, lowered = x.parts, x.re.graph
    batch, n, columns = x.shape
    x = padded(x)
    width = parts * x.shape[2]
    start = x.joined()
    if product:
        start = joined(2, start, padded(unit(lowered, batch, n, n, parts)).joined())
    end = start.shape[2]
    state = start.lowered(ROTATIONS, (parts, width))
    rows = state.part(2, 0, width)
    lengths = of("sqrt", (rows * rows).sum(2)).reshape(batch, n).materialized()
    order = _order(lengths, descending=True)
    state = _rows(state, order).materialized()
    lengths = _rows(lengths.reshape(batch, n, 1), order)
    rotations = split(state.part(2, width if product else 0, end), parts)
    return split(state.part(2, 0, width), parts).part(2, 0, columns), lengths, rotations


def _joint(real: Formula, rows: Formula, pairs: _Pairs, parts: int) -> MatrixEntries:
    """Return the products of each row and its partner's conjugate; the real parts are given.

    Both partners get the same numbers with opposite signs. A product and a difference may be
    rounded once, and the result then depends on the order of the products, so the order is fixed.
    """
    if parts == 1:
        return MatrixEntries(real)
    index, partner = pairs.index, pairs.partner
    is_first = index < partner
    first, second = (
        split(rows.take(partners, 1), parts)
        for partners in (where(is_first, index, partner), where(is_first, partner, index))
    )
    assert first.im is not None
    assert second.im is not None
    products = (first.im * second.re - first.re * second.im).sum(2).reshape(*real.shape)
    return MatrixEntries(real, where(is_first, products, -products))


SHIFT = 1.5
"""Shift of the eigenvalues, relative to the largest magnitude, to make rows similar in length."""


def eigh(lowered: LoweredGraph, at: int, parts: int) -> int:
    """Return (batch, n + 1, n): eigenvectors as columns, and a row of eigenvalues, ascending.

    If all eigenvalues are positive, the eigenvectors are the singular vectors, so a multiple of the
    identity is added. The eigenvalues are Rayleigh quotients, whose errors are the squares of the
    vectors' errors.
    """
    x = split(Formula(lowered, at), parts)
    batch, n, _ = x.shape
    scale = scale_of(x)
    x = (x / scale).materialized()
    sums = x.size().sum(2).reduced(MAX, 1)
    squares = x.squares().reshape(batch, n * n).sum(1).reshape(batch, 1, 1)
    bound = of("minimum", sums, of("sqrt", squares))
    bound = where(bound > 0.0, bound, 1.0)
    shifted = x / bound + unit(lowered, batch, n, n) * SHIFT
    rows, lengths, _ = _orthogonalised(shifted, product=False)
    rows = (rows / lengths).materialized()
    values = (rows.matmul(x) * rows.conj()).re.sum(2).reshape(batch, n).materialized()
    order = _order(values, descending=False)
    values = (_rows(values.reshape(batch, n, 1), order) * scale).transposed()
    vectors = split(_rows(rows.joined(), order), parts).transposed().conj()
    return joined(1, vectors.joined(), _beside(values, parts)).at


def _beside(values: Formula, parts: int) -> Formula:
    """Return (batch, 1, n) with zeros for imaginary parts."""
    return MatrixEntries(values, None if parts == 1 else values * 0.0).joined()


def svd(lowered: LoweredGraph, at: int, arg: tuple[int, bool]) -> int:
    """Return (batch, rows + columns + 1, columns): U, V and a row of singular values, descending.

    Without `vectors`, only the values, (batch, columns). Needs at least as many rows as columns.
    The rotations start with the triangle of a QR decomposition, which saves sweeps (Drmac &
    Veselic, 2008). Their result is V times the values. A second QR decomposition computes V from
    it, so its columns are orthogonal even for singular values of zero.
    """
    parts, vectors = arg
    x = split(Formula(lowered, at), parts)
    batch, rows, columns = x.shape
    scale = scale_of(x)
    triangle, reflections = reflected(x / scale)
    rotated, values, product = _orthogonalised(triangle.part(1, 0, columns), product=vectors)
    values = (values * scale).transposed()
    if not vectors:
        return values.reshape(batch, columns).at
    diagonal, right_reflections = reflected(rotated.transposed().conj())
    sign = where(diagonal.re.diagonal().reshape(batch, 1, columns) < 0.0, -1.0, 1.0)
    start = unit(lowered, batch, columns, columns, parts)
    right = orthogonal(right_reflections, start) * sign
    start = product.part(2, 0, columns).transposed().conj()
    left = orthogonal(reflections, below(start, rows - columns) if rows > columns else start)
    return joined(1, left.joined(), right.joined(), _beside(values, parts)).at
