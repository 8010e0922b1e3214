"""Where elements come from: arrays in memory, and functions that give an iterator."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..errors import ArgumentError, ShapeError
from . import stages
from .columns import Column, column_of
from .dataset import Dataset, Rows
from .nesting import map_leaves


def from_arrays(*arrays: Any, device: bool = False) -> Dataset:
    """The rows of arrays of one length: element i is row i of each, in the same containers.

    Takes one array, several, or tuples and dicts of them: NumPy arrays, nested lists, buffers,
    tensors, with the dtypes that `asarray` gives. They are copied to host memory, and a batch is
    uploaded when it is used; with `device`, and for tensors, all rows are on the device instead and
    a batch is a `take` from them, which spares the upload. Raises ShapeError where lengths differ.

    >>> import py_tensor as pt
    >>> dataset = pt.data.from_arrays({"x": [[1.0, 2.0], [3.0, 4.0]], "y": [0, 1]})
    >>> for element in dataset:
    ...     print(element["x"].tolist(), element["y"].item())
    [1.0, 2.0] 0
    [3.0, 4.0] 1
    """
    columns: list[Column] = []

    def add(value: Any) -> Column:
        columns.append(column_of("from_arrays", value, device))
        return columns[-1]

    tree = map_leaves("from_arrays", add, arrays[0] if len(arrays) == 1 else arrays)
    return rows_of("from_arrays", tree, columns)


def rows_of(operation: str, tree: Any, columns: list[Column]) -> Rows:
    """A dataset of columns in containers; raises ShapeError where their lengths differ."""
    lengths = {column.length for column in columns}
    if len(lengths) != 1:
        raise ShapeError(
            f"{operation}: arrays differ in length; got {', '.join(map(str, sorted(lengths)))}; "
            "give arrays with as many rows"
            if lengths
            else f"{operation}: no array; got no leaves; give at least one array"
        )
    places = range(lengths.pop())
    return Rows(tree, lambda: places, len(places))


def from_generator(function: Callable[[], Any]) -> Dataset:
    """The elements of the iterator that `function` gives; it is called anew for each iteration.

    The function is usually a generator function, plain or asynchronous (then `async for` is
    needed). Elements are taken as they are; `batch` makes tensors of numbers, lists and arrays.
    Raises ArgumentError for what cannot be called, as an iterator could be used up once only.

    >>> import py_tensor as pt
    >>> def pairs():
    ...     for n in range(4):
    ...         yield [n, n * n], n % 2
    >>> x, y = next(iter(pt.data.from_generator(pairs).batch(4)))
    >>> x.tolist(), y.tolist()
    ([[0, 0], [1, 1], [2, 4], [3, 9]], [0, 1, 0, 1])
    """
    if not callable(function):
        raise ArgumentError(
            f"from_generator: not a function; got {type(function).__name__}; "
            "give the function that makes the iterator"
        )
    return Dataset(partial(stages.generated, function), None)
