"""Sparse tensors, as indices and values, and ragged ones, as limits of rows and values."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from .... import functions as F, ragged, sparse
from ....tensor import Tensor
from ... import folding
from ...execution import Operator
from ...graph import ModelConstant
from ...options import Ints, single, unsupported


def fill_empty_rows(
    indices: Tensor, values: Tensor, shape: Ints, default: float
) -> tuple[Tensor, ...]:
    return tuple(sparse.fill_empty_rows(indices, values, tuple(shape), default))


def sparse_reshape(indices: Tensor, shape: Ints, new_shape: Ints) -> tuple[Tensor, ModelConstant]:
    reshaped, lengths = sparse.reshape(indices, tuple(shape), tuple(new_shape))
    return reshaped, folding.made(list(lengths), (len(lengths),))


def segments(
    function: Callable[..., Tensor], data: Tensor, indices: Tensor, rows: Tensor
) -> Tensor:
    return function(F.take(data, indices, axis=0), rows)


def ragged_gather(*inputs: Tensor, OUTPUT_RAGGED_RANK: int) -> tuple[Tensor, ...]:
    *splits, values, indices = inputs
    limits, rows = ragged.gather(splits, values, indices)
    return *limits, rows


def ragged_range(starts: Tensor, limits: Tensor, deltas: Tensor) -> tuple[Tensor, Tensor]:
    return ragged.ranges(starts, limits, deltas)


def ragged_to_tensor(
    shape: int | Ints,
    values: Tensor,
    default: float,
    *partitions: Tensor,
    row_partition_types: list[str],
) -> Tensor:
    kinds, splits = list(row_partition_types), list(partitions)
    if kinds[:1] == ["FIRST_DIM_SIZE"] and set(kinds[1:]) == {"VALUE_ROWIDS"}:
        # Rows of values become limits of rows.
        count, limits = single(splits[0].tolist()), []
        for rows in splits[1:]:
            limits.append(F.searchsorted(rows, F.arange(count + 1)))
            count = rows.size
        splits = limits
    elif set(kinds) != {"ROW_SPLITS"}:
        raise unsupported(f"RaggedTensorToTensor of {', '.join(kinds)}")
    lengths = None
    if isinstance(shape, list):
        lengths = [None if n == -1 else n for n in shape[: len(splits) + 1]]
    return ragged.to_tensor(splits, values, default, lengths)


OPERATORS = {
    "RaggedGather": Operator(ragged_gather),
    "RaggedRange": Operator(ragged_range),
    "RaggedTensorToTensor": Operator(ragged_to_tensor, host=("shape", "default")),
    "SparseFillEmptyRows": Operator(fill_empty_rows, host=("shape", "default")),
    "SparseReshape": Operator(sparse_reshape, host=("shape", "new_shape")),
    "SparseSegmentMean": Operator(partial(segments, F.segment_mean)),
    "SparseSegmentSum": Operator(partial(segments, F.segment_sum)),
}
