"""Rows of different lengths, as one tensor of all values and the limits of the rows.

Row i has the values from `splits[i]` to `splits[i + 1]`. Nested rows have several vectors of
limits, the outermost first. Limits are read back, since they determine shapes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from . import functions as F
from .errors import DTypeError, ShapeError
from .functions.decorators import named
from .functions.elementwise import where
from .tensor import Tensor, as_tensor
from .typing import ArrayLike

__all__ = ["gather", "ranges", "to_tensor"]


def _integers(operation: str, name: str, value: ArrayLike) -> list[int]:
    vector = as_tensor(operation, value)
    if vector.dtype.kind not in "iu":
        raise DTypeError(
            f"{operation}: {name} are not integers; got dtype {vector.dtype}; use "
            f'{name}.astype("int32")'
        )
    if vector.ndim != 1:
        raise ShapeError(
            f"{operation}: {name} are no vector; got shape {vector.shape}; use flatten"
        )
    numbers: list[int] = vector.tolist() if vector.size else []
    return numbers


def _limits(operation: str, splits: Sequence[ArrayLike], count: int) -> list[list[int]]:
    """Return the limits of each level; raise ShapeError unless they end at the next one's rows."""
    levels = [_integers(operation, "splits", vector) for vector in splits]
    ends = [*(len(level) - 1 for level in levels[1:]), count]
    for level, end in zip(levels, ends, strict=True):
        if not level or level[0] or level[-1] != end or any(a > b for a, b in pairwise(level)):
            raise ShapeError(
                f"{operation}: splits do not fit; got {level!s:.60}; they must rise from 0 to "
                f"the number of rows or values of the next level, {end}"
            )
    return levels


@named
def gather(
    splits: Sequence[ArrayLike], values: ArrayLike, indices: ArrayLike, /
) -> tuple[list[Tensor], Tensor]:
    """Take rows by index.

    Args:
        splits: Vectors of the limits of rows, the outermost first.
        values: Tensor of the values of all rows.
        indices: Vector of integers, the rows to take.

    Returns:
        Tuple of a list of the new limits, int32, and the values of the taken rows.

    Raises:
        DTypeError: If splits or indices are not integers.
        ShapeError: If splits do not fit, or an index is out of range.

    >>> import py_tensor as pt
    >>> (splits,), values = pt.ragged.gather([[0, 2, 2, 5]], [1, 2, 3, 4, 5], [2, 0])
    >>> splits.tolist(), values.tolist()
    ([0, 3, 5], [3, 4, 5, 1, 2])
    """
    rows = as_tensor("gather", values)
    levels = _limits("gather", splits, rows.shape[0] if rows.ndim else 0)
    wanted = _integers("gather", "indices", indices)
    count = len(levels[0]) - 1 if levels else 0
    if not all(0 <= row < count for row in wanted):
        raise ShapeError(f"gather: index out of range; got {wanted}; use 0 to {count - 1}")
    spans, results = [(row, row + 1) for row in wanted], []
    for level in levels:
        limits = [0]
        for start, stop in spans:
            for row in range(start, stop):
                limits.append(limits[-1] + level[row + 1] - level[row])
        results.append(F.asarray(limits, dtype="int32"))
        spans = [(level[start], level[stop]) for start, stop in spans]
    taken = [row for span in spans for row in range(*span)]
    return results, F.take(rows, F.asarray(taken, dtype="int32"), axis=0)


