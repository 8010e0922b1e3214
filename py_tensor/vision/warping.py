"""Crops, rotations and other transforms of images: pixels read at computed positions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from .. import functions as F
from ..errors import ArgumentError, DTypeError, ShapeError
from ..functions.arguments import choice, flag, floating, number, wide
from ..functions.decorators import named
from ..functions.elementwise import where
from ..nn.patches import sampled
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike
from .checks import height_and_width, images_of, numbers_of, pictures_of
from .resizing import restored

_METHODS = ("bilinear", "nearest")


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
    >>> pt.vision.crop_and_resize(x, [[0.0, 0.0, 1.0, 0.5]], [0], (2, 2))[0, :, :, 0].tolist()
    [[0.0, 2.0], [8.0, 10.0]]
    """
    operation = "crop_and_resize"
    choice(operation, "method", method, _METHODS)
    images, corners = images_of(operation, x), floating(operation, boxes)
    indices = as_tensor(operation, box_indices)
    sizes = height_and_width(operation, "crop_size", crop_size)
    if indices.dtype.kind not in "iu":
        raise DTypeError(
            f"{operation}: box_indices are not integers; got dtype {indices.dtype}; use "
            'box_indices.astype("int32")'
        )
    if corners.ndim != 2 or corners.shape[1] != 4 or indices.shape != corners.shape[:1]:
        raise ShapeError(
            f"{operation}: boxes do not fit; got shapes {corners.shape} and {indices.shape}; boxes "
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
        line = begin + F.astype(F.arange(size), "float32") * step
        line = line.reshape((-1, 1, size) if axis else (-1, size, 1))
        fits = (line >= 0.0) & (line <= float(scale))
        inside = fits & inside
        lines.append(line)
    shape = (corners.shape[0], *sizes)
    row, column = (F.broadcast_to(line, shape) for line in lines)
    numbers = F.astype(indices, "int32", copy=False).reshape((-1, 1, 1))
    pixels = sampled(images, numbers, column, row, nearest=method == "nearest")
    return where(F.expand_dims(inside, axis=3), pixels, extrapolation_value).astype(images.dtype)


@named
def rotate(
    x: ArrayLike,
    radians: float,
    /,
    *,
    method: str = "nearest",
    fill_value: float | Sequence[float] = 0.0,
    center: float | Sequence[float] = 0.5,
) -> Tensor:
    """Rotate images around a point.

    `pt.rot90` turns by right angles, and `pt.flip` mirrors.

    Args:
        x: Images of shape (batch, height, width, channels) and a numeric dtype.
        radians: Angle in radians; positive angles turn counterclockwise.
        method: "nearest" (default) or "bilinear".
        fill_value: Value of pixels from outside of the image, or one value for each channel; 0.0
            by default. Missing values of the last channels are 255.
        center: Center as a fraction of width and height, or (x, y); 0.5 by default.

    Returns:
        Tensor of the shape and dtype of `x`; integers are rounded.

    Raises:
        ArgumentError: If the method is unknown.
        DTypeError: If the dtype is not numeric.
        ShapeError: If the shape does not fit.

    >>> import math
    >>> import py_tensor as pt
    >>> x = pt.arange(9).reshape((1, 3, 3, 1))
    >>> pt.vision.rotate(x, math.pi / 2, center=(1 / 3, 1 / 3))[0, :, :, 0].tolist()
    [[2, 5, 8], [1, 4, 7], [0, 3, 6]]
    """
    images = images_of("rotate", x)
    sampling = _Sampling("rotate", method, fill_value)
    sampling.check()
    height, width = images.shape[1:3]
    angle = number("rotate", "radians", radians, finite=True)
    pair = center if isinstance(center, list | tuple) else (center, center)
    middle = [number("rotate", "center", coordinate, finite=True) for coordinate in pair]
    if len(middle) != 2:
        raise ArgumentError(
            f"rotate: center must be one number or two; got {middle}; pass a fraction, or (x, y)"
        )
    u, v = middle[0] * width, middle[1] * height
    sine, cosine = math.sin(angle), math.cos(angle)
    across = [cosine, -sine, u - u * cosine + v * sine]
    down = [sine, cosine, v - u * sine - v * cosine]
    return _moved(images, F.asarray([[*across, *down, 0.0, 0.0]]), sampling)


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
        Tensor of shape (batch, *output_size, channels) and the dtype of `x`; integers are rounded
        towards zero, as TensorFlow does.

    Raises:
        ArgumentError: If a method or mode is unknown, or a length is below 1.
        DTypeError: If a dtype does not fit.
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> x = pt.arange(4).reshape((1, 1, 4, 1))
    >>> shift = [[1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0]]
    >>> pt.vision.transform(x, shift, fill_value=9)[0, 0, :, 0].tolist()
    [1, 2, 3, 9]
    """
    images, matrix = images_of("transform", x), wide(floating("transform", transforms))
    sampling = _Sampling("transform", method, fill_value, fill_mode, output_size)
    sampling.check()
    if matrix.ndim != 2 or matrix.shape[1] != 8 or matrix.shape[0] not in (1, images.shape[0]):
        raise ShapeError(
            f"transform: transforms do not fit; got shape {matrix.shape} for images of shape "
            f"{images.shape}; pass 8 numbers for each image"
        )
    return _moved(images, matrix, sampling, rounds=False)


class _Sampling(NamedTuple):
    """Options of reading images at transformed positions."""

    operation: str
    method: str
    fill_value: Any
    fill_mode: str = "constant"
    output_size: Sequence[int] | None = None

    def check(self) -> None:
        choice(self.operation, "method", self.method, _METHODS)
        choice(self.operation, "fill_mode", self.fill_mode, ("constant", *_PLACES))


def _moved(
    images: Tensor, matrix: Tensor, sampling: _Sampling, center: float = 0.0, rounds: bool = True
) -> Tensor:
    """Read pixels at transformed positions; the center of the first pixel is at `center`.

    `rounds` is False if interpolated values become integers by rounding towards zero.
    """
    operation, method, fill_value, fill_mode, output_size = sampling
    batch, *lengths, channels = images.shape
    height, width = lengths
    if output_size is not None:
        height, width = height_and_width(operation, "output_size", output_size)
    x = F.astype(F.arange(width), "float32") + center
    y = F.astype(F.arange(height), "float32").reshape((-1, 1)) + center
    a, b, c, d, e, f, g, h = (matrix[:, at].reshape((-1, 1, 1)) for at in range(8))
    scale = g * x + h * y + 1.0
    # Several transforms may be of one image.
    shape = (max(batch, matrix.shape[0]), height, width)
    positions = [(a * x + b * y + c) / scale - center, (d * x + e * y + f) / scale - center]
    if fill_mode != "constant":
        pairs = zip(positions, reversed(lengths), strict=True)
        positions = [_PLACES[fill_mode](position, length) for position, length in pairs]
    column, row = (F.broadcast_to(position, shape) for position in positions)
    source = images if method == "nearest" else F.astype(images, "float32")
    # Integers are kept exact: they are not mixed with floats.
    whole = source.dtype.kind != "f"

    def number_of(value: Any) -> float:
        plain = number(operation, "fill_value", value, finite=whole)
        return int(plain) if whole else plain

    if isinstance(fill_value, Sequence):
        fill = [*fill_value, *(255,) * (channels - len(fill_value))]
        if len(fill) != channels:
            raise ShapeError(
                f"{operation}: fill_value does not fit; got {fill_value} for {channels} channels; "
                "pass one number for each"
            )
        fill_value = F.asarray([number_of(value) for value in fill], dtype=source.dtype)
    else:
        fill_value = number_of(fill_value)
    numbers = F.arange(batch).reshape((-1, 1, 1)) if batch > 1 else F.zeros((), dtype="int32")
    pixels = sampled(source, numbers, column, row, nearest=method == "nearest", fill=fill_value)
    if rounds and not whole:
        return restored(pixels, images)
    return F.astype(pixels, images.dtype, copy=False)


def _nearest(position: Tensor, length: int) -> Tensor:
    return position.clip(0.0, length - 1.0)


def _reflected(position: Tensor, length: int) -> Tensor:
    """Mirror positions at the edges of the outer pixels: abcd continues as dcba."""
    around = position - F.floor(F.divide(position, 2.0 * length)) * (2.0 * length)
    return _nearest(where(around < length, around, 2.0 * length - 1.0 - around), length)


def _wrapped(position: Tensor, length: int) -> Tensor:
    return _nearest(position - F.floor(F.divide(position, float(length))) * length, length)


_PLACES = {"reflect": _reflected, "wrap": _wrapped, "nearest": _nearest}


def _warped(
    sampling: _Sampling, x: ArrayLike, matrix: ArrayLike, rows: int, half_pixel_centers: bool
) -> Tensor:
    operation = sampling.operation
    images, leading = pictures_of(operation, x)
    sampling.check()
    matrices = numbers_of(operation, "matrices", matrix, (rows, 3), ("n", rows, 3))
    numbers = wide(matrices).reshape((-1, 3 * rows))
    if images.shape[0] not in (1, numbers.shape[0]) and numbers.shape[0] != 1:
        raise ShapeError(
            f"{operation}: matrices do not fit; got shape {matrices.shape} for images of shape "
            f"{images.shape}; pass one for all images, or one for each"
        )
    last = numbers[:, 6:8] / numbers[:, 8:] if rows == 3 else F.zeros((numbers.shape[0], 2))
    first = numbers[:, :6] / numbers[:, 8:] if rows == 3 else numbers
    center = 0.5 if flag(operation, "half_pixel_centers", half_pixel_centers) else 0.0
    result = _moved(images, F.concat([first, last], axis=1), sampling, center)
    return result if leading or matrices.ndim == 3 else result[0]


@named
def warp_affine(
    x: ArrayLike,
    matrix: ArrayLike,
    output_size: Sequence[int] | None = None,
    /,
    *,
    method: str = "bilinear",
    fill_mode: str = "constant",
    fill_value: float = 0.0,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Move the pixels of images by affine matrices.

    The matrix ((a, b, c), (d, e, f)) gives the pixel (x, y) of the result the value of the image at
    (a x + b y + c, d x + e y + f), as OpenCV's warpAffine with WARP_INVERSE_MAP.

    Args:
        x: Image of shape (height, width, channels) or images of shape (batch, height, width,
            channels), and a numeric dtype.
        matrix: Matrix of shape (2, 3), or matrices of shape (n, 2, 3): one for each image, or
            several for one image.
        output_size: Height and width of the result; None (default) for the size of the image.
        method: "bilinear" (default) or "nearest".
        fill_mode: Pixels outside of the image, as for `transform`; "constant" by default.
        fill_value: Value of pixels outside; 0.0 by default.
        half_pixel_centers: The center of the first pixel is at (0.5, 0.5), as for the matrices of
            `letterbox` and `region_matrices`; by default it is at (0, 0).

    Returns:
        Tensor of shape (*output_size, channels), or with a first axis if images or matrices have
        one, and the dtype of `x`; integers are rounded.

    Raises:
        ArgumentError: If a method or mode is unknown, or a length is below 1.
        DTypeError: If a dtype does not fit.
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> x = pt.asarray([[[0.0], [4.0], [8.0]]])
    >>> pt.vision.warp_affine(x, [[0.5, 0.0, 1.0], [0.0, 1.0, 0.0]]).flatten().tolist()
    [4.0, 6.0, 8.0]
    """
    sampling = _Sampling("warp_affine", method, fill_value, fill_mode, output_size)
    return _warped(sampling, x, matrix, 2, half_pixel_centers)


@named
def warp_perspective(
    x: ArrayLike,
    matrix: ArrayLike,
    output_size: Sequence[int] | None = None,
    /,
    *,
    method: str = "bilinear",
    fill_mode: str = "constant",
    fill_value: float = 0.0,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Move the pixels of images by projective matrices.

    The matrix with rows (a, b, c), (d, e, f) and (g, h, k) gives the pixel (x, y) of the result the
    value of the image at ((a x + b y + c) / w, (d x + e y + f) / w) with w = g x + h y + k, as
    OpenCV's warpPerspective with WARP_INVERSE_MAP.

    Args:
        x: Image of shape (height, width, channels) or images of shape (batch, height, width,
            channels), and a numeric dtype.
        matrix: Matrix of shape (3, 3), or matrices of shape (n, 3, 3): one for each image, or
            several for one image. The last element must not be 0.
        output_size: Height and width of the result; None (default) for the size of the image.
        method: "bilinear" (default) or "nearest".
        fill_mode: Pixels outside of the image, as for `transform`; "constant" by default.
        fill_value: Value of pixels outside; 0.0 by default.
        half_pixel_centers: The center of the first pixel is at (0.5, 0.5); by default it is at
            (0, 0).

    Returns:
        Tensor of shape (*output_size, channels), or with a first axis if images or matrices have
        one, and the dtype of `x`; integers are rounded.

    Raises:
        ArgumentError: If a method or mode is unknown, or a length is below 1.
        DTypeError: If a dtype does not fit.
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> x = pt.asarray([[[0.0], [4.0], [8.0]]])
    >>> matrix = [[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]
    >>> pt.vision.warp_perspective(x, matrix)[0, :2, 0].tolist()
    [0.0, 4.0]
    """
    sampling = _Sampling("warp_perspective", method, fill_value, fill_mode, output_size)
    return _warped(sampling, x, matrix, 3, half_pixel_centers)
