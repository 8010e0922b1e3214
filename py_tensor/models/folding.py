"""Operators on constants, computed as Python numbers: the arithmetic of shapes.

Each function has the parameters of the operator on tensors. It returns None for cases that it does
not support; the executor then computes on tensors.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import accumulate
from typing import Any

from ..dtypes import DType, bool_, int32
from ..functions.arguments import one_axis, some_axes
from ..ops.index_map import Shape, broadcast_view, make_view, row_major
from ..ops.op_def import broadcast
from ..runtime.evaluators import read_through
from .execution import FOLDED, fits
from .graph import ModelConstant, rounded
from .options import Ints, several, single


def made(numbers: list[Any], shape: Sequence[int], dtype: DType = int32) -> ModelConstant:
    """Return a computed constant."""
    return ModelConstant("", dtype, tuple(shape), rounded(numbers, dtype))


def elementwise(function: Callable[..., Any], result: DType | None = None) -> Callable[..., Any]:
    """Return an operator that computes each element separately.

    `result` is the dtype of the result; None for that of the inputs.
    """

    def fold(*xs: ModelConstant, **options: Any) -> ModelConstant | None:
        shape = broadcast("fold", [x.shape for x in xs])
        if not fits(math.prod(shape), xs[0].dtype):
            return None
        spread = [read_through(x.numbers, broadcast_view(x.shape, shape)) for x in xs]
        rows = zip(*spread, strict=True)
        try:
            numbers = [function(*values, **options) for values in rows]
            return made(numbers, shape, result or xs[-1].dtype)
        except (ArithmeticError, ValueError):
            return None  # divided by zero, or infinite: tensors have results for these

    return fold


def over_all(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operator that folds a binary function over its inputs, from first to last."""
    return elementwise(lambda *values: reduce(function, values))


def divided(a: Any, b: Any) -> Any:
    """Divide; quotients of integers are rounded towards zero."""
    if isinstance(a, float):
        return a / b
    return a // b + ((a < 0) != (b < 0) and a % b != 0)


def remainder(a: Any, b: Any, *, fmod: int = 0) -> Any:
    if not fmod:
        return a % b
    return math.fmod(a, b) if isinstance(a, float) else a - b * divided(a, b)


def cast(x: ModelConstant, target: DType) -> ModelConstant | None:
    return made(x.numbers, x.shape, target) if target.name in FOLDED else None


def identity(x: ModelConstant) -> ModelConstant:
    return x


def where(condition: ModelConstant, a: ModelConstant, b: ModelConstant) -> ModelConstant | None:
    shape = broadcast("fold", [condition.shape, a.shape, b.shape])
    if not fits(math.prod(shape), a.dtype):
        return None
    spread = [read_through(x.numbers, broadcast_view(x.shape, shape)) for x in (condition, a, b)]
    return made([x if c else y for c, x, y in zip(*spread, strict=True)], shape, a.dtype)


def gather(x: ModelConstant, indices: ModelConstant, *, axis: int = 0) -> ModelConstant | None:
    axis = one_axis("gather", axis, len(x.shape))
    before, after = x.shape[:axis], x.shape[axis + 1 :]
    n, block = x.shape[axis], math.prod(after)
    shape = (*before, *indices.shape, *after)
    if not fits(math.prod(shape), x.dtype):
        return None
    for index in indices.numbers:
        if not -n <= index < n:
            raise IndexError(f"index {index} for an axis of length {n}")
    numbers = [
        x.numbers[(outer * n + index % n) * block + inner]
        for outer in range(math.prod(before))
        for index in indices.numbers
        for inner in range(block)
    ]
    return made(numbers, shape, x.dtype)


def gather_nd(
    x: ModelConstant, indices: ModelConstant, *, batch_dims: int = 0
) -> ModelConstant | None:
    depth = indices.shape[-1]
    shape = (*indices.shape[:-1], *x.shape[depth:])
    if batch_dims or not fits(math.prod(shape), x.dtype):
        return None
    strides, block = row_major(x.shape), math.prod(x.shape[depth:])
    numbers = []
    for at in range(0, indices.size, depth):
        start = 0
        for axis, index in enumerate(indices.numbers[at : at + depth]):
            if not 0 <= index < x.shape[axis]:
                raise IndexError(f"index {index} for an axis of length {x.shape[axis]}")
            start += index * strides[axis]
        numbers += x.numbers[start : start + block]
    return made(numbers, shape, x.dtype)


