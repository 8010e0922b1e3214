"""Poses, masks and landmarks against PoseNet's, body-pix's and Human's own post-processing.

data/make_pose_fixtures.py records them.
"""

from __future__ import annotations

from pathlib import Path

import half_storage
import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors

POSES = np.load(Path(__file__).parent / "data" / "poses.npz")
HEIGHT, WIDTH, STRIDE = 9, 11, 16


def numbers(channels, factor, low, high):
    """Return the numbers that the recording script computes in JavaScript."""
    count = HEIGHT * WIDTH * channels
    parts = (np.arange(count, dtype="int64") * factor) % 100003 / 100003
    return (low + parts * (high - low)).astype("float32").reshape((HEIGHT, WIDTH, channels))


MAPS = [
    numbers(*each)
    for each in (
        (17, 7919, 0, 1),
        (34, 104729, -9, 9),
        (32, 1299709, -40, 40),
        (32, 15485863, -40, 40),
    )
]


def test_a_pose_as_posenet():
    pose = pt.vision.decode_pose(MAPS[0], MAPS[1][None], STRIDE)
    assert_values(pose.keypoints, POSES["single"][None], atol=1e-4)
    assert_values(pose.scores, POSES["single_score"].reshape(1), atol=1e-5)
    compiled = pt.jit(lambda a, b: pt.vision.decode_pose(a, b, STRIDE).keypoints)
    assert_values(compiled(*map(pt.asarray, MAPS[:2])), POSES["single"][None], atol=1e-4)


def test_poses_as_posenet():
    poses = pt.vision.decode_poses(*MAPS, STRIDE, max_poses=6, score_threshold=0.6)
    assert_values(poses.keypoints, POSES["several"], atol=1e-4)
    assert_values(poses.scores, POSES["several_scores"], atol=1e-5)
    fewer = pt.vision.decode_poses(*MAPS, STRIDE, max_poses=2, score_threshold=0.6)
    assert_values(fewer.keypoints, POSES["several"][:2], atol=1e-4)


def test_no_poses():
    poses = pt.vision.decode_poses(*MAPS, STRIDE, score_threshold=2.0)
    assert poses.keypoints.shape == (0, 17, 3)
    assert poses.scores.shape == (0,)


def test_people_as_body_pix():
    rows, columns = (HEIGHT - 1) * STRIDE + 1, (WIDTH - 1) * STRIDE + 1
    mask = (np.arange(rows * columns) * 7919 % 5 > 1).reshape((rows, columns))
    found = pt.vision.separate_people(
        mask, numbers(34, 32452843, 0, 30), POSES["several"], STRIDE, refine_steps=2
    )
    wrong = found.numpy() != POSES["people"].reshape((rows, columns))
    # A pixel may be as far from two people, up to rounding.
    assert np.mean(wrong) < 1e-3
    assert len(np.unique(POSES["people"])) == 7


def test_people_without_poses():
    found = pt.vision.separate_people([[True]], np.zeros((1, 1, 34)), np.zeros((0, 17, 3)), 8)
    assert found.tolist() == [[-1]]


def test_mask_and_parts(rng):
    segments, parts = rng.random((5, 6, 1)), rng.random((1, 5, 6, 24))
    mask = pt.vision.person_mask(segments, threshold=0.4)
    assert_values(mask, segments[..., 0] > 0.4)
    expected = np.where(segments[..., 0] > 0.4, parts[0].argmax(-1), -1).astype("int32")
    assert_values(pt.vision.body_parts(mask, parts.astype("float32")), expected)


def test_movenet_as_human():
    pose = pt.vision.decode_movenet(POSES["movenet_output"], (256, 256))
    # Human rounds.
    np.testing.assert_allclose(pose.keypoints.numpy()[0, :, :2], POSES["movenet"], atol=0.51)
    np.testing.assert_allclose(
        pose.scores.numpy(), POSES["movenet_output"][0, 0, :, 2].mean(), rtol=1e-5
    )


