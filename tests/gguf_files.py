"""Write GGUF files for tests."""

import struct
from typing import Any

CODES = {4: "I", 5: "i", 6: "f", 7: "?", 10: "Q"}


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def value_of(kind: int, value: Any) -> bytes:
    if kind == 8:
        return text(value)
    if kind == 9:
        inner, items = value
        start = struct.pack("<IQ", inner, len(items))
        return start + b"".join(value_of(inner, item) for item in items)
    return struct.pack(f"<{CODES[kind]}", value)


def file_of(
    tensors: dict[str, tuple[tuple[int, ...], int, bytes]],
    metadata: dict[str, tuple[int, Any]] | None = None,
    version: int = 3,
) -> bytes:
    """Return a file of tensors, given as (shape, type, bytes), with metadata as (type, value)."""
    metadata = metadata or {}
    header = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(metadata))
    for key, (kind, value) in metadata.items():
        header += text(key) + struct.pack("<I", kind) + value_of(kind, value)
    alignment = metadata.get("general.alignment", (4, 32))[1] or 1
    data = b""
    for name, (shape, kind, part) in tensors.items():
        data += bytes(-len(data) % alignment)
        lengths = struct.pack(f"<{len(shape)}Q", *shape[::-1])
        header += text(name) + struct.pack("<I", len(shape)) + lengths
        header += struct.pack("<IQ", kind, len(data))
        data += part
    return header + bytes(-len(header) % alignment) + data
