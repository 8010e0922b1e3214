"""Discrete Fourier transforms of the last axis, as stages of matrix products.

Comes in: real and imaginary parts; goes out: those of the transform. Mixed radices as Cooley and
Tukey have them, in Stockham's order, so that no pass has digits to reverse: each stage is one product
with a small matrix, whose operand one pass has written. Lengths with a large prime factor go by
Bluestein's method. All factors are cosines of exact fractions of a turn.
"""

from __future__ import annotations

from typing import NamedTuple

from ..functions import PUBLIC as PT
from ..ops.elementwise import COS_OF_TURN
from ..tensor import Tensor, apply
from .lengths import convolution_length, factors

arange, concat, reshape = PT["arange"], PT["concat"], PT["reshape"]


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
    stages = factors(x.re.shape[-1])
    return _by_convolution(x, sign) if stages is None else _by_stages(x, sign, stages)


def _by_stages(x: Parts, sign: int, stages: tuple[int, ...]) -> Pair:
    """Of (batch, done, rest), each stage moves one factor of `rest` to the front of `done`."""
    batch, rest = x.re.shape
    done = 1
    pair = Pair(x.re, PT["zeros_like"](x.re) if x.im is None else x.im)
    for stage, radix in enumerate(stages):
        rest //= radix
        frame = (batch, done, radix, rest)
        parts = [
            PT["permute_dims"](reshape(part, frame), (0, 1, 3, 2))
            for part in (x if stage == 0 else pair)
            if part is not None
        ]
        pair = _product(parts, sign)
        if rest > 1:
            pair = _turned(pair, sign)
        pair = Pair(*(PT["permute_dims"](part, (0, 3, 1, 2)) for part in pair))
        done *= radix
    return Pair(*(reshape(part, x.re.shape) for part in pair))


def _product(parts: list[Tensor], sign: int) -> Pair:
    """The transform of the last axis, by its matrix."""
    radix = parts[0].shape[-1]
    matrix = _matrix(len(parts), radix, sign)
    product = PT["matmul"](parts[0] if len(parts) == 1 else concat(parts, axis=-1), matrix)
    return Pair(product[..., :radix], product[..., radix:])


def _matrix(given: int, radix: int, sign: int) -> Tensor:
    """The real matrix from the real (and imaginary) parts of a row to both parts of its transform.

    The sine, and its opposite, are the cosine a quarter of a turn before and behind.
    """
    j, k = reshape(arange(radix), (-1, 1, 1)), arange(radix)
    source, target = reshape(arange(given), (-1, 1, 1, 1)), reshape(arange(2), (-1, 1))
    quarters = j * k * (4 * sign) + (source - target) * radix
    cosines = apply(COS_OF_TURN, (quarters % (4 * radix), 4 * radix))
    return reshape(cosines, (given * radix, 2 * radix))


def _turned(x: Pair, sign: int) -> Pair:
    """Element (j, k) of the last two axes, of n together, times exp(sign 2 pi i j k / n)."""
    rows, columns = x.re.shape[-2:]
    n = rows * columns
    p = reshape(arange(rows), (-1, 1)) * arange(columns)
    return _multiplied(x, _circle(p, n, sign))


def _circle(p: Tensor, n: int, sign: int) -> Pair:
    """exp(sign 2 pi i p / n) for p from 0 to n: cosines, and those three quarters of a turn on."""
    turns = p * 4 + reshape(arange(2) * (3 * n), (2,) + (1,) * p.ndim)
    table = apply(COS_OF_TURN, (turns, 4 * n))
    return Pair(table[0], table[1] if sign > 0 else -table[1])


def _multiplied(x: Parts | Pair, y: Pair) -> Pair:
    if x.im is None:
        return Pair(x.re * y.re, x.re * y.im)
    return Pair(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re)


def _by_convolution(x: Parts, sign: int) -> Pair:
    """Bluestein's method: 2 j k is j**2 + k**2 - (j - k)**2, so the sums are a convolution."""
    n = x.re.shape[-1]
    length = convolution_length(n)
    chirp = _circle(_squares(arange(n), 2 * n), 2 * n, sign)
    place = arange(length)
    distance = PT["minimum"](place, length - place)
    near = distance < n
    filtering = Pair(
        *(
            reshape(PT["where"](near, part, 0.0), (1, length))
            for part in _circle(_squares(distance * near, 2 * n), 2 * n, -sign)
        )
    )
    widths = ((0, 0), (0, length - n))
    given = Parts(*(PT["pad"](part, widths) for part in _multiplied(x, chirp)))
    spectrum = _multiplied(transform(given, -1), transform(Parts(*filtering), -1))
    result = transform(Parts(*spectrum), 1)
    scale = 1.0 / length
    return _multiplied(Pair(result.re[:, :n] * scale, result.im[:, :n] * scale), chirp)


def _squares(k: Tensor, modulus: int) -> Tensor:
    """k**2 modulo a number, for k below it, some bits of one factor at a time: int32 has 31."""
    bits = 31 - modulus.bit_length()
    total = k * 0
    for shift in reversed(range(0, modulus.bit_length(), bits)):
        digit = (k >> shift) & ((1 << bits) - 1)
        total = ((total << bits) % modulus + (k * digit) % modulus) % modulus
    return total
