"""Poses of bodies, and landmarks of faces and hands, from the outputs of models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from .. import functions as F
from ..errors import ShapeError
from ..functions.arguments import integer, number
from ..functions.decorators import named
from ..tensor import Tensor, realize
from ..typing import ArrayLike
from .checks import height_and_width, numbers_of
from .geometry import transform_points

POSE_PARTS = (
    *("nose", "left_eye", "right_eye", "left_ear", "right_ear", "left_shoulder"),
    *("right_shoulder", "left_elbow", "right_elbow", "left_wrist", "right_wrist", "left_hip"),
    *("right_hip", "left_knee", "right_knee", "left_ankle", "right_ankle"),
)
"""Names of the 17 keypoints of PoseNet and MoveNet."""
POSE_EDGES = (
    *((0, 1), (0, 2), (1, 3), (2, 4), (5, 6), (5, 7), (7, 9), (6, 8), (8, 10)),
    *((5, 11), (6, 12), (11, 12), (11, 13), (13, 15), (12, 14), (14, 16)),
)
"""Pairs of keypoints that lines of a skeleton connect."""
HAND_EDGES = (
    *((0, 1), (1, 2), (2, 3), (3, 4), (0, 5), (5, 6), (6, 7), (7, 8), (5, 9), (9, 10), (10, 11)),
    *((11, 12), (9, 13), (13, 14), (14, 15), (15, 16), (13, 17), (0, 17), (17, 18), (18, 19)),
    (19, 20),
)
"""Pairs of the 21 landmarks of a hand that lines connect."""
_CHAIN = (
    *((0, 1), (1, 3), (0, 2), (2, 4), (0, 5), (5, 7), (7, 9), (5, 11), (11, 13), (13, 15)),
    *((0, 6), (6, 8), (8, 10), (6, 12), (12, 14), (14, 16)),
)
"""Parents and children of PoseNet's displacements."""


class Poses(NamedTuple):
    """Poses of people."""

    keypoints: Tensor
    """x, y and score of each keypoint, of shape (people, 17, 3)."""
    scores: Tensor
    """Score of each pose."""


def _of_one(operation: str, name: str, x: ArrayLike, channels: int | str) -> Tensor:
    """Return a map of shape (height, width, channels), which may have a batch axis of 1."""
    shape = ("height", "width", channels)
    tensor = numbers_of(operation, name, x, shape, (1, *shape))
    return tensor.reshape(tensor.shape[-3:]).astype("float32", copy=False)


