"""Resizing: along each axis, a pixel of the result is a weighted sum of neighbouring pixels.

`weighted` also carries the resizing operators of models.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from .. import functions as F, nn
from ..errors import ArgumentError
from ..functions.arguments import choice, flag, number
from ..functions.decorators import named
from ..kernels.api import kernel
from ..tensor import Tensor
from ..transforms.autodiff import vjp
from ..typing import ArrayLike
from .checks import height_and_width, pictures_of

type Row = tuple[int, Sequence[float]]
"""Position of the first pixel that an element of the result reads, and the weight of each."""

POSITIONS = ("half_pixel", "align_corners", "asymmetric")
FEW = 4
"""Number of taps up to which reads are inlined; a loop reads more."""


def weighted(x: Tensor, axis: int, rows: Sequence[Row]) -> Tensor:
    """Return weighted sums of neighbours along an axis, one for each row.

    Elements beyond an end have the value of the end.
    """
    taps = max(len(weights) for _, weights in rows)
    starts = F.asarray([first for first, _ in rows], dtype="int32")
    padded_weights = [[*weights, *[0.0] * (taps - len(weights))] for _, weights in rows]
    weights = F.asarray(padded_weights, dtype="float32")
    before, after = x.shape[:axis], x.shape[axis + 1 :]
    lines = x.reshape((math.prod(before), x.shape[axis], math.prod(after)))
    sums = (_summed if taps > FEW else _gathered)(lines, starts, weights)
    return sums.reshape((*before, len(rows), *after)).astype(x.dtype, copy=False)


@kernel(shape=lambda x, starts, weights: (x.shape[0], starts.shape[0], x.shape[2]))
def _summed(i: Any, j: Any, k: Any, x: Any, starts: Any, weights: Any) -> Any:
    total = 0.0
    for tap in range(weights.shape[1]):
        total += x[i, starts[j] + tap, k] * weights[j, tap]
    return total


def _gathered(x: Tensor, starts: Tensor, weights: Tensor) -> Tensor:
    terms = [
        F.take(x, (starts + tap).clip(0, x.shape[1] - 1), axis=1) * weights[:, tap : tap + 1]
        for tap in range(weights.shape[1])
    ]
    return sum(terms[1:], terms[0])


@_summed.gradient
def _spread(g: Tensor, x: Tensor, starts: Tensor, weights: Tensor) -> tuple[Tensor | None, ...]:
    _, pull = vjp(lambda tensor: _gathered(tensor, starts, weights), x)
    return (pull(g)[0], None, None)


def cubic(x: float, a: float) -> float:
    """Return the weight of a pixel at a distance.

    Source: R. G. Keys, Cubic Convolution Interpolation, 1981.
    """
    x = abs(x)
    if x <= 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a if x < 2 else 0.0


_FILTERS: dict[str, tuple[float, Callable[[float], float]]] = {
    "bilinear": (1.0, lambda x: max(0.0, 1.0 - abs(x))),
    "bicubic": (2.0, lambda x: cubic(x, -0.5)),
}
"""Reach and weights of the filters for resizing with antialiasing."""


@lru_cache(64)
def _filtered(method: str, n: int, out: int) -> list[Row]:
    """Return rows of a filter that is as wide as a pixel of the result, as Pillow has them."""
    reach, function = _FILTERS[method]
    scale = max(n / out, 1.0)
    rows: list[Row] = []
    for at in range(out):
        center = (at + 0.5) * n / out
        first = max(int(center - reach * scale + 0.5), 0)
        last = min(int(center + reach * scale + 0.5), n)
        weights = [function((pixel + 0.5 - center) / scale) for pixel in range(first, last)]
        total = sum(weights)
        rows.append((first, [weight / total for weight in weights]))
    return rows


@lru_cache(64)
def _covered(n: int, out: int) -> list[Row]:
    """Return rows of the pixels that a pixel of the result covers, weighted by their parts."""
    rows: list[Row] = []
    for at in range(out):
        low, high = at * n, (at + 1) * n
        first, last = low // out, -(-high // out)
        parts = [min(high, (p + 1) * out) - max(low, p * out) for p in range(first, last)]
        rows.append((first, [part / n for part in parts]))
    return rows


def restored(values: Tensor, like: Tensor) -> Tensor:
    """Return floats in the dtype of an image; integers are rounded and clipped."""
    if like.dtype.kind == "f":
        return values.astype(like.dtype, copy=False)
    # Floats have no exact limits of 32-bit integers, which no image reaches.
    limits = F.iinfo(like.dtype)
    return values.round().clip(float(limits.min), float(limits.max)).astype(like.dtype)


@named
def resize(
    x: ArrayLike,
    size: Sequence[int],
    /,
    *,
    method: str = "bilinear",
    positions: str = "half_pixel",
    antialias: bool = False,
) -> Tensor:
    """Resize images.

    Args:
        x: Image of shape (height, width, channels) or images of shape (batch, height, width,
            channels), and a numeric dtype.
        size: New height and width.
        method: "nearest", "bilinear" (default), "bicubic" (with the slope -0.75 of OpenCV and
            PyTorch, or -0.5 of Pillow with antialiasing), or "area" for the mean of the area that
            a pixel of the result covers.
        positions: Where pixel i of `out` pixels is read along an axis of n pixels: "half_pixel"
            (default) at (i + 0.5) * n / out - 0.5, "align_corners" at i * (n - 1) / (out - 1), or
            "asymmetric" at i * n / out.
        antialias: When shrinking, average over all pixels that a pixel of the result covers, as
            Pillow does; for "bilinear" and "bicubic" at half pixels. False by default.

    Returns:
        Tensor of the dtype and the number of axes of `x`; integers are rounded.

    Raises:
        ArgumentError: If an option is unknown, options do not fit, or a length is below 1.
        DTypeError: If the dtype is not numeric.
        ShapeError: If `x` is not an image.

    >>> import py_tensor as pt
    >>> x = pt.asarray([[[0.0], [2.0], [4.0], [10.0]]])
    >>> pt.vision.resize(x, (1, 2), method="area").flatten().tolist()
    [1.0, 7.0]
    >>> pt.vision.resize(x, (1, 2), method="nearest").flatten().tolist()
    [2.0, 10.0]
    """
    operation = "resize"
    images, leading = pictures_of(operation, x)
    lengths = height_and_width(operation, "size", size)
    choice(operation, "method", method, ("nearest", "bilinear", "bicubic", "area"))
    choice(operation, "positions", positions, POSITIONS)
    filtered = flag(operation, "antialias", antialias)
    if (filtered and method not in _FILTERS) or (
        (filtered or method == "area") and positions != "half_pixel"
    ):
        raise ArgumentError(
            f'{operation}: options do not fit; got method "{method}", positions "{positions}" and '
            f"antialias {filtered}; areas and antialiasing need half pixels, and antialiasing "
            '"bilinear" or "bicubic"'
        )
    if filtered or method == "area":
        values = images.astype("float32", copy=False)
        for axis, out in enumerate(lengths, 1):
            n = images.shape[axis]
            if n != out:
                rows = _filtered(method, n, out) if filtered else _covered(n, out)
                values = weighted(values, axis, rows)
        result = restored(values, images)
    else:
        options = {
            "align_corners": positions == "align_corners",
            "half_pixel_centers": positions == "half_pixel",
        }
        if method == "nearest":
            result = nn.resize_nearest_neighbor(images, lengths, **options)
        else:
            function = nn.resize_bilinear if method == "bilinear" else nn.resize_bicubic
            floats = images if images.dtype.kind == "f" else images.astype("float32")
            result = restored(function(floats, lengths, **options), images)
    return result.reshape((*leading, *lengths, images.shape[3]))


class Letterboxed(NamedTuple):
    """Result of `letterbox`."""

    image: Tensor
    """Resized image with borders."""
    matrix: Tensor
    """Affine matrix of shape (2, 3) from points of the result to points of the given image."""


@named
def letterbox(
    x: ArrayLike,
    size: Sequence[int],
    /,
    *,
    fill_value: float = 0.0,
    method: str = "bilinear",
    antialias: bool = False,
) -> Letterboxed:
    """Resize images without changing their proportions, and center them between borders.

    `pt.vision.transform_points(points, matrix)` and `transform_boxes` convert what a model found in
    the result to positions in the given image.

    Args:
        x: Image of shape (height, width, channels) or images of shape (batch, height, width,
            channels), and a numeric dtype.
        size: Height and width of the result.
        fill_value: Value of the borders; 0.0 by default.
        method: Method of `resize`; "bilinear" by default.
        antialias: As for `resize`; False by default.

    Returns:
        `Letterboxed`: the images, and the matrix back to points of `x`.

    Raises:
        ArgumentError: If an option is unknown, or a length is below 1.
        DTypeError: If the dtype is not numeric.
        ShapeError: If `x` is not an image.

    >>> import py_tensor as pt
    >>> image, matrix = pt.vision.letterbox(pt.ones((20, 40, 3)), (10, 10))
    >>> image[:, 0, 0].tolist()
    [0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    >>> pt.vision.transform_points([[5.0, 7.0]], matrix).tolist()
    [[20.0, 20.0]]
    """
    images, leading = pictures_of("letterbox", x)
    sizes = height_and_width("letterbox", "size", size)
    fill = number("letterbox", "fill_value", fill_value)
    lengths = images.shape[1:3]
    scale = min(out / n for out, n in zip(sizes, lengths, strict=True))
    inner = [max(round(n * scale), 1) for n in lengths]
    resized = resize(images, inner, method=method, antialias=antialias)
    around = [
        ((out - n) // 2, out - n - (out - n) // 2) for out, n in zip(sizes, inner, strict=True)
    ]
    border = fill if images.dtype.kind == "f" else int(fill)
    image = F.pad(resized, ((0, 0), *around, (0, 0)), constant_values=border)
    down, across = (n / out for n, out in zip(lengths, inner, strict=True))
    matrix = [[across, 0.0, -around[1][0] * across], [0.0, down, -around[0][0] * down]]
    return Letterboxed(image.reshape((*leading, *image.shape[1:])), F.asarray(matrix))
