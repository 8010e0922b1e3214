"""Sizes in the text of a kernel: uniforms, so that kernels of other sizes share a program.

Input: text with fields for numbers. Output: text with elements of uniform arrays instead, and the
numbers of these elements. The field `$392` becomes an element of I, and `$/392`, the reciprocal, an
element of F.
"""

from __future__ import annotations

import re

from .tree import FLOAT, INT, UINT

SMALL = 4
"""Largest number that stays a constant. Such numbers come from lanes and small windows, and
compilers unroll loops and simplify positions with them."""
UNROLLED = 8
"""Largest number of iterations that stays a constant, since compilers unroll such loops."""
MOST = 96
"""Elements of the arrays; further sizes are constants. Contexts have 224 uniforms at least."""
LARGEST = 1 << 21
"""Positions that are divided by multiplication with the reciprocal are smaller than this.

(x + 0.5) / n differs from a whole number by 0.5 / n at least. The reciprocal and the product have
relative errors of at most 2 ** -24 and 2 ** -23, also if a GPU truncates. Together they are less
than that distance up to 2.7 million."""

ARRAYS = {FLOAT: "F", INT: "I", UINT: "U"}
"""Names of the arrays of uniforms, by the kind of their elements."""

_FIELD = re.compile(r"\$(/?)(-?\d+)")
_DIVISION = re.compile(r"pt_(?:quotient|modulo)4?")


class Sizes:
    """Elements of the arrays F and I that follow a kernel's scalars."""

    def __init__(self, floats: int, ints: int) -> None:
        self.floats = floats
        """Number of scalars in F."""
        self.ints = ints
        """Number of scalars in I."""
        self.reciprocals: dict[float, str] = {}
        self.numbers: list[int] = []
        self.needs: dict[str, None] = {}
        """Functions that divide by these numbers."""

    def filled(self, text: str) -> str:
        """Return a text with elements of the arrays in its fields.

        Each field of a number has an element of its own, because other kernels may differ in one of
        two equal sizes. Equal reciprocals share one, so that compilers find equal quotients.
        """
        self.needs |= dict.fromkeys(_DIVISION.findall(text))
        return _FIELD.sub(self._element, text)

    def _element(self, field: re.Match[str]) -> str:
        inverse, digits = field.groups()
        number, floats, ints = int(digits), len(self.reciprocals), len(self.numbers)
        if inverse:
            known = self.reciprocals.get(1.0 / number)
            if known is None and floats + ints < MOST:
                known = self.reciprocals[1.0 / number] = f"F[{self.floats + floats}]"
            return known or f"1.0 / {number}.0"
        if floats + ints == MOST:
            return digits
        self.numbers.append(number)
        return f"I[{self.ints + ints}]"
