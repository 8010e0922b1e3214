"""Read and write the safetensors format: a JSON header, then the elements of all tensors.

Input: entries, or bytes. Output: bytes, or entries. Source:
https://github.com/huggingface/safetensors#format. The first eight bytes are the header's length.
The header names each tensor's dtype, shape and byte offsets. Tensors are stored without gaps and
without overlap.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Buffer, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from ..dtypes import wrong_type
from ..errors import ArgumentError, FormatError
from ..ops.index_map import Shape

HEADER_LIMIT = 100_000_000
"""Largest header in bytes; the reference implementation has the same limit."""

# In the order of the format's list; the reference implementation writes the last dtype first.
SIZES = {
    "BOOL": 1, "U8": 1, "I8": 1, "I16": 2, "U16": 2, "F16": 2, "BF16": 2,
    "I32": 4, "U32": 4, "F32": 4, "C64": 8, "F64": 8, "I64": 8, "U64": 8,
}  # fmt: skip
"""Bytes per element of each supported dtype."""

_METADATA = "__metadata__"
_RANK = {code: -rank for rank, code in enumerate(SIZES)}


class Entry(NamedTuple):
    """Tensor in a file: the format's name of its dtype, its shape, and its elements as bytes."""

    dtype: str
    shape: Shape
    data: bytes | bytearray | memoryview


def write(entries: Mapping[str, Entry], metadata: Mapping[str, str] | None) -> bytes:
    """Encode tensors as a file with the same bytes that the reference implementation writes.

    Raises ArgumentError for names and metadata that the format does not allow.
    """
    header: dict[str, Any] = {}
    if metadata is not None:
        if not isinstance(metadata, Mapping):
            raise wrong_type("to_bytes", "metadata", "a dict of str to str", metadata)
        if not all(isinstance(text, str) for item in metadata.items() for text in item):
            raise ArgumentError(
                f"to_bytes: metadata must map str to str; got {dict(metadata)!r:.60}; pass a dict "
                "of str to str"
            )
        header[_METADATA] = dict(metadata)
    parts: list[Buffer] = [b"", b""]
    end = 0
    for name in sorted(entries, key=lambda name: (_RANK[entries[name].dtype], name)):
        if name == _METADATA:
            raise ArgumentError(
                f"to_bytes: name is reserved by the format; got {name!r}; rename the tensor"
            )
        dtype, shape, data = entries[name]
        start, end = end, end + memoryview(data).nbytes
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [start, end]}
        parts.append(data)
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    # Align every tensor to its element size.
    text += b" " * (-len(text) % 8)
    if len(text) > HEADER_LIMIT:
        raise ArgumentError(
            f"to_bytes: header is too long; got {len(text)} bytes for {len(entries)} names; "
            f"the format allows {HEADER_LIMIT}"
        )
    parts[:2] = len(text).to_bytes(8, "little"), text
    return b"".join(parts)


class Place(NamedTuple):
    """Place of a tensor in a file: dtype and shape as in `Entry`, and offsets of its bytes."""

    dtype: str
    shape: Shape
    start: int
    stop: int


def read(data: Buffer) -> tuple[dict[str, Entry], dict[str, str]]:
    """Decode a file to its entries by name, in file order and without copying, and its metadata.

    Raises FormatError for files that violate the format.
    """
    try:
        view = memoryview(data).cast("B")
    except TypeError:
        raise wrong_type("from_bytes", "data", "contiguous bytes", data, "bytes") from None
    places, metadata = places_in(view, len(view))
    entries = {
        name: Entry(dtype, shape, view[start:stop])
        for name, (dtype, shape, start, stop) in places.items()
    }
    return entries, metadata


