"""Colors of images: other color spaces, normalization and thresholds.

Colors are on the last axis: red, green and blue, from 0 to 1 as floats or from 0 to 255 as
integers.
"""

from __future__ import annotations

from collections.abc import Sequence

from .. import functions as F
from ..errors import DTypeError, ShapeError
from ..functions.arguments import choice, flag, number
from ..functions.decorators import named
from ..functions.elementwise import where
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike


def _colors(operation: str, x: ArrayLike) -> list[Tensor]:
    """Return three channels as float32; integers are divided by 255."""
    colors = as_tensor(operation, x)
    if colors.shape[-1:] != (3,):
        raise ShapeError(
            f"{operation}: last axis has not length 3; got shape {colors.shape}; pass three "
            "numbers for each pixel"
        )
    if colors.dtype.kind not in "iuf":
        raise DTypeError(
            f'{operation}: dtype {colors.dtype} is not numeric; use x.astype("float32")'
        )
    floats = colors.astype("float32", copy=False)
    floats = floats if colors.dtype.kind == "f" else floats * (1.0 / 255.0)
    return [floats[..., at] for at in range(3)]


def _mixed(channels: Sequence[Tensor], rows: Sequence[Sequence[float]]) -> list[Tensor]:
    """Return the product of a matrix and the channels."""
    x, y, z = channels
    return [x * a + y * b + z * c for a, b, c in rows]


@named
def rgb_to_hsv(x: ArrayLike, /) -> Tensor:
    """Return hue, saturation and value.

    Args:
        x: Colors of shape (..., 3); floats from 0 to 1, or integers from 0 to 255.

    Returns:
        float32 tensor of shape (..., 3) with numbers from 0 to 1. Hue 0 is red, 1/3 is green, and
        2/3 is blue; gray has hue 0.

    Raises:
        DTypeError: If `x` is bool or complex.
        ShapeError: If the last axis has not length 3.

    >>> import py_tensor as pt
    >>> [round(each, 3) for each in pt.vision.rgb_to_hsv([0.0, 0.5, 0.0]).tolist()]
    [0.333, 1.0, 0.5]
    """
    red, green, blue = _colors("rgb_to_hsv", x)
    value = F.maximum(red, F.maximum(green, blue))
    spread = value - F.minimum(red, F.minimum(green, blue))
    sixth = F.divide_no_nan(1.0 / 6.0, spread)
    hue = where(green == value, (blue - red) * sixth + 1.0 / 3.0, (red - green) * sixth + 2.0 / 3.0)
    hue = where(red == value, (green - blue) * sixth, hue)
    hue = where(spread > 0.0, where(hue < 0.0, hue + 1.0, hue), 0.0)
    return F.stack([hue, F.divide_no_nan(spread, value), value], axis=-1)


@named
def hsv_to_rgb(x: ArrayLike, /) -> Tensor:
    """Return red, green and blue of hue, saturation and value; inverse of `rgb_to_hsv`.

    Args:
        x: Tensor of shape (..., 3); floats from 0 to 1, or integers from 0 to 255.

    Returns:
        float32 tensor of shape (..., 3) with numbers from 0 to 1.

    Raises:
        DTypeError: If `x` is bool or complex.
        ShapeError: If the last axis has not length 3.

    >>> import py_tensor as pt
    >>> pt.vision.hsv_to_rgb([0.5, 1.0, 0.5]).tolist()
    [0.0, 0.5, 0.5]
    """
    hue, saturation, value = _colors("hsv_to_rgb", x)
    around = hue * 6.0
    full = [abs(around - 3.0) - 1.0, 2.0 - abs(around - 2.0), 2.0 - abs(around - 4.0)]
    parts = [(1.0 - saturation + share.clip(0.0, 1.0) * saturation) * value for share in full]
    return F.stack(parts, axis=-1)


_LUMA = (0.299, 0.587, 0.114)


