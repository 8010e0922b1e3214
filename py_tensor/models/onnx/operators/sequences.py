"""Operators on sequences of tensors and on optional values.

A sequence is a `ValueList`, and an optional value without an element is None. Elements that are
constants stay Python numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from .... import functions as F
from ....dtypes import bool_, float32
from ....functions.arguments import one_axis
from ... import folding
from ...execution import GraphFunction, ModelValue, small
from ...graph import ModelConstant, ValueList
from ...layouts import Permuted, as_tensor
from . import movement
from .shared import Ints, Operator, dtype_of, single

LONGEST = 1 << 16
"""Maximum number of elements of a sequence."""


def _element(value: ModelValue) -> Any:
    return as_tensor(value) if isinstance(value, Permuted) else value


def construct(x: ModelValue, *more: ModelValue) -> ValueList:
    elements = tuple(map(_element, (x, *more)))
    return ValueList(elements, elements[0].dtype, None)


def empty(*, dtype: int = 1) -> ValueList:
    return ValueList((), dtype_of(dtype), None)


def at(values: ValueList, position: int | Ints) -> ModelValue:
    return values.elements[_place(values, position)]


def _place(values: ValueList, position: int | Ints, more: int = 0) -> int:
    """Return a position; negative ones count from the end, which `more` moves."""
    index, n = single(position), len(values.elements)
    if not -n <= index < n + more:
        raise IndexError(f"position {index} in a sequence of {n} tensors")
    return index % n if index < 0 else index


def insert(values: ValueList, x: ModelValue, position: int | Ints | None = None) -> ValueList:
    n = len(values.elements)
    index = n if position is None else _place(values, position, 1)
    if n == LONGEST:
        raise ValueError(f"sequence of more than {LONGEST:,} tensors")
    before, after = values.elements[:index], values.elements[index:]
    return replace(values, elements=(*before, _element(x), *after))


def erase(values: ValueList, position: int | Ints = -1) -> ValueList:
    index = _place(values, position)
    return replace(values, elements=values.elements[:index] + values.elements[index + 1 :])


def length(values: ValueList) -> ModelConstant:
    return folding.made([len(values.elements)], ())


def split(
    x: Any, split: int | Ints | None = None, *, axis: int = 0, keepdims: int = 1
) -> ValueList:
    x, axis = _element(x), one_axis("split", axis, len(x.shape))
    n = x.shape[axis]
    if isinstance(split, list):
        lengths = split
    else:
        step = 1 if split is None else split
        if step < 1 or -(-n // step) > LONGEST:
            raise ValueError(f"axis of {n} elements in parts of {step}")
        lengths = [min(step, n - start) for start in range(0, n, step)]
    if sum(lengths) != n or min(lengths, default=0) < 0:
        raise ValueError(f"parts of {lengths} of an axis of {n} elements")
    divide = folding.split if small(x) else movement.split
    parts: Sequence[Any] = divide(x, lengths, results=len(lengths), axis=axis)
    if split is None and not keepdims:
        parts = [
            F.squeeze(y, axis) if divide is movement.split else folding.squeeze(y, [axis])
            for y in parts
        ]
    return ValueList(tuple(parts), x.dtype, None)


def concat(values: ValueList, *, axis: int, new_axis: int = 0) -> Any:
    if not values.elements:
        raise ValueError("concatenation of no tensors")
    if all(map(small, values.elements)):
        parts: list[Any] = [*values.elements]
        if new_axis:
            parts = [folding.unsqueeze(part, [axis]) for part in parts]
        return folding.concat(*parts, axis=axis)
    tensors = [as_tensor(value) for value in values.elements if value is not None]
    return F.stack(tensors, axis=axis) if new_axis else F.concat(tensors, axis=axis)


def for_each(values: ValueList, *more: ModelValue, body: GraphFunction) -> tuple[ValueList, ...]:
    """Run the body for the elements of sequences at each place, and with the other tensors."""
    results: list[list[Any]] = [[] for _ in body.graph.outputs]
    for index, value in enumerate(values.elements):
        inputs = [
            other.elements[index] if isinstance(other, ValueList) else other for other in more
        ]
        for elements, result in zip(results, body(value, *inputs), strict=True):
            elements.append(_element(result))
    return tuple(
        ValueList(tuple(elements), elements[0].dtype if elements else info.dtype or float32, None)
        for elements, info in zip(results, body.graph.outputs, strict=True)
    )


def optional(x: ModelValue = None, *, type: Any = None) -> ModelValue:
    return x


def has_element(x: ModelValue = None) -> ModelConstant:
    return folding.made([x is not None], (), bool_)


def element_of(x: ModelValue) -> ModelValue:
    if x is None:
        raise ValueError("optional value has no element")
    return x


OPERATORS = {
    "ConcatFromSequence": Operator(concat, raw=True),
    "Optional": Operator(optional, raw=True),
    "OptionalGetElement": Operator(element_of, raw=True),
    "OptionalHasElement": Operator(has_element, raw=True),
    "SequenceAt": Operator(at, host=("position",), raw=True),
    "SequenceConstruct": Operator(construct, raw=True),
    "SequenceEmpty": Operator(empty, raw=True),
    "SequenceErase": Operator(erase, host=("position",), raw=True),
    "SequenceInsert": Operator(insert, host=("position",), raw=True),
    "SequenceLength": Operator(length, raw=True),
    "SequenceMap": Operator(for_each, raw=True),
    "SplitToSequence": Operator(split, host=("split",), raw=True),
}
