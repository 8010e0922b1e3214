"""Reductions, cumulative sums, and counts."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from .... import functions as F
from ....tensor import Tensor
from ... import folding
from ...execution import Operator
from ...graph import ModelConstant
from ...options import Ints, single

type Reduction = Callable[..., Tensor]


def reduced(function: Reduction, x: Tensor, axis: int | Ints, *, keep_dims: bool = False) -> Tensor:
    along = tuple(axis) if isinstance(axis, list) else axis
    return function(x, axis=along, keepdims=keep_dims).astype(x.dtype)


def norm(x: Tensor, **options: Any) -> Tensor:
    return F.sqrt(F.sum(F.square(x), **options))


def place(function: Reduction, x: Tensor, axis: int | Ints = 0) -> Tensor:
    return function(x, axis=single(axis))


def running(
    function: Reduction,
    x: Tensor,
    axis: int | Ints,
    *,
    exclusive: bool = False,
    reverse: bool = False,
) -> Tensor:
    return function(x, axis=single(axis), exclusive=exclusive, reverse=reverse)


def bincount(
    x: Tensor, size: int | Ints, weights: Tensor, *, binary_output: bool = False
) -> Tensor:
    """Count the elements 0 to `size` - 1 of a vector, or of each row of a matrix."""
    given = None if weights.size == 0 else weights
    length, axis = single(size), x.ndim - 1
    counts = F.bincount(x, given, length=length, axis=axis)
    if binary_output:
        return (counts > 0).astype(weights.dtype)
    return counts.astype(weights.dtype)


def _reduction(
    function: Reduction, on_numbers: Callable[[list[Any]], Any] | None = None
) -> Operator:
    fold = None
    if on_numbers is not None:
        inner = folding.reduction(on_numbers)

        def fold(
            x: ModelConstant, axis: int | Ints, *, keep_dims: bool = False
        ) -> ModelConstant | None:
            axes = axis if isinstance(axis, list) else [axis]
            return inner(x, axes, keepdims=int(keep_dims), noop_with_empty_axes=1)

    return Operator(partial(reduced, function), host=("axis",), fold=fold)


OPERATORS = {
    "All": _reduction(F.all, all),
    "Any": _reduction(F.any, any),
    "ArgMax": Operator(partial(place, F.argmax), host=("axis",)),
    "ArgMin": Operator(partial(place, F.argmin), host=("axis",)),
    "Bincount": Operator(bincount, host=("size",)),
    "Cumprod": Operator(partial(running, F.cumulative_prod), host=("axis",)),
    "Cumsum": Operator(partial(running, F.cumulative_sum), host=("axis",)),
    "DenseBincount": Operator(bincount, host=("size",)),
    "EuclideanNorm": _reduction(norm),
    "Max": _reduction(F.max, max),
    "Mean": _reduction(F.mean),
    "Min": _reduction(F.min, min),
    "Prod": _reduction(F.prod, math.prod),
    "Sum": _reduction(F.sum, sum),
}
