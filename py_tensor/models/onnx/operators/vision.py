"""Operators of object detection and of images that are read at fractional places.

Functions with the layout `images` have the channels on the last axis.
"""

from __future__ import annotations

import math
from functools import partial
from itertools import product
from typing import Any

from .... import functions as F
from ....tensor import Tensor
from ... import folding
from ...graph import ModelConstant
from .images import check_windows, of_images
from .shared import LARGEST, Ints, Operator, unsupported

type Taps = list[tuple[Tensor, Tensor]]
"""Positions along one axis, and their weights."""


def grid_sample(
    x: Tensor,
    grid: Tensor,
    *,
    align_corners: int = 0,
    mode: str = "linear",
    padding_mode: str = "zeros",
) -> Tensor:
    count = x.ndim - 2
    rows: list[Taps] = []
    for axis in range(count):
        n = x.shape[1 + axis]
        position = grid[..., count - 1 - axis]
        if align_corners:
            position, low, high = (position + 1) / 2 * (n - 1), 0.0, n - 1.0
        else:
            position, low, high = ((position + 1) * n - 1) / 2, -0.5, n - 0.5
        if mode == "nearest":
            position = F.round(position)
        outside = (position < low) | (position > high)
        inside = partial(_inside, n=n, low=low, high=high, mode=padding_mode)
        if padding_mode != "zeros":
            position = F.where(outside, inside(position), position)
        taps = _taps(position, mode.removeprefix("bi"))
        if padding_mode == "zeros":
            taps = [(at, F.where((at >= 0) & (at < n), w, 0.0)) for at, w in taps]
            inside = partial(_inside, n=n, low=low, high=high, mode="border")
        rows.append([(F.round(inside(at)).astype("int32"), weight) for at, weight in taps])
    return _sum_of_taps(x, rows)


def _inside(position: Tensor, *, n: int, low: float, high: float, mode: str) -> Tensor:
    """Move places outside of an axis into it."""
    if mode == "border":
        return F.clip(position, 0, n - 1)
    if mode != "reflection":
        raise unsupported(f"GridSample with padding {mode}")
    period = 2 * (high - low)
    if not period:
        return position * 0
    away = F.abs(position - low) % period
    return low + F.minimum(away, period - away)


def _taps(position: Tensor, mode: str) -> Taps:
    """Return the positions that a place along one axis reads, and their weights."""
    if mode == "nearest":
        return [(position, F.ones_like(position))]
    first = F.floor(position)
    t = position - first
    if mode == "linear":
        return [(first, 1 - t), (first + 1, t)]
    if mode != "cubic":
        raise unsupported(f"GridSample in mode {mode}")
    # Source: R. G. Keys, Cubic Convolution Interpolation, 1981, with a = -0.75.
    near = [(((1.25 * s - 2.25) * s * s) + 1) for s in (t, 1 - t)]
    far = [((-0.75 * s + 3.75) * s - 6) * s + 3 for s in (t + 1, 2 - t)]
    weights = (far[0], near[0], near[1], far[1])
    return [(first + at, weight) for at, weight in enumerate(weights, -1)]


def _sum_of_taps(x: Tensor, rows: list[Taps]) -> Tensor:
    """Return weighted sums of elements of (batch, ..., channels) at places of (batch, ...)."""
    batch = F.arange(x.shape[0]).reshape((-1, *(1,) * (rows[0][0][0].ndim - 1)))
    parts = []
    for taps in product(*rows):
        weight = taps[0][1]
        for _, other in taps[1:]:
            weight = weight * other
        elements = x[(batch, *(at for at, _ in taps))]
        parts.append(elements * F.expand_dims(weight, axis=-1).astype(x.dtype))
    return sum(parts[1:], parts[0])


def affine_grid(theta: Tensor, size: Ints, *, align_corners: int = 0) -> Tensor:
    lengths = size[2:]
    if math.prod(lengths) > LARGEST**2 or min(lengths) < 1:
        raise unsupported(f"AffineGrid of {lengths}")
    axes = []
    for n in lengths:
        step = F.arange(n, dtype="float32")
        axes.append(step * (2 / max(1, n - 1)) - 1 if align_corners else (step * 2 + 1) / n - 1)
    places = F.meshgrid(*axes, indexing="ij")[::-1]
    points = F.stack([*places, F.ones_like(places[0])], axis=-1)
    points = points.reshape((-1, len(lengths) + 1))
    grid = F.sum(points[None, :, None, :] * theta[:, None, :, :], axis=-1)
    return grid.reshape((theta.shape[0], *lengths, len(lengths)))


