"""Points and boxes under affine and projective matrices, and regions around boxes.

Points are (x, y) in pixels, boxes (top, left, bottom, right). The left edge of an image is at
x = 0, and the right edge at its width. Everything stays on the GPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import functions as F
from ..errors import ArgumentError, ShapeError
from ..functions.arguments import flag, number
from ..functions.decorators import named
from ..tensor import Tensor
from ..typing import ArrayLike
from .checks import floats_of, height_and_width, numbers_of

_MATRICES = ((2, 3), (3, 3), ("n", 2, 3), ("n", 3, 3))


@named
def transform_points(points: ArrayLike, matrix: ArrayLike, /) -> Tensor:
    """Return the points that a matrix moves points to.

    Args:
        points: Tensor of shape (..., k) with x, y and any further numbers, which are kept.
        matrix: Affine matrix of shape (2, 3), projective matrix of shape (3, 3), or one for each
            element along the first axis of `points`, of shape (n, 2, 3) or (n, 3, 3).

    Returns:
        Tensor of the shape of `points`; float32.

    Raises:
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> double = [[2.0, 0.0, 1.0], [0.0, 2.0, 0.0]]
    >>> pt.vision.transform_points([[3.0, 4.0, 0.9]], double).tolist()
    [[7.0, 8.0, 0.8999999761581421]]
    """
    operation = "transform_points"
    rows = numbers_of(operation, "points", points, ("...", "k"))
    matrices = numbers_of(operation, "matrices", matrix, *_MATRICES)
    if rows.shape[-1] < 2:
        raise ShapeError(
            f"{operation}: points have no y; got shape {rows.shape}; use shape (..., 2) or more"
        )
    several = matrices.ndim == 3
    if several and (rows.ndim < 2 or rows.shape[0] not in (1, matrices.shape[0])):
        raise ShapeError(
            f"{operation}: matrices do not fit; got shapes {rows.shape} and {matrices.shape}; "
            "pass one matrix, or one for each element along the first axis"
        )
    x, y = rows[..., 0], rows[..., 1]

    def row(at: int) -> Tensor:
        a, b, c = (_entry(matrices, at, column, x.ndim) for column in range(3))
        return a * x + b * y + c

    moved = [row(0), row(1)]
    if matrices.shape[-2] == 3:
        moved = [coordinate / row(2) for coordinate in moved]
    rest = [F.broadcast_to(rows[..., at], moved[0].shape) for at in range(2, rows.shape[-1])]
    return F.stack([*moved, *rest], axis=-1).astype("float32", copy=False)


def _entry(matrices: Tensor, row: int, column: int, axes: int) -> Tensor:
    entry = matrices[..., row, column]
    return entry.reshape((-1, *(1,) * (axes - 1))) if matrices.ndim == 3 else entry


@named
def transform_boxes(boxes: ArrayLike, matrix: ArrayLike, /) -> Tensor:
    """Return the boxes around the corners that a matrix moves boxes to.

    Args:
        boxes: Boxes (top, left, bottom, right) of shape (..., 4).
        matrix: Matrix as for `transform_points`.

    Returns:
        Tensor of the shape of `boxes`; float32.

    Raises:
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> quarter = [[0.0, -1.0, 10.0], [1.0, 0.0, 0.0]]
    >>> pt.vision.transform_boxes([[1.0, 2.0, 3.0, 6.0]], quarter).tolist()
    [[2.0, 7.0, 6.0, 9.0]]
    """
    edges = numbers_of("transform_boxes", "boxes", boxes, ("...", 4))
    top, left, bottom, right = F.unstack(edges, axis=-1)
    corners = [(left, top), (right, top), (left, bottom), (right, bottom)]
    # The matrices belong to the first axis of the boxes, so the corners are the last but one.
    points = F.stack([F.stack(corner, axis=-1) for corner in corners], axis=-2)
    moved = transform_points(points, matrix)
    low, high = F.min(moved, axis=-2), F.max(moved, axis=-2)
    return F.concat([F.flip(low, axis=-1), F.flip(high, axis=-1)], axis=-1)


@named
def inverse_matrix(matrix: ArrayLike, /) -> Tensor:
    """Return the inverse of affine matrices.

    Args:
        matrix: Matrix of shape (2, 3), or matrices of shape (n, 2, 3).

    Returns:
        Tensor of the shape of `matrix`; float32. Matrices without an inverse give infinity or NaN.

    Raises:
        ShapeError: If the shape does not fit.

    >>> import py_tensor as pt
    >>> pt.vision.inverse_matrix([[2.0, 0.0, 4.0], [0.0, 1.0, 0.0]]).tolist()
    [[0.5, 0.0, -2.0], [0.0, 1.0, 0.0]]
    """
    matrices = numbers_of("inverse_matrix", "matrices", matrix, (2, 3), ("n", 2, 3))
    (a, b, c), (d, e, f) = ([matrices[..., row, at] for at in range(3)] for row in range(2))
    size = a * e - b * d
    first = [e / size, 0.0 - b / size, (b * f - c * e) / size]
    second = [0.0 - d / size, a / size, (c * d - a * f) / size]
    return F.stack([F.stack(first, axis=-1), F.stack(second, axis=-1)], axis=-2)


@named
def rotation_between(start: ArrayLike, end: ArrayLike, /, *, target: float = 0.0) -> Tensor:
    """Return the rotation of a region in which the line between two points has a direction.

    Args:
        start: Points of shape (..., 2), for example the right eyes of faces.
        end: Points of shape (..., 2), for example the left eyes.
        target: Direction from `start` to `end` in the turned region, in radians: 0.0 (default) to
            the right, pi / 2 upwards.

    Returns:
        Tensor of shape (...): `rotation` of `region_matrices`; float32.

    Raises:
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> round(pt.vision.rotation_between([0.0, 0.0], [1.0, 1.0]).item(), 4)
    0.7854
    """
    ends = [numbers_of("rotation_between", "points", points, ("...", 2)) for points in (start, end)]
    across, down = (ends[1][..., at] - ends[0][..., at] for at in range(2))
    return number("rotation_between", "target", target) + F.atan2(down, across)


@named
def region_matrices(
    boxes: ArrayLike,
    size: Sequence[int],
    /,
    *,
    rotation: ArrayLike = 0.0,
    scale: float = 1.0,
    shift: Sequence[float] = (0.0, 0.0),
    square: bool = True,
) -> Tensor:
    """Return matrices from the pixels of crops to the points of an image.

    `pt.vision.warp_affine(image, matrices, size, half_pixel_centers=True)` cuts out the regions,
    and `transform_points(points, matrices)` converts points of the crops to points of the image.
    The regions are those of MediaPipe's RectTransformationCalculator.

    Args:
        boxes: Boxes (top, left, bottom, right) of shape (n, 4), in pixels of the image.
        size: Height and width of the crops.
        rotation: Angle of each region in radians, clockwise in the image, of shape (n,), or one for
            all; 0.0 by default. See `rotation_between`.
        scale: Factor of the sides of the boxes; 1.0 by default.
        shift: Distance of the region's center from the box's center, to the right and down along
            the sides of the region, as fractions of the box's width and height; none by default.
        square: Make the shorter side as long as the longer one; True by default.

    Returns:
        Tensor of shape (n, 2, 3); float32.

    Raises:
        ArgumentError: If a length is below 1.
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> pt.vision.region_matrices([[10.0, 20.0, 30.0, 40.0]], (10, 10)).tolist()
    [[[2.0, 0.0, 20.0], [0.0, 2.0, 10.0]]]
    """
    operation = "region_matrices"
    edges = numbers_of(operation, "boxes", boxes, ("n", 4))
    out = height_and_width(operation, "size", size)
    angle = numbers_of(operation, "rotations", rotation, (), (edges.shape[0],))
    factor = number(operation, "scale", scale)
    moves = floats_of(operation, "shift", shift)
    if len(moves) != 2:
        raise ArgumentError(f"{operation}: shift must be two numbers; got {moves}; pass (x, y)")
    right, down = moves
    top, left, bottom, end = F.unstack(edges, axis=-1)
    height, width = bottom - top, end - left
    cosine, sine = F.cos(angle), F.sin(angle)
    x = (left + end) * 0.5 + width * right * cosine - height * down * sine
    y = (top + bottom) * 0.5 + width * right * sine + height * down * cosine
    if flag(operation, "square", square):
        height = width = F.maximum(height, width)
    width, height = width * factor, height * factor
    per_x, per_y = width / out[1], height / out[0]
    half_x, half_y = width * 0.5, height * 0.5
    rows: list[Any] = [
        [cosine * per_x, 0.0 - sine * per_y, x - cosine * half_x + sine * half_y],
        [sine * per_x, cosine * per_y, y - sine * half_x - cosine * half_y],
    ]
    return F.stack([F.stack(row, axis=-1) for row in rows], axis=-2)
