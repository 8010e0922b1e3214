"""Resize: along each axis, an element of the result is a weighted sum of elements near a place."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from .... import functions as F, vision
from ....functions.arguments import one_axis
from ....tensor import Tensor
from ...layouts import Permuted, result
from .shared import Ints, Operator, unsupported

PLACES = 1 << 16
"""Maximum number of elements of the input that an axis of the result reads."""

ROUNDINGS: dict[str, Callable[[float], float]] = {
    "round_prefer_floor": lambda x: math.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: math.floor(x + 0.5),
    "floor": math.floor,
    "ceil": math.ceil,
}


class Along(NamedTuple):
    """Resizing along one axis."""

    before: int
    after: int
    """Lengths of the axis before and after."""
    scale: float
    start: float
    end: float
    """Part of the axis, from 0 to 1, that tf_crop_and_resize reads."""

    def place(self, at: int, mode: str) -> float:
        """Return the position in the input of an element of the result."""
        n, scale = self.before, self.scale
        # ONNX's formulas use a length that need not be a whole number.
        length = n * scale
        if mode == "asymmetric":
            return at / scale
        if mode == "half_pixel":
            return (at + 0.5) / scale - 0.5
        if mode == "pytorch_half_pixel":
            return -0.5 if length == 1 else (at + 0.5) / scale - 0.5
        if mode == "half_pixel_symmetric":
            return n / 2 * (1 - self.after / length) + (at + 0.5) / scale - 0.5
        if mode == "align_corners":
            return 0.0 if length == 1 else at * (n - 1) / (length - 1)
        if mode == "tf_half_pixel_for_nn":
            return (at + 0.5) / scale
        if mode == "tf_crop_and_resize":
            if self.after == 1:
                return 0.5 * (self.start + self.end) * (n - 1)
            size = (self.end - self.start) * (n - 1)
            return self.start * (n - 1) + at * size / (self.after - 1)
        raise unsupported(f"Resize with places {mode}")


def _weights(mode: str, ratio: float, scale: float, a: float) -> tuple[int, list[float]]:
    """Return the offset of the first element that is read, and the weight of each."""
    reach = 1 if mode == "linear" else 2
    first = math.floor(-reach / scale) + 1
    args = [scale * (at - ratio) for at in range(first, 2 - first)]
    if mode == "linear":
        weights = [max(0.0, 1 - abs(x)) for x in args]
    else:
        weights = [vision.resizing.cubic(x, a) for x in args]
    total = sum(weights)
    return first, [weight / total for weight in weights]


def resize(
    x: Tensor,
    roi: list[float] | None = None,
    scales: list[float] | None = None,
    sizes: Ints | None = None,
    *,
    antialias: int = 0,
    axes: Ints | None = None,
    coordinate_transformation_mode: str = "half_pixel",
    cubic_coeff_a: float = -0.75,
    exclude_outside: int = 0,
    extrapolation_value: float = 0.0,
    keep_aspect_ratio_policy: str = "stretch",
    mode: str = "nearest",
    nearest_mode: str = "round_prefer_floor",
) -> Tensor:
    along = [one_axis("resize", axis, x.ndim) for axis in axes or range(x.ndim)]
    lengths = [x.shape[axis] for axis in along]
    if sizes:
        factors = [size / n for size, n in zip(sizes, lengths, strict=True)]
        if keep_aspect_ratio_policy != "stretch":
            one = min(factors) if keep_aspect_ratio_policy == "not_larger" else max(factors)
            factors = [one] * len(along)
            sizes = [math.floor(n * one + 0.5) for n in lengths]
    else:
        factors = list(scales or ())
        sizes = [math.floor(n * factor) for n, factor in zip(lengths, factors, strict=True)]
    parts = roi or [0.0] * len(along) + [1.0] * len(along)
    crops = coordinate_transformation_mode == "tf_crop_and_resize"
    outside = None
    for at, axis in enumerate(along):
        axis_parts = (parts[at], parts[at + len(along)]) if crops else (0.0, 1.0)
        part = Along(lengths[at], sizes[at], factors[at], *axis_parts)
        if part.before == part.after and not crops:
            continue
        if not 0 < part.after <= PLACES:
            raise unsupported(f"Resize to {part.after} elements")
        positions = [part.place(i, coordinate_transformation_mode) for i in range(part.after)]
        scale = min(part.scale, 1.0) if antialias else 1.0
        x = _resized(x, axis, positions, scale, mode, nearest_mode, cubic_coeff_a, exclude_outside)
        if crops:
            beyond = [not 0 <= position <= part.before - 1 for position in positions]
            new = F.asarray(beyond).reshape((-1, *(1,) * (x.ndim - axis - 1)))
            outside = new if outside is None else outside | new
    return x if outside is None else F.where(outside, extrapolation_value, x)


def _resized(
    x: Tensor,
    axis: int,
    positions: list[float],
    scale: float,
    mode: str,
    nearest_mode: str,
    a: float,
    exclude_outside: int,
) -> Tensor:
    """Resize along one axis, given the position in the input of each element of the result."""
    n = x.shape[axis]
    if mode == "nearest":
        return _taken(x, [int(ROUNDINGS[nearest_mode](position)) for position in positions], axis)
    if mode not in ("linear", "cubic"):
        raise unsupported(f"Resize in mode {mode}")
    if len(positions) * 4 / scale > PLACES:
        raise unsupported(f"Resize to {len(positions)} elements by {scale}")
    rows: list[tuple[int, list[float]]] = []
    for position in positions:
        left = math.ceil(position) - 1
        first, weights = _weights(mode, position - left, scale, a)
        if exclude_outside:
            weights = [w if 0 <= left + first + at < n else 0.0 for at, w in enumerate(weights)]
            total = sum(weights)
            weights = [w / total for w in weights]
        rows.append((left + first, weights))
    return vision.resizing.weighted(x, axis, rows)


def _taken(x: Tensor, order: Ints, axis: int) -> Tensor:
    """Take elements along an axis; the first and the last are repeated beyond the ends."""
    last = x.shape[axis] - 1
    return F.take(x, F.asarray([min(max(at, 0), last) for at in order]), axis=axis)


def upsample(
    x: Tensor, scales: list[float], *, mode: str = "nearest", axes: Ints | None = None
) -> Tensor:
    return resize(
        x,
        axes=axes,
        scales=scales,
        mode="linear" if mode == "bilinear" else mode,
        coordinate_transformation_mode="asymmetric",
        nearest_mode="floor",
    )


def resize_by_version(
    x: Tensor,
    roi: Any = None,
    scales: list[float] | None = None,
    sizes: Ints | None = None,
    *,
    opset: int,
    **options: Any,
) -> Tensor:
    """Resize; version 10 has the scales as second input, and is Upsample for downsampling, too."""
    if opset < 11:
        return upsample(x, roi, **options)
    return resize(x, roi, scales, sizes, **options)


def layout(function: Callable[..., Tensor], inputs: list[Any], options: dict[str, Any]) -> Any:
    """Resize a value in the order in which it is stored."""
    x, *rest = inputs
    if not isinstance(x, Permuted):
        return None
    axes = [
        one_axis("resize", axis, len(x.order))
        for axis in options.get("axes") or range(len(x.order))
    ]
    options = options | {"axes": [x.order.index(axis) for axis in axes]}
    return result(function(x.tensor, *rest, **options), x.order)


OPERATORS = {
    "Resize": Operator(resize_by_version, host=("roi", "scales", "sizes"), layout=layout),
    "Upsample": Operator(upsample, host=("scales",), layout=layout),
}
