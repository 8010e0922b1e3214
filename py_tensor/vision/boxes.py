"""Boxes around objects: overlaps, non-maximum suppression, anchors and what models encode.

Boxes are (top, left, bottom, right), points (x, y). Everything stays on the GPU, except for the
number of boxes that are kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from .. import functions as F
from ..errors import ArgumentError, ShapeError
from ..functions.arguments import choice, flag, floating, integer, items, number, wide
from ..functions.decorators import named
from ..functions.elementwise import where
from ..tensor import Tensor, as_tensor
from ..transforms.control_flow import scan
from ..typing import ArrayLike
from .checks import counted, floats_of, height_and_width, numbers_of


class KeptBoxes(NamedTuple):
    """Result of `non_max_suppression`."""

    indices: Tensor
    """Positions of the kept boxes, best score first; 0 after the last one if padded."""
    scores: Tensor
    """Scores of the kept boxes; 0.0 after the last one if padded."""
    number: Tensor
    """Number of kept boxes; int32."""


@named
def non_max_suppression(
    boxes: ArrayLike,
    scores: ArrayLike,
    max_output_size: int,
    /,
    *,
    iou_threshold: float = 0.5,
    score_threshold: float = -math.inf,
    soft_sigma: float = 0.0,
    classes: ArrayLike | None = None,
    padded: bool = False,
) -> KeptBoxes:
    """Keep the boxes with the best scores that do not overlap a better one too much.

    Source of the soft variant: Bodla et al. 2017, arXiv:1704.04503.

    Args:
        boxes: Boxes (y1, x1, y2, x2) of shape (n, 4), any two opposite corners.
        scores: Score of each box, of shape (n,).
        max_output_size: Largest number of boxes to keep.
        iou_threshold: Boxes are dropped if their intersection with a better box, divided by the
            union, is at least this; 0.5 by default.
        score_threshold: Boxes with scores up to this are dropped; -inf by default.
        soft_sigma: If positive, scores of overlapping boxes also decrease, by the factor
            exp(-0.5 iou**2 / soft_sigma); 0.0 by default.
        classes: Class of each box, of shape (n,): only boxes of the same class compete; None
            (default) for one class.
        padded: Return `max_output_size` elements without reading their number back; False by
            default.

    Returns:
        `KeptBoxes`: indices (int32), scores (float32), and their number.

    Raises:
        ArgumentError: If `max_output_size` is negative.
        DTypeError: If the operands are not floating.
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> boxes = pt.asarray([[0, 0, 2, 2], [0, 0, 2, 1.9], [5, 5, 6, 6]])
    >>> pt.vision.non_max_suppression(boxes, [0.6, 0.9, 0.3], 3).indices.tolist()
    [1, 2]
    """
    operation = "non_max_suppression"
    corners, values = (wide(floating(operation, x)) for x in (boxes, scores))
    if corners.ndim != 2 or corners.shape[1] != 4 or values.shape != corners.shape[:1]:
        raise ShapeError(
            f"{operation}: boxes do not fit; got shapes {corners.shape} and {values.shape}; boxes "
            "must have shape (n, 4), and scores (n,)"
        )
    most = integer(operation, "max_output_size", max_output_size)
    if most < 0:
        raise ArgumentError(f"{operation}: max_output_size is negative; got {most}; use 0 or more")
    overlap = number(operation, "iou_threshold", iou_threshold)
    least = number(operation, "score_threshold", score_threshold)
    sigma = number(operation, "soft_sigma", soft_sigma)
    kinds = None if classes is None else as_tensor(operation, classes)
    if kinds is not None and kinds.shape != values.shape:
        raise ShapeError(
            f"{operation}: classes do not fit; got shape {kinds.shape} for {values.shape[0]} "
            "boxes; pass one class for each box"
        )
    size = min(most, values.shape[0])
    if not size:
        indices, best = F.arange(0), values[:0]
    else:
        step = _suppression(_ordered(corners), kinds, overlap, sigma)
        alive = where(values > least, values, -math.inf)
        _, (indices, best) = scan(step, alive, length=size)
    is_kept = best > least
    count = F.sum(F.astype(is_kept, "int32"))
    if flag(operation, "padded", padded):
        widths = (0, most - size)
        indices = where(is_kept, indices, 0).pad(widths)
        return KeptBoxes(indices, where(is_kept, best, 0.0).pad(widths), count)
    length = int(count)
    return KeptBoxes(indices[:length], best[:length], count)


def _ordered(boxes: Tensor) -> Tensor:
    """Return boxes whose first corner is the top left one."""
    first, second = boxes[:, :2], boxes[:, 2:]
    return F.concat([F.minimum(first, second), F.maximum(first, second)], axis=1)


def _overlaps(a: Tensor, b: Tensor) -> Tensor:
    """Return the intersection of boxes (..., 4) divided by the union; 0.0 for empty boxes."""
    sides = F.maximum(F.minimum(a[..., 2:], b[..., 2:]) - F.maximum(a[..., :2], b[..., :2]), 0.0)
    common = sides[..., 0] * sides[..., 1]
    areas = [(x[..., 2] - x[..., 0]) * (x[..., 3] - x[..., 1]) for x in (a, b)]
    return F.divide_no_nan(common, areas[0] + areas[1] - common)


def _suppression(
    boxes: Tensor, classes: Tensor | None, overlap: float, sigma: float
) -> Callable[[Tensor, Any], tuple[Tensor, tuple[Tensor, Tensor]]]:
    """Return the step that takes the best box of all scores and reduces the scores around it."""
    numbers = F.arange(boxes.shape[0])

    def step(scores: Tensor, _: Any) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        best = F.argmax(scores)
        iou = _overlaps(boxes, F.take(boxes, best, axis=0))
        near = iou >= overlap
        if classes is not None:
            competes = classes == F.take(classes, best)
            near, iou = near & competes, where(competes, iou, 0.0)
        factor = F.exp(iou * iou * (-0.5 / sigma)) if sigma > 0.0 else 1.0
        # An infinity times a factor of 0 would be NaN.
        dropped = near | (numbers == best) | (scores == -math.inf)
        return where(dropped, -math.inf, scores * factor), (best, F.take(scores, best))

    return step


@named
def box_iou(first: ArrayLike, second: ArrayLike, /) -> Tensor:
    """Return the area of the intersection of boxes, divided by that of the union.

    Args:
        first: Boxes (top, left, bottom, right) of shape (n, 4).
        second: Boxes of shape (m, 4).

    Returns:
        Tensor of shape (n, m); 0.0 for boxes without an area.

    Raises:
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> pt.vision.box_iou([[0, 0, 2, 2]], [[0, 1, 2, 3], [2, 2, 3, 3]]).tolist()
    [[0.3333333432674408, 0.0]]
    """
    one, two = (numbers_of("box_iou", "boxes", boxes, ("n", 4)) for boxes in (first, second))
    return _overlaps(one[:, None], two[None])


@named
def top_labels(
    scores: ArrayLike, labels: Sequence[str] | None = None, /, *, k: int = 5
) -> list[Any]:
    """Return the classes with the largest scores; only k numbers and positions are read.

    Args:
        scores: Scores of shape (classes,), or (batch, classes).
        labels: Name of each class; None (default) to return positions.
        k: Number of classes to return, at most as many as there are; 5 by default.

    Returns:
        List of (label, score), best first; a list of such lists for a batch.

    Raises:
        ArgumentError: If `k` is below 1, or labels do not fit.
        ShapeError: If the shape does not fit.

    >>> import py_tensor as pt
    >>> pt.vision.top_labels([0.25, 0.5, 0.125], ["cat", "dog", "fox"], k=2)
    [('dog', 0.5), ('cat', 0.25)]
    """
    operation = "top_labels"
    values = numbers_of(operation, "scores", scores, ("classes",), ("batch", "classes"))
    names = None if labels is None else items(operation, "labels", labels)
    if names is not None and len(names) != values.shape[-1]:
        raise ArgumentError(
            f"{operation}: labels do not fit; got {len(names)} for {values.shape[-1]} classes; "
            "pass one for each class"
        )
    best, positions = F.topk(values, min(integer(operation, "k", k, 1), values.shape[-1]))
    rows = F.concat([best.astype("float32"), positions.astype("float32")], axis=-1).tolist()

    def pairs(row: list[float]) -> list[tuple[Any, float]]:
        half = len(row) // 2
        pairs_of_row = zip(row[:half], map(int, row[half:]), strict=True)
        return [(at if names is None else names[at], score) for score, at in pairs_of_row]

    return pairs(rows) if values.ndim == 1 else [pairs(row) for row in rows]


@named
def ssd_anchors(
    size: Sequence[int],
    strides: Sequence[int],
    /,
    *,
    min_scale: float = 0.2,
    max_scale: float = 0.95,
    aspect_ratios: Sequence[float] = (1.0, 2.0, 0.5, 3.0, 1.0 / 3.0),
    interpolated_ratio: float = 1.0,
    reduced_first: bool = False,
    fixed: bool = False,
    offset: float = 0.5,
) -> Tensor:
    """Return the anchors of single-shot detectors, as MediaPipe's SsdAnchorsCalculator.

    Layers of equal stride follow each other at each place, as in BlazeFace, whose anchors are
    `pt.vision.ssd_anchors((128, 128), (8, 16, 16, 16), aspect_ratios=(1.0,), fixed=True)`.

    Args:
        size: Height and width of the images.
        strides: Distance between anchors in pixels, one for each layer.
        min_scale: Length of the first layer's anchors as a fraction of the image; 0.2 by default.
        max_scale: Length of the last layer's anchors; 0.95 by default.
        aspect_ratios: Width divided by height of the anchors at each place.
        interpolated_ratio: Ratio of one more anchor, whose scale is between this layer's and the
            next one's; 1.0 by default, 0.0 for none.
        reduced_first: Use three anchors in the first layer; False by default.
        fixed: Give all anchors height and width 1; False by default.
        offset: Place of an anchor inside of its cell; 0.5 by default.

    Returns:
        float32 tensor of shape (n, 4): y and x of the center, height and width, as fractions of the
        image.

    Raises:
        ArgumentError: If a number is out of range.

    >>> import py_tensor as pt
    >>> strides = (8, 16, 16, 16)
    >>> anchors = pt.vision.ssd_anchors((128, 128), strides, aspect_ratios=(1.0,), fixed=True)
    >>> anchors.shape, anchors[2].tolist()
    ((896, 4), [0.03125, 0.09375, 1.0, 1.0])
    """
    operation = "ssd_anchors"
    height, width = height_and_width(operation, "size", size)
    steps = [integer(operation, "strides", x, 1) for x in items(operation, "strides", strides)]
    ratios = floats_of(operation, "aspect_ratios", aspect_ratios)
    if not ratios or min(ratios) <= 0:
        raise ArgumentError(
            f"{operation}: aspect_ratios must be positive; got {ratios}; pass one or more"
        )
    low, high = number(operation, "min_scale", min_scale), number(operation, "max_scale", max_scale)
    if min(low, high) <= 0.0:
        raise ArgumentError(
            f"{operation}: scales must be positive; got {low} and {high}; use fractions"
        )
    between = number(operation, "interpolated_ratio", interpolated_ratio)
    shift = number(operation, "offset", offset)
    last = len(steps) - 1
    scales = (
        [low + (high - low) * n / last for n in range(len(steps))] if last else [(low + high) / 2]
    )
    layers: list[list[tuple[float, float]]] = []
    for scale, following in pairwise([*scales, 1.0]):
        pairs = [(scale, ratio) for ratio in ratios]
        if between > 0:
            pairs.append((math.sqrt(scale * following), between))
        if not layers and flag(operation, "reduced_first", reduced_first):
            pairs = [(0.1, 1.0), (scale, 2.0), (scale, 0.5)]
        layers.append([(length / math.sqrt(r), length * math.sqrt(r)) for length, r in pairs])
    equal = flag(operation, "fixed", fixed)
    anchors: list[list[float]] = []
    # Neighbouring layers of equal stride share their cells.
    for step, group in groupby(zip(steps, layers, strict=True), key=lambda layer: layer[0]):
        shapes = [(1.0, 1.0) if equal else shape for _, layer in group for shape in layer]
        rows, columns = -(-height // step), -(-width // step)
        anchors += [
            [(row + shift) / rows, (column + shift) / columns, *shape]
            for row in range(rows)
            for column in range(columns)
            for shape in shapes
        ]
    return F.asarray(anchors, dtype="float32").reshape((-1, 4))


@named
def decode_boxes(
    encodings: ArrayLike,
    anchors: ArrayLike,
    /,
    *,
    scales: Sequence[float] = (10.0, 10.0, 5.0, 5.0),
    exponential: bool = True,
    order: str = "yxhw",
) -> Tensor:
    """Return the boxes that a detector encodes relative to its anchors.

    Args:
        encodings: Center and size of each box relative to its anchor, of shape (..., n, 4).
        anchors: Centers and sizes (y, x, height, width) of shape (n, 4), as `ssd_anchors` gives.
        scales: Divisors of the encoded y, x, height and width; (10.0, 10.0, 5.0, 5.0) by default.
        exponential: Sizes are the logarithms of factors of the anchors' sizes (default), or else
            the factors themselves.
        order: "yxhw" (default) or "xywh": order of the encoded numbers.

    Returns:
        Boxes (top, left, bottom, right) of shape (..., n, 4), in the units of the anchors; float32.

    Raises:
        ArgumentError: If an option is unknown.
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> pt.vision.decode_boxes([[0.0, 5.0, 0.0, 0.0]], [[0.5, 0.5, 1.0, 0.5]]).tolist()
    [[0.0, 0.5, 1.0, 1.0]]
    """
    operation = "decode_boxes"
    encoded = numbers_of(operation, "encodings", encodings, ("...", "n", 4))
    fixed = numbers_of(operation, "anchors", anchors, ("n", 4))
    choice(operation, "order", order, ("yxhw", "xywh"))
    if encoded.shape[-2] != fixed.shape[0]:
        raise ShapeError(
            f"{operation}: anchors do not fit; got shapes {encoded.shape} and {fixed.shape}; pass "
            "one anchor for each encoding"
        )
    divisors = floats_of(operation, "scales", scales)
    y, x, h, w = (wide(encoded[..., order.index(name)]) for name in "yxhw")
    of_y, of_x, of_h, of_w = F.unstack(wide(fixed), axis=-1)
    y = y / divisors[0] * of_h + of_y
    x = x / divisors[1] * of_w + of_x
    h, w = h / divisors[2], w / divisors[3]
    if flag(operation, "exponential", exponential):
        h, w = F.exp(h), F.exp(w)
    h, w = h * of_h * 0.5, w * of_w * 0.5
    return F.stack([y - h, x - w, y + h, x + w], axis=-1)


class Detections(NamedTuple):
    """Result of `decode_detections`."""

    boxes: Tensor
    """Boxes (top, left, bottom, right) of shape (n, 4)."""
    scores: Tensor
    """Score of each box, best first."""
    points: Tensor
    """Points (x, y) of each box, of shape (n, points, 2)."""
    number: Tensor
    """Number of boxes; int32. More rows are 0.0 if padded."""


@named
def decode_detections(
    output: ArrayLike,
    anchors: ArrayLike,
    size: Sequence[int],
    /,
    *,
    max_output_size: int = 10,
    iou_threshold: float = 0.3,
    score_threshold: float = 0.5,
    padded: bool = False,
) -> Detections:
    """Return what BlazeFace, and the palm detector of hands, found in an image.

    Args:
        output: Output of the model for one image, of shape (anchors, numbers) or (1, anchors,
            numbers): a logit, x and y of the center from the anchor, width and height in pixels,
            then x and y of points from the anchor.
        anchors: Anchors of shape (anchors, 4), as `ssd_anchors` gives with `fixed`.
        size: Height and width of the model's image.
        max_output_size: Largest number of boxes; 10 by default.
        iou_threshold: As for `non_max_suppression`; 0.3 by default.
        score_threshold: Smallest score, from 0 to 1; 0.5 by default.
        padded: Return `max_output_size` rows without reading their number; False by default.

    Returns:
        `Detections` in pixels of the model's image.

    Raises:
        ArgumentError: If a number is out of range.
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> anchors = [[0.25, 0.25, 1.0, 1.0], [0.75, 0.75, 1.0, 1.0]]
    >>> output = [[-9.0, 0, 0, 0, 0, 0, 0], [9.0, 0, 0, 20, 10, 1, 2]]
    >>> found = pt.vision.decode_detections(output, anchors, (100, 100))
    >>> found.boxes.tolist(), found.points.tolist()
    ([[70.0, 65.0, 80.0, 85.0]], [[[76.0, 77.0]]])
    """
    operation = "decode_detections"
    encoded = wide(
        numbers_of(operation, "outputs", output, ("anchors", "numbers"), (1, "anchors", "numbers"))
    )
    rows = encoded.reshape(encoded.shape[-2:])
    fixed = numbers_of(operation, "anchors", anchors, ("anchors", 4))
    counted(operation, ("output", rows), ("anchors", fixed))
    if rows.shape[1] < 5 or not rows.shape[1] % 2:
        raise ShapeError(
            f"{operation}: numbers are not those of a box and points; got shape {encoded.shape}; "
            "use 5 numbers and 2 for each point"
        )
    height, width = height_and_width(operation, "size", size)
    pixels = fixed * F.asarray([height, width, 1.0, 1.0])
    boxes = decode_boxes(
        rows[:, 1:5], pixels, scales=(1.0, 1.0, 1.0, 1.0), exponential=False, order="xywh"
    )
    scores = F.sigmoid(rows[:, 0])
    centers = F.flip(pixels[:, :2], axis=-1)
    points = rows[:, 5:].reshape((rows.shape[0], -1, 2)) + centers[:, None]
    kept = non_max_suppression(
        boxes,
        scores,
        max_output_size,
        iou_threshold=iou_threshold,
        score_threshold=score_threshold,
        padded=padded,
    )
    kept_boxes, kept_points = (_kept_rows(values, kept, padded) for values in (boxes, points))
    return Detections(kept_boxes, kept.scores, kept_points, kept.number)


def _kept_rows(values: Tensor, kept: KeptBoxes, padded: bool) -> Tensor:
    """Return the rows of the kept boxes; if padded, rows after the last box are 0."""
    rows = F.take(values, kept.indices, axis=0)
    if not padded:
        return rows
    there = F.arange(rows.shape[0]) < kept.number
    return where(there.reshape((-1, *(1,) * (rows.ndim - 1))), rows, 0)


HAND_CLASSES = ("hand", "fist", "pinch", "point", "face", "tip", "pinch_tip")
"""Classes of the hand detector that `decode_hands` reads."""


class Hands(NamedTuple):
    """Result of `decode_hands`."""

    boxes: Tensor
    """Boxes (top, left, bottom, right) of shape (n, 4)."""
    scores: Tensor
    """Score of each box, best first."""
    classes: Tensor
    """Position of each box's class in `HAND_CLASSES`; int32."""
    number: Tensor
    """Number of boxes; int32. More rows are 0 if padded."""


