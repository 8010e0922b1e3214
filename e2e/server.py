"""Serve a folder to a browser over HTTP."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any


class Handler(SimpleHTTPRequestHandler):
    # The system's MIME table may lack these types, and a browser refuses modules without them.
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
        ".whl": "application/zip",
    }
    protocol_version = "HTTP/1.1"
    headers_added: Mapping[str, str] = {}
    """Headers of every answer."""

    def end_headers(self) -> None:
        for name, value in self.headers_added.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing: the browser reports missing files."""

    def do_POST(self) -> None:
        """Accept and ignore posts of a page, for example a benchmark's results to /result."""
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(HTTPStatus.NO_CONTENT)
        self.end_headers()


class Server(ThreadingHTTPServer):
    daemon_threads = True
    # A browser opens more simultaneous connections than the default queue holds.
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore connections that a closing page has dropped."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def serve(folder: Path, headers: Mapping[str, str] | None = None) -> Iterator[str]:
    """Serve `folder` on a free port and yield its URL, without a trailing slash."""
    handler = type("Handler", (Handler,), {"headers_added": headers or {}})
    with Server(("127.0.0.1", 0), partial(handler, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
