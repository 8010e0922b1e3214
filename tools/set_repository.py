"""Write the addresses of the repository and of the site into the files that are published.

The workflow of a release runs it with the addresses that it knows. The owner may also run it once
and commit the changes: code owners are asked for reviews only then.

usage: python tools/set_repository.py https://github.com/OWNER/NAME [SITE]
"""

import json
import re
import sys
from pathlib import Path

from check_versions import PACKAGES, RECIPES, ROOT


def set_repository(repository: str, site: str = "", root: Path = ROOT) -> None:
    """Write the addresses of the repository and, if it is given, of the site."""
    if not (match := re.fullmatch(r"(https://[\w.-]+)/([\w.-]+)/([\w.-]+)", repository)):
        raise SystemExit(
            "set_repository: not the address of a repository; "
            f"got {repository!r}; use one such as https://github.com/OWNER/NAME"
        )
    owner = match[2]
    branch = f"{repository}/blob/main"
    urls = {
        "Homepage": site or repository,
        "Documentation": f"{site}docs/latest/index.html" if site else f"{branch}/docs/index.md",
        "Repository": repository,
        "Issues": f"{repository}/issues",
        "Changelog": f"{branch}/CHANGELOG.md",
    }
    table = "".join(f'{name} = "{address}"\n' for name, address in urls.items())
    replace(root / "pyproject.toml", r"\[project\.urls\]\n(?:\w.*\n)*\n", "")
    replace(
        root / "pyproject.toml",
        r"(?=^\[project\.optional-dependencies\]$)",
        f"[project.urls]\n{table}\n",
    )
    for package in PACKAGES:
        file = root / package / "package.json"
        content = json.loads(file.read_text())
        content["homepage"] = urls["Homepage"]
        content["bugs"] = urls["Issues"]
        content["repository"] = {
            "type": "git",
            "url": f"git+{repository}.git",
            "directory": package,
        }
        file.write_text(json.dumps(content, indent=2) + "\n")
    replace(root / "CITATION.cff", r"^repository-code: .*\n", "")
    with (root / "CITATION.cff").open("a") as citation:
        citation.write(f"repository-code: {repository}\n")
    # The index of Python packages shows the README without the files that it links to.
    earlier = r"(?:https://[\w.-]+/[\w.-]+/[\w.-]+/(?:blob|raw)/main/)?"
    local = r"((?:docs/|[A-Z]+\.md)[\w./#-]*)"
    replace(root / "README.md", rf"\]\({earlier}{local}\)", rf"]({branch}/\1)")
    replace(root / "README.md", rf"{branch}/([\w/]+\.png)", rf"{repository}/raw/main/\1")
    for recipe in RECIPES:
        replace(root / recipe, r"^(  home(?:page)?:).*$", rf"\1 {urls['Homepage']}")
    owners = root / ".github" / "CODEOWNERS"
    replace(owners, r"^\* .*\n", "")
    with owners.open("a") as file_of_owners:
        file_of_owners.write(f"* @{owner}\n")


def replace(file: Path, pattern: str, text: str) -> None:
    file.write_text(re.sub(pattern, text, file.read_text(), flags=re.M))


if __name__ == "__main__":
    set_repository(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "")
