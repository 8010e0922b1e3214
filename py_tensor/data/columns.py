"""Columns: arrays whose rows are the elements of a dataset.

Input: an array. Output: one row (`row`), or the rows at given indices as one batch (`rows`).
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, Protocol

from ..dtypes import DType
from ..errors import ShapeError
from ..functions.arguments import flag
from ..functions.creation import asarray
from ..functions.indexing import take
from ..ops.index_map import Shape
from ..runtime.host_data import to_host
from ..tensor import Tensor, from_host


class Column(Protocol):
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
        start = index * self.width
        return from_host(self.data[start : start + self.width], self.shape, self.dtype, "row")

    def rows(self, indices: Sequence[int]) -> Tensor:
        data, width = self.data, self.width
        joined = b"".join([data[at * width : at * width + width] for at in indices])
        return from_host(joined, (len(indices), *self.shape), self.dtype, "batch")


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


def column_of(operation: str, value: Any, device: bool) -> Column:
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
