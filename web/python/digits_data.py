"""The page's file of handwritten digits: bytes in, tensors out, split for training and testing."""

from dataclasses import dataclass

import py_tensor as pt

SIDE = 8
FULL = 16
"""A pixel is how many of 4 x 4 dots are on, so 0 to 16."""
RECORD = 1 + SIDE * SIDE
HELD_OUT = 5
"""Every fifth image, from the first on, is for testing and never trained on."""


@dataclass(frozen=True)
class Images:
    """Images and which digits they show."""

    pixels: pt.Tensor
    """uint8, 0 to 16, shape (count, 8, 8)."""
    labels: pt.Tensor
    """int32, 0 to 9, shape (count,)."""

    @property
    def count(self) -> int:
        return self.labels.size


def load(data: bytes) -> tuple[Images, Images]:
    """The images to train on and those to test on; the file has a digit and 64 pixels for each.

    Raises ValueError for other files.
    """
    count, rest = divmod(len(data), RECORD)
    labels = data[::RECORD]
    if not count or rest or max(labels) > 9 or max(data) > FULL:
        raise ValueError(
            f"digits: this is no file of digits; got {len(data)} bytes; build the site anew"
        )
    records = [data[at : at + RECORD] for at in range(0, len(data), RECORD)]
    return (
        _images([record for at, record in enumerate(records) if at % HELD_OUT]),
        _images(records[::HELD_OUT]),
    )


def _images(records: list[bytes]) -> Images:
    pixels = memoryview(b"".join(record[1:] for record in records))
    labels = [record[0] for record in records]
    return Images(
        pt.asarray(pixels.cast("B", (len(records), SIDE, SIDE))),
        pt.asarray(labels, dtype="int32"),
    )
