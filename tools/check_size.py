"""Print the size of the wheel people download and fail when it is over its limit.

usage: python tools/check_size.py WHEEL
"""

import sys
from pathlib import Path

LIMIT = 460_000


def main(wheel: Path) -> int:
    size = wheel.stat().st_size
    print(f"{wheel.name}: {size:,} of {LIMIT:,} bytes")
    return int(size > LIMIT)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
