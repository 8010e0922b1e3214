"""Test the analyser's differences to the outputs of ONNX Runtime Web."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from analyser_driver import GIVEN, AnalyserPage, convolution, serve_files
from onnx import numpy_helper
from playwright.sync_api import Page

pytest_plugins = ["analyser_fixtures"]

TFLITE = Path(__file__).parent.parent / "tests" / "models" / "data" / "tflite"


def compare(page: Page) -> list[dict[str, str]]:
    """Return the cells of each output by the titles of their columns."""
    page.wait_for_function("document.querySelector('#output-times').children.length > 0")
    page.evaluate("document.getElementById('output-checks').open = true")
    page.select_option("#output-other", "onnx")
    page.click("#output-compare")
    page.wait_for_selector("#output-compare:enabled")
    assert page.inner_text("#output-differences > .status, #output-differences th") == "Output"
    titles = page.locator("#output-differences thead th").all_inner_texts()
    rows = page.locator("#output-differences tbody tr").all()
    cells = [row.locator("th, td").all_inner_texts() for row in rows]
    return [dict(zip(titles, each, strict=True)) for each in cells]


@pytest.mark.parametrize("name", ["convolutions-float", "convolutions-int8"])
def test_tflite_as_in_onnx_runtime(analyser: AnalyserPage, name: str) -> None:
    analyser.open_files({"model.tflite": (TFLITE / f"{name}.tflite").read_bytes()})
    rows = compare(analyser.page)
    assert len(rows) == len(np.load(TFLITE / f"{name}.npz").files) - 1
    for row in rows:
        largest = float(row["Largest"])
        assert largest > 0
        assert float(row["Difference"]) <= 1e-5 * largest


def test_place_of_the_largest_difference(analyser: AnalyserPage, site_url: str) -> None:
    model = onnx.load_from_string(convolution([1, 3, 16, 16]))
    # Converters give outputs names as long as this one.
    output = "StatefulPartitionedCall/functional_1/activation/Relu:0"
    model.graph.node[-1].output[0] = model.graph.output[0].name = output
    data = model.SerializeToString()
    files = {"conv.onnx": data}
    page = analyser.page
    serve_files(page, files)
    analyser.open_address(f"{site_url}/given/conv.onnx")
    (row,) = compare(page)
    assert float(row["Difference"]) < 1e-5
    # From now on, ONNX Runtime gets a file with another filter of the last channel.
    model = onnx.load_from_string(data)
    (weight,) = model.graph.initializer
    changed = numpy_helper.to_array(weight).copy()
    changed[2] += 1.0
    weight.CopyFrom(numpy_helper.from_array(changed, weight.name))
    files["conv.onnx"] = model.SerializeToString()
    (row,) = compare(page)
    assert float(row["Difference"]) > 0.1
    assert row["Where"].startswith("0, 2, ")
    difference = abs(float(row["Ours"]) - float(row["Theirs"]))
    assert difference == pytest.approx(float(row["Difference"]), rel=1e-2)
    page.unroute(GIVEN)
    page.set_viewport_size({"width": 1280, "height": 800})
    hidden = "table => table.parentElement.scrollWidth - table.parentElement.clientWidth"
    assert page.locator("#output-differences table").evaluate(hidden) <= 0
