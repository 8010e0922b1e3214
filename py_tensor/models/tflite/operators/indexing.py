"""Operators that read and write at indexed positions, and sorting operators."""

from __future__ import annotations

from functools import partial

from .... import functions as F
from ....tensor import Tensor
from ... import common, folding, indexing
from ...graph import ModelConstant
from .shared import Ints, Operator, Quantization, at, dequantized, moved, quantized


def embedding_lookup(
    indices: Tensor, table: Tensor, *, quantization: Quantization | None = None
) -> Tensor:
    rows = F.take(table, indices, axis=0)
    scales = None if quantization is None else at(quantization.inputs, 1)
    wanted = None if quantization is None else at(quantization.outputs, 0)
    if scales is None or wanted == scales:
        return rows
    if len(scales.scale) > 1:
        scale = F.take(F.asarray(list(scales.scale), dtype="float32"), indices)
        y = rows.astype("float32") * scale.reshape((-1, *(1,) * (rows.ndim - 1)))
    else:
        y = dequantized(rows, scales)
    return y if wanted is None else quantized(y, wanted)


def sparse_to_dense(indices: Tensor, shape: Ints, values: Tensor, default: Tensor) -> Tensor:
    places = indices.reshape((-1, len(shape)))
    x = F.copy(F.broadcast_to(default.reshape(()), tuple(shape)))
    x[tuple(F.unstack(places, axis=-1))] = values
    return x


def where_constant(condition: ModelConstant) -> ModelConstant:
    return folding.transpose(folding.nonzero(condition))


def reverse_sequence(x: Tensor, lengths: Tensor, *, seq_dim: int = 0, batch_dim: int = 0) -> Tensor:
    return indexing.reverse_sequence(x, lengths, batch_axis=batch_dim, time_axis=seq_dim)


def unique(x: Tensor) -> tuple[Tensor, Tensor]:
    values, _, inverse, _ = common.unique(x, sorted=False)
    return values, inverse


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
    "GATHER": Operator(indexing.gather, fold=indexing.folded_gather, wrapper=moved),
    "GATHER_ND": Operator(common.gather_nd, wrapper=moved),
    "MATRIX_DIAG": Operator(matrix_diag, wrapper=moved),
    "MATRIX_SET_DIAG": Operator(matrix_set_diag, wrapper=moved),
    "ONE_HOT": Operator(partial(indexing.one_hot, axis=0), host=("depth",), wrapper=moved),
    "REVERSE_SEQUENCE": Operator(reverse_sequence, wrapper=moved),
    "SCATTER_ND": Operator(indexing.scatter, host=("shape",), wrapper=moved),
    "SPARSE_TO_DENSE": Operator(sparse_to_dense, host=("shape",), wrapper=moved),
    "TOPK_V2": Operator(indexing.top_k, host=("k",), wrapper=moved),
    "UNIQUE": Operator(unique, wrapper=moved),
    "WHERE": Operator(indexing.where, fold=where_constant),
}
