"""Read the wire format of Protocol Buffers with the help of a schema.

Input: bytes and a table of messages. Output: nested dicts. Elements of tensors are not copied.
Source: https://protobuf.dev/programming-guides/encoding
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from ...errors import ModelError

Message = dict[str, Any]
Schema = Mapping[str, Mapping[int, tuple[str, str]]]
"""For each message, the name and the kind of each field by number.

A kind is "int" (64 bits, signed), "float" (the bytes of 32 bits), "double" (the bytes of 64 bits),
"bytes", "text", or the name of a message. Repeated fields have a star after it. Repeated "float"
and "double" are the joined bytes of all elements. Fields that the schema lacks are skipped.
"""

DEPTH = 100
"""Maximum number of messages inside each other."""
MESSAGES = 1_000_000
"""Maximum number of messages, texts and numbers that are not part of a packed list."""
_FIXED = {1: 8, 5: 4}
"""Bytes of a value of fixed length by wire type."""


class Reader:
    """Reads messages of one file."""

    def __init__(self, schema: Schema, data: Any, file: str) -> None:
        self._schema = schema
        self._data = memoryview(data).cast("B")
        self._file = file
        self._left = MESSAGES

    def read(self, message: str) -> Message:
        """Return the whole file as a message of this name; raise ModelError if it is not one."""
        return self._message(message, 0, len(self._data), message, 0)

    def _message(self, name: str, at: int, end: int, place: str, depth: int) -> Message:
        if depth > DEPTH:
            raise self._malformed("messages are nested too deeply", at, place)
        fields = self._schema[name]
        found: Message = {}
        while at < end:
            start = at
            key, at = self._varint(at, end, place)
            number, wire = key >> 3, key & 7
            self._left -= 1
            if self._left < 0:
                raise self._malformed(f"more than {MESSAGES:,} fields", start, place)
            if number == 0:
                raise self._malformed("field has number 0", start, place)
            if wire == 0:
                value, at = self._varint(at, end, place)
                first = at
            elif wire == 2:
                length, first = self._varint(at, end, place)
                at = first + length
            elif wire in _FIXED:
                first, at = at, at + _FIXED[wire]
            else:
                raise self._malformed(f"wire type {wire} does not exist", start, place)
            if at > end:
                raise self._malformed("field goes past the end", start, place)
            if number not in fields:
                continue
            field, kind = fields[number]
            inside = f"{place}.{field}"
            many, kind = kind.endswith("*"), kind.removesuffix("*")
            if kind == "int" and wire == 0:
                new: Any = value - (value >> 63 << 64)
            elif kind == "int" and wire == 2 and many:
                found.setdefault(field, []).extend(self._integers(first, at, inside))
                continue
            elif kind in ("float", "double") and (
                wire == {"float": 5, "double": 1}[kind] or (wire == 2 and many)
            ):
                new = bytes(self._data[first:at])
                if len(new) % (4 if kind == "float" else 8):
                    raise self._malformed("packed numbers are cut off", start, inside)
                if many:
                    found.setdefault(field, bytearray()).extend(new)
                    continue
            elif kind == "bytes" and wire == 2:
                new = self._data[first:at]
            elif kind == "text" and wire == 2:
                try:
                    new = str(self._data[first:at], "utf-8")
                except UnicodeDecodeError:
                    raise self._malformed("text is not UTF-8", first, inside) from None
            elif kind in self._schema and wire == 2:
                count = f"[{len(found.get(field, ()))}]" if many else ""
                new = self._message(kind, first, at, inside + count, depth + 1)
            else:
                raise self._malformed(f"wire type {wire} does not fit {kind}", start, inside)
            if many:
                found.setdefault(field, []).append(new)
            else:
                found[field] = new
        return found

    def _varint(self, at: int, end: int, place: str) -> tuple[int, int]:
        """Return an unsigned integer of up to 64 bits and the position after it."""
        data, value = self._data, 0
        for shift in range(0, 70, 7):
            if at + shift // 7 >= end:
                raise self._malformed("number is cut off", at, place)
            byte = data[at + shift // 7]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value & (1 << 64) - 1, at + shift // 7 + 1
        raise self._malformed("number has more than 10 bytes", at, place)

    def _integers(self, at: int, end: int, place: str) -> list[int]:
        found = []
        while at < end:
            value, at = self._varint(at, end, place)
            found.append(value - (value >> 63 << 64))
        return found

    def _malformed(self, wrong: str, at: int, place: str) -> ModelError:
        return ModelError(
            f"load: not a valid {self._file} file: {wrong}; got byte {at} in {place}; download or "
            "save the file again"
        )


def float_of(data: bytes) -> float:
    """Return the number of a "float" field."""
    number: float = struct.unpack("<f", data)[0]
    return number
