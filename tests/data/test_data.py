"""Datasets yield the elements of plain Python, in every kind of loop, any number of times."""

from __future__ import annotations

import asyncio
import math
from collections import Counter, namedtuple
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from helpers import assert_raises, assert_values
from work_limit import HANG_SECONDS

import py_tensor as pt
from py_tensor import errors

X = np.arange(30, dtype="float32").reshape(10, 3)
Y = np.arange(10, dtype="int32") * 10
Pair = namedtuple("Pair", "x y")


def plain(element: Any) -> Any:
    """Convert the tensors of an element to lists."""
    if isinstance(element, pt.Tensor):
        return element.tolist()
    if isinstance(element, dict):
        return {key: plain(value) for key, value in element.items()}
    if isinstance(element, tuple):
        return tuple(map(plain, element))
    return element


def by_for(dataset: Any) -> list[Any]:
    return [plain(element) for element in dataset]


def by_async_for(dataset: Any) -> list[Any]:
    async def loop() -> list[Any]:
        return [plain(element) async for element in dataset]

    return driven(loop())


def driven(coroutine: Any) -> Any:
    """Run a coroutine that yields but needs no event loop, since the page has one."""
    try:
        while True:
            coroutine.send(None)
    except StopIteration as done:
        return done.value


def in_a_loop(coroutine: Any) -> Any:
    """Run a coroutine that makes tasks, but no tensors, which belong to this thread."""
    with ThreadPoolExecutor(1) as executor:
        return executor.submit(asyncio.run, coroutine).result()


LOOPS = pytest.mark.parametrize("elements", [by_for, by_async_for])


def numbers(n: int) -> Any:
    """Make a dataset of rows, whose stages work on positions."""
    return pt.data.from_arrays(list(range(n)))


def generated(n: int) -> Any:
    """Make a dataset of the same elements, whose stages work on elements."""
    return pt.data.from_generator(lambda: iter(range(n)))


SOURCES = pytest.mark.parametrize("source", [numbers, generated])


@LOOPS
@SOURCES
@pytest.mark.parametrize(
    ("stages", "expected"),
    [
        (lambda d: d, [0, 1, 2, 3, 4, 5, 6]),
        (lambda d: d.map(lambda x: x * 2), [0, 2, 4, 6, 8, 10, 12]),
        (lambda d: d.filter(lambda x: x % 3 == 0), [0, 3, 6]),
        (lambda d: d.take(3), [0, 1, 2]),
        (lambda d: d.take(0), []),
        (lambda d: d.take(9), [0, 1, 2, 3, 4, 5, 6]),
        (lambda d: d.skip(5), [5, 6]),
        (lambda d: d.skip(9), []),
        (lambda d: d.skip(2).take(2).repeat(2), [2, 3, 2, 3]),
        (lambda d: d.repeat(0), []),
        (lambda d: d.repeat().skip(5).take(4), [5, 6, 0, 1]),
        (lambda d: d.shard(3, 1), [1, 4]),
        (lambda d: d.shard(1, 0).take(2), [0, 1]),
        (lambda d: d.skip(1).shard(2, 0).repeat(2), [1, 3, 5, 1, 3, 5]),
        (lambda d: d.repeat().shard(2, 1).take(4), [1, 3, 5, 0]),
        (lambda d: d.take(2).enumerate(5), [(5, 0), (6, 1)]),
        (lambda d: d.take(2).concatenate(d.skip(5)), [0, 1, 5, 6]),
        (lambda d: pt.data.zip(d, d.skip(4)), [(0, 4), (1, 5), (2, 6)]),
        (lambda d: d.batch(3), [[0, 1, 2], [3, 4, 5], [6]]),
        (lambda d: d.batch(3, drop_remainder=True), [[0, 1, 2], [3, 4, 5]]),
        (lambda d: d.batch(2).batch(3), [[[0, 1], [2, 3], [4, 5]], [[6]]]),
        (lambda d: d.map(lambda x: x + 1).batch(4).take(1).repeat(2), [[1, 2, 3, 4]] * 2),
        (lambda d: d.repeat().batch(5).take(2), [[0, 1, 2, 3, 4], [5, 6, 0, 1, 2]]),
        (lambda d: d.skip(9).repeat(), []),
    ],
)
def test_stages(source, stages, expected, elements):
    dataset = stages(source(7))
    assert elements(dataset) == expected
    assert elements(dataset) == expected, "a dataset can be iterated again"
    if source is numbers and isinstance(dataset._length, int):
        assert len(dataset) == len(expected)


