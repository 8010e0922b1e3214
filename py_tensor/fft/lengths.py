"""Factor the length of a Fourier transform into the lengths of its stages.

Input: a length. Output: its factors, each the length of a stage that is one matrix product, or the
length of the convolution in Bluestein's algorithm.
"""

from __future__ import annotations

from functools import lru_cache

LONGEST = 128
"""Largest length of a stage; lengths with a larger prime factor use Bluestein's algorithm."""
PASS = 48
"""Fixed cost of a stage per element, in terms of a matrix product."""


def _divisors(n: int) -> list[int]:
    return [r for r in range(2, min(n, LONGEST) + 1) if n % r == 0]


def _weight(radix: int) -> int:
    """Return the cost of a stage per element: odd lengths do not fill texels of four numbers."""
    return PASS + -(-radix // 2) * 2


@lru_cache(1024)
def factors(n: int) -> tuple[int, ...] | None:
    """Return the lengths of the stages whose product is n; None if a prime factor is too large."""
    if n == 1:
        return ()
    candidates: list[tuple[int, tuple[int, ...]]] = []
    for radix in _divisors(n):
        rest = factors(n // radix)
        if rest is not None:
            # Texels stay whole after the first stage if its length is a multiple of four.
            stages = tuple(sorted((radix, *rest), key=lambda r: (r % 4 > 0, -r)))
            candidates.append((sum(map(_weight, stages)), stages))
    return min(candidates)[1] if candidates else None


@lru_cache(1024)
def convolution_length(n: int) -> int:
    """Choose a length of at least 2 n - 1 whose stages are cheap."""
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
