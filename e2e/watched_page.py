"""A browser page whose errors are noted: a browser goes in, an empty page comes out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page


@contextmanager
def watched_page(browser: Browser, errors: list[str]) -> Iterator[Page]:
    """Open a page in a context of its own; the test fails for what is in `errors` in the end."""

    def note_console(message: ConsoleMessage) -> None:
        # A browser asks for this icon by itself, whatever the page says.
        if message.type == "error" and not message.location["url"].endswith("/favicon.ico"):
            errors.append(f"console: {message.text} ({message.location['url']})")

    def note_error(error: Error) -> None:
        errors.append(f"uncaught: {error.stack or error.message}")

    context = browser.new_context()
    page = context.new_page()
    page.on("console", note_console)
    page.on("pageerror", note_error)
    yield page
    context.close()
    if errors:
        pytest.fail("\n".join(["the page reported errors", *errors]), pytrace=False)
