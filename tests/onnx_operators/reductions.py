"""Operators that make fewer elements of many, and running sums."""

from __future__ import annotations

from functools import partial

import py_tensor as pt


def reduced(function, x, axes=None, *, keepdims=1, noop_with_empty_axes=0):
    along = () if axes is None else tuple(axes.tolist())
    if not along and not noop_with_empty_axes:
        along = tuple(range(x.ndim))
    return function(x, axis=along, keepdims=bool(keepdims))


def largest(x, *, axis, keepdims):
    return (pt.any if x.dtype.kind == "b" else pt.max)(x, axis=axis, keepdims=keepdims)


def smallest(x, *, axis, keepdims):
    return (pt.all if x.dtype.kind == "b" else pt.min)(x, axis=axis, keepdims=keepdims)


def absolute_sum(x, **options):
    return pt.sum(pt.abs(x), **options)


def square_sum(x, **options):
    return pt.sum(pt.square(x), **options)


def norm(x, **options):
    return pt.sqrt(square_sum(x, **options))


def log_sum(x, **options):
    return pt.log(pt.sum(x, **options))


def place(function, x, *, axis=0, keepdims=1, select_last_index=0):
    if not select_last_index:
        return function(x, axis=axis, keepdims=bool(keepdims))
    backward = function(pt.flip(x, axis=axis), axis=axis, keepdims=bool(keepdims))
    return x.shape[axis] - 1 - backward


def running(function, x, axis, *, exclusive=0, reverse=0):
    along = axis.item()
    if reverse:
        x = pt.flip(x, axis=along)
    result = function(x, axis=along, include_initial=bool(exclusive))
    if exclusive:
        result = pt.take(result, list(range(x.shape[along])), axis=along)
    return pt.flip(result, axis=along) if reverse else result


OPERATORS = {
    "ArgMax": partial(place, pt.argmax),
    "ArgMin": partial(place, pt.argmin),
    "CumProd": partial(running, pt.cumulative_prod),
    "CumSum": partial(running, pt.cumulative_sum),
    "ReduceL1": partial(reduced, absolute_sum),
    "ReduceL2": partial(reduced, norm),
    "ReduceLogSum": partial(reduced, log_sum),
    "ReduceLogSumExp": partial(reduced, pt.nn.logsumexp),
    "ReduceMax": partial(reduced, largest),
    "ReduceMean": partial(reduced, pt.mean),
    "ReduceMin": partial(reduced, smallest),
    "ReduceProd": partial(reduced, pt.prod),
    "ReduceSum": partial(reduced, pt.sum),
    "ReduceSumSquare": partial(reduced, square_sum),
}
