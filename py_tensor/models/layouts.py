"""Order in which the axes of values are stored.

Input and output: values, and the function of an operator's row. A value may be stored with its axes
in another order than the model declares: images of (batch, channels, height, width) with the
channels last, as py_tensor's functions take them. A `Layout` runs an operator on such values as
they are. A transpose is computed only if an operator has no layout for its inputs.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

from ..dtypes import DType
from ..functions.arguments import one_axis
from ..functions.manipulation import permute_dims, reshape
from ..io.safetensors import Entry
from ..nn.split_matrix import SplitMatrix
from ..ops.index_map import Shape
from ..tensor import Tensor
from .graph import HashTable, ModelConstant, ValueList

type Order = tuple[int, ...]
type Layout = Callable[[Callable[..., Any], list[Any], dict[str, Any]], Any]
"""Takes the function of a row, its arguments and attributes; values may be `Permuted`.

Returns the result, or None if the function has to be called with tensors.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Permuted:
    """A value that is stored with its axes in another order."""

    tensor: Tensor
    order: Order
    """Axis i of the tensor is axis order[i] of the value."""
    constant: bool = False

    @property
    def shape(self) -> Shape:
        """Shape of the value."""
        return permuted(self.tensor.shape, inverse(self.order))

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.tensor.size

    @property
    def dtype(self) -> DType:
        """Data type of the elements."""
        return self.tensor.dtype

    def tolist(self) -> Any:
        """Return the elements as nested lists, or the number if there are no axes."""
        return as_tensor(self).tolist()


VALUES = (Tensor, ModelConstant, Permuted)


class Count:
    """Number of transposes of values that are not constants, since the start of the program."""

    transposes = 0


@cache
def inverse(order: Order) -> Order:
    """Return the order that restores the axes."""
    return tuple(sorted(range(len(order)), key=order.__getitem__))


def permuted(items: Sequence[Any], order: Sequence[int]) -> tuple[Any, ...]:
    """Return one item per axis in another order of axes."""
    return tuple([items[axis] for axis in order])


def channels_last(rank: int) -> Order:
    """Order of the axes of images with their axis 1 moved to the end."""
    return (0, *range(2, rank), 1)


def as_tensor(
    value: Tensor | ModelConstant | Permuted | SplitMatrix | ValueList | HashTable,
) -> Tensor:
    """Return a value as a tensor with its axes in the declared order."""
    if isinstance(value, (ValueList, HashTable)):
        raise TypeError("a list of tensors or a table instead of a tensor")
    if isinstance(value, Permuted):
        return arranged(value, tuple(range(len(value.order))))
    if isinstance(value, SplitMatrix):
        return value.unpacked()
    return value.tensor() if isinstance(value, ModelConstant) else value


def arranged(value: Tensor | ModelConstant | Permuted, order: Order) -> Tensor:
    """Return a tensor of the value's elements with its axes in this order."""
    before = tuple(range(len(order)))
    if isinstance(value, Permuted):
        tensor, before = value.tensor, value.order
    else:
        tensor = as_tensor(value)
    if before == order:
        return tensor
    moves = [before.index(axis) for axis in order]
    if _moved(tensor.shape, moves):
        constant = isinstance(value, ModelConstant) or (
            isinstance(value, Permuted) and value.constant
        )
        Count.transposes += not constant
        return permute_dims(tensor, moves)
    return reshape(tensor, permuted(tensor.shape, moves))


def _moved(shape: Shape, moves: Sequence[int]) -> bool:
    """Return whether a new order of axes moves elements."""
    long = [axis for axis in moves if shape[axis] != 1]
    return long != sorted(long)


def result(tensor: Any, order: Order) -> Any:
    """Return the value of a stored tensor, or of each in a tuple or list."""
    if isinstance(tensor, (tuple, list)):
        return [result(part, order) for part in tensor]
    return tensor if order == tuple(range(len(order))) else Permuted(tensor, order)


