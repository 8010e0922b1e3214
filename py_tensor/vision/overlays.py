"""Overlays: boxes, points, lines and masks painted over an image.

Edges are smooth: a pixel is painted by the part of it that a shape covers, about. Shapes
are first sorted into lists, so that a pixel looks only at the shapes that reach its row.
"""

from __future__ import annotations

from typing import Any

from .. import functions as F
from ..errors import ArgumentError, ShapeError
from ..functions.arguments import number
from ..functions.decorators import named
from ..functions.searching import insertion_points
from ..kernels.api import kernel
from ..tensor import Tensor
from ..typing import ArrayLike
from .checks import images_of, numbers_of
from .resizing import restored

# Row i paints shapes[lists[i, k]] for each k below counts[i].


@kernel(shape=lambda image, boxes, colors, lists, counts, size: image.shape)
def _boxes_over(
    i: Any, j: Any, c: Any, image: Any, boxes: Any, colors: Any, lists: Any, counts: Any, size: Any
) -> Any:
    value = float(image[i, j, c])
    for k in range(counts[i]):
        n = lists[i, k]
        top, left, bottom, right = boxes[n, 0], boxes[n, 1], boxes[n, 2], boxes[n, 3]
        if bottom > top and right > left:
            y = abs(i + 0.5 - 0.5 * (top + bottom)) - 0.5 * (bottom - top)
            x = abs(j + 0.5 - 0.5 * (left + right)) - 0.5 * (right - left)
            part = min(max(0.5 * size + 0.5 - abs(max(x, y)), 0.0), 1.0)
            value += (colors[n, c] - value) * part
    return value


@kernel(shape=lambda image, points, colors, lists, counts, size: image.shape)
def _points_over(
    i: Any, j: Any, c: Any, image: Any, points: Any, colors: Any, lists: Any, counts: Any, size: Any
) -> Any:
    value = float(image[i, j, c])
    for k in range(counts[i]):
        n = lists[i, k]
        x, y = j + 0.5 - points[n, 0], i + 0.5 - points[n, 1]
        if abs(x) <= size + 1.0 and abs(y) <= size + 1.0:
            part = min(max(size + 0.5 - (x * x + y * y) ** 0.5, 0.0), 1.0)
            value += (colors[n, c] - value) * part
    return value


@kernel(shape=lambda image, lines, colors, lists, counts, size: image.shape)
def _lines_over(
    i: Any, j: Any, c: Any, image: Any, lines: Any, colors: Any, lists: Any, counts: Any, size: Any
) -> Any:
    value = float(image[i, j, c])
    for k in range(counts[i]):
        n = lists[i, k]
        x, y = j + 0.5 - lines[n, 0], i + 0.5 - lines[n, 1]
        across, down = lines[n, 2] - lines[n, 0], lines[n, 3] - lines[n, 1]
        along = (x * across + y * down) / max(across * across + down * down, 1e-6)
        along = min(max(along, 0.0), 1.0)
        x -= along * across
        y -= along * down
        part = min(max(0.5 * size + 0.5 - (x * x + y * y) ** 0.5, 0.0), 1.0)
        # Lines to positions that are NaN are not drawn.
        value += (colors[n, c] - value) * part if part > 0.0 else 0.0
    return value


def _lists(height: int, top: Tensor, bottom: Tensor) -> tuple[Tensor, Tensor]:
    """Return the numbers of the shapes that reach each row, in order, and their counts.

    Shapes whose `top` or `bottom` is NaN reach none.
    """
    row = (F.arange(height) + 0.5).reshape((-1, 1))
    ends = F.cumulative_sum(((top <= row) & (row <= bottom)).astype("int32"), axis=1)
    order = F.broadcast_to(F.arange(top.shape[0]), ends.shape)
    return insertion_points(ends, order, "right"), ends[:, -1]


def _image(operation: str, x: ArrayLike) -> Tensor:
    image = F.asarray(x)
    if image.ndim != 3 or image.shape[2] not in (1, 3, 4):
        raise ShapeError(
            f"{operation}: input must be an image; got shape {image.shape}; x must have shape "
            "(height, width, 1, 3 or 4)"
        )
    return images_of(operation, image[None])[0]


