"""The content of a plot: series of points, an image, texts and scales."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from .samples import Range
from .scales import Linear, Logarithmic, Scale, limits


class Series(NamedTuple):
    """Points that are drawn in one way."""

    kind: str
    label: str
    xs: list[float]
    ys: list[float]
    size: int
    """Number of points before they were reduced."""
    counts: list[int] | None = None
    """Number of points in each cell of many points; None if each point is drawn."""


class Raster(NamedTuple):
    """An image with its size in elements, and the range of its color scale."""

    source: str
    height: int
    width: int
    range: Range | None


@dataclass
class Content:
    """Texts, size and data of a plot."""

    title: str
    x_label: str
    y_label: str
    log: str
    width: int
    height: int
    series: list[Series] = field(default_factory=list)
    raster: Raster | None = None

    @property
    def scales(self) -> tuple[Scale, Scale]:
        """Scales of the horizontal and of the vertical axis."""
        # Steps and epochs have no ticks in between.
        whole = bool(self.series) and all(x % 1 == 0 for one in self.series for x in one.xs)
        return (
            Logarithmic() if "x" in self.log else Linear(whole or self.raster is not None),
            Logarithmic() if "y" in self.log else Linear(self.raster is not None),
        )

    def ranges(self) -> tuple[Range, Range]:
        """Return the ranges of both axes, as positions of their scales."""
        across, down = self.scales
        xs = (across.forward(x) for series in self.series for x in series.xs)
        ys: Iterable[float] = (down.forward(y) for series in self.series for y in series.ys)
        if any(series.kind == "bars" for series in self.series) and "y" not in self.log:
            ys = [0.0, *ys]
        if self.raster is not None:
            return (-0.5, self.raster.width - 0.5), (-0.5, self.raster.height - 0.5)
        return limits(xs, 0.02), limits(ys, 0.05)
