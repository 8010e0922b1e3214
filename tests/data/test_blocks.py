"""Arrays and files larger than memory are read in blocks, of which few are in memory."""

from __future__ import annotations

import tracemalloc
from itertools import batched

import dask.array
import numpy as np
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest
import zarr
from helpers import assert_raises

import py_tensor as pt
from py_tensor import errors
from py_tensor.data.columns import BLOCKS

X = np.arange(200 * 3, dtype="float32").reshape(200, 3)
Y = np.arange(200, dtype="int32")


def memory_map(tmp_path):
    X.tofile(tmp_path / "x.bin")
    return np.memmap(tmp_path / "x.bin", "float32", "r", shape=X.shape)


SOURCES = {
    "dask": (lambda _: dask.array.from_array(X, chunks=((20, 1, 30, 49, 100), (2, 1))), None),
    "zarr": (lambda path: zarr.array(X, chunks=(16, 2), store=path / "x.zarr"), None),
    "memory map": (memory_map, 16),
    "zarr, larger blocks": (lambda path: zarr.array(X, chunks=(16, 3), store=path / "x.zarr"), 48),
}


@pytest.fixture(params=SOURCES)
def rows(request, tmp_path):
    make, block_size = SOURCES[request.param]
    return pt.data.from_arrays({"x": make(tmp_path), "y": Y}, block_size=block_size)


def order(dataset):
    """Return the numbers of the rows in the order of the dataset, and check the other columns."""
    rows = []
    for batch in dataset.batch(7):
        places = batch["y"].tolist()
        assert batch["x"].tolist() == X[places].tolist()
        rows += places
    return rows


def test_rows_are_read_in_order(rows):
    assert len(rows) == 200
    assert order(rows) == list(range(200))
    assert order(rows.skip(30).take(100)) == list(range(30, 130))
    assert next(iter(rows.skip(150)))["x"].tolist() == X[150].tolist()


def test_a_shuffled_epoch_has_each_row_once(rows):
    shuffled = rows.shuffle(seed=3)
    first, second = order(shuffled), order(shuffled)
    assert sorted(first) == sorted(second) == list(range(200))
    assert first != second
    assert order(rows.shuffle(seed=3)) == first
    assert order(rows.shuffle(seed=3, iteration=1)) == second
    assert sorted(order(rows.skip(30).take(100).shuffle(seed=3))) == list(range(30, 130))
    parts = [order(rows.shuffle(seed=3).shard(2, part)) for part in range(2)]
    assert [row for pair in zip(*parts, strict=True) for row in pair] == first
    again = order(shuffled.take(150).shuffle(seed=4))
    assert len(set(again)) == 150


