"""Read which files of the site the service worker keeps."""

from __future__ import annotations

import json

from conftest import SITE
from playwright.sync_api import Page


def kept_addresses(page: Page) -> list[str]:
    """Return the addresses, without their queries, of the files that the page's site has stored."""
    kept: list[str] = page.evaluate(
        """async () => {
          const all = await Promise.all((await caches.keys()).map(async (name) =>
            (await (await caches.open(name)).keys()).map(({ url }) => url.split("?")[0])));
          return all.flat();
        }"""
    )
    return kept


def assert_kept(page: Page) -> None:
    """Assert that the service worker has stored what the demo page needs."""
    kept = kept_addresses(page)
    manifest = json.loads((SITE / "pyodide" / "start.json").read_text())
    archives = [entry["file"] for entry in manifest["archives"].values()]
    snapshot = f"{manifest['snapshot']['file']}.gz"
    for end in ("/index.html", "asm.wasm", "start.json", "china.jpg", snapshot, *archives):
        assert any(address.endswith(end) for address in kept), end
