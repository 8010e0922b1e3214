"""Print what pages of the site download until their first result; fail above the limits.

usage: python tools/check_downloads.py

The limits, in megabytes, are in the table "Downloads" of docs/packaging.md.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parent.parent
SITE = ROOT / "build" / "site"
ADDRESS = "http://127.0.0.1:8021"
READY = {
    "index.html": "document.querySelector('[data-state=ready]')",
    "analyser/index.html": "document.querySelector('[data-state=ready]')",
    "chat/index.html": "!document.querySelector('#send').disabled",
    "bench/start/plain.html": "document.body.textContent.startsWith('{')",
}
"""Expressions that are true when a page has its first result, or is ready for the visitor."""
_ROW = re.compile(r"^\| `(\S+\.html)` \| ([\d.]+) \| ([\d.]+) \|", re.MULTILINE)


def limits() -> dict[str, list[float]]:
    """Return the megabytes by gzip and by Brotli that each page may download."""
    text = (ROOT / "docs" / "packaging.md").read_text()
    return {page: [float(gzip), float(brotli)] for page, gzip, brotli in _ROW.findall(text)}


def downloads(browser: Browser, page_name: str) -> list[float]:
    """Return the megabytes by gzip and by Brotli of the files that a page requests."""
    context = browser.new_context()
    # It would load the rest of the site.
    context.add_init_script("delete Navigator.prototype.serviceWorker")
    paths: set[str] = set()
    context.on("requestfinished", lambda request: paths.add(urlsplit(request.url).path))
    page = context.new_page()
    page.goto(f"{ADDRESS}/{page_name}")
    page.wait_for_function(READY[page_name], timeout=120_000)
    files = [SITE / path.lstrip("/") for path in paths]
    context.close()
    return [sum(sent_bytes(file, ending) for file in files) / 1e6 for ending in ("gz", "br")]


def sent_bytes(file: Path, ending: str) -> int:
    """Return the bytes of a file's compressed copy, or of the file if it has none."""
    copy = file.with_name(f"{file.name}.{ending}")
    file = copy if copy.exists() else file
    return file.stat().st_size if file.is_file() else 0


def main() -> int:
    vite = str(ROOT / "node_modules/.bin/vite")
    command = [vite, "preview", str(ROOT / "web"), "--port", "8021", "--strictPort"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        while ADDRESS not in re.sub(r"\x1b\[\d+m", "", server.stdout.readline()):
            if server.poll() is not None:
                raise SystemExit("downloads: vite preview ended; is port 8021 free?")
        failed = 0
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"])
            for page, allowed in limits().items():
                used = downloads(browser, page)
                failed |= int(any(u > a for u, a in zip(used, allowed, strict=True)))
                for kind, u, a in zip(("gzip", "Brotli"), used, allowed, strict=True):
                    print(f"{page}: {u:.2f} of {a} MB by {kind}")
        return failed
    finally:
        server.terminate()


if __name__ == "__main__":
    sys.exit(main())