def col2im(
    x: Tensor,
    image: Ints,
    block: Ints,
    *,
    dilations: Ints | None = None,
    pads: Ints | None = None,
    strides: Ints | None = None,
) -> Tensor:
    check_windows(image, block, dilations, pads, strides)
    count = len(image)
    dilations, strides = dilations or [1] * count, strides or [1] * count
    around = list(zip(pads[:count], pads[count:], strict=True)) if pads else [(0, 0)] * count
    padded = [n + before + after for n, (before, after) in zip(image, around, strict=True)]
    out = [
        (n - d * (k - 1) - 1) // step + 1
        for n, k, d, step in zip(padded, block, dilations, strides, strict=True)
    ]
    pixel = F.asarray(0)
    for axis in range(count):
        # The axes are those inside a block, followed by the axes of the blocks' positions.
        shape = [1] * (2 * count)
        shape[axis] = block[axis]
        at = (F.arange(block[axis]) * dilations[axis]).reshape(shape)
        shape[axis], shape[count + axis] = 1, out[axis]
        pixel = pixel * padded[axis] + at + (F.arange(out[axis]) * strides[axis]).reshape(shape)
    channels = x.shape[1] // math.prod(block)
    rows = x.reshape((x.shape[0] * channels, -1)).mT
    sums = F.segment_sum(rows, pixel.reshape((-1,)), math.prod(padded))
    y = sums.mT.reshape((x.shape[0], channels, *padded))
    parts = [slice(before, before + n) for n, (before, _) in zip(image, around, strict=True)]
    return y[(slice(None), slice(None), *parts)]


def max_unpool(
    x: Tensor,
    indices: Tensor,
    shape: Ints | None = None,
    *,
    kernel_shape: Ints,
    pads: Ints | None = None,
    strides: Ints | None = None,
) -> Tensor:
    count = len(kernel_shape)
    check_windows(kernel_shape, pads, strides)
    around, strides = pads or [0] * 2 * count, strides or [1] * count
    lengths = [
        (n - 1) * strides[at] - around[at] - around[count + at] + kernel_shape[at]
        for at, n in enumerate(x.shape[2:])
    ]
    full = (*x.shape[:2], *lengths)
    flat = F.zeros(math.prod(full), dtype=x.dtype)
    flat[indices.reshape((-1,))] = x.reshape((-1,))
    y = flat.reshape(full)
    if shape is None:
        return y
    return F.pad(y, [(0, wanted - n) for wanted, n in zip(shape, full, strict=True)])


def roi_align(
    x: Tensor,
    rois: Tensor,
    batches: Tensor,
    *,
    opset: int,
    coordinate_transformation_mode: str | None = None,
    mode: str = "avg",
    output_height: int = 1,
    output_width: int = 1,
    sampling_ratio: int = 0,
    spatial_scale: float = 1.0,
) -> Tensor:
    check_windows([output_height, output_width, sampling_ratio])
    half = (coordinate_transformation_mode or ("half_pixel" if opset >= 16 else "")) == "half_pixel"
    edges = rois * spatial_scale - (0.5 if half else 0.0)
    starts, sizes = edges[:, :2], edges[:, 2:] - edges[:, :2]
    sizes = sizes if half else F.maximum(sizes, 1.0)
    outs = (output_width, output_height)
    bins = [sizes[:, at] / n for at, n in enumerate(outs)]
    if sampling_ratio:
        across, down = (_spread(starts[:, at], bins[at], outs[at], sampling_ratio) for at in (0, 1))
        return _aligned(x, batches, across, down, mode)
    # Each region has its own number of samples, which is a shape.
    counts = F.stack([F.ceil(lengths) for lengths in bins], axis=-1).astype("int32").tolist()
    parts = []
    for at, ratios in enumerate(counts):
        one = slice(at, at + 1)
        check_windows(ratios)
        across, down = (
            _spread(starts[one, axis], bins[axis][one], outs[axis], max(1, ratios[axis]))
            for axis in (0, 1)
        )
        parts.append(_aligned(x, batches[one], across, down, mode))
    return F.concat(parts, axis=0)


