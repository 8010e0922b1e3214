"""Eigenvalues of general matrices on the host, with Python's double-precision numbers.

Input: a square matrix as a list of rows of floats or complex numbers. Output: its eigenvalues and
eigenvectors. The shifts and the end of the iteration depend on values, so a GPU would be read back
after every sweep. Golub & Van Loan, "Matrix Computations", chapter 7: the matrix is balanced,
reduced to Hessenberg form by reflections, and to a triangle by Francis' implicit double shifts.
Eigenvectors are found by inverse iteration on the Hessenberg form. If eigenvalues are close to each
other, the triangle's eigenvectors are found by substitution instead. Both are transformed back.
Real matrices stay real until their conjugate pairs of eigenvalues are separated, so those are exact
conjugates.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator
from math import sumprod
from typing import Any, NamedTuple

Number = Any
"""A float or a complex number; the same code handles both."""
Vector = list[Number]
HostMatrix = list[Vector]

EPSILON = 2.0**-52
MEAN_SWEEPS = 30
"""Maximum mean number of sweeps per eigenvalue, as in LAPACK; two or three are usual."""
LARGEST = 1e100
"""Limit above which an eigenvector of the triangle is rescaled: defective matrices reach it."""
SEPARATION = 2.0**-26
"""Distance of eigenvalues, relative to the matrix, from which inverse iteration separates them."""


def eigenvalues(matrix: HostMatrix) -> Vector:
    """Return the eigenvalues in no order; NaN for non-finite elements or no convergence."""
    values, _ = _decomposed(matrix, vectors=False)
    return values


def eigenpairs(matrix: HostMatrix) -> tuple[Vector, HostMatrix]:
    """Return the eigenvalues, and their eigenvectors as rows of length 1."""
    return _decomposed(matrix, vectors=True)


def _decomposed(matrix: HostMatrix, *, vectors: bool) -> tuple[Vector, HostMatrix]:
    n = len(matrix)
    nan = complex(math.nan, math.nan)
    if not all(map(cmath.isfinite, (x for row in matrix for x in row))):
        return [nan] * n, [[nan] * n for _ in matrix]
    order = _order(matrix)
    rows = [[matrix[i][j] for j in order] for i in order]
    scales = _balance(rows)
    real = not any(isinstance(x, complex) for row in rows for x in row)
    # Transposed, so that operations on its columns become operations on rows.
    basis = [[float(i == j) for j in range(n)] for i in range(n)] if vectors else None
    work = _Work(rows, basis)
    _reduce(work)
    triangle = _Work([row.copy() for row in rows], None)
    if not _iterate(triangle):
        return [nan] * n, [[nan] * n for _ in matrix]
    values = _split(triangle)
    if basis is None:
        return values, []
    size = max((abs(x) for row in rows for x in row), default=0.0)
    separate = _are_separate(values, size)
    if not separate:
        # Inverse iteration would find one vector for several eigenvalues.
        _iterate(work)
        values = _split(work)
    columns = list(zip(*basis, strict=True))
    eigenvectors: HostMatrix = []
    for number, value in enumerate(values):
        if real and value.imag < 0:
            # Its conjugate, with a positive imaginary part, comes first.
            eigenvectors.append([x.conjugate() for x in eigenvectors[-1]])
            continue
        is_real = real and not value.imag
        if separate:
            inner = _of_hessenberg(rows, value.real if is_real else value, size)
        else:
            inner = _of_triangle(rows, number)
        vector: Vector = [0.0] * n
        products = _products(inner, columns, real=real)
        for row, scale, product in zip(order, scales, products, strict=True):
            vector[row] = product * scale
        eigenvectors.append(_unit(vector, real=is_real))
    return values, eigenvectors


def _are_separate(values: Vector, size: float) -> bool:
    """Return True if no two eigenvalues are close to each other relative to the matrix."""
    values = sorted(values, key=lambda value: value.real)
    least = SEPARATION * size
    for number, value in enumerate(values, 1):
        for other in values[number:]:
            if other.real - value.real > least:
                break
            if abs(other - value) <= least:
                return False
    return True


def _products(
    vector: Vector, columns: list[tuple[Number, ...]], *, real: bool
) -> Iterator[complex]:
    """Return the products of a vector with the first elements of each column.

    They are computed by parts, since sumprod is fast only for floats. `real` says that the columns
    are real.
    """
    n = len(vector)
    re, im = [x.real for x in vector], [x.imag for x in vector]
    for column in columns:
        a = [x.real for x in column[:n]]
        product = complex(sumprod(re, a), sumprod(im, a))
        if not real:
            b = [x.imag for x in column[:n]]
            product += complex(-sumprod(im, b), sumprod(re, b))
        yield product


class _Work(NamedTuple):
    """A matrix being reduced to a triangle, and the transposed basis of the result if needed.

    Without eigenvectors, only the active block is updated.
    """

    rows: HostMatrix
    basis: HostMatrix | None

    def reflect(self, reflector: _Reflector, at: int, first: int, last: int, bottom: int) -> None:
        """Reflect both sides from row and column `at` on; the active block is `first` to `last`.

        Columns before `at` are already reduced. Rows below `bottom` have zeros in these columns.
        """
        rows, basis = self
        v, tau = reflector
        if basis is None:
            _reflect_rows(rows, v, tau, at, at, last + 1)
            _reflect_columns(rows[first : bottom + 1], v, tau, at)
            return
        _reflect_rows(rows, v, tau, at, at, len(rows))
        _reflect_columns(rows[: bottom + 1], v, tau, at)
        _reflect_rows(basis, [x.conjugate() for x in v], tau, at, 0, len(rows))


class _Reflector(NamedTuple):
    """The reflection I - tau v v^H."""

    v: Vector
    tau: float


def _order(matrix: HostMatrix) -> list[int]:
    """Return an order of rows and columns that makes the matrix triangular as far as possible.

    Rows without off-diagonal elements move to the end, columns without them to the front. So
    eigenvalues of lower and upper triangles are exact.
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