def _painted(
    operation: str,
    painter: Any,
    image: Tensor,
    shapes: Tensor,
    ends: tuple[int, int],
    color: ArrayLike,
    size: float,
) -> Tensor:
    """Paint shapes whose columns `ends` are their lowest and highest positions, or the reverse."""
    count = shapes.shape[0]
    if not count:
        return image
    shades = numbers_of(operation, "colors", color, (3,), (count, 3))
    channels = image.shape[2]
    if channels == 1:
        shades = F.sum(shades * F.asarray([0.299, 0.587, 0.114]), axis=-1, keepdims=True)
    if channels == 4:
        shades = F.concat([shades, F.ones((*shades.shape[:-1], 1))], axis=-1)
    if image.dtype.kind != "f":
        shades = shades * 255.0
    colors = F.broadcast_to(shades, (count, channels))
    shapes = shapes.astype("float32", copy=False)
    first, last = (shapes[:, at] for at in ends)
    top, bottom = F.minimum(first, last) - size - 1.0, F.maximum(first, last) + size + 1.0
    lists, counts = _lists(image.shape[0], top, bottom)
    return restored(painter(image, shapes, colors, lists, counts, size), image)


def _size(operation: str, name: str, value: float) -> float:
    size = number(operation, name, value, finite=True)
    if size <= 0.0:
        raise ArgumentError(f"{operation}: {name} is not positive; got {size}; use 1.0 or more")
    return size


@named
def draw_boxes(
    x: ArrayLike,
    boxes: ArrayLike,
    /,
    *,
    color: ArrayLike = (0.0, 1.0, 0.0),
    thickness: float = 2.0,
) -> Tensor:
    """Draw the outlines of boxes over an image.

    Args:
        x: Image of shape (height, width, 1, 3 or 4): floats from 0 to 1, or integers to 255.
        boxes: Boxes (top, left, bottom, right) of shape (n, 4), in pixels. Boxes without an area,
            for example padding, are not drawn.
        color: Red, green and blue from 0 to 1, or one color for each box; green by default.
        thickness: Width of the lines in pixels; 2.0 by default.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        ArgumentError: If the thickness is not positive.
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> image = pt.zeros((4, 4, 1))
    >>> drawn = pt.vision.draw_boxes(image, [[0.5, 0.5, 3.5, 3.5]], color=(1, 1, 1), thickness=1)
    >>> drawn[:, :, 0].round().tolist()
    [[1.0, 1.0, 1.0, 1.0], [1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0]]
    """
    operation = "draw_boxes"
    image = _image(operation, x)
    shapes = numbers_of(operation, "boxes", boxes, ("n", 4))
    width = _size(operation, "thickness", thickness)
    return _painted(operation, _boxes_over, image, shapes, (0, 2), color, width)


@named
def draw_points(
    x: ArrayLike,
    points: ArrayLike,
    /,
    *,
    color: ArrayLike = (1.0, 0.0, 0.0),
    radius: float = 3.0,
) -> Tensor:
    """Draw points over an image as disks.

    Args:
        x: Image as for `draw_boxes`.
        points: Points (x, y) in pixels, of shape (n, 2); further numbers are ignored. Points that
            are NaN are not drawn.
        color: Red, green and blue from 0 to 1, or one color for each point; red by default.
        radius: Radius in pixels; 3.0 by default.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        ArgumentError: If the radius is not positive.
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> image = pt.zeros((1, 4, 1))
    >>> pt.vision.draw_points(image, [[1.5, 0.5]], color=(1, 1, 1), radius=0.5).flatten().tolist()
    [0.0, 1.0, 0.0, 0.0]
    """
    operation = "draw_points"
    image = _image(operation, x)
    rows = numbers_of(operation, "points", points, ("n", "k"))
    if rows.shape[1] < 2:
        raise ShapeError(
            f"{operation}: points have no y; got shape {rows.shape}; use shape (n, 2) or more"
        )
    size = _size(operation, "radius", radius)
    return _painted(operation, _points_over, image, rows, (1, 1), color, size)


