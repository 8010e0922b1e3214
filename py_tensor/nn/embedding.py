"""Integers as vectors."""

from __future__ import annotations

from typing import Any

from ..dtypes import as_dtype, float32
from ..errors import ArgumentError, DTypeError, ShapeError
from ..functions.creation import PUBLIC as CREATION
from ..functions.elementwise import PUBLIC as ELEMENTWISE
from ..functions.indexing import take
from ..functions.remembering import remembered
from ..tensor import Tensor, as_tensor


@remembered
def embedding(indices: Any, table: Any, /) -> Tensor:
    """The rows of a table that integers name: shape (*indices.shape, features).

    `table` has shape (rows, features). As `take`, an index out of range reads the nearest row, and
    negative ones count from the end. Raises DTypeError for indices that are not integers,
    ShapeError for a table of another number of axes.

    >>> import py_tensor as pt
    >>> pt.nn.embedding([1, 0], pt.asarray([[0.0, 1.0], [2.0, 3.0]])).tolist()
    [[2.0, 3.0], [0.0, 1.0]]
    """
    places, rows = as_tensor("embedding", indices), as_tensor("embedding", table)
    check_integers("embedding", places)
    if rows.ndim != 2:
        raise ShapeError(
            f"embedding: table has not two axes; got shape {rows.shape}; give (rows, features)"
        )
    return take(rows, places, axis=0)


@remembered
def one_hot(
    indices: Any,
    depth: int,
    /,
    *,
    on_value: float = 1.0,
    off_value: float = 0.0,
    dtype: Any = float32,
) -> Tensor:
    """`on_value` at the place each integer names, `off_value` elsewhere, along a new last axis.

    Shape (*indices.shape, depth). An index out of 0 .. depth - 1 gives `off_value` only. Raises
    DTypeError for indices that are not integers, ArgumentError for a negative depth.

    >>> import py_tensor as pt
    >>> pt.nn.one_hot([2, 0], 3).tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    places = as_tensor("one_hot", indices)
    check_integers("one_hot", places)
    if depth < 0:
        raise ArgumentError(f"one_hot: depth is negative; got {depth}; use 0 or more")
    target = as_dtype(dtype, "one_hot")
    hot = places.astype("int32").reshape((*places.shape, 1)) == CREATION["arange"](depth)
    if (on_value, off_value) == (1.0, 0.0):
        return hot.astype(target)
    on, off = (CREATION["full"]((), value, dtype=target) for value in (on_value, off_value))
    return ELEMENTWISE["where"](hot, on, off)


def check_integers(operation: str, indices: Tensor) -> None:
    """Raises DTypeError for indices of another dtype."""
    if indices.dtype.kind not in "iu":
        raise DTypeError(
            f"{operation}: indices are not integers; got dtype {indices.dtype}; "
            'use indices.astype("int32")'
        )
