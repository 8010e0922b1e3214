"""Convert strokes drawn on the pad to images in the format of the data set.

The authors of the data set used NIST's programs, which normalize the size and the line width of
every digit: it is centred in a bitmap of 32 x 32 dots, 32 dots high and at most about 20 wide, and
covers about 311 dots (measured on the data set). Each block of 4 x 4 dots becomes a pixel, whose
value is the number of black dots.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import py_tensor as pt

Point = tuple[float, float]
Stroke = Sequence[Point]

DOTS = 32
MAX_WIDTH = 20
BLOCK = 4
INK = 311
"""Mean number of black dots in an image of the data set."""
MIN_RADIUS, MAX_RADIUS = 1.0, 5.0
"""Limits of half the line width, in dots."""
POINTS = 256
"""Number of points on the line, the same for every drawing, so that one plan fits all."""


def image_of(strokes: Sequence[Stroke]) -> pt.Tensor:
    """Return the image of strokes: uint8 of shape (8, 8), values 0 to 16.

    A stroke is a list of points (x, y), with y downwards, in any scale. Raises ValueError if there
    are no points.
    """
    line = [stroke for stroke in strokes if stroke]
    if not line:
        raise ValueError("draw: got no points; draw a digit on the pad")
    radius = MIN_RADIUS
    # The line width is part of the digit's size, and depends in turn on its length in dots.
    for _ in range(4):
        fitted = fit(line, radius)
        radius = radius_of(sum(map(length, fitted)))
    return blocks(bitmap(pt.asarray(points_along(fitted), dtype="float32"), radius))


def fit(strokes: Sequence[Stroke], radius: float) -> list[list[Point]]:
    """Scale strokes to dots and centre them; with lines of this radius they fill the height.

    The aspect ratio is kept unless the digit would be too wide.
    """
    xs = [x for stroke in strokes for x, _ in stroke]
    ys = [y for stroke in strokes for _, y in stroke]
    left, top = min(xs), min(ys)
    width, height = max(xs) - left, max(ys) - top
    tall, wide = DOTS - 2 * radius, MAX_WIDTH - 2 * radius
    # A horizontal dash must not be stretched to full height.
    down = tall / max(height, width / 2) if height or width else 0.0
    across = min(down, wide / width) if width else 0.0
    return [
        [
            (
                DOTS / 2 + (x - left - width / 2) * across,
                DOTS / 2 + (y - top - height / 2) * down,
            )
            for x, y in stroke
        ]
        for stroke in strokes
    ]


def length(stroke: Stroke) -> float:
    return sum(math.dist(a, b) for a, b in pairwise(stroke))


def radius_of(total: float) -> float:
    """Radius of a line of this length that covers `INK` dots: 2 r length + pi r^2 = INK."""
    root = math.sqrt(total * total + math.pi * INK)
    return min(max((root - total) / math.pi, MIN_RADIUS), MAX_RADIUS)


def points_along(strokes: Sequence[Stroke]) -> list[Point]:
    """Return `POINTS` evenly spaced points on the strokes."""
    lengths = [length(stroke) for stroke in strokes]
    step = sum(lengths) / (POINTS - len(strokes)) if len(strokes) < POINTS else math.inf
    points: list[Point] = []
    for stroke in strokes:
        points += walk(stroke, step)
    # Rounding errors can add or drop a point.
    return (points + [points[-1]] * POINTS)[:POINTS]


def walk(stroke: Stroke, step: float) -> Iterator[Point]:
    """Yield the first point and the points at each further `step` along the line."""
    yield stroke[0]
    done, due = 0.0, step
    for (x, y), (to_x, to_y) in pairwise(stroke):
        part = math.dist((x, y), (to_x, to_y))
        while 0 < due <= done + part:
            share = (due - done) / part
            yield x + (to_x - x) * share, y + (to_y - y) * share
            due += step
        done += part


@pt.jit
def bitmap(points: pt.Tensor, radius: float) -> pt.Tensor:
    """Return the dots whose centre is within `radius` of a point: bool of shape (32, 32)."""
    middle = pt.arange(DOTS) + 0.5
    x, y = points[:, 0], points[:, 1]
    across = pt.square(pt.reshape(middle, (1, DOTS, 1)) - x)
    down = pt.square(pt.reshape(middle, (DOTS, 1, 1)) - y)
    return pt.min(across + down, axis=2) <= radius * radius


@pt.jit
def blocks(dots: pt.Tensor) -> pt.Tensor:
    """Count the black dots in each block of 4 x 4: uint8 of shape (8, 8)."""
    side = DOTS // BLOCK
    parts = pt.reshape(dots.astype("int32"), (side, BLOCK, side, BLOCK))
    return pt.sum(parts, axis=(1, 3)).astype("uint8")
