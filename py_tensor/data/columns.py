"""Columns: arrays whose rows are the elements of a dataset. Comes in: an array; goes out: tensors.

A column gives one row (`row`), or the rows at some places as one batch (`rows`).
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, Protocol

from ..conversion import to_host
from ..dtypes import DType
from ..errors import ShapeError
from ..functions.indexing import take
from ..indexing import Shape
from ..tensor import Tensor, asarray, from_host


class Column(Protocol):
    """What a dataset of rows needs to know of an array."""

    length: int

    def row(self, place: int) -> Any:
        """The element at a place."""

    def rows(self, places: Sequence[int]) -> Any:
        """The elements at these places, as one batch."""


class HostColumn:
    """An array in host memory; a batch is its rows' bytes side by side."""

    __slots__ = ("data", "dtype", "length", "shape", "width")

    def __init__(self, data: bytes, shape: Shape, dtype: DType) -> None:
        self.data = data
        self.length, *rest = shape
        self.shape = tuple(rest)
        self.dtype = dtype
        self.width = len(data) // self.length if self.length else 0

    def row(self, place: int) -> Tensor:
        start = place * self.width
        return from_host(self.data[start : start + self.width], self.shape, self.dtype, "row")

    def rows(self, places: Sequence[int]) -> Tensor:
        data, width = self.data, self.width
        joined = b"".join([data[at * width : at * width + width] for at in places])
        return from_host(joined, (len(places), *self.shape), self.dtype, "batch")


class DeviceColumn:
    """A tensor; a batch is `take`, computed where it is read."""

    __slots__ = ("length", "tensor")

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.length = len(tensor)

    def row(self, place: int) -> Tensor:
        return self.rows([place])[0]

    def rows(self, places: Sequence[int]) -> Tensor:
        # Slices would need a plan for each place.
        return take(self.tensor, asarray(array("i", places)), axis=0)


class TextColumn:
    """Texts; a batch is a list of them."""

    __slots__ = ("length", "texts")

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self.length = len(texts)

    def row(self, place: int) -> str:
        return self.texts[place]

    def rows(self, places: Sequence[int]) -> list[str]:
        return [self.texts[place] for place in places]


def column_of(operation: str, value: Any, device: bool) -> Column:
    """A column of an array's rows; tensors stay where they are.

    Raises ShapeError for arrays without axes, and what `asarray` raises.
    """
    if isinstance(value, Tensor):
        _check_axes(operation, value.shape)
        return DeviceColumn(value)
    data, shape, dtype = to_host(value, None, operation)
    _check_axes(operation, shape)
    if device:
        return DeviceColumn(from_host(data, shape, dtype, operation))
    return HostColumn(data, shape, dtype)


def _check_axes(operation: str, shape: Shape) -> None:
    if not shape:
        raise ShapeError(
            f"{operation}: array has no rows; got shape (); give arrays of at least one axis"
        )
