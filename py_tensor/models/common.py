"""Operators that mean the same in several formats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce, wraps
from math import prod
from typing import Any

from .. import functions as F
from ..ops.index_map import Shape
from ..tensor import Tensor
from . import folding
from .execution import GraphFunction, ModelValue, Operator
from .graph import ModelConstant
from .layouts import Permuted, as_tensor
from .options import Ints

type Known = Tensor | ModelConstant | Permuted


def call(*inputs: ModelValue, body: GraphFunction) -> Sequence[ModelValue]:
    return body(*inputs)


def shape(x: Known, *, start: int = 0, end: int | None = None) -> ModelConstant:
    lengths = list(x.shape[start:end])
    return folding.made(lengths, (len(lengths),))


def size(x: Known) -> ModelConstant:
    return folding.made([x.size], ())


def arange(start: Known, limit: Known, delta: Known) -> Tensor:
    # A value can also be a list of one.
    first, end, step = (F.reshape(as_tensor(x), ()).item() for x in (start, limit, delta))
    return F.arange(first, end, step, dtype=start.dtype)


def elementwise(name: str, **options: Any) -> Operator:
    """Return the row of an operator that computes the function `pt.<name>` of each element."""
    return Operator(getattr(F, name), fold=folding.ELEMENTWISE.get(name), **options)


def reshaping(shape: Callable[..., Shape], *host: str, **options: Any) -> Operator:
    """Return the row of an operator that changes only the shape.

    `shape` returns the shape of the result for that of the input and the operator's further inputs.
    """

    @wraps(shape)
    def run(x: Tensor | ModelConstant, *rest: Any, **attributes: Any) -> Tensor | ModelConstant:
        new = shape(x.shape, *rest, **attributes)
        if isinstance(x, ModelConstant):
            return folding.made(x.numbers, new, x.dtype)
        return x.reshape(new)

    return Operator(run, host=host, fold=run, **options)


def over_all(function: Any, x: Tensor, *rest: Tensor) -> Tensor:
    """Fold a binary function over the inputs, from the first to the last."""
    result: Tensor = reduce(function, rest, x)
    return result


def div(a: Tensor, b: Tensor) -> Tensor:
    """Divide; quotients of integers are rounded towards zero."""
    if a.dtype.kind in "fc":
        return a / b
    return a // b + (((a < 0) != (b < 0)) & (a % b != 0)).astype(a.dtype)


def remainder(a: Tensor, b: Tensor) -> Tensor:
    """Return the remainder with the sign of the dividend, as in C."""
    rest = F.abs(a) % F.abs(b)
    return F.copysign(rest, a) if a.dtype.kind == "f" else rest * F.sign(a)


type Parts = list[slice | int | None]


def _parts(
    shape: Sequence[int],
    begin: Ints,
    end: Ints,
    strides: Ints,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
    offset: bool,
) -> Parts:
    """Return for each axis a slice or a position, and None for each new axis.

    Bits of the masks stand for places in `begin`. With `offset`, `end` is relative to `begin`.
    """
    parts: Parts = []
    axis = 0
    for number in range(len(begin)):
        bit = 1 << number
        if ellipsis_mask & bit:
            later = sum(not new_axis_mask >> n & 1 for n in range(number + 1, len(begin)))
            while axis < len(shape) - later:
                parts.append(slice(None))
                axis += 1
            continue
        if new_axis_mask & bit:
            parts.append(None)
            continue
        if axis >= len(shape):
            raise ValueError(f"{len(begin)} slices of {len(shape)} axes")
        n, start, step = shape[axis], begin[number], strides[number]
        axis += 1
        if shrink_axis_mask & bit:
            if not -n <= start < n:
                raise IndexError(f"position {start} of an axis of length {n}")
            parts.append(start % n)
            continue
        stop = start + end[number] if offset else end[number]
        first, last, step = slice(
            None if begin_mask & bit else start, None if end_mask & bit else stop, step
        ).indices(n)
        parts.append(slice(first, None if last < 0 else last, step))
    return parts


def _sliced[Sliced: (Tensor, ModelConstant)](
    pick: Callable[[Sliced, Parts], Sliced],
) -> Callable[..., Sliced]:
    """Return the function of an operator that picks slices by masks."""

    def run(
        x: Sliced,
        begin: Ints,
        end: Ints,
        strides: Ints,
        *,
        begin_mask: int = 0,
        end_mask: int = 0,
        ellipsis_mask: int = 0,
        new_axis_mask: int = 0,
        shrink_axis_mask: int = 0,
        offset: bool = False,
    ) -> Sliced:
        masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
        return pick(x, _parts(x.shape, begin, end, strides, *masks, offset))

    return run


def _slices_of_constant(x: ModelConstant, parts: Parts) -> ModelConstant:
    shape, axis = [], 0
    for part in parts:
        if part is None:
            shape.append(1)
            continue
        places = [part] if isinstance(part, int) else range(x.shape[axis])[part]
        x = folding.picked(x, places, axis)
        axis += 1
        if not isinstance(part, int):
            shape.append(len(places))
    return folding.made(x.numbers, [*shape, *x.shape[axis:]], x.dtype)


def _slices(x: Tensor, parts: Parts) -> Tensor:
    return x[tuple(parts)]


strided_slice = _sliced(_slices)
strided_slice_constant = _sliced(_slices_of_constant)


def gather_nd(x: Tensor, indices: Tensor, *, batch_dims: int = 0) -> Tensor:
    return x[_coordinates(indices, batch_dims)]


def scatter_nd(x: Tensor, indices: Tensor, updates: Tensor, *, reduction: str = "none") -> Tensor:
    return assigned(x, _coordinates(indices, 0), updates, reduction)


def _coordinates(indices: Tensor, batch_dims: int) -> tuple[Tensor, ...]:
    """Build a key from the last axis of `indices`; leading axes are batch axes."""
    batch = indices.shape[:batch_dims]
    lead = [
        F.arange(n).reshape([n if at == axis else 1 for at in range(indices.ndim - 1)])
        for axis, n in enumerate(batch)
    ]
    return (*lead, *F.unstack(indices, axis=-1))


def assigned(x: Tensor, key: tuple[Tensor, ...], updates: Tensor, reduction: str) -> Tensor:
    """Return `x` with updates at the positions of `key`."""
    if reduction != "none":
        return _combined(x, key, updates, reduction)
    x = F.copy(x)
    x[key] = updates
    return x


REDUCTIONS: dict[str, tuple[Callable[..., Tensor], Callable[..., Tensor]]] = {
    "add": (F.segment_sum, F.add),
    "mul": (F.segment_prod, F.multiply),
    "max": (F.segment_max, F.maximum),
    "min": (F.segment_min, F.minimum),
}
"""For each reduction: the function of updates of one position, and that of two values."""


def _combined(x: Tensor, key: tuple[Tensor, ...], updates: Tensor, reduction: str) -> Tensor:
    """Combine updates with the elements at their positions, which may occur more than once."""
    of_updates, of_two = REDUCTIONS[reduction]
    head, block = x.shape[: len(key)], x.shape[len(key) :]
    positions = F.asarray(0)
    for n, indices in zip(head, key, strict=True):
        positions = positions * n + F.where(indices < 0, indices + n, indices)
    rows = updates.reshape((positions.size, *block))
    reduced = of_updates(rows, positions.reshape((-1,)), prod(head))
    return of_two(x, reduced.reshape(x.shape))


def unique(x: Tensor, *, sorted: bool) -> tuple[Tensor, ...]:
    """Return distinct values, their first positions, the place of each element, and counts."""
    distinct = F.unique_all(x)
    values, first, inverse, counts = (
        distinct.values,
        distinct.indices,
        distinct.inverse_indices.reshape((-1,)),
        distinct.counts,
    )
    if sorted:
        return values, first, inverse, counts
    order = F.argsort(first)
    return values[order], first[order], F.argsort(order)[inverse], counts[order]
