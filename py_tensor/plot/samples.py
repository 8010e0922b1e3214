"""Reduce data on the device to what a plot can show, and read it."""

from __future__ import annotations

import math
from typing import Any

from ..display.pictures import reduced
from ..errors import ArgumentError, DTypeError, ShapeError
from ..functions.arguments import integer
from ..functions.creation import arange
from ..functions.elementwise import clip, isfinite, maximum, minimum
from ..functions.indexing import take
from ..functions.joining import stack
from ..functions.manipulation import pad, reshape
from ..functions.order_statistics import bincount, histogram as counts_of
from ..functions.searching import where
from ..functions.statistical import argmax, argmin, max as max_of, min as min_of
from ..tensor import Tensor, as_tensor, realize

WHOLE = 1200
"""Points of a line up to which all are drawn."""
CHUNKS = 500
"""Parts of a longer line: the least and the greatest value of each are drawn."""
POINTS = 3000
"""Points of a scatter plot up to which all are drawn."""
CELLS = 160, 100
"""Columns and rows of cells in which more points are counted."""
BINS = 2000
"""Largest number of bins of a histogram."""
PIXELS = 512
"""Pixels of the longer side of an image."""
COLOURS = 255
"""Colors of an image with a color scale."""

type Range = tuple[float, float]


def vector(operation: str, name: str, data: Any) -> Tensor | list[float]:
    """Return a vector of real numbers: short sequences as Python floats, which are more precise."""
    if not isinstance(data, Tensor):
        short = _short_list(data)
        if short is not None:
            return short
    tensor = as_tensor(operation, data)
    if tensor.dtype.kind == "c":
        raise DTypeError(
            f"{operation}: {name} must be real; got {tensor.dtype}; use pt.real(x), pt.imag(x) or "
            "pt.abs(x)"
        )
    if tensor.ndim != 1:
        raise ShapeError(
            f"{operation}: {name} must be a vector; got shape {tensor.shape}; add each series with "
            "a call of its own, or use x.flatten()"
        )
    return floats(tensor) if tensor.size <= WHOLE else tensor


def floats(values: Tensor | list[float]) -> list[float]:
    """Return the elements of a vector."""
    return values if isinstance(values, list) else list(map(float, values.tolist()))


def _short_list(data: Any) -> list[float] | None:
    """Return the numbers of a short flat sequence or NumPy array, or None; None is a gap."""
    try:
        if len(data) > WHOLE:
            return None
        items = data.tolist() if hasattr(data, "tolist") else list(data)
        return [math.nan if item is None else float(item) for item in items]
    except (TypeError, ValueError):
        return None


def line_points(
    operation: str, x: Tensor | list[float] | None, y: Tensor | list[float]
) -> tuple[list[float], list[float]]:
    """Return the points of a line; of a long one the extremes of each chunk."""
    if isinstance(y, list):
        return list(map(float, range(len(y)))) if x is None else floats(x), y
    block = math.ceil(y.size / CHUNKS)
    chunks = math.ceil(y.size / block)
    values = reshape(
        pad(y.astype("float32"), (0, chunks * block - y.size), constant_values=math.nan),
        (chunks, block),
    )
    finite = isfinite(values)
    low = argmin(where(finite, values, math.inf), axis=1)
    high = argmax(where(finite, values, -math.inf), axis=1)
    both = stack([minimum(low, high), maximum(low, high)], axis=1)
    starts = reshape(arange(chunks, dtype=both.dtype) * block, (chunks, 1))
    positions = clip(reshape(both + starts, (-1,)), 0, y.size - 1)
    # Computed together, but read separately: positions stay integers, which are exact.
    xs = positions if x is None else take(as_tensor(operation, x), positions)
    ys = take(y, positions)
    realize(xs, ys)
    return floats(xs), floats(ys)


def extent(values: Tensor) -> Range | None:
    """Return the least and the greatest finite value, or None if there is none."""
    values = values.astype("float32")
    # A device that stores float16 makes large numbers infinite, here and where they are counted.
    realize(values)
    finite = isfinite(values)
    ends = min_of(where(finite, values, math.inf)), max_of(where(finite, values, -math.inf))
    low, high = stack(ends).tolist()
    return (low, high) if low <= high else None


def density(
    x: Tensor, y: Tensor, across: Any, down: Any
) -> tuple[list[float], list[float], list[int]]:
    """Count points in cells; return the centres of the cells with points, and the counts.

    `across` and `down` map values to positions that are linear on the screen, and back.
    """
    columns, rows = CELLS
    positions = []
    ends = []
    for values, scale, cells in ((x, across, columns), (y, down, rows)):
        finite = isfinite(scale.forward(values.astype("float32")))
        bounds = extent(where(finite, values, math.nan))
        if bounds is None:
            return [], [], []
        low, high = map(scale.forward, bounds)
        step = (high - low or 1.0) / cells
        # Logarithms have no name, so that they are not stored: as float16 they would be rounded.
        position = ((scale.forward(where(finite, values, bounds[0])) - low) / step).astype("int32")
        positions.append(clip(position, 0, cells - 1))
        ends.append((low, step, finite))
    # Points with a missing coordinate are counted in a cell beyond the last one.
    shown = ends[0][2] & ends[1][2]
    cell = where(shown, positions[1] * columns + positions[0], columns * rows)
    counts = bincount(cell, length=columns * rows).tolist()
    full = [at for at, n in enumerate(counts) if n]
    xs = [across.back(ends[0][0] + (at % columns + 0.5) * ends[0][1]) for at in full]
    ys = [down.back(ends[1][0] + (at // columns + 0.5) * ends[1][1]) for at in full]
    return xs, ys, [counts[at] for at in full]


def bars(x: Any, bins: Any, limits: Range | None) -> tuple[list[float], list[float]]:
    """Return the limits of the bins and the counts, counted on the device."""
    values = as_tensor("plot.histogram", x)
    if values.dtype.kind == "c":
        raise DTypeError(
            f"plot.histogram: x must be real; got {values.dtype}; use pt.real(x) or pt.abs(x)"
        )
    values = reshape(values, (-1,)).astype("float32")
    if isinstance(bins, (list, tuple)) or hasattr(bins, "shape"):
        counts, edges = counts_of(values, bins)
        return edges.tolist(), list(map(float, counts.tolist()))
    bins = integer("plot.histogram", "bins", bins, 1, BINS)
    ends = limits or extent(values)
    if ends is None:
        raise ArgumentError(
            f"plot.histogram: x has no finite values; got shape {values.shape}; pass other data"
        )
    low, high = ends
    if low == high:
        low, high = low - 0.5, high + 0.5
    finite = isfinite(values)
    # Missing values have weight 0.
    counts, edges = counts_of(
        where(finite, values, low), bins, (low, high), weights=finite.astype("int32")
    )
    return edges.tolist(), list(map(float, counts.tolist()))


def shades(x: Tensor, limits: Range | None) -> tuple[int, int, Any, Range]:
    """Return width, height and color numbers of an image, 0 for missing values, and the range."""
    small = reduced(reshape(x, (*x.shape[:2], 1)).astype("float32"), PIXELS)
    ends = limits or extent(small) or (0.0, 1.0)
    low, high = ends
    scaled = (small - low) / (high - low or 1.0) * (COLOURS - 1) + 1
    shade = where(isfinite(small), clip(scaled.round(), 1, COLOURS), 0).astype("uint8")
    return small.shape[1], small.shape[0], shade._bytes("plot.image"), ends
