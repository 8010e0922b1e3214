"""How eigenvalues and singular values are found on the GPU: by Jacobi's rotations.

A turn of a loop rotates n / 2 pairs of rows that do not meet, of all matrices at once, such that
after n - 1 turns, a sweep, every pair was rotated once (Brent & Luk, 1985). Each rotation is
applied as x - s (y + t x), t = s / (1 + c), which keeps lengths to the last digits (Rutishauser,
1966), and brings the larger value in front (de Rijk, 1989), which saves sweeps.

Comes in: a Program with operands (batch, rows, columns); goes out: the position of the result.
"""

from __future__ import annotations

from ..dtypes import float32, int32
from ..nodes import call_of
from ..ops.reductions import MAX
from ..ops.sorts import ARGSORT
from ..schedule.formulas import Formula, filled, joined, looped, of, positions, where
from ..schedule.program import Program
from ..schedule.sorts import lower_sort
from .elimination import padded
from .reflections import orthogonal, reflected, scale_of, spread, unit


def sweeps(n: int) -> int:
    """Sweeps after which all is level with float32's rounding.

    They grow like the logarithm of n. Measured on random, clustered, graded and singular matrices
    and on differences of second order: 4 at n = 3, 6 at 8, 8 at 33, 9 at 64, 10 at 128.
    """
    return 4 + (n - 1).bit_length()


def _texels(n: int) -> int:
    """The next multiple of a texel's four elements."""
    return n + -n % 4


