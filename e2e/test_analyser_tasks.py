"""Test the analyser's gallery: inputs, and what models with trained weights find in them."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import numpy as np
import onnxruntime
import preparation
import pytest
from accessibility import faults
from analyser_driver import AnalyserPage
from conftest import SITE
from make_gallery import LINES, MELODY
from PIL import Image
from playwright.sync_api import Browser, Page
from waiting import eventually
from watched_page import SharedPage

import py_tensor as pt

GALLERY = SITE / "gallery"
DONE = """task => document.querySelector('#output-task').value === task
  && document.querySelector('#output-times').children.length > 0
  && document.querySelector('#input-panel').ariaBusy === 'false'"""


class Tasks(AnalyserPage):
    """The analyser with models of its gallery."""

    def __init__(self, page: Page, site_url: str) -> None:
        self.requests: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        super().__init__(page, site_url)
        self.site_url = site_url

    def choose(self, model: str, task: str) -> None:
        """Open a model of the gallery, and wait until it has run on its sample."""
        card = self.page.locator(f"[data-gallery='{model}']")
        # It may be the model that is open; the page presses its card again when it is loaded.
        card.evaluate("card => { card.ariaPressed = 'false'; }")
        card.click()
        self.page.wait_for_selector(f"[data-gallery='{model}'][aria-pressed=true]")
        self.page.wait_for_function(DONE, arg=task)
        assert self.page.inner_text("#output-status") == ""

    def bars(self) -> list[tuple[str, float]]:
        rows = self.page.locator("#output-bars li").all_inner_texts()
        return [
            (name, float(score.strip(" %")) / 100)
            for name, _, score in (row.rpartition("\n") for row in rows)
        ]

    def reads(self) -> int:
        return int(self.page.get_attribute("[data-reads]", "data-reads") or "-1")

    def compare(self) -> list[float]:
        """Return the largest difference of each output from that of TensorFlow.js."""
        self.page.evaluate("document.getElementById('output-checks').open = true")
        self.page.click("#output-compare")
        self.page.wait_for_selector("#output-differences tbody tr")
        rows = self.page.locator("#output-differences tbody tr").all()
        return [
            float(row.get_attribute("data-difference") or "inf")
            / max(float(row.get_attribute("data-largest") or "0"), 1.0)
            for row in rows
        ]


@pytest.fixture(scope="module")
def tasks_page(chromium: Browser, site_url: str) -> Iterator[SharedPage[Tasks]]:
    with SharedPage(chromium, lambda page: Tasks(page, site_url)) as page:
        yield page


@pytest.fixture
def tasks(tasks_page: SharedPage[Tasks]) -> Tasks:
    """Page that the tests share, each of which opens models of the gallery."""
    return tasks_page.get()


def test_emotion_as_in_tensorflow_js(tasks: Tasks) -> None:
    tasks.choose("emotion.json", "emotion")
    name, score = tasks.bars()[0]
    assert name == "happy"
    assert score > 0.9
    assert len(tasks.bars()) == 7
    assert max(tasks.compare()) < 1e-3
    assert tasks.page.is_visible("#output-stage canvas:not([hidden])")


def test_face_mesh_is_drawn_without_reading(tasks: Tasks) -> None:
    tasks.choose("facemesh.json", "face_mesh")
    assert tasks.reads() == 0
    shown = tasks.pixels("#output-stage canvas:not([hidden])")[..., :3].astype(int)
    photo = np.asarray(Image.open(GALLERY / "astronaut.jpg").convert("RGB")).astype(int)
    rows, columns = np.nonzero(np.abs(shown - photo).max(axis=2) > 60)
    # The points are on the face, which is there in this photo.
    assert len(rows) > 500
    assert (rows.min() > 50, rows.max() < 200) == (True, True)
    assert (columns.min() > 160, columns.max() < 290) == (True, True)


def test_random_picture_to_picture_is_drawn_without_reading(tasks: Tasks) -> None:
    tasks.choose("pix2pix.json", "picture")
    assert tasks.reads() == 0
    drawn = tasks.pixels("#output-stage canvas:not([hidden])")
    assert drawn.shape[:2] == (256, 256)
    page = tasks.page
    page.evaluate("document.getElementById('output-checks').open = true")
    for way in ("read", "tensorflow"):
        page.select_option("#output-way", way)
        page.wait_for_function(
            "document.querySelector('#output-stage canvas:not([hidden])').height === 256"
            " && Number(document.querySelector('[data-reads]').dataset.reads) > 0"
        )

        def is_drawn_again() -> None:
            again = tasks.pixels("#output-stage canvas:not([hidden])")
            np.testing.assert_allclose(again[..., :3], drawn[..., :3], atol=1)

        eventually(page, is_drawn_again)
    page.select_option("#output-way", "texture")
    page.wait_for_function("document.querySelector('[data-reads]').dataset.reads === '0'")


def test_hands_have_boxes_and_points(tasks: Tasks) -> None:
    tasks.choose("handtrack.json", "hands")
    ((name, score),) = tasks.bars()
    # Human finds the same class with a score of 0.63 in the picture without JPEG's losses.
    assert name == "point"
    assert abs(score - 0.63) < 0.06
    assert tasks.page.inner_text(".labels span").startswith("point ")
    tasks.choose("handlandmark-lite.json", "hand_points")
    assert tasks.reads() == 0


def test_lines_are_read_as_by_rapidocr(tasks: Tasks) -> None:
    tasks.choose("pp-ocr-det.onnx", "text")
    # RapidOCR 1.4.4 finds the same characters; it leaves out spaces of the smaller lines.
    read = tasks.page.inner_text("#output-texts").splitlines()
    assert [line.replace(" ", "") for line in read] == [text.replace(" ", "") for text, _ in LINES]
    tasks.page.evaluate("document.getElementById('output-numbers').open = true")
    tasks.page.wait_for_selector("#output-numbers td")
    statistics = tasks.page.locator("#output-numbers dd").all_inner_texts()
    options = preparation.Options(
        0, 0, channels_first=True, fit="stretch", scaling="signed", bgr=True
    )
    image = np.asarray(Image.open(GALLERY / "text.png").convert("RGB"))
    x, _ = preparation.compiled(preparation.code(options))(pt.asarray(image))
    session = onnxruntime.InferenceSession(GALLERY / "pp-ocr-det.onnx")
    (output,) = session.run(None, {session.get_inputs()[0].name: x.numpy()})
    assert re.findall(r"\d+", statistics[0]) == ["1", "1", "320", "480"]
    expected = [output.min(), output.max(), output.mean(), output.std()]
    np.testing.assert_allclose([float(s) for s in statistics[2:6]], expected, atol=2e-3)


def test_melody_becomes_notes(tasks: Tasks) -> None:
    tasks.choose("basic-pitch/model.json", "notes")
    pitches = tasks.page.eval_on_selector_all(
        ".piano-roll .note", "notes => notes.map((note) => Number(note.dataset.pitch))"
    )
    played = [note for *_, note in MELODY]
    # The package basic-pitch also finds one overtone, E5.
    assert sorted(set(pitches)) == sorted({*played, 76})
    assert len(pitches) == len(played) + 1
    label = tasks.page.get_attribute(".piano-roll", "aria-label") or ""
    assert "C4 at 0.1 to 0.5 s" in label
    assert max(tasks.compare()) < 1e-3


def test_filters_and_options_change_the_input(tasks: Tasks) -> None:
    tasks.choose("emotion.json", "emotion")
    page = tasks.page
    plain = tasks.pixels("#output-stage canvas:not([hidden])")
    page.evaluate("document.getElementById('input-effects').open = true")
    page.evaluate("document.querySelector('#output-times').replaceChildren()")
    page.check("#input-filters [data-filter=pixelate] input[type=checkbox]")
    page.wait_for_function(DONE, arg="emotion")
    changed = tasks.pixels("#output-stage canvas:not([hidden])")
    assert (changed != plain).any(axis=2).mean() > 0.5
    page.evaluate("document.getElementById('input-code').open = true")
    assert "regions(picture, size)" in page.inner_text("#input-code pre")
    page.evaluate("document.querySelector('#output-times').replaceChildren()")
    page.select_option("#input-options [name=fit]", "stretch")
    page.wait_for_function(DONE, arg="emotion")
    assert "pt.vision.resize(colors, size)" in page.inner_text("#input-code pre")
    page.click("#filters-reset")


def test_camera_runs_until_the_page_is_hidden(tasks: Tasks) -> None:
    tasks.choose("emotion.json", "emotion")
    page = tasks.page
    page.click("#input-camera")
    page.wait_for_selector("#input-status:text('pixels of the camera')")
    page.wait_for_function("document.querySelector('#output-stage').style.cssText.includes('640')")
    page.evaluate(
        "Object.defineProperty(document, 'hidden', { value: true, configurable: true });"
        "document.dispatchEvent(new Event('visibilitychange')); delete document.hidden"
    )
    page.wait_for_selector("#input-camera[aria-pressed=false]")


def test_other_model_is_chosen_while_the_camera_films(tasks: Tasks) -> None:
    page = tasks.page
    tasks.choose("emotion.json", "emotion")
    for model, task in (("handtrack.json", "hands"), ("emotion.json", "emotion")) * 2:
        page.click("#input-camera")
        page.wait_for_selector("#input-status:text('pixels of the camera')")
        tasks.choose(model, task)
        page.wait_for_selector("#input-camera[aria-pressed=false]")
        status = page.inner_text("#input-status")
        assert re.fullmatch(r"\d+ \xd7 \d+ pixels( of the camera)?", status), status


def test_microphone_is_recorded(tasks: Tasks) -> None:
    tasks.choose("basic-pitch/model.json", "notes")
    page = tasks.page
    page.evaluate("document.querySelector('#output-times').replaceChildren()")
    page.click("#input-microphone")
    page.wait_for_selector("#input-microphone[aria-pressed=true]")
    page.wait_for_timeout(1500)
    page.click("#input-microphone")
    page.wait_for_selector("#input-status:text('seconds of sound')")
    length = re.match(r"(\d+\.\d) seconds", page.inner_text("#input-status"))
    assert length and float(length[1]) > 0
    page.wait_for_function(DONE, arg="notes")


def test_files_that_are_no_pictures(tasks: Tasks) -> None:
    tasks.choose("emotion.json", "emotion")
    image = io.BytesIO()
    Image.new("RGB", (64, 48), "white").save(image, "PNG")
    for data, text in ((b"nothing", "cannot read this file"), (image.getvalue(), "48 pixels")):
        tasks.page.set_input_files(
            "#input-file", {"name": "a.png", "mimeType": "image/png", "buffer": data}
        )
        tasks.page.wait_for_selector(f"#input-status:text('{text}')")


def test_nothing_leaves_the_site_and_the_page_is_accessible(tasks: Tasks) -> None:
    tasks.choose("emotion.json", "emotion")
    here = (f"{tasks.site_url}/", f"blob:{tasks.site_url}/", "data:")
    assert [url for url in tasks.requests if not url.startswith(here)] == []
    page = tasks.page
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        assert faults(page, "#try, #gallery") == []
    page.set_viewport_size({"width": 360, "height": 800})
    # Charts and the graph follow their panels in the next frames.
    page.wait_for_function("document.documentElement.scrollWidth <= 360")
    page.focus("[data-gallery='emotion.json']")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.gallery") == "handtrack.json"
    page.set_viewport_size({"width": 1280, "height": 720})


RECORD_VIDEO = """async () => {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: 96, height: 64 });
  const context = canvas.getContext('2d');
  const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/webm' });
  const parts = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const stopped = new Promise((resolve) => { recorder.onstop = resolve; });
  recorder.start();
  for (let frame = 0; frame < 30; frame += 1) {
    // The left half is always red; the right half turns from black to blue.
    context.fillStyle = 'red';
    context.fillRect(0, 0, 48, 64);
    context.fillStyle = `rgb(0 0 ${frame * 8})`;
    context.fillRect(48, 0, 48, 64);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  recorder.stop();
  await stopped;
  const transfer = new DataTransfer();
  transfer.items.add(new File(parts, 'moving.webm', { type: 'video/webm' }));
  const input = document.getElementById('input-file');
  input.files = transfer.files;
  input.dispatchEvent(new Event('change'));
}"""


def test_video_file_runs_until_the_next_picture(tasks: Tasks) -> None:
    tasks.choose("emotion.json", "emotion")
    page = tasks.page
    page.evaluate(RECORD_VIDEO)
    page.wait_for_selector("#input-status:text('64 pixels of moving.webm')")
    page.wait_for_function("document.querySelector('#output-stage').style.cssText.includes('96')")
    blues = set()

    def has_moved() -> None:
        shown = tasks.pixels("#output-stage canvas:not([hidden])")[..., :3].astype(int)
        assert shown.shape == (64, 96, 3)
        np.testing.assert_allclose(shown[2:6, 4:40].mean(axis=(0, 1)), [255, 0, 0], atol=40)
        blues.add(int(shown[2:6, 60:90, 2].mean()) // 20)
        # Several pictures of the video, which plays again and again.
        assert len(blues) >= 3

    eventually(page, has_moved)
    page.click("[data-sample='cat.jpg']")
    page.wait_for_selector("[data-sample='cat.jpg'][aria-pressed=true]")
    page.wait_for_timeout(1000)
    assert page.inner_text("#input-status").endswith("pixels")


def test_screen_runs_until_sharing_ends(tasks: Tasks) -> None:
    tasks.choose("emotion.json", "emotion")
    page = tasks.page
    page.evaluate(
        """() => {
          const ask = navigator.mediaDevices.getDisplayMedia;
          navigator.mediaDevices.getDisplayMedia = async function (options) {
            return (globalThis.shared = await ask.call(this, options));
          };
        }"""
    )
    page.click("#input-screen")
    page.wait_for_selector("#input-status:text('pixels of the screen')")
    assert page.get_attribute("#input-screen", "aria-pressed") == "true"
    width, height = map(int, re.findall(r"\d+", page.inner_text("#input-status")))
    assert min(width, height) > 100
    page.wait_for_function(
        f"document.querySelector('#output-stage').style.cssText.includes('{width} / {height}')"
    )
    # As if the visitor ended it in the browser's own bar. The page also stops the track.
    page.evaluate("shared.getVideoTracks()[0].dispatchEvent(new Event('ended'))")
    page.wait_for_selector("#input-screen[aria-pressed=false]")
    assert page.evaluate("shared.getVideoTracks()[0].readyState") == "ended"


def test_screen_that_is_refused_is_explained(tasks: Tasks) -> None:
    tasks.choose("emotion.json", "emotion")
    tasks.page.evaluate(
        """() => {
          navigator.mediaDevices.getDisplayMedia = () =>
            Promise.reject(new DOMException('Permission denied', 'NotAllowedError'));
        }"""
    )
    tasks.page.click("#input-screen")
    tasks.page.wait_for_selector("#input-status:text('screen: it gives no pictures')")
    assert tasks.page.get_attribute("#input-screen", "aria-pressed") == "false"
