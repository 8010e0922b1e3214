"""Read which files of the site the service worker keeps."""

from __future__ import annotations

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
