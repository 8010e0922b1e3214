"""Lines of text against RapidOCR's post-processing; see data/make_text_fixtures.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from helpers import assert_raises

import py_tensor as pt
from py_tensor import errors

TEXT = np.load(Path(__file__).parent / "data" / "text.npz")
PROBABILITIES = TEXT["map"] / np.float32(255)


def test_lines_as_rapidocr():
    found = pt.vision.text_boxes(PROBABILITIES[None, None], unclip_ratio=1.6)
    # RapidOCR returns the lines from bottom to top.
    expected, scores = TEXT["boxes"][::-1], TEXT["scores"][::-1]
    assert found.corners.shape == (3, 4, 2)
    # It rounds positions, and enlarges polygons of whole numbers.
    assert np.max(np.abs(found.corners.numpy() - expected)) < 1.5
    # Both average over the pixels that a polygon touches; those at its edge differ.
    assert np.max(np.abs(found.scores.numpy() - scores)) < 0.04


def test_thresholds():
    scores = pt.vision.text_boxes(PROBABILITIES).scores.tolist()
    for least in (0.8, 0.9, 0.99):
        found = pt.vision.text_boxes(PROBABILITIES, box_threshold=least)
        assert found.scores.tolist() == [each for each in scores if each >= least]
    assert pt.vision.text_boxes(PROBABILITIES, min_side=500.0).corners.shape == (0, 4, 2)
    assert pt.vision.text_boxes(np.zeros((8, 9), "float32")).scores.shape == (0,)


def test_regions_touch_at_corners_and_are_found_once():
    page = np.zeros((30, 40), "float32")
    page[5:10, 5:20] = page[10:15, 20:35] = 0.9  # one region
    page[20:26, 2:12] = 0.8
    page[20:22, 5:9] = 0.0  # a bay
    found = pt.vision.text_boxes(page, box_threshold=0.0, unclip_ratio=0.0, min_side=1.0)
    assert found.corners.shape == (2, 4, 2)
    assert found.corners[1].tolist() == [[2.0, 20.0], [11.0, 20.0], [11.0, 25.0], [2.0, 25.0]]


def test_several_images():
    assert_raises(
        errors.ShapeError,
        "text_boxes: probabilities are not those of one image; got shape (2, 4, 4); use shape "
        "(height, width)",
        lambda: pt.vision.text_boxes(np.zeros((2, 4, 4), "float32")),
    )
