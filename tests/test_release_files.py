"""Files of a release agree with each other, and their checkers notice what is wrong."""

from __future__ import annotations

import datetime
import json
import re
import shutil
import tomllib
from pathlib import Path

import pytest
from check_versions import PACKAGES, RECIPES, check, notes, versions
from date_release import date_release
from set_repository import set_repository

pytestmark = pytest.mark.host

ROOT = Path(__file__).parent.parent
FILES = (
    "pyproject.toml",
    "CHANGELOG.md",
    "CITATION.cff",
    "README.md",
    ".github/CODEOWNERS",
    *(f"{package}/package.json" for package in PACKAGES),
    *RECIPES,
)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
VERSION = PROJECT["version"]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Folder with copies of the files that name the version or the repository."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_all_files_name_the_same_version() -> None:
    check()
    assert len(versions()) == 7


@pytest.mark.parametrize("name", [name for name in FILES if name in versions()])
def test_another_version_in_one_file_is_an_error(name: str, copy: Path) -> None:
    text = (copy / name).read_text()
    (copy / name).write_text(text.replace(VERSION, "9.9.9", 1))
    with pytest.raises(SystemExit, match=r"files name other versions.*9\.9\.9"):
        check(root=copy)


def test_the_tag_of_another_version_is_an_error() -> None:
    with pytest.raises(SystemExit, match=r"not the tag of the version; got 'v9\.9\.9'; use 'v"):
        check("v9.9.9")


def test_a_tag_needs_the_date_of_the_release(copy: Path) -> None:
    changes = copy / "CHANGELOG.md"
    text = re.sub(rf"(?m)^(## {VERSION} - ).*$", r"\g<1>Unreleased", changes.read_text())
    changes.write_text(text)
    with pytest.raises(SystemExit, match=r"no date; got 'Unreleased' for .* make tag"):
        check(f"v{VERSION}", copy)
    for date in ("2027-01-02", "2027-03-04"):
        date_release(datetime.date.fromisoformat(date), copy)
        assert changes.read_text() == text.replace("- Unreleased", f"- {date}", 1)
        cited = re.findall(r"^date-released: (.*)$", (copy / "CITATION.cff").read_text(), re.M)
        assert cited == [date]
        check(f"v{VERSION}", copy)


def test_notes_are_the_changes_of_the_version(copy: Path) -> None:
    text = notes(VERSION)
    assert text.startswith(("The first release", "### "))
    assert "Limits" not in text and "## 0" not in text
    with pytest.raises(SystemExit, match=r"no section of the version; got 9\.9\.9"):
        notes("9.9.9")


def test_headings_of_the_changelog_have_the_form_of_keep_a_changelog() -> None:
    text = (ROOT / "CHANGELOG.md").read_text()
    headings = re.findall(r"^## (.*)$", text, re.M)
    assert headings
    for heading in headings:
        assert re.fullmatch(r"Unreleased|\d+\.\d+\.\d+ - (\d{4}-\d\d-\d\d|Unreleased)", heading), (
            heading
        )
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Limits"}
    assert set(re.findall(r"^### (.*)$", text, re.M)) <= kinds


def test_the_address_of_the_repository_is_written_once(copy: Path) -> None:
    before = {name: (copy / name).read_text() for name in FILES}
    set_repository("https://github.com/one/earlier", "https://one.example/earlier/", copy)
    set_repository("https://github.com/two/second", "https://two.example/", copy)
    after = {name: (copy / name).read_text() for name in FILES}
    assert not any(
        "earlier/" in text or "one/earlier" in text
        for name, text in after.items()
        if name != "CHANGELOG.md"
    )
    urls = tomllib.loads(after["pyproject.toml"])["project"]["urls"]
    assert urls["Repository"] == "https://github.com/two/second"
    assert urls["Documentation"] == "https://two.example/docs/latest/index.html"
    for package in PACKAGES:
        repository = json.loads(after[f"{package}/package.json"])["repository"]
        assert repository["url"] == "git+https://github.com/two/second.git"
    assert after[".github/CODEOWNERS"].count("@") == 1
    links = re.findall(r"\]\((.*?)\)", after["README.md"])
    assert len(links) == len(re.findall(r"\]\((.*?)\)", before["README.md"])) > 10
    assert all(re.match("https://|data:", link) for link in links), links
    assert "(https://github.com/two/second/raw/main/docs/demo.png)" in after["README.md"]
    assert "(https://github.com/two/second/blob/main/docs/jax.md)" in after["README.md"]
    assert after["CITATION.cff"].endswith("repository-code: https://github.com/two/second\n")
    for recipe in RECIPES:
        assert re.search(r"home(page)?: https://two.example/$", after[recipe], re.M)
        assert len(after[recipe].splitlines()) == len(before[recipe].splitlines())
    check(root=copy)


def test_an_address_without_owner_is_refused(copy: Path) -> None:
    with pytest.raises(SystemExit, match="not the address of a repository; got 'example'"):
        set_repository("example", root=copy)


def test_classifiers_name_the_supported_pythons() -> None:
    oldest = int(PROJECT["requires-python"].removeprefix(">=3."))
    minors = [
        int(name.rpartition(".")[2])
        for name in PROJECT["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", name)
    ]
    assert minors == list(range(oldest, oldest + len(minors)))
    table = (ROOT / "docs" / "stability.md").read_text()
    assert [int(minor) for minor in re.findall(r"^\| 3\.(\d+) \|", table, re.M)] == minors
