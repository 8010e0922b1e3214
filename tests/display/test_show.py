"""`show`: pictures, lists, tables and texts in terminals and in pages; PNG files."""

from __future__ import annotations

import io
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

import py_tensor as pt
from py_tensor.display import places
from py_tensor.display.pictures import GAP, Picture, png, reduced, tiled
from py_tensor.display.places import Place, use
from py_tensor.errors import ArgumentError, BackendError, ShapeError


class Kept(Place):
    def __init__(self):
        self.shown = []

    def show(self, item, key=None):
        self.shown.append((item, key))


@pytest.fixture
def kept():
    place = Kept()
    with use(place):
        yield place
    place.shown.clear()


# --- what is shown ---


@pytest.mark.parametrize("shape", [(4, 5), (4, 5, 1), (4, 5, 3), (4, 5, 4)])
def test_pictures(kept, shape):
    pt.show(pt.ones(shape), "title")
    [(item, key)] = kept.shown
    assert isinstance(item, Picture) and key == "title"
    assert item.rgba.shape == (4, 5, 4)


@pytest.mark.parametrize("shape", [(), (7,), (4, 5, 2), (1, 2, 3, 3), (0, 3)])
def test_other_tensors_are_tables(kept, shape):
    x = pt.ones(shape)
    pt.show(x)
    assert kept.shown == [(x, None)]


def test_kind_and_title(kept):
    pt.show(pt.ones((2, 3)), kind="table")
    pt.show(pt.ones((2, 3)), "<t>", kind="table")
    plain, titled = (item._repr_html_() for item, _ in kept.shown)
    assert titled == f"<p>&lt;t&gt;</p>{plain}"
    with pytest.raises(ShapeError, match=r"show: tensor is no picture; got shape \(3,\)"):
        pt.show(pt.ones(3), kind="picture")
    with pytest.raises(ArgumentError, match="show: kind is unknown; got 'plot'"):
        pt.show(pt.ones(3), kind="plot")
    with pytest.raises(ArgumentError, match="show: title must be a text; got 3"):
        pt.show("text", 3)


def test_list_of_pictures(kept):
    dark, light = pt.zeros((2, 3)), pt.ones((4, 3, 3))
    pt.show([dark, light, light])
    pixels = kept.shown[0][0].rgba.numpy()
    # Two columns; the cells are as large as the largest picture.
    assert pixels.shape == (4 + GAP + 4, 3 + GAP + 3, 4)
    assert (pixels[:2, :3] == [0, 0, 0, 255]).all()
    assert (pixels[2 : 4 + GAP, :3] == 0).all()
    assert (pixels[:4, 3 + GAP :] == 255).all() and (pixels[4 + GAP :, :3] == 255).all()
    assert (pixels[4 + GAP :, 3 + GAP :] == 0).all()
    with pytest.raises(ArgumentError, match="show: list has no pictures"):
        tiled([])


def test_tracers_are_not_drawn(kept):
    pt.jit(lambda x: pt.show(x) or x)(pt.ones((3, 3)))
    assert isinstance(kept.shown[0][0], pt.Tensor)


# --- places ---


def test_terminal(capsys):
    pt.show(pt.zeros((48, 64, 3)), "night")
    pt.show("text")
    pt.show(pt.asarray([1, 2]), "pair")
    assert capsys.readouterr().out == (
        "picture(night · shape (48, 64, 3), float32)\ntext\npair: [1, 2]\n"
    )


def test_target_without_a_page():
    with pytest.raises(BackendError, match="show: target requires a page"):
        pt.show("text", target="#output")
    with pytest.raises(ArgumentError, match="show: target must be an element"):
        pt.show("text", target=3)


class FakeElement:
    """The part of the DOM that `Element` uses."""

    def __init__(self):
        self.children, self.attributes, self.innerHTML, self.nodeType = [], {}, "", 1

    def getAttribute(self, name):
        return self.attributes.get(name)

    def setAttribute(self, name, value):
        self.attributes[name] = value

    def append(self, *children):
        self.children.extend(children)


def document_of(**elements):
    return SimpleNamespace(
        createElement=lambda _: FakeElement(),
        getElementById=elements.get,
        querySelector=lambda selector: elements.get(selector.removeprefix("#")),
        body=elements.get("body"),
    )


def test_elements_append_and_replace(monkeypatch):
    body, other = FakeElement(), FakeElement()
    monkeypatch.setattr(places, "js", SimpleNamespace(document=document_of(body=body, other=other)))
    pt.show("a <b>")
    pt.show(pt.asarray([1, 2]), "numbers")
    pt.show(pt.asarray([3, 4]), "numbers")
    assert body.children[0].innerHTML == "<pre>a &lt;b&gt;</pre>"
    assert len(body.children) == 2 and "<td>3</td>" in body.children[1].innerHTML
    pt.show(pt.plot.line([1, 2]), target="#other")
    assert other.children[0].innerHTML.startswith("<svg")
    with pytest.raises(ArgumentError, match="show: no element of the page fits the target"):
        pt.show("a", target="#missing")


def test_pyscript_shows_below_the_script(monkeypatch):
    script, body = FakeElement(), FakeElement()
    module = SimpleNamespace(
        document=document_of(body=body, script=script), current_target=lambda: "script"
    )
    monkeypatch.setitem(__import__("sys").modules, "pyscript", module)
    pt.show(pt.ones((3, 4)))
    # Python runs in a worker here, which cannot draw on the page's canvases.
    assert script.children[0].innerHTML.startswith('<figure><img src="data:image/png;base64,')
    assert body.children == []


# --- PNG files ---


def test_png_files(engine):
    pixels = np.random.default_rng(0).integers(0, 256, (5, 7, 4), dtype="uint8")
    image = Image.open(io.BytesIO(png(7, 5, pixels.tobytes())))
    assert (np.asarray(image) == pixels).all()
    palette = bytes(range(256)) * 3
    shades = np.asarray([[0, 1, 2], [255, 254, 3]], "uint8")
    image = Image.open(io.BytesIO(png(3, 2, shades.tobytes(), palette)))
    colors = np.frombuffer(palette, "uint8").reshape(256, 3)
    assert (np.asarray(image.convert("RGB")) == colors[shades]).all()


def test_large_pictures_are_reduced_to_means(engine):
    x = np.random.default_rng(1).random((9, 100, 4)).astype("float32")
    small = reduced(pt.asarray(x), 10)
    assert small.shape == (1, 10, 4)
    np.testing.assert_allclose(
        small.numpy()[0], x.reshape(9, 10, 10, 4).mean(axis=(0, 2)), rtol=1e-5
    )
    assert reduced(small, 10) is small


def test_small_pictures_are_enlarged():
    html = Picture(pt.ones((2, 3)), 'a "b"')._repr_html_()
    assert 'width="420" height="280" alt="a &quot;b&quot;"' in html
    assert "image-rendering: pixelated" in html
    wide = Picture(pt.ones((20, 3000)))._repr_html_()
    assert 'width="1000" height="6"' in wide and "pixelated" not in wide
