"""Tensors as pictures: RGBA pixels, and PNG files, which every notebook and page shows."""

from __future__ import annotations

import math
import struct
import zlib
from base64 import b64encode
from collections.abc import Sequence
from html import escape
from typing import Any

from ..dtypes import uint8
from ..errors import ArgumentError
from ..functions.joining import concat
from ..functions.manipulation import pad
from ..images import to_rgba
from ..tensor import Tensor

MOST = 1024
"""Pixels of the longer side of a picture in a PNG file; larger ones are reduced."""
ENLARGED = 420
"""Pixels up to which small pictures are enlarged."""
GAP = 2
"""Pixels between the pictures of a list."""


def is_picture(tensor: Tensor) -> bool:
    """Return True if the shape is (height, width), or (height, width, 1, 3 or 4), without 0."""
    shape = tensor.shape
    return tensor.size > 0 and (len(shape) == 2 or (len(shape) == 3 and shape[2] in (1, 3, 4)))


def png(width: int, height: int, pixels: Any, palette: bytes = b"") -> bytes:
    """Encode pixels as a PNG file, https://www.w3.org/TR/png-3/.

    Args:
        width: Pixels per row.
        height: Number of rows.
        pixels: RGBA bytes; with a palette one byte per pixel.
        palette: RGB bytes of the colors; empty (default) for RGBA pixels.

    >>> png(1, 1, bytes([255, 0, 0, 255]))[:4]
    b'\\x89PNG'
    """
    row = width * (1 if palette else 4)
    view = memoryview(pixels).cast("B")
    # Each row begins with the number of its filter; 0 is none.
    rows = b"".join(b"\0" + bytes(view[at : at + row]) for at in range(0, row * height, row))

    def chunk(kind: bytes, data: bytes) -> bytes:
        checked = kind + data
        return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))

    head = struct.pack(">2I5B", width, height, 8, 3 if palette else 6, 0, 0, 0)
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", head),
            chunk(b"PLTE", palette) if palette else b"",
            chunk(b"IDAT", zlib.compress(rows)),
            chunk(b"IEND", b""),
        )
    )


def data_url(file: bytes) -> str:
    """Return a PNG file as an address for `img` elements."""
    return f"data:image/png;base64,{b64encode(file).decode()}"


def reduced(tensor: Tensor, most: int) -> Tensor:
    """Return the means of blocks of pixels, so that no side is longer than `most`."""
    height, width, channels = tensor.shape
    block = math.ceil(max(height, width) / most)
    if block <= 1:
        return tensor
    down, across = min(block, height), min(block, width)
    rows, columns = height // down, width // across
    blocks = tensor[: rows * down, : columns * across].astype("float32")
    return blocks.reshape((rows, down, columns, across, channels)).mean(axis=(1, 3))


class Picture:
    """A picture that notebooks show as PNG and pages draw on a canvas.

    Args:
        tensor: Image as for `draw`.
        title: Text above the picture; "" (default) for none.
        most: Pixels of the longer side of the PNG file; default 1024.
    """

    def __init__(self, tensor: Tensor, title: str = "", most: int = MOST) -> None:
        self.tensor = tensor
        self.rgba = to_rgba(tensor, "show")
        self.title = title
        self._most = most

    @property
    def caption(self) -> str:
        """Title, shape and dtype."""
        parts = self.title, f"shape {self.tensor.shape}, {self.tensor.dtype}"
        return " · ".join(filter(None, parts))

    @property
    def factor(self) -> int:
        """Number of screen pixels per pixel: small pictures are enlarged."""
        return _factor(self.rgba)

    def image(self) -> str:
        """Return an `img` element with the picture as PNG; blocks until it is computed."""
        small = reduced(self.rgba, self._most)
        factor = _factor(small)
        sharp = ' style="image-rendering: pixelated"' if small is self.rgba and factor > 1 else ""
        if small is not self.rgba:
            small = small.round().astype(uint8)
        height, width, _ = small.shape
        source = data_url(png(width, height, small._bytes("show")))
        name = escape(self.title or "picture")
        return (
            f'<img src="{source}" width="{width * factor}" height="{height * factor}" '
            f'alt="{name}"{sharp}>'
        )

    def _repr_html_(self) -> str:
        return f"<figure>{self.image()}<figcaption>{escape(self.caption)}</figcaption></figure>"

    def __repr__(self) -> str:
        return f"picture({self.caption})"


def _factor(pixels: Tensor) -> int:
    return max(1, ENLARGED // max(pixels.shape[:2]))


def tiled(tensors: Sequence[Tensor]) -> Tensor:
    """Return one RGBA picture with several pictures in rows, about as wide as high."""
    pictures = [to_rgba(tensor, "show") for tensor in tensors]
    if not pictures:
        raise ArgumentError("show: list has no pictures; got []; pass one or more")
    height = max(picture.shape[0] for picture in pictures) + GAP
    width = max(picture.shape[1] for picture in pictures) + GAP
    columns = min(len(pictures), max(1, round(math.sqrt(len(pictures) * height / width))))
    cells = [
        pad(picture, ((0, height - picture.shape[0]), (0, width - picture.shape[1]), (0, 0)))
        for picture in pictures
    ]
    blank = cells[0][:1, :1].broadcast_to((height, width, 4)) * 0
    cells += [blank] * (-len(cells) % columns)
    rows = [concat(cells[at : at + columns], axis=1) for at in range(0, len(cells), columns)]
    # The last gaps at the right and at the bottom are cut off.
    return concat(rows, axis=0)[:-GAP, :-GAP]
