"""Operations on batches of images: crops, rotation, thresholds, and boxes around objects.

Input and output: images of shape (batch, height, width, channels). `pt.nn` has the operations of
networks, such as pooling and resizing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from .errors import ArgumentError, DTypeError, ShapeError
from .functions.arguments import choice, floating, lengths_of, wide
from .functions.creation import arange, asarray
from .functions.decorators import named
from .functions.elementwise import astype, divide, exp, floor, maximum, minimum, where
from .functions.elementwise import round as rounded
from .functions.indexing import take
from .functions.manipulation import broadcast_to, expand_dims
from .functions.order_statistics import bincount
from .functions.statistical import argmax, cumulative_sum
from .functions.statistical import sum as total
from .functions.utility import divide_no_nan
from .lax import scan
from .nn.patches import sampled
from .tensor import Tensor, as_tensor
from .typing import ArrayLike

__all__ = [
    "KeptBoxes",
    "crop_and_resize",
    "non_max_suppression",
    "rgb_to_grayscale",
    "rotate",
    "threshold",
    "transform",
]
_METHODS = ("bilinear", "nearest")


def _images(operation: str, x: ArrayLike) -> Tensor:
    images = as_tensor(operation, x)
    if images.ndim != 4 or not images.size:
        raise ShapeError(
            f"{operation}: input must be images; got shape {images.shape}; x must have shape "
            "(batch, height, width, channels)"
        )
    if images.dtype.kind not in "iuf":
        raise DTypeError(
            f'{operation}: dtype {images.dtype} is not numeric; use x.astype("float32")'
        )
    return images


def _height_and_width(operation: str, name: str, given: Sequence[int]) -> tuple[int, int]:
    """Return two lengths of at least 1; raise ArgumentError for others."""
    lengths = lengths_of(operation, given, name)
    if len(lengths) != 2 or min(lengths) < 1:
        raise ArgumentError(
            f"{operation}: {name} is invalid; got {lengths}; use two lengths of at least 1"
        )
    return lengths[0], lengths[1]


@named
def rgb_to_grayscale(x: ArrayLike, /) -> Tensor:
    """Return 0.2989 red + 0.587 green + 0.114 blue.

    Args:
        x: Tensor of shape (..., 3) and an integer or floating dtype.

    Returns:
        Tensor of shape (..., 1) and the dtype of `x`; integers are rounded towards zero.

    Raises:
        DTypeError: If `x` is bool or complex.
        ShapeError: If the last axis has not length 3.

    >>> import py_tensor as pt
    >>> pt.image.rgb_to_grayscale([[10, 20, 40]]).tolist()
    [[19]]
    """
    colors = as_tensor("rgb_to_grayscale", x)
    if colors.shape[-1:] != (3,):
        raise ShapeError(
            f"rgb_to_grayscale: last axis has not length 3; got shape {colors.shape}; pass red, "
            "green and blue"
        )
    if colors.dtype.kind not in "iuf":
        raise DTypeError(
            f'rgb_to_grayscale: dtype {colors.dtype} is not numeric; use x.astype("float32")'
        )
    red, green, blue = (astype(colors[..., at : at + 1], "float32") for at in range(3))
    return astype(red * 0.2989 + green * 0.587 + blue * 0.114, colors.dtype)


@named
def threshold(
    x: ArrayLike, value: float = 0.5, /, *, method: str = "binary", inverted: bool = False
) -> Tensor:
    """Turn an image into black and white.

    Args:
        x: Image of shape (height, width, 3) or (height, width, 1), with numbers from 0 to 255.
        value: Limit as a fraction of 255; 0.5 by default. Larger pixels become white.
        method: "binary" (default), or "otsu" to choose the limit such that the variance between
            both classes is largest (Otsu 1979) instead of `value`.
        inverted: Make the larger pixels black; False by default.

    Returns:
        int32 tensor of shape (height, width, 1) with values 0 and 255.

    Raises:
        ArgumentError: If the method is unknown.
        DTypeError: If the dtype is not numeric.
        ShapeError: If `x` is not such an image.

    >>> import py_tensor as pt
    >>> pt.image.threshold([[[100], [200]]]).tolist()
    [[[0], [255]]]
    """
    choice("threshold", "method", method, ("binary", "otsu"))
    gray = as_tensor("threshold", x)
    if gray.ndim != 3 or gray.shape[2] not in (1, 3):
        raise ShapeError(
            f"threshold: input must be an image; got shape {gray.shape}; x must have shape "
            "(height, width, 1) or (height, width, 3)"
        )
    gray = astype(gray, "float32")
    gray = rgb_to_grayscale(gray) if gray.shape[2] == 3 else gray
    if method == "otsu":
        gray = rounded(gray)
    limit = _otsu(gray) if method == "otsu" else value * 255.0
    white = gray <= limit if inverted else gray > limit
    return astype(white, "int32") * 255


def _otsu(gray: Tensor) -> Tensor:
    """Return the limit with the largest variance between classes, or -1 if there is one class.

    Pixels have whole values from 0 to 255.
    """
    counts = bincount(astype(gray, "int32").flatten(), length=256)
    share = astype(counts, "float32") / gray.size
    levels = astype(arange(256), "float32")
    below, weighted = cumulative_sum(share), cumulative_sum(share * levels)
    mean = divide_no_nan(weighted, below)
    above = divide_no_nan(total(share * levels) - weighted, 1.0 - below)
    # Sums of shares are not exactly 1.
    spread = where(cumulative_sum(counts) < gray.size, below * (1.0 - below), 0.0)
    spread = spread * (mean - above) ** 2
    best = argmax(spread)
    return astype(where(take(spread, best) > 0.0, best, -1), "float32")


@named
def crop_and_resize(
    x: ArrayLike,
    boxes: ArrayLike,
    box_indices: ArrayLike,
    crop_size: Sequence[int],
    /,
    *,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
) -> Tensor:
    """Cut boxes out of images and resize them to one size.

    Args:
        x: Images of shape (batch, height, width, channels) and a numeric dtype.
        boxes: Boxes (top, left, bottom, right) of shape (n, 4), as fractions of the distance from
            the first to the last pixel. Boxes may reach beyond the image, and be mirrored.
        box_indices: Number of the image for each box, of shape (n,).
        crop_size: Height and width of the results.
        method: "bilinear" (default) or "nearest".
        extrapolation_value: Value of pixels outside of the image; 0.0 by default.

    Returns:
        Tensor of shape (n, *crop_size, channels); floating, float32 for integers.

    Raises:
        ArgumentError: If the method is unknown or a length is below 1.
        DTypeError: If a dtype does not fit.
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> x = pt.asarray([[[[0.0], [4.0]], [[8.0], [12.0]]]])
    >>> pt.image.crop_and_resize(x, [[0.0, 0.0, 1.0, 0.5]], [0], (2, 2))[0, :, :, 0].tolist()
    [[0.0, 2.0], [8.0, 10.0]]
    """
    operation = "crop_and_resize"
    choice(operation, "method", method, _METHODS)
    images, corners = _images(operation, x), floating(operation, boxes)
    places = as_tensor(operation, box_indices)
    sizes = _height_and_width(operation, "crop_size", crop_size)
    if places.dtype.kind not in "iu":
        raise DTypeError(
            f"{operation}: box_indices are not integers; got dtype {places.dtype}; use "
            'box_indices.astype("int32")'
        )
    if corners.ndim != 2 or corners.shape[1] != 4 or places.shape != corners.shape[:1]:
        raise ShapeError(
            f"{operation}: boxes do not fit; got shapes {corners.shape} and {places.shape}; boxes "
            "must have shape (n, 4), and box_indices (n,)"
        )
    images = wide(images) if images.dtype.kind != "f" else images
    corners = wide(corners)
    lines: list[Tensor] = []
    inside: Any = True
    for axis in (0, 1):
        first, last = corners[:, axis : axis + 1], corners[:, axis + 2 : axis + 3]
        scale, size = images.shape[axis + 1] - 1, sizes[axis]
        step = (last - first) * (scale / max(size - 1, 1))
        begin = first * scale if size > 1 else (first + last) * (0.5 * scale)
        line = begin + astype(arange(size), "float32") * step
        line = line.reshape((-1, 1, size) if axis else (-1, size, 1))
        fits = (line >= 0.0) & (line <= float(scale))
        inside = fits & inside
        lines.append(line)
    shape = (corners.shape[0], *sizes)
    row, column = (broadcast_to(line, shape) for line in lines)
    number = astype(places, "int32", copy=False).reshape((-1, 1, 1))
    found = sampled(images, number, column, row, nearest=method == "nearest")
    return where(expand_dims(inside, axis=3), found, extrapolation_value).astype(images.dtype)


@named
def rotate(
    x: ArrayLike,
    radians: float,
    /,
    *,
    fill_value: float | Sequence[float] = 0.0,
    center: float | Sequence[float] = 0.5,
) -> Tensor:
    """Rotate images; each pixel gets the value of the nearest one.

    Args:
        x: Images of shape (batch, height, width, channels) and a numeric dtype.
        radians: Angle in radians; positive angles turn counterclockwise.
        fill_value: Value of pixels from outside of the image, or one value for each channel; 0.0
            by default. Missing values of the last channels are 255.
        center: Center as a fraction of width and height, or (x, y); 0.5 by default.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: If the dtype is not numeric.
        ShapeError: If the shape does not fit.

    >>> import math
    >>> import py_tensor as pt
    >>> x = pt.arange(9).reshape((1, 3, 3, 1))
    >>> pt.image.rotate(x, math.pi / 2, center=(1 / 3, 1 / 3))[0, :, :, 0].tolist()
    [[2, 5, 8], [1, 4, 7], [0, 3, 6]]
    """
    images = _images("rotate", x)
    height, width = images.shape[1:3]
    middle = (center, center) if isinstance(center, int | float) else tuple(center)
    u, v = middle[0] * width, middle[1] * height
    sine, cosine = math.sin(radians), math.cos(radians)
    across = [cosine, -sine, u - u * cosine + v * sine]
    down = [sine, cosine, v - u * sine - v * cosine]
    return _moved("rotate", images, asarray([[*across, *down, 0.0, 0.0]]), "nearest", fill_value)


@named
def transform(
    x: ArrayLike,
    transforms: ArrayLike,
    /,
    *,
    method: str = "nearest",
    fill_mode: str = "constant",
    fill_value: float = 0.0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Apply projective transforms to images.

    A transform (a, b, c, d, e, f, g, h) gives the pixel (x, y) of the result the value of the
    image at ((a x + b y + c) / k, (d x + e y + f) / k) with k = g x + h y + 1.

    Args:
        x: Images of shape (batch, height, width, channels) and a numeric dtype.
        transforms: Transforms of shape (batch, 8), or (1, 8) for all images.
        method: "nearest" (default) or "bilinear".
        fill_mode: Pixels outside of the image: "constant" (default) for `fill_value`, "nearest"
            for the nearest pixel, "reflect" to mirror the image, "wrap" to continue it
            periodically.
        fill_value: Value of pixels outside; 0.0 by default.
        output_size: Height and width of the result; None (default) for the size of the images.

    Returns:
        Tensor of shape (batch, *output_size, channels) and the dtype of `x`.

    Raises:
        ArgumentError: If a method or mode is unknown, or a length is below 1.
        DTypeError: If a dtype does not fit.
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> x = pt.arange(4).reshape((1, 1, 4, 1))
    >>> shift = [[1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0]]
    >>> pt.image.transform(x, shift, fill_value=9)[0, 0, :, 0].tolist()
    [1, 2, 3, 9]
    """
    images, matrix = _images("transform", x), wide(floating("transform", transforms))
    choice("transform", "method", method, _METHODS)
    choice("transform", "fill_mode", fill_mode, ("constant", *_PLACES))
    if matrix.ndim != 2 or matrix.shape[1] != 8 or matrix.shape[0] not in (1, images.shape[0]):
        raise ShapeError(
            f"transform: transforms do not fit; got shape {matrix.shape} for images of shape "
            f"{images.shape}; pass 8 numbers for each image"
        )
    return _moved("transform", images, matrix, method, fill_value, fill_mode, output_size)


