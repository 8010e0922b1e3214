"""Read the file of handwritten digits and split it into training and test images."""

from dataclasses import dataclass

import py_tensor as pt

SIDE = 8
MAX_PIXEL = 16
"""A pixel counts the black dots in a block of 4 x 4."""
RECORD = 1 + SIDE * SIDE
"""Bytes per image: its digit, then its pixels."""
TEST_STRIDE = 5
"""Every fifth image, starting with the first, is a test image."""


@dataclass(frozen=True)
class Images:
    """Images and the digits that they show."""

    pixels: pt.Tensor
    """uint8, 0 to 16, shape (count, 8, 8)."""
    labels: pt.Tensor
    """int32, 0 to 9, shape (count,)."""

    @property
    def count(self) -> int:
        return self.labels.size


def load(data: bytes) -> tuple[Images, Images]:
    """Return the training images and the test images.

    Raises ValueError if `data` is not a file of digits.
    """
    count, rest = divmod(len(data), RECORD)
    labels = data[::RECORD]
    if not count or rest or max(labels) > 9 or max(data) > MAX_PIXEL:
        raise ValueError(f"digits: not a file of digits; got {len(data)} bytes; rebuild the site")
    records = [data[at : at + RECORD] for at in range(0, len(data), RECORD)]
    return (
        _images([record for at, record in enumerate(records) if at % TEST_STRIDE]),
        _images(records[::TEST_STRIDE]),
    )


def _images(records: list[bytes]) -> Images:
    pixels = memoryview(b"".join(record[1:] for record in records))
    labels = [record[0] for record in records]
    return Images(
        pt.asarray(pixels.cast("B", (len(records), SIDE, SIDE))),
        pt.asarray(labels, dtype="int32"),
    )
