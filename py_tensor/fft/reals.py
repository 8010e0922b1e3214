"""Transforms from and to real numbers; even lengths use a complex transform of half the length.

Input: real rows, or the first half of Hermitian rows. Output: the other of the two. Adjacent
elements become the two parts of a complex number. Its transform is E + i O, where E and O are the
transforms of the even and of the odd positions. Their symmetry separates them (Cooley, Lewis and
Welch 1970).
"""

from __future__ import annotations

from .. import functions as F
from ..functions.elementwise import where
from ..ops.complex_algebra import ComplexParts
from ..ops.complex_parts import INTERLEAVE
from ..tensor import Tensor, apply
from .transforms import circle, transform


def from_real(x: Tensor, sign: int) -> ComplexParts:
    """Return the first n // 2 + 1 elements of the transform of real rows of n elements."""
    n = x.shape[-1]
    half = n // 2
    if n % 2:
        return transform(ComplexParts(x), sign).each(lambda part: part[:, : half + 1])
    z = transform(ComplexParts(x[:, ::2], x[:, 1::2]), sign)
    re, im = (F.concat([part, part[:, :1]], axis=1) for part in z)
    back_re, back_im = F.flip(re, axis=1), F.flip(im, axis=1)
    odd = ComplexParts(im + back_im, back_re - re) * circle(F.arange(half + 1), n, sign)
    return ComplexParts((re + back_re + odd.re) * 0.5, (im - back_im + odd.im) * 0.5)


def to_real(x: ComplexParts, n: int, sign: int) -> Tensor:
    """Return n real numbers: the transform of Hermitian rows, given n // 2 + 1 elements.

    The imaginary parts of elements that are their own conjugates are ignored.
    """
    half = n // 2
    im: Tensor = F.zeros_like(x.re) if x.im is None else x.im
    if n % 2:
        paired = slice(1, half + 1)
        symmetric = F.concat([x.re, F.flip(x.re[:, paired], axis=1)], axis=1)
        opposite = F.concat([im, -F.flip(im[:, paired], axis=1)], axis=1)
        real: Tensor = transform(ComplexParts(symmetric, opposite), sign).re
        return real
    index = F.arange(half + 1)
    re: Tensor = x.re
    im = where((index == 0) | (index == half), 0.0, im)
    back_re, back_im = F.flip(re, axis=1), F.flip(im, axis=1)
    odd = ComplexParts(re - back_re, im + back_im) * circle(index, n, sign)
    z = ComplexParts(re + back_re - odd.im, im - back_im + odd.re)
    result = transform(z.each(lambda part: part[:, :half]), sign)
    return F.reshape(apply(INTERLEAVE, (*result,)), (len(x.re), n))
