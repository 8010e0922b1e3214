"""Start Python in a page or a worker by the loader, with given options."""

from __future__ import annotations

import textwrap
from typing import Any

from playwright.sync_api import Page


def run_started(page: Page, url: str, program: str, thread: str = "page", **options: Any) -> Any:
    """Load a page whose Python starts with options of `start`, and return a program's value."""
    page.goto(f"{url}/pages/start_options.html")
    return run_again(page, program, thread, **options)


def run_again(page: Page, program: str, thread: str = "page", **options: Any) -> Any:
    """Return a program's value in the Python of the page, which starts at the first call."""
    function = "runHere" if thread == "page" else "runInWorker"
    page.wait_for_function(f"globalThis.{function} !== undefined")
    arguments = [options, textwrap.dedent(program)]
    return page.evaluate(f"([options, program]) => {function}(options, program)", arguments)
