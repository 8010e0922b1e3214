"""What is drawn on the pad, made an image like those of the data set.

NIST's programs, which the data set's authors used, brought every digit to the same size and the
same strength of line: a bitmap of 32 x 32 dots, where the digit is 32 high, at most about 20 wide,
in the middle, and covers some 311 dots (measured on the data set, whose thin ones are thick). Then
each 4 x 4 dots became a pixel: the number of dots that are on.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import py_tensor as pt

Point = tuple[float, float]
Stroke = Sequence[Point]

DOTS = 32
WIDEST = 20
BLOCK = 4
INK = 311
"""Dots that are on: the mean over the data set."""
THICKEST, THINNEST = 5.0, 1.0
"""Limits of half a line's width, in dots."""
POINTS = 256
"""The line is given to the GPU as so many points, whatever its length, so that one plan fits."""


def image_of(strokes: Sequence[Stroke]) -> pt.Tensor:
    """uint8 of shape (8, 8), 0 to 16, of strokes: lists of points (x, y), y downwards, any scale.

    Raises ValueError where there is no point.
    """
    line = [stroke for stroke in strokes if stroke]
    if not line:
        raise ValueError("draw: nothing is drawn; got no point; draw a digit on the pad")
    radius = THINNEST
    # The line's width is part of the digit's size, and depends on its length in dots.
    for _ in range(4):
        fitted = fit(line, radius)
        radius = radius_of(sum(map(length, fitted)))
    return blocks(bitmap(pt.asarray(points_along(fitted), dtype="float32"), radius))


def fit(strokes: Sequence[Stroke], radius: float) -> list[list[Point]]:
    """The strokes in dots: with lines this thick as high as the bitmap, and in its middle.

    Height and width are stretched alike, unless the digit were too wide then.
    """
    xs = [x for stroke in strokes for x, _ in stroke]
    ys = [y for stroke in strokes for _, y in stroke]
    left, top = min(xs), min(ys)
    width, height = max(xs) - left, max(ys) - top
    tall, wide = DOTS - 2 * radius, WIDEST - 2 * radius
    # A dash is not made as high as a digit.
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
    """Half the width of a line of this length that covers `INK` dots: 2 r length + pi r^2 = INK."""
    root = math.sqrt(total * total + math.pi * INK)
    return min(max((root - total) / math.pi, THINNEST), THICKEST)


def points_along(strokes: Sequence[Stroke]) -> list[Point]:
    """`POINTS` points on the strokes, at even distances."""
    lengths = [length(stroke) for stroke in strokes]
    step = sum(lengths) / (POINTS - len(strokes)) if len(strokes) < POINTS else math.inf
    found: list[Point] = []
    for stroke in strokes:
        found += walk(stroke, step)
    # Rounding may have made one more or less.
    return (found + [found[-1]] * POINTS)[:POINTS]


def walk(stroke: Stroke, step: float) -> Iterator[Point]:
    """The first point, and those at each further `step` along the line."""
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
    """bool of shape (32, 32): dots whose middle is no further from one of the points than this."""
    middle = pt.arange(DOTS) + 0.5
    x, y = points[:, 0], points[:, 1]
    across = pt.square(pt.reshape(middle, (1, DOTS, 1)) - x)
    down = pt.square(pt.reshape(middle, (DOTS, 1, 1)) - y)
    return pt.min(across + down, axis=2) <= radius * radius


@pt.jit
def blocks(dots: pt.Tensor) -> pt.Tensor:
    """uint8 of shape (8, 8): how many of each 4 x 4 dots are on."""
    side = DOTS // BLOCK
    parts = pt.reshape(dots.astype("int32"), (side, BLOCK, side, BLOCK))
    return pt.sum(parts, axis=(1, 3)).astype("uint8")