def stored(constant: ModelConstant, order: Order) -> Permuted:
    """Return the value of an entry with its first axis as the last one of the tensor."""
    code, shape, data = constant.elements
    if order[-1]:
        raise ValueError(f"order {order}; the first axis must become the last one")
    length = math.prod(shape[1:])
    form = {1: "B", 2: "H", 4: "I", 8: "Q"}[len(data) // (length * shape[0])]
    view: Any = memoryview(data).cast("B")
    view = view.cast(form)
    steps = [math.prod(shape[axis + 1 :]) for axis in order[:-1]]
    rows = product(*(range(0, shape[at] * n, n) for at, n in zip(order[:-1], steps, strict=True)))
    # Slices with a step are copied in C.
    parts = b"".join(view[sum(row) :: length].tobytes() for row in rows)
    entry = Entry(code, permuted(shape, order), parts)
    moved = ModelConstant(constant.name, constant.dtype, entry.shape, entry)
    return Permuted(moved.tensor(), order, True)


def images(function: Callable[..., Any], arguments: list[Any], options: dict[str, Any]) -> Any:
    """Run a function of images whose channels are last; so are those of its first result."""
    order = channels_last(len(arguments[0].shape))
    results = function(arranged(arguments[0], order), *map(plain, arguments[1:]), **options)
    first, *rest = results if isinstance(results, tuple) else (results,)
    return [result(first, order), *rest]


def plain(value: Any) -> Any:
    return as_tensor(value) if isinstance(value, (*VALUES, ValueList)) else value


def elementwise(function: Callable[..., Any], arguments: list[Any], options: dict[str, Any]) -> Any:
    """Run a function whose inputs broadcast, in the order of the largest permuted one."""
    values = [value for value in arguments if isinstance(value, Permuted) and not value.constant]
    if not values:
        return None
    order = max(values, key=lambda value: value.size).order
    if max(len(value.shape) for value in arguments if isinstance(value, VALUES)) > len(order):
        return None
    spread = [_spread(value, order) if isinstance(value, VALUES) else value for value in arguments]
    return result(function(*spread, **options), order)


def arithmetic(function: Callable[..., Any], arguments: list[Any], options: dict[str, Any]) -> Any:
    """Run a function whose inputs broadcast; constants of one element become Python numbers."""
    known = [value for value in arguments if isinstance(value, (Tensor, Permuted))]
    numbers = [
        value.numbers[0]
        if isinstance(value, ModelConstant)
        and value.size == 1
        and any(x.dtype is value.dtype and len(x.shape) >= len(value.shape) for x in known)
        else value
        for value in arguments
    ]
    computed = elementwise(function, numbers, options)
    if computed is not None or all(map(operator.is_, numbers, arguments)):
        return computed
    return function(*map(plain, numbers), **options)


def _spread(value: Tensor | ModelConstant | Permuted, order: Order) -> Tensor:
    """Arrange a value that broadcasts; missing leading axes have length 1."""
    if not value.shape:
        return as_tensor(value)
    if len(value.shape) < len(order):
        value = reshape(as_tensor(value), (1,) * (len(order) - len(value.shape)) + value.shape)
    return arranged(value, order)


def along(function: Callable[..., Any], arguments: list[Any], options: dict[str, Any]) -> Any:
    """Run a function along one axis, its attribute `axis`; the result has the same axes."""
    values = [value for value in arguments if isinstance(value, Permuted) and not value.constant]
    axis = options.get("axis")
    if not values or axis is None or not options.get("keepdims", 1):
        return None
    order = values[0].order
    at = order.index(one_axis("run", axis, len(order)))
    spread = [arranged(value, order) if isinstance(value, VALUES) else value for value in arguments]
    return result(function(*spread, **options | {"axis": at}), order)


def of_first(function: Callable[..., Any], arguments: list[Any], options: dict[str, Any]) -> Any:
    """Run a function of one value and of numbers, perhaps along an axis, in the value's order."""
    x, *numbers = arguments
    if not isinstance(x, Permuted):
        return None
    if "axis" in options:
        axis = one_axis("run", options["axis"], len(x.order))
        options = options | {"axis": x.order.index(axis)}
    results = function(x.tensor, *map(plain, numbers), **options)
    if not isinstance(results, tuple):
        return result(results, x.order)
    return [result(results[0], x.order), *results[1:]]


def over_axes(function: Callable[..., Any], arguments: list[Any], options: dict[str, Any]) -> Any:
    """Run a reduction over some axes, its second input or its attribute `axes`."""
    x, *rest = arguments
    axes = rest[0] if rest else options.get("axes")
    if not isinstance(x, Permuted) or not axes:
        return None
    rank = len(x.order)
    gone = {one_axis("run", axis, rank) for axis in axes}
    kept = {name: value for name, value in options.items() if name != "axes"}
    tensor = function(x.tensor, [x.order.index(axis) for axis in sorted(gone)], **kept)
    if options.get("keepdims", 1):
        return result(tensor, x.order)
    left = [axis for axis in range(rank) if axis not in gone]
    return result(tensor, tuple(left.index(axis) for axis in x.order if axis not in gone))


def transpose(function: Callable[..., Any], arguments: list[Any], options: dict[str, Any]) -> Any:
    """Change the declared order only."""
    x = arguments[0]
    rank = len(x.shape)
    order = x.order if isinstance(x, Permuted) else tuple(range(rank))
    perm = options.get("perm") or range(rank)[::-1]
    moves = [one_axis("transpose", axis, rank) for axis in perm]
    if sorted(moves) != [*range(rank)]:
        return None
    tensor = x.tensor if isinstance(x, Permuted) else as_tensor(x)
    return result(tensor, tuple(moves.index(axis) for axis in order))


def regrouped(shape: Callable[..., Shape | None]) -> Layout:
    """Return the layout of an operator that splits and joins axes.

    `shape` returns the shape of the result for that of the input and further arguments.
    """

    def run(function: Callable[..., Any], arguments: list[Any], options: dict[str, Any]) -> Any:
        x, *rest = arguments
        if not isinstance(x, Permuted):
            return None
        new = shape(x.shape, *rest, **options)
        groups = None if new is None else _groups(x.shape, new)
        if groups is None or new is None:
            return None
        # Axes that are joined must follow each other; those of length 1 have no place of their own.
        places = [[x.order.index(axis) for axis in old if x.shape[axis] != 1] for old, _ in groups]
        ranked = sorted(zip(places, groups, strict=True), key=lambda pair: sorted(pair[0])[:1])
        before = tuple(axis for _, (old, _) in ranked for axis in old)
        order = tuple(axis for _, (_, axes) in ranked for axis in axes)
        return result(reshape(arranged(x, before), permuted(new, order)), order)

    return run


def _groups(old: Shape, new: Shape) -> list[tuple[list[int], list[int]]] | None:
    """Return the smallest groups of neighbouring axes of equal size in two shapes."""
    if math.prod(old) != math.prod(new) or not math.prod(old):
        return None
    groups: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(old) or j < len(new):
        left: list[int] = []
        right: list[int] = []
        a = b = 1
        while not (left or right) or a != b:
            if j == len(new) or (i < len(old) and a <= b):
                left.append(i)
                a, i = a * old[i], i + 1
            else:
                right.append(j)
                b, j = b * new[j], j + 1
        groups.append((left, right))
    return groups


def on_axes(function: Callable[..., Any], arguments: list[Any], options: dict[str, Any]) -> Any:
    """Run an operator with numbers for each axis as second input, and axes as fourth."""
    if len(arguments) < 2 or not isinstance(arguments[0], Permuted):
        return None
    x, first, *rest = arguments
    rest += [None] * (2 - len(rest))
    axes = [one_axis("run", axis, len(x.order)) for axis in rest[1] or range(len(x.order))]
    rest[1] = [x.order.index(axis) for axis in axes]
    return result(function(x.tensor, first, *map(plain, rest), **options), x.order)
