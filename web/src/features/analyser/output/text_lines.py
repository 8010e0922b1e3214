"""Lines of text: cut out along the boxes that the first model finds, and read by the second one."""

import math
from collections.abc import Sequence
from typing import Any

import py_tensor as pt

HEIGHT = 48
WIDTH = 320
"""Lines are padded to a multiple of this width, so that few shapes are compiled."""
TURNED_WIDTH = 192
SURE = 0.9
"""Smallest score by which a line is turned upside down."""
LEAST = 0.5
"""Lines that are read with a smaller confidence are left out, as RapidOCR does."""

type Corners = list[list[float]]


def matrix_of(corners: Corners, width: int) -> list[list[float]]:
    """Return the matrix from pixels of a line, WIDTH by HEIGHT, to a picture: clockwise corners."""
    (left, top), (right, beside), _, (below, bottom) = corners
    return [
        [(right - left) / width, (below - left) / HEIGHT, left],
        [(beside - top) / width, (bottom - top) / HEIGHT, top],
    ]


def line_width(corners: Corners) -> int:
    """Return the width of a line whose height is HEIGHT."""
    across, down = math.dist(corners[0], corners[1]), math.dist(corners[0], corners[3])
    return max(math.ceil(HEIGHT * across / max(down, 1e-6)), 1)


def upright(corners: Corners) -> Corners:
    """Return the corners of a line from left to right, also of one that is written downwards."""
    across, down = math.dist(corners[0], corners[1]), math.dist(corners[0], corners[3])
    return [*corners[1:], corners[0]] if down >= 1.5 * across else corners


def line_input(picture: pt.Tensor, corners: Corners, limit: int = 0) -> pt.Tensor:
    """Return the input of the models of lines: of the shape (1, 3, HEIGHT, width)."""
    width = min(line_width(corners), limit) if limit else line_width(corners)
    full = limit or -(-width // WIDTH) * WIDTH
    matrix = matrix_of(corners, width)
    line = pt.vision.warp_affine(
        picture.astype("float32"),
        matrix,
        (HEIGHT, full),
        fill_mode="nearest",
        half_pixel_centers=True,
    )
    x = pt.vision.normalize(pt.flip(line, axis=-1), 0.5, 0.5, scale=1 / 255)
    inside = (pt.arange(full) < width)[None, :, None]
    return pt.permute_dims(pt.where(inside, x, 0.0)[None], (0, 3, 1, 2))


async def read_lines(
    picture: pt.Tensor, boxes: Sequence[Corners], models: dict[str, Any], labels: Sequence[str]
) -> list[tuple[str, float, Corners]]:
    """Return text, confidence and corners of each line that can be read."""
    lines = []
    for box in boxes:
        corners = upright(box)
        if "turned" in models:
            scores = models["turned"](line_input(picture, corners, TURNED_WIDTH))[0]
            pt.realize(scores)
            if (await scores.data())[1] > SURE:
                corners = corners[2:] + corners[:2]
        output = models["lines"](line_input(picture, corners))
        best, parts = pt.argmax(output, axis=-1), pt.max(output, axis=-1)
        pt.realize(best, parts)
        await best.data()
        (text, confidence), *_ = pt.nn.ctc_greedy_decode(output, labels=labels, logits=False)
        if text and confidence >= LEAST:
            lines.append((text, confidence, corners))
    return lines
