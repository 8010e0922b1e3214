"""Segments of people from the outputs of BodyPix."""

from __future__ import annotations

from typing import Any

from .. import functions as F
from ..errors import ShapeError
from ..functions.arguments import integer, number
from ..functions.decorators import named
from ..kernels.api import kernel
from ..tensor import Tensor
from ..typing import ArrayLike
from .checks import numbers_of
from .poses import POSE_PARTS

BODY_PARTS = (
    *("left_face", "right_face", "left_upper_arm_front", "left_upper_arm_back"),
    *("right_upper_arm_front", "right_upper_arm_back", "left_lower_arm_front"),
    *("left_lower_arm_back", "right_lower_arm_front", "right_lower_arm_back", "left_hand"),
    *("right_hand", "torso_front", "torso_back", "left_upper_leg_front", "left_upper_leg_back"),
    *("right_upper_leg_front", "right_upper_leg_back", "left_lower_leg_front"),
    *("left_lower_leg_back", "right_lower_leg_front", "right_lower_leg_back", "left_feet"),
    "right_feet",
)
"""Names of the 24 parts of a body."""


def _map(operation: str, name: str, x: ArrayLike, channels: int | str) -> Tensor:
    shape = ("height", "width", channels)
    tensor = numbers_of(operation, name, x, shape, (1, *shape))
    return tensor.reshape(tensor.shape[-3:])


@named
def person_mask(segments: ArrayLike, /, *, threshold: float = 0.7) -> Tensor:
    """Return True for pixels of people.

    Args:
        segments: Scores after the sigmoid, of shape (height, width, 1) or (1, height, width, 1);
            `resize` brings the model's output to the size of the image.
        threshold: Pixels with larger scores are of people; 0.7 by default.

    Returns:
        bool tensor of shape (height, width).

    Raises:
        ShapeError: If the shape does not fit.

    >>> import py_tensor as pt
    >>> pt.vision.person_mask([[[0.2], [0.9]]]).tolist()
    [[False, True]]
    """
    logits = _map("person_mask", "segments", segments, 1)
    return logits[..., 0] > number("person_mask", "threshold", threshold)


@named
def body_parts(mask: ArrayLike, parts: ArrayLike, /) -> Tensor:
    """Return the number of the body's part at each pixel, as in `BODY_PARTS`; -1 outside.

    Args:
        mask: True for pixels of people, of shape (height, width).
        parts: Scores of the parts, of shape (height, width, 24) or (1, height, width, 24).

    Returns:
        int32 tensor of shape (height, width).

    Raises:
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> pt.vision.body_parts([[True, False]], [[[0.1, 0.8], [0.9, 0.2]]]).tolist()
    [[1, -1]]
    """
    logits = _map("body_parts", "parts", parts, "parts")
    people = F.asarray(mask)
    _check_mask("body_parts", people, logits.shape[:2])
    return F.where(people.astype("bool"), F.argmax(logits, axis=-1), -1).astype("int32")


def _check_mask(operation: str, mask: Tensor, wanted: tuple[int, ...] | None = None) -> None:
    if mask.ndim != 2 or (wanted is not None and mask.shape != wanted):
        raise ShapeError(
            f"{operation}: mask does not fit; got shape {mask.shape}; use shape "
            f"{wanted or '(height, width)'}"
        )


@kernel(shape=lambda mask, moves, poses, stride, steps, used, least: mask.shape)
def _nearest_pose(
    i: Any,
    j: Any,
    mask: Any,
    moves: Any,
    poses: Any,
    stride: Any,
    steps: Any,
    used: Any,
    least: Any,
) -> Any:
    best, nearest = -1, 1e30
    if mask[i, j] != 0:
        height, width = mask.shape
        rows, columns, _ = moves.shape
        for n in range(poses.shape[0]):
            total, count = 0.0, 0
            for k in range(used):
                if poses[n, k, 2] > least:
                    y, x = float(i), float(j)
                    for step in range(steps + 1):
                        low = min(max(int(y / stride + 0.5), 0), rows - 1)
                        left = min(max(int(x / stride + 0.5), 0), columns - 1)
                        y = y + moves[low, left, k]
                        x = x + moves[low, left, k + 17]
                        if step < steps:
                            y, x = min(y, height - 1.0), min(x, width - 1.0)
                    count += 1
                    total += (x - poses[n, k, 0]) ** 2 + (y - poses[n, k, 1]) ** 2
            if count > 0 and total / count < nearest:
                nearest, best = total / count, n
    return best


@named
def separate_people(
    mask: ArrayLike,
    long_offsets: ArrayLike,
    keypoints: ArrayLike,
    stride: int,
    /,
    *,
    refine_steps: int = 8,
    keypoint_threshold: float = 0.3,
) -> Tensor:
    """Return the number of the person that each pixel belongs to; -1 outside of people.

    A pixel follows the offsets to keypoints, and belongs to the person whose keypoints are nearest
    to where it arrives. Source: Papandreou et al. 2018, arXiv:1803.08225.

    Args:
        mask: True for pixels of people, of shape (height, width), at the size of the model's image.
        long_offsets: Offsets with 34 channels: y, then x, of shape (rows, columns, 34) or (1, rows,
            columns, 34).
        keypoints: Keypoints (x, y, score) of shape (people, 17, 3), as `decode_poses` gives.
        stride: Number of pixels of the model's image for each element of the offsets.
        refine_steps: Number of further steps along the offsets; 8 by default.
        keypoint_threshold: Keypoints with larger scores are compared; 0.3 by default.

    Returns:
        int32 tensor of shape (height, width).

    Raises:
        ArgumentError: If the stride is below 1, or `refine_steps` is negative.
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> mask, offsets = pt.asarray([[True, True, False, True]]), pt.zeros((1, 1, 34))
    >>> people = pt.asarray([[[0.0, 0.0, 1.0]] * 17, [[3.0, 0.0, 1.0]] * 17])
    >>> pt.vision.separate_people(mask, offsets, people, 8).tolist()
    [[0, 0, -1, 1]]
    """
    operation, count = "separate_people", len(POSE_PARTS)
    people = F.asarray(mask)
    _check_mask(operation, people)
    moves = _map(operation, "offsets", long_offsets, 2 * count)
    poses = numbers_of(operation, "keypoints", keypoints, ("people", count, 3))
    steps = integer(operation, "refine_steps", refine_steps, 0, 1000)
    least = number(operation, "keypoint_threshold", keypoint_threshold)
    if not poses.shape[0]:
        return F.full(people.shape, -1, dtype="int32")
    pixels = float(integer(operation, "stride", stride, 1, 1 << 20))
    whole = people.astype("int32")
    # Five keypoints of the face suffice, as in body-pix.
    nearest: Tensor = _nearest_pose(whole, moves, poses, pixels, steps, 5, least)
    return nearest
