"""Measure how fast a page of web/bench/start/ starts, in a browser whose cache is empty or not.

usage: python tools/measure_start.py http://127.0.0.1:8000/bench/start/plain.html --throttle 10
(while make serve runs, which sends compressed files; CHROMIUM names the browser)
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import BrowserContext, Playwright, sync_playwright

sys.path += [str(Path(__file__).parent.parent / "tests")]

from playwright_bridge import FLAGS  # type: ignore[import-not-found]

LIMIT_MILLISECONDS = 600_000
STAY_MILLISECONDS = 3000
MEGABIT = 1e6 / 8


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("address", nargs="+", help="of pages such as bench/start/plain.html")
    parser.add_argument("--throttle", type=float, default=0, help="megabits per second")
    parser.add_argument("--latency", type=float, default=0, help="milliseconds of each request")
    parser.add_argument("--cpu", type=float, default=1, help="factor of the page's thread alone")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--visit", choices=("first", "second"), default="first")
    return parser.parse_args()


def visit(context: BrowserContext, address: str, options: argparse.Namespace) -> dict[str, Any]:
    """Open the page and return its report."""
    page = context.new_page()
    session = context.new_cdp_session(page)
    if options.throttle or options.latency:
        bytes_per_second = options.throttle * MEGABIT or -1
        session.send("Network.enable")
        # Also holds for the requests of the page's workers.
        session.send(
            "Network.emulateNetworkConditions",
            {
                "offline": False,
                "latency": options.latency,
                "downloadThroughput": bytes_per_second,
                "uploadThroughput": bytes_per_second,
            },
        )
    if options.cpu != 1:
        session.send("Emulation.setCPUThrottlingRate", {"rate": options.cpu})
    page.goto(address)
    page.wait_for_function("document.body.textContent.startsWith('{')", timeout=LIMIT_MILLISECONDS)
    report: dict[str, Any] = json.loads(page.text_content("body") or "")
    if options.visit == "second":
        # The browser also keeps compiled WebAssembly, some time after it has run.
        page.wait_for_timeout(STAY_MILLISECONDS)
    page.close()
    if "error" in report:
        raise SystemExit(f"measure_start: {address}: {report['error']}")
    return report


def measure(playwright: Playwright, address: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return the report of a visit by a new profile of the browser."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as profile:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=path, args=FLAGS
        )
        report = visit(context, address, options)
        if options.visit == "second":
            report = visit(context, address, options)
        context.close()
    return report


def main() -> None:
    options = parse_arguments()
    with sync_playwright() as playwright:
        for address in options.address:
            reports = [measure(playwright, address, options) for _ in range(options.rounds)]
            print(address)
            for name in ("ready", "values", "longestTask"):
                times = sorted(report[name] for report in reports)
                print(f"  {name}: {median(times):.0f} ms ({times[0]:.0f} to {times[-1]:.0f})")
            files = reports[0]["files"]
            size, moved = (
                sum(file[key] for file in files) for key in ("encodedBodySize", "transferSize")
            )
            print(f"  {len(files)} requests, {size / 1e6:.2f} MB, {moved / 1e6:.2f} MB transferred")


if __name__ == "__main__":
    main()
