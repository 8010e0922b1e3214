"""Fixtures of the tests that share a page of the analyser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from analyser_driver import AnalyserPage
from playwright.sync_api import Browser
from watched_page import SharedPage


@pytest.fixture(scope="session")
def analyser_page(chromium: Browser, site_url: str) -> Iterator[SharedPage[AnalyserPage]]:
    with SharedPage(chromium, lambda page: AnalyserPage(page, site_url)) as page:
        yield page


@pytest.fixture
def analyser(analyser_page: SharedPage[AnalyserPage]) -> Iterator[AnalyserPage]:
    """Page of the analyser that tests share, each of which opens a model of its own."""
    yield analyser_page.get()
    analyser_page.errors.check()
