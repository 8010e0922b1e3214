"""Load models in a page: failures of the network, the browser's storage, files, cancelled tasks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from file_server import FileServer, file_server
from page_python import PagePython
from playwright.sync_api import Page
from work_limit import HANG_SECONDS

pytest_plugins = ["page_fixtures"]

SHARDS = {f"shard{number}.bin": bytes([number]) * 300_000 for number in range(1, 7)}
MODEL = b"PARTS\n" + "\n".join(SHARDS).encode()
SUMS = {name: [len(data), data[0], data[-1]] for name, data in SHARDS.items()}
CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Content-Range",
    "Access-Control-Allow-Headers": "*",
}


@pytest.fixture
def server() -> Iterator[FileServer]:
    """Server of another site, which allows requests from all sites."""
    with file_server() as server:
        server.headers = dict(CORS)
        server.files = {"model.txt": MODEL, **SHARDS}
        yield server


def install() -> None:
    """Add a format whose models are the lengths and some bytes of the files that they name."""
    import sys

    import py_tensor as pt
    from py_tensor.io import network
    from py_tensor.models import loading

    def read(parsed: Any, files: Any) -> Any:
        return {name: [len(files[name]), files[name][0], files[name][-1]] for name in parsed}

    row = loading.Format(
        lambda data: bytes(memoryview(data)[:6]) == b"PARTS\n",
        lambda data: bytes(data).decode().splitlines()[1:],
        set,
        read,
    )
    loading.FORMATS = {"parts": row, **loading.FORMATS}
    network.PAUSES = (0.01, 0.02)

    async def loaded(url: Any, **options: Any) -> Any:
        try:
            return await pt.models.load(url, **options)
        except pt.errors.TensorError as error:
            return [type(error).__name__, str(error)]

    sys.modules["page_loaded"] = loaded  # type: ignore[assignment]


@pytest.fixture
def loading(python: PagePython, server: FileServer) -> Iterator[PagePython]:
    """Python with the tests' format and an empty cache."""
    python.call(install)
    python.call(cleared)
    yield python
    python.call(cleared)


async def cleared() -> None:
    import py_tensor as pt

    await pt.models.cache.clear()
    pt.models.cache.limit = 1 << 30


async def load(url: str, options: dict[str, Any]) -> Any:
    import sys

    return await sys.modules["page_loaded"](url, **options)  # type: ignore[operator]


async def kept() -> Any:
    import py_tensor as pt

    return [[file.url.rpartition("/")[2], file.nbytes] for file in await pt.models.cache.list()]


# --- the browser's storage ------------------------------------------------------------------------


def test_files_are_kept_until_they_change(loading: PagePython, server: FileServer) -> None:
    url = f"{server.url}/model.txt"
    assert loading.call(load, url, {}) == SUMS
    assert len(server.requests()) == 7
    assert sorted(loading.call(kept)) == sorted(
        [name, len(data)] for name, data in [("model.txt", MODEL), *SHARDS.items()]
    )
    server.forget()
    assert loading.call(load, url, {}) == SUMS
    assert (server.requests(), len(server.requests("HEAD"))) == ([], 7)
    # One file changes, and is downloaded again.
    server.forget()
    server.files["shard2.bin"] = b"new"
    assert loading.call(load, url, {}) == SUMS | {"shard2.bin": [3, ord("n"), ord("w")]}
    assert server.requests() == ["/shard2.bin"]
    # The cache is not used.
    server.forget()
    assert loading.call(load, url, {"cache": False})["shard2.bin"][0] == 3
    assert len(server.requests()) == 7
    loading.call(cleared)
    assert loading.call(kept) == []


async def limited(url: str, limit: int) -> Any:
    import sys

    import py_tensor as pt

    pt.models.cache.limit = limit
    await sys.modules["page_loaded"](url)  # type: ignore[operator]
    return [file.url.rpartition("/")[2] for file in await pt.models.cache.list()]


def test_the_longest_unused_files_are_deleted(loading: PagePython, server: FileServer) -> None:
    for name in "abcd":
        server.files[f"{name}.txt"] = b"PARTS\n" + bytes(94)
        server.files[f"{name}.txt"] = server.files[f"{name}.txt"].replace(b"\0", b"\n")
    names = {f"{name}.txt": f"{server.url}/{name}.txt" for name in "abcd"}
    for name, limit, expected in (
        ("a", 300, "a"), ("b", 300, "ba"), ("c", 300, "cba"), ("a", 300, "acb"),
        ("d", 300, "dac"), ("b", 100, "b"), ("c", 99, "b"), ("c", 0, "b"),
    ):  # fmt: skip
        found = loading.call(limited, names[f"{name}.txt"], limit)
        assert [each[0] for each in found] == list(expected)


