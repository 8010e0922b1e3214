"""Color conversions and normalization against OpenCV; see data/make_vision_fixtures.py."""

from __future__ import annotations

from pathlib import Path

import half_storage
import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors

IMAGES = np.load(Path(__file__).parent / "data" / "images.npz")


def test_hsv():
    got = pt.vision.rgb_to_hsv(IMAGES["colors"])
    assert_values(got * pt.asarray([360.0, 1.0, 1.0]), IMAGES["HSV"], atol=3e-4)


def test_lab():
    # OpenCV interpolates in tables, which is up to 0.4 away from the formula.
    assert_values(pt.vision.rgb_to_lab(IMAGES["colors"]), IMAGES["Lab"], atol=0.5)
    colors = IMAGES["colors"].astype("float64")
    linear = np.where(colors <= 0.04045, colors / 12.92, ((colors + 0.055) / 1.055) ** 2.4)
    to_xyz = [[0.412453, 0.35758, 0.180423], [0.212671, 0.71516, 0.072169],
              [0.019334, 0.119193, 0.950227]]  # fmt: skip
    shares = linear @ np.transpose(to_xyz) / [0.950456, 1.0, 1.088754]
    x, y, z = np.moveaxis(
        np.where(shares > 0.008856, np.cbrt(shares), 7.787 * shares + 16 / 116), -1, 0
    )
    exact = np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], -1)
    assert_values(pt.vision.rgb_to_lab(IMAGES["colors"]), exact.astype("float32"), atol=2e-3)


def test_yuv():
    got = pt.vision.rgb_to_yuv(IMAGES["colors"])
    assert_values(got + pt.asarray([0.0, 0.5, 0.5]), IMAGES["YUV"], atol=1e-6)


def test_gray():
    got = pt.vision.rgb_to_grayscale(IMAGES["colors"])[..., 0]
    assert_values(got, IMAGES["GRAY"].reshape((64, 1)), atol=2e-4)


@pytest.mark.parametrize("space", ["hsv", "lab", "yuv"])
def test_colors_and_back(space):
    there = getattr(pt.vision, f"rgb_to_{space}")
    back = getattr(pt.vision, f"{space}_to_rgb")
    colors = pt.asarray(IMAGES["colors"])
    assert_values(
        pt.jit(lambda x: back(there(x)))(colors),
        IMAGES["colors"],
        atol=half_storage.derivative(5e-5),
    )


def test_integers_are_fractions_of_255():
    pixels = pt.asarray([[255, 0, 51]], dtype="uint8")
    assert_values(
        pt.vision.rgb_to_hsv(pixels), pt.vision.rgb_to_hsv([[1.0, 0.0, 0.2]]).numpy(), atol=1e-6
    )


@pytest.mark.parametrize(("dtype", "scale"), [("uint8", None), ("float32", 1 / 255)])
def test_normalize(dtype, scale, rng):
    x = rng.integers(0, 256, (2, 3, 3)).astype(dtype)
    mean, std = np.float32([0.485, 0.456, 0.406]), np.float32([0.229, 0.224, 0.225])
    got = pt.vision.normalize(pt.asarray(x), mean, std, scale=scale)
    assert_values(got, ((x / 255 - mean) / std).astype("float32"), atol=2e-6)


def test_normalization_of_other_channels():
    assert_raises(
        errors.ShapeError,
        "normalize: channels do not fit; got shapes (3,) and () for (2, 4); pass one number, or "
        "one for each channel",
        lambda: pt.vision.normalize(pt.ones((2, 4)), [0.0, 1.0, 2.0]),
    )
