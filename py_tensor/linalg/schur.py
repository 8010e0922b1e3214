"""Eigenvalues of general matrices on the host, by Python's numbers in double precision.

Comes in: a square matrix as a list of rows, floats or complex numbers; goes out: its eigenvalues
and eigenvectors. Each turn's shifts and end depend on values, so that a GPU would be read after
every sweep over the matrix. Golub & Van Loan, "Matrix Computations", chapter 7: the matrix is
balanced, reduced to Hessenberg form by reflections, and to a triangle by Francis' implicit double
shifts; eigenvectors are those of the triangle, by substitution, turned back. Real matrices stay
real until their pairs of conjugate eigenvalues are taken apart, so those are exact conjugates.
"""

from __future__ import annotations

import cmath
import math
from math import sumprod
from typing import Any, NamedTuple

Number = Any
"""A float or a complex number; the same code is for both."""
Vector = list[Number]
Matrix = list[Vector]

EPSILON = 2.0**-52
TURNS = 30
"""Sweeps an eigenvalue may take on average, as in LAPACK; two or three are usual."""
LARGEST = 1e100
"""Elements of eigenvectors of a triangle beyond it are scaled: those of defective ones grow."""


def eigenvalues(matrix: Matrix) -> Vector:
    """The eigenvalues, in no order; NaN if an element is not finite, or turns do not suffice."""
    values, _ = _decomposed(matrix, vectors=False)
    return values


def eigenpairs(matrix: Matrix) -> tuple[Vector, Matrix]:
    """The eigenvalues, and for each an eigenvector as a row, of length 1, the largest one real."""
    return _decomposed(matrix, vectors=True)


def _decomposed(matrix: Matrix, *, vectors: bool) -> tuple[Vector, Matrix]:
    n = len(matrix)
    nan = complex(math.nan, math.nan)
    if not all(map(cmath.isfinite, (x for row in matrix for x in row))):
        return [nan] * n, [[nan] * n for _ in matrix]
    order = _order(matrix)
    rows = [[matrix[i][j] for j in order] for i in order]
    scales = _balance(rows)
    real = not any(isinstance(x, complex) for row in rows for x in row)
    # Transposed, so that what acts on its columns acts on rows here.
    turned = [[float(i == j) for j in range(n)] for i in range(n)] if vectors else None
    work = _Work(rows, turned)
    _reduce(work)
    if not _iterate(work):
        return [nan] * n, [[nan] * n for _ in matrix]
    values = _split(work)
    if turned is None:
        return values, []
    found: Matrix = []
    for at, value in enumerate(values):
        if real and value.imag < 0:
            # The upper one of a pair comes first.
            found.append([x.conjugate() for x in found[-1]])
            continue
        inner = _of_triangle(rows, at)
        vector: Vector = [0.0] * n
        columns = zip(*turned[: at + 1], strict=True)
        for place, scale, column in zip(order, scales, columns, strict=True):
            vector[place] = sumprod(inner, column) * scale
        found.append(_unit(vector, real=real and not value.imag))
    return values, found


class _Work(NamedTuple):
    """A matrix on its way to a triangle, and if vectors are asked for what turned it, transposed.

    Without vectors only the block at work is kept up to date.
    """

    rows: Matrix
    turned: Matrix | None

    def turn(self, reflector: _Reflector, at: int, first: int, last: int, bottom: int) -> None:
        """Both sides turned from row and column `at` on; the block is `first` to `last`.

        Columns before `at` are taken care of; rows below `bottom` have zeros there.
        """
        rows, turned = self
        v, tau = reflector
        if turned is None:
            _reflect_rows(rows, v, tau, at, at, last + 1)
            _reflect_columns(rows[first : bottom + 1], v, tau, at)
            return
        _reflect_rows(rows, v, tau, at, at, len(rows))
        _reflect_columns(rows[: bottom + 1], v, tau, at)
        _reflect_rows(turned, [x.conjugate() for x in v], tau, at, 0, len(rows))


class _Reflector(NamedTuple):
    """I - tau v v^H."""

    v: Vector
    tau: float


def _order(matrix: Matrix) -> list[int]:
    """The rows and columns such that as much as can be found easily is a triangle already.

    Rows without other elements go to the end, columns without go to the front; so eigenvalues of
    triangles, whichever way they lie, are exact.
    """
    front, between, back = [], list(range(len(matrix))), []
    while True:
        for i in between:
            if not any(matrix[i][j] for j in between if j != i):
                back.append(i)
            elif not any(matrix[j][i] for j in between if j != i):
                front.append(i)
            else:
                continue
            between.remove(i)
            break
        else:
            return front + between + back[::-1]


