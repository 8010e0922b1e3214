"""Pack Jinja2 and MarkupSafe, from which the site's page "Chat" imports them.

usage: python tools/pack_jinja.py FILE

Both are plain Python without MarkupSafe's optional extension. The archive has a fixed date, so that
the same versions give the same bytes.
"""

import sys
import zipfile
from importlib.metadata import files
from pathlib import Path

DATE = (1980, 1, 1, 0, 0, 0)
PACKAGES = ("jinja2", "markupsafe")


def main(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for package in PACKAGES:
            for path in sorted(files(package) or (), key=str):
                if path.suffix == ".py" or path.name.startswith("LICENSE"):
                    info = zipfile.ZipInfo(str(path), DATE)
                    archive.writestr(info, path.read_binary(), zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
