"""Reductions, positions of extremes, and sums of parts."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from .... import functions as F
from ....tensor import Tensor
from ... import folding
from ...graph import ModelConstant
from .shared import Ints, Operator, Quantization, moved, real, single


def reduced(
    function: Callable[..., Tensor], x: Tensor, axes: int | Ints, *, keep_dims: bool = False
) -> Tensor:
    along = tuple(axes) if isinstance(axes, list) else (axes,)
    return function(x, axis=along, keepdims=keep_dims)


def place(
    function: Callable[..., Tensor],
    x: Tensor,
    axis: int | Ints,
    *,
    quantization: Quantization | None = None,
) -> Tensor:
    return function(x, axis=single(axis))


def cumsum(
    x: Tensor, axis: int | Ints, *, exclusive: bool = False, reverse: bool = False
) -> Tensor:
    along = single(axis)
    x = F.flip(x, axis=along) if reverse else x
    y = F.cumulative_sum(x, axis=along)
    y = y - x if exclusive else y
    return F.flip(y, axis=along) if reverse else y


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


def _folded(on_numbers: Callable[[list[Any]], Any]) -> Callable[..., ModelConstant | None]:
    fold = folding.reduction(on_numbers)

    def folded(
        x: ModelConstant, axes: int | Ints, *, keep_dims: bool = False
    ) -> ModelConstant | None:
        along = axes if isinstance(axes, list) else [axes]
        return fold(x, along, keepdims=keep_dims, noop_with_empty_axes=True)

    return folded


def _reduction(
    function: Callable[..., Tensor],
    on_numbers: Callable[[list[Any]], Any] | None = None,
    wrapper: Any = real,
) -> Operator:
    fold = None if on_numbers is None else _folded(on_numbers)
    return Operator(partial(reduced, function), host=("axes",), fold=fold, wrapper=wrapper)


OPERATORS = {
    "ARG_MAX": Operator(partial(place, F.argmax), host=("axis",)),
    "ARG_MIN": Operator(partial(place, F.argmin), host=("axis",)),
    "CUMSUM": Operator(cumsum, host=("axis",), wrapper=real),
    "MEAN": _reduction(mean),
    "REDUCE_ALL": _reduction(F.all),
    "REDUCE_ANY": _reduction(F.any),
    "REDUCE_MAX": _reduction(F.max, max, moved),
    "REDUCE_MIN": _reduction(F.min, min, moved),
    "REDUCE_PROD": _reduction(F.prod, math.prod),
    "SEGMENT_SUM": Operator(segment_sum, wrapper=real),
    "SUM": _reduction(F.sum, sum),
    "UNSORTED_SEGMENT_MAX": Operator(
        partial(segments, F.segment_max), host=("count",), wrapper=real
    ),
    "UNSORTED_SEGMENT_MIN": Operator(
        partial(segments, F.segment_min), host=("count",), wrapper=real
    ),
    "UNSORTED_SEGMENT_PROD": Operator(
        partial(segments, F.segment_prod), host=("count",), wrapper=real
    ),
    "UNSORTED_SEGMENT_SUM": Operator(
        partial(segments, F.segment_sum), host=("count",), wrapper=real
    ),
}
