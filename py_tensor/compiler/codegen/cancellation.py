"""Find sums in which a value cancels, such as x - x.

NVIDIA's OpenGL driver (580.159) folds `v - v` to zero. If that removes the last texture read of a
shader, its compiler crashes, and the browser's GPU process with it. Folding is wrong even without a
crash, since the difference of two infinities is NaN. Bit operations, products and quotients of
equal values are safe, and two reads of one texel count as two values; docs/drivers.md lists what
was tried.

The writer therefore asks `Sums` about every operation that adds. If a value cancels, it hides one
operand from the compiler.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...language.tree import Value


class Sums:
    """The variables of a shader as sums of other variables, each with an integer factor."""

    def __init__(self) -> None:
        self._terms: dict[str, dict[str, int]] = {}

    def terms_of(self, factors: Sequence[int], operands: Iterable[Value]) -> dict[str, int]:
        """Return the factor of each term of a weighted sum of operands; 0 for those that cancel."""
        total: dict[str, int] = {}
        for factor, operand in zip(factors, operands, strict=True):
            if operand.uses:  # uniforms and constants have no variables
                for term, count in self._terms.get(operand.text, {operand.text: 1}).items():
                    total[term] = total.get(term, 0) + factor * count
        return total

    def define(self, value: Value, terms: dict[str, int]) -> None:
        """Record that a variable is the sum of the terms."""
        if value.text not in terms:
            self._terms[value.text] = terms