def picked(x: ModelConstant, places: Sequence[int], axis: int) -> ModelConstant:
    result = gather(x, made(list(places), (len(places),)), axis=axis)
    assert result is not None
    return result


def concat(*xs: ModelConstant, axis: int) -> ModelConstant:
    axis = one_axis("concat", axis, len(xs[0].shape))
    if any(
        len(x.shape) != len(xs[0].shape)
        or x.shape[:axis] + x.shape[axis + 1 :] != xs[0].shape[:axis] + xs[0].shape[axis + 1 :]
        for x in xs
    ):
        raise ValueError("lengths of the other axes differ")
    numbers: list[Any] = []
    for outer in range(math.prod(xs[0].shape[:axis])):
        for x in xs:
            length = math.prod(x.shape[axis:])
            numbers += x.numbers[outer * length : (outer + 1) * length]
    total = sum(x.shape[axis] for x in xs)
    return made(numbers, (*xs[0].shape[:axis], total, *xs[0].shape[axis + 1 :]), xs[0].dtype)


def cut(
    x: ModelConstant, starts: Ints, ends: Ints, axes: Ints | None = None, steps: Ints | None = None
) -> ModelConstant:
    along = range(len(starts)) if axes is None else axes
    by = [1] * len(along) if steps is None else steps
    for axis, start, end, step in zip(along, starts, ends, by, strict=True):
        axis = one_axis("slice", axis, len(x.shape))
        x = picked(x, range(x.shape[axis])[start:end:step], axis)
    return x


def split(
    x: ModelConstant,
    split: Ints | None = None,
    *,
    results: int,
    axis: int = 0,
    num_outputs: int | None = None,
) -> list[ModelConstant]:
    axis = one_axis("split", axis, len(x.shape))
    lengths = split_lengths(x.shape[axis], split, results)
    return [
        picked(x, range(end - n, end), axis)
        for n, end in zip(lengths, accumulate(lengths), strict=True)
    ]