def test_blocks_are_shuffled_and_rows_within_a_few_blocks():
    source = dask.array.from_array(np.arange(1000), chunks=10)
    shuffled = [row.item() for row in pt.data.from_arrays(source).shuffle(seed=0)]
    windows = list(batched(shuffled, BLOCKS * 10))
    blocks = [{row // 10 for row in window} for window in windows]
    assert {len(numbers) for numbers in blocks} == {BLOCKS}
    assert any(max(numbers) - min(numbers) > 50 for numbers in blocks)
    assert all(sorted(window) != list(window) for window in windows)


@pytest.mark.parametrize("shuffle", [False, True])
def test_memory_is_bounded(tmp_path, shuffle):
    """32 MB are read in blocks of 0.5 MB, of which four are in memory."""
    rows, width, chunk = 32768, 256, 512
    store = zarr.create_array(
        tmp_path / "x.zarr", shape=(rows, width), chunks=(chunk, width), dtype="f4"
    )
    for start in range(0, rows, chunk):
        numbers = np.arange(start, start + chunk, dtype="f4")
        store[start : start + chunk] = np.broadcast_to(numbers[:, None], (chunk, width))
    dataset = pt.data.from_arrays(store)
    if shuffle:
        dataset = dataset.shuffle(seed=0)
    total = 0.0
    tracemalloc.start()
    try:
        for batch in dataset.batch(64):
            total += memoryview(batch)[0, 0] + memoryview(batch)[63, 255]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert total > 0
    assert peak < 8 << 20, f"{peak:,} bytes"


def test_only_needed_blocks_are_read(monkeypatch):
    read = []

    class Array:
        shape, dtype, chunks = (100,), "int32", (10,)

        def __getitem__(self, part):
            read.append(part.start)
            return np.arange(part.start, part.stop, dtype="int32")

    rows = pt.data.from_arrays(Array())
    part = rows.skip(50).take(50)
    assert [x.item() for x in part.take(3)] == [50, 51, 52]
    assert read == [50]
    assert sorted(x.item() for x in part.shuffle(seed=1)) == list(range(50, 100))
    assert sorted(set(read)) == [50, 60, 70, 80, 90] and len(read) <= 6


def test_copies_on_the_device_are_not_read_in_blocks():
    source = dask.array.from_array(Y, chunks=10)
    batch = next(iter(pt.data.from_arrays(source, device=True).shuffle(seed=0).batch(200)))
    assert sorted(batch.tolist()) == Y.tolist()


def test_mistakes():
    source = dask.array.from_array(Y, chunks=10)
    assert_raises(
        errors.ShapeError,
        "from_arrays: number of rows is unknown; got shape (nan,); call compute_chunk_sizes() of "
        "the Dask array first",
        lambda: pt.data.from_arrays(source[source > 3]),
    )
    assert_raises(
        errors.ShapeError,
        "from_arrays: arrays must have the same length; got 100, 200; pass arrays with equal "
        "numbers of rows",
        lambda: pt.data.from_arrays(source, dask.array.ones(100)),
    )
    assert_raises(
        errors.ArgumentError,
        "from_arrays: block_size is too small; got 0; use 1 or more",
        lambda: pt.data.from_arrays(source, block_size=0),
    )


@pytest.fixture
def folder(tmp_path):
    for part in range(2):
        numbers = np.arange(100 * part, 100 * part + 100)
        table = {
            "number": numbers.astype("int64"),
            "half": numbers / 2,
            "text": [f"row {number}" for number in numbers],
            "pair": pyarrow.array([[n, -n] for n in numbers], pyarrow.list_(pyarrow.float32(), 2)),
        }
        path = tmp_path / f"part-{part}.parquet"
        pyarrow.parquet.write_table(pyarrow.table(table), path, row_group_size=30)
    return tmp_path


def test_parquet_columns(folder):
    rows = pt.data.parquet(folder)
    assert len(rows) == 200
    row = next(iter(rows.skip(130)))
    assert row["number"].tolist() == 130 and row["number"].dtype is pt.int32
    assert row["half"].tolist() == 65.0 and row["half"].dtype is pt.float32
    assert row["text"] == "row 130"
    assert row["pair"].tolist() == [130.0, -130.0]
    batch = next(iter(pt.data.parquet(folder, columns=["text"]).skip(98).batch(4)))
    assert batch == {"text": ["row 98", "row 99", "row 100", "row 101"]}


def test_parquet_features_and_labels(folder):
    source = [folder / "part-0.parquet", folder / "part-1.parquet"]
    rows = pt.data.parquet(list(map(str, source)), features=["number", "half"], labels="number")
    x, y = next(iter(rows.skip(99).batch(2)))
    assert x.tolist() == [[99.0, 49.5], [100.0, 50.0]]
    assert y.tolist() == [99, 100]
    rows = pt.data.parquet(folder, columns=["half", "number"], labels="number")
    assert next(iter(rows.skip(7)))[0].tolist() == [3.5]
    rows = pt.data.parquet(pyarrow.dataset.dataset(folder), features="half")
    assert [x.item() for x in rows.take(2)] == [0.0, 0.5]


def test_parquet_is_shuffled_by_row_group(folder):
    rows = pt.data.parquet(folder, features="number").shuffle(seed=5)
    first, second = ([x.item() for x in rows] for _ in range(2))
    assert sorted(first) == sorted(second) == list(range(200))
    assert first != second


def test_parquet_mistakes(folder, monkeypatch):
    def table(**columns):
        path = folder / "other.parquet"
        pyarrow.parquet.write_table(pyarrow.table(columns), path)
        return list(pt.data.parquet(path))

    assert_raises(
        errors.ArgumentError,
        "parquet: unknown column; got 'size'; use one of number, half, text, pair",
        lambda: pt.data.parquet(folder, labels="size"),
    )
    assert_raises(
        errors.DTypeError,
        'parquet: column has no numbers; got string in column "text"; convert it, or name the '
        "columns to read",
        lambda: pt.data.parquet(folder, features=["text", "half"]),
    )
    assert_raises(
        errors.DTypeError,
        'parquet: value is missing in column "n"; got 1 missing of int64 in one row group; fill '
        "them in, or store floats, where a missing value is NaN",
        lambda: table(n=[1, None]),
    )
    assert_raises(
        errors.ShapeError,
        'parquet: lists in column "n" must have one length; got 4 values in 2 lists; pad them',
        lambda: table(n=[[1.0], [2.0, 3.0, 4.0]]),
    )
    with pytest.raises(errors.ArgumentError, match="parquet: cannot read the source; got"):
        pt.data.parquet(folder / "none")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    assert_raises(
        errors.BackendError,
        "parquet: PyArrow is not available; got no module pyarrow; in Python, pip install "
        '"py_tensor[data]"; in a page, use csv or from_arrays',
        lambda: pt.data.parquet(folder),
    )