def max_roi_pool(
    x: Tensor, rois: Tensor, *, pooled_shape: Ints, spatial_scale: float = 1.0
) -> Tensor:
    """Return the maxima of cells of regions, which are whole pixels; 0 for cells without pixels."""
    check_windows(pooled_shape)
    scaled = rois[:, 1:] * spatial_scale
    edges = F.floor(F.abs(scaled) + 0.5) * F.sign(scaled)
    maxima, lowest = x[rois[:, 0].astype("int32")], F.finfo(x.dtype).min
    # Edges are left, top, right and bottom.
    for axis, (count, first) in enumerate(zip(pooled_shape, (1, 0), strict=True), 1):
        n, start = x.shape[axis], edges[:, first, None]
        cell = F.maximum(edges[:, first + 2, None] - start + 1, 1) / count
        ends = [F.arange(count) * cell, (F.arange(count) + 1) * cell]
        low, high = (F.clip(start + end, 0, n) for end in (F.floor(ends[0]), F.ceil(ends[1])))
        places = F.arange(n).astype("float32")
        inside = (places >= low[..., None]) & (places < high[..., None])
        shape = (len(rois), *(1,) * (axis - 1), count, n, *(1,) * (3 - axis))
        spread = F.expand_dims(maxima, axis=axis)
        maxima = F.max(F.where(inside.reshape(shape), spread, lowest), axis=axis + 1)
    return F.where(maxima == lowest, 0.0, maxima)


def _spread(start: Tensor, size: Tensor, count: int, ratio: int) -> Tensor:
    """Return the places of samples: (regions, bins, samples)."""
    at = F.arange(count).reshape((-1, 1)) + (F.arange(ratio) + 0.5) / ratio
    return start.reshape((-1, 1, 1)) + at * size.reshape((-1, 1, 1))


def _aligned(x: Tensor, batches: Tensor, across: Tensor, down: Tensor, mode: str) -> Tensor:
    """Return averages or maxima of samples: (regions, rows, columns, channels)."""
    taps = []
    for axis, position in ((1, down), (2, across)):
        n = x.shape[axis]
        inside = (position >= -1) & (position <= n)
        position = F.clip(position, 0, n - 1)
        first = F.floor(position)
        t = position - first
        pairs = ((first, 1 - t), (F.minimum(first + 1, n - 1), t))
        taps.append([(at.astype("int32"), F.where(inside, w, 0.0)) for at, w in pairs])
    batch = batches.reshape((-1, 1, 1, 1, 1))
    parts = []
    for (row, a), (column, b) in product(*taps):
        # Axes: regions, rows, samples of a row, columns, samples of a column.
        row, a = row[:, :, :, None, None], a[:, :, :, None, None]
        column, b = column[:, None, None, :, :], b[:, None, None, :, :]
        parts.append(x[batch, row, column] * F.expand_dims(a * b, axis=-1))
    if mode == "max":
        best = parts[0]
        for part in parts[1:]:
            best = F.maximum(best, part)
        return F.max(best, axis=(2, 4))
    return F.mean(sum(parts[1:], parts[0]), axis=(2, 4))


