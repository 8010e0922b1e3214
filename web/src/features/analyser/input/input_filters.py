"""Further filters of pictures: functions of a picture and a strength, as in photo_filters."""

import math
from collections.abc import Callable, Sequence

import photo_filters
from photo_filters import Picture

import py_tensor as pt


def hue(picture: Picture, degrees: float) -> Picture:
    """Turn the hue of all colours."""
    h, s, v = pt.unstack(pt.vision.rgb_to_hsv(picture[..., :3]), axis=-1)
    return _colors(pt.stack([(h + degrees / 360) % 1.0, s, v], axis=-1))


def saturation(picture: Picture, factor: float) -> Picture:
    """Scale the differences of colours from their luma; 0 makes the picture grey."""
    grey = pt.vision.rgb_to_grayscale(picture[..., :3])
    return _opaque(grey + (picture[..., :3] - grey) * factor)


def noise(picture: Picture, sigma: float) -> Picture:
    """Add normal noise, other numbers for each picture."""
    return picture + pt.random.normal(picture.shape) * sigma


def pixelate(picture: Picture, size: float) -> Picture:
    """Paint squares of one colour."""
    height, width = picture.shape[:2]
    fewer = [max(round(length / size), 1) for length in (height, width)]
    small = pt.vision.resize(picture, fewer, method="area")
    return pt.vision.resize(small, (height, width), method="nearest")


def flip(picture: Picture, how: float) -> Picture:
    """Mirror the columns (1), the rows (2), or both (3)."""
    axes = {1: 1, 2: 0, 3: (0, 1)}[round(how)]
    return pt.flip(picture, axis=axes)


def rotate(picture: Picture, degrees: float) -> Picture:
    """Turn the picture around its center; what is outside is black."""
    return pt.vision.rotate(picture[None], math.radians(degrees), method="bilinear")[0]


def crop(picture: Picture, part: float) -> Picture:
    """Enlarge the middle of the picture to its size."""
    height, width = picture.shape[:2]
    matrix = [[part, 0.0, width * (1 - part) / 2], [0.0, part, height * (1 - part) / 2]]
    return pt.vision.warp_affine(picture, matrix, half_pixel_centers=True)


FILTERS: dict[str, Callable[[Picture, float], Picture]] = {
    **photo_filters.FILTERS,
    "hue": hue,
    "saturation": saturation,
    "noise": noise,
    "pixelate": pixelate,
    "flip": flip,
    "rotate": rotate,
    "crop": crop,
}


def filtered(photo: pt.Tensor, chain: Sequence[tuple[str, float]]) -> pt.Tensor:
    """Apply filters in order to a uint8 picture of four channels, and return three."""
    if not chain:
        return photo[..., :3]
    picture = photo.astype("float32") / 255
    for name, strength in chain:
        picture = pt.clip(FILTERS[name](picture, strength), 0, 1)
    return pt.round(picture[..., :3] * 255).astype("uint8")


def _colors(hsv: pt.Tensor) -> Picture:
    return _opaque(pt.vision.hsv_to_rgb(hsv))


def _opaque(colors: pt.Tensor) -> Picture:
    return pt.concat([colors, pt.ones((*colors.shape[:2], 1))], axis=-1)
