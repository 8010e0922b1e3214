"""Drive the page of the model analyser, with models that tests give."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from playwright.sync_api import Page, Route

GIVEN = re.compile(r"^[^?]*/given/")
"""Addresses of the models that tests give; the address of the page may name one."""
BLAZEFACE = Path(__file__).parent.parent / "tests" / "models" / "data" / "blazeface"
"""Model of TensorFlow.js with its trained weights."""
ENDED = """() => document.getElementById('open-status').textContent.includes('was opened')
  || !document.getElementById('open-problem').hidden"""


class AnalyserPage:
    """The analyser in a browser, loaded and ready."""

    def __init__(self, page: Page, site_url: str, query: str = "", offline: bool = False) -> None:
        self.page = page
        if not offline:
            # Requests of a service worker pass the routes of Playwright.
            page.add_init_script("delete Navigator.prototype.serviceWorker")
        page.goto(f"{site_url}/analyser/index.html{query}")
        page.wait_for_selector("[data-state=ready], [data-state=failed]")
        assert page.is_hidden("#notice"), page.inner_text("#notice")

    def open_address(self, address: str) -> None:
        """Open a model by its address, and wait until it is shown or refused."""
        self.page.fill("#model-address", address)
        self.page.click("#model-open")
        self.wait()

    def open_files(self, files: Mapping[str, bytes]) -> None:
        """Open a model from files that the visitor picks."""
        # The status of the model before would end the wait.
        self.page.evaluate("document.getElementById('open-status').textContent = ''")
        self.page.set_input_files(
            "#model-files",
            [
                {"name": name, "mimeType": "application/octet-stream", "buffer": data}
                for name, data in files.items()
            ],
        )
        self.wait()

    def wait(self) -> None:
        """Wait until a model is open with its graph, or until it is refused."""
        self.page.wait_for_function(ENDED)
        if self.page.is_hidden("#open-problem"):
            self.page.wait_for_selector("#graph canvas[aria-busy=false]")

    def card(self, name: str) -> str:
        return self.page.inner_text(f"[data-card={name}]")

    def problem(self) -> str:
        return self.page.inner_text("#open-problem")

    def select(self, name: str) -> None:
        """Select a layer in the table by the end of its name, and wait for its details."""
        self.page.fill("#rows input[type=search]", name)
        self.page.click("#rows tbody tr:not(.spacer) button")
        self.wait_for_layer()

    def wait_for_layer(self) -> None:
        self.page.wait_for_selector("#layer .details > *")

    def pixels(self, selector: str) -> Any:
        """Return the pixels (height, width, 4) of a canvas that a worker draws on."""
        from PIL import Image

        data = self.page.locator(selector).evaluate(
            """async (canvas) => {
              const bitmap = await createImageBitmap(canvas);
              const copy = new OffscreenCanvas(bitmap.width, bitmap.height);
              copy.getContext('2d').drawImage(bitmap, 0, 0);
              const blob = await copy.convertToBlob();
              return [...new Uint8Array(await blob.arrayBuffer())];
            }"""
        )
        return np.asarray(Image.open(io.BytesIO(bytes(data))).convert("RGBA"))


def blazeface_files() -> dict[str, bytes]:
    names = ("blazeface.json", "blazeface.bin")
    return {name: (BLAZEFACE / name).read_bytes() for name in names}


def serve_files(page: Page, files: Mapping[str, bytes]) -> None:
    """Answer requests for files in the folder `given` of the site."""

    def answer(route: Route) -> None:
        body = files.get(route.request.url.rpartition("/given/")[2])
        route.fulfill(status=404 if body is None else 200, body=body or b"")

    page.route(GIVEN, answer)


def onnx_model(nodes: list[Any], shape: list[Any], weights: dict[str, Any]) -> bytes:
    """Return an ONNX file with the input `x` and the last node's output, of the same shape."""
    graph = helper.make_graph(
        nodes,
        "made",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(nodes[-1].output[0], TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    opset = [helper.make_opsetid("", 17)]
    model = helper.make_model(
        graph, opset_imports=opset, ir_version=8, producer_name="maker", producer_version="7"
    )
    return model.SerializeToString()


def convolution(shape: list[Any]) -> bytes:
    """Return an ONNX file of one convolution, with three filters of 3 by 3, and its activation."""
    kernel = np.random.default_rng(4).normal(size=(3, 3, 3, 3)).astype("float32")
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"], name="conv", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["a"], ["y"], name="relu"),
    ]
    return onnx_model(nodes, shape, {"w": kernel})


def cast_weights(count: int) -> bytes:
    """Return an ONNX file of convolutions whose weights are float16 and cast in nodes before."""
    kernel = np.random.default_rng(7).normal(size=(4, 4, 1, 1)) / 2
    nodes = [
        helper.make_node("Cast", [f"w{at}"], [f"c{at}"], name=f"cast{at}", to=TensorProto.FLOAT)
        for at in range(count)
    ]
    for at in range(count):
        x = f"v{at - 1}" if at else "x"
        nodes.append(helper.make_node("Conv", [x, f"c{at}"], [f"v{at}"], name=f"conv{at}"))
    weights = {f"w{at}": kernel.astype("float16") for at in range(count)}
    return onnx_model(nodes, [1, 4, 8, 8], weights)


def deep_model(count: int) -> bytes:
    """Return an ONNX file of a chain of so many nodes, in scopes of five with one skip each."""
    kernel = np.random.default_rng(5).normal(size=(4, 4, 1, 1)).astype("float32") / 2
    nodes, x, skipped = [], "x", ""
    for at in range(count):
        scope, y = f"block{at // 50}/unit{at // 5}", f"v{at}"
        if at % 5 == 0:
            node = helper.make_node("Conv", [x, "w"], [y], name=f"{scope}/conv{at}")
            skipped = y
        elif at % 5 == 4:
            node = helper.make_node("Add", [x, skipped], [y], name=f"{scope}/add{at}")
        else:
            node = helper.make_node("Tanh", [x], [y], name=f"{scope}/tanh{at}")
        nodes.append(node)
        x = y
    return onnx_model(nodes, [1, 4, 8, 8], {"w": kernel})


def tensorflow_js_model() -> dict[str, bytes]:
    """Return the files of a graph model of TensorFlow.js: one convolution."""
    kernel = np.random.default_rng(6).normal(size=(3, 3, 3, 4)).astype("float32")
    lengths = {"dim": [{"size": str(length)} for length in (1, 8, 8, 3)]}
    dtype = {"type": "DT_FLOAT"}
    ones = {"list": {"i": ["1", "1", "1", "1"]}}

    def text(value: str) -> dict[str, str]:
        return {"s": base64.b64encode(value.encode()).decode()}

    nodes = [
        {"name": "x", "op": "Placeholder", "attr": {"dtype": dtype, "shape": {"shape": lengths}}},
        {"name": "w", "op": "Const", "attr": {"dtype": dtype}},
        {
            "name": "conv",
            "op": "Conv2D",
            "input": ["x", "w"],
            "attr": {
                "T": dtype,
                "strides": ones,
                "dilations": ones,
                "padding": text("SAME"),
                "data_format": text("NHWC"),
            },
        },
        {"name": "y", "op": "Relu", "input": ["conv"], "attr": {"T": dtype}},
    ]
    weight = {"name": "w", "shape": list(kernel.shape), "dtype": "float32"}
    document = {
        "format": "graph-model",
        "modelTopology": {"node": nodes, "library": {}, "versions": {"producer": 1}},
        "weightsManifest": [{"paths": ["w.bin"], "weights": [weight]}],
    }
    return {"model.json": json.dumps(document).encode(), "w.bin": kernel.tobytes()}