def test_lengths():
    ten = numbers(10)
    known = {
        10: [ten, ten.map(abs), ten.shuffle(), ten.enumerate(), ten.prefetch(2), ten.take(11)],
        4: [ten.batch(3), ten.skip(6), ten.repeat().take(4), pt.data.zip(ten, ten.take(4))],
        3: [ten.batch(3, drop_remainder=True), ten.repeat().batch(4).take(3)],
        30: [ten.repeat(3), ten.concatenate(ten.repeat(2)), ten.repeat(3).shuffle()],
        0: [ten.take(0).repeat(), ten.skip(11), ten.repeat(0), ten.take(3).skip(3).batch(2)],
    }
    for length, datasets in known.items():
        assert [len(dataset) for dataset in datasets] == [length] * len(datasets)
    for dataset in (ten.repeat(), ten.repeat().batch(2).skip(5), ten.filter(bool), generated(3)):
        with pytest.raises(TypeError, match=r"^len: dataset is (endless|of unknown length); got"):
            len(dataset)
        assert dataset
    assert repr(ten.batch(4)) == "Dataset(length=3)"
    assert repr(ten.repeat()) == "Dataset(length=inf)"
    assert repr(generated(2)) == "Dataset(length=unknown)"


# --- arrays ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", [False, True])
def test_containers_of_arrays(device):
    for arrays, row in [
        ((X, Y), (X[4], Y[4])),
        (((X, Y),), (X[4], Y[4])),
        (({"x": X, "rest": (Y, X[:, 0])},), {"x": X[4], "rest": (Y[4], X[4, 0])}),
        ((Pair(X, Y),), Pair(X[4], Y[4])),
    ]:
        dataset = pt.data.from_arrays(*arrays, device=device)
        assert len(dataset) == 10
        element = next(iter(dataset.skip(4)))
        assert type(element) is type(row)
        for got, expected in zip(pt.tree_leaves(element), pt.tree_leaves(row), strict=True):
            assert_values(got, expected)


@pytest.mark.parametrize("device", [False, True])
@pytest.mark.parametrize(
    "dtype", ["float32", "float16", "int32", "uint32", "int16", "int8", "bool"]
)
def test_batches_of_arrays(device, dtype, rng):
    x = rng.integers(0, 2 if dtype == "bool" else 100, (23, 2, 3)).astype(dtype)
    dataset = pt.data.from_arrays(x, device=device)
    for at, batch in enumerate(dataset.batch(5)):
        assert_values(batch, x[at * 5 : at * 5 + 5])
    places = [int(i) for i in pt.data.from_arrays(np.arange(23)).shuffle(seed=3)]
    for at, batch in enumerate(dataset.shuffle(seed=3).batch(5)):
        assert_values(batch, x[places[at * 5 : at * 5 + 5]])


def test_kinds_of_arrays():
    rows = [[1.0, 2.0], [3.0, 4.0]]
    wide = np.array(rows)
    for array in (rows, wide, memoryview(wide), pt.asarray(rows)):
        [batch] = pt.data.from_arrays(array).batch(2)
        assert_values(batch, wide.astype("float32"))
    [empty] = pt.data.from_arrays(np.zeros((3, 0), "int8")).batch(3)
    assert_values(empty, np.zeros((3, 0), "int8"))
    assert by_for(pt.data.from_arrays(np.zeros((0, 3))).batch(2)) == []


def test_the_arrays_are_copied():
    x = X.copy()
    dataset = pt.data.from_arrays(x)
    x[:] = 0
    assert_values(next(iter(dataset.batch(10))), X)


# --- batches of elements --------------------------------------------------------------------------


@LOOPS
def test_batches_of_generator_elements(elements):
    def rows():
        for n in range(3):
            yield {"a": [n, n + 1], "b": (float(n), X[n])}, f"text {n}", n > 0

    [batch] = elements(pt.data.from_generator(rows).batch(3))
    assert batch == (
        {"a": [[0, 1], [1, 2], [2, 3]], "b": ([0.0, 1.0, 2.0], X[:3].tolist())},
        ["text 0", "text 1", "text 2"],
        [False, True, True],
    )


def test_batches_of_computed_tensors():
    dataset = pt.data.from_arrays(X, Y).map(lambda x, y: (x * 2.0 + 1.0, y)).batch(4)
    for at, (x, y) in enumerate(dataset):
        assert_values(x, X[at * 4 : at * 4 + 4] * 2 + 1)
        assert_values(y, Y[at * 4 : at * 4 + 4])


