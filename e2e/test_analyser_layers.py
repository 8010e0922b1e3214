"""Test the analyser's graph, table and view of a layer."""

from __future__ import annotations

import numpy as np
import pytest
from accessibility import violations
from analyser_driver import (
    AnalyserPage,
    blazeface_files,
    cast_weights,
    convolution,
    deep_model,
)
from canvas_work import canvas_work, count_canvas_work
from playwright.sync_api import Page
from waiting import eventually

pytest_plugins = ["analyser_fixtures"]

NODES = 1000
COUNT_ELEMENTS = "document.querySelectorAll('*').length"


@pytest.fixture
def blazeface(analyser: AnalyserPage) -> AnalyserPage:
    """Page with BlazeFace, which stays open for the next test."""
    if analyser.page.inner_text("#open-status").find("blazeface.json was opened") < 0:
        analyser.open_files(blazeface_files())
    return analyser


def test_layer_shows_filters_activations_and_shaders(blazeface: AnalyserPage) -> None:
    analyser, page = blazeface, blazeface.page
    analyser.select("conv2d/Relu")
    text = page.inner_text("#layer")
    assert "24 filters of 5 by 5 in the colors of the three input channels" in text
    assert "24 maps of 128 by 128" in text
    assert "kernel" in text and " ms on the host" in text
    assert page.locator("#layer .weight svg").count() == 2
    # Five filters in a row, each with a gap; each filter uses the whole range of its values.
    filters = analyser.pixels('#layer canvas[aria-label^="24 filters"]')
    assert filters.shape == (30, 30, 4)
    first = filters[:5, :5, :3]
    assert (first.min(), first.max()) == (0, 255)
    maps = analyser.pixels('#layer canvas[aria-label^="24 maps"]')
    assert maps.shape == (5 * 129, 5 * 129, 4)
    assert len(np.unique(maps[..., :3].reshape(-1, 3), axis=0)) > 100
    page.click("#layer .kernel summary")
    assert ".func:kernel" in page.inner_text("#layer .kernel pre")


def test_table_sorts_and_measures(blazeface: AnalyserPage) -> None:
    page = blazeface.page
    page.fill("#rows input[type=search]", "")
    page.click("#rows th button:text('Parameters')")
    assert page.get_attribute("#rows th[aria-sort=descending]", "class") == "number"
    sizes = page.locator("#rows tbody tr:not(.spacer) td:nth-child(5)").all_inner_texts()
    assert sizes[0] == "9.31 k"
    page.click("#rows button:text('Measure the layers')")
    page.wait_for_function(
        "document.querySelector('#rows .status').textContent.startsWith('Each layer')"
    )
    shown = page.locator("#rows tbody tr:not(.spacer) td:nth-child(8)").all_inner_texts()
    times = [float(text) for text in shown if text]
    assert len(times) > 5
    assert times == sorted(times, reverse=True)


def test_keys_move_through_table_and_graph(blazeface: AnalyserPage) -> None:
    page = blazeface.page
    page.fill("#rows input[type=search]", "")
    page.click("#rows th button:text('#')")
    if page.get_attribute("#rows th >> nth=0", "aria-sort") == "descending":
        page.click("#rows th button:text('#')")
    page.click("#rows tbody tr[data-layer='0'] button")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.closest('tr').dataset.layer") == "1"
    page.focus("#graph canvas")
    before = page.inner_text("#layer .layer-name")
    page.keyboard.press("ArrowDown")
    assert page.inner_text("#layer .layer-name") != before
    page.keyboard.press("ArrowUp")
    assert page.inner_text("#layer .layer-name") == before


def test_filters_and_maps_of_channels_first(analyser: AnalyserPage, site_url: str) -> None:
    page = analyser.page
    analyser.open_files({"conv.onnx": convolution([1, 3, 12, 20])})
    analyser.select("conv")
    text = page.inner_text("#layer")
    assert "3 filters of 3 by 3 in the colors" in text
    assert "3 maps of 12 by 20" in text
    page.click("#layer .source:not(.kernel) summary")
    page.wait_for_selector("#layer a:text('Open in the playground')")
    address = page.get_attribute("#layer .source:not(.kernel) a", "href") or ""
    assert address.startswith(f"{site_url}/index.html#program=import+py_tensor")


def test_graph_begins_in_the_middle(analyser: AnalyserPage) -> None:
    page = analyser.page
    analyser.open_files({"deep.onnx": deep_model(12)})

    def check() -> None:
        alpha = analyser.pixels("#graph canvas")[..., 3].sum(axis=0)
        assert alpha.any()
        assert abs(np.average(np.linspace(0, 1, len(alpha)), weights=alpha) - 0.5) < 0.05

    eventually(page, check)


