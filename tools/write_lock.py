"""Write the pyodide-lock.json of the site: py_tensor's wheel and no other package.

usage: python tools/write_lock.py PYODIDE_LOCK WHEEL OUTPUT
"""

import sys
from pathlib import Path

from pyodide_lock import PyodideLockSpec
from pyodide_lock.utils import add_wheels_to_spec


def main(base: Path, wheel: Path, output: Path) -> None:
    lock = PyodideLockSpec.from_json(base)
    # Pyodide's own packages do not travel with the site, so its lock must not promise them.
    lock.packages.clear()
    lock = add_wheels_to_spec(lock, [wheel], base_path=wheel.parent)
    lock.to_json(output)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
