"""Datasets: pipelines that are computed again in each iteration.

Input: a source of elements, and stages added by methods. Output: elements, by `for` or
`async for`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import batched, chain, islice, pairwise, repeat
from random import Random
from typing import Any

from ..errors import ArgumentError
from ..random import fresh_words
from . import stages
from .columns import BLOCKS
from .pipeline import Count, Pipeline
from .stages import Stream

Indices = Callable[[], Iterable[int]]
"""Function that returns the numbers of rows in the order in which to yield them."""


class Dataset(Pipeline):
    """Pipeline of elements: numbers, arrays, tensors, and tuples and dicts of them.

    Create one with `from_arrays`, `from_generator` or `csv`. Methods return new datasets and
    compute nothing; each iteration starts from the beginning. `async for` always works. A plain
    `for` works if no stage has to be awaited. `len` returns the number of elements, and raises
    TypeError if it is unknown or infinite.

    >>> import py_tensor as pt
    >>> dataset = pt.data.from_arrays([1, 2, 3, 4, 5]).map(lambda x: x * 10).batch(2)
    >>> [batch.tolist() for batch in dataset], len(dataset)
    ([[10, 20], [30, 40], [50]], 3)
    """

    def map(self, function: Callable[..., object]) -> Dataset:
        """Apply a function to each element. Mapping batches is faster than mapping elements.

        Args:
            function: Function of an element; a tuple is passed as several arguments. It may be
                asynchronous; the dataset then needs `async for`. Its exceptions are raised during
                iteration.

        Returns:
            Dataset of the results, of the same length.

        >>> import py_tensor as pt
        >>> pairs = pt.data.from_arrays([1, 2], [10, 20])
        >>> [z.item() for z in pairs.map(lambda x, y: x + y)]
        [11, 22]
        """
        return Dataset(partial(stages.mapped, self._stream, function), self._length)

    def filter(self, predicate: Callable[..., object]) -> Dataset:
        """Keep the elements for which a predicate is true.

        Args:
            predicate: Function of an element; a tuple is passed as several arguments. Its
                exceptions are raised during iteration.

        Returns:
            Dataset of unknown length.

        >>> import py_tensor as pt
        >>> [x.item() for x in pt.data.from_arrays([3, 1, 2]).filter(lambda x: x > 1)]
        [3, 2]
        """
        return Dataset(partial(stages.filtered, self._stream, predicate), None)

    def batch(self, batch_size: int, *, drop_remainder: bool = False) -> Dataset:
        """Stack consecutive elements: each leaf gets a new first axis.

        Args:
            batch_size: Number of elements per batch, at least 1.
            drop_remainder: Drop a last batch that is smaller; default False.

        Returns:
            Dataset of batches. Numbers and arrays become tensors, strings become lists.

        Raises:
            ArgumentError: If `batch_size` is below 1, or, during iteration, if containers differ.
            ShapeError: During iteration, if elements differ in shape.

        >>> import py_tensor as pt
        >>> x, y = next(iter(pt.data.from_arrays(pt.ones((5, 2)), [0, 1, 2, 3, 4]).batch(3)))
        >>> x.shape, y.tolist()
        ((3, 2), [0, 1, 2])
        """
        size = _whole("batch", "batch_size", batch_size, 1)
        return Dataset(
            self._batches(size, drop_remainder), self._count_batches(size, drop_remainder)
        )

    def _batches(self, size: int, drop: bool) -> Stream:
        return partial(stages.grouped, self._stream, size, drop)

    def shuffle(
        self,
        buffer_size: int | None = None,
        *,
        seed: int | None = None,
        reshuffle_each_iteration: bool = True,
        iteration: int = 0,
    ) -> Dataset:
        """Shuffle the elements, in a new order for each iteration.

        Datasets of arrays shuffle their row indices and ignore `buffer_size` unless endless. Rows
        that are read in blocks are shuffled by block, see `from_arrays`.

        Args:
            buffer_size: Number of elements to hold and draw from; endless datasets need it. None
                (default) shuffles all elements at once.
            seed: Integer from 0 that, with the iteration's number, determines the order. None
                (default) draws one from `pt.random`, so that `pt.random.seed` makes it repeatable.
            reshuffle_each_iteration: False gives all iterations one order; default True.
            iteration: Number of the first iteration, default 0. A training that continues after
                n epochs has the same orders as without a break if it is n.

        Returns:
            Dataset of the same length.

        Raises:
            ArgumentError: If `buffer_size` is below 1, `seed` or `iteration` is negative, or the
                dataset is endless and `buffer_size` is None.

        >>> import py_tensor as pt
        >>> shuffled = pt.data.from_arrays([1, 2, 3, 4, 5]).shuffle(seed=4)
        >>> sorted(x.item() for x in shuffled)
        [1, 2, 3, 4, 5]
        """
        if buffer_size is not None:
            _whole("shuffle", "buffer_size", buffer_size, 1)
        elif self._length == math.inf:
            raise ArgumentError(
                f"shuffle: dataset is endless; got {self!r}; shuffle before repeat, or pass "
                "buffer_size"
            )
        first = _whole("shuffle", "iteration", iteration, 0)
        return self._shuffled(buffer_size, _numbers(seed, reshuffle_each_iteration, first))

    def _shuffled(self, size: int | None, numbers: Callable[[], Random]) -> Dataset:
        return Dataset(partial(stages.shuffled, self._stream, size, numbers), self._length)

    def repeat(self, count: int | None = None) -> Dataset:
        """Repeat the elements; a shuffled dataset has a new order each time.

        Args:
            count: Number of repetitions, at least 0; None (default) repeats without end.

        Returns:
            Dataset of `count` times the length, or infinite.

        Raises:
            ArgumentError: If `count` is negative.

        >>> import py_tensor as pt
        >>> [x.item() for x in pt.data.from_arrays([1, 2]).repeat(2)]
        [1, 2, 1, 2]
        """
        if count is not None:
            _whole("repeat", "count", count, 0)
        length = self._length
        if count is None:
            length = math.inf if length != 0 else 0
        elif length is not None:
            length = length * count if count else 0
        return self._repeated(count, length)

    def _repeated(self, times: int | None, length: Count) -> Dataset:
        return Dataset(partial(stages.repeated, self._stream, times), length)

    def take(self, count: int) -> Dataset:
        """Keep the first elements.

        Args:
            count: Number of elements to keep, at least 0.

        Returns:
            Dataset of at most `count` elements.

        Raises:
            ArgumentError: If `count` is negative.

        >>> import py_tensor as pt
        >>> [x.item() for x in pt.data.from_arrays([1, 2, 3]).take(2)]
        [1, 2]
        """
        number = _whole("take", "count", count, 0)
        return self._taken(number, None if self._length is None else min(self._length, number))

    def _taken(self, number: int, length: Count) -> Dataset:
        return Dataset(partial(stages.taken, self._stream, number), length)

    def skip(self, count: int) -> Dataset:
        """Drop the first elements.

        Args:
            count: Number of elements to drop, at least 0.

        Returns:
            Dataset of the remaining elements.

        Raises:
            ArgumentError: If `count` is negative.

        >>> import py_tensor as pt
        >>> [x.item() for x in pt.data.from_arrays([1, 2, 3]).skip(2)]
        [3]
        """
        number = _whole("skip", "count", count, 0)
        return self._skipped(
            number, None if self._length is None else max(self._length - number, 0)
        )

    def _skipped(self, number: int, length: Count) -> Dataset:
        return Dataset(partial(stages.skipped, self._stream, number), length)

    def shard(self, count: int, index: int) -> Dataset:
        """Keep one of `count` equally long parts, for one of several processes.

        Element i belongs to part i % count. Batches of n elements of each part together hold the
        elements of a batch of count * n elements of the whole dataset, in another order. To give a
        process consecutive rows instead, so that it reads few blocks of large arrays, use `skip`
        and `take`.

        Args:
            count: Number of parts, at least 1.
            index: Number of the part, from 0 to count - 1.

        Returns:
            Dataset of a `count`-th of the length, without a remainder.

        Raises:
            ArgumentError: If `count` is below 1 or `index` is out of range.

        >>> import py_tensor as pt
        >>> [x.item() for x in pt.data.from_arrays([1, 2, 3, 4, 5]).shard(2, 0)]
        [1, 3]
        """
        _whole("shard", "count", count, 1)
        if _whole("shard", "index", index, 0) >= count:
            raise ArgumentError(
                f"shard: index is out of range; got {index} of {count} parts; use 0 to {count - 1}"
            )
        return self._sharded(count, index, self._count_batches(count, True))

    def _sharded(self, count: int, index: int, length: Count) -> Dataset:
        return Dataset(partial(stages.sharded, self._stream, count, index), length)

    def enumerate(self, start: int = 0) -> Dataset:
        """Number the elements.

        Args:
            start: First number; default 0.

        Returns:
            Dataset of pairs (number, element), of the same length.

        >>> import py_tensor as pt
        >>> [(i, x.item()) for i, x in pt.data.from_arrays([7, 8]).enumerate()]
        [(0, 7), (1, 8)]
        """
        return Dataset(partial(stages.numbered, self._stream, start), self._length)

    def concatenate(self, other: Dataset) -> Dataset:
        """Append the elements of another dataset.

        Args:
            other: Dataset to append.

        Returns:
            Dataset of both lengths together.

        Raises:
            ArgumentError: If `other` is not a dataset.

        >>> import py_tensor as pt
        >>> both = pt.data.from_arrays([1, 2]).concatenate(pt.data.from_arrays([3]))
        >>> [x.item() for x in both], len(both)
        ([1, 2, 3], 3)
        """
        _dataset("concatenate", other)
        lengths = _known((self, other))
        length = None if lengths is None else sum(lengths)
        return Dataset(partial(stages.joined, (self._stream, other._stream)), length)

    def prefetch(self, buffer_size: int) -> Dataset:
        """Prepare elements ahead of time in `async for`.

        A task prepares them while the loop or the source waits, for example for a loss from the
        GPU or for a download. A plain `for` never waits, so nothing is prepared there.

        Args:
            buffer_size: Largest number of prepared elements, at least 1.

        Returns:
            Dataset of the same elements.

        Raises:
            ArgumentError: If `buffer_size` is below 1.

        >>> import py_tensor as pt
        >>> [x.item() for x in pt.data.from_arrays([1, 2]).prefetch(1)]
        [1, 2]
        """
        number = _whole("prefetch", "buffer_size", buffer_size, 1)
        return Dataset(partial(stages.prefetched, self._stream, number), self._length)


class Rows(Dataset):
    """Rows of arrays: stages that select or order rows work on indices, and batches gather.

    If the arrays are read in blocks, `starts` are the numbers of the blocks' first rows.
    """

    def __init__(
        self, columns: Any, indices: Indices, length: Count, starts: Sequence[int] | None = None
    ) -> None:
        super().__init__(partial(stages.rows, columns, indices), length)
        self._columns = columns
        self._indices = indices
        self._starts = starts

    def _batches(self, size: int, drop: bool) -> Stream:
        return partial(stages.gathered, self._columns, self._indices, size, drop)

    def _shuffled(self, size: int | None, numbers: Callable[[], Random]) -> Dataset:
        if self._length == math.inf:
            return super()._shuffled(size, numbers)
        if self._starts is None:
            return self._rows(_permuted, numbers, length=self._length)
        return self._rows(_permuted_blocks, self._starts, numbers, length=self._length)

    def _repeated(self, times: int | None, length: Count) -> Dataset:
        return self._taken(0, 0) if length == 0 else self._rows(_again, times, length=length)

    def _taken(self, number: int, length: Count) -> Dataset:
        return self._rows(_sliced, 0, number, length=length)

    def _skipped(self, number: int, length: Count) -> Dataset:
        return self._rows(_sliced, number, None, length=length)

    def _sharded(self, count: int, index: int, length: Count) -> Dataset:
        end = None if length in (None, math.inf) else int(length or 0) * count
        return self._rows(_sliced, index, end, count, length=length)

    def _rows(
        self, select: Callable[..., Iterable[int]], *arguments: object, length: Count
    ) -> Rows:
        # A partial can be copied and pickled, a lambda cannot.
        indices = partial(select, self._indices, *arguments)
        return Rows(self._columns, indices, length, self._starts)


def _permuted_blocks(
    indices: Indices, starts: Sequence[int], numbers: Callable[[], Random]
) -> Iterator[int]:
    """Yield the blocks' indices in random order: those of `BLOCKS` random blocks at a time."""
    draw, rows = numbers().random, indices()
    if isinstance(rows, range):
        cuts = [bisect_left(rows, start) for start in starts]
        blocks = [rows[start:end] for start, end in pairwise(cuts) if start < end]
        windows = batched(stages.permutation(blocks, draw), BLOCKS)
        for window in windows:
            yield from stages.permutation([*chain.from_iterable(window)], draw)
    else:  # in random order already
        for group in batched(rows, BLOCKS * max(1, starts[-1] // max(1, len(starts) - 1))):
            yield from stages.permutation(group, draw)


def _permuted(indices: Indices, numbers: Callable[[], Random]) -> Iterable[int]:
    return stages.permutation(list(indices()), numbers().random)


def _again(indices: Indices, times: int | None) -> Iterable[int]:
    return chain.from_iterable(indices() for _ in (repeat(None) if times is None else range(times)))


def _sliced(
    indices: Indices, start: int, stop: int | None, step: int | None = None
) -> Iterable[int]:
    rows = indices()
    return rows[start:stop:step] if type(rows) is range else islice(rows, start, stop, step)


def zip_(*datasets: Dataset) -> Dataset:
    """Combine datasets to a dataset of tuples, which ends with the shortest.

    Args:
        datasets: One or more datasets.

    Returns:
        Dataset of tuples with one element of each dataset.

    Raises:
        ArgumentError: If no dataset is given, or an argument is not a dataset.

    >>> import py_tensor as pt
    >>> pairs = pt.data.zip(pt.data.from_arrays([1, 2]), pt.data.from_arrays([3, 4, 5]))
    >>> [(x.item(), y.item()) for x, y in pairs], len(pairs)
    ([(1, 3), (2, 4)], 2)
    """
    if not datasets:
        raise ArgumentError(
            "zip: at least one dataset is required; got no arguments; pass a dataset"
        )
    for dataset in datasets:
        _dataset("zip", dataset)
    lengths = _known(datasets)
    length = None if lengths is None else min(lengths)
    return Dataset(partial(stages.zipped, [dataset._stream for dataset in datasets]), length)


@dataclass
class _Numbers:
    """Callable that returns the random generator of each successive iteration."""

    start: int
    anew: bool
    iterations: int

    def __call__(self) -> Random:
        self.iterations += 1
        return Random(self.start | (self.iterations - 1 if self.anew else 0) << 64)


def _numbers(seed: int | None, anew: bool, first: int) -> _Numbers:
    if seed is None:
        high, low = fresh_words()
        return _Numbers(high << 32 | low, anew, first)
    return _Numbers(_whole("shuffle", "seed", seed, 0), anew, first)


def _whole(operation: str, name: str, value: object, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ArgumentError(
            f"{operation}: {name} is invalid; got {value!r}; use an integer of at least {least}"
        )
    return value


def _dataset(operation: str, value: object) -> None:
    if not isinstance(value, Dataset):
        raise ArgumentError(
            f"{operation}: argument must be a dataset; got {type(value).__name__}; create one with "
            "from_arrays or from_generator"
        )


def _known(datasets: Iterable[Dataset]) -> list[float] | None:
    """Return the lengths of datasets, or None if one of them is unknown."""
    lengths = [dataset._length for dataset in datasets]
    known = [length for length in lengths if length is not None]
    return known if len(known) == len(lengths) else None
