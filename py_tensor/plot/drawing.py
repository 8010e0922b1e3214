"""The SVG of a plot: layout, axes, legend and data.

Elements have attributes of SVG only, no style sheets and no `style`, which pages may forbid.
"""

from __future__ import annotations

import math
from html import escape
from itertools import pairwise
from textwrap import wrap

from .content import Content, Series
from .samples import CELLS, COLOURS
from .scales import TICKS, Linear, Scale

COLORS = "#4a73f0", "#d9660f", "#1f9460", "#c2459f", "#0f93ab", "#9a7b12"
"""Colors of the series; each has a contrast of 3 or more to white and to black."""
LETTER = 6.6
"""Approximate width of a letter in pixels."""
TITLE_LETTER = 9.0
"""Approximate width of a letter of the title, which is bold."""
LEAST = 120
"""Least width and height of a plot in pixels."""
ROW = 15
"""Least distance of labels above each other in pixels."""
LEVELS = 5
"""Degrees of opacity of cells with many points."""
SHADES = "440154 482878 3e4989 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725"
"""Colors of an image from the least to the greatest value: viridis by Smith and van der Walt,
CC0, https://bids.github.io/colormap/."""

type Points = list[tuple[float, float] | None]


class Drawing:
    """Layout of a plot: the area of its data, and positions in it.

    Args:
        content: What the plot shows.
        width: Greatest width in pixels; None (default) for that of the plot. The data of a wider
            plot are drawn smaller, and its texts in their own size.
    """

    def __init__(self, content: Content, width: int | None = None) -> None:
        self.content = content
        self.width = min(content.width, max(width or content.width, LEAST))
        self.height = content.height
        self.scales = content.scales
        (self.low_x, self.high_x), (self.low_y, self.high_y) = content.ranges()
        self.keys = [
            (COLORS[at % len(COLORS)], series.label)
            for at, series in enumerate(content.series)
            if series.label
        ]
        y_ticks = self.scales[1].ticks(self.low_y, self.high_y)
        widest = max((len(label) for _, label in y_ticks), default=0)
        self.left = 14 + LETTER * widest + (20 if self.content.y_label else 0)
        self.right = self.width - 14.0
        raster = content.raster
        if raster is not None and raster.range is not None:
            shade_ticks = Linear().ticks(*raster.range)
            self.right -= 34 + LETTER * max((len(label) for _, label in shade_ticks), default=0)
        self.titles = wrap(content.title, max(8, int((self.width - self.left) / TITLE_LETTER)))
        self.legend = self._legend_rows()
        self.top = 12.0 + 6 * bool(self.titles) + 18 * len(self.titles) + 20 * len(self.legend)
        below = 46.0 if self.content.x_label else 28.0
        self.bottom = self.height - below
        narrower = content.width - self.width
        if narrower and raster is None:
            across = self.right - self.left
            self.bottom = self.top + (self.bottom - self.top) * across / (across + narrower)
        if raster is not None:
            # Elements are squares unless the image is very long.
            scale = (
                (self.right - self.left) / raster.width,
                (self.bottom - self.top) / raster.height,
            )
            least = max(min(scale), max(scale) / 20)
            self.right = min(self.right, self.left + least * raster.width)
            self.bottom = min(self.bottom, self.top + least * raster.height)
        if narrower:
            self.height = round(self.bottom + below)
        across, down = self.right - self.left, self.bottom - self.top
        self.x_ticks = _apart(self.scales[0], self.low_x, self.high_x, across, True)
        self.y_ticks = _apart(self.scales[1], self.low_y, self.high_y, down, False)
        if raster is not None and raster.range is not None:
            self.shade_ticks = _apart(Linear(), *raster.range, down, False)

    def _legend_rows(self) -> list[list[tuple[float, str, str]]]:
        """Return the keys of the legend in rows, with their horizontal positions."""
        rows: list[list[tuple[float, str, str]]] = []
        at = math.inf
        for color, label in self.keys:
            length = 34 + LETTER * len(label)
            if at + length > self.width:
                rows.append([])
                at = self.left
            rows[-1].append((at, color, label))
            at += length
        return rows

    def x(self, position: float) -> float:
        share = (position - self.low_x) / (self.high_x - self.low_x)
        return self.left + share * (self.right - self.left)

    def y(self, position: float) -> float:
        share = (position - self.low_y) / (self.high_y - self.low_y)
        if self.content.raster is not None:
            return self.top + share * (self.bottom - self.top)
        return self.bottom - share * (self.bottom - self.top)

    def points(self, series: Series) -> Points:
        """Return the places of a series' points on the screen; None for gaps."""
        across, down = self.scales
        points: Points = []
        for x, y in zip(series.xs, series.ys, strict=True):
            at_x, at_y = across.forward(x), down.forward(y)
            finite = math.isfinite(at_x) and math.isfinite(at_y)
            points.append((self.x(at_x), self.y(at_y)) if finite else None)
        return points

    def text(self, ground: str, attributes: str) -> str:
        name = self.content.title or "plot"
        return "".join(
            (
                f'<svg{attributes} width="{self.width}" height="{self.height}" '
                f'viewBox="0 0 {self.width} {self.height}" role="img" aria-label="{escape(name)}" '
                'font-family="system-ui, sans-serif" font-size="12" fill="none">',
                ground,
                self._image(),
                self._axes(),
                *map(self._drawn, range(len(self.content.series))),
                self._texts(),
                "</svg>",
            )
        )

    def _axes(self) -> str:
        left, right, top, bottom = self.left, self.right, self.top, self.bottom
        lines, labels = [], []
        for position, label in self.x_ticks:
            at = self.x(position)
            lines.append(f"M{at:.1f} {top:.1f}V{bottom:.1f}")
            labels.append(_text(at, bottom + 17, label, "middle"))
        for position, label in self.y_ticks:
            at = self.y(position)
            lines.append(f"M{left:.1f} {at:.1f}H{right:.1f}")
            labels.append(_text(left - 7, at + 4, label, "end"))
        # Lines would hide an image.
        grid = (
            ""
            if self.content.raster is not None
            else _path("".join(lines), "currentColor", 1, 0.13)
        )
        frame = f"M{left:.1f} {top:.1f}V{bottom:.1f}H{right:.1f}"
        return grid + _path(frame, "currentColor", 1, 0.5) + "".join(labels)

    def _texts(self) -> str:
        middle = (self.left + self.right) / 2
        shapes = []
        bold = ' font-size="14" font-weight="600"'
        for row, title in enumerate(self.titles):
            shapes.append(_text(self.left, 22 + 18 * row, title, "start", bold))
        for row, keys in enumerate(self.legend):
            at_y = self.top - 20 * (len(self.legend) - row) + 8
            for at, color, label in keys:
                shapes.append(_path(f"M{at:.1f} {at_y - 4:.1f}h14", color, 3))
                shapes.append(_text(at + 20, at_y, label, "start"))
        if self.content.x_label:
            shapes.append(_text(middle, self.bottom + 38, self.content.x_label, "middle"))
        if self.content.y_label:
            at = (self.top + self.bottom) / 2
            turned = f' transform="rotate(-90 16 {at:.1f})"'
            shapes.append(_text(16, at, self.content.y_label, "middle", turned))
        return "".join(shapes)

    def _image(self) -> str:
        raster = self.content.raster
        if raster is None:
            return ""
        width, height = self.right - self.left, self.bottom - self.top
        shapes = (
            f'<image href="{raster.source}" x="{self.left:.1f}" y="{self.top:.1f}" '
            f'width="{width:.1f}" height="{height:.1f}" preserveAspectRatio="none" '
            'image-rendering="pixelated"/>'
        )
        if raster.range is None:
            return shapes
        low, high = raster.range
        at, steps = self.right + 12, 64
        colors = palette()
        for step in range(steps):
            color = colors[3 * (1 + step * (COLOURS - 1) // (steps - 1)) :][:3].hex()
            y = self.bottom - (step + 1) * height / steps
            shapes += (
                f'<path d="M{at:.1f} {y + height / steps / 2:.1f}h12" stroke="#{color}" '
                f'stroke-width="{height / steps + 0.5:.1f}"/>'
            )
        for value, label in self.shade_ticks:
            y = self.bottom - (value - low) / (high - low or 1.0) * height
            shapes += _text(at + 18, y + 4, label, "start")
        return shapes

    def _drawn(self, at: int) -> str:
        series, color = self.content.series[at], COLORS[at % len(COLORS)]
        if series.kind == "bars":
            return self._bars(series, color)
        points = self.points(series)
        if series.kind == "line":
            return _line(points, color)
        if series.kind == "scatter":
            dots = "".join(f"M{p[0]:.1f} {p[1]:.1f}h0" for p in points if p)
            return _path(dots, color, 5, 0.7)
        return self._cells(points, series.counts or [], color)

    def _cells(self, points: Points, counts: list[int], color: str) -> str:
        """Return the cells of many points; neighbours in a row of one opacity are one line."""
        columns, rows = CELLS
        ends = [
            (min(coordinates), max(coordinates))
            for coordinates in zip(*(point for point in points if point), strict=True)
        ]
        if not ends:
            return ""
        width, height = (
            (high - low) / (number - 1) or 4.0
            for (low, high), number in zip(ends, (columns, rows), strict=True)
        )
        most = math.log1p(max(counts))
        levels = [""] * (LEVELS + 1)
        start: tuple[int, float, float, float] | None = None  # level, left, y, right
        for point, number in [*zip(points, counts, strict=True), (None, 0)]:
            level = math.ceil(LEVELS * math.log1p(number) / most)
            if start is not None:
                first, left, y, right = start
                if point and level == first and point[1] == y and point[0] - right < width:
                    start = first, left, y, point[0] + width / 2
                    continue
                levels[first] += f"M{left:.1f} {y:.1f}h{right - left:.1f}"
            start = None
            if point:
                start = level, point[0] - width / 2, point[1], point[0] + width / 2
        return "".join(
            f'<path d="{lines}" stroke="{color}" stroke-width="{height:.2f}" '
            f'stroke-opacity="{level / LEVELS:.1f}"/>'
            for level, lines in enumerate(levels)
            if lines
        )

    def _bars(self, series: Series, color: str) -> str:
        across, down = self.scales
        shapes = ""
        for low, high, number in zip(series.xs, series.xs[1:], series.ys, strict=False):
            at = down.forward(number)
            ends = [across.forward(low), across.forward(high)]
            if number and all(map(math.isfinite, (*ends, at))):
                left, right = map(self.x, ends)
                bottom = self.bottom if self.scales[1] != Linear() else self.y(0.0)
                shapes += f"M{left:.1f} {bottom:.1f}V{self.y(at):.1f}H{right:.1f}V{bottom:.1f}Z"
        return (
            f'<path d="{shapes}" fill="{color}" fill-opacity="0.55" stroke="{color}" '
            'stroke-width="0.7"/>'
        )


def _apart(
    scale: Scale, low: float, high: float, pixels: float, across: bool
) -> list[tuple[float, str]]:
    """Return as many ticks as have room for their labels, next to or above each other."""
    for number in range(TICKS, 2, -1):
        ticks = scale.ticks(low, high, number)
        longest = max((len(label) for _, label in ticks), default=0)
        needed = LETTER * longest + 8 if across else ROW
        gap = min((after - before for (before, _), (after, _) in pairwise(ticks)), default=math.inf)
        if gap * pixels >= needed * (high - low):
            break
    return ticks


def _line(points: Points, color: str) -> str:
    """Return a line; a point between two gaps is a dot."""
    parts: list[list[str]] = [[]]
    for point in points:
        if point is not None:
            parts[-1].append(f"{point[0]:.1f} {point[1]:.1f}")
        elif parts[-1]:
            parts.append([])
    lines = "".join(f"M{'L'.join(part)}" for part in parts if len(part) > 1)
    dots = "".join(f"M{part[0]}h0" for part in parts if len(part) == 1)
    return (_path(lines, color, 1.6) if lines else "") + (_path(dots, color, 5) if dots else "")


def _path(shape: str, color: str, width: float, opacity: float = 1.0) -> str:
    faint = "" if opacity == 1.0 else f' stroke-opacity="{opacity:.2g}"'
    return (
        f'<path d="{shape}" stroke="{color}" stroke-width="{width:.3g}"{faint} '
        'stroke-linecap="round" stroke-linejoin="round"/>'
    )


def _text(x: float, y: float, text: str, anchor: str, attributes: str = "") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="currentColor"{attributes}>'
        f"{escape(text)}</text>"
    )


def palette() -> bytes:
    """Return 256 colors as RGB bytes: grey for missing values, then those of `SHADES`."""
    anchors = [bytes.fromhex(color) for color in SHADES.split()]
    colors = bytearray(b"\x80\x80\x80")
    for at in range(COLOURS):
        position = at * (len(anchors) - 1) / (COLOURS - 1)
        first = min(int(position), len(anchors) - 2)
        part = position - first
        colors += bytes(
            round(a + (b - a) * part)
            for a, b in zip(anchors[first], anchors[first + 1], strict=True)
        )
    return bytes(colors)
