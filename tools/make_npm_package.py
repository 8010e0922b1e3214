"""Make the npm package py_tensor: the loader with its types, and what a page starts from.

usage: python tools/make_npm_package.py FOLDER
"""

import shutil
import subprocess
import sys
from pathlib import Path

from copy_template import ROOT, RUNTIME, WHEEL_FILES

LOADER = ROOT / "page_loader"


def make_npm_package(folder: Path) -> None:
    """Write the package to a folder, whose old contents are removed."""
    shutil.rmtree(folder, ignore_errors=True)
    ignored = shutil.ignore_patterns(*WHEEL_FILES)
    shutil.copytree(RUNTIME, folder / "runtime", ignore=ignored)
    for file in (LOADER / "package.json", LOADER / "README.md", ROOT / "LICENSE"):
        shutil.copy(file, folder)
    compiler = ROOT / "node_modules" / ".bin" / "tsc"
    command = ["--project", str(LOADER), "--outDir", str(folder / "types")]
    subprocess.run([str(compiler), *command], check=True)


if __name__ == "__main__":
    make_npm_package(Path(sys.argv[1]).resolve())
