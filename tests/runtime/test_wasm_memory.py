"""Blocks of linear memory: addresses, the pool, and views of the host's bytes."""

from __future__ import annotations

import ctypes
from array import array

import pytest

from py_tensor.errors import OutOfMemoryError
from py_tensor.runtime.backends.wasm_memory import Pool, PythonMemory, size_class

pytestmark = pytest.mark.host


@pytest.fixture
def pool():
    return Pool(PythonMemory())


@pytest.mark.parametrize("nbytes", [0, 1, 16, 17, 100, 1000, 4096, 4097, 1 << 20, 3_000_001])
def test_size_classes_waste_little(nbytes):
    size = size_class(nbytes)
    assert max(nbytes, 1) <= size <= max(nbytes * 9 / 8 + 16, 16)
    assert size % 16 == 0
    assert size_class(size) == size


def test_blocks_are_aligned_and_used_again(pool):
    blocks = [pool.take(64) for _ in range(20)]
    assert all(block.address % 16 == 0 for block in blocks)
    assert (pool.in_use, pool.free) == (20 * 64, 0)
    first = blocks.pop()
    address = first.address
    pool.give(first)
    assert (pool.in_use, pool.free, pool.peak) == (19 * 64, 64, 20 * 64)
    assert pool.take(64).address == address


def test_a_view_is_the_memory_at_the_address(pool):
    block = pool.take(64)
    block.view(4)[:] = b"abcd"
    assert ctypes.string_at(block.address, 4) == b"abcd"


def test_a_block_that_is_read_keeps_its_bytes(pool):
    block = pool.take(64)
    block.view(4)[:] = b"abcd"
    read = pool.memory.read(block, 4)
    with pytest.raises(TypeError):
        read[0] = 0
    part = read[1:].cast("b")
    del read
    pool.give(block)
    assert (pool.in_use, pool.free) == (0, 0)
    assert pool.take(64) is not block
    assert bytes(part) == b"bcd"


def test_a_block_whose_reads_ended_is_used_again(pool):
    block = pool.take(64)
    pool.memory.read(block, 4).tolist()
    pool.give(block)
    assert pool.take(64) is block


def test_the_sizes_unused_for_longest_are_freed_first(pool):
    pool.limit = 256
    small, large = pool.take(64), pool.take(128)
    pool.give(small)
    pool.give(large)
    pool.give(pool.take(256))
    assert pool.free == 256
    assert pool.take(64) is not small


def test_the_pool_is_freed_before_memory_is_exhausted(pool, monkeypatch):
    pool.give(pool.take(1 << 20))
    allocate, left = pool.memory.allocate, [2 << 20]

    def allocate_some(nbytes):
        if nbytes > left[0] - pool.in_use - pool.free:
            raise MemoryError
        return allocate(nbytes)

    monkeypatch.setattr(pool.memory, "allocate", allocate_some)
    block = pool.take(3 << 19)
    assert pool.free == 0
    with pytest.raises(OutOfMemoryError, match="realize: memory is exhausted; got 1048576 bytes"):
        pool.take_all((64, 64, 1 << 20))
    assert pool.in_use == block.nbytes
    assert pool.free == 128


HOSTS = {
    "bytes": b"abcd",
    "bytearray": bytearray(b"abcd"),
    "array": array("b", b"abcd"),
    "read-only view": memoryview(b"_abcd")[1:],
    "view of floats": memoryview(b"abcd").cast("f"),
}


@pytest.mark.parametrize("name", HOSTS)
def test_bytes_of_the_host_are_used_where_they_are(name):
    block = PythonMemory().borrow(HOSTS[name])
    assert ctypes.string_at(block.address, block.nbytes) == b"abcd"
    assert bytes(block.view(4)) == b"abcd"
    assert not block.is_own


def test_views_with_gaps_are_not_used():
    assert PythonMemory().borrow(memoryview(b"abcdef")[::2]) is None


def test_no_block_goes_beyond_the_end(pool):
    pool.memory.end = 1
    with pytest.raises(OutOfMemoryError, match="realize: memory is exhausted; got 2097152 bytes"):
        pool.take(1 << 21)
    assert (pool.in_use, pool.free) == (0, 0)


def test_blocks_that_come_back_meanwhile_are_kept(pool, monkeypatch):
    first, second = pool.take(64), pool.take(64)

    class Sizes(dict):
        def pop(self, *arguments):
            blocks = super().pop(*arguments)
            if pool.in_use:
                pool.give(second)
            return blocks

    monkeypatch.setattr(pool, "_blocks", Sizes())
    pool.give(first)
    assert (pool.in_use, pool.free) == (0, 128)
    assert {pool.take(64), pool.take(64)} == {first, second}
