"""Test safetensors in a page: downloads, uploads, storage and the network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy as reference
from page_python import PagePython
from playwright.sync_api import FileChooser, Page, Route
from watched_page import PageErrors

pytest_plugins = ["page_fixtures"]

ARRAYS = {
    "layers.0.weight": np.random.default_rng(3).normal(size=(50, 7)).astype("float32"),
    "layers.0.bias": np.arange(7, dtype="float16"),
    "counts": np.array([[-1, 2**31 - 1]], "int32"),
    "mask": np.array([True, False]),
    "empty": np.zeros((0, 3), "uint8"),
}
LISTS = {name: array.tolist() for name, array in ARRAYS.items()}


def serve_file(page: Page, body: bytes = b"", status: int = 200) -> None:
    def answer(route: Route) -> None:
        route.fulfill(status=status, body=body, headers={"content-length": str(len(body))})

    page.route("**/model.safetensors", answer)


# --- storage --------------------------------------------------------------------------------------


async def stored(name: str, scale: float) -> list[str]:
    import py_tensor as pt

    layer = {"weight": pt.arange(6, dtype="float32").reshape((2, 3)) * scale, "step": 7}
    await pt.io.store(name, {"layers": [layer], "on": pt.asarray([True, False])})
    return await pt.io.names()


async def restored(name: str) -> Any:
    import py_tensor as pt

    like = {"layers": [{"weight": pt.zeros((2, 3)), "step": 0}], "on": pt.asarray([False, False])}
    tree = await pt.io.restore(name, like)
    flat = await pt.io.restore(name)
    [layer] = tree["layers"]
    return [layer["weight"].tolist(), layer["step"], tree["on"].tolist(), sorted(flat)]


async def removed(name: str) -> list[Any]:
    import py_tensor as pt

    await pt.io.remove(name)
    await pt.io.remove(name)
    try:
        await pt.io.restore(name)
    except pt.errors.ArgumentError as error:
        return [str(error), await pt.io.names()]
    return []


def test_storage_outlives_the_page(page: Page, pages_url: str) -> None:
    """Store a tree in a worker and load it on the thread of a page loaded later."""
    first = PagePython(page, pages_url, "worker")
    assert first.call(stored, "digits", 1.0) == ["digits"]
    assert first.call(stored, "Ähnlich/other", 3.0) == ["digits", "Ähnlich/other"]
    assert first.call(stored, "digits", 2.0) == ["digits", "Ähnlich/other"]
    later = PagePython(page, pages_url, "page")
    names = ["layers.0.step", "layers.0.weight", "on"]
    for name, scale in (("digits", 2.0), ("Ähnlich/other", 3.0)):
        weight = (np.arange(6).reshape(2, 3) * scale).tolist()
        assert later.call(restored, name) == [weight, 7, [True, False], names]
    assert later.call(removed, "digits") == [
        "restore: nothing is stored under this name; got 'digits'; stored names are "
        "'Ähnlich/other'",
        ["Ähnlich/other"],
    ]


def test_storage_leaves_nothing_behind(python: PagePython) -> None:
    assert python.call(stored, "model", 1.0) == ["model"]
    assert python.call(restored, "model")[1] == 7
    assert python.call(removed, "model")[1] == []


async def refused(verb: str, script: str) -> str:
    """Return the error of store while `script` replaces a method of the storage API."""
    import js

    import py_tensor as pt

    place = js.IDBObjectStore.prototype if verb == "put" else js.IDBFactory.prototype
    original = getattr(place, verb)
    setattr(place, verb, js.Function.new("original", script)(original))
    try:
        await pt.io.store("model", pt.ones(3))
    except pt.errors.BackendError as error:
        return str(error)
    finally:
        setattr(place, verb, original)
    return ""


def test_storage_errors_are_reported(python: PagePython) -> None:
    abort = """return function (...values) {
      const request = original.apply(this, values);
      this.transaction.abort();
      return request;
    }"""
    refusal = "store: the browser's storage failed; got {}; free space with pt.io.remove, or "
    refusal += "allow this site to store data"
    assert python.call(refused, "put", abort) == refusal.format(
        "AbortError: The transaction was aborted, so the request cannot be fulfilled."
    )
    throw = "return () => { throw new RangeError('not here'); }"
    assert python.call(refused, "open", throw) == refusal.format("RangeError: not here")


# --- downloads and uploads ------------------------------------------------------------------------


async def downloaded(arrays: dict[str, Any], dtypes: dict[str, str]) -> str:
    import py_tensor as pt

    tree = {name: pt.asarray(values, dtype=dtypes[name]) for name, values in arrays.items()}
    tree["empty"] = tree["empty"].reshape((0, 3))
    try:
        await pt.io.download(tree, "trained.safetensors", {"epoch": "3"})
    except pt.errors.BackendError as error:
        return str(error)
    return ""


def test_the_library_reads_a_download(python: PagePython) -> None:
    dtypes = {name: array.dtype.name for name, array in ARRAYS.items()}
    if python.thread == "worker":
        assert python.call(downloaded, LISTS, dtypes) == (
            "download: not available in a worker; got no document; post the result of "
            "to_bytes_async to the page and download it there"
        )
        return
    with python.page.expect_download() as download:
        assert python.call(downloaded, LISTS, dtypes) == ""
    assert download.value.suggested_filename == "trained.safetensors"
    data = Path(download.value.path()).read_bytes()
    assert data == reference.save(ARRAYS, {"epoch": "3"})


async def uploaded() -> Any:
    import py_tensor as pt

    try:
        tree = await pt.io.upload()
    except pt.errors.BackendError as error:
        return str(error)
    return tree and {name: [x.dtype.name, x.tolist()] for name, x in tree.items()}


def test_an_upload_of_a_file_of_the_library(python: PagePython, tmp_path: Path) -> None:
    if python.thread == "worker":
        assert python.call(uploaded) == (
            "upload: not available in a worker; got no document; read the file on the page, post "
            "its bytes, and use from_bytes"
        )
        return
    path = tmp_path / "model.safetensors"
    reference.save_file(ARRAYS, path)

    def choose(chooser: FileChooser) -> None:
        chooser.set_files(path)

    def cancel(chooser: FileChooser) -> None:
        chooser.element.dispatch_event("cancel")

    python.page.once("filechooser", choose)
    seen = python.call(uploaded)
    assert seen == {name: [array.dtype.name, LISTS[name]] for name, array in ARRAYS.items()}
    python.page.once("filechooser", cancel)
    assert python.call(uploaded) is None


async def posted() -> None:
    import js
    from pyodide.ffi import to_js

    import py_tensor as pt

    data = await pt.io.to_bytes_async({"w": pt.arange(3) * 2})
    js.BroadcastChannel.new("files").postMessage(to_js(data))


SAVE = """() => {
  new BroadcastChannel("files").onmessage = ({ data }) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([data]));
    link.download = "model.safetensors";
    link.click();
  };
}"""


def test_a_worker_posts_to_the_page(python: PagePython) -> None:
    python.page.evaluate(SAVE)
    with python.page.expect_download() as download:
        python.call(posted)
    np.testing.assert_array_equal(reference.load_file(download.value.path())["w"], [0, 2, 4])


# --- the network ----------------------------------------------------------------------------------


async def fetched(url: str) -> list[Any]:
    import py_tensor as pt

    steps: list[Any] = []
    try:
        tree = await pt.io.fetch(url, progress=lambda done, total: steps.append((done, total)))
    except pt.errors.TensorError as error:
        return [type(error).__name__, str(error)]
    return [{name: x.tolist() for name, x in tree.items()}, steps[-1]]


def test_fetch(python: PagePython) -> None:
    data = reference.save(ARRAYS)
    serve_file(python.page, data)
    assert python.call(fetched, "/model.safetensors") == [LISTS, [len(data), len(data)]]
    serve_file(python.page, b"<!doctype html>")
    error, text = python.call(fetched, "/model.safetensors")
    assert error == "FormatError"
    assert text.startswith("from_bytes: not a safetensors file; got ")


def table(url: str) -> list[Any]:
    import js

    import py_tensor as pt

    # Python waits for the answer here, and needs the whole address.
    try:
        rows = pt.data.csv(f"{js.location.origin}{url}")
    except pt.errors.TensorError as error:
        return [type(error).__name__, str(error).replace(js.location.origin, "")]
    return [row["a"].item() for row in rows]


def test_requests_without_an_answer(page: Page, pages_url: str, page_errors: PageErrors) -> None:
    python = PagePython(page, pages_url, "page")
    serve_file(page, "\ufeffa,b\n1,2\n3,4\n".encode())
    assert python.call(table, "/model.safetensors") == [1, 3]
    serve_file(page, status=404)
    failed = "csv: cannot read the URL; got /model.safetensors: "
    assert python.call(table, "/model.safetensors") == [
        "ArgumentError",
        f"{failed}HTTP Error 404: Not Found; check the address and the network",
    ]
    error, text = python.call(fetched, "/model.safetensors")
    assert error == "BackendError"
    assert text == (
        "fetch: request failed; got 404 Not Found for /model.safetensors; check the address"
    )
    page.route("**/model.safetensors", lambda route: route.abort())
    error, text = python.call(fetched, "/model.safetensors")
    assert error == "BackendError"
    assert text.startswith("fetch: no response; got TypeError: ")
    error, text = python.call(table, "/model.safetensors")
    assert error == "ArgumentError" and text.startswith(f"{failed}NetworkError: "), text
    page_errors.ignore()


# --- without blocking -----------------------------------------------------------------------------


async def read_while_ticking() -> list[Any]:
    """Compare to_bytes_async with to_bytes and count event loop iterations meanwhile."""
    import asyncio

    import py_tensor as pt

    tree = [pt.random.uniform((300, 300)) + float(n) for n in range(5)]
    count = 0

    async def tick() -> None:
        nonlocal count
        while True:
            count += 1
            await asyncio.sleep(0)

    task = asyncio.ensure_future(tick())
    data = await pt.io.to_bytes_async(tree)
    task.cancel()
    same = data == pt.io.to_bytes(tree)
    return [same, count]


def test_the_page_stays_responsive_while_bytes_are_read(python: PagePython) -> None:
    same, count = python.call(read_while_ticking)
    assert same
    # The first iteration does not show that the loop goes on.
    assert count > 1