def _balance(rows: Matrix) -> list[float]:
    """Makes rows and columns alike in size, by powers of 2; the scales of the rows.

    Parlett and Reinsch, 1969, by 2-norms with the diagonal, so that what is small beside it is left
    alone: James, Langou and Lowery, 2014.
    """
    scales = [1.0] * len(rows)
    again = True
    while again:
        again = False
        for i, row in enumerate(rows):
            across = math.hypot(*map(abs, row))
            down = math.hypot(*(abs(other[i]) for other in rows))
            if not across or not down:
                continue
            factor = 2.0 ** round(math.log2(across / down) / 2)
            if math.hypot(across / factor, down * factor) < 0.95 * math.hypot(across, down):
                again = True
                scales[i] *= factor
                rows[i] = [x / factor for x in row]
                for other in rows:
                    other[i] *= factor
    return scales


def _reflector(x: Vector) -> tuple[_Reflector | None, Number]:
    """What turns x to a number times the first unit vector, and the number."""
    first = x[0]
    rest = math.hypot(*map(abs, x[1:]))
    if not rest:
        return None, first
    size = abs(first)
    length = math.hypot(size, rest)
    target = -length * (first / size) if size else -length
    pivot = first - target
    v = [1.0, *(value / pivot for value in x[1:])]
    # The length of v squared, by |pivot| = size + length.
    return _Reflector(v, 2.0 / (1.0 + (rest / (size + length)) ** 2)), target


def _reflect_rows(rows: Matrix, v: Vector, tau: float, at: int, start: int, stop: int) -> None:
    """The rows from `at` on, at columns from start to stop, multiplied from the left."""
    parts = [row[start:stop] for row in rows[at : at + len(v)]]
    factors = [value.conjugate() * tau for value in v]
    if len(v) == 3:
        # Those of sweeps take most of the time: in one pass, without calls.
        (_, b, c), (p, q, r) = v, factors
        columns = [
            (x - (total := p * x + q * y + r * z), y - b * total, z - c * total)
            for x, y, z in zip(*parts, strict=True)
        ]
        for row, new in zip(rows[at : at + 3], zip(*columns, strict=True), strict=True):
            row[start:stop] = new
        return
    sums = [sumprod(factors, column) for column in zip(*parts, strict=True)]
    for k, (value, part) in enumerate(zip(v, parts, strict=True)):
        rows[at + k][start:stop] = [x - value * total for x, total in zip(part, sums, strict=True)]


def _reflect_columns(rows: Matrix, v: Vector, tau: float, at: int) -> None:
    """The columns from `at` on multiplied from the right."""
    stop = at + len(v)
    across = [value.conjugate() * tau for value in v]
    if len(v) == 3:
        (_, b, c), (p, q, r) = v, across
        for row in rows:
            x, y, z = row[at:stop]
            total = x + y * b + z * c
            row[at:stop] = x - total * p, y - total * q, z - total * r
        return
    for row in rows:
        part = row[at:stop]
        total = sumprod(part, v)
        row[at:stop] = [x - total * value for x, value in zip(part, across, strict=True)]


def _reduce(work: _Work) -> None:
    """To Hessenberg form: zeros below the diagonal's lower neighbour."""
    rows, n = work.rows, len(work.rows)
    for k in range(n - 2):
        reflector, target = _reflector([row[k] for row in rows[k + 1 :]])
        if reflector is None:
            continue
        rows[k + 1][k] = target
        for row in rows[k + 2 :]:
            row[k] = 0.0
        work.turn(reflector, k + 1, 0, n - 1, n - 1)


def _iterate(work: _Work) -> bool:
    """To a triangle with blocks of at most two rows on the diagonal; whether it came to one."""
    rows = work.rows
    size = max((abs(x) for row in rows for x in row), default=0.0)
    last, turns = len(rows) - 1, 0
    left = TURNS * len(rows)
    while last > 0:
        first = _start(rows, last, size)
        if first:
            rows[first][first - 1] = 0.0
        if first >= last - 1:
            last, turns = first - 1, 0
            continue
        if not left:
            return False
        left -= 1
        turns += 1
        _sweep(work, first, last, _first_column(rows, first, last, special=turns % 10 == 0))
    return True


def _start(rows: Matrix, last: int, size: float) -> int:
    """The first row of the block that ends with `last`: what stands left of it is level with 0."""
    for k in range(last, 0, -1):
        beside = abs(rows[k - 1][k - 1]) + abs(rows[k][k])
        if abs(rows[k][k - 1]) <= EPSILON * (beside or size):
            return k
    return 0


