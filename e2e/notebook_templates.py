"""Test the templates that install packages of their own: JupyterLite, anywidget and marimo.

`make test-templates` runs this file; `make test-e2e` does not, since the packages are large.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from copy_template import ROOT, copy_template
from playwright.sync_api import Page
from template_server import eventually_shows, origins_of, started, text_of
from watched_page import PageErrors

INSTALL_SECONDS = 900
LOAD_MILLISECONDS = 300_000


@pytest.fixture
def template(request: pytest.FixtureRequest, page: Page) -> Iterator[str]:
    """URL of a started template in build/templates/, where its packages stay installed."""
    folder = ROOT / "build" / "templates" / request.param
    copy_template(request.param, folder)
    page.set_default_timeout(LOAD_MILLISECONDS)
    with started(folder, INSTALL_SECONDS) as url:
        yield url


def run_notebook(page: Page, url: str) -> None:
    page.goto(url + "notebooks/index.html?path=waves.ipynb")
    page.get_by_role("heading", name="Waves of two sources").wait_for()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()


@pytest.mark.parametrize("template", ["jupyterlite"], indirect=True)
def test_jupyterlite(template: str, page: Page) -> None:
    origins = origins_of(page)
    run_notebook(page, template)
    page.get_by_text(text_of(30)).wait_for()
    picture = page.locator(".jp-OutputArea img")
    eventually_shows(page, picture, 30)
    page.locator(".widget-readout").fill("77")
    page.locator(".widget-readout").press("Enter")
    page.get_by_text(text_of(77)).wait_for()
    eventually_shows(page, picture, 77)
    assert origins == {template}


@pytest.mark.parametrize("template", ["anywidget"], indirect=True)
def test_anywidget(template: str, page: Page) -> None:
    origins = origins_of(page)
    run_notebook(page, template)
    page.get_by_text(text_of(30)).wait_for()
    picture = page.locator(".jp-OutputArea canvas")
    eventually_shows(page, picture, 30)
    page.get_by_label("Waves").fill("77")
    page.get_by_text(text_of(77)).wait_for()
    eventually_shows(page, picture, 77)
    assert origins == {template}


@pytest.mark.parametrize("template", ["marimo"], indirect=True)
def test_marimo(template: str, page: Page, page_errors: PageErrors) -> None:
    # On a busy machine Python starts later than marimo's page waits for, which it reports.
    page_errors.ignore()
    origins = origins_of(page)
    page.goto(template)
    page.get_by_text(text_of(30)).wait_for()
    eventually_shows(page, page.locator("img"), 30)
    page.get_by_role("slider").press("Home")
    page.get_by_text(text_of(5)).wait_for()
    eventually_shows(page, page.locator("img"), 5)
    assert origins == {template}
