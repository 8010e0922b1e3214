"""Load ONNX models in a page: by URL, with data in another file, and from a file object."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from page_python import PagePython
from playwright.sync_api import Page, Route
from watched_page import PageErrors

pytest_plugins = ["page_fixtures"]

RNG = np.random.default_rng(8)
IMAGE = RNG.normal(size=(1, 2, 6, 6)).astype("float32")
KERNEL = RNG.normal(size=(3, 2, 3, 3)).astype("float32")
NODES = [
    helper.make_node("Conv", ["x", "w"], ["a"], pads=[1, 1, 1, 1]),
    helper.make_node("Relu", ["a"], ["b"]),
    helper.make_node("MaxPool", ["b"], ["c"], kernel_shape=[2, 2], strides=[2, 2]),
    helper.make_node("Shape", ["c"], ["shape"], end=1),
    helper.make_node("Concat", ["shape", "rest"], ["wanted"], axis=0),
    helper.make_node("Reshape", ["c", "wanted"], ["d"]),
    helper.make_node("Softmax", ["d"], ["y"], axis=1),
]


def model(location: str = "") -> Any:
    """A small network; its kernel is in the file or in another one."""
    kernel = numpy_helper.from_array(KERNEL, "w")
    if location:
        kernel.ClearField("raw_data")
        kernel.data_location = TensorProto.EXTERNAL
        kernel.external_data.add(key="location", value=location)
    graph = helper.make_graph(
        NODES,
        "small",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 2, 6, 6])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [kernel, numpy_helper.from_array(np.int64([-1]), "rest")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)])


def expected() -> Any:
    from onnx.reference import ReferenceEvaluator

    return ReferenceEvaluator(model()).run(None, {"x": IMAGE})[0]


def serve_files(page: Page, files: dict[str, bytes]) -> None:
    def answer(route: Route) -> None:
        body = files.get(route.request.url.rpartition("/models/")[2])
        route.fulfill(status=404 if body is None else 200, body=body or b"")

    page.route("**/models/**", answer)


async def loaded(url: str, image: list[Any]) -> list[Any]:
    import py_tensor as pt

    try:
        model = await pt.models.load(url)
    except pt.errors.TensorError as error:
        return [type(error).__name__, str(error)]
    await model.warmup(pt.ShapeDtype((1, 2, 6, 6)))
    y = model(pt.asarray(image))
    await y.data()
    return [y.shape, y.tolist(), model._runner.eager]


def test_load_by_url(python: PagePython) -> None:
    y = expected()
    files = {
        "small.onnx": model().SerializeToString(),
        "parted.onnx": model("w.bin").SerializeToString(),
        "w.bin": KERNEL.tobytes(),
    }
    serve_files(python.page, files)
    for name in ("small.onnx", "parted.onnx"):
        shape, values, eager = python.call(loaded, f"/models/{name}", IMAGE.tolist())
        assert (tuple(shape), eager) == (y.shape, False)
        np.testing.assert_allclose(values, y, rtol=1e-4, atol=1e-6)


def test_missing_files_are_reported(page: Page, pages_url: str, page_errors: PageErrors) -> None:
    python = PagePython(page, pages_url, "page")
    serve_files(page, {"lost.onnx": model("missing.bin").SerializeToString()})
    for name in ("lost.onnx", "other.onnx"):
        error, text = python.call(loaded, f"/models/{name}", IMAGE.tolist())
        assert error == "BackendError"
        assert text.startswith("load: request failed; got 404")
    page_errors.ignore()


async def loaded_from_file(data: list[int], image: list[Any]) -> list[Any]:
    import js
    from pyodide.ffi import to_js

    import py_tensor as pt

    file = js.File.new(js.Array.of(to_js(memoryview(bytes(data)))), "small.onnx")
    model = await pt.models.load(file)
    y = model(pt.asarray(image))
    await y.data()
    fetched = await pt.models.load(lambda name: js.fetch("/models/small.onnx"))
    return [y.tolist(), fetched(pt.asarray(image)).tolist()]


def test_load_a_file_object_and_a_response(python: PagePython) -> None:
    data = model().SerializeToString()
    serve_files(python.page, {"small.onnx": data})
    for values in python.call(loaded_from_file, list(data), IMAGE.tolist()):
        np.testing.assert_allclose(values, expected(), rtol=1e-4, atol=1e-6)
