"""Operators that read and write at indexed positions, and sorting operators."""

from __future__ import annotations

import math

from .... import functions as F, numpy_functions
from ....functions.arguments import one_axis
from ....tensor import Tensor
from ... import folding
from ...execution import MAX_ELEMENTS
from ...graph import ModelConstant
from .shared import Ints, Operator, Quantization, at, dequantized, moved, quantized, single


def gather(x: Tensor, indices: Tensor, *, axis: int = 0, batch_dims: int = 0) -> Tensor:
    along = one_axis("gather", axis, x.ndim)
    batch = one_axis("gather", batch_dims, indices.ndim + 1)
    if not batch:
        return F.take(x, indices, axis=along)
    if x.shape[:batch] != indices.shape[:batch] or along < batch:
        raise ValueError(f"{batch} batch axes of {list(x.shape)} and {list(indices.shape)}")
    # Merge the batch axes, and add the position of each batch to the indices.
    count = math.prod(x.shape[:batch])
    rows = F.moveaxis(x.reshape((count, *x.shape[batch:])), along - batch + 1, 1)
    n = rows.shape[1]
    places = indices.reshape((count, -1))
    places = F.where(places < 0, places + n, places) + F.arange(count).reshape((-1, 1)) * n
    found = F.take(rows.reshape((count * n, *rows.shape[2:])), places.reshape((-1,)), axis=0)
    inner = indices.shape[batch:]
    found = found.reshape((count, math.prod(inner), *rows.shape[2:]))
    found = F.moveaxis(found, 1, along - batch + 1)
    before, after = x.shape[:along], x.shape[along + 1 :]
    return found.reshape((*before, *inner, *after))


def gather_constant(
    x: ModelConstant, indices: ModelConstant, *, axis: int = 0, batch_dims: int = 0
) -> ModelConstant | None:
    return None if batch_dims else folding.gather(x, indices, axis=axis)


def embedding_lookup(
    indices: Tensor, table: Tensor, *, quantization: Quantization | None = None
) -> Tensor:
    rows = F.take(table, indices, axis=0)
    given = None if quantization is None else at(quantization.inputs, 1)
    wanted = None if quantization is None else at(quantization.outputs, 0)
    if given is None or wanted == given:
        return rows
    if len(given.scale) > 1:
        scale = F.take(F.asarray(list(given.scale), dtype="float32"), indices)
        y = rows.astype("float32") * scale.reshape((-1, *(1,) * (rows.ndim - 1)))
    else:
        y = dequantized(rows, given)
    return y if wanted is None else quantized(y, wanted)


def gather_nd(x: Tensor, indices: Tensor) -> Tensor:
    return x[tuple(F.unstack(indices, axis=-1))]


def scatter_nd(indices: Tensor, updates: Tensor, shape: Ints) -> Tensor:
    head, block = shape[: indices.shape[-1]], shape[indices.shape[-1] :]
    if math.prod(shape) > MAX_ELEMENTS:
        raise ValueError(f"shape {shape} is too large")
    place = F.asarray(0)
    for n, part in zip(head, F.unstack(indices, axis=-1), strict=True):
        place = place * n + part
    rows = updates.reshape((place.size, *block))
    return F.segment_sum(rows, place.reshape((-1,)), math.prod(head)).reshape(tuple(shape))


def sparse_to_dense(indices: Tensor, shape: Ints, values: Tensor, default: Tensor) -> Tensor:
    places = indices.reshape((-1, len(shape)))
    x = F.copy(F.broadcast_to(default.reshape(()), tuple(shape)))
    x[tuple(F.unstack(places, axis=-1))] = values
    return x


def one_hot(
    indices: Tensor, depth: int | Ints, on: Tensor, off: Tensor, *, axis: int = 0
) -> Tensor:
    hot = F.expand_dims(indices, axis=-1) == F.arange(single(depth))
    return F.moveaxis(F.where(hot, on.reshape(()), off.reshape(())), -1, axis)


def top_k(x: Tensor, k: int | Ints) -> tuple[Tensor, ...]:
    return tuple(F.topk(x, single(k)))


def reverse_sequence(x: Tensor, lengths: Tensor, *, seq_dim: int = 0, batch_dim: int = 0) -> Tensor:
    rows = F.moveaxis(x, (batch_dim, seq_dim), (0, 1))
    time, each = F.arange(rows.shape[1]), lengths.reshape((-1, 1))
    back = F.where(time < each, each - 1 - time, time)
    back = back.reshape((*back.shape, *(1,) * (x.ndim - 2)))
    return F.moveaxis(F.take_along_axis(rows, back, axis=1), (0, 1), (batch_dim, seq_dim))


def where(condition: Tensor) -> Tensor:
    return numpy_functions.argwhere(condition)


def where_constant(condition: ModelConstant) -> ModelConstant:
    found = folding.nonzero(condition)
    return folding.transpose(found)


def unique(x: Tensor) -> tuple[Tensor, Tensor]:
    found = F.unique_all(x)
    order = F.argsort(found.indices)
    return found.values[order], F.argsort(order)[found.inverse_indices.reshape((-1,))]


def matrix_diag(x: Tensor) -> Tensor:
    n = x.shape[-1]
    return F.where(
        F.eye(n, dtype="bool"), F.expand_dims(x, axis=-2), F.zeros_like(x[..., :1, None])
    )


def matrix_set_diag(x: Tensor, diagonal: Tensor) -> Tensor:
    rows, columns = x.shape[-2:]
    wide = F.pad(diagonal, [(0, 0)] * (diagonal.ndim - 1) + [(0, columns - diagonal.shape[-1])])
    return F.where(F.eye(rows, columns, dtype="bool"), F.expand_dims(wide, axis=-2), x)


OPERATORS = {
    "EMBEDDING_LOOKUP": Operator(embedding_lookup),
    "GATHER": Operator(gather, fold=gather_constant, wrapper=moved),
    "GATHER_ND": Operator(gather_nd, wrapper=moved),
    "MATRIX_DIAG": Operator(matrix_diag, wrapper=moved),
    "MATRIX_SET_DIAG": Operator(matrix_set_diag, wrapper=moved),
    "ONE_HOT": Operator(one_hot, host=("depth",), wrapper=moved),
    "REVERSE_SEQUENCE": Operator(reverse_sequence, wrapper=moved),
    "SCATTER_ND": Operator(scatter_nd, host=("shape",), wrapper=moved),
    "SPARSE_TO_DENSE": Operator(sparse_to_dense, host=("shape",), wrapper=moved),
    "TOPK_V2": Operator(top_k, host=("k",), wrapper=moved),
    "UNIQUE": Operator(unique, wrapper=moved),
    "WHERE": Operator(where, fold=where_constant),
}
