"""Functions of `pt.vision` under the names of `tf.image`."""

from __future__ import annotations

from .vision import (
    KeptBoxes,
    crop_and_resize,
    non_max_suppression,
    rgb_to_grayscale,
    rotate,
    threshold,
    transform,
)

__all__ = [
    "KeptBoxes",
    "crop_and_resize",
    "non_max_suppression",
    "rgb_to_grayscale",
    "rotate",
    "threshold",
    "transform",
]
