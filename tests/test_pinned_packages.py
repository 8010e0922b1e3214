"""All development packages are pinned with hashes, and no lock file names a server."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.host

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("group", ["dev", "release"])
def test_python_packages_have_hashes(group):
    text = (ROOT / f"requirements-{group}.txt").read_text()
    packages = re.sub(r"\\\n", "", re.sub("#.*", "", text)).strip().splitlines()
    assert len(packages) > 50
    for package in packages:
        assert re.match(r"[a-z0-9._-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", package), package
    assert "://" not in text


def test_javascript_packages_have_hashes():
    lock = json.loads((ROOT / "package-lock.json").read_text())
    packages = {name: value for name, value in lock["packages"].items() if name}
    assert len(packages) > 50
    for name, value in packages.items():
        assert value.get("integrity", "").startswith("sha512-") or value.get("inBundle"), name
        assert "resolved" not in value, name
