"""A bridge whose WebGL2 context lives in a real browser, driven from CPython through Playwright.

Verbs that answer nothing are queued and travel with the next one that does, in order, so a read
costs one round trip with all that led to it. Their errors raise at the verb that sent them.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, JSHandle, Page, Playwright, Route, sync_playwright

from py_tensor.backends.bridge import Limits, Stats, bridge_error

ROOT = Path(__file__).resolve().parent.parent
ORIGIN = "http://localhost/"
FLAGS = (
    "--no-sandbox",
    "--enable-unsafe-swiftshader",
    "--use-angle=swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# A queue this large is sent even though nobody waits for an answer yet.
QUEUE_BYTES = 1 << 24
QUEUE_LENGTH = 4096
# Playwright takes time with the square of a message's length.
SLICE_BYTES = 1 << 20

# Words and data of a batch lie at the start of the page's heap, room for what is read behind them.
HARNESS = """
import { createBridge } from "/webgl_js_bridge/index.js";

let memory = new Uint8Array(1 << 16);
const batch = { next: Promise.resolve() };

function reserve(length) {
  if (length > memory.length) memory = new Uint8Array(2 ** Math.ceil(Math.log2(length)));
}

globalThis.openBridge = () => createBridge({ heap: () => memory });

globalThis.place = (data, address, length) => {
  reserve(length + 16);
  memory.set(Uint8Array.fromBase64(data), address);
};

globalThis.take = (address, length) => memory.subarray(address, address + length).toBase64();

globalThis.execute = async (bridge, { commands, data, length, room, read }) => {
  const start = (length + 15) & ~15;
  reserve(start + room);
  memory.set(Uint8Array.fromBase64(data));
  let answer = null;
  let failure = null;
  for (const [verb, ...values] of commands) {
    try {
      answer = await bridge[verb](...values.map((value) => (value === "room" ? start : value)));
    } catch (error) {
      failure ??= { name: error.name, message: error.message };
    }
  }
  return { answer: answer ?? null, failure, start, read: take(start, read) };
};
"""


def _executable() -> str:
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise RuntimeError(
            "chromium: no browser found; install Chromium or set CHROMIUM to its path"
        )
    return found


def _serve(route: Route) -> None:
    path = route.request.url.removeprefix(ORIGIN)
    if path == "":
        script = f'<script type="module">{HARNESS}</script>'
        page = f'<!doctype html><link rel="icon" href="data:,">{script}'
        route.fulfill(body=page, content_type="text/html")
    elif path.startswith("webgl_js_bridge/"):
        route.fulfill(path=ROOT / path, content_type="text/javascript")
    else:
        route.fulfill(status=404)


def launch(playwright: Playwright) -> Browser:
    """Start Chromium on its software renderer, the same on every machine, or the Firefox named."""
    firefox = os.environ.get("FIREFOX")
    if firefox is not None:
        return playwright.firefox.launch(channel="moz-firefox", executable_path=firefox)
    return playwright.chromium.launch(executable_path=_executable(), args=list(FLAGS))


def load_page(browser: Browser) -> Page:
    """Return a page in which `PlaywrightBridge` works."""
    page = browser.new_page()
    page.route("**/*", _serve)
    page.goto(ORIGIN)
    page.wait_for_function("globalThis.execute !== undefined")
    return page


@contextmanager
def open_page() -> Iterator[Page]:
    """Yield a page with the bridge in a browser of its own."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        try:
            yield load_page(browser)
        finally:
            browser.close()


class Done:
    """An awaitable that has its result already."""

    def __init__(self, value: Any = None) -> None:
        self.value = value

    def __await__(self) -> Iterator[Any]:
        return self.value
        yield


