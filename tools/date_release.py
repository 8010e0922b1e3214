"""Write the date of today as that of the release into CHANGELOG.md and CITATION.cff.

usage: python tools/date_release.py
"""

import datetime
from pathlib import Path

from check_versions import ROOT, versions
from set_repository import replace


def date_release(date: datetime.date, root: Path = ROOT) -> None:
    """Write the date of the release of the version that pyproject.toml names."""
    version = versions(root)["pyproject.toml"].replace(".", r"\.")
    replace(root / "CHANGELOG.md", rf"^(## {version} - ).*$", rf"\g<1>{date}")
    replace(root / "CITATION.cff", r"^date-released: .*\n", "")
    replace(root / "CITATION.cff", r"^(version: .*\n)", rf"\g<1>date-released: {date}\n")


if __name__ == "__main__":
    date_release(datetime.date.today())
