"""The test fixtures' own handling of pages that crash."""

from contextlib import suppress

import pytest
from playwright.sync_api import Error, Page
from watched_page import PageCrashedError, PageErrors, crashed_pages, raise_crash


def test_crash_replaces_the_errors_that_follow_from_it(page: Page) -> None:
    with page.expect_event("crash"), suppress(Error):
        page.goto("chrome://crash")
    assert crashed_pages == [page]
    step = raise_crash()
    next(step)
    with pytest.raises(PageCrashedError):
        step.throw(ExceptionGroup("errors of two fixtures", [AssertionError(), AssertionError()]))


def test_other_errors_remain() -> None:
    step = raise_crash()
    next(step)
    with pytest.raises(AssertionError):
        step.throw(AssertionError())


def test_errors_fail_the_test_that_made_them() -> None:
    errors = PageErrors(["uncaught: Error: one"])
    with pytest.raises(pytest.fail.Exception, match="Error: one"):
        errors.check()
    errors.check()
    errors.append("uncaught: Error: two")
    errors.ignore()
    errors.check()
