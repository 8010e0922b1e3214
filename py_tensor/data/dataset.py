"""Datasets: pipelines that can be iterated again and again, each time computed anew.

Comes in: a source of elements, and stages by methods; goes out: elements, by `for` or `async for`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from functools import partial
from itertools import chain, count, islice, repeat
from random import Random
from typing import Any

from ..errors import ArgumentError
from ..random import fresh_key
from . import stages
from .stages import Stream

Count = float | None
"""A number of elements: an int, infinity, or None where only iterating tells."""


class Dataset:
    """A pipeline of elements: numbers, arrays, tensors, and tuples and dicts of them.

    Made by `from_arrays`, `from_generator` and `csv`. Methods give further datasets and compute
    nothing; each loop starts from the beginning. `for element in dataset` works wherever no stage
    has to be awaited, `async for` works always; `len` gives the number of elements where it is
    known, and raises TypeError elsewhere.

    >>> import py_tensor as pt
    >>> dataset = pt.data.from_arrays([1, 2, 3, 4, 5]).map(lambda x: x * 10).batch(2)
    >>> [batch.tolist() for batch in dataset], len(dataset)
    ([[10, 20], [30, 40], [50]], 3)
    """

    def __init__(self, stream: Stream, length: Count) -> None:
        self._stream = stream
        self._length = length

    def __iter__(self) -> Iterator[Any]:
        elements = self._stream(False)
        while True:
            hooks = sys.get_asyncgen_hooks()
            # An event loop that runs beside this would close a loop left early only later.
            sys.set_asyncgen_hooks(None, None)
            try:
                # No stage waits here, so each step ends with an element at once.
                anext(elements).__await__().send(None)
            except StopIteration as step:
                element = step.value
            except StopAsyncIteration:
                return
            finally:
                sys.set_asyncgen_hooks(*hooks)
            yield element

    def __aiter__(self) -> AsyncIterator[Any]:
        return self._stream(True)

    def __len__(self) -> int:
        if self._length is None or self._length == math.inf:
            what = "endless" if self._length else "of unknown length"
            raise TypeError(f"len: dataset is {what}; got {self!r}; iterate it, or use take")
        return int(self._length)

    def __bool__(self) -> bool:
        """True, so that `if dataset:` asks for no length."""
        return True

    def __repr__(self) -> str:
        length = "unknown" if self._length is None else self._length
        return f"Dataset(length={length})"

    def map(self, function: Callable[..., Any]) -> Dataset:
        """What `function` gives for each element; a tuple is passed as several arguments.

        The function may be asynchronous; the dataset then needs `async for`. Mapping batches is
        quicker than mapping their elements. What it raises, the loop raises.

        >>> import py_tensor as pt
        >>> pairs = pt.data.from_arrays([1, 2], [10, 20])
        >>> [z.item() for z in pairs.map(lambda x, y: x + y)]
        [11, 22]
        """
        return Dataset(partial(stages.mapped, self._stream, function), self._length)

    def filter(self, predicate: Callable[..., Any]) -> Dataset:
        """The elements for which `predicate` is true; a tuple is passed as several arguments.

        What it raises, the loop raises.

        >>> import py_tensor as pt
        >>> [x.item() for x in pt.data.from_arrays([3, 1, 2]).filter(lambda x: x > 1)]
        [3, 2]
        """
        return Dataset(partial(stages.filtered, self._stream, predicate), None)

    def batch(self, batch_size: int, *, drop_remainder: bool = False) -> Dataset:
        """Batches of `batch_size` elements in a row: each leaf gets an axis more, in front.

        The last batch is smaller where elements are left over, or dropped with `drop_remainder`.
        Texts become lists of them. Raises ArgumentError for a size below 1, ShapeError in the loop
        where elements differ in shape.

        >>> import py_tensor as pt
        >>> x, y = next(iter(pt.data.from_arrays(pt.ones((5, 2)), [0, 1, 2, 3, 4]).batch(3)))
        >>> x.shape, y.tolist()
        ((3, 2), [0, 1, 2])
        """
        size = _whole("batch", "batch_size", batch_size, 1)
        return Dataset(self._batches(size, drop_remainder), self._batch_count(size, drop_remainder))

    def _batches(self, size: int, drop: bool) -> Stream:
        return partial(stages.grouped, self._stream, size, drop)

    def _batch_count(self, size: int, drop: bool) -> Count:
        if self._length is None or self._length == math.inf:
            return self._length
        return self._length // size if drop else -(-self._length // size)

    def shuffle(
        self,
        buffer_size: int | None = None,
        *,
        seed: int | None = None,
        reshuffle_each_iteration: bool = True,
    ) -> Dataset:
        """The elements in random order, another one in each iteration.

        All elements are shuffled at once, or, with `buffer_size`, each is drawn from that many
        waiting ones, which endless datasets need; datasets of arrays shuffle their row numbers and
        need no buffer. The k-th iteration of a dataset has the order that `seed` and k give; a seed
        of None is drawn from `pt.random`, so that `pt.random.seed` makes it repeatable. With
        `reshuffle_each_iteration=False` all iterations have one order. Raises ArgumentError for a
        size below 1.

        >>> import py_tensor as pt
        >>> shuffled = pt.data.from_arrays([1, 2, 3, 4, 5]).shuffle(seed=4)
        >>> sorted(x.item() for x in shuffled)
        [1, 2, 3, 4, 5]
        """
        if buffer_size is not None:
            _whole("shuffle", "buffer_size", buffer_size, 1)
        elif self._length == math.inf:
            raise ArgumentError(
                f"shuffle: endless dataset; got {self!r}; shuffle before repeat, or give "
                "buffer_size"
            )
        return self._shuffled(buffer_size, _numbers(seed, reshuffle_each_iteration))

    def _shuffled(self, size: int | None, numbers: Callable[[], Random]) -> Dataset:
        return Dataset(partial(stages.shuffled, self._stream, size, numbers), self._length)

    def repeat(self, count: int | None = None) -> Dataset:
        """The elements `count` times, or without end; a shuffled dataset gives other orders.

        Raises ArgumentError for a negative count.

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
        """The first `count` elements.

        Raises ArgumentError for a negative count.

        >>> import py_tensor as pt
        >>> [x.item() for x in pt.data.from_arrays([1, 2, 3]).take(2)]
        [1, 2]
        """
        number = _whole("take", "count", count, 0)
        return self._taken(number, None if self._length is None else min(self._length, number))

    def _taken(self, number: int, length: Count) -> Dataset:
        return Dataset(partial(stages.taken, self._stream, number), length)

    def skip(self, count: int) -> Dataset:
        """All but the first `count` elements.

        Raises ArgumentError for a negative count.

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

    def enumerate(self, start: int = 0) -> Dataset:
        """Pairs of a number, counted up from `start`, and an element.

        >>> import py_tensor as pt
        >>> [(i, x.item()) for i, x in pt.data.from_arrays([7, 8]).enumerate()]
        [(0, 7), (1, 8)]
        """
        return Dataset(partial(stages.numbered, self._stream, start), self._length)

    def concatenate(self, other: Dataset) -> Dataset:
        """The elements of this dataset, then those of another.

        Raises ArgumentError for what is no dataset.

        >>> import py_tensor as pt
        >>> both = pt.data.from_arrays([1, 2]).concatenate(pt.data.from_arrays([3]))
        >>> [x.item() for x in both], len(both)
        ([1, 2, 3], 3)
        """
        _dataset("concatenate", other)
        lengths = (self._length, other._length)
        length = None if None in lengths else sum(lengths)  # type: ignore[arg-type]
        return Dataset(partial(stages.joined, (self._stream, other._stream)), length)

    def prefetch(self, buffer_size: int) -> Dataset:
        """The same elements; in `async for`, up to `buffer_size` of them are prepared ahead.

        A task prepares them while the loop waits for something else, say for a loss on its way from
        the GPU, or while the source itself waits, say for a download. Python computes one thing at
        a time all the same, and a plain `for` never waits, so nothing is prepared there. Raises
        ArgumentError for a size below 1.

        >>> import py_tensor as pt
        >>> [x.item() for x in pt.data.from_arrays([1, 2]).prefetch(1)]
        [1, 2]
        """
        number = _whole("prefetch", "buffer_size", buffer_size, 1)
        return Dataset(partial(stages.prefetched, self._stream, number), self._length)


class Rows(Dataset):
    """Rows of arrays: stages that choose and order rows work on their numbers, batches gather."""

    def __init__(self, columns: Any, places: Callable[[], Iterable[int]], length: Count) -> None:
        super().__init__(partial(stages.rows, columns, places), length)
        self._columns = columns
        self._places = places

    def _batches(self, size: int, drop: bool) -> Stream:
        return partial(stages.gathered, self._columns, self._places, size, drop)

    def _shuffled(self, size: int | None, numbers: Callable[[], Random]) -> Dataset:
        if self._length == math.inf:
            return super()._shuffled(size, numbers)
        places = self._places
        return Rows(
            self._columns,
            lambda: stages.permutation(list(places()), numbers().random),
            self._length,
        )

    def _repeated(self, times: int | None, length: Count) -> Dataset:
        places = self._places
        if length == 0:
            return self._taken(0, 0)
        again = repeat(None) if times is None else (None,) * times
        return Rows(self._columns, lambda: chain.from_iterable(places() for _ in again), length)

    def _taken(self, number: int, length: Count) -> Dataset:
        places = self._places
        return Rows(self._columns, lambda: islice(places(), number), length)

    def _skipped(self, number: int, length: Count) -> Dataset:
        places = self._places
        return Rows(self._columns, lambda: islice(places(), number, None), length)


def zip_(*datasets: Dataset) -> Dataset:
    """Tuples of one element of each dataset; ends with the shortest.

    Raises ArgumentError for no datasets, and for what is none.

    >>> import py_tensor as pt
    >>> pairs = pt.data.zip(pt.data.from_arrays([1, 2]), pt.data.from_arrays([3, 4, 5]))
    >>> [(x.item(), y.item()) for x, y in pairs], len(pairs)
    ([(1, 3), (2, 4)], 2)
    """
    if not datasets:
        raise ArgumentError("zip: no dataset; got no arguments; give at least one")
    for dataset in datasets:
        _dataset("zip", dataset)
    lengths = [dataset._length for dataset in datasets]
    length = None if None in lengths else min(lengths)  # type: ignore[type-var]
    return Dataset(partial(stages.zipped, [dataset._stream for dataset in datasets]), length)


def _numbers(seed: int | None, anew: bool) -> Callable[[], Random]:
    """A function that gives the random numbers of one iteration after another."""
    if seed is None:
        high, low = fresh_key()
        start = high << 32 | low
    else:
        start = _whole("shuffle", "seed", seed, 0)
    iterations = count()
    return lambda: Random(start | (next(iterations) if anew else 0) << 64)


def _whole(operation: str, name: str, value: Any, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ArgumentError(
            f"{operation}: {name} does not fit; got {value!r}; give an integer from {least} on"
        )
    return value


def _dataset(operation: str, value: Any) -> None:
    if not isinstance(value, Dataset):
        raise ArgumentError(
            f"{operation}: not a dataset; got {type(value).__name__}; "
            "make one by from_arrays or from_generator"
        )