def split_lengths(length: int, split: Ints | None, count: int) -> Ints:
    """Return the lengths of the parts of an axis; the last of equal parts may be shorter."""
    if split is not None:
        return split
    whole = -(-length // count)
    return [max(0, min(whole, length - at * whole)) for at in range(count)]


def reshaped(old: Shape, shape: Ints, *, allowzero: int = 0) -> Shape:
    """Return the shape that Reshape asks for: 0 keeps a length, and -1 is computed."""
    lengths = shape if allowzero else [old[at] if n == 0 else n for at, n in enumerate(shape)]
    if -1 in lengths:
        known = math.prod(n for n in lengths if n != -1)
        rest = math.prod(old) // known if known else 0
        lengths = [rest if n == -1 else n for n in lengths]
    if math.prod(lengths) != math.prod(old) or any(n < 0 for n in lengths):
        raise ValueError(f"shape {list(old)} cannot become {lengths}")
    return tuple(lengths)


def flattened(shape: Shape, *, axis: int = 1) -> Shape:
    at = axis + len(shape) if axis < 0 else axis
    return (math.prod(shape[:at]), math.prod(shape[at:]))


def squeezed(shape: Shape, axes: Ints | None = None) -> Shape:
    if axes is None:
        return tuple(n for n in shape if n != 1)
    gone = {one_axis("squeeze", axis, len(shape)) for axis in axes}
    if any(shape[at] != 1 for at in gone):
        raise ValueError(f"axes {axes} of shape {list(shape)} are longer than 1")
    return tuple(n for at, n in enumerate(shape) if at not in gone)


def unsqueezed(shape: Shape, axes: int | Ints) -> Shape:
    axes = several(axes)
    rank = len(shape) + len(axes)
    new = some_axes("expand_dims", axes, rank)
    old = iter(shape)
    return tuple(1 if at in new else next(old) for at in range(rank))


def squeeze(x: ModelConstant, axes: Ints) -> ModelConstant:
    return made(x.numbers, squeezed(x.shape, axes), x.dtype)


def unsqueeze(x: ModelConstant, axes: int | Ints) -> ModelConstant:
    return made(x.numbers, unsqueezed(x.shape, axes), x.dtype)


def transpose(x: ModelConstant, *, perm: Ints | None = None) -> ModelConstant:
    order = list(range(len(x.shape)))[::-1] if perm is None else perm
    if sorted(order) != list(range(len(x.shape))):
        raise ValueError(f"perm {order} of {len(x.shape)} axes")
    strides, shape = row_major(x.shape), [x.shape[axis] for axis in order]
    view = make_view(shape, [strides[axis] for axis in order])
    return made(read_through(x.numbers, view), shape, x.dtype)


def expand(x: ModelConstant, shape: Ints) -> ModelConstant | None:
    wanted = broadcast("fold", [x.shape, tuple(shape)])
    if not fits(math.prod(wanted), x.dtype):
        return None
    return made(read_through(x.numbers, broadcast_view(x.shape, wanted)), wanted, x.dtype)


def tile(x: ModelConstant, repeats: Ints) -> ModelConstant | None:
    if not fits(x.size * math.prod(repeats), x.dtype) or min(repeats, default=0) < 0:
        return None
    for axis, times in enumerate(repeats):
        x = picked(x, [*range(x.shape[axis])] * times, axis)
    return x


def constant_of_shape(shape: Ints, *, value: ModelConstant | None = None) -> ModelConstant | None:
    if value is None or min(shape, default=0) < 0 or not fits(math.prod(shape), value.dtype):
        return None
    return made(value.numbers * math.prod(shape), shape, value.dtype)


def arange(
    start: ModelConstant, limit: ModelConstant, delta: ModelConstant
) -> ModelConstant | None:
    if start.dtype is not int32 or delta.numbers == [0]:
        return None
    [first], [end], [step] = start.numbers, limit.numbers, delta.numbers
    numbers = range(first, end, step)
    return made([*numbers], (len(numbers),)) if fits(len(numbers), int32) else None


def reduction(function: Callable[[list[Any]], Any]) -> Callable[..., ModelConstant | None]:
    """Return a reduction of all elements; other axes are left to tensors."""

    def fold(
        x: ModelConstant,
        axes: Ints | None = None,
        *,
        keepdims: int = 1,
        noop_with_empty_axes: int = 0,
    ) -> ModelConstant | None:
        rank = len(x.shape)
        along = {one_axis("reduce", axis, rank) for axis in axes or ()}
        if (not along and noop_with_empty_axes) or len(along or range(rank)) < rank or not x.size:
            return None
        return made([function(x.numbers)], (1,) * rank if keepdims else (), x.dtype)

    return fold


def nonzero(x: ModelConstant) -> ModelConstant:
    places = [at for at, number in enumerate(x.numbers) if number]
    strides = row_major(x.shape)
    rows = [at // stride % n for n, stride in zip(x.shape, strides, strict=True) for at in places]
    return made(rows, (len(x.shape), len(places)))


def running_sum(
    x: ModelConstant, axis: int | Ints, *, exclusive: int = 0, reverse: int = 0
) -> ModelConstant | None:
    if len(x.shape) != 1 or exclusive or reverse or single(axis) not in (0, -1):
        return None
    return made([*accumulate(x.numbers)], x.shape, x.dtype)


_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "add": operator.add,
    "ceil": math.ceil,
    "floor": math.floor,
    "floor_divide": operator.floordiv,
    "logical_and": operator.and_,
    "logical_not": operator.not_,
    "logical_or": operator.or_,
    "maximum": max,
    "minimum": min,
    "multiply": operator.mul,
    "negative": operator.neg,
    "remainder": operator.mod,
    "subtract": operator.sub,
}
_COMPARISONS: dict[str, Callable[..., Any]] = {
    "equal": operator.eq,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "less": operator.lt,
    "less_equal": operator.le,
    "not_equal": operator.ne,
}
ELEMENTWISE = {
    **{name: elementwise(function) for name, function in _ARITHMETIC.items()},
    **{name: elementwise(function, bool_) for name, function in _COMPARISONS.items()},
    "where": where,
}
"""Functions of constants by the name of the function of tensors."""
