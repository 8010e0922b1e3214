"""Warps against OpenCV, and points, boxes and regions against formulas."""

from __future__ import annotations

import math
from pathlib import Path

import half_storage
import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors

IMAGES = np.load(Path(__file__).parent / "data" / "images.npz")


@pytest.mark.parametrize("name", ["affine", "perspective"])
def test_warps_as_opencv(name):
    warp = getattr(pt.vision, f"warp_{name}")
    given = map(pt.asarray, (IMAGES["image"], IMAGES[name]))
    got = pt.jit(lambda x, m: warp(x, m, (11, 17)))(*given)
    assert_values(got, IMAGES[f"warp {name}"], atol=half_storage.derivative(2e-5))


@pytest.mark.parametrize("name", ["affine", "perspective"])
def test_warped_integers_are_rounded_as_opencv(name):
    given = map(pt.asarray, (IMAGES["pixels"], IMAGES[name]))
    got = getattr(pt.vision, f"warp_{name}")(*given, (11, 17)).numpy().astype(int)
    away = np.abs(got - IMAGES[f"warp {name} of pixels"])
    # Positions differ by rounding errors, so values next to a half, 6 of 561, go to either side.
    assert away.max() <= 1
    assert away.mean() < 0.02


def test_integers_are_kept_within_their_limits():
    x = pt.asarray([[[250], [3]]], dtype="uint8")
    shift = [[1.0, 0.0, -1.75], [0.0, 1.0, 0.0]]
    # One quarter of the pixel outside is 300, then all of it.
    got = pt.vision.warp_affine(x, shift, (1, 3), fill_value=300.0)
    assert got.flatten().tolist() == [255, 255, 188]
    assert pt.vision.rotate(x[None], 0.0, method="bilinear").flatten().tolist() == [250, 3]


def test_several_matrices_of_one_image_and_one_matrix_of_several(rng):
    x = rng.random((3, 8, 9, 2)).astype("float32")
    matrices = np.float32([[[1, 0, k], [0, 1, -k]] for k in range(3)])
    each = [pt.vision.warp_affine(x[0], m, (4, 5)).numpy() for m in matrices]
    assert_values(pt.vision.warp_affine(x[0], matrices, (4, 5)), np.stack(each))
    each = [pt.vision.warp_affine(image, matrices[1]).numpy() for image in x]
    assert_values(pt.vision.warp_affine(x, matrices[1]), np.stack(each))
    assert_raises(
        errors.ShapeError,
        "warp_affine: matrices do not fit; got shape (2, 2, 3) for images of shape (3, 8, 9, 2); "
        "pass one for all images, or one for each",
        lambda: pt.vision.warp_affine(x, matrices[:2]),
    )


def test_rotation_with_interpolation(rng):
    x = rng.random((1, 5, 5, 1)).astype("float32")
    # The pixel at the center of rotation is between all four pixels next to it.
    got = pt.vision.rotate(x, math.pi / 2, method="bilinear", center=0.4)
    expected = np.rot90(x[0], axes=(0, 1))
    assert_values(got[0], np.ascontiguousarray(expected), atol=1e-5)


def test_projective_points():
    matrix = IMAGES["perspective"]
    points = np.float32([[1, 2], [10, 4], [7, 7]])
    rows = np.concatenate([points, np.ones((3, 1))], 1) @ matrix.T
    expected = (rows[:, :2] / rows[:, 2:]).astype("float32")
    assert_values(pt.vision.transform_points(points, matrix), expected, atol=1e-5)


def test_points_of_several_regions_keep_further_numbers(rng):
    points = rng.random((2, 5, 3)).astype("float32")
    matrices = rng.random((2, 2, 3)).astype("float32")
    moved = np.einsum("nij,nkj->nki", matrices[..., :2], points[..., :2]) + matrices[:, None, :, 2]
    expected = np.concatenate([moved, points[..., 2:]], -1).astype("float32")
    assert_values(pt.vision.transform_points(points, matrices), expected, atol=1e-5)


def test_crops_of_regions_and_points_in_them(rng):
    """A turned region of an image shows at each pixel what is at the transformed point."""
    y, x = np.mgrid[:40, :60] + 0.5
    image = np.stack([x, y], -1).astype("float32")
    boxes = np.float32([[10, 20, 22, 30], [12, 30, 22, 40]])
    matrices = pt.vision.region_matrices(
        boxes, (8, 6), rotation=[0.3, -0.2], scale=1.25, shift=(0.1, -0.2)
    )
    crops = pt.vision.warp_affine(image, matrices, (8, 6), half_pixel_centers=True)
    row, column = np.mgrid[:8, :6] + 0.5
    points = np.broadcast_to(np.stack([column, row], -1).reshape((1, -1, 2)), (2, 48, 2))
    expected = pt.vision.transform_points(points.astype("float32"), matrices)
    assert_values(crops.reshape((2, -1, 2)), expected.numpy(), atol=1e-4)
    # Source: mediapipe/calculators/util/rect_transformation_calculator.cc
    height, width, turn = 12, 10, 0.3
    center = np.array(
        [
            25.0 + width * 0.1 * math.cos(turn) + height * 0.2 * math.sin(turn),
            16.0 + width * 0.1 * math.sin(turn) - height * 0.2 * math.cos(turn),
        ]
    )
    middle = pt.vision.transform_points([[3.0, 4.0]], matrices[0])
    assert_values(middle[0], center.astype("float32"), atol=1e-4)
    side = pt.vision.transform_points([[0.0, 4.0], [6.0, 4.0]], matrices[0]).numpy()
    np.testing.assert_allclose(np.linalg.norm(side[1] - side[0]), 15.0, rtol=1e-5)


@pytest.mark.parametrize("target", [0.0, math.pi / 2])
def test_regions_are_turned_to_a_direction(target):
    start, end = np.float32([[30, 30]]), np.float32([[38, 20]])
    turn = pt.vision.rotation_between(start, end, target=target)
    matrices = pt.vision.region_matrices([[10.0, 10.0, 50.0, 50.0]], (40, 40), rotation=turn)
    back = pt.vision.inverse_matrix(matrices)
    a, b = (pt.vision.transform_points(p[None], back).numpy()[0, 0] for p in (start, end))
    direction = (b - a) / np.linalg.norm(b - a)
    np.testing.assert_allclose(direction, [math.cos(target), -math.sin(target)], atol=1e-5)


def test_wrong_points():
    assert_raises(
        errors.ShapeError,
        "transform_points: points have no y; got shape (3, 1); use shape (..., 2) or more",
        lambda: pt.vision.transform_points(np.zeros((3, 1)), IMAGES["affine"]),
    )
    assert_raises(
        errors.ShapeError,
        "region_matrices: boxes have a wrong shape; got (4,); use shape (n, 4)",
        lambda: pt.vision.region_matrices([0.0, 0.0, 1.0, 1.0], (2, 2)),
    )
