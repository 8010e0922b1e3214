"""Images in other sizes, with TensorFlow.js's two conventions for which point a pixel is.

Pixel i of `out` pixels takes its value from the place of the image of length `n`:

    i * n / out                     by default: pixels are points, the first ones coincide
    i * (n - 1) / (out - 1)         with align_corners: so do the last ones; 0 where out is 1
    (i + 0.5) * n / out - 0.5       with half_pixel_centers: pixels are squares, edges coincide

Places are fractions of integers and are computed as such, so no rounding decides which pixel is
the nearest.
"""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentError, ShapeError
from ..functions.creation import PUBLIC as CREATION
from ..functions.floating import floating, wide
from ..functions.indexing import take
from ..functions.remembering import remembered
from ..functions.windows import batched, per_axis
from ..tensor import Tensor, as_tensor

_LARGEST = 1 << 30
"""Products of lengths up to this one leave room for doubling them in int32."""


@remembered
def resize_bilinear(
    x: Any, size: Any, /, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Tensor:
    """Images of another size, each value interpolated between the four pixels around its place.

    `x` has shape (batch, height, width, channels), or (height, width, channels), and a floating
    dtype; `size` is a number or (height', width'). Along an axis that n pixels become `out`, the
    place of pixel i is i * n / out; with `align_corners`, i * (n - 1) / (out - 1); with
    `half_pixel_centers`, (i + 0.5) * n / out - 0.5. Places beyond an edge take the edge's value.
    Raises ArgumentError where both conventions are asked for, ShapeError for empty images,
    DTypeError for other dtypes.

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
def resize_nearest_neighbor(
    x: Any, size: Any, /, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Tensor:
    """Images of another size, each value that of the pixel at its place.

    Any dtype; shapes and errors are those of `resize_bilinear`. The place is rounded down; with
    `align_corners`, to the nearest pixel, halves up; with `half_pixel_centers`, (i + 0.5) * n / out
    is rounded down.

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
        position = CREATION["arange"](out)
        if align_corners and out > 1:
            nearest = (position * (2 * n - 2) + (out - 1)) // (2 * out - 2)
        elif half_pixel_centers:
            nearest = (position * 2 + 1) * n // (2 * out)
        else:
            nearest = position * n // out
        images = take(images, nearest, axis=axis)
    return images.reshape((*x.shape[:-3], *lengths, x.shape[-1]))


def _checked(
    operation: str, x: Tensor, size: Any, align_corners: bool, half_pixel_centers: bool
) -> tuple[Tensor, tuple[int, ...]]:
    """x with a batch axis, and the new height and width."""
    images = batched(operation, x, 2)
    lengths = per_axis(operation, "size", size, 1, 2)
    if align_corners and half_pixel_centers:
        raise ArgumentError(
            f"{operation}: two conventions at once; got align_corners and half_pixel_centers; "
            "choose one"
        )
    if not all(0 < n * out <= _LARGEST for n, out in zip(images.shape[1:3], lengths, strict=True)):
        raise ShapeError(
            f"{operation}: lengths out of range; got shape {x.shape} and size {lengths}; "
            f"give images with elements, and lengths with products up to {_LARGEST}"
        )
    return images, lengths


def _interpolated(
    x: Tensor, axis: int, out: int, align_corners: bool, half_pixel_centers: bool
) -> Tensor:
    """x with `out` values along an axis."""
    n = x.shape[axis]
    if out == n:
        return x
    position = CREATION["arange"](out)
    if align_corners and out > 1:
        place, unit = position * (n - 1), out - 1
    elif half_pixel_centers:
        place, unit = (position * (2 * n) + (n - out)).maximum(0), 2 * out
    else:
        place, unit = position * n, out
    low = place // unit
    across = (1,) * (x.ndim - axis - 1)
    part = ((place - low * unit).astype("float32") * (1.0 / unit)).reshape((out, *across))
    before, after = take(x, low, axis=axis), take(x, (low + 1).minimum(n - 1), axis=axis)
    return before + (after - before) * part
