"""Read the wire format of Protocol Buffers with the help of a schema.

Input: bytes and a table of messages. Output: nested dicts. Elements of tensors are not copied.
Source: https://protobuf.dev/programming-guides/encoding
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, NamedTuple

from ...errors import ModelError
from ..file_errors import malformed

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
_WIRES = {"int": 0, "double": 1, "float": 5}
"""Wire type of a single number by kind; other values have 2."""
_JOINED: dict[str, type[list[int] | bytearray]] = {
    "int": list,
    "double": bytearray,
    "float": bytearray,
}
"""Type of all values of a repeated field of numbers, which may be packed."""


class _Field(NamedTuple):
    """A field of a message, before its value is read."""

    number: int
    wire: int
    """Wire type: 0 for a number of variable length, 2 for bytes, or a key of `_FIXED`."""
    start: int
    """Position of the field."""
    first: int
    """Position of its value."""
    end: int


class ProtobufReader:
    """Reads messages of one file."""

    def __init__(self, schema: Schema, data: Any, file: str) -> None:
        self._schema = schema
        self._data = memoryview(data).cast("B")
        self._file = file
        self._left = MESSAGES

    def read(self, message: str) -> Message:
        """Return the whole file as a message of this name; raise ModelError if it is not one."""
        return self._message(message, 0, len(self._data), message, 0)

    def _message(self, name: str, at: int, end: int, path: str, depth: int) -> Message:
        if depth > DEPTH:
            raise self._malformed("messages are nested too deeply", at, path)
        kinds = self._schema[name]
        message: Message = {}
        while at < end:
            field = self._field(at, end, path)
            at = field.end
            if field.number not in kinds:
                continue
            key, kind = kinds[field.number]
            inside = f"{path}.{key}"
            if not kind.endswith("*"):
                value = self._value(field, kind, False, inside, depth)
                message[key] = value[0] if kind == "int" else value
                continue
            kind = kind[:-1]
            if kind in self._schema:
                inside += f"[{len(message.get(key, ()))}]"
            value = self._value(field, kind, True, inside, depth)
            if kind in _JOINED:
                message.setdefault(key, _JOINED[kind]()).extend(value)
            else:
                message.setdefault(key, []).append(value)
        return message

    def _field(self, start: int, end: int, path: str) -> _Field:
        """Return the field at a position."""
        key, first = self._varint(start, end, path)
        number, wire = key >> 3, key & 7
        self._left -= 1
        if self._left < 0:
            raise self._malformed(f"more than {MESSAGES:,} fields", start, path)
        if number == 0:
            raise self._malformed("field has number 0", start, path)
        if wire == 0:
            _, after = self._varint(first, end, path)
        elif wire == 2:
            length, first = self._varint(first, end, path)
            after = first + length
        elif wire in _FIXED:
            after = first + _FIXED[wire]
        else:
            raise self._malformed(f"wire type {wire} does not exist", start, path)
        if after > end:
            raise self._malformed("field goes past the end", start, path)
        return _Field(number, wire, start, first, after)

    def _value(self, field: _Field, kind: str, many: bool, path: str, depth: int) -> Any:
        """Return the value of a field: for numbers, the list or the bytes of one or of all."""
        _, wire, start, first, end = field
        if wire == _WIRES.get(kind, 2) or (wire == 2 and many):
            if kind == "int":
                return self._integers(first, end, path)
            if kind in self._schema:
                return self._message(kind, first, end, path, depth + 1)
            data = self._data[first:end]
            if kind == "bytes":
                return data
            if kind == "text":
                try:
                    return str(data, "utf-8")
                except UnicodeDecodeError:
                    raise self._malformed("text is not UTF-8", first, path) from None
            if len(data) % _FIXED[_WIRES[kind]]:
                raise self._malformed("packed numbers are cut off", start, path)
            return bytes(data)
        raise self._malformed(f"wire type {wire} does not fit {kind}", start, path)

    def _varint(self, at: int, end: int, path: str) -> tuple[int, int]:
        """Return an unsigned integer of up to 64 bits and the position after it."""
        data, value = self._data, 0
        for shift in range(0, 70, 7):
            if at + shift // 7 >= end:
                raise self._malformed("number is cut off", at, path)
            byte = data[at + shift // 7]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value & (1 << 64) - 1, at + shift // 7 + 1
        raise self._malformed("number has more than 10 bytes", at, path)

    def _integers(self, at: int, end: int, path: str) -> list[int]:
        numbers = []
        while at < end:
            value, at = self._varint(at, end, path)
            numbers.append(value - (value >> 63 << 64))
        return numbers

    def _malformed(self, wrong: str, at: int, path: str) -> ModelError:
        return malformed(self._file, wrong, f"byte {at} in {path}")


def float_of(data: bytes) -> float:
    """Return the number of a "float" field."""
    number: float = struct.unpack("<f", data)[0]
    return number
