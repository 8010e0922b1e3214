"""Plots: points of the SVG, reduction of large data, scales, ticks, legend, text."""

from __future__ import annotations

import base64
import io
import math
import re
import xml.etree.ElementTree as ET
from itertools import combinations

import half_storage
import numpy as np
import pytest
from PIL import Image

import py_tensor as pt
from py_tensor.display.places import Place, use
from py_tensor.errors import ArgumentError, DTypeError, ShapeError, TraceError
from py_tensor.plot import samples
from py_tensor.plot.drawing import COLORS, Drawing, palette
from py_tensor.plot.scales import Linear, Logarithmic

SVG = "{http://www.w3.org/2000/svg}"


def paths(plot, color=COLORS[0]):
    """Return the shapes of the paths of one colour."""
    root = ET.fromstring(plot.svg())
    return [p.get("d") for p in root.iter(f"{SVG}path") if p.get("stroke") == color]


def texts(plot):
    return [t.text for t in ET.fromstring(plot.svg()).iter(f"{SVG}text")]


def coordinates(shape):
    """Return the points of a path of absolute moves and lines, for each of its parts."""
    return [
        [tuple(map(float, point.split())) for point in part.removesuffix("h0").split("L")]
        for part in shape.split("M")[1:]
    ]


def data_of(plot, points):
    """Return the values at places of the drawing."""
    drawing = Drawing(plot._content)
    width, height = drawing.right - drawing.left, drawing.bottom - drawing.top
    return [
        (
            drawing.low_x + (x - drawing.left) / width * (drawing.high_x - drawing.low_x),
            drawing.low_y + (drawing.bottom - y) / height * (drawing.high_y - drawing.low_y),
        )
        for x, y in points
    ]


# --- lines ---


def test_points_of_a_line():
    xs, ys = [0.0, 1.0, 4.0], [2.0, -1.0, 5.0]
    for x, y in [(xs, ys), (pt.asarray(xs), pt.asarray(ys)), (np.asarray(xs), ys)]:
        plot = pt.plot.line(x, y)
        [part] = coordinates(paths(plot)[0])
        np.testing.assert_allclose(data_of(plot, part), list(zip(xs, ys, strict=True)), atol=0.02)


def test_values_alone_are_at_whole_numbers():
    plot = pt.plot.line([5, 7, 6])
    [part] = coordinates(paths(plot)[0])
    np.testing.assert_allclose(data_of(plot, part), [(0, 5), (1, 7), (2, 6)], atol=0.02)
    assert texts(plot)[:3] == ["0", "1", "2"]


def test_large_python_numbers_are_exact():
    # float32 has no numbers between these.
    plot = pt.plot.line([1.7e9, 1.7e9 + 1, 1.7e9 + 2], [1, 2, 3])
    assert plot._content.series[0].xs == [1.7e9, 1.7e9 + 1, 1.7e9 + 2]


def test_gaps_and_single_points():
    plot = pt.plot.line([1.0, 2.0, None, math.inf, 3.0, math.nan, 1.0, 2.0, 3.0])
    line, dots = paths(plot)
    assert [len(part) for part in coordinates(line)] == [2, 3]
    assert [len(part) for part in coordinates(dots)] == [1]


