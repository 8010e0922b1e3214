"""A page of WebKitGTK, with the methods of Playwright's pages that the tests use.

Playwright drives no WebKit of the system, so selenium does, by WebKitWebDriver. Objects of the page
stay there; a handle has their number.
"""

from __future__ import annotations

import base64
import os
import shutil
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from selenium.webdriver import ActionChains, WebKitGTK
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
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

FIND = """
const find = (steps) => steps.reduce((roots, [selector, index]) => {
  const found = roots.flatMap((root) => [...root.querySelectorAll(selector)]);
  return index === null ? found : found.slice(index, index + 1);
}, [document]);
const isVisible = (element) => {
  const { width, height } = element.getBoundingClientRect();
  return width > 0 && height > 0 && element.checkVisibility({ visibilityProperty: true });
};
"""
"""JavaScript that finds the elements of a locator."""
NOTE_ERRORS = """
globalThis.pageErrors = [];
addEventListener("error", ({ message }) => pageErrors.push(`uncaught: ${message}`));
addEventListener("unhandledrejection", ({ reason }) => pageErrors.push(`uncaught: ${reason}`));
const write = console.error;
console.error = (...words) => {
  pageErrors.push(`console: ${words.join(" ")}`);
  write.apply(console, words);
};
"""
KEYS = {"ControlOrMeta": Keys.CONTROL, "ArrowUp": Keys.ARROW_UP, "ArrowDown": Keys.ARROW_DOWN}


class WebKitHandle:
    """An object of the page."""

    def __init__(self, page: WebKitPage, number: int) -> None:
        self._page, self.number = page, number

    def evaluate(self, expression: str, arg: Any = None) -> Any:
        return self._page.evaluate(f"([object, arg]) => ({expression})(object, arg)", [self, arg])

    def dispose(self) -> None:
        self._page.evaluate(f"() => kept.delete({self.number})")


class WebKitLocator:
    """The elements of a selector of CSS; actions wait for the first one to be visible."""

    def __init__(self, page: WebKitPage, steps: list[tuple[str, int | None]]) -> None:
        self._page, self._steps = page, steps

    def locator(self, selector: str) -> WebKitLocator:
        return WebKitLocator(self._page, [*self._steps, (selector, None)])

    def nth(self, index: int) -> WebKitLocator:
        *steps, (selector, _) = self._steps
        return WebKitLocator(self._page, [*steps, (selector, index)])

    @property
    def first(self) -> WebKitLocator:
        return self.nth(0)

    def all(self) -> list[WebKitLocator]:
        return [self.nth(index) for index in range(self.count())]

    def _of_all(self, expression: str) -> Any:
        return self._page.evaluate(f"(steps) => {{ {FIND} return {expression}; }}", self._steps)

    def count(self) -> int:
        return int(self._of_all("find(steps).length"))

    def all_inner_texts(self) -> list[str]:
        return list(self._of_all("find(steps).map((element) => element.innerText)"))

    def all_text_contents(self) -> list[str]:
        return list(self._of_all("find(steps).map((element) => element.textContent)"))

    def is_visible(self) -> bool:
        return bool(self._of_all("find(steps).slice(0, 1).some(isVisible)"))

    def is_checked(self) -> bool:
        return bool(self.evaluate("(element) => element.checked"))

    def wait_for(self, state: str = "visible") -> None:
        wanted = "some(isVisible)" if state == "visible" else "length === 0"
        self._page.wait_for_function(
            f"(steps) => {{ {FIND} return find(steps).{wanted}; }}", self._steps
        )

    def evaluate(self, expression: str, arg: Any = None) -> Any:
        self._page.wait_for_function(
            f"(steps) => {{ {FIND} return find(steps).length; }}", self._steps
        )
        return self._page.evaluate(
            f"([steps, arg]) => {{ {FIND} return ({expression})(find(steps)[0], arg); }}",
            [self._steps, arg],
        )

    def inner_text(self) -> str:
        return str(self.evaluate("(element) => element.innerText"))

    def text_content(self) -> str:
        return str(self.evaluate("(element) => element.textContent"))

    def get_attribute(self, name: str) -> str | None:
        value: str | None = self.evaluate("(element, name) => element.getAttribute(name)", name)
        return value

    def scroll_into_view_if_needed(self) -> None:
        self.wait_for()
        self.evaluate("(element) => element.scrollIntoView({block: 'center', behavior: 'instant'})")

    def bounding_box(self) -> dict[str, float]:
        box: dict[str, float] = self.evaluate(
            """(element) => {
              const { x, y, width, height } = element.getBoundingClientRect();
              return { x, y, width, height };
            }"""
        )
        return box

    def _element(self) -> WebElement:
        self.scroll_into_view_if_needed()
        found: WebElement = self.evaluate("(element) => element")
        return found

    def click(self) -> None:
        self._element().click()

    def check(self) -> None:
        if not self.is_checked():
            self.click()

    def hover(self, position: dict[str, float]) -> None:
        self.scroll_into_view_if_needed()
        box = self.bounding_box()
        self._page.mouse.move(box["x"] + position["x"], box["y"] + position["y"])

    def focus(self) -> None:
        self.evaluate("(element) => element.focus()")

    def fill(self, value: str) -> None:
        self.wait_for()
        self.evaluate(
            """(element, value) => {
              element.focus();
              element.value = value;
              for (const kind of ["input", "change"])
                element.dispatchEvent(new Event(kind, { bubbles: true }));
            }""",
            value,
        )

    select_option = fill

    def set_input_files(self, files: dict[str, Any] | list[dict[str, Any]]) -> None:
        """Choose files with `name`, `mimeType` and `buffer`."""
        several = files if isinstance(files, list) else [files]
        self.evaluate(
            """(input, files) => {
              const data = new DataTransfer();
              for (const [name, type, text] of files) {
                const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
                data.items.add(new File([bytes], name, { type }));
              }
              input.files = data.files;
              input.dispatchEvent(new Event("change", { bubbles: true }));
            }""",
            [
                [file["name"], file["mimeType"], base64.b64encode(file["buffer"]).decode()]
                for file in several
            ],
        )


