"""Python in a page: functions of a test go in as source, their results come out."""

from __future__ import annotations

import inspect
import json
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

HERE = Path(__file__).parent
ROOT = HERE.parent
START = "([folder, bridge]) => python.start(folder, bridge)"


def link_pages(folder: Path) -> None:
    """Fill a folder to serve: the site's Pyodide, the pages, the bridge's modules, the wheel."""
    (folder / "pyodide").symlink_to(ROOT / "build" / "site" / "pyodide")
    (folder / "pages").symlink_to(HERE / "pages")
    for name in ("webgl_js_bridge", "dist"):
        (folder / name).symlink_to(ROOT / name)


class PagePython:
    """Python on a page's thread ("page") or in a module worker ("worker")."""

    def __init__(self, page: Page, url: str, thread: str, html: str = "", bridge: str = "") -> None:
        self.page = page
        self.thread = thread
        page.goto(f"{url}/pages/{html or thread}.html")
        page.wait_for_function("globalThis.python !== undefined")
        self.start_milliseconds = page.evaluate(START, [f"{url}/pyodide/", bridge])

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function in the page as runPythonAsync does; arguments and result are JSON."""
        return self._call("call", function, arguments)

    def call_blocking(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call it as runPython does: Python cannot wait for a promise then."""
        return self._call("callBlocking", function, arguments)

    def _call(self, verb: str, function: Callable[..., Any], arguments: Any) -> Any:
        # Line numbers in tracebacks are then the test file's.
        lines, first = inspect.getsourcelines(function)
        source = "\n" * (first - 1) + textwrap.dedent("".join(lines))
        file = Path(inspect.getfile(function)).name
        request = json.dumps([file, source, function.__name__, arguments])
        return json.loads(self.page.evaluate(f"request => python.{verb}(request)", request))
