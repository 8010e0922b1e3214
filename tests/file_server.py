"""Serve files over HTTP from memory, with failures that a test chooses; record the requests."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import unquote

SENT_AT_ONCE = 1 << 14


class Seen(NamedTuple):
    """One request."""

    method: str
    path: str
    """With the query."""
    headers: dict[str, str]
    """Names in lower case."""


class FileServer:
    """Files by path, and the answers to the next requests of a path.

    An answer is a status, also with headers; a negative number of bytes after which the connection
    is closed; or a dict of headers to add or, if their value is None, to leave out.
    """

    def __init__(self) -> None:
        self.url = ""
        self.files: dict[str, bytes] = {}
        self.next: dict[str, list[Any]] = {}
        self.seen: list[Seen] = []
        self.headers: dict[str, str | None] = {}
        """Headers of all answers."""
        self.refuses_ranges = False
        self.redirects: dict[str, str] = {}
        """Addresses to which answers of a path lead, as those of a hub lead to its storage."""
        self.refuses_head = False
        self.release = threading.Event()
        """Slow answers wait for it after their first bytes."""
        self.started = threading.Event()
        """Set when a slow answer has begun."""
        self.before: dict[str, threading.Event] = {}
        """Events that answers of a path wait for."""
        self.ended = threading.Event()
        """Set when a client has closed the connection of a slow answer."""
        self.active = 0
        self._lock = threading.Lock()

    def requests(self, method: str = "GET") -> list[str]:
        """Return the paths of the requests with a method, in order."""
        return [seen.path for seen in self.seen if seen.method == method]

    def forget(self) -> None:
        """Forget the requests."""
        self.seen.clear()

    def answer(self, handler: BaseHTTPRequestHandler, method: str) -> None:
        """Answer a request."""
        with self._lock:
            self.active += 1
        try:
            self._answer(handler, method)
        finally:
            with self._lock:
                self.active -= 1

    def _answer(self, handler: BaseHTTPRequestHandler, method: str) -> None:
        headers = {name.lower(): value for name, value in handler.headers.items()}
        self.seen.append(Seen(method, handler.path, headers))
        path = unquote(handler.path.partition("?")[0]).removeprefix("/")
        if path in self.before:
            self.before[path].wait(30)
        queue = self.next.get(path, [])
        special = queue.pop(0) if method == "GET" and queue else None
        body, status = self.files.get(path), 200
        if body is None:
            body, status = b"missing", 404
        added: dict[str, str | None] = {}
        if path in self.redirects:
            # Browsers follow no redirects of the requests by which they ask for permission.
            body, status = b"moved", 200 if method == "OPTIONS" else 302
            added["Location"] = self.redirects[path]
        if type(special) is tuple:
            special, added = special
        if type(special) is int and special > 0:
            body, status = b"refused", special
        if method == "HEAD" and self.refuses_head:
            body, status = b"", 405
        tag = f'"{hashlib.sha256(body).hexdigest()[:12]}"'
        out: dict[str, str | None] = {"ETag": tag, "Content-Length": str(len(body))}
        out["Content-Type"] = "application/octet-stream"
        changed = self.headers | added | (special if isinstance(special, dict) else {})
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", headers.get("range", ""))
        # A browser that has a part asks for the rest if it is of the same file (RFC 9110, 13.1.5).
        is_same = headers.get("if-range") in (None, changed.get("ETag", tag))
        if wanted and is_same and status == 200 and not self.refuses_ranges:
            start, last = int(wanted[1]), int(wanted[2] or len(body) - 1)
            out["Content-Range"] = f"bytes {start}-{last}/{len(body)}"
            body, status = body[start : last + 1], 206
            out["Content-Length"] = str(len(body))
        out |= changed
        handler.send_response(status)
        for name, value in out.items():
            if value is not None:
                handler.send_header(name, value)
        handler.end_headers()
        if method == "HEAD":
            return
        if type(special) is int and special < 0:
            handler.wfile.write(body[:-special])
            handler.close_connection = True
            return
        if special == "slow":
            self._send_slowly(handler, body)
            return
        handler.wfile.write(body)

    def _send_slowly(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        """Send a part; then wait, sending nothing, until released or until the client has gone."""
        handler.wfile.write(body[:SENT_AT_ONCE])
        handler.wfile.flush()
        self.started.set()
        handler.connection.settimeout(0.05)
        while not self.release.is_set():
            try:
                gone = handler.connection.recv(1) == b""
            except TimeoutError:
                continue
            except ConnectionResetError:  # the client had not read all that was sent
                gone = True
            if gone:
                self.ended.set()
                handler.close_connection = True
                return
        handler.connection.settimeout(None)
        handler.wfile.write(body[SENT_AT_ONCE:])


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore connections that the client has closed."""


@contextmanager
def file_server() -> Iterator[FileServer]:
    """Run a server on a free port."""
    files = FileServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            """Print nothing."""

        def do_GET(self) -> None:
            files.answer(self, "GET")

        def do_HEAD(self) -> None:
            files.answer(self, "HEAD")

        def do_OPTIONS(self) -> None:
            files.answer(self, "OPTIONS")

    with _Server(("127.0.0.1", 0), Handler) as server:
        files.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield files
        finally:
            files.release.set()
            server.shutdown()
            thread.join()
