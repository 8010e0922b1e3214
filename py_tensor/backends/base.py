"""What a backend is: shapes of computation, never operations.

A backend compiles a Graph once and runs it with other values; it moves elements in and out.
Comes in: graphs and bytes; goes out: `Buffer`s.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any, Protocol, TypedDict

from ..dtypes import DType
from ..nodes import Graph


class Buffer:
    """Elements in order, on the host (`host`, flat bytes), on a device (`handle`), or both.

    A texture goes back to the pool when the last Buffer naming it dies.
    """

    __slots__ = ("__weakref__", "backend", "dtype", "generation", "handle", "host", "size")

    def __init__(
        self,
        dtype: DType,
        size: int,
        host: Any = None,
        backend: Any = None,
        handle: int = 0,
        generation: int = 0,
    ) -> None:
        self.dtype = dtype
        self.size = size
        self.host = host
        self.backend = backend
        self.handle = handle
        self.generation = generation

    def __del__(self) -> None:
        if self.handle:
            self.backend.release(self)


class Statistics(TypedDict):
    """What every backend counts."""

    bytesInUse: int
    bytesFree: int
    programs: int
    draws: int


class Backend(Protocol):
    """The verbs every backend has."""

    name: str
    on_host: bool
    """Whether it computes where Python does, so that reading costs nothing."""

    def compile(self, graph: Graph) -> Any:
        """Something `run` can run; kept in the plan cache."""

    def run(
        self,
        plan: Any,
        leaves: Sequence[Buffer],
        scalars: Sequence[bool | int | float],
        donated: Sequence[int] = (),
    ) -> list[tuple[int, Buffer]]:
        """The graph's kept nodes by position, with their buffers; outputs first, in their order.

        `donated` are positions of leaves that nobody needs afterwards.
        """

    def ready(self, plan: Any) -> tuple[int, int]:
        """How many of a plan's programs are compiled, and of how many; does not wait for more."""

    def blank(self, dtype: DType, size: int) -> Buffer:
        """A buffer whose values do not matter."""

    def check_size(self, operation: str, shape: tuple[int, ...], dtype: DType) -> None:
        """Raises BackendError where no buffer of that size can exist."""

    def read(self, buffer: Buffer) -> memoryview:
        """All elements, as bytes; waits for them."""

    def read_async(self, buffer: Buffer) -> Awaitable[memoryview]:
        """All elements, as bytes, without blocking."""

    def release(self, buffer: Buffer) -> None:
        """The buffer's device memory is no longer needed."""

    def statistics(self) -> Statistics:
        """What is alive and what was done."""
