"""Download files, with retries and reports: with fetch in a page, with urllib in other Pythons.

Input: an address. Output: the bytes of the file, and the validator that the server sends with them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, Protocol

from ..errors import BackendError

try:
    import js
    from pyodide.ffi import JsException, to_js
except ImportError:  # CPython outside of a page
    js = None

PAUSES = (0.3, 1.0)
"""Seconds to wait before the second and before the third try."""
LONGEST_PAUSE = 60
"""Maximum number of seconds to wait if a server says for how long."""

Report = Callable[[int, int | None], None]
"""Called as report(done, total) when bytes have arrived; total is None if it is not known."""


class Request(NamedTuple):
    """Address of a file, and what is sent to its server."""

    operation: str
    """Name of the caller in errors."""
    url: str
    headers: Mapping[str, str] = {}
    credentials: str | None = None
    """Mode of fetch: "omit", "same-origin" or "include"; None for the browser's default."""
    span: tuple[int, int] | None = None
    """Offset of the first byte, and the one after the last; None for the whole file."""


class Download(NamedTuple):
    """A file, and the text by which its server tells versions apart; None if it sends none."""

    data: bytearray
    validator: str | None


class Head(NamedTuple):
    """Answer of a server without the file."""

    validator: str | None
    size: int | None


class Response(Protocol):
    """Answer of a server while its bytes arrive."""

    status: int
    reason: str

    def header(self, name: str) -> str | None:
        """Return a header; None if it is missing or hidden from this site."""

    async def chunk(self) -> bytes:
        """Return the next bytes; none at the end. Raise ConnectionError if the network fails."""


class _Temporary(Exception):
    """A try failed with this error of the project, and the next one may succeed."""

    def __init__(self, error: BackendError, pause: float = 0) -> None:
        self.error = error
        self.pause = pause
        """Seconds that the server asks for."""


async def download(
    request: Request, report: Report | None = None, known: str | None = None
) -> Download | None:
    """Return a file or a span of it, or None if the server sends `known` as its validator.

    Network errors, too many requests (429) and errors of the server (5xx) are tried again, at most
    twice. A try continues after the bytes of the last one if the server says that the file is the
    same. A cancelled download ends the request.

    Raises:
        BackendError: If there is no such file, or all tries fail; the error has the address.
    """
    partial = _Partial(request)
    for pause in (*PAUSES, None):
        answered, asked = False, 0.0
        try:
            async with opened(request, extra=partial.headers) as response:
                answered = True
                partial.begin(response)
                if known is not None and partial.validator == known:
                    return None
                while chunk := await response.chunk():
                    partial.add(chunk)
                    if report is not None:
                        report(partial.done, partial.total)
            return partial.finished()
        except ConnectionError as error:
            failure = BackendError(
                f"{request.operation}: no response; got {error} for {request.url}; check the "
                "address and the network, and whether the server allows requests from other sites "
                "(CORS)"
            )
            if not answered and await _refuses_other_sites(request.url):
                raise BackendError(
                    f"{request.operation}: server does not allow requests from other sites (CORS); "
                    f"got {error} for {request.url}; copy the file next to the page, or let the "
                    "server send the header Access-Control-Allow-Origin"
                ) from None
        except _Temporary as error:
            failure, asked = error.error, error.pause
        if pause is None:
            raise failure
        partial.keep_or_forget()
        await asyncio.sleep(max(pause, asked))
    raise AssertionError("unreachable")


async def head(request: Request) -> Head | None:
    """Return the validator and the size of a file; None if the server does not tell them.

    Raises:
        ConnectionError: If the network fails.
    """
    async with opened(request, "HEAD") as response:
        if not 200 <= response.status < 300:
            return None
        return Head(_validator(response), _length(response))


