"""Check that all files name the same version, and that CHANGELOG.md describes it.

usage: python tools/check_versions.py [TAG]      TAG is v and the version, for example v0.1.0
       python tools/check_versions.py --notes    print what CHANGELOG.md says about the version
"""

import json
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("webgl_js_bridge", "webgpu_js_bridge", "page_loader")
RECIPES = ("packaging/pyodide/meta.yaml", "packaging/conda/recipe.yaml")


def versions(root: Path = ROOT) -> dict[str, str]:
    """Return the version that each file names."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    found = {"pyproject.toml": project["version"]}
    for package in PACKAGES:
        file = f"{package}/package.json"
        found[file] = json.loads((root / file).read_text())["version"]
    for file in ("CITATION.cff", *RECIPES):
        [version] = re.findall(r"^ *version: (\S+)$", (root / file).read_text(), re.M)
        found[file] = version
    return found


def notes(version: str, root: Path = ROOT) -> str:
    """Return what the changelog says about a version, without the limits of its sizes."""
    text = (root / "CHANGELOG.md").read_text()
    heading = rf"^## {re.escape(version)} - (?:\d{{4}}-\d\d-\d\d|Unreleased)$"
    for section in re.split(r"^(?=## )", text, flags=re.M):
        if match := re.match(heading, section, re.M):
            return section[match.end() :].partition("### Limits")[0].strip() + "\n"
    raise SystemExit(
        f"CHANGELOG.md: no section of the version; got {version}; "
        f'add "## {version} - YEAR-MONTH-DAY" with its changes'
    )


def check(tag: str | None = None, root: Path = ROOT) -> None:
    """Exit with a message if versions differ, or if a tag is of another version or has no date."""
    found = versions(root)
    version = found["pyproject.toml"]
    if different := {file: name for file, name in found.items() if name != version}:
        raise SystemExit(
            f"versions: files name other versions than pyproject.toml; got {version} there and "
            f"{different}; change them"
        )
    if tag not in (None, f"v{version}"):
        raise SystemExit(f"versions: not the tag of the version; got {tag!r}; use 'v{version}'")
    notes(version, root)
    if tag and f"\n## {version} - Unreleased\n" in (root / "CHANGELOG.md").read_text():
        raise SystemExit(
            f"CHANGELOG.md: the released version has no date; got 'Unreleased' for {version}; "
            "make the tag by make tag"
        )


if __name__ == "__main__":
    if sys.argv[1:] == ["--notes"]:
        print(notes(versions()["pyproject.toml"]), end="")
    else:
        check(sys.argv[1] if len(sys.argv) > 1 else None)