@pytest.mark.parametrize("n", [samples.WHOLE, samples.WHOLE + 1, 12_345, 200_000])
def test_extremes_of_long_lines_are_kept(n):
    values = np.sin(np.arange(n) / n * 9).astype("float32")
    values[n // 3], values[n // 2] = 7.0, -5.0
    values[n // 4] = math.nan
    plot = pt.plot.line(pt.asarray(values))
    series = plot._content.series[0]
    assert series.size == n
    assert len(series.xs) == (n if n <= samples.WHOLE else len(series.xs))
    assert len(series.xs) <= samples.WHOLE
    points = dict(zip(series.xs, series.ys, strict=True))
    assert points[n // 3] == 7.0 and points[n // 2] == -5.0
    # Each point is one of the data, in order, and each part of the line has some.
    assert all(
        y == pytest.approx(values[int(x)], rel=0, abs=0) or math.isnan(y) for x, y in points.items()
    )
    assert series.xs == sorted(series.xs)
    assert max(np.diff(series.xs)) <= 2 * math.ceil(n / samples.CHUNKS)
    assert series.xs[-1] > n * 0.99


def test_positions_of_long_lines():
    n = 5000
    x = pt.linspace(-1.0, 1.0, n)
    series = pt.plot.line(x, x * x)._content.series[0]
    np.testing.assert_allclose(np.square(series.xs), series.ys, atol=1e-6)
    assert series.xs[0] <= -0.99 and series.xs[-1] >= 0.99


def test_a_million_points_are_read_reduced(engine, monkeypatch):
    sizes = []
    read = type(engine).read

    def counted(self, buffer):
        sizes.append(buffer.size)
        return read(self, buffer)

    monkeypatch.setattr(type(engine), "read", counted)
    x = pt.arange(1 << 20, dtype="float32")
    pt.plot.line(x)
    pt.plot.histogram(x)
    pt.plot.image(x.reshape(1024, 1024))
    assert max(sizes) <= 512 * 512
    monkeypatch.undo()


# --- points ---


def test_scatter():
    plot = pt.plot.scatter([1.0, 2.0], [3.0, 4.0])
    parts = coordinates(paths(plot)[0])
    np.testing.assert_allclose(
        data_of(plot, [part[0] for part in parts]), [(1, 3), (2, 4)], atol=0.02
    )


@pytest.mark.parametrize("log", ["", "xy"])
def test_many_points_are_counted_in_cells(log):
    rng = np.random.default_rng(0)
    x, y = half_storage.stored(rng.uniform(1, 100, (2, 20_000)).astype("float32"))
    x[5], y[7] = math.nan, math.inf
    if log:
        x[6] = -1.0
    plot = pt.plot.scatter(pt.asarray(x), pt.asarray(y), log=log)
    series = plot._content.series[0]
    assert sum(series.counts) == 20_000 - 2 - bool(log)
    scale = np.log10 if log else np.asarray
    good = np.isfinite(x) & np.isfinite(y) & (x > 0)
    columns, rows = samples.CELLS
    expected, xs, ys = np.histogram2d(scale(x[good]), scale(y[good]), (columns, rows))
    found = np.zeros((columns, rows))
    at = np.searchsorted(xs, scale(series.xs)) - 1, np.searchsorted(ys, scale(series.ys)) - 1
    np.add.at(found, at, series.counts)
    # Points on the edge of a cell may be rounded into the next one.
    assert np.abs(found - expected).sum() < 20
    assert len(plot.svg()) < 150_000


def test_runs_of_equal_cells_are_one_line():
    n = 4000
    x = pt.arange(n) % samples.CELLS[0]
    plot = pt.plot.scatter(x, pt.where(pt.arange(n) < 3990, 0, 1))
    low = [shape for shape in paths(plot) if "h" in shape]
    assert sum(shape.count("M") for shape in low) < 30


# --- histograms ---


def test_histogram_against_numpy(engine):
    x = half_storage.stored(np.random.default_rng(0).normal(size=50_000).astype("float32"))
    series = pt.plot.histogram(pt.asarray(x).reshape(500, 100), 30)._content.series[0]
    np.testing.assert_allclose(series.xs, np.histogram(x, 30)[1], rtol=1e-5, atol=1e-6)
    assert series.ys == np.histogram(x, series.xs)[0].tolist()


def test_missing_values_are_not_counted():
    x = pt.asarray([1.0, math.nan, 2.0, math.inf, -math.inf, 2.0])
    series = pt.plot.histogram(x, 2)._content.series[0]
    assert (series.xs, series.ys) == ([1.0, 1.5, 2.0], [1.0, 2.0])
    assert pt.plot.histogram([3.0, 3.0], 2)._content.series[0].xs == [2.5, 3.0, 3.5]
    limits = pt.plot.histogram([1.0, 2.0, 9.0], [0.0, 1.5, 3.0])._content.series[0]
    assert limits.ys == [1.0, 1.0]
    ranged = pt.plot.histogram([1.0, 2.0, 9.0], 3, range=(0.0, 3.0))._content.series[0]
    assert ranged.xs == [0.0, 1.0, 2.0, 3.0] and ranged.ys[1:] == [1.0, 1.0]
    with pytest.raises(ArgumentError, match="histogram: x has no finite values"):
        pt.plot.histogram([math.nan])


def test_bars_begin_at_zero():
    plot = pt.plot.histogram([1.0, 2.0, 2.0], 2)
    [shape] = paths(plot)
    bottoms = {float(v) for v in re.findall(r"V([\d.]+)Z", shape)}
    drawing = Drawing(plot._content)
    assert list(bottoms) == pytest.approx([drawing.y(0.0)], abs=0.06)
    assert pt.plot.histogram([1.0, 2.0, 2.0], 2, log="y").svg()


# --- images ---


def picture_of(plot):
    image = ET.fromstring(plot.svg()).find(f"{SVG}image")
    data = image.get("href").removeprefix("data:image/png;base64,")
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB"))


def test_matrix_in_colors():
    x = np.asarray([[0.0, 1.0], [math.nan, 0.5]], "float32")
    plot = pt.plot.image(x)
    colors = np.frombuffer(palette(), "uint8").reshape(256, 3)
    pixels = picture_of(plot)
    np.testing.assert_array_equal(pixels[0], colors[[1, 255]])
    np.testing.assert_array_equal(pixels[1], colors[[0, 128]])
    assert "1.0" in texts(plot) and str(plot) == "image of 2 x 2, 0 to 1"
    # The first and the last colour of viridis.
    assert colors[1].tolist() == [0x44, 1, 0x54] and colors[255].tolist() == [0xFD, 0xE7, 0x25]
    clipped = picture_of(pt.plot.image(x, range=(0.0, 0.5)))
    np.testing.assert_array_equal(clipped[1, 1], colors[255])
    assert pt.plot.image(pt.ones((3, 3))).svg()


def test_picture_on_axes():
    x = np.random.default_rng(0).integers(0, 256, (6, 9, 3), dtype="uint8")
    plot = pt.plot.image(x).line([0.0, 8.0], [0.0, 5.0])
    np.testing.assert_array_equal(picture_of(plot), x)
    # Row 0 is at the top, as in the picture.
    [part] = coordinates(paths(plot)[0])
    assert part[0][1] < part[1][1]
    drawing = Drawing(plot._content)
    sides = drawing.right - drawing.left, drawing.bottom - drawing.top
    assert sides[0] / sides[1] == pytest.approx(9 / 6)


def test_large_images_are_reduced():
    plot = pt.plot.image(pt.ones((1100, 2000)))
    assert picture_of(plot).shape == (275, 500, 3)


# --- scales ---


@pytest.mark.parametrize("low", [-1e-7, 0.0, 3.3, 1e6])
@pytest.mark.parametrize("length", [1e-6, 0.37, 5.0, 7777.0])
def test_ticks(low, length):
    ticks = Linear().ticks(low, low + length)
    values = [value for value, _ in ticks]
    assert 3 <= len(values) <= 8 or length / max(abs(low), 1e-9) < 1e-9
    slack = length * 1e-6
    assert all(low - slack <= value <= low + length + slack for value in values)
    if abs(low) < 1e6:
        assert all(abs(float(label) - value) <= length * 0.01 for value, label in ticks)


def test_whole_ticks_and_logarithms():
    assert [label for _, label in Linear(whole=True).ticks(0, 2)] == ["0", "1", "2"]
    scale = Logarithmic()
    assert scale.forward(100.0) == 2.0 and math.isnan(scale.forward(0.0))
    assert scale.back(-1.0) == pytest.approx(0.1)
    values = scale.forward(pt.asarray([1000.0, -1.0])).tolist()
    assert values[0] == pytest.approx(3.0, abs=1e-5) and math.isnan(values[1])
    assert [label for _, label in scale.ticks(0.0, 1.0)] == ["1", "2", "5", "10"]
    assert len(scale.ticks(0.05, 0.1)) >= 2
    assert len(scale.ticks(-30.0, 30.0)) <= 11


def test_log_axes():
    plot = pt.plot.line([1.0, 10.0, 0.0, 1000.0], log="y")
    line, dots = paths(plot)
    places = data_of(plot, [*coordinates(line)[0], coordinates(dots)[0][0]])
    np.testing.assert_allclose(places, [(0, 0), (1, 1), (3, 3)], atol=0.02)


# --- texts ---


def test_title_labels_and_legend_are_escaped():
    plot = pt.plot.line([1, 2], label="<a&b>", title="T<", x_label="x>", y_label="y&")
    plot.line([2, 1], label="second").scatter([0, 1], [1, 1])
    assert {"T<", "x>", "y&", "<a&b>", "second"} <= set(texts(plot))
    assert len(paths(plot, COLORS[1])) == 2  # the line and its key
    assert len(paths(plot, COLORS[2])) == 1


def test_long_legends_have_several_rows():
    plot = pt.plot.Plot(width=300)
    for at in range(9):
        plot.line([at, at], label=f"series number {at}")
    rows = {
        float(t.get("y"))
        for t in ET.fromstring(plot.svg()).iter(f"{SVG}text")
        if "number" in t.text
    }
    assert len(rows) >= 5 and max(rows) < Drawing(plot._content).top


class Narrow(Place):
    width = 320


def boxes(svg):
    """Return the horizontal and vertical ranges of the texts, by the size of their letters."""
    anchors = {"start": 0.0, "middle": 0.5, "end": 1.0}
    for text in ET.fromstring(svg).iter(f"{SVG}text" if "xmlns" in svg else "text"):
        if "transform" in text.attrib:
            continue
        x, y, size = (float(text.get(name, 12)) for name in ("x", "y", "font-size"))
        left = x - anchors[text.get("text-anchor")] * 0.55 * size * len(text.text)
        yield left, left + 0.55 * size * len(text.text), y - size, y


@pytest.mark.parametrize(
    "plot",
    [
        pt.plot.line([2.00012, 2.00014, 2.00019], [1e-5, 9e-5, 2e-5], title="Share " * 12),
        pt.plot.line(10.0 ** np.arange(-7, 8), 10.0 ** np.arange(-7, 8), log="xy", x_label="x"),
        pt.plot.histogram([1e6, 1.2e6, 1.9e6], 9, label="a" * 20, height=180).line([0], label="b"),
        pt.plot.image(pt.eye(40)[:, :20] * 12345.0),
    ],
)
def test_texts_of_a_narrow_plot_keep_their_size_and_are_apart(plot):
    with use(Narrow()):
        svg = plot._repr_html_()
    assert 'width="320"' in svg and 'font-size="12"' in svg
    places = list(boxes(svg))
    assert len(places) >= 6
    assert all(left > -12 and right < 332 for left, right, _, _ in places)
    for (left, right, top, bottom), (left_2, right_2, top_2, bottom_2) in combinations(places, 2):
        assert right <= left_2 or right_2 <= left or bottom <= top_2 or bottom_2 <= top
    assert 'width="640"' in plot._repr_html_()


def test_data_of_a_narrow_plot_keep_their_shape():
    plot = pt.plot.scatter([0.0, 1.0], [0.0, 1.0], title="Circle", width=400, height=400)
    wide, narrow = (Drawing(plot._content, width) for width in (None, 300))
    assert narrow.right - narrow.left == wide.right - wide.left - 100
    shapes = [(one.right - one.left) / (one.bottom - one.top) for one in (wide, narrow)]
    assert shapes[0] == pytest.approx(shapes[1])
    assert narrow.height == pytest.approx(narrow.bottom + 28, abs=0.5)


def test_svg_needs_no_style_and_no_script():
    plot = pt.plot.image(pt.eye(3), title="a").line([0, 1, 2], label="b")
    for text in (plot.svg(), plot._repr_html_()):
        assert not re.search(r"<style|style=|<script|http://(?!www.w3.org/2000/svg)", text)
    assert 'color="#edebe5"' in plot.svg(dark=True) and 'color="#16181f"' in plot.svg()
    assert "xmlns" not in plot._repr_html_() and "<rect" not in plot._repr_html_()


def test_text():
    plot = pt.plot.line([0.0, 7.0], title="t").scatter([1, 2], [3, math.nan])
    assert str(plot) == "t\nline     ▁█  0 to 7\nscatter  ▁  3 to 3"
    assert str(pt.plot.Plot()) == "plot without data"
    assert str(pt.plot.line([math.nan])) == "line  no values"
    assert len(str(pt.plot.line(list(range(1000))))) < 60


@pytest.mark.parametrize("values", [[], [math.nan], [0.0], [5.0, 5.0], [1e30, -1e30], [1e-30]])
def test_degenerate_data(values):
    for log in ("", "y", "xy"):
        svg = pt.plot.line(values, log=log)._repr_html_()
        assert "nan" not in svg and "inf" not in svg


# --- arguments ---


def test_bad_arguments():
    with pytest.raises(ShapeError, match=r"plot.line: y must be a vector; got shape \(2, 2\)"):
        pt.plot.line(pt.ones((2, 2)))
    with pytest.raises(ShapeError, match=r"plot.scatter: x and y differ in length; got 2 and 3"):
        pt.plot.scatter([1, 2], [1, 2, 3])
    with pytest.raises(DTypeError, match=r"plot.line: y must be real"):
        pt.plot.line(pt.ones(3, dtype="complex64"))
    with pytest.raises(DTypeError, match=r"plot.histogram: x must be real"):
        pt.plot.histogram(pt.ones(3, dtype="complex64"))
    with pytest.raises(ShapeError, match=r"plot.image: tensor is no image"):
        pt.plot.image(pt.ones(3))
    with pytest.raises(ArgumentError, match="plot: log is unknown; got 'z'"):
        pt.plot.line([1], log="z")
    with pytest.raises(ArgumentError, match="plot: width is too small; got 3"):
        pt.plot.line([1], width=3)
    with pytest.raises(ArgumentError, match=r"plot.image: plot cannot have this image"):
        pt.plot.image(pt.ones((2, 2))).image(pt.ones((2, 2)))
    with pytest.raises(ArgumentError, match="bins is too small; got 0"):
        pt.plot.histogram([1.0], 0)
    with pytest.raises(TraceError):
        pt.jit(lambda x: pt.plot.line(x) and x)(pt.ones(3))


def test_module_is_called_to_plot_a_line():
    x, y = [0.0, 1.0, 4.0], [3.0, 1.0, 2.0]
    assert pt.plot(x, y, label="loss").svg() == pt.plot.line(x, y, label="loss").svg()
    assert pt.plot(y).svg() == pt.plot.line(y).svg()
