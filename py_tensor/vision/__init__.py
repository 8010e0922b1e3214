"""Images before a model, and its results after: resizing, boxes, poses, segments, overlays.

Input: images of shape (height, width, channels) or (batch, height, width, channels), or outputs of
models. Points are (x, y) in pixels, boxes (top, left, bottom, right). Read `checks`, `colors`,
`resizing`, `warping` and `geometry` (images and positions), then `boxes`, `poses`, `segments` and
`text_boxes` (outputs of models), `overlays`.
"""

from typing import TYPE_CHECKING

from ..late import import_names

if TYPE_CHECKING:
    from .boxes import *
    from .colors import *
    from .geometry import *
    from .overlays import *
    from .poses import *
    from .resizing import *
    from .segments import *
    from .text_boxes import *
    from .warping import *

_NAMES = {
    "boxes": """
        HAND_CLASSES Detections Hands KeptBoxes box_iou decode_boxes decode_detections
        decode_hands non_max_suppression ssd_anchors top_labels""",
    "colors": """
        hsv_to_rgb lab_to_rgb normalize rgb_to_grayscale rgb_to_hsv rgb_to_lab
        rgb_to_yuv threshold yuv_to_rgb""",
    "geometry": "inverse_matrix region_matrices rotation_between transform_boxes transform_points",
    "overlays": "draw_boxes draw_lines draw_mask draw_points",
    "poses": """
        HAND_EDGES POSE_EDGES POSE_PARTS Poses decode_landmarks decode_movenet decode_pose
        decode_poses""",
    "resizing": "Letterboxed letterbox resize",
    "segments": "BODY_PARTS body_parts person_mask separate_people",
    "text_boxes": "TextBoxes text_boxes",
    "warping": "crop_and_resize rotate transform warp_affine warp_perspective",
}
"""Names by module, separated by spaces."""
__all__ = import_names(__name__, _NAMES)