def _balance(rows: HostMatrix) -> list[float]:
    """Scale rows and columns to similar norms, by powers of 2; return the scales of the rows.

    Parlett and Reinsch, 1969, by 2-norms that include the diagonal, so that rows that are small
    relative to it are left unchanged: James, Langou and Lowery, 2014.
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
    """Return the reflection of x to a multiple of the first unit vector, and that multiple."""
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


def _reflect_rows(rows: HostMatrix, v: Vector, tau: float, at: int, start: int, stop: int) -> None:
    """Multiply the rows from `at` on, in columns start to stop, from the left."""
    factors = [value.conjugate() * tau for value in v]
    if len(v) == 3:
        # Sweeps spend most of the time here. Assigning single elements is faster than slices.
        (_, b, c), (p, q, r) = v, factors
        upper, middle, lower = rows[at : at + 3]
        for k in range(start, stop):
            x, y, z = upper[k], middle[k], lower[k]
            total = p * x + q * y + r * z
            upper[k] = x - total
            middle[k] = y - b * total
            lower[k] = z - c * total
        return
    parts = [row[start:stop] for row in rows[at : at + len(v)]]
    sums = [sumprod(factors, column) for column in zip(*parts, strict=True)]
    for k, (value, part) in enumerate(zip(v, parts, strict=True)):
        rows[at + k][start:stop] = [x - value * total for x, total in zip(part, sums, strict=True)]


def _reflect_columns(rows: HostMatrix, v: Vector, tau: float, at: int) -> None:
    """Multiply the columns from `at` on from the right."""
    stop = at + len(v)
    across = [value.conjugate() * tau for value in v]
    if len(v) == 3:
        (_, b, c), (p, q, r) = v, across
        second, third = at + 1, at + 2
        for row in rows:
            x, y, z = row[at], row[second], row[third]
            total = x + y * b + z * c
            row[at] = x - total * p
            row[second] = y - total * q
            row[third] = z - total * r
        return
    for row in rows:
        part = row[at:stop]
        total = sumprod(part, v)
        row[at:stop] = [x - total * value for x, value in zip(part, across, strict=True)]


def _reduce(work: _Work) -> None:
    """Reduce to Hessenberg form: zeros below the first subdiagonal."""
    rows, n = work.rows, len(work.rows)
    for k in range(n - 2):
        reflector, target = _reflector([row[k] for row in rows[k + 1 :]])
        if reflector is None:
            continue
        rows[k + 1][k] = target
        for row in rows[k + 2 :]:
            row[k] = 0.0
        work.reflect(reflector, k + 1, 0, n - 1, n - 1)


def _iterate(work: _Work) -> bool:
    """Reduce to a triangle with diagonal blocks of at most two rows; return True on success."""
    rows = work.rows
    size = max((abs(x) for row in rows for x in row), default=0.0)
    last, sweeps = len(rows) - 1, 0
    remaining = MEAN_SWEEPS * len(rows)
    while last > 0:
        first = _start(rows, last, size)
        if first:
            rows[first][first - 1] = 0.0
        if first >= last - 1:
            last, sweeps = first - 1, 0
            continue
        if not remaining:
            return False
        remaining -= 1
        sweeps += 1
        _sweep(work, first, last, _first_column(rows, first, last, special=sweeps % 10 == 0))
    return True


def _start(rows: HostMatrix, last: int, size: float) -> int:
    """Return the first row of the active block that ends with `last`.

    The subdiagonal element to its left is negligible.
    """
    for k in range(last, 0, -1):
        neighbors = abs(rows[k - 1][k - 1]) + abs(rows[k][k])
        if abs(rows[k][k - 1]) <= EPSILON * (neighbors or size):
            return k
    return 0


def _first_column(rows: HostMatrix, first: int, last: int, *, special: bool) -> Vector:
    """Return the first column of (block - shift 1) (block - shift 2), up to a factor.

    The shifts are the eigenvalues of the last two rows. `special` selects exceptional shifts, for
    iterations that do not converge.
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
    """Run one sweep of Francis' iteration: chase the bulge out of the block."""
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
        work.reflect(reflector, k, first, last, min(k + 3, last))


