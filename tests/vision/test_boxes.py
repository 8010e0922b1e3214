"""Suppression against OpenCV, and detections against Human's; see data/make_*_fixtures.py."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors

DATA = Path(__file__).parent / "data"
IMAGES, POSES = np.load(DATA / "images.npz"), np.load(DATA / "poses.npz")
BLAZEFACE = Path(__file__).parent.parent / "models/data/blazeface/blazeface.json"


def corners(boxes):
    """Return (top, left, bottom, right) of OpenCV's (x, y, width, height)."""
    x, y, width, height = boxes.T
    return np.stack([y, x, y + height, x + width], -1).astype("float32")


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("by_class", [False, True])
def test_suppression_as_opencv(padded, by_class):
    kept = pt.vision.non_max_suppression(
        corners(IMAGES["boxes"]), IMAGES["scores"], 40, iou_threshold=0.4, score_threshold=0.2,
        classes=IMAGES["classes"].astype("int32") if by_class else None, padded=padded,
    )  # fmt: skip
    expected = IMAGES["kept by class" if by_class else "kept"]
    assert int(kept.number) == len(expected)
    assert kept.indices.tolist()[: len(expected)] == expected.tolist()


def test_soft_suppression_as_opencv():
    # OpenCV's factor is exp(-iou**2 / sigma).
    kept = pt.vision.non_max_suppression(
        corners(IMAGES["boxes"].astype("int32")), IMAGES["scores"], 40, iou_threshold=1.1,
        score_threshold=0.2, soft_sigma=0.25,
    )  # fmt: skip
    assert kept.indices.tolist() == IMAGES["kept softly"].tolist()
    assert_values(kept.scores, IMAGES["decayed"].astype("float32"), atol=1e-5)


def test_iou():
    boxes = corners(IMAGES["boxes"])[:6]
    expected = np.zeros((6, 6), "float32")
    for i, a in enumerate(boxes):
        for j, b in enumerate(boxes):
            sides = np.maximum(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0)
            areas = [np.prod(each[2:] - each[:2]) for each in (a, b)]
            expected[i, j] = np.prod(sides) / (sum(areas) - np.prod(sides))
    assert_values(pt.vision.box_iou(boxes, boxes), expected, atol=1e-6)


def test_top_labels(rng):
    scores = rng.random((2, 7)).astype("float32")
    got = pt.vision.top_labels(scores, [*"abcdefg"], k=3)
    for row, found in zip(scores, got, strict=True):
        order = np.argsort(-row)[:3]
        assert [label for label, _ in found] == ["abcdefg"[at] for at in order]
        np.testing.assert_array_equal([score for _, score in found], row[order])
    assert [at for at, _ in pt.vision.top_labels(scores[0], k=9)] == np.argsort(-scores[0]).tolist()


def test_anchors_of_ssd():
    """Source: mediapipe/calculators/tflite/ssd_anchors_calculator.cc"""
    anchors = pt.vision.ssd_anchors((300, 300), (16, 32), reduced_first=True).numpy()
    assert anchors.shape == (19 * 19 * 3 + 10 * 10 * 6, 4)
    np.testing.assert_allclose(anchors[0], [0.5 / 19, 0.5 / 19, 0.1, 0.1], rtol=1e-6)
    wide, high = anchors[1, 2:], anchors[2, 2:]
    np.testing.assert_allclose([wide[1] / wide[0], high[0] / high[1]], [2.0, 2.0], rtol=1e-6)
    np.testing.assert_allclose(np.prod(wide), 0.2**2, rtol=1e-6)
    last = anchors[-6:]
    np.testing.assert_allclose(last[0, 2:], [0.95, 0.95], rtol=1e-6)
    np.testing.assert_allclose(last[-1, 2:], [0.95**0.5] * 2, rtol=1e-6)


def test_boxes_of_ssd(rng):
    encodings = rng.normal(size=(2, 5, 4)).astype("float32")
    anchors = rng.random((5, 4)).astype("float32")
    y, x, h, w = np.moveaxis(encodings, -1, 0)
    cy, cx, height, width = anchors.T
    cy, cx = y / 10 * height + cy, x / 10 * width + cx
    h, w = np.exp(h / 5) * height / 2, np.exp(w / 5) * width / 2
    expected = np.stack([cy - h, cx - w, cy + h, cx + w], -1)
    assert_values(pt.vision.decode_boxes(encodings, anchors), expected, atol=1e-6)
    turned = encodings[..., [1, 0, 3, 2]]
    assert_values(pt.vision.decode_boxes(turned, anchors, order="xywh"), expected, atol=1e-6)


@pytest.mark.parametrize("padded", [False, True])
def test_faces_of_blazeface_as_human(engine, padded):
    """The model runs on Human's sample picture, and finds the face that Human finds."""
    model = asyncio.run(pt.models.load(BLAZEFACE))
    image = pt.vision.normalize(POSES["face"], 127.5, 127.5, scale=1.0)
    parts = {part.shape[1:]: part for part in model(image[None])}
    rows = [pt.concat([parts[n, 1], parts[n, 16]], axis=2) for n in (512, 384)]
    anchors = pt.vision.ssd_anchors((256, 256), (16, 32, 32, 32), aspect_ratios=(1.0,), fixed=True)
    found = pt.vision.decode_detections(
        pt.concat(rows, axis=1), anchors, (256, 256), score_threshold=0.2, padded=padded
    )
    assert int(found.number) == 1
    assert found.boxes.shape == (10 if padded else 1, 4)
    np.testing.assert_allclose(found.scores.numpy()[0], POSES["face_score"], atol=1e-4)
    np.testing.assert_allclose(found.points.numpy()[0], POSES["face_points"], atol=0.02)
    # Human enlarges the box by 1.4, and rounds it.
    top, left, bottom, right = found.boxes.numpy()[0]
    half = 0.7 * max(bottom - top, right - left)
    x, y = (left + right) / 2, (top + bottom) / 2
    expected = [x - half, y - half, x + half, y + half]
    np.testing.assert_allclose(POSES["face_box"], expected, atol=0.6)
    if padded:
        assert not np.any(found.boxes.numpy()[1:])


def test_detections_of_other_anchors():
    assert_raises(
        errors.ShapeError,
        "decode_detections: output and anchors do not fit; got shapes (5, 7) and (4, 4); pass as "
        "many of each",
        lambda: pt.vision.decode_detections(np.zeros((5, 7)), np.zeros((4, 4)), (8, 8)),
    )
    assert_raises(
        errors.ShapeError,
        "non_max_suppression: classes do not fit; got shape (2,) for 1 boxes; pass one class for "
        "each box",
        lambda: pt.vision.non_max_suppression(np.zeros((1, 4), "f"), [0.5], 1, classes=[1, 2]),
    )
