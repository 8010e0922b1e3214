"""A bridge whose WebGL2 context lives in a real browser, which Playwright starts.

Verbs without a result are queued and sent in order with the next verb that has one, so a read
costs one round trip. Errors of queued verbs are raised by the verb that sent them. Verbs whose
arguments are objects of the page are called through Playwright, all others through a WebSocket.
"""

from __future__ import annotations

import json
import os
import shutil
import struct
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from greenlet import greenlet
from page_socket import PageSocket
from playwright.sync_api import (
    Browser,
    BrowserType,
    JSHandle,
    Page,
    Playwright,
    Route,
    sync_playwright,
)
from work_limit import HANG_SECONDS

from py_tensor.compiler.textures.plan import FLOAT32_AS_FLOAT16
from py_tensor.runtime.backends.bridge import DeviceLimits, Stats, bridge_error

ROOT = Path(__file__).resolve().parent.parent
ORIGIN = "http://localhost/"
FLAGS = (
    "--no-sandbox",
    "--enable-unsafe-swiftshader",
    f"--use-angle={os.environ.get('ANGLE', 'swiftshader')}",
    # Chromium refuses Mesa's software renderer otherwise.
    "--ignore-gpu-blocklist",
    # A program is drawn with one state and never stored, so ANGLE compiles for no guessed state,
    # no parts of pipelines, and packs no compiled shaders for a cache.
    "--disable-angle-features=warmUpPipelineCacheAtLink,supportsGraphicsPipelineLibrary,"
    "cacheCompiledShader",
    "--enable-angle-features=disableProgramCaching",
    "--enable-unsafe-webgpu",
    f"--use-webgpu-adapter={os.environ.get('WEBGPU_ADAPTER', 'swiftshader')}",
    "--disable-gpu-compositing",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# A queue this large is sent even if no verb waits for a result yet.
QUEUE_BYTES = 1 << 24
QUEUE_LENGTH = 4096

# Data of a batch are placed at the start of the page's heap, results after them. A message is the
# length of its JSON as 4 bytes, the JSON, and data.
HARNESS = """
import { createBridge } from "/webgl_js_bridge/index.js";

let memory = new Uint8Array(1 << 16);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

globalThis.openBridge = () => createBridge({ heap: () => memory });
globalThis.openGpuBridge = async () => {
  const { createBridge } = await import("/webgpu_js_bridge/index.js");
  return createBridge({ heap: () => memory });
};

async function execute(bridge, { commands, room }, data) {
  const start = (data.length + 15) & ~15;
  const length = start + room;
  if (length > memory.length) memory = new Uint8Array(2 ** Math.ceil(Math.log2(length)));
  memory.set(data);
  let answer = null;
  let failure = null;
  for (const [verb, ...values] of commands) {
    try {
      answer =
        verb === "errorAndStats"
          ? [await bridge.error(), bridge.stats()]
          : await bridge[verb](...values.map((value) => (value === "room" ? start : value)));
      // A negative generation asks to wait until the device has less to do.
      if (verb === "run" && answer < 0) await bridge.finish();
    } catch (error) {
      failure ??= { name: error.name, message: error.message };
    }
  }
  const reply = { answer: answer ?? null, failure, generation: bridge.generation() };
  const head = encoder.encode(JSON.stringify(reply));
  const message = new Uint8Array(4 + head.length + room);
  new DataView(message.buffer).setUint32(0, head.length, true);
  message.set(head, 4);
  message.set(memory.subarray(start, length), 4 + head.length);
  return message;
}

// Playwright copies the messages of each WebSocket it knows; it knows none of a shared worker.
const RELAY = `onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data: url }) => {
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => port.postMessage(data, [data]);
    port.onmessage = ({ data }) => socket.send(data);
    socket.onclose = () => close();
  };
}`;

globalThis.serve = (bridge, url) => {
  const script = URL.createObjectURL(new Blob([RELAY], { type: "text/javascript" }));
  const { port } = new SharedWorker(script);
  port.onmessage = async ({ data }) => {
    const end = 4 + new DataView(data).getUint32(0, true);
    const batch = JSON.parse(decoder.decode(new Uint8Array(data, 4, end - 4)));
    const message = await execute(bridge, batch, new Uint8Array(data, end));
    port.postMessage(message, [message.buffer]);
  };
  port.postMessage(url);
};
"""

HAS_ADAPTER = "async () => Boolean(await navigator.gpu?.requestAdapter())"
"""JavaScript that says whether the browser gives a WebGPU adapter."""


def _executable() -> str:
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise RuntimeError(
            "chromium: no browser found; install Chromium or set CHROMIUM to its path"
        )
    return found


def content(path: str) -> tuple[bytes, str] | None:
    """Return a file of the page and its type; None if there is none."""
    if path == "":
        script = f'<script type="module">{HARNESS}</script>'
        page = f'<!doctype html><link rel="icon" href="data:,">{script}'
        return page.encode(), "text/html"
    if path.startswith(("webgl_js_bridge/", "webgpu_js_bridge/")):
        return (ROOT / path).read_bytes(), "text/javascript"
    return None


def _serve(route: Route) -> None:
    found = content(route.request.url.removeprefix(ORIGIN))
    if found is None:
        route.fulfill(status=404)
    else:
        route.fulfill(body=found[0], content_type=found[1])


def launch(playwright: Playwright) -> Browser:
    """Start Chromium with its software renderer, or the Firefox that FIREFOX names.

    BROWSER starts one of Playwright's own browsers instead: chromium, firefox or webkit.
    """
    if name := os.environ.get("BROWSER"):
        own: BrowserType = getattr(playwright, name)
        flags = list(FLAGS) if name == "chromium" else []
        return own.launch(args=flags, timeout=1000 * HANG_SECONDS)
    firefox = os.environ.get("FIREFOX")
    if firefox is not None:
        return playwright.firefox.launch(
            channel="moz-firefox", executable_path=firefox, timeout=1000 * HANG_SECONDS
        )
    return playwright.chromium.launch(
        executable_path=_executable(), args=list(FLAGS), timeout=1000 * HANG_SECONDS
    )


def load_page(browser: Browser) -> Page:
    """Return a page in which `PlaywrightBridge` works."""
    page = browser.new_page()
    page.set_default_timeout(1000 * HANG_SECONDS)
    if browser.browser_type.name == "chromium":
        # Answered by `_serve`, the page does not count as one of this machine.
        page.context.grant_permissions(["local-network-access"])
    page.route("**/*", _serve)
    page.goto(ORIGIN)
    page.wait_for_function("globalThis.serve !== undefined")
    return page


@contextmanager
def open_page() -> Iterator[Page]:
    """Yield a page with the bridge in a new browser; WEBKIT names MiniBrowser, WebKitGTK's."""
    webkit = os.environ.get("WEBKIT")
    if webkit is not None:
        import webkit_page

        with webkit_page.open_page(webkit, content) as page:
            yield page
        return
    with sync_playwright() as playwright:
        browser = launch(playwright)
        try:
            yield load_page(browser)
        finally:
            browser.close()


class Done:
    """An awaitable whose result is already known."""

    def __init__(self, value: Any = None) -> None:
        self.value = value

    def __await__(self) -> Iterator[Any]:
        return self.value
        yield


class PageBridge:
    """The verbs of both bridges, run in a page; several bridges of one page are independent."""

    opener: str
    """JavaScript that opens the bridge."""
    backend: str
    lost: str
    """Error of a bridge whose context or device is lost."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._commands: list[list[Any]] = []
        self._data = bytearray()
        self._bridge = page.evaluate_handle(self.opener)
        self._socket = PageSocket()
        page.evaluate("([bridge, url]) => serve(bridge, url)", [self._bridge, self._socket.url])
        self._socket.accept()
        self._generation = 1
        self._stats_without_error: str | None = None
        self._limits: Any = json.loads(self._ask("limits"))

    def _evaluate(self, expression: str, arg: Any) -> Any:
        """Evaluate JavaScript in the page, called on an empty stack.

        Playwright looks at `f_locals` of every frame on the stack. In Python 3.12 a frame then
        keeps a copy of its variables, so a tensor that a test deletes would stay alive.
        """
        return greenlet(self._page.evaluate).switch(expression, arg)

    def _place(self, data: Any) -> tuple[int, int]:
        """Append the bytes of a buffer to the pending data; return (address, length)."""
        self._data.extend(bytes(-len(self._data) % 16))
        address = len(self._data)
        self._data.extend(memoryview(data).tobytes())
        return address, len(self._data) - address

    def _queue(self, *command: Any) -> None:
        self._commands.append(list(command))
        if len(self._data) > QUEUE_BYTES or len(self._commands) >= QUEUE_LENGTH:
            self.flush()

    def _send(self, *command: Any, room: int = 0) -> tuple[Any, bytes]:
        """Send the queued verbs and a last one; return its answer and the `room` bytes it wrote."""
        # The collector may run at any time and free handles, which then belong to the next message.
        commands, self._commands = self._commands, []
        data, self._data = self._data, bytearray()
        if command:
            commands.append(list(command))
        self._stats_without_error = None
        head = json.dumps({"commands": commands, "room": room}).encode()
        message = self._socket.ask(struct.pack("<I", len(head)), head, data)
        end = 4 + int.from_bytes(message[:4], "little")
        reply: dict[str, Any] = json.loads(message[4:end])
        if reply["generation"] != self._generation:
            # The browser lost the context and restored it by itself; all buffers are gone.
            self._generation = reply["generation"]
            raise bridge_error("Error", self.lost)
        if reply["failure"] is not None:
            raise bridge_error(reply["failure"]["name"], reply["failure"]["message"], self.backend)
        return reply["answer"], message[end:]

    def _ask(self, *command: Any) -> Any:
        return self._send(*command)[0]

    def flush(self) -> None:
        """Send the queued verbs and raise their errors."""
        if self._commands:
            self._send()

    def limits(self) -> Any:
        return self._limits

    def free(self, handle: int) -> None:
        # Not sent here: the collector may call this while a message is being answered.
        self._commands.append(["free", handle])

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

    def drop_program(self, id: int) -> None:
        self._queue("dropProgram", id)

    def run_now(self, plan: int, words: bytes) -> int:
        """Run without queueing and return the page's answer."""
        address, length = self._place(words)
        generation: int = self._ask("run", plan, address, length // 4)
        return generation

    def read(self, handle: int, target: Any) -> None:
        self._read("read", handle, target)

    def read_async(self, handle: int, target: Any) -> Done:
        self._read("readAsync", handle, target)
        return Done()

    def give_turn(self) -> None:
        """Do nothing: the page runs while Python does."""

    def give_turn_async(self) -> Done:
        return Done()

    def _read(self, verb: str, handle: int, target: Any) -> None:
        with memoryview(target) as view:
            _, read = self._send(verb, handle, "room", view.nbytes, room=view.nbytes)
            if view.nbytes:
                view.cast("B")[:] = read

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
        self._stats_without_error = None
        reply = self._evaluate(
            """async ([bridge, verb, values]) => {
              try { return { answer: await bridge[verb](...values) ?? null }; }
              catch ({ name, message }) { return { failure: { name, message } }; }
            }""",
            [self._bridge, verb, list(values)],
        )
        if "failure" in reply:
            raise bridge_error(reply["failure"]["name"], reply["failure"]["message"], self.backend)
        return reply["answer"]

    def run_event_loop(self) -> None:
        """Run what waits in Playwright's event loop."""
        self._evaluate("0", None)

    def stats(self) -> Stats:
        known = self._stats_without_error
        stats: Stats = json.loads(self._ask("stats") if known is None or self._commands else known)
        return stats

    def pool_limit(self, bytes: int) -> None:
        self._queue("poolLimit", bytes)

    def trim(self) -> None:
        self._queue("trim")

    def checks(self, on: bool) -> None:
        self._queue("checks", on)

    def finish(self) -> None:
        self._ask("finish")

    def profile(self, on: bool, blocking: bool = False) -> None:
        self._queue("profile", on, blocking)

    def can_wait(self) -> bool:
        return True

    def timings_now(self) -> list[tuple[str, float]]:
        return self.timings().value

    def timings(self) -> Done:
        return Done([(name, time) for name, time in json.loads(self._ask("timings"))])

    def error(self) -> Any:
        """Return the oldest unreported error, 0 or an empty text if none.

        Most tests end with this question and the one for the statistics, and the next one begins
        with the latter. Until another verb is sent, a single answer is right for all of them.
        """
        if self._stats_without_error is not None and not self._commands:
            return 0
        code, stats = self._ask("errorAndStats")
        if not code:
            self._stats_without_error = stats
        return code

    def generation(self) -> int:
        return self._generation

    def is_lost(self) -> bool:
        lost: bool = self._ask("isLost")
        return lost

    def lose_context(self) -> None:
        self._ask("loseContext")

    def restore_context(self) -> None:
        try:
            self._ask("restoreContext")
        finally:  # verbs that were queued while the context was lost have failed
            self._page.wait_for_function("bridge => !bridge.isLost()", arg=self._bridge)
            self._generation = self._evaluate("bridge => bridge.generation()", self._bridge)

    def destroy(self) -> None:
        self._ask("destroy")
        self._socket.close()
        self._bridge.dispose()


class PlaywrightBridge(PageBridge):
    """The WebGL bridge."""

    opener = "openBridge()"
    backend = "webgl"
    lost = "WebGL context lost"

    def limits(self) -> DeviceLimits:
        limits: DeviceLimits = self._limits
        return limits

    def upload(self, handle: int, format: int, width: int, height: int, data: Any) -> int:
        command = ("upload", handle, format, width, height, *self._place(data))
        if format != FLOAT32_AS_FLOAT16:
            self._queue(*command)
            return 0
        losses: int = self._ask(*command)
        return losses

    def alloc(self, handle: int, format: int, width: int, height: int) -> None:
        self._queue("alloc", handle, format, width, height)


class PlaywrightGpuBridge(PageBridge):
    """The WebGPU bridge."""

    opener = "openGpuBridge()"
    backend = "webgpu"
    lost = "WebGPU device lost"

    def upload(self, handle: int, nbytes: int, data: Any) -> None:
        self._queue("upload", handle, nbytes, *self._place(data))

    def alloc(self, handle: int, nbytes: int) -> None:
        self._queue("alloc", handle, nbytes)

    def prepare(self, plan: int) -> None:
        self._queue("prepare", plan)
