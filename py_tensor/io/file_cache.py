"""Keep downloaded files in the browser's storage (Cache API), in a page and in workers.

Input: address, bytes and validator of a file. Output: the same on a later visit. Without storage,
for example in private windows and outside of pages, nothing is kept, and no error is raised.
"""

from __future__ import annotations

import asyncio
import json
import warnings
from collections.abc import Sequence
from time import time
from typing import Any, NamedTuple

from ..errors import ArgumentError, ArgumentTypeError
from .network import Report, chunks_of

try:
    import js
    from pyodide.ffi import JsException, create_proxy
except ImportError:  # CPython outside of a page: nothing is kept
    js = None
    JsException = OSError

LIMIT = 1 << 30
_REFUSALS = (JsException, AttributeError, ValueError, TypeError)
"""Errors of storage: the browser refuses, `caches` does not exist, or a record is not readable."""


class CachedFile(NamedTuple):
    """A file in the browser's storage.

    >>> import py_tensor as pt
    >>> pt.models.CachedFile("https://example.org/model.onnx", 1000, '"v1"', 0.0).nbytes
    1000
    """

    url: str
    nbytes: int
    validator: str
    """ETag, or date and length, that the server sent with the file."""
    used: float
    """Time of the last use, in seconds since 1970."""


class FileCache:
    """Files that `load` has downloaded, by address; the least recently used are deleted first.

    >>> import asyncio
    >>> import py_tensor as pt
    >>> asyncio.run(pt.models.cache.list())
    []
    >>> pt.models.cache.limit
    1073741824
    """

    def __init__(self, name: str) -> None:
        self._names = (name, f"{name}.records")
        self._limit = LIMIT
        self._lock = asyncio.Lock()

    def __repr__(self) -> str:
        return f"FileCache(limit={self._limit})"

    @property
    def limit(self) -> int:
        """Maximum number of bytes of all files together; default 1 GiB. It may be set.

        Files above it are deleted when the next file is stored. Zero stores nothing.
        """
        return self._limit

    @limit.setter
    def limit(self, nbytes: int) -> None:
        if isinstance(nbytes, bool) or not isinstance(nbytes, int):
            raise ArgumentTypeError(
                f"cache: limit must be an int; got {nbytes!r}; pass a number of bytes"
            )
        if nbytes < 0:
            raise ArgumentError(f"cache: limit is negative; got {nbytes}; pass 0 or more bytes")
        self._limit = nbytes

    async def list(self) -> Sequence[CachedFile]:
        """Return the files, the last used one first.

        Returns:
            List of `CachedFile`; empty if there is no storage.
        """
        if js is None:
            return []
        try:
            return sorted(await self._records(), key=lambda file: -file.used)
        except _REFUSALS:
            return []

    async def clear(self) -> None:
        """Delete all files."""
        if js is None:
            return
        try:
            for name in self._names:
                await js.caches.delete(name)
        except _REFUSALS:
            return

    async def find(self, url: str) -> CachedFile | None:
        """Return the description of a file; None if it is not stored."""
        if js is None:
            return None
        try:
            _, records = await self._open()
            return await _record(records, url)
        except _REFUSALS:
            return None

    async def read(self, file: CachedFile, report: Report | None = None) -> bytearray | None:
        """Return the bytes of a file and note the time; None if they are not complete."""
        try:
            bodies, records = await self._open()
            response = await bodies.match(file.url)
            data, done = bytearray(file.nbytes), 0
            async for chunk in chunks_of(response and response.body):
                data[done : done + len(chunk)] = chunk
                done += len(chunk)
                if report is not None:
                    report(done, file.nbytes)
            if done != file.nbytes:
                return None
            await _note(records, file._replace(used=time()))
            return data
        except _REFUSALS:
            return None

    async def blob(self, file: CachedFile) -> Any:
        """Return the Blob of a file and note the time; None if it is not complete."""
        try:
            bodies, records = await self._open()
            blob = await (await bodies.match(file.url)).blob()
            if blob.size != file.nbytes:
                return None
            await _note(records, file._replace(used=time()))
            return blob
        except _REFUSALS:
            return None

    async def store(self, url: str, data: bytearray | Sequence[Any], validator: str) -> None:
        """Store a file, and delete others until all together are within the limit.

        `data` is its bytes, or Blobs with its parts. A file without room is not stored, and a
        warning says so.
        """
        if js is None or not url.startswith("http"):
            return
        # One file at a time, because the browser copies it.
        async with self._lock:
            parts = [blob_of(data)] if isinstance(data, bytearray) else data
            blob = js.Blob.new(js.Array.of(*parts))
            try:
                bodies, records = await self._open()
                await records.delete(url)
                if blob.size > self._limit:
                    await bodies.delete(url)
                    _warn_of_limit(url, blob.size, self._limit)
                    return
                kept = await self._records()
                for file in evicted(kept, self._limit - blob.size):
                    await records.delete(file.url)
                    await bodies.delete(file.url)
                await bodies.put(url, js.Response.new(blob))
                await _note(records, CachedFile(url, blob.size, validator, time()))
            except _REFUSALS as error:
                if getattr(error, "name", "") == "QuotaExceededError":
                    await _warn_of_quota(url, blob.size)

    async def _open(self) -> tuple[Any, Any]:
        """Return the stores of bytes and of descriptions.

        Descriptions are apart, because a use of a file changes only them.
        """
        bodies, records = self._names
        return await js.caches.open(bodies), await js.caches.open(records)

    async def _records(self) -> Sequence[CachedFile]:
        """Return the descriptions of all files; delete files without one."""
        bodies, records = await self._open()
        files = []
        for request in await bodies.keys():
            record = await _record(records, request.url)
            if record is None:
                await bodies.delete(request)
            else:
                files.append(record)
        return files


