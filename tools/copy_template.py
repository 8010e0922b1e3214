"""Copy a template of examples/templates/ and add what it needs: Pyodide with py_tensor.

usage: python tools/copy_template.py NAME FOLDER
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from write_lock import write_lock

ROOT = Path(__file__).parent.parent
TEMPLATES = ROOT / "examples" / "templates"
RUNTIME = ROOT / "build" / "public" / "pyodide"
NPM_PACKAGE = ROOT / "node_modules" / "pyodide"
STARTED = ("page", "vite", "worker")
"""Templates that start with the loader; the others start Pyodide themselves and load the wheel."""
WHEEL_FILES = ("*.whl", "python_stdlib.zip")
"""Files with which Pyodide starts without the loader, which has archives and a snapshot instead."""
FILES = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"]


def copy_template(name: str, folder: Path) -> None:
    """Copy a template to `folder`, with Pyodide and its packages in pyodide/ or public/pyodide/."""
    source = TEMPLATES / name
    names = sorted(path.name for path in TEMPLATES.iterdir())
    if name not in names:
        raise SystemExit(f"template: unknown name; got {name!r}; use one of {', '.join(names)}")
    shutil.copytree(source, folder, dirs_exist_ok=True)
    public = folder / "public"
    pyodide = (public if public.exists() else folder) / "pyodide"
    shutil.rmtree(pyodide, ignore_errors=True)
    if name in STARTED:
        shutil.copytree(RUNTIME, pyodide, ignore=shutil.ignore_patterns(*WHEEL_FILES))
    else:
        pyodide.mkdir()
        for pattern in ("pyodide*", *WHEEL_FILES):
            for file in RUNTIME.glob(pattern):
                shutil.copy(file, pyodide)
    if (source / "pyodide.txt").exists():
        add_packages(folder, pyodide)


def add_packages(folder: Path, pyodide: Path) -> None:
    """Add the packages that a template's pyodide.txt lists to its folder with Pyodide."""
    npm_package = NPM_PACKAGE
    if (folder / "package.json").exists():
        # It needs its own version of Pyodide.
        subprocess.run(["npm", "install", "--no-audit", "--no-fund"], cwd=folder, check=True)
        npm_package = folder / "node_modules" / "pyodide"
        for file in FILES:
            shutil.copy(npm_package / file, pyodide)
    lock = npm_package / "pyodide-lock.json"
    info = json.loads(lock.read_text())["info"]
    version = ".".join(info["python"].split(".")[:2])
    command = ["download", "--requirement", "pyodide.txt", "--dest", str(pyodide)]
    command += ["--only-binary", ":all:", "--implementation", "cp", "--python-version", version]
    command += ["--abi", f"cp{version.replace('.', '')}"]
    command += ["--platform", f"pyemscripten_{info['abi_version']}_{info['arch']}"]
    pip(folder, *command)
    if (folder / "pyodide_source.txt").exists():
        command = ["wheel", "--requirement", "pyodide_source.txt", "--wheel-dir", str(pyodide)]
        # pip's cache may have a compiled wheel.
        pip(folder, *command, "--no-cache-dir")
    write_lock(lock, pyodide)


def pip(folder: Path, *arguments: str) -> None:
    """Run pip in a template's folder."""
    command = [sys.executable, "-m", "pip", *arguments, "--quiet", "--no-deps"]
    # PyYAML is plain Python without LibYAML.
    environment = os.environ | {"PYYAML_FORCE_LIBYAML": "0"}
    subprocess.run(command, cwd=folder, env=environment, check=True)


if __name__ == "__main__":
    copy_template(sys.argv[1], Path(sys.argv[2]).resolve())
