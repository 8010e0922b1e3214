"""The stages of a pipeline, as asynchronous generators over the stage before.

Each is written once for both kinds of loop: in a plain `for`, where `waits` is False, no stage ever
has to wait for anything, so that the generator can be driven without an event loop.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from inspect import isawaitable
from itertools import batched, count
from random import Random
from typing import Any

from ..errors import ArgumentError
from .nesting import map_leaves
from .stacking import stacked

Elements = AsyncGenerator[Any, None]
Stream = Callable[[bool], Elements]
"""Starts an iteration; the argument says whether it may wait, as in `async for`."""


def _refused(operation: str, what: str) -> ArgumentError:
    return ArgumentError(
        f"{operation}: elements must be waited for; got {what} in a plain for; use async for"
    )


async def generated(function: Callable[[], Any], waits: bool) -> Elements:
    elements = function()
    if hasattr(elements, "__aiter__"):
        if not waits:
            raise _refused("from_generator", f"a function that gives {type(elements).__name__}")
        async for element in elements:
            yield element
        return
    if not hasattr(elements, "__iter__"):
        raise ArgumentError(
            f"from_generator: function gives no iterator; got {type(elements).__name__}; "
            "yield the elements, or return something that can be iterated"
        )
    for element in elements:
        yield element


async def rows(columns: Any, places: Callable[[], Any], waits: bool) -> Elements:
    for place in places():
        yield map_leaves("row", lambda column, place=place: column.row(place), columns)


async def gathered(
    columns: Any, places: Callable[[], Any], size: int, drop: bool, waits: bool
) -> Elements:
    """Batches of rows, gathered without making the rows one by one."""
    for group in batched(places(), size):
        if len(group) == size or not drop:
            yield map_leaves("batch", lambda column, group=group: column.rows(group), columns)


def _apply(function: Callable[..., Any], element: Any) -> Any:
    return function(*element) if isinstance(element, tuple) else function(element)


async def mapped(source: Stream, function: Callable[..., Any], waits: bool) -> Elements:
    async for element in source(waits):
        result = _apply(function, element)
        if isawaitable(result):
            if not waits:
                getattr(result, "close", lambda: None)()
                raise _refused("map", "a function that has to be awaited")
            result = await result
        yield result


async def filtered(source: Stream, predicate: Callable[..., Any], waits: bool) -> Elements:
    async for element in source(waits):
        if _apply(predicate, element):
            yield element


async def grouped(source: Stream, size: int, drop: bool, waits: bool) -> Elements:
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
) -> Elements:
    """Elements in random order, drawn from a buffer of `size` that the next ones fill up."""
    draw = numbers().random
    buffer: list[Any] = []
    async for element in source(waits):
        if size is None or len(buffer) < size:
            buffer.append(element)
            continue
        place = int(draw() * size)
        yield buffer[place]
        buffer[place] = element
    for place in permutation(range(len(buffer)), draw):
        yield buffer[place]


def permutation(items: Sequence[int], draw: Callable[[], float]) -> list[int]:
    """The items in random order; sorting by random keys is several times quicker than swapping."""
    keys = [draw() for _ in items]
    return [items[place] for place in sorted(range(len(keys)), key=keys.__getitem__)]


async def repeated(source: Stream, times: int | None, waits: bool) -> Elements:
    for _ in count() if times is None else range(times):
        empty = True
        async for element in source(waits):
            empty = False
            yield element
        if empty:
            return


async def taken(source: Stream, number: int, waits: bool) -> Elements:
    if not number:
        return
    left = number
    async for element in source(waits):
        yield element
        left -= 1
        if not left:
            return


async def skipped(source: Stream, number: int, waits: bool) -> Elements:
    left = number
    async for element in source(waits):
        if left:
            left -= 1
        else:
            yield element


async def numbered(source: Stream, start: int, waits: bool) -> Elements:
    numbers = count(start)
    async for element in source(waits):
        yield next(numbers), element


async def joined(sources: Sequence[Stream], waits: bool) -> Elements:
    for source in sources:
        async for element in source(waits):
            yield element


async def zipped(sources: Sequence[Stream], waits: bool) -> Elements:
    iterators = [source(waits) for source in sources]
    while True:
        try:
            element = tuple([await anext(iterator) for iterator in iterators])
        except StopAsyncIteration:
            return
        yield element


async def prefetched(source: Stream, number: int, waits: bool) -> Elements:
    """Elements that a task of its own prepares whenever the loop waits for something else."""
    elements = source(waits)
    if not waits:
        async for element in elements:
            yield element
        return
    from asyncio import Queue, Semaphore, create_task

    room = Semaphore(number)
    ready: Queue[tuple[bool, Any]] = Queue()

    async def prepare() -> None:
        async with aclosing(elements):
            try:
                while True:
                    await room.acquire()
                    ready.put_nowait((True, await anext(elements)))
            except StopAsyncIteration:
                ready.put_nowait((False, None))
            except BaseException as error:  # also a cancellation, or the loop would wait for ever
                ready.put_nowait((False, error))

    task = create_task(prepare())
    try:
        while True:
            more, value = await ready.get()
            if not more:
                if value is not None:
                    raise value
                return
            room.release()
            yield value
    finally:
        task.cancel()
