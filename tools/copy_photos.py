"""Copy scikit-learn's two photos and their licence into a folder.

usage: python tools/copy_photos.py FOLDER
"""

import sys
from importlib.resources import files
from pathlib import Path

NAMES = ("china.jpg", "flower.jpg", "README.txt")


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    images = files("sklearn.datasets.images")
    for name in NAMES:
        (folder / name).write_bytes(images.joinpath(name).read_bytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