def _moved(
    operation: str,
    images: Tensor,
    matrix: Tensor,
    method: str,
    fill_value: Any,
    fill_mode: str = "constant",
    output_size: Sequence[int] | None = None,
) -> Tensor:
    batch, *lengths, channels = images.shape
    height, width = lengths
    if output_size is not None:
        height, width = _height_and_width(operation, "output_size", output_size)
    x = astype(arange(width), "float32")
    y = astype(arange(height), "float32").reshape((-1, 1))
    a, b, c, d, e, f, g, h = (matrix[:, at].reshape((-1, 1, 1)) for at in range(8))
    scale = g * x + h * y + 1.0
    shape = (batch, height, width)
    places = [(a * x + b * y + c) / scale, (d * x + e * y + f) / scale]
    if fill_mode != "constant":
        pairs = zip(places, reversed(lengths), strict=True)
        places = [_PLACES[fill_mode](place, length) for place, length in pairs]
    column, row = (broadcast_to(place, shape) for place in places)
    given = images if method == "nearest" else astype(images, "float32")
    # Integers are kept exact: they are not mixed with floats.
    number_of = float if given.dtype.kind == "f" else int
    if isinstance(fill_value, Sequence):
        fill = [*fill_value, *(255,) * (channels - len(fill_value))]
        if len(fill) != channels:
            raise ShapeError(
                f"{operation}: fill_value does not fit; got {fill_value} for {channels} channels; "
                "pass one number for each"
            )
        fill_value = asarray([number_of(value) for value in fill], dtype=given.dtype)
    else:
        fill_value = number_of(fill_value)
    number = arange(batch).reshape((-1, 1, 1))
    found = sampled(given, number, column, row, nearest=method == "nearest", fill=fill_value)
    return astype(found, images.dtype, copy=False)