async def without_storage(url: str, script: str) -> Any:
    """Load while `script` replaces a method of the storage; return the model and the listing."""
    import sys

    import js

    import py_tensor as pt

    place, verb = {"open": (js.CacheStorage, "open"), "put": (js.Cache, "put")}[script]
    original = getattr(place.prototype, verb)
    refusal = "return () => Promise.reject(new DOMException('full', 'QuotaExceededError'))"
    setattr(place.prototype, verb, js.Function.new(refusal)())
    try:
        model = await sys.modules["page_loaded"](url)  # type: ignore[operator]
        return [model, await pt.models.cache.list()]
    finally:
        setattr(place.prototype, verb, original)


@pytest.mark.parametrize("verb", ["open", "put"])
def test_refused_storage_does_not_matter(
    verb: str, loading: PagePython, server: FileServer
) -> None:
    url = f"{server.url}/model.txt"
    for _ in range(2):
        server.forget()
        assert loading.call(without_storage, url, verb) == [SUMS, []]
        assert len(server.requests()) == 7


async def spoiled(url: str) -> Any:
    """Shorten a stored file, and load."""
    import sys

    import js

    store = await js.caches.open("py_tensor.models")
    await store.put(url.replace("model.txt", "shard1.bin"), js.Response.new("short"))
    return await sys.modules["page_loaded"](url)  # type: ignore[operator]


def test_incomplete_files_of_the_storage_are_not_used(
    loading: PagePython, server: FileServer
) -> None:
    url = f"{server.url}/model.txt"
    assert loading.call(load, url, {}) == SUMS
    server.forget()
    assert loading.call(spoiled, url) == SUMS
    assert server.requests() == ["/shard1.bin"]
    assert len(loading.call(kept)) == 7


# --- the network ----------------------------------------------------------------------------------


@pytest.fixture
def lone_python(page: Page, pages_url: str, server: FileServer) -> PagePython:
    """Python on a page of its own, whose console may show failed requests."""
    python = PagePython(page, pages_url, "page")
    python.call(install)
    return python


PROBE = re.compile(r"bytes=(\d+)-\1")
"""Range of a single byte."""


def test_failures_are_tried_again(
    lone_python: PagePython, server: FileServer, page_errors: list[str]
) -> None:
    server.next = {"shard1.bin": [503, 429], "shard2.bin": [-200_000], "model.txt": [500]}
    assert lone_python.call(load, f"{server.url}/model.txt", {}) == SUMS
    asked = [seen.headers.get("range") for seen in server.seen if seen.path == "/shard2.bin"]
    # Chromium, which keeps the first bytes, may ask for the one after them before the rest.
    first, rest = [text for text in asked if not PROBE.fullmatch(text or "")]
    assert first is None
    # The last bytes may be lost with the connection.
    assert rest is None or 0 < int(rest.removeprefix("bytes=").partition("-")[0]) <= 200_000
    page_errors.clear()


def test_errors_name_the_address(
    lone_python: PagePython, server: FileServer, page_errors: list[str]
) -> None:
    call = lone_python.call
    url = f"{server.url}/model.txt"
    server.files["page.html"] = b"<!doctype html>"
    for wrong, kind, problem in (
        (f"{server.url}/none.txt", "BackendError", "request failed; got 404 Not Found for"),
        (
            f"{server.url}/page.html",
            "ModelError",
            "file is not part of a model; got a web page for",
        ),
    ):
        error, text = call(load, wrong, {})
        assert error == kind
        assert text.startswith(f"load: {problem} {wrong}; ")
    server.next["shard3.bin"] = [-9, -9, -9]
    server.headers["ETag"] = None
    error, text = call(load, url, {})
    assert error == "BackendError"
    assert text.startswith("load: no response; got TypeError: ")
    assert f" for {server.url}/shard3.bin; check the address" in text
    server.headers["Access-Control-Allow-Origin"] = None
    error, text = call(load, url, {})
    assert error == "BackendError"
    assert text.startswith("load: server does not allow requests from other sites (CORS); got ")
    assert f" for {url}; copy the file next to the page" in text
    page_errors.clear()


def test_kept_files_are_read_without_a_network(
    lone_python: PagePython, server: FileServer, page_errors: list[str]
) -> None:
    url = f"{server.url}/model.txt"
    assert lone_python.call(load, url, {}) == SUMS
    lone_python.page.context.set_offline(True)
    try:
        assert lone_python.call(load, url, {}) == SUMS
        error, text = lone_python.call(load, f"{server.url}/other.txt", {})
    finally:
        lone_python.page.context.set_offline(False)
    assert (error, text.partition(";")[0]) == ("BackendError", "load: no response")
    page_errors.clear()


def test_servers_without_head_and_without_etags(
    lone_python: PagePython, server: FileServer, page_errors: list[str]
) -> None:
    """A GET whose answer has the known validator is ended; without a validator nothing is kept."""
    url = f"{server.url}/model.txt"
    server.refuses_head = True
    for _ in range(2):
        server.forget()
        assert lone_python.call(load, url, {}) == SUMS
        assert len(server.requests()) == 7
    page_errors.clear()
    lone_python.call(cleared)
    server.headers["ETag"] = None
    assert lone_python.call(load, url, {}) == SUMS
    assert lone_python.call(kept) == []
    server.headers["Last-Modified"] = "Sat, 01 Aug 2026 10:00:00 GMT"
    server.refuses_head = False
    assert lone_python.call(load, url, {}) == SUMS
    server.forget()
    assert lone_python.call(load, url, {}) == SUMS
    assert server.requests() == []


