"""Load weights from a hub in a page: parts, redirects, digests, the browser's storage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from file_server import FileServer, file_server
from hub_server import publish, storage_path
from page_python import PagePython
from playwright.sync_api import Page

pytest_plugins = ["page_fixtures"]

CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "*",
    "Access-Control-Allow-Headers": "*, Authorization",
}
COUNT = 100_000


@pytest.fixture
def storage() -> Iterator[FileServer]:
    with file_server() as server:
        server.headers = dict(CORS)
        yield server


@pytest.fixture
def hub(storage: FileServer) -> Iterator[FileServer]:
    with file_server() as server:
        server.headers = dict(CORS)
        yield server


async def install(url: str) -> None:
    import py_tensor as pt
    from py_tensor.io import network
    from py_tensor.models import web_files

    web_files.HUB = url
    network.PAUSES = (0.01, 0.02)
    await pt.models.cache.clear()
    pt.models.cache.limit = 1 << 30


async def load(limit: int, headers: dict[str, str] | None) -> Any:
    """Load; return sums by name, the last report, the files that are kept, and warnings."""
    import warnings

    import py_tensor as pt

    pt.models.cache.limit = limit
    steps: list[Any] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tensors = await pt.models.load_weights(
            "hf://owner/name", headers=headers, progress=lambda *step: steps.append(step)
        )
    sums = {name: pt.sum(tensor).item() for name, tensor in tensors.items()}
    kept = [file.url.rpartition("/")[2] for file in await pt.models.cache.list()]
    return [sums, steps[-1], sorted(kept), [str(each.message) for each in caught]]


def file() -> bytes:
    """Return a file of safetensors with three tensors."""
    import struct

    from py_tensor.io import safetensors

    entries = {
        name: safetensors.Entry("F32", (COUNT,), struct.pack("<f", at) * COUNT)
        for at, name in enumerate("abc", 1)
    }
    return safetensors.write(entries, None)


def test_weights_of_a_hub(python: PagePython, hub: FileServer, storage: FileServer) -> None:
    data = file()
    publish(hub, storage, {"README.md": b"x", "model.safetensors": data})
    python.call(install, hub.url)
    wanted = {"a": COUNT, "b": 2 * COUNT, "c": 3 * COUNT}
    found, last, kept, warned = python.call(load, 1 << 30, {"Authorization": "Bearer secret"})
    assert found == wanted
    assert last == [len(data), len(data), "model"]
    assert (kept, warned) == (["main?blobs=true", "model.safetensors"], [])
    asked = [seen.headers["range"] for seen in storage.seen if seen.method == "GET"]
    assert asked == ["bytes=0-65535", f"bytes=65536-{len(data) - 1}"]
    gets = [seen for seen in hub.seen if seen.method == "GET"]
    assert {seen.headers.get("authorization") for seen in gets} == {"Bearer secret"}
    assert not any("authorization" in seen.headers for seen in storage.seen)
    # The second visit reads the browser's storage.
    storage.forget()
    assert python.call(load, 1 << 30, None)[0] == wanted
    assert storage.requests() == []


def test_parts_continue_after_a_broken_connection(
    page: Page, pages_url: str, hub: FileServer, storage: FileServer, page_errors: list[str]
) -> None:
    """On a page of its own, whose console may show failed requests."""
    python = PagePython(page, pages_url, "page")
    data = file()
    publish(hub, storage, {"model.safetensors": data})
    python.call(install, hub.url)
    storage.next[storage_path(data)] = [{}, -500_000]
    assert python.call(load, 0, None)[0] == {"a": COUNT, "b": 2 * COUNT, "c": 3 * COUNT}
    asked = [seen.headers["range"] for seen in storage.seen if seen.method == "GET"]
    # Browsers may drop bytes that have arrived, and compare those of their own cache.
    assert len(asked) > 2
    assert asked[-1].endswith(f"-{len(data) - 1}")
    page_errors.clear()


def test_files_without_room_are_named(
    python: PagePython, hub: FileServer, storage: FileServer
) -> None:
    data = file()
    publish(hub, storage, {"model.safetensors": data})
    python.call(install, hub.url)
    _, _, kept, warned = python.call(load, 1_000_000, None)
    assert kept == ["main?blobs=true"]
    assert len(warned) == 1
    assert warned[0].startswith("load: file is not kept for the next visit; got 1,200,")
    python.call(install, hub.url)
    _, _, kept, warned = python.call(load_without_room, "QuotaExceededError")
    assert kept == []
    assert any("the browser has no room to keep a file for the next" in text for text in warned)
    assert all(" in use, for " in text for text in warned)


async def load_without_room(name: str) -> Any:
    """Load while the browser refuses to store files."""
    import js

    import py_tensor as pt

    original = js.Cache.prototype.put
    refusal = f"return () => Promise.reject(new DOMException('full', '{name}'))"
    js.Cache.prototype.put = js.Function.new(refusal)()
    try:
        import warnings

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tensors = await pt.models.load_weights("hf://owner/name")
        return [len(tensors), 0, [], [str(each.message) for each in caught]]
    finally:
        js.Cache.prototype.put = original


async def refusal() -> str:
    """Return the error of loading."""
    import py_tensor as pt

    try:
        await pt.models.load_weights("hf://owner/name")
    except pt.errors.BackendError as error:
        return str(error)
    return ""


def test_files_with_another_digest_are_refused(
    python: PagePython, hub: FileServer, storage: FileServer
) -> None:
    data = file()
    publish(hub, storage, {"model.safetensors": data})
    storage.files[storage_path(data)] = data[:-1] + b"\1"
    python.call(install, hub.url)
    assert python.call(refusal).startswith(
        "load: file is not the one that the hub lists; got digest "
    )
