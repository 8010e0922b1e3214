"""Crops, rotation, transforms, thresholds and boxes against loops over pixels."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from helpers import assert_raises, assert_values, sample

import py_tensor as pt
from py_tensor import errors

DTYPES = ["float32", "int32", "uint8"]


def pixel(image, y, x, fill):
    """Return a pixel, or `fill` outside of the image."""
    inside = 0 <= y < image.shape[0] and 0 <= x < image.shape[1]
    return image[int(y), int(x)] if inside else np.full(image.shape[2], fill)


def interpolated(image, y, x, fill, method):
    if method == "nearest":
        return pixel(image, math.floor(y + 0.5), math.floor(x + 0.5), fill)
    top, left = math.floor(y), math.floor(x)
    return sum(
        (1 - abs(y - row)) * (1 - abs(x - column)) * pixel(image, row, column, fill)
        for row in (top, top + 1)
        for column in (left, left + 1)
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("method", ["bilinear", "nearest"])
@pytest.mark.parametrize("size", [(3, 4), (1, 1), (6, 1)])
def test_crop_and_resize(dtype, method, size, rng):
    x = sample(rng, (2, 5, 6, 3), dtype, 0, 200)
    boxes = np.array([[0, 0, 1, 1], [0.9, 0.3, 0.1, 0.7], [-0.3, 0.5, 0.6, 1.3]], "float32")
    places = np.array([1, 0, 1], "int32")
    got = pt.image.crop_and_resize(
        pt.asarray(x), pt.asarray(boxes), pt.asarray(places), size, method=method,
        extrapolation_value=-1.0,
    )  # fmt: skip
    expected = np.zeros((3, *size, 3), "float32")
    for n, (box, place) in enumerate(zip(boxes, places, strict=True)):
        for at in product(*map(range, size)):
            y, x_ = (
                box[axis] * (length - 1)
                + at[axis] * (box[axis + 2] - box[axis]) * (length - 1) / (size[axis] - 1)
                if size[axis] > 1
                else 0.5 * (box[axis] + box[axis + 2]) * (length - 1)
                for axis, length in enumerate((5, 6))
            )
            outside = not (0 <= y <= 4 and 0 <= x_ <= 5)
            image = x[place].astype("float64")
            expected[(n, *at)] = -1.0 if outside else interpolated(image, y, x_, 0, method)
    assert_values(got, expected, rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("center", [0.5, (0.25, 0.75)])
def test_rotate(dtype, center, rng):
    x = sample(rng, (2, 5, 4, 2), dtype, 0, 200)
    angle = 0.7
    got = pt.image.rotate(pt.asarray(x), angle, fill_value=9.0, center=center)
    u, v = (0.5 * 4, 0.5 * 5) if center == 0.5 else (0.25 * 4, 0.75 * 5)
    expected = np.empty_like(x)
    for n, row, column in product(range(2), range(5), range(4)):
        across = (column - u) * math.cos(angle) - (row - v) * math.sin(angle) + u
        down = (column - u) * math.sin(angle) + (row - v) * math.cos(angle) + v
        expected[n, row, column] = interpolated(x[n], down, across, 9, "nearest")
    assert_values(got, expected)


def test_rotation_of_colors_with_an_opaque_background():
    x = pt.zeros((1, 2, 2, 4), dtype="uint8")
    got = pt.image.rotate(x, 0.8, fill_value=(10.0, 20.0, 30.0), center=0.0)
    assert got[0, 0, 0].tolist() == [0, 0, 0, 0]
    assert got[0, 0, 1].tolist() in ([0, 0, 0, 0], [10, 20, 30, 255])
    assert [10, 20, 30, 255] in got.reshape((4, 4)).tolist()


def test_large_integers_are_exact():
    x = pt.asarray([[[[2**24 + 1, 2**31 - 1]]]])
    assert pt.image.rotate(x, 0.0).flatten().tolist() == [2**24 + 1, 2**31 - 1]


def test_gradients_of_samples():
    x = pt.arange(16.0).reshape((1, 4, 4, 1))

    def crop(x):
        return pt.sum(pt.image.crop_and_resize(x, [[0.0, 0.0, 1.0, 0.5]], [0], (2, 2)))

    half = [0.5, 0.5, 0.0]
    rows = pt.grad(crop)(x)[0, :, :, 0].tolist()
    assert rows == [[1.0, *half], [0.0] * 4, [0.0] * 4, [1.0, *half]]
    turned = pt.grad(lambda x: pt.sum(pt.image.rotate(x, 0.0) * x))(x)
    assert turned.tolist() == (2.0 * x).tolist()


def mapped(place, length, mode):
    """Return the position whose value continues an image at a position outside."""
    if mode == "constant":
        return place
    if mode == "reflect":
        place = place % (2 * length)
        place = place if place < length else 2 * length - 1 - place
    if mode == "wrap":
        place = place % length
    return min(max(place, 0), length - 1)


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
@pytest.mark.parametrize("method", ["bilinear", "nearest"])
@pytest.mark.parametrize("mode", ["constant", "reflect", "wrap", "nearest"])
def test_transform(dtype, method, mode, rng):
    x = sample(rng, (2, 4, 5, 2), dtype, 0, 200)
    # Coordinates that are far from halves, where rounding would decide.
    matrices = np.array(
        [[1.0, 0.25, -1.3, 0.125, 0.75, 2.2, 0.0, 0.0], [0.5, 0, -4.1, 0, 2, -3.2, 0.25, 0.125]],
        "float32",
    )
    got = pt.image.transform(
        pt.asarray(x), pt.asarray(matrices), method=method, fill_mode=mode, fill_value=7.0,
        output_size=(6, 5),
    )  # fmt: skip
    expected = np.zeros((2, 6, 5, 2), "float64")
    for n, row, column in product(range(2), range(6), range(5)):
        a, b, c, d, e, f, g, h = matrices[n].astype("float64")
        scale = g * column + h * row + 1
        across = mapped((a * column + b * row + c) / scale, 5, mode)
        down = mapped((d * column + e * row + f) / scale, 4, mode)
        expected[n, row, column] = interpolated(x[n].astype("float64"), down, across, 7.0, method)
    if dtype == "uint8":
        # Interpolated values are cut to integers.
        assert got.dtype.name == "uint8"
        assert np.abs(got.numpy() - expected).max() <= (0 if method == "nearest" else 1.001)
    else:
        assert_values(got, expected.astype("float32"), rtol=1e-5, atol=2e-3)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("channels", [1, 3])
def test_threshold(dtype, channels, rng):
    dark = sample(rng, (6, 7, channels), dtype, 20, 60)
    light = sample(rng, (6, 3, channels), dtype, 180, 220)
    x = np.concatenate([dark, light], axis=1)
    expected = np.zeros((6, 10, 1), "int32")
    expected[:, 7:] = 255
    for method in ("otsu", "binary"):
        assert_values(pt.image.threshold(pt.asarray(x), method=method), expected)
        inverse = pt.image.threshold(pt.asarray(x), method=method, inverted=True)
        assert_values(inverse, 255 - expected)
    assert_values(pt.image.threshold(pt.asarray(x), 0.95), np.zeros_like(expected))


def test_threshold_of_an_image_of_one_value():
    """All pixels are larger than the limit of one class, which is -1."""
    x = pt.full((2, 2, 1), 30)
    assert pt.image.threshold(x, method="otsu").flatten().tolist() == [255] * 4


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3,), (2, 4, 3), (2, 2, 2, 2, 3)])
def test_rgb_to_grayscale(dtype, shape, rng):
    x = sample(rng, shape, dtype, 0, 255)
    expected = (x.astype("float64") * [0.2989, 0.587, 0.114]).sum(axis=-1, keepdims=True)
    got = pt.image.rgb_to_grayscale(pt.asarray(x))
    assert got.dtype.name == dtype
    atol = 1e-4 if dtype == "float32" else 1.0
    np.testing.assert_allclose(got.numpy().astype("float64"), expected, atol=atol)


def suppressed(boxes, scores, size, iou_threshold, score_threshold, sigma):
    """Choose the best box again and again, and lower the scores of the others."""
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])
    area = np.prod(high - low, axis=1)
    left, found = scores.astype("float64"), []
    while len(found) < size and (left > score_threshold).any():
        best = int(np.argmax(left))
        found.append((best, left[best]))
        sides = np.maximum(np.minimum(high, high[best]) - np.maximum(low, low[best]), 0)
        common = np.prod(sides, axis=1)
        iou = common / (area + area[best] - common)
        factor = np.exp(-0.5 / sigma * iou**2) if sigma else 1.0
        left = np.where(left == -np.inf, left, left * factor)
        left[(iou >= iou_threshold) | (np.arange(len(left)) == best)] = -np.inf
    return found


@pytest.mark.parametrize("limit", [0.4, 1.0])
@pytest.mark.parametrize("sigma", [0.0, 0.5, 1e-4])
@pytest.mark.parametrize("count", [1, 5, 60])
@pytest.mark.parametrize("size", [0, 3, 40])
def test_non_max_suppression(limit, sigma, count, size, rng):
    boxes = rng.uniform(0, 4, (count, 4)).astype("float32")
    scores = rng.permutation(count).astype("float32") / count
    options = {"iou_threshold": limit, "score_threshold": 0.1}
    got = pt.image.non_max_suppression(
        pt.asarray(boxes), pt.asarray(scores), size, soft_sigma=sigma, **options
    )
    found = suppressed(boxes.astype("float64"), scores, size, limit, 0.1, sigma)
    assert got.indices.tolist() == [at for at, _ in found]
    np.testing.assert_allclose(got.scores.numpy(), [s for _, s in found], rtol=1e-4)
    assert got.number.item() == len(found)
    padded = pt.image.non_max_suppression(
        pt.asarray(boxes), pt.asarray(scores), size, soft_sigma=sigma, padded=True, **options
    )
    more = [0] * (size - len(found))
    assert padded.indices.tolist() == [at for at, _ in found] + more
    assert padded.scores.tolist() == got.scores.tolist() + more
    assert padded.number.item() == len(found)


def test_thresholds_of_scores():
    """A score equal to the threshold is too low; without a threshold, all boxes count."""
    boxes = pt.asarray([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0], [3.0, 3.0, 4.0, 4.0]])
    scores = pt.asarray([0.75, 0.5, -0.5])
    found = pt.image.non_max_suppression(boxes, scores, 3, padded=True)
    assert (found.indices.tolist(), found.number.item()) == ([0, 2, 0], 2)
    found = pt.image.non_max_suppression(boxes[1:], scores[1:], 3, score_threshold=0.5)
    assert found.indices.tolist() == []


def test_suppression_inside_jit(rng):
    boxes = pt.asarray(rng.uniform(0, 4, (20, 4)).astype("float32"))
    scores = pt.asarray(rng.uniform(0, 1, 20).astype("float32"))

    def kept(boxes, scores):
        return pt.image.non_max_suppression(boxes, scores, 6, padded=True).indices

    assert pt.jit(kept)(boxes, scores).tolist() == kept(boxes, scores).tolist()


@pytest.mark.parametrize(
    ("error", "text", "call"),
    [
        (
            errors.ShapeError,
            "crop_and_resize: input must be images; got shape (2, 2); x must have shape (batch, "
            "height, width, channels)",
            lambda: pt.image.crop_and_resize(pt.ones((2, 2)), [[0.0] * 4], [0], (1, 1)),
        ),
        (
            errors.ShapeError,
            "crop_and_resize: boxes do not fit; got shapes (1, 3) and (1,); boxes must have shape "
            "(n, 4), and box_indices (n,)",
            lambda: pt.image.crop_and_resize(pt.ones((1, 2, 2, 1)), [[0.0] * 3], [0], (1, 1)),
        ),
        (
            errors.ArgumentError,
            "crop_and_resize: crop_size is invalid; got (0, 1); use two lengths of at least 1",
            lambda: pt.image.crop_and_resize(pt.ones((1, 2, 2, 1)), [[0.0] * 4], [0], (0, 1)),
        ),
        (
            errors.ArgumentError,
            "crop_and_resize: crop_size is invalid; got (2,); use two lengths of at least 1",
            lambda: pt.image.crop_and_resize(pt.ones((1, 2, 2, 1)), [[0.0] * 4], [0], 2),
        ),
        (
            errors.ArgumentTypeError,
            "transform: output_size must be an integer; got 1.5; pass an int",
            lambda: pt.image.transform(pt.ones((1, 2, 2, 1)), [[0.0] * 8], output_size=(2, 1.5)),
        ),
        (
            errors.ArgumentError,
            'crop_and_resize: method is unknown; got \'cubic\'; use "bilinear" or "nearest"',
            lambda: pt.image.crop_and_resize(
                pt.ones((1, 2, 2, 1)), [[0.0] * 4], [0], (1, 1), method="cubic"
            ),
        ),
        (
            errors.DTypeError,
            'rotate: dtype bool is not numeric; use x.astype("float32")',
            lambda: pt.image.rotate(pt.ones((1, 2, 2, 1), dtype="bool"), 1.0),
        ),
        (
            errors.ShapeError,
            "rotate: fill_value does not fit; got (1.0, 2.0) for 1 channels; pass one number for "
            "each",
            lambda: pt.image.rotate(pt.ones((1, 2, 2, 1)), 1.0, fill_value=(1.0, 2.0)),
        ),
        (
            errors.ShapeError,
            "transform: transforms do not fit; got shape (2, 8) for images of shape (1, 2, 2, 1); "
            "pass 8 numbers for each image",
            lambda: pt.image.transform(pt.ones((1, 2, 2, 1)), pt.ones((2, 8))),
        ),
        (
            errors.ArgumentError,
            'transform: fill_mode is unknown; got \'edge\'; use "constant", "reflect", "wrap" or '
            '"nearest"',
            lambda: pt.image.transform(pt.ones((1, 2, 2, 1)), pt.ones((1, 8)), fill_mode="edge"),
        ),
        (
            errors.ArgumentError,
            'threshold: method is unknown; got \'mean\'; use "binary" or "otsu"',
            lambda: pt.image.threshold(pt.ones((2, 2, 1)), method="mean"),
        ),
        (
            errors.ShapeError,
            "threshold: input must be an image; got shape (2, 2); x must have shape (height, "
            "width, 1) or (height, width, 3)",
            lambda: pt.image.threshold(pt.ones((2, 2))),
        ),
        (
            errors.ShapeError,
            "rgb_to_grayscale: last axis has not length 3; got shape (2,); pass red, green and "
            "blue",
            lambda: pt.image.rgb_to_grayscale(pt.ones(2)),
        ),
        (
            errors.ShapeError,
            "non_max_suppression: boxes do not fit; got shapes (1, 4) and (2,); boxes must have "
            "shape (n, 4), and scores (n,)",
            lambda: pt.image.non_max_suppression(pt.ones((1, 4)), pt.ones(2), 1),
        ),
        (
            errors.ArgumentError,
            "non_max_suppression: max_output_size is negative; got -1; use 0 or more",
            lambda: pt.image.non_max_suppression(pt.ones((1, 4)), pt.ones(1), -1),
        ),
    ],
)
def test_wrong_arguments(error, text, call):
    assert_raises(error, text, call)