def test_batches_of_different_dtypes_promote():
    [batch] = pt.data.from_generator(lambda: iter([[1, 2], [0.5, 1.5]])).batch(2)
    assert_values(batch, np.array([[1, 2], [0.5, 1.5]], "float32"))
    [batch] = pt.data.from_generator(lambda: iter([1, 2.5])).batch(2)
    assert_values(batch, np.array([1, 2.5], "float32"))


# --- order ----------------------------------------------------------------------------------------


@LOOPS
@SOURCES
@pytest.mark.parametrize("size", [None, 4, 50])
def test_shuffle(source, size, elements):
    dataset = source(20).shuffle(size, seed=7)
    first, second = elements(dataset), elements(dataset)
    assert first != second
    assert sorted(first) == sorted(second) == list(range(20)) != first
    again = source(20).shuffle(size, seed=7)
    assert [elements(again), elements(again)] == [first, second]
    assert elements(source(20).shuffle(size, seed=8)) != first
    fixed = source(20).shuffle(size, seed=7, reshuffle_each_iteration=False)
    assert elements(fixed) == elements(fixed) == first


@SOURCES
def test_shuffle_repeated(source):
    both = by_for(source(20).shuffle(seed=1).repeat(2))
    assert sorted(both[:20]) == sorted(both[20:]) == list(range(20))
    assert both[:20] != both[20:]


def test_shuffle_range_is_the_buffer_size():
    got = by_for(generated(100).shuffle(5, seed=2))
    assert sorted(got) == list(range(100))
    assert all(value <= position + 5 for position, value in enumerate(got))
    assert any(later < earlier for earlier, later in pairwise(got[:90]))
    endless = by_for(numbers(3).repeat().shuffle(4, seed=0).take(300))
    counts = Counter(endless)
    assert set(counts) == {0, 1, 2} and min(counts.values()) > 90


def test_every_order_is_equally_likely():
    dataset = numbers(3).shuffle(seed=5)
    counts = Counter(tuple(by_for(dataset)) for _ in range(600))
    # 100 are expected of each; the bound is 5 standard deviations.
    assert len(counts) == 6 and all(
        abs(n - 100) < 5 * math.sqrt(100 * 5 / 6) for n in counts.values()
    )


def test_the_seed_comes_from_random():
    def order() -> list[Any]:
        pt.random.seed(3)
        return by_for(numbers(20).shuffle())

    assert order() == order()
    assert by_for(numbers(20).shuffle()) != by_for(numbers(20).shuffle())


# --- asynchronous stages --------------------------------------------------------------------------


async def slowly(n: int) -> Any:
    for number in range(n):
        await asyncio.sleep(0)
        yield number


async def doubled(x: int) -> int:
    await asyncio.sleep(0)
    return x * 2


def test_asynchronous_stages():
    dataset = pt.data.from_generator(lambda: slowly(5))
    assert by_async_for(dataset.shuffle(seed=1).map(doubled).batch(9).map(pt.sum)) == [20]
    assert by_async_for(pt.data.zip(dataset, generated(3).map(doubled))) == [(0, 0), (1, 2), (2, 4)]


def test_plain_for_refuses_asynchronous_stages():
    assert_raises(
        errors.ArgumentError,
        "from_generator: elements must be awaited; got a function that returns async_generator in "
        "a synchronous for loop; use async for",
        lambda: list(pt.data.from_generator(lambda: slowly(5))),
    )
    assert_raises(
        errors.ArgumentError,
        "map: elements must be awaited; got an asynchronous function in a synchronous for loop; "
        "use async for",
        lambda: list(numbers(2).map(doubled)),
    )


def test_prefetch_prepares_while_the_loop_waits():
    made: list[int] = []

    def source():
        for number in range(6):
            made.append(number)
            yield number

    async def loop() -> list[tuple[int, int]]:
        seen = []
        async for number in pt.data.from_generator(source).prefetch(2):
            await asyncio.sleep(0)
            seen.append((number, len(made)))
        return seen

    # Each element is returned once up to two more are prepared.
    assert in_a_loop(loop()) == [(0, 3), (1, 4), (2, 5), (3, 6), (4, 6), (5, 6)]


def test_prefetch_in_a_plain_for_yields_all_elements():
    assert by_for(numbers(3).prefetch(2)) == [0, 1, 2]


def test_prefetch_of_an_asynchronous_source():
    async def loop() -> list[int]:
        dataset = pt.data.from_generator(lambda: slowly(7)).map(doubled).prefetch(3)
        return [number async for number in dataset]

    assert in_a_loop(loop()) == [0, 2, 4, 6, 8, 10, 12]