class PlaywrightBridge:
    """The bridge's verbs, run in a page; several bridges of one page are independent."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._commands: list[list[Any]] = []
        self._data = bytearray()
        self._bridge = page.evaluate_handle("openBridge()")
        self._limits: Limits = json.loads(self._ask("limits"))
        self._generation: int = self._ask("generation")

    def _place(self, data: Any) -> tuple[int, int]:
        """Put the bytes of a buffer behind those that travel already; return (address, length)."""
        self._data.extend(bytes(-len(self._data) % 16))
        address = len(self._data)
        self._data.extend(memoryview(data).tobytes())
        return address, len(self._data) - address

    def _queue(self, *command: Any) -> None:
        self._commands.append(list(command))
        if len(self._data) > QUEUE_BYTES or len(self._commands) >= QUEUE_LENGTH:
            self.flush()

    def _send(self, *command: Any, room: int = 0) -> dict[str, Any]:
        batch = {
            "commands": [*self._commands, list(command)] if command else self._commands,
            "data": self._carried(room),
            "length": len(self._data),
            "room": room,
            "read": room if room <= SLICE_BYTES else 0,
        }
        self._commands, self._data = [], bytearray()
        reply: dict[str, Any] = self._page.evaluate(
            "([bridge, batch]) => execute(bridge, JSON.parse(batch))",
            [self._bridge, json.dumps(batch)],
        )
        if reply["failure"] is not None:
            raise bridge_error(reply["failure"]["name"], reply["failure"]["message"])
        return reply

    def _carried(self, room: int) -> str:
        """Return the data that travels with a batch; what is too long for that goes ahead."""
        if len(self._data) <= SLICE_BYTES:
            return base64.b64encode(self._data).decode()
        for at in range(0, len(self._data), SLICE_BYTES):
            part = base64.b64encode(self._data[at : at + SLICE_BYTES]).decode()
            length = len(self._data) + room
            self._page.evaluate(
                "([data, at, length]) => place(data, at, length)", [part, at, length]
            )
        return ""

    def _taken(self, reply: dict[str, Any], length: int) -> bytes:
        """Return what a batch has read."""
        if length <= SLICE_BYTES:
            return base64.b64decode(reply["read"])
        parts = [
            self._page.evaluate(
                "([at, length]) => take(at, length)",
                [reply["start"] + at, min(SLICE_BYTES, length - at)],
            )
            for at in range(0, length, SLICE_BYTES)
        ]
        return b"".join(map(base64.b64decode, parts))

    def _ask(self, *command: Any) -> Any:
        return self._send(*command)["answer"]

    def flush(self) -> None:
        """Send what is queued and raise what fails."""
        if self._commands:
            self._send()

    def limits(self) -> Limits:
        return self._limits

    def upload(self, handle: int, format: int, width: int, height: int, data: Any) -> None:
        self._queue("upload", handle, format, width, height, *self._place(data))

    def alloc(self, handle: int, format: int, width: int, height: int) -> None:
        self._queue("alloc", handle, format, width, height)

    def free(self, handle: int) -> None:
        self._queue("free", handle)

    def program(self, id: int, name: str, source: str) -> None:
        self._queue("program", id, name, source)

    def plan(self, id: int, words: array[int]) -> None:
        address, length = self._place(words)
        self._queue("plan", id, address, length // 4)

    def run(self, plan: int, words: bytes) -> int:
        address, length = self._place(words)
        self._queue("run", plan, address, length // 4)
        return self._generation

    def ready(self, plan: int) -> int:
        done: int = self._ask("ready", plan)
        return done

    def drop_plan(self, plan: int) -> None:
        self._queue("dropPlan", plan)

    def run_now(self, plan: int, words: bytes) -> int:
        """Run without queueing and return what the page answers."""
        address, length = self._place(words)
        generation: int = self._ask("run", plan, address, length // 4)
        return generation

    def read(self, handle: int, target: Any) -> None:
        self._read("read", handle, target)

    def read_async(self, handle: int, target: Any) -> Done:
        self._read("readAsync", handle, target)
        return Done()

    def give_turn(self) -> None:
        """Nothing: the page runs while Python does."""

    def give_turn_async(self) -> Done:
        return Done()

    def _read(self, verb: str, handle: int, target: Any) -> None:
        with memoryview(target) as view:
            reply = self._send(verb, handle, "room", view.nbytes, room=view.nbytes)
            if view.nbytes:
                view.cast("B")[:] = self._taken(reply, view.nbytes)

    def draw(self, handle: int, width: int, height: int, target: JSHandle) -> None:
        self.call("draw", handle, width, height, target)

    def from_pixels(self, handle: int, source: JSHandle, width: int, height: int) -> None:
        self.call("fromPixels", handle, source, width, height)

    def pixel_size(self, source: JSHandle) -> tuple[int, int]:
        width, height = self.call("pixelSize", source)
        return width, height

    def call(self, verb: str, *values: Any) -> Any:
        """Call a verb of the page's object at once; values may be objects of the page."""
        self.flush()
        reply = self._page.evaluate(
            """async ([bridge, verb, values]) => {
              try { return { answer: await bridge[verb](...values) ?? null }; }
              catch ({ name, message }) { return { failure: { name, message } }; }
            }""",
            [self._bridge, verb, list(values)],
        )
        if "failure" in reply:
            raise bridge_error(reply["failure"]["name"], reply["failure"]["message"])
        return reply["answer"]

    def stats(self) -> Stats:
        stats: Stats = json.loads(self._ask("stats"))
        return stats

    def pool_limit(self, bytes: int) -> None:
        self._queue("poolLimit", bytes)

    def trim(self) -> None:
        self._queue("trim")

    def checks(self, on: bool) -> None:
        self._queue("checks", on)

    def finish(self) -> None:
        self._ask("finish")

    def profile(self, on: bool) -> None:
        self._queue("profile", on)

    def timings(self) -> Done:
        return Done([(name, time) for name, time in json.loads(self._ask("timings"))])

    def error(self) -> int:
        """Return WebGL's oldest unreported error, 0 if none."""
        code: int = self._ask("error")
        return code

    def generation(self) -> int:
        return self._generation

    def is_lost(self) -> bool:
        lost: bool = self._ask("isLost")
        return lost

    def lose_context(self) -> None:
        self._ask("loseContext")

    def restore_context(self) -> None:
        self._ask("restoreContext")
        self._page.wait_for_function("bridge => !bridge.isLost()", arg=self._bridge)
        self._generation = self._ask("generation")

    def destroy(self) -> None:
        self._ask("destroy")
        self._bridge.dispose()
