"""Write scikit-learn's handwritten digits and their description into a folder.

usage: python tools/copy_digits.py FOLDER

digits.bin has 65 bytes per image: the digit, then its 64 pixels, 0 to 16, in row-major order.
"""

import csv
import gzip
import sys
from importlib.resources import files
from pathlib import Path


def records(table: str) -> bytes:
    """Convert scikit-learn's CSV table to bytes, moving the digit of each row to the front."""
    rows = [[int(float(cell)) for cell in row] for row in csv.reader(table.splitlines())]
    return b"".join(bytes([*row[-1:], *row[:-1]]) for row in rows)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    datasets = files("sklearn.datasets")
    table = gzip.decompress(datasets.joinpath("data/digits.csv.gz").read_bytes()).decode()
    (folder / "digits.bin").write_bytes(records(table))
    (folder / "README.txt").write_bytes(datasets.joinpath("descr/digits.rst").read_bytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