@named
def rgb_to_yuv(x: ArrayLike, /) -> Tensor:
    """Return luma and the two color differences of BT.601.

    Args:
        x: Colors of shape (..., 3); floats from 0 to 1, or integers from 0 to 255.

    Returns:
        float32 tensor of shape (..., 3): Y from 0 to 1, U = 0.492 (blue - Y) and V = 0.877
        (red - Y).

    Raises:
        DTypeError: If `x` is bool or complex.
        ShapeError: If the last axis has not length 3.

    >>> import py_tensor as pt
    >>> [round(each, 3) for each in pt.vision.rgb_to_yuv([0.0, 0.0, 1.0]).tolist()]
    [0.114, 0.436, -0.1]
    """
    channels = _colors("rgb_to_yuv", x)
    (luma,) = _mixed(channels, [_LUMA])
    red, _, blue = channels
    return F.stack([luma, (blue - luma) * 0.492, (red - luma) * 0.877], axis=-1)


@named
def yuv_to_rgb(x: ArrayLike, /) -> Tensor:
    """Return red, green and blue of luma and color differences; inverse of `rgb_to_yuv`.

    Args:
        x: Floats of shape (..., 3).

    Returns:
        float32 tensor of shape (..., 3).

    Raises:
        DTypeError: If `x` is bool or complex.
        ShapeError: If the last axis has not length 3.

    >>> import py_tensor as pt
    >>> [round(each, 3) for each in pt.vision.yuv_to_rgb([0.5, 0.0, 0.0]).tolist()]
    [0.5, 0.5, 0.5]
    """
    luma, u, v = _colors("yuv_to_rgb", x)
    blue, red = luma + u * (1.0 / 0.492), luma + v * (1.0 / 0.877)
    green = (luma - red * _LUMA[0] - blue * _LUMA[2]) * (1.0 / _LUMA[1])
    return F.stack([red, green, blue], axis=-1)


# Source: IEC 61966-2-1 (sRGB) and CIE 15 (L*a*b*), for the white of D65.
_TO_XYZ = (
    (0.412453, 0.357580, 0.180423),
    (0.212671, 0.715160, 0.072169),
    (0.019334, 0.119193, 0.950227),
)
_FROM_XYZ = (
    (3.240479, -1.53715, -0.498535),
    (-0.969256, 1.875991, 0.041556),
    (0.055648, -0.204043, 1.057311),
)
_WHITE = (0.950456, 1.0, 1.088754)


@named
def rgb_to_lab(x: ArrayLike, /) -> Tensor:
    """Return CIE L*a*b* of sRGB colors.

    Args:
        x: Colors of shape (..., 3); floats from 0 to 1, or integers from 0 to 255.

    Returns:
        float32 tensor of shape (..., 3): L from 0 to 100, a and b from about -128 to 127.

    Raises:
        DTypeError: If `x` is bool or complex.
        ShapeError: If the last axis has not length 3.

    >>> import py_tensor as pt
    >>> pt.vision.rgb_to_lab([1.0, 0.0, 0.0]).round().tolist()
    [53.0, 80.0, 67.0]
    """
    linear = [
        where(share <= 0.04045, share * (1.0 / 12.92), ((share + 0.055) * (1.0 / 1.055)) ** 2.4)
        for share in _colors("rgb_to_lab", x)
    ]
    shares = [share * (1.0 / w) for share, w in zip(_mixed(linear, _TO_XYZ), _WHITE, strict=True)]
    a, b, c = (
        where(share > 0.008856, share ** (1.0 / 3.0), share * 7.787 + 16.0 / 116.0)
        for share in shares
    )
    return F.stack([b * 116.0 - 16.0, (a - b) * 500.0, (b - c) * 200.0], axis=-1)


@named
def lab_to_rgb(x: ArrayLike, /) -> Tensor:
    """Return the sRGB colors of CIE L*a*b*; inverse of `rgb_to_lab`.

    Args:
        x: Floats of shape (..., 3).

    Returns:
        float32 tensor of shape (..., 3) with numbers from 0 to 1; other colors are clipped.

    Raises:
        DTypeError: If `x` is bool or complex.
        ShapeError: If the last axis has not length 3.

    >>> import py_tensor as pt
    >>> [round(each, 2) for each in pt.vision.lab_to_rgb([100.0, 0.0, 0.0]).tolist()]
    [1.0, 1.0, 1.0]
    """
    lightness, a, b = _colors("lab_to_rgb", x)
    middle = (lightness + 16.0) * (1.0 / 116.0)
    roots = [middle + a * (1.0 / 500.0), middle, middle - b * (1.0 / 200.0)]
    shares = [where(r > 0.206893, r * r * r, (r - 16.0 / 116.0) * (1.0 / 7.787)) for r in roots]
    xyz = [part * w for part, w in zip(shares, _WHITE, strict=True)]
    linear = [part.clip(0.0, 1.0) for part in _mixed(xyz, _FROM_XYZ)]
    parts = [
        where(part <= 0.0031308, part * 12.92, part ** (1.0 / 2.4) * 1.055 - 0.055)
        for part in linear
    ]
    return F.stack(parts, axis=-1)


