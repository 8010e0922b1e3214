"""Transforms from and to real numbers: of even lengths, by a complex one of half the length.

Comes in: real rows, or the first half of rows whose others are conjugates; goes out: the other one.
Neighbours are taken for the two parts of a complex number: its transform is E + i O, where E and O
are the transforms of the even and of the odd places, which their symmetry tells apart (Cooley,
Lewis and Welch 1970).
"""

from __future__ import annotations

from ..functions import PUBLIC as PT
from ..ops.parts import INTERLEAVE
from ..tensor import Tensor, apply
from .transforms import Pair, Parts, circle, multiplied, transform


def from_real(x: Tensor, sign: int) -> Pair:
    """The first n // 2 + 1 results of the transform of real rows of n elements."""
    n = x.shape[-1]
    half = n // 2
    if n % 2:
        return Pair(*(part[:, : half + 1] for part in transform(Parts(x, None), sign)))
    z = transform(Parts(x[:, ::2], x[:, 1::2]), sign)
    re, im = (PT["concat"]([part, part[:, :1]], axis=1) for part in z)
    back_re, back_im = PT["flip"](re, axis=1), PT["flip"](im, axis=1)
    odd = multiplied(Pair(im + back_im, back_re - re), circle(PT["arange"](half + 1), n, sign))
    return Pair((re + back_re + odd.re) * 0.5, (im - back_im + odd.im) * 0.5)


def to_real(x: Parts, n: int, sign: int) -> Tensor:
    """The transform, n real numbers, of rows of which x has the first n // 2 + 1 elements.

    Imaginary parts of elements that are their own conjugates are taken for zero.
    """
    half = n // 2
    im: Tensor = PT["zeros_like"](x.re) if x.im is None else x.im
    if n % 2:
        others = slice(1, half + 1)
        symmetric = PT["concat"]([x.re, PT["flip"](x.re[:, others], axis=1)], axis=1)
        opposite = PT["concat"]([im, -PT["flip"](im[:, others], axis=1)], axis=1)
        return transform(Parts(symmetric, opposite), sign).re
    place = PT["arange"](half + 1)
    re: Tensor = x.re
    im = PT["where"]((place == 0) | (place == half), 0.0, im)
    back_re, back_im = PT["flip"](re, axis=1), PT["flip"](im, axis=1)
    odd = multiplied(Pair(re - back_re, im + back_im), circle(place, n, sign))
    z = Pair(re + back_re - odd.im, im - back_im + odd.re)
    result = transform(Parts(*(part[:, :half] for part in z)), sign)
    whole: Tensor = PT["reshape"](apply(INTERLEAVE, result), (len(x.re), n))
    return whole
