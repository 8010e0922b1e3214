"""Check stride, dilation and padding of sliding windows over images.

An image has one to three spatial axes between the batch axis and the channel axis.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

from ..dtypes import shown
from ..errors import ArgumentError, ShapeError
from ..tensor import Tensor, as_tensor, node_behind
from ..typing import ArrayLike, PaddingLike, PerAxis
from .arguments import MOST_ELEMENTS, choice, lengths_of
from .decorators import documented
from .manipulation import moveaxis, reshape

AxisPair = tuple[int, int]
Lengths = tuple[int, ...]

_NAMES = ("depth", "height", "width")
_PAIRS = ("(front, back)", "(top, bottom)", "(left, right)")

IMAGES = """
Args:
    x: Images of shape (batch, height, width, channels) or (height, width, channels).
    size: Window size, a number or (height, width).
    stride: Step between windows, a number or (height, width); 1 by default.
    padding: "valid" (default) for none; "same" such that the result's height is ceil(height /
        stride), with the extra row last; a number; or ((top, bottom), (left, right)).
    dilation: Step between the elements of a window, a number or (height, width); 1 by default.
    groups: Number of groups that channels and outputs are divided into; 1 by default.
    data_format: "NHWC" (default) for channels last, "NCHW" for channels before the height, in `x`
        and in the result. A kernel has the same shape for both.
"""
"""Contract of functions of sliding windows over images."""
CONVOLUTION = """
Returns:
    Tensor of shape (batch, height', width', outputs) in the promoted dtype; no batch axis if x has
    none.

Raises:
    ArgumentError: If stride, padding or dilation is invalid.
"""
POOLING = """
Args:
    stride: Step between windows, a number or (height, width); None (default) for `size`.

Returns:
    Tensor of shape (batch, height', width', channels) and the dtype of x; no batch axis if x has
    none.

Raises:
    ShapeError: If the window is larger than the padded image, or x is not an image.
    ArgumentError: If size, stride, padding or dilation is invalid.
"""


# Type checkers infer the types of methods through decorators that are functions, not calls.
def images_convolved[Function: Callable[..., Any]](function: Function) -> Function:
    """Decorate a convolution of images: add the contract that they share to its docstring."""
    return documented(CONVOLUTION, IMAGES)(function)


def images_pooled[Function: Callable[..., Any]](function: Function) -> Function:
    """Decorate a pooling of images: add the contract that they share to its docstring."""
    return documented(POOLING, IMAGES)(function)


class SlidingWindows(NamedTuple):
    """Windows along the spatial axes of an image; `pads` are (before, after) for each axis."""

    size: Lengths
    stride: Lengths
    dilation: Lengths
    pads: tuple[AxisPair, ...]
    out: Lengths

    def turned(self) -> SlidingWindows:
        """Return the windows of the image with its axes in reverse order."""
        size, stride, dilation, pads, out = self
        return SlidingWindows(size[::-1], stride[::-1], dilation[::-1], pads[::-1], out[::-1])


def axes_of(count: int) -> str:
    """Return the names of the spatial axes for error messages."""
    return ", ".join(_NAMES[-count:])


def batched(operation: str, x: Tensor, count: int) -> Tensor:
    """Return x, an image of `count` spatial axes, with a batch axis; raise ShapeError otherwise."""
    shape = node_behind(operation, x).spec.shape
    if len(shape) not in (count + 1, count + 2):
        raise ShapeError(
            f"{operation}: input must have {count + 1} or {count + 2} axes; got shape {shape}; x "
            f"must have shape (batch, {axes_of(count)}, channels) or ({axes_of(count)}, channels)"
        )
    return reshape(x, (1, *shape)) if len(shape) == count + 1 else x


def in_layout(
    operation: str, data_format: str, function: Callable[[Tensor], Tensor], x: ArrayLike
) -> Tensor:
    """Apply a function of images with the channels last to images of a given layout."""
    images = as_tensor(operation, x)
    if choice(operation, "data_format", data_format, ("NHWC", "NCHW")) == "NHWC":
        return function(images)
    return moveaxis(function(moveaxis(images, -3, -1)), -1, -3)


def per_axis(operation: str, name: str, value: Any, low: int, count: int) -> Lengths:
    """Return one integer per axis, given one or several; raise ArgumentError below `low`."""
    values = lengths_of(operation, value, name)
    if max(values, default=0) > MOST_ELEMENTS:
        raise ArgumentError(
            f"{operation}: {name} is too large; got {shown(values)}; use at most {MOST_ELEMENTS}"
        )
    if not isinstance(value, Sequence):
        values *= count
    if len(values) != count or min(values) < low:
        several = ("", " or two", " or three")[count - 1]
        raise ArgumentError(
            f"{operation}: {name} is invalid; got {value}; use a number{several} of at least {low}"
        )
    return values


def explicit_padding(operation: str, padding: PaddingLike, count: int) -> tuple[AxisPair, ...]:
    """Return (before, after) for each axis, given numbers; raise ArgumentError otherwise."""
    widths = (padding,) * count if isinstance(padding, int) else padding
    if count == 1 and isinstance(widths, tuple | list) and all(isinstance(p, int) for p in widths):
        widths = (widths,) if len(widths) == 2 else widths
    if isinstance(widths, Sequence) and not isinstance(widths, str) and len(widths) == count:
        pads = tuple(
            lengths_of(operation, p, "padding") * (2 if isinstance(p, int) else 1) for p in widths
        )
        if all(len(pair) == 2 and 0 <= min(pair) <= max(pair) <= MOST_ELEMENTS for pair in pads):
            return cast("tuple[AxisPair, ...]", pads)
    how = ", ".join(_PAIRS[-count:])
    raise ArgumentError(
        f'{operation}: padding is invalid; got {padding!r}; use "valid", "same", a number or '
        f"{how if count == 1 else f'({how})'}"
    )


def windows_of(
    operation: str,
    what: str,
    image: Lengths,
    size: Lengths,
    stride: PerAxis,
    padding: PaddingLike,
    dilation: PerAxis,
) -> SlidingWindows:
    """Return the windows of `size` in an image; raise ShapeError if they are larger than the image.

    `what` names the window in error messages.
    """
    count = len(image)
    steps, spread = (
        per_axis(operation, "stride", stride, 1, count),
        per_axis(operation, "dilation", dilation, 1, count),
    )
    reach = tuple(d * (k - 1) + 1 for k, d in zip(size, spread, strict=True))
    if isinstance(padding, str) and padding == "valid":
        pads: tuple[AxisPair, ...] = ((0, 0),) * count
    elif isinstance(padding, str) and padding == "same":
        totals = (
            max(0, (-(-n // step) - 1) * step + r - n)
            for n, step, r in zip(image, steps, reach, strict=True)
        )
        pads = tuple((total // 2, total - total // 2) for total in totals)
    else:
        pads = explicit_padding(operation, padding, count)
    out = tuple(
        (n + sum(around) - r) // step + 1
        for n, around, r, step in zip(image, pads, reach, steps, strict=True)
    )
    if min(*out, *size) < 1:
        raise ShapeError(
            f"{operation}: {what} is larger than the image; got {what} {size} and image {image} "
            f'with padding {list(pads)}; use padding="same"'
        )
    return SlidingWindows(size, steps, spread, pads, out)
