"""Embedding and one-hot encoding: vectors for integers."""

from __future__ import annotations

from .. import functions as F
from ..dtypes import as_dtype, float32
from ..errors import DTypeError, ShapeError
from ..functions.arguments import MOST_ELEMENTS, check_known_indices, integer
from ..functions.decorators import remembered
from ..tensor import Tensor, as_tensor, operand_of
from ..typing import ArrayLike, DTypeLike


@remembered
def embedding(indices: ArrayLike, table: ArrayLike, /) -> Tensor:
    """Select rows of a table by integers.

    As in `take`, negative indices count from the end, and an index out of range in a tensor reads
    the nearest row.

    Args:
        indices: Integers of any shape.
        table: Tensor of shape (rows, features) and any dtype.

    Returns:
        Tensor of shape (*indices.shape, features) and the dtype of `table`.

    Raises:
        DTypeError: If `indices` are not integers.
        ShapeError: If `table` does not have two axes, or an index is out of range and `indices` is
            not a tensor.

    >>> import py_tensor as pt
    >>> pt.nn.embedding([1, 0], pt.asarray([[0.0, 1.0], [2.0, 3.0]])).tolist()
    [[2.0, 3.0], [0.0, 1.0]]
    """
    places, rows = as_tensor("embedding", indices), as_tensor("embedding", table)
    check_integers("embedding", places)
    if rows.ndim != 2:
        raise ShapeError(
            f"embedding: table must have two axes; got shape {rows.shape}; pass (rows, features)"
        )
    check_known_indices("embedding", indices, places, 0, rows.shape[0])
    return F.take(rows, places, axis=0)


@remembered
def one_hot(
    indices: ArrayLike,
    depth: int,
    /,
    *,
    on_value: float = 1.0,
    off_value: float = 0.0,
    dtype: DTypeLike = float32,
) -> Tensor:
    """Encode integers as vectors with `on_value` at one position.

    An index outside 0 .. depth - 1 gives a vector of `off_value`.

    Args:
        indices: Integers of any shape.
        depth: Length of the vectors, 0 or more.
        on_value: Value at the index; default 1.0.
        off_value: Value elsewhere; default 0.0.
        dtype: Dtype of the result; default float32.

    Returns:
        Tensor of shape (*indices.shape, depth).

    Raises:
        ArgumentError: If `depth` is negative.
        DTypeError: If `indices` are not integers.

    >>> import py_tensor as pt
    >>> pt.nn.one_hot([2, 0], 3).tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    places = as_tensor("one_hot", indices)
    check_integers("one_hot", places)
    depth = integer("one_hot", "depth", depth, 0, MOST_ELEMENTS)
    target = as_dtype(dtype, "one_hot")
    hot = places.astype("int32").reshape((*places.shape, 1)) == F.arange(depth)
    on_value = operand_of("one_hot", on_value)
    off_value = operand_of("one_hot", off_value)
    numbers = not isinstance(on_value, Tensor) and not isinstance(off_value, Tensor)
    if numbers and (on_value, off_value) == (1.0, 0.0):
        return hot.astype(target)
    on, off = (F.full((), value, dtype=target) for value in (on_value, off_value))
    return F.where(hot, on, off)


def check_integers(operation: str, indices: Tensor) -> None:
    """Raise DTypeError unless the indices are integers."""
    if indices.dtype.kind not in "iu":
        raise DTypeError(
            f"{operation}: indices must be integers; got dtype {indices.dtype}; use "
            'indices.astype("int32")'
        )
