"""Results of a model, at positions in the input's picture."""

from dataclasses import dataclass, field
from typing import Any

import py_tensor as pt


@dataclass
class Scene:
    """Data by which a task decodes outputs."""

    outputs: dict[str, pt.Tensor]
    picture: pt.Tensor | None
    """uint8 picture of shape (height, width, 3) after the filters; None for sounds."""
    matrix: pt.Tensor | None
    """From points of the input to points of the picture, of shape (2, 3) or (1, 2, 3)."""
    size: tuple[int, int]
    """Height and width of the model's input."""
    frames: int = 0
    """Frames of a sound."""
    helpers: dict[str, Any] = field(default_factory=dict)
    """Other models of the task by role."""
    labels: list[str] | None = None
    text: Any = None
    """`TextInput` of a model that takes tokens, if it has some."""

    def by_shape(self, *tail: int) -> pt.Tensor:
        """Return the output whose shape ends with these lengths."""
        for tensor in self.outputs.values():
            if tensor.shape[-len(tail) :] == tail:
                return tensor
        shapes = ", ".join(str(output.shape) for output in self.outputs.values())
        raise ValueError(
            f"output: no output ends with the lengths {tail}; got {shapes}; choose another task"
        )

    @property
    def only(self) -> pt.Tensor:
        """The first output."""
        return next(iter(self.outputs.values()))


@dataclass
class Findings:
    """Shapes to draw over the picture, and results to list next to it. Tensors stay on the GPU."""

    picture: pt.Tensor | None = None
    """Picture to show instead of the input's."""
    boxes: pt.Tensor | None = None
    lines: pt.Tensor | None = None
    """Lines (x1, y1, x2, y2) of shape (n, 4)."""
    points: pt.Tensor | None = None
    mask: pt.Tensor | None = None
    """Number of the class of each pixel, of the picture's size; -1 for none."""
    radius: float = 0.0
    """Radius of points as a part of the picture's longer side; 0.0 for the usual one."""
    bars: list[tuple[str, float]] = field(default_factory=list)
    labels: list[tuple[str, float, float]] = field(default_factory=list)
    """Texts at points (x, y) of the picture."""
    texts: list[str] = field(default_factory=list)
    tables: list[dict[str, Any]] = field(default_factory=list)
    """Tables of texts, with "caption", "heads" and "rows"."""
    notes: list[list[float]] = field(default_factory=list)
    """Start and end in seconds, MIDI number and amplitude."""


PALETTE = [
    [0.29, 0.40, 0.94],
    [0.94, 0.36, 0.30],
    [0.18, 0.68, 0.45],
    [0.95, 0.72, 0.20],
    [0.62, 0.35, 0.80],
    [0.15, 0.70, 0.80],
    [0.95, 0.50, 0.70],
    [0.55, 0.60, 0.65],
]

DOTS = (1.0, 0.3, 0.2)


def painted(picture: pt.Tensor, findings: Findings) -> pt.Tensor:
    """Return the picture with the findings drawn over it; nothing is read."""
    side = max(picture.shape[:2])
    thickness = max(side / 220, 1.0)
    if findings.mask is not None:
        picture = pt.vision.draw_mask(picture, findings.mask, PALETTE)
    if findings.lines is not None:
        color = (0.1, 0.75, 0.95)
        picture = pt.vision.draw_lines(picture, findings.lines, color=color, thickness=thickness)
    if findings.boxes is not None:
        color = (0.35, 0.95, 0.45)
        picture = pt.vision.draw_boxes(picture, findings.boxes, color=color, thickness=thickness)
    if findings.points is not None:
        radius = side * findings.radius or thickness * 1.6
        picture = pt.vision.draw_points(picture, findings.points, color=DOTS, radius=radius)
    return picture
