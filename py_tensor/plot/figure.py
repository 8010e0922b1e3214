"""`Plot`: series of points, bars and images on two axes, as text and as SVG."""

from __future__ import annotations

import math
from typing import Any, Self

from ..display.pictures import data_url, is_picture, png, reduced
from ..display.places import current
from ..dtypes import uint8
from ..errors import ArgumentError, ShapeError
from ..functions.arguments import integer
from ..images import to_rgba
from ..tensor import Tensor, as_tensor
from . import samples
from .content import Content, Raster, Series
from .drawing import LEAST, Drawing, palette
from .samples import Range
from .scales import Scale

BLOCKS = "▁▂▃▄▅▆▇█"
MARKS = 32
"""Most characters of a series as text."""


class Plot:
    """A plot, which notebooks and `pt.show` show.

    The functions `line`, `scatter`, `histogram` and `image` of `pt.plot` begin a plot; its methods
    of these names add to it. Text and axes have the text color of the page, light or dark.

    Args:
        title: Text above the plot; "" (default) for none.
        x_label: Text below the horizontal axis; "" (default) for none.
        y_label: Text next to the vertical axis; "" (default) for none.
        log: Axes with a logarithmic scale: "x", "y" or "xy"; "" (default) for none. Values that are
            not positive are gaps.
        width: Width in pixels; default 640. A page may show it narrower, as the playground does.
        height: Height in pixels; default 360.

    Raises:
        ArgumentError: If `log` is another text, or the sizes are not between 120 and 4000.

    >>> import py_tensor as pt
    >>> plot = pt.plot.Plot(title="Errors", log="y").line([1.0, 0.1, 0.01], label="a")
    >>> plot.scatter([0, 1], [0.5, 0.05], label="b")
    Errors
    a  █▅▁  0.01 to 1
    b  █▁  0.05 to 0.5
    """

    def __init__(
        self,
        *,
        title: str = "",
        x_label: str = "",
        y_label: str = "",
        log: str = "",
        width: int = 640,
        height: int = 360,
    ) -> None:
        if log not in ("", "x", "y", "xy", "yx"):
            raise ArgumentError(f'plot: log is unknown; got {log!r}; use "x", "y" or "xy"')
        self._content = Content(
            str(title),
            str(x_label),
            str(y_label),
            log,
            integer("plot", "width", width, LEAST, 4000),
            integer("plot", "height", height, LEAST, 4000),
        )

    # --- data -----------------------------------------------------------------------------------

    def line(self, x: Any, y: Any = None, *, label: str = "") -> Self:
        """Add a line.

        Lines of more than 1,200 points are reduced on the device: the least and the greatest value
        of each of 500 parts are drawn. NaN, infinite values and None are gaps.

        Args:
            x: Vector of positions; the values if `y` is None.
            y: Vector of values; None (default) for `x` as values at 0, 1, 2, ...
            label: Text in the legend; "" (default) for none.

        Returns:
            The plot itself.

        Raises:
            ShapeError: If the arguments are no vectors of the same length.
            DTypeError: If they are complex.
            TraceError: If they are tracers inside `jit`.

        >>> import py_tensor as pt
        >>> pt.plot.line(pt.linspace(0, 1, 5) ** 2, label="x²").line([1, 0], label="1 - x")
        x²     ▁▁▃▅█  0 to 1
        1 - x  █▁  0 to 1
        """
        xs: Tensor | list[float] | None = None
        if y is None:
            ys = samples.vector("plot.line", "y", x)
        else:
            xs, ys = self._vectors("plot.line", x, y)
        size = len(ys)
        self._content.series.append(
            Series("line", label, *samples.line_points("plot.line", xs, ys), size)
        )
        return self

    def scatter(self, x: Any, y: Any, *, label: str = "") -> Self:
        """Add points.

        If there are more than 3,000 points, the points in cells of the plot are counted on the
        device, and the number is shown as opacity.

        Args:
            x: Vector of horizontal positions.
            y: Vector of vertical positions.
            label: Text in the legend; "" (default) for none.

        Returns:
            The plot itself.

        Raises:
            ShapeError: If the arguments are no vectors of the same length.
            DTypeError: If they are complex.
            TraceError: If they are tracers inside `jit`.

        >>> import py_tensor as pt
        >>> plot = pt.plot.scatter([1.0, 2.0], [2.0, 1.0])
        >>> "<path" in plot.svg()
        True
        """
        xs, ys = self._vectors("plot.scatter", x, y)
        if isinstance(ys, list) or ys.size <= samples.POINTS:
            points = samples.floats(xs), samples.floats(ys)
            self._content.series.append(Series("scatter", label, *points, len(ys)))
            return self
        across, down = self._content.scales
        cells = samples.density(as_tensor("plot.scatter", xs), ys, across, down)
        self._content.series.append(Series("cells", label, *cells[:2], ys.size, cells[2]))
        return self

    def histogram(
        self, x: Any, bins: Any = 40, *, range: Range | None = None, label: str = ""
    ) -> Self:
        """Add a histogram, whose elements are counted on the device.

        Args:
            x: Tensor of any shape.
            bins: Number of bins of equal width (default 40), or a sorted vector of their limits.
            range: Pair (low, high) that the bins cover; None (default) for all finite values.
            label: Text in the legend; "" (default) for none.

        Returns:
            The plot itself.

        Raises:
            ArgumentError: If there is no finite value, or `bins` is not between 1 and 2000.
            DTypeError: If x is complex.
            TraceError: If x is a tracer inside `jit`.

        >>> import py_tensor as pt
        >>> pt.plot.histogram([1.0, 2.0, 2.0, 4.0], 3, label="counts")
        counts  ▁█▁  1 to 2
        """
        edges, counts = samples.bars(x, bins, range)
        self._content.series.append(Series("bars", label, edges, counts, len(counts)))
        return self

    def image(self, x: Any, *, range: Range | None = None) -> Self:
        """Add an image behind the series.

        A matrix of numbers is shown as colors, beside a scale that says what each color means.

        Sides of more than 512 pixels are reduced on the device to the means of blocks.

        Args:
            x: Matrix of numbers, or a picture of shape (height, width, 3 or 4) as for `draw`.
            range: Pair of the values with the first and the last color; None (default) for the
                least and the greatest value.

        Returns:
            The plot itself.

        Raises:
            ShapeError: If x has another shape.
            ArgumentError: If the plot has an image already.
            TraceError: If x is a tracer inside `jit`.

        >>> import py_tensor as pt
        >>> pt.plot.image(pt.eye(8), title="Identity")
        Identity
        image of 8 x 8, 0 to 1
        """
        tensor = as_tensor("plot.image", x)
        if not is_picture(tensor) or tensor.dtype.kind == "c":
            raise ShapeError(
                f"plot.image: tensor is no image; got shape {tensor.shape}, {tensor.dtype}; use a "
                "real tensor of shape (height, width) or (height, width, 3 or 4)"
            )
        if self._content.raster is not None or self._content.log:
            raise ArgumentError(
                "plot.image: plot cannot have this image; got a plot with an image or with a "
                "logarithmic axis; begin a new plot"
            )
        height, width = tensor.shape[:2]
        if tensor.ndim == 3 and tensor.shape[2] > 1:
            small = reduced(to_rgba(tensor, "plot.image"), samples.PIXELS)
            small = small if small.dtype == uint8 else small.round().astype(uint8)
            file = png(small.shape[1], small.shape[0], small._bytes("plot.image"))
            self._content.raster = Raster(data_url(file), height, width, None)
            return self
        columns, rows, pixels, shade_range = samples.shades(tensor, range)
        file = png(columns, rows, pixels, palette())
        self._content.raster = Raster(data_url(file), height, width, shade_range)
        return self

    def _vectors(
        self, operation: str, x: Any, y: Any
    ) -> tuple[Tensor | list[float], Tensor | list[float]]:
        xs, ys = samples.vector(operation, "x", x), samples.vector(operation, "y", y)
        sizes = len(xs), len(ys)
        if sizes[0] != sizes[1]:
            raise ShapeError(
                f"{operation}: x and y differ in length; got {sizes[0]} and {sizes[1]}; pass one x "
                "for each y"
            )
        return xs, ys

    # --- text -----------------------------------------------------------------------------------

    def __repr__(self) -> str:
        lines = [self._content.title] if self._content.title else []
        if self._content.raster is not None:
            _, height, width, shade_range = self._content.raster
            shown = "" if shade_range is None else f", {shade_range[0]:.4g} to {shade_range[1]:.4g}"
            lines.append(f"image of {height} x {width}{shown}")
        names = [
            series.label or series.kind.replace("cells", "scatter")
            for series in self._content.series
        ]
        longest = max(map(len, names), default=0)
        scale = self._content.scales[1]
        for name, series in zip(names, self._content.series, strict=True):
            lines.append(f"{name:{longest}}  {_sparks(series, scale)}")
        return "\n".join(lines) or "plot without data"

    def _repr_html_(self) -> str:
        return Drawing(self._content, current().width).text("", "")

    def svg(self, *, dark: bool = False) -> str:
        """Return the plot as the text of an SVG file, for example to save it.

        Args:
            dark: True for light text on a dark background; default False.

        Returns:
            Text of the file. It contains no script and refers to no other file.

        >>> import py_tensor as pt
        >>> pt.plot.line([1, 2]).svg()[:4]
        '<svg'
        """
        ink, paper = ("#edebe5", "#171a23") if dark else ("#16181f", "#ffffff")
        ground = f'<rect width="100%" height="100%" fill="{paper}"/>'
        return Drawing(self._content).text(
            ground, f' xmlns="http://www.w3.org/2000/svg" color="{ink}"'
        )


def _sparks(series: Series, scale: Scale) -> str:
    """Return a series as one line of text: block characters and its range."""
    values = [value for value in map(scale.forward, series.ys) if math.isfinite(value)]
    if not values:
        return "no values"
    ends = f"{scale.back(min(values)):.4g} to {scale.back(max(values)):.4g}"
    if series.kind == "cells":
        return f"{series.size:,} points, {ends}"
    parts = min(MARKS, len(values))
    means = []
    for at in range(parts):
        part = values[at * len(values) // parts : (at + 1) * len(values) // parts]
        means.append(sum(part) / len(part))
    low, high = min(means), max(means)
    marks = [BLOCKS[round((mean - low) / (high - low or 1.0) * 7)] for mean in means]
    return f"{''.join(marks)}  {ends}"