class _Partial:
    """Bytes of a file that have arrived."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._start = request.span[0] if request.span else 0
        self._stop = request.span[1] if request.span else None
        self._data = bytearray()
        self.done = 0
        self.total: int | None = None
        self.validator: str | None = None
        self._strong: str | None = None
        """ETag that is equal only for files of equal bytes."""

    @property
    def headers(self) -> dict[str, str]:
        """Headers that ask for the missing bytes.

        The answer's ETag is compared instead of sending If-Range, which other sites would have to
        allow.
        """
        first = self._start + self.done
        if self._stop is not None:
            return {"Range": f"bytes={first}-{self._stop - 1}"}
        return {"Range": f"bytes={first}-"} if first else {}

    def begin(self, response: Response) -> None:
        """Prepare for the bytes of an answer; raise BackendError if it has none."""
        status, etag = response.status, response.header("etag")
        if self.done and status in (206, 416):
            last = self._start + (self.total or 0) - 1
            missing = f"bytes {self._start + self.done}-{last}/"
            sent = response.header("content-range") or ""
            if status == 206 and etag == self._strong and sent.startswith(missing):
                return
            self._strong = None  # the file has changed: the next try begins at its start
            raise _Temporary(self._failed("file changed while it was read", f"status {status}"))
        if status != (200 if self._stop is None else 206):
            raise self._refusal(response)
        self.done, self.total, self.validator = 0, _length(response), _validator(response)
        if self._stop is not None:
            self.total = self._stop - self._start
        self._strong = None if etag is None or etag.startswith("W/") else etag
        try:
            self._data = bytearray(self.total or 0)
        except (MemoryError, OverflowError):
            raise self._failed(
                "file is too large for the memory", f"{self.total} bytes", "use a smaller file"
            ) from None

    def add(self, chunk: bytes) -> None:
        """Store the next bytes at their place."""
        self._data[self.done : self.done + len(chunk)] = chunk
        self.done += len(chunk)

    def keep_or_forget(self) -> None:
        """Forget the bytes unless a later answer can be joined to them safely."""
        if self._strong is None or self.total is None:
            self.done = 0

    def finished(self) -> Download:
        """Return the file, or the span; raise BackendError if the span is not complete."""
        if self._stop is not None and self.done != self.total:
            got = f"{self.done} of {self.total} bytes"
            raise _Temporary(self._failed("part of a file has another size", got))
        # The declared length counts compressed bytes if the server hides that it compresses.
        del self._data[self.done :]
        return Download(self._data, self.validator)

    def _refusal(self, response: Response) -> Exception:
        """Return the error of an answer without the bytes; _Temporary if a later try may do."""
        status = response.status
        got, advice = f"{status} {response.reason}".strip(), _advice(status)
        if status == 200:
            got, advice = "the whole file for a part of it", "download it, and load it by its path"
        refusal = self._failed("request failed", got, advice)
        if status != 429 and status < 500:
            return refusal
        wait = response.header("retry-after") or ""
        return _Temporary(refusal, min(int(wait), LONGEST_PAUSE) if wait.isdecimal() else 0)

    def _failed(self, problem: str, got: str, advice: str = "try again") -> BackendError:
        operation, url, *_ = self._request
        return BackendError(f"{operation}: {problem}; got {got} for {url}; {advice}")


def _advice(status: int) -> str:
    if status in (401, 403):
        return "check the address, and pass headers or credentials if the server needs a login"
    return "try again later" if status == 429 or status >= 500 else "check the address"


def _length(response: Response) -> int | None:
    # The header counts bytes on the network, which are fewer if the body is compressed.
    length = response.header("content-length")
    encoded = response.header("content-encoding") not in (None, "identity")
    return int(length) if length and length.isdecimal() and not encoded else None


def _validator(response: Response) -> str | None:
    if etag := response.header("etag"):
        return etag
    date = response.header("last-modified")
    return date and f"{date} {response.header('content-length')}"


@asynccontextmanager
async def opened(
    request: Request, method: str = "GET", extra: Mapping[str, str] | None = None
) -> AsyncIterator[Response]:
    """Send a request; the end of the block ends it, whether or not all bytes have arrived."""
    headers = {**request.headers, **(extra or {})}
    if js is None:
        from .host_network import open_url

        response: Any = await open_url(request.url, method, headers)
        try:
            yield response
        finally:
            response.close()
        return
    options = {"method": method, "headers": headers, "credentials": request.credentials}
    if "Range" in headers:
        # The browser's own cache would ask for other parts, and keep the bytes a second time.
        options["cache"] = "no-store"
    controller = js.AbortController.new()
    try:
        yield _PageResponse(await _fetch(request.url, options, controller))
    finally:
        controller.abort()


async def _fetch(url: str, options: Mapping[str, Any], controller: Any) -> Any:
    known = {name: value for name, value in options.items() if value is not None}
    try:
        return await js.fetch(
            url,
            to_js(known | {"signal": controller.signal}, dict_converter=js.Object.fromEntries),
        )
    except JsException as error:
        raise ConnectionError(f"{error.name}: {error.message}") from None


class _PageResponse:
    """Response of fetch."""

    def __init__(self, response: Any) -> None:
        self.status: int = response.status
        self.reason: str = response.statusText
        self._response = response
        self._reader: Any = None

    def header(self, name: str) -> str | None:
        return self._response.headers.get(name) or None

    async def chunk(self) -> bytes:
        if self._reader is None:
            self._reader = chunks_of(self._response.body)
        try:
            return await anext(self._reader, b"")
        except JsException as error:
            raise ConnectionError(f"{error.name}: {error.message}") from None


async def chunks_of(stream: Any) -> AsyncIterator[bytes]:
    """Yield the bytes of a ReadableStream as they arrive; a response without a body has null."""
    if not stream:
        return
    reader = stream.getReader()
    while not (chunk := await reader.read()).done:
        yield chunk.value.to_bytes()


async def in_parallel(
    function: Callable[[str], Awaitable[None]], names: Sequence[str], limit: int
) -> None:
    """Call a function for all names, for `limit` of them at a time; the first error ends all."""
    waiting = iter(names)

    async def work() -> None:
        for name in waiting:
            await function(name)

    if limit == 1 or len(names) < 2:
        return await work()
    tasks = [asyncio.ensure_future(work()) for _ in range(min(limit, len(names)))]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def absolute(url: str) -> str:
    """Return an address that does not depend on the page; "" if it is not one."""
    if js is None:
        return url
    try:
        return str(js.Request.new(url).url)
    except JsException:
        return ""


async def _refuses_other_sites(url: str) -> bool:
    """Return True if the server answers requests whose results pages of other sites cannot see."""
    if js is None:
        return False
    controller = js.AbortController.new()
    try:
        if js.URL.new(absolute(url)).origin == js.location.origin:
            return False
        await _fetch(url, {"method": "HEAD", "mode": "no-cors"}, controller)
        return True
    except (ConnectionError, JsException):
        return False
    finally:
        controller.abort()
