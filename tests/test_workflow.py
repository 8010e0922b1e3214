"""The hosted workflow has every step of `make test`, and publishes after all have passed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = pytest.mark.host

ROOT = Path(__file__).parent.parent


def jobs() -> dict[str, Any]:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    found: dict[str, Any] = workflow["jobs"]
    return found


def test_lanes_have_the_steps_of_make_test():
    (steps,) = re.findall(r"^\t@.*tools/run_steps\.sh (.+)$", (ROOT / "Makefile").read_text(), re.M)
    lanes = jobs()["lane"]["strategy"]["matrix"]["steps"]
    assert sorted(" ".join(lanes).split()) == sorted(steps.replace("+", " ").split())


def test_jobs_that_publish_need_all_others():
    others = {name for name in jobs() if not name.startswith("publish-")}
    for name in jobs().keys() - others:
        assert set(jobs()[name]["needs"]) == others