def test_hands_as_human():
    boxes, scores = POSES["hand_raw_boxes"], POSES["hand_raw_scores"]
    hands = pt.vision.decode_hands(boxes, scores, (320, 320), score_threshold=0.3)
    assert hands.number.item() == 1
    # Human rounds scores to hundredths.
    np.testing.assert_allclose(hands.scores.numpy(), POSES["hand_scores"], atol=0.0051)
    named = [pt.vision.HAND_CLASSES[at] for at in hands.classes.tolist()]
    assert named == POSES["hand_classes"].tolist()
    regions = pt.vision.region_matrices(hands.boxes, (224, 224), scale=1.4, square=False)
    corners = pt.vision.transform_boxes([[0.0, 0.0, 224.0, 224.0]], regions) / 320
    np.testing.assert_allclose(corners.numpy(), POSES["hand_regions"], atol=1e-5)
    points = pt.vision.decode_landmarks(POSES["hand_output"], regions)
    np.testing.assert_allclose(points.numpy()[0], POSES["hand_points"], atol=1e-2)


def test_faces_are_no_hands():
    boxes = [[0, 0, 0.5, 0.5], [0.5, 0.5, 1, 1], [0.5, 0.5, 1, 0.99]]
    scores = np.zeros((3, 8), "float32")
    scores[0, 5], scores[1, 3], scores[2, 2] = 0.9, 0.6, 0.7
    hands = pt.vision.decode_hands([boxes], scores[None], (10, 20), padded=True)
    assert hands.number.item() == 1
    assert_values(hands.classes, np.asarray([1, 0], "int32"))
    assert_values(hands.boxes, np.asarray([[5, 10, 10, 19.8], [0] * 4], "float32"), atol=1e-5)
    compiled = pt.jit(lambda a, b: pt.vision.decode_hands(a, b, (10, 20), padded=True).scores)
    found = compiled(pt.asarray(boxes), pt.asarray(scores))
    assert_values(found, np.asarray([0.7, 0], "float32"))


def test_several_people_of_movenet(rng):
    output = rng.random((1, 6, 56)).astype("float32")
    poses = pt.vision.decode_movenet(output, (100, 200))
    points = output[0, :, :51].reshape((6, 17, 3))
    expected = points[..., [1, 0, 2]] * np.float32([200, 100, 1])
    assert_values(poses.keypoints, expected, atol=1e-4)
    assert_values(poses.scores, output[0, :, 55])


def test_face_mesh_as_human():
    left, top, right, bottom = POSES["face_box"]
    matrix = pt.vision.region_matrices([[top, left, bottom, right]], (192, 192), square=False)
    mesh = pt.vision.decode_landmarks(POSES["mesh_output"], matrix)
    assert mesh.shape == (1, 468, 3)
    # Human cuts the decimals off.
    assert np.max(np.abs(mesh.numpy()[0] - POSES["mesh"])) < 1.0 + half_storage.error(
        0.0, POSES["mesh"]
    )


def test_landmarks_in_regions(rng):
    output = rng.random((2, 63)).astype("float32")
    assert_values(pt.vision.decode_landmarks(output), output.reshape((2, 21, 3)))
    assert len(pt.vision.HAND_EDGES) == 21
    assert {at for edge in pt.vision.HAND_EDGES for at in edge} == set(range(21))


@pytest.mark.parametrize(("call", "text"), [
    (lambda: pt.vision.decode_pose(MAPS[0], MAPS[1][:5], 16), "decode_pose: maps have different "
     "sizes; got [(5, 11), (9, 11)]; pass the outputs of one model"),
    (lambda: pt.vision.decode_hands(np.zeros((2, 4)), np.zeros((2, 6)), (8, 8)), "decode_hands: "
     "scores have a wrong shape; got (2, 6); use shape (n, 7) or (n, 8) or (1, n, 7) or (1, n, 8)"),
    (lambda: pt.vision.decode_movenet(np.zeros((1, 17, 3)), (8, 8)), "decode_movenet: outputs have "
     "a wrong shape; got (1, 17, 3); use shape (1, 1, 17, 3) or (1, n, 56)"),
    (lambda: pt.vision.decode_landmarks(np.zeros(10)), "decode_landmarks: landmarks do not fit; "
     "got shape (10,) for 1 regions; use 3 numbers for each landmark"),
])  # fmt: skip
def test_errors(call, text):
    assert_raises(errors.ShapeError, text, call)
