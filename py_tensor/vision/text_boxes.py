"""Boxes around lines of text, from the probabilities of a network with DB's output.

The probabilities are read once, and the rest is computed on the host: regions, their convex hulls,
and the smallest rectangles around them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from .. import functions as F
from ..errors import ShapeError
from ..functions.arguments import number
from ..functions.decorators import named
from ..tensor import Tensor, realize
from ..typing import ArrayLike
from .checks import numbers_of

type Point = tuple[float, float]
type Run = tuple[int, int, int]
"""Row, first column, and column after the last one, of pixels in a row."""


class TextBoxes(NamedTuple):
    """Result of `text_boxes`."""

    corners: Tensor
    """Corners (x, y) of each box, clockwise from the top left, of shape (n, 4, 2); float32."""
    scores: Tensor
    """Mean probability inside of each box; float32."""


@named
def text_boxes(
    probabilities: ArrayLike,
    /,
    *,
    threshold: float = 0.3,
    box_threshold: float = 0.5,
    unclip_ratio: float = 1.6,
    min_side: float = 3.0,
) -> TextBoxes:
    """Return rotated boxes around the lines of text that a network found.

    Source: Liao et al. 2020, arXiv:1911.08947. Boxes are the smallest rectangles around connected
    pixels, enlarged on all sides by area * unclip_ratio / perimeter.

    Args:
        probabilities: Output of the network, of shape (height, width), or with more axes of length
            1.
        threshold: Pixels with larger probabilities are text; 0.3 by default.
        box_threshold: Boxes with a smaller mean probability are dropped; 0.5 by default.
        unclip_ratio: How much boxes are enlarged; 1.6 by default.
        min_side: Boxes with a shorter side are dropped before they are enlarged, and those shorter
            than this and 2 pixels afterwards; 3.0 by default.

    Returns:
        `TextBoxes`, from top to bottom.

    Raises:
        ShapeError: If the shape does not fit.

    >>> import py_tensor as pt
    >>> page = pt.zeros((40, 60)).at[10:20, 20:40].set(0.9)
    >>> pt.vision.text_boxes(page).corners[0].round().tolist()
    [[15.0, 5.0], [44.0, 5.0], [44.0, 24.0], [15.0, 24.0]]
    """
    operation = "text_boxes"
    shares = numbers_of(operation, "probabilities", probabilities, ("...", "height", "width"))
    lengths = [n for n in shares.shape if n != 1]
    if len(lengths) != 2:
        raise ShapeError(
            f"{operation}: probabilities are not those of one image; got shape {shares.shape}; use "
            "shape (height, width)"
        )
    height, width = lengths
    limits = [
        number(operation, name, value)
        for name, value in (
            ("threshold", threshold),
            ("box_threshold", box_threshold),
            ("unclip_ratio", unclip_ratio),
            ("min_side", min_side),
        )
    ]
    values = shares.reshape((-1,)).astype("float32", copy=False)
    text = (values > limits[0]).astype("uint8")
    realize(values, text)
    flat, bits = memoryview(values), bytes(memoryview(text))
    boxes: list[list[Point]] = []
    scores: list[float] = []
    for region in _regions(bits, height, width):
        corners = _rectangle(_hull(region))
        if _sides(corners)[0] < max(limits[3], 1e-3):
            continue
        score = _mean(flat, corners, height, width)
        if score < limits[1]:
            continue
        sides = _sides(corners)
        enlarged = _enlarged(corners, sides[0] * sides[1] * limits[2] / (2 * sum(sides)))
        if _sides(enlarged)[0] < limits[3] + 2.0:
            continue
        boxes.append([(_clipped(x, width), _clipped(y, height)) for x, y in enlarged])
        scores.append(score)
    return TextBoxes(
        F.asarray(boxes, dtype="float32").reshape((-1, 4, 2)), F.asarray(scores, dtype="float32")
    )


def _clipped(value: float, length: int) -> float:
    return min(max(value, 0.0), float(length))


def _regions(bits: bytes, height: int, width: int) -> list[list[Run]]:
    """Return the runs of each region of ones; pixels that touch at corners are connected."""
    runs: list[Run] = []
    parents: list[int] = []

    def root(at: int) -> int:
        while parents[at] != at:
            parents[at] = parents[parents[at]]
            at = parents[at]
        return at

    above: range = range(0)
    for row in range(height):
        line, first, start = bits[row * width : (row + 1) * width], len(runs), 0
        while (start := line.find(1, start)) >= 0:
            end = line.find(0, start)
            end = width if end < 0 else end
            parents.append(len(runs))
            for other in above:
                if runs[other][1] <= end and start <= runs[other][2]:
                    parents[root(other)] = root(len(runs))
            runs.append((row, start, end))
            start = end
        above = range(first, len(runs))
    regions: dict[int, list[Run]] = {}
    for at, run in enumerate(runs):
        regions.setdefault(root(at), []).append(run)
    return list(regions.values())


def _hull(region: Sequence[Run]) -> list[Point]:
    """Return the convex hull of the centers of a region's pixels (Andrew's monotone chain)."""
    points = sorted({(float(x), float(row)) for row, a, b in region for x in (a, b - 1)})
    if len(points) < 3:
        return points
    halves: list[Point] = []
    for order in (points, points[::-1]):
        chain: list[Point] = []
        for point in order:
            while len(chain) > 1 and _cross(chain[-2], chain[-1], point) <= 0:
                chain.pop()
            chain.append(point)
        halves += chain[:-1]
    return halves


def _cross(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _rectangle(hull: Sequence[Point]) -> list[Point]:
    """Return the corners of the smallest rectangle around a hull; one side is on an edge of it."""
    best, corners = math.inf, [hull[0]] * 4
    for at, (x, y) in enumerate(hull):
        u, v = x - hull[at - 1][0], y - hull[at - 1][1]
        length = math.hypot(u, v)
        u, v = (u / length, v / length) if length else (1.0, 0.0)
        along = [px * u + py * v for px, py in hull]
        across = [py * u - px * v for px, py in hull]
        low, high, near, far = min(along), max(along), min(across), max(across)
        if (high - low) * (far - near) < best:
            best = (high - low) * (far - near)
            pairs = [(low, near), (high, near), (high, far), (low, far)]
            corners = [(a * u - c * v, a * v + c * u) for a, c in pairs]
    return _ordered(corners)


def _ordered(corners: Sequence[Point]) -> list[Point]:
    """Return corners from the top left clockwise, as PaddleOCR orders them."""
    left, right = (sorted(part, key=lambda p: p[1]) for part in _halves(corners))
    return [left[0], right[0], right[1], left[1]]


def _halves(corners: Sequence[Point]) -> tuple[list[Point], list[Point]]:
    order = sorted(corners, key=lambda p: p[0])
    return order[:2], order[2:]


def _sides(corners: Sequence[Point]) -> tuple[float, float]:
    """Return the lengths of the sides, the shorter one first."""
    sides = [math.dist(corners[at], corners[at + 1]) for at in (0, 1)]
    return min(sides), max(sides)


def _enlarged(corners: Sequence[Point], distance: float) -> list[Point]:
    """Move the sides of a rectangle outwards."""
    x, y = (sum(p[axis] for p in corners) / 4 for axis in (0, 1))
    a, b = ([(corners[at][axis] - corners[0][axis]) / 2 for axis in (0, 1)] for at in (1, 3))
    longer = [1 + distance / math.hypot(*side) for side in (a, b)]
    moved_corners = []
    for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        u, v = s * longer[0], t * longer[1]
        moved_corners.append((x + u * a[0] + v * b[0], y + u * a[1] + v * b[1]))
    return moved_corners


def _mean(flat: memoryview, corners: Sequence[Point], height: int, width: int) -> float:
    """Return the mean of the elements that a convex polygon touches, as OpenCV fills polygons."""
    # OpenCV takes whole numbers.
    whole = [(math.floor(x), math.floor(y)) for x, y in corners]
    first_row = max(min(y for _, y in whole), 0)
    last_row = min(max(y for _, y in whole), height - 1)
    total, count = 0.0, 0
    for row in range(first_row, last_row + 1):
        places: list[float] = []
        for at, (x, y) in enumerate(whole):
            u, v = whole[at - 1]
            low, high = max(min(y, v), row - 0.5), min(max(y, v), row + 0.5)
            if low <= high:
                ends = (low, high) if y != v else ()
                places += [u + (end - v) * (x - u) / (y - v) for end in ends] or [x, u]
        first = max(math.floor(min(places) + 0.5), 0)
        last = min(math.floor(max(places) + 0.5), width - 1)
        total += sum(flat[row * width + first : row * width + last + 1])
        count += max(last + 1 - first, 0)
    return total / count if count else 0.0
