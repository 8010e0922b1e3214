"""Types for annotations of arguments, for example of functions that call py_tensor.

>>> from py_tensor.typing import ArrayLike
>>> import py_tensor as pt
>>> def norm(x: ArrayLike) -> pt.Tensor:
...     return pt.sqrt(pt.sum(pt.square(x)))
>>> norm([3.0, 4.0]).item()
5.0
"""

from __future__ import annotations

from collections.abc import Buffer, Iterator, Sequence
from types import EllipsisType
from typing import Any, Protocol, SupportsIndex

from .dtypes import DType


class SupportsArray(Protocol):
    """Object that NumPy can convert, for example a NumPy array or number."""

    def __array__(self) -> Any: ...


class NestedSequence[Item](Protocol):
    """List or tuple of items, or of lists or tuples of items, and so on. A str is none."""

    def __len__(self, /) -> int: ...
    def __getitem__(self, index: int, /) -> Item | NestedSequence[Item]: ...
    def __contains__(self, item: object, /) -> bool: ...
    def __iter__(self, /) -> Iterator[Item | NestedSequence[Item]]: ...


class NamedDType(Protocol):
    """Data type of another library with a name, for example `numpy.dtype("float32")`."""

    @property
    def name(self) -> str: ...


type Scalar = bool | int | float | complex
"""Python number. In operations with tensors it adopts their dtype."""

type ArrayLike = Scalar | Buffer | SupportsArray | NestedSequence[Scalar | Buffer | SupportsArray]
"""Argument that is converted to a tensor: a Python number; a Tensor, NumPy array, `array.array`,
memoryview or other buffer; or nested lists or tuples of these."""

type DTypeLike = DType | str | type[Any] | NamedDType
"""Dtype of this package, its name, a Python type of numbers, or a NumPy dtype."""

type ShapeLike = int | Sequence[int]
"""Shape: one length, or a length for each axis."""

type Axis = int | Sequence[int] | None
"""Axes of a tensor: one, several, or None for all; negative numbers count from the end."""

type PerAxis = int | Sequence[int]
"""Number for all spatial axes of an image, for example a stride, or one for each of them."""

type PaddingLike = str | int | Sequence[int] | Sequence[int | Sequence[int]]
"""Padding of images: "valid", "same", a number, or (before, after) for each spatial axis."""

type IndexItem = SupportsIndex | slice | EllipsisType | ArrayLike | None
"""Item of an index: an integer, slice, ..., None, mask, or tensor of indices."""

type IndexLike = IndexItem | tuple[IndexItem, ...]
"""Index of a tensor, as in `x[0, ..., mask]`."""