@named
def draw_lines(
    x: ArrayLike,
    lines: ArrayLike,
    edges: ArrayLike | None = None,
    /,
    *,
    color: ArrayLike = (0.0, 1.0, 1.0),
    thickness: float = 2.0,
) -> Tensor:
    """Draw lines over an image, for example the skeleton of a pose.

    Args:
        x: Image as for `draw_boxes`.
        lines: Lines (x1, y1, x2, y2) in pixels, of shape (n, 4), or points of shape (m, 2 or more)
            if there are edges. Lines to points that are NaN are not drawn.
        edges: Positions of the two points of each line, of shape (n, 2); None (default) for none.
        color: Red, green and blue from 0 to 1, or one color for each line; cyan by default.
        thickness: Width of the lines in pixels; 2.0 by default.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        ArgumentError: If the thickness is not positive.
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> image, points = pt.zeros((1, 4, 1)), [[0.5, 0.5], [2.5, 0.5]]
    >>> pt.vision.draw_lines(image, points, [[0, 1]], color=(1, 1, 1), thickness=1).sum().item()
    3.0
    """
    operation = "draw_lines"
    image = _image(operation, x)
    rows = numbers_of(operation, "lines", lines, ("n", 4 if edges is None else "k"))
    if edges is not None:
        pairs = F.asarray(edges)
        if pairs.ndim != 2 or pairs.shape[1] != 2 or rows.shape[1] < 2:
            raise ShapeError(
                f"{operation}: edges do not fit; got shapes {pairs.shape} and {rows.shape}; pass "
                "edges of shape (n, 2) and points of shape (m, 2)"
            )
        rows = F.concat([F.take(rows[:, :2], pairs[:, at], axis=0) for at in (0, 1)], axis=1)
    width = _size(operation, "thickness", thickness)
    return _painted(operation, _lines_over, image, rows, (1, 3), color, width)


@named
def draw_mask(
    x: ArrayLike, mask: ArrayLike, colors: ArrayLike = (0.0, 0.0, 1.0), /, *, opacity: float = 0.5
) -> Tensor:
    """Blend the colors of segments over an image.

    Args:
        x: Image of shape (height, width, 3): floats from 0 to 1, or integers from 0 to 255.
        mask: Mask of shape (height, width): True or floats from 0 to 1 for one color; or integers,
            of which negative ones are the background, for several colors.
        colors: Red, green and blue from 0 to 1; blue by default. For integers also one color for
            each, of shape (n, 3), which repeat if there are fewer.
        opacity: 0.0 for invisible colors, 1.0 for opaque ones; 0.5 by default.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> image, labels = pt.zeros((1, 3, 3)), pt.asarray([[-1, 0, 1]])
    >>> pt.vision.draw_mask(image, labels, [[1, 0, 0], [0, 1, 0]], opacity=1.0)[0].tolist()
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    operation = "draw_mask"
    image, labels = _image(operation, x), F.asarray(mask)
    palette = numbers_of(operation, "colors", colors, (3,), ("n", 3))
    if image.shape[2] != 3 or labels.shape != image.shape[:2]:
        raise ShapeError(
            f"{operation}: mask does not fit; got shapes {image.shape} and {labels.shape}; pass an "
            "image of three channels, and one number for each pixel"
        )
    if labels.dtype.kind in "iu":
        part = (labels >= 0).astype("float32")
        shades = palette.reshape((-1, 3))
        paint = F.take(shades, F.maximum(labels.astype("int32"), 0) % shades.shape[0], axis=0)
    else:
        part, paint = labels.astype("float32"), palette
    share = part[..., None] * number(operation, "opacity", opacity)
    values = image.astype("float32", copy=False)
    full = 1.0 if image.dtype.kind == "f" else 255.0
    return restored(values + (paint * full - values) * share, image)
