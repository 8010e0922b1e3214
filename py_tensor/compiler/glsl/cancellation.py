"""Find sums in which a value cancels, such as x - x.

NVIDIA's OpenGL driver (580.159) folds `v - v` to zero. If that removes the last texture read of a
shader, its compiler crashes, and the browser's GPU process with it. Folding is wrong even without a
crash, since the difference of two infinities is NaN. Bit operations, products and quotients of
equal values are safe, and two reads of one texel count as two values; docs/drivers.md lists what
was tried.

So the writer asks `Sums` about every operation that adds, and hides one operand from the compiler
if a value cancels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


class Sums:
    """The variables of a shader as sums of other variables, each with an integer factor."""

    def __init__(self) -> None:
        self._terms: dict[str, Counter[str]] = {}

    def terms_of(self, factors: Sequence[int], operands: Sequence[str]) -> Counter[str]:
        """Return the factor of each term of a weighted sum of operands; 0 for those that cancel."""
        total: Counter[str] = Counter()
        for factor, operand in zip(factors, operands, strict=True):
            if operand.isidentifier():  # uniforms are not
                for term, count in self._terms.get(operand, {operand: 1}).items():
                    total[term] += factor * count
        return total

    def define(self, name: str, terms: Counter[str]) -> None:
        """Record that the variable `name` is the sum of the terms."""
        if name not in terms:
            self._terms[name] = terms
