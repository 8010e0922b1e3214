"""Test the navigation that all pages of the site share."""

import re

import pytest
from conftest import SITE

PAGES = (
    "index.html",
    "analyser/index.html",
    "chat/index.html",
    "bench/index.html",
    "docs/latest/index.html",
)
OTHERS = ("bench/models.html", "docs/latest/reference/index.html", "docs/latest/models.html")
NAVIGATION = re.compile(r'<nav class="site-navigation" aria-label="Site">(.*?)</nav>')
LINK = re.compile(r'<a href="([^"]*)"( aria-current="\w+")?>')


@pytest.mark.parametrize("page", (*PAGES, *OTHERS))
def test_every_page_leads_to_all_parts(page: str, site_url: str) -> None:
    found = NAVIGATION.findall((SITE / page).read_text())
    assert len(found) == 1
    links = LINK.findall(found[0])
    folder = (SITE / page).parent
    [picture] = re.findall(r'<img src="([^"]*)"', found[0])
    assert picture.startswith("data:image/svg+xml") or (folder / picture).is_file()
    assert [(folder / target).resolve() for target, _ in links] == [
        (SITE / each).resolve() for each in PAGES
    ]
    current = [target for target, mark in links if mark]
    assert [(folder / target).resolve().is_file() for target in current] in ([True], [])
    if page in PAGES:
        marks = [mark.strip() for _, mark in links if mark]
        assert marks == ['aria-current="page"']