def _first_column(rows: Matrix, first: int, last: int, *, special: bool) -> Vector:
    """Of the block less one shift times the block less the other, up to a factor.

    The shifts are the eigenvalues of the last two rows; others, if those led nowhere.
    """
    a, d = rows[last][last], rows[last - 1][last - 1]
    product = rows[last][last - 1] * rows[last - 1][last]
    if special:
        reach = abs(rows[last][last - 1]) + abs(rows[last - 1][last - 2])
        a = d = a + 0.75 * reach
        product = -0.4375 * reach * reach
    corner, below = rows[first][first], rows[first + 1][first]
    return [
        ((a - corner) * (d - corner) - product) / below + rows[first][first + 1],
        rows[first + 1][first + 1] + corner - a - d,
        rows[first + 2][first + 1],
    ]


def _sweep(work: _Work, first: int, last: int, column: Vector) -> None:
    """A turn of Francis' iteration: the bulge that `column` makes is chased out of the block."""
    rows = work.rows
    for k in range(first, last):
        end = min(k + 3, last + 1)
        if k > first:
            column = [row[k - 1] for row in rows[k:end]]
        reflector, target = _reflector(column)
        if reflector is None:
            continue
        if k > first:
            rows[k][k - 1] = target
            for row in rows[k + 1 : end]:
                row[k - 1] = 0.0
        work.turn(reflector, k, first, last, min(k + 3, last))


def _split(work: _Work) -> Vector:
    """To a triangle, its blocks of two rows turned; the eigenvalues."""
    rows, turned = work
    n = len(rows)
    values = [rows[k][k] for k in range(n)]
    for k in range(n - 1):
        (a, b), (c, d) = rows[k][k : k + 2], rows[k + 1][k : k + 2]
        if not c:
            continue
        values[k : k + 2] = pair = _of_block(a, b, c, d)
        if turned is None:
            continue
        # The eigenvector of the first one comes in front: (first - d, c), or (b, first - a).
        x, y = max((pair[0] - d, c), (b, pair[0] - a), key=lambda v: abs(v[0]) + abs(v[1]))
        length = math.hypot(abs(x), abs(y))
        x, y = x / length, y / length
        across, down = x.conjugate(), y.conjugate()
        for row in rows[: k + 2]:
            row[k], row[k + 1] = row[k] * x + row[k + 1] * y, row[k + 1] * across - row[k] * down
        _rotate_rows(rows, k, across, down, x, y)
        _rotate_rows(turned, k, x, y, across, down)
        rows[k][k], rows[k + 1][k], rows[k + 1][k + 1] = pair[0], 0.0, pair[1]
    return [*map(complex, values)]


def _rotate_rows(rows: Matrix, k: int, p: Number, q: Number, r: Number, s: Number) -> None:
    """Rows k and k + 1 replaced by p upper + q lower, and r lower - s upper."""
    upper, lower = rows[k], rows[k + 1]
    rows[k] = [p * u + q * v for u, v in zip(upper, lower, strict=True)]
    rows[k + 1] = [r * v - s * u for u, v in zip(upper, lower, strict=True)]


def _of_block(a: Number, b: Number, c: Number, d: Number) -> list[Number]:
    """The eigenvalues of [[a, b], [c, d]]; of a conjugate pair the upper one first."""
    half = (a - d) / 2
    inside = half * half + b * c
    if isinstance(inside, complex) or inside < 0:
        root = cmath.sqrt(inside)
        if not isinstance(inside, complex):
            return [(a + d) / 2 + root, (a + d) / 2 - root]
    else:
        root = math.sqrt(inside)
    # The sum without cancellation; the other one by the product of both.
    far = half + root if abs(half + root) >= abs(half - root) else half - root
    return [d + far, d - b * c / far] if far else [d, d]


def _of_triangle(rows: Matrix, at: int) -> Vector:
    """The eigenvector of the upper triangle for the eigenvalue in row `at`, as far as that."""
    value = rows[at][at]
    least = EPSILON * max(max(map(abs, rows[k][k : at + 1])) for k in range(at + 1)) or 1.0
    vector: Vector = [1.0]
    for k in range(at - 1, -1, -1):
        gap = rows[k][k] - value
        if abs(gap) < least:
            gap = least
        vector.insert(0, -sumprod(rows[k][k + 1 : at + 1], vector) / gap)
        size = abs(vector[0])
        if size > LARGEST:
            vector = [x / size for x in vector]
    return vector


def _unit(vector: Vector, *, real: bool) -> Vector:
    """Of length 1, its largest element real, or all of them: the rest is rounding then."""
    size = max(map(abs, vector))
    vector = [x / size for x in vector]
    back = max(vector, key=abs).conjugate()
    vector = [(x * back).real if real else x * back for x in vector]
    length = math.hypot(*map(abs, vector))
    return [complex(x / length) for x in vector]
