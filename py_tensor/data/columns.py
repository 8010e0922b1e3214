"""Columns: arrays whose rows are the elements of a dataset.

Input: an array. Output: one row (`row`), or the rows at given indices as one batch (`rows`).
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, Protocol

from ..dtypes import DType
from ..errors import ShapeError
from ..functions.arguments import flag
from ..functions.conversion import asarray
from ..functions.indexing import take
from ..ops.index_map import Shape
from ..runtime.host_data import to_host
from ..tensor import Tensor, from_host

BLOCKS = 4
"""Number of blocks of an array that stay in memory, between which rows are shuffled."""


class DataColumn(Protocol):
    """Interface between a dataset of rows and an array."""

    length: int

    def row(self, index: int) -> Any:
        """Return the row at an index."""

    def rows(self, indices: Sequence[int]) -> Any:
        """Return the rows at these indices as one batch."""


class HostColumn:
    """Array in host memory; a batch joins the bytes of its rows."""

    __slots__ = ("data", "dtype", "length", "shape", "width")

    def __init__(self, data: bytes, shape: Shape, dtype: DType) -> None:
        self.data = data
        self.length, *rest = shape
        self.shape = tuple(rest)
        self.dtype = dtype
        self.width = len(data) // self.length if self.length else 0

    def row(self, index: int) -> Tensor:
        return from_host(self.element(index), self.shape, self.dtype, "row")

    def rows(self, indices: Sequence[int]) -> Tensor:
        data, width = self.data, self.width
        return self.batch([data[at * width : at * width + width] for at in indices])

    def element(self, index: int) -> bytes:
        return self.data[index * self.width : (index + 1) * self.width]

    def batch(self, elements: Sequence[bytes]) -> Tensor:
        return from_host(b"".join(elements), (len(elements), *self.shape), self.dtype, "batch")


class DeviceColumn:
    """Tensor on the device; a batch is a lazy `take`."""

    __slots__ = ("length", "tensor")

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.length = len(tensor)

    def row(self, index: int) -> Tensor:
        return self.rows([index])[0]

    def rows(self, indices: Sequence[int]) -> Tensor:
        # Each slice would need its own plan; `take` shares one for all indices.
        return take(self.tensor, asarray(array("i", indices)), axis=0)


class TextColumn:
    """Strings; a batch is a list of them."""

    __slots__ = ("length", "texts")

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self.length = len(texts)

    def row(self, index: int) -> str:
        return self.texts[index]

    def rows(self, indices: Sequence[int]) -> list[str]:
        return [self.texts[index] for index in indices]

    element = row

    def batch(self, elements: Sequence[str]) -> list[str]:
        return list(elements)


class BlockColumn:
    """Array outside of memory that is read in blocks of consecutive rows.

    `starts` are the numbers of the first rows of the blocks, and the number of all rows. The
    `BLOCKS` blocks in use last stay in memory.
    """

    __slots__ = ("blocks", "length", "read", "starts")

    def __init__(
        self, starts: Sequence[int], read: Callable[[int], HostColumn | TextColumn]
    ) -> None:
        self.starts = starts
        self.length = starts[-1]
        self.read = read
        self.blocks: dict[int, HostColumn | TextColumn] = {}
        """Blocks in memory by number, in order of their last use."""

    def row(self, index: int) -> Any:
        block, start = self._block(index)
        return block.row(index - start)

    def rows(self, indices: Sequence[int]) -> Any:
        elements: list[Any] = []
        for index in indices:
            block, start = self._block(index)
            elements.append(block.element(index - start))
        return block.batch(elements)

    def _block(self, index: int) -> tuple[Any, int]:
        """Return the block of a row, and the number of its first row."""
        number = bisect_right(self.starts, index) - 1
        block = self.blocks.pop(number, None)
        if block is None:
            while len(self.blocks) >= BLOCKS:
                del self.blocks[next(iter(self.blocks))]
            block = self.read(number)
        self.blocks[number] = block
        return block, self.starts[number]


def block_starts(operation: str, value: Any, block_size: int | None) -> Sequence[int] | None:
    """Return the starts of the blocks in which to read an array; None if it is in memory.

    A block is a chunk of the array along its first axis, unless `block_size` counts its rows.
    """
    chunks: Any = getattr(value, "chunks", None)
    if isinstance(value, Tensor) or not (chunks or (block_size and hasattr(value, "shape"))):
        return None
    _check_axes(operation, value.shape)
    length = value.shape[0]
    if not isinstance(length, int):
        raise ShapeError(
            f"{operation}: number of rows is unknown; got shape {value.shape}; call "
            "compute_chunk_sizes() of the Dask array first"
        )
    if block_size is None and isinstance(chunks[0], tuple):  # Dask names the length of each chunk
        return [*accumulate(chunks[0], initial=0)]
    return [*range(0, length, block_size or chunks[0]), length]


def blocks_of(operation: str, value: Any, starts: Sequence[int]) -> BlockColumn:
    """Convert an array to a column that reads the rows between two starts by slicing."""

    def read(number: int) -> HostColumn:
        return HostColumn(*to_host(value[starts[number] : starts[number + 1]], None, operation))

    return BlockColumn(starts, read)


def column_of(operation: str, value: Any, device: bool) -> DataColumn:
    """Convert an array to a column; a tensor stays on its device.

    Raises ShapeError for arrays without axes, and the errors of `asarray`.
    """
    if isinstance(value, Tensor):
        _check_axes(operation, value.shape)
        return DeviceColumn(value)
    data, shape, dtype = to_host(value, None, operation)
    _check_axes(operation, shape)
    if flag(operation, "device", device):
        return DeviceColumn(from_host(data, shape, dtype, operation))
    return HostColumn(data, shape, dtype)


def _check_axes(operation: str, shape: Shape) -> None:
    if not shape:
        raise ShapeError(
            f"{operation}: arrays must have at least one axis; got shape (); reshape them"
        )
