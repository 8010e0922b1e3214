"""Read GGUF files: metadata, and tensors whose elements may have a few bits.

Input: a file. Output: metadata by key, and tensors by name. Tensors of a type with
blocks become packed matrices: the fields of the blocks are moved to tensors of their own, and the
elements stay as they are. Sources: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md for
the file, and `ggml-common.h` and `ggml-quants.c` of the same repository for the blocks.
"""

from __future__ import annotations

import math
import struct
from functools import partial
from typing import Any, NamedTuple

from ... import functions as F
from ...dtypes import DType, float16, int8, uint8
from ...errors import ModelError
from ...io.safetensors import SIZES, element_count
from ...nn.quantization import BitPlane, PackedMatrix, Packing, bfloat16_matrix
from ...ops.op_def import Shape
from ...tensor import Tensor, from_host, realize
from ..file_errors import shortened
from ..readers import ForwardReader
from . import stored as plain
from .stored import StoredTensor

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MOST_AXES = 4
MATRICES = 3
"""Number of axes of the matrices of all experts."""
_NUMBERS = {
    **{0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f"},
    **{7: "?", 10: "Q", 11: "q", 12: "d"},
}
"""`struct` codes of the types of metadata that are numbers."""
_TEXT, _ARRAY = 8, 9
_PLAIN = {
    **{0: "F32", 1: "F16", 24: "I8", 25: "I16", 26: "I32"},
    **{27: "I64", 28: "F64", 30: "BF16"},
}
"""Names in safetensors of the types of tensors without blocks."""


class Fields(NamedTuple):
    """Offsets of the fields of a block in bytes; -1 for one that the type has not."""

    planes: tuple[tuple[int, int], ...]
    """Offset and length of each plane of bits, the lowest bits first."""
    scale: int
    offset: int = -1
    inner: int = -1
    """Offset of the scales of the parts of a block."""


class BlockType(NamedTuple):
    """A type of tensors whose elements are stored in blocks.

    An element is (integer - zero) * scale + offset; the scale and the offset of a block are
    float16. If the type has inner scales, they are factors of the block's, for each `packing.block`
    elements.
    """

    name: str
    elements: int
    nbytes: int
    packing: Packing
    fields: Fields


def _type(
    name: str,
    elements: int,
    nbytes: int,
    planes: tuple[tuple[BitPlane, int, int], ...],
    fields: tuple[int, ...],
    *,
    zero: int = 0,
    block: int = 0,
) -> BlockType:
    packing = Packing(block or elements, tuple(plane for plane, _, _ in planes), zero)
    places = tuple((offset, length) for _, offset, length in planes)
    return BlockType(name, elements, nbytes, packing, Fields(places, *fields))


_NIBBLES, _LONG_NIBBLES, _BYTES = BitPlane(4, 16), BitPlane(4, 32), BitPlane(8, 1)
BLOCK_TYPES = {
    2: _type("Q4_0", 32, 18, ((_NIBBLES, 2, 16),), (0,), zero=8),
    3: _type("Q4_1", 32, 20, ((_NIBBLES, 4, 16),), (0, 2)),
    6: _type("Q5_0", 32, 22, ((_NIBBLES, 6, 16), (BitPlane(1, 1), 2, 4)), (0,), zero=16),
    7: _type("Q5_1", 32, 24, ((_NIBBLES, 8, 16), (BitPlane(1, 1), 4, 4)), (0, 2)),
    8: _type("Q8_0", 32, 34, ((_BYTES, 2, 32),), (0,)),
    12: _type("Q4_K", 256, 144, ((_LONG_NIBBLES, 16, 128),), (0, 2, 4), block=32),
    13: _type(
        "Q5_K", 256, 176, ((_LONG_NIBBLES, 48, 128), (BitPlane(1, 32), 16, 32)), (0, 2, 4), block=32
    ),
    14: _type(
        *("Q6_K", 256, 210, ((BitPlane(4, 64), 0, 128), (BitPlane(2, 32), 128, 64))),
        (208, -1, 192),
        zero=32,
        block=16,
    ),
}
"""Types of tensors with blocks, by their number in files."""
_SIX_BITS = 12
"""Bytes with eight scales and eight offsets of six bits each."""


FIRST = 1 << 18
"""Number of bytes of a file that are read first."""
HEADER_LIMIT = 1 << 28
"""Largest number of bytes before the tensors."""
DEPTH = 8
"""Largest number of arrays inside of each other in metadata."""


class TensorInfo(NamedTuple):
    """Name, shape and type of a tensor in a file, and the offsets of its bytes."""

    name: str
    shape: Shape
    type: int
    start: int
    stop: int


class GgufFile:
    """A file: `metadata` by key, and `tensors`, the descriptions of tensors by name.

    `data` has the bytes before the tensors at least, and `size` is the whole file's.
    """

    def __init__(self, data: Any, size: int) -> None:
        self._data = memoryview(data).cast("B")
        self._size = size
        self._at = 4
        if bytes(self._data[:4]) != MAGIC:
            raise _malformed("magic number", f"{bytes(self._data[:4])!r}")
        version = self._number("I")
        if version not in VERSIONS:
            raise _malformed("version is unknown", f"{version}, which may be big-endian")
        tensors, entries = self._number("Q"), self._number("Q")
        self.metadata: dict[str, Any] = {}
        for _ in range(entries):
            key = self._text()
            self.metadata[key] = self._value(self._number("I"), key, DEPTH)
        infos = [self._info() for _ in range(tensors)]
        alignment = self.metadata.get("general.alignment", 32)
        if type(alignment) is not int or alignment < 1:
            raise _malformed("alignment", f"{alignment!r:.40}")
        start = -(-self._at // alignment) * alignment
        self.tensors: dict[str, TensorInfo] = {}
        for name, shape, kind, offset in infos:
            first = start + offset
            self.tensors[name] = TensorInfo(
                name, shape, kind, first, first + _nbytes(name, shape, kind)
            )
        if len(self.tensors) < tensors:
            raise _malformed("two tensors have one name", f"{tensors} tensors")
        self._check_places()

    def _check_places(self) -> None:
        """Raise ModelError if tensors overlap, or go past the end."""
        end = 0
        for info in sorted(self.tensors.values(), key=lambda info: info.start):
            if info.start < end:
                raise _malformed(
                    "tensors overlap", f"byte {info.start} as the start of {info.name!r:.60}"
                )
            end = max(end, info.stop)
        if end > self._size:
            raise _too_short(self._size, end)

    # --- reading --------------------------------------------------------------------------------

    def _bytes(self, count: int, skip: bool = True) -> memoryview:
        """Return the bytes that come next."""
        end = self._at + count
        if end > min(len(self._data), HEADER_LIMIT):
            if end <= min(self._size, HEADER_LIMIT):
                raise NotEnough
            raise _too_short(self._size, end)
        part = self._data[self._at : end]
        self._at += count if skip else 0
        return part

    def _number(self, code: str) -> Any:
        return struct.unpack(f"<{code}", self._bytes(struct.calcsize(f"<{code}")))[0]

    def _text(self) -> str:
        return str(self._bytes(self._number("Q")), "utf-8", "replace")

    def _value(self, kind: int, key: str, depth: int) -> Any:
        if kind in _NUMBERS:
            return self._number(_NUMBERS[kind])
        if kind == _TEXT:
            return self._text()
        if kind != _ARRAY or not depth:
            raise _malformed("type of a value is unknown", f"{kind} for {key!r:.60}")
        inner, count = self._number("I"), self._number("Q")
        if inner in _NUMBERS:
            code = _NUMBERS[inner]
            data = self._bytes(count * struct.calcsize(f"<{code}"))
            return list(struct.unpack(f"<{count}{code}", data))
        # Texts have at least eight bytes, so the count cannot be larger.
        self._bytes(8 * count, skip=False)
        return [self._value(inner, key, depth - 1) for _ in range(count)]

    def _info(self) -> tuple[str, Shape, int, int]:
        name, axes = self._text(), self._number("I")
        if axes > MOST_AXES:
            raise _malformed("too many axes", f"{axes} for {name!r:.60}")
        shape = tuple(self._number("Q") for _ in range(axes))[::-1]
        return name, shape, self._number("I"), self._number("Q")


class NotEnough(Exception):
    """More bytes of the file are needed."""


def _nbytes(name: str, shape: Shape, kind: int) -> int:
    """Return the number of bytes of a tensor; raise ModelError if its type has no such shape."""
    size = element_count(shape)
    if size is None:
        raise _malformed("tensor is too large", f"{shortened(shape)} for {name!r:.60}")
    if kind in _PLAIN:
        return size * SIZES[_PLAIN[kind]]
    block = BLOCK_TYPES.get(kind)
    if block is None:
        # Only tensors that are read need a known type.
        return 0
    if not size or (shape[-1] if shape else 1) % block.elements:
        raise _malformed(
            f"rows of {block.name} must have a multiple of {block.elements} elements",
            f"{shortened(shape)} for {name!r:.60}",
        )
    return size // block.elements * block.nbytes


def _tensor_of(
    info: TensorInfo, packs: bool, shape: Shape, data: memoryview
) -> Tensor | PackedMatrix:
    """Return a tensor, or a packed matrix of the last axis and the product of the others.

    With `packs`, matrices of bfloat16 stay packed, too.
    """
    name, _, kind, *_ = info
    if kind in _PLAIN:
        if packs and _PLAIN[kind] == "BF16" and len(shape) == MATRICES:
            return bfloat16_matrix(data, math.prod(shape[:-1]), shape[-1])
        return plain.tensor_of(name, _PLAIN[kind], packs, shape, data)
    block = BLOCK_TYPES.get(kind)
    if block is None:
        known = ", ".join((*_PLAIN.values(), *(other.name for other in BLOCK_TYPES.values())))
        raise ModelError(
            f"load_weights: type of a tensor is not supported; got number {kind} for "
            f"{name!r:.60}; use a file with {known}"
        )
    columns = shape[-1]
    return _packed(block, data, math.prod(shape[:-1]), columns)


def tensor_of(info: TensorInfo, packs: bool, data: memoryview) -> Any:
    """Return the tensor of a description, given its bytes."""
    return plain.maker(partial(_tensor_of, info), info.shape, packs)(data)


def _packed(block: BlockType, data: memoryview, rows: int, columns: int) -> PackedMatrix:
    """Return the matrix of the blocks of all rows."""

    def part(offset: int, length: int, dtype: DType) -> Tensor:
        elements = _field(data, block.nbytes, offset, length)
        shape = (rows, len(elements) // rows // dtype.itemsize)
        return from_host(elements, shape, dtype, "load_weights")

    def optional(offset: int) -> Tensor | None:
        return None if offset < 0 else part(offset, 2, float16)

    fields = block.fields
    plane_dtype = int8 if block.name == "Q8_0" else uint8
    planes = [part(*place, plane_dtype) for place in fields.planes]
    scales, offsets = part(fields.scale, 2, float16), optional(fields.offset)
    if fields.inner < 0:
        return PackedMatrix(planes, scales, block.packing, columns, offsets=offsets)
    if offsets is None:
        inner, inner_offsets = part(fields.inner, 16, int8), None
    else:
        inner, inner_offsets = _six_bits(part(fields.inner, _SIX_BITS, uint8))
        offsets = -offsets
        realize(inner, inner_offsets, offsets)
    return PackedMatrix(
        planes,
        inner,
        block.packing,
        columns,
        offsets=inner_offsets,
        outer_scales=scales,
        outer_offsets=offsets,
    )


def _field(data: memoryview, step: int, offset: int, length: int) -> bytes:
    """Return the bytes of one field of all blocks."""
    result = bytearray(len(data) // step * length)
    for position in range(length):
        result[position::length] = data[offset + position :: step]
    return bytes(result)


def _six_bits(data: Tensor) -> tuple[Tensor, Tensor]:
    """Return the eight scales and the eight offsets of each block, (rows, blocks * 8).

    The first eight bytes have the first four numbers of each in six bits, and the two highest bits
    of the last four, whose other bits are in the last four bytes.
    """
    rows, count = data.shape
    thirds = data.reshape((rows, count // _SIX_BITS, 3, 4))
    first, second, third = (thirds[:, :, number] for number in range(3))

    def joined(own: Tensor, others: Tensor) -> Tensor:
        high = F.bitwise_left_shift(F.bitwise_right_shift(own, _byte(6)), _byte(4))
        last = F.bitwise_or(others, high)
        low = F.bitwise_and(own, _byte(63))
        return F.concat([low, last], axis=2).reshape((rows, count // _SIX_BITS * 8))

    scales = joined(first, F.bitwise_and(third, _byte(15)))
    return scales, joined(second, F.bitwise_right_shift(third, _byte(4)))


def _byte(number: int) -> Tensor:
    return F.asarray(number, dtype=uint8)


async def header(file: ForwardReader) -> GgufFile:
    """Read a file's metadata and the descriptions of its tensors."""
    count, size = FIRST, file.file.size
    while True:
        try:
            return GgufFile(await file.read(0, count), size)
        except NotEnough:
            count *= 4
        except (struct.error, OverflowError, MemoryError) as error:
            raise _malformed("header", f"{type(error).__name__}: {error}") from None


def stored(file: GgufFile, packs: bool) -> list[StoredTensor]:
    """Return the tensors of a file, see `_tensor_of`."""
    return [
        StoredTensor(info.name, info.start, info.stop, partial(tensor_of, info, packs))
        for info in file.tensors.values()
    ]


def _too_short(size: int, needed: int) -> ModelError:
    if needed <= size:
        return _malformed("metadata are too long", f"{shortened(needed)} bytes")
    return _malformed("file is too short", f"{size} bytes, needed {shortened(needed)}")


def _malformed(wrong: str, got: str) -> ModelError:
    return ModelError(
        f"load_weights: not a valid GGUF file: {wrong}; got {got}; download or save the file again"
    )
