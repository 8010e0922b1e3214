"""Discrete Fourier transforms along the last axis, as stages of matrix products.

Input: real and imaginary parts. Output: the parts of the transform. Lengths are factored into mixed
radices (Cooley and Tukey) in Stockham's order, so no pass reverses digits. Each stage is one
product with a small matrix, whose operand one pass has written. Lengths with a large prime factor
use Bluestein's algorithm. All factors are cosines of exact fractions of a full turn.
"""

from __future__ import annotations

from .. import functions as F
from ..functions.elementwise import where
from ..ops.complex_algebra import ComplexParts
from ..ops.elementwise import COS_OF_TURN
from ..tensor import Tensor, apply
from .lengths import convolution_length, factors

arange, reshape = F.arange, F.reshape


def transform(x: ComplexParts, sign: int) -> ComplexParts:
    """Sum over j of x[j] exp(sign 2 pi i j k / n) along the last axis, not normalized."""
    n = x.re.shape[-1]
    if n == 1:
        return ComplexParts(x.re, F.zeros_like(x.re) if x.im is None else x.im)
    stages = factors(n)
    return _by_convolution(x, sign) if stages is None else _by_stages(x, sign, stages)


def _by_stages(x: ComplexParts, sign: int, stages: tuple[int, ...]) -> ComplexParts:
    """Transform by stages; each moves one factor of `rest` to the front of `done`.

    The state has axes (batch, part, rest, done). `done` is the innermost axis, so that texels stay
    whole when axes are permuted.
    """
    batch, n = x.re.shape
    matrices: dict[tuple[int, int], Tensor] = {}

    def matrix(parts: int, radix: int) -> Tensor:
        if (parts, radix) not in matrices:
            matrices[parts, radix] = _matrix(parts, radix, sign)
        return matrices[parts, radix]

    first, *later = stages
    parts = [part for part in x if part is not None]
    rest, done = n // first, first
    columns = reshape(F.stack(parts, axis=1), (batch, len(parts) * first, rest))
    pair = _first_product(columns, matrix(len(parts), first))
    if rest > 1:
        pair *= circle(_grid(rest, first), n, sign)
    state = F.stack([*pair], axis=1)
    for radix in later:
        columns = reshape(state, (batch, 2 * radix, rest // radix * done))
        product = F.matmul(matrix(2, radix).T[None], columns)
        product = reshape(product, (batch, 2, radix, rest // radix, done))
        pair = ComplexParts(product[:, 0], product[:, 1])
        if rest > radix:
            products = reshape(_grid(radix, rest // radix), (radix, rest // radix, 1))
            pair *= circle(products, rest, sign)
        state = F.permute_dims(F.stack([*pair], axis=1), (0, 1, 3, 2, 4))
        rest, done = rest // radix, done * radix
    return pair.each(lambda part: reshape(part, (batch, n)))


def _first_product(columns: Tensor, matrix: Tensor) -> ComplexParts:
    """Return the transforms of the columns (part, digit), each as a row of the result."""
    batch, digits, rest = columns.shape
    if rest == 1:
        product = F.matmul(reshape(columns, (batch, digits)), matrix)
    else:
        product = F.matmul(F.permute_dims(columns, (0, 2, 1)), matrix[None])
    radix = matrix.shape[1] // 2
    return ComplexParts(product[..., :radix], product[..., radix:])


def _grid(rows: int, columns: int) -> Tensor:
    """Return the products of two indices."""
    return reshape(arange(rows), (-1, 1)) * arange(columns)


def _matrix(parts: int, radix: int, sign: int) -> Tensor:
    """Return the real matrix that maps the parts of a row to both parts of its transform.

    `parts` is 1 for real rows, 2 for complex ones. The sine and its negative are the cosine shifted
    by a quarter of a turn.
    """
    j, k = reshape(arange(radix), (-1, 1, 1)), arange(radix)
    source, target = reshape(arange(parts), (-1, 1, 1, 1)), reshape(arange(2), (-1, 1))
    quarters = j * k * (4 * sign) + (source - target) * radix
    cosines = apply(COS_OF_TURN, (quarters % (4 * radix), 4 * radix))
    return reshape(cosines, (parts * radix, 2 * radix))


def circle(p: Tensor, n: int, sign: int) -> ComplexParts:
    """Return exp(sign 2 pi i p / n) for p from 0 to n."""
    quarter = 3 if sign > 0 else 1
    cosines = apply(COS_OF_TURN, (p, n))
    return ComplexParts(cosines, apply(COS_OF_TURN, (p * 4 + quarter * n, 4 * n)))


def _by_convolution(x: ComplexParts, sign: int) -> ComplexParts:
    """Transform by Bluestein's algorithm, a convolution: 2 j k = j**2 + k**2 - (j - k)**2."""
    n = x.re.shape[-1]
    length = convolution_length(n)
    chirp = circle(_squares(arange(n), 2 * n), 2 * n, sign)
    index = arange(length)
    distance = F.minimum(index, length - index)
    near = distance < n
    against = circle(_squares(where(near, distance, 0), 2 * n), 2 * n, -sign)
    kernel = against.each(lambda part: reshape(where(near, part, 0.0), (1, length)))
    widths = ((0, 0), (0, length - n))
    padded = (x * chirp).each(lambda part: F.pad(part, widths))
    result = transform(transform(padded, -1) * transform(kernel, -1), 1)
    scale = 1.0 / length
    return result.each(lambda part: part[:, :n] * scale) * chirp


def _squares(k: Tensor, modulus: int) -> Tensor:
    """Return k**2 modulo `modulus` for k below it.

    One factor is multiplied a few bits at a time, since int32 has 31 bits.
    """
    bits = 31 - modulus.bit_length()
    total: Tensor | None = None
    for shift in reversed(range(0, modulus.bit_length(), bits)):
        part = k * ((k >> shift) & ((1 << bits) - 1)) % modulus
        total = part if total is None else ((total << bits) % modulus + part) % modulus
    assert total is not None
    return total
