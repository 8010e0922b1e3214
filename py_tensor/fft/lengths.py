"""How a Fourier transform of a length is cut into short ones.

Comes in: a length; goes out: its factors, each the length of a stage that is one matrix product, or
the length that Bluestein's method transforms instead.
"""

from __future__ import annotations

from functools import lru_cache

LONGEST = 128
"""Elements that one stage transforms at most; a larger prime factor is left to Bluestein."""
PASS = 48
"""What a stage costs beside its products, in terms a product of that many elements costs."""


def _divisors(n: int) -> list[int]:
    return [r for r in range(2, min(n, LONGEST) + 1) if n % r == 0]


def _weight(radix: int) -> int:
    """A stage's cost an element: texels hold four numbers, which odd lengths do not fill."""
    return PASS + -(-radix // 2) * 2


@lru_cache(1024)
def factors(n: int) -> tuple[int, ...] | None:
    """The lengths of the stages whose product is n, or None where a prime factor is too large."""
    if n == 1:
        return ()
    found: list[tuple[int, tuple[int, ...]]] = []
    for radix in _divisors(n):
        rest = factors(n // radix)
        if rest is not None:
            # Behind the first, texels stay whole if its length is a multiple of four.
            stages = tuple(sorted((radix, *rest), key=lambda r: (r % 4 > 0, -r)))
            found.append((sum(map(_weight, stages)), stages))
    return min(found)[1] if found else None


@lru_cache(1024)
def convolution_length(n: int) -> int:
    """A length of at least 2 n - 1 whose stages cost little."""
    least = 2 * n - 1
    candidates = {
        (1 << bits) * odd
        for odd in (1, 3, 5, 7, 9, 15)
        for bits in range(least.bit_length() + 1)
        if least <= (1 << bits) * odd < 2 * least
    }

    def cost(length: int) -> int:
        return length * sum(map(_weight, factors(length) or ()))

    return min(candidates, key=lambda length: (cost(length), length))
