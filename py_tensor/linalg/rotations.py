"""How eigenvalues and singular values are found on the GPU: by Jacobi's rotations.

A turn of a loop rotates n / 2 pairs of rows that do not meet, of all matrices at once, such that
after n - 1 turns, a sweep, every pair was rotated once (Brent & Luk, 1985). Each rotation is
applied as x - s (y + t x), t = s / (1 + c), which keeps lengths to the last digits (Rutishauser,
1966), and brings the larger value in front (de Rijk, 1989), which saves sweeps.

Comes in: a Program with an operand (batch, rows, columns) and the number of parts of an element;
goes out: the position of the result.
"""

from __future__ import annotations

from itertools import pairwise

from ..dtypes import float32, int32
from ..nodes import call_of
from ..ops.reductions import MAX
from ..ops.sorts import ARGSORT
from ..schedule.formulas import Formula, joined, looped, of, positions, where
from ..schedule.program import Program
from ..schedule.sorts import lower_sort
from .entries import Entries, choose, padded, split, unit
from .reflections import below, orthogonal, reflected, scale_of


def sweeps(n: int) -> int:
    """Sweeps after which all is level with float32's rounding.

    They grow like the logarithm of n. Measured on random, clustered, graded and singular matrices
    and on differences of second order: 4 at n = 3, 6 at 8, 8 at 33, 9 at 64, 10 at 128.
    """
    return 4 + (n - 1).bit_length()