class _Pairs:
    """Who meets in a turn: row i and row `partner`; those from n on and, if n is odd, one rest.

    Rows meet whose numbers add up to the turn's modulo m, the number of turns of a sweep. Who would
    meet himself meets the last one, if n is even.
    """

    def __init__(self, n: int, turn: Formula) -> None:
        m = n - 1 + n % 2
        self.n = n
        self.index = index = positions(turn.program, _texels(n))
        partner = (turn % m + m - index % m) % m
        if n % 2 == 0:
            last = (turn % m * (n // 2)) % m
            partner = where(partner.equals(index), m, where(index.equals(m), last, partner))
        self.partner = where(index < n, partner, index)

    def rotations(self, own: Formula, joint: Formula) -> Formula:
        """(batch, 3, n): s, t and the first row of the rotations that bring `joint` to zero.

        For symmetric matrices [[own, joint], [joint, own of the partner]], given as (batch, n).
        Golub & Van Loan, 8.5.2: the smaller of two angles. Partners see opposite ones.
        """
        index, partner = self.index, self.partner
        difference = own.take(partner, 1) - own
        ratio = difference / (joint * 2.0)
        down = (ratio < 0.0) | (ratio.equals(0.0) & (partner < index))
        size = 1.0 / (of("abs", ratio) + of("sqrt", ratio * ratio + 1.0))
        tangent = where(down, -size, size)
        tangent = where(joint.equals(0.0) | index.equals(partner), 0.0, tangent)
        cosine = 1.0 / of("sqrt", tangent * tangent + 1.0)
        sine = tangent * cosine
        # The larger value belongs in front.
        swaps = (index < partner) & (difference > 0.0) | (partner < index) & (difference < 0.0)
        sine = where(swaps, -sine, sine)
        slope = sine / (cosine + 1.0)
        place = where(swaps, partner, index).astype(float32)
        kind = positions(own.program, 3, 1)
        batch, n = own.shape
        sine, slope, place = (x.reshape(batch, 1, n) for x in (sine, slope, place))
        return where(kind.equals(0), sine, where(kind.equals(1), slope, place)).stored()


def _rows(state: Formula, places: Formula) -> Formula:
    """For each of a batch's matrices, its rows at places (batch, ...)."""
    batch, n, width = state.shape
    start = positions(state.program, batch).reshape(batch, *(1,) * (len(places.shape) - 1)) * n
    return state.reshape(batch * n, width).take(places + start, 0)


def _rotated(state: Formula, rotations: Formula, pairs: _Pairs) -> Formula:
    """The rows after what `rotations` gave."""
    batch, n, _ = state.shape
    rotations = rotations.part(2, 0, n)
    sine, slope, place = (rotations.part(1, at, at + 1).transposed() for at in range(3))
    first = place.astype(int32).reshape(batch, n)
    second = (pairs.index + pairs.partner).part(0, 0, n) - first
    x, y = _rows(state, first), _rows(state, second)
    return x - sine * (y + slope * x)


def _order(values: Formula, descending: bool) -> Formula:
    call = call_of(ARGSORT, (values.program.spec(values.at),), (1, descending))
    return Formula(values.program, lower_sort(values.program, call, values.at)).stored()


def _orthogonalised(x: Formula, product: bool) -> tuple[Formula, Formula, Formula]:
    """Rows that are orthogonal, longest first, their lengths, and the rotations' product if asked.

    One-sided rotations (Hestenes, 1958): those that bring x x^T to a diagonal, which is never made,
    since it would square the condition.
    """
    program = x.program
    batch, n, _ = x.shape
    x = padded(x)
    width = x.shape[2]
    if product:
        x = joined(2, x, padded(spread(unit(program, n, n), batch)))
    end = x.shape[2]

    def turn(state: Formula, number: Formula) -> Formula:
        pairs = _Pairs(n, number)
        index, partner = (of("minimum", at, n - 1) for at in (pairs.index, pairs.partner))
        whom = where(positions(program, 2, 1).equals(0), index, partner)
        mine, its = (state.take(at, 1).part(3, 0, width) for at in (index.reshape(1, -1), whom))
        products = (mine * its).sum(3)
        own, joint = (products.part(1, at, at + 1).reshape(batch, -1) for at in (0, 1))
        return _rotated(state, pairs.rotations(own, joint), pairs)

    turns = n - 1 + n % 2 if n > 1 else 0
    state = looped(x, sweeps(n) * turns, turn)
    rows = state.part(2, 0, width)
    lengths = of("sqrt", (rows * rows).sum(2)).reshape(batch, n).stored()
    order = _order(lengths, descending=True)
    state = _rows(state, order).stored()
    lengths = _rows(lengths.reshape(batch, n, 1), order)
    return state.part(2, 0, n), lengths, state.part(2, end - width, end - width + n)


SHIFT = 1.5
"""What is added to eigenvalues beyond their largest size: rows then have similar lengths."""


def eigh(program: Program, at: int, arg: None) -> int:
    """(batch, n + 1, n): eigenvectors as columns, and below them eigenvalues, smallest first.

    A matrix with positive eigenvalues has its eigenvectors as singular vectors, so a multiple of
    the identity is added. The eigenvalues are Rayleigh's quotients, whose errors are the squares of
    those of the vectors.
    """
    x = Formula(program, at)
    batch, n, _ = x.shape
    scale = scale_of(x)
    x = (x / scale).stored()
    sums = of("abs", x).sum(2).reduced(MAX, 1)
    squares = (x * x).reshape(batch, n * n).sum(1).reshape(batch, 1, 1)
    bound = of("minimum", sums, of("sqrt", squares))
    bound = where(bound > 0.0, bound, 1.0)
    rows, lengths, _ = _orthogonalised(x / bound + unit(program, n, n) * SHIFT, product=False)
    rows = (rows / lengths).stored()
    values = (rows.matmul(x) * rows).sum(2).reshape(batch, n).stored()
    order = _order(values, descending=False)
    values = _rows(values.reshape(batch, n, 1), order) * scale
    return joined(1, _rows(rows, order).transposed(), values.transposed()).at


def svd(program: Program, at: int, vectors: bool) -> int:
    """(batch, rows + columns + 1, columns): U, V and below them the singular values, largest first.

    Without `vectors` the values alone, (batch, columns). For at least as many rows as columns.
    The rotations begin with the triangle of a QR decomposition, for which they take fewer sweeps
    (Drmac & Veselic, 2008). Another one makes V of what they give, V times the values, so that its
    columns are orthogonal for values of zero, too.
    """
    x = Formula(program, at)
    batch, rows, columns = x.shape
    scale = scale_of(x)
    triangle, vectors_of_x = reflected(x / scale)
    rotated, values, rotations = _orthogonalised(triangle.part(1, 0, columns), vectors)
    values = (values * scale).transposed()
    if not vectors:
        return values.reshape(batch, columns).at
    diagonal, reflections = reflected(rotated.transposed())
    sign = where(diagonal.diagonal().reshape(batch, 1, columns) < 0.0, -1.0, 1.0)
    right = orthogonal(reflections, spread(unit(program, columns, columns), batch)) * sign
    rest = filled(program, 0.0, batch, rows - columns, columns)
    left = orthogonal(vectors_of_x, joined(1, rotations.transposed(), rest))
    return joined(1, left, right, values).at
