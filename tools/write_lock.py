"""Write the site's pyodide-lock.json, which lists only py_tensor's wheel.

usage: python tools/write_lock.py PYODIDE_LOCK WHEEL OUTPUT
"""

import sys
from pathlib import Path

from pyodide_lock import PyodideLockSpec
from pyodide_lock.utils import add_wheels_to_spec


def main(base: Path, wheel: Path, output: Path) -> None:
    lock = PyodideLockSpec.from_json(base)
    # The site does not include Pyodide's own packages, so the lock must not list them.
    lock.packages.clear()
    lock = add_wheels_to_spec(lock, [wheel], base_path=wheel.parent)
    lock.to_json(output)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
