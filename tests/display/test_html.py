"""Tensors as HTML: tables, ends of long axes, previews, tracers, lost and disposed tensors."""

from __future__ import annotations

import base64
import io
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image

import py_tensor as pt
from py_tensor.display.html import COLUMNS, PREVIEW, ROWS
from py_tensor.errors import BackendError


class Cells(HTMLParser):
    """Collect the texts of the cells of each row."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.is_cell = [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.is_cell = True

    def handle_endtag(self, tag):
        self.is_cell = False if tag in ("td", "th") else self.is_cell

    def handle_data(self, data):
        if self.is_cell:
            self.rows[-1][-1] += data


def rows_of(tensor):
    return Cells(tensor._repr_html_()).rows


def test_matrix_as_a_table():
    x = pt.asarray([[1.0, 1 / 3], [-2e9, float("nan")]])
    assert rows_of(x) == [
        ["", "0", "1"],
        ["0", "1.0", "0.33333"],
        ["1", "-2e+09", "nan"],
    ]
    assert f"shape (2, 2) · float32 · {pt.get_backend()} · 16 B" in x._repr_html_()


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (3.5, [["", "3.5"]]),
        ([1, -2], [["", "0", "1"], ["", "1", "-2"]]),
        ([True, False], [["", "0", "1"], ["", "True", "False"]]),
        ([1.5 - 2j], [["", "0"], ["", "1.5-2j"]]),
        ([[[1, 2]], [[3, 4]]], [["", "0", "1"], ["0, 0", "1", "2"], ["1, 0", "3", "4"]]),
    ],
)
def test_other_ranks_and_dtypes(values, shown):
    assert rows_of(pt.asarray(values)) == shown


def test_ends_of_a_large_tensor_are_read_alone(engine, monkeypatch):
    x = pt.arange(3 * 40 * 1000).reshape(3, 40, 1000) * 2
    sizes = []
    read = type(engine).read

    def counted(self, buffer):
        sizes.append(buffer.size)
        return read(self, buffer)

    monkeypatch.setattr(type(engine), "read", counted)
    rows = rows_of(x)
    # The backend in plain Python reads operands itself.
    assert (sizes[-1:] if engine.name == "python" else sizes) == [ROWS * COLUMNS]
    values = (np.arange(3 * 40 * 1000) * 2).reshape(120, 1000)
    assert rows[0] == ["", "0", "1", "2", "3", "…", "996", "997", "998", "999"]
    assert rows[1] == ["0, 0", *map(str, values[0, :4]), "…", *map(str, values[0, -4:])]
    assert rows[7] == ["", *["⋮"] * 9]
    assert rows[-1] == ["2, 39", *map(str, values[-1, :4]), "…", *map(str, values[-1, -4:])]
    assert len(rows) == 1 + ROWS + 1


def test_pending_work_runs_once(engine):
    x = pt.exp(pt.ones((200, 50)))
    x._repr_html_()
    assert "nothing pending" in pt.explain(x)


@pytest.mark.parametrize(
    "x",
    [
        lambda: pt.random.normal((90, 90)) * -1e-30,
        lambda: pt.complex(pt.random.normal((90, 90)) / 3e20, pt.random.normal((90, 90)) * 1e20),
        lambda: pt.random.randint(0, 255, (90, 70, 4)).astype("uint8"),
    ],
)
def test_html_is_short(x):
    assert 500 < len(x()._repr_html_()) < 13_000


def test_preview_of_a_picture(engine):
    pixels = np.zeros((96, 192, 3), "uint8")
    pixels[:, 96:] = 255, 128, 0
    html = pt.asarray(pixels)._repr_html_()
    data = re.search(r'src="data:image/png;base64,([^"]+)"', html).group(1)
    image = np.asarray(Image.open(io.BytesIO(base64.b64decode(data))))
    assert image.shape == (24, PREVIEW, 4)
    assert (image[:, :24] == [0, 0, 0, 255]).all() and (image[:, 24:] == [255, 128, 0, 255]).all()
    # Floats may be anything, and are shown as numbers.
    assert "<img" not in pt.ones((20, 20, 3))._repr_html_()


def test_no_values_inside_a_trace():
    seen = []
    constant = pt.ones((40, 40))

    @pt.jit
    def double(x):
        seen.extend([x._repr_html_(), constant._repr_html_()])
        return x * 2

    assert double(pt.ones(3)).tolist() == [2.0, 2.0, 2.0]
    pt.vmap(lambda x: seen.append(x._repr_html_()) or x)(pt.ones((2, 3)))
    assert len(seen) == 3
    assert all("inside a traced function tensors have no values" in html for html in seen)
    assert "shape (3,)" in seen[0] and "shape (40, 40)" in seen[1]


def test_disposed_and_empty():
    x = pt.ones(3)
    x.dispose()
    assert "disposed at" in x._repr_html_() and "<table" not in x._repr_html_()
    assert "no elements" in pt.ones((0, 3))._repr_html_()


def test_lost_values_are_reported(engine, monkeypatch):
    def lost(self, buffer):
        raise BackendError("read: context <lost>; got nothing; compute it again")

    monkeypatch.setattr(type(engine), "read", lost)
    assert "context &lt;lost&gt;" in pt.ones(300)._repr_html_()


def test_bundle_does_not_read_a_large_tensor_for_its_text():
    small = pt.ones((2, 2))._repr_mimebundle_()
    assert small["text/plain"] == repr(pt.ones((2, 2))) and "<table" in small["text/html"]
    assert next(iter(small)) == "text/html"
    large = pt.ones((100, 100))._repr_mimebundle_(include=None, exclude=None)["text/plain"]
    assert large == f"tensor(shape=(100, 100), dtype=float32, backend={pt.get_backend()})"
