"""From a picture to the input of a model: a function in Python, which is shown and run.

`Options` are guessed from the model and may be changed. `code` writes the function, and `compiled`
returns it. It maps a uint8 picture of shape (height, width, 3) to the input, and to the matrix from
points of the input to points of the picture.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from input_shapes import example_shape, is_known

import py_tensor as pt

type Prepared = tuple[pt.Tensor, pt.Tensor]

SCALINGS: dict[str, tuple[str, str]] = {
    "bytes": ("0 to 255", ""),
    "unit": ("0 to 1", "pt.vision.normalize({}, scale=1 / 255)"),
    "signed": ("-1 to 1", "pt.vision.normalize({}, 0.5, 0.5, scale=1 / 255)"),
    "imagenet": (
        "mean and deviation of ImageNet",
        "pt.vision.normalize({}, [0.485, 0.456, 0.406], [0.229, 0.224, 0.225], scale=1 / 255)",
    ),
}
"""Titles of the scalings of pixels, and their code."""
FITS = {
    "letterbox": "whole, with borders",
    "stretch": "stretched",
    "region": "face or hand found",
}
STEP = 32
"""Open sides of a model are multiples of this."""
LONGEST = 960
"""Longest side of a picture for models with open sides."""


@dataclass(frozen=True)
class Options:
    """Options by which a picture becomes the input of a model."""

    height: int
    """0 for the picture's height, rounded to a multiple of `STEP`."""
    width: int
    channels: int = 3
    dtype: str = "float32"
    channels_first: bool = False
    fit: str = "letterbox"
    scaling: str = "unit"
    bgr: bool = False

    def changed(self, changes: dict[str, Any]) -> "Options":
        """Return the options with changes of the visitor."""
        unknown = changes.keys() - self.__dict__.keys()
        if unknown:
            raise ValueError(f"options: unknown names; got {', '.join(sorted(unknown))}")
        return replace(self, **changes)


def is_picture(info: Any) -> bool:
    """Return True if an input of a model can be a picture."""
    shape = info.shape
    if shape is None or len(shape) != 4 or info.dtype is None:
        return False
    return any(shape[axis] in (1, 3, 4) for axis in (1, 3))


def guessed(info: Any, hints: dict[str, Any]) -> Options:
    """Return options for an input, from its shape and dtype and from hints of the task.

    Height and width in the hints are for inputs that leave theirs open.
    """
    shape = info.shape
    channels_first = shape[3] not in (1, 3, 4)
    axes = (2, 3) if channels_first else (1, 2)
    sides = [shape[axis] for axis in axes]
    known = all(map(is_known, sides))
    example = example_shape(shape)
    height, width = (example[axis] for axis in axes) if known else (0, 0)
    whole = info.dtype.kind in "iu"
    # Networks for image classes of Keras take -1 to 1, those of PyTorch ImageNet's statistics.
    usual = "imagenet" if channels_first else "signed"
    options = Options(
        height=height,
        width=width,
        channels=shape[1] if channels_first else shape[3],
        dtype=info.dtype.name,
        channels_first=channels_first,
        scaling="bytes" if whole else usual if hints.get("task") == "classes" else "unit",
    )
    ignored = {"task", *(("height", "width") if known else ()), *(("scaling",) if whole else ())}
    return options.changed({name: hints[name] for name in hints.keys() - ignored})


def code(options: Options) -> str:
    """Return the source of the function `prepare`."""
    lines = ["def prepare(picture, regions=None):", '    colors = picture.astype("float32")']
    if options.height:
        lines.append(f"    size = ({options.height}, {options.width})")
    else:
        lines += [
            f"    scale = min(1.0, {LONGEST} / max(picture.shape[:2]))",
            f"    size = [max(round(n * scale / {STEP}), 1) * {STEP} for n in picture.shape[:2]]",
        ]
    if options.fit == "letterbox":
        lines.append("    x, matrix = pt.vision.letterbox(colors, size)")
        lines.append("    x = x[None]")
    elif options.fit == "region":
        lines.append("    matrix = regions(picture, size)")
        lines.append("    x = pt.vision.warp_affine(colors, matrix, size, half_pixel_centers=True)")
    else:
        lines += [
            "    (height, width), (down, across) = size, picture.shape[:2]",
            "    matrix = pt.asarray([[across / width, 0.0, 0.0], [0.0, down / height, 0.0]])",
            "    x = pt.vision.resize(colors, size)[None]",
        ]
    if options.channels == 1:
        lines.append("    x = pt.vision.rgb_to_grayscale(x)")
    elif options.channels == 4:
        lines.append("    x = pt.pad(x, ((0, 0), (0, 0), (0, 0), (0, 1)), constant_values=255)")
    if options.bgr:
        lines.append("    x = pt.flip(x, axis=-1)")
    if scaling := SCALINGS[options.scaling][1]:
        lines.append(f"    x = {scaling.format('x')}")
    if options.channels_first:
        lines.append("    x = pt.permute_dims(x, (0, 3, 1, 2))")
    if not options.dtype.startswith("float"):
        lines.append("    x = pt.round(x)")
    lines.append(f'    return x.astype("{options.dtype}"), matrix')
    return "\n".join(lines) + "\n"


@cache
def compiled(source: str) -> Callable[..., Prepared]:
    """Return the function of a source of `code`."""
    names: dict[str, Any] = {"pt": pt}
    exec(compile(source, "prepare.py", "exec"), names)
    return names["prepare"]
