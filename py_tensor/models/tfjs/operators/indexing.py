"""Operators that read and write at indexed positions, and sorting operators."""

from __future__ import annotations

from functools import partial

from .... import functions as F, sparse
from ....tensor import Tensor
from ... import common, folding, indexing
from ...execution import Operator
from ...options import Ints, unsupported


def to_dense(indices: Tensor, shape: Ints, values: Tensor, default: float = 0) -> Tensor:
    rows = indices.reshape((-1, len(shape)))
    return sparse.to_dense(rows, values, tuple(shape), default)


def unique(x: Tensor, axis: list[int] | int | None = None) -> tuple[Tensor, Tensor]:
    if x.ndim != 1:
        raise unsupported("distinct slices along an axis")
    values, _, places, _ = common.unique(x, sorted=False)
    return values, places


def difference(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Return the elements of `x` that `y` does not have, and their positions."""
    [places] = F.nonzero(~F.isin(x, y))
    return F.take(x, places, axis=0), places


def bounds(side: str, rows: Tensor, values: Tensor) -> Tensor:
    return F.searchsorted(rows, values, side=side)


OPERATORS = {
    "Gather": Operator(indexing.gather, fold=indexing.folded_gather),
    "GatherNd": Operator(common.gather_nd, fold=folding.gather_nd),
    "GatherV2": Operator(indexing.gather, host=("axis",), fold=indexing.folded_gather),
    "ListDiff": Operator(difference),
    "LowerBound": Operator(partial(bounds, "left")),
    "ScatterNd": Operator(indexing.scatter, host=("shape",)),
    "SparseToDense": Operator(to_dense, host=("shape", "default")),
    "TensorScatterUpdate": Operator(common.scatter_nd),
    "TopKV2": Operator(indexing.top_k, host=("k",)),
    "Unique": Operator(unique),
    "UniqueV2": Operator(unique, host=("axis",)),
    "UpperBound": Operator(partial(bounds, "right")),
    "Where": Operator(indexing.where),
}
