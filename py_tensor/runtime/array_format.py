"""Format a tensor's values for `repr`: aligned columns, long axes abbreviated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

OPTIONS: dict[str, Any] = {"precision": 4, "threshold": 1000, "edgeitems": 3, "suppress": False}
"""Decimals of floats, number of elements above which long axes are abbreviated, number of items
shown at each end of a long axis, and whether small numbers are shown without an exponent."""


def number(value: complex) -> str:
    """Format one element: integers in full, floats with up to OPTIONS["precision"] decimals.

    >>> number(1.5), number(2.0), number(3), number(1 - 0.5j)
    ('1.5', '2.', '3', '1.-0.5j')
    """
    if isinstance(value, complex):
        sign = "-" if math.copysign(1.0, value.imag) < 0 else "+"
        return f"{number(value.real)}{sign}{number(abs(value.imag))}j"
    if not isinstance(value, float) or not math.isfinite(value):
        return str(value)
    size, digits = abs(value), OPTIONS["precision"]
    if size and not OPTIONS["suppress"] and (size >= 1e8 or size < 1e-4):
        return f"{value:.{digits}e}"
    return f"{value:.{digits}f}".rstrip("0")


def values(nested: Any, shape: Sequence[int], indent: str, separator: str = ", ") -> str:
    """Format nested lists with one row per line and aligned columns."""
    shown = _shorten(nested, len(shape), math.prod(shape) > OPTIONS["threshold"])
    flat = [item for item in _flat(shown) if item is not ...]
    width = max((len(number(item)) for item in flat), default=0)
    return _lines(shown, width, indent, separator)


def _shorten(nested: Any, depth: int, short: bool) -> Any:
    if depth == 0 or nested is ...:
        return nested
    edge = OPTIONS["edgeitems"]
    if short and len(nested) > 2 * edge:
        nested = [*nested[:edge], ..., *nested[len(nested) - edge :]]
    return [_shorten(item, depth - 1, short) for item in nested]


def _flat(nested: Any) -> list[Any]:
    if not isinstance(nested, list):
        return [nested]
    return [leaf for item in nested for leaf in _flat(item)]


def _lines(shown: Any, width: int, indent: str, separator: str) -> str:
    if not isinstance(shown, list):
        return "..." if shown is ... else number(shown).rjust(width)
    if not shown or not isinstance(shown[0], list):
        return "[" + separator.join(_lines(item, width, "", "") for item in shown) + "]"
    inner = indent + " "
    between = f"{separator.rstrip()}\n{inner}"
    return "[" + between.join(_lines(item, width, inner, separator) for item in shown) + "]"
