"""The photo lab's filters: a picture and a strength in, a picture out.

A picture is a float32 tensor of shape (height, width, 4), values 0 to 1. Four channels, because
then one pixel is one texel: a shift by one pixel is a shift by one texel, and every filter reads
whole texels. The fourth channel is not looked at; `apply` makes it full again at the end.
"""

import functools
import math
from collections.abc import Callable, Sequence

import py_tensor as pt

Picture = pt.Tensor
RED, GREEN, BLUE = 0.299, 0.587, 0.114  # the weights of luma in Rec. 601


def brightness(picture: Picture, amount: float) -> Picture:
    """Add the same light everywhere."""
    return picture + amount


def contrast(picture: Picture, factor: float) -> Picture:
    """Stretch the distances from middle grey."""
    return (picture - 0.5) * factor + 0.5


def blur(picture: Picture, sigma: float) -> Picture:
    """Gaussian blur: columns, then rows; what lies outside the picture has no weight."""
    weights = gaussian(sigma)
    return _spread(_spread(picture, weights, 0), weights, 1)


def sharpen(picture: Picture, amount: float) -> Picture:
    """Add the difference from a slightly blurred picture (an unsharp mask)."""
    return picture + (picture - blur(picture, 1.0)) * amount


def sobel(picture: Picture, gain: float) -> Picture:
    """The length of the luma's gradient (Sobel's), black on the picture's rim."""
    height, width = picture.shape[:2]
    grey = _grey(picture)
    # Each of its values is needed nine times: better computed first than each time anew.
    pt.realize(grey)

    def at(row: int, column: int) -> Picture:
        return grey[row : height - 2 + row, column : width - 2 + column]

    across = at(0, 2) + at(1, 2) * 2 + at(2, 2) - at(0, 0) - at(1, 0) * 2 - at(2, 0)
    down = at(2, 0) + at(2, 1) * 2 + at(2, 2) - at(0, 0) - at(0, 1) * 2 - at(0, 2)
    return pt.pad(pt.hypot(across, down) * gain, ((1, 1), (1, 1), (0, 0)))


def threshold(picture: Picture, level: float) -> Picture:
    """White where the luma is above the level, black elsewhere."""
    return (_grey(picture) > level).astype("float32")


def sepia(picture: Picture, amount: float) -> Picture:
    """Mix with the brown tones of an old print."""
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
    """The photo through the filters in order; each ends within 0 to 1.

    Takes and gives uint8 of shape (height, width, 4). The conversion is here and not left to
    `pt.draw`, so that it is part of the last filter's shader.
    """
    picture = photo.astype("float32") / 255
    for name, strength in chain:
        picture = pt.clip(FILTERS[name](picture, strength), 0, 1)
    opaque = pt.maximum(picture, _row(0.0, 0.0, 0.0, 1.0))
    return pt.round(opaque * 255).astype("uint8")


def gaussian(sigma: float) -> list[float]:
    """The bell's weights at -r to r, where r is three sigma rounded up; their sum is 1."""
    radius = math.ceil(3 * sigma)
    bell = [math.exp(-0.5 * (i / sigma) ** 2) for i in range(-radius, radius + 1)]
    total = sum(bell)
    return [weight / total for weight in bell]


def _spread(picture: Picture, weights: list[float], axis: int) -> Picture:
    """The weighted mean of the neighbours along an axis that are in the picture."""
    length = picture.shape[axis]
    line = pt.ones((length, 1, 1) if axis == 0 else (1, length, 1))
    return _weighted(picture, weights, axis) / _weighted(line, weights, axis)


def _weighted(picture: Picture, weights: list[float], axis: int) -> Picture:
    """The sum of the shifts along an axis times the weights; zeros come in from outside."""
    length, radius = picture.shape[axis], len(weights) // 2
    border = tuple((radius, radius) if i == axis else (0, 0) for i in range(3))
    padded = pt.pad(picture, border)
    before = (slice(None),) * axis
    return functools.reduce(
        lambda total, shift: total + shift,
        (padded[(*before, slice(i, i + length))] * weight for i, weight in enumerate(weights)),
    )


def _grey(picture: Picture) -> Picture:
    """The luma, in all four channels."""
    luma = picture[..., 0:1] * RED + picture[..., 1:2] * GREEN + picture[..., 2:3] * BLUE
    return pt.broadcast_to(luma, picture.shape)


@functools.cache
def _row(*values: float) -> pt.Tensor:
    """A constant for each channel, made once."""
    return pt.asarray(list(values), dtype="float32")
