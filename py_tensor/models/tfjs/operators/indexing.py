"""Operators that read and write at indexed positions, and sorting operators."""

from __future__ import annotations

from functools import partial

from .... import functions as F, sparse
from ....functions.arguments import one_axis
from ....tensor import Tensor
from ... import common, folding
from ...execution import Operator
from ...graph import ModelConstant
from ...options import Ints, single, unsupported


def gather(x: Tensor, indices: Tensor, axis: int | Ints = 0, *, batch_dims: int = 0) -> Tensor:
    along = one_axis("gather", single(axis), x.ndim)
    indices = indices.astype("int32")
    if not batch_dims:
        return F.take(x, indices, axis=along)
    count = one_axis("gather", batch_dims, indices.ndim + 1)
    # The batch axes are indexed by themselves; the axes between them and `axis` are kept.
    x = F.moveaxis(x, along, count)
    lead = [
        F.arange(n).reshape([n if at == axis else 1 for at in range(indices.ndim)])
        for axis, n in enumerate(indices.shape[:count])
    ]
    found = x[(*lead, indices)]
    moved = list(range(count, indices.ndim))
    return F.moveaxis(found, moved, [at + along - count for at in moved])


def folded_gather(
    x: ModelConstant, indices: ModelConstant, axis: int | Ints = 0, *, batch_dims: int = 0
) -> ModelConstant | None:
    return None if batch_dims else folding.gather(x, indices, axis=single(axis))


def scatter(indices: Tensor, updates: Tensor, shape: Ints) -> Tensor:
    zeros = F.zeros(tuple(shape), dtype=updates.dtype)
    return common.scatter_nd(zeros, indices, updates, reduction="add")


def scatter_update(x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    return common.scatter_nd(x, indices, updates)


def to_dense(indices: Tensor, shape: Ints, values: Tensor, default: float = 0) -> Tensor:
    rows = indices.reshape((-1, len(shape)))
    return sparse.to_dense(rows, values, tuple(shape), default)


def where(condition: Tensor) -> Tensor:
    return F.stack(F.nonzero(condition), axis=-1)


def top_k(x: Tensor, k: int | Ints) -> tuple[Tensor, ...]:
    return tuple(F.topk(x, single(k)))


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
    "Gather": Operator(gather, fold=folded_gather),
    "GatherNd": Operator(common.gather_nd, fold=folding.gather_nd),
    "GatherV2": Operator(gather, host=("axis",), fold=folded_gather),
    "ListDiff": Operator(difference),
    "LowerBound": Operator(partial(bounds, "left")),
    "ScatterNd": Operator(scatter, host=("shape",)),
    "SparseToDense": Operator(to_dense, host=("shape", "default")),
    "TensorScatterUpdate": Operator(scatter_update),
    "TopKV2": Operator(top_k, host=("k",)),
    "Unique": Operator(unique),
    "UniqueV2": Operator(unique, host=("axis",)),
    "UpperBound": Operator(partial(bounds, "right")),
    "Where": Operator(where),
}
