"""Check a page with axe."""

from __future__ import annotations

from typing import Any

from conftest import SITE
from playwright.sync_api import Page

AXE = SITE.parent.parent / "node_modules" / "axe-core" / "axe.min.js"


def violations(page: Page, scope: str | None = None) -> list[dict[str, Any]]:
    """Return the rules that the elements of a selector break; None (default) for the page."""
    page.evaluate(AXE.read_text())
    script = "scope => axe.run(scope ?? document, { resultTypes: ['violations'] })"
    found: list[dict[str, Any]] = page.evaluate(script, scope)["violations"]
    return found


def faults(page: Page, scope: str | None = None) -> list[tuple[str, str]]:
    """Return the rule and the element of each fault that axe finds."""
    return [
        (fault["id"], node["html"]) for fault in violations(page, scope) for node in fault["nodes"]
    ]