def places_in(view: memoryview, size: int) -> tuple[dict[str, Place], dict[str, str]]:
    """Return the places of the tensors by name, in file order, and the metadata.

    `view` has the bytes of the file up to `header_end` at least, and `size` is the whole file's.
    Raises FormatError for files that violate the format.
    """
    start = header_end(view, size)
    header = _header(bytes(view[8:start]))
    metadata = header.pop(_METADATA, {})
    if not isinstance(metadata, dict) or not all(
        isinstance(text, str) for text in metadata.values()
    ):
        raise _malformed("metadata must map str to str", f"{metadata!r:.60}")
    offsets = sorted((_offsets(name, info), name) for name, info in header.items())
    end = 0
    places = {}
    for (begin, stop), name in offsets:
        if begin != end:
            wrong = "overlap" if begin < end else "leave a gap"
            raise _malformed(f"tensors {wrong}", f'byte {begin} as the start of "{name}"', end)
        dtype, shape = header[name]["dtype"], tuple(header[name]["shape"])
        elements = element_count(shape)
        if elements is None or stop - begin != elements * SIZES[dtype]:
            raise _malformed(
                f'size of "{name}" does not fit its shape',
                f"{stop - begin} bytes for {dtype} of shape {shape!s:.60}",
                None if elements is None else elements * SIZES[dtype],
            )
        end = stop
        places[name] = Place(dtype, shape, start + begin, start + stop)
    if start + end != size:
        wrong = "file is cut off" if start + end > size else "file continues after its last tensor"
        raise _malformed(wrong, f"{size} bytes", start + end)
    return places, metadata


def element_count(shape: Collection[int]) -> int | None:
    """Return the product of the lengths of axes; None if it has more than 63 bits."""
    count = int(0 not in shape)
    for length in shape:
        count *= length
        if count >= 1 << 63:
            return None
    return count


def header_end(view: memoryview, size: int) -> int:
    """Return the offset of the first element, given the first 8 bytes of a file of `size` bytes."""
    if size < 8:
        raise _malformed("file is cut off", f"{size} bytes", "at least 8")
    length = int.from_bytes(view[:8], "little")
    if length > HEADER_LIMIT:
        raise FormatError(
            f"from_bytes: not a safetensors file; got {bytes(view[:8])!r} as its first bytes; read "
            "arrays of NumPy with pt.load, tables with pt.data.csv, and models with pt.models.load"
        )
    if length > size - 8:
        raise _malformed("file is cut off", f"{size} bytes", f"at least {8 + length}")
    return 8 + length


def _header(text: bytes) -> dict[str, Any]:
    """Return the header."""
    if not text.startswith(b"{"):
        raise _malformed("header does not begin with {", repr(text[:20]))
    try:
        header: dict[str, Any] = json.loads(text.decode(), object_pairs_hook=_object)
    except FormatError:
        raise
    except (ValueError, RecursionError) as error:
        raise _malformed("header is not JSON", str(error)) from None
    return header


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        [(twice, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise _malformed("name occurs twice", repr(twice))
    return members


def _offsets(name: str, info: object) -> tuple[int, int]:
    """Check a tensor's header entry and return the begin and end of its elements."""
    if not isinstance(info, dict) or not info.keys() >= {"dtype", "shape", "data_offsets"}:
        raise _malformed(f'"{name}" lacks dtype, shape or data_offsets', f"{info!r:.60}")
    if info["dtype"] not in list(SIZES):
        raise FormatError(
            f'from_bytes: dtype of "{name}" is not supported; got {info["dtype"]!r}; '
            f"convert it to one of {', '.join(SIZES)}"
        )
    for key, count in (("shape", None), ("data_offsets", 2)):
        numbers = info[key]
        if (
            not isinstance(numbers, list)
            or any(type(number) is not int or number < 0 for number in numbers)
            or count not in (None, len(numbers))
        ):
            raise _malformed(f'{key} of "{name}" must be non-negative integers', f"{numbers!r:.60}")
    begin, end = info["data_offsets"]
    return begin, end


def _malformed(wrong: str, got: str, expected: int | str | None = None) -> FormatError:
    advice = "" if expected is None else f"the format requires {expected}; "
    return FormatError(
        f"from_bytes: not a valid safetensors file: {wrong}; got {got}; {advice}download or save "
        "the file again"
    )
