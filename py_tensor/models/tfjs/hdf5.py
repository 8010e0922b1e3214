"""Read the HDF5 files that Keras writes: groups of data sets without chunks or compression.

Input: the bytes of a file. Output: an `Entry` for each data set by its path, and the texts that are
attributes of the file. Source: HDF5 File Format Specification 3.0: superblocks of version 0,
B-trees and object headers of version 1.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator
from typing import Any

from ...errors import ModelError
from ...io.safetensors import Entry

SIGNATURE = b"\x89HDF\r\n\x1a\n"
_CODES = {
    (0, False, 1): "U8", (0, False, 2): "U16", (0, False, 4): "U32", (0, False, 8): "U64",
    (0, True, 1): "I8", (0, True, 2): "I16", (0, True, 4): "I32", (0, True, 8): "I64",
    (1, False, 2): "F16", (1, False, 4): "F32", (1, False, 8): "F64", (8, False, 1): "BOOL",
}  # fmt: skip
"""Code of an `Entry` by the class of a datatype, its sign and its size."""
_ENTRIES = 100_000
"""Maximum number of groups, data sets and nodes of trees."""
_DATASPACE, _DATATYPE, _LAYOUT, _FILTERS, _CONTINUATION, _GROUP = 0x01, 0x03, 0x08, 0x0B, 0x10, 0x11
_ATTRIBUTE = 0x0C
_FIXED_TEXT, _VARIABLE_LENGTH = 3, 9
"""Classes of datatypes."""


def read(data: Any) -> dict[str, Entry]:
    """Return the data sets of a file by path; raise ModelError for damaged and other files."""
    return _checked(_Reader.entries, data)


def read_texts(data: Any) -> dict[str, str]:
    """Return the attributes of a file that are texts; raise ModelError for damaged files."""
    return _checked(_Reader.texts, data)


def _checked[T](method: Callable[[_Reader], T], data: Any) -> T:
    try:
        return method(_Reader(memoryview(data).cast("B")))
    except ModelError:
        raise
    except (struct.error, IndexError, ValueError, OverflowError, RecursionError) as error:
        raise _malformed("structure is damaged", f"{type(error).__name__}: {error}") from None


def _malformed(wrong: str, got: str) -> ModelError:
    return ModelError(
        f"load: not a valid HDF5 file of Keras: {wrong}; got {got:.80}; save the model again with "
        'model.save("model.keras")'
    )


class _Reader:
    def __init__(self, data: memoryview) -> None:
        self.data = data
        self.left = _ENTRIES
        self.found: dict[str, Entry] = {}

    def numbers(self, form: str, at: int) -> tuple[Any, ...]:
        """Return numbers at an address, of which a damaged file may have any."""
        return struct.unpack_from(f"<{form}", self.data, at)

    def entries(self) -> dict[str, Entry]:
        self.visit(self.root(), "")
        return self.found

    def root(self) -> int:
        """Return the address of the object header of the file."""
        head = bytes(self.data[:16])
        if head[:8] != SIGNATURE or head[8] != 0 or head[13:15] != b"\x08\x08":
            raise _malformed("superblock is not of version 0", repr(head))
        address: int = self.numbers("Q", 64)[0]
        return address

    def texts(self) -> dict[str, str]:
        """Return the attributes of the file that are texts."""
        found = {}
        for kind, at, _ in self.all_messages(self.root()):
            if kind == _ATTRIBUTE:
                name, text = self.attribute(at)
                if text is not None:
                    found[name] = text.decode()
        return found

    def attribute(self, at: int) -> tuple[str, bytes | None]:
        """Return the name of an attribute, and its text if it is one."""
        version, _, *sizes = self.numbers("BBHHH", at)
        # Parts are padded to multiples of 8 bytes in version 1 only.
        padded = [-(-size // 8) * 8 if version == 1 else size for size in sizes]
        at += 9 if version == 3 else 8
        name = bytes(self.data[at : at + sizes[0]]).partition(b"\0")[0].decode()
        kind, _, _, _, size = self.numbers("BBBBI", at + padded[0])
        at += sum(padded)
        if kind & 15 == _FIXED_TEXT:
            return name, bytes(self.data[at : at + size]).rstrip(b"\0")
        is_list = sizes[2] > 8
        if kind & 15 != _VARIABLE_LENGTH or is_list:
            return name, None
        length, heap, number = self.numbers("IQI", at)
        return name, self.heap_object(heap, number)[:length]

    def heap_object(self, heap: int, number: int) -> bytes:
        """Return the bytes of an object of a global heap."""
        if bytes(self.data[heap : heap + 4]) != b"GCOL":
            raise _malformed("heap is damaged", f"address {heap}")
        at, end = heap + 16, heap + self.numbers("Q", heap + 8)[0]
        while at < end:
            index, _, _, size = self.numbers("HHIQ", at)
            if index == number:
                return bytes(self.data[at + 16 : at + 16 + size])
            at += 16 + -(-size // 8) * 8
        raise _malformed("heap has no such object", str(number))

    def visit(self, address: int, path: str) -> None:
        """Read the object with a header at an address."""
        self.left -= 1
        if self.left < 0 or path.count("/") > 64:
            raise _malformed(f"it has more than {_ENTRIES:,} objects, or they are nested", path)
        messages = self.messages(address)
        if _GROUP in messages:
            tree, heap = self.numbers("QQ", messages[_GROUP][0])
            names = self.numbers("Q", heap + 24)[0]
            self.members(tree, names, path)
        elif _LAYOUT in messages:
            self.found[path] = self.dataset(messages, path)

    def messages(self, address: int) -> dict[int, tuple[int, int]]:
        """Return the address and the size of the first message of each type in an object header."""
        found: dict[int, tuple[int, int]] = {}
        for kind, at, size in self.all_messages(address):
            found.setdefault(kind, (at, size))
        return found

    def all_messages(self, address: int) -> Iterator[tuple[int, int, int]]:
        """Yield the type, the address and the size of each message of an object header."""
        version, _, count, _, size = self.numbers("BBHII", address)
        if version != 1:
            raise _malformed("object header is not of version 1", str(version))
        blocks: list[Any] = [(address + 16, size)]
        for at, length in blocks:
            end = at + length
            while at + 8 <= end and count:
                kind, bytes_, _ = self.numbers("HHB", at)
                if kind == _CONTINUATION:
                    blocks.append(self.numbers("QQ", at + 8))
                yield kind, at + 8, bytes_
                at, count = at + 8 + bytes_, count - 1

    def members(self, address: int, names: int, path: str) -> None:
        """Visit the members of a group in a node of its tree."""
        self.left -= 1
        if self.left < 0:
            raise _malformed(f"it has more than {_ENTRIES:,} objects", path)
        if bytes(self.data[address : address + 4]) == b"TREE":
            count = self.numbers("H", address + 6)[0]
            for at in range(count):
                self.members(self.numbers("Q", address + 32 + 16 * at)[0], names, path)
            return
        if bytes(self.data[address : address + 4]) != b"SNOD":
            raise _malformed("tree has no such node", f"address {address}")
        for at in range(self.numbers("H", address + 6)[0]):
            offset, header = self.numbers("QQ", address + 8 + 40 * at)
            start = names + offset
            name = bytes(self.data[start : start + 1024]).partition(b"\0")[0].decode()
            self.visit(header, f"{path}/{name}".lstrip("/"))

    def dataset(self, messages: dict[int, tuple[int, int]], path: str) -> Entry:
        at = messages[_DATASPACE][0]
        version, rank = self.numbers("BB", at)
        shape = self.numbers(f"{rank}Q", at + (8 if version == 1 else 4))
        at = messages[_DATATYPE][0]
        kind, bits, _, _, size = self.numbers("BBBBI", at)
        signed = kind & 15 == 0 and bool(bits & 8)
        code = _CODES.get((kind & 15, signed, size))
        version, layout = self.numbers("BB", messages[_LAYOUT][0])
        if code is None or bits & 1 or version != 3 or layout > 1 or _FILTERS in messages:
            raise _malformed(
                "data set is chunked, compressed or of another type",
                f"class {kind & 15} of {size} bytes, layout {layout} of {path}",
            )
        length = math.prod(shape) * size
        start, stored = self.numbers("QQ", messages[_LAYOUT][0] + 2)
        if layout == 0:
            start, stored = messages[_LAYOUT][0] + 4, self.numbers("H", messages[_LAYOUT][0] + 2)[0]
        content = self.data[start : start + length] if length else self.data[:0]
        if len(content) != length or stored < length:
            raise _malformed("data set goes past the end of the file", path)
        return Entry(code, shape, content)
