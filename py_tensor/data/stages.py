"""Stages of a pipeline, as asynchronous generators over the previous stage.

Each stage is written once for both kinds of loop. In a plain `for`, `waits` is False and no stage
awaits anything, so the generator can be driven without an event loop.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing
from inspect import isawaitable
from itertools import batched, count
from random import Random
from typing import Any

from ..errors import ArgumentError
from ..ir.pytree import tree_flatten
from .batch_stacking import stacked

ElementStream = AsyncGenerator[Any, None]
Stream = Callable[[bool], ElementStream]
"""Function that starts an iteration; its argument is True if the iteration may wait."""


def _refused(operation: str, what: str) -> ArgumentError:
    return ArgumentError(
        f"{operation}: elements must be awaited; got {what} in a synchronous for loop; use async "
        "for"
    )


async def generated(function: Callable[[], object], waits: bool) -> ElementStream:
    elements = function()
    if hasattr(elements, "__aiter__"):
        if not waits:
            raise _refused("from_generator", f"a function that returns {type(elements).__name__}")
        async for element in elements:
            yield element
        return
    if not hasattr(elements, "__iter__"):
        raise ArgumentError(
            f"from_generator: function must return an iterable; got {type(elements).__name__}; "
            "yield the elements or return an iterable"
        )
    for element in elements:
        yield element


async def rows(columns: Any, indices: Callable[[], Iterable[int]], waits: bool) -> ElementStream:
    leaves, structure = tree_flatten(columns)
    build = structure.builder()
    for index in indices():
        yield build([column.row(index) for column in leaves])


async def gathered(
    columns: Any, indices: Callable[[], Iterable[int]], size: int, drop: bool, waits: bool
) -> ElementStream:
    """Yield batches of rows, gathered without creating the rows one by one."""
    leaves, structure = tree_flatten(columns)
    build = structure.builder()
    for group in batched(indices(), size):
        if len(group) == size or not drop:
            yield build([column.rows(group) for column in leaves])


def _apply(function: Callable[..., object], element: object) -> object:
    return function(*element) if isinstance(element, tuple) else function(element)


async def mapped(source: Stream, function: Callable[..., object], waits: bool) -> ElementStream:
    async for element in source(waits):
        result = _apply(function, element)
        if isawaitable(result):
            if not waits:
                getattr(result, "close", lambda: None)()
                raise _refused("map", "an asynchronous function")
            result = await result
        yield result


async def filtered(source: Stream, predicate: Callable[..., object], waits: bool) -> ElementStream:
    async for element in source(waits):
        if _apply(predicate, element):
            yield element


async def grouped(source: Stream, size: int, drop: bool, waits: bool) -> ElementStream:
    group: list[Any] = []
    async for element in source(waits):
        group.append(element)
        if len(group) == size:
            yield stacked(group)
            group = []
    if group and not drop:
        yield stacked(group)


async def shuffled(
    source: Stream, size: int | None, numbers: Callable[[], Random], waits: bool
) -> ElementStream:
    """Yield elements in random order, drawn from a buffer of `size` that the next ones refill."""
    draw = numbers().random
    buffer: list[Any] = []
    async for element in source(waits):
        if size is None or len(buffer) < size:
            buffer.append(element)
            continue
        index = int(draw() * size)
        yield buffer[index]
        buffer[index] = element
    for index in permutation(range(len(buffer)), draw):
        yield buffer[index]


def permutation[Item](items: Sequence[Item], draw: Callable[[], float]) -> list[Item]:
    """Return the items in random order by sorting random keys, which is faster than swapping."""
    keys = [draw() for _ in items]
    return [items[index] for index in sorted(range(len(keys)), key=keys.__getitem__)]


async def repeated(source: Stream, times: int | None, waits: bool) -> ElementStream:
    for _ in count() if times is None else range(times):
        empty = True
        async for element in source(waits):
            empty = False
            yield element
        if empty:
            return


async def taken(source: Stream, number: int, waits: bool) -> ElementStream:
    if not number:
        return
    left = number
    async for element in source(waits):
        yield element
        left -= 1
        if not left:
            return


async def skipped(source: Stream, number: int, waits: bool) -> ElementStream:
    left = number
    async for element in source(waits):
        if left:
            left -= 1
        else:
            yield element


async def sharded(source: Stream, count: int, index: int, waits: bool) -> ElementStream:
    position = 0
    async for element in source(waits):
        if position == index:
            own = element
        position += 1
        if position == count:
            yield own
            position = 0


async def numbered(source: Stream, start: int, waits: bool) -> ElementStream:
    numbers = count(start)
    async for element in source(waits):
        yield next(numbers), element


async def joined(sources: Sequence[Stream], waits: bool) -> ElementStream:
    for source in sources:
        async for element in source(waits):
            yield element


async def zipped(sources: Sequence[Stream], waits: bool) -> ElementStream:
    iterators = [source(waits) for source in sources]
    while True:
        try:
            element = tuple([await anext(iterator) for iterator in iterators])
        except StopAsyncIteration:
            return
        yield element


async def prefetched(source: Stream, number: int, waits: bool) -> ElementStream:
    """Yield elements that a separate task prepares while the loop waits for something else."""
    elements = source(waits)
    if not waits:
        async for element in elements:
            yield element
        return
    from asyncio import Queue, Semaphore, create_task

    free = Semaphore(number)
    ready: Queue[tuple[bool, Any]] = Queue()

    async def prepare() -> None:
        async with aclosing(elements):
            try:
                while True:
                    await free.acquire()
                    ready.put_nowait((True, await anext(elements)))
            except StopAsyncIteration:
                ready.put_nowait((False, None))
            except BaseException as error:  # also a cancellation, or the loop would wait forever
                ready.put_nowait((False, error))

    task = create_task(prepare())
    try:
        while True:
            more, value = await ready.get()
            if not more:
                if value is not None:
                    raise value
                return
            free.release()
            yield value
    finally:
        task.cancel()
