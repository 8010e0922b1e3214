"""Open a page of a browser and record its errors."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, WebError
from work_limit import HANG_SECONDS


class PageErrors(list[str]):
    """Errors of a page so far, which fail the test unless they are ignored."""

    ignored = False

    def ignore(self) -> None:
        """Accept the errors that a test provoked; a worker's may arrive later than its answer."""
        self.ignored = True

    def check(self) -> None:
        """Fail the test if the page reported errors since the last check."""
        if self and not self.ignored:
            text = "\n".join(["the page reported errors", *self])
            self.clear()
            pytest.fail(text, pytrace=False)


@contextmanager
def watched_page(
    browser: Browser, errors: PageErrors | None = None, **options: Any
) -> Iterator[Page]:
    """Open a page in a new context with these options; fail at the end if it reported errors."""
    found = PageErrors() if errors is None else errors

    def note_console(message: ConsoleMessage) -> None:
        # Browsers request this icon for every page.
        if message.type == "error" and not message.location["url"].endswith("/favicon.ico"):
            found.append(f"console: {message.text} ({message.location['url']})")

    def note_error(uncaught: WebError) -> None:
        found.append(f"uncaught: {uncaught.error.stack or uncaught.error.message}")

    context = browser.new_context(**options)
    context.set_default_timeout(1000 * HANG_SECONDS)
    context.on("console", note_console)
    context.on("weberror", note_error)
    yield context.new_page()
    context.close()
    found.check()


class PageCrashedError(Exception):
    """A page's process crashed during a test. `make test-e2e` repeats such a test."""


crashed_pages: list[Page] = []
"""Pages whose process crashed since the start of the test."""


def note_crashes(browser: Browser) -> None:
    """Add each page of the browser that crashes to `crashed_pages`."""

    def watch(page: Page) -> None:
        page.on("crash", lambda page: crashed_pages.append(page))

    browser.on("context", lambda context: context.on("page", watch))


def raise_crash() -> Generator[None]:
    """Replace the error of a setup, test or teardown by PageCrashedError if a page crashed.

    The error itself may not tell: several fixtures that find the crash in their teardown raise a
    group of errors, and a crashed page may also look like an aborted request.
    """
    try:
        yield
    except Exception as error:
        if crashed_pages:
            raise PageCrashedError from error
        raise


class SharedPage[T]:
    """Page that several tests share; after a crash of its process a new one replaces it.

    `prepare` opens what the tests need in a new page and returns it.
    """

    def __init__(self, browser: Browser, prepare: Callable[[Page], T]) -> None:
        self._browser, self._prepare = browser, prepare
        self._pages = ExitStack()
        self._page: Page | None = None

    def __enter__(self) -> SharedPage[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self._pages.close()

    def get(self) -> T:
        """Return what `prepare` returned for the page, or for a new one if the page crashed."""
        if self._page is None or is_crashed(self._page):
            self._page = None
            self.errors = PageErrors()
            page = self._pages.enter_context(watched_page(self._browser, self.errors))
            self._prepared = self._prepare(page)
            self._page = page
        return self._prepared


def is_crashed(page: Page) -> bool:
    """Return True if the page's process crashed."""
    try:
        page.evaluate("0")
    except Error as error:
        if "Target crashed" not in error.message:
            raise
        return True
    return False
