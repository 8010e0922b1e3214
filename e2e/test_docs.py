"""Test the site's documentation: links, search, and examples that open the playground."""

import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
from accessibility import faults
from conftest import SITE
from kept_files import kept_addresses
from playwright.sync_api import Browser, Page, expect
from server import serve
from waiting import eventually

DOCS = SITE / "docs"
VERSIONS = sorted(path.parent.name for path in DOCS.glob("*/objects.inv"))
"""Folders of versions: latest, and in a release also the minor versions."""
CHOOSE_COLORS = """async (scheme) => {
  document.body.dataset.mdColorScheme = scheme;
  await Promise.all(document.getAnimations().map(({ finished }) => finished));
}"""
every_version = pytest.mark.parametrize("version", VERSIONS)


class Addresses(HTMLParser):
    """Collect the links, loaded resources and element ids of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.canonical: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids |= {values["id"] or ""} if "id" in values else set()
        if values.get("rel") == "canonical":
            self.canonical.append(values["href"] or "")
        for name in ("href", "src"):
            if address := values.get(name):
                (self.links if tag == "a" else self.loads).append(address)


def test_links_exist_and_nothing_is_loaded_from_elsewhere() -> None:
    pages = {path: Addresses(path.read_text()) for path in DOCS.rglob("*.html")}
    assert len(pages) > 40
    for path, page in pages.items():
        # The address of the page itself is no load.
        loads = [each for each in page.loads if each not in page.canonical]
        assert [each for each in loads if "//" in each] == []
        for address in page.links + loads:
            if re.match(r"https?:|data:", address):
                continue
            file, _, anchor = unquote(address).partition("#")
            target = (path.parent / file).resolve() if file else path
            assert target.exists(), f"{path}: {address}"
            if anchor and target in pages:
                assert anchor in pages[target].ids, f"{path}: {address}"


def test_the_list_of_versions_names_all_folders() -> None:
    versions = json.loads((DOCS / "versions.json").read_text())
    names = {name for each in versions for name in (each["version"], *each["aliases"])}
    assert names == set(VERSIONS)
    assert "latest" in names


def test_the_folder_leads_to_the_latest_version(page: Page, site_url: str) -> None:
    page.goto(f"{site_url}/docs/")
    page.wait_for_url(re.compile(r"/docs/latest/"))
    page.get_by_role("heading", name="py_tensor", exact=False).first.wait_for()


@every_version
def test_the_sitemap_lists_pages_of_the_version(version: str) -> None:
    locations = ET.parse(DOCS / version / "sitemap.xml").findall(".//{*}loc")
    addresses = [each.text or "" for each in locations]
    canonical = Addresses((DOCS / version / "install.html").read_text()).canonical
    # Only a release knows the address of the site.
    assert bool(addresses) == bool(canonical)
    assert set(canonical) <= set(addresses)
    for address in addresses:
        _, found, path = address.partition("/docs/")
        assert found and (DOCS / unquote(path or "index.html")).exists(), address
        assert path.partition("/")[0] in VERSIONS, address


@every_version
def test_search_finds_a_function(version: str, page: Page, site_url: str) -> None:
    requests: list[str] = []
    page.context.on("request", lambda request: requests.append(request.url))
    page.goto(f"{site_url}/docs/{version}/index.html")
    query = page.locator("[data-md-component=search-query]")
    query.focus()
    # Text typed before the index has loaded may be lost.
    page.wait_for_selector(".md-search-result__meta:text('Type to start searching')")
    entries = page.locator("[data-md-component=search-result] a[href*='#']")
    for name in ("sum", "conv2d"):
        query.fill("")
        query.press_sequentially(name)
        # The page first shows what it finds for the first letters.
        expect(entries.first).to_have_attribute("href", re.compile(rf"#py_tensor\.{name}$"))
    # The theme would complete "conv2d" to the rarer "conv2d_transpose".
    expect(page.locator("[data-md-component=search-suggest]")).to_have_count(0)
    entries.first.click()
    page.wait_for_url(re.compile(rf"/docs/{re.escape(version)}/reference/.*#py_tensor\.conv2d$"))
    assert [each for each in requests if not each.startswith((f"{site_url}/", "blob:"))] == []


@every_version
def test_the_reader_can_choose_a_version(version: str, page: Page, site_url: str) -> None:
    page.goto(f"{site_url}/docs/{version}/index.html")
    offered = page.locator(".md-version__link")
    offered.first.wait_for(state="attached")
    listed = json.loads((DOCS / "versions.json").read_text())
    texts = [text.strip() for text in offered.all_text_contents()]
    assert texts == [each["title"] for each in listed]
    address = offered.last.get_attribute("href")
    assert address is not None and address.rstrip("/").endswith(f"/docs/{listed[-1]['version']}")
    page.goto(address)
    page.get_by_role("heading", name="py_tensor").first.wait_for()


def test_visited_page_opens_without_a_connection(chromium: Browser) -> None:
    context = chromium.new_context()
    page = context.new_page()
    with serve(SITE) as url:
        page.goto(f"{url}/docs/latest/reference/convolution.html")
        eventually(page, lambda: assert_kept(page))
    page.goto(f"{url}/docs/latest/reference/convolution.html?h=conv2d")
    assert page.locator(".run-button").count() > 1
    page.locator("[data-md-component=search-query]").press_sequentially("conv2d")
    page.locator("[data-md-component=search-result] a[href$='.conv2d']").first.wait_for()
    context.close()


def assert_kept(page: Page) -> None:
    """Assert that the page, its styles and its search are stored in the browser."""
    kept = kept_addresses(page)
    for end in ("convolution.html", "style.css", "search.[0-9a-f]*.min.js", "search_index.json"):
        assert any(re.search(rf"/{end}$", address) for address in kept), end


def test_links_and_texts_can_be_told_from_what_is_around_them(page: Page, site_url: str) -> None:
    for name in ("kernels", "reference/convolution", "index"):
        page.goto(f"{site_url}/docs/latest/{name}.html")
        for scheme in ("default", "slate"):
            page.evaluate(CHOOSE_COLORS, scheme)
            assert faults(page, rules=["color-contrast", "link-in-text-block"]) == [], scheme


def test_navigation_of_the_site_is_one_line_on_a_phone(page: Page, site_url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{site_url}/docs/latest/index.html")
    navigation = page.locator(".site-navigation")
    links = [link.bounding_box() for link in navigation.locator("a:visible").all()]
    assert len(links) == 5
    assert len({box["y"] for box in links if box}) == 1
    assert all(box and box["x"] + box["width"] <= 390 for box in links)
    header = page.locator(".md-header").bounding_box()
    assert header is not None and header["y"] + header["height"] < 100


def test_example_runs_in_the_playground(page: Page, site_url: str) -> None:
    page.goto(f"{site_url}/docs/latest/reference/elementwise.html")
    button = page.locator(".run-button >> nth=0")
    with page.context.expect_page() as opened:
        button.click()
    playground = opened.value
    playground.wait_for_selector("#run-status:has-text('ran in')")
    assert playground.inner_text("#run-status").startswith("ran in")
    assert playground.inner_text("#output").strip() == "2.5"
    playground.click("nav a:text-is('Docs')")
    playground.wait_for_url("**/docs/latest/index.html")
    playground.click("text=Demo")
    playground.wait_for_url(f"{site_url}/index.html")


def test_examples_marked_as_not_run_have_no_button(page: Page, site_url: str) -> None:
    page.goto(f"{site_url}/docs/latest/saving.html")
    assert page.locator(".run-button").count() == 1
    assert page.locator(".language-python").count() == 2
