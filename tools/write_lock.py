"""Write the pyodide-lock.json of a folder with Pyodide, which lists only the wheels of that folder.

usage: python tools/write_lock.py PYODIDE_LOCK FOLDER
"""

import sys
from pathlib import Path

from pyodide_lock import PyodideLockSpec
from pyodide_lock.utils import add_wheels_to_spec, package_spec_from_wheel


def write_lock(base: Path, folder: Path) -> None:
    """Write the lock file of a folder; `base` is the lock file of Pyodide's npm package."""
    lock = PyodideLockSpec.from_json(base)
    # The folder does not include Pyodide's own packages, so the lock must not list them.
    lock.packages.clear()
    pure = sorted(folder.glob("*-none-any.whl"))
    for wheel in sorted({*folder.glob("*.whl")} - {*pure}):
        # pyodide_lock does not know the platform's name since Pyodide 314.
        platform = f"pyemscripten_{lock.info.abi_version}"
        spec = package_spec_from_wheel(wheel, type(lock.info)(platform, lock.info.python))
        spec.file_name = wheel.name
        lock.packages[spec.name] = spec
    lock = add_wheels_to_spec(lock, pure, folder, ignore_missing_dependencies=True)
    for spec in lock.packages.values():
        spec.depends = [name for name in spec.depends if name in lock.packages]
    lock.to_json(folder / "pyodide-lock.json")


if __name__ == "__main__":
    write_lock(*map(Path, sys.argv[1:]))
