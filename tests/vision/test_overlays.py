"""Overlays against loops over pixels, in few draws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers import assert_raises, assert_values
from plans import leaf, plan_of

import py_tensor as pt
from py_tensor import errors
from py_tensor.vision import overlays

HEIGHT, WIDTH = 9, 12
BOXES = np.float32([[1, 1, 6, 8], [3.5, 4, 8, 11], [0, 0, 0, 0]])
POINTS = np.float32([[3, 4], [8.5, 2], [11, 8]])
LINES = np.float32([[1, 1, 10, 7], [2, 8, 2, 8], [0, 3, 11, 3]])
COLORS = np.float32([[1, 0, 0], [0, 1, 0.5], [0.25, 0, 1]])


def distance_to_line(x, y, line):
    x1, y1, x2, y2 = line
    length = max((x2 - x1) ** 2 + (y2 - y1) ** 2, 1e-6)
    along = min(max(((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length, 0.0), 1.0)
    return math.hypot(x - x1 - along * (x2 - x1), y - y1 - along * (y2 - y1))


def distance_to_outline(x, y, box):
    top, left, bottom, right = box
    if bottom <= top:
        return math.inf
    return abs(max(top - y, y - bottom, left - x, x - right))


CASES = {
    "draw_boxes": (BOXES, {"thickness": 1.5}, distance_to_outline, 0.75),
    "draw_points": (POINTS, {"radius": 2.0}, lambda x, y, p: math.dist((x, y), p), 2.0),
    "draw_lines": (LINES, {"thickness": 3.0}, distance_to_line, 1.5),
}


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("dtype", ["float32", "uint8"])
@pytest.mark.parametrize("name", CASES)
def test_shapes_are_painted(name, dtype, channels, rng):
    shapes, options, distance, reach = CASES[name]
    image = rng.random((HEIGHT, WIDTH, channels)).astype("float32")
    image = image if dtype == "float32" else (image * 255).astype("uint8")
    paints = COLORS
    if channels == 1:
        paints = COLORS @ np.float32([[0.299], [0.587], [0.114]])
    if channels == 4:
        paints = np.concatenate([COLORS, np.ones((3, 1), "float32")], 1)
    expected = image.astype("float64")
    for shape, paint in zip(shapes, paints, strict=True):
        for row in range(HEIGHT):
            for column in range(WIDTH):
                away = distance(column + 0.5, row + 0.5, shape)
                part = min(max(reach + 0.5 - away, 0.0), 1.0)
                full = 255.0 if dtype == "uint8" else 1.0
                expected[row, column] += (paint * full - expected[row, column]) * part
    got = getattr(pt.vision, name)(pt.asarray(image), shapes, color=COLORS, **options)
    if dtype == "uint8":
        assert np.max(np.abs(got.numpy() - expected)) < 0.51
    else:
        assert_values(got, expected.astype("float32"), atol=1e-5)


def test_a_mask_takes_one_draw():
    found = pt.vision.draw_mask(leaf(64, 64, 3), leaf(64, 64))
    assert len(plan_of(found).draws) == 1


def random_shapes(name, count, rng):
    shapes = rng.uniform(-4, 60, (count, 4)).astype("float32")
    # Some shapes are not numbers, and some are outside of the image.
    shapes[::7] = np.nan
    shapes[::5] += 200
    return shapes[:, :2] if name == "draw_points" else shapes


@pytest.mark.parametrize("name", CASES)
def test_many_shapes_are_painted_in_their_order(name, rng):
    shapes = random_shapes(name, 48, rng)
    colors = rng.random((len(shapes), 3)).astype("float32")
    draw, options = getattr(pt.vision, name), CASES[name][1]
    expected = image = pt.asarray(rng.random((48, 40, 3)).astype("float32"))
    for at in range(0, len(shapes), 4):
        some = slice(at, at + 4)
        expected = draw(expected, shapes[some], color=colors[some], **options)
    got = draw(image, shapes, color=colors, **options)
    assert np.abs(got.numpy() - image.numpy()).max() > 0.1
    assert_values(got, expected.numpy(), atol=1e-6)


def test_a_row_looks_only_at_the_shapes_that_reach_it(rng):
    low = rng.uniform(-20, 120, 300).astype("float32")
    low[::9] = np.nan
    high = low + rng.uniform(0, 12, 300).astype("float32")
    lists, counts = overlays._lists(100, pt.asarray(low), pt.asarray(high))
    for row, (numbers, count) in enumerate(zip(lists.numpy(), counts.tolist(), strict=True)):
        (reach,) = np.nonzero((low <= row + 0.5) & (row + 0.5 <= high))
        assert numbers[:count].tolist() == reach.tolist()


@pytest.mark.parametrize("name", CASES)
def test_shapes_take_few_draws(name):
    image, colors = leaf(64, 64, 3), leaf(3)
    width = 2 if name == "draw_points" else 4
    counts = [
        len(plan_of(getattr(pt.vision, name)(image, leaf(count, width), color=colors)).draws)
        for count in (1, 17, 500)
    ]
    assert counts == [3, 3, 4]


def test_points_that_are_not_numbers_are_not_drawn():
    image = pt.zeros((4, 4, 3))
    missing = [[math.nan, math.nan]]
    assert not pt.any(pt.vision.draw_points(image, missing) != 0.0).item()
    line = pt.vision.draw_lines(image, [*missing, [1.0, 1.0]], [[0, 1]])
    assert not pt.any(line != 0.0).item()


def test_skeleton_by_edges(rng):
    points = rng.random((17, 3)).astype("float32") * 10
    edges = pt.vision.POSE_EDGES
    image = pt.zeros((HEIGHT, WIDTH, 3))
    lines = np.concatenate(
        [points[[a for a, _ in edges], :2], points[[b for _, b in edges], :2]], 1
    )
    got = pt.vision.draw_lines(image, points, edges)
    assert_values(got, pt.vision.draw_lines(image, lines).numpy(), atol=1e-6)


def test_nothing_to_draw():
    image = pt.full((2, 2, 3), 0.25)
    assert_values(pt.vision.draw_boxes(image, np.zeros((0, 4))), image.numpy())


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_labels_are_blended(dtype, rng):
    full = 255.0 if dtype == "uint8" else 1.0
    image = (rng.random((4, 5, 3)) * full).astype(dtype)
    labels = rng.integers(-1, 4, (4, 5)).astype("int32")
    paint = COLORS[labels % 3] * full
    expected = np.where(labels[..., None] >= 0, image * 0.75 + paint * 0.25, image)
    got = pt.vision.draw_mask(pt.asarray(image), labels, COLORS, opacity=0.25).numpy()
    np.testing.assert_allclose(got, expected, rtol=0, atol=0.51 if dtype == "uint8" else 1e-6)


def test_a_soft_mask(rng):
    image, mask = rng.random((4, 5, 3)).astype("float32"), rng.random((4, 5)).astype("float32")
    expected = image + (np.float32([0, 0, 1]) - image) * mask[..., None] * np.float32(0.5)
    assert_values(pt.vision.draw_mask(image, mask), expected, atol=1e-6)


def test_wrong_shapes():
    assert_raises(
        errors.ShapeError,
        "draw_boxes: input must be an image; got shape (2, 2); x must have shape (height, width, "
        "1, 3 or 4)",
        lambda: pt.vision.draw_boxes(np.zeros((2, 2)), BOXES),
    )
    assert_raises(
        errors.ShapeError,
        "draw_points: colors have a wrong shape; got (2, 3); use shape (3,) or (3, 3)",
        lambda: pt.vision.draw_points(np.zeros((2, 2, 3)), POINTS, color=COLORS[:2]),
    )
    assert_raises(
        errors.ArgumentError,
        "draw_points: radius is not positive; got 0.0; use 1.0 or more",
        lambda: pt.vision.draw_points(np.zeros((2, 2, 3)), POINTS, radius=0.0),
    )
