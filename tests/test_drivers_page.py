"""Pages about drivers and devices say what the tests and the reports say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from devices_table import page, table

pytestmark = pytest.mark.host

ROOT = Path(__file__).parent.parent


def test_known_faults_name_their_tests():
    text = (ROOT / "docs" / "drivers.md").read_text()
    table = text.partition("## Known faults")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 10
    for row in rows:
        cell = row.rstrip(" |").rpartition(" | ")[2]
        named = re.findall(r"`((?:tests|e2e)/[\w/]+\.py)(?:::(\w+))?`", cell)
        assert named or cell.startswith("no test: "), row
        for path, function in named:
            assert f"def {function}" in (ROOT / path).read_text(), cell


def test_devices_are_those_of_the_reports():
    assert len(table().splitlines()) > 3
    assert page() == (ROOT / "docs" / "devices.md").read_text()
