"""Layers and functions that resize, rearrange and sample images, against NumPy loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers import assert_raises, assert_values, sample
from test_nn_gradients import check_gradient

import py_tensor as pt
from py_tensor import errors

nn = pt.nn


def cubic(distance, a=-0.75):
    t = abs(distance)
    if t <= 1:
        return (a + 2) * t**3 - (a + 3) * t**2 + 1
    return a * (t**3 - 5 * t**2 + 8 * t - 4) if t < 2 else 0.0


def bicubic(x, size, position, a=-0.75):
    """Interpolate a batch of images, axis by axis; `position` gives (i, n, out) -> place."""
    for axis, out in enumerate(size, 1):
        n = x.shape[axis]
        matrix = np.zeros((out, n))
        for i in range(out):
            place = position(i, n, out)
            for at in range(math.floor(place) - 1, math.floor(place) + 3):
                matrix[i, min(max(at, 0), n - 1)] += cubic(place - at, a)
        x = np.moveaxis(np.tensordot(matrix, x, axes=(1, axis)), 0, axis)
    return x


POSITIONS = {
    "corners": ({}, lambda i, n, out: i * n / out),
    "aligned": ({"align_corners": True}, lambda i, n, out: i * (n - 1) / max(1, out - 1)),
    "centers": ({"half_pixel_centers": True}, lambda i, n, out: (i + 0.5) * n / out - 0.5),
}


@pytest.mark.parametrize("name", POSITIONS)
@pytest.mark.parametrize("size", [(7, 9), (3, 2), (1, 5)], ids=str)
def test_bicubic(name, size, rng):
    options, position = POSITIONS[name]
    x = sample(rng, (2, 4, 5, 3), "float32")
    want = bicubic(x.astype("float64"), size, position).astype("float32")
    got = nn.resize_bicubic(pt.asarray(x), size, **options)
    assert_values(got, want, rtol=1e-5, atol=2e-5)
    keys = bicubic(x.astype("float64"), size, position, -0.5).astype("float32")
    got = nn.resize_bicubic(pt.asarray(x), size, coefficient=-0.5, **options)
    assert_values(got, keys, rtol=1e-5, atol=2e-5)


@pytest.mark.parametrize("method", ["nearest", "bilinear", "bicubic"])
def test_upsample(method, rng):
    x = sample(rng, (2, 3, 4, 2), "float32")
    got = nn.Upsample((2, 3), method=method)(pt.asarray(x))
    if method == "nearest":
        assert_values(got, x.repeat(2, axis=1).repeat(3, axis=2))
    else:
        name = f"resize_{method}"
        want = getattr(nn, name)(pt.asarray(x), (6, 12), half_pixel_centers=True)
        assert_values(got, want.numpy())


@pytest.mark.parametrize(("factor", "channels"), [(2, 3), (3, 1)])
def test_pixel_shuffle(factor, channels, rng):
    x = sample(rng, (2, 3, 4, channels * factor**2), "float32")
    want = np.zeros((2, 3 * factor, 4 * factor, channels), "float32")
    for row, column, c in np.ndindex(want.shape[1:]):
        source = (c * factor + row % factor) * factor + column % factor
        want[:, row, column, c] = x[:, row // factor, column // factor, source]
    assert_values(nn.PixelShuffle(factor)(pt.asarray(x)), want)


def test_padding_and_cropping(rng):
    x = sample(rng, (2, 5, 6, 3), "float32")
    widths = ((1, 0), (2, 1))
    padded = np.pad(x, ((0, 0), *widths, (0, 0)))
    assert_values(nn.ZeroPadding2D(widths)(pt.asarray(x)), padded)
    assert_values(nn.Cropping2D(widths)(pt.asarray(padded)), x)
    assert_values(nn.Cropping2D(1)(pt.asarray(x)), x[:, 1:-1, 1:-1])
    line = x[:, 0]
    assert_values(nn.ZeroPadding1D(2)(pt.asarray(line)), np.pad(line, ((0, 0), (2, 2), (0, 0))))
    assert_values(nn.Cropping1D(2)(pt.asarray(line)), line[:, 2:-2])


def test_spatial_dropout():
    pt.random.seed(0)
    x = pt.ones((16, 3, 4, 8))
    got = nn.SpatialDropout(0.25)(x, training=True).numpy()
    np.testing.assert_array_equal(got, np.broadcast_to(got[:, :1, :1], got.shape))
    assert set(got.ravel()) == {0.0, np.float32(1 / 0.75)}
    assert 0.1 < (got[:, 0, 0] == 0).mean() < 0.4
    assert nn.SpatialDropout(0.25)(x) is x


def test_time_distributed(rng):
    layer = nn.Conv2D(2, 3, 3)
    x = sample(rng, (2, 4, 5, 5, 2), "float32")
    got = nn.TimeDistributed(layer)(pt.asarray(x))
    want = np.stack([layer(pt.asarray(x[:, at])).numpy() for at in range(4)], axis=1)
    assert_values(got, want, rtol=1e-6, atol=1e-6)
    assert not nn.TimeDistributed(nn.Dropout(1.0))(pt.ones((2, 3, 4)), training=True).numpy().any()


def patches(x, size, stride=(1, 1), padding=0, dilation=(1, 1)):
    x = np.pad(x, ((0, 0), (padding, padding), (padding, padding), (0, 0)))
    span = [(k - 1) * d + 1 for k, d in zip(size, dilation, strict=True)]
    rows, columns = ((x.shape[i + 1] - span[i]) // stride[i] + 1 for i in range(2))
    result = np.zeros((x.shape[0], rows, columns, size[0] * size[1] * x.shape[3]), x.dtype)
    for row, column in np.ndindex(rows, columns):
        top, left = row * stride[0], column * stride[1]
        patch = x[:, top : top + span[0] : dilation[0], left : left + span[1] : dilation[1]]
        result[:, row, column] = patch.reshape(x.shape[0], -1)
    return result


WINDOWS = [
    ((2, 3), {}),
    ((2, 2), {"stride": (2, 1), "padding": 1}),
    ((3, 2), {"dilation": (2, 3)}),
]


@pytest.mark.parametrize(("size", "options"), WINDOWS, ids=str)
def test_unfold_and_fold(size, options, rng):
    x = sample(rng, (2, 6, 7, 3), "float32")
    got = nn.unfold(pt.asarray(x), size, **options)
    assert_values(got, patches(x, size, **options))
    # fold is the transpose: <unfold(x), p> = <x, fold(p)>.
    p = sample(rng, got.shape, "float32")
    folded = nn.fold(pt.asarray(p), (6, 7), size, **options)
    assert folded.shape == x.shape
    left = (patches(x.astype("float64"), size, **options) * p).sum()
    assert (folded.numpy().astype("float64") * x).sum() == pytest.approx(left, rel=1e-4)
    counts = nn.fold(nn.unfold(pt.ones((1, 6, 7, 1)), size, **options), (6, 7), size, **options)
    assert counts.numpy().max() <= size[0] * size[1]


def sampled(x, grid, padding_mode="zeros", align_corners=False):
    _, height, width, channels = x.shape
    result = np.zeros((*grid.shape[:3], channels))
    for b, row, column in np.ndindex(grid.shape[:3]):
        place = []
        for at, n in zip(grid[b, row, column], (width, height), strict=True):
            p = (at + 1) / 2 * (n - 1) if align_corners else (at + 1) / 2 * n - 0.5
            place.append(min(max(p, 0), n - 1) if padding_mode == "border" else p)
        for i in (math.floor(place[1]), math.floor(place[1]) + 1):
            for j in (math.floor(place[0]), math.floor(place[0]) + 1):
                if 0 <= i < height and 0 <= j < width:
                    share = (1 - abs(place[1] - i)) * (1 - abs(place[0] - j))
                    result[b, row, column] += share * x[b, i, j]
    return result


@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("padding_mode", ["zeros", "border"])
def test_grid_sample(padding_mode, align_corners, rng):
    x = sample(rng, (2, 4, 5, 3), "float32")
    grid = sample(rng, (2, 3, 6, 2), "float32", -1.3, 1.3)
    options = {"padding_mode": padding_mode, "align_corners": align_corners}
    want = sampled(x.astype("float64"), grid.astype("float64"), **options)
    got = nn.grid_sample(pt.asarray(x), pt.asarray(grid), **options)
    assert_values(got, want.astype("float32"), rtol=1e-5, atol=1e-5)


def test_gradients(rng):
    x = sample(rng, (1, 3, 4, 2), "float32")
    grid = sample(rng, (1, 2, 3, 2), "float32", -0.9, 0.9)
    check_gradient(rng, nn.grid_sample, sampled, x, grid, tolerance=1e-4)
    check_gradient(
        rng,
        lambda x: nn.resize_bicubic(x, (5, 3), half_pixel_centers=True),
        lambda x: bicubic(x, (5, 3), POSITIONS["centers"][1]),
        x,
    )
    check_gradient(rng, lambda x: nn.unfold(x, 2), lambda x: patches(x, (2, 2)), x)


CASES = {
    "method": (
        errors.ArgumentError,
        lambda: nn.Upsample(2, method="linear"),
        'Upsample: method is unknown; got \'linear\'; use "nearest", "bilinear" or "bicubic"',
    ),
    "no images": (
        errors.ShapeError,
        lambda: nn.ZeroPadding2D(1)(pt.ones((2, 3, 4))),
        "ZeroPadding2D(((1, 1), (1, 1))): ZeroPadding2D: input has the wrong number of axes; got "
        "shape (2, 3, 4); use 4 axes with the channels last",
    ),
    "too much": (
        errors.ShapeError,
        lambda: nn.Cropping1D(2)(pt.ones((2, 3, 4))),
        "Cropping1D((2, 2)): Cropping1D: more is cropped than there is; got ((2, 2),) for shape "
        "(2, 3, 4); crop less",
    ),
    "channels": (
        errors.ShapeError,
        lambda: nn.pixel_shuffle(pt.ones((1, 2, 2, 6)), 2),
        "pixel_shuffle: channels do not fit the factor; got shape (1, 2, 2, 6) and factor 2; x "
        "must have shape (batch, height, width, channels * factor**2)",
    ),
    "small images": (
        errors.ShapeError,
        lambda: nn.unfold(pt.ones((1, 2, 2, 1)), 3),
        "unfold: images are smaller than a patch; got shape (1, 2, 2, 1) with padding and patches "
        "of 3 x 3; pad more",
    ),
    "patches": (
        errors.ShapeError,
        lambda: nn.fold(pt.ones((1, 2, 2, 4)), 4, 2),
        "fold: patches do not fit the images; got shape (1, 2, 2, 4) for (1, 3, 3, 4); use the "
        "shape and the arguments of unfold",
    ),
    "grid": (
        errors.ShapeError,
        lambda: nn.grid_sample(pt.ones((1, 2, 2, 1)), pt.ones((2, 2, 2, 2))),
        "grid_sample: shapes are incompatible; got (1, 2, 2, 1) and (2, 2, 2, 2); x must have "
        "shape (batch, height, width, channels), grid (batch, rows, columns, 2)",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_wrong_arguments(name):
    error, call, text = CASES[name]
    assert_raises(error, text, call)
