"""Reductions, cumulative sums, and counts."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from .... import functions as F
from ....tensor import Tensor
from ... import reductions
from ...execution import Operator
from ...options import Ints, single
from ...reductions import Reduction


def norm(x: Tensor, **options: Any) -> Tensor:
    return F.sqrt(F.sum(F.square(x), **options))


def position_of(function: Reduction, x: Tensor, axis: int | Ints = 0) -> Tensor:
    return function(x, axis=single(axis))


def bincount(
    x: Tensor, size: int | Ints, weights: Tensor, *, binary_output: bool = False
) -> Tensor:
    """Count the elements 0 to `size` - 1 of a vector, or of each row of a matrix."""
    optional = None if weights.size == 0 else weights
    length, axis = single(size), x.ndim - 1
    counts = F.bincount(x, optional, length=length, axis=axis)
    if binary_output:
        return (counts > 0).astype(weights.dtype)
    return counts.astype(weights.dtype)


def _reduction(
    function: Reduction, on_numbers: Callable[[list[Any]], Any] | None = None
) -> Operator:
    fold = None if on_numbers is None else reductions.folded(on_numbers)
    return Operator(partial(reductions.reduced, function), host=("axes",), fold=fold)


OPERATORS = {
    "All": _reduction(F.all, all),
    "Any": _reduction(F.any, any),
    "ArgMax": Operator(partial(position_of, F.argmax), host=("axis",)),
    "ArgMin": Operator(partial(position_of, F.argmin), host=("axis",)),
    "Bincount": Operator(bincount, host=("size",)),
    "Cumprod": Operator(partial(reductions.running, F.cumulative_prod), host=("axis",)),
    "Cumsum": Operator(partial(reductions.running, F.cumulative_sum), host=("axis",)),
    "DenseBincount": Operator(bincount, host=("size",)),
    "EuclideanNorm": _reduction(norm),
    "Max": _reduction(F.max, max),
    "Mean": _reduction(F.mean),
    "Min": _reduction(F.min, min),
    "Prod": _reduction(F.prod, math.prod),
    "Sum": _reduction(F.sum, sum),
}
