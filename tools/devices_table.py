"""Write the table of docs/devices.md from the reports in docs/devices/.

usage: python tools/devices_table.py [REPORT ...]

A report is a file that the page bench/device.html saved, or an address that it copied. It is added
to docs/devices/ first.
"""

from __future__ import annotations

import base64
import json
import re
import sys
import zlib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "devices"
PAGE = ROOT / "docs" / "devices.md"
BEGIN, END = "<!-- table -->", "<!-- end of the table -->"
BACKENDS = ("webgpu", "webgl", "wasm")
# The first name that a browser's own name contains; others call themselves Chrome and Safari, too.
BROWSERS = ("Firefox", "Edg", "OPR", "HeadlessChrome", "Chrome", "Version")
NAMES = {"Edg": "Edge", "OPR": "Opera", "HeadlessChrome": "Chromium", "Version": "Safari"}


def report_of(source: str) -> dict[str, Any]:
    """Return the report of a file or an address."""
    letters = source.partition("#report=")[2]
    if not letters:
        text = Path(source).read_text()
    else:
        packed = base64.urlsafe_b64decode(letters + "=" * (-len(letters) % 4))
        text = zlib.decompress(packed, wbits=-zlib.MAX_WBITS).decode()
    report: dict[str, Any] = json.loads(text)
    if report.get("format") != 1 or report.get("page") != "device":
        raise SystemExit(f"devices_table: not a report of bench/device.html; got {source[:80]}")
    return report


def add(source: str) -> Path:
    """Write a report to the folder; one of the same GPU, browser and day is replaced."""
    report = report_of(source)
    words = f"{gpu(report)} {browser(report)} {report['date'][:10]}"
    path = FOLDER / f"{re.sub('[^a-z0-9]+', '_', words.lower()).strip('_')}.json"
    path.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    return path


def browser(report: dict[str, Any]) -> str:
    """Return the name, version and system of a browser from what it calls itself."""
    text = report["browser"]
    name = next(name for name in BROWSERS if f"{name}/" in text)
    version = text.partition(f"{name}/")[2].partition(".")[0]
    system = re.search(r"Windows|Android|iPhone|iPad|Mac|CrOS|Linux", text)
    return f"{NAMES.get(name, name)} {version} on {system.group() if system else 'another system'}"


def gpu(report: dict[str, Any]) -> str:
    """Return the renderer without the words that ANGLE and drivers put around its name."""
    name = re.sub(r"ANGLE \(|\s*\(0x\w+\)|\)$", "", report["renderer"])
    return re.sub(r"\s+", " ", name.replace("|", "/")).strip()


def cell(report: dict[str, Any], backend: str) -> str:
    """Return right checks, milliseconds of a call and GFLOP/s of a backend."""
    section = next(one for one in report["sections"] if one["title"] == "Backends")
    row = next((row for row in section["rows"] if row[0] == backend), None)
    if row is None or row[1] == "not here":
        return "-"
    _, right, _, call, flops = row
    return f"{right}; {call} ms; {flops}"


def table() -> str:
    """Return the table of all reports, as Markdown."""
    reports = [json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))]
    heads = ("GPU and driver", "browser", "date", *BACKENDS)
    rows = [
        (gpu(one), browser(one), one["date"][:10], *(cell(one, name) for name in BACKENDS))
        for one in reports
    ]
    lines = [f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *rows)]
    return "\n".join(lines)


def page() -> str:
    """Return the page with the table."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    for source in sys.argv[1:]:
        print(add(source).relative_to(ROOT))
    PAGE.write_text(page())
