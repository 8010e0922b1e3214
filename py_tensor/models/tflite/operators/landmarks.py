"""MediaPipe's custom operators that cut a part of an image around landmarks.

Source: mediapipe/util/tflite/operations, and tflite/delegates/gpu/common/mediapipe for the options.
"""

from __future__ import annotations

from typing import Any

from .... import functions as F
from ....tensor import Tensor
from ..flexbuffers import options_of
from .shared import Operator, unsupported


def landmarks_to_matrix(landmarks: Tensor, *, custom_options: bytes, opset: int) -> Tensor:
    """Return the matrix, (1, 4, 4), that maps pixels of the cut part to pixels of the image."""
    options = options_of(custom_options)
    points = landmarks.reshape((-1, 3))[:, :2]
    ends = points[options["right_rotation_idx"]] - points[options["left_rotation_idx"]]
    if opset == 1:
        turn = 0.0 - F.atan(ends[1] / ends[0])
    else:
        turn = options["target_rotation_radians"] - F.atan2(ends[1], ends[0])
    cosine, sine = F.cos(turn), F.sin(turn)
    back = F.stack([cosine, sine, 0.0 - sine, cosine]).reshape((2, 2))
    rotated = F.take(points, F.asarray(options["subset" if opset == 1 else "subset_idxs"]), axis=0)
    rotated = rotated @ back
    low, high = F.min(rotated, axis=0), F.max(rotated, axis=0)
    center = back @ ((low + high) / 2)
    if opset == 1:
        if options["dimensions"] != 3:
            raise unsupported(f"landmarks of {options['dimensions']} dimensions")
        height, width = options["output_hw"]
        middle = _floats((width - 1) / 2, (height - 1) / 2)
        rows, columns = options["input_hw"]
        image = _floats(columns - 1, rows - 1) / options["landmarks_range"]
        size = (high - low) * (options["bbox_size_multiplier"] / 2) / middle
        linear = image.reshape((2, 1)) * back * size
        center = image * center
    else:
        out = _floats(options["output_width"], options["output_height"])
        middle = out / 2
        linear = back * ((high - low) * _floats(options["scale_x"], options["scale_y"]) / out)
    shift = center - linear @ middle
    upper = F.concat([linear, F.zeros((2, 1)), shift.reshape((2, 1))], axis=1)
    return F.concat([upper, F.eye(4)[2:]], axis=0).reshape((1, 4, 4))


def _floats(*numbers: Any) -> Tensor:
    return F.asarray(numbers, dtype="float32")


def transform_landmarks(
    landmarks: Tensor, matrix: Tensor, *, custom_options: bytes, opset: int
) -> Tensor:
    dimensions, scale = landmarks.shape[-1], 1.0
    if opset == 1:
        options = options_of(custom_options)
        dimensions, scale = options["dimensions"], options["scale"]
    if dimensions not in (2, 3):
        raise unsupported(f"landmarks of {dimensions} dimensions")
    points, rows = landmarks.reshape((-1, dimensions)), matrix.reshape((4, 4))[:2]
    moved = points[:, :2] @ rows[:, :2].mT + rows[:, 3] * scale
    return F.concat([moved, points[:, 2:]], axis=1).reshape(landmarks.shape)


def transform_tensor(image: Tensor, matrix: Tensor, *, custom_options: bytes, opset: int) -> Tensor:
    """Read an image at transformed positions; outside of it, the result is 0."""
    options = options_of(custom_options)
    if opset == 1:
        if options.get("mode", "bilinear") != "bilinear":
            raise unsupported(f"TransformTensor in mode {options['mode']}")
        (height, width), offset = options["output_size"], 0.0
    else:
        # Positions are centers of pixels.
        height, width, offset = options["output_height"], options["output_width"], 0.5
    rows = matrix.reshape((4, 4))
    x, y = F.arange(width) + offset, F.arange(height).reshape((-1, 1)) + offset
    at_x, at_y = (row[0] * x + row[1] * y + row[3] - offset for row in (rows[0], rows[1]))
    _, length_y, length_x, channels = image.shape
    inside = (at_x >= 0) & (at_x <= length_x - 1) & (at_y >= 0) & (at_y <= length_y - 1)
    left, top = F.floor(at_x), F.floor(at_y)
    right_part, lower_part = at_x - left, at_y - top
    pixels = image.reshape((length_y * length_x, channels))

    def read(down: int, right: int) -> Tensor:
        row = F.clip(top + down, 0, length_y - 1).astype("int32")
        column = F.clip(left + right, 0, length_x - 1).astype("int32")
        weight = (lower_part if down else 1.0 - lower_part) * (
            right_part if right else 1.0 - right_part
        )
        return F.take(pixels, row * length_x + column, axis=0) * weight[..., None]

    y = read(0, 0) + read(0, 1) + read(1, 0) + read(1, 1)
    return F.where(inside[..., None], y, 0.0)[None]


OPERATORS = {
    "custom.Landmarks2TransformMatrix": Operator(landmarks_to_matrix),
    "custom.TransformLandmarks": Operator(transform_landmarks),
    "custom.TransformTensor": Operator(transform_tensor),
    "custom.TransformTensorBilinear": Operator(transform_tensor),
}
