"""Resizing and letterboxes against OpenCV and Pillow; see data/make_vision_fixtures.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers import assert_values
from plans import leaf, plan_of

import py_tensor as pt
from py_tensor import errors

IMAGES = np.load(Path(__file__).parent / "data" / "images.npz")
RESIZED = [name for name in IMAGES.files if name.startswith(("resize", "antialias"))]


@pytest.mark.parametrize("name", RESIZED)
def test_resize_as_opencv_and_pillow(name):
    kind, method, _ = name.split()
    expected = IMAGES[name]
    options = {"method": method, "antialias": kind == "antialias"}
    image = pt.asarray(IMAGES["image"])
    got = pt.vision.resize(image, expected.shape[:2], **options)
    # Pixels are from 0 to 1, and OpenCV computes weights with float32.
    assert_values(got, expected, atol=2e-6)
    compiled = pt.jit(lambda x: pt.vision.resize(x, expected.shape[:2], **options))
    assert_values(compiled(image), expected, atol=2e-6)


def test_there_are_recorded_images():
    assert len(RESIZED) == 16


@pytest.mark.parametrize(("positions", "expected"), [
    ("half_pixel", [0.0, 0.5, 1.5, 2.0]),
    ("align_corners", [0.0, 2 / 3, 4 / 3, 2.0]),
    ("asymmetric", [0.0, 1.0, 2.0, 2.0]),
])  # fmt: skip
def test_positions(positions, expected):
    got = pt.vision.resize(pt.asarray([[[0.0], [2.0]]]), (1, 4), positions=positions)
    assert_values(got.flatten(), np.float32(expected), atol=1e-6)


@pytest.mark.parametrize("method", ["nearest", "bilinear", "bicubic", "area"])
def test_integers_are_rounded_and_keep_their_limits(method, rng):
    x = rng.integers(0, 256, (2, 6, 5, 3)).astype("uint8")
    got = pt.vision.resize(pt.asarray(x), (4, 9), method=method)
    exact = pt.vision.resize(pt.asarray(x, dtype="float32"), (4, 9), method=method).numpy()
    expected = np.clip(np.round(exact), 0, 255).astype("uint8")
    assert got.dtype == "uint8"
    # Halves may be rounded to either side.
    assert np.max(np.abs(got.numpy().astype(int) - expected.astype(int))) <= 1
    assert np.mean(got.numpy() != expected) < 0.05


@pytest.mark.parametrize("options", [{"antialias": True}, {"method": "area"}, {}])
def test_gradients(options, rng):
    x = rng.random((1, 12, 2, 1)).astype("float32")
    weights = rng.random((1, 2, 2, 1)).astype("float32")
    sums = lambda x: (pt.vision.resize(x, (2, 2), **options) * pt.asarray(weights)).sum()  # noqa: E731
    got = pt.grad(sums)(pt.asarray(x)).numpy()
    # Resizing is linear, so the gradient is the response to each pixel alone.
    for at in range(12):
        one = np.zeros_like(x)
        one[0, at, 1, 0] = 1.0
        np.testing.assert_allclose(got[0, at, 1, 0], sums(pt.asarray(one)).item(), atol=1e-6)


def test_letterbox_and_back(rng):
    x = rng.random((2, 30, 50, 3)).astype("float32")
    image, matrix = pt.vision.letterbox(pt.asarray(x), (40, 40), fill_value=0.5)
    inner = pt.vision.resize(pt.asarray(x), (24, 40)).numpy()
    expected = np.full((2, 40, 40, 3), 0.5, "float32")
    expected[:, 8:32] = inner
    assert_values(image, expected, atol=1e-6)
    corners = pt.vision.transform_points([[0.0, 8.0], [40.0, 32.0]], matrix)
    assert_values(corners, np.float32([[0, 0], [50, 30]]), atol=1e-4)
    boxes = pt.vision.transform_boxes([[8.0, 0.0, 32.0, 40.0]], matrix)
    assert_values(boxes, np.float32([[0, 0, 30, 50]]), atol=1e-4)
    again = pt.vision.transform_points(corners, pt.vision.inverse_matrix(matrix))
    assert_values(again, np.float32([[0, 8], [40, 32]]), atol=1e-4)


def test_letterbox_of_integers_in_a_tall_frame():
    x = pt.full((2, 4, 1), 9, dtype="uint8")
    image, _ = pt.vision.letterbox(x, (6, 4), fill_value=114)
    assert image[:, 0, 0].tolist() == [114, 114, 9, 9, 114, 114]


def test_many_neighbours_are_read_by_one_draw_for_each_axis():
    x = leaf(1, 64, 64, 3)
    assert len(plan_of(pt.vision.resize(x, (8, 8), antialias=True)).draws) == 2


@pytest.mark.parametrize(("arguments", "options", "text"), [
    (([[1.0]], (2, 2)), {}, "resize: input must have 3 or 4 axes; got shape (1, 1); x must have "
     "shape (batch, height, width, channels) or (height, width, channels)"),
    ((np.zeros((0, 2, 1)), (2, 2)), {}, "resize: image is empty; got shape (0, 2, 1); pass an "
     "image with pixels"),
    ((np.zeros((2, 2, 1), "bool"), (2, 2)), {}, "resize: dtype bool is not numeric; use "
     'x.astype("float32")'),
    ((np.zeros((2, 2, 1)), (0, 2)), {}, "resize: size is invalid; got (0, 2); use two lengths of "
     "at least 1"),
    ((np.zeros((2, 2, 1)), (2, 2)), {"method": "cubic"}, "resize: method is unknown; got 'cubic'; "
     'use "nearest", "bilinear", "bicubic" or "area"'),
    ((np.zeros((2, 2, 1)), (2, 2)), {"method": "nearest", "antialias": True}, "resize: options do "
     'not fit; got method "nearest", positions "half_pixel" and antialias True; areas and '
     'antialiasing need half pixels, and antialiasing "bilinear" or "bicubic"'),
])  # fmt: skip
def test_errors(arguments, options, text):
    with pytest.raises(errors.TensorError) as caught:
        pt.vision.resize(*arguments, **options)
    assert str(caught.value) == text
