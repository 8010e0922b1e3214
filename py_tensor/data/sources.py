"""Sources of elements: arrays in memory, and functions that return an iterator."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..errors import ArgumentError, ShapeError
from ..ir.pytree import tree_flatten, tree_leaves, tree_unflatten
from ..typing import ArrayLike
from . import stages
from .batch_stacking import is_leaf
from .columns import column_of
from .dataset import Dataset, Rows


def from_arrays(*arrays: ArrayLike, device: bool = False) -> Dataset:
    """Return a dataset of the rows of arrays: element i is row i of each, in the same containers.

    Args:
        arrays: One array, several, or tuples and dicts of arrays. An array is a NumPy array, a
            nested list, a buffer or a tensor of shape (n, ...), with the dtype of `asarray`.
        device: Copy all rows to the device once, so that batches are gathered there by `take`.
            By default (False) rows stay in host memory and each batch is uploaded when used.
            Tensors always stay on the device.

    Returns:
        `Dataset` of n elements. With several arrays, elements are tuples.

    Raises:
        ShapeError: If lengths differ, an array has no axes, or no array is given.

    >>> import py_tensor as pt
    >>> dataset = pt.data.from_arrays({"x": [[1.0, 2.0], [3.0, 4.0]], "y": [0, 1]})
    >>> for element in dataset:
    ...     print(element["x"].tolist(), element["y"].item())
    [1.0, 2.0] 0
    [3.0, 4.0] 1
    """
    leaves, structure = tree_flatten(arrays[0] if len(arrays) == 1 else arrays, is_leaf)
    columns = [column_of("from_arrays", leaf, device) for leaf in leaves]
    return rows_of("from_arrays", tree_unflatten(structure, columns))


def rows_of(operation: str, columns: Any) -> Rows:
    """Return a dataset of a tree of columns; raise ShapeError if their lengths differ."""
    lengths = {column.length for column in tree_leaves(columns)}
    if len(lengths) != 1:
        raise ShapeError(
            f"{operation}: arrays must have the same length; got "
            f"{', '.join(map(str, sorted(lengths)))}; pass arrays with equal numbers of rows"
            if lengths
            else f"{operation}: at least one array is required; got no leaves; pass an array"
        )
    length = lengths.pop()
    return Rows(columns, partial(range, length), length)


def from_generator(function: Callable[[], Any]) -> Dataset:
    """Return a dataset of the elements of an iterator.

    Args:
        function: Function without arguments that returns an iterable, usually a generator
            function. It is called for each iteration. If it is asynchronous, the dataset needs
            `async for`.

    Returns:
        `Dataset` of unknown length. Elements are not converted; `batch` converts numbers, lists
        and arrays to tensors.

    Raises:
        ArgumentError: If `function` is not callable, for example an iterator, which could be
            used only once.

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
            f"from_generator: argument must be a function; got {type(function).__name__}; pass the "
            "function that returns the iterator"
        )
    return Dataset(partial(stages.generated, function), None)
