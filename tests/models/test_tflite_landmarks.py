"""MediaPipe's operators of landmarks, compared with their formulas as products of matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from flatbuffer_files import node, saved, tensor
from flatbuffers import flexbuffers
from helpers import assert_values

import py_tensor as pt
from py_tensor.errors import ModelError
from py_tensor.models.tflite.flexbuffers import options_of


def operator(name: str, shapes: list[tuple[int, ...]], options: dict[str, Any]) -> Any:
    tensors = [tensor(list(shape)) for shape in shapes] + [tensor([])]
    inputs, count = list(range(len(shapes))), len(shapes)
    step = node(name, inputs, [count], custom=bytes(flexbuffers.Dumps(options)))
    return pt.models.loads(saved(tensors, [step], inputs, [count]))


def shift(x: float, y: float) -> np.ndarray:
    return np.array([[1, 0, x], [0, 1, y], [0, 0, 1.0]])


def turn(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


def scale(x: float, y: float) -> np.ndarray:
    return np.diag([x, y, 1.0])


def box(points: np.ndarray, angle: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the center and the size of the box around points, whose axes are turned."""
    rotated = points @ turn(angle)[:2, :2].T
    low, high = rotated.min(0), rotated.max(0)
    return turn(-angle)[:2, :2] @ (low + high) / 2, high - low


def spread(matrix: np.ndarray) -> np.ndarray:
    """Return a matrix of the plane as one of space."""
    wide = np.eye(4)
    wide[:2, [0, 1, 3]] = matrix[:2]
    return wide[None].astype("float32")


def points_of(rng: np.random.Generator) -> np.ndarray:
    return rng.uniform(20, 160, size=(6, 3)).astype("float32")


def test_matrix_of_the_second_version(engine, rng):
    points, subset = points_of(rng), [0, 3, 4, 5, 2]
    options = {
        "subset_idxs": subset,
        "left_rotation_idx": 1,
        "right_rotation_idx": 3,
        "target_rotation_radians": 0.25,
        "output_height": 16,
        "output_width": 24,
        "scale_x": 1.5,
        "scale_y": 2.0,
    }
    x, y = points[3, :2] - points[1, :2]
    angle = 0.25 - math.atan2(y, x)
    center, size = box(points[subset, :2], angle)
    sizes = scale(1.5 * size[0] / 24, 2 * size[1] / 16)
    expected = shift(*center) @ turn(-angle) @ sizes @ shift(-12, -8)
    found = operator("Landmarks2TransformMatrix@2", [(1, 6, 3)], options)(points[None])
    assert_values(found, spread(expected), rtol=1e-4, atol=1e-3)


def test_matrix_of_the_first_version(engine, rng):
    points, subset = points_of(rng), [0, 3, 4, 5]
    options = {
        "subset": subset,
        "left_rotation_idx": 1,
        "right_rotation_idx": 3,
        "bbox_size_multiplier": 1.25,
        "landmarks_range": 192,
        "dimensions": 3,
        "input_hw": [96, 64],
        "output_hw": [16, 24],
    }
    x, y = points[3, :2] - points[1, :2]
    angle = -math.atan(y / x)
    center, size = box(points[subset, :2], angle)
    to_relative = shift(-1, -1) @ scale(2 / 23, 2 / 15)
    to_absolute = shift(63 / 2, 95 / 2) @ scale(63 / 2, 95 / 2)
    place = shift(*(center / 192 * 2 - 1)) @ turn(-angle)
    expected = to_absolute @ place @ scale(*(size * 1.25 / 192)) @ to_relative
    model = operator("Landmarks2TransformMatrix@1", [(1, 1, 1, 18)], options)
    found = model(points.reshape((1, 1, 1, 18)))
    assert_values(found, spread(expected), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("dimensions", [2, 3])
def test_landmarks_are_moved_by_a_matrix(version, dimensions, engine, rng):
    points = rng.normal(size=(5, dimensions)).astype("float32")
    matrix = rng.normal(size=(1, 4, 4)).astype("float32")
    options = {"dimensions": dimensions, "scale": 4.0} if version == 1 else {"unused": 1}
    expected = points.copy()
    shifts = matrix[0, :2, 3] * (4 if version == 1 else 1)
    expected[:, :2] = points[:, :2] @ matrix[0, :2, :2].T + shifts
    shape = (1, 1, 1, 5 * dimensions) if version == 1 else (1, 5, dimensions)
    model = operator(f"TransformLandmarks@{version}", [shape, (1, 4, 4)], options)
    found = model(points.reshape(shape), matrix)
    assert_values(found, expected.reshape(shape), rtol=1e-5, atol=1e-5)


def sampled(image: np.ndarray, matrix: np.ndarray, height: int, width: int) -> np.ndarray:
    """Return bilinear samples at transformed positions, and 0 outside of the image."""
    rows, columns, channels = image.shape
    result = np.zeros((height, width, channels), "float32")
    for i in range(height):
        for j in range(width):
            x, y = matrix[:2] @ [j, i, 0, 1]
            if not (0 <= x <= columns - 1 and 0 <= y <= rows - 1):
                continue
            left, top = int(x), int(y)
            for row, part_y in ((top, 1 - y + top), (top + 1, y - top)):
                for column, part_x in ((left, 1 - x + left), (left + 1, x - left)):
                    if row < rows and column < columns:
                        result[i, j] += image[row, column] * part_y * part_x
    return result


@pytest.mark.parametrize("version", [1, 2])
def test_images_are_read_at_transformed_positions(version, engine, rng):
    image = rng.normal(size=(1, 7, 9, 3)).astype("float32")
    matrix = spread(shift(1.25, -0.5) @ turn(0.3) @ scale(0.9, 1.1))
    if version == 1:
        name, options = "TransformTensor@1", {"mode": "bilinear", "output_size": [6, 8]}
        inner = matrix[0]
    else:
        name, options = "TransformTensorBilinear@2", {"output_height": 6, "output_width": 8}
        half, back = np.eye(4), np.eye(4)
        half[:2, 3], back[:2, 3] = 0.5, -0.5
        inner = back @ matrix[0] @ half
    found = operator(name, [image.shape, (1, 4, 4)], options)(image, matrix)
    expected = sampled(image[0], inner, 6, 8)[None]
    assert (expected == 0).any()
    assert_values(found, expected, rtol=1e-4, atol=1e-4)


def test_other_modes_are_refused(engine):
    options = {"mode": "nearest", "output_size": [2, 2]}
    model = operator("TransformTensor@1", [(1, 2, 2, 1), (1, 4, 4)], options)
    with pytest.raises(ModelError, match="TransformTensor in mode nearest"):
        model(pt.ones((1, 2, 2, 1)), pt.eye(4)[None])


@pytest.mark.host
def test_options_have_texts_and_lists():
    options = {
        "pair": [3, 4],
        "four": [1, 2, 3, 70000],
        "many": list(range(300)),
        "floats": [0.5, 1.5, -2.0],
        "mixed": [1, 2.5],
        "text": "bilinear",
        "number": -7,
        "flag": True,
        "none": None,
    }
    expected = {name: value for name, value in options.items() if name != "none"}
    assert options_of(bytes(flexbuffers.Dumps(options))) == expected
    builder = flexbuffers.Builder()
    with builder.Map():
        builder.Key("typed")
        builder.FixedTypedVectorFromElements([5, 6])
        builder.Key("long")
        builder.TypedVectorFromElements([1, 2, 3, 4, 5])
    assert options_of(bytes(builder.Finish())) == {"typed": [5, 6], "long": [1, 2, 3, 4, 5]}