@named
def normalize(
    x: ArrayLike,
    mean: ArrayLike = 0.0,
    std: ArrayLike = 1.0,
    /,
    *,
    scale: float | None = None,
) -> Tensor:
    """Return (x * scale - mean) / std, the usual input of networks.

    Args:
        x: Image of shape (..., channels) and a numeric dtype.
        mean: Number, or one for each channel; 0.0 by default.
        std: Number, or one for each channel; 1.0 by default.
        scale: Factor of the pixels; None (default) for 1 / 255 of integers and 1.0 of floats.

    Returns:
        Tensor of the shape of `x`; floating, float32 for integers.

    Raises:
        DTypeError: If the dtype is not numeric.
        ShapeError: If `mean` or `std` do not fit the channels.

    >>> import py_tensor as pt
    >>> pixels = pt.asarray([0, 51, 255], dtype="uint8")
    >>> [round(each, 2) for each in pt.vision.normalize(pixels, 0.5, 0.5).tolist()]
    [-1.0, -0.6, 1.0]
    """
    image = as_tensor("normalize", x)
    if image.dtype.kind not in "iuf":
        raise DTypeError(f'normalize: dtype {image.dtype} is not numeric; use x.astype("float32")')
    whole = image.dtype.kind != "f"
    values = image.astype("float32") if whole else image
    factor = (1.0 / 255.0 if whole else 1.0) if scale is None else scale
    parts = [as_tensor("normalize", part) for part in (mean, std)]
    if any(part.shape not in ((), (1,), image.shape[-1:]) for part in parts):
        raise ShapeError(
            f"normalize: channels do not fit; got shapes {parts[0].shape} and {parts[1].shape} for "
            f"{image.shape}; pass one number, or one for each channel"
        )
    center, spread = (part.astype(values.dtype) for part in parts)
    return (values * number("normalize", "scale", factor) - center) / spread


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
    >>> pt.vision.rgb_to_grayscale([[10, 20, 40]]).tolist()
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
    red, green, blue = (F.astype(colors[..., at : at + 1], "float32") for at in range(3))
    return F.astype(red * 0.2989 + green * 0.587 + blue * 0.114, colors.dtype)


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
    >>> pt.vision.threshold([[[100], [200]]]).tolist()
    [[[0], [255]]]
    """
    choice("threshold", "method", method, ("binary", "otsu"))
    gray = as_tensor("threshold", x)
    if gray.ndim != 3 or gray.shape[2] not in (1, 3):
        raise ShapeError(
            f"threshold: input must be an image; got shape {gray.shape}; x must have shape "
            "(height, width, 1) or (height, width, 3)"
        )
    gray = F.astype(gray, "float32")
    gray = rgb_to_grayscale(gray) if gray.shape[2] == 3 else gray
    if method == "otsu":
        gray = F.round(gray)
    limit = _otsu(gray) if method == "otsu" else value * 255.0
    white = gray <= limit if flag("threshold", "inverted", inverted) else gray > limit
    return F.astype(white, "int32") * 255


def _otsu(gray: Tensor) -> Tensor:
    """Return the limit with the largest variance between classes, or -1 if there is one class.

    Pixels have whole values from 0 to 255.
    """
    counts = F.bincount(F.astype(gray, "int32").flatten(), length=256)
    share = F.astype(counts, "float32") / gray.size
    levels = F.astype(F.arange(256), "float32")
    below, weighted = F.cumulative_sum(share), F.cumulative_sum(share * levels)
    mean = F.divide_no_nan(weighted, below)
    above = F.divide_no_nan(F.sum(share * levels) - weighted, 1.0 - below)
    # Sums of shares are not exactly 1.
    spread = where(F.cumulative_sum(counts) < gray.size, below * (1.0 - below), 0.0)
    spread = spread * (mean - above) ** 2
    best = F.argmax(spread)
    return F.astype(where(F.take(spread, best) > 0.0, best, -1), "float32")
