"""Operators that read and write at indexed positions, and sorting operators."""

from __future__ import annotations

from functools import partial

from .... import functions as F, nn
from ....nn.split_matrix import SplitMatrix, rows_at
from ....tensor import Tensor
from ... import common, folding, indexing
from .normalization import over_flat_axes
from .shared import Ints, Operator, single, unsupported


def gather(x: Tensor | SplitMatrix, indices: Tensor, *, axis: int = 0) -> Tensor:
    if axis in (0, -x.ndim):
        return rows_at(x, indices)
    return F.take(x if isinstance(x, Tensor) else x.unpacked(), indices, axis=axis)


def gather_elements(x: Tensor, indices: Tensor, *, axis: int = 0) -> Tensor:
    return x[_along(indices, axis)]


def scatter_elements(
    x: Tensor, indices: Tensor, updates: Tensor, *, axis: int = 0, reduction: str = "none"
) -> Tensor:
    return common.assigned(x, _along(indices, axis), updates, reduction)


def _along(indices: Tensor, axis: int) -> tuple[Tensor, ...]:
    """Build a key with `indices` along an axis and each element's own position along the others."""
    key = list(F.meshgrid(*map(F.arange, indices.shape), indexing="ij"))
    key[axis] = indices
    return tuple(key)


def compress(x: Tensor, condition: Tensor, *, axis: int | None = None) -> Tensor:
    flat, along = (x.reshape((-1,)), 0) if axis is None else (x, axis)
    return F.take(flat, F.nonzero(condition)[0], axis=along)


def nonzero(x: Tensor) -> Tensor:
    return F.stack(F.nonzero(x))


def one_hot(indices: Tensor, depth: int | Ints, values: Tensor, *, axis: int = -1) -> Tensor:
    n = single(depth)
    positions = indices.astype("int32")
    positions = F.where(positions < 0, positions + n, positions)
    return indexing.one_hot(positions, n, values[1], values[0], axis=axis)


def hardmax(x: Tensor, *, opset: int, axis: int | None = None) -> Tensor:
    if opset < 13:
        return over_flat_axes(partial(hardmax, opset=13), x, axis)
    axis = -1 if axis is None else axis
    hot = nn.one_hot(F.argmax(x, axis=axis), x.shape[axis], dtype=x.dtype)
    return F.moveaxis(hot, -1, axis)


def top_k(
    x: Tensor, k: int | Ints, *, axis: int = -1, largest: int = 1, sorted: int = 1
) -> tuple[Tensor, ...]:
    return tuple(F.topk(x, single(k), axis=axis, largest=bool(largest)))


def unique(x: Tensor, *, axis: int | None = None, sorted: int = 1) -> tuple[Tensor, ...]:
    if axis is not None:
        raise unsupported("distinct slices along an axis")
    return common.unique(x, sorted=bool(sorted))


OPERATORS = {
    "Compress": Operator(compress),
    "Gather": Operator(gather, fold=folding.gather, split=("x",)),
    "GatherElements": Operator(gather_elements),
    "GatherND": Operator(common.gather_nd),
    "Hardmax": Operator(hardmax),
    "NonZero": Operator(nonzero, fold=folding.nonzero),
    "OneHot": Operator(one_hot, host=("depth",)),
    "ReverseSequence": Operator(indexing.reverse_sequence),
    "Scatter": Operator(scatter_elements),
    "ScatterElements": Operator(scatter_elements),
    "ScatterND": Operator(common.scatter_nd),
    "TopK": Operator(top_k, host=("k",)),
    "Unique": Operator(unique),
}
