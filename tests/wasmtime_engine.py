"""An engine for WebAssembly outside of pages: wasmtime, whose memory is not Python's.

Modules stay in the store until the process ends, 15 KB and two mappings of memory each: enough for
30,000 different kernels.
"""

from __future__ import annotations

import atexit
import ctypes
from bisect import bisect
from collections.abc import Callable
from typing import Any

import wasmtime

from py_tensor.errors import ShaderError
from py_tensor.language.wasm_text import EXPORT, TABLE, assemble
from py_tensor.runtime.backends.wasm_kernels import DRIVER, FUSED
from py_tensor.runtime.backends.wasm_memory import ALIGNMENT, Block

PAGE = 1 << 16
LARGEST = PAGE
"""Pages of the largest memory, 4 GiB."""
FIRST_ADDRESS = 1024
"""No block is below, so that a missing address is noticed."""
SLACK = 64
"""Bytes after the last block that kernels may read."""


class OwnMemory:
    """Memory of wasmtime. A block is in the first gap that is large enough, or after all others."""

    def __init__(self, store: wasmtime.Store) -> None:
        self._store = store
        limits = wasmtime.Limits(16, LARGEST)
        self.memory = wasmtime.Memory(store, wasmtime.MemoryType(limits))
        self._top = FIRST_ADDRESS
        self._gaps: list[tuple[int, int]] = []
        """Address and end of each gap, in order."""
        self.largest = LARGEST * PAGE
        """Bytes that blocks may have together; tests of full memory make it small."""

    def allocate(self, nbytes: int) -> Block:
        size = _rounded(nbytes)
        for at, (address, end) in enumerate(self._gaps):
            if end - address >= size:
                self._gaps[at : at + 1] = [(address + size, end)] * (end - address > size)
                return self._block(address, nbytes)
        address, top = self._top, self._top + size
        if top + SLACK > self.largest:
            raise MemoryError
        missing = top + SLACK - self.memory.data_len(self._store)
        if missing > 0:
            try:
                self.memory.grow(self._store, -(-missing // PAGE))
            except wasmtime.WasmtimeError:
                raise MemoryError from None
        self._top = top
        return self._block(address, nbytes)

    def _block(self, address: int, nbytes: int) -> Block:
        # The memory does not move, because wasmtime reserves the addresses of all 4 GiB.
        base = ctypes.addressof(self.memory.data_ptr(self._store).contents)
        return Block(address, nbytes, (ctypes.c_ubyte * nbytes).from_address(base + address))

    def free(self, block: Block) -> None:
        address, end = block.address, block.address + _rounded(block.nbytes)
        at = bisect(self._gaps, (address, end))
        if at < len(self._gaps) and self._gaps[at][0] == end:
            end = self._gaps.pop(at)[1]
        if at and self._gaps[at - 1][1] == address:
            at -= 1
            address = self._gaps.pop(at)[0]
        if end == self._top:
            self._top = address
        else:
            self._gaps.insert(at, (address, end))

    def borrow(self, host: Any) -> None:
        """Return None: all bytes of the host are outside of this memory."""

    def read(self, block: Block, nbytes: int) -> memoryview:
        return memoryview(bytes(block.view(nbytes)))

    def is_viewed(self, block: Block) -> bool:
        return False


def _rounded(nbytes: int) -> int:
    return -(-nbytes // ALIGNMENT) * ALIGNMENT


class WasmtimeEngine:
    """Modules of wasmtime, compiled without optimization, which takes half as long."""

    def __init__(self) -> None:
        config = wasmtime.Config()
        config.cranelift_opt_level = "none"
        config.memory_may_move = False
        config.wasm_relaxed_simd = True
        self._engine = wasmtime.Engine(config)
        self._store = wasmtime.Store(self._engine)
        self._store.set_limits(instances=1 << 30)
        self.memory = OwnMemory(self._store)
        self.failures: tuple[type[Exception], ...] = (wasmtime.Trap, wasmtime.WasmtimeError)
        functions = wasmtime.ValType.funcref()
        limits = wasmtime.Limits(256, None)
        self._table = wasmtime.Table(self._store, wasmtime.TableType(functions, limits), None)
        # This raises an error if the instruction is not valid.
        wasmtime.Module.validate(self._engine, assemble(FUSED))
        self.has_fma = True
        self.is_ended = False
        """True when Python ends, which removes modules before the plans that use them."""
        atexit.register(vars(self).update, is_ended=True)
        self.compiled: list[str] = []
        """Names of the compiled kernels, in order."""
        driver = self.compile("driver", assemble(DRIVER))
        self.run: Callable[[int, int, int], None] = lambda first, end, slots: driver(
            self._store, first, end, slots
        )

    def compile(self, name: str, code: bytes) -> Any:
        try:
            module = wasmtime.Module(self._engine, code)
        except wasmtime.WasmtimeError as error:
            text = f"compile: wasmtime refuses a kernel; got {error} in {name}"
            raise ShaderError(text) from None
        imports: list[Any] = [self.memory.memory]
        if any(imported.name == TABLE[1] for imported in module.imports):
            imports.append(self._table)
        instance = wasmtime.Instance(self._store, module, imports)
        self.compiled.append(name)
        return instance.exports(self._store)[EXPORT]

    def compile_async(self, code: bytes, done: Callable[[Any], None]) -> None:
        try:
            done(self.compile("kernel", code))
        except ShaderError:
            done(None)

    def place(self, number: int, function: Any) -> None:
        if self.is_ended:
            return
        length = self._table.size(self._store)
        if number >= length:
            self._table.grow(self._store, max(length, number + 1 - length), None)
        self._table.set(self._store, number, function)

    def show(self, track: str, name: str, start: float, end: float) -> None:
        """Do nothing: there is no panel."""

    def give_turn(self) -> None:
        """Do nothing: there is no page."""

    async def give_turn_async(self) -> None:
        """Do nothing: there is no page."""
