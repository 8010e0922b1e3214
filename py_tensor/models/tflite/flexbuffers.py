"""Read the numbers of a FlexBuffers map, which custom operators have as options.

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
_MAP = 9


def numbers_of(data: bytes) -> dict[str, float]:
    """Return the numbers of a map by their names; raise ModelError if it is not one."""
    try:
        return _map(data)
    except (struct.error, IndexError, ValueError, UnicodeDecodeError) as error:
        raise ModelError(
            f"run: options of an operator are not a map; got {len(data)} bytes: {error}; save the "
            "model again"
        ) from None


def _map(data: bytes) -> dict[str, float]:
    width, kind = data[-1], data[-2]
    if kind >> 2 != _MAP or width not in (1, 2, 4, 8):
        raise ValueError(f"type {kind >> 2}")
    at, size = _target(data, len(data) - 2 - width, width), 1 << (kind & 3)
    count = _unsigned(data, at - size, size)
    keys = _target(data, at - 3 * size, size)
    key_size = _unsigned(data, at - 2 * size, size)
    if count > len(data) or key_size not in (1, 2, 4, 8):
        raise ValueError(f"{count} entries")
    numbers = {}
    for number in range(count):
        start = _target(data, keys + number * key_size, key_size)
        name = str(data[start : data.index(0, start)], "utf-8")
        kind = data[at + count * size + number]
        position, wide, code = at + number * size, size, kind >> 2
        if code in _INDIRECT:
            position, wide, code = _target(data, position, size), 1 << (kind & 3), _INDIRECT[code]
        if code in _CODES:
            numbers[name] = _read(data, _CODES[code][wide.bit_length() - 1], position)
    return numbers


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
