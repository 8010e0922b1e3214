"""Search for the vectors that are most similar to others."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from ... import functions as F
from ...dtypes import float32, int32
from ...errors import ArgumentError, DTypeError, ShapeError
from ...functions.arguments import choice, integer
from ...nn.quantization import PackedMatrix
from ...tensor import Tensor, as_tensor
from ...transforms.jit.api import jit
from ...typing import ArrayLike

ELEMENTS = 1 << 23
"""Elements of the vectors of a block, 32 MiB in float32."""
QUERIES = 128
"""Queries that are compared with a block at a time."""

Best = tuple[Tensor, Tensor]
"""Largest scores of each query so far, and their positions."""


def search(
    queries: ArrayLike,
    vectors: ArrayLike | PackedMatrix,
    count: int = 5,
    *,
    metric: str = "cosine",
) -> tuple[Tensor, Tensor]:
    """Return the vectors with the largest scores for each query.

    Scores are computed for one block of vectors after another, and the best ones are kept on the
    device, so that memory does not grow with the number of vectors. An array of NumPy, which may be
    a file in memory, is copied to the device block by block.

    Args:
        queries: Tensor of shape (queries, width), or (width,) for one.
        vectors: Tensor or array of shape (vectors, width) and any real dtype, for example int8, or
            a `pt.nn.PackedMatrix` of this shape.
        count: Number of vectors to return, at most that of all; default 5.
        metric: "cosine" (default) for products of vectors of length 1, or "dot".

    Returns:
        Tuple of the scores, float32, the largest first, and the positions of their vectors, int32.
        Both have shape (queries, count), or (count,) for one query. The first one of equal scores
        is preferred.

    Raises:
        ArgumentError: If `count` is out of range, or the metric is unknown.
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> vectors = [[1.0, 0.0], [0.0, 2.0], [3.0, 3.0]]
    >>> scores, positions = pt.text.search([0.0, 1.0], vectors, 2)
    >>> positions.tolist(), scores.tolist()[0]
    ([1, 2], 1.0)
    """
    choice("search", "metric", metric, ("cosine", "dot"))
    table = _table(vectors)
    all_queries = _real(as_tensor("search", queries))
    rows = all_queries if all_queries.ndim == 2 else all_queries[None]
    if rows.ndim != 2 or len(table.shape) != 2 or rows.shape[1] != table.shape[1]:
        raise ShapeError(
            f"search: widths differ; got shapes {all_queries.shape} and {tuple(table.shape)}; use "
            "(queries, width) and (vectors, width)"
        )
    count = integer("search", "count", count)
    if not 0 <= count <= table.shape[0]:
        raise ArgumentError(
            f"search: count is out of range; got {count} for {table.shape[0]} vectors; use 0 to "
            f"{table.shape[0]}"
        )
    if metric == "cosine":
        rows = rows * _inverse_lengths(rows)[:, None]
    parts = [
        _best(rows[start : start + QUERIES], table, count, metric)
        for start in range(0, max(rows.shape[0], 1), QUERIES)
    ]
    scores, positions = (
        F.concat(own) if len(own) > 1 else own[0] for own in zip(*parts, strict=True)
    )
    return (scores, positions) if all_queries.ndim == 2 else (scores[0], positions[0])


def _table(vectors: Any) -> Any:
    """Return vectors of which rows can be taken; arrays stay where they are."""
    if isinstance(vectors, PackedMatrix):
        return vectors
    is_array = hasattr(vectors, "__array_interface__") and vectors.dtype.kind in "fiu"
    if not is_array:
        return _real(as_tensor("search", vectors))
    return vectors


def _real(x: Tensor) -> Tensor:
    if x.dtype.kind not in "fiu":
        raise DTypeError(
            f"search: vectors must be real numbers; got dtype {x.dtype}; convert them to float32"
        )
    return x


def _best(queries: Tensor, table: Any, count: int, metric: str) -> Best:
    """Return the best of all blocks, which have the same length and may overlap at the end."""
    total, width = table.shape
    length = min(max(ELEMENTS // max(width, 1), count, 1), total)
    shape = (queries.shape[0], count)
    best = F.full(shape, -math.inf), F.zeros(shape, dtype=int32)
    on_device = isinstance(table, Tensor | PackedMatrix)
    for first in range(0, total, max(length, 1)):
        start = min(first, total - length)
        rows = table if on_device else F.asarray(table[start : start + length])
        offset = start if on_device else 0
        best = _compiled()(queries, rows, best, offset, start, first, length=length, metric=metric)
    return best


@cache
def _compiled() -> Any:
    return jit(_better, static_argnames=("length", "metric"), donate_argnums=2)


def _better(
    queries: Tensor,
    table: Any,
    best: Best,
    offset: Any,
    start: Any,
    first: Any,
    *,
    length: int,
    metric: str,
) -> Best:
    """Return the best scores so far and of a block at an offset of the table.

    The block's first vector has the position `start`; those before `first` are known already.
    """
    places = F.arange(length, dtype=int32)
    if isinstance(table, PackedMatrix):
        block = table.take(places + offset)
    else:
        block = F.take(table, places + offset, axis=0) if table.shape[0] > length else table
    block = block.astype(float32)
    scores = queries.astype(float32) @ block.mT
    if metric == "cosine":
        scores = scores * _inverse_lengths(block)
    scores = F.where(places + start >= first, scores, -math.inf)
    own, at = F.topk(scores, best[0].shape[1])
    every = F.concat([best[0], own], axis=1)
    positions = F.concat([best[1], at + start], axis=1)
    values, chosen = F.topk(every, own.shape[1])
    return values, F.take_along_axis(positions, chosen, axis=1)


def _inverse_lengths(vectors: Tensor) -> Tensor:
    vectors = vectors.astype(float32)
    return 1.0 / F.maximum((vectors * vectors).sum(axis=-1).sqrt(), 1e-12)
