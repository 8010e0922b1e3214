"""Start templates of examples/templates/ by their own commands, and check what they show."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path

import numpy as np
from playwright.sync_api import Locator, Page, Request
from waiting import eventually
from work_limit import HANG_SECONDS


@contextmanager
def started(folder: Path, seconds: float = HANG_SECONDS) -> Iterator[str]:
    """Run start.sh of a copied template on a free port and yield the address it serves."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    log = folder / "start.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            ["sh", "start.sh"],
            cwd=folder,
            env=os.environ | {"PORT": str(port)},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        end = time.monotonic() + seconds
        while not _serves(port):
            assert process.poll() is None, f"start.sh: ended; got {log.read_text()}"
            assert time.monotonic() < end, f"start.sh: serves nothing; got {log.read_text()}"
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/"
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def _serves(port: int) -> bool:
    # A connection is not enough: Vite first listens on the port only to see whether it is free.
    with closing(HTTPConnection("127.0.0.1", port, timeout=HANG_SECONDS)) as client:
        try:
            client.request("GET", "/")
            return client.getresponse().status == HTTPStatus.OK
        except ConnectionError:
            return False


def origins_of(page: Page) -> set[str]:
    """Return a set that gets the origins to which the page and its workers send requests."""
    origins = set()

    def note(request: Request) -> None:
        if request.url.startswith(("http", "ws")):
            origins.add("/".join(request.url.split("/")[:3]) + "/")

    page.context.on("request", note)
    return origins


def brightness(waves: float) -> np.ndarray:
    """Return the picture that every template draws, computed with NumPy."""
    x = np.linspace(-1, 1, 256)
    left, right = np.hypot(x + 0.4, x[:, None]), np.hypot(x - 0.4, x[:, None])
    return 0.5 + 0.25 * (np.sin(waves * left) + np.sin(waves * right))


def text_of(waves: float, backend: str = "wasm") -> str:
    """Return the line of text below the picture."""
    return f"{backend}: mean brightness {brightness(waves).mean():.4f}"


PIXELS = """picture => {
  const width = picture.naturalWidth ?? picture.width;
  const height = picture.naturalHeight ?? picture.height;
  const context = new OffscreenCanvas(width, height).getContext("2d");
  context.drawImage(picture, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  return [height, width, ...data.filter((_, index) => index % 4 === 0)];
}"""
"""Height, width and red values of an image or a canvas."""


def assert_shows(picture: Locator, waves: float) -> None:
    """Check the pixels of an image or a canvas against those computed with NumPy."""
    height, width, *values = picture.evaluate(PIXELS)
    shown = np.reshape(values, (height, width))
    assert shown.shape == (256, 256)
    assert np.abs(shown - 255 * brightness(waves)).max() <= 1


def eventually_shows(page: Page, picture: Locator, waves: float) -> None:
    eventually(page, lambda: assert_shows(picture, waves))
