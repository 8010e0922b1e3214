"""Write the wire format of Protocol Buffers with the help of a schema."""

from __future__ import annotations

from .protobuf import Message, Schema


def encoded(schema: Schema, name: str, message: Message) -> bytes:
    """Return the bytes of a message; its values are as `ProtobufReader` returns them.

    Repeated "float" and "double" fields are the joined bytes of all elements. Raises KeyError for
    fields that the schema lacks.
    """
    numbers = {field: (number, kind) for number, (field, kind) in schema[name].items()}
    parts: list[bytes] = []
    for field, value in message.items():
        number, kind = numbers[field]
        many, kind = kind.endswith("*"), kind.removesuffix("*")
        joined = kind in ("float", "double")
        for item in value if many and not joined else [value]:
            if kind == "int":
                parts += _varint(number << 3), _varint(item & (1 << 64) - 1)
                continue
            if joined and not many:
                parts += _varint(number << 3 | (5 if kind == "float" else 1)), item
                continue
            if kind in schema:
                data = encoded(schema, kind, item)
            else:
                data = item.encode() if kind == "text" else bytes(item)
            parts += _varint(number << 3 | 2), _varint(len(data)), data
    return b"".join(parts)


def _varint(value: int) -> bytes:
    data = bytearray()
    while value > 0x7F:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    data.append(value)
    return bytes(data)
