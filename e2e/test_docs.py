"""Test the site's documentation: links, search, and examples that open the playground."""

import re
from html.parser import HTMLParser
from urllib.parse import unquote

from conftest import SITE
from playwright.sync_api import Page

DOCS = SITE / "docs"


class Addresses(HTMLParser):
    """Collect the links, loaded resources and element ids of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids |= {values["id"] or ""} if "id" in values else set()
        for name in ("href", "src"):
            if address := values.get(name):
                (self.links if tag == "a" else self.loads).append(address)


def test_links_exist_and_nothing_is_loaded_from_elsewhere() -> None:
    pages = {path: Addresses(path.read_text()) for path in DOCS.rglob("*.html")}
    assert len(pages) > 40
    for path, page in pages.items():
        if path.name == "404.html":
            continue  # its links are relative to an unknown address
        assert [each for each in page.loads if "//" in each] == []
        for address in page.links + page.loads:
            if re.match(r"https?:|data:", address):
                continue
            file, _, anchor = unquote(address).partition("#")
            target = (path.parent / file).resolve() if file else path
            assert target.exists(), f"{path}: {address}"
            if anchor and target in pages:
                assert anchor in pages[target].ids, f"{path}: {address}"


def test_search_finds_a_function(page: Page, site_url: str) -> None:
    requests: list[str] = []
    page.context.on("request", lambda request: requests.append(request.url))
    page.goto(f"{site_url}/docs/index.html")
    query = page.locator("[data-md-component=search-query]")
    query.focus()
    # Text typed before the index has loaded may be lost.
    page.wait_for_selector(".md-search-result__meta:text('Type to start searching')")
    query.press_sequentially("hypot")
    # The page first shows what it finds for the first letters.
    page.click("[data-md-component=search-result] a[href$='.hypot'] >> nth=0")
    page.wait_for_url(re.compile(r"/docs/reference/.*#py_tensor.*\.hypot$"))
    assert [each for each in requests if not each.startswith((f"{site_url}/", "blob:"))] == []


def test_example_opens_in_the_playground(page: Page, site_url: str) -> None:
    page.goto(f"{site_url}/docs/reference/elementwise.html")
    button = page.locator(".run-button >> nth=0")
    with page.context.expect_page() as opened:
        button.click()
    playground = opened.value
    playground.wait_for_selector("#run:enabled")
    playground.click("#run")
    playground.wait_for_selector("#run:enabled")
    assert playground.inner_text("#run-status").startswith("ran in")
    assert playground.inner_text("#output").strip() == "2.5"
    playground.click("nav a:text-is('Docs')")
    playground.wait_for_url("**/docs/index.html")
    playground.click("text=Demo")
    playground.wait_for_url(f"{site_url}/index.html")


def test_examples_marked_as_not_run_have_no_button(page: Page, site_url: str) -> None:
    page.goto(f"{site_url}/docs/saving.html")
    assert page.locator(".run-button").count() == 1
    assert page.locator(".language-python").count() == 2
