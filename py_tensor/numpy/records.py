"""Structured arrays: a tensor for each field, under one shape.

`np.zeros(5, dtype=[("x", float), ("color", "u1", 3)])` makes one. Its fields are tensors, so that
functions take `a["x"]`, and assigning to them changes the array.

>>> import py_tensor.numpy as np
>>> points = np.zeros(2, dtype=[("x", float), ("y", int)])
>>> points["x"] += [0.5, 1.5]
>>> points.tolist(), points["x"].sum().item()
([(0.5, 0), (1.5, 0)], 2.0)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .. import functions as F, numpy_functions as N
from ..errors import ShapeError
from ..functions.arguments import a_shape
from ..tensor import Tensor
from ..typing import ShapeLike
from .structured import StructuredDType, is_structured


class StructuredArray:
    """Array whose elements have named fields; each field is a tensor or a structured array."""

    def __init__(
        self, dtype: StructuredDType, shape: tuple[int, ...], columns: dict[str, Any]
    ) -> None:
        self.dtype = dtype
        self.shape = shape
        self._columns = columns

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return len(self._rows())

    def _rows(self) -> list[Any]:
        """Return the elements as tuples, in row-major order."""
        count = F.zeros(self.shape, dtype="bool").size
        flat = [column.reshape((count, *column.shape[self.ndim :])) for column in self._parts()]
        return list(zip(*(part.tolist() for part in flat), strict=True))

    def _parts(self) -> list[Any]:
        return list(self._columns.values())

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len: array has no axes; got shape (); use .size")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[at] for at in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return self._columns[key]
        if isinstance(key, list) and all(isinstance(name, str) for name in key):
            columns = {name: self._columns[name] for name in key}
            return StructuredArray(_part_of(self.dtype, key), self.shape, columns)
        shape = F.zeros(self.shape, dtype="bool")[key].shape
        # A row without axes is a view as well, as in NumPy.
        own = (*(key if isinstance(key, tuple) else (key,)), ...) if not shape else key
        columns = {name: column[own] for name, column in self._columns.items()}
        return StructuredArray(self.dtype, shape, columns)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, str):
            self._columns[key][...] = value
            return
        if isinstance(value, list):
            value = _of_rows(value, self.dtype)
        values = value._parts() if isinstance(value, StructuredArray) else value
        if not isinstance(values, tuple | list):
            values = [value] * len(self._columns)
        for column, part in zip(self._parts(), values, strict=True):
            column[key] = part

    def reshape(self, *shape: Any) -> StructuredArray:
        """Return the elements in another shape."""
        lengths = F.zeros(self.shape, dtype="bool").reshape(*shape).shape
        columns = {
            name: column.reshape((*lengths, *column.shape[self.ndim :]))
            for name, column in self._columns.items()
        }
        return StructuredArray(self.dtype, lengths, columns)

    def copy(self) -> StructuredArray:
        """Return a copy of all fields."""
        columns = {name: column.copy() for name, column in self._columns.items()}
        return StructuredArray(self.dtype, self.shape, columns)

    def tolist(self) -> Any:
        """Return the elements as nested lists of tuples; a tuple for shape ()."""
        rows: Any = self._rows()
        for length in reversed(self.shape[1:]):
            rows = [rows[at : at + length] for at in range(0, len(rows), length)]
        return rows if self.shape else rows[0]

    def __repr__(self) -> str:
        return f"array({self.tolist()}, dtype={self.dtype.__repr__()[6:-1]})"

    def __str__(self) -> str:
        return str(self.tolist())


def _part_of(dtype: StructuredDType, names: list[str]) -> StructuredDType:
    return StructuredDType([(n, dtype.fields[n][0], dtype.fields[n][1]) for n in names])


def filled(make: Callable[..., Tensor], shape: ShapeLike, dtype: Any) -> StructuredArray:
    """Make a structured array whose fields `make` returns for a shape and a dtype."""
    own = dtype if isinstance(dtype, StructuredDType) else StructuredDType(dtype)
    lengths = a_shape("dtype", shape)
    columns: dict[str, Any] = {}
    for name, (inner, rest) in own.fields.items():
        if isinstance(inner, StructuredDType):
            columns[name] = filled(make, (*lengths, *rest), inner)
        else:
            columns[name] = make((*lengths, *rest), dtype=inner)
    return StructuredArray(own, lengths, columns)


def _of_rows(rows: Any, dtype: Any) -> StructuredArray:
    """Make a structured array of tuples, one for each element, in nested lists."""
    shape: tuple[int, ...] = ()
    flat = [rows]
    while flat and isinstance(flat[0], list):
        shape = (*shape, len(flat[0]))
        flat = [item for row in flat for item in row]
    result = filled(F.zeros, shape, dtype)
    for at, name in enumerate(result.dtype.names):
        inner, rest = result.dtype.fields[name]
        column = [row[at] for row in flat]
        if isinstance(inner, StructuredDType):
            result._columns[name] = _of_rows(column, inner).reshape((*shape, *rest))
        elif column:
            values = F.asarray(column, dtype=inner)
            if values.size != result[name].size:
                raise ShapeError(f"array: field {name} does not fit; got shape {values.shape}")
            result[name] = F.reshape(values, result[name].shape)
    return result


def _creation(name: str) -> Callable[..., Any]:
    plain: Any = getattr(N if name == "array" else F, name)

    def create(*args: Any, **kwargs: Any) -> Any:
        dtype = kwargs.get("dtype") or (args[1] if len(args) > 1 else None)
        if not is_structured(dtype):
            return plain(*args, **kwargs)
        first: Any = args[0] if args else kwargs.get("shape", kwargs.get("object", ()))
        return _of_rows(first, dtype) if name == "array" else filled(plain, first, dtype)

    create.__name__ = create.__qualname__ = name
    create.__doc__ = plain.__doc__
    return create


zeros, ones, empty, array = map(_creation, ("zeros", "ones", "empty", "array"))
