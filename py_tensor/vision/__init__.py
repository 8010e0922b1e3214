"""Images before a model and what it found after: resizing, boxes, poses, segments, overlays.

Input: images of shape (height, width, channels) or (batch, height, width, channels), or outputs of
models. Points are (x, y) in pixels, boxes (top, left, bottom, right). Read `checks`, `colors`,
`resizing`, `warping` and `geometry` (images and positions), then `boxes`, `poses`, `segments` and
`text_boxes` (outputs of models), `overlays`.
"""

from __future__ import annotations

from .boxes import (
    HAND_CLASSES,
    Detections,
    Hands,
    KeptBoxes,
    box_iou,
    decode_boxes,
    decode_detections,
    decode_hands,
    non_max_suppression,
    ssd_anchors,
    top_labels,
)
from .colors import (
    hsv_to_rgb,
    lab_to_rgb,
    normalize,
    rgb_to_grayscale,
    rgb_to_hsv,
    rgb_to_lab,
    rgb_to_yuv,
    threshold,
    yuv_to_rgb,
)
from .geometry import (
    inverse_matrix,
    region_matrices,
    rotation_between,
    transform_boxes,
    transform_points,
)
from .overlays import draw_boxes, draw_lines, draw_mask, draw_points
from .poses import (
    HAND_EDGES,
    POSE_EDGES,
    POSE_PARTS,
    Poses,
    decode_landmarks,
    decode_movenet,
    decode_pose,
    decode_poses,
)
from .resizing import Letterboxed, letterbox, resize
from .segments import BODY_PARTS, body_parts, person_mask, separate_people
from .text_boxes import TextBoxes, text_boxes
from .warping import crop_and_resize, rotate, transform, warp_affine, warp_perspective

__all__ = [
    "BODY_PARTS",
    "HAND_CLASSES",
    "HAND_EDGES",
    "POSE_EDGES",
    "POSE_PARTS",
    "Detections",
    "Hands",
    "KeptBoxes",
    "Letterboxed",
    "Poses",
    "TextBoxes",
    "body_parts",
    "box_iou",
    "crop_and_resize",
    "decode_boxes",
    "decode_detections",
    "decode_hands",
    "decode_landmarks",
    "decode_movenet",
    "decode_pose",
    "decode_poses",
    "draw_boxes",
    "draw_lines",
    "draw_mask",
    "draw_points",
    "hsv_to_rgb",
    "inverse_matrix",
    "lab_to_rgb",
    "letterbox",
    "non_max_suppression",
    "normalize",
    "person_mask",
    "region_matrices",
    "resize",
    "rgb_to_grayscale",
    "rgb_to_hsv",
    "rgb_to_lab",
    "rgb_to_yuv",
    "rotate",
    "rotation_between",
    "separate_people",
    "ssd_anchors",
    "text_boxes",
    "threshold",
    "top_labels",
    "transform",
    "transform_boxes",
    "transform_points",
    "warp_affine",
    "warp_perspective",
    "yuv_to_rgb",
]
