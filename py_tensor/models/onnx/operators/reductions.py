"""Reductions and cumulative sums."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from .... import functions as F, nn
from ....functions.arguments import one_axis
from ....tensor import Tensor
from ... import folding, layouts, reductions as shared
from .shared import Ints, Operator

type Function = Callable[..., Tensor]


def reduced(
    function: Function,
    x: Tensor,
    axes: Ints | None = None,
    *,
    keepdims: int = 1,
    noop_with_empty_axes: int = 0,
) -> Tensor:
    along = () if axes is None else tuple(axes)
    if not along and not noop_with_empty_axes:
        along = tuple(range(x.ndim))
    return function(x, axis=along, keepdims=bool(keepdims))


def largest(x: Tensor, *, axis: tuple[int, ...], keepdims: bool) -> Tensor:
    if not x.size:
        # The largest of nothing is the least number.
        return _of_nothing(x, axis, keepdims, -1)
    return (F.any if x.dtype.kind == "b" else F.max)(x, axis=axis, keepdims=keepdims)


def smallest(x: Tensor, *, axis: tuple[int, ...], keepdims: bool) -> Tensor:
    if not x.size:
        return _of_nothing(x, axis, keepdims, 1)
    return (F.all if x.dtype.kind == "b" else F.min)(x, axis=axis, keepdims=keepdims)


def _of_nothing(x: Tensor, axis: tuple[int, ...], keepdims: bool, sign: int) -> Tensor:
    along = {one_axis("reduce", number, x.ndim) for number in axis}
    shape = [1 if at in along else n for at, n in enumerate(x.shape) if keepdims or at not in along]
    if x.dtype.kind == "f":
        value = sign * math.inf
    else:
        value = x.dtype.highest if sign > 0 else x.dtype.lowest
    return F.full(shape, value, dtype=x.dtype)


def absolute_sum(x: Tensor, **options: Any) -> Tensor:
    return F.sum(F.abs(x), **options)


def square_sum(x: Tensor, **options: Any) -> Tensor:
    return F.sum(F.square(x), **options)


def norm(x: Tensor, **options: Any) -> Tensor:
    return F.sqrt(square_sum(x, **options))


def log_sum(x: Tensor, **options: Any) -> Tensor:
    return F.log(F.sum(x, **options))


def extreme_position(
    function: Function, x: Tensor, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0
) -> Tensor:
    if not select_last_index:
        return function(x, axis=axis, keepdims=bool(keepdims))
    backward = function(F.flip(x, axis=axis), axis=axis, keepdims=bool(keepdims))
    return x.shape[axis] - 1 - backward


def _reduction(
    function: Function, on_numbers: Callable[[list[Any]], Any] | None = None
) -> Operator:
    fold = None if on_numbers is None else folding.reduction(on_numbers)
    return Operator(partial(reduced, function), host=("axes",), fold=fold, layout=layouts.over_axes)


OPERATORS = {
    "ArgMax": Operator(partial(extreme_position, F.argmax), layout=layouts.along),
    "ArgMin": Operator(partial(extreme_position, F.argmin), layout=layouts.along),
    "CumProd": Operator(partial(shared.running, F.cumulative_prod), host=("axis",)),
    "CumSum": Operator(
        partial(shared.running, F.cumulative_sum), host=("axis",), fold=folding.running_sum
    ),
    "ReduceL1": _reduction(absolute_sum),
    "ReduceL2": _reduction(norm),
    "ReduceLogSum": _reduction(log_sum),
    "ReduceLogSumExp": _reduction(nn.logsumexp),
    "ReduceMax": _reduction(largest, max),
    "ReduceMean": _reduction(F.mean),
    "ReduceMin": _reduction(smallest, min),
    "ReduceProd": _reduction(F.prod, math.prod),
    "ReduceSum": _reduction(F.sum, sum),
    "ReduceSumSquare": _reduction(square_sum),
}
