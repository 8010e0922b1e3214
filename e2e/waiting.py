"""Wait until a page shows what it should."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from playwright.sync_api import Page
from work_limit import HANG_SECONDS

PAUSE_MILLISECONDS = 50


def eventually(page: Page, check: Callable[[], None]) -> None:
    """Repeat a check until it raises no AssertionError; raise the last one if it hangs."""
    end = monotonic() + HANG_SECONDS
    while True:
        try:
            return check()
        except AssertionError:
            if monotonic() > end:
                raise
        page.wait_for_timeout(PAUSE_MILLISECONDS)


def leave(page: Page) -> None:
    """End the requests of a page before its server ends: some go on after what a test waits for."""
    page.goto("about:blank")
