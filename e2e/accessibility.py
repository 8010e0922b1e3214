"""Check a page with axe."""

from __future__ import annotations

from typing import Any

from conftest import SITE
from playwright.sync_api import Page

AXE = SITE.parent.parent / "node_modules" / "axe-core" / "axe.min.js"


def violations(
    page: Page, scope: str | None = None, rules: list[str] | None = None
) -> list[dict[str, Any]]:
    """Return the rules that elements break.

    Args:
        page: Page to check.
        scope: Selector of the elements; None checks the whole page.
        rules: Names of the rules to check; None checks all.
    """
    page.evaluate(AXE.read_text())
    script = """([scope, runOnly]) =>
        axe.run(scope ?? document, { resultTypes: ["violations"], ...(runOnly && { runOnly }) })"""
    found: list[dict[str, Any]] = page.evaluate(script, [scope, rules])["violations"]
    return found


def faults(
    page: Page, scope: str | None = None, rules: list[str] | None = None
) -> list[tuple[str, str]]:
    """Return the rule and the element of each fault that axe finds."""
    found = violations(page, scope, rules)
    return [(fault["id"], node["html"]) for fault in found for node in fault["nodes"]]
