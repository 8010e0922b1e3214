"""A tensor's values as people like to read them: aligned, shortened where long."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

EDGE = 3
"""Items shown at each end of a long axis."""
THRESHOLD = 1000
"""Elements from which on axes are shortened."""


def number(value: complex, digits: int = 4) -> str:
    """One element: integers as they are, floats with up to `digits` decimals.

    >>> number(1.5), number(2.0), number(3), number(1 - 0.5j)
    ('1.5', '2.', '3', '1.-0.5j')
    """
    if isinstance(value, complex):
        sign = "-" if math.copysign(1.0, value.imag) < 0 else "+"
        return f"{number(value.real, digits)}{sign}{number(abs(value.imag), digits)}j"
    if not isinstance(value, float) or not math.isfinite(value):
        return str(value)
    size = abs(value)
    if size and (size >= 1e8 or size < 1e-4):
        return f"{value:.{digits}e}"
    return f"{value:.{digits}f}".rstrip("0")


def values(nested: Any, shape: Sequence[int], indent: str) -> str:
    """Nested lists as text, rows below one another, columns aligned."""
    shown = _shorten(nested, len(shape), math.prod(shape) > THRESHOLD)
    flat = [item for item in _flat(shown) if item is not ...]
    width = max((len(number(item)) for item in flat), default=0)
    return _lines(shown, width, indent)


def _shorten(nested: Any, depth: int, short: bool) -> Any:
    if depth == 0:
        return nested
    items = [_shorten(item, depth - 1, short) for item in _ends(nested, short)]
    if short and len(nested) > 2 * EDGE:
        items.insert(EDGE, ...)
    return items


def _ends(items: Sequence[Any], short: bool) -> Sequence[Any]:
    if short and len(items) > 2 * EDGE:
        return [*items[:EDGE], *items[-EDGE:]]
    return items


def _flat(nested: Any) -> list[Any]:
    if not isinstance(nested, list):
        return [nested]
    return [leaf for item in nested for leaf in _flat(item)]


def _lines(shown: Any, width: int, indent: str) -> str:
    if not isinstance(shown, list):
        return "..." if shown is ... else number(shown).rjust(width)
    if not shown or not isinstance(shown[0], list):
        return "[" + ", ".join(_lines(item, width, indent) for item in shown) + "]"
    inner = indent + " "
    return "[" + f",\n{inner}".join(_lines(item, width, inner) for item in shown) + "]"
