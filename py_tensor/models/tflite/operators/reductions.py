"""Reductions, positions of extremes, and sums of parts."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from .... import functions as F
from ....tensor import Tensor
from ... import reductions
from .shared import QUANTIZATION, Ints, Operator, moved, real, single


def extreme_position(function: Callable[..., Tensor], x: Tensor, axis: int | Ints) -> Tensor:
    return function(x, axis=single(axis))


def mean(x: Tensor, **options: Any) -> Tensor:
    if x.dtype.kind == "f":
        return F.mean(x, **options)
    total = F.sum(x.astype("int32"), **options)
    count = x.size // max(1, total.size)
    return F.trunc(total.astype("float32") / count).astype(x.dtype)


def segments(function: Callable[..., Tensor], x: Tensor, ids: Tensor, count: int | Ints) -> Tensor:
    return function(x, ids.reshape((-1,)), single(count))


def segment_sum(x: Tensor, ids: Tensor) -> Tensor:
    return F.segment_sum(x, ids, int(F.max(ids).item()) + 1)


def _reduction(
    function: Callable[..., Tensor],
    on_numbers: Callable[[list[Any]], Any] | None = None,
    wrapper: Any = real,
) -> Operator:
    fold = None if on_numbers is None else reductions.folded(on_numbers)
    return Operator(
        partial(reductions.reduced, function), host=("axes",), fold=fold, wrapper=wrapper
    )


OPERATORS = {
    **{
        f"ARG_{name}": Operator(
            partial(extreme_position, function), host=("axis",), ignored=QUANTIZATION
        )
        for name, function in {"MAX": F.argmax, "MIN": F.argmin}.items()
    },
    **{
        f"UNSORTED_SEGMENT_{name}": Operator(
            partial(segments, function), host=("count",), wrapper=real
        )
        for name, function in {
            "MAX": F.segment_max,
            "MIN": F.segment_min,
            "PROD": F.segment_prod,
            "SUM": F.segment_sum,
        }.items()
    },
    "CUMSUM": Operator(partial(reductions.running, F.cumulative_sum), host=("axis",), wrapper=real),
    "MEAN": _reduction(mean),
    "REDUCE_ALL": _reduction(F.all),
    "REDUCE_ANY": _reduction(F.any),
    "REDUCE_MAX": _reduction(F.max, max, moved),
    "REDUCE_MIN": _reduction(F.min, min, moved),
    "REDUCE_PROD": _reduction(F.prod, math.prod),
    "SEGMENT_SUM": Operator(segment_sum, wrapper=real),
    "SUM": _reduction(F.sum, sum),
}
