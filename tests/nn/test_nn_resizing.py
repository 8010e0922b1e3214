"""Resized images: both conventions, against exact fractions, pixel by pixel."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from helpers import HALF, assert_raises, assert_values, sample

import py_tensor as pt
from py_tensor import errors

nn = pt.nn
OPTIONS = [{}, {"align_corners": True}, {"half_pixel_centers": True}]
SIZES = [
    ((2, 3, 5, 4), (7, 4)),
    ((1, 4, 4, 3), (8, 8)),
    ((1, 8, 6, 4), (3, 2)),
    ((1, 1, 5, 2), (4, 1)),
    ((1, 5, 1, 1), (1, 3)),
    ((1, 7, 7, 4), (7, 5)),
    ((3, 3, 2), 6),
]
options = pytest.mark.parametrize("options", OPTIONS, ids=lambda given: "".join(given) or "plain")


def place(i, n, out, align_corners=False, half_pixel_centers=False):
    """Position, among n pixels, of the value of pixel i of `out`."""
    if half_pixel_centers:
        return (i + Fraction(1, 2)) * n / out - Fraction(1, 2)
    if align_corners:
        return Fraction(i * (n - 1), out - 1) if out > 1 else Fraction(0)
    return Fraction(i * n, out)


def bilinear(x, size, **given):
    height, width = x.shape[1:3]
    result = np.zeros((len(x), *size, x.shape[-1]))
    for i in range(size[0]):
        for j in range(size[1]):
            y = min(max(place(i, height, size[0], **given), 0), height - 1)
            z = min(max(place(j, width, size[1], **given), 0), width - 1)
            for a in {floor(y), min(floor(y) + 1, height - 1)}:
                for b in {floor(z), min(floor(z) + 1, width - 1)}:
                    weight = max(0, 1 - abs(y - a)) * max(0, 1 - abs(z - b))
                    result[:, i, j] += float(weight) * x[:, a, b].astype("float64")
    return result


def nearest(x, size, align_corners=False, half_pixel_centers=False):
    def pixel(i, n, out):
        at = place(i, n, out, align_corners, half_pixel_centers)
        if align_corners or half_pixel_centers:
            at += Fraction(1, 2)
        return min(floor(at), n - 1)

    rows = [pixel(i, x.shape[1], size[0]) for i in range(size[0])]
    columns = [pixel(j, x.shape[2], size[1]) for j in range(size[1])]
    return x[:, rows][:, :, columns]


def both(size):
    return (size, size) if isinstance(size, int) else size


@options
@pytest.mark.parametrize(("shape", "size"), SIZES, ids=str)
def test_bilinear(shape, size, options, rng):
    x = sample(rng, shape, "float32")
    images = x if x.ndim == 4 else x[None]
    want = bilinear(images, both(size), **options).astype("float32")
    got = nn.resize_bilinear(pt.asarray(x), size, **options)
    # Two interpolations of numbers up to 4, each rounded three times.
    assert_values(got, want if x.ndim == 4 else want[0], atol=2e-6)


@options
@pytest.mark.parametrize(("shape", "size"), SIZES, ids=str)
def test_nearest(shape, size, options, rng):
    x = sample(rng, shape, "float32")
    images = x if x.ndim == 4 else x[None]
    want = nearest(images, both(size), **options)
    got = nn.resize_nearest_neighbor(pt.asarray(x), size, **options)
    assert_values(got, want if x.ndim == 4 else want[0])


@options
def test_halves(options, rng):
    x = sample(rng, (1, 5, 6, 3), "float16")
    want = bilinear(x, (7, 4), **options).astype("float16")
    assert_values(nn.resize_bilinear(pt.asarray(x), (7, 4), **options), want, rtol=HALF, atol=HALF)


@pytest.mark.parametrize("dtype", ["float16", "int32", "uint8", "bool"])
def test_nearest_of_every_kind(dtype, rng):
    x = sample(rng, (1, 4, 5, 3), dtype)
    assert_values(nn.resize_nearest_neighbor(pt.asarray(x), (6, 9)), nearest(x, (6, 9)))


@pytest.mark.parametrize("options", OPTIONS[:1] + OPTIONS[2:], ids=["plain", "half_pixel_centers"])
def test_nearest_pixel_does_not_depend_on_rounding(options):
    """Use positions that are mostly integers, which a float32 quotient may miss."""
    x = np.arange(49 * 21, dtype="float32").reshape(1, 1, -1, 1)
    got = nn.resize_nearest_neighbor(pt.asarray(x), (1, 49), **options)
    assert_values(got, nearest(x, (1, 49), **options))


def test_same_size(rng):
    x = sample(rng, (1, 3, 4, 2), "float32")
    for options in OPTIONS:
        assert_values(nn.resize_bilinear(pt.asarray(x), (3, 4), **options), x)
        assert_values(nn.resize_nearest_neighbor(pt.asarray(x), (3, 4), **options), x)


CASES = {
    "resize_bilinear of integers": (
        errors.DTypeError,
        lambda: nn.resize_bilinear(pt.zeros((2, 2, 1), dtype="int32"), 3),
        'resize_bilinear: dtype int32 is not floating; use x.astype("float32")',
    ),
    "resize_bilinear of a matrix": (
        errors.ShapeError,
        lambda: nn.resize_bilinear(pt.zeros((2, 2)), 3),
        "resize_bilinear: input must have 3 or 4 axes; got shape (2, 2); x must have shape "
        "(batch, height, width, channels) or (height, width, channels)",
    ),
    "resize_bilinear to nothing": (
        errors.ArgumentError,
        lambda: nn.resize_bilinear(pt.zeros((2, 2, 1)), (0, 3)),
        "resize_bilinear: size is invalid; got (0, 3); use a number or two of at least 1",
    ),
    "resize_nearest_neighbor by both conventions": (
        errors.ArgumentError,
        lambda: nn.resize_nearest_neighbor(
            pt.zeros((2, 2, 1)), 3, align_corners=True, half_pixel_centers=True
        ),
        "resize_nearest_neighbor: conflicting options; got align_corners and half_pixel_centers; "
        "choose one",
    ),
    "resize_nearest_neighbor of an empty image": (
        errors.ShapeError,
        lambda: nn.resize_nearest_neighbor(pt.zeros((2, 0, 1)), 3),
        "resize_nearest_neighbor: lengths are out of range; got shape (2, 0, 1) and size (3, 3); "
        "use non-empty images, and lengths with products up to 1073741824",
    ),
    "resize_nearest_neighbor to a size that int32 cannot count": (
        errors.ShapeError,
        lambda: nn.resize_nearest_neighbor(pt.zeros((1, 40000, 1)), (1, 30000)),
        "resize_nearest_neighbor: lengths are out of range; got shape (1, 40000, 1) and size (1, "
        "30000); use non-empty images, and lengths with products up to 1073741824",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_wrong_arguments(name):
    error, call, text = CASES[name]
    assert_raises(error, text, call)
