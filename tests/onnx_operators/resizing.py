"""Resize, where it means what one of our two functions does."""

from __future__ import annotations

from fractions import Fraction

import py_tensor as pt

from .images import channels_first, channels_last
from .kinds import Unsupported

NEAREST = {
    ("asymmetric", "floor"): {},
    ("half_pixel", "round_prefer_ceil"): {"half_pixel_centers": True},
    ("align_corners", "round_prefer_ceil"): {"align_corners": True},
}
LINEAR = {
    "asymmetric": {},
    "half_pixel": {"half_pixel_centers": True},
    "half_pixel_symmetric": {"half_pixel_centers": True},
    "align_corners": {"align_corners": True},
}


def resize(
    x, roi=None, scales=None, sizes=None, *, antialias=0, axes=None,
    coordinate_transformation_mode="half_pixel", cubic_coeff_a=-0.75, exclude_outside=0,
    extrapolation_value=0.0, keep_aspect_ratio_policy="stretch", mode="nearest",
    nearest_mode="round_prefer_floor",
):  # fmt: skip
    if antialias:
        raise Unsupported("antialiasing")
    image, along = list(x.shape), axes or list(range(x.ndim))
    if sizes is not None:
        asked = [Fraction(n, x.shape[axis]) for axis, n in zip(along, sizes.tolist(), strict=True)]
        if keep_aspect_ratio_policy != "stretch":
            one = min(asked) if keep_aspect_ratio_policy == "not_larger" else max(asked)
            asked = [one] * len(asked)
            sizes = None
    else:
        asked = [Fraction(scale) for scale in scales.tolist()]
    for axis, scale in zip(along, asked, strict=True):
        exact = x.shape[axis] * scale
        if exact.denominator != 1:
            # ONNX goes on with the scale given, we with the ratio of the lengths.
            raise Unsupported(f"length {x.shape[axis]} times {scale}")
        image[axis] = int(exact)
    function, options = _function(
        x.shape, image, mode, coordinate_transformation_mode, nearest_mode
    )
    return channels_first(function(channels_last(x), image[2:], **options))


def _function(given, wanted, mode, transformation, rounding):
    """Which of our functions does it, and its options."""
    if mode == "linear" and transformation in LINEAR:
        return pt.nn.resize_bilinear, LINEAR[transformation]
    if mode == "linear" and transformation == "pytorch_half_pixel" and 1 not in wanted[2:]:
        return pt.nn.resize_bilinear, LINEAR["half_pixel"]
    if mode == "nearest" and (transformation, rounding) == ("half_pixel", "round_prefer_floor"):
        # They differ only where a place is halfway between two pixels.
        halfway = any(
            ((i + Fraction(1, 2)) * n / out).denominator == 1
            for n, out in zip(given, wanted, strict=True)
            for i in range(out)
        )
        rounding = rounding if halfway else "round_prefer_ceil"
    if mode == "nearest" and (transformation, rounding) in NEAREST:
        return pt.nn.resize_nearest_neighbor, NEAREST[transformation, rounding]
    raise Unsupported(f"{mode}, {transformation}, {rounding}")


def upsample(x, scales, *, mode="nearest"):
    return resize(
        x,
        scales=scales,
        mode=mode,
        coordinate_transformation_mode="asymmetric",
        nearest_mode="floor",
    )


OPERATORS = {"Resize": resize, "Upsample": upsample}
