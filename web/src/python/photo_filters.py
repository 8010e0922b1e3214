"""Filters of the photo lab: functions of a picture and a strength that return a picture.

A picture is a float32 tensor of shape (height, width, 4) with values from 0 to 1. With four
channels, a pixel is exactly one texel, so filters read whole texels. Filters ignore the fourth
channel; `apply` makes it opaque at the end.
"""

import functools
import math
from collections.abc import Callable, Sequence

import py_tensor as pt

Picture = pt.Tensor
RED, GREEN, BLUE = 0.299, 0.587, 0.114  # luma weights of Rec. 601


def brightness(picture: Picture, amount: float) -> Picture:
    """Add a constant to all channels."""
    return picture + amount


def contrast(picture: Picture, factor: float) -> Picture:
    """Scale the differences from middle grey."""
    return (picture - 0.5) * factor + 0.5


def blur(picture: Picture, sigma: float) -> Picture:
    """Gaussian blur of columns, then rows; pixels outside the picture have weight 0."""
    weights = gaussian(sigma)
    return _mean_along(_mean_along(picture, weights, 0), weights, 1)


def sharpen(picture: Picture, amount: float) -> Picture:
    """Unsharp mask: add the difference from a slightly blurred picture."""
    return picture + (picture - blur(picture, 1.0)) * amount


def sobel(picture: Picture, gain: float) -> Picture:
    """Sobel gradient magnitude of the luma; the border is black."""
    height, width = picture.shape[:2]
    grey = _grey(picture)
    # Each value is used nine times, so computing it once is cheaper.
    pt.realize(grey)

    def at(row: int, column: int) -> Picture:
        return grey[row : height - 2 + row, column : width - 2 + column]

    across = at(0, 2) + at(1, 2) * 2 + at(2, 2) - at(0, 0) - at(1, 0) * 2 - at(2, 0)
    down = at(2, 0) + at(2, 1) * 2 + at(2, 2) - at(0, 0) - at(0, 1) * 2 - at(0, 2)
    return pt.pad(pt.hypot(across, down) * gain, ((1, 1), (1, 1), (0, 0)))


def threshold(picture: Picture, level: float) -> Picture:
    """White if the luma is above the level, else black."""
    return (_grey(picture) > level).astype("float32")


def sepia(picture: Picture, amount: float) -> Picture:
    """Blend with sepia tones."""
    red, green, blue = picture[..., 0:1], picture[..., 1:2], picture[..., 2:3]
    brown = (
        red * _row(0.393, 0.349, 0.272, 0.0)
        + green * _row(0.769, 0.686, 0.534, 0.0)
        + blue * _row(0.189, 0.168, 0.131, 0.0)
    )
    return picture + (brown - picture) * amount


FILTERS: dict[str, Callable[[Picture, float], Picture]] = {
    "brightness": brightness,
    "contrast": contrast,
    "blur": blur,
    "sharpen": sharpen,
    "sobel": sobel,
    "threshold": threshold,
    "sepia": sepia,
}


def apply(photo: pt.Tensor, chain: Sequence[tuple[str, float]]) -> pt.Tensor:
    """Apply filters in order, clipping to 0..1 after each.

    The photo and the result are uint8 of shape (height, width, 4). The conversion is done here
    instead of in `pt.draw`, so that it is part of the last filter's shader.
    """
    picture = photo.astype("float32") / 255
    for name, strength in chain:
        picture = pt.clip(FILTERS[name](picture, strength), 0, 1)
    opaque = pt.maximum(picture, _row(0.0, 0.0, 0.0, 1.0))
    return pt.round(opaque * 255).astype("uint8")


def gaussian(sigma: float) -> list[float]:
    """Gaussian weights at -r to r with sum 1, where r is three sigma rounded up."""
    radius = math.ceil(3 * sigma)
    bell = [math.exp(-0.5 * (i / sigma) ** 2) for i in range(-radius, radius + 1)]
    total = sum(bell)
    return [weight / total for weight in bell]


def _mean_along(picture: Picture, weights: list[float], axis: int) -> Picture:
    """Weighted mean of neighbours along an axis, over those inside the picture."""
    length = picture.shape[axis]
    line = pt.ones((length, 1, 1) if axis == 0 else (1, length, 1))
    return _sum_along(picture, weights, axis) / _sum_along(line, weights, axis)


def _sum_along(picture: Picture, weights: list[float], axis: int) -> Picture:
    """Weighted sum of neighbours along an axis; pixels outside the picture are 0."""
    length, radius = picture.shape[axis], len(weights) // 2
    border = tuple((radius, radius) if i == axis else (0, 0) for i in range(3))
    padded = pt.pad(picture, border)
    before = (slice(None),) * axis
    return functools.reduce(
        lambda total, shift: total + shift,
        (padded[(*before, slice(i, i + length))] * weight for i, weight in enumerate(weights)),
    )


def _grey(picture: Picture) -> Picture:
    """Luma, repeated in all four channels."""
    luma = picture[..., 0:1] * RED + picture[..., 1:2] * GREEN + picture[..., 2:3] * BLUE
    return pt.broadcast_to(luma, picture.shape)


@functools.cache
def _row(*values: float) -> pt.Tensor:
    """Tensor of one constant per channel, cached."""
    return pt.asarray(list(values), dtype="float32")
