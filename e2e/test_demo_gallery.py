"""Test the demo's gallery: its programs in the page, the pointer on pictures, and sound."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from demo_driver import WEBGL, Demo
from gallery_programs import NAMES, numpy_picture, small
from playwright.sync_api import Browser, Page
from waiting import eventually
from watched_page import SharedPage

pytest_plugins = ["demo_fixtures"]

SIDE, FRAMES = 48, 6


def test_one_click_opens_a_program(demo: Demo) -> None:
    page = demo.page
    cards = page.locator("#gallery button")
    assert sorted(card.get_attribute("data-example") or "" for card in cards.all()) == NAMES
    for card in cards.all():
        image = card.locator("img")
        image.scroll_into_view_if_needed()
        page.wait_for_function("image => image.complete", arg=image.element_handle())
        assert image.evaluate("image => [image.naturalWidth, image.naturalHeight]") == [160, 160]
    demo.choose("fluid")
    shown = page.inner_text("#editor .cm-content")
    assert "def between(q, y, x):" in shown
    assert page.evaluate("document.activeElement.id") == "run"
    assert page.get_attribute("[data-example=fluid]", "aria-pressed") == "true"
    assert page.locator("[aria-pressed=true][data-example]").count() == 1


def test_an_example_is_undone(demo: Demo) -> None:
    page = demo.page
    demo.write("print('a program of mine')")
    demo.choose("fluid")
    page.click("#editor .cm-content")
    page.keyboard.press("ControlOrMeta+z")
    assert page.inner_text("#editor .cm-content") == "print('a program of mine')"


BEFORE = """import py_tensor as pt
from py_tensor.runtime.executor import backend
bridge, draws, reads = backend().bridge, [], []
for verb in ("read", "read_async"):
    def counted(*given, read=getattr(bridge, verb)):
        reads.append(1)
        return read(*given)
    setattr(bridge, verb, counted)
"""

EACH = "    draws.append(pt.cache_info().draws)\n"

AFTER = """
del bridge.read, bridge.read_async
print(*(b - a for a, b in zip(draws, draws[1:])), len(reads))
"""

DRAWS = {
    "fluid": 6,
    "gray_scott": 11,
    "histogram": 7,
    "life": 3,
    "mandelbrot": 3,
    "material_points": 1305,
    "n_body": 6,
    "path_tracer": 3,
    "ray_marching": 3,
    "synthesizer": 3,
}
"""Draws of a frame, without the one that copies the picture to its canvas."""


@pytest.fixture(scope="module")
def webgl_page(chromium: Browser, site_url: str) -> Iterator[SharedPage[Demo]]:
    with SharedPage(chromium, lambda page: Demo(page, site_url, query=WEBGL)) as page:
        yield page


@pytest.mark.parametrize("name", NAMES)
def test_program_draws_the_same_as_numpy(demo: Demo, name: str) -> None:
    source = small(name, SIDE, FRAMES)
    assert_draws_like_numpy(demo, source, source)


@pytest.mark.parametrize("name", NAMES)
def test_program_draws_few_times_on_webgl2(webgl_page: SharedPage[Demo], name: str) -> None:
    demo, source = webgl_page.get(), small(name, SIDE, FRAMES)
    body, last, end = source.rpartition("    if frame.number ==")
    assert_draws_like_numpy(demo, source, BEFORE + body + EACH + last + end + AFTER)
    *draws, reads = map(int, demo.printed()[-1].split())
    assert draws == [DRAWS[name]] * (FRAMES - 1)
    assert reads == (FRAMES if name == "synthesizer" else 0)


def assert_draws_like_numpy(demo: Demo, source: str, program: str) -> None:
    """Run a program, and compare the picture with that of the source on NumPy."""
    demo.write(program)
    demo.start()
    assert demo.finish().startswith("ran in"), demo.text()
    drawn = np.asarray(demo.page.locator("#output canvas").evaluate(PIXELS)).reshape(-1, 3)
    expected = numpy_picture(source).reshape(-1, 3)
    assert np.ptp(expected) > 50
    different = np.abs(drawn.astype(int) - expected).max(axis=1) > 3
    # Rounding decides about some pixels at edges.
    assert different.mean() < 0.02


PIXELS = """canvas => {
  const copy = document.createElement("canvas");
  copy.width = canvas.width;
  copy.height = canvas.height;
  const context = copy.getContext("2d");
  context.drawImage(canvas, 0, 0);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  return [...data].filter((_, at) => at % 4 < 3);
}"""

FOLLOWING = """import py_tensor as pt
from playground import frames
pt.show(pt.zeros((40, 80)), "picture")
seen = None
async for frame in frames():
    if seen != frame[2:]:
        seen = frame[2:]
        print(*seen)
"""


def test_programs_follow_the_pointer_and_are_stopped(demo: Demo) -> None:
    page = demo.page
    demo.write(FOLLOWING)
    demo.start()
    page.wait_for_selector("#output canvas")
    box = page.locator("#output canvas").bounding_box()
    assert box is not None

    def last(expected: str) -> None:
        printed = demo.printed()
        assert printed
        x, y, pressed = printed[-1].split()
        assert [round(float(x), 2), round(float(y), 2), pressed] == json.loads(expected)

    eventually(page, lambda: last('[0.5, 0.5, "False"]'))
    page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 0.75 * box["height"])
    eventually(page, lambda: last('[0.25, 0.75, "False"]'))
    page.mouse.down()
    eventually(page, lambda: last('[0.25, 0.75, "True"]'))
    page.mouse.up()
    eventually(page, lambda: last('[0.25, 0.75, "False"]'))
    page.click("#stop")
    assert demo.finish().startswith("stopped after")
    # The picture is still there.
    assert demo.picture("picture").shape == (40, 80, 3)


RECORDING = """
globalThis.sounds = [];
const { createBuffer, close } = AudioContext.prototype;
AudioContext.prototype.createBuffer = function (channels, length, rate) {
  const buffer = createBuffer.call(this, channels, length, rate);
  sounds.push({ rate, buffer });
  return buffer;
};
BaseAudioContext.prototype.createBuffer = AudioContext.prototype.createBuffer;
const { start } = AudioBufferSourceNode.prototype;
globalThis.starts = [];
AudioBufferSourceNode.prototype.start = function (when) {
  starts.push(when);
  return start.call(this, when);
};
AudioContext.prototype.close = function () {
  sounds.push("closed");
  return close.call(this);
};
"""

TONE = """import itertools
import py_tensor as pt
from playground import play
samples = pt.sin(pt.arange(22_050) * 0.1)
for number in itertools.count():
    await play(samples, 44_100)
    print(number)
"""


def test_sounds_are_played_until_stop(page: Page, site_url: str) -> None:
    page.add_init_script(RECORDING)
    demo = Demo(page, site_url)
    demo.write(TONE)
    demo.start()
    eventually(page, lambda: _assert_at_least(len(demo.printed()), 2))
    page.click("#stop")
    assert demo.finish().startswith("stopped after")
    assert page.evaluate("sounds.at(-1)") == "closed"
    rate, samples = page.evaluate("[sounds[0].rate, [...sounds[0].buffer.getChannelData(0)]]")
    assert rate == 44_100
    np.testing.assert_allclose(samples, np.sin(np.arange(22_050) * 0.1), atol=1e-3)
    # Each sound takes half a second, and the next one begins at its end. It is made shortly before.
    starts = page.evaluate("starts")
    assert all(later - sooner > 0.499 for sooner, later in pairwise(starts))
    assert len(starts) <= len(demo.printed()) + 1


def _assert_at_least(found: int, least: int) -> None:
    assert found >= least