def _nearest(place: Tensor, length: int) -> Tensor:
    return place.clip(0.0, length - 1.0)


def _reflected(place: Tensor, length: int) -> Tensor:
    """Mirror positions at the edges of the outer pixels: abcd continues as dcba."""
    around = place - floor(divide(place, 2.0 * length)) * (2.0 * length)
    return _nearest(where(around < length, around, 2.0 * length - 1.0 - around), length)


def _wrapped(place: Tensor, length: int) -> Tensor:
    return _nearest(place - floor(divide(place, float(length))) * length, length)


_PLACES = {"reflect": _reflected, "wrap": _wrapped, "nearest": _nearest}


class KeptBoxes(NamedTuple):
    """Result of `non_max_suppression`."""

    indices: Tensor
    """Positions of the kept boxes, best score first; 0 after the last one if padded."""
    scores: Tensor
    """Scores of the kept boxes; 0.0 after the last one if padded."""
    number: Tensor
    """Number of kept boxes; int32."""


@named
def non_max_suppression(
    boxes: ArrayLike,
    scores: ArrayLike,
    max_output_size: int,
    /,
    *,
    iou_threshold: float = 0.5,
    score_threshold: float = -math.inf,
    soft_sigma: float = 0.0,
    padded: bool = False,
) -> KeptBoxes:
    """Keep the boxes with the best scores that do not overlap a better one too much.

    Source of the soft variant: Bodla et al. 2017, arXiv:1704.04503.

    Args:
        boxes: Boxes (y1, x1, y2, x2) of shape (n, 4), any two opposite corners.
        scores: Score of each box, of shape (n,).
        max_output_size: Largest number of boxes to keep.
        iou_threshold: Boxes are dropped if their intersection with a better box, divided by the
            union, is at least this; 0.5 by default.
        score_threshold: Boxes with scores up to this are dropped; -inf by default.
        soft_sigma: If positive, scores of overlapping boxes also decrease, by the factor
            exp(-0.5 iou**2 / soft_sigma); 0.0 by default.
        padded: Return `max_output_size` elements without reading their number back; False by
            default.

    Returns:
        `KeptBoxes`: indices (int32), scores (float32), and their number.

    Raises:
        ArgumentError: If `max_output_size` is negative.
        DTypeError: If the operands are not floating.
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> boxes = pt.asarray([[0, 0, 2, 2], [0, 0, 2, 1.9], [5, 5, 6, 6]])
    >>> pt.image.non_max_suppression(boxes, [0.6, 0.9, 0.3], 3).indices.tolist()
    [1, 2]
    """
    operation = "non_max_suppression"
    corners, values = (wide(floating(operation, given)) for given in (boxes, scores))
    if corners.ndim != 2 or corners.shape[1] != 4 or values.shape != corners.shape[:1]:
        raise ShapeError(
            f"{operation}: boxes do not fit; got shapes {corners.shape} and {values.shape}; boxes "
            "must have shape (n, 4), and scores (n,)"
        )
    if max_output_size < 0:
        raise ArgumentError(
            f"{operation}: max_output_size is negative; got {max_output_size}; use 0 or more"
        )
    low, high = minimum(corners[:, :2], corners[:, 2:]), maximum(corners[:, :2], corners[:, 2:])
    area = (high[:, 0] - low[:, 0]) * (high[:, 1] - low[:, 1])
    numbers = arange(values.shape[0])

    def step(left: Tensor, _: Any) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        best = argmax(left)
        score = take(left, best)
        sides = minimum(high, take(high, best, axis=0)) - maximum(low, take(low, best, axis=0))
        sides = maximum(sides, 0.0)
        common = sides[:, 0] * sides[:, 1]
        iou = divide_no_nan(common, area + take(area, best) - common)
        factor = exp(iou * iou * (-0.5 / soft_sigma)) if soft_sigma > 0.0 else 1.0
        # An infinity times a factor of 0 would be NaN.
        dropped = (iou >= iou_threshold) | (numbers == best) | (left == -math.inf)
        return where(dropped, -math.inf, left * factor), (best, score)

    size = min(max_output_size, values.shape[0])
    alive = where(values > score_threshold, values, -math.inf)
    if not size:
        indices, kept = arange(0), values[:0]
    else:
        _, (indices, kept) = scan(step, alive, length=size)
    is_kept = kept > score_threshold
    count = total(astype(is_kept, "int32"))
    if padded:
        more = max_output_size - size
        indices = where(is_kept, indices, 0).pad((0, more))
        return KeptBoxes(indices, where(is_kept, kept, 0.0).pad((0, more)), count)
    found = int(count)
    return KeptBoxes(indices[:found], kept[:found], count)