class _Pairs:
    """Who meets in a turn: row i and row `partner`; the one who rests, if n is odd, has himself.

    Rows meet whose numbers add up to the turn's, modulo the number m of turns of a sweep. Who would
    meet himself meets the last one, if n is even.
    """

    def __init__(self, n: int, turn: Formula) -> None:
        m = n - 1 + n % 2
        self.index = index = positions(turn.program, n)
        turn = turn % m
        partner = where(turn < index, turn - index + m, turn - index)
        if n % 2 == 0:
            last = (turn * (n // 2)) % m
            partner = where(partner.equals(index), m, where(index.equals(m), last, partner))
        self.partner = partner

    def rotations(self, own: Formula, joint: Entries) -> Formula:
        """(batch, 4 or 6, n): what `_rotated` does to each row, so that `joint` becomes zero.

        For Hermitian matrices [[own, joint], [conj(joint), own of the partner]], given as
        (batch, 1, n). Golub & Van Loan, 8.5.2: the smaller of two angles. Partners see opposite
        ones.
        """
        index, partner = self.index, self.partner
        difference = own.take(partner, 2) - own
        size = joint.magnitude()
        ratio = difference / (size * 2.0)
        tangent = 1.0 / (of("abs", ratio) + of("sqrt", ratio * ratio + 1.0))
        down = (difference < 0.0) | (difference.equals(0.0) & (partner < index))
        tangent = where(down, -tangent, tangent)
        tangent = where(size.equals(0.0) | index.equals(partner), 0.0, tangent)
        cosine = 1.0 / of("sqrt", tangent * tangent + 1.0)
        phase = joint / where(size.equals(0.0), 1.0, size)
        sine = phase * (tangent * cosine)
        # The larger value belongs in front.
        swaps = (index < partner) & (difference > 0.0) | (partner < index) & (difference < 0.0)
        sine = choose(swaps, -sine.conj(), sine)
        slope = sine.conj() / (cosine + 1.0)
        first, second = where(swaps, partner, index), where(swaps, index, partner)
        values = [sine.re, slope.re, first.astype(float32), second.astype(float32)]
        if sine.im is not None and slope.im is not None:
            values += [sine.im, slope.im]
        return _one_of(values).stored()


def _one_of(values: list[Formula]) -> Formula:
    """Vectors (batch, 1, n) below each other."""
    kind = positions(values[0].program, len(values), 1)
    result = values[-1]
    for number in range(len(values) - 2, -1, -1):
        result = where(kind.equals(number), values[number], result)
    return result


def _rows(state: Formula, places: Formula) -> Formula:
    """For each of a batch's matrices, its rows at places (batch, rows)."""
    batch, n, width = state.shape
    start = positions(state.program, batch, 1) * n
    return state.reshape(batch * n, width).take(places + start, 0)


class _Rotation:
    """x - s (y + t x) for each row x, with what `rotations` stored."""

    def __init__(self, stored: Formula, parts: int) -> None:
        batch, count, n = stored.shape
        kinds = [stored.part(1, at, at + 1).transposed() for at in range(count)]
        self.parts = parts
        self.sine, self.slope = (
            Entries(kinds[at], kinds[at + 4] if parts == 2 else None) for at in (0, 1)
        )
        self.places = [kinds[at].reshape(batch, n).astype(int32) for at in (2, 3)]

    def of(self, state: Formula, start: int, stop: int) -> Formula:
        """The matrices in these columns of the state, rotated."""
        x, y = (
            split(_rows(state, place).part(2, start, stop), self.parts) for place in self.places
        )
        return (x - self.sine * (y + self.slope * x)).joined()


def _order(values: Formula, descending: bool) -> Formula:
    call = call_of(ARGSORT, (values.program.spec(values.at),), (1, descending))
    return Formula(values.program, lower_sort(values.program, call, values.at)).stored()


def _orthogonalised(x: Entries, *, product: bool) -> tuple[Entries, Formula, Entries]:
    """Rows that are orthogonal, longest first, their lengths, and the rotations' product if asked.

    One-sided rotations (Hestenes, 1958): those that bring x x^H to a diagonal, which is never made,
    since it would square the condition.
    """
    parts, program = x.parts, x.re.program
    batch, n, columns = x.shape
    x = padded(x)
    width = parts * x.shape[2]
    start = x.joined()
    if product:
        start = joined(2, start, padded(unit(program, batch, n, n, parts)).joined())
    end = start.shape[2]
    # Real rows are rotated alike, whatever stands in them.
    ends = (0, end) if parts == 1 or not product else (0, width, end)

    def turn(state: Formula, number: Formula) -> Formula:
        pairs = _Pairs(n, number)
        whom = where(positions(program, 2, 1).equals(0), pairs.index, pairs.partner)
        rows = state.part(2, 0, width)
        products = (rows.reshape(batch, 1, n, width) * rows.take(whom, 1)).sum(3)
        own, joint = (products.part(1, at, at + 1).reshape(batch, 1, n) for at in (0, 1))
        rotation = _Rotation(pairs.rotations(own, _joint(joint, rows, pairs, parts)), parts)
        return joined(2, *(rotation.of(state, *place) for place in pairwise(ends)))

    turns = n - 1 + n % 2 if n > 1 else 0
    state = looped(start, sweeps(n) * turns, turn)
    rows = state.part(2, 0, width)
    lengths = of("sqrt", (rows * rows).sum(2)).reshape(batch, n).stored()
    order = _order(lengths, descending=True)
    state = _rows(state, order).stored()
    lengths = _rows(lengths.reshape(batch, n, 1), order)
    rotations = split(state.part(2, width if product else 0, end), parts)
    return split(state.part(2, 0, width), parts).part(2, 0, columns), lengths, rotations


def _joint(real: Formula, rows: Formula, pairs: _Pairs, parts: int) -> Entries:
    """The products of each row and its partner's conjugate, whose real parts are known.

    Both see the same numbers, with opposite signs: where a product and a difference are rounded
    once, it matters which one of two products that is.
    """
    if parts == 1:
        return Entries(real)
    index, partner = pairs.index, pairs.partner
    is_first = index < partner
    first, second = (
        split(rows.take(whom, 1), parts)
        for whom in (where(is_first, index, partner), where(is_first, partner, index))
    )
    assert first.im is not None
    assert second.im is not None
    products = (first.im * second.re - first.re * second.im).sum(2).reshape(*real.shape)
    return Entries(real, where(is_first, products, -products))


SHIFT = 1.5
"""What is added to eigenvalues beyond their largest size: rows then have similar lengths."""


def eigh(program: Program, at: int, parts: int) -> int:
    """(batch, n + 1, n): eigenvectors as columns, and below them eigenvalues, smallest first.

    A matrix with positive eigenvalues has its eigenvectors as singular vectors, so a multiple of
    the identity is added. The eigenvalues are Rayleigh's quotients, whose errors are the squares of
    those of the vectors.
    """
    x = split(Formula(program, at), parts)
    batch, n, _ = x.shape
    scale = scale_of(x)
    x = (x / scale).stored()
    sums = x.size().sum(2).reduced(MAX, 1)
    squares = x.squares().reshape(batch, n * n).sum(1).reshape(batch, 1, 1)
    bound = of("minimum", sums, of("sqrt", squares))
    bound = where(bound > 0.0, bound, 1.0)
    shifted = x / bound + unit(program, batch, n, n) * SHIFT
    rows, lengths, _ = _orthogonalised(shifted, product=False)
    rows = (rows / lengths).stored()
    values = (rows.matmul(x) * rows.conj()).re.sum(2).reshape(batch, n).stored()
    order = _order(values, descending=False)
    values = (_rows(values.reshape(batch, n, 1), order) * scale).transposed()
    vectors = split(_rows(rows.joined(), order), parts).transposed().conj()
    return joined(1, vectors.joined(), _beside(values, parts)).at


def _beside(values: Formula, parts: int) -> Formula:
    """(batch, 1, n) with zeros for imaginary parts."""
    return Entries(values, None if parts == 1 else values * 0.0).joined()


def svd(program: Program, at: int, arg: tuple[int, bool]) -> int:
    """(batch, rows + columns + 1, columns): U, V and below them the singular values, largest first.

    Without `vectors` the values alone, (batch, columns). For at least as many rows as columns.
    The rotations begin with the triangle of a QR decomposition, for which they take fewer sweeps
    (Drmac & Veselic, 2008). Another one makes V of what they give, V times the values, so that its
    columns are orthogonal for values of zero, too.
    """
    parts, vectors = arg
    x = split(Formula(program, at), parts)
    batch, rows, columns = x.shape
    scale = scale_of(x)
    triangle, reflections = reflected(x / scale)
    rotated, values, product = _orthogonalised(triangle.part(1, 0, columns), product=vectors)
    values = (values * scale).transposed()
    if not vectors:
        return values.reshape(batch, columns).at
    diagonal, others = reflected(rotated.transposed().conj())
    sign = where(diagonal.re.diagonal().reshape(batch, 1, columns) < 0.0, -1.0, 1.0)
    right = orthogonal(others, unit(program, batch, columns, columns, parts)) * sign
    turned = product.part(2, 0, columns).transposed().conj()
    left = orthogonal(reflections, below(turned, rows - columns) if rows > columns else turned)
    return joined(1, left.joined(), right.joined(), _beside(values, parts)).at
