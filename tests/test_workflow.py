"""The hosted workflows have every step of `make test`, and publish after all have passed."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = pytest.mark.host

ROOT = Path(__file__).parent.parent
WORKFLOWS = ROOT / ".github" / "workflows"
MAKEFILE = (ROOT / "Makefile").read_text()


def jobs(workflow: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((WORKFLOWS / f"{workflow}.yml").read_text())["jobs"]
    return found


def needed(all_jobs: dict[str, Any], name: str) -> set[str]:
    """Return the jobs after which a job runs, also indirectly."""
    direct = set(all_jobs[name].get("needs", []))
    return direct.union(*(needed(all_jobs, other) for other in direct))


def test_lanes_have_the_steps_of_make_test():
    (steps,) = re.findall(r"^\t@.*tools/run_steps\.sh (.+)$", MAKEFILE, re.M)
    lanes = jobs("ci")["lane"]["strategy"]["matrix"]["steps"]
    assert sorted(" ".join(lanes).split()) == sorted(steps.replace("+", " ").split())


def test_systems_have_all_supported_pythons():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    matrix = jobs("ci")["system"]["strategy"]["matrix"]
    names = [f"Programming Language :: Python :: {python}" for python in matrix["python"]]
    assert [name for name in project["classifiers"] if re.search(r":: 3\.\d+$", name)] == names
    assert {system.partition("-")[0] for system in matrix["os"]} == {"ubuntu", "windows", "macos"}


def test_nightly_targets_exist():
    targets = jobs("nightly")["long"]["strategy"]["matrix"]["target"]
    for target in targets:
        assert re.search(rf"^{target.partition(' ')[0]}:", MAKEFILE, re.M), target


def test_jobs_that_publish_need_the_tests():
    release = jobs("release")
    assert release["tests"]["uses"] == "./.github/workflows/ci.yml"
    publishing = [name for name in release if name.startswith("publish-")]
    assert len(publishing) == 4
    for name in publishing:
        assert needed(release, name) >= {"tests", "build"}, name


def test_only_jobs_that_publish_may_sign_or_write():
    for workflow in WORKFLOWS.glob("*.yml"):
        for name, job in jobs(workflow.stem).items():
            writes = "write" in job.get("permissions", {}).values()
            assert writes == name.startswith("publish-"), f"{workflow.name}: {name}"
