"""Discrete Fourier transforms of the last axis, as stages of matrix products.

Comes in: real and imaginary parts; goes out: those of the transform. Mixed radices as Cooley and
Tukey have them, in Stockham's order, so that no pass has digits to reverse: each stage is one
product with a small matrix, whose operand one pass has written. Lengths with a large prime factor
go by Bluestein's method. All factors are cosines of exact fractions of a turn.
"""

from __future__ import annotations

from typing import NamedTuple

from ..functions import PUBLIC as PT
from ..ops.elementwise import COS_OF_TURN
from ..tensor import Tensor, apply
from .lengths import convolution_length, factors

arange, reshape = PT["arange"], PT["reshape"]


class Parts(NamedTuple):
    """Real and imaginary parts, of shape (batch, length); `im` is None for real input."""

    re: Tensor
    im: Tensor | None


class Pair(NamedTuple):
    """Real and imaginary parts."""

    re: Tensor
    im: Tensor


def transform(x: Parts, sign: int) -> Pair:
    """The sums over j of x[j] exp(sign 2 pi i j k / n) along the last axis, not normalised."""
    n = x.re.shape[-1]
    if n == 1:
        return Pair(x.re, PT["zeros_like"](x.re) if x.im is None else x.im)
    stages = factors(n)
    return _by_convolution(x, sign) if stages is None else _by_stages(x, sign, stages)


def _by_stages(x: Parts, sign: int, stages: tuple[int, ...]) -> Pair:
    """Of (batch, part, rest, done), each stage moves one factor of `rest` to the front of `done`.

    What is done lies innermost, so that texels stay whole when places are exchanged.
    """
    batch, n = x.re.shape
    matrices: dict[tuple[int, int], Tensor] = {}

    def matrix(given: int, radix: int) -> Tensor:
        if (given, radix) not in matrices:
            matrices[given, radix] = _matrix(given, radix, sign)
        return matrices[given, radix]

    first, *others = stages
    parts = [part for part in x if part is not None]
    rest, done = n // first, first
    columns = reshape(PT["stack"](parts, axis=1), (batch, len(parts) * first, rest))
    pair = _first_product(columns, matrix(len(parts), first))
    if rest > 1:
        pair = multiplied(pair, circle(_grid(rest, first), n, sign))
    state = PT["stack"](pair, axis=1)
    for radix in others:
        columns = reshape(state, (batch, 2 * radix, rest // radix * done))
        product = PT["matmul"](matrix(2, radix).T[None], columns)
        product = reshape(product, (batch, 2, radix, rest // radix, done))
        pair = Pair(product[:, 0], product[:, 1])
        if rest > radix:
            places = reshape(_grid(radix, rest // radix), (radix, rest // radix, 1))
            pair = multiplied(pair, circle(places, rest, sign))
        state = PT["permute_dims"](PT["stack"](pair, axis=1), (0, 1, 3, 2, 4))
        rest, done = rest // radix, done * radix
    return Pair(*(reshape(part, (batch, n)) for part in pair))


def _first_product(columns: Tensor, matrix: Tensor) -> Pair:
    """The transforms of the columns (part, digit), each a row of the result."""
    batch, given, rest = columns.shape
    if rest == 1:
        product = PT["matmul"](reshape(columns, (batch, given)), matrix)
    else:
        product = PT["matmul"](PT["permute_dims"](columns, (0, 2, 1)), matrix[None])
    radix = matrix.shape[1] // 2
    return Pair(product[..., :radix], product[..., radix:])


def _grid(rows: int, columns: int) -> Tensor:
    """The products of two indices."""
    places: Tensor = reshape(arange(rows), (-1, 1)) * arange(columns)
    return places


def _matrix(given: int, radix: int, sign: int) -> Tensor:
    """The real matrix from the real (and imaginary) parts of a row to both parts of its transform.

    The sine, and its opposite, are the cosine a quarter of a turn before and behind.
    """
    j, k = reshape(arange(radix), (-1, 1, 1)), arange(radix)
    source, target = reshape(arange(given), (-1, 1, 1, 1)), reshape(arange(2), (-1, 1))
    quarters = j * k * (4 * sign) + (source - target) * radix
    cosines = apply(COS_OF_TURN, (quarters % (4 * radix), 4 * radix))
    matrix: Tensor = reshape(cosines, (given * radix, 2 * radix))
    return matrix


def circle(p: Tensor, n: int, sign: int) -> Pair:
    """exp(sign 2 pi i p / n) for p from 0 to n."""
    quarter = 3 if sign > 0 else 1
    cosines = apply(COS_OF_TURN, (p, n))
    return Pair(cosines, apply(COS_OF_TURN, (p * 4 + quarter * n, 4 * n)))


def multiplied(x: Parts | Pair, y: Pair) -> Pair:
    if x.im is None:
        return Pair(x.re * y.re, x.re * y.im)
    return Pair(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re)


def _by_convolution(x: Parts, sign: int) -> Pair:
    """Bluestein's method: 2 j k is j**2 + k**2 - (j - k)**2, so the sums are a convolution."""
    n = x.re.shape[-1]
    length = convolution_length(n)
    chirp = circle(_squares(arange(n), 2 * n), 2 * n, sign)
    place = arange(length)
    distance = PT["minimum"](place, length - place)
    near = distance < n
    against = circle(_squares(PT["where"](near, distance, 0), 2 * n), 2 * n, -sign)
    kernel = Parts(*(reshape(PT["where"](near, part, 0.0), (1, length)) for part in against))
    widths = ((0, 0), (0, length - n))
    given = Parts(*(PT["pad"](part, widths) for part in multiplied(x, chirp)))
    spectrum = multiplied(transform(given, -1), transform(kernel, -1))
    result = transform(Parts(*spectrum), 1)
    scale = 1.0 / length
    return multiplied(Pair(result.re[:, :n] * scale, result.im[:, :n] * scale), chirp)


def _squares(k: Tensor, modulus: int) -> Tensor:
    """k**2 modulo a number, for k below it, some bits of one factor at a time: int32 has 31."""
    bits = 31 - modulus.bit_length()
    total: Tensor | None = None
    for shift in reversed(range(0, modulus.bit_length(), bits)):
        part = k * ((k >> shift) & ((1 << bits) - 1)) % modulus
        total = part if total is None else ((total << bits) % modulus + part) % modulus
    assert total is not None
    return total
