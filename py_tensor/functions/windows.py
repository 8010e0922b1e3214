"""Sliding windows over images as users write them: stride, dilation and padding, checked."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any, NamedTuple

from ..errors import ArgumentError, ShapeError

Pair = tuple[int, int]


class Windows(NamedTuple):
    """Both axes of an image under a sliding window; `pads` are (before, after) for each."""

    size: Pair
    stride: Pair
    dilation: Pair
    pads: tuple[Pair, Pair]
    out: Pair


def a_pair(operation: str, name: str, value: Any, low: int) -> Pair:
    """Two integers out of one or two. Raises ArgumentError below `low`."""
    pair = tuple(index(v) for v in value) if isinstance(value, Sequence) else (index(value),) * 2
    if len(pair) != 2 or min(pair) < low:
        raise ArgumentError(
            f"{operation}: {name} does not fit; got {value}; give a number or two, from {low} on"
        )
    return pair


def explicit_padding(operation: str, padding: Any) -> tuple[Pair, Pair]:
    """(before, after) for both axes out of numbers. Raises ArgumentError for anything else."""
    both = (padding, padding) if isinstance(padding, int) else padding
    if isinstance(both, Sequence) and not isinstance(both, str) and len(both) == 2:
        height, width = ((p, p) if isinstance(p, int) else (index(p[0]), index(p[1])) for p in both)
        if min(*height, *width) >= 0:
            return height, width
    raise ArgumentError(
        f'{operation}: padding does not fit; got {padding!r}; give "valid", "same", a number or '
        "((top, bottom), (left, right))"
    )


def windows_of(
    operation: str, what: str, image: Pair, size: Pair, stride: Any, padding: Any, dilation: Any
) -> Windows:
    """The windows of `size` in an image. Raises ShapeError for one, a `what`, that is too large."""
    steps, spread = (
        a_pair(operation, "stride", stride, 1),
        a_pair(operation, "dilation", dilation, 1),
    )
    reach = tuple(d * (k - 1) + 1 for k, d in zip(size, spread, strict=True))
    if padding == "valid":
        pads: Any = ((0, 0), (0, 0))
    elif padding == "same":
        totals = (
            max(0, (-(-n // step) - 1) * step + r - n)
            for n, step, r in zip(image, steps, reach, strict=True)
        )
        pads = tuple((total // 2, total - total // 2) for total in totals)
    else:
        pads = explicit_padding(operation, padding)
    height, width = (
        (n + sum(around) - r) // step + 1
        for n, around, r, step in zip(image, pads, reach, steps, strict=True)
    )
    if min(height, width, *size) < 1:
        raise ShapeError(
            f"{operation}: {what} larger than the image; got {what} {size} and image {image} "
            f'with padding {list(pads)}; use padding="same"'
        )
    return Windows(size, steps, spread, pads, (height, width))
