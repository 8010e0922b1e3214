"""Serve a folder to a browser: a folder goes in, its address comes out until the block ends."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any


class Handler(SimpleHTTPRequestHandler):
    # The machine's own table of types may lack these, and a browser refuses modules without them.
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
        ".whl": "application/zip",
    }
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Keep requests out of the tests' output; the browser reports what is missing."""

    def do_POST(self) -> None:
        """Take and forget what a page reports: benchmarks post their results to /result."""
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(HTTPStatus.NO_CONTENT)
        self.end_headers()


class Server(ThreadingHTTPServer):
    daemon_threads = True
    # A browser opens more connections at once than the default queue holds.
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay quiet about connections that a closing page cuts off."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serve `folder` on a free port; the value is its address, without a slash at the end."""
    with Server(("127.0.0.1", 0), partial(Handler, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