class WebKitKeyboard:
    """Keys that are pressed in the element with the focus."""

    def __init__(self, page: WebKitPage) -> None:
        self._page = page

    def press(self, keys: str) -> None:
        """Press a key, or several that are joined by "+"."""
        *held, last = (KEYS.get(key) or getattr(Keys, key.upper(), key) for key in keys.split("+"))
        actions = ActionChains(self._page.driver)
        for key in held:
            actions.key_down(key)
        actions.send_keys(last)
        for key in held:
            actions.key_up(key)
        actions.perform()

    def type(self, text: str) -> None:
        ActionChains(self._page.driver).send_keys(text).perform()

    def insert_text(self, text: str) -> None:
        """Insert a text without pressing keys, by pasting."""
        self._page.evaluate(
            """(text) => {
              const clipboardData = new DataTransfer();
              clipboardData.setData("text/plain", text);
              document.activeElement.dispatchEvent(new ClipboardEvent(
                "paste", { clipboardData, bubbles: true, cancelable: true }));
            }""",
            text,
        )


class WebKitMouse:
    """The pointer; its places are in pixels of the window."""

    def __init__(self, page: WebKitPage) -> None:
        self._page = page

    def _act(self, action: str, *arguments: Any) -> None:
        actions = ActionBuilder(self._page.driver, duration=1)
        getattr(actions.pointer_action, action)(*arguments)
        actions.perform()

    def move(self, x: float, y: float) -> None:
        self._act("move_to_location", round(x), round(y))

    def down(self) -> None:
        self._act("pointer_down")

    def up(self) -> None:
        self._act("pointer_up")


class WebKitPage:
    """A page of WebKitGTK's own browser.

    Methods with a selector, such as `click`, are those of `WebKitLocator`.
    """

    def __init__(self, driver: WebKitGTK) -> None:
        self.driver = driver
        self.keyboard, self.mouse = WebKitKeyboard(self), WebKitMouse(self)
        self._count = 0

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda selector, *arguments: getattr(self.locator(selector), name)(*arguments)

    def locator(self, selector: str) -> WebKitLocator:
        return WebKitLocator(self, [(selector, None)])

    def wait_for_selector(self, selector: str, state: str = "visible") -> None:
        self.locator(selector).wait_for(state)

    def is_hidden(self, selector: str) -> bool:
        return not self.locator(selector).is_visible()

    def wait_for_timeout(self, milliseconds: float) -> None:
        time.sleep(milliseconds / 1000)

    def goto(self, url: str) -> None:
        """Load a page; `errors` returns those that it reported since."""
        self.driver.get(url)
        self.driver.execute_script(NOTE_ERRORS)

    def reload(self) -> None:
        self.driver.refresh()
        self.driver.execute_script(NOTE_ERRORS)

    def errors(self) -> list[str]:
        return list(self.evaluate("globalThis.pageErrors ?? []"))

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
        reply = self.driver.execute_async_script(CALL, expression, _in_json(arg), keep)
        if "failure" in reply:
            raise RuntimeError(f"page: a function failed; got {reply['failure']}")
        return reply["answer"]


def _in_json(value: Any) -> Any:
    if isinstance(value, WebKitHandle):
        return {"handle": value.number}
    return [_in_json(item) for item in value] if isinstance(value, list | tuple) else value


@contextmanager
def start_browser(binary: str) -> Iterator[WebKitPage]:
    """Yield the page of a new MiniBrowser, WebKitGTK's own browser, which keeps nothing."""
    options = Options()
    options.binary_location = binary
    options.add_argument("--automation")
    options.set_capability("browserName", "MiniBrowser")
    with warnings.catch_warnings():
        # Selenium's own call of its connection.
        warnings.simplefilter("ignore", DeprecationWarning)
        # WebKitGTK makes the language "C" of C.UTF-8, which Intl refuses, and "en-US" of C.
        service = Service(shutil.which("WebKitWebDriver"), env=os.environ | {"LC_ALL": "C"})
        driver = WebKitGTK(options=options, service=service)
    try:
        driver.set_script_timeout(HANG_SECONDS)
        yield WebKitPage(driver)
    finally:
        driver.quit()


@contextmanager
def open_page(binary: str, content: Callable[[str], tuple[bytes, str] | None]) -> Iterator[Any]:
    """Yield a page of MiniBrowser with the content of each path."""

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
    try:
        with start_browser(binary) as page:
            page.driver.get(f"http://localhost:{server.server_port}/")
            page.wait_for_function("globalThis.serve !== undefined")
            yield page
    finally:
        server.shutdown()
        server.server_close()