@named
def decode_pose(heatmaps: ArrayLike, offsets: ArrayLike, stride: int, /) -> Poses:
    """Return the pose of one person that PoseNet found; everything stays on the GPU.

    Args:
        heatmaps: Scores of the parts, after the sigmoid, of shape (height, width, 17) or (1,
            height, width, 17).
        offsets: Offsets of the same height and width with 34 channels: y, then x.
        stride: Number of pixels of the model's image for each element of the heatmaps.

    Returns:
        `Poses` of one person, in pixels of the model's image.

    Raises:
        ArgumentError: If the stride is below 1.
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> heatmaps = pt.nn.one_hot(pt.full((2, 2), 3), 17).at[1, 0, 3].set(2.0)
    >>> pose = pt.vision.decode_pose(heatmaps, pt.ones((2, 2, 34)), 16)
    >>> pose.keypoints[0, 3].tolist()
    [1.0, 17.0, 2.0]
    """
    operation = "decode_pose"
    scores = _of_one(operation, "heatmaps", heatmaps, len(POSE_PARTS))
    moves = _of_one(operation, "offsets", offsets, 2 * len(POSE_PARTS))
    _same_size(operation, scores, moves)
    step = integer(operation, "stride", stride, 1, 1 << 20)
    width, count = scores.shape[1:]
    flat = scores.reshape((-1, count))
    best = F.argmax(flat, axis=0)
    rows = moves.reshape((-1, 2, count))
    parts = F.arange(count)
    y = ((best // width) * step).astype("float32") + rows[best, 0, parts]
    x = ((best % width) * step).astype("float32") + rows[best, 1, parts]
    scores_of_parts = flat[best, parts]
    return Poses(
        F.stack([x, y, scores_of_parts], axis=-1)[None], F.mean(scores_of_parts).reshape((1,))
    )


def _same_size(operation: str, *maps: Tensor) -> None:
    sizes = {tensor.shape[:2] for tensor in maps}
    if len(sizes) > 1:
        raise ShapeError(
            f"{operation}: maps have different sizes; got {sorted(sizes)}; pass the outputs of one "
            "model"
        )


class _Maps(NamedTuple):
    """Outputs of PoseNet on the host, as flat memory."""

    height: int
    width: int
    stride: int
    scores: memoryview
    offsets: memoryview
    forward: memoryview
    backward: memoryview

    def place(self, y: float, x: float) -> int:
        """Return the position of the element nearest to a point."""
        # Halves are rounded up, as JavaScript does.
        row = min(max(math.floor(y / self.stride + 0.5), 0), self.height - 1)
        column = min(max(math.floor(x / self.stride + 0.5), 0), self.width - 1)
        return row * self.width + column

    def refined(self, at: int, part: int) -> tuple[float, float]:
        """Return the point of a part whose score is at a position."""
        count = len(POSE_PARTS)
        row, column = divmod(at, self.width)
        y = row * self.stride + self.offsets[at * 2 * count + part]
        return y, column * self.stride + self.offsets[(at * 2 + 1) * count + part]

    def follow(self, start: list[float], edge: int, target: int, moves: memoryview) -> list[float]:
        """Return the keypoint (y, x, score) at the other end of an edge."""
        at, count = self.place(start[0], start[1]), len(_CHAIN)
        y = start[0] + moves[at * 2 * count + edge]
        x = start[1] + moves[(at * 2 + 1) * count + edge]
        for _ in range(2):
            y, x = self.refined(self.place(y, x), target)
        return [y, x, self.scores[self.place(y, x) * len(POSE_PARTS) + target]]

    def pose(self, part: int, at: int) -> list[list[float]]:
        """Return the keypoints of the person one of whose parts is at a position."""
        count = len(POSE_PARTS)
        marks: list[list[float]] = [[] for _ in range(count)]
        marks[part] = [*self.refined(at, part), self.scores[at * count + part]]
        for edge in reversed(range(len(_CHAIN))):
            parent, child = _CHAIN[edge]
            if marks[child] and not marks[parent]:
                marks[parent] = self.follow(marks[child], edge, parent, self.backward)
        for edge, (parent, child) in enumerate(_CHAIN):
            if marks[parent] and not marks[child]:
                marks[child] = self.follow(marks[parent], edge, child, self.forward)
        return marks


@named
def decode_poses(
    heatmaps: ArrayLike,
    offsets: ArrayLike,
    forward: ArrayLike,
    backward: ArrayLike,
    stride: int,
    /,
    *,
    max_poses: int = 5,
    score_threshold: float = 0.5,
    nms_radius: float = 20.0,
) -> Poses:
    """Return the poses of several people that PoseNet found.

    The heatmaps are read, and people are followed on the host. Source: Papandreou et al. 2018,
    arXiv:1803.08225.

    Args:
        heatmaps: Scores of the parts, after the sigmoid, of shape (height, width, 17) or (1,
            height, width, 17).
        offsets: Offsets with 34 channels: y, then x.
        forward: Displacements from parents to children with 32 channels: y, then x.
        backward: Displacements from children to parents with 32 channels.
        stride: Number of pixels of the model's image for each element of the heatmaps.
        max_poses: Largest number of people; 5 by default.
        score_threshold: Smallest score of the part that a pose begins with; 0.5 by default.
        nms_radius: Parts closer than this many pixels to the same part of a better pose belong to
            it; 20.0 by default.

    Returns:
        `Poses` in pixels of the model's image, in the order in which they were found.

    Raises:
        ArgumentError: If a number is out of range.
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> maps = [pt.zeros((4, 4, channels)) for channels in (17, 34, 32, 32)]
    >>> maps[0][2, 1, 5] = 0.75
    >>> poses = pt.vision.decode_poses(*maps, 16)
    >>> poses.keypoints.shape, poses.keypoints[0, 5].tolist()
    ((1, 17, 3), [16.0, 32.0, 0.75])
    """
    operation = "decode_poses"
    count, edges = len(POSE_PARTS), len(_CHAIN)
    names = ("heatmaps", "offsets", "forward", "backward")
    lengths = (count, 2 * count, 2 * edges, 2 * edges)
    named_maps = zip(names, (heatmaps, offsets, forward, backward), lengths, strict=True)
    maps = [_of_one(operation, name, tensor, length) for name, tensor, length in named_maps]
    _same_size(operation, *maps)
    least = number(operation, "score_threshold", score_threshold)
    most = integer(operation, "max_poses", max_poses, 0)
    height, width = maps[0].shape[:2]
    around = F.max_pool2d(maps[0], 3, stride=1, padding=1)
    # Only the largest scores of their neighbourhoods begin a pose.
    peaks = F.where((maps[0] >= around) & (maps[0] >= least), maps[0], -1.0)
    realize(peaks, *maps)
    flat = [memoryview(tensor.reshape((-1,))) for tensor in (peaks, *maps)]
    first, *rest = flat
    decoder = _Maps(height, width, integer(operation, "stride", stride, 1, 1 << 20), *rest)
    queue = sorted((-score, at) for at, score in enumerate(first) if score >= max(least, 0.0))
    near = number(operation, "nms_radius", nms_radius) ** 2
    poses: list[list[list[float]]] = []
    scores: list[float] = []

    def taken(y: float, x: float, part: int) -> bool:
        return any((y - p[part][0]) ** 2 + (x - p[part][1]) ** 2 <= near for p in poses)

    for _, index in queue:
        if len(poses) >= most:
            break
        at, part = divmod(index, count)
        if taken(*decoder.refined(at, part), part):
            continue
        pose = decoder.pose(part, at)
        own = [score for part, (y, x, score) in enumerate(pose) if not taken(y, x, part)]
        scores.append(sum(own) / count)
        poses.append(pose)
    keypoints = [[[x, y, score] for y, x, score in pose] for pose in poses]
    return Poses(
        F.asarray(keypoints, dtype="float32").reshape((-1, count, 3)),
        F.asarray(scores, dtype="float32"),
    )


@named
def decode_movenet(output: ArrayLike, size: Sequence[int], /) -> Poses:
    """Return the poses that MoveNet found; everything stays on the GPU.

    Args:
        output: Output of MoveNet for one image: of shape (1, 1, 17, 3) for one person, or (1, n,
            56) for several, whose boxes are left out.
        size: Height and width of the model's image in pixels.

    Returns:
        `Poses` in pixels of the model's image. The score of a single pose is the mean of its
        keypoints' scores.

    Raises:
        ArgumentError: If a length is below 1.
        ShapeError: If the shape does not fit.

    >>> import py_tensor as pt
    >>> poses = pt.vision.decode_movenet(pt.full((1, 1, 17, 3), 0.5), (192, 256))
    >>> poses.keypoints[0, 0].tolist(), poses.scores.tolist()
    ([128.0, 96.0, 0.5], [0.5])
    """
    operation, count = "decode_movenet", len(POSE_PARTS)
    rows = numbers_of(operation, "outputs", output, (1, 1, count, 3), (1, "n", 3 * count + 5))
    height, width = height_and_width(operation, "size", size)
    points = rows[0, ..., : 3 * count].reshape((-1, count, 3)) if rows.ndim == 3 else rows[0]
    y, x, score = F.unstack(points, axis=-1)
    scores = F.mean(score, axis=-1) if rows.ndim == 4 else rows[0, :, -1]
    return Poses(F.stack([x * width, y * height, score], axis=-1), scores)


@named
def decode_landmarks(
    output: ArrayLike, matrix: ArrayLike | None = None, /, *, numbers: int = 3
) -> Tensor:
    """Return the landmarks of a face or hand, from an output of one row for each region.

    Args:
        output: Output of the model, with x, y and more numbers of each landmark in pixels of the
            region, of shape (n, landmarks * numbers) or any shape of as many elements.
        matrix: Matrix from points of the region to points of the image, as `region_matrices` gives,
            of shape (2, 3) for one region or (n, 2, 3); None (default) to stay in the region.
        numbers: Numbers of each landmark; 3 by default, for x, y and depth.

    Returns:
        float32 tensor of shape (n, landmarks, numbers). The depth is not changed by the matrix.

    Raises:
        ArgumentError: If `numbers` is below 2.
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> move = [[1.0, 0.0, 10.0], [0.0, 1.0, 20.0]]
    >>> pt.vision.decode_landmarks([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]], move).tolist()
    [[[11.0, 22.0, 3.0], [14.0, 25.0, 6.0]]]
    """
    operation = "decode_landmarks"
    count = integer(operation, "numbers", numbers, 2)
    rows = numbers_of(operation, "outputs", output, ("...", "n"))
    regions = 1
    matrices = None if matrix is None else F.asarray(matrix)
    if matrices is not None and matrices.ndim == 3:
        regions = matrices.shape[0]
    elif matrices is None and rows.ndim > 1:
        regions = rows.shape[0]
    if not rows.size or rows.size % (regions * count):
        raise ShapeError(
            f"{operation}: landmarks do not fit; got shape {rows.shape} for {regions} regions; "
            f"use {count} numbers for each landmark"
        )
    points = rows.reshape((regions, -1, count)).astype("float32", copy=False)
    return points if matrices is None else transform_points(points, matrices)