def test_prefetch_raises_errors_in_order():
    def source():
        yield 1
        raise ValueError("no more")

    async def loop() -> None:
        seen = []
        with pytest.raises(ValueError, match="no more"):
            async for number in pt.data.from_generator(source).prefetch(3):
                seen.append(number)
        assert seen == [1]

    in_a_loop(loop())


def test_prefetch_propagates_cancellation():
    async def source():
        yield 1
        raise asyncio.CancelledError

    async def loop() -> None:
        with pytest.raises(asyncio.CancelledError):
            async for _ in pt.data.from_generator(source).prefetch(1):
                pass

    in_a_loop(asyncio.wait_for(loop(), HANG_SECONDS))


def test_prefetch_ends_with_its_loop():
    closed = []

    async def source():
        try:
            async for number in slowly(100):
                yield number
        finally:
            closed.append(True)

    async def loop() -> int:
        async for _ in pt.data.from_generator(source).prefetch(2):
            break
        for _ in range(9):
            await asyncio.sleep(0)
        return len(asyncio.all_tasks())

    assert in_a_loop(loop()) == 1
    assert closed == [True]


def test_errors_of_functions_reach_the_loop():
    with pytest.raises(ZeroDivisionError):
        by_for(generated(3).map(lambda x: 1 // x))
    with pytest.raises(ZeroDivisionError):
        by_async_for(generated(3).filter(lambda x: 1 // x).batch(2))


def test_a_loop_left_early_closes_its_generator():
    closed = []

    def source():
        try:
            yield from range(5)
        finally:
            closed.append(True)

    for _ in pt.data.from_generator(source).map(lambda x: x).batch(2):
        break
    assert by_for(pt.data.from_generator(source).take(2)) == [0, 1]
    assert closed == [True, True]


# --- misuse ---------------------------------------------------------------------------------------

MISTAKES = {
    "lengths": (
        errors.ShapeError,
        lambda: pt.data.from_arrays(X, Y[:4]),
        "from_arrays: arrays must have the same length; got 4, 10; pass arrays with equal numbers "
        "of rows",
    ),
    "no rows": (
        errors.ShapeError,
        lambda: pt.data.from_arrays(3.0),
        "from_arrays: arrays must have at least one axis; got shape (); reshape them",
    ),
    "no array": (
        errors.ShapeError,
        lambda: pt.data.from_arrays(),
        "from_arrays: at least one array is required; got no leaves; pass an array",
    ),
    "an iterator": (
        errors.ArgumentError,
        lambda: pt.data.from_generator(iter([1])),
        "from_generator: argument must be a function; got list_iterator; pass the function that "
        "returns the iterator",
    ),
    "a function without iterator": (
        errors.ArgumentError,
        lambda: list(pt.data.from_generator(lambda: 3)),
        "from_generator: function must return an iterable; got int; yield the elements or return "
        "an iterable",
    ),
    "a batch of none": (
        errors.ArgumentError,
        lambda: numbers(3).batch(0),
        "batch: batch_size is invalid; got 0; use an integer of at least 1",
    ),
    "a negative count": (
        errors.ArgumentError,
        lambda: numbers(3).take(-1),
        "take: count is invalid; got -1; use an integer of at least 0",
    ),
    "a part that does not exist": (
        errors.ArgumentError,
        lambda: numbers(3).shard(2, 2),
        "shard: index is out of range; got 2 of 2 parts; use 0 to 1",
    ),
    "endless shuffle": (
        errors.ArgumentError,
        lambda: numbers(3).repeat().shuffle(),
        "shuffle: dataset is endless; got Dataset(length=inf); shuffle before repeat, or pass "
        "buffer_size",
    ),
    "shapes": (
        errors.ShapeError,
        lambda: list(pt.data.from_generator(lambda: iter([[1, 2], [3]])).batch(2)),
        "batch: elements must have the same shape; got (1,), (2,); use map to pad or crop them to "
        "the same shape",
    ),
    "containers": (
        errors.ArgumentError,
        lambda: list(pt.data.from_generator(lambda: iter([(1, 2), {"a": 1}])).batch(2)),
        "batch: structures differ; got a dict with keys ['a'] instead of a tuple of 2; use the "
        "containers of the first tree",
    ),
    "no dataset": (
        errors.ArgumentError,
        lambda: numbers(3).concatenate([1]),
        "concatenate: argument must be a dataset; got list; create one with from_arrays or "
        "from_generator",
    ),
    "zip of nothing": (
        errors.ArgumentError,
        lambda: pt.data.zip(),
        "zip: at least one dataset is required; got no arguments; pass a dataset",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_misuse(name):
    error, call, text = MISTAKES[name]
    assert_raises(error, text, call)