def _split(work: _Work) -> Vector:
    """Triangularize the blocks of two rows; return the eigenvalues."""
    rows, basis = work
    n = len(rows)
    values = [rows[k][k] for k in range(n)]
    for k in range(n - 1):
        (a, b), (c, d) = rows[k][k : k + 2], rows[k + 1][k : k + 2]
        if not c:
            continue
        values[k : k + 2] = pair = _of_block(a, b, c, d)
        if basis is None:
            continue
        # Put the first eigenvalue's eigenvector in front: (first - d, c) or (b, first - a).
        x, y = max((pair[0] - d, c), (b, pair[0] - a), key=lambda v: abs(v[0]) + abs(v[1]))
        length = math.hypot(abs(x), abs(y))
        x, y = x / length, y / length
        across, down = x.conjugate(), y.conjugate()
        for row in rows[: k + 2]:
            row[k], row[k + 1] = row[k] * x + row[k + 1] * y, row[k + 1] * across - row[k] * down
        _rotate_rows(rows, k, across, down, x, y)
        _rotate_rows(basis, k, x, y, across, down)
        rows[k][k], rows[k + 1][k], rows[k + 1][k + 1] = pair[0], 0.0, pair[1]
    return [*map(complex, values)]


def _rotate_rows(rows: HostMatrix, k: int, p: Number, q: Number, r: Number, s: Number) -> None:
    """Replace rows k and k + 1 by p upper + q lower, and r lower - s upper."""
    upper, lower = rows[k], rows[k + 1]
    rows[k] = [p * u + q * v for u, v in zip(upper, lower, strict=True)]
    rows[k + 1] = [r * v - s * u for u, v in zip(upper, lower, strict=True)]


def _of_block(a: Number, b: Number, c: Number, d: Number) -> list[Number]:
    """Return the eigenvalues of [[a, b], [c, d]]; of a conjugate pair, the upper one first."""
    half = (a - d) / 2
    inside = half * half + b * c
    if isinstance(inside, complex) or inside < 0:
        root = cmath.sqrt(inside)
        if not isinstance(inside, complex):
            return [(a + d) / 2 + root, (a + d) / 2 - root]
    else:
        root = math.sqrt(inside)
    # Add without cancellation; compute the other eigenvalue from the product of both.
    far = half + root if abs(half + root) >= abs(half - root) else half - root
    return [d + far, d - b * c / far] if far else [d, d]


def _of_triangle(rows: HostMatrix, at: int) -> Vector:
    """Return the first at + 1 elements of the triangle's eigenvector for row `at`."""
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


def _of_hessenberg(rows: HostMatrix, value: Number, size: float) -> Vector:
    """Return the eigenvector for an eigenvalue that is separate from the others.

    Inverse iteration (Wilkinson 1965): the shifted matrix is eliminated with row exchanges, and one
    substitution in the triangle amplifies the eigenvector by up to 1 / EPSILON.
    """
    n = len(rows)
    least = EPSILON * size or 1.0
    triangle = []
    row = [rows[0][0] - value, *rows[0][1:]]
    for k in range(1, n):
        below = rows[k][k - 1 :]
        below[1] -= value
        if abs(below[0]) > abs(row[0]):
            row, below = below, row
        triangle.append(row)
        factor = below[0] / row[0] if below[0] else 0.0
        row = [x - factor * y for x, y in zip(below[1:], row[1:], strict=True)]
    triangle.append(row)
    backward: Vector = []
    for pivot, *rest in reversed(triangle):
        gap = pivot if abs(pivot) > least else least
        backward.append((least - sumprod(reversed(rest), backward)) / gap)
        if abs(backward[-1]) > LARGEST:
            backward = [x / LARGEST for x in backward]
    return backward[::-1]


def _unit(vector: Vector, *, real: bool) -> Vector:
    """Scale to length 1 with a real largest element; if `real`, drop imaginary parts."""
    size = max(map(abs, vector))
    vector = [x / size for x in vector]
    back = max(vector, key=abs).conjugate()
    vector = [(x * back).real if real else x * back for x in vector]
    length = math.hypot(*map(abs, vector))
    return [complex(x / length) for x in vector]
