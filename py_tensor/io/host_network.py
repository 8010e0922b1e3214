"""Send requests with urllib, in threads. Pages do not import this module."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Mapping
from contextlib import suppress
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

SECONDS = 60
"""Seconds without a byte after which a request fails."""
CHUNK = 1 << 18
"""Maximum number of bytes of a chunk."""


class _Redirects(HTTPRedirectHandler):
    """Follow redirects; other sites get no header but Range, since headers may have passwords."""

    def redirect_request(
        self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        new = super().redirect_request(req, fp, code, msg, headers, newurl)
        if new is not None and urlsplit(newurl)[:2] != urlsplit(req.full_url)[:2]:
            new.headers = {name: text for name, text in new.headers.items() if name == "Range"}
        return new


_OPENER = build_opener(_Redirects)


async def open_url(url: str, method: str, headers: Mapping[str, str]) -> HostResponse:
    """Send a request; raise ConnectionError if the network fails."""
    # Addresses may contain spaces and other letters, as in a browser.
    address = quote(url, safe="%/:=&?~#+!$,;'@()*[]|")

    opened: list[Any] = []
    cancelled: list[bool] = []

    def send() -> None:
        try:
            request = Request(address, headers=dict(headers), method=method)
            opened.append(_OPENER.open(request, timeout=SECONDS))
        except HTTPError as error:
            opened.append(error)
        if cancelled:
            opened[0].close()

    try:
        await _answered(asyncio.to_thread(send))
    except asyncio.CancelledError:
        cancelled.append(True)
        for response in opened:
            response.close()
        raise
    return HostResponse(opened[0])


class HostResponse:
    """Response of urllib."""

    def __init__(self, response: Any) -> None:
        self.status: int = response.status or 200  # addresses of files and data have none
        self.reason: str = getattr(response, "reason", None) or ""
        self._response = response
        self._left = int(response.headers.get("content-length") or 0)

    def close(self) -> None:
        """End the connection, also if a thread waits for its bytes."""
        with (
            suppress(OSError, AttributeError),
            socket.fromfd(self._response.fileno(), socket.AF_INET, socket.SOCK_STREAM) as end,
        ):
            end.shutdown(socket.SHUT_RDWR)
        self._response.close()

    def header(self, name: str) -> str | None:
        """Return a header; None if it is missing."""
        value: str | None = self._response.headers.get(name)
        return value

    async def chunk(self) -> bytes:
        """Return the next bytes; none at the end."""
        data: bytes = await _answered(asyncio.to_thread(self._response.read1, CHUNK))
        self._left -= len(data)
        if not data and self._left > 0:
            raise ConnectionError(f"{self._left} bytes too few")
        return data


async def _answered(answer: Awaitable[Any]) -> Any:
    try:
        return await answer
    except (OSError, HTTPException, ValueError) as error:
        reason = error.reason if isinstance(error, URLError) else error
        raise ConnectionError(f"{type(error).__name__}: {reason}") from None
