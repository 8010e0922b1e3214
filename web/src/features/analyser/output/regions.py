"""Regions of a picture for models that take a face, an eye or a hand; nothing is read.

Each function returns matrices of shape (1, 2, 3) from the pixels of the region to the picture. If
nothing is found, the region is the whole picture.
"""

from functools import cache
from typing import Any

import py_tensor as pt

FACE_SIDE = 256
HAND_SIDE = 320
# As in Human.
FACE_SCALE = 1.4
HAND_SCALE = 1.4
EYE_SCALE = 2.3
EYE = 0.28
"""Distance of an eye's corners as a part of the distance between the eyes, times two."""


@cache
def anchors() -> pt.Tensor:
    """Anchors of the face detector."""
    return pt.vision.ssd_anchors(
        (FACE_SIDE, FACE_SIDE), (16, 32, 32, 32), aspect_ratios=(1.0,), fixed=True
    )


def joined(outputs: dict[str, pt.Tensor]) -> pt.Tensor:
    """Return the four outputs of the face detector as one, of shape (1, 896, 17)."""
    parts = {part.shape[1:]: part for part in outputs.values()}
    rows = [pt.concat([parts[n, 1], parts[n, 16]], axis=2) for n in (512, 384)]
    return pt.concat(rows, axis=1)


def faces_of(outputs: dict[str, pt.Tensor], count: int, least: float = 0.2) -> Any:
    """Return so many faces in pixels of the detector's input; the last rows may have no area."""
    return pt.vision.decode_detections(
        joined(outputs), anchors(), (FACE_SIDE, FACE_SIDE), max_output_size=count,
        iou_threshold=0.1, score_threshold=least, padded=True,
    )  # fmt: skip


def find_faces(detector: Any, picture: pt.Tensor, count: int = 1) -> Any:
    """Return boxes and points of faces in pixels of the picture, and their scores."""
    boxed, back = pt.vision.letterbox(picture.astype("float32"), (FACE_SIDE, FACE_SIDE))
    x = pt.vision.normalize(boxed, 0.5, 0.5, scale=1 / 255)
    name = detector.inputs[0].name
    faces = faces_of(detector.run({name: x[None]}), count)
    boxes = pt.vision.transform_boxes(faces.boxes, back)
    return faces._replace(boxes=boxes, points=pt.vision.transform_points(faces.points, back))


def face_region(detector: Any, picture: pt.Tensor, size: Any) -> pt.Tensor:
    """Return the region of the best face, turned so that its eyes are level."""
    faces = find_faces(detector, picture)
    turn = pt.vision.rotation_between(faces.points[:, 0], faces.points[:, 1])
    regions = pt.vision.region_matrices(faces.boxes, size, rotation=turn, scale=FACE_SCALE)
    return _or_whole(regions, faces.scores, picture, size)


def eye_region(detector: Any, picture: pt.Tensor, size: Any) -> pt.Tensor:
    """Return the region of the eye that is on the left of the picture."""
    faces = find_faces(detector, picture)
    first, second = faces.points[:, 0], faces.points[:, 1]
    turn = pt.vision.rotation_between(first, second)
    across = pt.sqrt(pt.sum((second - first) ** 2, axis=-1, keepdims=True)) * EYE
    middle = pt.flip(first, axis=-1)
    boxes = pt.concat([middle - across, middle + across], axis=-1)
    regions = pt.vision.region_matrices(boxes, size, rotation=turn, scale=EYE_SCALE / 2)
    return _or_whole(regions, faces.scores, picture, size)


def hand_region(detector: Any, picture: pt.Tensor, size: Any) -> pt.Tensor:
    """Return the region of the best hand."""
    boxed, back = pt.vision.letterbox(picture, (HAND_SIDE, HAND_SIDE))
    outputs = detector.run({detector.inputs[0].name: boxed[None]})
    hands = find_hands(outputs, 1)
    boxes = pt.vision.transform_boxes(hands.boxes, back)
    regions = pt.vision.region_matrices(boxes, size, scale=HAND_SCALE, square=False)
    return _or_whole(regions, hands.scores, picture, size)


def find_hands(outputs: dict[str, pt.Tensor], count: int) -> pt.vision.Hands:
    """Return so many hands in pixels of the detector's input."""
    parts = {
        part.shape[-1]: part for part in outputs.values() if part.ndim == 3 and part.shape[1] > 1000
    }
    return pt.vision.decode_hands(
        parts[4], parts[8], (HAND_SIDE, HAND_SIDE), max_output_size=count, score_threshold=0.4,
        padded=True,
    )  # fmt: skip


def _or_whole(regions: pt.Tensor, scores: pt.Tensor, picture: pt.Tensor, size: Any) -> pt.Tensor:
    (height, width), (down, across) = size, picture.shape[:2]
    whole = pt.asarray([[[across / width, 0.0, 0.0], [0.0, down / height, 0.0]]])
    return pt.where((scores > 0.0)[:, None, None], regions, whole)
