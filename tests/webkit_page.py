"""A page of WebKitGTK, with the methods of Playwright's pages that the tests use.

Playwright drives no WebKit of the system, so selenium does, by WebKitWebDriver. Objects of the page
stay there; a handle has their number.
"""

from __future__ import annotations

import shutil
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from selenium.webdriver import WebKitGTK
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service
from work_limit import HANG_SECONDS

CALL = """
const [source, argument, keep, done] = arguments;
globalThis.kept ??= new Map();
const found = (value) => {
  if (Array.isArray(value)) return value.map(found);
  return value && typeof value === "object" && "handle" in value ? kept.get(value.handle) : value;
};
(async () => {
  let value = (0, eval)(`(${source})`);
  if (typeof value === "function") value = value(found(argument));
  value = await value;
  if (keep === null) return value ?? null;
  kept.set(keep, value);
  return null;
})().then(
  (answer) => done({ answer }),
  (error) => done({ failure: `${error.name}: ${error.message}` }),
);
"""
"""JavaScript that evaluates an expression, or calls a function with an argument."""


class WebKitHandle:
    """An object of the page."""

    def __init__(self, page: WebKitPage, number: int) -> None:
        self._page, self.number = page, number

    def evaluate(self, expression: str, arg: Any = None) -> Any:
        return self._page.evaluate(f"([object, arg]) => ({expression})(object, arg)", [self, arg])

    def dispose(self) -> None:
        self._page.evaluate(f"() => kept.delete({self.number})")


class WebKitPage:
    """A page, in which functions of JavaScript can be called."""

    def __init__(self, driver: WebKitGTK) -> None:
        self._driver = driver
        self._count = 0

    def evaluate(self, expression: str, arg: Any = None) -> Any:
        return self._call(expression, arg, None)

    def evaluate_handle(self, expression: str, arg: Any = None) -> WebKitHandle:
        self._count += 1
        self._call(expression, arg, self._count)
        return WebKitHandle(self, self._count)

    def wait_for_function(self, expression: str, arg: Any = None) -> None:
        self.evaluate(
            f"""async (arg) => {{
              for (;;) {{
                let value = ({expression});
                if (typeof value === "function") value = value(arg);
                if (await value) return;
                await new Promise((resolve) => setTimeout(resolve, 20));
              }}
            }}""",
            arg,
        )

    def _call(self, expression: str, arg: Any, keep: int | None) -> Any:
        reply = self._driver.execute_async_script(CALL, expression, _in_json(arg), keep)
        if "failure" in reply:
            raise RuntimeError(f"page: a function failed; got {reply['failure']}")
        return reply["answer"]


def _in_json(value: Any) -> Any:
    if isinstance(value, WebKitHandle):
        return {"handle": value.number}
    return [_in_json(item) for item in value] if isinstance(value, list | tuple) else value


@contextmanager
def open_page(binary: str, content: Callable[[str], tuple[bytes, str] | None]) -> Iterator[Any]:
    """Yield a page of MiniBrowser, WebKitGTK's own browser, with the content of each path."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = content(self.path.removeprefix("/"))
            self.send_response(404 if found is None else 200)
            body, kind = found or (b"", "text/plain")
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    options = Options()
    options.binary_location = binary
    options.add_argument("--automation")
    options.set_capability("browserName", "MiniBrowser")
    with warnings.catch_warnings():
        # Selenium's own call of its connection.
        warnings.simplefilter("ignore", DeprecationWarning)
        driver = WebKitGTK(options=options, service=Service(shutil.which("WebKitWebDriver")))
    try:
        driver.set_script_timeout(HANG_SECONDS)
        driver.get(f"http://localhost:{server.server_port}/")
        page = WebKitPage(driver)
        page.wait_for_function("globalThis.serve !== undefined")
        yield page
    finally:
        driver.quit()
        server.shutdown()
        server.server_close()
