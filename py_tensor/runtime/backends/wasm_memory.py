"""Linear memory: blocks for values, a pool of free ones, and Python's own memory.

Input: sizes in bytes, and buffers of the host. Output: `Block`s with addresses that kernels use.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any, Protocol

from ...errors import OutOfMemoryError
from ..holders import largest_holders

POOL_LIMIT = 512 << 20
"""Bytes of free blocks that the pool keeps."""
ALIGNMENT = 16
"""Divisor of addresses, so that a vector is within one line of the processor's cache."""


class Block:
    """Bytes at an address; `data` is the object that holds them, from byte `start` on."""

    __slots__ = ("address", "data", "is_own", "nbytes", "start")

    def __init__(
        self, address: int, nbytes: int, data: Any, start: int = 0, is_own: bool = True
    ) -> None:
        self.address = address
        self.nbytes = nbytes
        self.data = data
        self.start = start
        self.is_own = is_own
        """False if the host owns the bytes, which must not be changed then."""

    def view(self, nbytes: int) -> memoryview:
        """Return the first bytes as a view of the memory."""
        return memoryview(self.data).cast("B")[self.start : self.start + nbytes]


class LinearMemory(Protocol):
    """A linear memory that kernels import."""

    def allocate(self, nbytes: int) -> Block:
        """Return a block of undefined bytes; raise MemoryError if there are too few."""

    def free(self, block: Block) -> None:
        """Forget a block of `allocate`."""

    def borrow(self, host: Any) -> Block | None:
        """Return a block of the host's own bytes; None if they are outside of this memory."""

    def read(self, block: Block, nbytes: int) -> memoryview:
        """Return the first bytes, which later uses of the block do not change."""

    def is_viewed(self, block: Block) -> bool:
        """Return True if a result of `read` needs the block's bytes."""


class PythonMemory:
    """Python's own memory: kernels read bytes of the host where they are, and reads copy nothing.

    A read returns a view of the block's bytearray. A block whose reference count shows such a view
    is not used again. A debugger's reference has the same effect, which costs only memory.

    Args:
        end: Address before which all blocks end.
    """

    def __init__(self, end: int = sys.maxsize) -> None:
        self.end = end
        # bytearray(n) would fill the block with zeros, which takes longer than some kernels.
        self._bytearray = ctypes.pythonapi.PyByteArray_FromStringAndSize
        self._bytearray.restype = ctypes.py_object
        self._bytearray.argtypes = [ctypes.c_void_p, ctypes.c_ssize_t]
        block = self.allocate(1)
        self._references = sys.getrefcount(block.data)

    def allocate(self, nbytes: int) -> Block:
        data = self._bytearray(None, nbytes + ALIGNMENT - 1)
        address = ctypes.addressof(ctypes.c_char.from_buffer(data))
        start = -address % ALIGNMENT
        if address + len(data) > self.end:
            raise MemoryError
        return Block(address + start, nbytes, data, start)

    def free(self, block: Block) -> None:
        """Do nothing: Python frees the bytearray when nothing refers to it."""

    def borrow(self, host: Any) -> Block | None:
        if type(host) is bytes:
            # The bytes are the last member of CPython's struct, with a zero after them.
            return Block(id(host) + bytes.__basicsize__ - 1, len(host), host, 0, False)
        try:
            view = memoryview(host)
            fields = (ctypes.c_void_p * 16)()
            ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(view), fields, 0)
        except (BufferError, TypeError):
            return None
        # The first field of Py_buffer is the address. The view keeps the bytes where they are.
        address = fields[0] or 0
        ctypes.pythonapi.PyBuffer_Release(fields)
        return Block(address, view.nbytes, view, 0, False)

    def read(self, block: Block, nbytes: int) -> memoryview:
        return block.view(nbytes).toreadonly()

    def is_viewed(self, block: Block) -> bool:
        return sys.getrefcount(block.data) > self._references


def size_class(nbytes: int) -> int:
    """Return the size of the block for so many bytes: an eighth larger at most, if not tiny."""
    step = max(ALIGNMENT, 1 << max(nbytes.bit_length() - 4, 0))
    return -(-max(nbytes, 1) // step) * step


class Pool:
    """Blocks in use, counted, and free blocks by size; those free for the longest go first."""

    def __init__(self, memory: LinearMemory) -> None:
        self.memory = memory
        self.limit = POOL_LIMIT
        self.in_use = self.free = self.peak = 0
        self._blocks: dict[int, list[Block]] = {}

    def take(self, nbytes: int) -> Block:
        """Return a block of a size that `size_class` returns."""
        blocks = self._blocks.get(nbytes)
        if blocks:
            block = blocks.pop()
            self.free -= nbytes
        else:
            block = self.allocate(nbytes)
        self.in_use += nbytes
        if self.in_use > self.peak:
            self.peak = self.in_use
        return block

    def take_all(self, sizes: tuple[int, ...]) -> list[Block]:
        """Return blocks of these sizes, or none at all."""
        taken: list[Block] = []
        try:
            for nbytes in sizes:
                taken.append(self.take(nbytes))
        except BaseException:
            for block in taken:
                self.give(block)
            raise
        return taken

    def give(self, block: Block) -> None:
        """Take a block back; one that a read returned is left to the reader."""
        nbytes = block.nbytes
        self.in_use -= nbytes
        if self.memory.is_viewed(block):
            self.memory.free(block)
            return
        # The sizes stay in the order of their last use. The collector may give other blocks back
        # during any call, which is why no list replaces another.
        blocks = self._blocks.pop(nbytes, None) or []
        blocks.append(block)
        self.free += nbytes
        known = self._blocks.setdefault(nbytes, blocks)
        if known is not blocks:
            known += blocks
        if self.free > self.limit:
            self.trim(self.limit)

    def trim(self, limit: int = 0) -> None:
        """Free blocks until at most so many bytes are kept."""
        while self.free > limit:
            oldest = next(iter(self._blocks.items()), None)
            if oldest is None:
                return
            nbytes, blocks = oldest
            if blocks:
                block = blocks.pop()
                self.free -= nbytes
                self.memory.free(block)
            else:
                self._blocks.pop(nbytes, None)

    def allocate(self, nbytes: int) -> Block:
        """Return a new block that is not counted, after freeing others if there is no memory."""
        try:
            return self.memory.allocate(nbytes)
        except MemoryError:
            self.trim()
        try:
            return self.memory.allocate(nbytes)
        except MemoryError:
            raise OutOfMemoryError(
                f"realize: memory is exhausted; got {nbytes} bytes more than {self.in_use} in use, "
                f"of which most is held by {largest_holders()}; free tensors, or compute smaller "
                "parts"
            ) from None
