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


def test_targets_exist():
    targets = [
        target.partition(" ")[0]
        for target in jobs("nightly")["long"]["strategy"]["matrix"]["target"]
    ]
    for workflow in WORKFLOWS.glob("*.yml"):
        for line in re.findall(r"\bmake ((?:[a-z][a-z-]*(?: |$))+)", workflow.read_text(), re.M):
            targets += line.split()
    assert {"install", "site", "release-check"} <= set(targets)
    for target in targets:
        assert re.search(rf"^{target}:", MAKEFILE, re.M), target


def test_actions_are_pinned_by_commit_and_their_comments_name_the_version():
    found: dict[str, str] = {}
    for workflow in WORKFLOWS.glob("*.yml"):
        for action, pin in re.findall(r"\buses: *([^@\s]*)(.*)", workflow.read_text()):
            if action.startswith("./"):
                assert (ROOT / action).exists(), action
                continue
            assert re.fullmatch(r"@[0-9a-f]{40} # v\d+\.\d+\.\d+", pin), f"{action}{pin}"
            assert found.setdefault(action, pin) == pin, action
    assert {"actions/checkout", "pypa/gh-action-pypi-publish"} <= found.keys()


def test_a_job_downloads_what_an_earlier_one_uploads():
    release = jobs("release")
    uploaded: dict[str, str] = {}
    for name, job in release.items():
        for step in job.get("steps", []):
            action = step.get("uses", "").partition("@")[0]
            if action == "actions/upload-artifact":
                uploaded[step["with"]["name"]] = name
            elif action == "actions/upload-pages-artifact":
                uploaded["github-pages"] = name
    taken = set()
    for name, job in release.items():
        for step in job.get("steps", []):
            action = step.get("uses", "").partition("@")[0]
            if action in ("actions/download-artifact", "actions/deploy-pages"):
                artifact = step.get("with", {}).get("name", "github-pages")
                taken.add(artifact)
                assert uploaded[artifact] in needed(release, name), f"{name}: {artifact}"
    assert taken == uploaded.keys()


def test_jobs_that_publish_need_the_tests():
    release = jobs("release")
    assert release["tests"]["uses"] == "./.github/workflows/ci.yml"
    publishing = [name for name in release if name.startswith("publish-")]
    assert len(publishing) == 4
    for name in publishing:
        assert needed(release, name) >= {"tests", "build"}, name


def test_jobs_use_the_environments_that_the_owner_makes():
    guide = (ROOT / "CONTRIBUTING.md").read_text()
    environments = {name: job.get("environment") for name, job in jobs("release").items()}
    for name in ("publish-python", "publish-npm"):
        assert environments[name] == "release", name
    assert environments["publish-site"] == "github-pages"
    assert "the environments `release` and `github-pages`" in guide
    assert "the workflow `release.yml` and the environment `release`" in guide


def test_only_jobs_that_publish_may_sign_or_write():
    for workflow in WORKFLOWS.glob("*.yml"):
        for name, job in jobs(workflow.stem).items():
            writes = "write" in job.get("permissions", {}).values()
            assert writes == name.startswith("publish-"), f"{workflow.name}: {name}"
