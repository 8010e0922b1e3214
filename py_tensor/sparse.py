"""Tensors that are mostly zero, as the indices and values of their other elements.

Input and output: a matrix of indices with one row for each element, the values, and a shape.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from . import functions as F
from .errors import DTypeError, ShapeError
from .functions.decorators import named
from .functions.elementwise import where
from .functions.searching import unraveled
from .functions.segments import IndexUpdater
from .tensor import Tensor, as_tensor
from .typing import ArrayLike

__all__ = ["FilledRows", "fill_empty_rows", "reshape", "to_dense"]


class FilledRows(NamedTuple):
    """Result of `fill_empty_rows`."""

    indices: Tensor
    values: Tensor
    empty_rows: Tensor
    """bool for each row of the tensor, True if it had no element."""
    places: Tensor
    """Position in the result of each element that was given."""


def _indices(operation: str, indices: ArrayLike) -> Tensor:
    matrix = as_tensor(operation, indices)
    if matrix.dtype.kind not in "iu":
        raise DTypeError(
            f"{operation}: indices are not integers; got dtype {matrix.dtype}; use "
            'indices.astype("int32")'
        )
    if matrix.ndim != 2:
        raise ShapeError(
            f"{operation}: indices are no matrix; got shape {matrix.shape}; pass one row of "
            "indices for each element"
        )
    return F.astype(matrix, "int32", copy=False)


@named
def to_dense(
    indices: ArrayLike, values: ArrayLike, shape: Sequence[int], /, default_value: float = 0
) -> Tensor:
    """Return the tensor that has given values at given indices.

    Args:
        indices: Matrix of integers, one row of indices for each element.
        values: Vector of the elements, or one number for all of them.
        shape: Shape of the tensor.
        default_value: Value of all other elements; 0 by default.

    Returns:
        Tensor of that shape and the dtype of the values. If a row of indices occurs several times,
        the last value is used.

    Raises:
        DTypeError: If the indices are not integers.
        ShapeError: If the indices do not fit the shape, or the values do not fit the indices.

    >>> import py_tensor as pt
    >>> pt.sparse.to_dense([[0, 1], [1, 0]], [5, 6], (2, 2)).tolist()
    [[0, 5], [6, 0]]
    """
    positions, elements = _indices("to_dense", indices), as_tensor("to_dense", values)
    if positions.shape[1] != len(shape):
        raise ShapeError(
            f"to_dense: indices do not fit; got shape {positions.shape} for shape {tuple(shape)}; "
            "pass one column for each axis"
        )
    dense = F.full(tuple(shape), default_value, dtype=elements.dtype)
    return IndexUpdater(dense)[tuple(F.unstack(positions, axis=1))].set(elements)


@named
def reshape(
    indices: ArrayLike, shape: Sequence[int], new_shape: Sequence[int], /
) -> tuple[Tensor, tuple[int, ...]]:
    """Return the indices of elements in a tensor of another shape.

    Args:
        indices: Matrix of integers, one row of indices for each element.
        shape: Shape of the tensor.
        new_shape: New shape; one length may be -1 and follows from the others.

    Returns:
        Tuple of the new indices, int32, and the new shape.

    Raises:
        DTypeError: If the indices are not integers.
        ShapeError: If the indices do not fit the shape, or the sizes differ.

    >>> import py_tensor as pt
    >>> indices, shape = pt.sparse.reshape([[0, 1], [1, 0]], (2, 6), (3, -1))
    >>> indices.tolist(), shape
    ([[0, 1], [1, 2]], (3, 4))
    """
    positions, size = _indices("reshape", indices), math.prod(shape)
    known = math.prod(n for n in new_shape if n != -1)
    lengths = tuple(size // max(known, 1) if n == -1 else n for n in new_shape)
    if (
        positions.shape[1] != len(shape)
        or math.prod(lengths) != size
        or not lengths
        or list(new_shape).count(-1) > 1
    ):
        raise ShapeError(
            f"reshape: shapes do not fit; got indices of shape {positions.shape} for shape "
            f"{tuple(shape)} and new shape {tuple(new_shape)}; the sizes must be equal"
        )
    flat = positions[:, 0]
    for axis, length in enumerate(shape[1:], 1):
        flat = flat * length + positions[:, axis]
    return F.stack(unraveled(flat, lengths), axis=1), lengths


@named
def fill_empty_rows(
    indices: ArrayLike, values: ArrayLike, shape: Sequence[int], default_value: float = 0, /
) -> FilledRows:
    """Add an element in the first column of each row that has none; rows are read back.

    Args:
        indices: Matrix of integers, one row of indices for each element.
        values: Vector of the elements.
        shape: Shape of the tensor.
        default_value: Value of added elements; 0 by default.

    Returns:
        `FilledRows`: indices and values in order of rows, a mask of the rows that were empty, and
        the new position of each given element.

    Raises:
        DTypeError: If the indices are not integers.
        ShapeError: If indices, values and shape do not fit, or a row is out of range.

    >>> import py_tensor as pt
    >>> filled = pt.sparse.fill_empty_rows([[2, 1], [0, 3]], [5, 6], (3, 4), -1)
    >>> filled.indices.tolist(), filled.values.tolist()
    ([[0, 3], [1, 0], [2, 1]], [6, -1, 5])
    >>> filled.empty_rows.tolist(), filled.places.tolist()
    ([False, True, False], [2, 0])
    """
    positions, elements = _indices("fill_empty_rows", indices), as_tensor("fill_empty_rows", values)
    rows = positions[:, 0].tolist() if positions.size else []
    if (
        positions.shape[1] != len(shape)
        or elements.shape != positions.shape[:1]
        or not all(0 <= row < shape[0] for row in rows)
    ):
        raise ShapeError(
            f"fill_empty_rows: elements do not fit; got indices of shape {positions.shape}, values "
            f"of shape {elements.shape} and shape {tuple(shape)}; pass one row of indices within "
            "the shape for each value"
        )
    elements_of: list[list[int]] = [[] for _ in range(shape[0])]
    for number, row in enumerate(rows):
        elements_of[row].append(number)
    entries = [(row, number) for row, own in enumerate(elements_of) for number in own or [-1]]
    position = {number: new for new, (_, number) in enumerate(entries)}
    source = F.asarray([number for _, number in entries], dtype="int32")
    first = F.asarray([[row, *(0,) * (len(shape) - 1)] for row, _ in entries], dtype="int32")
    if rows:
        taken, is_added = F.maximum(source, 0), source < 0
        first = where(is_added.reshape((-1, 1)), first, F.take(positions, taken, axis=0))
        filler = F.full((), default_value, dtype=elements.dtype)
        elements = where(is_added, filler, F.take(elements, taken))
    else:
        elements = F.full((len(entries),), default_value, dtype=elements.dtype)
    return FilledRows(
        first,
        elements,
        F.asarray([not own for own in elements_of], dtype="bool"),
        F.asarray([position[number] for number in range(len(rows))], dtype="int32"),
    )
