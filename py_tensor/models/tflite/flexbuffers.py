"""Read a FlexBuffers map of numbers, texts and lists, which custom operators have as options.

Source: https://flatbuffers.dev/flexbuffers
"""

from __future__ import annotations

import struct
from typing import Any

from ...errors import ModelError

_INTEGERS, _UNSIGNED, _FLOATS = {1: "bhiq"}, {2: "BHIQ"}, {3: " efd"}
_CODES = {**_INTEGERS, **_UNSIGNED, **_FLOATS, 26: "BHIQ"}
"""Codes of numbers of 1, 2, 4 and 8 bytes by type: int, uint, float, bool."""
_INDIRECT = {6: 1, 7: 2, 8: 3}
_TEXT, _MAP, _VECTOR = 5, 9, 10
_VECTORS = {11: 1, 12: 2, 13: 3, 36: 26}
"""Types of elements by the type of a vector: int, uint, float, bool."""
_FIXED = {16 + at: (2 + at // 3, 1 + at % 3) for at in range(9)}
"""Lengths and types of elements by the type of a vector of 2 to 4 elements."""
LONGEST = 10_000
"""Maximum number of elements of a list, or of bytes of a text."""


def options_of(data: bytes) -> dict[str, Any]:
    """Return numbers, texts and lists of numbers of a map by their names.

    Raises ModelError if it is not a map.
    """
    try:
        return _map(data)
    except (struct.error, IndexError, ValueError, UnicodeDecodeError) as error:
        raise ModelError(
            f"run: options of an operator are not a map; got {len(data)} bytes: {error}; save the "
            "model again"
        ) from None


def _map(data: bytes) -> dict[str, Any]:
    width, kind = data[-1], data[-2]
    if kind >> 2 != _MAP or width not in (1, 2, 4, 8):
        raise ValueError(f"type {kind >> 2}")
    at, size = _target(data, len(data) - 2 - width, width), 1 << (kind & 3)
    count = _unsigned(data, at - size, size)
    keys = _target(data, at - 3 * size, size)
    key_size = _unsigned(data, at - 2 * size, size)
    if count > len(data) or key_size not in (1, 2, 4, 8):
        raise ValueError(f"{count} entries")
    values = {}
    for number in range(count):
        start = _target(data, keys + number * key_size, key_size)
        name = str(data[start : data.index(0, start)], "utf-8")
        kind = data[at + count * size + number]
        position, wide, code = at + number * size, size, kind >> 2
        value = _value(data, position, wide, code, 1 << (kind & 3))
        if value is not None:
            values[name] = value
    return values


def _value(data: bytes, at: int, size: int, code: int, inner: int) -> Any:
    """Return the value at a position; None for types that no operator needs.

    `size` is that of the value, and `inner` that of the elements to which it may lead.
    """
    if code in _CODES:
        return _read(data, _CODES[code][size.bit_length() - 1], at)
    if code in _INDIRECT:
        return _value(data, _target(data, at, size), inner, _INDIRECT[code], inner)
    if code not in (_TEXT, _VECTOR, *_VECTORS, *_FIXED):
        return None
    start = _target(data, at, size)
    if code in _FIXED:
        count, kind = _FIXED[code]
    else:
        count, kind = _unsigned(data, start - inner, inner), _VECTORS.get(code, 0)
    if count > min(len(data), LONGEST):
        raise ValueError(f"{count} elements")
    if code == _TEXT:
        return str(data[start : start + count], "utf-8")
    kinds = [kind << 2] * count
    if code == _VECTOR:
        # The types of the elements follow.
        kinds = [*data[start + count * inner :][:count]]
    return [
        _value(data, start + number * inner, inner, part >> 2, 1 << (part & 3))
        for number, part in enumerate(kinds)
        if part >> 2 in _CODES or part >> 2 in _INDIRECT
    ]


def _target(data: bytes, at: int, size: int) -> int:
    """Return the position to which an offset leads, which is before it."""
    return at - _unsigned(data, at, size)


def _unsigned(data: bytes, at: int, size: int) -> int:
    number: int = _read(data, "BHIQ"[size.bit_length() - 1], at)
    return number


def _read(data: bytes, code: str, at: int) -> Any:
    if at < 0:
        raise IndexError(f"offset before the first byte: {at}")
    return struct.unpack_from(f"<{code}", data, at)[0]