def deform_conv(
    x: Tensor,
    w: Tensor,
    offset: Tensor,
    b: Tensor | None = None,
    mask: Tensor | None = None,
    *,
    dilations: Ints | None = None,
    group: int = 1,
    kernel_shape: Ints | None = None,
    offset_group: int = 1,
    pads: Ints | None = None,
    strides: Ints | None = None,
) -> Tensor:
    """Convolve elements at places that are moved by offsets."""
    if x.ndim != 4:
        raise unsupported("DeformConv of images that do not have two axes")
    check_windows(dilations, pads, strides)
    (batch, *image, channels), (outs, inputs, *size) = x.shape, w.shape
    dilations, strides, pads = dilations or [1, 1], strides or [1, 1], pads or [0] * 4
    taps, out = math.prod(size), offset.shape[2:]
    moves = offset.reshape((batch, offset_group, taps, 2, *out))
    rows: list[Tensor] = []
    for axis in range(2):
        tap = F.arange(taps)
        tap = (tap // size[1] if axis == 0 else tap % size[1]) * dilations[axis]
        start = F.arange(out[axis]) * strides[axis] - pads[axis]
        shape = (1, 1, 1, -1, 1) if axis == 0 else (1, 1, 1, 1, -1)
        rows.append(moves[:, :, :, axis] + tap.reshape((-1, 1, 1)) + start.reshape(shape))
    groups = []
    for at in range(offset_group):
        part = channels // offset_group
        seen: list[Taps] = []
        for axis, n in enumerate(image):
            read = []
            for place_of_tap, weight in _taps(rows[axis][:, at], "linear"):
                inside = (place_of_tap >= 0) & (place_of_tap < n)
                position = F.clip(place_of_tap, 0, n - 1).astype("int32")
                read.append((position, F.where(inside, weight, 0.0)))
            seen.append(read)
        values = _sum_of_taps(x[..., at * part : (at + 1) * part], seen)
        if mask is not None:
            shares = mask.reshape((batch, offset_group, taps, *out))[:, at]
            values = values * F.expand_dims(shares, axis=-1)
        groups.append(values)
    # Axes: batch, taps, rows, columns, channels.
    columns = F.moveaxis(F.concat(groups, axis=-1), 1, 3)
    parts = []
    for at in range(group):
        inner = columns[..., at * inputs : (at + 1) * inputs].reshape((batch, *out, -1))
        kernel = w[at * (outs // group) : (at + 1) * (outs // group)]
        parts.append(inner @ F.permute_dims(kernel, (2, 3, 1, 0)).reshape((taps * inputs, -1)))
    y = F.concat(parts, axis=-1)
    return y if b is None else y + b


def non_max_suppression(
    boxes: list[Any],
    scores: list[Any],
    most: int | Ints | None = None,
    overlap: float | list[float] | None = None,
    least: float | list[float] | None = None,
    *,
    center_point_box: int = 0,
) -> ModelConstant:
    """Choose the boxes with the largest scores that do not overlap; computed on the host."""
    wanted, limit, low = (
        value[0] if isinstance(value, list) else value for value in (most, overlap, least)
    )
    kept: list[int] = []
    for at, (places, classes) in enumerate(zip(boxes, scores, strict=True)):
        corners = [_corners(box, center_point_box) for box in places]
        for number, ranks in enumerate(classes):
            order = sorted(zip((-score for score in ranks), range(len(ranks)), strict=True))
            ranked = [i for score, i in order if low is None or -score > low]
            group_of = _groups(corners, ranked)
            chosen: dict[int, list[int]] = {}
            count = 0
            for i in ranked:
                if count >= (wanted or 0):
                    break
                better = chosen.setdefault(group_of[i], [])
                if all(_overlap(corners[i], corners[j]) <= (limit or 0.0) for j in better):
                    better.append(i)
                    kept += (at, number, i)
                    count += 1
    return folding.made(kept, (len(kept) // 3, 3))


def _groups(corners: list[tuple[float, ...]], boxes: list[int]) -> dict[int, int]:
    """Return a group for each box; only boxes of one group can overlap.

    Many models move the boxes of each class to columns of their own, so that one search serves all
    classes.
    """
    groups: dict[int, int] = {}
    number, reach = 0, -math.inf
    for i in sorted(boxes, key=lambda i: corners[i][1]):
        number += corners[i][1] >= reach
        reach = max(reach, corners[i][3])
        groups[i] = number
    return groups


def _corners(box: list[float], centered: int) -> tuple[float, ...]:
    a, b, c, d = box
    if centered:
        return (b - d / 2, a - c / 2, b + d / 2, a + c / 2)
    return (min(a, c), min(b, d), max(a, c), max(b, d))


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """Return the area of the intersection divided by that of the union."""
    top, left, bottom, right = one
    above, before, below, after = other
    height = min(bottom, below) - max(top, above)
    width = min(right, after) - max(left, before)
    if height <= 0 or width <= 0:
        return 0.0
    common = height * width
    areas = (bottom - top) * (right - left) + (below - above) * (after - before)
    return common / (areas - common)


OPERATORS = {
    "AffineGrid": Operator(affine_grid, host=("size",)),
    "Col2Im": Operator(col2im, host=("image", "block")),
    "DeformConv": of_images(deform_conv),
    "GridSample": of_images(grid_sample),
    "MaxRoiPool": of_images(max_roi_pool),
    "MaxUnpool": Operator(max_unpool, host=("shape",)),
    "NonMaxSuppression": Operator(
        non_max_suppression, host=("boxes", "scores", "most", "overlap", "least")
    ),
    "RoiAlign": of_images(roi_align),
}
