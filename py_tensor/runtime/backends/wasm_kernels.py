"""Kernels of WebAssembly in the table of an engine, and the driver that runs the kernels of a plan.

Input: the texts of kernels. Output: compiled functions at the numbers that plans contain.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Protocol

from ...language.wasm_text import assemble
from .device import Programs
from .wasm_memory import LinearMemory

DRIVER = """
.func:kernel first:i32 end:i32 S:i32 ->
.block:done
.loop:next
first end i32.ge_u .br_if:done
first i32.const:8 i32.add S first i32.load .call_indirect:i32,i32
first i32.load:4 i32.const:2 i32.shl first i32.add i32.const:8 i32.add .set:first
.br:next
.end
.end
"""
"""Runs the draws whose words are from address `first` to before `end`, for the slots at S.

The words of a draw are its kernel's number in the table, the number of its arguments, and these."""
FUSED = """
.func:kernel A:i32 S:i32 ->
A f32x4.const:1.0 f32x4.const:2.0 f32x4.const:3.0 f32x4.relaxed_madd v128.store
"""
"""A kernel that is valid if the engine has the fused multiply-add of relaxed SIMD."""
VECTORS = """
.func:kernel A:i32 S:i32 ->
A f32x4.const:1.0 v128.store
"""
"""A kernel that is valid if the engine has vectors."""


class Engine(Protocol):
    """Compiles and runs WebAssembly."""

    @property
    def memory(self) -> LinearMemory:
        """Memory that kernels import."""

    has_fma: bool
    """True if kernels may contain the fused multiply-add of relaxed SIMD."""
    failures: tuple[type[Exception], ...]
    """Classes of errors that a running kernel causes."""

    def compile(self, name: str, code: bytes) -> Any:
        """Return the function of a module; raise ShaderError if the module is not valid."""

    def compile_async(self, code: bytes, done: Callable[[Any], None]) -> None:
        """Compile in the background, and call `done` with the function, or None if it fails."""

    def place(self, number: int, function: Any) -> None:
        """Store a function, or None, in the table at a number."""

    def run(self, first: int, end: int, slots: int) -> None:
        """Call the driver."""

    def show(self, track: str, name: str, start: float, end: float) -> None:
        """Add an entry to a track of the page's Performance panel; times are in seconds."""

    def give_turn(self) -> None:
        """Let the page's event loop run if it has waited for long."""

    def give_turn_async(self) -> Awaitable[None]:
        """Let the page's event loop run if it has waited for long, without blocking."""


class KernelTable:
    """Kernels by number, compiled when they are first needed or when `start` is called."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._waiting: dict[int, tuple[str, str]] = {}
        """Name and text of each kernel that is not compiled yet."""
        self._started: dict[int, tuple[str, str] | None] = {}
        """The same, of kernels that are compiled in the background; None if that failed."""
        self.programs = Programs(self._add, self._drop)

    def _add(self, number: int, name: str, text: str) -> None:
        self._waiting[number] = name, text

    def _drop(self, number: int) -> None:
        self._started.pop(number, None)
        if self._waiting.pop(number, None) is None:
            self._engine.place(number, None)

    def finish(self, numbers: Iterable[int]) -> None:
        """Compile kernels now that are not compiled yet."""
        for number in numbers:
            if number in self._waiting:
                name, text = self._waiting[number]
                self._engine.place(number, self._engine.compile(name, assemble(text)))
                del self._waiting[number]
                self._started.pop(number, None)

    def start(self, numbers: Iterable[int]) -> int:
        """Start to compile kernels in the background; return how many are not compiled yet."""
        missing = [number for number in numbers if number in self._waiting]
        for number in missing:
            if number not in self._started:
                self._start(number, self._waiting[number])
            elif self._started[number] is None:
                # This raises the error.
                self.finish([number])
        return sum(number in self._waiting for number in missing)

    def _start(self, number: int, kernel: tuple[str, str]) -> None:
        def done(function: Any) -> None:
            # The kernel may have been compiled or dropped meanwhile.
            if self._waiting.get(number) is not kernel:
                return
            if function is None:
                self._started[number] = None
                return
            self._engine.place(number, function)
            del self._waiting[number], self._started[number]

        self._started[number] = kernel
        self._engine.compile_async(assemble(kernel[1]), done)
