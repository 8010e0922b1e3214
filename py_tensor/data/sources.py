"""Sources of elements: arrays, and functions that return an iterator."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..errors import ArgumentError, ShapeError
from ..functions.arguments import flag, integer
from ..ir.pytree import tree_flatten, tree_leaves, tree_unflatten
from ..typing import ArrayLike
from . import stages
from .batch_stacking import is_leaf
from .columns import BlockColumn, block_starts, blocks_of, column_of
from .dataset import Dataset, Rows


def from_arrays(*arrays: ArrayLike, device: bool = False, block_size: int | None = None) -> Dataset:
    """Return a dataset of the rows of arrays: element i is row i of each, in the same containers.

    Arrays of Dask, Zarr and h5py have chunks. They are read while the dataset is iterated, a chunk
    of rows at a time, and 4 of these blocks stay in memory. `shuffle` then takes the blocks in
    random order, and shuffles the rows of 4 blocks together.

    Args:
        arrays: One array, several, or tuples and dicts of arrays. An array is a NumPy array, a
            nested list, a buffer or a tensor of shape (n, ...), with the dtype of `asarray`, or
            another array with `shape`, `chunks` and slices.
        device: Copy all rows to the device once, so that batches are gathered there by `take`.
            By default (False) rows stay in host memory and each batch is uploaded when used.
            Tensors always stay on the device.
        block_size: Number of rows to read at a time, also for arrays without chunks, for example
            `numpy.memmap`. None (default) for the chunks of the first array that has some.

    Returns:
        `Dataset` of n elements. With several arrays, elements are tuples.

    Raises:
        ShapeError: If lengths differ or are unknown, an array has no axes, or no array is given.

    >>> import py_tensor as pt
    >>> dataset = pt.data.from_arrays({"x": [[1.0, 2.0], [3.0, 4.0]], "y": [0, 1]})
    >>> for element in dataset:
    ...     print(element["x"].tolist(), element["y"].item())
    [1.0, 2.0] 0
    [3.0, 4.0] 1
    """
    device = flag("from_arrays", "device", device)
    leaves, structure = tree_flatten(arrays[0] if len(arrays) == 1 else arrays, is_leaf)
    if block_size is not None:
        block_size = integer("from_arrays", "block_size", block_size, 1)
    blocks = [None if device else block_starts("from_arrays", leaf, block_size) for leaf in leaves]
    starts = next(filter(None, blocks), [0])
    columns = [
        column_of("from_arrays", leaf, device)
        if own is None
        else blocks_of("from_arrays", leaf, [*(at for at in starts if at < own[-1]), own[-1]])
        for leaf, own in zip(leaves, blocks, strict=True)
    ]
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
    blocks = (column.starts for column in tree_leaves(columns) if isinstance(column, BlockColumn))
    return Rows(columns, partial(range, length), length, next(blocks, None))


def from_generator(function: Callable[[], object]) -> Dataset:
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