def evicted(files: Sequence[CachedFile], limit: int) -> Sequence[CachedFile]:
    """Return the least recently used files: without them, the rest fits a limit.

    >>> files = [CachedFile("new", 3, "", 2.0), CachedFile("old", 5, "", 1.0)]
    >>> [file.url for file in evicted(files, 4)]
    ['old']
    """
    total, oldest = sum(file.nbytes for file in files), []
    for file in sorted(files, key=lambda file: file.used):
        if total <= limit:
            break
        total -= file.nbytes
        oldest.append(file)
    return oldest


async def _record(records: Any, url: str) -> CachedFile | None:
    response = await records.match(url)
    return CachedFile(*json.loads(await response.text())) if response else None


async def _note(records: Any, file: CachedFile) -> None:
    await records.put(file.url, js.Response.new(json.dumps(file)))


def _warn_of_limit(url: str, nbytes: int, limit: int) -> None:
    warnings.warn(
        f"load: file is not kept for the next visit; got {nbytes:,} bytes for a limit of {limit:,} "
        f"for {url}; set pt.models.cache.limit",
        stacklevel=2,
    )


async def _warn_of_quota(url: str, nbytes: int) -> None:
    try:
        estimate = await js.navigator.storage.estimate()
        room = f"{estimate.usage:,} of {estimate.quota:,} in use"
    except _REFUSALS:
        room = "no estimate of the room"
    warnings.warn(
        f"load: the browser has no room to keep a file for the next visit; got {nbytes:,} bytes, "
        f"{room}, for {url}; delete files with pt.models.cache.clear()",
        stacklevel=2,
    )


def blob_of(data: bytearray) -> Any:
    """Copy bytes into a Blob, which the browser may hold outside of the page's memory.

    Outside of pages the result is None.
    """
    if js is None:
        return None
    proxy = create_proxy(data)
    view = proxy.getBuffer("u8")
    try:
        return js.Blob.new(js.Array.of(view.data))
    finally:
        view.release()
        proxy.destroy()
