"""Sets of characters, as sorted ranges of code points, for regular expressions.

The sets are those of Oniguruma, the engine of the package `tokenizers`. They are computed from
`unicodedata`, since Python's `re` has no properties.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import groupby
from unicodedata import category

Ranges = tuple[tuple[int, int], ...]
"""Sorted ranges of code points, both ends included."""

WHITESPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
WHITESPACE += "\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
"""Characters with the property White_Space; `str.isspace` has four more."""

_HAN = (
    (0x2E80, 0x2E99), (0x2E9B, 0x2EF3), (0x2F00, 0x2FD5), (0x3005, 0x3005), (0x3007, 0x3007),
    (0x3021, 0x3029), (0x3038, 0x303B), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFA6D),
    (0xFA70, 0xFAD9), (0x16FE2, 0x16FE3), (0x16FF0, 0x16FF1), (0x20000, 0x2A6DF),
    (0x2A700, 0x2B739), (0x2B740, 0x2B81D), (0x2B820, 0x2CEA1), (0x2CEB0, 0x2EBE0),
    (0x2EBF0, 0x2EE5D), (0x2F800, 0x2FA1D), (0x30000, 0x3134A), (0x31350, 0x323AF),
)  # fmt: skip
_LETTERLIKE = ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189))
"""Symbols that are alphabetic."""
LATIN_NUMBERS = ((0xB2, 0xB3), (0xB9, 0xB9), (0xBC, 0xBE))
"""Numbers that are in words for Oniguruma, unless a class of characters has the words."""

_LONG_NAMES = {
    "letter": "L", "lowercaseletter": "Ll", "uppercaseletter": "Lu", "titlecaseletter": "Lt",
    "modifierletter": "Lm", "otherletter": "Lo", "mark": "M", "combiningmark": "M",
    "nonspacingmark": "Mn", "spacingmark": "Mc", "enclosingmark": "Me", "number": "N",
    "decimalnumber": "Nd", "letternumber": "Nl", "othernumber": "No", "punctuation": "P",
    "symbol": "S", "mathsymbol": "Sm", "currencysymbol": "Sc", "separator": "Z",
    "spaceseparator": "Zs", "other": "C", "control": "Cc", "format": "Cf",
}  # fmt: skip


def ranges_of(points: Iterable[int]) -> Ranges:
    """Return the ranges of sorted code points."""
    ranges: list[tuple[int, int]] = []
    for point in points:
        if ranges and ranges[-1][1] == point - 1:
            ranges[-1] = ranges[-1][0], point
        else:
            ranges.append((point, point))
    return tuple(ranges)


def union(*sets: Ranges) -> Ranges:
    """Return the ranges of the characters in any of the sets."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(part for ranges in sets for part in ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(high, merged[-1][1])
        else:
            merged.append((low, high))
    return tuple(merged)


def complement(ranges: Ranges, limit: int) -> Ranges:
    """Return the ranges of the other characters below a limit."""
    others, start = [], 0
    for low, high in ranges:
        if low > start:
            others.append((start, low - 1))
        start = high + 1
    if start < limit:
        others.append((start, limit - 1))
    return tuple(others)


def intersection(first: Ranges, second: Ranges, limit: int) -> Ranges:
    """Return the ranges of the characters in both sets."""
    return complement(union(complement(first, limit), complement(second, limit)), limit)


@cache
def _by_category(limit: int) -> dict[str, Ranges]:
    """Return the ranges of each general category below a limit."""
    found: dict[str, list[tuple[int, int]]] = {}
    start = 0
    for name, group in groupby(map(category, map(chr, range(limit)))):
        stop = start + sum(1 for _ in group)
        found.setdefault(name, []).append((start, stop - 1))
        start = stop
    return {name: tuple(ranges) for name, ranges in found.items()}


@cache
def categories(names: str, limit: int) -> Ranges:
    """Return the characters of general categories, such as "L Nd", below a limit."""
    own = _by_category(limit)
    wanted = tuple(names.split())
    return union(*(ranges for name, ranges in own.items() if name.startswith(wanted)))


def _clipped(ranges: Iterable[tuple[int, int]], limit: int) -> Ranges:
    return tuple((low, min(high, limit - 1)) for low, high in ranges if low < limit)


@cache
def whitespace(limit: int) -> Ranges:
    r"""Return the characters of \s."""
    return _clipped(ranges_of(map(ord, WHITESPACE)), limit)


@cache
def word(limit: int) -> Ranges:
    r"""Return the characters of \w: alphabetic ones, marks, decimal digits and connectors."""
    return union(categories("L M Nl Nd Pc", limit), _clipped(_LETTERLIKE, limit))


def property_set(name: str, limit: int) -> Ranges | None:
    r"""Return the characters of a property, as in \p{name}; None if the name is unknown."""
    key = name.replace("_", "").replace(" ", "").replace("-", "").lower()
    if key in ("l&", "lc"):
        return categories("Lu Ll Lt", limit)
    short = _LONG_NAMES.get(key, name)
    if len(short) <= 2 and short[:1] in "LMNPSZC" and short[1:] in "ulmotncedsfkiepc":
        return categories(short, limit)
    return _NAMED[key](limit) if key in _NAMED else None


_NAMED: dict[str, Callable[[int], Ranges]] = {
    "any": lambda limit: ((0, limit - 1),),
    "ascii": lambda limit: ((0, 127),),
    "blank": lambda limit: union(((9, 9),), categories("Zs", limit)),
    "cntrl": lambda limit: categories("Cc", limit),
    "digit": lambda limit: categories("Nd", limit),
    "han": lambda limit: _clipped(_HAN, limit),
    "lower": lambda limit: categories("Ll", limit),
    "punct": lambda limit: categories("P S", limit),
    "space": whitespace,
    "upper": lambda limit: categories("Lu", limit),
    "word": word,
    "xdigit": lambda limit: ((48, 57), (65, 70), (97, 102)),
}
"""Functions that return the set of a name, by the limit."""