async def asked(url: str) -> Any:
    import sys

    load: Any = sys.modules["page_loaded"]
    return await load(url, headers={"X-Key": "secret"}, credentials="omit", cache=False)


def test_headers_are_sent(loading: PagePython, server: FileServer) -> None:
    assert loading.call(asked, f"{server.url}/model.txt?version=2") == SUMS
    seen = [each for each in server.seen if each.method == "GET"]
    assert {each.headers.get("x-key") for each in seen} == {"secret"}
    assert all(each.path.endswith("?version=2") for each in seen)


async def cancelled(url: str) -> Any:
    import asyncio

    import py_tensor as pt

    names: list[str] = []
    task = asyncio.ensure_future(
        pt.models.load(url, progress=lambda done, total, name: names.append(name))
    )
    while "shard1.bin" not in names:
        await asyncio.sleep(0.02)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        return "cancelled"
    return "finished"


def test_a_cancelled_task_ends_its_request(loading: PagePython, server: FileServer) -> None:
    server.next["shard1.bin"] = ["slow"]
    assert loading.call(cancelled, f"{server.url}/model.txt") == "cancelled"
    assert server.ended.wait(HANG_SECONDS)


# --- progress and memory --------------------------------------------------------------------------


async def steps(url: str) -> Any:
    import sys

    found: list[Any] = []
    load: Any = sys.modules["page_loaded"]
    await load(url, progress=lambda *step: found.append(step))
    return found


def test_progress(loading: PagePython, server: FileServer) -> None:
    whole = len(MODEL) + sum(map(len, SHARDS.values()))
    for _ in range(2):  # from the network and from the storage
        found = loading.call(steps, f"{server.url}/model.txt")
        assert found[0] == [len(MODEL), len(MODEL), "model.txt"]
        assert {total for _, total, _ in found[1:]} == {whole}
        assert [done for done, _, _ in found] == sorted(done for done, _, _ in found)
        assert found[-1][0] == whole


async def memory(url: str) -> Any:
    """Return the model and the largest number of bytes that Python held while it was loaded."""
    import sys
    import tracemalloc

    load: Any = sys.modules["page_loaded"]
    peaks = []
    for _ in range(2):  # from the network and from the storage
        tracemalloc.start(1)
        try:
            model = await load(url)
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    return [model, peaks]


def test_memory_is_that_of_the_weights(loading: PagePython, server: FileServer) -> None:
    size, count = 16 << 20, 4
    server.files = {f"{number}.bin": bytes([number + 1]) * size for number in range(count)}
    server.files["model.txt"] = b"PARTS\n" + "\n".join(server.files).encode()
    model, peaks = loading.call(memory, f"{server.url}/model.txt")
    assert model == {f"{number}.bin": [size, number + 1, number + 1] for number in range(count)}
    for peak in peaks:
        assert count * size < peak < (count + 1) * size


# --- files ----------------------------------------------------------------------------------------


async def from_files(model: str, names: list[str]) -> Any:
    """Load from File objects: a list, a FileList, an input element, a dropped folder, a buffer."""
    import io
    import sys
    import zipfile

    import js
    from pyodide.ffi import to_js

    load: Any = sys.modules["page_loaded"]
    data = {name: bytes([number]) * 300_000 for number, name in enumerate(names, 1)}
    data = {"model.txt": model.encode(), **data}
    blobs = {
        name: js.File.new(js.Array.of(to_js(memoryview(content))), name)
        for name, content in data.items()
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in data.items():
            archive.writestr(f"folder/{name}", content)
    steps: list[Any] = []
    found = [
        await load(list(blobs.values()), progress=lambda *step: steps.append(step)),
        await load(js.Array.of(*blobs.values())),
        await load(dict(blobs)),
        await load(js.File.new(js.Array.of(to_js(memoryview(packed.getvalue()))), "a.zip")),
        await load(to_js(memoryview(packed.getvalue()))),
    ]
    if hasattr(js, "document"):
        transfer = js.DataTransfer.new()
        for blob in blobs.values():
            transfer.items.add(blob)
        element = js.document.createElement("input")
        element.type = "file"
        element.multiple = True
        element.files = transfer.files
        found += [await load(transfer), await load(element), await load(element.files)]
    return [found, steps[-1]]


def test_file_objects(loading: PagePython) -> None:
    files = {"model.txt": MODEL, **SHARDS}
    found, last = loading.call(from_files, MODEL.decode(), list(SHARDS))
    assert len(found) == (8 if loading.thread == "page" else 5)
    for model in found:
        assert model == SUMS
    whole = sum(map(len, files.values()))
    assert last[:2] == [whole, whole]
