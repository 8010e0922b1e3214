"""Detection of objects, and the custom operators of MediaPipe.

Source of the latter: mediapipe/util/tflite/operations
"""

from __future__ import annotations

import math
import struct
from typing import Any

from .... import functions as F, nn, vision
from ....tensor import Tensor
from ..flexbuffers import options_of
from .images import checked_padding, transposed
from .shared import Ints, Operator, activated, real, single, unsupported


def _number(x: Any) -> float:
    """Return a number that is given as a number or as a list of one."""
    return float(x[0] if isinstance(x, list) else x)


def non_max_suppression(
    boxes: Tensor,
    scores: Tensor,
    count: int | Ints,
    iou_threshold: float,
    score_threshold: float,
    sigma: float | None = None,
) -> tuple[Tensor, ...]:
    kept = vision.non_max_suppression(
        boxes,
        scores,
        single(count),
        iou_threshold=_number(iou_threshold),
        score_threshold=_number(score_threshold),
        soft_sigma=0.0 if sigma is None else _number(sigma),
        padded=True,
    )
    there = F.arange(single(count)) < kept.number
    indices = F.where(there, kept.indices, 0)
    if sigma is None:
        return indices, kept.number
    return indices, F.where(there, kept.scores, 0.0), kept.number


def detections(
    encodings: Tensor, predictions: Tensor, anchors: Tensor, *, custom_options: bytes
) -> tuple[Tensor, ...]:
    options = options_of(custom_options)
    if options.get("use_regular_nms"):
        raise unsupported("TFLite_Detection_PostProcess with use_regular_nms")
    most, classes = int(options["max_detections"]), int(options["num_classes"])
    per_box = int(options["max_classes_per_detection"])
    if not 0 < most * per_box <= 1 << 16 or not 0 < per_box <= classes:
        raise ValueError(f"{most} detections with {per_box} of {classes} classes")
    scales = [options[f"{name}_scale"] for name in "yxhw"]
    boxes = vision.decode_boxes(encodings[0], anchors, scales=scales)
    # The first classes are the background.
    scores = predictions[0][:, predictions.shape[-1] - classes :]
    best, labels = F.topk(scores, per_box)
    kept = vision.non_max_suppression(
        boxes,
        best[:, 0],
        most,
        iou_threshold=options["nms_iou_threshold"],
        score_threshold=options["nms_score_threshold"],
        padded=True,
    )
    there = (F.arange(most) < kept.number).reshape((-1, 1))
    rows = F.where(there[:, 0], kept.indices, 0)
    corners = F.where(there, F.take(boxes, rows, axis=0), 0.0)
    corners = F.repeat(corners, per_box, axis=0)
    names = F.where(there, F.take(labels, rows, axis=0), 0).reshape((1, -1)).astype("float32")
    values = F.where(there, F.take(best, rows, axis=0), 0.0).reshape((1, -1))
    number = kept.number.astype("float32").reshape((1,))
    return F.expand_dims(corners, axis=0), names, values, number


def _parameters(options: bytes, count: int) -> tuple[int, ...]:
    """Return the first numbers of a structure in C; the first one is a kind of padding."""
    if len(options) < 4 * count:
        raise ValueError(f"options of {len(options)} bytes")
    padding, *rest = struct.unpack_from(f"<{count}i", options)
    checked_padding(padding - 1, *rest[:4])
    return padding, *rest


def transposed_convolution(x: Tensor, w: Tensor, b: Tensor, *, custom_options: bytes) -> Tensor:
    padding, *steps = _parameters(custom_options, 3)
    strides, sizes = steps[::-1], w.shape[1:3]
    cut = [
        max(0, k - (n - 1) % step - 1) if padding == 1 else 0
        for n, k, step in zip(x.shape[1:3], sizes, strides, strict=True)
    ]
    lengths = [
        (n - 1) * step + k - less
        for n, k, step, less in zip(x.shape[1:3], sizes, strides, cut, strict=True)
    ]
    kernel = F.permute_dims(w.astype(x.dtype), (1, 2, 0, 3))
    first = [less // 2 for less in cut]
    y = transposed(nn.conv2d_transpose, x, kernel, lengths, strides, first)
    return y + b


def max_pooling_with_argmax(x: Tensor, *, custom_options: bytes) -> tuple[Tensor, Tensor]:
    padding, step_w, step_h, width, height, activation = _parameters(custom_options, 6)
    if width * height > 64:
        raise ValueError(f"windows of {width} x {height}; at most 64 elements are supported")
    widths = [(0, 0)]
    lengths = []
    for n, k, step in zip(x.shape[1:3], (height, width), (step_h, step_w), strict=True):
        out = -(-n // step) if padding == 1 else (n - k) // step + 1
        total = max(0, (out - 1) * step + k - n)
        widths.append((total // 2, total - total // 2))
        lengths.append(out)
    x = F.pad(x, [*widths, (0, 0)], constant_values=-math.inf)
    places = F.stack(
        [
            x[
                :,
                row : row + (lengths[0] - 1) * step_h + 1 : step_h,
                column : column + (lengths[1] - 1) * step_w + 1 : step_w,
            ]
            for row in range(height)
            for column in range(width)
        ]
    )
    # Rounding down gives the position, with any error of float16.
    indices = F.argmax(places, axis=0).astype("float32") + 0.1
    return activated(F.max(places, axis=0), activation), indices


def max_unpooling(x: Tensor, indices: Tensor, *, custom_options: bytes) -> Tensor:
    _, step_w, step_h, width, height, _ = _parameters(custom_options, 6)
    if (step_w, step_h) != (width, height):
        raise unsupported("MaxUnpooling2D with windows that overlap")
    n, rows, columns, channels = x.shape
    places = F.arange(width * height).reshape((height, width))
    chosen = F.trunc(indices).astype("int32")[:, :, None, :, None, :] == places[:, None, :, None]
    y = F.where(chosen, x[:, :, None, :, None, :], 0.0)
    return y.reshape((n, rows * height, columns * width, channels))


OPERATORS = {
    "NON_MAX_SUPPRESSION_V4": Operator(
        non_max_suppression, host=("count", "iou_threshold", "score_threshold"), wrapper=real
    ),
    "NON_MAX_SUPPRESSION_V5": Operator(
        non_max_suppression,
        host=("count", "iou_threshold", "score_threshold", "sigma"),
        wrapper=real,
    ),
    "custom.Convolution2DTransposeBias": Operator(transposed_convolution),
    "custom.MaxPoolingWithArgmax2D": Operator(max_pooling_with_argmax),
    "custom.MaxUnpooling2D": Operator(max_unpooling),
    "custom.TFLite_Detection_PostProcess": Operator(detections, wrapper=real),
    "custom.TransposeConvBias": Operator(transposed_convolution),
}