@named
def ranges(starts: ArrayLike, limits: ArrayLike, deltas: ArrayLike = 1, /) -> tuple[Tensor, Tensor]:
    """Return several ranges of numbers, one in each row; their limits are read back.

    Args:
        starts: First numbers, a vector or one number for all.
        limits: Numbers before which the ranges end, a vector or one number.
        deltas: Differences of consecutive numbers, a vector or one number; 1 by default.

    Returns:
        Tuple of the limits of rows, int32, and the values of all ranges in the dtype of `starts`.

    Raises:
        ShapeError: If the operands do not broadcast to a vector, or a difference is 0.

    >>> import py_tensor as pt
    >>> splits, values = pt.ragged.ranges([0, 5, 8], [3, 5, 4], [1, 1, -2])
    >>> splits.tolist(), values.tolist()
    ([0, 3, 3, 5], [0, 1, 2, 8, 6])
    """
    parts = [as_tensor("ranges", part) for part in (starts, limits, deltas)]
    lengths = {part.shape for part in parts if part.ndim}
    if len(lengths) > 1 or any(part.ndim > 1 for part in parts):
        raise ShapeError(
            f"ranges: operands do not fit; got shapes {', '.join(str(p.shape) for p in parts)}; "
            "pass vectors of one length, or numbers"
        )
    shape = max(lengths, default=(1,))
    rows = [F.broadcast_to(part, shape).tolist() for part in parts]
    if 0 in rows[2]:
        raise ShapeError("ranges: a difference is 0; got 0; use other numbers")
    splits, values = [0], []
    for start, limit, delta in zip(*rows, strict=True):
        count = math.ceil((limit - start) / delta)
        values += [start + step * delta for step in range(count)]
        splits.append(len(values))
    return F.asarray(splits, dtype="int32"), F.asarray(values, dtype=parts[0].dtype)


@named
def to_tensor(
    splits: Sequence[ArrayLike],
    values: ArrayLike,
    /,
    default_value: float = 0,
    shape: Sequence[int | None] | None = None,
) -> Tensor:
    """Return rows of different lengths as a tensor, filled up with a value.

    Args:
        splits: Vectors of the limits of rows, the outermost first.
        values: Tensor of the values of all rows.
        default_value: Value after the end of shorter rows; 0 by default.
        shape: Length of each axis that `splits` describe; longer rows are cut off. None (default)
            for the largest length, for one axis or all of them.

    Returns:
        Tensor of shape (rows, largest length, ..., *values.shape[1:]) and the dtype of the values.

    Raises:
        DTypeError: If splits are not integers.
        ShapeError: If splits do not fit, or `shape` has not one more axis than there are splits.

    >>> import py_tensor as pt
    >>> pt.ragged.to_tensor([[0, 2, 2, 5]], [1, 2, 3, 4, 5]).tolist()
    [[1, 2, 0], [0, 0, 0], [3, 4, 5]]
    """
    rows = as_tensor("to_tensor", values)
    levels = _limits("to_tensor", splits, rows.shape[0] if rows.ndim else 0)
    wanted = (None,) * (len(levels) + 1) if shape is None else tuple(shape)
    if not levels or len(wanted) != len(levels) + 1:
        raise ShapeError(
            f"to_tensor: shape does not fit; got {shape} for {len(levels)} vectors of splits; pass "
            "one more length than vectors"
        )
    count = len(levels[0]) - 1
    lengths = [count if wanted[0] is None else wanted[0]]
    targets = [row if row < lengths[0] else -1 for row in range(count)]
    for level, length in zip(levels, wanted[1:], strict=True):
        width = max((b - a for a, b in pairwise(level)), default=0) if length is None else length
        targets = [
            target * width + column if target >= 0 and column < width else -1
            for target, (start, stop) in zip(targets, pairwise(level), strict=True)
            for column in range(stop - start)
        ]
        lengths.append(width)
    source = [-1] * math.prod(lengths)
    for row, target in enumerate(targets):
        if target >= 0:
            source[target] = row
    result_shape = (*lengths, *rows.shape[1:])
    filler = F.full((), default_value, dtype=rows.dtype)
    if not rows.size or not source:
        return F.broadcast_to(filler, result_shape)
    chosen = F.asarray(source, dtype="int32")
    is_value = chosen.reshape((-1, *(1,) * (rows.ndim - 1))) >= 0
    dense = where(is_value, F.take(rows, F.maximum(chosen, 0), axis=0), filler)
    return dense.reshape(result_shape)
