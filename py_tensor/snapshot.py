"""Copy Python's memory with a program's imports, so that a page starts with them.

usage: python -m py_tensor.snapshot app.py --output public/ [--runtime FOLDER]
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path
from shutil import which

SCRIPT = "make_snapshot.mjs"


def runtime_folder(chosen: Path | None, output: Path) -> Path:
    """Return the folder with Pyodide and py_tensor's files, as the npm package has it."""
    folders = [chosen] if chosen else [output / "pyodide", Path("node_modules/py_tensor/runtime")]
    for folder in folders:
        if (folder / SCRIPT).exists():
            return folder
    names = " or ".join(str(folder) for folder in folders)
    raise SystemExit(
        f"snapshot: no runtime folder; got no {SCRIPT} in {names}; "
        "copy the folder runtime of the npm package py_tensor, or name it with --runtime"
    )


def node_path() -> str:
    """Return the path of Node.js."""
    node = which("node")
    if node is None:
        raise SystemExit(
            "snapshot: Node.js not found; got no command node; install Node.js 20.19 or newer"
        )
    return node


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m py_tensor.snapshot", description=__doc__)
    parser.add_argument("program", type=Path, help="program whose imports the copy gets")
    parser.add_argument("--output", type=Path, required=True, help="folder for snapshot.json")
    parser.add_argument("--runtime", type=Path, help="folder with Pyodide and py_tensor's files")
    options = parser.parse_args()
    if not options.program.exists():
        raise SystemExit(
            f"snapshot: no such program; got {options.program}; give the path of a Python file"
        )
    runtime = runtime_folder(options.runtime, options.output)
    options.output.mkdir(parents=True, exist_ok=True)
    command = [node_path(), str(runtime / SCRIPT), str(runtime)]
    command += [str(options.output / "snapshot.json"), str(options.program)]
    raise SystemExit(subprocess.run(command).returncode)


if __name__ == "__main__":
    main()
