"""Sliding windows over images as users write them: stride, dilation and padding, checked.

An image has one to three axes between the batch's and the channels'.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any, NamedTuple

from ..errors import ArgumentError, ShapeError
from ..tensor import Tensor, node_behind
from .manipulation import reshape

Pair = tuple[int, int]
Lengths = tuple[int, ...]

_NAMES = ("depth", "height", "width")
_PAIRS = ("(front, back)", "(top, bottom)", "(left, right)")


class Windows(NamedTuple):
    """The axes of an image under a sliding window; `pads` are (before, after) for each."""

    size: Lengths
    stride: Lengths
    dilation: Lengths
    pads: tuple[Pair, ...]
    out: Lengths


def axes_of(count: int) -> str:
    """How error texts name the axes of an image."""
    return ", ".join(_NAMES[-count:])


def batched(operation: str, x: Tensor, count: int) -> Tensor:
    """x, an image of `count` axes, with a batch axis. Raises ShapeError for other shapes."""
    shape = node_behind(operation, x).spec.shape
    if len(shape) not in (count + 1, count + 2):
        raise ShapeError(
            f"{operation}: needs {count + 1} or {count + 2} axes; got shape {shape}; "
            f"x is (batch, {axes_of(count)}, channels) or ({axes_of(count)}, channels)"
        )
    return reshape(x, (1, *shape)) if len(shape) == count + 1 else x


def per_axis(operation: str, name: str, value: Any, low: int, count: int) -> Lengths:
    """An integer for each of `count` axes, out of one or all. Raises ArgumentError below `low`."""
    values = (
        tuple(index(v) for v in value) if isinstance(value, Sequence) else (index(value),) * count
    )
    if len(values) != count or min(values) < low:
        several = ("", " or two", " or three")[count - 1]
        raise ArgumentError(
            f"{operation}: {name} does not fit; got {value}; give a number{several}, from {low} on"
        )
    return values


def explicit_padding(operation: str, padding: Any, count: int) -> tuple[Pair, ...]:
    """(before, after) for each axis out of numbers. Raises ArgumentError for anything else."""
    each = (padding,) * count if isinstance(padding, int) else padding
    if count == 1 and isinstance(each, tuple | list) and all(isinstance(p, int) for p in each):
        each = (each,) if len(each) == 2 else each
    if isinstance(each, Sequence) and not isinstance(each, str) and len(each) == count:
        pads = tuple((p, p) if isinstance(p, int) else (index(p[0]), index(p[1])) for p in each)
        if all(min(pair) >= 0 for pair in pads):
            return pads
    how = ", ".join(_PAIRS[-count:])
    raise ArgumentError(
        f'{operation}: padding does not fit; got {padding!r}; give "valid", "same", a number or '
        f"{how if count == 1 else f'({how})'}"
    )


def windows_of(
    operation: str,
    what: str,
    image: Lengths,
    size: Lengths,
    stride: Any,
    padding: Any,
    dilation: Any,
) -> Windows:
    """The windows of `size` in an image. Raises ShapeError for one, a `what`, that is too large."""
    count = len(image)
    steps, spread = (
        per_axis(operation, "stride", stride, 1, count),
        per_axis(operation, "dilation", dilation, 1, count),
    )
    reach = tuple(d * (k - 1) + 1 for k, d in zip(size, spread, strict=True))
    if padding == "valid":
        pads: tuple[Pair, ...] = ((0, 0),) * count
    elif padding == "same":
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
            f"{operation}: {what} larger than the image; got {what} {size} and image {image} "
            f'with padding {list(pads)}; use padding="same"'
        )
    return Windows(size, steps, spread, pads, out)
