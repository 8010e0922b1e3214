"""Image resizing, with the conventions of TensorFlow.js for the positions of pixels.

Pixel i of `out` pixels takes its value from this position of an axis of length `n`:

    i * n / out                     by default: pixels are points, and the first ones coincide
    i * (n - 1) / (out - 1)         with align_corners: the last ones coincide too; 0 if out is 1
    (i + 0.5) * n / out - 0.5       with half_pixel_centers: pixels are squares, edges coincide

Positions are computed exactly, as fractions of integers. Rounding therefore never decides which
pixel is the nearest.
"""

from __future__ import annotations

from .. import functions as F
from ..errors import ArgumentError, ShapeError
from ..functions.arguments import flag, floating, number, wide
from ..functions.decorators import remembered
from ..functions.sliding_windows import batched, per_axis
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, PerAxis

_LARGEST = 1 << 30
"""Largest product of an old and a new length; twice this still fits int32."""


@remembered
def resize_bilinear(
    x: ArrayLike, size: PerAxis, /, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Tensor:
    """Resize images, with linear interpolation between the four nearest pixels.

    Along an axis of n pixels, pixel i of `out` is read at position i * n / out by default.
    Positions beyond an edge take the edge's value.

    Args:
        x: Images of shape (batch, height, width, channels) or (height, width, channels), and a
            floating dtype.
        size: New height and width in pixels; one number for both.
        align_corners: Use position i * (n - 1) / (out - 1); default False.
        half_pixel_centers: Use position (i + 0.5) * n / out - 0.5; default False.

    Returns:
        Tensor of the dtype and the number of axes of `x`, with the new height and width.

    Raises:
        ArgumentError: If both conventions are requested, or `size` is not positive.
        DTypeError: If `x` is not floating.
        ShapeError: If `x` is no image, is empty, or the lengths are too large.

    >>> import py_tensor as pt
    >>> x = pt.asarray([[[0.0], [2.0]]])
    >>> pt.nn.resize_bilinear(x, (1, 4))[0, :, 0].tolist()
    [0.0, 1.0, 2.0, 2.0]
    >>> pt.nn.resize_bilinear(x, (1, 4), half_pixel_centers=True)[0, :, 0].tolist()
    [0.0, 0.5, 1.5, 2.0]
    """
    x = floating("resize_bilinear", x)
    images, lengths = _checked("resize_bilinear", x, size, align_corners, half_pixel_centers)
    values = wide(images)
    for axis, out in enumerate(lengths, 1):
        values = _interpolated(values, axis, out, align_corners, half_pixel_centers)
    return values.reshape((*x.shape[:-3], *lengths, x.shape[-1])).astype(x.dtype, copy=False)


@remembered
def resize_bicubic(
    x: ArrayLike,
    size: PerAxis,
    /,
    *,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    coefficient: float = -0.75,
) -> Tensor:
    """Resize images, with cubic interpolation between the sixteen nearest pixels.

    Pixels beyond an edge have the value of the edge, as in torch.nn.functional.interpolate. Source:
    Keys 1981, doi:10.1109/TASSP.1981.1163711.

    Args:
        x: Images of shape (batch, height, width, channels) or (height, width, channels), and a
            floating dtype.
        size: New height and width in pixels; one number for both.
        align_corners: Use position i * (n - 1) / (out - 1); default False.
        half_pixel_centers: Use position (i + 0.5) * n / out - 0.5; default False.
        coefficient: Slope of the interpolating function at distance 1; default -0.75, as in
            PyTorch. Keys recommends -0.5.

    Returns:
        Tensor of the dtype and the number of axes of `x`, with the new height and width.

    Raises:
        ArgumentError: If both conventions are requested, or `size` is not positive.
        DTypeError: If `x` is not floating.
        ShapeError: If `x` is no image, is empty, or the lengths are too large.

    >>> import py_tensor as pt
    >>> x = pt.asarray([[[0.0], [2.0]]])
    >>> pt.nn.resize_bicubic(x, (1, 4))[0, :, 0].tolist()
    [0.0, 1.0, 2.0, 2.1875]
    """
    x = floating("resize_bicubic", x)
    images, lengths = _checked("resize_bicubic", x, size, align_corners, half_pixel_centers)
    values = wide(images)
    coefficient = number("resize_bicubic", "coefficient", coefficient)
    for axis, out in enumerate(lengths, 1):
        n = values.shape[axis]
        if out == n:
            continue
        low, part = _places(n, out, align_corners, half_pixel_centers)
        part = part.reshape((out, *(1,) * (values.ndim - axis - 1)))
        parts = [(part + 1.0, 1), (part, 0), (1.0 - part, 0), (2.0 - part, 1)]
        terms = [
            F.take(values, (low + at).clip(0, n - 1), axis=axis) * _cubic(away, outer, coefficient)
            for at, (away, outer) in enumerate(parts, -1)
        ]
        values = terms[0] + terms[1] + terms[2] + terms[3]
    return values.reshape((*x.shape[:-3], *lengths, x.shape[-1])).astype(x.dtype, copy=False)


def _cubic(away: Tensor, outer: int, a: float) -> Tensor:
    """Return the weight of a pixel at a distance up to 1, or, if outer, from 1 to 2."""
    if outer:
        return ((away - 5.0) * away + 8.0) * (away * a) - 4.0 * a
    return ((a + 2.0) * away - (a + 3.0)) * away * away + 1.0


@remembered
def resize_nearest_neighbor(
    x: ArrayLike, size: PerAxis, /, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Tensor:
    """Resize images by copying the pixel at each position.

    Along an axis of n pixels, pixel i of `out` reads pixel floor(i * n / out) by default.

    Args:
        x: Images of shape (batch, height, width, channels) or (height, width, channels), and any
            dtype.
        size: New height and width in pixels; one number for both.
        align_corners: Read the pixel nearest to i * (n - 1) / (out - 1), halves rounded up; default
            False.
        half_pixel_centers: Read pixel floor((i + 0.5) * n / out); default False.

    Returns:
        Tensor of the dtype and the number of axes of `x`, with the new height and width.

    Raises:
        ArgumentError: If both conventions are requested, or `size` is not positive.
        ShapeError: If `x` is no image, is empty, or the lengths are too large.

    >>> import py_tensor as pt
    >>> x = pt.asarray([[[1], [2]]])
    >>> pt.nn.resize_nearest_neighbor(x, (1, 4))[0, :, 0].tolist()
    [1, 1, 2, 2]
    """
    x = as_tensor("resize_nearest_neighbor", x)
    images, lengths = _checked(
        "resize_nearest_neighbor", x, size, align_corners, half_pixel_centers
    )
    for axis, out in enumerate(lengths, 1):
        n = images.shape[axis]
        if out == n:
            continue
        position = F.arange(out)
        if align_corners and out > 1:
            nearest = (position * (2 * n - 2) + (out - 1)) // (2 * out - 2)
        elif half_pixel_centers:
            nearest = (position * 2 + 1) * n // (2 * out)
        else:
            nearest = position * n // out
        images = F.take(images, nearest, axis=axis)
    return images.reshape((*x.shape[:-3], *lengths, x.shape[-1]))


def _checked(
    operation: str, x: Tensor, size: PerAxis, align_corners: bool, half_pixel_centers: bool
) -> tuple[Tensor, tuple[int, ...]]:
    """Return x with a batch axis, and the new height and width."""
    images = batched(operation, x, 2)
    lengths = per_axis(operation, "size", size, 1, 2)
    align_corners = flag(operation, "align_corners", align_corners)
    if flag(operation, "half_pixel_centers", half_pixel_centers) and align_corners:
        raise ArgumentError(
            f"{operation}: conflicting options; got align_corners and half_pixel_centers; choose "
            "one"
        )
    if not all(0 < n * out <= _LARGEST for n, out in zip(images.shape[1:3], lengths, strict=True)):
        raise ShapeError(
            f"{operation}: lengths are out of range; got shape {x.shape} and size {lengths}; use "
            f"non-empty images, and lengths with products up to {_LARGEST}"
        )
    return images, lengths


def _interpolated(
    x: Tensor, axis: int, out: int, align_corners: bool, half_pixel_centers: bool
) -> Tensor:
    """Interpolate x to `out` values along an axis."""
    n = x.shape[axis]
    if out == n:
        return x
    low, part = _places(n, out, align_corners, half_pixel_centers, least=0)
    part = part.reshape((out, *(1,) * (x.ndim - axis - 1)))
    before, after = F.take(x, low, axis=axis), F.take(x, (low + 1).minimum(n - 1), axis=axis)
    return before + (after - before) * part


def _places(
    n: int, out: int, align_corners: bool, half_pixel_centers: bool, least: int | None = None
) -> tuple[Tensor, Tensor]:
    """Return the pixel before the position of each new pixel, and the distance from it.

    Positions are at least `least`.
    """
    position = F.arange(out)
    if align_corners and out > 1:
        scaled, unit = position * (n - 1), out - 1
    elif half_pixel_centers:
        scaled, unit = position * (2 * n) + (n - out), 2 * out
    else:
        scaled, unit = position * n, out
    if least is not None:
        scaled = scaled.maximum(least * unit)
    low = scaled // unit
    return low, (scaled - low * unit).astype("float32") * (1.0 / unit)