@named
def decode_hands(
    boxes: ArrayLike,
    scores: ArrayLike,
    size: Sequence[int],
    /,
    *,
    max_output_size: int = 2,
    iou_threshold: float = 0.2,
    score_threshold: float = 0.5,
    padded: bool = False,
) -> Hands:
    """Return the hands that the detector of handtrack.js found; faces are left out.

    Source: the hand tracking of the library Human, which continues with a model of landmarks for
    each box: `region_matrices(hands.boxes, (224, 224), scale=1.4, square=False)`.

    Args:
        boxes: Boxes (top, left, bottom, right) as fractions of the image, of shape (n, 4) or (1, n,
            4): the output of all anchors, before any suppression.
        scores: Scores of shape (n, 7) or (n, 8), or with a first axis of length 1: those of
            `HAND_CLASSES`, after that of the background if there are 8.
        size: Height and width of the image to which the boxes refer, in pixels.
        max_output_size: Largest number of hands; 2 by default.
        iou_threshold: As for `non_max_suppression`; 0.2 by default.
        score_threshold: Smallest score, from 0 to 1; 0.5 by default.
        padded: Return `max_output_size` rows without reading their number; False by default.

    Returns:
        `Hands` in pixels of the image.

    Raises:
        ArgumentError: If a number is out of range.
        ShapeError: If the shapes do not fit.

    >>> import py_tensor as pt
    >>> scores = [[0.1, 0.7, 0.2, 0, 0, 0, 0], [0, 0, 0, 0, 0.9, 0, 0]]
    >>> hands = pt.vision.decode_hands([[0, 0.5, 0.5, 1], [0, 0, 1, 1]], scores, (100, 200))
    >>> hands.boxes.tolist(), [pt.vision.HAND_CLASSES[at] for at in hands.classes.tolist()]
    ([[0.0, 100.0, 50.0, 200.0]], ['fist'])
    """
    operation = "decode_hands"
    count = len(HAND_CLASSES)
    fractions = numbers_of(operation, "boxes", boxes, ("n", 4), (1, "n", 4))
    rows = [("n", length) for length in (count, count + 1)]
    all_scores = numbers_of(operation, "scores", scores, *rows, *((1, *row) for row in rows))
    corners, values = (wide(x.reshape(x.shape[-2:])) for x in (fractions, all_scores))
    counted(operation, ("boxes", corners), ("scores", values))
    height, width = height_and_width(operation, "size", size)
    values = values[:, -count:]
    # Scores are at least 0, so that a face never wins.
    values = where(F.arange(count) == HAND_CLASSES.index("face"), -1.0, values)
    kept = non_max_suppression(
        corners,
        F.max(values, axis=1),
        max_output_size,
        iou_threshold=iou_threshold,
        score_threshold=score_threshold,
        padded=padded,
    )
    pixels = corners * F.asarray([height, width, height, width], dtype="float32")
    kept_boxes = _kept_rows(pixels, kept, padded)
    classes = _kept_rows(F.argmax(values, axis=1), kept, padded)
    return Hands(kept_boxes, kept.scores, classes, kept.number)
