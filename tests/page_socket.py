"""WebSocket server for one page: send a binary message and wait for the answer.

`page.evaluate` passes through Playwright's driver and takes more processor time, which grows with
the square of a message's length.
"""

from __future__ import annotations

import base64
import hashlib
import socket
import struct

import numpy as np
from work_limit import HANG_SECONDS

# RFC 6455
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
BINARY, PING, PONG, CLOSE = 2, 9, 10, 8
LAST = 0x80
SHORT, LONG = 126, 127


class PageSocket:
    """Connection to a page that connects to `url` and answers each message with one message."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"ws://127.0.0.1:{self._listener.getsockname()[1]}/"

    def accept(self) -> None:
        """Wait until the page has connected."""
        with self._listener as listener:
            listener.settimeout(HANG_SECONDS)
            self._socket, _ = listener.accept()
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._stream = self._socket.makefile("rb")
        key = b""
        while line := self._stream.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"sec-websocket-key":
                key = value.strip()
        accepted = base64.b64encode(hashlib.sha1(key + GUID).digest())
        self._socket.sendall(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + accepted + b"\r\n\r\n"
        )

    def ask(self, *parts: bytes | bytearray) -> bytes:
        """Send a message, given in parts, and return the page's answer."""
        self._send(BINARY, parts)
        answer = bytearray()
        while True:
            kind, is_last, payload = self._frame()
            if kind == CLOSE:
                raise RuntimeError("the page closed its connection")
            if kind == PING:
                self._send(PONG, [payload])
                continue
            if is_last and not answer:
                return payload
            answer += payload
            if is_last:
                return bytes(answer)

    def close(self) -> None:
        self._stream.close()
        self._socket.close()

    def _send(self, kind: int, parts: tuple[bytes | bytearray, ...] | list[bytes]) -> None:
        length = sum(map(len, parts))
        if length < SHORT:
            head = struct.pack("!BB", LAST | kind, length)
        elif length < 1 << 16:
            head = struct.pack("!BBH", LAST | kind, SHORT, length)
        else:
            head = struct.pack("!BBQ", LAST | kind, LONG, length)
        self._socket.sendall(b"".join([head, *parts]))

    def _frame(self) -> tuple[int, bool, bytes]:
        """Return a frame's kind, whether it ends the message, and its bytes."""
        first, second = self._read(2)
        length = second & 0x7F
        if length == SHORT:
            (length,) = struct.unpack("!H", self._read(2))
        elif length == LONG:
            (length,) = struct.unpack("!Q", self._read(8))
        # A browser always masks what it sends.
        mask = np.frombuffer(self._read(4), np.uint32)
        masked = self._read(length) + bytes(-length % 4)
        payload = (np.frombuffer(masked, np.uint32) ^ mask).tobytes()[:length]
        return first & 0x0F, bool(first & LAST), payload

    def _read(self, length: int) -> bytes:
        data = self._stream.read(length)
        if len(data) < length:
            raise RuntimeError("the page is gone: it crashed or was closed")
        return data
