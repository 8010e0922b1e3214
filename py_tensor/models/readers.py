"""Read a file in parts, so that memory holds the tensors and one part instead of the whole file.

Input: bytes, or what reads a span of them. Output: `Reader`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from ..io.network import Report

LEAST = 1 << 16
"""Number of bytes that are read at least, since each request to a server takes long."""


class Reader(Protocol):
    """A file that is read in parts. Only what is read without gaps can be checked as a whole."""

    size: int
    """Number of bytes."""

    async def read(self, start: int, stop: int) -> Any:
        """Return the bytes from `start` to `stop`, or to the end of the file."""

    async def finish(self) -> None:
        """Check what has been read, and keep it if the source does."""


class MemoryReader:
    """A file that is in memory."""

    def __init__(self, data: Any) -> None:
        self._data = memoryview(data).cast("B")
        self.size = len(self._data)

    async def read(self, start: int, stop: int) -> Any:
        """Return a view of the bytes."""
        return self._data[start:stop]

    async def finish(self) -> None:
        """Do nothing."""


class SpanReader:
    """A file of which `span` reads a part."""

    def __init__(
        self,
        size: int,
        span: Callable[[int, int], Awaitable[Any]],
        report: Report | None,
    ) -> None:
        self.size = size
        self._span = span
        self._report = report
        self._done = 0

    async def read(self, start: int, stop: int) -> Any:
        """Read a part."""
        data = await self._span(start, min(stop, self.size))
        self._done += len(data)
        if self._report is not None:
            self._report(self._done, self.size)
        return data

    async def finish(self) -> None:
        """Do nothing."""


class ForwardReader:
    """Reads a file forward; bytes after those that were needed are kept for the next part."""

    def __init__(self, file: Reader) -> None:
        self.file = file
        self.end = 0
        """Offset of the first byte that has not been read."""
        self._data = memoryview(b"")

    async def read(self, start: int, stop: int) -> memoryview:
        """Return the bytes from `start`, which is never before that of an earlier part."""
        kept = self._data[max(0, start - (self.end - len(self._data))) :]
        if stop > self.end:
            first = max(start, self.end)
            more = await self.file.read(first, max(stop, first + LEAST))
            joined = b"".join((kept, more)) if kept else more
            self._data = kept = memoryview(joined).cast("B")
            self.end = first + len(more)
        return kept[: stop - start]