def test_cast_weights_count_at_the_convolutions_that_read_them(analyser: AnalyserPage) -> None:
    page = analyser.page
    analyser.open_files({"casts.onnx": cast_weights(28)})
    small = page.locator("#graph canvas").evaluate("canvas => canvas.height")
    page.click("#graph button:text('Full screen')")
    page.wait_for_selector("#graph:fullscreen button[aria-pressed=true]")
    page.wait_for_function("h => document.querySelector('#graph canvas').height > h", arg=small)
    page.click("#graph button:text('Full screen')")
    page.wait_for_selector("#graph:not(:fullscreen)")
    assert analyser.card("parameters") == "448"
    page.click("#graph button:text('Fit')")
    assert page.inner_text("#graph .status") == "28 layers"
    analyser.select("conv0")
    assert "(4, 4, 1, 1) float16" in page.inner_text("#layer")
    row = page.inner_text("#rows tbody tr:not(.spacer)").split("\t")
    assert "16" in row


def test_graph_begins_with_the_input_and_ends_with_the_output(analyser: AnalyserPage) -> None:
    page = analyser.page
    # The casts are arranged next to the convolutions, also far below the first one.
    analyser.open_files({"casts.onnx": cast_weights(28)})

    def check() -> None:
        rows = analyser.pixels("#graph canvas")[..., 3].any(axis=1)
        assert rows[: len(rows) // 4].any()

    eventually(page, check)
    page.focus("#graph canvas")
    page.keyboard.press("ArrowUp")
    assert page.inner_text("#graph .status") == "Input x, 1 \xd7 4 \xd7 8 \xd7 8 float32"
    analyser.select("conv27")
    page.focus("#graph canvas")
    page.keyboard.press("ArrowDown")
    assert page.inner_text("#graph .status") == "Output v27, 1 \xd7 4 \xd7 8 \xd7 8 float32"


def drag_and_zoom(page: Page) -> None:
    box = page.locator("#graph canvas").bounding_box()
    assert box
    x, y = box["x"] + 100, box["y"] + 100
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(80):
        page.mouse.move(x + step, y + step * 2)
    page.mouse.up()
    for name in ["Zoom in"] * 12 + ["Zoom out"] * 12:
        page.click(f"#graph button[aria-label='{name}']")


def test_frames_draw_only_the_nodes_in_view(analyser: AnalyserPage) -> None:
    page = analyser.page
    workers: list[str] = []
    page.on("worker", lambda worker: workers.append(worker.url))
    analyser.open_files({"deep.onnx": deep_model(20)})
    elements_of_20 = page.evaluate(COUNT_ELEMENTS)
    workers.clear()
    analyser.open_files({"deep.onnx": deep_model(NODES)})
    assert analyser.card("layers") == str(NODES)
    assert "closed scopes" in page.inner_text("#graph .status")
    # The page's thread does not lay out the graph, and makes elements for the rows in view only.
    assert any("/layout_worker" in url for url in workers)
    assert page.evaluate(COUNT_ELEMENTS) < elements_of_20 + 60
    page.click("#graph button:text('Open all')")
    page.wait_for_function(
        f"document.querySelector('#graph .status').textContent === '{NODES} layers'"
    )
    page.locator("#graph canvas").scroll_into_view_if_needed()
    count_canvas_work(page, "#graph canvas")
    with canvas_work(page) as far:
        drag_and_zoom(page)
    with canvas_work(page) as selecting:
        page.fill("#graph input[type=search]", "add999")
        page.keyboard.press("Enter")
        analyser.wait_for_layer()
    assert page.inner_text("#layer .layer-name") == "block19/unit199/add999"
    with canvas_work(page) as near:
        drag_and_zoom(page)
    for work in (far, selecting, near):
        assert work.frames
        # However many events arrive, an animation frame draws the graph once.
        assert len(work.times) == len(set(work.times))
    # A node far away is one call, and about two lines lead to it.
    assert far.most("fillText") == 0
    assert 100 < far.most("fillRect") <= NODES
    assert far.most() < 8 * far.most("fillRect")
    # Only the nodes in view are drawn with their texts: about 26 of the 1,000.
    assert 10 < near.most("fillText") < 60
    assert near.most("roundRect") < 120
    assert near.most() < 1000
    assert len(selecting.frames) < 10


def test_scopes_open_and_close_by_keys(analyser: AnalyserPage) -> None:
    page = analyser.page
    analyser.open_files({"deep.onnx": deep_model(300)})
    page.click("#graph button:text('Close all')")
    page.wait_for_function(
        "document.querySelector('#graph .status').textContent.startsWith('6 nodes')"
    )
    page.focus("#graph canvas")
    page.keyboard.press("Enter")
    page.wait_for_function(
        "document.querySelector('#graph .status').textContent.startsWith('Scope block0/unit0')"
    )
    page.keyboard.press("Backspace")
    page.wait_for_function(
        "document.querySelector('#graph .status').textContent.startsWith('Scope block0,')"
    )


def test_page_has_no_serious_fault_for_screen_readers(blazeface: AnalyserPage) -> None:
    analyser, page = blazeface, blazeface.page
    analyser.select("conv2d/Relu")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        serious = [
            (each["id"], [node["target"] for node in each["nodes"]][:4])
            for each in violations(page)
            if each["impact"] in ("serious", "critical")
        ]
        assert serious == []
    page.emulate_media(color_scheme="light")


def test_phone_has_no_sideways_scroll(blazeface: AnalyserPage) -> None:
    page = blazeface.page
    size = page.viewport_size
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert size
    page.set_viewport_size(size)
