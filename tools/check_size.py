"""Print the size of the wheel and fail if it exceeds the limit.

usage: python tools/check_size.py WHEEL

The limits are round numbers with about 10 % of room. To raise one, lower another by as much, or
write a new first line with the sums and the reason into the section "Limits" of CHANGELOG.md.
`tests/test_architecture.py` compares the sums with that line.
"""

import sys
from pathlib import Path

WHEEL_BYTES = 1_870_000
CODE_LINES = {
    "language": 3_300,
    "ops": 2_000,
    "ir": 800,
    "compiler": 10_500,
    "runtime": 3_650,
    "tensor": 400,
    "functions": 5_750,
    "diagnostics": 1_250,
    "display": 600,
    "plot": 700,
    "transforms": 3_600,
    "kernels": 5_900,
    "lib": 100,
    "linalg": 1_700,
    "data": 1_100,
    "io": 1_000,
    "nn": 5_900,
    "vision": 1_750,
    "optim": 1_150,
    "train": 1_600,
    "graph": 1_500,
    "fft": 450,
    "numpy_functions": 3_950,
    "lax": 950,
    "numpy": 650,
    "scipy": 900,
    "example_libraries": 400,
    "models": 18_450,
    "audio": 1_050,
    "torch": 2_700,
    "text": 4_100,
    "__init__": 200,
    "modules": 2_200,
}
"""Limit of each package's lines of code, without blank lines, comments and docstrings.

"modules" are the other modules next to `__init__.py`.
"""


def main(wheel: Path) -> int:
    size = wheel.stat().st_size
    print(f"{wheel.name}: {size:,} of {WHEEL_BYTES:,} bytes")
    return int(size > WHEEL_BYTES)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
